/* SPDX-License-Identifier: MIT
 * test_items.c: boxes of triangles: every instruction set gives the grid's lines around them, and
 * the same counts of triangles without a surface.
 */
#include "pack/tree/items.h"
#include "base/isa.h"
#include "pack/mesh/defects.h"
#include "pack/tree/items_kernel.h"
#include "item_case.h"

enum { COUNT = 3000 };

typedef struct case_mesh_of {
    bvpi_mesh mesh;
    bvpi_grid grid;
    uint32_t indices[3 * COUNT];
} case_mesh_of;

/* Some triangles are lines or points. */
static void make_mesh(case_mesh_of *m)
{
    uint64_t state = case_seed();
    double lo[3], hi[3];
    float *soup = case_soup(&state, COUNT, 100, 3), lo_float[3], hi_float[3];
    for (uint32_t k = 0; k < 3 * COUNT; k++)
        m->indices[k] = k % 9 == 8 && k % 2 ? k - 1 : k;
    m->mesh = (bvpi_mesh){.positions = soup,
                          .indices = m->indices,
                          .vertex_count = 3 * COUNT,
                          .triangle_count = COUNT};
    bvpi_mesh_bounds(&m->mesh, lo_float, hi_float);
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = lo_float[axis];
        hi[axis] = hi_float[axis];
    }
    bvpi_grid_choose(lo, hi, &m->grid);
}

static const float *corner(const case_mesh_of *m, uint32_t triangle, int k)
{
    return m->mesh.positions + 3 * (size_t)m->indices[3 * triangle + k];
}

static void check_item(const case_mesh_of *m, const bvpi_item *item)
{
    for (int axis = 0; axis < 3; axis++) {
        double below = 1e9, above = -1e9;
        for (int k = 0; k < 3; k++) {
            const double x = corner(m, item->id, k)[axis];
            const double lo = bvpi_grid_below(&m->grid, axis, x);
            const double hi = bvpi_grid_above(&m->grid, axis, x);
            below = lo < below ? lo : below;
            above = hi > above ? hi : above;
        }
        ck_assert_double_eq(-item->minus_lo[axis], below);
        ck_assert_double_eq(item->hi[axis], above);
    }
    ck_assert_uint_eq(item->zero, 0);
}

START_TEST(test_boxes)
{
    static case_mesh_of m;
    uint64_t degenerate_count, expected = 0;
    make_mesh(&m);
    bvpi_item *items = bvpi_items_make(&m.mesh, &m.grid, 2, &degenerate_count);
    for (uint32_t i = 0; i < COUNT; i++) {
        ck_assert_uint_eq(items[i].id, i);
        check_item(&m, &items[i]);
        expected += bvpi_is_degenerate(corner(&m, i, 0), corner(&m, i, 1), corner(&m, i, 2));
    }
    ck_assert_uint_gt(expected, 0);
    ck_assert_uint_eq(degenerate_count, expected);
    free(items);
    free((float *)m.mesh.positions);
}
END_TEST

/* A tree of three planes, where it sends items, and their bounds there; and gathered items. */
START_TEST(test_kernels_agree)
{
    static case_mesh_of m;
    static const bvpi_plane planes[5] = {{.at = 4e6f, .axis = 0, .left = 1},
                                         {.at = 5e6f, .axis = 2, .left = 3},
                                         {.batch = 2},
                                         {.batch = 0},
                                         {.batch = 1}};
    const bvpi_items_kernel *kernels[2] = {&bvpi_items_kernel_base,
                                           BVPI_ISA_CHOOSE(bvpi_items_kernel, bvpi_isa_of_cpu())};
    bvpi_item *items[2];
    make_mesh(&m);
    for (int k = 0; k < 2; k++) {
        static uint32_t batch_of[COUNT];
        const bvpi_f32x4 none = {-1e9f, -1e9f, -1e9f, -1e9f};
        bvpi_batch_box boxes[3] = {{none, none}, {none, none}, {none, none}}, expected[3];
        uint32_t counts[3] = {0};
        static uint32_t reversed[COUNT];
        memcpy(expected, boxes, sizeof expected);
        items[k] = bvpi_allocate(COUNT, sizeof **items);
        kernels[k]->classify(&m.mesh, &m.grid, planes, 0, COUNT, batch_of, counts, boxes);
        ck_assert(counts[0] > 0 && counts[1] > 0 && counts[2] > 0);
        ck_assert_uint_eq(counts[0] + counts[1] + counts[2], COUNT);
        for (uint32_t i = 0; i < COUNT; i++)
            reversed[i] = COUNT - 1 - i;
        kernels[k]->gather(&m.mesh, &m.grid, reversed, COUNT, items[k]);
        for (uint32_t i = 0; i < COUNT; i++) {
            const bvpi_item *item = &items[k][i];
            bvpi_batch_box *box = &expected[batch_of[item->id]];
            const bool right = item->hi[0] - item->minus_lo[0] > planes[0].at;
            const bool behind = item->hi[2] - item->minus_lo[2] > planes[1].at;
            check_item(&m, item);
            ck_assert_uint_eq(item->id, COUNT - 1 - i);
            ck_assert_uint_eq(batch_of[item->id], right ? 2 : behind);
            for (int axis = 0; axis < 3; axis++) {
                box->minus_lo[axis] = fmaxf(box->minus_lo[axis], item->minus_lo[axis]);
                box->hi[axis] = fmaxf(box->hi[axis], item->hi[axis]);
            }
        }
        for (int batch = 0; batch < 3; batch++)
            for (int axis = 0; axis < 3; axis++) {
                ck_assert(boxes[batch].minus_lo[axis] == expected[batch].minus_lo[axis]);
                ck_assert(boxes[batch].hi[axis] == expected[batch].hi[axis]);
            }
    }
    ck_assert_mem_eq(items[0], items[1], COUNT * sizeof **items);
    free(items[0]);
    free(items[1]);
    free((float *)m.mesh.positions);
}
END_TEST

SUITE(test_items)
{
    const TTest *const tests[] = {test_boxes, test_kernels_agree, NULL};
    return suite_run("items", tests);
}
