/* SPDX-License-Identifier: MIT
 * test_issue_import.c: what has been changed in a BCF archive: for every state that a topic had
 * when it was written, that it has now, and that the log has; marks in descriptions; archives.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "files/archive.h"
#include "issues/issue_import.h"
#include "issues/issue_topic.h"
#include "suite.h"
#include "text/message.h"

#define ID    "0123456789abcdef0123456789abcdef"
#define OTHER "1123456789abcdef0123456789abcdef"

static char path[] = "/tmp/test_issue_import.XXXXXX";

START_TEST(marks)
{
    char guid[ISSUE_GUID_SIZE], plain[ISSUE_MARK_SIZE], text[3000];
    issue_mark mark;
    issue_guid_make(ID, "topic", guid);
    ck_assert(issue_mark_find("Issue: " ID " [Open] [anna b]\nrest", guid, &mark));
    ck_assert_str_eq(mark.id, ID);
    ck_assert(mark.is_whole);
    ck_assert_str_eq(mark.status, "Open");
    ck_assert_str_eq(mark.assignee, "anna b");
    /* blanks made one, another issue in front, nobody, shortened */
    ck_assert(issue_mark_find(
        "x Issue: " OTHER " [Closed] [x] Issue:\t" ID "\r\n[In\n Progress ] [] y", guid, &mark));
    ck_assert_str_eq(mark.id, ID);
    ck_assert_str_eq(mark.status, "In Progress");
    ck_assert(mark.is_whole && mark.assignee[0] == '\0');
    ck_assert(issue_mark_find("Issue: " ID " [Open] [an", guid, &mark) && !mark.is_whole);
    ck_assert(issue_mark_find("Issue: " ID, guid, &mark) && !mark.is_whole);
    ck_assert(!issue_mark_find("Issue: " OTHER " [Open] []", guid, &mark));
    ck_assert(!issue_mark_find("Issue: " ID "0 [Open] []", guid, &mark));
    ck_assert(!issue_mark_find("", guid, &mark));
    issue_mark_plain(" [a]\n\tb\x01 ", plain);
    ck_assert_str_eq(plain, "a b");
    issue_topic_name(" [a]\n\tb\x7f ", plain);
    ck_assert_str_eq(plain, "[a] b");
    /* no character is cut in two */
    for (size_t lead = 0; lead < 4; lead++) {
        memset(text, 'x', lead);
        text[lead] = '\0';
        for (int i = 0; i < 600; i++)
            strcat(text + lead, "\xe2\x82\xac");
        issue_topic_name(text, plain);
        const size_t size = strlen(plain);
        ck_assert(size <= ISSUE_NAME_MAX && size > ISSUE_NAME_MAX - 3);
        ck_assert_uint_eq((size - lead) % 3, 0);
    }
}
END_TEST

static void escape(FILE *out, const char *text)
{
    for (; *text; text++)
        if (strchr("<&\"", *text))
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
}

/* A topic as a tool writes it; NULL: it leaves that out. */
static void write_archive(const char *id, const char *mark, const char *status,
                          const char *assignee, const char *modified, const char *rest)
{
    char *body;
    size_t size;
    static const char version[] = "<Version VersionId='2.1'/>";
    char guid[ISSUE_GUID_SIZE];
    issue_guid_make(id, "topic", guid);
    FILE *xml = open_memstream(&body, &size);
    fprintf(xml, "<Markup><Topic Guid='%s' TopicStatus=\"", guid);
    escape(xml, status);
    fputs("\"><Title>t</Title>", xml);
    if (modified)
        fprintf(xml, "<ModifiedDate>%s</ModifiedDate><ModifiedAuthor>m</ModifiedAuthor>", modified);
    if (assignee) {
        fputs("<AssignedTo>", xml);
        escape(xml, assignee);
        fputs("</AssignedTo>", xml);
    }
    if (mark) {
        fprintf(xml, "<Description>Issue: %s ", id);
        escape(xml, mark);
        fputs("</Description>", xml);
    }
    fprintf(xml, "</Topic>%s</Markup>", rest);
    ck_assert_int_eq(fclose(xml), 0);
    archive *zip = archive_new("2026-01-01T00:00:00Z");
    FILE *out = fopen(path, "wb");
    ck_assert(zip && out && archive_add(zip, "bcf.version", version, sizeof version - 1, 0) &&
              archive_add(zip, "x/markup.bcf", body, size, 0));
    ck_assert_ptr_null(archive_write(zip, out));
    archive_free(zip);
    free(body);
    ck_assert_int_eq(fclose(out), 0);
}

static issue_import import(issue_log *log)
{
    static const issue_titles none = {0};
    static const import_default otherwise = {"me", "2026-06-01T00:00:00Z"};
    issue_import i;
    ck_assert_int_eq(issue_import_read(&i, path, log, &none, &otherwise), 0);
    return i;
}

