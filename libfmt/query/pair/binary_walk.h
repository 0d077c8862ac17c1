/* SPDX-License-Identifier: MIT
 * binary_walk.h: template of the descent of two binary hierarchies at once, included once for each
 * kind of volume, by kernels.
 *
 * Depth first on a fixed stack. The larger of two inner volumes is opened. A leaf's triangles have
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
 * bool NAME(is_a_larger)(const PAIR *p, const VOLUME *a, const VOLUME *b)
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

typedef struct NAME(entry) {
    bvpi_binary_node a, b;
    VOLUME volume_a, volume_b;
    float gap_sq, rank;
    uint8_t lanes_a, lanes_b; /* of a leaf: triangles that are left; of an inner node: 0 */
} NAME(entry);

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

/* The pair of `e` with a child in place of the opened node, in *out. May it answer? leaf: the other
 * side, when that is a leaf. */
BVPI_INLINE bool NAME(descend)(PAIR *p, const NAME(entry) * e, bool open_a, const LEAF *leaf,
                               const bvpi_binary_node *child, const uint8_t *payload,
                               bool by_distance, bool sorted, NAME(entry) * out)
{
    binary_pair *pair = (binary_pair *)p;
    bvp_stats *stats = &pair->test.answer->stats;
    *out = *e;
    if (open_a) {
        out->a = *child;
        out->lanes_a = NAME(lanes_of)(pair->tree_a, child);
        NAME(volume)(p, true, &e->volume_a, payload, &out->volume_a);
    } else {
        out->b = *child;
        out->lanes_b = NAME(lanes_of)(pair->tree_b, child);
        NAME(volume)(p, false, &e->volume_b, payload, &out->volume_b);
    }
    if (leaf != NULL) {
        uint8_t *lanes = open_a ? &out->lanes_b : &out->lanes_a;
        const uint8_t above = *lanes;
        stats->boxes += bvpi_popcount(above);
        *lanes = (uint8_t)NAME(test_leaf)(p, !open_a, leaf, above,
                                          open_a ? &out->volume_a : &out->volume_b, by_distance,
                                          &out->gap_sq);
        assert((*lanes & ~above) == 0 && out->gap_sq >= e->gap_sq);
        out->rank = 0;
        return *lanes != 0;
    }
    stats->boxes++;
    if (!NAME(test)(p, &out->volume_a, &out->volume_b, by_distance, &out->gap_sq))
        return false;
    assert(out->gap_sq >= e->gap_sq);
    if (sorted)
        out->rank = NAME(rank)(p, &out->volume_a, &out->volume_b);
    return true;
}

static inline bool NAME(is_nearer)(const NAME(entry) * x, const NAME(entry) * y)
{
    return x->gap_sq != y->gap_sq ? x->gap_sq < y->gap_sq : x->rank < y->rank;
}

/* Opens one node of `e`: pushes the pairs of its children that may answer, the more promising one
 * on top, or the left one. */
BVPI_INLINE bool NAME(open)(PAIR *p, NAME(caches) * caches, const NAME(entry) * e, bool open_a,
                            bool by_distance, bool sorted, NAME(entry) * stack, unsigned *depth)
{
    binary_pair *pair = (binary_pair *)p;
    const bvpi_binary_node *other = open_a ? &e->b : &e->a;
    bvpi_binary_node child[2];
    const uint8_t *payload[2];
    const LEAF *leaf = NULL;
    const unsigned base = *depth;
    if (base + 2 > BINARY_STACK || !bvpi_binary_children(open_a ? pair->tree_a : pair->tree_b,
                                                         open_a ? &e->a : &e->b, child, payload))
        return false;
    pair->test.answer->stats.nodes++;
    if ((open_a ? e->lanes_b : e->lanes_a) != 0) {
        leaf = NAME(get_leaf)(p, caches, !open_a, other);
        if (leaf == NULL)
            return false;
    }
    for (int k = 1; k >= 0; k--)
        *depth += NAME(descend)(p, e, open_a, leaf, &child[k], payload[k], by_distance, sorted,
                                &stack[*depth]);
    if (sorted && *depth == base + 2 && NAME(is_nearer)(&stack[base], &stack[base + 1])) {
        const NAME(entry) nearer = stack[base];
        stack[base] = stack[base + 1];
        stack[base + 1] = nearer;
    }
    return true;
}

