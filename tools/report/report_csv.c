/* SPDX-License-Identifier: MIT
 * report_csv.c: a clash report as a table for spreadsheets: a line of column names, then one line
 * for each pair.
 * Based on: RFC 4180, Common Format and MIME Type for Comma-Separated Values (CSV) Files, 2005.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/clash_report.h"
#include "text/message.h"

static const char head[] =
    "id,verdict,state,was,distance,depth,depth_upper,triangle_pairs,a,b,part_a,part_b,name_a,"
    "name_b,instance_a,instance_b,triangle_a,triangle_b,xa,ya,za,xb,yb,zb,lo_x,lo_y,lo_z,hi_x,"
    "hi_y,hi_z,clearance,touch,overlap,group,place,issue,issue_number,issue_title,issue_pairs,"
    "issue_volume,where,rule\r\n";

static void put_text(FILE *out, const char *text)
{
    const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";
    fputs(quote, out);
    /* A spreadsheet takes a cell that begins with one of these for a formula, which may call
     * programs; with an apostrophe in front it is text. Readers remove one apostrophe at the
     * beginning of a cell, so a cell that begins with one gets another. */
    if (*text && strchr("=+-@\t\r'", *text) != NULL)
        fputc('\'', out);
    /* Writes a question mark for control characters and marks of text direction, which would
     * reorder the text of a terminal or a cell. */
    const size_t size = strlen(text);
    for (size_t i = 0, length; i < size; i += length) {
        uint32_t code = 0;
        length = utf8_decode(text + i, size - i, &code);
        if (length > 0 && is_plain(code))
            fwrite(text + i, 1, length, out);
        else
            fputc('?', out);
        if (text[i] == '"')
            fputc('"', out);
        length = length > 0 ? length : 1;
    }
    fputs(quote, out);
}

static void text(FILE *out, const char *value)
{
    put_text(out, value);
    fputc(',', out);
}

/* Empty when there is no such number. */
static void number(FILE *out, double value)
{
    char buffer[32];
    if (isfinite(value))
        fputs(rounded(value, buffer), out);
    fputc(',', out);
}

static void numbers(FILE *out, const double values[3])
{
    for (int k = 0; k < 3; k++)
        number(out, values[k]);
}

static void count(FILE *out, uint64_t value, int there)
{
    if (there)
        fprintf(out, "%llu", (unsigned long long)value);
    fputc(',', out);
}

static int begin(clash_report *r, const clash_run *run)
{
    (void)run;
    fputs(head, r->stream);
    return 0;
}

static int write_row(clash_report *r, const clash_row *row)
{
    const bvp_clash_pair *pair = row->pair;
    FILE *out = r->stream;
    text(out, row->id);
    text(out, bvp_verdict_name(pair->verdict));
    text(out, row->state);
    text(out, row->was);
    number(out, pair->distance);
    number(out, pair->depth);
    number(out, pair->depth_upper);
    count(out, pair->triangle_pairs, pair->triangle_pairs > 0);
    text(out, row->a.path);
    text(out, row->b.path);
    text(out, row->a.part_number);
    text(out, row->b.part_number);
    text(out, row->a.name);
    text(out, row->b.name);
    count(out, row->a.instance, row->a.file != NULL);
    count(out, row->b.instance, row->b.file != NULL);
    count(out, row->pair->hit_a.id, row->pair->hit_a.part != BVP_NONE);
    count(out, row->pair->hit_b.id, row->pair->hit_b.part != BVP_NONE);
    numbers(out, pair->point_a);
    numbers(out, pair->point_b);
    numbers(out, pair->lo);
    numbers(out, pair->hi);
    number(out, pair->limits.clearance);
    number(out, pair->limits.touch_gap);
    number(out, pair->limits.overlap);
    text(out, row->group);
    text(out, row->place);
    const clash_issue *issue = row->issue;
    const clash_issue *any = issue ? issue : row->was_in;
    text(out, any ? any->id : "");
    count(out, issue ? issue->number : 0, issue != NULL);
    text(out, any ? any->title : "");
    count(out, issue ? issue->pair_count : 0, issue != NULL);
    number(out, issue ? issue->volume : NAN);
    text(out, issue ? issue->where : "");
    put_text(out, row->rule);
    fputs("\r\n", out);
    return 0;
}

static int end(clash_report *r, const clash_summary *summary)
{
    (void)r;
    (void)summary;
    return 0;
}

const clash_form report_csv = {".csv", begin, write_row, end, NULL};
