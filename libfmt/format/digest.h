/* SPDX-License-Identifier: MIT
 * digest.h: BLAKE2b-256, which tells a forged file from the signed one. The hashes of checksum.h
 * only find accidents.
 * Spec: format.md, chapter "Digests"; RFC 7693
 */
#ifndef BVPI_FORMAT_DIGEST_H
#define BVPI_FORMAT_DIGEST_H

#include "format/layout.h"

#include <stdbool.h>
#include <stddef.h>

/* False: this build lacks the library; then no other function here may be called. */
bool bvpi_can_digest(void);

/* For data in pieces. The state needs no release. */
typedef struct bvpi_digester {
    _Alignas(64) unsigned char opaque[384];
} bvpi_digester;

void bvpi_digester_start(bvpi_digester *digester);
void bvpi_digester_add(bvpi_digester *digester, const void *data, size_t size);
void bvpi_digester_end(bvpi_digester *digester, uint8_t out[BVPD_DIGEST_SIZE]);

/* True if the digest of these bytes is the expected one. */
bool bvpi_digest_is(const void *data, size_t size, const uint8_t expected[BVPD_DIGEST_SIZE]);
/* The value that is signed: the digest of the head and of section DGST. */
void bvpi_root_digest(const bvpd_header *header, const void *digests, uint64_t size,
                      uint8_t out[BVPD_DIGEST_SIZE]);

#endif
