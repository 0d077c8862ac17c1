/* SPDX-License-Identifier: MIT
 * projection.h: an upper bound of the projection of a placed part's points on a world direction.
 * Held by tests/property/test_ties.c: its error constant is needed.
 * Spec: exactness.md, chapter 6, "Ties"
 */
#ifndef BVPI_QUERY_PAIR_PROJECTION_H
#define BVPI_QUERY_PAIR_PROJECTION_H

#include <math.h>
#include <string.h>

#include "base/simd.h"

/* A linear function of a part's coordinates: w . x in the frame parallel to the world. With
 * u = 2^-53 an entry errs by 3 u of its terms' magnitudes, a sum by 4 u more; 16 u of them, `size`,
 * is beyond that. */
typedef struct bvpi_projection {
    double of[4], size[4];
} bvpi_projection;

#define BVPI_PROJECTION_ERROR 0x1p-49

/* map: 3 rows of `columns` numbers; with 3 columns there is no shift. */
static inline void bvpi_project_by(const double *map, int columns, const double w[3],
                                   bvpi_projection *out)
{
    memset(out, 0, sizeof *out);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < 3; i++) {
            out->of[j] += w[i] * map[columns * i + j];
            out->size[j] += fabs(w[i] * map[columns * i + j]);
        }
}

/* An upper bound of the function at a point. */
BVPI_INLINE double bvpi_highest_of(const bvpi_projection *p, double x, double y, double z)
{
    const double value = p->of[0] * x + p->of[1] * y + p->of[2] * z + p->of[3];
    const double size =
        p->size[0] * fabs(x) + p->size[1] * fabs(y) + p->size[2] * fabs(z) + p->size[3];
    return value + (size * BVPI_PROJECTION_ERROR + 0x1p-1000);
}

#endif
