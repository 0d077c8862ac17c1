/* SPDX-License-Identifier: MIT
 * test_batches.c: the hierarchy above the batches: no batch is too large, whatever the sample says,
 * and any number of threads gives the same.
 */
#include "pack/tree/batches.h"
#include "pack/tree/items.h"
#include "item_case.h"

#include <string.h>

enum { COUNT = 150000, MOST = 2048 }; /* more triangles than a piece has */

static void check(const bvpi_mesh *mesh)
{
    double lo[3], hi[3];
    float lo_float[3], hi_float[3];
    bvpi_grid grid;
    bvpi_batches one, three;
    bvpi_mesh_bounds(mesh, lo_float, hi_float);
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = lo_float[axis];
        hi[axis] = hi_float[axis];
    }
    bvpi_grid_choose(lo, hi, &grid);
    ck_assert(bvpi_batches_make(mesh, &grid, MOST, 8, 1, &one));
    ck_assert(bvpi_batches_make(mesh, &grid, MOST, 8, 3, &three));
    bvpi_item *items = bvpi_allocate(COUNT, sizeof *items);
    bvpi_items_gather(mesh, &grid, one.triangles, COUNT, items);
    item_case_check(items, COUNT, one.build_nodes, one.build_node_count, MOST);
    free(items);
    ck_assert_uint_eq(one.build_node_count, three.build_node_count);
    ck_assert_mem_eq(one.triangles, three.triangles, COUNT * sizeof *one.triangles);
    for (uint32_t k = 0; k < one.build_node_count; k++)
        ck_assert_mem_eq(&one.build_nodes[k], &three.build_nodes[k], sizeof *one.build_nodes);
    bvpi_batches_free(&one);
    bvpi_batches_free(&three);
}

START_TEST(test_batches)
{
    uint64_t state = case_seed();
    float *soup = case_soup(&state, COUNT, 100, 1);
    uint32_t *indices = malloc(3 * COUNT * sizeof *indices);
    const bvpi_mesh mesh = {
        .positions = soup, .indices = indices, .vertex_count = 3 * COUNT, .triangle_count = COUNT};
    for (uint32_t k = 0; k < 3 * COUNT; k++)
        indices[k] = k;
    check(&mesh);
    /* most of them at one place: no plane separates these */
    for (uint32_t i = 1; i < COUNT - 15000; i++)
        memcpy(soup + 9 * i, soup, 36);
    check(&mesh);
    free(soup);
    free(indices);
}
END_TEST

SUITE(test_batches)
{
    const TTest *const tests[] = {test_batches, NULL};
    return suite_run("batches", tests);
}
