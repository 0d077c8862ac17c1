/* SPDX-License-Identifier: MIT
 * pair_body.c: which pairs of instances of two bodies are asked, and in which order.
 *
 * Two parts are asked at once. With an assembly the hierarchies over instances are walked together
 * (pair_kernel.c), which calls bvpi_pair_enter() for pairs of instances that may matter.
 * Exceptions:
 * - If a filter leaves out at least half of an assembly, its selected instances are queried one by
 *   one: a common walk opens every near box, selected or not.
 * - An assembly with instances far away has several hierarchies. Pairs of them are walked in turn,
 *   for a distance the nearest first.
 *
 * An assembly against itself: each unordered pair once, item_a < item_b. Whichever way is taken,
 * the answer is the same.
 *
 * Held against brute force by tests/property/test_pairs.c, test_filter.c and test_far_answers.c.
 * Spec: exactness.md, chapter 10, "Filters"
 * Measured: decisions.md, "Queries of some instances", "Instances far away"
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "prim/place_bounds.h"
#include "query/body/kind_table.h"
#include "query/pair/pair_query.h"
#include "query/pair/ties.h"

/* Ends the query on an error. Returns whether there is none. */
static bool note_status(bvpi_pair_answer *answer, bvp_status status)
{
    answer->status = status;
    if (status != BVP_OK)
        answer->state = BVPI_PAIR_ENDED;
    return status == BVP_OK;
}

static const bvpi_placed_body *body_b(const bvpi_pair_bodies *bodies)
{
    return bodies->self ? &bodies->a : &bodies->b;
}

/* Finds the part that `item` of a body refers to. False: its records are damaged; the query ends.
 */
static bool get_part(bvpi_pair_answer *answer, const bvpi_placed_body *placed, uint32_t item,
                     bvpi_placed_part *buffer, const bvpi_placed_part **out)
{
    *out = &placed->one;
    if (!placed->is_assembly)
        return true;
    *out = buffer;
    return note_status(answer, bvpi_placed_body_instance(placed, item, buffer));
}

/* Opens both parts with the first kind of hierarchy that both have. */
static bvp_status agree(const bvpi_pair_bodies *bodies, bvpi_placed_part *a, bvpi_placed_part *b)
{
    const bvp_file *file_a = bodies->a.file, *file_b = body_b(bodies)->file;
    for (uint32_t kind = BVPD_KIND_WIDE8; kind < BVPD_KIND_BINARY_END; kind++)
        if (bvpi_placed_part_kind(file_a, kind, a) == BVP_OK &&
            bvpi_placed_part_kind(file_b, kind, b) == BVP_OK)
            return BVP_OK;
    return BVP_ERR_ARGUMENT;
}

/* Is the grid of the hierarchy over instances coarse beside this instance? Then that walk's boxes
 * say little, and boxes are compared in double. It is coarse if some instances are far away. top:
 * NULL if the body is a single part. */
static bool is_coarse(const bvpi_placed_tree *top, const bvpi_placed_part *placed)
{
    double longest = 0;
    for (int axis = 0; axis < 3; axis++)
        longest = fmax(longest, (double)placed->part.hi[axis] - (double)placed->part.lo[axis]);
    return top != NULL && 4 * top->tree.grid_unit > longest;
}

/* Are the parts' boxes in the world farther apart than the limit, which is 0 where they must touch?
 */
static bool is_out_of_reach(const bvpi_placed_part *a, const bvpi_placed_part *b, double limit)
{
    double gap_sq = 0;
    for (int axis = 0; axis < 3; axis++) {
        double of_a[2], of_b[2];
        bvpi_place_span(a->at.placement.m + 4 * axis, a->part.lo, a->part.hi, of_a);
        bvpi_place_span(b->at.placement.m + 4 * axis, b->part.lo, b->part.hi, of_b);
        const double above = of_b[0] - of_a[1], below = of_a[0] - of_b[1];
        const double gap = above > below ? above : below;
        gap_sq += gap > 0 ? gap * gap : 0;
    }
    return gap_sq > limit * limit * (1 + 0x1p-18);
}

/* Walks hierarchies of the given kind, which both parts have. */
static void run_parts(bvpi_pair_query *query, uint32_t kind, const bvpi_placed_part *a,
                      const bvpi_placed_part *b)
{
    const bvpi_pair_kernel *kernel = query->kernel;
    assert(kind < BVPD_KIND_END && a->kind == kind && b->kind == kind);
    if (query->question.last != NULL)
        kernel = kernel->last;
    else if (query->question.front != NULL)
        kernel = kernel->front;
    if (kind == BVPD_KIND_WIDE8)
        kernel->wide(query, a, b);
    else if (kernel->binary != NULL)
        kernel->binary(query, a, b);
    else
        bvpi_kind_table[kind]->pair[kernel->isa](query, a, b);
}

/* Is it asked whether a part meets itself, in one and the same place? Each of its triangles does.
 */