static const char at[] = "2026-01-01T00:00:00Z", later[] = "2026-02-01T00:00:00Z",
                  before[] = "2025-01-01T00:00:00Z";

/* The log says `said`, the topic was `written` and is `now`. */
static void try_status(int said, const char *said_word, const char *written, const char *now)
{
    issue_log log = {0};
    char mark[64];
    issue_event event = {.time = at, .issue = ID, .author = "a", .comment = "c"};
    if (said >= 0)
        event = (issue_event){.time = at,
                              .issue = ID,
                              .author = "a",
                              .status = issue_status_name((issue_status)said),
                              .word = said_word};
    ck_assert(issue_log_add(&log, &event) == 0 && issue_log_sort(&log) == 0);
    const issue_record was = issue_log_find(&log, ID);
    snprintf(mark, sizeof mark, "[%s] []", written);
    write_archive(ID, mark, now, NULL, before, "");
    issue_import i = import(&log);
    const issue_record is = issue_log_find(&log, ID);
    issue_status meant = issue_status_meant(now);
    meant = meant == ISSUE_STATUS_COUNT ? ISSUE_ACTIVE : meant;
    if (strcmp(written, now) == 0 || strcmp(now, issue_topic_status(&was, 0)) == 0) {
        ck_assert_uint_eq(log.count, 1); /* nobody has changed it, or it is so already */
    } else {
        /* whoever has changed it has seen what the log says, and is right whatever the clock */
        const int has_seen = strcmp(written, issue_topic_status(&was, 0)) == 0 ||
                             strcmp(written, issue_topic_status(&was, 1)) == 0;
        ck_assert_msg(is.status == (has_seen || said < 0 ? meant : was.status), "%d %s %s", said,
                      written, now);
        if (has_seen && log.count > 1 && strcmp(now, issue_status_topic(meant)) != 0)
            ck_assert_str_eq(is.word, now);
    }
    issue_import_free(&i);
    /* and once more: the same */
    const size_t count = log.count;
    i = import(&log);
    ck_assert_uint_eq(log.count, count);
    issue_import_free(&i);
    issue_log_close(&log);
}

START_TEST(statuses)
{
    static const char *const words[] = {"Open",     "Active",   "Reviewed",    "Approved",
                                        "Resolved", "ReOpened", "Closed",      "In Progress",
                                        "On Hold",  "Accepted", "a \"<&> word"};
    enum { WORDS = sizeof words / sizeof words[0] };
    if (!archive_is_there())
        return;
    for (int said = -1; said < ISSUE_STATUS_COUNT; said++)
        for (int written = 0; written < WORDS; written++)
            for (int now = 0; now < WORDS; now++)
                try_status(said, NULL, words[written], words[now]);
    for (int written = 0; written < WORDS; written++)
        for (int now = 0; now < WORDS; now++)
            try_status(ISSUE_ACTIVE, "On Hold", words[written], words[now]);
}
END_TEST

START_TEST(assignees)
{
    static const struct {
        const char *said, *mark, *now, *expected;
    } cases[] = {{"", "[Open] []", "anna", "anna"},
                 {"anna", "[Open] [anna]", NULL, ""},
                 {"anna", "[Open] [anna]", "anna", "anna"},
                 {"anna", "[Open] []", NULL, "anna"},
                 {"anna", NULL, NULL, "anna"},
                 {"anna", NULL, "bob", "bob"},
                 {"x [y]", "[Open] [x y]", "x [y]", "x [y]"},
                 {"anna", "[Open] [anna]", "bob  [z]\n", "bob [z]"},
                 {"", "[Open] [", "<bob>", "<bob>"}};
    if (!archive_is_there())
        return;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        issue_log log = {0};
        const issue_event event = {
            .time = at, .issue = ID, .author = "a", .assignee = cases[k].said};
        ck_assert(issue_log_add(&log, &event) == 0 && issue_log_sort(&log) == 0);
        write_archive(ID, cases[k].mark, "Open", cases[k].now, later, "");
        issue_import i = import(&log);
        ck_assert_uint_eq(i.foreign.count, 0); /* without a mark it is known by the log */
        ck_assert_msg(strcmp(issue_log_find(&log, ID).assignee, cases[k].expected) == 0, "case %zu",
                      k);
        ck_assert_uint_eq(i.assignees, strcmp(cases[k].said, cases[k].expected) != 0);
        issue_import_free(&i);
        issue_log_close(&log);
    }
}
END_TEST

