/* SPDX-License-Identifier: MIT
 * records.h: triangles that lie one after the other, each in as many bytes: binary STL, and plain
 * streams of triangles.
 */
#ifndef RECORDS_H
#define RECORDS_H

#include "model/import.h"

/* Nine little-endian floats, the corners, at `corners_off` of each `size` bytes. */
typedef struct record_layout {
    const char *format; /* what a model of them is called */
    const char *record; /* what one is called */
    size_t header_size, size, corners_off;
} record_layout;

enum { STL_HEADER = 84, STL_FACET = 50, RECORD_CORNERS = 36, RECORD_MOST = 50 };

extern const record_layout stl_records, triangle_records;
extern const char records_dropped[]; /* the warning */

/* The number of facets that the header of a binary STL file, of STL_HEADER bytes, announces. */
uint32_t stl_facet_count(const uint8_t *header);
/* Copies the corners of a record; the number of the first coordinate that is not finite, or 9. */
int record_read(const record_layout *layout, const uint8_t *record, float corners[9]);
/* Refuses record `number`, which is not finite. */
bvp_status record_refuse(importer *im, const record_layout *layout, uint64_t number,
                         const float corners[9], int first_wrong);
/* Imports `count` records behind a header, all of which exist. */
bvp_status records_import(importer *im, const record_layout *layout, uint64_t count);

#endif
