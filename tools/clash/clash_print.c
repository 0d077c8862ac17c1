/* SPDX-License-Identifier: MIT
 * clash_print.c: the worst issues and the coverage statement of a clash run, for people and
 * programs.
 *
 * What clash_run.c has summed up is only formatted here. Rows are made again from the kept pairs,
 * because a run without a report makes none.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include "clash/clash_job.h"
#include "report/clash_severity.h"
#include "text/message.h"

enum { GROUPS_SHOWN = 10 };

enum { VERDICTS_SHOWN = BVP_VERDICT_COUNT - 1 /* all but clear */ };

/* ---- text ---------------------------------------------------------------------------------- */

static void print_length(FILE *out, const char *before, double length, const char *unit)
{
    fprintf(out, "%s%.6g%s%s", before, length, unit[0] ? " " : "", unit);
}

/* A status as people say it. */
static const char *status_words(const char *status)
{
    return strcmp(status, "reopened") == 0 ? "resolved, but still there" : status;
}

static const char *said_name(int status)
{
    return status == ISSUE_RESOLVED ? "reopened" : issue_status_name((issue_status)status);
}

/* What people have said about the issues. */
static void print_said(const clash_job *j, FILE *out)
{
    const char *before = "people say of the issues: ";
    char a[32];
    for (int i = 0; i < ISSUE_STATUS_COUNT && j->run.issues; i++)
        if (j->summary.said[i] > 0) {
            fprintf(out, "%s%s %s", before, grouped(j->summary.said[i], a),
                    status_words(said_name(i)));
            before = ", ";
        }
    if (before[0] == ',')
        fputc('\n', out);
}

static void print_counts(const clash_job *j, FILE *out)
{
    const clash_summary *s = &j->summary;
    char a[64];
    for (int i = 0; i < VERDICTS_SHOWN; i++)
        if (j->shown[clash_severity_verdict(i)] > 0)
            fprintf(out, "  %-12s %12s\n", bvp_verdict_name(clash_severity_verdict(i)),
                    grouped(j->shown[clash_severity_verdict(i)], a));
    if (s->row_count == 0)
        fputs("  no pair to report\n", out);
    else
        fprintf(out, "  in all       %12s\n", counted(s->issue_count, "issue", a));
    print_said(j, out);
    if (!j->set->baseline)
        return;
    fprintf(out, "against the baseline: %s new", grouped(s->new_count, a));
    fprintf(out, ", %s persistent", grouped(s->persistent_count, a));
    if (!s->complete) {
        fputs("; what is resolved only a complete run can tell\n", out);
        return;
    }
    fprintf(out, ", %s resolved", grouped(s->resolved_count, a));
    if (s->hidden_count > 0)
        fprintf(out, ", %s no longer looked at", grouped(s->hidden_count, a));
    fputc('\n', out);
}

/* How many of the reported issues are shown here. */
static uint32_t worst_count(const clash_job *j)
{
    const uint64_t count = j->summary.issue_count;
    return (uint32_t)(count < j->set->worst ? count : j->set->worst);
}

/* An issue and the row of its most severe pair, NULL: that has been said. */
static const clash_row *worst_row(clash_job *j, uint32_t number, clash_issue *issue,
                                  bvp_clash_pair *pair)
{
    const clash_gathered *g = &j->gathered;
    if (clash_issue_of(j, number, issue) != 0)
        return NULL;
    clash_row *row = clash_row_of(j, &j->kept.items[g->order[g->first[number]]], pair);
    if (row)
        row->issue = issue;
    return row;
}

/* What of an issue is a word or a number, with commas between. */
static void print_facts(const clash_job *j, const clash_row *row, FILE *out)
{
    const clash_issue *issue = row->issue;
    const bvp_clash_pair *pair = row->pair;
    const int is_inside =
        pair->verdict == BVP_VERDICT_ENCLOSED || pair->verdict == BVP_VERDICT_UNKNOWN;
    char count[64];
    if (pair->depth > 0 && !is_inside) {
        print_length(out, "", pair->depth, j->run.unit);
        fputs(" deep, ", out);
    } else if (pair->distance > 0) {
        print_length(out, is_inside ? "surfaces " : "", pair->distance, j->run.unit);
        fputs(" apart, ", out);
    }
    fprintf(out, "%s, ", counted(issue->pair_count, "pair", count));
    if (issue->where[0]) {
        print_plain(out, issue->where);
        fputs(", ", out);
    }
    if (issue->status[0])
        fprintf(out, "%s, ", status_words(issue->status));
    if (issue->assignee[0]) {
        fputs("assigned to ", out);
        print_plain(out, issue->assignee);
        fputs(", ", out);
    }
    fprintf(out, "%s, %s%s%s\n", row->place, issue->state, issue->state[0] ? ", " : "", issue->id);
}

