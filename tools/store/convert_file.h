/* SPDX-License-Identifier: MIT
 * convert_file.h: a packed file with its parts in it or in a store.
 */
#ifndef CONVERT_FILE_H
#define CONVERT_FILE_H

#include <limits.h>
#include "bvpack.h"

/* Opens what parts are to be taken from, and holds it against all rules of the format, or, if it is
 * trusted, against its hashes alone. Returns 0 or the exit code. */
int convert_open(const char *path, int is_trusted, bvp_file **file);
/* Writes `path` as `output_path`: thin, with its parts in the store `folder`, or fat if that is
 * NULL. Returns the exit code. */
int convert_file(const char *path, const char *output_path, const char *folder);
/* From the folder of the file `path` to the folder `store`, as a thin file keeps it. Returns 0 or
 * the exit code. */
int convert_hint(const char *path, const char *store, char hint[PATH_MAX]);

#endif
