/* SPDX-License-Identifier: MIT
 * header.c: every rule of header and directory, one line for each rule, in the order of the fields.
 *
 * These rules are what opening a file checks, and all it checks; they make every later access
 * memory-safe, because sections are then inside the file and of whole records. Checks run on a
 * private copy of the head, so that a file that changes cannot invalidate them.
 *
 * Each rule states what must hold and what to say if it does not; bvpi_report keeps the first
 * violation when opening, and all of them when verifying. KNOWN rules fail with "newer", SOUND
 * rules with "corrupt".
 *
 * Held by tests/unit/test_header.c and tests/property/test_verify.c: a mutation of a good file for
 * every rule.
 * Spec: format.md, chapters "Header" and "Directory"
 */
#include "format/header.h"

#include "base/checked.h"
#include "format/checksum.h"
#include "format/codec.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define FIELD(name) offsetof(bvpd_header, name)

static const struct {
    char kind[5];
    uint32_t record_size;
} known[BVPD_SECTION_COUNT] = {
#define BVPD_X(name, text, size) {text, size},
    BVPD_SECTIONS(BVPD_X)
#undef BVPD_X
};

const char *bvpi_section_kind(enum bvpd_section_index section)
{
    assert((unsigned)section < BVPD_SECTION_COUNT);
    return known[section].kind;
}

uint32_t bvpi_section_record_size(enum bvpd_section_index section)
{
    return known[section].record_size;
}

static uint32_t find_kind(const bvpd_header *header, const char *kind)
{
    uint32_t i = 0;
    while (i < header->section_count && i < BVPD_SECTION_MAX &&
           memcmp(header->sections[i].kind, kind, 4) != 0)
        i++;
    return i < BVPD_SECTION_MAX ? i : header->section_count;
}

uint32_t bvpi_find_section(const bvpd_header *header, enum bvpd_section_index section)
{
    return find_kind(header, known[section].kind);
}

uint32_t bvpi_find_digests(const bvpd_header *header)
{
    return find_kind(header, BVPD_DIGESTS);
}

uint32_t bvpi_find_buffers(const bvpd_header *header)
{
    return find_kind(header, BVPD_BUFFERS);
}

uint64_t bvpi_file_size_for(uint64_t data_end, uint64_t hash_end)
{
    uint64_t needed = hash_end + sizeof(bvpd_trailer);
    if (needed < data_end + BVPD_DATA_TAIL)
        needed = data_end + BVPD_DATA_TAIL;
    return (needed + BVPD_PAGE_SIZE - 1) & ~(uint64_t)(BVPD_PAGE_SIZE - 1);
}

static uint64_t hash_head(const void *head, size_t size)
{
    static const uint64_t zero;
    bvpi_hasher hasher;
    const size_t before = FIELD(header_hash), after = before + sizeof zero;
    assert(size >= after);
    bvpi_hasher_start64(&hasher);
    bvpi_hasher_add64(&hasher, head, before);
    bvpi_hasher_add64(&hasher, &zero, sizeof zero);
    bvpi_hasher_add64(&hasher, (const char *)head + after, size - after);
    return bvpi_hasher_end64(&hasher);
}

uint64_t bvpi_header_hash(const bvpd_header *header)
{
    return hash_head(header, sizeof *header);
}

void bvpi_root_hash(const bvpd_header *header, const void *hashes, uint64_t size, uint8_t out[16])
{
    static const uint8_t zero[24];
    bvpi_hasher hasher;
    const size_t before = FIELD(header_hash), after = before + sizeof zero;
    bvpi_hasher_start128(&hasher);
    bvpi_hasher_add128(&hasher, header, before);
    bvpi_hasher_add128(&hasher, zero, sizeof zero);
    bvpi_hasher_add128(&hasher, (const char *)header + after, sizeof *header - after);
    bvpi_hasher_add128(&hasher, hashes, size);
    bvpi_hasher_end128(&hasher, out);
}

bool bvpi_check_identity(const void *head, uint64_t size, bvpi_report *report)
{
    const size_t present = size < BVPD_MAGIC_SIZE ? (size_t)size : BVPD_MAGIC_SIZE;
    if (!BVPI_RULE(report, "HDR-1", BVP_ERR_NOT_OURS, 0,
                   present > 0 && memcmp(head, BVPD_MAGIC, present) == 0, "%s",
                   size == 0 ? "the file is empty"
                             : "the first 12 bytes are not a bvpack file's; text-mode transfer "
                               "changes them too"))
        return false;
    return BVPI_SOUND(report, "HDR-2", size, size >= BVPD_HEADER_SIZE,
                      "the file ends after %" PRIu64 " bytes; a header has 1408: copy it again",
                      size);
}