static int print_worst(clash_job *j, FILE *out)
{
    const uint32_t count = worst_count(j);
    if (count == 0)
        return 0;
    fprintf(out, "the worst:\n");
    for (uint32_t i = 0; i < count; i++) {
        bvp_clash_pair pair;
        clash_issue issue;
        const clash_row *row = worst_row(j, i, &issue, &pair);
        if (!row)
            return EXIT_LIMIT;
        fprintf(out, "  %-11s ", bvp_verdict_name(pair.verdict));
        print_plain(out, issue.title);
        fprintf(out, "\n  %-11s ", "");
        print_facts(j, row, out);
    }
    if (j->summary.issue_count > count)
        fputs(j->set->reports.count ? "  ...\n" : "  ...; --report FILE.jsonl writes all\n", out);
    return 0;
}

/* Of one side of a group, which is one of a zone where there are zones. */
static bvp_string part_name(const clash_job *j, const instance_tree *t, uint32_t part)
{
    bvp_part_info info;
    if (j->zones.count > 0 && t == j->b) {
        assert(part < j->zones.count);
        const char *name = j->zones.items[part].name;
        return (bvp_string){name, strlen(name)};
    }
    if (bvp_get_part(t->file, part, &info) != BVP_OK)
        return (bvp_string){"", 0};
    return info.name.size > 0 ? info.name : info.source_id;
}

static void print_groups(const clash_job *j, FILE *out)
{
    clash_group groups[GROUPS_SHOWN + 1];
    char a[32];
    const uint32_t count = clash_groups_largest(&j->groups, groups, GROUPS_SHOWN);
    if (j->groups.count < 2)
        return;
    assert(count > 0 && count <= GROUPS_SHOWN);
    fprintf(out, "pairs of parts that come most often, of %s%s:\n", grouped(j->groups.count, a),
            j->groups.ungrouped > 0 ? " and more" : "");
    for (uint32_t i = 0; i < count; i++) {
        const bvp_string one = part_name(j, j->a, groups[i].part_a);
        const bvp_string other = part_name(j, j->b, groups[i].part_b);
        fprintf(out, "  %10s  ", grouped(groups[i].count, a));
        print_name(out, one.data, one.size);
        fputs(" | ", out);
        print_name(out, other.data, other.size);
        fputc('\n', out);
    }
}

static void print_filtered(const clash_filtered *f, FILE *out)
{
    const struct {
        const char *option;
        uint64_t count;
    } lines[] = {{"--verdicts", f->by_verdict}, {"--min-depth", f->by_depth}, {"--top", f->by_top}};
    char a[64];
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (lines[i].count > 0)
            fprintf(out, "  left out by %s: %s that %s not clear\n", lines[i].option,
                    counted(lines[i].count, "pair", a), lines[i].count == 1 ? "is" : "are");
}

static void print_coverage(const clash_job *j, FILE *out)
{
    const clash_summary *s = &j->summary;
    const bvp_clash_coverage *c = &s->coverage;
    char a[64], b[64], d[32];
    fprintf(out, "coverage: %s, %s of them with open edges; ",
            counted(c->instance_count, "instance", a), grouped(c->open_count, b));
    fprintf(out, "%s near: %s clear, %s excluded, ", counted(c->box_pairs, "pair", a),
            grouped(c->verdicts[BVP_VERDICT_CLEAR], b), grouped(c->excluded, d));
    fprintf(out, "%s allowed, %s unknown; %s\n", grouped(s->allowed_count, a),
            grouped(c->verdicts[BVP_VERDICT_UNKNOWN], b),
            s->complete ? "all others are clear" : "of the others, those looked at are clear");
    if (s->unsettled_count > 0)
        fprintf(out,
                "  not settled: %s that %s; curved faces of their parts are cut too coarsely to "
                "tell a contact from a shallow penetration\n",
                counted(s->unsettled_count, "pair", a),
                s->unsettled_count == 1 ? "touches" : "touch");
    print_filtered(&s->filtered, out);
    for (uint32_t i = 0; i < s->rule_count; i++) {
        fputs("  rule ", out);
        print_plain(out, s->rules[i].name);
        fprintf(out, " (%s): %s\n", s->rules[i].action, counted(s->rules[i].pair_count, "pair", a));
    }
    for (uint32_t i = 0; i < s->warning_count; i++) {
        fputs("  warning: ", out);
        print_plain(out, s->warnings[i]);
        fputc('\n', out);
    }
    if (!s->complete)
        fprintf(out, "INTERRUPTED: pairs from instance %s of %s on have not been looked at%s\n",
                grouped(s->done, a), grouped(s->total, b),
                j->set->state ? "; the same command goes on from here" : "");
}