static bool is_on_itself(const bvpi_pair_question *question, const bvpi_placed_part *a,
                         const bvpi_placed_part *b)
{
    return question->mode == BVPI_PAIR_COLLIDE && question->witness == BVPI_WITNESS_NONE &&
           a->part.blob == b->part.blob && a->part.triangle_count > 0 &&
           memcmp(a->at.placement.m, b->at.placement.m, sizeof a->at.placement.m) == 0;
}

static void ask_parts(bvpi_pair_query *query, const bvpi_placed_part *a, const bvpi_placed_part *b)
{
    bvpi_pair_answer *answer = &query->answer;
    answer->stats.instance_pairs++;
    if (is_on_itself(&query->question, a, b)) {
        answer->best.found = 1;
        answer->state = BVPI_PAIR_ENDED;
    } else if (a->kind == b->kind) {
        run_parts(query, a->kind, a, b);
    } else {
        bvpi_placed_part as_a = *a, as_b = *b;
        if (note_status(answer, agree(&query->bodies, &as_a, &as_b)))
            run_parts(query, as_a.kind, &as_a, &as_b);
    }
    if (answer->state == BVPI_PAIR_SETTLED)
        answer->state = BVPI_PAIR_SEARCHING; /* only these two parts are settled */
}

void bvpi_pair_enter(bvpi_pair_query *query, uint32_t item_a, uint32_t item_b)
{
    const bvpi_pair_bodies *bodies = &query->bodies;
    const bvpi_placed_body *all_a = &bodies->a, *all_b = body_b(bodies);
    bvpi_placed_part buffer_a, buffer_b;
    const bvpi_placed_part *a, *b;
    assert(query->answer.state == BVPI_PAIR_SEARCHING);
    if (!bvpi_meter_step(query->meter)) {
        note_status(&query->answer, BVP_ERR_CANCELLED);
        return;
    }
    if ((bodies->self && item_a >= item_b) || item_b < bodies->first_b)
        return;
    if (!bvpi_placed_body_selects(all_a, item_a) || !bvpi_placed_body_selects(all_b, item_b))
        return;
    if (!get_part(&query->answer, all_a, item_a, &buffer_a, &a) ||
        !get_part(&query->answer, all_b, item_b, &buffer_b, &b))
        return;
    if ((is_coarse(bodies->top_a, a) || is_coarse(bodies->top_b, b)) &&
        is_out_of_reach(a, b, query->answer.limit))
        return;
    ask_parts(query, a, b);
}

/* ---- several hierarchies over the instances -------------------------------------------------- */

static uint32_t count_tops(const bvpi_placed_body *placed)
{
    return placed->is_assembly ? placed->top_count : 1;
}

/* The world boxes of all hierarchies of a body; a part has one. */
typedef struct top_boxes {
    double lo[BVPD_TOP_MAX][3], hi[BVPD_TOP_MAX][3];
} top_boxes;

static bvp_status find_boxes(const bvpi_placed_body *placed, top_boxes *out)
{
    bvp_status status = BVP_OK;
    assert(count_tops(placed) <= BVPD_TOP_MAX);
    if (!placed->is_assembly)
        bvpi_placed_tree_box(&placed->one.at, out->lo[0], out->hi[0]);
    for (uint32_t k = 0; placed->is_assembly && k < placed->top_count && status == BVP_OK; k++) {
        bvpi_placed_tree top;
        status = bvpi_placed_body_top(placed, k, &top);
        if (status == BVP_OK)
            bvpi_placed_tree_box(&top, out->lo[k], out->hi[k]);
    }
    return status;
}

typedef struct top_pair {
    double gap;
    uint8_t a, b;
} top_pair;

/* Lists all pairs of hierarchies; of a body against itself each unordered pair once. For a distance
 * the nearest come first, which leaves little to do for the others; otherwise in stored order. */
static bvp_status list_tops(const bvpi_pair_query *query,
                            top_pair pairs[BVPD_TOP_MAX * BVPD_TOP_MAX], uint32_t *count)
{
    const bvpi_placed_body *a = &query->bodies.a, *b = body_b(&query->bodies);
    top_boxes boxes_a, boxes_b;
    bvp_status status = find_boxes(a, &boxes_a);
    if (status == BVP_OK)
        status = find_boxes(b, &boxes_b);
    *count = 0;
    for (uint32_t i = 0; status == BVP_OK && i < count_tops(a); i++)
        for (uint32_t j = query->bodies.self ? i : 0; j < count_tops(b); j++) {
            top_pair pair = {0, (uint8_t)i, (uint8_t)j};
            uint32_t at = (*count)++;
            assert(at < BVPD_TOP_MAX * BVPD_TOP_MAX);
            for (int axis = 0; axis < 3 && bvpi_pair_measures(query->question.mode); axis++) {
                const double above = boxes_b.lo[j][axis] - boxes_a.hi[i][axis];
                const double below = boxes_a.lo[i][axis] - boxes_b.hi[j][axis];
                pair.gap += fmax(fmax(above, below), 0);
            }
            for (; at > 0 && pairs[at - 1].gap > pair.gap; at--)
                pairs[at] = pairs[at - 1];
            pairs[at] = pair;
        }
    return status;
}

