/* SPDX-License-Identifier: MIT
 * pack_input.h: the models of the command line, read, and brought to one unit.
 */
#ifndef PACK_INPUT_H
#define PACK_INPUT_H

#include "files/input.h"
#include "cli/progress.h"
#include "model/model.h"
#include "pack/pack_plan.h"

/* One model. */
typedef struct pack_source {
    const char *path;
    const char *name; /* without folders */
    char *title;      /* and without the ending: what names parts and nodes that have no name */
    model contents;
    double scale;         /* of its unit in that of the whole */
    double placement[12]; /* that scale, for its root */
    uint64_t size;
    uint8_t hash[16];
    input kept; /* with --share: the model's bytes, to which its meshes refer */
} pack_source;

typedef struct pack_input {
    pack_source *sources;
    int source_count;
    /* Of the whole, after pack_input_settle: */
    double unit_in_metres; /* 0: unknown */
    double tolerance;      /* of the sources' tessellations, in units; 0: unknown */
    bvp_up up;
} pack_input;

/* The bytes of a model that is to be read, its name for messages, and its folder, or NULL. */
typedef struct pack_bytes {
    const input *file;
    const char *label, *dir;
} pack_bytes;

/* Where meshes go while models are read. `take` reads the source from `from` into s->contents and
 * s->hash, and packs, keeps or drops its meshes. */
typedef struct pack_sink {
    void *user;
    bvp_status (*take)(void *user, pack_source *s, const pack_bytes *from, import_options *options,
                       bvp_error *error);
} pack_sink;

/* Names the sources by their paths, which stay the caller's. Returns the exit code. The input is
 * freed in any case. */
int pack_input_name(pack_input *in, char **paths, int count);
void pack_input_free(pack_input *in);
/* How a source is read. */
import_options pack_import_options(const pack_plan *plan, const pack_source *s, progress *bar);
/* Reads all sources. sink: NULL: meshes stay with their models. *store_code: of the sink's store,
 * see pack_failure; NULL: there is none. Returns the exit code. */
int pack_input_read(pack_input *in, const pack_plan *plan, const pack_sink *sink, progress *bar,
                    const int *store_code);
/* Finds the unit, up axis and tolerance of the whole, and each source's scale. Returns the exit
 * code. */
int pack_input_settle(pack_input *in, const pack_plan *plan);
/* Says what reading or building from `path` failed with, and returns the exit code. store_code:
 * what a store's refusal exits with; 0: no store refused. */
int pack_failure(const char *path, bvp_status status, const bvp_error *error, int store_code);

#endif
