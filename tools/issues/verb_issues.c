/* SPDX-License-Identifier: MIT
 * verb_issues.c: the verb issues: what people have said about the issues of a model: lists it, and
 * adds to it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/options.h"
#include "issues/issue_import.h"
#include "issues/issue_list.h"
#include "issues/issue_log.h"
#include "issues/issue_titles.h"
#include "text/message.h"

typedef struct settings {
    const char *status, *assignee, *comment, *author, *date;
    option_list reports, imports;
    int json, quiet;
} settings;

typedef struct job {
    const settings *set;
    char *path; /* of the file of events */
    char **ids;
    int id_count;
    issue_log log;
    issue_titles titles;
    issue_list list;
    char now[ISSUE_DATE_SIZE];
    size_t added;
    issue_import *imports; /* of the archives */
    int import_count;
} job;

/* Does it say something of the issues whose ids are given? */
static int says(const settings *set)
{
    return set->status || set->assignee || set->comment;
}

static int changes(const settings *set)
{
    return says(set) || set->imports.count > 0;
}

static int check_settings(job *j)
{
    const settings *set = j->set;
    if (set->date && issue_date_read(set->date, j->now) != 0) {
        complain("--date",
                 "expected a date such as 2026-11-27 or 2026-11-27T09:30:00+01:00, found "
                 "\"%s\"",
                 set->date);
        return EXIT_USAGE;
    }
    if (!set->date)
        issue_date_now(j->now);
    if (set->comment && !set->comment[0]) {
        complain("--comment", "expected a text");
        return EXIT_USAGE;
    }
    if (set->author && !set->author[0]) {
        complain("--author", "expected a name");
        return EXIT_USAGE;
    }
    if (says(set) && j->id_count == 0) {
        complain("issues", "--status, --assign and --comment need the ids of issues behind FILE");
        return EXIT_USAGE;
    }
    return 0;
}

static const char *author_of(const settings *set)
{
    const char *user = getenv("USER");
    return set->author ? set->author : user && user[0] ? user : "unknown";
}

/* ---- changes ------------------------------------------------------------------------------- */

/* To whom an event is added, and when. */
typedef struct target {
    char id[ISSUE_ID_SIZE], time[ISSUE_DATE_SIZE];
} target;

/* An event that somebody makes now counts, also when the clock is behind the last event's. */
static void choose_time(const job *j, target *t)
{
    const issue_record before = issue_log_find(&j->log, t->id);
    memcpy(t->time, j->now, ISSUE_DATE_SIZE);
    if (strcmp(before.time, t->time) < 0)
        return;
    if (j->set->date) {
        if (strcmp(before.time, t->time) > 0)
            complain("--date",
                     "issue %.8s has an event of %s, which is later and decides where "
                     "both speak",
                     t->id, before.time);
        return;
    }
    memcpy(t->time, before.time, ISSUE_DATE_SIZE);
    issue_date_add(t->time, 1);
}

static int change_one(job *j, const target *t)
{
    const settings *set = j->set;
    const issue_event event = {.time = t->time,
                               .issue = t->id,
                               .author = author_of(set),
                               .status = set->status,
                               .assignee = set->assignee,
                               .comment = set->comment};
    const char *wrong = issue_event_wrong(&event);
    if (wrong) {
        complain("issues", "%s", wrong);
        return EXIT_USAGE;
    }
    return issue_log_add(&j->log, &event);
}

/* Targets are chosen before anything is added: a log with new events has to be sorted before it is
 * asked. */
static int change(job *j)
{
    target *targets = calloc((size_t)j->id_count + 1, sizeof *targets);
    int code = targets ? 0 : complain_memory();
    const size_t before = j->log.count;
    for (int i = 0; i < j->id_count && code == 0; i++) {
        target *t = &targets[i];
        size_t at;
        code = issue_list_find(&j->list, j->ids[i], &at);
        if (code != 0)
            break;
        snprintf(t->id, sizeof t->id, "%s", at < j->list.count ? j->list.items[at].id : j->ids[i]);
        choose_time(j, t);
    }
    for (int i = 0; i < j->id_count && code == 0; i++)
        code = change_one(j, &targets[i]);
    free(targets);
    if (code == 0)
        code = issue_log_sort(&j->log);
    if (code == 0)
        j->added += j->log.count - before;
    return code;
}

/* ---- archives ------------------------------------------------------------------------------ */

/* When something was said that an archive has no date for: when its file was written, so that it is
 * the same event when it is read again. */
