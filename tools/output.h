/* SPDX-License-Identifier: MIT
 * output.h: an output file that has its name only when it is complete.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <limits.h>
#include <stdio.h>
#include "bvpack.h"

enum { OUTPUT_MAX = 16 }; /* open at a time */

typedef struct output {
    int fd;
    int direct;          /* standard output, a device or a pipe: no temporary file */
    int slot;            /* which of those that a signal removes */
    char path[PATH_MAX]; /* where it goes; symbolic links followed */
    char temporary[PATH_MAX + 32];
} output;

/* Opens a temporary file beside `path`, or `path` itself when it exists and is not a regular file;
 * "-" is standard output, which must not be a terminal. A signal that ends the program removes all
 * that are open. Returns 0, or says what is wrong and returns the exit code. */
int output_open(output *o, const char *path);
/* fsync and rename. Returns 0 or the exit code, as above. The output is closed in any case. */
int output_commit(output *o);
/* A temporary file of somebody else's, to be removed when a signal ends the program; output_spare
 * with what this returned when it is gone or has its name. */
int output_doom(const char *path);
void output_spare(int slot);
/* Removes the temporary files of all that are open; for a signal's handler that ends the program.
 */
void output_remove_all(void);
/* Says why the library could not write it, as complain_status does, and returns the exit code: that
 * of an output where the system refused. */
int output_failure(const char *path, bvp_status status, const bvp_error *error);
/* Closes and removes what has been written. */
void output_discard(output *o);

#endif
