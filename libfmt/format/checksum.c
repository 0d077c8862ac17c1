/* SPDX-License-Identifier: MIT
 * checksum.c: the library's only user of xxHash.
 * Spec: format.md, chapter "Hashes".
 */
#include "format/checksum.h"

#include <assert.h>
#include "bvpack.h"
#define XXH_STATIC_LINKING_ONLY /* the state's size */
#include <xxhash.h>

static_assert(sizeof(XXH3_state_t) <= sizeof(bvpi_hasher), "bvpi_hasher holds xxHash's state");

static XXH3_state_t *state_of(bvpi_hasher *hasher)
{
    return (XXH3_state_t *)hasher;
}

static void put_canonical(XXH128_hash_t hash, uint8_t out[16])
{
    XXH128_canonicalFromHash((XXH128_canonical_t *)out, hash);
}

uint64_t bvpi_hash64(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

void bvpi_hash128(const void *data, size_t size, uint8_t out[16])
{
    put_canonical(XXH3_128bits(data, size), out);
}

void bvp_hash(const void *data, size_t size, uint8_t hash[16])
{
    bvpi_hash128(data, size, hash);
}

void bvpi_hasher_start64(bvpi_hasher *hasher)
{
    XXH3_INITSTATE(state_of(hasher));
    XXH3_64bits_reset(state_of(hasher));
}

void bvpi_hasher_add64(bvpi_hasher *hasher, const void *data, size_t size)
{
    XXH3_64bits_update(state_of(hasher), data, size);
}

uint64_t bvpi_hasher_end64(const bvpi_hasher *hasher)
{
    return XXH3_64bits_digest((const XXH3_state_t *)hasher);
}

void bvpi_hasher_start128(bvpi_hasher *hasher)
{
    XXH3_INITSTATE(state_of(hasher));
    XXH3_128bits_reset(state_of(hasher));
}

void bvpi_hasher_add128(bvpi_hasher *hasher, const void *data, size_t size)
{
    XXH3_128bits_update(state_of(hasher), data, size);
}

void bvpi_hasher_end128(const bvpi_hasher *hasher, uint8_t out[16])
{
    put_canonical(XXH3_128bits_digest((const XXH3_state_t *)hasher), out);
}
