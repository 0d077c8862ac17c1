/* SPDX-License-Identifier: MIT
 * test_clash_rows.c: rows, their ids, groups and places; the worst of them; the baseline.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "clash/clash_baseline.h"
#include "clash_tree_case.h"
#include "report/clash_outputs.h"
#include "found/clash_filter.h"
#include "found/clash_groups.h"
#include "found/clash_kept.h"
#include "text/message.h"
#include "suite.h"
#include "cli/verb.h"

static char path[] = "/tmp/test_clash_rows.XXXXXX";

static clash_rows rows_of(const clash_case *a, const clash_case *b)
{
    static clash_run run = {.cell = 10};
    clash_rows rows;
    clash_rows_start(&rows, &run, &a->tree, &b->tree);
    return rows;
}

START_TEST(ids)
{
    clash_case c = clash_case_open(), d = clash_case_open();
    clash_rows one = rows_of(&c, &c), two = rows_of(&c, &d);
    uint8_t id[2][16];
    clash_rows_id(&one, 1, 2, id[0]);
    clash_rows_id(&one, 2, 1, id[1]);
    ck_assert_mem_eq(id[0], id[1], 16);
    clash_rows_id(&one, 1, 3, id[1]);
    ck_assert(memcmp(id[0], id[1], 16) != 0);
    clash_rows_id(&two, 1, 2, id[0]);
    clash_rows_id(&two, 2, 1, id[1]);
    ck_assert(memcmp(id[0], id[1], 16) != 0);
    clash_case_close(&c);
    clash_case_close(&d);
}
END_TEST

START_TEST(members)
{
    clash_case c = clash_case_open();
    clash_rows rows = rows_of(&c, &c);
    const uint32_t flange = clash_case_find(&c, "skid/flange");
    const uint32_t bolt = clash_case_find(&c, "skid/bolt[2]");
    const bvp_clash_pair pair = {
        .a = bolt, .b = flange, .point_a = {-1, 5, 35}, .point_b = {-1, 15, 35}};
    const clash_row *row = clash_rows_make(&rows, &pair, "r");
    ck_assert_ptr_nonnull(row);
    ck_assert_uint_eq(strlen(row->id), 32);
    ck_assert_str_eq(row->a.path, "skid/bolt[2]");
    ck_assert_str_eq(row->b.name, "flange");
    ck_assert_str_eq(row->group, "P-7 | thing");
    ck_assert_str_eq(row->place, "x-1 y1 z3");
    ck_assert_str_eq(row->rule, "r");
    ck_assert(row->b.placement[0] == 1 && row->b.instance == flange);
    clash_rows_close(&rows);
    clash_case_close(&c);
}
END_TEST

START_TEST(cells)
{
    bvp_file_info info = {.lo = {0, 0, 0}, .hi = {54, 11, 36}};
    ck_assert_double_eq(clash_default_cell(&info), 2);
    info.hi[1] = 1000;
    ck_assert_double_eq(clash_default_cell(&info), 50);
    info.hi[1] = 1e-3;
    info.hi[0] = info.hi[2] = 0;
    ck_assert_double_eq_tol(clash_default_cell(&info), 5e-5, 1e-18);
    info.hi[1] = 0;
    ck_assert_double_eq(clash_default_cell(&info), 1);
    /* down to the least double, whose power of ten is no double: a cell is never zero */
    for (double extent = 1; extent > 0; extent /= 2) {
        info.hi[1] = extent;
        const double cell = clash_default_cell(&info);
        ck_assert_msg(cell > 0 && extent / cell < 41, "a cell of %g for %g", cell, extent);
    }
}
END_TEST

