/* SPDX-License-Identifier: MIT
 * aabb_node.h: axis-aligned boxes as six floats; exact, because a part's coordinates are floats.
 * Spec: format.md, chapter "AABB tree"
 * Based on: van den Bergen, Efficient collision detection of complex deformable models using AABB
 * trees, 1997.
 */
#ifndef BVPI_NODE_AABB_NODE_H
#define BVPI_NODE_AABB_NODE_H

#include "node/binary_node.h"

enum { BVPI_AABB_PAYLOAD = 24 };

typedef struct bvpi_aabb {
    float lo[3], hi[3];
} bvpi_aabb;

/* Payload: lo x y z, hi x y z. NaN in a forged node becomes 0. */
static inline void bvpi_aabb_box(const uint8_t *payload, bvpi_aabb *out)
{
    for (int axis = 0; axis < 3; axis++) {
        out->lo[axis] = bvpi_float_of_bits(bvpi_peek_u32(payload + 4 * axis));
        out->hi[axis] = bvpi_float_of_bits(bvpi_peek_u32(payload + 12 + 4 * axis));
        out->lo[axis] = out->lo[axis] == out->lo[axis] ? out->lo[axis] : 0;
        out->hi[axis] = out->hi[axis] == out->hi[axis] ? out->hi[axis] : 0;
    }
}

#endif
