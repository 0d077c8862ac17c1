/* SPDX-License-Identifier: MIT
 * checksum.h: XXH3 with seed 0. Finds accidents; is no authentication.
 * Spec: format.md, chapter "Hashes"
 */
#ifndef BVPI_FORMAT_CHECKSUM_H
#define BVPI_FORMAT_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t bvpi_hash64(const void *data, size_t size);
/* Canonical form: the 128-bit number's bytes, most significant first. */
void bvpi_hash128(const void *data, size_t size, uint8_t out[16]);

/* The same for data in pieces. The state needs no release. */
typedef struct bvpi_hasher {
    _Alignas(64) unsigned char opaque[640];
} bvpi_hasher;

void bvpi_hasher_start64(bvpi_hasher *hasher);
void bvpi_hasher_add64(bvpi_hasher *hasher, const void *data, size_t size);
uint64_t bvpi_hasher_end64(const bvpi_hasher *hasher);

void bvpi_hasher_start128(bvpi_hasher *hasher);
void bvpi_hasher_add128(bvpi_hasher *hasher, const void *data, size_t size);
void bvpi_hasher_end128(const bvpi_hasher *hasher, uint8_t out[16]);

#endif
