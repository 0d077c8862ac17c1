/* SPDX-License-Identifier: MIT
 * pair_kernel.c: the inner loops of queries between two bodies; compiled once per instruction set.
 *
 * One walk (pair_walk.h) serves two levels: hierarchies over instances, whose leaves are pairs of
 * instances, and hierarchies of two parts, whose leaves are two groups of up to eight triangles.
 * Between the box tests of the walk and the triangle tests of pair_queue.h stand the tests of
 * single triangles against boxes (pair_narrow.h) and against triangles (pair_leaf.h). Each stage
 * only removes pairs that are certainly apart.
 *
 * Pairs of triangles from several leaves share a batch of eight. Exception: while no distance is
 * known, each pair of leaves is flushed at once, for a first limit prunes everything after it.
 *
 * Slow twin: brute force over triangles, tests/property/test_pairs.c; the two instruction sets do
 * the same work: test_pair_counts.c.
 * Spec: exactness.md, chapters 6 and 10
 * Measured: decisions.md, "Queries between two bodies".
 */
#include <assert.h>
#include <math.h>

#include "query/pair/coincident.h"
#include "query/pair/pair_parts.h"

/* narrow_lanes where a's grid is turned. */
static __attribute__((noinline)) unsigned narrow_turned(const pair_parts *p,
                                                        const narrow_leaf *leaf, bool box_is_a,
                                                        const float centre[3], const float half[3],
                                                        bool by_distance)
{
    narrow_box box;
    narrow_box_turned(&p->frame, &p->walk.boxes, box_is_a, centre, half, &box);
    return by_distance ? narrow_within(&p->test.frame, leaf, &box, false, p->test.limit_sq)
                       : narrow_touching(leaf, &box, false);
}

/* The leaf's triangles that may matter with something in a box of the other part. */
BVPI_INLINE_LONG unsigned narrow_lanes(const pair_parts *p, const narrow_leaf *leaf, bool box_is_a,
                                       const float centre[3], const float half[3], bool by_distance)
{
    narrow_box box;
    if (p->frame.is_turned)
        return narrow_turned(p, leaf, box_is_a, centre, half, by_distance);
    narrow_box_init(&p->frame, &p->walk.boxes, box_is_a, centre, half, &box);
    return by_distance ? narrow_within(&p->test.frame, leaf, &box, box_is_a, p->test.limit_sq)
                       : narrow_touching(leaf, &box, box_is_a);
}

/* The children that at least one of the leaf's triangles may meet. */
BVPI_INLINE_LONG unsigned narrow_children(pair_parts *p, const pair_entry *e,
                                          const pair_children *c, bool open_a, bool by_distance)
{
    const narrow_leaf *leaf =
        get_leaf(p, !open_a, open_a ? e->ref_b : e->ref_a, open_a ? e->count_b : e->count_a);
    unsigned lanes = 0;
    assert((open_a ? e->count_a : e->count_b) == 0);
    if (leaf == NULL)
        return 0;
    for (unsigned left = c->lanes; left != 0; left &= left - 1) {
        const unsigned lane = bvpi_lowest_bit(left);
        float centre[3], half[3];
        for (int i = 0; i < 3; i++) {
            centre[i] = c->boxes.centre[i][lane];
            half[i] = c->boxes.half[i][lane];
        }
        if (narrow_lanes(p, leaf, open_a, centre, half, by_distance) != 0)
            lanes |= 1u << lane;
    }
    return lanes;
}

static unsigned narrow_overlap(pair_walk *walk, const pair_entry *e, const pair_children *c)
{
    pair_parts *p = (pair_parts *)walk;
    return e->count_b != 0 ? narrow_children(p, e, c, true, false)
                           : narrow_children(p, e, c, false, false);
}

static unsigned narrow_distance(pair_walk *walk, const pair_entry *e, const pair_children *c)
{
    pair_parts *p = (pair_parts *)walk;
    return e->count_b != 0 ? narrow_children(p, e, c, true, true)
                           : narrow_children(p, e, c, false, true);
}

static void flush(pair_tester *t)
{
    if (!bvpi_pair_measures(t->query->question.mode)) {
        flush_overlap(t);
        return;
    }
    flush_distance(t);
    t->missed = true;
}