int clash_print(clash_job *j, FILE *out)
{
    const clash_run *run = &j->run;
    char a[64], b[64];
    print_plain(out, run->path_a);
    fprintf(out, ": %s of %s\n", counted(run->info_a.instance_count, "instance", a),
            counted(run->info_a.part_count, "part", b));
    if (j->zones.count > 0) {
        print_plain(out, run->path_b);
        fprintf(out, ": %s\n", counted(j->zones.count, "zone", a));
    } else if (run->path_b[0]) {
        print_plain(out, run->path_b);
        fprintf(out, ": %s of %s\n", counted(run->info_b.instance_count, "instance", a),
                counted(run->info_b.part_count, "part", b));
    }
    print_length(out, "clearance ", run->limits.clearance, run->unit);
    print_length(out, ", touch gap ", run->limits.touch_gap, run->unit);
    if (clash_tolerance_decides(&j->tolerance) && j->tolerance.sets_touch)
        fputs(" at most (the default: what the triangles of a pair leave open)", out);
    else if (run->limits.touch_gap == run->touch_gap_default)
        fputs(" (the default)", out);
    print_length(out, ", permitted overlap ", run->limits.overlap, run->unit);
    fputc('\n', out);
    print_counts(j, out);
    if (print_worst(j, out) != 0)
        return EXIT_LIMIT;
    print_groups(j, out);
    print_coverage(j, out);
    if (j->set->incremental)
        fprintf(out,
                "incremental: %s as before, %" PRIu64 " of %" PRIu64 " pairs near taken over\n",
                counted(j->journal.same_count, "instance", a), j->journal.reused,
                j->summary.coverage.box_pairs - j->summary.coverage.excluded);
    if (j->set->suggest)
        suggest_print(&j->suggested, out);
    for (int i = 0; i < j->set->reports.count; i++)
        if (strcmp(j->set->reports.items[i], "-") != 0) {
            fputs("report ", out);
            print_plain(out, j->set->reports.items[i]);
            fputc('\n', out);
        }
    return 0;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

int clash_print_json(clash_job *j)
{
    json out;
    jsonw_start(&out, stdout, 1);
    jsonw_object(&out, NULL);
    jsonw_text(&out, "a", j->run.path_a);
    jsonw_text(&out, "b", j->run.path_b[0] ? j->run.path_b : NULL);
    if (j->zones.count > 0)
        jsonw_count(&out, "zones", j->zones.count);
    jsonw_text(&out, "unit", j->run.unit);
    jsonw_text(&out, "created", j->run.created);
    jsonw_inline_object(&out, "limits");
    jsonw_number(&out, "clearance", j->run.limits.clearance);
    jsonw_number(&out, "touch", j->run.limits.touch_gap);
    jsonw_number(&out, "overlap", j->run.limits.overlap);
    jsonw_end(&out);
    jsonw_number(&out, "touch_default", j->run.touch_gap_default);
    jsonw_number(&out, "cell", j->run.cell);
    jsonw_count(&out, "issues", j->summary.issue_count);
    jsonw_count(&out, "rows", j->summary.row_count);
    jsonw_object(&out, "verdicts");
    for (int i = 0; i < VERDICTS_SHOWN; i++)
        jsonw_count(&out, bvp_verdict_name(clash_severity_verdict(i)),
                    j->shown[clash_severity_verdict(i)]);
    jsonw_end(&out);
    const bvp_clash_coverage *c = &j->summary.coverage;
    jsonw_object(&out, "coverage");
    jsonw_bool(&out, "complete", j->summary.complete);
    jsonw_count(&out, "done", j->summary.done);
    jsonw_count(&out, "total", j->summary.total);
    jsonw_count(&out, "instances", c->instance_count);
    jsonw_count(&out, "open_instances", c->open_count);
    jsonw_count(&out, "near_pairs", c->box_pairs);
    jsonw_count(&out, "excluded", c->excluded);
    jsonw_count(&out, "allowed", j->summary.allowed_count);
    jsonw_count(&out, "unsettled", j->summary.unsettled_count);
    for (int v = 0; v < BVP_VERDICT_COUNT; v++)
        jsonw_count(&out, bvp_verdict_name((bvp_verdict)v), c->verdicts[v]);
    jsonw_end(&out);
    report_jsonl_filtered(&out, &j->summary.filtered);
    report_jsonl_rules(&out, &j->summary);
    if (j->set->baseline) {
        jsonw_inline_object(&out, "baseline");
        jsonw_text(&out, "path", j->set->baseline);
        jsonw_count(&out, "new", j->summary.new_count);
        jsonw_count(&out, "persistent", j->summary.persistent_count);
        if (j->summary.complete)
            jsonw_count(&out, "resolved", j->summary.resolved_count);
        else
            jsonw_null(&out, "resolved");
        jsonw_count(&out, "left_out", j->summary.hidden_count);
        jsonw_end(&out);
    }
    if (j->run.issues) {
        jsonw_inline_object(&out, "said");
        for (int i = 0; i < ISSUE_STATUS_COUNT; i++)
            jsonw_count(&out, said_name(i), j->summary.said[i]);
        jsonw_count(&out, "approved_pairs", j->summary.approved_pairs);
        jsonw_end(&out);
    }
    if (j->set->incremental) {
        jsonw_inline_object(&out, "incremental");
        jsonw_count(&out, "instances_as_before", j->journal.same_count);
        jsonw_count(&out, "pairs_taken_over", j->journal.reused);
        jsonw_end(&out);
    }
    if (j->set->suggest)
        suggest_print_json(&j->suggested, &out);
    jsonw_array(&out, "worst");
    for (uint32_t i = 0; i < worst_count(j); i++) {
        bvp_clash_pair pair;
        clash_issue issue;
        const clash_row *row = worst_row(j, i, &issue, &pair);
        if (!row)
            return EXIT_LIMIT;
        jsonw_inline_object(&out, NULL);
        report_jsonl_members(&out, row);
        if (issue.state[0])
            jsonw_text(&out, "issue_state", issue.state);
        jsonw_end(&out);
    }
    jsonw_end(&out);
    clash_group groups[GROUPS_SHOWN + 1];
    const uint32_t count = clash_groups_largest(&j->groups, groups, GROUPS_SHOWN);
    jsonw_count(&out, "group_count", j->groups.count);
    jsonw_array(&out, "groups");
    for (uint32_t i = 0; i < count; i++) {
        jsonw_inline_object(&out, NULL);
        jsonw_bytes(&out, "part_a", part_name(j, j->a, groups[i].part_a));
        jsonw_bytes(&out, "part_b", part_name(j, j->b, groups[i].part_b));
        jsonw_count(&out, "pairs", groups[i].count);
        jsonw_end(&out);
    }
    jsonw_end(&out);
    jsonw_array(&out, "reports");
    for (int i = 0; i < j->set->reports.count; i++)
        jsonw_text(&out, NULL, j->set->reports.items[i]);
    jsonw_end(&out);
    jsonw_number(&out, "seconds", j->seconds);
    jsonw_end(&out);
    jsonw_finish(&out);
    return 0;
}

/* ---- a share ------------------------------------------------------------------------------- */

static uint64_t pairs_found(const bvp_clash_coverage *c)
{
    return c->box_pairs - c->excluded - c->verdicts[BVP_VERDICT_CLEAR];
}

int clash_print_share(const clash_job *j, FILE *out)
{
    const bvp_clash_coverage *c = &j->summary.coverage;
    char a[64], b[64], d[64], e[64];
    fprintf(out,
            "share %u of %u: %s of %s instances; %s pairs near, %s of them not clear; %.3g s\n",
            j->shard.index, j->shard.count, grouped(j->own_count, a), grouped(j->summary.total, b),
            grouped(c->box_pairs, d), grouped(pairs_found(c), e), j->seconds);
    return 0;
}

int clash_print_share_json(const clash_job *j)
{
    const bvp_clash_coverage *c = &j->summary.coverage;
    json out;
    jsonw_start(&out, stdout, 1);
    jsonw_object(&out, NULL);
    jsonw_text(&out, "file", j->run.path_a);
    jsonw_inline_object(&out, "shard");
    jsonw_count(&out, "index", j->shard.index);
    jsonw_count(&out, "count", j->shard.count);
    jsonw_end(&out);
    jsonw_text(&out, "output", j->set->output);
    jsonw_count(&out, "instances", j->own_count);
    jsonw_count(&out, "total", j->summary.total);
    jsonw_array(&out, "ranges");
    for (uint32_t i = 0; i < j->range_count; i++) {
        jsonw_inline_object(&out, NULL);
        jsonw_count(&out, "first", j->ranges[i].first);
        jsonw_count(&out, "end", j->ranges[i].end);
        jsonw_end(&out);
    }
    jsonw_end(&out);
    jsonw_count(&out, "near_pairs", c->box_pairs);
    jsonw_count(&out, "excluded", c->excluded);
    jsonw_count(&out, "found", pairs_found(c));
    jsonw_number(&out, "seconds", j->seconds);
    jsonw_end(&out);
    jsonw_finish(&out);
    return 0;
}