BVPI_INLINE void NAME(visit)(PAIR *p, NAME(caches) * caches, const NAME(entry) * e,
                             bool by_distance)
{
    binary_pair *pair = (binary_pair *)p;
    assert(e->lanes_a != 0 && e->lanes_b != 0);
    const LEAF *a = NAME(get_leaf)(p, caches, true, &e->a);
    const LEAF *b = a ? NAME(get_leaf)(p, caches, false, &e->b) : NULL;
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
static bool NAME(root)(PAIR *p, NAME(entry) * out)
{
    binary_pair *pair = (binary_pair *)p;
    const uint8_t *payload_a, *payload_b;
    memset(out, 0, sizeof *out);
    if (!bvpi_binary_root(pair->tree_a, &out->a, &payload_a) ||
        !bvpi_binary_root(pair->tree_b, &out->b, &payload_b))
        return false;
    out->lanes_a = NAME(lanes_of)(pair->tree_a, &out->a);
    out->lanes_b = NAME(lanes_of)(pair->tree_b, &out->b);
    NAME(volume)(p, true, NULL, payload_a, &out->volume_a);
    NAME(volume)(p, false, NULL, payload_b, &out->volume_b);
    return true;
}

/* May the roots matter? */
BVPI_INLINE bool NAME(start)(PAIR *p, NAME(entry) * root, bool by_distance)
{
    ((binary_pair *)p)->test.answer->stats.boxes++;
    return NAME(test)(p, &root->volume_a, &root->volume_b, by_distance, &root->gap_sq);
}

BVPI_INLINE void NAME(walk)(PAIR *p, bool by_distance, bool sorted)
{
    binary_pair *pair = (binary_pair *)p;
    NAME(entry) stack[BINARY_STACK];
    NAME(caches) caches;
    bool good = NAME(root)(p, &stack[0]);
    unsigned depth = good && NAME(start)(p, &stack[0], by_distance) ? 1 : 0;
    for (int k = 0; k < BINARY_CACHE; k++)
        ((binary_leaf *)&caches.a[k])->tri.count = ((binary_leaf *)&caches.b[k])->tri.count = 0;
    while (good && depth > 0 && tester_goes_on(&pair->test)) {
        const NAME(entry) e = stack[--depth];
        if (by_distance && e.gap_sq >= pair->limit_sq)
            continue;
        good = bvpi_steps_take(&pair->steps);
        if (good && e.lanes_a != 0 && e.lanes_b != 0) {
            NAME(visit)(p, &caches, &e, by_distance);
            continue;
        }
        const bool open_a =
            e.lanes_a == 0 && (e.lanes_b != 0 || NAME(is_a_larger)(p, &e.volume_a, &e.volume_b));
        if (good && open_a)
            good = NAME(open)(p, &caches, &e, true, by_distance, sorted, stack, &depth);
        else if (good)
            good = NAME(open)(p, &caches, &e, false, by_distance, sorted, stack, &depth);
    }
    if (!good)
        tester_fail(&pair->test, bvpi_steps_blame(&pair->steps));
    bvpi_steps_pause(&pair->steps);
    tester_finish(&pair->test);
}

/* The query, once p is set up. Not inlined: a kernel's other walks would have its stack, too. */
static __attribute__((noinline)) void NAME(run)(PAIR *p)
{
    binary_pair *pair = (binary_pair *)p;
    const bvpi_pair_mode mode = pair->test.query->question.mode;
    if (bvpi_pair_measures(mode)) {
        pair->test.nearer = false;
        NAME(take_note)(p);
        NAME(walk)(p, true, true);
    } else {
        NAME(walk)(p, false, mode == BVPI_PAIR_COLLIDE);
    }
}

#ifdef WALK_FOUR
#include "query/pair/binary_four.h"
#undef WALK_FOUR
#endif

#undef NAME
#undef VOLUME
#undef PAIR
#undef LEAF
