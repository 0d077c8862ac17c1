/* SPDX-License-Identifier: MIT
 * suite.h: runs a list of tests as one suite.
 */
#ifndef SUITE_H
#define SUITE_H

#include <check.h>

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
