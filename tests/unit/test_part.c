/* SPDX-License-Identifier: MIT
 * test_part.c: parts so large that clusters need a coarser alignment, and too large ones. A node
 * reaches 2^24 alignments in the library; here it reaches 700, so that small parts are large.
 */
#define RECORDS_ADDRESSABLE 700
#include "pack/file/part_bytes.c"

#include "format/record.h"

#include "build_case.h"
#include "suite.h"

/* The larger the part, the coarser its alignment, up to 4 KiB. Blobs of different alignments follow
 * one another. */
START_TEST(test_alignments)
{
    static const uint32_t counts[] = {1000, 4000, 9000, 20000, 40000};
    uint64_t state = case_seed();
    uint8_t last = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        float *soup = case_soup(&state, counts[i], 100, 2);
        const bvp_mesh mesh = case_mesh(soup, counts[i]);
        bvp_builder *builder;
        uint32_t part;
        ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
        bvp_mesh second = case_mesh(soup + 9, 200);
        ck_assert_int_eq(bvp_builder_add_part(builder, &second, &part, NULL), BVP_OK);
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
        second.triangle_count = counts[i] - 1;
        second.vertex_count = 3 * (uint64_t)counts[i] - 3;
        ck_assert_int_eq(bvp_builder_add_part(builder, &second, &part, NULL), BVP_OK);
        case_file file = case_finish(builder);
        case_check_triangles(&file, soup, NULL, counts[i]);
        bvpi_part view;
        ck_assert_int_eq(bvpi_get_part(file.file, 0, &view), BVP_OK);
        ck_assert_uint_ge(view.cluster_shift, last);
        last = view.cluster_shift;
        case_close(&file);
        free(soup);
    }
    ck_assert_uint_ge(last, 11);
}
END_TEST

START_TEST(test_too_large)
{
    enum { COUNT = 250000 };
    uint64_t state = case_seed();
    float *soup = case_soup(&state, COUNT, 100, 2);
    const bvp_mesh mesh = case_mesh(soup, COUNT);
    bvp_builder *builder;
    bvp_error error;
    uint32_t part;
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, &error), BVP_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "split"));
    const bvp_mesh small = case_mesh(soup, 100); /* the builder goes on */
    ck_assert_int_eq(bvp_builder_add_part(builder, &small, &part, &error), BVP_OK);
    ck_assert_uint_eq(part, 0);
    case_file file = case_finish(builder);
    case_check_triangles(&file, soup, NULL, 100);
    case_close(&file);
    free(soup);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {test_alignments, test_too_large, NULL};
    return suite_run("part", tests);
}
