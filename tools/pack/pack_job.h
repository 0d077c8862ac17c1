/* SPDX-License-Identifier: MIT
 * pack_job.h: what the files of the verb pack share.
 */
#ifndef PACK_JOB_H
#define PACK_JOB_H

#include <pthread.h>
#include <stdio.h>
#include "bvpack_build.h"
#include "files/input.h"
#include "text/json.h"
#include "text/json_tree.h"
#include "store/last_output.h"
#include "text/memory_text.h"
#include "model/model.h"
#include "cli/progress.h"
#include "pack/shard.h"
#include "store/source_index.h"
#include "store/store.h"

typedef struct pack_settings {
    const char *output, *unit, *up, *format, *hierarchy, *split, *offset_bits, *chord, *store;
    const char *shard, *assume_unit;
    const char *urdf, *joints, *package_path;
    double angle;           /* degrees; 0: the default */
    double import_timeout;  /* seconds; 0: by the model's size */
    uint64_t import_memory; /* MiB; 0: by the model's size */
    uint64_t jobs, leaf, planes;
    int quiet, json, no_ids, drop_invalid, deformable, fast, any_path, thin, reread, trust_store,
        digests;
    int keep_strays;
} pack_settings;

enum { PACK_HIERARCHIES = 5 };

/* One model of the command line. */
typedef struct pack_source {
    const char *path;
    const char *name; /* without folders */
    char *title;      /* and without the ending: what names parts and nodes that have no name */
    model contents;
    double scale;         /* of its unit in that of the whole */
    double placement[12]; /* that scale, for its root */
    uint64_t size;
    uint8_t hash[16];
} pack_source;

/* A node that is added behind all others: what lies far outside the part of a node has the place,
 * names and properties of that node. */
typedef struct pack_stray {
    uint32_t parent;
    const char *name, *source_id;
    const double *placement; /* or NULL */
    const model_mesh *mesh;  /* whose strays it is about */
    const model_node *from;  /* or NULL: it has no properties */
} pack_stray;

/* A share on its way into a file: of a manifest's files, or of a model's meshes. */
typedef struct pack_shard {
    shard_number number;            /* count 0: everything is packed */
    uint64_t file_count, own_count; /* that the manifest has named so far; of these, in the share */
    uint64_t mesh_count, own_mesh_count; /* of a model */
    bvp_builder *builder;                /* NULL: into the store */
    uint32_t root, part_count;
    memory_text record; /* JSON text */
    json out;
} pack_shard;

typedef struct pack_job {
    const pack_settings *set;
    pack_source *sources;
    int source_count;
    double unit_in_metres;
    double chord;     /* mm; 0: the default */
    double tolerance; /* of the sources' tessellations, in units; 0 unknown */
    bvp_up up;
    char *provenance;
    int store_code; /* what the store's first refusal to take something exits with, or 0 */
    bvp_hierarchy_spec hierarchies[PACK_HIERARCHIES];
    uint32_t hierarchy_count;
    bvp_build_report report;
    double seconds_import;
    uint64_t triangle_count, built_count; /* read; of these, in the builder */
    progress bar;
    store store; /* open when set->store */
    pthread_t syncing;
    int is_syncing; /* what was put into the store, on a thread of its own */
    char store_hint[PATH_MAX];
    uint8_t output_key[16]; /* of what is noted in the store of the output */
    last_output last;
    pack_shard shard;
    /* A file that has the mesh as a part, and the part's number there; or NULL. *stays: it is open
     * until the job ends; else until the next call. */
    const bvp_file *(*find_part)(void *user, const model_mesh *mesh, uint32_t *part, int *stays);
    void *find_part_user;
    source_index index; /* of the source that is read */
    pthread_t looking;
    int is_looking; /* at the index's files, on a thread of its own */
    stamp stamp;    /* of the file that it names and that is read */
    int has_stamp;  /* which can be relied on later */
    uint64_t new_part_count, known_part_count, file_count, unchanged_file_count; /* of the store */
    uint64_t unread_file_count; /* of the unchanged: known by their stamps */
    uint64_t copied_part_count; /* taken from the last output, not from the store */
    uint64_t dropped_count;     /* triangles, of packed meshes */
    pack_stray *strays;
    size_t stray_count, stray_capacity;
} pack_job;

