/* SPDX-License-Identifier: MIT
 * lazy.c: block hashes that are checked when a part is first used.
 *
 * Verifying a large file when it is opened would read all of it. With verify_lazily, opening reads
 * only the head. The first query of a part checks the blocks that contain its records, blob, ids
 * and binary hierarchies; the first query of the assembly checks the tables. HASH itself is checked
 * once, against the root hash.
 *
 * State is one atomic byte for each part, for the assembly, for HASH and for each block. The
 * transitions are UNKNOWN to GOOD or BAD, and never back. Threads that arrive at the same time
 * compute the same result and store the same value, so no lock is needed. A check that is cancelled
 * stores nothing and starts again later. Blocks only remember GOOD, because a block under many
 * small parts should be hashed once, while a bad one fails its part for good.
 *
 * A part's records are checked before they are used to find its bytes: a damaged record could
 * otherwise lead the check to other bytes.
 *
 * Held by tests/property/test_lazy.c (damage is found on first use, and only then) and
 * test_threads.c under the thread sanitizer.
 * Spec: format.md, chapter "Hashes"
 * Measured: decisions.md, "Opening", "Races planted by hand"
 */
#include "format/lazy.h"
#include "format/map.h"
#include "format/record.h"

#include "base/checked.h"
#include "base/load.h"
#include "base/meter.h"
#include "base/status.h"
#include "format/advise.h"
#include "format/checksum.h"
#include "format/digest.h"
#include "format/header.h"
#include "format/source.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static uint64_t offset_in(const bvp_file *file, const uint8_t *byte)
{
    return file->source ? bvpi_source_offset(file, byte) : (uint64_t)(byte - file->base);
}

static const uint8_t *bytes_of(const bvp_file *file, uint64_t block)
{
    return file->base + BVPD_HEADER_SIZE + block * BVPD_BLOCK_SIZE;
}

/* The hash of a block's bytes, and the one in HASH. False: there is no such block. */
static bool get_hashes(const bvp_file *file, uint64_t block, const uint8_t *bytes, uint64_t *found,
                       uint64_t *expected)
{
    const bvpi_span *hashes = &file->section[BVPD_HASH];
    if (block >= hashes->count)
        return false;
    const uint64_t end = offset_in(file, hashes->data);
    const uint64_t offset = BVPD_HEADER_SIZE + block * BVPD_BLOCK_SIZE;
    if (offset >= end)
        return false;
    const uint64_t size = end - offset < BVPD_BLOCK_SIZE ? end - offset : BVPD_BLOCK_SIZE;
    *found = bvpi_hash64(bytes, (size_t)size);
    /* without asking: a source checks blocks by this, and holds the hashes while it is open */
    memcpy(expected, hashes->data + 8 * block, sizeof *expected);
    return true;
}

static bool has_digest(const bvp_file *file, uint64_t block, const uint8_t *bytes)
{
    const bvpi_span *digests = &file->digests;
    if (block >= digests->count)
        return false;
    const uint64_t end = offset_in(file, digests->data);
    const uint64_t offset = BVPD_HEADER_SIZE + block * BVPD_BLOCK_SIZE;
    uint8_t expected[BVPD_DIGEST_SIZE];
    if (offset >= end)
        return false;
    memcpy(expected, digests->data + block * sizeof expected, sizeof expected);
    const uint64_t size = end - offset < BVPD_BLOCK_SIZE ? end - offset : BVPD_BLOCK_SIZE;
    return bvpi_digest_is(bytes, (size_t)size, expected);
}

bool bvpi_block_has_digest(const bvp_file *file, uint64_t block)
{
    return has_digest(file, block, bytes_of(file, block));
}

/* The hash finds damage; the digest, if the root digest is trusted, finds forgery. */
bool bvpi_block_is(const bvp_file *file, uint64_t block, const uint8_t *bytes)
{
    uint64_t found, expected;
    return get_hashes(file, block, bytes, &found, &expected) && found == expected &&
           (!file->is_digest_trusted || has_digest(file, block, bytes));
}

