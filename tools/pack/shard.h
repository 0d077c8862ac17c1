/* SPDX-License-Identifier: MIT
 * shard.h: a share of a manifest's files, packed: an ordinary file with the share's parts, each
 * with the identity as placement. The root's properties hold what the merging of all shares needs.
 */
#ifndef SHARD_H
#define SHARD_H

#include "bvpack.h"
#include "cli/shard_number.h"

/* Keys of the root's properties. The root has the manifest's name. */
#define SHARD_KEY          "bvpack_shard"    /* "i/n" */
#define SHARD_RECORD_KEY   "bvpack_record"   /* JSON: options, manifest, the files of the share */
#define SHARD_MANIFEST_KEY "bvpack_manifest" /* the manifest itself; shard 1 only */

/* What a manifest has named so far, or a model had, and how much of it is the share's: files and
 * meshes go round among the shares, in their order. */
typedef struct shard_counts {
    shard_number number; /* count 0: all is the share's, and nothing is counted */
    uint64_t file_count, own_file_count;
    uint64_t mesh_count, own_mesh_count;
} shard_counts;

/* Counts the next file, or the next mesh, in the two counts of its kind. Nonzero: it is another
 * share's. */
int shard_skips(shard_number number, uint64_t *count, uint64_t *own_count);

/* The root's property of this key, or an empty text. */
bvp_string shard_text(const bvp_file *file, const char *key);
/* Which shard the file is. BVP_ERR_AGAIN and what else a source says: that cannot be told. */
bvp_status shard_ask(const bvp_file *file, shard_number *out);
/* The same; a file that cannot tell is none. */
shard_number shard_of(const bvp_file *file);

#endif
