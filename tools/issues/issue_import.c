/* SPDX-License-Identifier: MIT
 * issue_import.c: what has been changed in a BCF archive that comes back from a BIM tool, as
 * events.
 *
 * An archive may be older than the log, so that a topic says three things: what it was when it was
 * written (the mark in its description), what it is now, and what the log has meanwhile. Only what
 * differs from the mark has been changed by somebody. It is an event at the topic's ModifiedDate;
 * where the log still says what the mark does, it comes after what the log has, whatever the clock
 * of the tool's machine. Comments are known by their identifiers.
 *
 * New events are kept apart until the archive is read: the log must not change while it is asked.
 */
#include "issues/issue_import.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "issues/issue_topic.h"
#include "text/message.h"

typedef struct known_topic {
    char guid[ISSUE_GUID_SIZE], id[ISSUE_ID_SIZE];
} known_topic;

/* A comment that the log has. */
typedef struct known_comment {
    char guid[ISSUE_GUID_SIZE];
    const issue_event *event;
} known_comment;

typedef struct importing {
    issue_import *out;
    const issue_log *log;
    issue_log added;
    const import_default *otherwise;
    known_topic *topics; /* ascending by guid */
    size_t topic_count;
    issue_mark mark;
    char name[3][ISSUE_MARK_SIZE];
} importing;

/* ---- texts --------------------------------------------------------------------------------- */

