/* SPDX-License-Identifier: MIT
 * test_issue_log.c: what people have said about issues: dates, identifiers, words for a status,
 * lines that are no events; whatever the order of the lines and however often they come, the same
 * is left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "issues/issue_log.h"
#include "issues/issue_titles.h"
#include "suite.h"
#include "text/message.h"

static char path[] = "/tmp/test_issue_log.XXXXXX";

#define ISSUE_A "0123456789abcdef0123456789abcdef"
#define ISSUE_B "1123456789abcdef0123456789abcdef"

START_TEST(dates)
{
    static const char *const good[][2] = {{"2026-11-27T09:30:00Z", "2026-11-27T09:30:00Z"},
                                          {"2026-11-27", "2026-11-27T00:00:00Z"},
                                          {"2026-11-27 09:30", "2026-11-27T09:30:00Z"},
                                          {"2026-11-27T09:30:05.9999999Z", "2026-11-27T09:30:05Z"},
                                          {"2026-11-27T00:30:00+01:00", "2026-11-26T23:30:00Z"},
                                          {"2026-12-31T23:30:00-0200", "2027-01-01T01:30:00Z"},
                                          {"2024-02-29T24:00:00Z", "2024-03-01T00:00:00Z"},
                                          {"2000-02-29T12:00:60", "2000-02-29T12:00:59Z"},
                                          {"1900-01-01T00:00:00Z", "1900-01-01T00:00:00Z"},
                                          {"1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"},
                                          {"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"}};
    static const char *const bad[] = {"",
                                      "2026",
                                      "2026-13-01",
                                      "2026-02-29",
                                      "1900-02-29",
                                      "2026-11-31",
                                      "2026-11-27T",
                                      "2026-11-27T25:00",
                                      "2026-11-27T24:00:01",
                                      "2026-11-27T09:60",
                                      "2026-11-27T09:30:00.",
                                      "2026-11-27T09:30:00+15:00",
                                      "2026-11-27T09:30:00Zz",
                                      "2026-11-27x",
                                      "1899-12-31",
                                      "10000-01-01",
                                      "9999-12-31T23:00:00-02:00",
                                      "1900-01-01T00:00:00+01:00",
                                      " 2026-11-27"};
    char out[ISSUE_DATE_SIZE];
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        ck_assert_msg(issue_date_read(good[i][0], out) == 0, "%s", good[i][0]);
        ck_assert_str_eq(out, good[i][1]);
        ck_assert(issue_date_is_plain(out));
        ck_assert_int_eq(issue_date_is_plain(good[i][0]), strcmp(good[i][0], good[i][1]) == 0);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(issue_date_read(bad[i], out) != 0, "%s", bad[i]);
    /* every day follows the one before */
    memcpy(out, "1999-12-31T00:00:00Z", ISSUE_DATE_SIZE);
    for (int day = 0; day < 366 + 365; day++) {
        char before[ISSUE_DATE_SIZE];
        memcpy(before, out, sizeof before);
        issue_date_add(out, 86400);
        ck_assert(strcmp(before, out) < 0 && issue_date_is_plain(out));
    }
    ck_assert_str_eq(out, "2001-12-31T00:00:00Z");
    setenv("SOURCE_DATE_EPOCH", "1767225600", 1);
    issue_date_now(out);
    unsetenv("SOURCE_DATE_EPOCH");
    ck_assert_str_eq(out, "2026-01-01T00:00:00Z");
}
END_TEST

