/* SPDX-License-Identifier: MIT
 * welded.h: recognises meshes that welding would leave as they are.
 */
#ifndef BVPI_PACK_MESH_WELDED_H
#define BVPI_PACK_MESH_WELDED_H

#include "pack/mesh/weld.h"

/* Sets *is_welded: are all vertices used, in the order of their numbers, and no two of them equal?
 * Then bvpi_weld() would return what it is given. indices: in range. False: out of memory. */
bool bvpi_is_welded(const bvpi_vertices *vertices, const uint32_t *indices, uint64_t corner_count,
                    uint32_t thread_count, bool *is_welded);

#endif
