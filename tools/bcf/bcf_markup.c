/* SPDX-License-Identifier: MIT
 * bcf_markup.c: the texts of a BCF archive beside its viewpoints.
 * Spec: buildingSMART BCF-XML 2.1 and 3.0, markup.xsd, version.xsd, extensions.xsd
 */
#include "bcf/bcf_markup.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "issues/issue_topic.h"
#include "report/report_text.h"
#include "text/message.h"

static const struct {
    const char *type, *priority;
} kinds[BVP_VERDICT_COUNT] = {
    [BVP_VERDICT_CLEAR] = {"Clash", "Low"},
    [BVP_VERDICT_WITHIN] = {"Clearance", "Low"},
    [BVP_VERDICT_TOUCHING] = {"Contact", "Low"},
    [BVP_VERDICT_PENETRATING] = {"Clash", "High"},
    [BVP_VERDICT_ENCLOSED] = {"Clash", "High"},
    [BVP_VERDICT_DUPLICATE] = {"Duplicate", "Normal"},
    [BVP_VERDICT_UNKNOWN] = {"Undecided", "Normal"},
};

/* The verdict in the topic's type: for a resolved row the one it had. */
static bvp_verdict verdict_of(const clash_row *row)
{
    assert((unsigned)row->pair->verdict < BVP_VERDICT_COUNT);
    for (int v = 0; row->pair->verdict == BVP_VERDICT_CLEAR && v < BVP_VERDICT_COUNT; v++)
        if (strcmp(row->was, bvp_verdict_name((bvp_verdict)v)) == 0)
            return (bvp_verdict)v;
    return row->pair->verdict;
}

/* The issue that the row's topic is of, or NULL: a resolved pair of no issue. */
static const clash_issue *issue_of(const clash_row *row)
{
    return row->issue ? row->issue : row->was_in;
}

const char *bcf_markup_id(const clash_row *row)
{
    return issue_of(row) ? issue_of(row)->id : row->id;
}

/* What people have said about an issue. */
static issue_record said_of(const clash_run *run, const char *id)
{
    static const issue_log empty = {0};
    return issue_log_find(run->issues ? run->issues : &empty, id);
}

/* ---- the head of a topic --------------------------------------------------------------------- */

static void write_title(FILE *out, const clash_run *run, const clash_row *row)
{
    char measure[64];
    report_measure(run, row->pair, measure);
    fputs("<Title>", out);
    if (row->issue) {
        report_xml(out, row->issue->title);
    } else if (row->was_in && row->was_in->title[0]) {
        fputs("Resolved: ", out);
        report_xml(out, row->was_in->title);
    } else {
        fprintf(out, "Resolved, was %s: ", row->was);
        report_xml(out, report_name(&row->a));
        fputs(" and ", out);
        report_xml(out, report_name(&row->b));
    }
    fprintf(out, measure[0] ? " (%s)</Title>\n" : "%s</Title>\n", measure);
}

static void write_files(FILE *out, const clash_run *run, const bcf_topic *t)
{
    const char *paths[] = {run->path_a, run->path_b};
    const int is_old = t->version == BCF_2_1;
    fprintf(out, "<Header>\n%s", is_old ? "" : "<Files>\n");
    for (int i = 0; i < 2; i++) {
        if (!paths[i][0])
            continue;
        fprintf(out, "<File %s=\"true\">\n", is_old ? "isExternal" : "IsExternal");
        bcf_element(out, "Filename", report_base(paths[i]));
        fputs("</File>\n", out);
    }
    fprintf(out, "%s</Header>\n", is_old ? "" : "</Files>\n");
}

static void write_dates(FILE *out, const clash_run *run, const issue_record *said)
{
    /* what people have said of it, they have said since it was there */
    const char *first =
        said->count > 0 ? issue_log_event(run->issues, said, 0)->time : run->created;
    bcf_element(out, "CreationDate", strcmp(first, run->created) < 0 ? first : run->created);
    bcf_element(out, "CreationAuthor", "bvpack");
    if (said->count > 0) {
        bcf_element(out, "ModifiedDate", said->time);
        bcf_element(out, "ModifiedAuthor", said->author);
    }
    if (said->assignee[0])
        bcf_element(out, "AssignedTo", said->assignee);
}

