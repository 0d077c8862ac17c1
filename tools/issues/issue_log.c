/* SPDX-License-Identifier: MIT
 * issue_log.c: what people have said about issues: a file of events beside the model.
 *
 * A file is a set of lines, and their order carries nothing: two branches are merged by taking the
 * lines of both, which git's merge driver "union" does, and a line that comes twice is one event.
 * Files are written in the order of their lines' bytes. As a line begins with its time, that is the
 * order of time, and a new event is usually a new last line.
 */
#include "issues/issue_log.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "files/input.h"
#include "files/output.h"
#include "text/array.h"
#include "text/json.h"
#include "text/json_tree.h"
#include "text/memory_text.h"
#include "text/message.h"

/* ---- an event ------------------------------------------------------------------------------ */

/* The members in the order of a line. */
static const struct {
    const char *key;
    size_t offset;
    size_t most; /* bytes */
} members[] = {
    {"time", offsetof(issue_event, time), ISSUE_NAME_MAX},
    {"issue", offsetof(issue_event, issue), ISSUE_NAME_MAX},
    {"author", offsetof(issue_event, author), ISSUE_NAME_MAX},
    {"status", offsetof(issue_event, status), ISSUE_NAME_MAX},
    {"word", offsetof(issue_event, word), ISSUE_NAME_MAX},
    {"assignee", offsetof(issue_event, assignee), ISSUE_NAME_MAX},
    {"comment", offsetof(issue_event, comment), ISSUE_COMMENT_MAX},
    {"guid", offsetof(issue_event, guid), ISSUE_NAME_MAX},
};
enum { MEMBERS = sizeof members / sizeof members[0] };

static const char **member_of(issue_event *e, size_t i)
{
    return (const char **)((char *)e + members[i].offset);
}

static const char *text_of(const issue_event *e, size_t i)
{
    return *(const char *const *)((const char *)e + members[i].offset);
}

static int is_id(const char *text)
{
    return strlen(text) == ISSUE_ID_SIZE - 1 &&
           strspn(text, "0123456789abcdef") == ISSUE_ID_SIZE - 1;
}

const char *issue_event_wrong(const issue_event *e)
{
    char guid[ISSUE_GUID_SIZE];
    for (size_t i = 0; i < MEMBERS; i++)
        if (text_of(e, i) && strlen(text_of(e, i)) > members[i].most)
            return "a text is longer than 1,024 bytes, or a comment than 1,048,576";
    if (!e->time || !issue_date_is_plain(e->time))
        return "expected \"time\" as 2026-11-27T09:30:00Z";
    if (!e->issue || !is_id(e->issue))
        return "expected \"issue\" with 32 hexadecimal digits";
    if (!e->author || !e->author[0])
        return "expected \"author\" with a name";
    if (e->status && issue_status_of(e->status) == ISSUE_STATUS_COUNT)
        return "expected \"status\" with new, active, reviewed, approved or resolved";
    if (e->word && (!e->status || !e->word[0]))
        return "expected \"word\" only beside a \"status\", and not empty";
    if (e->guid && (!e->comment || issue_guid_read(e->guid, guid) != 0 || strcmp(guid, e->guid)))
        return "expected \"guid\" only beside a \"comment\", as 8-4-4-4-12 hexadecimal digits";
    if (e->comment && !e->comment[0])
        return "expected \"comment\" with a text";
    if (!e->status && !e->assignee && !e->comment)
        return "expected \"status\", \"assignee\" or \"comment\"";
    return NULL;
}

/* The event's form in the file, to be freed; NULL: no memory. */
static char *line_of(const issue_event *e)
{
    memory_text t;
    json j;
    if (!memory_text_open(&t))
        return NULL;
    jsonw_start(&j, t.out, 0);
    jsonw_object(&j, NULL);
    for (size_t i = 0; i < MEMBERS; i++)
        if (text_of(e, i))
            jsonw_text(&j, members[i].key, text_of(e, i));
    jsonw_end(&j);
    jsonw_finish(&j);
    return memory_text_close(&t) == 0 ? t.data : NULL;
}

/* One block holds the line and all texts. */
int issue_log_add(issue_log *log, const issue_event *event)
{
    assert(!issue_event_wrong(event));
    if (log->count >= UINT32_MAX - 1) {
        complain("issues", "more events than a file can have");
        return EXIT_LIMIT;
    }
    char *line = line_of(event);
    if (!line ||
        array_grow(&log->events, &log->capacity, log->count + 1, sizeof *log->events) != 0) {
        free(line);
        return complain_memory();
    }
    size_t size = strlen(line) + 1;
    for (size_t i = 0; i < MEMBERS; i++)
        size += text_of(event, i) ? strlen(text_of(event, i)) + 1 : 0;
    char *block = malloc(size), *at = block;
    if (!block) {
        free(line);
        return complain_memory();
    }
    issue_event *copy = &log->events[log->count++];
    *copy = (issue_event){.line = block};
    at = stpcpy(at, line) + 1;
    for (size_t i = 0; i < MEMBERS; i++) {
        if (!text_of(event, i))
            continue;
        *member_of(copy, i) = at;
        at = stpcpy(at, text_of(event, i)) + 1;
    }
    free(line);
    return 0;
}