/* Known kinds occur once each, in order; unknown kinds may stand between them. */
static void check_kinds(const bvpd_header *h, bvpi_report *report)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < h->section_count; i++) {
        const bvpd_section *s = &h->sections[i];
        const uint64_t offset = FIELD(sections) + i * sizeof *s;
        uint32_t kind = 0;
        while (kind < BVPD_SECTION_COUNT && memcmp(s->kind, known[kind].kind, 4) != 0)
            kind++;
        if (kind < BVPD_SECTION_COUNT) {
            BVPI_SOUND(report, "DIR-1", offset, kind == next,
                       "entry %" PRIu32 " is %s, which is not the next section in order", i,
                       known[kind].kind);
            next = kind + 1;
        } else {
            BVPI_KNOWN(report, "DIR-2", offset, (s->flags & 1) == 0,
                       "entry %" PRIu32 " is a section of unknown kind that may not be skipped", i);
        }
        BVPI_KNOWN(report, "DIR-3", offset + 4, (s->flags & ~1u) == 0,
                   "reserved flags of entry %" PRIu32 " are set", i);
    }
    BVPI_SOUND(report, "DIR-1", FIELD(sections),
               next == BVPD_SECTION_COUNT &&
                   bvpi_find_section(h, BVPD_HASH) == h->section_count - 1,
               "the directory lacks a section, or does not end with HASH");
}

/* Each section begins at the first aligned byte after the end of its predecessor. */
static void check_places(const bvpd_header *h, bvpi_report *report)
{
    uint64_t end = BVPD_HEADER_SIZE;
    const uint64_t limit =
        h->file_size < sizeof(bvpd_trailer) ? 0 : h->file_size - sizeof(bvpd_trailer);
    for (uint32_t i = 0; i < h->section_count; i++) {
        const bvpd_section *s = &h->sections[i];
        const uint64_t offset = FIELD(sections) + i * sizeof *s + offsetof(bvpd_section, offset);
        uint64_t expected = 0;
        bool placed = bvpi_align(end, BVPD_SECTION_ALIGN, &expected) && s->offset == expected;
        BVPI_SOUND(report, "DIR-4", offset, placed,
                   "section %.4s begins at %" PRIu64 ", not at %" PRIu64, (const char *)s->kind,
                   s->offset, expected);
        if (!BVPI_SOUND(report, "DIR-5", offset, bvpi_fits(s->offset, s->size, limit),
                        "section %.4s (%" PRIu64 " bytes at %" PRIu64 ") leaves the file",
                        (const char *)s->kind, s->size, s->offset))
            return;
        end = s->offset + s->size;
        assert(end <= limit); /* so no sum of the next entry overflows */
    }
    const uint32_t data = bvpi_find_section(h, BVPD_DATA);
    if (data < h->section_count)
        BVPI_SOUND(report, "DIR-9", FIELD(file_size),
                   h->file_size ==
                       bvpi_file_size_for(h->sections[data].offset + h->sections[data].size, end),
                   "file_size %" PRIu64 " is not the least that the sections allow", h->file_size);
}

/* The number of blocks, including a partial last one, between the head and an offset. */
static uint64_t blocks_before(uint64_t offset)
{
    assert(offset >= BVPD_HEADER_SIZE);
    const uint64_t covered = offset - BVPD_HEADER_SIZE;
    return covered / BVPD_BLOCK_SIZE + (covered % BVPD_BLOCK_SIZE != 0);
}

/* The rules of the directory. h->section_count fits h->sections, but may be too small, as all that
 * the fields say may be wrong: one violation does not keep the next rules from being checked. */
