/* SPDX-License-Identifier: MIT
 * test_morton.c: hierarchies along a Morton curve: every item in one leaf, boxes contain what is
 * below, depths within the limit, and sets that lie apart are told apart.
 */
#include "pack/tree/morton.h"
#include "item_case.h"

static bvpi_build_node *build(bvpi_item *items, uint32_t count, uint32_t leaf_size, uint32_t depth,
                              uint32_t *node_count)
{
    bvpi_build_node *nodes = aligned_alloc(64, 2 * (count + 1) * sizeof *nodes / 64 * 64 + 64);
    void *scratch = aligned_alloc(64, (bvpi_morton_scratch_size(count) + 64) / 64 * 64);
    bvpi_split_root(items, count, depth, &nodes[0]);
    *node_count = bvpi_morton_rest(items, leaf_size, nodes, 1, scratch);
    free(scratch);
    return nodes;
}

static void check(bvpi_item *items, uint32_t count, uint32_t leaf_size, uint32_t depth)
{
    uint32_t node_count;
    bvpi_build_node *nodes = build(items, count, leaf_size, depth, &node_count);
    item_case_check(items, count, nodes, node_count, leaf_size);
    free(nodes);
    free(items);
}

START_TEST(test_random_items)
{
    uint64_t state = case_seed();
    for (uint32_t round = 0; round < 100; round++) {
        const uint32_t count = 1 + (uint32_t)(case_random(&state) % 900);
        check(item_case(&state, count, round % 3 ? 4000000 : 3, 1 + round * 900), count,
              1 + round % 8, 0);
    }
    check(item_case(&state, BVPI_MORTON_MAX, 4000000, 5000), BVPI_MORTON_MAX, 8, 0);
}
END_TEST

/* All in one cell; and as deep as count and depth allow. */
START_TEST(test_equal_items)
{
    uint64_t state = case_seed();
    check(item_case(&state, 5000, 1, 1), 5000, 1, 0);
    check(item_case(&state, 256, 4000000, 9), 256, 1, BVPD_DEPTH_MAX - 2 - 9);
}
END_TEST

START_TEST(test_quality)
{
    uint64_t state = case_seed();
    bvpi_item *items = item_case(&state, 1000, 1000, 10);
    uint32_t node_count;
    for (uint32_t i = 0; i < 1000; i += 4) {
        items[i].minus_lo[1] -= 3000000;
        items[i].hi[1] += 3000000;
    }
    bvpi_build_node *nodes = build(items, 1000, 8, 0, &node_count);
    ck_assert_uint_eq(nodes[nodes[0].left].count, 750);
    ck_assert_double_le(nodes[nodes[0].left].hi[1], 1010);
    free(nodes);
    free(items);
}
END_TEST

SUITE(test_morton)
{
    const TTest *const tests[] = {test_random_items, test_equal_items, test_quality, NULL};
    return suite_run("morton", tests);
}
