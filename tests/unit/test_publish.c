/* SPDX-License-Identifier: MIT
 * test_publish.c: a file has its name only when it is complete; a killed writer leaves nothing, or
 * what the next one removes, and nothing else is ever removed.
 */
#define _GNU_SOURCE
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "publish/publish.h"
#include "own_process.h"
#include "files/temporary.h"
#include "nameless.h"
#include "remove_tree.h"
#include "suite.h"

static char folder[] = "publish.XXXXXX", path[64];
#ifdef _WIN32
enum { MODE = 0666 /* there are no others */, INTERRUPTED = 3 };
#else
enum { MODE = 0640, INTERRUPTED = 128 + SIGINT };
#endif

static void enter(void)
{
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
}

/* How many entries there are; the name of one of those that are temporary, or "". */
static int entry_count(char name[256])
{
    int count = 0;
    DIR *list = opendir(folder);
    name[0] = '\0';
    for (struct dirent *entry; (entry = readdir(list));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (strncmp(entry->d_name, ".bvpack-", 8) == 0)
            strcpy(name, entry->d_name);
    }
    closedir(list);
    return count;
}

static int file_count(void)
{
    char name[256];
    return entry_count(name);
}

static void leave(void)
{
    remove_tree(folder);
}

static int content_is(const char *expected)
{
    char text[64] = "";
    const int fd = open(path, O_RDONLY);
    const ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    return got == (ssize_t)strlen(expected) && strcmp(text, expected) == 0;
}

static int begin(bvpi_publishing *p, const char *text)
{
    return bvpi_publish_open(p, path, path, 0640) != 0 ||
           write(p->fd, text, strlen(text)) != (ssize_t)strlen(text);
}

/* ---- with names and without ------------------------------------------------------------------ */

/* What runs in processes of its own: bodies[]. */
enum body {
    PUBLISHES,
    FAILS,
    STANDS_APART,
    IS_KILLED,
    SURVIVES,
    SWEEPS,
    WRITES_MANY,
    IS_INTERRUPTED,
    BODY_COUNT
};
static const apart_body bodies[BODY_COUNT];

static intptr_t start(int named, enum body body)
{
    setenv("BVP_NAMED", named ? "yes" : "no", 1);
    setenv("BVP_FOLDER", folder, 1);
    return apart_start("test_publish", bodies, body);
}

/* In such a process files without a name are refused if `named`. Nonzero: they can't be. */
static int begin_body(void)
{
    strcpy(folder, getenv("BVP_FOLDER"));
    snprintf(path, sizeof path, "%s/out", folder);
    return strcmp(getenv("BVP_NAMED"), "yes") == 0 && nameless_refuse() != 0;
}

/* Its exit status; 77: files without a name can't be refused here. */
static int run_apart(int named, enum body body)
{
    return apart_await(start(named, body));
}

static void holds(enum body body)
{
    for (int named = 0; named < 2; named++) {
        const int code = run_apart(named, body);
        ck_assert_msg(code == 0 || (named && code == 77), "line %d, named %d", code, named);
    }
}

/* Ends a body with its line. */
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return __LINE__ % 256 == 77 ? 78 : __LINE__ % 256;                                     \
    } while (0)

static int publishes(void)
{
    bvpi_publishing p;
    struct stat info;
    MUST(begin(&p, "first") == 0);
    MUST(stat(path, &info) != 0);
    MUST(file_count() == (p.temporary[0] != '\0'));
    MUST(bvpi_publish_commit(&p, path, path) == 0);
    MUST(p.fd == -1 && content_is("first") && file_count() == 1);
    MUST(stat(path, &info) == 0 && (info.st_mode & 0777) == MODE && info.st_nlink == 1);
    MUST(begin(&p, "second") == 0 && content_is("first"));
    MUST(bvpi_publish_commit(&p, path, path) == 0 && content_is("second") && file_count() == 1);
    MUST(begin(&p, "third") == 0);
    bvpi_publish_discard(&p);
    MUST(p.fd == -1 && content_is("second") && file_count() == 1);
    return unlink(path);
}

START_TEST(named_when_complete)
{
    umask(0);
    holds(PUBLISHES);
}
END_TEST

