/* SPDX-License-Identifier: MIT
 * test_output.c: an output has its name only when it is complete; what is left after failures,
 * signals and kills.
 */
#define _GNU_SOURCE
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "text/message.h"
#include "nameless.h"
#include "files/output.h"
#include "suite.h"
#include "cli/truncation.h"

static char folder[] = "/var/tmp/bvpack-test-XXXXXX";
static char path[64];

static int sync_fails;

/* In place of the C library's. */
int fsync(int fd)
{
    if (!sync_fails)
        return (int)syscall(SYS_fsync, fd);
    errno = EIO;
    return -1;
}

static void enter(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
}

static int file_count(void)
{
    int count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        count += entry->d_name[0] != '.' || strstr(entry->d_name, ".tmp") != NULL;
    closedir(dir);
    return count;
}

static void leave(void)
{
    unlink(path);
    ck_assert_int_eq(file_count(), 0);
    rmdir(folder);
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
}

static void content_is(const char *expected)
{
    char text[16] = "";
    FILE *in = fopen(path, "r");
    ck_assert_ptr_nonnull(in);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, in));
    fclose(in);
    ck_assert_str_eq(text, expected);
}

static void write_whole(const char *text)
{
    output o;
    ck_assert_int_eq(output_open(&o, path), 0);
    ck_assert_int_eq(write(o.fd, text, strlen(text)), (int)strlen(text));
    ck_assert_int_eq(output_commit(&o), 0);
    content_is(text);
    ck_assert_int_eq(file_count(), 1);
}

START_TEST(named_when_complete)
{
    output o;
    struct stat file;
    ck_assert_int_eq(output_open(&o, path), 0);
    ck_assert_int_eq(stat(path, &file), -1);
    output_discard(&o);
    ck_assert_int_eq(file_count(), 0);
    write_whole("first");
}
END_TEST

START_TEST(earlier_file_stays)
{
    output o;
    write_whole("old");
    ck_assert_int_eq(chmod(path, 0600), 0);
    ck_assert_int_eq(output_open(&o, path), 0);
    ck_assert_int_eq(write(o.fd, "new", 3), 3);
    content_is("old");
    output_discard(&o);
    content_is("old");
    write_whole("newer");
    struct stat file;
    ck_assert_int_eq(stat(path, &file), 0);
    ck_assert_int_eq(file.st_mode & 0777, 0600);
}
END_TEST

START_TEST(link_stays)
{
    char link[80];
    struct stat file;
    write_whole("old");
    snprintf(link, sizeof link, "%s/link", folder);
    ck_assert_int_eq(symlink("out", link), 0);
    output o;
    ck_assert_int_eq(output_open(&o, link), 0);
    ck_assert_int_eq(write(o.fd, "via", 3), 3);
    ck_assert_int_eq(output_commit(&o), 0);
    content_is("via");
    ck_assert_int_eq(lstat(link, &file), 0);
    ck_assert(S_ISLNK(file.st_mode));
    unlink(link);
}
END_TEST

START_TEST(device_is_written_to)
{
    output o;
    struct stat file;
    ck_assert_int_eq(output_open(&o, "/dev/null"), 0);
    ck_assert(o.direct);
    ck_assert_int_eq(output_commit(&o), 0);
    ck_assert_int_eq(stat("/dev/null", &file), 0);
    ck_assert(S_ISCHR(file.st_mode));
}
END_TEST

START_TEST(refusals)
{
    output o;
    ck_assert_int_eq(output_open(&o, folder), EXIT_OUTPUT);
    ck_assert_int_eq(output_open(&o, "/nonexistent/folder/out"), EXIT_OUTPUT);
}
END_TEST

/* What may not be on the disk must not replace what is. */
START_TEST(unsynced_is_not_named)
{
    output o;
    write_whole("first");
    ck_assert_int_eq(output_open(&o, path), 0);
    ck_assert_int_eq(write(o.fd, "other", 5), 5);
    sync_fails = 1;
    ck_assert_int_eq(output_commit(&o), EXIT_OUTPUT);
    sync_fails = 0;
    content_is("first");
    ck_assert_int_eq(file_count(), 1);
}
END_TEST

/* Half an output, then a signal. With files that have no name, or that have one at once. Nonzero:
 * the system can't be without the former. */
