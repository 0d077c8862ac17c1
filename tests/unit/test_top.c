/* SPDX-License-Identifier: MIT
 * test_top.c: every instance has its leaf in the hierarchy over the instances, in whose box it
 * lies; nodes are full as far as that costs little.
 */
#include "pack/tree/top_tree.h"
#include "node/frame.h"
#include "build_case.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 20000 };

static bvpi_bounds *make_bounds(void)
{
    uint64_t state = case_seed();
    bvpi_bounds *bounds = calloc(COUNT, sizeof *bounds);
    ck_assert_ptr_nonnull(bounds);
    for (int i = 0; i < COUNT; i++)
        for (int axis = 0; axis < 3; axis++) {
            bounds[i].lo[axis] = 100 * case_uniform(&state);
            bounds[i].hi[axis] = bounds[i].lo[axis] + 3 * case_uniform(&state);
        }
    return bounds;
}

static void free_top(bvpi_top *top)
{
    free(top->nodes);
    free(top->order);
}

START_TEST(every_instance_has_a_leaf)
{
    bvpi_bounds *bounds = make_bounds();
    uint8_t *met = calloc(COUNT, 1);
    bvpi_top top;
    ck_assert_int_eq(bvpi_top_build(bounds, COUNT, &top, NULL), BVP_OK);
    ck_assert_uint_eq(top.hierarchies[0].leaf_count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        ck_assert_uint_lt(top.order[i], COUNT);
        met[top.order[i]]++;
    }
    ck_assert_ptr_null(memchr(met, 0, COUNT));
    free_top(&top);
    free(met);
    free(bounds);
}
END_TEST

/* In coordinates, not steps: a box that is rounded the wrong way leaves its instance outside. */
START_TEST(leaves_hold_their_instances)
{
    bvpi_bounds *bounds = make_bounds();
    bvpi_frame *frames = calloc(COUNT, sizeof *frames);
    uint32_t instances = 0;
    bvpi_top top;
    ck_assert_int_eq(bvpi_top_build(bounds, COUNT, &top, NULL), BVP_OK);
    ck_assert_uint_eq(top.hierarchy_count, 1);
    const bvpd_hierarchy *tree = &top.hierarchies[0];
    memcpy(frames[0].hi, tree->grid_extent, sizeof frames[0].hi);
    for (uint32_t k = 0; k < tree->node_count; k++) {
        const bvpd_node *node = &top.nodes[k];
        uint32_t inner = 0, before = 0;
        for (int lane = 0; lane < BVPD_WIDTH; lane++) {
            bvpi_frame box;
            bvpi_frame_child(&frames[k], node, lane, &box);
            if (bvpi_meta_is_inner(node->meta[lane])) {
                frames[node->child + inner++] = box;
                continue;
            }
            for (uint32_t i = 0; i < node->meta[lane]; i++, before++, instances++) {
                const bvpi_bounds *b = &bounds[top.order[node->geom + before]];
                for (int axis = 0; axis < 3; axis++) {
                    const double lo = tree->grid_origin[axis] + box.lo[axis] * tree->grid_unit;
                    const double hi = tree->grid_origin[axis] + box.hi[axis] * tree->grid_unit;
                    ck_assert(lo <= b->lo[axis] && b->hi[axis] <= hi);
                }
            }
        }
    }
    ck_assert_uint_eq(instances, COUNT);
    free_top(&top);
    free(frames);
    free(bounds);
}
END_TEST

/* Of n nodes all but the root take a lane, and so does every instance. */
START_TEST(nodes_are_full)
{
    bvpi_bounds *bounds = make_bounds();
    bvpi_top top;
    ck_assert_int_eq(bvpi_top_build(bounds, COUNT, &top, NULL), BVP_OK);
    const double lanes = (double)COUNT + top.hierarchies[0].node_count - 1;
    ck_assert_msg(lanes / top.hierarchies[0].node_count > 5.8, "%.2f lanes a node",
                  lanes / top.hierarchies[0].node_count);
    free_top(&top);
    free(bounds);
}
END_TEST

/* Two nodes an instance would not fit in 32 bits. Nothing is read or allocated. */
START_TEST(too_many_instances_are_refused)
{
    const uint32_t counts[] = {UINT32_C(1) << 31, UINT32_MAX};
    for (int i = 0; i < 2; i++) {
        bvp_error error = {0};
        bvpi_top top;
        ck_assert_int_eq(bvpi_top_build(NULL, counts[i], &top, &error), BVP_ERR_LIMIT);
        ck_assert_ptr_nonnull(strstr(error.message, "2^31 - 1"));
        ck_assert_ptr_null(top.nodes);
    }
}
END_TEST

SUITE(test_top)
{
    const TTest *const tests[] = {every_instance_has_a_leaf, leaves_hold_their_instances,
                                  nodes_are_full, too_many_instances_are_refused, NULL};
    return suite_run("top", tests);
}
