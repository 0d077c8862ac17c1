/* SPDX-License-Identifier: MIT
 * test_options.c: command lines read by a table, and the nearest word.
 */
#include <check.h>
#include <string.h>
#include "text/message.h"
#include "cli/options.h"
#include "suite.h"

typedef struct settings {
    int loud;
    const char *name, *axis;
    uint64_t count;
    double size;
    option_list folders;
} settings;

static const option_row rows[] = {
    {"loud", 'l', OPTION_FLAG, offsetof(settings, loud), NULL, "be loud", 0, 0},
    {"name", 'n', OPTION_TEXT, offsetof(settings, name), "NAME", "its name", 0, 0},
    {"axis", 0, OPTION_CHOICE, offsetof(settings, axis), "x|yy|z", "its axis", 0, 0},
    {"count", 'c', OPTION_COUNT, offsetof(settings, count), "N", "how many", 1, 8},
    {"size", 0, OPTION_NUMBER, offsetof(settings, size), "S", "how large", 0, 0},
    {"folder", 'f', OPTION_FILES, offsetof(settings, folders), "DIR", "where", 0, 0},
    {0},
};

static const verb self = {.name = "test", .options = rows};

/* Parses words (NULL-terminated, after the verb); *code is -2 when the parser did not end the run.
 */
static int parse(settings *set, int *code, char **argv)
{
    int argc = 0;
    while (argv[argc])
        argc++;
    memset(set, 0, sizeof *set);
    *code = -2;
    return options_parse(&self, argc, argv, set, code);
}
#define PARSE(...) parse(&set, &code, (char *[]){"test", __VA_ARGS__, NULL})

START_TEST(every_kind)
{
    settings set;
    int code;
    ck_assert_int_eq(PARSE("-l", "--name=a b", "--axis", "yy", "-c3", "--size", "-1.5e3", "file"),
                     8);
    ck_assert(set.loud == 1 && set.count == 3 && set.size == -1500);
    ck_assert_str_eq(set.name, "a b");
    ck_assert_str_eq(set.axis, "yy");
    ck_assert_int_eq(code, -2);
}
END_TEST

START_TEST(several_times)
{
    settings set;
    int code;
    char *argv[2 + OPTION_LIST_MAX + 1] = {"test"};
    ck_assert_int_eq(PARSE("-fa", "x", "--folder", "b", "--folder=c"), 5);
    ck_assert_int_eq(set.folders.count, 3);
    ck_assert_str_eq(set.folders.items[0], "a");
    ck_assert_str_eq(set.folders.items[2], "c");
    for (int i = 0; i < OPTION_LIST_MAX + 1; i++)
        argv[1 + i] = "-fa";
    ck_assert(parse(&set, &code, argv) == -1 && code == EXIT_USAGE);
    argv[OPTION_LIST_MAX + 1] = NULL;
    ck_assert(parse(&set, &code, argv) == OPTION_LIST_MAX + 1);
}
END_TEST

START_TEST(operands_anywhere)
{
    settings set;
    int code;
    char *argv[] = {"test", "one", "-l", "-", "--name", "-x", "--", "-n", NULL};
    int first = parse(&set, &code, argv);
    ck_assert_int_eq(first, 5);
    ck_assert_str_eq(argv[5], "one");
    ck_assert_str_eq(argv[6], "-");
    ck_assert_str_eq(argv[7], "-n");
    ck_assert_str_eq(set.name, "-x");
    ck_assert_int_eq(set.loud, 1);
}
END_TEST

START_TEST(refusals)
{
    settings set;
    int code;
    ck_assert(PARSE("--lout") == -1 && code == EXIT_USAGE);
    ck_assert(PARSE("-z") == -1 && code == EXIT_USAGE);
    ck_assert(PARSE("--name") == -1 && code == EXIT_USAGE);
    ck_assert(PARSE("-n") == -1 && code == EXIT_USAGE);
    ck_assert(PARSE("--loud=1") == -1 && code == EXIT_USAGE);
    ck_assert(PARSE("--axis", "y") == -1 && code == EXIT_USAGE);
    ck_assert(PARSE("--axis", "x|yy") == -1 && code == EXIT_USAGE);
    ck_assert(PARSE("--axis", "") == -1 && code == EXIT_USAGE);
    ck_assert(PARSE("--count", "0") == -1 && code == EXIT_USAGE);
    ck_assert(PARSE("--count", "9") == -1 && code == EXIT_USAGE);
    ck_assert(PARSE("--count", "-1") == -1 && code == EXIT_USAGE);
    ck_assert(PARSE("--count", "3x") == -1 && code == EXIT_USAGE);
    ck_assert(PARSE("--count", "99999999999999999999") == -1 && code == EXIT_USAGE);
    ck_assert(PARSE("--size", "nan") == -1 && code == EXIT_USAGE);
    ck_assert(PARSE("--size", "1m") == -1 && code == EXIT_USAGE);
}
END_TEST

START_TEST(abbreviations)
{
    settings set;
    int code;
    ck_assert(PARSE("--lo") == 2 && set.loud == 1);
}
END_TEST

START_TEST(nearest)
{
    static const char *const words[] = {"collide", "pairs", "distance", "within", "ray", NULL};
    ck_assert_str_eq(options_nearest("colide", words), "collide");
    ck_assert_str_eq(options_nearest("dsitance", words), "distance");
    ck_assert_str_eq(options_nearest("dist", words), "distance");
    ck_assert_str_eq(options_nearest("rya", words), "ray");
    ck_assert_ptr_null(options_nearest("xyzzy", words));
    ck_assert_ptr_null(
        options_nearest("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", words));
}
END_TEST

START_TEST(counts_of_operands)
{
    ck_assert_int_eq(options_need(&self, 1, 1, 1, "one"), 0);
    ck_assert_int_eq(options_need(&self, 9, 1, -1, "some"), 0);
    ck_assert_int_eq(options_need(&self, 0, 1, -1, "some"), EXIT_USAGE);
    ck_assert_int_eq(options_need(&self, 3, 1, 2, "one or two"), EXIT_USAGE);
    settings set = {0};
    int code = -2;
    char *argv[] = {"test", "-l", "one", "two", NULL};
    ck_assert_int_eq(options_operands(&self, 4, argv, &set, 1, 2, "one or two", &code), 2);
    ck_assert(code == 0 && set.loud == 1);
    ck_assert_int_eq(options_operands(&self, 4, argv, &set, 1, 1, "one", &code), -1);
    ck_assert_int_eq(code, EXIT_USAGE);
}
END_TEST

SUITE(test_options)
{
    const TTest *const list[] = {every_kind,    several_times, operands_anywhere,  refusals,
                                 abbreviations, nearest,       counts_of_operands, NULL};
    return suite_run("options", list);
}