/* Whatever the order in which pairs come, what is read back is in the order of their severity. */
START_TEST(severity)
{
    static const struct {
        bvp_verdict verdict;
        double depth, distance;
    } pairs[] = {{BVP_VERDICT_TOUCHING, 0.1, 0},  {BVP_VERDICT_WITHIN, 0, 3},
                 {BVP_VERDICT_PENETRATING, 1, 0}, {BVP_VERDICT_ENCLOSED, 0, 2},
                 {BVP_VERDICT_WITHIN, 0, 1},      {BVP_VERDICT_PENETRATING, 2, 0},
                 {BVP_VERDICT_DUPLICATE, 0, 0},   {BVP_VERDICT_UNKNOWN, 0, 0},
                 {BVP_VERDICT_TOUCHING, 0.1, 0},  {BVP_VERDICT_PENETRATING, NAN, 0}};
    static const uint32_t expected[] = {3, 6, 5, 2, 9, 7, 4, 1, 8, 0};
    enum { PAIRS = 10 };
    for (uint32_t first = 0; first < PAIRS; first++) {
        clash_kept k = {0};
        for (uint32_t n = 0; n < PAIRS; n++) {
            const uint32_t i = (first + n * 3) % PAIRS;
            const clash_found found = {.id = {(uint8_t)(PAIRS - i)}, .rule = (int32_t)i};
            const bvp_clash_pair pair = {.a = i,
                                         .verdict = pairs[i].verdict,
                                         .depth = pairs[i].depth,
                                         .distance = pairs[i].distance,
                                         .depth_upper = 7 * i};
            ck_assert_int_eq(clash_kept_add(&k, &found, &pair), 0);
        }
        ck_assert_int_eq(clash_kept_sort(&k), 0);
        ck_assert_uint_eq(k.count, PAIRS);
        for (uint32_t i = 0; i < PAIRS; i++) {
            bvp_clash_pair pair;
            ck_assert_int_eq(clash_kept_read(&k, &k.items[i], &pair), 0);
            ck_assert_uint_eq(pair.a, expected[i]);
            ck_assert_double_eq(pair.depth_upper, 7 * pair.a);
            ck_assert_int_eq(k.items[i].rule, (int)expected[i]);
        }
        clash_kept_close(&k);
    }
}
END_TEST

START_TEST(filters)
{
    clash_filter f = {0};
    clash_filtered counts = {0};
    const bvp_clash_pair deep = {.verdict = BVP_VERDICT_PENETRATING, .depth = 2};
    const bvp_clash_pair flat = {.verdict = BVP_VERDICT_PENETRATING, .depth = 1};
    const bvp_clash_pair contact = {.verdict = BVP_VERDICT_TOUCHING};
    const bvp_clash_pair inside = {.verdict = BVP_VERDICT_ENCLOSED};
    ck_assert(clash_filter_takes(&f, &flat, &counts) && clash_filter_takes(&f, &contact, &counts));
    f.min_depth = 2;
    ck_assert(clash_filter_takes(&f, &deep, &counts) && clash_filter_takes(&f, &inside, &counts));
    ck_assert(!clash_filter_takes(&f, &flat, &counts));
    ck_assert(!clash_filter_takes(&f, &contact, &counts));
    ck_assert(counts.by_depth == 2 && counts.by_verdict == 0);
    ck_assert_int_eq(clash_filter_verdicts(&f, "--verdicts", "touching,penetrating"), 0);
    ck_assert(clash_filter_takes(&f, &deep, &counts) && !clash_filter_takes(&f, &inside, &counts));
    ck_assert(!clash_filter_takes(&f, &contact, &counts));
    ck_assert(counts.by_depth == 3 && counts.by_verdict == 1);
    static const char *const wrong[] = {"",      "touching,", ",touching",
                                        "touch", "clear",     "touching "};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        ck_assert_int_eq(clash_filter_verdicts(&f, "--verdicts", wrong[i]), EXIT_USAGE);
}
END_TEST

START_TEST(groups)
{
    clash_groups g;
    clash_group out[3];
    ck_assert_int_eq(clash_groups_start(&g), 0);
    for (uint32_t i = 0; i < 1000; i++)
        clash_groups_count(&g, i % 10, i % 7 % 3);
    for (int i = 0; i < 9; i++)
        clash_groups_count(&g, 9, 0);
    ck_assert_uint_eq(g.count, 30);
    ck_assert_uint_eq(clash_groups_largest(&g, out, 2), 2);
    ck_assert(out[0].count >= out[1].count && out[0].part_a == 9 && out[0].part_b == 0);
    for (uint32_t i = 0; i < CLASH_GROUP_MAX; i++)
        clash_groups_count(&g, 100 + i, 7);
    ck_assert_uint_eq(g.count, CLASH_GROUP_MAX);
    ck_assert_uint_eq(g.ungrouped, 30);
    clash_groups_close(&g);
}
END_TEST

static int take_past(void *user, const clash_past *past)
{
    growing_text *list = user;
    return growing_text_add(list, past->a, strlen(past->a)) ||
           growing_text_add(list, past->verdict, strlen(past->verdict));
}