static void run_tops(bvpi_pair_query *query)
{
    bvpi_pair_bodies *bodies = &query->bodies;
    bvpi_pair_answer *answer = &query->answer;
    const bvpi_placed_body *a = &bodies->a, *b = body_b(bodies);
    top_pair pairs[BVPD_TOP_MAX * BVPD_TOP_MAX];
    bvpi_placed_tree top_a, top_b;
    uint32_t count;
    if (!note_status(answer, list_tops(query, pairs, &count)))
        return;
    bodies->top_a = a->is_assembly ? &top_a : NULL;
    bodies->top_b = b->is_assembly ? &top_b : NULL;
    for (uint32_t k = 0; k < count && answer->state == BVPI_PAIR_SEARCHING; k++) {
        if (a->is_assembly && !note_status(answer, bvpi_placed_body_top(a, pairs[k].a, &top_a)))
            return;
        if (b->is_assembly && !note_status(answer, bvpi_placed_body_top(b, pairs[k].b, &top_b)))
            return;
        query->kernel->scenes(query);
    }
}

static void run_scenes(bvpi_pair_query *query)
{
    bvpi_pair_bodies *bodies = &query->bodies;
    const bvpi_placed_body *a = &bodies->a, *b = body_b(bodies);
    assert(a->is_assembly || b->is_assembly);
    bodies->top_a = a->is_assembly ? &a->top : NULL;
    bodies->top_b = b->is_assembly ? &b->top : NULL;
    if (count_tops(a) == 1 && count_tops(b) == 1)
        query->kernel->scenes(query);
    else
        run_tops(query);
    bodies->top_a = bodies->top_b = NULL;
}

/* ---- which pairs ----------------------------------------------------------------------------- */

static bool is_empty(const bvpi_placed_body *placed)
{
    return placed->is_assembly && placed->is_empty;
}

/* The number of selected instances if a filter leaves out about half of them or more, else
 * UINT32_MAX. */
static uint32_t count_few(const bvpi_placed_body *placed)
{
    const uint32_t all = placed->file->header.instance_count, most = all / 2 + 1;
    if (!placed->is_assembly || placed->filter == NULL)
        return UINT32_MAX;
    const uint32_t count = bvpi_filter_count(placed->filter, all, most);
    return count < most ? count : UINT32_MAX;
}

/* Asks the selected instances of one body one after the other, each as a single part. An assembly
 * against itself becomes two bodies; first_b keeps each pair unique. */
static void run_each(bvpi_pair_query *query, bvpi_placed_body *few)
{
    bvpi_pair_bodies *bodies = &query->bodies;
    bvpi_pair_answer *answer = &query->answer;
    const bvpi_placed_body all = *few;
    assert(few->is_assembly && few->filter != NULL);
    const uint32_t end = all.file->header.instance_count;
    const bool self = bodies->self;
    if (self)
        bodies->b = all;
    bodies->self = false;
    few->is_assembly = 0;
    few->filter = NULL;
    for (uint32_t i = bvpi_filter_next(all.filter, 0, end);
         i < end && answer->state == BVPI_PAIR_SEARCHING;
         i = bvpi_filter_next(all.filter, i + 1, end)) {
        bodies->first_b = self ? i + 1 : 0;
        if (!note_status(answer, bvpi_placed_body_instance(&all, i, &few->one)))
            continue;
        if (bodies->a.is_assembly || bodies->b.is_assembly)
            run_scenes(query);
        else
            bvpi_pair_enter(query, 0, 0);
    }
    *few = all;
    bodies->self = self;
    bodies->first_b = 0;
}

/* A walk of two hierarchies opens all boxes that are near each other, selected or not. On a plant
 * of 43,000 instances with one of them selected, asking that one alone is 200 times as fast, and
 * 10,000 times if nothing bounds the distance. With a third selected it takes up to half as long
 * again. */
void bvpi_pair_run(bvpi_pair_query *query)
{
    bvpi_pair_bodies *bodies = &query->bodies;
    const bvpi_placed_body *a = &bodies->a, *b = body_b(bodies);
    assert(query->answer.state == BVPI_PAIR_SEARCHING); /* bvpi_pair_set_question came before */
    if (is_empty(a) || is_empty(b))
        return;
    if (a->is_assembly && b->is_assembly) {
        const uint32_t few_a = count_few(a), few_b = bodies->self ? UINT32_MAX : count_few(b);
        if (few_a == UINT32_MAX && few_b == UINT32_MAX)
            run_scenes(query);
        else
            run_each(query, few_a <= few_b ? &bodies->a : &bodies->b);
    } else if (a->is_assembly || b->is_assembly) {
        assert(!bodies->self);
        bvpi_placed_body *assembly = a->is_assembly ? &bodies->a : &bodies->b;
        if (assembly->filter && query->question.limit == INFINITY &&
            bvpi_filter_is_few(assembly->filter, assembly->file->header.instance_count))
            run_each(query, assembly);
        else
            run_scenes(query);
    } else if (!bodies->self) {
        bvpi_pair_enter(query, 0, 0);
    }
}
