/* SPDX-License-Identifier: MIT
 * test_annotate.c: every byte is explained once, in order, with the values that the file has.
 */
#include "build_case.h"
#include "repair.h"
#include "tiny_binary.h"
#include "suite.h"

#include <check.h>

typedef struct seen {
    uint64_t cursor, items, unknown, wrong;
    const char *wanted; /* a path */
    char value[300], rule[16];
    uint64_t offset;
    uint64_t stop_after;
} seen;

static int look(void *user, const bvp_annotation *a)
{
    seen *s = user;
    s->wrong += a->offset != s->cursor || a->size == 0;
    s->cursor += a->size;
    s->unknown += strcmp(a->path, "unknown") == 0;
    if (s->wanted && strcmp(a->path, s->wanted) == 0) {
        snprintf(s->value, sizeof s->value, "%s", a->value);
        snprintf(s->rule, sizeof s->rule, "%s", a->rule);
        s->offset = a->offset;
    }
    return ++s->items == s->stop_after;
}

static bvp_file *open_bytes(const uint8_t *bytes, size_t size)
{
    bvp_file *file;
    if (bvp_open_memory(bytes, size, NULL, &file, NULL) != BVP_OK)
        ck_abort_msg("the file does not open");
    return file;
}

typedef struct expectation {
    const char *path, *value, *rule;
} expectation;

static void expect_all(const uint8_t *bytes, size_t size, const expectation *expected, size_t count)
{
    bvp_file *file = open_bytes(bytes, size);
    for (size_t i = 0; i < count; i++) {
        seen s = {.wanted = expected[i].path};
        ck_assert_int_eq(bvp_annotate(file, look, &s), BVP_OK);
        ck_assert_uint_eq(s.cursor, size);
        ck_assert_uint_eq(s.unknown + s.wrong, 0);
        ck_assert_msg(s.offset > 0 && strcmp(s.value, expected[i].value) == 0, "%s is %s",
                      expected[i].path, s.value);
        ck_assert_str_eq(s.rule, expected[i].rule);
    }
    bvp_close(file);
}

START_TEST(test_values)
{
    static const expectation expected[] = {
        {"header.up_axis", "2", "HDR-13"},
        {"header.hi[2]", "1.5", "HDR-15"},
        {"header.tessellation_tolerance", "0.25", "HDR-23"},
        {"directory[0].kind", "\"PART\"", "DIR-1"},
        {"DATA.part[0].node[0].child", "2", "NOD-6"},
        {"DATA.part[0].cluster[0].corners", "2 x 8 bits: 0 1 2, 2 1 3", "CLU-7"},
        {"DATA.part[0].cluster[0].vertices", "4 x 35 bits: 0 2 0, 4 2 0, 0 4 0, 4 4 0", "CLU-8"},
        {"DATA.part[0].cluster_table[1]", "4", "CLU-1"},
        {"DATA.part[1].cluster[0].vertices", "3 x 3 bits: 8 0 0, 9 0 0, 8 1 1", "CLU-8"},
        {"TIDS.part[0].cluster[0].packed", "7 8", "IDS-4"},
        {"PART[1].origin[2]", "0.5", "PRT-4"},
        {"PART[0].name", "1 \"part\"", "STR-5"},
        {"HIER[2].part", "none", "HIE-2"},
        {"PLAC[3].m[7]", "100", "PLC-2"},
        {"TREE[0].parent", "none", "TRE-1"},
        {"LINS[1].magnitude[1]", "3", "LIN-4"},
        {"INST[2].node", "3", "INS-2"},
        {"TOPN[0].geom", "0", "TOP-2"},
        {"PROP[0].value", "5 \"\xc3\xa4\"", "STR-5"},
        {"STRS[1].text", "\"part\"", "STR-3"},
        {"trailer.file_size", "12288", "END-1"},
    };
    size_t size;
    uint8_t *bytes = tiny_make(&size);
    expect_all(bytes, size, expected, sizeof expected / sizeof *expected);
    free(bytes);
}
END_TEST

