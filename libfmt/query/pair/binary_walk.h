/* SPDX-License-Identifier: MIT
 * binary_walk.h: template of the descent of two binary hierarchies at once, included once for each
 * kind of volume, by kernels.
 *
 * Depth first on a fixed stack. Of two inner nodes the larger one, or what the kind takes for that,
 * is opened. A leaf's triangles have
 * no volumes of their own in the file: against an inner node they are tested one by one
 * (test_leaf), and the mask of those that are left travels down with the pair. A pair of leaves
 * queues its triangles (binary_leaf.h).
 *
 * Invariants: gap_sq of a pair is at least that of the pair above it; lanes masks only shrink;
 * each level of either side leaves at most one entry on the stack.
 *
 * Slow twin: the wide hierarchy and brute force, tests/property/test_binary_pairs.c.
 * Based on: van den Bergen 1997 (open the larger); Shellshear, Li, Carlson, ME-BVH (leaves against
 * inner nodes: their triangles, which have no volumes of their own, one after the other).
 */

/* Defined before it is included:
 *
 * NAME(x): x with the kind's suffix
 *
 * VOLUME: what a walk keeps of a node's volume, all that belongs to the node alone
 *
 * PAIR: the query of two parts; begins with a binary_pair
 *
 * LEAF: what is kept of a leaf; begins with a binary_leaf
 *
 * void NAME(volume)(PAIR *p, bool is_a, const VOLUME *parent, const uint8_t *payload, VOLUME *out):
 * the node's volume; parent is NULL for the root
 *
 * void NAME(bound_leaf)(PAIR *p, bool is_a, LEAF *leaf): makes its triangles ready for test_leaf
 *
 * bool NAME(test)(PAIR *p, const VOLUME *a, const VOLUME *b, bool by_distance, float *gap_sq): may
 * this pair answer?
 *
 * unsigned NAME(test_leaf)(PAIR *p, bool leaf_is_a, const LEAF *leaf, unsigned lanes, const VOLUME
 * *other, bool by_distance, float *gap_sq): which triangles may, with that volume? gap_sq: of the
 * nearest
 *
 * bool NAME(is_a_larger)(const PAIR *p, const VOLUME *a, const VOLUME *b): is a to be opened?
 *
 * float NAME(rank)(const PAIR *p, const VOLUME *a, const VOLUME *b): the smaller, the more
 * promising
 *
 * void NAME(take_note)(PAIR *p): the query's limit shrank
 *
 * WALK_FOUR, if it is defined: NAME(run_four) is made, too (binary_four.h).
 */
#if !defined(NAME) || !defined(VOLUME) || !defined(PAIR) || !defined(LEAF)
#error "binary_walk.h needs NAME, VOLUME, PAIR and LEAF"
#endif

/* A node and its own work. */
typedef struct NAME(ready) {
    bvpi_binary_node node;
    uint8_t lanes; /* of a leaf: its triangles; of an inner node: 0 */
    VOLUME volume;
} NAME(ready);

/* What the nodes above the current pair were opened to: at 2 * level + child; the roots at 0. The
 * pairs that wait are siblings of those above, so no node of theirs is on a level below. */
typedef struct NAME(way) {
    NAME(ready) * a, *b;
    unsigned size; /* of either: twice the levels that there is room for */
} NAME(way);

typedef struct NAME(entry) {
    float gap_sq, rank;
    uint8_t at_a, at_b;       /* in the way */
    uint8_t lanes_a, lanes_b; /* of a leaf: triangles that are left; of an inner node: 0 */
} NAME(entry);
static_assert(2 * BVPD_DEPTH_MAX <= UINT8_MAX, "at_a, at_b");

typedef struct NAME(caches) {
    LEAF a[BINARY_CACHE], b[BINARY_CACHE];
} NAME(caches);

static LEAF *NAME(get_leaf)(PAIR *p, NAME(caches) * caches, bool is_a, const bvpi_binary_node *node)
{
    binary_pair *pair = (binary_pair *)p;
    const bvpi_placed_part *part = is_a ? pair->test.a : pair->test.b;
    LEAF *out = &(is_a ? caches->a
                       : caches->b)[node->first * UINT32_C(2654435769) >> (32 - BINARY_CACHE_BITS)];
    binary_leaf *leaf = (binary_leaf *)out;
    assert(node->count >= 1 && node->count <= BVPD_LEAF_MAX); /* count 0 marks an empty slot */
    if (leaf->tri.item == node->first && leaf->tri.count == node->count)
        return out;
    leaf->tri.count = 0;
    if (!binary_triangles(is_a ? pair->tree_a : pair->tree_b, &part->at.tree, node->first,
                          node->count, leaf->reference, &leaf->tri.stored)) {
        tester_fail(&pair->test, BVP_ERR_CORRUPT);
        return NULL;
    }
    leaf->tri.item = node->first;
    leaf->tri.count = node->count;
    leaf_bound(&pair->test.frame, is_a, &leaf->tri);
    NAME(bound_leaf)(p, is_a, out);
    return out;
}

