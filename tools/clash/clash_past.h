/* SPDX-License-Identifier: MIT
 * clash_past.h: the packed files that a baseline is a report of, and which of their instances are
 * which of this run's.
 */
#ifndef CLASH_PAST_H
#define CLASH_PAST_H

#include "match/match_instances.h"

enum { CLASH_PAST_FILES = 2 };

typedef struct clash_past_files {
    char *names;        /* the option's text, cut at its commas */
    const char *report; /* the JSON lines; in `names` */
    const char *paths[CLASH_PAST_FILES];
    int count; /* 0: the report alone, whose pairs are known by their ids */
    bvp_file *files[CLASH_PAST_FILES];
    instance_tree trees[CLASH_PAST_FILES];
    match_instances matches[CLASH_PAST_FILES];
    const instance_tree *zones; /* side b of a run with zones: known by their names; or NULL */
} clash_past_files;

/* What --baseline names: REPORT, or FILE,REPORT, or FILE,FILE,REPORT. A text that is the name of a
 * file is not cut; else it is cut at the commas that leave names of files, the first such ones. 0,
 * or says what is wrong and returns the exit code. */
int clash_past_name(clash_past_files *p, const char *text);

/* One side of this run. */
typedef struct clash_past_side {
    const char *path;
    const bvp_file *file;
} clash_past_side;

/* Opens the files and matches their instances with those of `sides`, of which there are side_count.
 * With zones, side b is one of a run and no file; `zones` has been indexed. assume_unit: of
 * --assume-unit, or NULL. 0, or says what is wrong and returns the exit code. */
int clash_past_open(clash_past_files *p, const clash_past_side *sides, int side_count,
                    const instance_tree *zones, const char *assume_unit);
void clash_past_close(clash_past_files *p);

/* From the numbers of this run to those of the earlier one, or BVP_NONE; and back. A zone's number
 * is that of this run on both sides. side: 0, or 1: of b, where that is another file. */
uint32_t clash_past_was(const clash_past_files *p, int side, uint32_t instance);
uint32_t clash_past_is(const clash_past_files *p, int side, uint32_t past_instance);

/* The number in the earlier run of what a row calls `path` and instance `number`; BVP_NONE: a zone
 * that is no more, or *wrong is set: the file has no such instance, or calls it something else. 0,
 * or says that memory is out and returns the exit code. */
int clash_past_find(const clash_past_files *p, int side, double number, const char *path,
                    growing_text *scratch, uint32_t *out, int *wrong);

#endif
