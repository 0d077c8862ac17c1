/* SPDX-License-Identifier: MIT
 * report_jsonl.c: a clash report as JSON lines: one pair a line.
 */
#include "report/clash_outputs.h"

static void write_text(json *out, const char *key, const char *text)
{
    if (text[0])
        jsonw_text(out, key, text);
}

static void write_instance(json *out, const char *key, uint32_t instance)
{
    if (instance == BVP_NONE)
        jsonw_null(out, key);
    else
        jsonw_count(out, key, instance);
}

static void write_triangle(json *out, const char *key, const bvp_hit_id *hit)
{
    if (hit->part == BVP_NONE)
        return;
    jsonw_inline_object(out, key);
    jsonw_count(out, "part", hit->part);
    jsonw_count(out, "triangle", hit->triangle);
    jsonw_count(out, "id", hit->id);
    jsonw_end(out);
}

static void write_vector(json *out, const char *key, const double values[3])
{
    jsonw_inline_array(out, key);
    for (int k = 0; k < 3; k++)
        jsonw_rounded(out, NULL, values[k]);
    jsonw_end(out);
}

void report_jsonl_members(json *out, const clash_row *row)
{
    const bvp_clash_pair *pair = row->pair;
    jsonw_text(out, "id", row->id);
    jsonw_text(out, "verdict", bvp_verdict_name(pair->verdict));
    jsonw_text(out, "a", row->a.path);
    jsonw_text(out, "b", row->b.path);
    jsonw_rounded(out, "distance", pair->distance);
    write_instance(out, "instance_a", row->a.instance);
    write_instance(out, "instance_b", row->b.instance);
    jsonw_text(out, "part_a", row->a.part_number);
    jsonw_text(out, "part_b", row->b.part_number);
    jsonw_text(out, "group", row->group);
    jsonw_text(out, "place", row->place);
    if (row->issue) {
        jsonw_text(out, "issue", row->issue->id);
        jsonw_count(out, "issue_number", row->issue->number);
        jsonw_text(out, "issue_title", row->issue->title);
        jsonw_count(out, "issue_pairs", row->issue->pair_count);
        jsonw_rounded(out, "issue_volume", row->issue->volume);
        write_text(out, "where", row->issue->where);
        write_text(out, "issue_status", row->issue->status);
        write_text(out, "issue_assignee", row->issue->assignee);
    } else if (row->was_in) {
        jsonw_text(out, "issue", row->was_in->id);
        write_text(out, "issue_title", row->was_in->title);
        write_text(out, "issue_status", row->was_in->status);
        write_text(out, "issue_assignee", row->was_in->assignee);
    }
    write_text(out, "rule", row->rule);
    write_text(out, "state", row->state);
    write_text(out, "was", row->was);
    write_text(out, "settled", row->settled);
    if (row->a.file) {
        jsonw_rounded(out, "lower", pair->lower);
        jsonw_rounded(out, "depth", pair->depth);
        jsonw_rounded(out, "depth_upper", pair->depth_upper);
        write_vector(out, "point_a", pair->point_a);
        write_vector(out, "point_b", pair->point_b);
        write_triangle(out, "triangle_a", &pair->hit_a);
        write_triangle(out, "triangle_b", &pair->hit_b);
        if (pair->triangle_pairs > 0)
            jsonw_count(out, "triangle_pairs", pair->triangle_pairs);
        write_vector(out, "box_lo", pair->lo);
        write_vector(out, "box_hi", pair->hi);
        jsonw_inline_object(out, "limits");
        jsonw_rounded(out, "clearance", pair->limits.clearance);
        jsonw_rounded(out, "touch", pair->limits.touch_gap);
        jsonw_rounded(out, "overlap", pair->limits.overlap);
        jsonw_end(out);
    }
}

void report_jsonl_filtered(json *out, const clash_filtered *filtered)
{
    jsonw_inline_object(out, "filtered");
    jsonw_count(out, "verdicts", filtered->by_verdict);
    jsonw_count(out, "min_depth", filtered->by_depth);
    jsonw_count(out, "top", filtered->by_top);
    jsonw_end(out);
}

void report_jsonl_rules(json *out, const clash_summary *summary)
{
    jsonw_array(out, "rules");
    for (uint32_t i = 0; i < summary->rule_count; i++) {
        jsonw_inline_object(out, NULL);
        jsonw_text(out, "name", summary->rules[i].name);
        jsonw_text(out, "action", summary->rules[i].action);
        jsonw_count(out, "pairs", summary->rules[i].pair_count);
        jsonw_end(out);
    }
    jsonw_end(out);
    jsonw_array(out, "warnings");
    for (uint32_t i = 0; i < summary->warning_count; i++)
        jsonw_text(out, NULL, summary->warnings[i]);
    jsonw_end(out);
}

static int begin(clash_report *r, const clash_run *run)
{
    (void)r;
    (void)run;
    return 0;
}

static int write_row(clash_report *r, const clash_row *row)
{
    json line;
    jsonw_start(&line, r->stream, 0);
    jsonw_object(&line, NULL);
    report_jsonl_members(&line, row);
    jsonw_end(&line);
    jsonw_finish(&line);
    return 0;
}

static int end(clash_report *r, const clash_summary *summary)
{
    (void)r;
    (void)summary;
    return 0;
}

const clash_form report_jsonl = {".jsonl", begin, write_row, end, NULL};
