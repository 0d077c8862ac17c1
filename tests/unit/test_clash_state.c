/* SPDX-License-Identifier: MIT
 * test_clash_state.c: a journal that is cut anywhere, or damaged, goes on from its last whole mark.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "build_case.h"
#include "clash/clash_state.h"
#include "text/message.h"
#include "suite.h"
#include "cli/verb.h"

static char path[] = "/tmp/test_clash_state.XXXXXX";
static const uint8_t this_run[16] = {1, 2, 3}, another[16] = {4};
enum { STEPS = 20, RULES = 3 };
static const clash_scope scope = {.count_a = STEPS, .count_b = 1004};

/* `count` steps from `first`: a mark after one to four pairs each. */
static void work(clash_state *s, uint32_t first, uint32_t count)
{
    for (uint32_t step = first; step < first + count; step++) {
        clash_mark mark = {.done = step + 1, .total = STEPS, .row_count = 7 * step};
        for (uint32_t i = 0; i <= step % 4; i++) {
            const bvp_clash_pair pair = {
                .a = step, .b = 1000 + i, .verdict = BVP_VERDICT_WITHIN, .distance = 0.5 * i};
            ck_assert_int_eq(clash_state_add(s, &pair), 0);
        }
        mark.coverage.box_pairs = mark.coverage.excluded = 100 * (uint64_t)step;
        s->uses[RULES - 1] = step;
        ck_assert_int_eq(clash_state_mark(s, &mark), 0);
    }
}

static int list_pair(void *user, const bvp_clash_pair *pair)
{
    uint32_t *next = user; /* step, number in it */
    if (next[1] > next[0] % 4) {
        next[0]++;
        next[1] = 0;
    }
    ck_assert_uint_eq(pair->a, next[0]);
    ck_assert_uint_eq(pair->b, 1000 + next[1]);
    ck_assert_double_eq(pair->distance, 0.5 * next[1]);
    next[1]++;
    return 0;
}

/* All pairs of the steps before `done`, in order. */
static void check(clash_state *s, uint32_t done)
{
    uint32_t next[2] = {0, 0};
    ck_assert_int_eq(clash_state_each(s, list_pair, next), 0);
    if (done > 0) {
        ck_assert_uint_eq(next[0], done - 1);
        ck_assert_uint_eq(next[1], (done - 1) % 4 + 1);
        ck_assert_uint_eq(s->mark.coverage.box_pairs, 100 * (uint64_t)(done - 1));
        ck_assert_uint_eq(s->uses[RULES - 1], done - 1);
    }
    ck_assert_uint_eq(s->mark.done, done);
}

static void open_state(clash_state *s)
{
    ck_assert_int_eq(clash_state_open(s, path, this_run, &scope, RULES, "now"), 0);
}

START_TEST(whole_run)
{
    clash_state s;
    unlink(path);
    open_state(&s);
    work(&s, 0, STEPS);
    check(&s, STEPS);
    clash_state_close(&s, 1);
    ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(goes_on)
{
    clash_state s;
    unlink(path);
    open_state(&s);
    work(&s, 0, 7);
    clash_state_close(&s, 0);
    ck_assert_int_eq(clash_state_open(&s, path, this_run, &scope, RULES, "later"), 0);
    ck_assert_str_eq(s.created, "now");
    ck_assert_uint_eq(s.mark.done, 7);
    const bvp_clash_pair lost = {.a = 7, .b = 1000, .verdict = BVP_VERDICT_WITHIN};
    ck_assert_int_eq(clash_state_add(&s, &lost), 0);
    clash_state_close(&s, 0);
    open_state(&s);
    work(&s, 7, STEPS - 7);
    check(&s, STEPS);
    clash_state_close(&s, 1);
}
END_TEST

/* Copies the first `size` bytes back, with byte `flip` changed when it is among them. */
static void restore(const char *bytes, size_t size, size_t flip)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for (size_t i = 0; i < size; i++)
        fputc(i == flip ? bytes[i] ^ 0x10 : bytes[i], file);
    fclose(file);
}

/* Either it is refused, or what it holds is a true beginning, and the run can end. */
static void check_damaged(void)
{
    clash_state s;
    const int code = clash_state_open(&s, path, this_run, &scope, RULES, "now");
    ck_assert(code == 0 || code == EXIT_INPUT);
    if (code == 0) {
        const uint32_t done = s.mark.done;
        check(&s, done);
        clash_state_close(&s, 0);
        open_state(&s);
        work(&s, done, STEPS - done);
        check(&s, STEPS);
    }
    clash_state_close(&s, 0);
}

START_TEST(cut_and_damaged)
{
    clash_state s;
    struct stat file;
    uint64_t seed = case_seed();
    unlink(path);
    open_state(&s);
    work(&s, 0, STEPS - 1);
    clash_state_close(&s, 0);
    ck_assert_int_eq(stat(path, &file), 0);
    char *bytes = malloc((size_t)file.st_size);
    FILE *stream = fopen(path, "r");
    ck_assert(fread(bytes, 1, (size_t)file.st_size, stream) == (size_t)file.st_size);
    fclose(stream);
    for (int round = 0; round < 200; round++) {
        const size_t size = case_random(&seed) % ((uint64_t)file.st_size + 1);
        restore(bytes, size, SIZE_MAX);
        check_damaged();
        restore(bytes, (size_t)file.st_size, size);
        check_damaged();
    }
    free(bytes);
    unlink(path);
}
END_TEST

/* ---- forged: the hashes fit ----------------------------------------------------------------- */

typedef struct forged {
    const char *field;
    size_t record, at, size; /* which of the file's records, where in it */
    uint64_t value;
} forged;

