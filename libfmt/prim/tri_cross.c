/* SPDX-License-Identifier: MIT
 * tri_cross.c: proves that an edge of one triangle passes through the other, for corners that are
 * only known with an error.
 *
 * Five volumes with the right signs prove it: the edge's ends are on opposite sides of the
 * triangle's plane, and the edge's line turns the same way around all three sides. Each volume must
 * exceed what the errors could contribute. Warm starts use this: instead of running a query they
 * repeat the proof for the pair that crossed last time, at the new placements.
 *
 * Held by tests/unit/test_tri_cross.c: what is claimed to cross meets by exact arithmetic.
 * Spec: exactness.md, chapter 11, "Crossing"
 * Based on: Guigue, Devillers, "Fast and robust triangle-triangle overlap test", 2003.
 */
#include "prim/tri_cross.h"

#include <assert.h>
#include <math.h>

#include "base/simd.h"

/* The sign of the volume of four corners, or 0 if errors could change it. For differences of
 * coordinates up to size s, the six products are at most s^3 each: an error e in each factor
 * changes their sum by 18 s^2 e, and rounding changes it by less than 2^-46 s^3. */
static int side(const double *p, const double *q, const double *r, const double *s, double error)
{
    double u[3], v[3], w[3], size = 0;
    assert(!(error < 0));
    for (int i = 0; i < 3; i++) {
        u[i] = q[i] - p[i];
        v[i] = r[i] - p[i];
        w[i] = s[i] - p[i];
        size = bvpi_larger(bvpi_larger(size, fabs(u[i])), bvpi_larger(fabs(v[i]), fabs(w[i])));
    }
    const double volume = u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
                          u[2] * (v[0] * w[1] - v[1] * w[0]);
    const double bound = size * size * (40 * error + size * 0x1p-46) + 0x1p-900;
    return volume > bound ? 1 : volume < -bound ? -1 : 0;
}

/* Given that p and q are on opposite sides of t's plane: does their line pass through t's
 * interior? */
static bool passes(const double *p, const double *q, const double t[9], double error)
{
    const int first = side(p, q, t, t + 3, error);
    return first != 0 && side(p, q, t + 3, t + 6, error) == first &&
           side(p, q, t + 6, t, error) == first;
}

/* Does an edge of b pass through a? *beside: all of b is on one side of a's plane. */
static bool edge_crosses(const double a[9], const double b[9], double error, bool *beside)
{
    int sides[3];
    for (int k = 0; k < 3; k++)
        sides[k] = side(a, a + 3, a + 6, b + 3 * k, error);
    *beside = sides[0] != 0 && sides[0] == sides[1] && sides[0] == sides[2];
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        if (sides[k] * sides[next] < 0 && passes(b + 3 * k, b + 3 * next, a, error))
            return true;
    }
    return false;
}

bool bvpi_tri_cross_sure(const double a[9], const double b[9], double error)
{
    bool beside;
    return edge_crosses(a, b, error, &beside) || (!beside && edge_crosses(b, a, error, &beside));
}
