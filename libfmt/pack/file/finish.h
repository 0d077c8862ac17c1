/* SPDX-License-Identifier: MIT
 * finish.h: from a builder's parts to the sections of a file.
 * Spec: format.md, chapters "Parts", "Hierarchies"
 */
#ifndef BVPI_PACK_FILE_FINISH_H
#define BVPI_PACK_FILE_FINISH_H

#include "pack/file/builder.h"
#include "format/write.h"

/* Everything that is written, in its final form. */
typedef struct bvpi_finishing {
    bvp_builder *b;
    bvpd_part *parts;
    bvpd_hierarchy *hierarchies;
    bvpi_product_records product;
    bvpi_array data, ids, binary;         /* bvpi_chunk */
    bvpi_chunk table[BVPD_SECTION_COUNT]; /* of the sections that consist of one chunk */
    bvpi_write write;
    uint64_t node_size;       /* bytes of the nodes in DATA */
    uint64_t binary_size;     /* bytes of BINH so far */
    uint32_t hierarchy_count; /* hierarchies of parts */
    uint32_t features;        /* incompatible ones that the parts need */
    uint64_t kind_size[BVPD_KIND_END];
    bvpi_chunk buffers;
    uint32_t store; /* string reference */
} bvpi_finishing;

/* Makes the records of the builder's parts and the chunks of DATA, TIDS and BINH, and sets sizes
 * and the number of triangles in the header. The record after the last hierarchy is zero. */
bvp_status bvpi_place_parts(bvpi_finishing *f, bvp_error *error);
void bvpi_finishing_free(bvpi_finishing *f);

#endif
