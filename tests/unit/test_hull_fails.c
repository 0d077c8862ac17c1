/* SPDX-License-Identifier: MIT
 * test_hull_fails.c: where qhull fails, axes come from the triangles alone, and hierarchies of
 * oriented volumes are as sound as ever; for want of memory packing fails. The linker puts the test
 * between hull_axes.c and qhull.
 */
#include "kinds/pack/hull_axes.h"
#include "build_case.h"
#include "bvpack_build.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>

enum { OTHER_REASON = 5, NO_MEMORY = 4 }; /* qh_ERRqhull, qh_ERRmem */
static int reason;                        /* 0: it does not fail */
static uint32_t call_count;

int __real_qh_new_qhull(void *qh, int dim, int count, double *points, unsigned is_malloc,
                        char *command, FILE *out, FILE *err);
int __wrap_qh_new_qhull(void *qh, int dim, int count, double *points, unsigned is_malloc,
                        char *command, FILE *out, FILE *err);

/* Its work is done, so that what is freed afterwards is there. */
int __wrap_qh_new_qhull(void *qh, int dim, int count, double *points, unsigned is_malloc,
                        char *command, FILE *out, FILE *err)
{
    const int status = __real_qh_new_qhull(qh, dim, count, points, is_malloc, command, out, err);
    call_count++;
    return reason != 0 ? reason : status;
}

START_TEST(own_axes_are_left)
{
    double points[8][3];
    bvpi_fit_box boxes[2][BVPI_FIT_BOXES];
    bvpi_fit_surface surface = {0};
    for (int i = 0; i < 8; i++) {
        points[i][0] = 3 * (i & 1);
        points[i][1] = 2 * (i >> 1 & 1) + 0.1 * (i & 1);
        points[i][2] = i >> 2 & 1;
    }
    for (int i = 2; i < 8; i++)
        bvpi_fit_add(&surface, points[i - 2], points[i - 1], points[i]);
    for (int i = 0; i < 2; i++) {
        reason = i == 1 ? OTHER_REASON : 0;
        ck_assert_uint_eq(bvpi_fit_boxes((const double(*)[3])points, 8, &surface, true, boxes[i]),
                          i ? 2 : 4);
    }
    ck_assert_mem_eq(boxes[0], boxes[1], 2 * sizeof boxes[0][0]);
}
END_TEST

enum { COUNT = 600 };

static void build_and_verify(const bvp_mesh *mesh, bvp_fit fit)
{
    const bvp_hierarchy_spec kinds[] = {{.kind = BVP_KIND_OBB, .leaf_size = 1, .fit = fit},
                                        {.kind = BVP_KIND_RSS, .leaf_size = 4, .fit = fit}};
    const bvp_build_options options = {
        .hierarchies = kinds, .hierarchy_count = 2, .thread_count = 1};
    bvp_builder *builder;
    bvp_file *file;
    bvp_error error = {0};
    uint32_t part;
    FILE *out = tmpfile();
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, mesh, &part, &error), BVP_OK);
    ck_assert_int_eq(bvp_builder_finish_fd(builder, fileno(out), NULL, &error), BVP_OK);
    bvp_builder_free(builder);
    ck_assert_int_eq(bvp_open_fd(fileno(out), NULL, &file, NULL), BVP_OK);
    ck_assert_msg(bvp_verify_file(file, NULL, NULL, &error) == BVP_OK, "%s", error.message);
    bvp_close(file);
    fclose(out);
}

START_TEST(hierarchies_are_sound)
{
    static float positions[9 * COUNT];
    uint64_t state = case_seed();
    const bvp_mesh mesh = case_random_soup(&state, positions, COUNT);
    reason = OTHER_REASON;
    call_count = 0;
    build_and_verify(&mesh, BVP_FIT_EXTREMES);
    ck_assert_uint_gt(call_count, 0);
    const uint32_t before = call_count;
    build_and_verify(&mesh, BVP_FIT_HULL);
    ck_assert_uint_gt(call_count, before + COUNT / 2); /* at every node, and there are more */
    call_count = 0;
    build_and_verify(&mesh, BVP_FIT_SURFACE);
    ck_assert_uint_eq(call_count, 0);
}
END_TEST

/* Another run may have the memory, and would make another file. */
START_TEST(missing_memory_is_told)
{
    static float positions[9 * COUNT];
    static const bvp_kind kinds[] = {BVP_KIND_OBB, BVP_KIND_RSS};
    uint64_t state = case_seed();
    const bvp_mesh mesh = case_random_soup(&state, positions, COUNT);
    for (uint32_t i = 0; i < 8; i++) {
        const bvp_hierarchy_spec spec = {.kind = kinds[i % 2],
                                         .fit = i < 4 ? BVP_FIT_DEFAULT : BVP_FIT_HULL};
        const bvp_build_options options = {
            .hierarchies = &spec, .hierarchy_count = 1, .thread_count = 1 + i / 2 % 2};
        bvp_builder *builder;
        bvp_error error = {0};
        uint32_t part;
        reason = NO_MEMORY;
        ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, &error), BVP_ERR_NO_MEMORY);
        reason = 0;
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, &error), BVP_OK);
        bvp_builder_free(builder);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {own_axes_are_left, hierarchies_are_sound, missing_memory_is_told,
                                  NULL};
    return suite_run("hull fails", tests);
}