static int end_by(int signal_number, int named)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        output o;
        signal(signal_number, SIG_DFL); /* whoever runs the tests may have it ignored */
        if (named && nameless_refuse() != 0)
            _exit(77);
        if (output_open(&o, path) == 0 && write(o.fd, "half", 4) == 4 &&
            file_count() == (o.file.temporary[0] != '\0') && (!named || file_count() == 1))
            raise(signal_number);
        _exit(99);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    if (named && WIFEXITED(status) && WEXITSTATUS(status) == 77)
        return 77;
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == signal_number);
    return 0;
}

START_TEST(signal_removes)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 6; i++) {
        end_by(signals[i % 3], i / 3);
        ck_assert_int_eq(file_count(), 0);
    }
}
END_TEST

START_TEST(next_output_sweeps)
{
    output o;
    if (end_by(SIGKILL, 1) != 0)
        return;
    ck_assert_int_eq(file_count(), 1);
    ck_assert_int_eq(output_open(&o, path), 0);
    ck_assert_int_eq(file_count(), o.file.temporary[0] != '\0');
    output_discard(&o);
    ck_assert_int_eq(file_count(), 0);
}
END_TEST

/* A mapped file that is truncated under a reader ends the program, in order. */
START_TEST(truncation_ends_in_order)
{
    int status, says[2];
    char text[256] = "";
    write_whole("input");
    ck_assert_int_eq(pipe(says), 0);
    const pid_t child = fork();
    if (child == 0) {
        output o;
        char other[80];
        dup2(says[1], STDERR_FILENO);
        truncation_watch();
        snprintf(other, sizeof other, "%s.2", path);
        const int fd = open(path, O_RDWR);
        const volatile char *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
        if (output_open(&o, other) != 0 || map[0] != 'i' || ftruncate(fd, 0) != 0)
            _exit(99);
        _exit(map[0]);
    }
    close(says[1]);
    ck_assert_int_gt(read(says[0], text, sizeof text - 1), 0);
    close(says[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_INPUT);
    ck_assert_ptr_nonnull(strstr(text, "truncated"));
    ck_assert_int_eq(file_count(), 1); /* no temporary one */
}
END_TEST

static const volatile char *shared_map;
static pthread_barrier_t start;

static void *read_it(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&start);
    _exit(shared_map[0]);
}

/* Nobody can write to it until somebody reads. */
static void fill(int fd)
{
    static const char dots[4096];
    const int flags = fcntl(fd, F_GETFL);
    ck_assert_int_eq(fcntl(fd, F_SETFL, flags | O_NONBLOCK), 0);
    while (write(fd, dots, sizeof dots) > 0)
        ;
    ck_assert_int_eq(fcntl(fd, F_SETFL, flags), 0);
}

/* Many threads read the file; all are at the message before it is read. */
static int lines_of_a_truncation(void)
{
    enum { THREADS = 16 };
    int status, says[2], lines = 0;
    char text[4096];
    write_whole("input");
    ck_assert_int_eq(pipe(says), 0);
    fill(says[1]);
    const pid_t child = fork();
    if (child == 0) {
        pthread_t thread[THREADS];
        dup2(says[1], STDERR_FILENO);
        truncation_watch();
        const int fd = open(path, O_RDWR);
        shared_map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
        pthread_barrier_init(&start, NULL, THREADS);
        for (int i = 0; i < THREADS; i++)
            if (ftruncate(fd, 0) != 0 || pthread_create(&thread[i], NULL, read_it, NULL) != 0)
                _exit(99);
        pthread_join(thread[0], NULL);
    }
    close(says[1]);
    usleep(50000);
    for (ssize_t got; (got = read(says[0], text, sizeof text)) > 0;)
        for (ssize_t i = 0; i < got; i++)
            lines += text[i] == '\n';
    close(says[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_INPUT);
    return lines;
}

/* Rounds, as threads may also die before they speak. */
START_TEST(truncation_is_told_once)
{
    for (int round = 0; round < 8; round++)
        ck_assert_int_eq(lines_of_a_truncation(), 1);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("output");
    tcase_add_checked_fixture(t, enter, leave);
    tcase_add_test(t, named_when_complete);
    tcase_add_test(t, earlier_file_stays);
    tcase_add_test(t, link_stays);
    tcase_add_test(t, device_is_written_to);
    tcase_add_test(t, refusals);
    tcase_add_test(t, unsynced_is_not_named);
    tcase_add_test(t, signal_removes);
    tcase_add_test(t, next_output_sweeps);
    tcase_add_test(t, truncation_ends_in_order);
    tcase_add_test(t, truncation_is_told_once);
    return suite_run_case("output", t);
}
