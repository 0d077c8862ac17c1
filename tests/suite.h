/* SPDX-License-Identifier: MIT
 * suite.h: runs a list of tests as one suite.
 */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>

enum { SUITE_TIMEOUT = 60 /* seconds a test */ };

/* tests ends with NULL. Returns main's exit status. */
static inline int suite_run(const char *name, const TTest *const *tests)
{
    Suite *suite = suite_create(name);
    TCase *cases = tcase_create(name);
    tcase_set_timeout(cases, SUITE_TIMEOUT);
    for (; *tests; tests++)
        tcase_add_test(cases, *tests);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#endif
