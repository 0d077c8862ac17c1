/* SPDX-License-Identifier: MIT
 * remote_cache.h: a folder of ranges that were fetched, for the next run.
 */
#ifndef REMOTE_CACHE_H
#define REMOTE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum { REMOTE_CACHE_PATH = 4096 };

typedef struct remote_cache {
    char folder[REMOTE_CACHE_PATH]; /* of this state of this file; "": there is none */
} remote_cache;

/* For a file in the state that `tag` tells. Without a tag, or without $BVPACK_CACHE, nothing is
 * kept. Failures are no errors: what is not kept is fetched. */
void remote_cache_open(remote_cache *cache, const char *url, const char *tag, uint64_t file_size);
void remote_cache_close(remote_cache *cache);
/* False: it is not there, or not whole. */
bool remote_cache_read(const remote_cache *cache, uint64_t offset, uint64_t size, void *out);
/* Is there a file for it? */
bool remote_cache_has(const remote_cache *cache, uint64_t offset, uint64_t size);
void remote_cache_write(const remote_cache *cache, uint64_t offset, uint64_t size,
                        const void *bytes);

#endif
