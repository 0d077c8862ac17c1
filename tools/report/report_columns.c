/* SPDX-License-Identifier: MIT
 * report_columns.c: a report's row as the cells of a table.
 */
#include "report/report_columns.h"

#include <assert.h>
#include <math.h>

const report_column report_columns[REPORT_COLUMNS] = {{"id", 34},
                                                      {"verdict", 12},
                                                      {"state", 11},
                                                      {"was", 12},
                                                      {"distance", 11},
                                                      {"depth", 11},
                                                      {"depth_upper", 14},
                                                      {"triangle_pairs", 17},
                                                      {"a", 48},
                                                      {"b", 48},
                                                      {"part_a", 18},
                                                      {"part_b", 18},
                                                      {"name_a", 24},
                                                      {"name_b", 24},
                                                      {"instance_a", 13},
                                                      {"instance_b", 13},
                                                      {"triangle_a", 13},
                                                      {"triangle_b", 13},
                                                      {"xa", 11},
                                                      {"ya", 11},
                                                      {"za", 11},
                                                      {"xb", 11},
                                                      {"yb", 11},
                                                      {"zb", 11},
                                                      {"lo_x", 11},
                                                      {"lo_y", 11},
                                                      {"lo_z", 11},
                                                      {"hi_x", 11},
                                                      {"hi_y", 11},
                                                      {"hi_z", 11},
                                                      {"clearance", 12},
                                                      {"touch", 11},
                                                      {"overlap", 11},
                                                      {"group", 30},
                                                      {"place", 14},
                                                      {"issue", 34},
                                                      {"issue_number", 15},
                                                      {"issue_title", 48},
                                                      {"issue_pairs", 14},
                                                      {"issue_volume", 15},
                                                      {"where", 20},
                                                      {"rule", 20},
                                                      {"issue_status", 14},
                                                      {"issue_assignee", 18},
                                                      {"settled", 11}};

report_cell report_cell_text(const char *text)
{
    return (report_cell){.kind = REPORT_TEXT, .text = text};
}

report_cell report_cell_number(double number)
{
    return isfinite(number) ? (report_cell){.kind = REPORT_NUMBER, .number = number}
                            : (report_cell){.kind = REPORT_NOTHING};
}

report_cell report_cell_count(uint64_t count, int is_there)
{
    return is_there ? (report_cell){.kind = REPORT_COUNT, .count = count}
                    : (report_cell){.kind = REPORT_NOTHING};
}

static report_cell *put_vector(report_cell *to, const double values[3])
{
    for (int k = 0; k < 3; k++)
        *to++ = report_cell_number(values[k]);
    return to;
}

static report_cell *put_sides(report_cell *to, const clash_row *row)
{
    *to++ = report_cell_text(row->a.path);
    *to++ = report_cell_text(row->b.path);
    *to++ = report_cell_text(row->a.part_number);
    *to++ = report_cell_text(row->b.part_number);
    *to++ = report_cell_text(row->a.name);
    *to++ = report_cell_text(row->b.name);
    *to++ = report_cell_count(row->a.instance, row->a.file != NULL);
    *to++ = report_cell_count(row->b.instance, row->b.file != NULL);
    *to++ = report_cell_count(row->pair->hit_a.id, row->pair->hit_a.part != BVP_NONE);
    *to++ = report_cell_count(row->pair->hit_b.id, row->pair->hit_b.part != BVP_NONE);
    return to;
}

/* Of a resolved pair it is known which issue it was in. */
static report_cell *put_issue(report_cell *to, const clash_row *row)
{
    const clash_issue *issue = row->issue, *any = issue ? issue : row->was_in;
    *to++ = report_cell_text(any ? any->id : "");
    *to++ = report_cell_count(issue ? issue->number : 0, issue != NULL);
    *to++ = report_cell_text(any ? any->title : "");
    *to++ = report_cell_count(issue ? issue->pair_count : 0, issue != NULL);
    *to++ = report_cell_number(issue ? issue->volume : NAN);
    *to++ = report_cell_text(issue ? issue->where : "");
    return to;
}

static report_cell *put_said(report_cell *to, const clash_row *row)
{
    const clash_issue *issue = row->issue ? row->issue : row->was_in;
    *to++ = report_cell_text(issue ? issue->status : "");
    *to++ = report_cell_text(issue ? issue->assignee : "");
    return to;
}

void report_cells(const clash_row *row, report_cell cells[REPORT_COLUMNS])
{
    const bvp_clash_pair *pair = row->pair;
    report_cell *to = cells;
    *to++ = report_cell_text(row->id);
    *to++ = report_cell_text(bvp_verdict_name(pair->verdict));
    *to++ = report_cell_text(row->state);
    *to++ = report_cell_text(row->was);
    *to++ = report_cell_number(pair->distance);
    *to++ = report_cell_number(pair->depth);
    *to++ = report_cell_number(pair->depth_upper);
    *to++ = report_cell_count(pair->triangle_pairs, pair->triangle_pairs > 0);
    to = put_sides(to, row);
    to = put_vector(to, pair->point_a);
    to = put_vector(to, pair->point_b);
    to = put_vector(to, pair->lo);
    to = put_vector(to, pair->hi);
    *to++ = report_cell_number(pair->limits.clearance);
    *to++ = report_cell_number(pair->limits.touch_gap);
    *to++ = report_cell_number(pair->limits.overlap);
    *to++ = report_cell_text(row->group);
    *to++ = report_cell_text(row->place);
    to = put_issue(to, row);
    *to++ = report_cell_text(row->rule);
    to = put_said(to, row);
    *to++ = report_cell_text(row->settled);
    assert(to == cells + REPORT_COLUMNS);
}