static void write_head(FILE *out, const clash_run *run, const clash_row *row, const bcf_topic *t)
{
    const bvp_verdict verdict = verdict_of(row);
    const issue_record said = said_of(run, bcf_markup_id(row));
    const char *state = row->issue ? row->issue->state : row->state;
    fprintf(out, "%s<Markup>\n", bcf_declaration);
    write_files(out, run, t);
    fprintf(out, "<Topic Guid=\"%s\" TopicType=\"%s\" TopicStatus=\"", t->guid,
            kinds[verdict].type);
    report_xml(out, issue_topic_status(&said, !row->issue));
    fputs("\">\n", out);
    write_title(out, run, row);
    bcf_element(out, "Priority", kinds[verdict].priority);
    if (state[0] && t->version == BCF_2_1) {
        bcf_element(out, "Labels", state);
    } else if (state[0]) {
        fputs("<Labels>\n", out);
        bcf_element(out, "Label", state);
        fputs("</Labels>\n", out);
    }
    write_dates(out, run, &said);
}

/* ---- its description ------------------------------------------------------------------------- */

static void line(FILE *out, const char *what, const char *text)
{
    if (!text[0])
        return;
    fprintf(out, "%s: ", what);
    report_xml(out, text);
    fputc('\n', out);
}

/* By which the topic is known when it comes back. */
static int write_mark(FILE *out, const clash_run *run, const char *id, int is_gone)
{
    const issue_record said = said_of(run, id);
    const char *texts[] = {issue_topic_status(&said, is_gone), said.assignee};
    char *plain = malloc(ISSUE_MARK_SIZE);
    if (!plain)
        return complain_memory();
    fprintf(out, "Issue: %s", id);
    for (int i = 0; i < 2; i++) {
        issue_mark_plain(texts[i], plain);
        fputs(" [", out);
        report_xml(out, plain);
        fputc(']', out);
    }
    fputc('\n', out);
    free(plain);
    return 0;
}

int bcf_markup_begin(FILE *out, const clash_run *run, const clash_row *row, const bcf_topic *t)
{
    char measure[64], number[64], count[64];
    const clash_issue *issue = issue_of(row);
    int code = 0;
    write_head(out, run, row, t);
    fputs("<Description>", out);
    if (row->issue) {
        line(out, "Pairs", counted(row->issue->pair_count, "pair", count));
        line(out, "Where", row->issue->where);
        if (row->issue->volume > 0)
            fprintf(out, "Common volume: at most %s%s%s\n", shortest(row->issue->volume, number),
                    run->unit[0] ? " cubic " : "", run->unit);
    }
    if (issue && issue->resolved_count > 0)
        line(out, "Resolved", counted(issue->resolved_count, "pair", count));
    if (issue)
        code = write_mark(out, run, issue->id, !row->issue);
    line(out, "Verdict", bvp_verdict_name(row->pair->verdict));
    line(out, "Measure", report_measure(run, row->pair, measure));
    line(out, "A", row->a.path);
    line(out, "B", row->b.path);
    line(out, "Group", row->group);
    line(out, "Place", row->place);
    line(out, "Rule", row->rule);
    line(out, "Against the baseline", row->state);
    line(out, "Before", row->was);
    if (run->info_a.unit_in_metres <= 0)
        fputs("The model has no unit: the camera takes its lengths for metres.\n", out);
    fprintf(out, "Clash id: %s\n", row->id);
    return code;
}

void bcf_markup_add(FILE *out, const clash_run *run, const clash_row *row)
{
    char measure[64];
    report_measure(run, row->pair, measure);
    fprintf(out, "Also%s%s: ", measure[0] ? ", " : "", measure);
    report_xml(out, row->a.path);
    fputs(" | ", out);
    report_xml(out, row->b.path);
    fprintf(out, " (%s)\n", row->id);
}

/* ---- the rest of a topic --------------------------------------------------------------------- */

static int write_comments(FILE *out, const clash_run *run, const char *id, const bcf_topic *t)
{
    const issue_record said = said_of(run, id);
    issue_comment *comments;
    size_t count;
    if (said.count == 0)
        return 0;
    const int code = issue_log_comments(run->issues, &said, &comments, &count);
    if (count > 0 && t->version == BCF_3_0)
        fputs("<Comments>\n", out);
    for (size_t i = 0; i < count; i++) {
        const issue_comment *c = &comments[i];
        fprintf(out, "<Comment Guid=\"%s\">\n", c->guid);
        bcf_element(out, "Date", c->first->time);
        bcf_element(out, "Author", c->first->author);
        bcf_element(out, "Comment", c->last->comment);
        if (c->last != c->first) {
            bcf_element(out, "ModifiedDate", c->last->time);
            bcf_element(out, "ModifiedAuthor", c->last->author);
        }
        fputs("</Comment>\n", out);
    }
    if (count > 0 && t->version == BCF_3_0)
        fputs("</Comments>\n", out);
    free(comments);
    return code;
}

