/* SPDX-License-Identifier: MIT
 * place_bounds.h: world bounds of a placed box, rounded outward.
 * Spec: format.md, chapters "Instances", "Hierarchies over the instances"
 */
#ifndef BVPI_PRIM_PLACE_BOUNDS_H
#define BVPI_PRIM_PLACE_BOUNDS_H

#include <math.h>
#include <stdbool.h>

/* Bounds of an instance in the world. */
typedef struct bvpi_bounds {
    double lo[3], hi[3];
} bvpi_bounds;

/* Sign of e - bound, where e is the upper or lower end of the box lo .. hi under one row of a
 * placement. Exact for placements that the format allows (INS-5). */
int bvpi_place_compare(const double row[4], const float lo[3], const float hi[3], bool upper,
                       double bound);

/* Bounds that contain every point of the part's box lo .. hi under `placement`, in real
 * arithmetic. */
void bvpi_place_bounds(const double placement[12], const float lo[3], const float hi[3],
                       bvpi_bounds *out);

/* The same on one axis, from that row of the placement: out[0] .. out[1]. Takes a tenth of the time
 * and is slightly wider. A product and the sums after it err by 4 u = 2^-51 of the sum of
 * magnitudes; a product that underflows errs by less than 2^-900. */
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