static void choose_default(const job *j, const char *path, char out[ISSUE_DATE_SIZE])
{
    struct stat file;
    memcpy(out, j->now, ISSUE_DATE_SIZE);
    if (j->set->date || getenv("SOURCE_DATE_EPOCH") || stat(path, &file) != 0)
        return;
    char written[ISSUE_DATE_SIZE];
    if (issue_date_of((int64_t)file.st_mtime, written) == 0 && strcmp(written, out) < 0)
        memcpy(out, written, ISSUE_DATE_SIZE);
}

static int import_all(job *j)
{
    const option_list *list = &j->set->imports;
    const size_t before = j->log.count;
    int code = 0;
    j->imports = calloc((size_t)list->count + 1, sizeof *j->imports);
    if (!j->imports)
        return complain_memory();
    for (int i = 0; i < list->count && code == 0; i++) {
        char time[ISSUE_DATE_SIZE];
        choose_default(j, list->items[i], time);
        const import_default otherwise = {author_of(j->set), time};
        code = issue_import_read(&j->imports[j->import_count++], list->items[i], &j->log,
                                 &j->titles, &otherwise);
    }
    j->added = j->log.count - before;
    return code;
}

/* ---- the verb ------------------------------------------------------------------------------ */

static int list_again(job *j)
{
    issue_list_close(&j->list);
    return issue_list_make(&j->list, &j->log, &j->titles);
}

static int print_json(const job *j, const size_t *chosen, size_t count)
{
    json out;
    int code = 0;
    jsonw_start(&out, stdout, 1);
    jsonw_object(&out, NULL);
    jsonw_text(&out, "file", j->path);
    jsonw_count(&out, "events", j->log.count);
    jsonw_count(&out, "added", j->added);
    if (j->import_count > 0)
        jsonw_array(&out, "imports");
    for (int i = 0; i < j->import_count; i++)
        issue_import_json(&j->imports[i], &out);
    if (j->import_count > 0)
        jsonw_end(&out);
    jsonw_array(&out, "issues");
    for (size_t i = 0; i < count && code == 0; i++)
        code = issue_list_json(&j->list, chosen[i], &out);
    jsonw_end(&out);
    jsonw_end(&out);
    jsonw_finish(&out);
    return code;
}

static int print_text(const job *j, const size_t *chosen, size_t count)
{
    char issues[64], events[64], added[64];
    print_plain(stdout, j->path);
    printf(": %s, %s", counted(j->list.count, "issue", issues),
           counted(j->log.count, "event", events));
    printf(j->added > 0 ? ", %s of them new\n" : "\n", grouped(j->added, added));
    for (int i = 0; i < j->import_count; i++)
        issue_import_print(&j->imports[i], stdout);
    if (j->id_count == 0)
        return issue_list_print(&j->list, stdout);
    for (size_t i = 0; i < count; i++)
        issue_list_print_one(&j->list, chosen[i], stdout);
    return 0;
}

/* The issues that were asked for, or all. */
static int print(job *j)
{
    const size_t most = j->id_count > 0 ? (size_t)j->id_count : j->list.count;
    size_t *chosen = malloc((most + 1) * sizeof *chosen), count = 0;
    int code = chosen ? 0 : complain_memory();
    for (size_t i = 0; i < most && code == 0; i++) {
        size_t at = i;
        if (j->id_count > 0)
            code = issue_list_find(&j->list, j->ids[i], &at);
        if (code == 0 && at == j->list.count) {
            complain("issues", "there is no issue %s", j->ids[i]);
            code = EXIT_USAGE;
        }
        if (code == 0)
            chosen[count++] = at;
    }
    if (code == 0 && j->set->json)
        code = print_json(j, chosen, count);
    else if (code == 0 && !j->set->quiet)
        code = print_text(j, chosen, count);
    free(chosen);
    return code;
}

static int run_job(job *j)
{
    int code = check_settings(j);
    const int fd = code == 0 && changes(j->set) ? issue_log_lock(j->path) : -1;
    if (code == 0)
        code = issue_log_read(&j->log, j->path, changes(j->set) || j->set->reports.count > 0);
    for (int i = 0; i < j->set->reports.count && code == 0; i++)
        code = issue_titles_read(&j->titles, j->set->reports.items[i]);
    if (code == 0 && j->set->imports.count > 0)
        code = import_all(j);
    if (code == 0)
        code = list_again(j);
    if (code == 0 && says(j->set))
        code = change(j);
    if (code == 0 && j->added > 0)
        code = issue_log_write(&j->log, j->path);
    if (code == 0)
        code = list_again(j);
    if (fd >= 0)
        close(fd);
    return code ? code : print(j);
}