/* A folder can't be replaced: nothing is left, and errno says why. */
static int fails(void)
{
    bvpi_publishing p;
    MUST(mkdir(path, 0777) == 0 && begin(&p, "text") == 0);
    MUST(bvpi_publish_commit(&p, path, path) != 0 && errno == EISDIR);
    MUST(p.fd == -1 && file_count() == 1);
    MUST(bvpi_publish_open(&p, "/nonexistent/out", "/nonexistent/out", 0666) != 0);
    MUST(errno == ENOENT);
    return rmdir(path);
}

START_TEST(failures_leave_nothing)
{
    holds(FAILS);
}
END_TEST

/* Names stand in a folder of their own, as in a store. */
static int names_apart(void)
{
    char below[64], deep[80];
    bvpi_publishing p;
    snprintf(below, sizeof below, "%s/below", folder);
    snprintf(deep, sizeof deep, "%s/file", below);
    MUST(mkdir(below, 0777) == 0);
    for (int i = 0; i < 2; i++) {
        MUST(bvpi_publish_open(&p, deep, path, 0666) == 0);
        MUST(file_count() == 1 + (p.temporary[0] != '\0'));
        MUST(bvpi_publish_commit(&p, deep, path) == 0 && file_count() == 1);
    }
    return unlink(deep) | rmdir(below);
}

START_TEST(names_stand_apart)
{
    holds(STANDS_APART);
}
END_TEST

/* ---- what a kill leaves --------------------------------------------------------------------- */

static int kill_while_open(void)
{
    bvpi_publishing p;
    MUST(begin(&p, "half") == 0);
    return apart_kill_self();
}

START_TEST(kill_leaves_nothing_or_is_swept)
{
    for (int named = 0; named < 2; named++) {
        const int code = run_apart(named, IS_KILLED);
        if (named && code == 77)
            return;
        ck_assert_int_eq(code, 128 + SIGKILL);
        ck_assert_int_eq(file_count(), named || !HAS_NAMELESS);
        bvpi_publish_sweep(path);
        ck_assert_int_eq(file_count(), 0);
    }
}
END_TEST

static int sweeps(void)
{
    bvpi_publish_sweep(path);
    return 0;
}

/* Ctrl-C, or a signal. */
static int interrupt(void)
{
    bvpi_publishing p;
    int slot = -1;
    temporary_watch();
    MUST(bvpi_publish_open_watched(&p, path, path, 0666, temporary_redoom, &slot) == 0);
    MUST(write(p.fd, "half", 4) == 4);
    return raise(SIGINT);
}

START_TEST(an_interrupt_leaves_nothing)
{
    for (int named = 0; named < 2; named++) {
        const int code = run_apart(named, IS_INTERRUPTED);
        if (named && code == 77)
            return;
        ck_assert_int_eq(code, INTERRUPTED);
        ck_assert_int_eq(file_count(), 0);
    }
}
END_TEST

/* A file that its writer has open is not removed, whoever sweeps. */
static int survives(void)
{
    bvpi_publishing p;
    MUST(begin(&p, "alive") == 0);
    bvpi_publish_sweep(path);
    MUST(run_apart(0, SWEEPS) == 0);
    MUST(bvpi_publish_commit(&p, path, path) == 0 && content_is("alive"));
    return unlink(path);
}

START_TEST(writers_file_stays)
{
    holds(SURVIVES);
}
END_TEST

