/* SPDX-License-Identifier: MIT
 * test_far_files.c: files with several hierarchies over the instances: they have no more than they
 * need, are copied whole, and forged ones are refused. BVP_SEED.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exercise.h"
#include "far_case.h"
#include "format/record.h"
#include "repair.h"
#include "suite.h"

/* ---- files ----------------------------------------------------------------------------------- */

START_TEST(one_grid_where_one_does)
{
    static const far_case outside[] = {{"near", 2, 0, {100, -100}},
                                       {"a few hundred times as far", 1, 0, {3000}}};
    bvp_file_info info;
    for (int k = 0; k < 2; k++) {
        case_file file = far_file(case_seed(), NEAR, &outside[k], false);
        bvp_get_info(file.file, &info);
        ck_assert_uint_eq(info.instance_hierarchy_count, 1);
        ck_assert_uint_eq(file.file->header.feature_incompatible & BVPD_FEATURE_TOPS, 0);
        case_close(&file);
    }
    case_file few = far_file(case_seed(), 7, &far_cases[2], false);
    bvp_get_info(few.file, &info);
    ck_assert_uint_eq(info.instance_hierarchy_count, 1); /* a node holds eight */
    case_close(&few);
}
END_TEST

static int count_box(void *user, const bvp_box *box)
{
    *(uint64_t *)user += box->leaf_count;
    return 0;
}

START_TEST(files_are_copied_and_shown_whole)
{
    case_file file = far_file(case_seed(), NEAR, &far_cases[4], false);
    FILE *copy = tmpfile();
    bvp_file *again;
    uint64_t shown = 0;
    bvp_error error = {0};
    ck_assert_ptr_nonnull(copy);
    ck_assert_int_eq(bvp_boxes(file.file, BVP_ASSEMBLY, UINT32_MAX, count_box, &shown), BVP_OK);
    ck_assert_uint_eq(shown, NEAR + far_cases[4].count);
    ck_assert_int_eq(bvp_convert_fd(file.file, 0, NULL, fileno(copy), &error), BVP_OK);
    const off_t size = lseek(fileno(copy), 0, SEEK_END);
    ck_assert_int_eq(size, (off_t)file.size);
    void *bytes = aligned_alloc(4096, file.size);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_int_eq(pread(fileno(copy), bytes, file.size, 0), size);
    ck_assert_int_eq(memcmp(bytes, file.bytes, file.size), 0);
    ck_assert_int_eq(bvp_open_memory(bytes, file.size, NULL, &again, &error), BVP_OK);
    bvp_close(again);
    free(bytes);
    fclose(copy);
    case_close(&file);
}
END_TEST

/* ---- hostile files --------------------------------------------------------------------------- */

typedef struct forgery {
    case_file good;
    uint8_t *bytes;
    bvpd_header *header;
    bvpd_hierarchy *tops;
    uint32_t top_count;
} forgery;

static void reset(forgery *f)
{
    memcpy(f->bytes, f->good.bytes, f->good.size);
    f->header = (bvpd_header *)f->bytes;
    f->top_count = bvpi_top_count(f->good.file);
    const bvpd_section *records = &f->header->sections[bvpi_find_section(f->header, BVPD_HIER)];
    f->tops = (bvpd_hierarchy *)(f->bytes + records->offset) + f->header->top_hierarchy;
}

static int find_rule(void *user, const bvp_finding *finding)
{
    const char **wanted = user;
    if (*wanted && strcmp(finding->rule, *wanted) == 0)
        *wanted = NULL;
    return 0;
}

/* The rule is among those that verify names; queries end. */
static void check_refused(forgery *f, const char *rule)
{
    const char *wanted = rule;
    bvp_file *file;
    repair_file(f->bytes, f->good.size);
    ck_assert_int_ne(bvp_verify(f->bytes, f->good.size, find_rule, &wanted, NULL), BVP_OK);
    ck_assert_msg(wanted == NULL, "verify does not name %s", rule);
    if (bvp_open_memory(f->bytes, f->good.size, NULL, &file, NULL) == BVP_OK) {
        exercise(file);
        exercise_annotations(file);
        bvp_close(file);
    }
    reset(f);
}

