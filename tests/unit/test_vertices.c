/* SPDX-License-Identifier: MIT
 * test_vertices.c: stored vertices and corners together are the stored triangles, also in pieces.
 */
#include "build_case.h"
#include "suite.h"

#include <stdlib.h>

enum { TRIANGLES = 1500 };

/* A file of several clusters whose triangles share vertices: corners are on a coarse grid. */
static case_file make(float **soup)
{
    uint64_t state = case_seed();
    *soup = case_soup(&state, TRIANGLES, 10, 3);
    for (int i = 0; i < 9 * TRIANGLES; i++)
        (*soup)[i] = (float)(int)(*soup)[i];
    const bvp_mesh mesh = case_mesh(*soup, TRIANGLES);
    return case_build(&mesh, NULL);
}

START_TEST(they_are_the_triangles)
{
    float *soup, triangle[9];
    case_file f = make(&soup);
    uint64_t count, got, *corners = malloc(3 * TRIANGLES * sizeof *corners);
    ck_assert_int_eq(bvp_get_vertices(f.file, 0, 0, UINT64_MAX, NULL, &count), BVP_OK);
    ck_assert(count >= 1331 && count < 3 * TRIANGLES);
    float *positions = malloc(12 * count);
    ck_assert_int_eq(bvp_get_vertices(f.file, 0, 0, count, positions, &got), BVP_OK);
    ck_assert_uint_eq(got, count);
    ck_assert_int_eq(bvp_get_corners(f.file, 0, 0, TRIANGLES, corners, &got), BVP_OK);
    ck_assert_uint_eq(got, TRIANGLES);
    for (uint64_t i = 0; i < TRIANGLES; i++) {
        ck_assert_int_eq(bvp_get_triangle(f.file, 0, i, triangle, NULL), BVP_OK);
        for (int k = 0; k < 3; k++) {
            ck_assert_uint_lt(corners[3 * i + k], count);
            ck_assert_mem_eq(positions + 3 * corners[3 * i + k], triangle + 3 * k, 12);
        }
    }
    free(positions);
    free(corners);
    free(soup);
    case_close(&f);
}
END_TEST

START_TEST(in_pieces)
{
    float *soup, some[3 * 7];
    case_file f = make(&soup);
    uint64_t count, got, all = 3 * TRIANGLES, *corners = malloc(all * sizeof *corners), few[3 * 5];
    float *positions = malloc(12 * all);
    ck_assert_int_eq(bvp_get_vertices(f.file, 0, 0, all, positions, &count), BVP_OK);
    for (uint64_t first = 0; first < count; first += 7) {
        const uint64_t wanted = count - first < 7 ? count - first : 7;
        ck_assert_int_eq(bvp_get_vertices(f.file, 0, first, 7, some, &got), BVP_OK);
        ck_assert_uint_eq(got, wanted);
        ck_assert_mem_eq(some, positions + 3 * first, 12 * got);
    }
    ck_assert_int_eq(bvp_get_corners(f.file, 0, 0, all, corners, &got), BVP_OK);
    for (uint64_t first = 0; first < TRIANGLES; first += 5) {
        ck_assert_int_eq(bvp_get_corners(f.file, 0, first, 5, few, &got), BVP_OK);
        ck_assert_uint_eq(got, 5);
        ck_assert_mem_eq(few, corners + 3 * first, 24 * got);
    }
    free(positions);
    free(corners);
    free(soup);
    case_close(&f);
}
END_TEST

START_TEST(ends_and_arguments)
{
    float *soup, some[3];
    case_file f = make(&soup);
    uint64_t count, got, few[3];
    ck_assert_int_eq(bvp_get_vertices(f.file, 0, 0, UINT64_MAX, NULL, &count), BVP_OK);
    ck_assert_int_eq(bvp_get_vertices(f.file, 0, count, 1, some, &got), BVP_OK);
    ck_assert_uint_eq(got, 0);
    ck_assert_int_eq(bvp_get_vertices(f.file, 0, count + 1, 1, some, &got), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_vertices(f.file, 0, UINT64_MAX, 1, some, &got), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_vertices(f.file, 1, 0, 1, some, &got), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_corners(f.file, 0, TRIANGLES, 1, few, &got), BVP_OK);
    ck_assert_uint_eq(got, 0);
    ck_assert_int_eq(bvp_get_corners(f.file, 0, TRIANGLES + 1, 1, few, &got), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_corners(f.file, 1, 0, 1, few, &got), BVP_ERR_ARGUMENT);
    free(soup);
    case_close(&f);
}
END_TEST

SUITE(test_vertices)
{
    const TTest *tests[] = {they_are_the_triangles, in_pieces, ends_and_arguments, NULL};
    return suite_run("vertices", tests);
}
