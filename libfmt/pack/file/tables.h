/* SPDX-License-Identifier: MIT
 * tables.h: sets of records that are stored once: strings and placements.
 * Spec: format.md, chapters "Placements", "Strings".
 */
#ifndef BVPI_PACK_FILE_TABLES_H
#define BVPI_PACK_FILE_TABLES_H

#include "bvpack.h"

/* Zero-initialised: empty. */
typedef struct bvpi_array {
    void *data;
    uint64_t count, capacity; /* elements */
} bvpi_array;

/* Makes room for `more` elements after the last, zeroed; *first: the first of them. count grows. */
bvp_status bvpi_array_add(bvpi_array *array, uint64_t more, size_t size, void *first,
                          bvp_error *error);
void bvpi_array_free(bvpi_array *array);

/* Records of any size, one after the other in 4-byte units; each once. */
typedef struct bvpi_table {
    bvpi_array bytes;  /* in the form in which they are stored */
    bvpi_array starts; /* uint64_t: where each record begins */
    uint32_t *slots;   /* record numbers + 1, by hash */
    uint64_t slot_count;
} bvpi_table;

/* *reference: offset in 4 bytes of the string's record. NULL and "" give 0. */
bvp_status bvpi_add_string(bvpi_table *table, const char *text, uint32_t *reference,
                           bvp_error *error);
/* *reference: of an equal linear part, bit for bit. NULL gives 0, the identity. */
bvp_status bvpi_add_linear(bvpi_table *table, const double *placement, uint32_t *reference,
                           bvp_error *error);
/* *number: of an equal placement, bit for bit. NULL gives 0, the identity. */
bvp_status bvpi_add_placement(bvpi_table *table, const double *placement, uint32_t *number,
                              bvp_error *error);
void bvpi_table_free(bvpi_table *table);

#endif
