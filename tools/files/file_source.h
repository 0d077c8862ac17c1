/* SPDX-License-Identifier: MIT
 * file_source.h: files, and bytes in memory, as sources of bytes (bvp_source of bvpack.h).
 */
#ifndef FILE_SOURCE_H
#define FILE_SOURCE_H

#include "bvpack.h"

/* A regular file, which is closed with the source. BVP_ERR_SYSTEM: it cannot be read; sys_errno 0:
 * because it is none. */
bvp_status file_source(const char *path, bvp_source *out, bvp_error *error);
/* The caller keeps the bytes while the source is used. */
bvp_source memory_source(const void *data, size_t size);

#endif
