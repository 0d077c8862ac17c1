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
#include "base/utf8.h"
#include "format/header.h"
#include "format/linear.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 128 };

void bvpi_annotate_bytes(bvpi_annotator *a, uint64_t end, const char *path, const char *value,
                         const char *rule)
{
    if (a->stopped || end <= a->cursor)
        return;
    const bvp_annotation annotation = {a->cursor, end - a->cursor, path, value, rule};
    a->stopped = a->callback(a->user, &annotation) != 0;
    a->cursor = end;
}

/* ---- values --------------------------------------------------------------------------------- */

void bvpi_add_to_value(char value[BVPI_VALUE_MAX], const char *format, ...)
{
    const size_t used = strlen(value);
    assert(used < BVPI_VALUE_MAX);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value + used, BVPI_VALUE_MAX - used, format, arguments);
    va_end(arguments);
}

/* In quotes; characters that are not printable, or not UTF-8, as question marks. */
static void print_text(char *out, size_t capacity, const uint8_t *bytes, uint64_t count)
{
    uint32_t used = 0;
    uint64_t i = 0;
    assert(capacity >= 16); /* a quote, one character, and the end */
    out[used++] = '"';
    while (i < count && used + 12 < capacity) {
        const size_t length = bvpi_utf8_length(bytes + i, (size_t)(count - i));
        const bool is_shown = length > 0 && bvpi_is_plain(bytes + i, length);
        const size_t taken = length > 0 ? length : 1, put = is_shown ? length : 1;
        memcpy(out + used, is_shown ? (const char *)bytes + i : "?", put);
        used += (uint32_t)put;
        i += taken;
    }
    snprintf(out + used, 8, i < count ? "\"..." : "\"");
}

static void print_value(char *out, const bvp_file *file, const bvpi_field *field, const uint8_t *p)
{
    float f32;
    double f64;
    switch (field->type) {
    case BVPI_FIELD_U8:
        snprintf(out, BVPI_VALUE_MAX, "%u", bvpi_load_u8(p));
        break;
    case BVPI_FIELD_U16:
        snprintf(out, BVPI_VALUE_MAX, "%u", bvpi_load_u16(p));
        break;
    case BVPI_FIELD_U32:
        snprintf(out, BVPI_VALUE_MAX, "%" PRIu32, bvpi_load_u32(p));
        break;
    case BVPI_FIELD_INDEX:
        if (bvpi_load_u32(p) == BVPD_NONE)
            snprintf(out, BVPI_VALUE_MAX, "none");
        else
            snprintf(out, BVPI_VALUE_MAX, "%" PRIu32, bvpi_load_u32(p));
        break;
    case BVPI_FIELD_STRING: {
        const uint32_t reference = bvpi_load_u32(p); /* once: it may change */
        const bvp_string string = bvpi_get_string(file, reference);
        const int used = snprintf(out, BVPI_VALUE_MAX, "%" PRIu32 " ", reference);
        print_text(out + used, BVPI_VALUE_MAX - (size_t)used, (const uint8_t *)string.data,
                   string.size);
        break;
    }
    case BVPI_FIELD_U64:
        snprintf(out, BVPI_VALUE_MAX, "%" PRIu64, bvpi_load_u64(p));
        break;
    case BVPI_FIELD_F32:
        memcpy(&f32, p, sizeof f32);
        snprintf(out, BVPI_VALUE_MAX, "%.9g", f32);
        break;
    case BVPI_FIELD_F64:
        memcpy(&f64, p, sizeof f64);
        snprintf(out, BVPI_VALUE_MAX, "%.17g", f64);
        break;
    case BVPI_FIELD_HEX:
        assert(field->count > 0);
        for (uint32_t i = 0; i < field->count && 3 * i + 3 < BVPI_VALUE_MAX; i++)
            snprintf(out + 3 * i, 4, "%02x ", p[i]);
        out[strlen(out) - 1] = '\0';
        break;
    case BVPI_FIELD_TEXT:
        print_text(out, BVPI_VALUE_MAX, p, field->count);
        break;
    default:
        out[0] = '\0';
    }
}

/* ---- structures ----------------------------------------------------------------------------- */

void bvpi_annotate_fields(bvpi_annotator *a, const char *prefix, const bvpi_field *fields)
{
    for (const bvpi_field *field = fields; field->type != BVPI_FIELD_END; field++) {
        const uint32_t size = bvpi_field_size(field);
        const bool is_one_item = field->count == 1 || field->type == BVPI_FIELD_HEX ||
                                 field->type == BVPI_FIELD_TEXT || field->type == BVPI_FIELD_ZERO;
        const uint32_t items = is_one_item ? 1 : field->count;
        for (uint32_t i = 0; i < items && !a->stopped; i++) {
            char path[PATH_SIZE], value[BVPI_VALUE_MAX] = "", index[16] = "";
            if (items > 1)
                snprintf(index, sizeof index, "[%" PRIu32 "]", i);
            snprintf(path, sizeof path, "%s.%s%s", prefix, field->name, index);
            print_value(value, a->file, field, a->file->base + a->cursor);
            const uint64_t bytes = (uint64_t)size * field->count / items;
            bvpi_annotate_bytes(a, a->cursor + bytes, path, value, field->rule);
        }
    }
}

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
        print_text(value, sizeof value, strings->data + offset + 4, size);
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
            print_text(value, sizeof value, span->data, span->size);
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
    return a.unknown ? BVP_ERR_CORRUPT : BVP_OK;
}
