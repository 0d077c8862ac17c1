/* SPDX-License-Identifier: MIT
 * merge_shards.h: merges all shares of a manifest into the file that one machine would have packed.
 */
#ifndef MERGE_SHARDS_H
#define MERGE_SHARDS_H

/* Is the file a share? 0, or says why that can't be told and returns the exit code. */
int merge_is_shard(const char *path, int *is_shard);
/* paths: count shares, in any order; each is verified, or if they are trusted held against its
 * hashes alone. 0, or says which are missing, there twice, or of another manifest, or what else is
 * wrong, and returns the exit code. */
int merge_shards(char **paths, int count, const char *path, int is_trusted);

#endif