bool bvpi_block_is_good(const bvp_file *file, uint64_t block)
{
    return bvpi_block_is(file, block, bytes_of(file, block));
}

/* A block under many small parts is hashed once. */
static bool is_block_known_good(const bvp_file *file, uint64_t block)
{
    /* A table whose blocks HASH does not cover is bad: bvpi_block_is_good() finds no hash. */
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

/* State of one check. */
typedef struct check {
    const bvp_file *file;
    const bvp_control *control; /* may be NULL; checked before each block */
    bool is_cancelled;
    uint64_t bad; /* the first block whose hash is wrong */
} check;

/* If not, c->bad is set, or the check was cancelled. */
static bool is_range_good(check *c, const uint8_t *data, uint64_t size)
{
    const bvp_file *file = c->file;
    if (size == 0)
        return true;
    assert(data >= file->base + BVPD_HEADER_SIZE && data + size <= file->base + file->size);
    const uint64_t begin = (uint64_t)(data - file->base) - BVPD_HEADER_SIZE;
    for (uint64_t block = begin / BVPD_BLOCK_SIZE; block <= (begin + size - 1) / BVPD_BLOCK_SIZE;
         block++) {
        c->is_cancelled = bvpi_is_cancelled(c->control);
        if (!c->is_cancelled && is_block_known_good(file, block))
            continue;
        if (!c->is_cancelled)
            c->bad = block;
        return false;
    }
    return true;
}

static bool are_sections_good(check *c, const enum bvpd_section_index *tables, size_t count)
{
    const bvpi_span *section = c->file->section;
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = is_range_good(c, section[tables[i]].data, section[tables[i]].size);
    return good;
}

/* Is everything that queries of a part, or of BVP_ASSEMBLY without its parts, read undamaged? */
static bool is_asked_good(check *c, uint32_t part)
{
    static const enum bvpd_section_index tables[] = {BVPD_PART, BVPD_HIER, BVPD_PLAC,
                                                     BVPD_LINS, BVPD_INST, BVPD_TOPN};
    if (part == BVP_ASSEMBLY)
        return are_sections_good(c, tables, sizeof tables / sizeof *tables);
    /* The part's records come first: they say where everything else is. */
    const bvpi_span *parts = &c->file->section[BVPD_PART], *trees = &c->file->section[BVPD_HIER];
    bvpd_part r;
    assert(part < parts->count);
    if (!is_range_good(c, parts->data + part * sizeof r, sizeof r))
        return false;
    bvpi_load_record(&r, parts->data + part * sizeof r, sizeof r);
    if (!bvpi_fits(r.first_hierarchy, r.hierarchy_count, trees->count) ||
        !is_range_good(c, trees->data + r.first_hierarchy * sizeof(bvpd_hierarchy),
                       r.hierarchy_count * sizeof(bvpd_hierarchy)))
        return false;
    bvpi_part view;
    if (bvpi_get_part(c->file, part, &view) != BVP_OK ||
        !is_range_good(c, view.blob, view.blob_size) || !is_range_good(c, view.ids, view.ids_size))
        return false;
    bvpi_rays rays;
    if (bvpi_get_part_rays(c->file, part, &rays) != BVP_OK ||
        (rays.nodes &&
         !is_range_good(c, rays.nodes, (uint64_t)(rays.meshlets - rays.nodes) + rays.meshlet_size)))
        return false;
    for (uint32_t kind = BVPD_KIND_BOXTREE; kind < BVPD_KIND_BINARY_END; kind++) {
        bvpi_binary tree;
        const bvp_status status = bvpi_get_part_binary(c->file, part, kind, &tree);
        if (status == BVP_ERR_ARGUMENT)
            continue; /* the part has no hierarchy of this kind */
        if (status != BVP_OK || !is_range_good(c, tree.blob, tree.blob_size))
            return false;
    }
    return true;
}

bool bvpi_hashes_are_good(const bvp_file *file)
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
    if (!get_hashes(file, block, bytes_of(file, block), &found, &expected))
        return bvpi_error_set(error, BVP_ERR_CORRUPT, at, "HSH-2", "no hash covers this block");
    if (found == expected)
        return bvpi_error_set(error, BVP_ERR_CORRUPT, at, "DGS-2",
                              "block %" PRIu64 " does not match its digest: it is forged", block);
    return bvpi_error_set(error, BVP_ERR_CORRUPT, at, "HSH-2",
                          "block %" PRIu64 " is damaged: its hash is %016" PRIx64
                          ", expected %016" PRIx64,
                          block, found, expected);
}

