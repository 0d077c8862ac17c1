/* SPDX-License-Identifier: MIT
 * tri_near_box.h: may a placed triangle meet a box of the world? Its own box decides, in doubles
 * that never say no where it does, from corners that the caller wants anyway.
 *
 * Slow twin: tri_box.h, which is exact; tests/property/test_candidates.c.
 * Spec: exactness.md, chapter 10, "Triangles that may meet a box"
 */
#ifndef BVPI_PRIM_TRI_NEAR_BOX_H
#define BVPI_PRIM_TRI_NEAR_BOX_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct bvpi_near_box {
    double m[12];        /* part coordinates to the world */
    double lo[3], hi[3]; /* the box, wider by what rounding may move a corner */
} bvpi_near_box;

/* bound: the largest |coordinate| of the part's corners. A corner errs by less than 2^-51 of the
 * terms that it is a sum of; 2^-50 covers the rounding of lo and hi, too. */
static inline void bvpi_near_box_init(bvpi_near_box *out, const double lo[3], const double hi[3],
                                      const double m[12], const double bound[3])
{
    memcpy(out->m, m, sizeof out->m);
    for (int a = 0; a < 3; a++) {
        const double *row = m + 4 * a;
        const double terms = fabs(row[0]) * bound[0] + fabs(row[1]) * bound[1] +
                             fabs(row[2]) * bound[2] + fabs(row[3]);
        const double moved = terms * 0x1p-50 + 0x1p-1000;
        out->lo[a] = lo[a] - moved;
        out->hi[a] = hi[a] + moved;
    }
}

/* False: they certainly do not meet. world: the triangle's corners. */
static inline bool bvpi_near_box_meets(const bvpi_near_box *box, const float tri[9],
                                       double world[9])
{
    const double *m = box->m;
    bool is_apart = false;
    for (int a = 0; a < 3; a++) {
        const double *row = m + 4 * a;
        double lo = 0, hi = 0;
        for (int k = 0; k < 3; k++) {
            const float *p = tri + 3 * k;
            const double x =
                row[0] * (double)p[0] + row[1] * (double)p[1] + row[2] * (double)p[2] + row[3];
            world[3 * k + a] = x;
            lo = k == 0 || x < lo ? x : lo;
            hi = k == 0 || x > hi ? x : hi;
        }
        is_apart |= lo > box->hi[a] || hi < box->lo[a];
    }
    return !is_apart;
}

#endif