static int run(const verb *self, int argc, char **argv)
{
    settings set = {0};
    int code, first = options_operands(self, argc, argv, &set, 1, -1, "FILE [ID]...", &code);
    if (first < 0)
        return code;
    job j = {.set = &set, .ids = argv + first + 1, .id_count = argc - first - 1};
    j.path = issue_log_path(argv[first]);
    code = j.path ? run_job(&j) : complain_memory();
    for (int i = 0; i < j.import_count; i++)
        issue_import_free(&j.imports[i]);
    free(j.imports);
    issue_list_close(&j.list);
    issue_titles_close(&j.titles);
    issue_log_close(&j.log);
    free(j.path);
    return code;
}

#define ROW(name, letter, kind, member, value, help)                                               \
    {                                                                                              \
        name, letter, kind, offsetof(settings, member), value, help, 0, 0                          \
    }

static const option_row options[] = {
    ROW("status", 's', OPTION_CHOICE, status, ISSUE_STATUS_WORDS,
        "say so of the issues of these ids: approved ones may stay as they are, resolved ones are "
        "said to be solved"),
    ROW("assign", 'a', OPTION_TEXT, assignee, "NAME", "who is to solve them; '': nobody"),
    ROW("comment", 'm', OPTION_TEXT, comment, "TEXT", "say something about them"),
    ROW("import", 'i', OPTION_FILES, imports, "FILE",
        "take over what has been changed in a BCF file (2.0, 2.1, 3.0) of \"bvpack clash\" that "
        "comes back from a BIM tool: status, who is to solve it, comments; may be given several "
        "times"),
    ROW("author", 0, OPTION_TEXT, author, "NAME", "who says it; by default $USER"),
    ROW("date", 0, OPTION_TEXT, date, "DATE",
        "when it is said, of several events the latest decides; by default now, or "
        "$SOURCE_DATE_EPOCH, or right behind what was said before"),
    ROW("report", 'r', OPTION_FILES, reports, "FILE",
        "a report of \"bvpack clash\" as .jsonl, whose issues are listed, too, with their titles; "
        "may be given several times"),
    ROW("json", 0, OPTION_FLAG, json, NULL, "print JSON"),
    ROW("quiet", 'q', OPTION_FLAG, quiet, NULL, "print nothing but errors"),
    {0},
};

const verb verb_issues = {
    .name = "issues",
    .summary = "list or change what people have said about the issues of clash runs",
    .synopsis = "FILE [ID]... [OPTION]...\n",
    .description =
        "\"bvpack clash\" finds issues, and each has an id that stays the same from night to night "
        "with --baseline. FILE holds what people have come to about them: a status (new, active, "
        "reviewed, approved, resolved), who is to solve it, comments. For plant.bvp it is "
        "plant.bvp-issues.jsonl, and FILE may be either. ID is the beginning of an issue's id, at "
        "least 4 digits of it, which no other issue has; an issue that nobody has said anything "
        "about needs all 32 digits, or a --report that has it.\n\n"
        "Without --status, --assign and --comment the issues are listed, those first that need "
        "somebody; with ids, each with its history.\n\n"
        "The file has an event a line, in the order of time, and nothing is ever taken away. So "
        "several people can work on copies of it: to merge them take the lines of both, as git "
        "does with \"*-issues.jsonl merge=union\" in .gitattributes. Of each matter the latest "
        "event decides, of events at one time the one whose line comes later in the order of its "
        "bytes.\n\n"
        "--import reads what a BIM tool has made of a BCF report. Topics are known by their "
        "identifiers; those of no issue here are counted and named. What was changed since the "
        "report was written becomes events with the tool's dates and authors, comments come with "
        "their identifiers, and what is there already is not added again. Words for a status are "
        "understood: Open is new; In Progress and ReOpened are active; Closed, Done and Fixed "
        "are resolved; Accepted and Ignored are approved. One that nobody knows here is taken for "
        "active. The tool's word is kept, and the next report has it again.\n\n"
        "\"bvpack clash\" reads the file when it stands beside the model: its reports have status "
        "and assignee, approved issues are no findings for --exit-code, and an issue that was "
        "resolved but is still found is called reopened.",
    .options = options,
    .examples = "# what is there, with titles\n"
                "bvpack issues plant.bvp --report today.jsonl\n"
                "# the welded seam may stay; the pipe is Anna's\n"
                "bvpack issues plant.bvp 7e07ab12 --status approved --comment 'welded on site' "
                "--report today.jsonl\n"
                "bvpack issues plant.bvp 04c1 --status active --assign anna --report today.jsonl\n"
                "# what came back from the BIM tool\n"
                "bvpack issues plant.bvp --import edited.bcf\n",
    .exit_codes = NULL,
    .completes = "bvp|zst|jsonl",
    .run = run,
};
