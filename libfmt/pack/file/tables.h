/* SPDX-License-Identifier: MIT
 * tables.h: sets of records, each stored once: strings, placements, linear parts.
 * Spec: format.md, chapters "Placements", "Strings"
 */
#ifndef BVPI_PACK_FILE_TABLES_H
#define BVPI_PACK_FILE_TABLES_H

#include "bvpack.h"
#include "base/hash_table.h"

/* A growing array; all zeros: empty. */
typedef struct bvpi_array {
    void *data;
    uint64_t count, capacity; /* in elements */
} bvpi_array;

/* Appends `more` zeroed elements; *first points to the first of them. */
bvp_status bvpi_array_add(bvpi_array *array, uint64_t more, size_t size, void *first,
                          bvp_error *error);
void bvpi_array_free(bvpi_array *array);

/* Records of any size in 4-byte units, one after the other, each once. */
typedef struct bvpi_table {
    bvpi_array bytes;      /* in their stored form */
    bvpi_array starts;     /* uint64_t: the offset of each record */
    bvpi_hash_table found; /* their numbers */
} bvpi_table;

/* *reference: offset of the string's record, in units of 4 bytes. NULL and "" give 0. */
bvp_status bvpi_add_string(bvpi_table *table, const char *text, uint32_t *reference,
                           bvp_error *error);
/* *reference: of a linear part with the same bits. NULL gives 0, the identity. */
bvp_status bvpi_add_linear(bvpi_table *table, const double *placement, uint32_t *reference,
                           bvp_error *error);
/* *number: of a placement with the same bits. NULL gives 0, the identity. */
bvp_status bvpi_add_placement(bvpi_table *table, const double *placement, uint32_t *number,
                              bvp_error *error);
void bvpi_table_free(bvpi_table *table);

#endif