START_TEST(test_binary)
{
    static const expectation expected[] = {
        {"HIER[2].order_width", "11", "HIE-15"},
        {"BINH.part[0].boxtree.upper[0].mask", "0x00 the parent's box", "BOX-1"},
        {"BINH.part[0].boxtree.upper[0].link", "records 1 and the next", "BIN-1"},
        {"BINH.part[0].boxtree.upper[1].mask", "0x0a lo y hi x", "BOX-1"},
        {"BINH.part[0].boxtree.upper[1].offset[1]", "5", "BOX-4"},
        {"BINH.part[0].boxtree.upper[2].padding", "", "BIN-2"},
        {"BINH.part[0].boxtree.block[0].first", "256", "BIN-8"},
        {"BINH.part[0].boxtree.block[0].node[0].span", "1", "BLK-3"},
        {"BINH.part[0].aabb.upper[2].lo[0]", "8", "AAB-2"},
        {"BINH.part[0].aabb.block[0].node[2].hi[1]", "4", "AAB-2"},
        {"BINH.part[0].aabb.block[0].padding", "", "BIN-5"},
        {"BINH.part[0].aabb.order", "3 x 11 bits, cluster:triangle: 4:0 1:0 1:1", "BIN-7"},
        {"BINH.part[0].obb.upper[1].rotation", "x to 1 0 0, y to 0 1 0", "ORI-1"},
        {"BINH.part[0].obb.upper[0].size[2]", "0.96875 of the parent's reach", "ORI-2"},
        {"BINH.part[0].rss.block[1].count_minus_1", "0", "BLK-4"},
        {"BINH.part[0].rss.block[0].node[1].centre[0]", "0 of the parent's reach", "ORI-4"},
    };
    size_t size;
    uint8_t *bytes = tiny_make_binary(&size, 1);
    expect_all(bytes, size, expected, sizeof expected / sizeof *expected);
    free(bytes);
    bytes = tiny_make_binary(&size, 4);
    const expectation offset = {"BINH.part[0].boxtree.upper[2].offset[0]", "8", "BOX-4"};
    expect_all(bytes, size, &offset, 1);
    free(bytes);
}
END_TEST

START_TEST(test_stop)
{
    size_t size;
    uint8_t *bytes = tiny_make_binary(&size, 1);
    bvp_file *file = open_bytes(bytes, size);
    for (uint64_t i = 1; i < 770; i += 3) {
        seen s = {.stop_after = i};
        ck_assert_int_eq(bvp_annotate(file, look, &s), BVP_OK);
        ck_assert_uint_eq(s.items, i);
    }
    bvp_close(file);
    free(bytes);
}
END_TEST

/* Four vertices of the longest numbers that there are, and more that are left out. */
START_TEST(test_long_values)
{
    float corners[6][3][3];
    for (int i = 0; i < 54; i++)
        (&corners[0][0][0])[i] = -1.22464685e-16f * (1 + (float)i * 0x1p-20f);
    const bvp_mesh mesh = case_mesh(&corners[0][0][0], 6);
    case_file file = case_build(&mesh, NULL);
    seen s = {.wanted = "DATA.part[0].cluster[0].vertices"};
    int commas = 0;
    ck_assert_int_eq(bvp_annotate(file.file, look, &s), BVP_OK);
    ck_assert_uint_eq(s.cursor, file.size);
    for (const char *at = s.value; *at; at++)
        commas += *at == ',';
    ck_assert_int_eq(commas, 3);
    ck_assert_uint_gt(strlen(s.value), 12 * strlen("-1.22464685e-16"));
    ck_assert_str_eq(s.value + strlen(s.value) - 4, " ...");
    case_close(&file);
}
END_TEST

/* Damage leaves bytes unknown, never unmentioned. */
START_TEST(test_damage)
{
    size_t size;
    const uint8_t values[] = {1, 0x7f, 0xff};
    uint64_t failures = 0;
    uint8_t *bytes = tiny_make_binary(&size, 1);
    for (size_t at = BVPD_HEADER_SIZE; at < size; at += at < 13000 ? 3 : 97) {
        const uint8_t before = bytes[at];
        for (size_t i = 0; i < sizeof values; i++) {
            bytes[at] = values[i];
            bvp_file *file = open_bytes(bytes, size);
            seen s = {.cursor = 0};
            bvp_status status = bvp_annotate(file, look, &s);
            failures += s.cursor != size || s.wrong > 0 || (status == BVP_OK) != (s.unknown == 0);
            bvp_close(file);
        }
        bytes[at] = before;
    }
    ck_assert_uint_eq(failures, 0);
    free(bytes);
}
END_TEST

SUITE(test_annotate)
{
    const TTest *const list[] = {test_values, test_binary, test_long_values,
                                 test_stop,   test_damage, NULL};
    return suite_run("annotate", list);
}
