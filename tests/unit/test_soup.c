/* SPDX-License-Identifier: MIT
 * test_soup.c: a soup welded in chunks is the mesh that welding it at once gives.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/soup.h"
#include "suite.h"

/* Triangles over a small lattice, so that chunks share vertices. */
static void fill(void *corners, int is_double, uint32_t i)
{
    for (uint32_t k = 0; k < 9; k++) {
        uint32_t value = (i * 2654435761u + k * 40503u) >> 16 & 31;
        if (is_double)
            ((double *)corners)[k] = value + 0.1;
        else
            ((float *)corners)[k] = (float)value;
    }
}

static void check(uint32_t count, int is_double, uint32_t skipped)
{
    size_t width = 9 * (is_double ? sizeof(double) : sizeof(float));
    char *all = malloc(count * width + 1);
    static const import_options options = {.thread_count = 2};
    bvp_error error;
    model m = {0};
    importer im = {.name = "case", .options = &options, .out = &m, .error = &error};
    soup s = {.im = &im, .is_double = is_double};
    for (uint32_t i = 0; i < count; i++) {
        void *corners = soup_next(&s);
        ck_assert_ptr_nonnull(corners);
        fill(corners, is_double, i);
        memcpy(all + i * width, corners, width);
        ck_assert_int_eq(soup_keep(&s, i < skipped ? i : i + 1), BVP_OK);
    }
    ck_assert_uint_eq(soup_count(&s), count);
    ck_assert_int_eq(soup_finish(&s, NULL), BVP_OK);
    soup_free(&s);

    bvp_mesh whole = {.positions = all,
                      .is_double = is_double,
                      .vertex_count = 3 * (uint64_t)count,
                      .triangle_count = count};
    uint32_t *indices = NULL;
    void *positions = NULL;
    uint64_t vertex_count;
    ck_assert_int_eq(bvp_weld(&whole, 1, &indices, &positions, &vertex_count, NULL), BVP_OK);
    const model_mesh *mesh = &m.meshes[0];
    ck_assert_uint_eq(mesh->triangle_count, count);
    ck_assert_uint_eq(mesh->vertex_count, vertex_count);
    ck_assert(memcmp(mesh->indices, indices, 12 * (size_t)count) == 0);
    ck_assert(memcmp(mesh->positions, positions, (size_t)vertex_count * width / 3) == 0);
    ck_assert_int_eq(mesh->ids != NULL, skipped < count);
    for (uint32_t i = 0; mesh->ids && i < count; i++)
        ck_assert_uint_eq(mesh->ids[i], i < skipped ? i : i + 1);
    free(indices);
    free(positions);
    free(all);
    model_free(&m);
}

START_TEST(chunks)
{
    static const uint32_t counts[] = {1, 32767, 32768, 32769, 65536, 100000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        check(counts[i], 0, UINT32_MAX);
    check(70000, 1, UINT32_MAX);
    check(70000, 0, 50000);
    check(10, 0, 0);
}
END_TEST

SUITE(test_soup)
{
    const TTest *const tests[] = {chunks, NULL};
    return suite_run("soup", tests);
}
