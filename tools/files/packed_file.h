/* SPDX-License-Identifier: MIT
 * packed_file.h: opening packed files, with the store that the environment names (the library
 * itself reads no environment variable), and reading their provenance.
 */
#ifndef PACKED_FILE_H
#define PACKED_FILE_H

#include "bvpack.h"

/* bvp_open and bvp_open_fd. An address http:// or https:// is read by ranges. A thin file's parts
 * are looked for in $BVPACK_STORE, if that is set and not empty, else where the file says. options:
 * NULL for the defaults; its `store` must be NULL. */
bvp_status packed_open(const char *path, const bvp_open_options *options, bvp_file **file,
                       bvp_error *error);
bvp_status packed_open_fd(int fd, const bvp_open_options *options, bvp_file **file,
                          bvp_error *error);

/* The record of what the file was made of. *text: to be freed, or NULL when the file has none. */
bvp_status packed_provenance(const bvp_file *file, char **text, size_t *size, bvp_error *error);

#endif
