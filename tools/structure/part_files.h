/* SPDX-License-Identifier: MIT
 * part_files.h: the files beside a product structure that have its parts' geometry: each is read
 * once and placed any number of times.
 */
#ifndef PART_FILES_H
#define PART_FILES_H

#include "model/name_table.h"
#include "model/submodel.h"

/* Zero-initialise but for `im`, whose output has a unit. */
typedef struct part_files {
    importer *im;
    name_table paths; /* numbers in `files` by their paths */
    submodel *files;
    size_t count, capacity;
    uint64_t unitless; /* files that say no unit, and are taken to be in the structure's */
} part_files;

/* Is it of a format that bvpack has no reader for, such as JT, or of none? */
int part_files_is_foreign(const char *path);

/* Puts a file's geometry at a node: into it, or below it if is_below. location: a URI, or a path as
 * Windows writes it, from the structure's folder. at: where the structure names it, for
 * refusals. */
bvp_status part_files_place(part_files *f, const char *location, const void *at, uint32_t node,
                            int is_below);
void part_files_free(part_files *f);

#endif