#define PAIR(name, value)                                                                          \
    {                                                                                              \
#name, 1, offsetof(bvp_clash_pair, name), sizeof(((bvp_clash_pair *)NULL)->name), value    \
    }
#define MARK(name, value)                                                                          \
    {                                                                                              \
#name, 2, offsetof(clash_mark, name), sizeof(((clash_mark *)NULL)->name), value            \
    }
static const uint64_t nan_bits = UINT64_C(0x7ff8000000000000);

/* Writes the field of the file's record over, and the record's hash: kind, size, hash, bytes. */
static void forge(const forged *f)
{
    uint8_t bytes[4096], hash[16];
    uint32_t size;
    FILE *file = fopen(path, "r+");
    ck_assert_ptr_nonnull(file);
    const size_t got = fread(bytes, 1, sizeof bytes, file);
    size_t at = 0;
    for (size_t i = 0;; i++) {
        ck_assert_uint_le(at + 24, got);
        memcpy(&size, bytes + at + 4, 4);
        if (i == f->record)
            break;
        at += 24 + size;
    }
    memcpy(bytes + at + 24 + f->at, &f->value, f->size);
    bvp_hash(bytes + at + 24, size, hash);
    memcpy(bytes + at + 8, hash, 16);
    rewind(file);
    ck_assert_uint_eq(fwrite(bytes, 1, got, file), got);
    fclose(file);
}

static int never(void *user, const bvp_clash_pair *pair)
{
    (void)user, (void)pair;
    ck_abort_msg("a forged pair is given");
    return 0;
}

static int count_pair(void *user, const bvp_clash_pair *pair)
{
    (void)pair;
    ++*(unsigned *)user;
    return 0;
}

/* Rows that can't be read back must not be missing from a report without a word. */
START_TEST(changed_while_it_is_read)
{
    clash_state s;
    struct stat file;
    unsigned all = 0, some = 0;
    unlink(path);
    open_state(&s);
    work(&s, 0, STEPS);
    ck_assert_int_eq(clash_state_each(&s, count_pair, &all), 0);
    ck_assert_int_eq(stat(path, &file), 0);
    const int fd = open(path, O_WRONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pwrite(fd, "\xa5", 1, file.st_size / 2), 1);
    close(fd);
    ck_assert_int_eq(clash_state_each(&s, count_pair, &some), EXIT_INPUT);
    ck_assert_uint_lt(some, all);
    clash_state_close(&s, 1);
}
END_TEST

START_TEST(forged_numbers_are_refused)
{
    const forged all[] = {PAIR(verdict, 0x10000000),
                          PAIR(verdict, 0),
                          PAIR(verdict, 7),
                          PAIR(verdict, UINT32_MAX),
                          PAIR(a, STEPS),
                          PAIR(a, 1),
                          PAIR(b, 1004),
                          PAIR(b, UINT32_MAX),
                          PAIR(distance, nan_bits),
                          PAIR(depth_upper, UINT64_C(0x7ff0000000000000)),
                          PAIR(point_a[1], nan_bits),
                          PAIR(lo[2], nan_bits),
                          PAIR(limits.clearance, nan_bits),
                          MARK(done, STEPS + 1),
                          MARK(total, STEPS - 1),
                          MARK(total, UINT32_MAX),
                          MARK(coverage.box_pairs, 5),
                          MARK(coverage.verdicts[3], UINT64_MAX)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        clash_state s;
        unlink(path);
        open_state(&s);
        work(&s, 0, 1);
        forge(&all[i]); /* under a run that goes on */
        if (all[i].record == 1 && all[i].value != 1)
            ck_assert_msg(clash_state_each(&s, never, NULL) == EXIT_INPUT, "%s", all[i].field);
        clash_state_close(&s, 0);
        ck_assert_msg(clash_state_open(&s, path, this_run, &scope, RULES, "now") == EXIT_INPUT,
                      "%s = %llx", all[i].field, (unsigned long long)all[i].value);
        clash_state_close(&s, 0);
    }
}
END_TEST

START_TEST(others)
{
    clash_state s, t;
    unlink(path);
    open_state(&s);
    work(&s, 0, 3);
    const pid_t child = fork(); /* a lock is a process's */
    if (child == 0)
        _exit(clash_state_open(&t, path, this_run, &scope, RULES, "now"));
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OUTPUT);
    clash_state_close(&s, 0);
    ck_assert_int_eq(clash_state_open(&s, path, another, &scope, RULES, "later"), 0);
    ck_assert_uint_eq(s.mark.done, 0);
    ck_assert_str_eq(s.created, "later");
    clash_state_close(&s, 0);
    FILE *file = fopen(path, "w");
    fputs("a letter to somebody", file);
    fclose(file);
    ck_assert_int_eq(clash_state_open(&s, path, this_run, &scope, RULES, "now"), EXIT_INPUT);
    clash_state_close(&s, 0);
    struct stat kept;
    ck_assert(stat(path, &kept) == 0 && kept.st_size == 20);
    ck_assert_int_eq(clash_state_open(&s, "/dev/null", this_run, &scope, RULES, "now"), EXIT_INPUT);
    clash_state_close(&s, 0);
}
END_TEST

SUITE(test_clash_state)
{
    const TTest *const list[] = {
        whole_run, goes_on, cut_and_damaged, changed_while_it_is_read, forged_numbers_are_refused,
        others,    NULL};
    const int fd = mkstemp(path);
    if (fd < 0)
        return 99;
    close(fd);
    const int failed = suite_run("clash_state", list);
    unlink(path);
    return failed;
}
