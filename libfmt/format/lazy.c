/* SPDX-License-Identifier: MIT
 * lazy.c: block hashes checked when a part is touched for the first time.
 * Spec: format.md, chapter "Hashes".
 */
#include "format/map.h"

#include "base/checked.h"
#include "base/load.h"
#include "base/status.h"
#include "format/advise.h"
#include "format/checksum.h"
#include "format/header.h"

#include <inttypes.h>
#include <string.h>

/* What a block's bytes hash to, and what HASH says; false: there is no such block. */
static bool get_hashes(const bvp_file *file, uint64_t block, uint64_t *found, uint64_t *expected)
{
    const bvpi_span *hashes = &file->section[BVPD_HASH];
    if (block >= hashes->count)
        return false;
    const uint64_t end = (uint64_t)(hashes->data - file->base);
    const uint64_t offset = BVPD_HEADER_SIZE + block * BVPD_BLOCK_SIZE;
    if (offset >= end)
        return false;
    const uint64_t size = end - offset < BVPD_BLOCK_SIZE ? end - offset : BVPD_BLOCK_SIZE;
    *found = bvpi_hash64(file->base + offset, (size_t)size);
    *expected = bvpi_load_u64(hashes->data + 8 * block);
    return true;
}

bool bvpi_block_is_good(const bvp_file *file, uint64_t block)
{
    uint64_t found, expected;
    return get_hashes(file, block, &found, &expected) && found == expected;
}

/* A block that lies under many small parts is hashed once. */
static bool is_block_known_good(const bvp_file *file, uint64_t block)
{
    if (!file->part_state || block >= file->section[BVPD_HASH].count)
        return bvpi_block_is_good(file, block);
    unsigned char *known = &file->part_state[file->header.part_count + UINT64_C(2) + block];
    if (__atomic_load_n(known, __ATOMIC_RELAXED) == BVPI_HASH_GOOD)
        return true;
    const bool good = bvpi_block_is_good(file, block);
    if (good)
        __atomic_store_n(known, BVPI_HASH_GOOD, __ATOMIC_RELAXED);
    return good;
}

/* Else *bad is the first block that is not what HASH says. */
static bool is_range_good(const bvp_file *file, const uint8_t *data, uint64_t size, uint64_t *bad)
{
    if (size == 0)
        return true;
    const uint64_t begin = (uint64_t)(data - file->base) - BVPD_HEADER_SIZE;
    for (uint64_t block = begin / BVPD_BLOCK_SIZE; block <= (begin + size - 1) / BVPD_BLOCK_SIZE;
         block++)
        if (!is_block_known_good(file, block)) {
            *bad = block;
            return false;
        }
    return true;
}

static bool are_binaries_good(const bvp_file *file, uint32_t part, uint64_t *bad)
{
    for (uint32_t kind = BVPD_KIND_BOXTREE; kind < BVPD_KIND_END; kind++) {
        bvpi_binary tree;
        const bvp_status status = bvpi_get_part_binary(file, part, kind, &tree);
        if (status != BVP_ERR_ARGUMENT &&
            (status != BVP_OK || !is_range_good(file, tree.blob, tree.blob_size, bad)))
            return false;
    }
    return true;
}

/* The part's records, before anything is looked for where they say. */
static bool are_records_good(const bvp_file *file, uint32_t part_idx, uint64_t *bad)
{
    const bvpi_span *parts = &file->section[BVPD_PART], *trees = &file->section[BVPD_HIER];
    bvpd_part r;
    if (!is_range_good(file, parts->data + part_idx * sizeof r, sizeof r, bad))
        return false;
    bvpi_load_record(&r, parts->data + part_idx * sizeof r, sizeof r);
    return bvpi_fits(r.first_hierarchy, r.hierarchy_count, trees->count) &&
           is_range_good(file, trees->data + r.first_hierarchy * sizeof(bvpd_hierarchy),
                         r.hierarchy_count * sizeof(bvpd_hierarchy), bad);
}

