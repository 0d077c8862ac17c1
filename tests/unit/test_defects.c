/* SPDX-License-Identifier: MIT
 * test_defects.c: edges and triangles counted against a plain count of all; exact degeneracy.
 */
#include "build_case.h"
#include "pack/mesh/defects.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 14, COUNT = 60 };

/* Triangles on each edge of a small mesh, and how often each set of corners comes. */
static bvpi_defects count_plainly(const bvpi_mesh *mesh)
{
    uint32_t edges[VERTICES][VERTICES] = {{0}};
    bvpi_defects out = {0};
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t *a = mesh->indices + 3 * i;
        bool is_duplicate = false;
        for (uint32_t k = 0; k < i && !is_duplicate; k++) {
            const uint32_t *b = mesh->indices + 3 * k;
            static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                             {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
            for (int o = 0; o < 6; o++)
                is_duplicate |=
                    a[0] == b[orders[o][0]] && a[1] == b[orders[o][1]] && a[2] == b[orders[o][2]];
        }
        out.duplicate_count += is_duplicate;
        if (a[0] == a[1] || a[1] == a[2] || a[2] == a[0])
            continue;
        for (int k = 0; k < 3; k++) {
            const uint32_t x = a[k], y = a[(k + 1) % 3];
            edges[x < y ? x : y][x < y ? y : x]++;
        }
    }
    for (int x = 0; x < VERTICES; x++)
        for (int y = x; y < VERTICES; y++) {
            out.open_edge_count += edges[x][y] == 1;
            out.nonmanifold_edge_count += edges[x][y] > 2;
        }
    return out;
}

START_TEST(test_small_meshes)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 500; round++) {
        uint32_t indices[3 * COUNT];
        for (int k = 0; k < 3 * COUNT; k++)
            indices[k] = (uint32_t)(case_random(&state) % (3 + round % (VERTICES - 2)));
        /* few triangles leave vertices with few keys, which are not sorted */
        const bvpi_mesh mesh = {.indices = indices,
                                .vertex_count = VERTICES,
                                .triangle_count = 1 + (uint32_t)(case_random(&state) % COUNT)};
        const bvpi_defects expected = count_plainly(&mesh);
        bvpi_defects got;
        ck_assert(bvpi_count_defects(&mesh, 1 + round % 3, &got));
        ck_assert_uint_eq(got.duplicate_count, expected.duplicate_count);
        ck_assert_uint_eq(got.open_edge_count, expected.open_edge_count);
        ck_assert_uint_eq(got.nonmanifold_edge_count, expected.nonmanifold_edge_count);
    }
}
END_TEST

/* A fan: one vertex whose bucket holds nearly everything, in descending order. */
START_TEST(test_hub)
{
    enum { SPOKES = 200000 };
    uint32_t *indices = malloc(3 * SPOKES * sizeof *indices);
    for (uint32_t i = 0; i < SPOKES; i++) {
        indices[3 * i] = SPOKES - i;
        indices[3 * i + 1] = SPOKES - i + 1;
        indices[3 * i + 2] = 0;
    }
    const bvpi_mesh mesh = {
        .indices = indices, .vertex_count = SPOKES + 2, .triangle_count = SPOKES};
    bvpi_defects got;
    ck_assert(bvpi_count_defects(&mesh, 1, &got));
    ck_assert_uint_eq(got.open_edge_count, SPOKES + 2);
    ck_assert_uint_eq(got.nonmanifold_edge_count, 0);
    ck_assert_uint_eq(got.duplicate_count, 0);
    free(indices);
}
END_TEST

/* Enough triangles for several pieces and rounds, with corners and edges in common. */
START_TEST(test_threads_agree)
{
    enum { COUNT = 200000, CORNERS = 15000 };
    uint64_t state = case_seed();
    uint32_t *indices = malloc(3 * COUNT * sizeof *indices);
    for (int k = 0; k < 3 * COUNT; k++)
        indices[k] = (uint32_t)(case_random(&state) % (k < COUNT ? 60 : CORNERS));
    const bvpi_mesh mesh = {.indices = indices, .vertex_count = CORNERS, .triangle_count = COUNT};
    bvpi_defects one, many;
    ck_assert(bvpi_count_defects(&mesh, 1, &one));
    ck_assert_uint_gt(one.duplicate_count, 0);
    ck_assert_uint_gt(one.open_edge_count, 0);
    ck_assert_uint_gt(one.nonmanifold_edge_count, 0);
    for (uint32_t threads = 2; threads < 12; threads += 3) {
        ck_assert(bvpi_count_defects(&mesh, threads, &many));
        ck_assert_mem_eq(&many, &one, sizeof one);
    }
    free(indices);
}
END_TEST

/* Triangles in order, so that each round passes over some runs of them only. */
START_TEST(test_strip)
{
    enum { COUNT = 300000 };
    uint32_t *indices = malloc(3 * COUNT * sizeof *indices);
    for (uint32_t k = 0; k < 3 * COUNT; k++)
        indices[k] = k / 3 + k % 3;
    indices[3 * 200000] = indices[3 * 100000]; /* one more triangle at an edge of another round */
    indices[3 * 200000 + 1] = indices[3 * 100000 + 1];
    const bvpi_mesh mesh = {.indices = indices, .vertex_count = COUNT + 2, .triangle_count = COUNT};
    for (uint32_t threads = 1; threads < 4; threads++) {
        bvpi_defects got;
        ck_assert(bvpi_count_defects(&mesh, threads, &got));
        /* three edges lose a triangle, of which an end of two remains; one gets a third */
        ck_assert_uint_eq(got.open_edge_count, COUNT + 2 - 1 + 2 + 2);
        ck_assert_uint_eq(got.nonmanifold_edge_count, 1);
        ck_assert_uint_eq(got.duplicate_count, 0);
    }
    free(indices);
}
END_TEST

START_TEST(test_degenerate)
{
    static const float a[3] = {0.1f, 0.2f, 0.3f}, b[3] = {1, -5, 7}, c[3] = {2, 2, 2};
    float point[3], huge[3][3] = {{1e38f, 1e-38f, 3}, {-1e38f, 1e-38f, 3}, {3, 1e-38f, 3}};
    ck_assert(!bvpi_is_degenerate(a, b, c));
    ck_assert(bvpi_is_degenerate(a, b, a));
    ck_assert(bvpi_is_degenerate(a, a, a));
    ck_assert(bvpi_is_degenerate(huge[0], huge[1], huge[2]));
    huge[2][1] = nextafterf(huge[2][1], 1);
    ck_assert(!bvpi_is_degenerate(huge[0], huge[1], huge[2]));
    uint64_t state = case_seed();
    for (int round = 0; round < 10000; round++) { /* points of a lattice's lines, and beside them */
        float from[3], by[3], to[3];
        for (int axis = 0; axis < 3; axis++) {
            from[axis] = (float)(case_random(&state) % 2048);
            by[axis] = (float)(case_random(&state) % 64) + 1;
            to[axis] = from[axis] + 3 * by[axis];
            point[axis] = from[axis] + 2 * by[axis];
        }
        ck_assert(bvpi_is_degenerate(from, point, to));
        point[round % 3] = nextafterf(point[round % 3], 1e9f);
        ck_assert(!bvpi_is_degenerate(from, to, point));
    }
}
END_TEST

SUITE(test_defects)
{
    const TTest *const tests[] = {test_small_meshes, test_hub,        test_threads_agree,
                                  test_strip,        test_degenerate, NULL};
    return suite_run("defects", tests);
}