/* ---- pack.c: the steps, for who has his settings from elsewhere. All return the exit code. --- */

/* The job's sources from their paths. The job is freed in any case. */
int pack_name_sources(pack_job *j, char **paths);
/* How the source is read. */
import_options pack_import_options(pack_job *j, const pack_source *s);
/* Everything has been read: makes one file of it. */
int pack_assemble(pack_job *j, const char *path);
void pack_free(pack_job *j);

/* Says what reading or building from `path` failed with; returns the exit code. */
int pack_failure(const pack_job *j, const char *path, bvp_status status, const bvp_error *error);

/* ---- pack_options.c, pack_settings.c --------------------------------------------------------- */

/* What the settings mean: unit, chord, hierarchies. Returns the exit code. */
int pack_read_options(pack_job *j);
/* What of the settings the bytes depend on. */
void pack_settings_as_json(json *out, const char *key, const pack_settings *set);
/* The same back, quiet; texts stay the tree's. 0, or -1 when something is missing or wrong. */
int pack_settings_from_json(const json_value *object, pack_settings *out);

/* ---- pack_build.c ---------------------------------------------------------------------------- */

/* What all of the job's parts are built with. */
bvp_build_options pack_build_options(pack_job *j);
/* Adds a mesh, whose triangles its address then stands for. *part: as of bvp_builder_add_part. */
bvp_status pack_mesh(bvp_builder *builder, model_mesh *mesh, uint32_t *part, bvp_error *error);
/* Builds from the sources, whose meshes are freed on the way, and writes `path`. Returns the exit
 * code. */
int pack_build(pack_job *j, const char *path);
/* Finishes the builder as `path`. Returns the exit code. */
int pack_write(pack_job *j, bvp_builder *builder, const char *path);

/* ---- pack_known.c, pack_store.c -------------------------------------------------------------- */

/* Reads a model as model_import_memory does, and packs its meshes into the store, or finds that
 * they are there already. in: its bytes; label, dir: name and folder. */
bvp_status pack_import_stored(pack_job *j, pack_source *s, const input *in, const char *label,
                              const char *dir, import_options *options, bvp_error *error);
/* Packs the model's meshes into the store, all of them when another model names it, else those of
 * the job's share. */
bvp_status pack_take_meshes(pack_job *j, model *m, int is_nested, bvp_error *error);
/* Makes what was put into the store survive a power cut, while the output is made; it gets its name
 * after the end. */
void pack_start_sync(pack_job *j);
void pack_end_sync(pack_job *j);
/* Opens the file that the sources were packed into last, and notes the one that they were packed
 * into now; of a job with a store, and not thin. */
void pack_open_last(pack_job *j);
void pack_note_output(const pack_job *j, const char *path);
/* 0, or says that the last output has changed under what was copied; the exit code. */
int pack_check_last(const pack_job *j);
/* For find_part; user: the job. */
const bvp_file *pack_find_stored(void *user, const model_mesh *mesh, uint32_t *part, int *stays);

/* ---- pack_shard.c ---------------------------------------------------------------------------- */

/* Of the next file that a manifest names. Nonzero: it is in another share than the job's, *out is
 * empty. */
int pack_skip_file(pack_job *j, model *out);
/* The same of the next mesh of a model. */
int pack_skip_mesh(pack_job *j);
/* Reads a manifest and of the files that it names those of the job's share, which are packed on the
 * way; or a model, of whose meshes those of the share are packed. Arguments as of
 * pack_import_stored. */
bvp_status pack_import_shard(pack_job *j, pack_source *s, const input *in, const char *label,
                             const char *dir, import_options *options, bvp_error *error);
/* Writes the share that has been read. Returns the exit code. */
int pack_write_shard(pack_job *j, const char *path);
void pack_free_shard(pack_shard *shard);

/* ---- pack_report.c --------------------------------------------------------------------------- */

/* The record of sources and options that goes into the file, as JSON text in j->provenance. Returns
 * the exit code. */
int pack_write_provenance(pack_job *j);
/* What has been done, for people and for programs. path: "": there is no file. */
void pack_summarise(FILE *out, const pack_job *j, const char *path);
void pack_report_as_json(const pack_job *j, const char *path);

#endif
