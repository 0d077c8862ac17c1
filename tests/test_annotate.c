/* SPDX-License-Identifier: MIT
 * test_annotate.c: every byte is explained once, in order, with the values that the file has.
 */
#include "repair.h"
#include "tiny_file.h"

#include <check.h>

typedef struct seen {
    uint64_t cursor, items, unknown, wrong;
    const char *wanted; /* a path */
    char value[200], rule[16];
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

START_TEST(test_values)
{
    static const struct {
        const char *path, *value, *rule;
    } expected[] = {
        {"header.up_axis", "2", "HDR-13"},
        {"header.hi[2]", "1.5", "HDR-15"},
        {"directory[2].kind", "\"PART\"", "DIR-1"},
        {"DATA.part[0].node[0].child", "3", "NOD-6"},
        {"DATA.part[0].cluster[0].triangle[1]", "2 1 3", "CLU-7"},
        {"DATA.part[0].cluster[0].y", "4 x 25 bits ORDERED: 2 2 4 4", "CLU-8"},
        {"DATA.part[0].cluster_table[1]", "5", "CLU-1"},
        {"DATA.part[1].cluster[0].x", "3 x 1 bits GRID: 8 9 8", "CLU-8"},
        {"TIDS.part[0].cluster[0].packed", "7 8", "IDS-4"},
        {"PART[1].origin[2]", "0.5", "PRT-4"},
        {"PART[0].name", "1 \"part\"", "STR-5"},
        {"HIER[2].part", "none", "HIE-2"},
        {"PLAC[3].m[7]", "100", "PLC-2"},
        {"TREE[0].parent", "none", "TRE-1"},
        {"INST[2].node", "3", "INS-2"},
        {"TOPN[0].geom", "0", "TOP-2"},
        {"PROP[0].value", "5 \"\xc3\xa4\"", "STR-5"},
        {"STRS[1].text", "\"part\"", "STR-3"},
        {"trailer.file_size", "16384", "END-1"},
    };
    size_t size;
    uint8_t *bytes = tiny_make(&size);
    bvp_file *file = open_bytes(bytes, size);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        seen s = {.wanted = expected[i].path};
        ck_assert_int_eq(bvp_annotate(file, look, &s), BVP_OK);
        ck_assert_uint_eq(s.cursor, size);
        ck_assert_uint_eq(s.unknown + s.wrong, 0);
        ck_assert_msg(s.offset > 0 && strcmp(s.value, expected[i].value) == 0, "%s is %s",
                      expected[i].path, s.value);
        ck_assert_str_eq(s.rule, expected[i].rule);
    }
    bvp_close(file);
    free(bytes);
}
END_TEST

START_TEST(test_stop)
{
    size_t size;
    uint8_t *bytes = tiny_make(&size);
    bvp_file *file = open_bytes(bytes, size);
    for (uint64_t i = 1; i < 300; i += 7) {
        seen s = {.stop_after = i};
        ck_assert_int_eq(bvp_annotate(file, look, &s), BVP_OK);
        ck_assert_uint_eq(s.items, i);
    }
    bvp_close(file);
    free(bytes);
}
END_TEST

/* Damage leaves bytes unknown, never unmentioned. */
START_TEST(test_damage)
{
    size_t size;
    const uint8_t values[] = {1, 0x7f, 0xff};
    uint64_t failures = 0;
    uint8_t *bytes = tiny_make(&size);
    for (size_t at = BVPD_HEADER_SIZE; at < size; at += at < 11000 ? 7 : 97) {
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

int main(void)
{
    Suite *suite = suite_create("annotate");
    TCase *tests = tcase_create("bytes");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, test_values);
    tcase_add_test(tests, test_stop);
    tcase_add_test(tests, test_damage);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
