/* SPDX-License-Identifier: MIT
 * repair.h: makes the hashes, and the trailer, of a mutated file right again, so that the mutation
 * itself is what a check sees.
 */
#ifndef REPAIR_H
#define REPAIR_H

#include "base/checked.h"
#include "format/checksum.h"
#include "format/digest.h"
#include "format/header.h"

#include <stdlib.h>
#include <string.h>

/* Block hashes, as far as HASH lies in the file and covers it. */
static inline void repair_blocks(uint8_t *data, const bvpd_section *hash)
{
    uint64_t at = BVPD_HEADER_SIZE;
    for (uint64_t i = 0; i < hash->size / 8 && at < hash->offset; i++, at += BVPD_BLOCK_SIZE) {
        const uint64_t left = hash->offset - at;
        const uint64_t n = left < BVPD_BLOCK_SIZE ? left : BVPD_BLOCK_SIZE;
        const uint64_t value = bvpi_hash64(data + at, (size_t)n);
        memcpy(data + hash->offset + 8 * i, &value, 8);
    }
}

static inline void repair_file(uint8_t *data, size_t size)
{
    bvpd_header h;
    if (size < sizeof h + sizeof(bvpd_trailer))
        return;
    memcpy(&h, data, sizeof h);
    const uint32_t entry = bvpi_find_section(&h, BVPD_HASH);
    if (entry < h.section_count && entry < BVPD_SECTION_MAX &&
        bvpi_fits(h.sections[entry].offset, h.sections[entry].size, size)) {
        const bvpd_section *hash = &h.sections[entry];
        repair_blocks(data, hash);
        bvpi_root_hash(&h, data + hash->offset, hash->size, h.root_hash);
    }
    h.header_hash = bvpi_header_hash(&h);
    memcpy(data, &h, sizeof h);
    bvpd_trailer t = {.file_size = h.file_size, .header_hash = h.header_hash};
    memcpy(t.root_hash, h.root_hash, sizeof t.root_hash);
    memcpy(t.magic, BVPD_END_MAGIC, BVPD_END_MAGIC_SIZE);
    memcpy(data + size - sizeof t, &t, sizeof t);
}

/* Digests of blocks, as far as DGST lies in the file and covers them; to be followed by
 * repair_file. No more where the build has none. */
static inline void repair_digests(uint8_t *data, size_t size)
{
    bvpd_header h;
    if (size < sizeof h + sizeof(bvpd_trailer) || !bvpi_can_digest())
        return;
    memcpy(&h, data, sizeof h);
    const uint32_t entry = bvpi_find_digests(&h);
    if (entry >= h.section_count || entry >= BVPD_SECTION_MAX ||
        !bvpi_fits(h.sections[entry].offset, h.sections[entry].size, size))
        return;
    const bvpd_section *s = &h.sections[entry];
    uint64_t at = BVPD_HEADER_SIZE;
    for (uint64_t i = 0; i < s->size / BVPD_DIGEST_SIZE && at < s->offset; i++) {
        const uint64_t left = s->offset - at;
        const uint64_t n = left < BVPD_BLOCK_SIZE ? left : BVPD_BLOCK_SIZE;
        bvpi_digester digester;
        bvpi_digester_start(&digester);
        bvpi_digester_add(&digester, data + at, (size_t)n);
        bvpi_digester_end(&digester, data + s->offset + i * BVPD_DIGEST_SIZE);
        at += n;
    }
}

/* Puts the provenance text, of at most 255 bytes, into a zstd frame of one raw block, codec 1, as
 * files of earlier writers have it. The section after it stays where it is. */
static inline void wrap_provenance(uint8_t *file, size_t size)
{
    bvpd_section *prov = &((bvpd_header *)file)->sections[BVPD_PROV];
    const uint64_t text_size = prov->size, room = prov[1].offset - prov->offset;
    const uint8_t head[] = {0x28,
                            0xb5,
                            0x2f,
                            0xfd, /* magic */
                            0x20,
                            (uint8_t)text_size,              /* one segment, its size in a byte */
                            (uint8_t)(1 | (text_size << 3)), /* the last block, raw */
                            (uint8_t)(text_size >> 5),
                            0};
    if (text_size > 255 || text_size + sizeof head > room)
        abort();
    memmove(file + prov->offset + sizeof head, file + prov->offset, (size_t)text_size);
    memcpy(file + prov->offset, head, sizeof head);
    prov->size += sizeof head;
    prov->codec = 1;
    repair_file(file, size);
}

/* A section that nobody knows takes the place of the empty space before HASH. */
static inline void insert_section(uint8_t *file, size_t size, uint32_t flags)
{
    bvpd_header *h = (bvpd_header *)file;
    bvpd_section *hash = &h->sections[BVPD_HASH];
    hash[1] = hash[0];
    memcpy(hash[0].kind, "NEXT", 4);
    hash[0].flags = flags;
    hash[0].offset = hash[1].offset;
    hash[0].size = hash[0].raw_size = hash[0].record_count = 64;
    hash[0].record_size = 1;
    hash[1].offset += 64;
    memset(file + hash[0].offset, 7, 64);
    h->section_count++;
    repair_file(file, size);
}

/* A copy that may be opened as a file, to be freed; NULL: no memory. */
static inline void *copy_aligned(const uint8_t *data, size_t size)
{
    void *bytes = NULL;
    if (posix_memalign(&bytes, 64, size ? size : 1))
        return NULL;
    memcpy(bytes, data, size);
    return bytes;
}

#endif
