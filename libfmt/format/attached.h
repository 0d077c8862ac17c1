/* SPDX-License-Identifier: MIT
 * attached.h: a bvpack file inside of a GLB, the binary form of glTF.
 * Spec: gltf.md
 */
#ifndef BVPI_FORMAT_ATTACHED_H
#define BVPI_FORMAT_ATTACHED_H

#include <stdbool.h>
#include <stdint.h>

#include "bvpack.h"

/* Reads `size` bytes from `offset` on; fails where there are fewer. */
typedef bvp_status (*bvpi_read_fn)(void *user, uint64_t offset, uint64_t size, void *out,
                                   bvp_error *error);

/* The first bytes of a file, at least 12: are they those of a GLB? */
bool bvpi_is_glb(const void *bytes);
/* Where the bvpack file lies in a GLB of `size` bytes: *offset, *length. BVP_ERR_NOT_OURS: there is
 * none; BVP_ERR_CORRUPT: the GLB's chunks do not fit it; or what `read` says. Reads eight bytes for
 * each of the first 16 chunks. */
bvp_status bvpi_find_attached(bvpi_read_fn read, void *user, uint64_t size, uint64_t *offset,
                              uint64_t *length, bvp_error *error);
/* The same of a GLB in memory: data and size become those of the bvpack file. */
bvp_status bvpi_enter_glb(const void **data, size_t *size, bvp_error *error);

#endif
