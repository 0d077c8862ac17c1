/* SPDX-License-Identifier: MIT
 * test_message.c: names that are safe on a terminal, numbers for people, exit codes of statuses.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "text/message.h"
#include "suite.h"

static void check_name(const char *name, size_t size, const char *expected)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    print_name(out, name, size);
    fclose(out);
    ck_assert_str_eq(text, expected);
    free(text);
}
#define CHECK_NAME(name, expected) check_name(name, sizeof(name) - 1, expected)

START_TEST(names)
{
    CHECK_NAME("plain \xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa9",
               "plain \xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa9");
    CHECK_NAME("\x1b[31m", "\\x1b[31m");
    CHECK_NAME("\xc2\x9b"
               "31m",
               "\\xc2\\x9b31m"); /* U+009B starts a command too */
    CHECK_NAME("\xc2\xa0", "\xc2\xa0");
    CHECK_NAME("a\0b\n\x7f", "a\\x00b\\x0a\\x7f");
    CHECK_NAME("\xff\xe2\x82", "\\xff\\xe2\\x82");
    CHECK_NAME("", "");
}
END_TEST

START_TEST(sequences)
{
    ck_assert_uint_eq(utf8_length("\xe2\x82\xac", 3), 3);
    ck_assert_uint_eq(utf8_length("\xe2\x82\xac", 2), 0);
    ck_assert_uint_eq(utf8_length("\xc0\x80", 2), 0);         /* overlong */
    ck_assert_uint_eq(utf8_length("\xe0\x80\x80", 3), 0);     /* overlong */
    ck_assert_uint_eq(utf8_length("\xed\xa0\x80", 3), 0);     /* surrogate */
    ck_assert_uint_eq(utf8_length("\xf4\x90\x80\x80", 4), 0); /* above U+10FFFF */
    ck_assert_uint_eq(utf8_length("\x80", 1), 0);
    ck_assert_uint_eq(utf8_length("", 0), 0);
}
END_TEST

START_TEST(groups)
{
    char buffer[32];
    char words[64];
    ck_assert_str_eq(counted(0, "part", words), "0 parts");
    ck_assert_str_eq(counted(1, "part", words), "1 part");
    ck_assert_str_eq(counted(1234567, "open edge", words), "1,234,567 open edges");
    ck_assert_str_eq(grouped(0, buffer), "0");
    ck_assert_str_eq(grouped(999, buffer), "999");
    ck_assert_str_eq(grouped(1000, buffer), "1,000");
    ck_assert_str_eq(grouped(1234567, buffer), "1,234,567");
    ck_assert_str_eq(grouped(UINT64_MAX, buffer), "18,446,744,073,709,551,615");
}
END_TEST

START_TEST(units)
{
    ck_assert_str_eq(unit_name(0.001), "mm");
    ck_assert_str_eq(unit_name(0), "");
    ck_assert_str_eq(unit_name(0.5), "");
    ck_assert(unit_by_name("in") == 0.0254);
    ck_assert(unit_by_name("inch") == 0);
}
END_TEST

/* Every status ends in a code of its kind, and every code is in the manual. */
START_TEST(codes)
{
    ck_assert_int_eq(exit_code_of(BVP_OK), EXIT_DONE);
    ck_assert_int_eq(exit_code_of(BVP_ERR_NOT_OURS), EXIT_CORRUPT);
    ck_assert_int_eq(exit_code_of(BVP_ERR_NEWER), EXIT_NEWER);
    ck_assert_int_eq(exit_code_of(BVP_ERR_CORRUPT), EXIT_CORRUPT);
    ck_assert_int_eq(exit_code_of(BVP_ERR_LIMIT), EXIT_LIMIT);
    ck_assert_int_eq(exit_code_of(BVP_ERR_NO_MEMORY), EXIT_LIMIT);
    ck_assert_int_eq(exit_code_of(BVP_ERR_SYSTEM), EXIT_INPUT);
    ck_assert_int_eq(exit_code_of(BVP_ERR_ARGUMENT), EXIT_USAGE);
    for (int code = EXIT_DONE; code <= EXIT_STOPPED; code++) {
        ck_assert_int_eq(exit_texts[code].code, code);
        ck_assert_ptr_nonnull(exit_texts[code].text);
    }
    ck_assert_ptr_null(exit_texts[EXIT_STOPPED + 1].text);
}
END_TEST

