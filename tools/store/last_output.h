/* SPDX-License-Identifier: MIT
 * last_output.h: the file into which an export was last packed, as a source of the parts that have
 * not changed: one file to open instead of one for each part.
 */
#ifndef LAST_OUTPUT_H
#define LAST_OUTPUT_H

#include "store/part_table.h"
#include "store/store.h"

/* Zero-initialise. */
typedef struct last_output {
    bvp_file *file; /* NULL: there is none. It verifies lazily */
    part_table parts;
    int fd, is_open; /* of the file */
    stamp stamp;     /* when it was opened */
} last_output;

/* Opens what was noted under the key, if it has not changed since. */
void last_output_open(last_output *l, const store *s, const uint8_t key[16]);
/* Is the file unchanged since it was opened? To be called when its parts have been copied. */
int last_output_is_as_it_was(const last_output *l);
void last_output_close(last_output *l);
/* Notes the file, complete and on the disk, for the next time, which otherwise takes longer. */
void last_output_note(const store *s, const uint8_t key[16], const char *path);

#endif
