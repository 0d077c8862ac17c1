/* SPDX-License-Identifier: MIT
 * last_output.h: the file that an export was packed into last, as a source of the parts that have
 * not changed: one file to open instead of one a part.
 */
#ifndef LAST_OUTPUT_H
#define LAST_OUTPUT_H

#include "part_table.h"
#include "store.h"

/* Zero-initialise. */
typedef struct last_output {
    bvp_file *file; /* NULL: there is none */
    part_table parts;
} last_output;

/* Opens what was noted under the key, if it has not changed since. */
void last_output_open(last_output *l, const store *s, const uint8_t key[16]);
void last_output_close(last_output *l);
/* Notes the file, complete and on the disk, for the next time, which otherwise takes longer. */
void last_output_note(const store *s, const uint8_t key[16], const char *path);

#endif