START_TEST(comments)
{
    issue_log log = {0};
    if (!archive_is_there())
        return;
    const issue_event event = {.time = at, .issue = ID, .author = "a", .comment = "one\n two"};
    char guid[ISSUE_GUID_SIZE], rest[2000];
    ck_assert(issue_log_add(&log, &event) == 0 && issue_log_sort(&log) == 0);
    issue_comment_guid(&log.events[0], guid);
    /* the log's own with other blanks; one without a Guid; one without a text; one without a date
     */
    snprintf(rest, sizeof rest,
             "<Comment Guid='%s'><Date>%s</Date><Author>a</Author><Comment> one two\r\n</Comment>"
             "</Comment><Comment><Date>%s</Date><Author>b</Author><Comment>new</Comment></Comment>"
             "<Comment Guid='0123abcd-0123-0123-0123-0123456789ab'><Comment> </Comment></Comment>"
             "<Comment Guid='0123ABCD-0123-0123-0123-0123456789AC'><Date>soon</Date>"
             "<Comment>undated</Comment></Comment>",
             guid, at, later);
    write_archive(ID, "[Open] []", "Open", NULL, NULL, rest);
    issue_import i = import(&log);
    ck_assert(i.known_comments == 1 && i.comments == 2 && i.changed_comments == 0);
    ck_assert_uint_eq(log.count, 3);
    ck_assert_str_eq(log.events[2].comment, "undated");
    ck_assert_str_eq(log.events[2].time, "2026-06-01T00:00:00Z");
    ck_assert_str_eq(log.events[2].author, "me");
    ck_assert_str_eq(log.events[2].guid, "0123abcd-0123-0123-0123-0123456789ac");
    issue_import_free(&i);
    i = import(&log);
    ck_assert(i.known_comments == 3 && log.count == 3);
    issue_import_free(&i);
    /* one that is longer than any may be is refused, and nothing is added */
    char *huge = malloc(ISSUE_COMMENT_MAX + 100);
    ck_assert_ptr_nonnull(huge);
    memset(huge, 'x', ISSUE_COMMENT_MAX + 1);
    huge[ISSUE_COMMENT_MAX + 1] = '\0';
    const issue_event long_one = {.time = at, .issue = ID, .author = "a", .comment = huge};
    ck_assert_ptr_nonnull(issue_event_wrong(&long_one));
    huge[ISSUE_COMMENT_MAX] = '\0';
    ck_assert_ptr_null(issue_event_wrong(&long_one));
    free(huge);
    issue_log_close(&log);
}
END_TEST

START_TEST(archives)
{
    archive_fault fault;
    char *data;
    size_t size;
    if (!archive_is_there())
        return;
    static char bytes[100000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * i >> 9);
    archive *zip = archive_new("2026-01-01T00:00:00Z");
    FILE *out = fopen(path, "w+b");
    ck_assert(archive_add(zip, "squares", bytes, sizeof bytes, 0) &&
              archive_add(zip, "", "", 0, 1));
    ck_assert_ptr_null(archive_write(zip, out));
    archive_free(zip);
    const size_t whole = (size_t)ftell(out);
    char *copy = malloc(whole);
    rewind(out);
    ck_assert(copy && fread(copy, 1, whole, out) == whole);
    fclose(out);
    archive_reader *z = archive_open(copy, whole, &fault);
    ck_assert_ptr_nonnull(z);
    ck_assert_uint_eq(archive_count(z), 2);
    ck_assert_str_eq(archive_name(z, 0), "squares");
    ck_assert_int_eq(archive_read(z, 0, sizeof bytes, &data, &size), ARCHIVE_NONE);
    ck_assert(size == sizeof bytes && memcmp(data, bytes, size) == 0 && data[size] == '\0');
    free(data);
    ck_assert_int_eq(archive_read(z, 0, sizeof bytes - 1, &data, &size), ARCHIVE_LARGE);
    free(data);
    ck_assert_int_eq(archive_read(z, 0, 0, &data, &size), ARCHIVE_LARGE);
    ck_assert_uint_le(size, 1 << 16);
    free(data);
    ck_assert_int_eq(archive_read(z, 1, 0, &data, &size), ARCHIVE_NONE);
    free(data);
    archive_close(z);
    for (size_t cut = 1; cut < whole; cut++) { /* of no bytes there are no files */
        z = archive_open(copy, cut, &fault);
        ck_assert(!z && fault == ARCHIVE_DAMAGED);
    }
    copy[whole / 2] ^= 1;
    z = archive_open(copy, whole, &fault);
    if (z) {
        ck_assert_int_eq(archive_read(z, 0, sizeof bytes, &data, &size), ARCHIVE_DAMAGED);
        free(data);
    }
    archive_close(z);
    free(copy);
}
END_TEST

SUITE(test_issue_import)
{
    const TTest *const list[] = {marks, statuses, assignees, comments, archives, NULL};
    const int fd = mkstemp(path);
    if (fd < 0)
        return 99;
    close(fd);
    const int failed = suite_run("issue_import", list);
    unlink(path);
    return failed;
}
