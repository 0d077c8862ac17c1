/* SPDX-License-Identifier: MIT
 * attached.h: a bvpack file inside of a GLB, the binary form of glTF.
 * Spec: gltf.md
 */
#ifndef BVPI_FORMAT_ATTACHED_H
#define BVPI_FORMAT_ATTACHED_H

#include <stdbool.h>
#include <stdint.h>

#include "bvpack.h"
#include "format/map.h"

/* Reads `size` bytes from `offset` on; fails where there are fewer. */
typedef bvp_status (*bvpi_read_fn)(void *user, uint64_t offset, uint64_t size, void *out,
                                   bvp_error *error);

/* The first bytes of a file, at least 12: are they those of a GLB? */
bool bvpi_is_glb(const void *bytes);
/* Where things lie in a GLB, and how many bytes they have. */
typedef struct bvpi_glb {
    uint64_t file_off, file_size;   /* the bvpack file */
    uint64_t chunk_off, chunk_size; /* the binary chunk before it; 0: there is none */
} bvpi_glb;

/* Looks into a GLB of `size` bytes. BVP_ERR_NOT_OURS: there is no bvpack file; BVP_ERR_CORRUPT: the
 * GLB's chunks do not fit it; or what `read` says. Reads eight bytes for each of the first 16
 * chunks. */
bvp_status bvpi_find_attached(bvpi_read_fn read, void *user, uint64_t size, bvpi_glb *out,
                              bvp_error *error);
/* The same of a GLB in memory: data and size become those of the bvpack file; *chunk (count 0)
 * those of the binary chunk, or empty. */
bvp_status bvpi_enter_glb(const void **data, size_t *size, bvpi_span *chunk, bvp_error *error);

#endif
