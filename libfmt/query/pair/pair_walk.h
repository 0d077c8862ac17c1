/* SPDX-License-Identifier: MIT
 * pair_walk.h: the simultaneous descent of two wide hierarchies, without recursion, for kernels.
 *
 * A pair of boxes is opened on its larger side only, and its up to eight children are tested
 * against the other box side by side. Opening both sides would make 64 pairs, most of them for
 * nothing. Boxes are in the work units of box_box.h.
 *
 * Two orders. Depth first, the most promising child on top: finds some answer soon, on a stack of
 * fixed depth. By distance, once a first distance is known, nearest first from a heap
 * (pair_heap.h): opens no pair beyond the answer. What finds no room in the heap goes to the stack,
 * which is emptied before the heap is used again.
 *
 * A stack level is an opened pair with the list of its children that wait. Their boxes are decoded
 * again when their turn comes; that is exact, and takes a third of the room of storing them.
 *
 * Invariants: every pair of leaves that may matter is below some waiting pair, or has been visited.
 * gap_sq of a child is at least its parent's. steps bounds the walk on any bytes, depth <=
 * BVPI_PAIR_LEVELS bounds the stack.
 *
 * Slow twin: brute force, tests/property/test_pairs.c; forged files: test_forged.c.
 * Spec: exactness.md, chapter 10
 * Measured: decisions.md, "Queries between two bodies".
 */
#ifndef BVPI_QUERY_PAIR_PAIR_WALK_H
#define BVPI_QUERY_PAIR_PAIR_WALK_H

#include <assert.h>

#include "node/wide_node.h"
#include "prim/box_box.h"
#include "query/pair/pair_query.h"
#include "query/pair/pair_heap.h"

enum { WALK_TRAIL = 4 };

typedef struct pair_walk {
    const bvpi_pair_query *query;
    bvpi_pair_answer *answer; /* the query's */
    const bvpi_tree *a, *b;
    bvpi_box_pair boxes;
    float limit_sq;   /* pairs at least this far apart do not matter */
    bool is_bounded;  /* the limit is the distance of something found */
    bvpi_steps steps; /* nodes opened, pairs of leaves */
    bvpi_loan loan;
    unsigned opened; /* counted if query->keep.start is set; the last WALK_TRAIL are in `trail` */
    pair_entry trail[WALK_TRAIL];
} pair_walk;

/* Called for a pair of leaves. */
typedef void (*pair_leaf_fn)(pair_walk *walk, const pair_entry *entry);

/* The children of an opened node, against the other box. */
typedef struct pair_children {
    bvpi_wide node;
    bvpi_box8 boxes;
    f32x8 gap_sq, key; /* key: the smaller, the more promising */
    unsigned lanes;    /* children that may matter */
} pair_children;

/* Called if the other box is a leaf's: which of the children may matter to the leaf's triangles? */
typedef unsigned (*pair_narrow_fn)(pair_walk *walk, const pair_entry *entry,
                                   const pair_children *children);

static inline uint64_t saturating_product(uint64_t a, uint64_t b)
{
    uint64_t product;
    return bvpi_mul(a, b, &product) ? product : UINT64_MAX;
}

/* Sets *root to the pair of roots. The bound on steps: valid hierarchies have at most
 * node_count * (BVPD_WIDTH + 1) boxes each, and no pair of boxes is visited twice. */
static inline void walk_init(pair_walk *walk, pair_entry *root)
{
    const bvpi_box_pair *boxes = &walk->boxes;
    memset(root, 0, sizeof *root);
    memcpy(root->centre_a, boxes->centre_a, sizeof root->centre_a);
    memcpy(root->half_a, boxes->half_a, sizeof root->half_a);
    memcpy(root->centre_b, boxes->centre_b, sizeof root->centre_b);
    memcpy(root->half_b, boxes->half_b, sizeof root->half_b);
    root->ref_a = walk->a->root;
    root->ref_b = walk->b->root;
    walk->limit_sq = __builtin_inff();
    walk->is_bounded = false;
    walk->opened = 0;
    bvpi_steps_begin(&walk->steps, &walk->loan, walk->query->meter,
                     saturating_product((uint64_t)walk->a->node_count * (BVPD_WIDTH + 1),
                                        (uint64_t)walk->b->node_count * (BVPD_WIDTH + 1)));
}

