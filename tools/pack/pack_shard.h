/* SPDX-License-Identifier: MIT
 * pack_shard.h: the sink of a share that goes into a separate file.
 */
#ifndef PACK_SHARD_H
#define PACK_SHARD_H

#include "pack/pack_input.h"
#include "text/memory_text.h"

typedef struct pack_shard {
    const pack_plan *plan;
    shard_counts *counts;
    bvp_builder *builder; /* has the share's parts; for pack_write */
    uint32_t root, part_count;
    memory_text record; /* JSON text */
    json out;
} pack_shard;

/* For pack_sink; user: a pack_shard with plan and counts. Of a manifest, reads the files of the
 * share only and packs their meshes at once; of another model, packs the share's meshes. */
bvp_status pack_shard_take(void *user, pack_source *s, const pack_bytes *from,
                           import_options *options, bvp_error *error);
void pack_shard_free(pack_shard *shard);

#endif