static void check_directory(const bvpd_header *h, bvpi_report *report)
{
    assert(h->section_count <= BVPD_SECTION_MAX);
    check_kinds(h, report);
    check_places(h, report);
    for (int kind = 0; kind < BVPD_SECTION_COUNT; kind++) {
        const uint32_t i = bvpi_find_section(h, kind);
        if (i >= h->section_count)
            continue;
        const bvpd_section *s = &h->sections[i];
        const uint64_t offset = FIELD(sections) + i * sizeof *s;
        uint64_t bytes = 0;
        BVPI_SOUND(report, "DIR-6", offset + offsetof(bvpd_section, record_count),
                   s->record_size == known[kind].record_size &&
                       bvpi_mul(s->record_count, s->record_size, &bytes) && bytes == s->raw_size,
                   "section %s: %" PRIu64 " records of %" PRIu32 " bytes are not %" PRIu64 " bytes",
                   known[kind].kind, s->record_count, s->record_size, s->raw_size);
        BVPI_KNOWN(report, "DIR-7", offset + offsetof(bvpd_section, codec),
                   s->codec == 0 || (s->codec == 1 && kind == BVPD_PROV),
                   "section %s: codec %" PRIu32 " is reserved", known[kind].kind, s->codec);
        BVPI_SOUND(report, "DIR-8", offset + offsetof(bvpd_section, raw_size),
                   s->codec != 0 || s->raw_size == s->size,
                   "section %s is not compressed, but its sizes differ", known[kind].kind);
    }
    /* HASH covers what is before it, DGST with it; DGST covers what is before itself. */
    const uint32_t hash = bvpi_find_section(h, BVPD_HASH), digest = bvpi_find_digests(h);
    if (hash < h->section_count && h->sections[hash].offset >= BVPD_HEADER_SIZE) {
        const bvpd_section *s = &h->sections[hash];
        const uint64_t blocks = blocks_before(s->offset);
        BVPI_SOUND(report, "DIR-10",
                   FIELD(sections) + hash * sizeof *s + offsetof(bvpd_section, record_count),
                   s->record_count == blocks, "HASH has %" PRIu64 " hashes for %" PRIu64 " blocks",
                   s->record_count, blocks);
    }
    if (digest < h->section_count && h->sections[digest].offset >= BVPD_HEADER_SIZE) {
        const bvpd_section *s = &h->sections[digest];
        const uint64_t blocks = blocks_before(s->offset);
        BVPI_SOUND(report, "DGS-1", FIELD(sections) + digest * sizeof *s,
                   digest + 1 == hash && s->record_size == BVPD_DIGEST_SIZE &&
                       s->record_count == blocks && s->codec == 0 && s->size == s->raw_size &&
                       s->size == blocks * BVPD_DIGEST_SIZE,
                   "DGST is not %" PRIu64 " digests of 32 bytes directly before HASH", blocks);
    }
    const uint32_t prov = bvpi_find_section(h, BVPD_PROV), buffers = bvpi_find_buffers(h);
    const bool is_outside = (h->feature_incompatible & BVPD_FEATURE_OUTSIDE) != 0;
    const bool has_buffers = buffers < h->section_count;
    const bvpd_section *b = &h->sections[has_buffers ? buffers : 0];
    uint64_t size = 0;
    BVPI_SOUND(report, "BUF-1", FIELD(feature_incompatible),
               is_outside == has_buffers &&
                   (!has_buffers ||
                    (buffers == prov + 1 && b->record_size == sizeof(bvpd_buffers) &&
                     b->codec == 0 && b->size == b->raw_size && b->record_count < BVPD_NONE &&
                     bvpi_mul(b->record_count, b->record_size, &size) && size == b->size &&
                     (h->feature_incompatible & BVPD_FEATURE_THIN) == 0)),
               "BUFS is not directly after PROV, with records of 64 bytes, of a file over buffers "
               "that is not thin");
    BVPI_KNOWN(report, "DIR-11", FIELD(sections) + h->section_count * sizeof *h->sections,
               bvpi_is_zero(&h->sections[h->section_count],
                            (BVPD_SECTION_MAX - h->section_count) * sizeof *h->sections),
               "unused entries of the directory are not zero");
}