static bool is_part_good(const bvp_file *file, uint32_t part_idx, uint64_t *bad)
{
    bvpi_part part;
    return are_records_good(file, part_idx, bad) &&
           bvpi_get_part(file, part_idx, &part) == BVP_OK &&
           is_range_good(file, part.blob, part.blob_size, bad) &&
           is_range_good(file, part.ids, part.ids_size, bad) &&
           are_binaries_good(file, part_idx, bad);
}

static bool are_sections_good(const bvp_file *file, const enum bvpd_section_index *tables,
                              size_t count, uint64_t *bad)
{
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good =
            is_range_good(file, file->section[tables[i]].data, file->section[tables[i]].size, bad);
    return good;
}

/* What queries on an assembly read besides its parts. */
static bool is_assembly_good(const bvp_file *file, uint64_t *bad)
{
    static const enum bvpd_section_index tables[] = {BVPD_PART, BVPD_HIER, BVPD_PLAC,
                                                     BVPD_LINS, BVPD_INST, BVPD_TOPN};
    return are_sections_good(file, tables, sizeof tables / sizeof *tables, bad);
}

static bool is_hash_section_good(const bvp_file *file)
{
    const bvpi_span *hashes = &file->section[BVPD_HASH];
    uint8_t root[16];
    bvpi_root_hash(&file->header, hashes->data, hashes->size, root);
    return memcmp(root, file->header.root_hash, sizeof root) == 0;
}

static bvp_status explain_block(const bvp_file *file, uint64_t block, bvp_error *error)
{
    const uint64_t at = BVPD_HEADER_SIZE + block * BVPD_BLOCK_SIZE;
    uint64_t found, expected;
    if (!get_hashes(file, block, &found, &expected))
        return bvpi_error_set(error, BVP_ERR_CORRUPT, at, "HSH-2", "no hash covers this block");
    return bvpi_error_set(error, BVP_ERR_CORRUPT, at, "HSH-2",
                          "block %" PRIu64 " is damaged: its hash is %016" PRIx64
                          ", expected %016" PRIx64,
                          block, found, expected);
}

bvp_status bvpi_explain_hashes(const bvp_file *file, uint32_t part, bvp_error *error)
{
    uint64_t bad = UINT64_MAX;
    if (!is_hash_section_good(file))
        return bvpi_error_set(error, BVP_ERR_CORRUPT, offsetof(bvpd_header, root_hash), "HSH-1",
                              "the block hashes are not what the header's root hash says");
    if (part == BVP_ASSEMBLY ? is_assembly_good(file, &bad) : is_part_good(file, part, &bad))
        return BVP_OK;
    if (bad != UINT64_MAX)
        return explain_block(file, bad, error);
    return bvpi_error_set(error, BVP_ERR_CORRUPT, BVPI_NO_OFFSET, "",
                          "the records of part %" PRIu32 " contradict each other", part);
}

/* No query reads these. */
bvp_status bvpi_check_names(const bvp_file *file, bvp_error *error)
{
    static const enum bvpd_section_index tables[] = {BVPD_TREE, BVPD_PROP, BVPD_STRS, BVPD_PROV};
    uint64_t bad;
    if (!file->part_state || are_sections_good(file, tables, sizeof tables / sizeof *tables, &bad))
        return BVP_OK;
    return explain_block(file, bad, error);
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
    uint64_t bad;
    const bool good =
        root_state == BVPI_HASH_GOOD &&
        (part == BVP_ASSEMBLY ? is_assembly_good(file, &bad) : is_part_good(file, part, &bad));
    __atomic_store_n(own, good ? BVPI_HASH_GOOD : BVPI_HASH_BAD, __ATOMIC_RELEASE);
    bvpi_advise_scan(file, false);
    return good ? BVP_OK : BVP_ERR_CORRUPT;
}