bvp_status bvpi_explain_hashes(const bvp_file *file, uint32_t part, bvp_error *error)
{
    check c = {.file = file, .control = file->control, .bad = UINT64_MAX};
    if (!bvpi_hashes_are_good(file))
        return bvpi_error_set(error, BVP_ERR_CORRUPT, offsetof(bvpd_header, root_hash), "HSH-1",
                              "the block hashes are not what the header's root hash says");
    if (is_asked_good(&c, part))
        return BVP_OK;
    if (c.is_cancelled)
        return bvpi_error_cancelled(error);
    if (c.bad != UINT64_MAX)
        return explain_block(file, c.bad, error);
    return bvpi_error_set(error, BVP_ERR_CORRUPT, BVPI_NO_OFFSET, "",
                          "the records of part %" PRIu32 " contradict each other", part);
}

/* Sections that no query reads. */
bvp_status bvpi_check_names(const bvp_file *file, bvp_error *error)
{
    static const enum bvpd_section_index tables[] = {BVPD_TREE, BVPD_PROP, BVPD_STRS, BVPD_PROV};
    check c = {.file = file, .control = file->control};
    if (!file->part_state || are_sections_good(&c, tables, sizeof tables / sizeof *tables))
        return BVP_OK;
    return c.is_cancelled ? bvpi_error_cancelled(error) : explain_block(file, c.bad, error);
}

/* Threads that arrive at the same time compute the same result, so no lock is needed. */
bvp_status bvpi_touch_hashes(const bvp_file *file, uint32_t part, const bvp_control *control)
{
    const uint32_t part_count = file->header.part_count;
    if (part != BVP_ASSEMBLY && part >= part_count)
        return BVP_ERR_ARGUMENT;
    assert(file->part_state);
    unsigned char *own = &file->part_state[part == BVP_ASSEMBLY ? part_count : part];
    unsigned char state = __atomic_load_n(own, __ATOMIC_ACQUIRE);
    assert(state <= BVPI_HASH_BAD);
    if (state != BVPI_HASH_UNKNOWN)
        return state == BVPI_HASH_GOOD ? BVP_OK : BVP_ERR_CORRUPT;
    bvpi_advise_scan(file, true);
    unsigned char *root = &file->part_state[part_count + 1];
    unsigned char root_state = __atomic_load_n(root, __ATOMIC_ACQUIRE);
    if (root_state == BVPI_HASH_UNKNOWN) {
        root_state = bvpi_hashes_are_good(file) ? BVPI_HASH_GOOD : BVPI_HASH_BAD;
        __atomic_store_n(root, root_state, __ATOMIC_RELEASE);
    }
    check c = {.file = file, .control = control};
    const bool good = root_state == BVPI_HASH_GOOD && is_asked_good(&c, part);
    if (!c.is_cancelled)
        __atomic_store_n(own, good ? BVPI_HASH_GOOD : BVPI_HASH_BAD, __ATOMIC_RELEASE);
    bvpi_advise_scan(file, false);
    if (c.is_cancelled)
        return BVP_ERR_CANCELLED;
    return good ? BVP_OK : BVP_ERR_CORRUPT;
}