void bvpi_check_header(const bvpd_header *h, const void *bytes, uint64_t size, bvpi_report *report)
{
    const struct {
        enum bvpd_section_index section;
        size_t field;
        uint32_t count;
    } counts[] = {
        {BVPD_PART, FIELD(part_count), h->part_count},
        {BVPD_INST, FIELD(instance_count), h->instance_count},
        {BVPD_TREE, FIELD(node_count), h->node_count},
        {BVPD_HIER, FIELD(hierarchy_count), h->hierarchy_count},
    };
    /* The head of another version may have another size. Hashing that size keeps a newer or older
     * file from being reported as damaged. */
    const bool is_ours =
        h->version_major == BVPD_VERSION_MAJOR && h->version_minor == BVPD_VERSION_MINOR;
    const bool has_own_size = !is_ours && h->header_size >= FIELD(root_hash) &&
                              h->header_size <= BVPD_PAGE_SIZE && h->header_size <= size;
    const uint64_t hash = has_own_size ? hash_head(bytes, h->header_size) : bvpi_header_hash(h);
    BVPI_SOUND(report, "HDR-3", FIELD(header_hash), h->header_hash == hash,
               "the header's hash does not match: the first 1408 bytes are damaged");
    BVPI_KNOWN(report, "HDR-4", FIELD(version_major), h->version_major == BVPD_VERSION_MAJOR,
               "format version %u.%u; this library reads %d.%d", h->version_major, h->version_minor,
               BVPD_VERSION_MAJOR, BVPD_VERSION_MINOR);
    BVPI_KNOWN(report, "HDR-5", FIELD(version_minor), h->version_minor == BVPD_VERSION_MINOR,
               "format version %u.%u; this library reads %d.%d: pack the model anew",
               h->version_major, h->version_minor, BVPD_VERSION_MAJOR, BVPD_VERSION_MINOR);
    BVPI_KNOWN(report, "HDR-6", FIELD(feature_incompatible),
               (h->feature_incompatible & ~BVPD_FEATURES) == 0,
               "it needs features 0x%" PRIx32 " that this library does not have",
               h->feature_incompatible);
    BVPI_SOUND(report, "HDR-7", FIELD(header_size), h->header_size == BVPD_HEADER_SIZE,
               "header_size is %" PRIu32 ", not 1408", h->header_size);
    BVPI_SOUND(report, "HDR-8", FIELD(file_size), h->file_size == size,
               "the file has %" PRIu64 " bytes, its header says %" PRIu64 ": copy it again", size,
               h->file_size);
    BVPI_SOUND(report, "HDR-9", FIELD(file_size), h->file_size % BVPD_PAGE_SIZE == 0,
               "file_size %" PRIu64 " is not a multiple of 4096", h->file_size);
    BVPI_SOUND(report, "HDR-10", FIELD(section_count),
               h->section_count >= BVPD_SECTION_COUNT && h->section_count <= BVPD_SECTION_MAX,
               "section_count is %" PRIu32 ", not %d to %d", h->section_count, BVPD_SECTION_COUNT,
               BVPD_SECTION_MAX);
    BVPI_KNOWN(report, "HDR-11", FIELD(block_size), h->block_size == BVPD_BLOCK_SIZE,
               "block_size is %" PRIu32 ", not %d", h->block_size, BVPD_BLOCK_SIZE);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const uint32_t entry = bvpi_find_section(h, counts[i].section);
        if (entry < h->section_count)
            BVPI_SOUND(
                report, "HDR-12", counts[i].field,
                counts[i].count == h->sections[entry].record_count && counts[i].count != BVPD_NONE,
                "the header counts %" PRIu32 " records in %s, the directory %" PRIu64,
                counts[i].count, known[counts[i].section].kind, h->sections[entry].record_count);
    }
    BVPI_KNOWN(report, "HDR-13", FIELD(up_axis), h->up_axis <= 3, "up_axis %" PRIu32 " is reserved",
               h->up_axis);
    BVPI_SOUND(report, "HDR-14", FIELD(unit_in_metres),
               isfinite(h->unit_in_metres) && h->unit_in_metres >= 0,
               "unit_in_metres is not a finite number >= 0");
    bool finite = true;
    for (int axis = 0; axis < 3; axis++)
        finite = finite && isfinite(h->lo[axis]) && isfinite(h->hi[axis]);
    const bool ordered = h->lo[0] <= h->hi[0] && h->lo[1] <= h->hi[1] && h->lo[2] <= h->hi[2];
    BVPI_SOUND(report, "HDR-15", FIELD(lo), finite && ordered != (h->instance_count == 0),
               "the world bounds are not finite, or not ordered as the instance count asks");
    BVPI_SOUND(report, "HDR-16", FIELD(top_hierarchy),
               h->instance_count == 0 ? h->top_hierarchy == BVPD_NONE
                                      : h->top_hierarchy < h->hierarchy_count,
               "top_hierarchy %" PRIu32 " does not exist", h->top_hierarchy);
    uint64_t sum = 0;
    BVPI_SOUND(report, "HDR-17", FIELD(hierarchy_size),
               bvpi_add(h->hierarchy_size, h->geometry_size, &sum) &&
                   bvpi_add(sum, h->id_size, &sum) && sum <= h->file_size,
               "the sizes by purpose exceed the file's size");
    BVPI_KNOWN(report, "HDR-18", FIELD(reserved), bvpi_is_zero(h->reserved, sizeof h->reserved),
               "reserved bytes of the header are not zero");
    BVPI_SOUND(report, "HDR-23", FIELD(tessellation_tolerance),
               isfinite(h->tessellation_tolerance) && h->tessellation_tolerance >= 0,
               "tessellation_tolerance is not a finite number >= 0");
    if (h->section_count <= BVPD_SECTION_MAX)
        check_directory(h, report);
}