static void make_file(const char *name)
{
    char whole[400];
    snprintf(whole, sizeof whole, "%s/%s", folder, name);
    const int fd = open(whole, O_WRONLY | O_CREAT, 0666);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

/* The name of a file that was left, which is removed here. */
static int take_left_name(char name[256])
{
    const int code = run_apart(1, IS_KILLED);
    if (code == 77)
        return 77;
    ck_assert_int_eq(entry_count(name), 1);
    bvpi_publish_sweep(path);
    return 0;
}

START_TEST(only_such_names_are_swept)
{
    char name[256], other[260], whole[400];
    if (take_left_name(name) != 0)
        return;
    make_file(name);
    bvpi_publish_sweep(path);
    ck_assert_int_eq(file_count(), 0);
    int count = 0;
    /* one character changed: another start of a machine, another tag that is no number, other
       ends; digits after the dash are the tag's, which may be any */
    for (size_t i = 0; i < strlen(name); i++) {
        if (i >= 8 + 16 + 1 && i < 8 + 16 + 1 + 16)
            continue;
        strcpy(other, name);
        other[i] = other[i] == '7' ? '8' : '7';
        make_file(other);
        count++;
    }
    strcpy(other, name);
    other[30] = 'x';
    make_file(other);
    snprintf(other, sizeof other, "%s2", name);
    make_file(other);
    make_file(name + 1);
    make_file("out");
    count += 4;
    /* such a name, but no file */
    snprintf(whole, sizeof whole, "%s/%s", folder, name);
#ifndef _WIN32
    ck_assert_int_eq(mkfifo(whole, 0666), 0);
    bvpi_publish_sweep(path);
    ck_assert_int_eq(file_count(), count + 1);
    unlink(whole);
    ck_assert_int_eq(symlink("out", whole), 0);
    bvpi_publish_sweep(path);
    ck_assert_int_eq(file_count(), count + 1);
    unlink(whole);
#endif
    ck_assert_int_eq(mkdir(whole, 0777), 0);
    bvpi_publish_sweep(path);
    ck_assert_int_eq(file_count(), count + 1);
    rmdir(whole);
    /* one that may be read only; one that somebody has locked */
    make_file(name);
    ck_assert_int_eq(chmod(whole, 0400), 0);
    const int fd = open(whole, O_RDONLY);
    ck_assert_int_eq(flock(fd, LOCK_SH), 0);
    bvpi_publish_sweep(path);
    ck_assert_int_eq(file_count(), count + 1);
    close(fd);
    bvpi_publish_sweep(path);
    ck_assert_int_eq(file_count(), count);
}
END_TEST

/* ---- all at once ---------------------------------------------------------------------------- */

enum { WRITERS = 4, ROUNDS = 400 };

/* Writers sweep each other's folder all the time, and replace one file. */
static int write_many(void)
{
    bvpi_publishing p;
    char text[32];
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(text, sizeof text, "%d %d", (int)getpid(), i);
        MUST(begin(&p, text) == 0);
        bvpi_publish_sweep(path);
        MUST(bvpi_publish_commit(&p, path, path) == 0);
    }
    return 0;
}

START_TEST(sweepers_and_writers_meet)
{
    for (int named = 0; named < 2; named++) {
        intptr_t child[WRITERS];
        for (int i = 0; i < WRITERS; i++)
            child[i] = start(named, WRITES_MANY);
        int unable = 0;
        for (int i = 0; i < WRITERS; i++) {
            const int code = apart_await(child[i]);
            ck_assert_msg(code == 0 || (named && code == 77), "line %d, named %d", code, named);
            unable += code == 77;
        }
        if (unable == WRITERS) { /* under qemu-user */
            puts("not tried with named files: there are no filters of system calls here");
            return;
        }
        ck_assert_int_eq(unable, 0);
        ck_assert_int_eq(file_count(), 1);
        unlink(path);
    }
}
END_TEST

/* NAME_run: the body in its process. */
#define BODY(name)                                                                                 \
    static int name##_run(void)                                                                    \
    {                                                                                              \
        return begin_body() != 0 ? 77 : name();                                                    \
    }
BODY(publishes)
BODY(fails)
BODY(names_apart)
BODY(kill_while_open)
BODY(survives)
BODY(sweeps)
BODY(write_many)
BODY(interrupt)

static const apart_body bodies[BODY_COUNT] = {
    [PUBLISHES] = publishes_run,      [FAILS] = fails_run,
    [STANDS_APART] = names_apart_run, [IS_KILLED] = kill_while_open_run,
    [SURVIVES] = survives_run,        [SWEEPS] = sweeps_run,
    [WRITES_MANY] = write_many_run,   [IS_INTERRUPTED] = interrupt_run};

SUITE(test_publish)
{
    apart_answer(bodies);
    TCase *t = tcase_create("publish");
    tcase_set_timeout(t, SUITE_TIMEOUT);
    tcase_add_checked_fixture(t, enter, leave);
    tcase_add_test(t, named_when_complete);
    tcase_add_test(t, failures_leave_nothing);
    tcase_add_test(t, names_stand_apart);
    tcase_add_test(t, kill_leaves_nothing_or_is_swept);
    tcase_add_test(t, an_interrupt_leaves_nothing);
    tcase_add_test(t, writers_file_stays);
    tcase_add_test(t, only_such_names_are_swept);
    tcase_add_test(t, sweepers_and_writers_meet);
    return suite_run_case("publish", t);
}
