/* SPDX-License-Identifier: MIT
 * fat_box.h: a box that a body may move in for a while, before anything has to be searched anew.
 *
 * Fat boxes that do not meet prove that the bodies' boxes do not, as long as both bodies are in
 * theirs. How fat they are decides how fast a broad phase is, never what it finds.
 *
 * Based on: Verlet, "Computer experiments on classical fluids", 1967 (lists of near pairs).
 * Measured: decisions.md, "Many moving bodies"
 */
#ifndef BVPI_BROAD_FAT_BOX_H
#define BVPI_BROAD_FAT_BOX_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/simd.h"
#include "broad/body_bounds.h"
#include "prim/place_bounds.h"

/* 32 bytes, which a kernel loads at once. */
typedef struct bvpi_fat_box {
    float lo[3];
    float skin; /* what was added on each side when it was made */
    float hi[3];
    uint32_t made; /* at which step */
} bvpi_fat_box;

#define BVPI_FAT_MOST 2 /* longest sides of the box: the thickest skin */

/* Around a box in reach: the skin and more than the rounding to floats, which is below 2^-24 of the
 * number and 2^-149. It is in reach itself, so that whatever is in it is. */
static inline void bvpi_fat_box_make(const bvpi_bounds *box, double skin, uint32_t step,
                                     bvpi_fat_box *out)
{
    for (int axis = 0; axis < 3; axis++) {
        const double lo = box->lo[axis], hi = box->hi[axis];
        const double fat_lo = lo - skin - (fabs(lo) * 0x1p-22 + 0x1p-140);
        const double fat_hi = hi + skin + (fabs(hi) * 0x1p-22 + 0x1p-140);
        out->lo[axis] = (float)bvpi_larger(fat_lo, -BVPI_BROAD_FARTHEST);
        out->hi[axis] = (float)bvpi_smaller(fat_hi, BVPI_BROAD_FARTHEST);
    }
    out->skin = (float)skin;
    out->made = step;
}

/* Makes it anew where the body is now: so that it may go on as fast as since it was made last for
 * `reach` steps. A body that would go farther than the thickest skin in one step gets none. */
static inline void bvpi_fat_box_renew(const bvpi_bounds *box, uint32_t reach, uint32_t step,
                                      bvpi_fat_box *fat)
{
    double way = 0, size = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double lo = box->lo[axis], hi = box->hi[axis];
        way = bvpi_larger(way, bvpi_larger(fabs(lo - ((double)fat->lo[axis] + (double)fat->skin)),
                                           fabs(hi - ((double)fat->hi[axis] - (double)fat->skin))));
        size = bvpi_larger(size, hi - lo);
    }
    const uint32_t steps = step - fat->made;
    const double pace = steps > 1 ? way / steps : way, most = BVPI_FAT_MOST * size;
    const double skin = pace <= most ? bvpi_smaller(pace * reach, most) : 0;
    bvpi_fat_box_make(box, skin, step, fat);
}

#endif