START_TEST(guids)
{
    char a[ISSUE_GUID_SIZE], b[ISSUE_GUID_SIZE];
    issue_guid_make(ISSUE_A, "topic", a);
    issue_guid_make(ISSUE_A, "view", b);
    ck_assert_str_ne(a, b);
    ck_assert(a[14] == '8' && strchr("89ab", a[19]));
    ck_assert_int_eq(issue_guid_read(a, b), 0);
    ck_assert_str_eq(a, b);
    ck_assert_int_eq(issue_guid_read("{0123ABCD-0123-0123-0123-0123456789AB}", b), 0);
    ck_assert_str_eq(b, "0123abcd-0123-0123-0123-0123456789ab");
    static const char *const bad[] = {"",
                                      "0123abcd",
                                      "{0123abcd-0123-0123-0123-0123456789ab",
                                      "0123abcd-0123-0123-0123-0123456789ag",
                                      "0123abcd-0123-0123-01234-123456789ab",
                                      "0123abcd-0123-0123-0123-0123456789ab0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_int_ne(issue_guid_read(bad[i], b), 0);
}
END_TEST

START_TEST(words)
{
    static const struct {
        const char *word;
        issue_status status;
    } list[] = {{"Open", ISSUE_NEW},
                {"In Progress", ISSUE_ACTIVE},
                {"in-progress", ISSUE_ACTIVE},
                {"ReOpened", ISSUE_ACTIVE},
                {"Re-opened", ISSUE_ACTIVE},
                {"CLOSED", ISSUE_RESOLVED},
                {"Done", ISSUE_RESOLVED},
                {"Reviewed", ISSUE_REVIEWED},
                {"Accepted", ISSUE_APPROVED},
                {"Won't fix", ISSUE_APPROVED},
                {"Rejected", ISSUE_STATUS_COUNT},
                {"", ISSUE_STATUS_COUNT},
                {"a word that is longer than any that a tool has", ISSUE_STATUS_COUNT},
                {"gel\xc3\xb6st", ISSUE_STATUS_COUNT}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        ck_assert_msg(issue_status_meant(list[i].word) == list[i].status, "%s", list[i].word);
    for (int s = 0; s < ISSUE_STATUS_COUNT; s++) {
        const issue_status status = (issue_status)s;
        ck_assert_int_eq(issue_status_of(issue_status_name(status)), s);
        ck_assert_int_eq(issue_status_meant(issue_status_name(status)), s);
        ck_assert_int_eq(issue_status_meant(issue_status_topic(status)), s);
    }
    ck_assert_int_eq(issue_status_of("Open"), ISSUE_STATUS_COUNT);
}
END_TEST

static void put(const char *text)
{
    FILE *out = fopen(path, "w");
    ck_assert(out && fputs(text, out) >= 0 && fclose(out) == 0);
}

#define EVENT(time, rest)                                                                          \
    "{\"time\":\"2026-01-0" time "T00:00:00Z\",\"issue\":\"" ISSUE_A "\",\"author\":\"a\"," rest   \
    "}\n"

START_TEST(lines)
{
    static const char *const bad[] = {
        "x",
        "[]",
        "{}",
        "\"\"",
        EVENT("1", "\"status\":\"open\""),
        EVENT("1", "\"status\":1"),
        EVENT("1", "\"state\":\"new\""),
        EVENT("1", "\"comment\":\"\""),
        EVENT("1", "\"word\":\"Open\",\"comment\":\"c\""),
        EVENT("1", "\"status\":\"new\",\"status\":\"active\""),
        EVENT("1", "\"status\":\"new\",\"guid\":\"0123abcd-0123-0123-0123-0123456789ab\""),
        EVENT("1", "\"comment\":\"c\",\"guid\":\"0123ABCD-0123-0123-0123-0123456789ab\""),
        EVENT("1", "\"comment\":\"a\\u0000b\""),
        "{\"time\":\"2026-01-01\",\"issue\":\"" ISSUE_A "\",\"author\":\"a\",\"status\":\"new\"}",
        "{\"time\":\"2026-01-01T00:00:00Z\",\"issue\":\"0123\",\"author\":\"a\",\"status\":"
        "\"new\"}",
        "{\"time\":\"2026-01-01T00:00:00Z\",\"issue\":\"" ISSUE_A "\",\"status\":\"new\"}",
        "{\"time\":\"2026-01-01T00:00:00Z\",\"issue\":\"" ISSUE_A
        "\",\"author\":\"a\",\"title\":\"t\"}",
        "<<<<<<< HEAD",
        "=======",
        ">>>>>>> branch"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        issue_log log = {0};
        put(bad[i]);
        ck_assert_msg(issue_log_read(&log, path, 0) == EXIT_INPUT, "%s", bad[i]);
        issue_log_close(&log);
    }
    issue_log log = {0};
    put("\n \t\r\n" EVENT("1", "\"status\":\"new\"") "\r\n");
    ck_assert_int_eq(issue_log_read(&log, path, 0), 0);
    ck_assert_uint_eq(log.count, 1);
    issue_log_close(&log);
    ck_assert_int_eq(issue_log_read(&log, "/nonexistent/x", 1), 0);
    ck_assert_uint_eq(log.count, 0);
    issue_log_close(&log);
    ck_assert_int_eq(issue_log_read(&log, "/nonexistent/x", 0), EXIT_INPUT);
    issue_log_close(&log);
}
END_TEST

START_TEST(latest_decides)
{
    issue_log log = {0};
    put(EVENT("3", "\"assignee\":\"\"")
            EVENT("1", "\"status\":\"approved\",\"assignee\":\"bob\",\"comment\":\"one\"")
                EVENT("2", "\"status\":\"active\",\"word\":\"In Progress\"")
                    EVENT("2", "\"comment\":\"two\"") EVENT("2", "\"comment\":\"two\"")
                        EVENT("4", "\"comment\":\"b\",\"guid\":"
                                   "\"0123abcd-0123-0123-0123-0123456789ab\"")
                            EVENT("5", "\"comment\":\"c\",\"guid\":"
                                       "\"0123abcd-0123-0123-0123-0123456789ab\""));
    ck_assert_int_eq(issue_log_read(&log, path, 0), 0);
    ck_assert_uint_eq(log.count, 6);
    issue_record r = issue_log_find(&log, ISSUE_A);
    ck_assert(r.status == ISSUE_ACTIVE && r.count == 6);
    ck_assert_str_eq(r.word, "In Progress");
    ck_assert_str_eq(r.assignee, "");
    ck_assert_str_eq(r.time, "2026-01-05T00:00:00Z");
    issue_comment *comments;
    size_t count;
    ck_assert_int_eq(issue_log_comments(&log, &r, &comments, &count), 0);
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(comments[0].last->comment, "one");
    ck_assert_str_eq(comments[1].last->comment, "two");
    ck_assert_str_eq(comments[2].first->comment, "b");
    ck_assert_str_eq(comments[2].last->comment, "c");
    free(comments);
    r = issue_log_find(&log, ISSUE_B);
    ck_assert(r.status == ISSUE_NEW && r.count == 0 && r.word[0] == '\0');
    issue_log_close(&log);
}
END_TEST

static unsigned next(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* Two branches of a file, their lines in any order and some of them twice, are written as one file,
 * whoever merges whom. */
START_TEST(merges)
{
    const char *given = getenv("BVP_SEED");
    unsigned seed = given ? (unsigned)atoi(given) : 20261127;
    printf("BVP_SEED=%u\n", seed);
    for (int round = 0; round < 40; round++) {
        issue_event events[40];
        char times[40][ISSUE_DATE_SIZE], comments[40][16], *texts[2] = {NULL, NULL};
        for (int i = 0; i < 40; i++) {
            memcpy(times[i], "2026-01-01T00:00:00Z", ISSUE_DATE_SIZE);
            issue_date_add(times[i], next(&seed, 20));
            snprintf(comments[i], sizeof comments[i], "%d\n\"\\", i);
            events[i] = (issue_event){
                .time = times[i], .issue = next(&seed, 2) ? ISSUE_A : ISSUE_B, .author = "a"};
            if (next(&seed, 2))
                events[i].status = issue_status_name((issue_status)next(&seed, 5));
            if (!events[i].status || next(&seed, 2))
                events[i].comment = comments[i];
        }
        issue_record records[2];
        for (int turn = 0; turn < 2; turn++) {
            issue_log log = {0};
            /* the branches have 0 to 29 and 10 to 39 */
            for (int i = 0; i < 60; i++) {
                const int k = turn ? 59 - i : i;
                ck_assert_int_eq(issue_log_add(&log, &events[k < 30 ? k : k - 20]), 0);
            }
            ck_assert_int_eq(issue_log_sort(&log), 0);
            ck_assert_int_eq(issue_log_write(&log, path), 0);
            issue_log_close(&log);
            ck_assert_int_eq(issue_log_read(&log, path, 0), 0);
            records[turn] = issue_log_find(&log, ISSUE_A);
            records[turn].word = records[turn].assignee = records[turn].time = "";
            issue_log_close(&log);
            FILE *in = fopen(path, "r");
            texts[turn] = calloc(1, 1 << 16);
            ck_assert(in && fread(texts[turn], 1, (1 << 16) - 1, in) > 0);
            fclose(in);
        }
        ck_assert_msg(strcmp(texts[0], texts[1]) == 0, "BVP_SEED=%u: round %d", seed, round);
        ck_assert(records[0].status == records[1].status && records[0].count == records[1].count);
        free(texts[0]);
        free(texts[1]);
    }
}
END_TEST

START_TEST(titles)
{
    issue_titles t = {0};
    put("{\"id\":\"x\",\"issue\":\"" ISSUE_B "\",\"issue_number\":1,\"issue_title\":\"b\"}\n"
        "{\"id\":\"y\",\"issue\":\"" ISSUE_B "\",\"issue_number\":1,\"issue_title\":\"b\"}\n\n"
        "{\"id\":\"z\",\"issue\":\"" ISSUE_A "\",\"issue_number\":2,\"issue_title\":\"a\"}\n"
        "{\"id\":\"w\"}\n{\"id\":\"v\",\"issue\":\"" ISSUE_B "\",\"issue_title\":\"old\"}\n");
    ck_assert_int_eq(issue_titles_read(&t, path), 0);
    ck_assert_uint_eq(t.count, 2);
    ck_assert_str_eq(issue_titles_find(&t, ISSUE_B)->title, "b");
    ck_assert_uint_eq(issue_titles_find(&t, ISSUE_A)->number, 2);
    ck_assert_ptr_null(issue_titles_find(&t, ""));
    put("{\"issue\":\"12\"}\n");
    ck_assert_int_eq(issue_titles_read(&t, path), EXIT_INPUT);
    ck_assert_uint_eq(t.count, 2);
    issue_titles_close(&t);
}
END_TEST

SUITE(test_issue_log)
{
    const TTest *const list[] = {dates, guids, words, lines, latest_decides, merges, titles, NULL};
    const int fd = mkstemp(path);
    if (fd < 0)
        return 99;
    close(fd);
    const int failed = suite_run("issue_log", list);
    unlink(path);
    return failed;
}