static inline uint8_t NAME(lanes_of)(const bvpi_binary *tree, const bvpi_binary_node *node)
{
    return bvpi_binary_is_leaf(tree, node) ? (uint8_t)((1u << node->count) - 1) : 0;
}

/* The two children of an inner node. False: the file is damaged. */
BVPI_INLINE bool NAME(open_node)(PAIR *p, bool is_a, const NAME(ready) * above, NAME(ready) out[2])
{
    binary_pair *pair = (binary_pair *)p;
    const bvpi_binary *tree = is_a ? pair->tree_a : pair->tree_b;
    bvpi_binary_node child[2];
    const uint8_t *payload[2];
    if (!bvpi_binary_children(tree, &above->node, child, payload))
        return false;
    pair->test.answer->stats.nodes++;
    for (int k = 0; k < 2; k++) {
        out[k].node = child[k];
        out[k].lanes = NAME(lanes_of)(tree, &child[k]);
        NAME(volume)(p, is_a, &above->volume, payload[k], &out[k].volume);
    }
    return true;
}

/* A node of one side against one of the other, in *out. May the pair answer? leaf: the other side,
 * when that is a leaf. */
BVPI_INLINE bool NAME(descend)(PAIR *p, bool open_a, const LEAF *leaf, const NAME(ready) * child,
                               const NAME(ready) * other, bool by_distance, bool sorted,
                               NAME(entry) * out)
{
    binary_pair *pair = (binary_pair *)p;
    bvp_stats *stats = &pair->test.answer->stats;
    const VOLUME *a = open_a ? &child->volume : &other->volume;
    const VOLUME *b = open_a ? &other->volume : &child->volume;
    if (leaf != NULL) {
        uint8_t *lanes = open_a ? &out->lanes_b : &out->lanes_a;
        const uint8_t above = *lanes;
        stats->boxes += bvpi_popcount(above);
        *lanes = (uint8_t)NAME(test_leaf)(p, !open_a, leaf, above, &child->volume, by_distance,
                                          &out->gap_sq);
        assert((*lanes & ~above) == 0);
        out->rank = 0;
        return *lanes != 0;
    }
    stats->boxes++;
    if (!NAME(test)(p, a, b, by_distance, &out->gap_sq))
        return false;
    if (sorted)
        out->rank = NAME(rank)(p, a, b);
    return true;
}

static inline bool NAME(is_nearer)(const NAME(entry) * x, const NAME(entry) * y)
{
    return x->gap_sq != y->gap_sq ? x->gap_sq < y->gap_sq : x->rank < y->rank;
}

/* Opens one node of `e`: pushes the pairs of its children that may answer, the more promising one
 * on top, or the left one. */
BVPI_INLINE bool NAME(open)(PAIR *p, NAME(caches) * caches, const NAME(way) * way, NAME(entry) e,
                            bool open_a, bool by_distance, bool sorted, NAME(entry) * stack,
                            unsigned *depth)
{
    NAME(ready) *side = open_a ? way->a : way->b;
    const NAME(ready) *other = open_a ? &way->b[e.at_b] : &way->a[e.at_a];
    const unsigned above = open_a ? e.at_a : e.at_b, below = (above | 1) + 1, base = *depth;
    const LEAF *leaf = NULL;
    if (below >= way->size || !NAME(open_node)(p, open_a, &side[above], &side[below]))
        return false;
    if ((open_a ? e.lanes_b : e.lanes_a) != 0) {
        leaf = NAME(get_leaf)(p, caches, !open_a, &other->node);
        if (leaf == NULL)
            return false;
    }
    for (int k = 1; k >= 0; k--) {
        NAME(entry) *out = &stack[*depth];
        assert(*depth < BINARY_STACK);
        *out = e;
        *(open_a ? &out->at_a : &out->at_b) = (uint8_t)(below + (unsigned)k);
        *(open_a ? &out->lanes_a : &out->lanes_b) = side[below + (unsigned)k].lanes;
        *depth += NAME(descend)(p, open_a, leaf, &side[below + (unsigned)k], other, by_distance,
                                sorted, out);
    }
    if (sorted && *depth == base + 2 && NAME(is_nearer)(&stack[base], &stack[base + 1])) {
        const NAME(entry) nearer = stack[base];
        stack[base] = stack[base + 1];
        stack[base + 1] = nearer;
    }
    return true;
}

BVPI_INLINE void NAME(visit)(PAIR *p, NAME(caches) * caches, const NAME(way) * way,
                             const NAME(entry) * e, bool by_distance)
{
    binary_pair *pair = (binary_pair *)p;
    assert(e->lanes_a != 0 && e->lanes_b != 0);
    const LEAF *a = NAME(get_leaf)(p, caches, true, &way->a[e->at_a].node);
    const LEAF *b = a ? NAME(get_leaf)(p, caches, false, &way->b[e->at_b].node) : NULL;
    if (b == NULL)
        return;
    leaves_meet(&pair->test, (const binary_leaf *)a, e->lanes_a, (const binary_leaf *)b, e->lanes_b,
                by_distance);
    if (by_distance && pair->test.nearer) {
        pair->test.nearer = false;
        NAME(take_note)(p);
    }
}

