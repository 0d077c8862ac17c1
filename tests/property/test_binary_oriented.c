/* SPDX-License-Identifier: MIT
 * test_binary_oriented.c: volumes as large and as far out as ORI-4 allows stay within what queries
 * take for the largest coordinates, before and after placement.
 * Spec: format.md, ORI-4.
 */
#define BVPI_ISA base /* oriented_pair.h is for kernels */
#include "kinds/query/oriented_pair.h"

#include "flat_oracle.h"
#include "suite.h"

#include <stdio.h>

/* The longest axis is up to 2^22 times as long as the others. */
static bvpi_binary random_tree(uint64_t *state, uint32_t kind)
{
    bvpi_binary tree = {.kind = kind, .grid_unit = ldexp(1, (int)(case_random(state) % 60) - 30)};
    for (int axis = 0; axis < 3; axis++) {
        tree.grid_extent[axis] = (uint32_t)(1u << case_random(state) % 22);
        tree.grid_origin[axis] = tree.grid_unit * (double)(int32_t)(case_random(state) % 4096) *
                                 (case_random(state) % 2 ? -1 : 1);
    }
    return tree;
}

/* Some volume that the rule allows, mostly a very large one. */
static bvpi_oriented random_volume(uint64_t *state, const bvpi_binary *tree)
{
    bvpi_oriented grid, out;
    bvpi_oriented_frame(tree, &grid);
    const double most = BVPI_ORIENTED_LARGEST * grid.reach;
    case_rotation(state, out.axis);
    for (int axis = 0; axis < 3; axis++) {
        const double share = case_random(state) % 2 ? 1 : case_between(state, -1, 1);
        out.centre[axis] = grid.centre[axis] + share * most;
        out.size[axis] = case_random(state) % 2 ? most : case_uniform(state) * most;
    }
    return out;
}

/* One of its farthest points: a corner of the box; of a swept rectangle, the point that reaches
 * farthest along an axis of the part. */
static void far_point(const bvpi_binary *tree, const bvpi_oriented *volume, unsigned number,
                      double out[3])
{
    const bool is_rss = tree->kind == BVPD_KIND_RSS;
    memcpy(out, volume->centre, 3 * sizeof *out);
    for (unsigned k = 0; k < (is_rss ? 2u : 3u); k++)
        for (int axis = 0; axis < 3; axis++)
            out[axis] += (number >> k & 1 ? 1 : -1) * volume->size[k] * volume->axis[3 * k + axis];
    if (is_rss)
        out[number / 8] += (number >> 2 & 1 ? 1 : -1) * volume->size[2];
}

START_TEST(volumes_stay_in_bounds)
{
    uint64_t state = case_seed();
    double farthest[2] = {0, 0}; /* of either kind, in units of the grid's reach */
    for (int round = 0; round < 20000; round++) {
        const bvpi_binary tree = random_tree(&state, BVPD_KIND_OBB + (uint32_t)round % 2);
        const bvpi_oriented volume = random_volume(&state, &tree);
        bvpi_oriented grid;
        double bound[3], point[3];
        bvpi_oriented_frame(&tree, &grid);
        bvpi_oriented_bound(&tree, bound);
        for (unsigned number = 0; number < 24; number++) {
            far_point(&tree, &volume, number, point);
            for (int axis = 0; axis < 3; axis++) {
                ck_assert(fabs(point[axis]) <= bound[axis]);
                farthest[round % 2] =
                    fmax(farthest[round % 2], fabs(point[axis] - grid.centre[axis]) / grid.reach);
            }
        }
    }
    printf("farthest: obb %g, rss %g\n", farthest[0], farthest[1]);
    ck_assert(farthest[0] > 5.3 && farthest[0] <= 2 + 2 * sqrt(3) + 1e-9);
    ck_assert(farthest[1] > 6.7 && farthest[1] <= 2 + 2 * (1 + sqrt(2)) + 1e-9);
}
END_TEST

/* ---- placed --------------------------------------------------------------------------------- */

typedef struct scene {
    bvpi_placed_part part[2];
    bvpi_binary tree[2];
    binary_pair pair;
} scene;

/* Placed as queries place it; the grid bounds what it holds. */
static void place_part(uint64_t *state, const bvpi_binary *tree, bvpi_placed_part *out)
{
    double turn[9], stretch[3], m[12];
    case_rotation(state, turn);
    for (int j = 0; j < 3; j++)
        stretch[j] = ldexp(1, (int)(case_random(state) % 20));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            m[4 * i + j] = turn[3 * i + j] * stretch[j];
        m[4 * i + 3] = case_between(state, -10, 10);
    }
    ck_assert_int_eq(bvpi_placement_init(&out->at.placement, m), BVP_OK);
    for (int axis = 0; axis < 3; axis++)
        out->at.bound[axis] =
            fmax(fabs(tree->grid_origin[axis]),
                 fabs(tree->grid_origin[axis] + tree->grid_unit * tree->grid_extent[axis]));
}

static void random_scene(uint64_t *state, uint32_t kind, scene *s)
{
    for (int side = 0; side < 2; side++) {
        s->tree[side] = random_tree(state, kind);
        place_part(state, &s->tree[side], &s->part[side]);
    }
    s->pair.test.a = &s->part[0];
    s->pair.test.b = &s->part[1];
    s->pair.tree_a = &s->tree[0];
    s->pair.tree_b = &s->tree[1];
    bvpi_pose_init_placed(&s->pair.test.pose, &s->part[0].at.placement, &s->part[1].at.placement,
                          s->part[0].at.bound, s->part[1].at.bound);
}

/* A point of either side's volume: its coordinates in a's frame, and how much the placement's
 * error moves them. */
static void check_point(const scene *s, const oriented_frame *frame, int side,
                        const double point[3])
{
    const bvpi_pose *pose = &s->pair.test.pose;
    for (int i = 0; i < 3; i++) {
        const double *row = frame->map[1 - side] + 4 * i, *err = pose->x_err + 4 * i;
        double at = row[3], moved = err[3];
        for (int j = 0; j < 3; j++) {
            at += row[j] * point[j];
            moved += err[j] * fabs(point[j]);
        }
        ck_assert(fabs(at) <= frame->reach);
        ck_assert(side == 0 || moved <= frame->error);
    }
}

START_TEST(placed_volumes_stay_in_reach)
{
    static scene s;
    uint64_t state = case_seed();
    for (int round = 0; round < 20000; round++) {
        oriented_frame frame;
        random_scene(&state, BVPD_KIND_OBB + (uint32_t)round % 2, &s);
        oriented_frame_init(&frame, &s.pair);
        for (int side = 0; side < 2; side++) {
            const bvpi_oriented volume = random_volume(&state, &s.tree[side]);
            for (unsigned number = 0; number < 24; number++) {
                double point[3];
                far_point(&s.tree[side], &volume, number, point);
                check_point(&s, &frame, side, point);
            }
        }
    }
}
END_TEST

SUITE(test_binary_oriented)
{
    const TTest *const tests[] = {volumes_stay_in_bounds, placed_volumes_stay_in_reach, NULL};
    return suite_run("binary oriented", tests);
}
