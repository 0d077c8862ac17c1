/* SPDX-License-Identifier: MIT
 * packed_file.h: opening packed files, with the store that the environment names (the library
 * itself reads no environment variable), and reading their provenance.
 */
#ifndef PACKED_FILE_H
#define PACKED_FILE_H

#include <stdbool.h>
#include "bvpack.h"
#include "files/input.h"

/* bvp_open and bvp_open_fd. A thin file's parts are looked for in $BVPACK_STORE, if that is set and
 * not empty, else where the file says. options: NULL for the defaults; its `store` must be NULL.
 * packed_open also opens what "bvpack compress" has made, and reads an address http:// or https://
 * by ranges, both by bvp_open_source. */
bvp_status packed_open(const char *path, const bvp_open_options *options, bvp_file **file,
                       bvp_error *error);
/* For verbs that read the tables of all parts and hierarchies: of a file on a server these come
 * with the first request. only: after a second one nothing more is fetched, and a call that needs
 * it is BVP_ERR_AGAIN. */
bvp_status packed_open_tables(const char *path, bool only, bvp_file **file, bvp_error *error);
/* For verbs that copy or change what is mapped: refuses a compressed file, BVP_ERR_ARGUMENT. */
bvp_status packed_open_mapped(const char *path, const bvp_open_options *options, bvp_file **file,
                              bvp_error *error);
bvp_status packed_open_fd(int fd, const bvp_open_options *options, bvp_file **file,
                          bvp_error *error);

/* input_open of a packed file, for verbs that take its bytes in order. Those of a compressed one
 * are all decompressed, into memory; those of an address are all fetched. 0, or says what is wrong
 * and returns the exit code. */
int packed_read(input *in, const char *path);

/* The record of what the file was made of. *text: to be freed, or NULL when the file has none. */
bvp_status packed_provenance(const bvp_file *file, char **text, size_t *size, bvp_error *error);

#endif