/* Queues the pairs of triangles that are left of two leaves, and tests full batches. */
BVPI_INLINE_LONG void visit_triangles(pair_tester *t, const narrow_leaf *a, unsigned lanes_a,
                                      const narrow_leaf *b, unsigned lanes_b, bool by_distance)
{
    leaf_spans spans;
    if (by_distance)
        leaf_spans_init(&spans, &t->frame, &a->tri, &b->tri);
    for (; lanes_a != 0; lanes_a &= lanes_a - 1) {
        const unsigned i = bvpi_lowest_bit(lanes_a);
        unsigned lanes = by_distance ? leaf_within_of(&t->frame, &spans, &a->tri, &b->tri, i,
                                                      lanes_b, t->limit_sq)
                                     : narrow_touching_of(a, b, i, lanes_b, t->missed);
        for (; lanes != 0; lanes &= lanes - 1) {
            const unsigned j = bvpi_lowest_bit(lanes);
            enqueue(&t->queue, &a->tri, i, a->tri.item + i, &b->tri, j, b->tri.item + j);
            if (t->queue.count == 8)
                flush(t);
            if (!tester_goes_on(t))
                return;
        }
    }
}

/* Each leaf's triangles against the other leaf's box first: often that leaves no pair, and b need
 * not be decoded. */
BVPI_INLINE_LONG void visit_leaves(pair_parts *p, const pair_entry *e, bool by_distance)
{
    assert(e->count_a != 0 && e->count_b != 0);
    const narrow_leaf *a = get_leaf(p, true, e->ref_a, e->count_a), *b;
    if (a == NULL)
        return;
    unsigned lanes_a = narrow_lanes(p, a, false, e->centre_b, e->half_b, by_distance), lanes_b;
    if (lanes_a == 0 || (b = get_leaf(p, false, e->ref_b, e->count_b)) == NULL)
        return;
    p->test.answer->stats.leaves++;
    lanes_b = narrow_lanes(p, b, true, e->centre_a, e->half_a, by_distance);
    if (lanes_b != 0)
        visit_triangles(&p->test, a, lanes_a, b, lanes_b, by_distance);
    if (tester_goes_on(&p->test))
        note_leaves(&p->test, &a->tri, &b->tri);
}

/* Tests leaves that are likely to touch if b is a's part in nearly the same place. */
static void visit_coincident(pair_parts *p)
{
    bvpi_coincident search;
    bvpi_leaf_pair pairs[2];
    pair_tester *t = &p->test;
    unsigned count;
    if (!bvpi_coincident_begin(&search, t->a, t->b, &t->pose))
        return;
    while (tester_goes_on(t) && (count = bvpi_coincident_next(&search, pairs)) > 0)
        for (unsigned k = 0; k < count && tester_goes_on(t); k++) {
            const narrow_leaf *of_a = get_leaf(p, true, pairs[k].item_a, pairs[k].count_a);
            const narrow_leaf *of_b = get_leaf(p, false, pairs[k].item_b, pairs[k].count_b);
            if (of_a == NULL || of_b == NULL)
                return;
            visit_triangles(t, of_a, (1u << pairs[k].count_a) - 1, of_b,
                            (1u << pairs[k].count_b) - 1, false);
            if (t->queue.count > 0 && tester_goes_on(t))
                flush(t);
        }
}

static void visit_overlap(pair_walk *walk, const pair_entry *e)
{
    pair_parts *p = (pair_parts *)walk;
    visit_leaves(p, e, false);
    if (work_of(&walk->answer->stats) >= p->coincident_at && tester_goes_on(&p->test)) {
        p->coincident_at = UINT64_MAX;
        visit_coincident(p);
    }
}

static void visit_distance(pair_walk *walk, const pair_entry *e)
{
    pair_parts *p = (pair_parts *)walk;
    assert(p->test.pad == 0);
    visit_leaves(p, e, true);
    /* A first distance is worth an incomplete batch: until then nothing is pruned. */
    if (!walk->is_bounded && p->test.queue.count > 0 && tester_goes_on(&p->test))
        flush_distance(&p->test);
    parts_take_note(p);
}

/* ---- two parts ------------------------------------------------------------------------------- */

