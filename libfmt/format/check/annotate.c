/* SPDX-License-Identifier: MIT
 * annotate.c: explains every byte of a file, once and in order.
 *
 * A cursor runs over the file; everything before it has been explained. Tables (annotate_fields.c)
 * explain records and headers; DATA, TIDS and BINH have walkers of their own. Where the bytes make
 * no sense, the rest of that part or section is reported as "unknown", and the walk goes on behind
 * it. So damaged files can be dumped, too; the result is then BVP_ERR_CORRUPT.
 *
 * Held by tests/unit/test_annotate.c: every byte once, in order, with the file's values.
 * Spec: format.md, chapters 2 to 18
 */
#include "format/check/annotate.h"

#include "base/load.h"
#include "format/header.h"
#include "format/linear.h"
#include "format/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 128 };

/* ---- sections ------------------------------------------------------------------------------- */

static void annotate_linears(bvpi_annotator *a)
{
    static const bvpi_field word = {"word", BVPI_FIELD_HEX, 8, "LIN-3"};
    static const bvpi_field magnitude = {"magnitude", BVPI_FIELD_F64, 1, "LIN-4"};
    const bvpi_span *span = &a->file->section[BVPD_LINS];
    for (uint64_t at = 0; at < span->count && !a->stopped;) {
        char prefix[PATH_SIZE];
        bvpi_field fields[2] = {word, {"", BVPI_FIELD_END, 0, ""}};
        const unsigned count = bvpi_linear_count(bvpi_load_u64(span->data + 8 * at));
        if (count >= span->count - at)
            return;
        snprintf(prefix, sizeof prefix, "LINS[%" PRIu64 "]", at);
        bvpi_annotate_fields(a, prefix, fields);
        fields[0] = magnitude;
        fields[0].count = count;
        if (count > 0)
            bvpi_annotate_fields(a, prefix, fields);
        at += 1 + count;
    }
}

static void annotate_strings(bvpi_annotator *a)
{
    const bvpi_span *strings = &a->file->section[BVPD_STRS];
    uint64_t offset = 0;
    while (strings->size - offset >= 4 && !a->stopped) {
        char prefix[PATH_SIZE], path[PATH_SIZE + 16], value[BVPI_VALUE_MAX];
        const uint32_t size = bvpi_load_u32(strings->data + offset);
        const uint64_t start = a->cursor, padded = ((uint64_t)size + 3) & ~UINT64_C(3);
        if (padded > strings->size - offset - 4)
            return;
        snprintf(prefix, sizeof prefix, "STRS[%" PRIu64 "]", offset / 4);
        snprintf(path, sizeof path, "%s.size", prefix);
        snprintf(value, sizeof value, "%" PRIu32, size);
        bvpi_annotate_bytes(a, start + 4, path, value, "STR-2");
        snprintf(path, sizeof path, "%s.text", prefix);
        bvpi_print_text(value, sizeof value, strings->data + offset + 4, size);
        bvpi_annotate_bytes(a, start + 4 + size, path, value, "STR-3");
        snprintf(path, sizeof path, "%s.padding", prefix);
        bvpi_annotate_bytes(a, start + 4 + padded, path, "", "STR-4");
        offset += 4 + padded;
    }
}

static void annotate_section(bvpi_annotator *a, const bvpd_section *entry)
{
    int kind = 0;
    while (kind < BVPD_SECTION_COUNT && memcmp(entry->kind, bvpi_section_kind(kind), 4) != 0)
        kind++;
    const bvpi_span *span = kind < BVPD_SECTION_COUNT ? &a->file->section[kind] : NULL;
    if (kind == BVPD_DATA)
        bvpi_annotate_data(a);
    else if (kind == BVPD_TIDS)
        bvpi_annotate_ids(a);
    else if (kind == BVPD_BINH)
        bvpi_annotate_binaries(a);
    else if (kind == BVPD_LINS)
        annotate_linears(a);
    else if (kind == BVPD_STRS)
        annotate_strings(a);
    else if (kind == BVPD_PROV) {
        char value[BVPI_VALUE_MAX];
        if (entry->codec == 0)
            bvpi_print_text(value, sizeof value, span->data, span->size);
        else
            snprintf(value, sizeof value, "zstd frame of %" PRIu64 " bytes of text",
                     entry->raw_size);
        bvpi_annotate_bytes(a, a->cursor + span->size, "PROV.text", value,
                            entry->codec == 0 ? "PRV-1" : "PRV-2");
    } else if (kind < BVPD_SECTION_COUNT) {
        for (uint64_t i = 0; i < span->count && !a->stopped; i++) {
            char prefix[PATH_SIZE];
            snprintf(prefix, sizeof prefix, "%s[%" PRIu64 "]", bvpi_section_kind(kind), i);
            bvpi_annotate_fields(a, prefix, bvpi_record_fields(kind));
        }
    } else if (memcmp(entry->kind, BVPD_BUFFERS, sizeof entry->kind) == 0) {
        for (uint64_t i = 0; i < a->file->buffers.count && !a->stopped; i++) {
            char prefix[PATH_SIZE];
            snprintf(prefix, sizeof prefix, "BUFS[%" PRIu64 "]", i);
            bvpi_annotate_fields(a, prefix, bvpi_buffers_fields);
        }
    } else if (memcmp(entry->kind, BVPD_DIGESTS, sizeof entry->kind) == 0)
        bvpi_annotate_bytes(a, entry->offset + entry->size, "DGST", "digests of blocks", "DGS-2");
    else
        bvpi_annotate_bytes(a, entry->offset + entry->size, "section", "of unknown kind", "DIR-2");
    if (!a->stopped && a->cursor < entry->offset + entry->size)
        a->unknown = true;
    bvpi_annotate_bytes(a, entry->offset + entry->size, "unknown", "", "");
}

bvp_status bvp_annotate(const bvp_file *file, bvp_annotation_fn callback, void *user)
{
    bvpi_annotator a = {.file = file, .callback = callback, .user = user};
    bvpi_call call = bvpi_call_begin(file, NULL);
    const bvp_status status = bvpi_source_fetch_all(file);
    if (status != BVP_OK)
        return bvpi_call_end(&call, status);
    bvpi_annotate_fields(&a, "header", bvpi_header_fields);
    for (uint32_t i = 0; i < file->header.section_count; i++) {
        char prefix[PATH_SIZE];
        snprintf(prefix, sizeof prefix, "directory[%" PRIu32 "]", i);
        bvpi_annotate_fields(&a, prefix, bvpi_entry_fields);
    }
    bvpi_annotate_bytes(&a, BVPD_HEADER_SIZE, "directory.unused", "", "DIR-11");
    for (uint32_t i = 0; i < file->header.section_count && !a.stopped; i++) {
        const bvpd_section *entry = &file->header.sections[i];
        bvpi_annotate_bytes(&a, entry->offset, "padding", "", "DIR-12");
        annotate_section(&a, entry);
    }
    bvpi_annotate_bytes(&a, file->size - sizeof(bvpd_trailer), "padding", "", "END-2");
    bvpi_annotate_fields(&a, "trailer", bvpi_trailer_fields);
    return bvpi_call_end(&call, a.unknown ? BVP_ERR_CORRUPT : BVP_OK);
}
