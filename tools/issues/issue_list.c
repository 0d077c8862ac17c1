/* SPDX-License-Identifier: MIT
 * issue_list.c: which issues there are, in order, and what has been said about them.
 */
#include "issues/issue_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "text/message.h"

enum { ID_SHOWN = 8, DIGITS = ISSUE_ID_SIZE - 1 };

typedef struct issue_item item;

/* ---- order --------------------------------------------------------------------------------- */

static int rank_of(issue_status status)
{
    static const int ranks[ISSUE_STATUS_COUNT] = {[ISSUE_NEW] = 0,
                                                  [ISSUE_ACTIVE] = 1,
                                                  [ISSUE_REVIEWED] = 2,
                                                  [ISSUE_RESOLVED] = 3,
                                                  [ISSUE_APPROVED] = 4};
    return ranks[status];
}

static int by_need(const void *a, const void *b)
{
    const item *one = a, *other = b;
    const int first = rank_of(one->record.status), second = rank_of(other->record.status);
    /* none: the last */
    const uint64_t x = one->title ? one->title->number - 1 : UINT64_MAX;
    const uint64_t y = other->title ? other->title->number - 1 : UINT64_MAX;
    if (first != second)
        return first < second ? -1 : 1;
    return x != y ? (x < y ? -1 : 1) : strcmp(one->id, other->id);
}

static int add(issue_list *l, const char *id)
{
    l->items[l->count++] = (item){id, issue_log_find(l->log, id), issue_titles_find(l->titles, id)};
    return 0;
}

int issue_list_make(issue_list *l, const issue_log *log, const issue_titles *titles)
{
    l->log = log;
    l->titles = titles;
    l->items = malloc((log->count + titles->count + 1) * sizeof *l->items);
    if (!l->items)
        return complain_memory();
    for (size_t i = 0; i < log->count; i++)
        if (i == 0 || strcmp(log->by_issue[i - 1]->issue, log->by_issue[i]->issue) != 0)
            add(l, log->by_issue[i]->issue);
    const size_t of_log = l->count;
    for (size_t i = 0, k = 0; i < titles->count; i++) {
        while (k < of_log && strcmp(l->items[k].id, titles->items[i].id) < 0)
            k++;
        if (k == of_log || strcmp(l->items[k].id, titles->items[i].id) != 0)
            add(l, titles->items[i].id);
    }
    if (l->count > 1)
        qsort(l->items, l->count, sizeof *l->items, by_need);
    return 0;
}

void issue_list_close(issue_list *l)
{
    free(l->items);
    memset(l, 0, sizeof *l);
}

int issue_list_find(const issue_list *l, const char *prefix, size_t *out)
{
    const size_t size = strlen(prefix);
    size_t found = 0;
    *out = l->count;
    if (size < 4 || size > DIGITS || strspn(prefix, "0123456789abcdef") != size) {
        complain("issues", "expected an issue's id, 4 to 32 hexadecimal digits, found \"%s\"",
                 prefix);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < l->count; i++)
        if (strncmp(l->items[i].id, prefix, size) == 0) {
            *out = i;
            found++;
        }
    if (found > 1) {
        complain("issues", "\"%s\" begins the ids of %zu issues; give more digits", prefix, found);
        return EXIT_USAGE;
    }
    if (found == 0 && size < DIGITS) {
        complain("issues",
                 "no issue's id begins with \"%s\"; give all 32 digits, or --report FILE.jsonl, "
                 "which has it",
                 prefix);
        return EXIT_USAGE;
    }
    return 0;
}

/* ---- text ---------------------------------------------------------------------------------- */

static void print_status(const issue_record *r, FILE *out)
{
    fputs(issue_status_name(r->status), out);
    if (r->word[0]) {
        fputs(" (", out);
        print_plain(out, r->word);
        fputc(')', out);
    }
}

int issue_list_print(const issue_list *l, FILE *out)
{
    for (size_t i = 0; i < l->count; i++) {
        const item *it = &l->items[i];
        issue_comment *comments;
        size_t comment_count;
        char text[64];
        const int code = issue_log_comments(l->log, &it->record, &comments, &comment_count);
        free(comments);
        if (code != 0)
            return code;
        fprintf(out, "%.*s  ", ID_SHOWN, it->id);
        print_status(&it->record, out);
        if (it->record.assignee[0]) {
            fputs(", assigned to ", out);
            print_plain(out, it->record.assignee);
        }
        if (comment_count > 0)
            fprintf(out, ", %s", counted(comment_count, "comment", text));
        if (it->title && it->title->number == 0)
            fputs(", no more there", out);
        if (it->title && it->title->title[0]) {
            fputs(": ", out);
            print_plain(out, it->title->title);
        }
        fputc('\n', out);
    }
    return 0;
}

void issue_list_print_one(const issue_list *l, size_t number, FILE *out)
{
    const item *it = &l->items[number];
    fprintf(out, "issue %s: ", it->id);
    print_status(&it->record, out);
    fputs(", assigned to ", out);
    print_plain(out, it->record.assignee[0] ? it->record.assignee : "nobody");
    fputc('\n', out);
    if (it->title && it->title->title[0]) {
        fputs("  ", out);
        print_plain(out, it->title->title);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < it->record.count; i++) {
        const issue_event *e = issue_log_event(l->log, &it->record, i);
        fprintf(out, "  %s ", e->time);
        print_plain(out, e->author);
        const char *before = ": ";
        if (e->status) {
            fprintf(out, "%s%s", before, e->status);
            before = ", ";
        }
        if (e->word) {
            fputs(" (", out);
            print_plain(out, e->word);
            fputc(')', out);
        }
        if (e->assignee) {
            fprintf(out, "%sassigned to ", before);
            print_plain(out, e->assignee[0] ? e->assignee : "nobody");
            before = ", ";
        }
        if (e->comment) {
            fputs(before, out);
            print_plain(out, e->comment);
        }
        fputc('\n', out);
    }
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void text_or_null(json *out, const char *key, const char *text)
{
    jsonw_text(out, key, text[0] ? text : NULL);
}

int issue_list_json(const issue_list *l, size_t number, json *out)
{
    const item *it = &l->items[number];
    issue_comment *comments;
    size_t count;
    const int code = issue_log_comments(l->log, &it->record, &comments, &count);
    if (code != 0)
        return code;
    jsonw_object(out, NULL);
    jsonw_text(out, "id", it->id);
    jsonw_text(out, "status", issue_status_name(it->record.status));
    text_or_null(out, "word", it->record.word);
    text_or_null(out, "assignee", it->record.assignee);
    text_or_null(out, "changed", it->record.time);
    text_or_null(out, "by", it->record.author);
    text_or_null(out, "title", it->title ? it->title->title : "");
    jsonw_array(out, "comments");
    for (size_t i = 0; i < count; i++) {
        const issue_comment *c = &comments[i];
        jsonw_inline_object(out, NULL);
        jsonw_text(out, "guid", c->guid);
        jsonw_text(out, "time", c->first->time);
        jsonw_text(out, "author", c->first->author);
        jsonw_text(out, "text", c->last->comment);
        if (c->last != c->first) {
            jsonw_text(out, "changed", c->last->time);
            jsonw_text(out, "by", c->last->author);
        }
        jsonw_end(out);
    }
    jsonw_end(out);
    jsonw_end(out);
    free(comments);
    return 0;
}
