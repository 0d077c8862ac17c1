/* SPDX-License-Identifier: MIT
 * part_table.h: the parts of packed files by their addresses.
 */
#ifndef PART_TABLE_H
#define PART_TABLE_H

#include <stddef.h>
#include "bvpack.h"

typedef struct part_place {
    uint8_t address[16];
    const bvp_file *file;
    uint32_t part;
} part_place;

/* Zero-initialise. The files stay open as long as it is used. */
typedef struct part_table {
    part_place *places;
    size_t count;
} part_table;

/* Adds all parts of the files; 0, or -1 when memory is out. To be called once. */
int part_table_fill(part_table *t, bvp_file *const *files, size_t file_count);
/* A part of that address, or NULL. */
const part_place *part_table_find(const part_table *t, const uint8_t address[16]);
void part_table_free(part_table *t);

#endif
