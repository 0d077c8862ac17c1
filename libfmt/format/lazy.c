/* SPDX-License-Identifier: MIT
 * lazy.c: block hashes checked when a part is touched for the first time.
 * Spec: format.md, chapter "Hashes".
 */
#include "format/map.h"

#include "base/load.h"
#include "format/advise.h"
#include "format/checksum.h"
#include "format/header.h"

#include <string.h>

bool bvpi_block_is_good(const bvp_file *file, uint64_t block)
{
    const bvpi_span *hashes = &file->section[BVPD_HASH];
    if (block >= hashes->count)
        return false;
    const uint64_t end = (uint64_t)(hashes->data - file->base);
    const uint64_t offset = BVPD_HEADER_SIZE + block * BVPD_BLOCK_SIZE;
    if (offset >= end)
        return false;
    const uint64_t size = end - offset < BVPD_BLOCK_SIZE ? end - offset : BVPD_BLOCK_SIZE;
    return bvpi_hash64(file->base + offset, (size_t)size) ==
           bvpi_load_u64(hashes->data + 8 * block);
}

static bool is_range_good(const bvp_file *file, const uint8_t *data, uint64_t size)
{
    if (size == 0)
        return true;
    const uint64_t begin = (uint64_t)(data - file->base) - BVPD_HEADER_SIZE;
    for (uint64_t block = begin / BVPD_BLOCK_SIZE; block <= (begin + size - 1) / BVPD_BLOCK_SIZE;
         block++)
        if (!bvpi_block_is_good(file, block))
            return false;
    return true;
}

static bool are_binaries_good(const bvp_file *file, uint32_t part)
{
    for (uint32_t kind = BVPD_KIND_BOXTREE; kind < BVPD_KIND_END; kind++) {
        bvpi_binary tree;
        const bvp_status status = bvpi_get_part_binary(file, part, kind, &tree);
        if (status != BVP_ERR_ARGUMENT &&
            (status != BVP_OK || !is_range_good(file, tree.blob, tree.blob_size)))
            return false;
    }
    return true;
}

static bool is_part_good(const bvp_file *file, uint32_t part_idx)
{
    const bvpi_span *parts = &file->section[BVPD_PART];
    bvpi_part part;
    return is_range_good(file, parts->data + part_idx * sizeof(bvpd_part), sizeof(bvpd_part)) &&
           bvpi_get_part(file, part_idx, &part) == BVP_OK &&
           is_range_good(file, part.blob, part.blob_size) &&
           is_range_good(file, part.ids, part.ids_size) && are_binaries_good(file, part_idx);
}

/* What queries on an assembly read besides its parts. */
static bool is_assembly_good(const bvp_file *file)
{
    static const enum bvpd_section_index tables[] = {BVPD_PART, BVPD_HIER, BVPD_PLAC,
                                                     BVPD_LINS, BVPD_INST, BVPD_TOPN};
    bool good = true;
    for (size_t i = 0; good && i < sizeof tables / sizeof *tables; i++)
        good = is_range_good(file, file->section[tables[i]].data, file->section[tables[i]].size);
    return good;
}

static bool is_hash_section_good(const bvp_file *file)
{
    const bvpi_span *hashes = &file->section[BVPD_HASH];
    uint8_t root[16];
    bvpi_root_hash(&file->header, hashes->data, hashes->size, root);
    return memcmp(root, file->header.root_hash, sizeof root) == 0;
}

/* Threads that come at the same time compute the same answer: no lock is needed. */
bvp_status bvpi_touch_hashes(const bvp_file *file, uint32_t part)
{
    const uint32_t part_count = file->header.part_count;
    if (part != BVP_ASSEMBLY && part >= part_count)
        return BVP_ERR_ARGUMENT;
    unsigned char *own = &file->part_state[part == BVP_ASSEMBLY ? part_count : part];
    unsigned char state = __atomic_load_n(own, __ATOMIC_ACQUIRE);
    if (state != BVPI_HASH_UNKNOWN)
        return state == BVPI_HASH_GOOD ? BVP_OK : BVP_ERR_CORRUPT;
    bvpi_advise_scan(file, true);
    unsigned char *root = &file->part_state[part_count + 1];
    unsigned char root_state = __atomic_load_n(root, __ATOMIC_ACQUIRE);
    if (root_state == BVPI_HASH_UNKNOWN) {
        root_state = is_hash_section_good(file) ? BVPI_HASH_GOOD : BVPI_HASH_BAD;
        __atomic_store_n(root, root_state, __ATOMIC_RELEASE);
    }
    bool good = root_state == BVPI_HASH_GOOD &&
                (part == BVP_ASSEMBLY ? is_assembly_good(file) : is_part_good(file, part));
    __atomic_store_n(own, good ? BVPI_HASH_GOOD : BVPI_HASH_BAD, __ATOMIC_RELEASE);
    bvpi_advise_scan(file, false);
    return good ? BVP_OK : BVP_ERR_CORRUPT;
}