/* Is a's box the one to open? The larger one, compared in a's frame; a leaf cannot be opened. */
static inline bool opens_a(const pair_walk *walk, const pair_entry *e)
{
    if (e->count_a != 0 || e->count_b != 0)
        return e->count_a == 0;
    float size_a = 0, size_b = 0;
    for (int i = 0; i < 3; i++) {
        size_a += e->half_a[i] * e->half_a[i];
        size_b += e->half_b[i] * e->half_b[i] * walk->boxes.size_b[i];
    }
    return size_a >= size_b;
}

/* The key of the depth-first order: squared distance of centres over size. Large boxes near each
 * other come first. */
BVPI_INLINE_LONG f32x8 rank_children(const bvpi_box8 *boxes, const float half[3], const f32x8 d[3])
{
    f32x8 size =
        boxes->half[0] + boxes->half[1] + boxes->half[2] + (half[0] + half[1] + half[2] + 1);
    return (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (size * size);
}

/* Decodes the children of one side's node and tests them against the other side's box: c->lanes
 * keeps those that may matter. sorted: fills in c->key, too. False: the node is damaged. */
BVPI_INLINE_LONG bool open_children(pair_walk *walk, const pair_entry *e, bool open_a,
                                    bool by_distance, bool sorted, pair_narrow_fn narrow,
                                    pair_children *c)
{
    const bvpi_box_pair *p = &walk->boxes;
    bvpi_lone_box lone;
    f32x8 d[3];
    assert((open_a ? e->count_a : e->count_b) == 0); /* a leaf cannot be opened */
    if (!bvpi_wide_load(open_a ? walk->a : walk->b, open_a ? e->ref_a : e->ref_b, &c->node))
        return false;
    if (open_a) {
        bvpi_lone_b(p, e->centre_b, e->half_b, &lone);
        bvpi_wide_centred(&c->node, e->centre_a, e->half_a, p->unit_a, c->boxes.centre,
                          c->boxes.half);
    } else {
        bvpi_lone_a(p, e->centre_a, e->half_a, &lone);
        bvpi_wide_centred(&c->node, e->centre_b, e->half_b, p->unit_b, c->boxes.centre,
                          c->boxes.half);
    }
    bvpi_box_offset(p, open_a, &c->boxes, &lone, d);
    if (by_distance) {
        c->gap_sq = bvpi_boxes_gap_sq(p, open_a, &c->boxes, &lone, d);
        i32x8 far = f32x8_ge(c->gap_sq, f32x8_splat(walk->limit_sq));
        c->lanes = c->node.used & ~i32x8_movemask(far);
    } else {
        c->lanes = bvpi_boxes_meet(p, open_a, &c->boxes, &lone, d, c->node.used);
    }
    if (narrow != NULL && c->lanes != 0 && (open_a ? e->count_b : e->count_a) != 0)
        c->lanes = narrow(walk, e, c);
    if (sorted && c->lanes != 0)
        c->key = rank_children(&c->boxes, open_a ? e->half_b : e->half_a, d);
    walk->answer->stats.nodes++;
    walk->answer->stats.boxes += bvpi_popcount(c->node.used);
    return true;
}

/* Lists the lanes with the most promising one last, by insertion sort on one integer each: the bits
 * of (gap, key), both floats >= 0, sort as the floats do. Gaps of overlapping boxes are all 0, so
 * there the key decides. Returns the number of lanes. */
static inline unsigned sort_lanes(const pair_children *c, bool by_distance,
                                  uint8_t order[BVPD_WIDTH])
{
    uint64_t rank[BVPD_WIDTH];
    unsigned count = 0;
    for (unsigned left = c->lanes; left != 0; left &= left - 1) {
        unsigned lane = bvpi_lowest_bit(left), at = count++;
        u32x8 key = (u32x8)c->key, gap = (u32x8)c->gap_sq;
        uint64_t value = (by_distance ? (uint64_t)gap[lane] << 32 : 0) | key[lane];
        for (; at > 0 && rank[at - 1] < value; at--) {
            rank[at] = rank[at - 1];
            order[at] = order[at - 1];
        }
        rank[at] = value;
        order[at] = (uint8_t)lane;
    }
    return count;
}

/* Lists the lanes in stored order, the first one last. */
static inline unsigned list_lanes(unsigned lanes, uint8_t order[BVPD_WIDTH])
{
    unsigned count = 0;
    for (; lanes != 0; lanes &= ~(1u << order[count++]))
        order[count] = (uint8_t)(31 - __builtin_clz(lanes));
    return count;
}

/* An opened pair, and the lanes of its children that wait; the last of the list comes first. */
typedef struct pair_level {
    pair_entry opened;
    bvpi_wide node;           /* of the box that was opened */
    float gap_sq[BVPD_WIDTH]; /* by distance */
    uint8_t lane[BVPD_WIDTH]; /* WALK_WHOLE: `opened` itself waits, not opened yet */
    uint8_t count;            /* > 0 */
    bool open_a;
} pair_level;
enum { WALK_WHOLE = BVPD_WIDTH };

/* Sets what one side of the pair refers to: a child node or a leaf. */
BVPI_INLINE_LONG void set_child(pair_entry *out, const bvpi_wide *node, unsigned lane, bool open_a)
{
    const bool inner = bvpi_wide_is_inner(node, lane);
    *(open_a ? &out->ref_a : &out->ref_b) =
        inner ? bvpi_wide_child(node, lane) : bvpi_wide_item(node, lane);
    *(open_a ? &out->count_a : &out->count_b) =
        inner ? 0 : (uint8_t)bvpi_wide_item_count(node, lane);
}

/* The pair of a child of the node that was just opened and the other box. */
BVPI_INLINE_LONG void child_now(const pair_entry *e, const pair_children *c, unsigned lane,
                                bool open_a, pair_entry *out)
{
    *out = *e;
    for (int i = 0; i < 3; i++) {
        (open_a ? out->centre_a : out->centre_b)[i] = c->boxes.centre[i][lane];
        (open_a ? out->half_a : out->half_b)[i] = c->boxes.half[i][lane];
    }
    set_child(out, &c->node, lane, open_a);
}

/* The same for a child that has waited. Its box is decoded again, to the same bits: that
 * arithmetic is exact. */
BVPI_INLINE_LONG void child_later(const pair_walk *walk, const pair_level *level, unsigned lane,
                                  bool open_a, pair_entry *out)
{
    const pair_entry *e = &level->opened;
    *out = *e;
    if (open_a)
        bvpi_wide_centred_lane(&level->node, lane, e->centre_a, e->half_a, walk->boxes.unit_a,
                               out->centre_a, out->half_a);
    else
        bvpi_wide_centred_lane(&level->node, lane, e->centre_b, e->half_b, walk->boxes.unit_b,
                               out->centre_b, out->half_b);
    set_child(out, &level->node, lane, open_a);
}

/* Pairs of boxes that wait. With nearest_first new ones go to the heap while the stack is empty and
 * there is room. The stack is always served before the heap: it holds what the heap could not. */
typedef struct pair_waiting {
    pair_level levels[BVPI_PAIR_LEVELS];
    unsigned depth;
    bool nearest_first;
    pair_heap heap;
} pair_waiting;

static inline void push_whole(pair_waiting *waiting, const pair_entry *e)
{
    assert(waiting->depth < BVPI_PAIR_LEVELS);
    pair_level *level = &waiting->levels[waiting->depth++];
    level->opened = *e;
    level->gap_sq[0] = e->gap_sq;
    level->lane[0] = WALK_WHOLE;
    level->count = 1;
}

/* Puts the children in c->lanes to wait. False: the stack is full, so the file is damaged. */
BVPI_INLINE_LONG bool push_children(const pair_entry *e, const pair_children *c, bool open_a,
                                    bool by_distance, bool sorted, pair_waiting *waiting)
{
    assert(c->lanes >> BVPD_WIDTH == 0);
    if (by_distance && waiting->nearest_first && waiting->depth == 0 &&
        waiting->heap.count + BVPD_WIDTH <= PAIR_HEAP_MOST) {
        for (unsigned left = c->lanes; left != 0; left &= left - 1) {
            const unsigned lane = bvpi_lowest_bit(left);
            const float gap_sq = c->gap_sq[lane];
            pair_entry *child = heap_push(&waiting->heap, gap_sq, c->key[lane]);
            child_now(e, c, lane, open_a, child);
            child->gap_sq = gap_sq > e->gap_sq ? gap_sq : e->gap_sq;
        }
        return true;
    }
    if (c->lanes == 0)
        return true;
    if (waiting->depth == BVPI_PAIR_LEVELS)
        return false;
    pair_level *level = &waiting->levels[waiting->depth++];
    level->opened = *e;
    level->node = c->node;
    level->open_a = open_a;
    if (by_distance)
        f32x8_store(level->gap_sq, f32x8_max(c->gap_sq, f32x8_splat(e->gap_sq)));
    level->count = (uint8_t)(sorted ? sort_lanes(c, by_distance, level->lane)
                                    : list_lanes(c->lanes, level->lane));
    return true;
}

/* The gap of the pair on top of the stack, which is not empty. */
static inline float next_gap_sq(const pair_waiting *waiting)
{
    const pair_level *top = &waiting->levels[waiting->depth - 1];
    const unsigned lane = top->lane[top->count - 1];
    return top->gap_sq[lane & (BVPD_WIDTH - 1)];
}

static inline void drop_next(pair_waiting *waiting)
{
    waiting->depth -= --waiting->levels[waiting->depth - 1].count == 0;
}

/* Takes the pair off the top of the stack, which is not empty. */
BVPI_INLINE_LONG void pop_pair(const pair_walk *walk, pair_waiting *waiting, bool by_distance,
                               pair_entry *e)
{
    assert(waiting->depth > 0 && waiting->depth <= BVPI_PAIR_LEVELS);
    const pair_level *top = &waiting->levels[waiting->depth - 1];
    assert(top->count > 0 && top->count <= BVPD_WIDTH);
    const unsigned lane = top->lane[top->count - 1];
    if (lane == WALK_WHOLE)
        *e = top->opened;
    else if (top->open_a)
        child_later(walk, top, lane, true, e);
    else
        child_later(walk, top, lane, false, e);
    if (by_distance)
        e->gap_sq = next_gap_sq(waiting);
    drop_next(waiting);
}

/* Switches to nearest first: moves what waits on the stack to the heap, as far as there is room. */
static inline void turn_to_nearest(const pair_walk *walk, pair_waiting *waiting)
{
    waiting->nearest_first = true;
    while (waiting->depth > 0 && waiting->heap.count < PAIR_HEAP_MOST)
        pop_pair(walk, waiting, true, heap_push(&waiting->heap, next_gap_sq(waiting), 0));
}

/* Removes the next pair that may matter. Pairs that were pushed before the limit shrank are dropped
 * here. A heap's first entry beyond the limit ends the walk: the others are farther. False: none is
 * left. */
BVPI_INLINE_LONG bool next_pair(const pair_walk *walk, pair_waiting *waiting, bool by_distance,
                                pair_entry *e)
{
    for (; waiting->depth > 0; drop_next(waiting))
        if (!by_distance || next_gap_sq(waiting) < walk->limit_sq) {
            pop_pair(walk, waiting, by_distance, e);
            return true;
        }
    if (!by_distance || waiting->heap.count == 0)
        return false;
    *e = *heap_pop(&waiting->heap);
    return e->gap_sq < walk->limit_sq;
}

/* ---- where the next query may begin ---------------------------------------------------------- */

/* A query that found an answer keeps a pair of nodes a few levels above it. A warm query first
 * searches below that pair: what it finds there is an answer, and finding nothing proves nothing.
 */

static inline bool is_box_within(const float centre[3], const float half[3],
                                 const float outer_centre[3], const float outer_half[3])
{
    bool within = true;
    for (int i = 0; i < 3; i++) {
        const float off = centre[i] - outer_centre[i];
        within = within && (off < 0 ? -off : off) + half[i] <= outer_half[i] + 1;
    }
    return within;
}

/* Keeps the highest pair of inner nodes in the trail whose boxes contain the last pair's. The trail
 * holds the last WALK_TRAIL opened pairs, not a path, so containment has to be tested. */
static inline void keep_start(const pair_walk *walk, bvpi_pair_start *out)
{
    assert(walk->opened > 0);
    const pair_entry *last = &walk->trail[(walk->opened - 1) % WALK_TRAIL];
    unsigned k = walk->opened > WALK_TRAIL ? walk->opened - WALK_TRAIL : 0;
    for (out->is_known = 0; k < walk->opened && !out->is_known; k++) {
        const pair_entry *e = &walk->trail[k % WALK_TRAIL];
        out->is_known = e->count_a == 0 && e->count_b == 0 &&
                        is_box_within(last->centre_a, last->half_a, e->centre_a, e->half_a) &&
                        is_box_within(last->centre_b, last->half_b, e->centre_b, e->half_b);
        out->ref_a = e->ref_a;
        out->ref_b = e->ref_b;
        memcpy(out->box_a, e->centre_a, sizeof e->centre_a);
        memcpy(out->box_a + 3, e->half_a, sizeof e->half_a);
        memcpy(out->box_b, e->centre_b, sizeof e->centre_b);
        memcpy(out->box_b + 3, e->half_b, sizeof e->half_b);
    }
}

static inline void enter_start(const bvpi_pair_start *start, pair_entry *root)
{
    root->ref_a = start->ref_a;
    root->ref_b = start->ref_b;
    memcpy(root->centre_a, start->box_a, sizeof root->centre_a);
    memcpy(root->half_a, start->box_a + 3, sizeof root->half_a);
    memcpy(root->centre_b, start->box_b, sizeof root->centre_b);
    memcpy(root->half_b, start->box_b + 3, sizeof root->half_b);
}

/* Walks from `root`. by_distance and the functions are constants at each call, so the compiler
 * makes a copy for each; `sorted` is not: two more copies would be faster by less than 1 %
 * (decisions.md, "Text of the library"). */
BVPI_INLINE_LONG void walk_pairs(pair_walk *walk, const pair_entry *root, bool by_distance,
                                 bool sorted, pair_leaf_fn leaf, pair_narrow_fn narrow)
{
    const bvpi_pair_query *query = walk->query;
    bvpi_pair_answer *answer = walk->answer;
    pair_waiting waiting;
    pair_entry e;
    waiting.depth = 0;
    push_whole(&waiting, root);
    waiting.nearest_first = by_distance && query->question.is_aimed;
    if (by_distance)
        heap_init(&waiting.heap);
    while (answer->state == BVPI_PAIR_SEARCHING && next_pair(walk, &waiting, by_distance, &e)) {
        /* steps run out only on a damaged file or at the end of a budget */
        bool good = bvpi_steps_take(&walk->steps);
        if (good && e.count_a != 0 && e.count_b != 0) {
            leaf(walk, &e);
            if (by_distance && walk->is_bounded && !waiting.nearest_first)
                turn_to_nearest(walk, &waiting);
            continue;
        }
        if (query->keep.start != NULL)
            walk->trail[walk->opened++ % WALK_TRAIL] = e;
        pair_children children;
        if (opens_a(walk, &e))
            good = good && open_children(walk, &e, true, by_distance, sorted, narrow, &children) &&
                   push_children(&e, &children, true, by_distance, sorted, &waiting);
        else
            good = good && open_children(walk, &e, false, by_distance, sorted, narrow, &children) &&
                   push_children(&e, &children, false, by_distance, sorted, &waiting);
        if (!good) {
            answer->status = bvpi_steps_blame(&walk->steps);
            answer->state = BVPI_PAIR_ENDED;
        }
    }
    bvpi_steps_pause(&walk->steps);
}

#endif
