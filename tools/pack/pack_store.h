/* SPDX-License-Identifier: MIT
 * pack_store.h: the sink that packs every part once, into a store, and takes from the store what it
 * already has.
 */
#ifndef PACK_STORE_H
#define PACK_STORE_H

#include <limits.h>
#include <pthread.h>
#include "pack/pack_input.h"
#include "store/last_output.h"
#include "store/source_index.h"
#include "store/store.h"

typedef struct pack_store_counts {
    uint64_t new_part_count, known_part_count, file_count, unchanged_file_count;
    uint64_t unread_file_count; /* of the unchanged: known by their stamps */
    uint64_t copied_part_count; /* taken from the last output, not from the store */
} pack_store_counts;

typedef struct pack_store {
    const pack_plan *plan;
    shard_counts *share;
    store store;
    pack_store_counts counts;
    int code;            /* what the first refusal to take something exits with, or 0 */
    char hint[PATH_MAX]; /* of a thin output: where its parts are */
    /* The source that is read now: which of its files the store knows. */
    source_index index;
    pthread_t looking;
    int is_looking; /* at the index's files, on a thread of its own */
    stamp stamp;    /* of the file that it names and that is read */
    int has_stamp;  /* which can be relied on later */
    /* The output: what the same sources were packed into last, and what is noted of it now. */
    uint8_t output_key[16];
    last_output last;
    pthread_t syncing;
    int is_syncing; /* what was put into the store, on a thread of its own */
} pack_store;

/* path: of the output. Returns the exit code; *out is closed in any case. */
int pack_store_open(pack_store *out, const pack_plan *plan, shard_counts *share, const char *path);
void pack_store_close(pack_store *s);

/* For pack_sink; user: a pack_store. Reads a model and packs its meshes into the store, all of them
 * or the share's, or finds that they are there already (pack_known.c). */
bvp_status pack_store_take(void *user, pack_source *s, const pack_bytes *from,
                           import_options *options, bvp_error *error);
/* Packs the model's meshes into the store: all of them when another model names it, else those of
 * the share. */
bvp_status pack_store_take_meshes(pack_store *s, model *m, int is_nested, bvp_error *error);

/* For a plan, which packs nothing: reads what the store noted when the model at `from` was last
 * packed with these options, as a whole. 0, or -1 when memory is out. pack_store_forget ends it. */
int pack_store_look(pack_store *s, const pack_bytes *from, const import_options *options);
/* Has a file that this model names been packed as it is now, and has the store its parts? By its
 * stamp; the file is not read. */
int pack_store_has_file(const pack_store *s, const char *path, const char *format);
void pack_store_forget(pack_store *s);

/* For pack_finder; user: a pack_store. */
const bvp_file *pack_store_find(void *user, const model_mesh *mesh, uint32_t *part, int *stays);

/* Makes what was put into the store survive a power cut, while the output is made; the output gets
 * its name after pack_store_end_sync. */
void pack_store_start_sync(pack_store *s);
void pack_store_end_sync(pack_store *s);

#endif
