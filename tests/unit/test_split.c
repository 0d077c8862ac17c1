/* SPDX-License-Identifier: MIT
 * test_split.c: binary hierarchies: every item in one leaf, boxes contain what is below, limits.
 */
#include "base/isa.h"
#include "pack/tree/sah_split_kernel.h"
#include "format/layout.h"
#include "item_case.h"

#include <string.h>

static void check_split(bvpi_item *items, uint32_t count, uint32_t leaf_size)
{
    bvpi_build_node *nodes = aligned_alloc(16, 2 * (count + 1) * sizeof *nodes);
    const uint32_t node_count = bvpi_split_all(items, count, leaf_size, 0, nodes);
    item_case_check(items, count, nodes, node_count, leaf_size);
    free(nodes);
}

START_TEST(test_random_items)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 100; round++) {
        const uint32_t count = 1 + (uint32_t)(case_random(&state) % 600);
        bvpi_item *items =
            item_case(&state, count, round % 3 ? 4000000 : 3, 1 + (uint32_t)round * 900);
        check_split(items, count, 1 + (uint32_t)round % 8);
        free(items);
    }
}
END_TEST

START_TEST(test_equal_items)
{
    uint64_t state = case_seed();
    bvpi_item *items = item_case(&state, 5000, 1, 1);
    check_split(items, 5000, 8);
    free(items);
}
END_TEST

/* Nested boxes, each a little smaller: splits as uneven as can be. */
START_TEST(test_nested_items)
{
    enum { COUNT = 20000 };
    uint64_t state = case_seed();
    bvpi_item *items = item_case(&state, COUNT, 1, 1);
    double size = 4194303;
    for (uint32_t i = 0; i < COUNT; i++, size *= 0.999)
        for (int axis = 0; axis < 3; axis++)
            items[i].hi[axis] = (float)(uint32_t)size;
    check_split(items, COUNT, 1);
    free(items);
}
END_TEST

/* The instruction sets cut alike, and leave the items in the same order. */
START_TEST(test_kernels_agree)
{
    enum { COUNT = 3000 };
    const bvpi_split_kernel *best = BVPI_ISA_CHOOSE(bvpi_split_kernel, bvpi_isa_of_cpu());
    const bvpi_split_kernel *base = &bvpi_split_kernel_base;
    uint64_t state = case_seed();
    for (int round = 0; round < 60; round++) {
        const uint32_t count = 9 + (uint32_t)(case_random(&state) % (COUNT - 9));
        const uint32_t leaf_size = 1 + (uint32_t)round % 8;
        bvpi_item *items = item_case(&state, count, round % 4 ? 4000000 : 5, 1000);
        bvpi_item *copy = aligned_alloc(32, count * sizeof *copy);
        bvpi_build_node root = {.count = count}, half[2] = {{.left = 0}}, other[2] = {{.left = 0}};
        memcpy(copy, items, count * sizeof *copy);
        best->bound(items, count, &root);
        bvpi_build_node again = {.count = count};
        base->bound(copy, count, &again);
        ck_assert_mem_eq(&root, &again, sizeof root);
        best->once(items, leaf_size, &root, &half[0], &half[1]);
        base->once(copy, leaf_size, &root, &other[0], &other[1]);
        ck_assert_mem_eq(half, other, sizeof half);
        ck_assert_mem_eq(items, copy, count * sizeof *copy);
        ck_assert_uint_eq(half[0].count + half[1].count, count);
        free(items);
        free(copy);
    }
}
END_TEST

/* Two far clouds must be told apart by the first split. */
START_TEST(test_quality)
{
    uint64_t state = case_seed();
    bvpi_item *items = item_case(&state, 1000, 1000, 10);
    for (uint32_t i = 0; i < 1000; i += 2) {
        items[i].minus_lo[1] -= 3000000;
        items[i].hi[1] += 3000000;
    }
    bvpi_build_node nodes[2000];
    bvpi_split_all(items, 1000, 8, 0, nodes);
    ck_assert_uint_eq(nodes[nodes[0].left].count, 500);
    ck_assert_double_le(nodes[nodes[0].left].hi[1], 1010);
    free(items);
}
END_TEST

SUITE(test_split)
{
    const TTest *const tests[] = {test_random_items, test_equal_items,   test_nested_items,
                                  test_quality,      test_kernels_agree, NULL};
    return suite_run("split", tests);
}