static void parts(bvpi_pair_query *query, const bvpi_placed_part *a, const bvpi_placed_part *b)
{
    pair_parts p;
    pair_entry root;
    parts_init(&p, query, a, b, &root);
    const bool by_distance = is_by_distance(&p);
    if (query->question.from != NULL)
        enter_start(query->question.from, &root);
    if (by_distance)
        walk_pairs(&p.walk, &root, true, true, visit_distance, narrow_distance);
    else
        walk_pairs(&p.walk, &root, false, query->question.mode != BVPI_PAIR_EACH, visit_overlap,
                   narrow_overlap);
    tester_finish(&p.test);
    bvpi_pair_start *start = query->keep.start;
    if (start != NULL && p.walk.opened != 0 && query->answer.best.found) {
        keep_start(&p.walk, start);
        start->instance_a = a->instance;
        start->instance_b = b->instance;
    }
}

/* ---- two scenes ------------------------------------------------------------------------------ */

typedef struct scene_walk {
    pair_walk walk; /* first: visit_items gets a pointer to it */
    bvpi_pair_query *query;
} scene_walk;

static void visit_items(pair_walk *walk, const pair_entry *e)
{
    bvpi_pair_query *query = ((scene_walk *)walk)->query;
    bvpi_steps_pause(&walk->steps); /* the parts have walks of their own */
    for (uint32_t i = 0; i < e->count_a; i++)
        for (uint32_t j = 0; j < e->count_b && query->answer.state == BVPI_PAIR_SEARCHING; j++)
            bvpi_pair_enter(query, e->ref_a + i, e->ref_b + j);
    if (bvpi_pair_measures(query->question.mode))
        limit_walk(walk);
}

/* The hierarchy that the walk descends. A body that is a single part is a leaf with one item,
 * number 0. */
static const bvpi_placed_tree *scene_of(const bvpi_placed_body *placed, const bvpi_placed_tree *top,
                                        uint32_t *ref, uint8_t *count)
{
    assert((top != NULL) == (placed->is_assembly != 0));
    if (placed->is_assembly)
        return top;
    *ref = 0;
    *count = 1;
    return &placed->one.at;
}

static void scenes(bvpi_pair_query *query)
{
    const bvpi_pair_bodies *bodies = &query->bodies;
    scene_walk scene;
    pair_walk *walk = &scene.walk;
    pair_entry root;
    bvpi_pose pose;
    uint32_t ref_a = 0, ref_b = 0;
    uint8_t count_a = 0, count_b = 0;
    const bvpi_placed_tree *a = scene_of(&bodies->a, bodies->top_a, &ref_a, &count_a);
    const bvpi_placed_tree *b =
        scene_of(bodies->self ? &bodies->a : &bodies->b, bodies->top_b, &ref_b, &count_b);
    const bool by_distance = bvpi_pair_measures(query->question.mode);
    assert(count_a == 0 || count_b == 0); /* two parts have no use for this walk */
    bvpi_pose_init_placed(&pose, &a->placement, &b->placement, a->bound, b->bound);
    scene.query = query;
    walk->query = query;
    walk->answer = &query->answer;
    walk->a = &a->tree;
    walk->b = &b->tree;
    init_boxes(&walk->boxes, &pose, a, b, by_distance, 0);
    walk_init(walk, &root);
    if (count_a != 0) {
        root.ref_a = ref_a;
        root.count_a = count_a;
    }
    if (count_b != 0) {
        root.ref_b = ref_b;
        root.count_b = count_b;
    }
    if (by_distance) {
        limit_walk(walk);
        walk_pairs(walk, &root, true, true, visit_items, NULL);
    } else {
        walk_pairs(walk, &root, false, query->question.mode != BVPI_PAIR_EACH, visit_items, NULL);
    }
}

#ifdef BVPI_WITHOUT_WARM /* the module for browsers has no warm starts */
#define WARM_KERNEL(name) NULL
#else
#define WARM_KERNEL(name) &BVPI_ISA_NAME(name)
#endif

const bvpi_pair_kernel BVPI_ISA_NAME(bvpi_pair_kernel) = {.isa = BVPI_ISA_NUMBER,
                                                          .wide = parts,
                                                          .scenes = scenes,
                                                          .last = WARM_KERNEL(bvpi_last_kernel),
                                                          .front = WARM_KERNEL(bvpi_front_kernel)};
