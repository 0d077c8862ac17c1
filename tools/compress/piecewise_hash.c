/* SPDX-License-Identifier: MIT
 * piecewise_hash.c: bvp_hash of bytes that never lie in memory all at once.
 * Held by tests/unit/test_triangle_stream.c.
 */
#include "compress/piecewise_hash.h"

#include <xxhash.h>

/* The state is xxHash's own; the name is ours, so that no other file sees the library. */
static XXH3_state_t *state_of(piecewise_hash *h)
{
    return (XXH3_state_t *)h;
}

piecewise_hash *piecewise_hash_new(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (state)
        XXH3_128bits_reset(state);
    return (piecewise_hash *)state;
}

void piecewise_hash_add(piecewise_hash *h, const void *data, size_t size)
{
    XXH3_128bits_update(state_of(h), data, size);
}

void piecewise_hash_end(const piecewise_hash *h, uint8_t hash[16])
{
    XXH128_canonicalFromHash((XXH128_canonical_t *)hash,
                             XXH3_128bits_digest((const XXH3_state_t *)h));
}

void piecewise_hash_free(piecewise_hash *h)
{
    XXH3_freeState(state_of(h));
}
