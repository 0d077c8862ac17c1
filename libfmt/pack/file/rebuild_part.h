/* SPDX-License-Identifier: MIT
 * rebuild_part.h: builds a packed part anew from its own triangles.
 * Spec: format.md, chapters "Parts", "Triangle numbers"
 */
#ifndef BVPI_PACK_FILE_REBUILD_PART_H
#define BVPI_PACK_FILE_REBUILD_PART_H

#include "pack/file/builder.h"

/* Builds part `part` of `file` as the builder's options say; its name and source_id are zero. What
 * was found out about the mesh when it was packed is kept. */
bvp_status bvpi_part_rebuild(const bvp_builder *b, const bvp_file *file, uint32_t part,
                             bvpi_part_bytes *made, bvp_error *error);

#endif
