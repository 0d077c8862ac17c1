/* SPDX-License-Identifier: MIT
 * digest.h: BLAKE2b-256, to tell a forged file from the one that was signed. What
 * checksum.h computes finds accidents only.
 * Spec: format.md, chapter "Digests"; RFC 7693.
 */
#ifndef BVPI_FORMAT_DIGEST_H
#define BVPI_FORMAT_DIGEST_H

#include "format/layout.h"

#include <stdbool.h>
#include <stddef.h>

/* False: this build has no library for it; then no other function here may be called. */
bool bvpi_can_digest(void);

/* Over data that come in pieces; lives wherever the caller puts it, needs no release. */
typedef struct bvpi_digester {
    _Alignas(64) unsigned char opaque[384];
} bvpi_digester;

void bvpi_digester_start(bvpi_digester *digester);
void bvpi_digester_add(bvpi_digester *digester, const void *data, size_t size);
void bvpi_digester_end(bvpi_digester *digester, uint8_t out[BVPD_DIGEST_SIZE]);

/* Is the digest of these bytes the expected one? */
bool bvpi_digest_is(const void *data, size_t size, const uint8_t expected[BVPD_DIGEST_SIZE]);
/* What is signed: of the head and the bytes of section DGST. */
void bvpi_root_digest(const bvpd_header *header, const void *digests, uint64_t size,
                      uint8_t out[BVPD_DIGEST_SIZE]);

#endif
