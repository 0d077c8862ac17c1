/* SPDX-License-Identifier: MIT
 * test_stamp.c: whatever is done to a file gives it another stamp, and one that was changed a
 * moment ago is not relied on.
 */
#include "files/stamp.h"
#include "suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 20 }; /* more than that of any local file system */

static void wait_a_tick(void)
{
    nanosleep(&(struct timespec){.tv_nsec = TICK_MS * 1000000}, NULL);
}

static void write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    ck_assert_int_eq(fclose(out), 0);
}

static void make_path(char path[32], int fd)
{
    ck_assert_int_ge(fd, 0);
    close(fd);
    write_file(path, "one");
}

START_TEST(a_change_of_equal_size_and_time_is_seen)
{
    char path[32] = "stamp_test.XXXXXX";
    stamp before, after;
    struct stat info;
    make_path(path, mkstemp(path));
    ck_assert_int_eq(stamp_take(path, &before), 0);
    ck_assert_int_eq(stamp_take(path, &after), 0);
    ck_assert(stamp_is_equal(&before, &after));
    ck_assert_int_eq(stat(path, &info), 0);
    wait_a_tick();
    write_file(path, "two");
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, info.st_mtim};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    ck_assert_int_eq(stamp_take(path, &after), 0);
    ck_assert_uint_eq(after.modified, before.modified);
    ck_assert_uint_eq(after.size, before.size);
    ck_assert(!stamp_is_equal(&before, &after));
    unlink(path);
}
END_TEST

START_TEST(a_file_that_takes_its_place_is_seen)
{
    char path[32] = "stamp_test.XXXXXX", other[32] = "stamp_test.XXXXXX";
    stamp before, after;
    make_path(path, mkstemp(path));
    make_path(other, mkstemp(other));
    ck_assert_int_eq(stamp_take(path, &before), 0);
    ck_assert_int_eq(rename(other, path), 0);
    ck_assert_int_eq(stamp_take(path, &after), 0);
    ck_assert_uint_ne(before.inode, after.inode);
    unlink(path);
}
END_TEST

START_TEST(what_changed_just_now_is_not_settled)
{
    char path[32] = "stamp_test.XXXXXX";
    stamp s;
    make_path(path, mkstemp(path));
    ck_assert_int_eq(stamp_take(path, &s), 0);
    ck_assert(!stamp_is_settled(&s));
    s.changed -= UINT64_C(2100000000);
    ck_assert(stamp_is_settled(&s));
    s.changed += UINT64_C(3600000000000); /* its server's clock is fast */
    ck_assert(!stamp_is_settled(&s));
    unlink(path);
}
END_TEST

START_TEST(only_files_have_stamps)
{
    const stamp zeros = {0};
    stamp s = {1, 1, 1, 1};
    ck_assert_int_eq(stamp_take(".", &s), -1);
    ck_assert(stamp_is_equal(&s, &zeros));
    ck_assert_int_eq(stamp_take("no such file", &s), -1);
    ck_assert_int_eq(stamp_take("/dev/null", &s), -1);
}
END_TEST

SUITE(test_stamp)
{
    const TTest *const tests[] = {
        a_change_of_equal_size_and_time_is_seen, a_file_that_takes_its_place_is_seen,
        what_changed_just_now_is_not_settled, only_files_have_stamps, NULL};
    return suite_run("stamp", tests);
}