static int ends_with(const char *text, const char *ending)
{
    const size_t size = strlen(text), length = strlen(ending);
    return size > length && strcmp(text + size - length, ending) == 0;
}

char *issue_log_path(const char *given)
{
    const int is_model = ends_with(given, ".bvp") || ends_with(given, ".zst");
    const char *ending = is_model ? ISSUE_LOG_ENDING : "";
    char *path = malloc(strlen(given) + strlen(ending) + 1);
    if (path)
        strcpy(stpcpy(path, given), ending);
    return path;
}

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct parsing {
    issue_event event;
    char wrong[160]; /* or "" */
} parsing;

/* A json_member_fn. */
static int take_member(void *user, const char *key, const json_value *value)
{
    parsing *p = user;
    const char *text = json_tree_text(value);
    size_t i = 0;
    while (i < MEMBERS && strcmp(members[i].key, key) != 0)
        i++;
    if (i == MEMBERS)
        snprintf(p->wrong, sizeof p->wrong,
                 "no member \"%.40s\" is known; was it written by a newer bvpack?", key);
    else if (!text || strlen(text) != json_tree_text_size(value))
        snprintf(p->wrong, sizeof p->wrong, "expected \"%s\" with a text", key);
    else
        *member_of(&p->event, i) = text;
    return p->wrong[0] != '\0';
}

static int is_conflict(const char *line, size_t size)
{
    return size >= 7 && (memcmp(line, "<<<<<<<", 7) == 0 || memcmp(line, "=======", 7) == 0 ||
                         memcmp(line, ">>>>>>>", 7) == 0 || memcmp(line, "|||||||", 7) == 0);
}

static int read_line(issue_log *log, const char *where, const char *line, size_t size)
{
    json_fault fault = {0};
    parsing p = {.wrong = ""};
    if (is_conflict(line, size)) {
        complain(where, "a conflict of a merge; keep the lines of both sides, and write "
                        "\"*-issues.jsonl merge=union\" into .gitattributes");
        return EXIT_INPUT;
    }
    json_value *root = json_tree_open(line, size, &fault);
    const char *wrong = root && json_tree_is_object(root) ? NULL
                        : root                            ? "expected an object"
                                                          : fault.text;
    if (!wrong && json_tree_each(root, take_member, &p))
        wrong = p.wrong;
    if (!wrong)
        wrong = issue_event_wrong(&p.event);
    int code = 0;
    if (fault.is_memory) {
        code = complain_memory();
    } else if (wrong) {
        complain(where, "%s; repair the line or remove it", wrong);
        code = EXIT_INPUT;
    } else {
        code = issue_log_add(log, &p.event);
    }
    json_tree_close(root);
    return code;
}

/* What is no list at all, nor one with a merge's marks in it, is a model, most likely, and its
 * lines need no repair. */
static int refuse_other_file(const char *path)
{
    char packing[512];
    const int is_model = message_packing(packing, sizeof packing, path);
    complain(path, "expected a packed file, or the list of issues beside it, FILE.bvp%s%s%s",
             ISSUE_LOG_ENDING, is_model ? "; pack a model first: " : "", is_model ? packing : "");
    return EXIT_INPUT;
}

int issue_log_read(issue_log *log, const char *path, int is_optional)
{
    input file = {.fd = -1};
    if (is_optional && access(path, F_OK) != 0 && errno == ENOENT)
        return issue_log_sort(log);
    int code = input_open(&file, path), number = 1;
    const char *data = file.data;
    if (code == 0 && file.size > 0 && !memchr(" \t\r\n{<=>", data[0], 8))
        code = refuse_other_file(path);
    for (size_t at = 0; code == 0 && at < file.size; number++) {
        const char *end = memchr(data + at, '\n', file.size - at);
        const size_t stop = end ? (size_t)(end - data) : file.size;
        size_t size = stop - at;
        char where[512];
        while (size > 0 && memchr(" \t\r", data[at + size - 1], 3))
            size--;
        snprintf(where, sizeof where, "%.480s: line %d", path, number);
        if (size > 0)
            code = read_line(log, where, data + at, size);
        at = stop + 1;
    }
    input_close(&file);
    return code ? code : issue_log_sort(log);
}

/* ---- order --------------------------------------------------------------------------------- */

static int by_line(const void *a, const void *b)
{
    return strcmp(((const issue_event *)a)->line, ((const issue_event *)b)->line);
}