START_TEST(baseline)
{
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 4; i++)
        fprintf(file, "{\"id\": \"%032x\", \"verdict\": \"within\", \"a\": \"p%d\"%s}\n\n", 9 - i,
                i, i == 3 ? ", \"state\": \"resolved\"" : "");
    fputs("   ", file);
    fclose(file);
    clash_baseline b;
    growing_text list = {0};
    clash_met met = {BVP_VERDICT_CLEAR, 0};
    ck_assert_int_eq(clash_baseline_open(&b, path, NULL, 1), 0);
    ck_assert_int_eq(clash_baseline_meet(&b, 0, 1, (uint8_t[16]){[15] = 8}, &met), 1);
    ck_assert_int_eq(met.was, BVP_VERDICT_WITHIN);
    ck_assert_uint_eq(met.issue, BVP_NONE);
    ck_assert_int_eq(clash_baseline_meet(&b, 0, 1, (uint8_t[16]){[15] = 6}, &met), 0);
    ck_assert_int_eq(clash_baseline_meet(&b, 0, 1, (uint8_t[16]){[15] = 10}, &met), 0);
    ck_assert_int_eq(clash_baseline_rest(&b, take_past, &list), 0);
    ck_assert_str_eq(list.data, "p0withinp2within");
    growing_text_free(&list);
    clash_baseline_close(&b);
}
END_TEST

static int take_issue(void *user, const clash_past *past)
{
    char text[64];
    snprintf(text, sizeof text, "%s:%s:%d ", past->a, past->issue_title, (int)past->issue_number);
    return growing_text_add(user, text, strlen(text));
}

/* Rows of an issue come together, wherever they stand in the file. */
START_TEST(past_issues)
{
    static const int issue_of[] = {9, 3, 9, 3, 0, 7};
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 6; i++) {
        fprintf(file, "{\"id\": \"%032x\", \"verdict\": \"within\", \"a\": \"p%d\"", 9 - i, i);
        if (issue_of[i] > 0)
            fprintf(file, ", \"issue\": \"%032x\", \"issue_title\": \"t%d\"", issue_of[i],
                    issue_of[i]);
        fputs("}\n", file);
    }
    fclose(file);
    clash_baseline b;
    growing_text list = {0};
    clash_met met;
    ck_assert_int_eq(clash_baseline_open(&b, path, NULL, 1), 0);
    ck_assert_uint_eq(b.issue_count, 3);
    ck_assert(b.issues[0][15] == 3 && b.issues[1][15] == 7 && b.issues[2][15] == 9);
    ck_assert_int_eq(clash_baseline_meet(&b, 0, 1, (uint8_t[16]){[15] = 4}, &met), 1);
    ck_assert_uint_eq(met.issue, 1);
    ck_assert_int_eq(clash_baseline_rest(&b, take_issue, &list), 0);
    ck_assert_str_eq(list.data, "p0:t9:2 p2:t9:2 p1:t3:0 p3:t3:0 p4::-1 ");
    growing_text_free(&list);
    clash_baseline_hide(&b, &(clash_past){.known = 1});
    list = (growing_text){0};
    ck_assert_int_eq(clash_baseline_rest(&b, take_issue, &list), 0);
    ck_assert_str_eq(list.data, "p0:t9:2 p2:t9:2 p1:t3:0 p3:t3:0 ");
    growing_text_free(&list);
    clash_baseline_close(&b);
}
END_TEST

START_TEST(bad_baselines)
{
    static const char *const texts[] = {
        "{\"id\": \"00\", \"verdict\": \"within\"}",
        "x",
        "{\"id\": \"0123456789abcdef0123456789abcdeg\", \"verdict\": \"within\"}",
        "{\"id\": \"0123456789abcdef0123456789abcdef\", \"verdict\": \"bad\"}",
        "[]",
        "{\"id\": \"0123456789abcdef0123456789abcdef\", \"verdict\": \"within\", \"issue\": 1}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        clash_baseline b;
        FILE *file = fopen(path, "w");
        fprintf(file, "\n%s", texts[i]);
        fclose(file);
        ck_assert_int_eq(clash_baseline_open(&b, path, NULL, 1), EXIT_INPUT);
        clash_baseline_close(&b);
    }
}
END_TEST

SUITE(test_clash_rows)
{
    const TTest *const list[] = {ids,    members,  cells,       severity,      filters,
                                 groups, baseline, past_issues, bad_baselines, NULL};
    const int fd = mkstemp(path);
    if (fd < 0)
        return 99;
    close(fd);
    const int failed = suite_run("clash_rows", list);
    unlink(path);
    return failed;
}
