/* SPDX-License-Identifier: MIT
 * pack.h: what the files of the verb pack share.
 */
#ifndef PACK_H
#define PACK_H

#include <stdio.h>
#include "bvpack_build.h"
#include "input.h"
#include "model.h"
#include "progress.h"
#include "source_index.h"
#include "store.h"

typedef struct pack_settings {
    const char *output, *unit, *up, *format, *hierarchy, *split, *offset_bits, *chord, *store;
    const char *urdf, *joints, *package_path;
    double angle; /* degrees; 0: the default */
    uint64_t jobs, leaf, planes;
    int quiet, json, no_ids, drop_invalid, deformable, fast, any_path, thin, reread;
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
    double chord;     /* mm; 0: the default */
    double tolerance; /* of the sources' tessellations, in units; 0 unknown */
    uint32_t up_axis;
    char *provenance;
    bvp_hierarchy_spec hierarchies[PACK_HIERARCHIES];
    uint32_t hierarchy_count;
    bvp_build_report report;
    double seconds_import;
    uint64_t triangle_count, built_count; /* read; of these, in the builder */
    progress bar;
    store store; /* open when set->store */
    char store_hint[PATH_MAX];
    source_index index; /* of the source that is read */
    stamp stamp;        /* of the file that it names and that is read */
    int has_stamp;      /* which can be relied on later */
    uint64_t new_part_count, known_part_count, file_count, unchanged_file_count; /* of the store */
    uint64_t unread_file_count; /* of the unchanged: known by their stamps */
    uint64_t dropped_count;     /* triangles, of packed meshes */
} pack_job;

/* Says what reading or building from `path` failed with; returns the exit code. */
int pack_failure(const char *path, bvp_status status, const bvp_error *error);

/* What all of the job's parts are built with. */
bvp_build_options pack_build_options(pack_job *j);

/* Reads a model as model_import_memory does, and packs its meshes into the store, or finds that
 * they are there already. in: its bytes; label, dir: name and folder. */
bvp_status pack_import_stored(pack_job *j, pack_source *s, const input *in, const char *label,
                              const char *dir, import_options *options, bvp_error *error);
/* Packs the model's meshes into the store. */
bvp_status pack_take_meshes(pack_job *j, model *m, bvp_error *error);
/* Adds a mesh that lies in the store. */
bvp_status pack_from_store(pack_job *j, bvp_builder *builder, const model_mesh *mesh,
                           const char *name, uint32_t *part, bvp_error *error);

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
