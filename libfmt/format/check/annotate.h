/* SPDX-License-Identifier: MIT
 * annotate.h: the tables of the spec as data, and the walk over a file that uses them.
 * Spec: format.md, the tables of chapters 3 to 18
 */
#ifndef BVPI_FORMAT_CHECK_ANNOTATE_H
#define BVPI_FORMAT_CHECK_ANNOTATE_H

#include "format/record.h"

enum { BVPI_VALUE_MAX = 256 }; /* bytes of a value's text */

typedef enum bvpi_field_type {
    BVPI_FIELD_END = 0,
    BVPI_FIELD_U8,
    BVPI_FIELD_U16,
    BVPI_FIELD_I16,
    BVPI_FIELD_U32,
    BVPI_FIELD_INDEX,  /* u32 that may be NONE */
    BVPI_FIELD_STRING, /* u32 string reference */
    BVPI_FIELD_U64,
    BVPI_FIELD_F32,
    BVPI_FIELD_F64,
    BVPI_FIELD_HEX,  /* `count` bytes as one item */
    BVPI_FIELD_TEXT, /* the same, shown as characters */
    BVPI_FIELD_ZERO  /* the same, reserved */
} bvpi_field_type;

/* One row of a table of the spec. */
typedef struct bvpi_field {
    const char *name;
    bvpi_field_type type;
    uint16_t count;   /* elements; 1: no index in the path */
    const char *rule; /* or "" */
} bvpi_field;

/* annotate_fields.c: the fields in the order of their bytes, without gaps, up to BVPI_FIELD_END. */
extern const bvpi_field bvpi_header_fields[], bvpi_entry_fields[], bvpi_trailer_fields[],
    bvpi_node_fields[], bvpi_ray_node_fields[], bvpi_cluster_fields[], bvpi_ids_fields[],
    bvpi_buffers_fields[];
/* The fields of a section's records; NULL if they are not simple tables. */
const bvpi_field *bvpi_record_fields(enum bvpd_section_index section);

/* State of the walk. */
typedef struct bvpi_annotator {
    const bvp_file *file;
    bvp_annotation_fn callback;
    void *user;
    uint64_t cursor; /* every byte before it has been explained */
    bool stopped, unknown;
} bvpi_annotator;

/* annotate_values.c: */

uint32_t bvpi_field_size(const bvpi_field *field); /* bytes of an element */
/* Writes text in quotes; characters that are not printable, or not UTF-8, as question marks.
 * capacity: at least 16. */
void bvpi_print_text(char *out, size_t capacity, const uint8_t *bytes, uint64_t count);
/* Appends to the text, which is cut off when it is full. */
void bvpi_add_to_value(char value[BVPI_VALUE_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Explains the bytes from the cursor up to `end` as one item. Does nothing if there are none. */
void bvpi_annotate_bytes(bvpi_annotator *a, uint64_t end, const char *path, const char *value,
                         const char *rule);
/* The same for a structure at the cursor, field by field. */
void bvpi_annotate_fields(bvpi_annotator *a, const char *prefix, const bvpi_field *fields);
/* annotate_data.c, annotate_binary.c: explain DATA, TIDS and BINH, part by part. */
void bvpi_annotate_data(bvpi_annotator *a);
void bvpi_annotate_ids(bvpi_annotator *a);
void bvpi_annotate_binaries(bvpi_annotator *a);
/* annotate_rays.c: explains a hierarchy for rays, which begins at the cursor. */
void bvpi_annotate_rays(bvpi_annotator *a, const bvpi_rays *rays, const char *prefix);

#endif