static int keep_text(import_texts *t, const char *text)
{
    if (t->count < IMPORT_LISTED) {
        char *copy = malloc(strlen(text) + 1);
        if (!copy)
            return complain_memory();
        strcpy(copy, text);
        t->items[t->count] = copy;
    }
    t->count++;
    return 0;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static int is_empty(const char *text)
{
    while (is_blank(*text))
        text++;
    return *text == '\0';
}

/* Are both the same but for their blanks? Tools that obey the schemas make one of several. */
static int is_same(const char *a, const char *b)
{
    while (is_blank(*a))
        a++;
    while (is_blank(*b))
        b++;
    while (*a && *b) {
        const int gap = is_blank(*a), other_gap = is_blank(*b);
        while (is_blank(*a))
            a++;
        while (is_blank(*b))
            b++;
        if (*a == '\0' || *b == '\0')
            break;
        if (gap != other_gap || *a++ != *b++)
            return 0;
    }
    return is_empty(a) && is_empty(b);
}

/* The first of these dates that is one. */
static void choose_date(const char *one, const char *other, const char *otherwise,
                        char out[ISSUE_DATE_SIZE])
{
    if (issue_date_read(one, out) != 0 && issue_date_read(other, out) != 0)
        memcpy(out, otherwise, ISSUE_DATE_SIZE);
}

static const char *choose_author(const importing *in, const char *one, const char *other,
                                 char out[ISSUE_MARK_SIZE])
{
    issue_topic_name(one, out);
    if (!out[0])
        issue_topic_name(other, out);
    return out[0] ? out : in->otherwise->author;
}

static int add(importing *in, const issue_event *event, const char *place)
{
    const char *wrong = issue_event_wrong(event);
    if (!wrong)
        return issue_log_add(&in->added, event);
    complain(place, "what is said of issue %.8s can't be kept: %s", event->issue, wrong);
    return EXIT_LIMIT;
}

/* ---- topics that are known ------------------------------------------------------------------- */

static int by_guid(const void *a, const void *b)
{
    return strcmp(((const known_topic *)a)->guid, ((const known_topic *)b)->guid);
}

static void add_topic(importing *in, const char *id)
{
    known_topic *t = &in->topics[in->topic_count++];
    memcpy(t->id, id, ISSUE_ID_SIZE);
    issue_guid_make(id, "topic", t->guid);
}

static int list_topics(importing *in, const issue_titles *titles)
{
    const issue_log *log = in->log;
    in->topics = malloc((log->count + titles->count + 1) * sizeof *in->topics);
    if (!in->topics)
        return complain_memory();
    for (size_t i = 0; i < log->count; i++)
        if (i == 0 || strcmp(log->by_issue[i - 1]->issue, log->by_issue[i]->issue) != 0)
            add_topic(in, log->by_issue[i]->issue);
    for (size_t i = 0; i < titles->count; i++)
        add_topic(in, titles->items[i].id);
    if (in->topic_count > 1)
        qsort(in->topics, in->topic_count, sizeof *in->topics, by_guid);
    return 0;
}

/* The topic's issue, or NULL; in->mark is what it was, if is_whole. */
static const char *issue_of(importing *in, const bcf_read_topic *t)
{
    known_topic wanted;
    memcpy(wanted.guid, t->guid, sizeof wanted.guid);
    const known_topic *known =
        in->topic_count > 0 ? bsearch(&wanted, in->topics, in->topic_count, sizeof wanted, by_guid)
                            : NULL;
    in->mark.is_whole = 0;
    if (issue_mark_find(t->description, t->guid, &in->mark))
        return in->mark.id;
    return known ? known->id : NULL;
}

/* ---- status and assignee --------------------------------------------------------------------- */

/* What has been changed of a topic. */
typedef struct change {
    issue_event event;
    int is_first; /* the log still says what the mark does */
} change;

/* The status, if somebody has changed it. plain: of the topic, as a mark has it. */
static int take_status(importing *in, const bcf_read_topic *t, const issue_record *record,
                       change *c)
{
    char *plain = in->name[0], *now = in->name[1];
    issue_mark_plain(t->status, plain);
    issue_mark_plain(issue_topic_status(record, 0), now);
    const int is_as_written = in->mark.is_whole && strcmp(in->mark.status, plain) == 0;
    if (!plain[0] || is_as_written || strcmp(plain, now) == 0)
        return 0;
    issue_status meant = issue_status_meant(plain);
    const int is_known = meant != ISSUE_STATUS_COUNT;
    meant = is_known ? meant : ISSUE_ACTIVE;
    if (record->status == meant && (is_known || strcmp(record->word, plain) == 0))
        return 0;
    char gone[ISSUE_MARK_SIZE];
    issue_mark_plain(issue_topic_status(record, 1), gone);
    c->is_first &= !in->mark.is_whole || strcmp(in->mark.status, now) == 0 ||
                   strcmp(in->mark.status, gone) == 0;
    c->event.status = issue_status_name(meant);
    if (strcmp(plain, issue_status_topic(meant)) != 0)
        c->event.word = plain;
    in->out->statuses++;
    return is_known ? 0 : keep_text(&in->out->words, plain);
}

static void take_assignee(importing *in, const bcf_read_topic *t, const issue_record *record,
                          change *c)
{
    char plain[ISSUE_MARK_SIZE], now[ISSUE_MARK_SIZE], *name = in->name[1];
    issue_mark_plain(t->assignee, plain);
    issue_mark_plain(record->assignee, now);
    const int is_as_written = in->mark.is_whole && strcmp(in->mark.assignee, plain) == 0;
    /* of a topic without a mark nobody knows whether there was somebody */
    if (is_as_written || strcmp(plain, now) == 0 || (!in->mark.is_whole && !plain[0]))
        return;
    c->is_first &= !in->mark.is_whole || strcmp(in->mark.assignee, now) == 0;
    issue_topic_name(t->assignee, name);
    c->event.assignee = name;
    in->out->assignees++;
}

static int take_change(importing *in, const bcf_read_topic *t, const char *id)
{
    const issue_record record = issue_log_find(in->log, id);
    const bcf_said *last = t->comment_count > 0 ? &t->comments[t->comment_count - 1] : NULL;
    char time[ISSUE_DATE_SIZE];
    change c = {.event = {.issue = id, .time = time}, .is_first = 1};
    const int code = take_status(in, t, &record, &c);
    take_assignee(in, t, &record, &c);
    if (code != 0 || (!c.event.status && !c.event.assignee))
        return code;
    choose_date(t->modified_date, last ? last->date : "", in->otherwise->time, time);
    if (c.is_first && strcmp(time, record.time) <= 0) {
        memcpy(time, record.time, sizeof time);
        issue_date_add(time, 1);
    }
    c.event.author = choose_author(in, t->modified_author, last ? last->author : "", in->name[2]);
    in->out->late += strcmp(time, record.time) < 0;
    return add(in, &c.event, t->place);
}

/* ---- comments -------------------------------------------------------------------------------- */

static int by_comment(const void *a, const void *b)
{
    const known_comment *one = a, *other = b;
    return strcmp(one->guid, other->guid);
}

static int list_comments(const issue_log *log, const issue_record *record, known_comment **out,
                         size_t *count)
{
    *out = malloc(((size_t)record->count + 1) * sizeof **out);
    *count = 0;
    if (!*out)
        return complain_memory();
    for (uint32_t i = 0; i < record->count; i++) {
        const issue_event *e = issue_log_event(log, record, i);
        if (!e->comment)
            continue;
        known_comment *k = &(*out)[(*count)++];
        k->event = e;
        issue_comment_guid(e, k->guid);
    }
    if (*count > 1)
        qsort(*out, *count, sizeof **out, by_comment);
    return 0;
}

/* Where the comments of an identifier begin. */
static size_t find_comment(const known_comment *list, size_t count, const char *guid)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(list[middle].guid, guid) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int take_comment(importing *in, const bcf_read_topic *t, const char *id, const bcf_said *s,
                        const known_comment *list, size_t count)
{
    char guid[ISSUE_GUID_SIZE], time[ISSUE_DATE_SIZE];
    if (is_empty(s->text))
        return 0; /* a viewpoint, perhaps */
    memcpy(guid, s->guid, sizeof guid);
    if (!guid[0]) {
        issue_guid_make(s->text, s->date, guid);
        issue_guid_make(guid, s->author, guid);
    }
    const issue_event *last = NULL;
    int was_so = 0;
    for (size_t at = find_comment(list, count, guid);
         at < count && strcmp(list[at].guid, guid) == 0; at++) {
        last = !last || list[at].event > last ? list[at].event : last; /* they are in order */
        was_so |= is_same(list[at].event->comment, s->text);
    }
    /* an older archive has what has been changed since */
    const int is_old =
        issue_date_read(s->modified_date, time) != 0 || (last && strcmp(time, last->time) <= 0);
    const int is_known = last != NULL;
    if (last && (is_same(last->comment, s->text) || (was_so && is_old))) {
        in->out->known_comments++;
        return 0;
    }
    if (is_known)
        choose_date(s->modified_date, "", in->otherwise->time, time);
    else
        choose_date(s->date, s->modified_date, in->otherwise->time, time);
    const issue_event event = {
        .time = time,
        .issue = id,
        .author = is_known ? choose_author(in, s->modified_author, s->author, in->name[0])
                           : choose_author(in, s->author, s->modified_author, in->name[0]),
        .comment = s->text,
        .guid = guid};
    *(is_known ? &in->out->changed_comments : &in->out->comments) += 1;
    return add(in, &event, t->place);
}

static int take_comments(importing *in, const bcf_read_topic *t, const char *id)
{
    const issue_record record = issue_log_find(in->log, id);
    known_comment *list;
    size_t count;
    int code = list_comments(in->log, &record, &list, &count);
    for (size_t i = 0; i < t->comment_count && code == 0; i++)
        code = take_comment(in, t, id, &t->comments[i], list, count);
    free(list);
    return code;
}

/* ---- the archive ----------------------------------------------------------------------------- */

/* A bcf_topic_fn. */
static int take_topic(void *user, const bcf_read_topic *t)
{
    importing *in = user;
    char id[ISSUE_ID_SIZE];
    const char *known = issue_of(in, t);
    in->out->topics++;
    if (!known) {
        issue_topic_name(t->title[0] ? t->title : t->guid, in->name[0]);
        return keep_text(&in->out->foreign, in->name[0]);
    }
    memcpy(id, known, sizeof id);
    const int code = take_change(in, t, id);
    return code ? code : take_comments(in, t, id);
}

int issue_import_read(issue_import *out, const char *path, issue_log *log,
                      const issue_titles *titles, const import_default *otherwise)
{
    importing *in = calloc(1, sizeof *in);
    if (!in)
        return complain_memory();
    *out = (issue_import){.path = path};
    in->out = out;
    in->log = log;
    in->otherwise = otherwise;
    int code = list_topics(in, titles);
    if (code == 0)
        code = bcf_read(path, out->version, take_topic, in);
    for (size_t i = 0; i < in->added.count && code == 0; i++)
        code = issue_log_add(log, &in->added.events[i]);
    if (code == 0)
        code = issue_log_sort(log);
    issue_log_close(&in->added);
    free(in->topics);
    free(in);
    return code;
}

void issue_import_free(issue_import *i)
{
    import_texts *texts[] = {&i->foreign, &i->words};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
        for (uint64_t k = 0; k < texts[t]->count && k < IMPORT_LISTED; k++)
            free(texts[t]->items[k]);
    memset(i, 0, sizeof *i);
}

/* ---- what came of it ------------------------------------------------------------------------- */

static void print_texts(const import_texts *t, FILE *out)
{
    char more[32];
    for (uint64_t i = 0; i < t->count && i < IMPORT_LISTED; i++) {
        fputs("    ", out);
        print_plain(out, t->items[i]);
        fputc('\n', out);
    }
    if (t->count > IMPORT_LISTED)
        fprintf(out, "    and %s more\n", grouped(t->count - IMPORT_LISTED, more));
}

void issue_import_print(const issue_import *i, FILE *out)
{
    char a[64], b[64];
    print_plain(out, i->path);
    fputs(": BCF ", out);
    print_plain(out, i->version[0] ? i->version : "of no version");
    fprintf(out, ", %s: ", counted(i->topics, "topic", a));
    fprintf(out, "%s of the status, ", counted(i->statuses, "change", a));
    fprintf(out, "%s of who is to solve it; ", grouped(i->assignees, a));
    fprintf(out, "%s new, %s changed, ", counted(i->comments, "comment", a),
            grouped(i->changed_comments, b));
    fprintf(out, "%s there already\n", grouped(i->known_comments, a));
    if (i->late > 0)
        fprintf(out, "  overtaken by what was said later: %s\n", counted(i->late, "change", a));
    if (i->words.count > 0)
        fputs("  words for a status that nobody knows here, taken for active:\n", out);
    print_texts(&i->words, out);
    if (i->foreign.count > 0)
        fprintf(out, "  of no issue that is known here: %s; a --report may know %s\n",
                counted(i->foreign.count, "topic", a), i->foreign.count == 1 ? "it" : "them");
    print_texts(&i->foreign, out);
}

static void put_texts(json *out, const char *key, const import_texts *t)
{
    jsonw_array(out, key);
    for (uint64_t i = 0; i < t->count && i < IMPORT_LISTED; i++)
        jsonw_text(out, NULL, t->items[i]);
    jsonw_end(out);
}

void issue_import_json(const issue_import *i, json *out)
{
    jsonw_object(out, NULL);
    jsonw_text(out, "file", i->path);
    jsonw_text(out, "bcf", i->version);
    jsonw_count(out, "topics", i->topics);
    jsonw_count(out, "statuses", i->statuses);
    jsonw_count(out, "assignees", i->assignees);
    jsonw_count(out, "comments", i->comments);
    jsonw_count(out, "changed_comments", i->changed_comments);
    jsonw_count(out, "known_comments", i->known_comments);
    jsonw_count(out, "overtaken", i->late);
    jsonw_count(out, "foreign", i->foreign.count);
    put_texts(out, "foreign_titles", &i->foreign);
    jsonw_count(out, "unknown_words", i->words.count);
    put_texts(out, "words", &i->words);
    jsonw_end(out);
}
