/* SPDX-License-Identifier: MIT
 * digest.c: BLAKE2b-256; the only user of libsodium, which a build may lack.
 *
 * Block hashes (checksum.h) find accidents, but anyone can compute them for a changed file. Digests
 * cannot be forged: DGST holds one for each block, and the root digest covers the header and DGST.
 * So one signed 32-byte value protects the whole file, and blocks can still be checked one at a
 * time when they are first read.
 *
 * header_hash and root_hash depend on HASH, which covers DGST. They are taken as zeros here;
 * otherwise the definition would be circular.
 *
 * Held by tests/property/test_digest.c: a forger who corrects the hashes is found by the digests.
 * Spec: format.md, chapter "Digests"
 */
#include "format/digest.h"

#include <assert.h>
#include <string.h>

#if HAVE_SODIUM

#include <sodium.h>

static_assert(sizeof(crypto_generichash_state) <= sizeof(bvpi_digester), "room for the state");

/* A digester has the alignment that the library requires of its state. */
static crypto_generichash_state *state_of(bvpi_digester *digester)
{
    return (crypto_generichash_state *)digester;
}

bool bvpi_can_digest(void)
{
    return sodium_init() >= 0; /* selects the fastest code for this processor, once */
}

void bvpi_digester_start(bvpi_digester *digester)
{
    crypto_generichash_init(state_of(digester), NULL, 0, BVPD_DIGEST_SIZE);
}

void bvpi_digester_add(bvpi_digester *digester, const void *data, size_t size)
{
    crypto_generichash_update(state_of(digester), data, size);
}

void bvpi_digester_end(bvpi_digester *digester, uint8_t out[BVPD_DIGEST_SIZE])
{
    crypto_generichash_final(state_of(digester), out, BVPD_DIGEST_SIZE);
}

#else

bool bvpi_can_digest(void)
{
    return false;
}

void bvpi_digester_start(bvpi_digester *digester)
{
    (void)digester;
}

void bvpi_digester_add(bvpi_digester *digester, const void *data, size_t size)
{
    (void)digester, (void)data, (void)size;
}

void bvpi_digester_end(bvpi_digester *digester, uint8_t out[BVPD_DIGEST_SIZE])
{
    (void)digester;
    memset(out, 0, BVPD_DIGEST_SIZE);
}

#endif

bool bvpi_digest_is(const void *data, size_t size, const uint8_t expected[BVPD_DIGEST_SIZE])
{
    uint8_t found[BVPD_DIGEST_SIZE];
    bvpi_digester digester;
    bvpi_digester_start(&digester);
    bvpi_digester_add(&digester, data, size);
    bvpi_digester_end(&digester, found);
    return memcmp(found, expected, sizeof found) == 0;
}

/* header_hash and root_hash depend on the digests through HASH, so they count as zeros. */
void bvpi_root_digest(const bvpd_header *header, const void *digests, uint64_t size,
                      uint8_t out[BVPD_DIGEST_SIZE])
{
    bvpd_header head = *header;
    bvpi_digester digester;
    head.header_hash = 0;
    memset(head.root_hash, 0, sizeof head.root_hash);
    bvpi_digester_start(&digester);
    bvpi_digester_add(&digester, &head, sizeof head);
    bvpi_digester_add(&digester, digests, size);
    bvpi_digester_end(&digester, out);
}