START_TEST(rounding)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "0"},
                 {1, "1"},
                 {-0.1, "-0.1"},
                 {0.25, "0.25"},
                 {700000, "700000"},
                 {123456789012345, "123456789012345"},
                 {10, "10"},
                 {9.99999999999999999, "10"},
                 {0.99999999999999989, "1"},
                 {1e-5, "0.00001"},
                 {0.000123, "0.000123"},
                 {5e-324, "4.94065645841247e-324"},
                 {1e300, "1e+300"},
                 {1e15, "1e+15"},
                 {4e6 / 3, "1333333.33333333"}};
    char buffer[32];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_str_eq(rounded(cases[i].value, buffer), cases[i].text);
}
END_TEST

/* Never off by more than the last of 15 digits; what has fewer digits comes back exactly. */
START_TEST(rounding_of_many)
{
    char buffer[32];
    srand48(20261121);
    for (int i = 0; i < 200000; i++) {
        const double value = (drand48() - 0.5) * pow(10, 24 * drand48() - 8);
        const double back = strtod(rounded(value, buffer), NULL);
        ck_assert_msg(fabs(back - value) <= 1.01e-14 * fabs(value), "%.17g as %s", value, buffer);
        ck_assert(strlen(buffer) < 32);
        const double few = floor(drand48() * 1e6) / 1e4;
        ck_assert_msg(strtod(rounded(few, buffer), NULL) == few, "%.17g as %s", few, buffer);
    }
}
END_TEST

/* Only a message that begins with the name, or says that the file cannot be opened, names it. */
START_TEST(named_files)
{
    char text[256], longest[301] = "";
    memset(longest, 'x', 300);
    const char *const names[] = {"a", "the", "plant/a b.stl", "standard input", longest};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t used = message_begin(text, sizeof text, names[i]);
        ck_assert_uint_eq(used, strlen(text));
        ck_assert_uint_lt(used, 128);
        strcpy(text + used, "3: the file is empty; export a model");
        ck_assert(message_names(text, names[i]));
        ck_assert(!message_names("the file holds a model, not its name", names[i]));
        ck_assert(message_names("cannot open a: No such file or directory", names[i]));
    }
    ck_assert(!message_names("ab: what", "a"));
}
END_TEST

static const char *advice_of(bvp_status status, const char *rule, const char *message)
{
    bvp_error error = {.status = status};
    strcpy(error.rule, rule);
    strcpy(error.message, message);
    return status_advice(status, &error);
}

/* One thing to do, whatever went wrong. */
START_TEST(advice)
{
    static const char cut[] = "the file has 5000 bytes, its header says 9000: copy it again";
    ck_assert_str_eq(advice_of(BVP_ERR_CORRUPT, "HDR-8", cut), "");
    ck_assert_str_eq(advice_of(BVP_ERR_CORRUPT, "HDR-3", "the header's hash does not match"),
                     "; copy it or pack the model again");
    ck_assert_str_eq(advice_of(BVP_ERR_CORRUPT, "HSH-2", "block 0 is damaged"),
                     "; copy it or pack the model again");
    ck_assert_str_eq(advice_of(BVP_ERR_CORRUPT, "", "the seek table is damaged"),
                     "; copy it or pack the model again");
    ck_assert_str_eq(advice_of(BVP_ERR_CORRUPT, "PRT-3", "a part has no triangles"),
                     "; \"bvpack verify\" lists what is wrong");
    ck_assert_str_eq(status_advice(BVP_ERR_CORRUPT, NULL),
                     "; \"bvpack verify\" lists what is wrong");
    ck_assert_str_eq(advice_of(BVP_ERR_CORRUPT, "DGS-2", "it is forged"), "");
    ck_assert_str_eq(advice_of(BVP_ERR_NOT_OURS, "", "no hierarchy; \"bvpack attach\" adds one"),
                     "");
    ck_assert_str_eq(advice_of(BVP_ERR_NEWER, "HDR-5", "format version 0.3: pack the model anew"),
                     "");
    ck_assert_ptr_nonnull(strstr(advice_of(BVP_ERR_NEWER, "HDR-4", "version 9.0"), "that version"));
    ck_assert_ptr_nonnull(strstr(advice_of(BVP_ERR_NOT_OURS, "HDR-1", "no"), "pack the model"));
    ck_assert_str_eq(advice_of(BVP_ERR_SYSTEM, "", "no such file"), "");
}
END_TEST

SUITE(test_message)
{
    const TTest *const list[] = {names,    sequences,        groups,      units,  codes,
                                 rounding, rounding_of_many, named_files, advice, NULL};
    return suite_run("message", list);
}