static void write_viewpoints(FILE *out, const bcf_topic *t)
{
    const int is_old = t->version == BCF_2_1;
    fprintf(out, is_old ? "<Viewpoints Guid=\"%s\">\n" : "<Viewpoints>\n<ViewPoint Guid=\"%s\">\n",
            t->view_guid);
    bcf_element(out, "Viewpoint", "viewpoint.bcfv");
    if (t->has_picture)
        bcf_element(out, "Snapshot", "snapshot.png");
    fputs(is_old ? "</Viewpoints>\n" : "</ViewPoint>\n</Viewpoints>\n", out);
}

/* In 2.1 comments and viewpoints stand behind the topic, in 3.0 in it. */
int bcf_markup_end(FILE *out, const clash_run *run, const char *id, const bcf_topic *t)
{
    char count[64];
    if (t->unlisted > 0)
        fprintf(out, "and %s more\n", counted(t->unlisted, "pair", count));
    fputs("</Description>\n", out);
    if (t->version == BCF_2_1)
        fputs("</Topic>\n", out);
    const int code = write_comments(out, run, id, t);
    if (t->has_view)
        write_viewpoints(out, t);
    if (t->version == BCF_3_0)
        fputs("</Topic>\n", out);
    fputs("</Markup>\n", out);
    return code;
}

/* ---- what topics have in common -------------------------------------------------------------- */

void bcf_markup_version(FILE *out, bcf_version version)
{
    if (version == BCF_2_1)
        fprintf(out,
                "%s<Version VersionId=\"2.1\">\n<DetailedVersion>2.1</DetailedVersion>\n"
                "</Version>\n",
                bcf_declaration);
    else
        fprintf(out, "%s<Version VersionId=\"3.0\"/>\n", bcf_declaration);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* <list> with an element for each text, once. */
static void write_list(FILE *out, const char *list, const char *name, const char **texts,
                       size_t count)
{
    qsort(texts, count, sizeof *texts, by_text);
    fprintf(out, "<%s>\n", list);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(texts[i - 1], texts[i]) != 0)
            bcf_element(out, name, texts[i]);
    fprintf(out, "</%s>\n", list);
}

int bcf_markup_extensions(FILE *out, const clash_run *run)
{
    static const issue_log empty = {0};
    const issue_log *log = run->issues ? run->issues : &empty;
    const char **texts = malloc((2 * log->count + ISSUE_STATUS_COUNT + 4) * sizeof *texts);
    size_t count = 0;
    if (!texts)
        return complain_memory();
    fprintf(out,
            "%s<Extensions>\n"
            "<TopicTypes>\n<TopicType>Clash</TopicType>\n<TopicType>Clearance</TopicType>\n"
            "<TopicType>Contact</TopicType>\n<TopicType>Duplicate</TopicType>\n"
            "<TopicType>Undecided</TopicType>\n</TopicTypes>\n",
            bcf_declaration);
    texts[count++] = "Closed";
    texts[count++] = "ReOpened";
    for (int s = 0; s < ISSUE_STATUS_COUNT; s++)
        texts[count++] = issue_status_topic((issue_status)s);
    for (size_t i = 0; i < log->count; i++)
        if (log->events[i].word)
            texts[count++] = log->events[i].word;
    write_list(out, "TopicStatuses", "TopicStatus", texts, count);
    fputs("<Priorities>\n<Priority>High</Priority>\n<Priority>Normal</Priority>\n"
          "<Priority>Low</Priority>\n</Priorities>\n"
          "<TopicLabels>\n<TopicLabel>new</TopicLabel>\n<TopicLabel>grown</TopicLabel>\n"
          "<TopicLabel>persistent</TopicLabel>\n"
          "<TopicLabel>resolved</TopicLabel>\n</TopicLabels>\n",
          out);
    count = 0;
    texts[count++] = "bvpack";
    for (size_t i = 0; i < log->count; i++) {
        texts[count++] = log->events[i].author;
        if (log->events[i].assignee && log->events[i].assignee[0])
            texts[count++] = log->events[i].assignee;
    }
    write_list(out, "Users", "User", texts, count);
    fputs("</Extensions>\n", out);
    free(texts);
    return 0;
}