static void swap_tops(forgery *f, uint32_t a, uint32_t b)
{
    const bvpd_hierarchy kept = f->tops[a];
    f->tops[a] = f->tops[b];
    f->tops[b] = kept;
}

START_TEST(forged_hierarchies_are_refused)
{
    forgery f = {.good = far_file(case_seed(), 60, &far_cases[4], false)};
    f.bytes = aligned_alloc(4096, f.good.size);
    ck_assert_ptr_nonnull(f.bytes);
    reset(&f);
    ck_assert_uint_eq(f.top_count, 6);
    f.header->feature_incompatible = 0;
    check_refused(&f, "TOP-1");
    f.header->feature_incompatible = 66;
    check_refused(&f, "HDR-6");
    f.header->top_hierarchy++;
    check_refused(&f, "TOP-1");
    f.header->top_hierarchy--;
    check_refused(&f, "TOP-1");
    f.header->top_hierarchy += f.top_count;
    check_refused(&f, "HDR-16");
    for (uint32_t k = 0; k < f.top_count; k++) {
        f.tops[k].part = 0;
        check_refused(&f, "HIE-2");
        f.tops[k].data_off += 64;
        check_refused(&f, "HIE-3");
        f.tops[k].data_off += 1;
        check_refused(&f, "HIE-3");
        f.tops[k].data_off = UINT64_MAX - 63;
        check_refused(&f, "HIE-3");
        f.tops[k].data_size = UINT64_MAX - 63;
        check_refused(&f, "HIE-3");
        f.tops[k].data_size += 64;
        check_refused(&f, "HIE-3");
        f.tops[k].node_count = UINT32_MAX;
        check_refused(&f, "HIE-3");
        f.tops[k].kind = 0;
        check_refused(&f, "HIE-1");
        f.tops[k].root = 1;
        check_refused(&f, "HIE-4");
        f.tops[k].leaf_count++;
        check_refused(&f, "HIE-6");
    }
    f.tops[1] = f.tops[0]; /* two over the same nodes */
    check_refused(&f, "HIE-3");
    for (uint32_t k = 1; k < f.top_count; k++)
        f.tops[k] = f.tops[0];
    check_refused(&f, "HIE-3");
    swap_tops(&f, 0, 2);
    check_refused(&f, "HIE-3");
    free(f.bytes);
    case_close(&f.good);
}
END_TEST

/* Leaves of the second hierarchy and on hold one instance each: they take others'. */
START_TEST(forged_leaves_are_refused)
{
    forgery f = {.good = far_file(case_seed(), 60, &far_cases[4], false)};
    f.bytes = aligned_alloc(4096, f.good.size);
    ck_assert_ptr_nonnull(f.bytes);
    reset(&f);
    const bvpd_section *nodes = &f.header->sections[bvpi_find_section(f.header, BVPD_TOPN)];
    for (uint32_t k = 1; k < f.top_count; k++) {
        bvpd_node *node = (bvpd_node *)(f.bytes + nodes->offset + f.tops[k].data_off);
        const uint32_t own = node->geom;
        node->geom = 3;
        check_refused(&f, "TOP-2");
        node->geom = UINT32_MAX;
        check_refused(&f, "TOP-2");
        if (k + 1 == f.top_count)
            break;
        bvpd_node *next = (bvpd_node *)(f.bytes + nodes->offset + f.tops[k + 1].data_off);
        node->geom = next->geom;
        next->geom = own;
        check_refused(&f, "TOP-4");
    }
    free(f.bytes);
    case_close(&f.good);
}
END_TEST

SUITE(test_far_files)
{
    TCase *all = tcase_create("far files");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, one_grid_where_one_does);
    tcase_add_test(all, files_are_copied_and_shown_whole);
    tcase_add_test(all, forged_hierarchies_are_refused);
    tcase_add_test(all, forged_leaves_are_refused);
    return suite_run_case("far files", all);
}
