/* SPDX-License-Identifier: MIT
 * output.h: an output file that has its name only when it is complete.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <limits.h>
#include <stdio.h>
#include "bvpack.h"
#include "publish/publish.h"

typedef struct output {
    int fd;
    int direct;          /* standard output, a device or a pipe: `file` is not used */
    char path[PATH_MAX]; /* where it goes; symbolic links followed */
    bvpi_publishing file;
    int slot; /* of temporary_doom, or -1 */
} output;

/* Opens a file in the folder of `path`, without a name or with a temporary one (publish.h); or
 * `path` itself when it exists and is not a regular file; "-" is standard output, which must not be
 * a terminal. Removes what a killed run left in that folder. A signal that ends the program leaves
 * nothing. Returns 0, or says what is wrong and returns the exit code. */
int output_open(output *o, const char *path);
/* Syncs it and gives it its name. Returns 0 or the exit code, as above. The output is closed in any
 * case. */
int output_commit(output *o);
/* Says why the library could not write it, as complain_status does, and returns the exit code: that
 * of an output where the system refused. */
int output_failure(const char *path, bvp_status status, const bvp_error *error);
/* Closes and removes what has been written. */
void output_discard(output *o);

#endif
