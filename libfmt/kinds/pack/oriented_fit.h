/* SPDX-License-Identifier: MIT
 * oriented_fit.h: the least oriented box, or swept rectangle, that holds some triangles.
 * Spec: format.md, chapter "Oriented volumes".
 */
#ifndef BVPI_KINDS_PACK_ORIENTED_FIT_H
#define BVPI_KINDS_PACK_ORIENTED_FIT_H

#include "bvpack_build.h"
#include "pack/mesh/mesh.h"
#include "kinds/node/oriented_set.h"

/* Bytes of scratch that bvpi_oriented_fit takes for so many triangles. */
uint64_t bvpi_oriented_scratch_size(uint32_t triangle_count);

/* triangles[0 .. count - 1] of the mesh, count > 0, and what is to hold them: a swept rectangle,
 * else a box. */
typedef struct bvpi_fit_set {
    const bvpi_mesh *mesh;
    const uint32_t *triangles;
    uint32_t count;
    bvp_fit fit;
    bool rss;
} bvpi_fit_set;

/* Fits a volume. parent: the volume the payload is relative to, which holds the set: of the root
 * bvpi_oriented_frame's. *out: what the payload decodes to; every corner of the triangles is in it
 * as bvpi_oriented_holds decides. scratch: aligned for doubles. False: out of memory. */
bool bvpi_oriented_fit(const bvpi_fit_set *set, const bvpi_oriented *parent,
                       uint8_t payload[BVPI_ORIENTED_PAYLOAD], bvpi_oriented *out, void *scratch);

#endif