static int by_issue(const void *a, const void *b)
{
    const issue_event *one = *(const issue_event *const *)a;
    const issue_event *other = *(const issue_event *const *)b;
    const int order = strcmp(one->issue, other->issue);
    return order ? order : (one > other) - (one < other);
}

static void free_event(issue_event *e)
{
    free((char *)e->line); /* the block of all of its texts */
}

int issue_log_sort(issue_log *log)
{
    size_t kept = 0;
    if (log->count > 1)
        qsort(log->events, log->count, sizeof *log->events, by_line);
    for (size_t i = 0; i < log->count; i++)
        if (kept > 0 && strcmp(log->events[kept - 1].line, log->events[i].line) == 0)
            free_event(&log->events[i]);
        else
            log->events[kept++] = log->events[i];
    log->count = kept;
    free(log->by_issue);
    log->by_issue = malloc((kept + 1) * sizeof *log->by_issue);
    if (!log->by_issue)
        return complain_memory();
    for (size_t i = 0; i < kept; i++)
        log->by_issue[i] = &log->events[i];
    if (kept > 1)
        qsort(log->by_issue, kept, sizeof *log->by_issue, by_issue);
    return 0;
}

void issue_log_close(issue_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        free_event(&log->events[i]);
    free(log->events);
    free(log->by_issue);
    memset(log, 0, sizeof *log);
}

/* ---- questions ----------------------------------------------------------------------------- */

issue_record issue_log_find(const issue_log *log, const char *issue)
{
    issue_record r = {.word = "", .assignee = "", .time = "", .author = ""};
    size_t low = 0, high = log->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(log->by_issue[middle]->issue, issue) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    r.first = (uint32_t)low;
    for (size_t i = low; i < log->count && strcmp(log->by_issue[i]->issue, issue) == 0; i++) {
        const issue_event *e = log->by_issue[i];
        if (e->status) {
            r.status = issue_status_of(e->status);
            r.word = e->word ? e->word : "";
        }
        if (e->assignee)
            r.assignee = e->assignee;
        r.time = e->time;
        r.author = e->author;
        r.count++;
    }
    return r;
}

const issue_event *issue_log_event(const issue_log *log, const issue_record *record, uint32_t i)
{
    assert(i < record->count && record->first + (size_t)i < log->count);
    return log->by_issue[record->first + (size_t)i];
}

void issue_comment_guid(const issue_event *event, char out[ISSUE_GUID_SIZE])
{
    if (event->guid)
        memcpy(out, event->guid, ISSUE_GUID_SIZE);
    else
        issue_guid_make(event->line, "comment", out);
}

static int by_guid(const void *a, const void *b)
{
    const issue_comment *one = a, *other = b;
    const int order = strcmp(one->guid, other->guid);
    return order ? order : (one->first > other->first) - (one->first < other->first);
}

static int by_first(const void *a, const void *b)
{
    const issue_comment *one = a, *other = b;
    return (one->first > other->first) - (one->first < other->first);
}

int issue_log_comments(const issue_log *log, const issue_record *record, issue_comment **out,
                       size_t *count)
{
    issue_comment *list = malloc(((size_t)record->count + 1) * sizeof *list);
    size_t all = 0, kept = 0;
    *out = list;
    *count = 0;
    if (!list)
        return complain_memory();
    for (uint32_t i = 0; i < record->count; i++) {
        const issue_event *e = issue_log_event(log, record, i);
        if (!e->comment)
            continue;
        list[all].first = list[all].last = e;
        issue_comment_guid(e, list[all].guid);
        all++;
    }
    if (all > 1)
        qsort(list, all, sizeof *list, by_guid);
    for (size_t i = 0; i < all; i++)
        if (kept > 0 && strcmp(list[kept - 1].guid, list[i].guid) == 0)
            list[kept - 1].last = list[i].last;
        else
            list[kept++] = list[i];
    if (kept > 1)
        qsort(list, kept, sizeof *list, by_first);
    *count = kept;
    return 0;
}

/* ---- writing ------------------------------------------------------------------------------- */

int issue_log_write(const issue_log *log, const char *path)
{
    output out;
    int code = output_open(&out, path);
    if (code != 0)
        return code;
    const int fd = dup(out.fd);
    FILE *stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    int failed = !stream;
    for (size_t i = 0; i < log->count && !failed; i++)
        failed = fputs(log->events[i].line, stream) < 0;
    if (stream)
        failed |= fclose(stream) != 0;
    else if (fd >= 0)
        close(fd);
    if (!failed)
        return output_commit(&out);
    complain(path, "can't write: %s", strerror(errno));
    output_discard(&out);
    return EXIT_OUTPUT;
}

/* The file itself may not be there yet, and is replaced by a new one. */
int issue_log_lock(const char *path)
{
    char folder[PATH_MAX];
    if (strcmp(path, "-") == 0 || folder_of(path, folder, sizeof folder) != 0)
        return -1;
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR)
        ;
    return fd;
}
