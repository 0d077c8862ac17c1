/* SPDX-License-Identifier: MIT
 * test_sample.c: items sorted by a tree over a sample: nothing is lost, leaves are small where the
 * sample can tell, what it can't tell stays together.
 */
#include "pack/tree/sample.h"
#include "item_case.h"

static uint32_t presort(bvpi_item *items, uint32_t count, bvpi_item *sorted, bvpi_build_node *nodes)
{
    void *scratch = aligned_alloc(64, (bvpi_presort_scratch_size(count) + 64) / 64 * 64);
    const uint32_t used = bvpi_presort(items, count, 3, sorted, nodes, scratch);
    free(scratch);
    return used;
}

static uint32_t largest_leaf(const bvpi_build_node *nodes, uint32_t count)
{
    uint32_t largest = 0;
    for (uint32_t k = 0; k < count; k++)
        if (nodes[k].left == 0 && nodes[k].count > largest)
            largest = nodes[k].count;
    return largest;
}

/* Items of a range: how large the largest leaf is. */
static uint32_t check(uint32_t count, uint32_t range, uint32_t size)
{
    uint64_t state = case_seed();
    bvpi_item *items = item_case(&state, count, range, size);
    bvpi_item *sorted = aligned_alloc(64, (count + 2) * sizeof *items / 64 * 64);
    bvpi_build_node *nodes = aligned_alloc(64, 2 * (count + 1) * sizeof *nodes / 64 * 64 + 64);
    const uint32_t used = presort(items, count, sorted, nodes);
    const uint32_t largest = largest_leaf(nodes, used);
    ck_assert_uint_eq(nodes[0].depth, 3);
    item_case_check(sorted, count, nodes, used, largest);
    free(items);
    free(sorted);
    free(nodes);
    return largest;
}

START_TEST(test_leaves)
{
    ck_assert_uint_eq(check(1, 100, 10), 1);
    ck_assert_uint_eq(check(1000, 4000000, 1000), 1000); /* too few for a sample */
    ck_assert_uint_lt(check(20000, 4000000, 1000), 1500);
    ck_assert_uint_lt(check(20001, 100, 4000000), 1500);
}
END_TEST

START_TEST(test_equal_items)
{
    ck_assert_uint_eq(check(20000, 1, 1), 20000);
}
END_TEST

/* Centres go where the planes say: what is left of a plane is left of all that is right of it. */
START_TEST(test_planes)
{
    enum { COUNT = 2000 };
    uint64_t state = case_seed();
    bvpi_item *items = item_case(&state, COUNT, 1000000, 100);
    bvpi_build_node build_nodes[2 * COUNT];
    bvpi_plane planes[2 * COUNT];
    uint32_t leaves[COUNT];
    bvpi_sample_tree t = {.build_nodes = build_nodes, .planes = planes, .leaves = leaves};
    bvpi_sample_split(items, COUNT, 10, 0, &t);
    ck_assert_uint_gt(t.leaf_count, COUNT / 10);
    for (uint32_t k = 0; k < t.build_node_count; k++) {
        const bvpi_build_node *left = &build_nodes[build_nodes[k].left], *right = left + 1;
        ck_assert_uint_eq(planes[k].left, build_nodes[k].left);
        if (build_nodes[k].left == 0) {
            ck_assert_uint_eq(leaves[planes[k].batch], k);
            continue;
        }
        const uint32_t axis = planes[k].axis;
        for (uint32_t i = left->first; i < left->first + left->count; i++)
            ck_assert(items[i].hi[axis] - items[i].minus_lo[axis] <= planes[k].at);
        for (uint32_t i = right->first; i < right->first + right->count; i++)
            ck_assert(items[i].hi[axis] - items[i].minus_lo[axis] > planes[k].at);
    }
    for (uint32_t k = 1; k < t.leaf_count; k++)
        ck_assert_uint_lt(build_nodes[leaves[k - 1]].first, build_nodes[leaves[k]].first);
    free(items);
}
END_TEST

SUITE(test_sample)
{
    const TTest *const tests[] = {test_leaves, test_equal_items, test_planes, NULL};
    return suite_run("sample", tests);
}
