/* SPDX-License-Identifier: MIT
 * place_bounds.h: the world bounds of a box that is placed somewhere, rounded outward.
 * Spec: format.md, chapters "Instances", "Hierarchies over the instances".
 */
#ifndef BVPI_PRIM_PLACE_BOUNDS_H
#define BVPI_PRIM_PLACE_BOUNDS_H

#include <math.h>
#include <stdbool.h>

/* An instance's bounds in the world, rounded outward. */
typedef struct bvpi_bounds {
    double lo[3], hi[3];
} bvpi_bounds;

/* Sign of (an end of the box's image under one row of a placement, the upper or the lower) - bound:
 * exact, for placements that the format allows (INS-5). */
int bvpi_place_compare(const double row[4], const float lo[3], const float hi[3], bool upper,
                       double bound);

/* Contains every point of the part's box lo .. hi at `placement`, in real arithmetic. */
void bvpi_place_bounds(const double placement[12], const float lo[3], const float hi[3],
                       bvpi_bounds *out);

/* The same on one axis, whose row of the placement is given, in a tenth of the time and somewhat
 * wider: out[0] .. out[1]. A product and the sums behind it err by 4 u of the sum of magnitudes,
 * 2^-51 of it; a product that underflows by less than 2^-900. */
static inline void bvpi_place_span(const double row[4], const float lo[3], const float hi[3],
                                   double out[2])
{
    double low = row[3], high = row[3], sum = fabs(row[3]);
    for (int k = 0; k < 3; k++) {
        const double p = row[k] * (double)lo[k], q = row[k] * (double)hi[k];
        low += p < q ? p : q;
        high += p < q ? q : p;
        sum += fabs(p) > fabs(q) ? fabs(p) : fabs(q);
    }
    const double margin = sum * 0x1p-50 + 0x1p-900;
    out[0] = low - margin;
    out[1] = high + margin;
}

#endif
