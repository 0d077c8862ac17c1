/* SPDX-License-Identifier: MIT
 * binary_four.h: template of the simultaneous descent of two binary hierarchies: both nodes of a
 * pair are opened, and the four pairs of their children are tested. Part of binary_walk.h.
 *
 * A child's own work, its volume, is done once for its two pairs: four nodes' work for four pairs,
 * where opening one node after the other takes six (binary_walk.h), unless the first one's children
 * miss. A leaf keeps its volume, and meets the children of the other side by the same test as any
 * node; a pair of leaves queues all of its triangles. For questions of overlap only.
 *
 * Depth first on a fixed stack of levels. A level holds what two nodes were opened to, and which of
 * its pairs are still to be visited.
 *
 * Invariants: a pair on a list has passed its test; each level but the root's opens a node of the
 * pair below it, so there are as many as the deeper hierarchy has.
 *
 * Slow twin: the wide hierarchy and brute force, tests/property/test_binary_pairs.c.
 * Based on: Zachmann, Minimal hierarchical collision detection, 2002, sections 3 and 3.3.
 * Measured: decisions.md, "The paper's own descent".
 */

typedef struct NAME(level) {
    NAME(ready) a[2], b[2]; /* two children, or in [0] a leaf that stays */
    uint8_t pairs[4];       /* still to be visited, the last one first: 2 * (of a) + (of b) */
    uint32_t left;
} NAME(level);

/* How many nodes `above` opens to, itself if it is a leaf; 0: the file is damaged. */
BVPI_INLINE unsigned NAME(open_or_stay)(PAIR *p, bool is_a, const NAME(ready) * above,
                                        NAME(ready) out[2])
{
    if (above->lanes == 0)
        return NAME(open_node)(p, is_a, above, out) ? 2 : 0;
    out[0] = *above;
    return 1;
}

/* Lists the pairs that may answer, the more promising ones last, or else the first of each side. */
BVPI_INLINE void NAME(list_pairs)(PAIR *p, unsigned count_a, unsigned count_b, bool sorted,
                                  NAME(level) * level)
{
    bvp_stats *stats = &((binary_pair *)p)->test.answer->stats;
    float ranks[4], no_gap = 0;
    level->left = 0;
    for (unsigned k = 4; k-- > 0;) {
        if (k / 2 >= count_a || k % 2 >= count_b)
            continue;
        const VOLUME *a = &level->a[k / 2].volume, *b = &level->b[k % 2].volume;
        stats->boxes++;
        if (!NAME(test)(p, a, b, false, &no_gap))
            continue;
        const float rank = sorted ? NAME(rank)(p, a, b) : 0;
        unsigned at = level->left++;
        for (; at > 0 && ranks[at - 1] < rank; at--) {
            ranks[at] = ranks[at - 1];
            level->pairs[at] = level->pairs[at - 1];
        }
        ranks[at] = rank;
        level->pairs[at] = (uint8_t)k;
    }
}

/* False: the file is damaged. */
BVPI_INLINE bool NAME(root_level)(PAIR *p, NAME(level) * out)
{
    if (!NAME(roots)(p, &out->a[0], &out->b[0]))
        return false;
    NAME(list_pairs)(p, 1, 1, false, out);
    return true;
}

/* False: the file is damaged. */
BVPI_INLINE bool NAME(open_both)(PAIR *p, const NAME(ready) * a, const NAME(ready) * b, bool sorted,
                                 NAME(level) * out)
{
    const unsigned count_a = NAME(open_or_stay)(p, true, a, out->a);
    const unsigned count_b = count_a ? NAME(open_or_stay)(p, false, b, out->b) : 0;
    if (count_b == 0)
        return false;
    NAME(list_pairs)(p, count_a, count_b, sorted, out);
    return true;
}

BVPI_INLINE void NAME(visit_leaves)(PAIR *p, NAME(caches) * caches, const NAME(ready) * a,
                                    const NAME(ready) * b)
{
    const LEAF *of_a = NAME(get_leaf)(p, caches, true, &a->node);
    const LEAF *of_b = of_a ? NAME(get_leaf)(p, caches, false, &b->node) : NULL;
    if (of_b != NULL)
        leaves_meet(&((binary_pair *)p)->test, (const binary_leaf *)of_a, a->lanes,
                    (const binary_leaf *)of_b, b->lanes, false);
}

/* The query, once p is set up. Not inlined, as run is not. */
static __attribute__((noinline)) void NAME(run_four)(PAIR *p)
{
    binary_pair *pair = (binary_pair *)p;
    const bool sorted = pair->test.query->question.mode == BVPI_PAIR_COLLIDE;
    NAME(level) stack[BINARY_LEVELS];
    NAME(caches) caches;
    bool good = NAME(root_level)(p, &stack[0]);
    unsigned depth = good ? 1 : 0;
    assert(!bvpi_pair_measures(pair->test.query->question.mode));
    for (int k = 0; k < BINARY_CACHE; k++)
        ((binary_leaf *)&caches.a[k])->tri.count = ((binary_leaf *)&caches.b[k])->tri.count = 0;
    while (good && depth > 0 && tester_goes_on(&pair->test)) {
        NAME(level) *level = &stack[depth - 1];
        if (level->left == 0) {
            depth--;
            continue;
        }
        const unsigned next = level->pairs[--level->left];
        const NAME(ready) *a = &level->a[next / 2], *b = &level->b[next % 2];
        good = bvpi_steps_take(&pair->steps);
        if (good && a->lanes != 0 && b->lanes != 0)
            NAME(visit_leaves)(p, &caches, a, b);
        else if (good)
            good = depth < BINARY_LEVELS && NAME(open_both)(p, a, b, sorted, &stack[depth++]);
    }
    if (!good)
        tester_fail(&pair->test, bvpi_steps_blame(&pair->steps));
    bvpi_steps_pause(&pair->steps);
    tester_finish(&pair->test);
}
