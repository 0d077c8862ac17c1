/* SPDX-License-Identifier: MIT
 * windows_absent.h: which unit tests do not run on Windows, and why. Suites of which nothing can
 * run there are not compiled: POSIX_UNIT_SUITES in tests/unit/local.mk.
 */
#ifndef WINDOWS_ABSENT_H
#define WINDOWS_ABSENT_H

static const struct {
    const char *suite, *test, *reason;
} windows_absent[] = {
    {"test_clash_state", "others", "forks"},
    {"test_last_output", "a_part_that_cannot_be_looked_at_is_not_removed", "limits open files"},
    {"test_text_scan", "other_locale", "the program never leaves the locale C"},
    {"test_triangle_stream", "pipes", "names a pipe as /dev/fd/N"},
    {"test_triangle_stream", "harmed_pipes", "names a pipe as /dev/fd/N"},
    {"test_triangle_stream", "memory_is_constant", "asks the system for the memory in use"},
    {"test_write", "test_failure", "limits the size of files"},
    {"test_write", "test_replaces", "compares permissions"},
};

/* Says why and returns 1 if the test cannot run here. */
static inline int windows_lacks(const char *file, const char *test)
{
    for (size_t i = 0; i < sizeof windows_absent / sizeof *windows_absent; i++)
        if (strstr(file, windows_absent[i].suite) && strcmp(windows_absent[i].test, test) == 0) {
            printf("not on Windows: %s: %s: %s\n", windows_absent[i].suite, test,
                   windows_absent[i].reason);
            return 1;
        }
    return 0;
}

#endif
