/* SPDX-License-Identifier: MIT
 * suite.h: runs a list of tests as one suite, and makes the suites of a folder one program.
 */
#ifndef SUITE_H
#define SUITE_H

#include <check.h>

#ifdef _WIN32
#undef tcase_add_test
#define tcase_add_test(cases, test)                                                                \
    (windows_lacks((test)->file, (test)->name) ? (void)0 : _tcase_add_test(cases, test, 0, 0, 0, 1))
#endif

/* What stands for main in the file test_x.c: SUITE(test_x) { ... }. It returns main's exit status.
 * With SUITE_ALONE it is main: the file is a program of its own. */
#ifdef SUITE_ALONE
#define SUITE(name) int main(void)
#else
typedef struct suite_entry {
    const char *name;
    int (*run)(void);
    struct suite_entry *next;
} suite_entry;

void suite_register(suite_entry *entry); /* run_suites.c */

#define SUITE(name)                                                                                \
    static int name##_run(void);                                                                   \
    __attribute__((constructor)) static void name##_register(void)                                 \
    {                                                                                              \
        static suite_entry entry = {#name, name##_run, NULL};                                      \
        suite_register(&entry);                                                                    \
    }                                                                                              \
    static int name##_run(void)
#endif

enum { SUITE_TIMEOUT = 60 /* seconds a test */ };

/* Runs one test case as a suite of its name. Returns main's exit status. */
static inline int suite_run_case(const char *name, TCase *cases)
{
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

/* seconds: for each test; 0: any number. tests ends with NULL. */
static inline int suite_run_within(const char *name, double seconds, const TTest *const *tests)
{
    TCase *cases = tcase_create(name);
    tcase_set_timeout(cases, seconds);
    for (; *tests; tests++)
        tcase_add_test(cases, *tests);
    return suite_run_case(name, cases);
}

static inline int suite_run(const char *name, const TTest *const *tests)
{
    return suite_run_within(name, SUITE_TIMEOUT, tests);
}

#endif
