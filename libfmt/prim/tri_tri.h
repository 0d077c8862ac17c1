/* SPDX-License-Identifier: MIT
 * tri_tri.h: do closed triangles meet? Eight pairs at a time.
 * Spec: exactness.md, chapter 5
 */
#ifndef BVPI_PRIM_TRI_TRI_H
#define BVPI_PRIM_TRI_TRI_H

#include "base/simd.h"
#include "prim/pose.h"
#include "prim/tri_tri_exact.h"

typedef struct bvpi_tri_tri8_result {
    unsigned hit;    /* bit of a lane: the triangles have a point in common */
    unsigned proper; /* subset of hit: they cross transversally (BVPI_PROPER) */
    unsigned exact;  /* lanes that took the exact stage: statistics */
} bvpi_tri_tri8_result;

/* a[3 * corner + axis], b likewise: lane i of both is a pair, in part coordinates; lanes: bit mask
 * of the pairs in play (the others may hold anything). */
static inline bvpi_tri_tri8_result bvpi_tri_tri8(const bvpi_pose *pose, const f32x8 a[9],
                                                 const f32x8 b[9], unsigned lanes)
{
    bvpi_tri_tri8_result out = {0, 0, lanes};
    for (unsigned left = lanes; left != 0; left &= left - 1) {
        unsigned lane = bvpi_lowest_bit(left);
        float pa[9], pb[9];
        for (int k = 0; k < 9; k++) {
            pa[k] = a[k][lane];
            pb[k] = b[k][lane];
        }
        unsigned bits =
            bvpi_tri_tri_exact(pa, pb, pose->same ? NULL : pose->ma, pose->same ? NULL : pose->mb);
        out.hit |= (bits & BVPI_MEET ? 1u : 0u) << lane;
        out.proper |= (bits & BVPI_PROPER ? 1u : 0u) << lane;
    }
    return out;
}

#endif