/* False: the file is damaged. */
static bool NAME(roots)(PAIR *p, NAME(ready) * a, NAME(ready) * b)
{
    binary_pair *pair = (binary_pair *)p;
    const uint8_t *payload_a, *payload_b;
    if (!bvpi_binary_root(pair->tree_a, &a->node, &payload_a) ||
        !bvpi_binary_root(pair->tree_b, &b->node, &payload_b))
        return false;
    a->lanes = NAME(lanes_of)(pair->tree_a, &a->node);
    b->lanes = NAME(lanes_of)(pair->tree_b, &b->node);
    NAME(volume)(p, true, NULL, payload_a, &a->volume);
    NAME(volume)(p, false, NULL, payload_b, &b->volume);
    return true;
}

/* May the roots matter? */
BVPI_INLINE bool NAME(start)(PAIR *p, const NAME(way) * way, bool by_distance, NAME(entry) * out)
{
    *out = (NAME(entry)){.lanes_a = way->a[0].lanes, .lanes_b = way->b[0].lanes};
    ((binary_pair *)p)->test.answer->stats.boxes++;
    return NAME(test)(p, &way->a[0].volume, &way->b[0].volume, by_distance, &out->gap_sq);
}

/* stack: room for BINARY_STACK entries. */
BVPI_INLINE void NAME(walk)(PAIR *p, const NAME(way) * way, NAME(caches) * caches,
                            NAME(entry) * stack, bool by_distance, bool sorted)
{
    binary_pair *pair = (binary_pair *)p;
    bool good = NAME(roots)(p, &way->a[0], &way->b[0]);
    unsigned depth = good && NAME(start)(p, way, by_distance, &stack[0]) ? 1 : 0;
    for (int k = 0; k < BINARY_CACHE; k++)
        ((binary_leaf *)&caches->a[k])->tri.count = ((binary_leaf *)&caches->b[k])->tri.count = 0;
    while (good && depth > 0 && tester_goes_on(&pair->test)) {
        const NAME(entry) e = stack[--depth];
        if (by_distance && e.gap_sq >= pair->limit_sq)
            continue;
        good = bvpi_steps_take(&pair->steps);
        if (good && e.lanes_a != 0 && e.lanes_b != 0) {
            NAME(visit)(p, caches, way, &e, by_distance);
            continue;
        }
        const bool open_a = e.lanes_a == 0 &&
                            (e.lanes_b != 0 ||
                             NAME(is_a_larger)(p, &way->a[e.at_a].volume, &way->b[e.at_b].volume));
        if (good && open_a)
            good = NAME(open)(p, caches, way, e, true, by_distance, sorted, stack, &depth);
        else if (good)
            good = NAME(open)(p, caches, way, e, false, by_distance, sorted, stack, &depth);
    }
    if (!good)
        tester_fail(&pair->test, bvpi_steps_blame(&pair->steps));
    bvpi_steps_pause(&pair->steps);
    tester_finish(&pair->test);
}

/* Not inlined: its two callers would have it twice. The two walks share their memory. */
static __attribute__((noinline)) void NAME(ask)(PAIR *p, const NAME(way) * way)
{
    binary_pair *pair = (binary_pair *)p;
    const bvpi_pair_mode mode = pair->test.query->question.mode;
    NAME(entry) stack[BINARY_STACK];
    NAME(caches) caches;
    if (bvpi_pair_measures(mode)) {
        pair->test.nearer = false;
        NAME(take_note)(p);
        NAME(walk)(p, way, &caches, stack, true, true);
    } else {
        NAME(walk)(p, way, &caches, stack, false, mode == BVPI_PAIR_COLLIDE);
    }
}

static __attribute__((noinline)) void NAME(run_shallow)(PAIR *p)
{
    NAME(ready) a[2 * BINARY_SHALLOW], b[2 * BINARY_SHALLOW];
    NAME(ask)(p, &(NAME(way)){a, b, 2 * BINARY_SHALLOW});
}

static __attribute__((noinline)) void NAME(run_deep)(PAIR *p)
{
    NAME(ready) a[2 * BVPD_DEPTH_MAX], b[2 * BVPD_DEPTH_MAX];
    NAME(ask)(p, &(NAME(way)){a, b, 2 * BVPD_DEPTH_MAX});
}

/* The query, once p is set up. A kernel's other walks do not have its stack. */
static inline void NAME(run)(PAIR *p)
{
    const binary_pair *pair = (const binary_pair *)p;
    if (pair->tree_a->depth <= BINARY_SHALLOW && pair->tree_b->depth <= BINARY_SHALLOW)
        NAME(run_shallow)(p);
    else
        NAME(run_deep)(p);
}

#ifdef WALK_FOUR
#include "query/pair/binary_four.h"
#undef WALK_FOUR
#endif

#undef NAME
#undef VOLUME
#undef PAIR
#undef LEAF
