/* SPDX-License-Identifier: MIT
 * test_frame.c: frames of nodes against the spec's formula; what a walk refuses.
 */
#include "node/frame.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>

START_TEST(test_shift)
{
    ck_assert_uint_eq(bvpi_frame_shift(0), 0);
    for (uint32_t extent = 1; extent < 1u << 22; extent += extent < 70000 ? 1 : 997) {
        const int log = (int)floor(log2(extent));
        ck_assert_uint_eq(bvpi_frame_shift(extent), log > 7 ? log - 7 : 0);
    }
}
END_TEST

/* Every multiple of a frame's step that the frame contains has a lane number of 8 bits. */
START_TEST(test_reach)
{
    for (uint32_t extent = 1; extent < 1u << 22; extent = extent * 3 / 2 + 1) {
        const uint32_t step = 1u << bvpi_frame_shift(extent);
        ck_assert_uint_le(extent / step, 255);
        ck_assert(step == 1 || extent / step >= 128);
    }
}
END_TEST

START_TEST(test_children)
{
    bvpd_node node = {.meta = {0}};
    const bvpi_frame frame = {{100, 0, 7}, {100 + 1024, 255, 7}};
    bvpi_frame child;
    node.bounds[0][3] = 10;
    node.bounds[0][8 + 3] = 128;
    node.bounds[1][3] = 255;
    node.bounds[1][8 + 3] = 255;
    bvpi_frame_child(&frame, &node, 3, &child);
    ck_assert(child.lo[0] == 100 + 80 && child.hi[0] == 100 + 1024);
    ck_assert(child.lo[1] == 255 && child.hi[1] == 255);
    ck_assert(child.lo[2] == 7 && child.hi[2] == 7);
    ck_assert(bvpi_frame_is_within(&child, &frame));
    node.bounds[0][8 + 3] = 129;
    bvpi_frame_child(&frame, &node, 3, &child);
    ck_assert(!bvpi_frame_is_within(&child, &frame));
    node.bounds[0][8 + 3] = 9;
    bvpi_frame_child(&frame, &node, 3, &child);
    ck_assert(!bvpi_frame_is_within(&child, &frame));
}
END_TEST

START_TEST(test_load)
{
    bvpd_node *units = aligned_alloc(64, 10 * sizeof *units), node;
    memset(units, 0, 10 * sizeof *units);
    const bvpi_tree tree = {.units = (const uint8_t *)units, .unit_count = 10};
    ck_assert(bvpi_node_load(&tree, 9, &node));
    ck_assert(!bvpi_node_load(&tree, 10, &node));
    ck_assert(!bvpi_node_load(&tree, UINT32_MAX, &node));
    units[4].meta[1] = units[4].meta[6] = BVPD_META_INNER;
    static const struct {
        uint32_t child;
        bool good;
    } cases[] = {{0, false}, {4, false}, {5, true}, {8, true}, {9, false}, {UINT32_MAX, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        units[4].child = cases[i].child;
        ck_assert_int_eq(bvpi_node_load(&tree, 4, &node), cases[i].good);
    }
    free(units);
}
END_TEST

SUITE(test_frame)
{
    const TTest *const tests[] = {test_shift, test_reach, test_children, test_load, NULL};
    return suite_run("frame", tests);
}
