/* SPDX-License-Identifier: MIT
 * pack.h: what the files of the verb pack share.
 */
#ifndef PACK_H
#define PACK_H

#include <stdio.h>
#include "bvpack_build.h"
#include "model.h"
#include "progress.h"

typedef struct pack_settings {
    const char *output, *unit, *up, *format, *hierarchy, *split, *offset_bits;
    uint64_t jobs, leaf, planes;
    int quiet, json, no_ids, drop_invalid, deformable;
} pack_settings;

enum { PACK_HIERARCHIES = 5 };

/* One model of the command line. */
typedef struct pack_source {
    const char *path;
    const char *name; /* without folders */
    char *title;      /* and without the ending: what names parts and nodes that have no name */
    model contents;
    uint64_t size;
    uint8_t hash[16];
} pack_source;

typedef struct pack_job {
    const pack_settings *set;
    pack_source *sources;
    int source_count;
    double unit_in_metres;
    uint32_t up_axis;
    char *provenance;
    bvp_hierarchy_spec hierarchies[PACK_HIERARCHIES];
    uint32_t hierarchy_count;
    bvp_build_report report;
    double seconds_import;
    uint64_t triangle_count, built_count; /* read; of these, in the builder */
    progress bar;
} pack_job;

/* Says what reading or building from `path` failed with; returns the exit code. */
int pack_failure(const char *path, bvp_status status, const bvp_error *error);

/* Builds from the sources, whose meshes are freed on the way, and writes `path`. Returns the exit
 * code. */
int pack_build(pack_job *j, const char *path);

/* The record of sources and options that goes into the file, as JSON text in j->provenance. Returns
 * the exit code. */
int pack_write_provenance(pack_job *j);
/* What has been done, for people and for programs. */
void pack_summarise(FILE *out, const pack_job *j, const char *path);
void pack_report_as_json(const pack_job *j, const char *path);

#endif
