/* SPDX-License-Identifier: MIT
 * annotate_values.c: explains the fields of a structure one after the other, and how values read.
 * Spec: format.md, the tables of chapters 3 to 18.
 */
#include "format/check/annotate.h"

#include "base/load.h"
#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 128 };

uint32_t bvpi_field_size(const bvpi_field *field)
{
    switch (field->type) {
    case BVPI_FIELD_U8:
    case BVPI_FIELD_HEX:
    case BVPI_FIELD_TEXT:
    case BVPI_FIELD_ZERO:
        return 1;
    case BVPI_FIELD_U16:
    case BVPI_FIELD_I16:
        return 2;
    case BVPI_FIELD_U64:
    case BVPI_FIELD_F64:
        return 8;
    default:
        return 4;
    }
}

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

void bvpi_print_text(char *out, size_t capacity, const uint8_t *bytes, uint64_t count)
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
    case BVPI_FIELD_I16:
        snprintf(out, BVPI_VALUE_MAX, "%d", (int16_t)bvpi_load_u16(p));
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
        bvpi_print_text(out + used, BVPI_VALUE_MAX - (size_t)used, (const uint8_t *)string.data,
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
        bvpi_print_text(out, BVPI_VALUE_MAX, p, field->count);
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
