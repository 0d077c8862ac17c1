/* SPDX-License-Identifier: MIT
 * verify_framing.c: what is around the sections: gaps, hashes, trailer; and the strings.
 * Spec: format.md, chapters "Directory", "Strings", "Provenance", "Hashes", "Trailer"
 */
#include "format/check/verify_file.h"

#include "base/checked.h"
#include "base/utf8.h"
#include "format/codec.h"
#include "format/digest.h"
#include "format/header.h"
#include "format/lazy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Checks that padding between sections is zero. Where a section is out of order, or leaves the
 * file, the gaps behind it have no meaning. */
static void verify_gaps(bvpi_verify *v)
{
    const bvpd_header *h = &v->file.header;
    uint64_t end = BVPD_HEADER_SIZE;
    for (uint32_t i = 0; i < h->section_count && i < BVPD_SECTION_MAX; i++) {
        const bvpd_section *s = &h->sections[i];
        if (s->offset < end || !bvpi_fits(s->offset, s->size, v->file.size))
            return;
        BVPI_SOUND(&v->report, "DIR-12", end, bvpi_is_zero(v->file.base + end, s->offset - end),
                   "the padding before section %.4s is not zero", (const char *)s->kind);
        end = s->offset + s->size;
    }
    if (bvpi_fits(end, sizeof(bvpd_trailer), v->file.size))
        BVPI_SOUND(&v->report, "END-2", end,
                   bvpi_is_zero(v->file.base + end, v->file.size - sizeof(bvpd_trailer) - end),
                   "the bytes between HASH and the trailer are not zero");
}

void bvpi_verify_framing(bvpi_verify *v)
{
    const bvpd_header *h = &v->file.header;
    const bvpi_span *hashes = &v->file.section[BVPD_HASH], *digests = &v->file.digests;
    bvpi_report *report = &v->report;
    uint8_t root[16];
    verify_gaps(v);
    bvpi_root_hash(h, hashes->data, hashes->size, root);
    BVPI_SOUND(report, "HSH-1", offsetof(bvpd_header, root_hash),
               memcmp(root, h->root_hash, sizeof root) == 0,
               "the root hash does not match the header and the block hashes");
    const bool are_sound = bvpi_blocks_are_sound(v, hashes->count);
    for (uint64_t block = 0; block < hashes->count && !are_sound && bvpi_report_goes_on(report);
         block++)
        BVPI_SOUND(report, "HSH-2", BVPD_HEADER_SIZE + block * BVPD_BLOCK_SIZE,
                   bvpi_block_is_good(&v->file, block), "block %" PRIu64 " is damaged", block);
    for (uint64_t block = 0;
         block < digests->count && bvpi_can_digest() && bvpi_report_goes_on(report); block++)
        BVPI_SOUND(report, "DGS-2", BVPD_HEADER_SIZE + block * BVPD_BLOCK_SIZE,
                   bvpi_block_has_digest(&v->file, block),
                   "block %" PRIu64 " does not match its digest", block);
    if (v->file.size < BVPD_HEADER_SIZE + sizeof(bvpd_trailer))
        return;
    const uint64_t offset = v->file.size - sizeof(bvpd_trailer);
    bvpd_trailer t;
    bvpi_load_record(&t, v->file.base + offset, sizeof t);
    BVPI_SOUND(report, "END-1", offset,
               t.file_size == h->file_size && t.header_hash == h->header_hash &&
                   memcmp(t.root_hash, h->root_hash, sizeof t.root_hash) == 0 &&
                   memcmp(t.magic, BVPD_END_MAGIC, BVPD_END_MAGIC_SIZE) == 0,
               "the trailer is not this header's: the file was not written to its end");
}

/* ---- strings -------------------------------------------------------------------------------- */

static void verify_provenance(bvpi_verify *v)
{
    const bvpi_span *span = &v->file.section[BVPD_PROV];
    const uint32_t i = bvpi_find_section(&v->file.header, BVPD_PROV);
    if (i >= v->file.header.section_count)
        return;
    const bvpd_section *entry = &v->file.header.sections[i];
    const uint8_t *text = span->data;
    uint64_t size = span->size;
    uint8_t *raw = NULL;
    if (entry->codec != 0) {
        bvp_error error = {0};
        size = entry->raw_size <= BVPI_RAW_SIZE_MAX ? entry->raw_size : 0;
        text = raw = malloc((size_t)size + 1);
        bvp_status status = raw ? bvpi_decompress(span->data, span->size, entry->raw_size, raw,
                                                  (size_t)size, &error)
                                : bvpi_error_memory(&error, size);
        if (status == BVP_ERR_NO_MEMORY) {
            /* says nothing about the file */
            if (v->report.error)
                *v->report.error = error;
            v->report.status = error.status;
            v->report.stopped = true;
            free(raw);
            return;
        }
        if (!BVPI_RULE(&v->report, "PRV-2", status, bvpi_verify_off(v, span->data),
                       status == BVP_OK, "%s", error.message)) {
            free(raw);
            return;
        }
    }
    BVPI_SOUND(&v->report, "PRV-1", bvpi_verify_off(v, span->data), bvpi_is_utf8(text, size),
               "the provenance text is not UTF-8, or holds a NUL");
    free(raw);
}

void bvpi_verify_strings(bvpi_verify *v)
{
    const bvpi_span *strings = &v->file.section[BVPD_STRS];
    if (!bvpi_bits_make(v, strings->size / 4 + 1, &v->strings))
        return;
    BVPI_SOUND(&v->report, "STR-1", bvpi_verify_off(v, strings->data),
               strings->size >= 4 && strings->size % 4 == 0 && bvpi_load_u32(strings->data) == 0,
               "STRS is not a multiple of 4 bytes that begins with the empty string");
    const uint64_t start = bvpi_verify_off(v, strings->data);
    uint64_t offset = 0;
    while (strings->size - offset >= 4 && bvpi_report_goes_on(&v->report)) {
        const uint32_t size = bvpi_load_u32(strings->data + offset);
        const uint64_t room = strings->size - offset - 4, padded = ((uint64_t)size + 3) & ~3ull;
        if (!BVPI_SOUND(&v->report, "STR-2", start + offset, padded <= room,
                        "a string of %" PRIu32 " bytes leaves the section", size))
            break;
        const uint8_t *text = strings->data + offset + 4;
        BVPI_SOUND(&v->report, "STR-3", start + offset, bvpi_is_utf8(text, size),
                   "a string is not UTF-8, or holds a NUL");
        BVPI_SOUND(&v->report, "STR-4", start + offset, bvpi_is_zero(text + size, padded - size),
                   "the padding of a string is not zero");
        bvpi_bits_set(&v->strings, offset / 4);
        offset += 4 + padded;
        assert(offset % 4 == 0 && offset <= strings->size);
    }
    verify_provenance(v);
}

void bvpi_verify_string_ref(bvpi_verify *v, uint64_t offset, uint32_t ref)
{
    BVPI_SOUND(&v->report, "STR-5", offset,
               ref < v->strings.count && bvpi_bits_get(&v->strings, ref),
               "no string record begins at reference %" PRIu32, ref);
}
