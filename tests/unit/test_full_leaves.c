/* SPDX-License-Identifier: MIT
 * test_full_leaves.c: hierarchies with full leaves: every item in one leaf, boxes contain what is
 * below, depths within the limit, of a small set one leaf alone has room, and few nodes have.
 */
#include "pack/tree/full_leaves.h"
#include "item_case.h"

enum { SMALL = 256 }; /* sets up to which all leaves but one are full */

static uint32_t check(bvpi_item *items, uint32_t count, uint32_t leaf_size, uint32_t depth)
{
    bvpi_build_node *nodes = aligned_alloc(64, 2 * (count + 1) * sizeof *nodes / 64 * 64 + 64);
    uint32_t leaves = 0;
    bvpi_split_root(items, count, depth, &nodes[0]);
    const uint32_t node_count = bvpi_full_rest(items, leaf_size, nodes, 1);
    item_case_check(items, count, nodes, node_count, leaf_size);
    for (uint32_t k = 0; k < node_count; k++)
        leaves += nodes[k].left == 0;
    free(nodes);
    free(items);
    return leaves;
}

START_TEST(leaves_of_small_sets_are_full)
{
    uint64_t state = case_seed();
    for (uint32_t round = 0; round < 300; round++) {
        const uint32_t count = 1 + (uint32_t)(case_random(&state) % SMALL), size = 1 + round % 8;
        bvpi_item *items = item_case(&state, count, round % 3 ? 4000000 : 3, 1 + round * 900);
        ck_assert_uint_eq(check(items, count, size, 0), (count + size - 1) / size);
    }
}
END_TEST

/* Of larger ones there are fewer than by the heuristic alone. */
START_TEST(leaves_of_large_sets_are_fuller)
{
    uint64_t state = case_seed();
    for (uint32_t round = 0; round < 10; round++) {
        const uint32_t count = 1000 + (uint32_t)(case_random(&state) % 5000);
        bvpi_item *items = item_case(&state, count, 4000000, 5000);
        bvpi_item *same = aligned_alloc(64, (count + 1) * sizeof *same / 64 * 64 + 64);
        bvpi_build_node *nodes = aligned_alloc(64, 2 * (count + 1) * sizeof *nodes / 64 * 64 + 64);
        uint32_t leaves = 0;
        memcpy(same, items, count * sizeof *same);
        const uint32_t node_count = bvpi_split_all(same, count, 8, 0, nodes);
        for (uint32_t k = 0; k < node_count; k++)
            leaves += nodes[k].left == 0;
        ck_assert_uint_lt(50 * check(items, count, 8, 0), 49 * leaves);
        free(nodes);
        free(same);
    }
}
END_TEST

/* All in one place; and as deep as count and depth allow. */
START_TEST(limits)
{
    uint64_t state = case_seed();
    check(item_case(&state, 5000, 1, 1), 5000, 1, 0);
    check(item_case(&state, 256, 4000000, 9), 256, 1, BVPD_DEPTH_MAX - 2 - 9);
    check(item_case(&state, 100, 4000000, 9), 100, 1, BVPD_DEPTH_MAX - 2 - 8);
}
END_TEST

/* The largest subtrees with no more leaves than a wide node has, of 300 sets: as many as if all but
 * one of a set were full, and 1.14 times as many where the cost of a cut does not count nodes. */
START_TEST(nodes_of_small_sets_are_nearly_full)
{
    uint64_t state = case_seed();
    uint32_t found = 0, least = 0;
    for (uint32_t round = 0; round < 300; round++) {
        const uint32_t count = 65 + (uint32_t)(case_random(&state) % (SMALL - 64));
        bvpi_item *items = item_case(&state, count, 4000000, 1 + round * 900);
        bvpi_build_node nodes[2 * SMALL];
        bvpi_split_root(items, count, 0, &nodes[0]);
        const uint32_t node_count = bvpi_full_rest(items, 8, nodes, 1);
        for (uint32_t k = 0; k < node_count; k++)
            if (nodes[k].count > 64)
                found +=
                    (nodes[nodes[k].left].count <= 64) + (nodes[nodes[k].left + 1].count <= 64);
        least += (count + 63) / 64;
        free(items);
    }
    ck_assert_uint_lt(100 * found, 103 * least);
}
END_TEST

/* Two groups, each of full leaves, are not mixed. */
START_TEST(groups_stay_apart)
{
    uint64_t state = case_seed();
    bvpi_item *items = item_case(&state, 100, 1000, 10);
    bvpi_build_node nodes[200];
    for (uint32_t i = 0; i < 72; i++) {
        items[i].minus_lo[1] -= 3000000;
        items[i].hi[1] += 3000000;
    }
    bvpi_split_root(items, 100, 0, &nodes[0]);
    bvpi_full_rest(items, 4, nodes, 1);
    ck_assert_uint_eq(nodes[nodes[0].left].count, 28);
    ck_assert_double_le(nodes[nodes[0].left].hi[1], 1010);
    free(items);
}
END_TEST

SUITE(test_full_leaves)
{
    const TTest *const tests[] = {leaves_of_small_sets_are_full,
                                  leaves_of_large_sets_are_fuller,
                                  nodes_of_small_sets_are_nearly_full,
                                  limits,
                                  groups_stay_apart,
                                  NULL};
    return suite_run("test_full_leaves", tests);
}
