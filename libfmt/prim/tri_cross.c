/* SPDX-License-Identifier: MIT
 * tri_cross.c: an edge of one triangle passes through the other: signs of volumes that no error of
 * their corners can turn.
 * Based on: Guigue, Devillers, "Fast and robust triangle-triangle overlap test", 2003.
 */
#include "prim/tri_cross.h"

#include <math.h>

#include "base/simd.h"

/* The sign of the volume of four corners, or 0 where errors may turn it. With coordinates of size
 * s, relative to p, the six products are s^3 at most: an error e of each factor changes their sum
 * by 18 s^2 e, and rounding it by less than 2^-46 s^3. */
static int side(const double *p, const double *q, const double *r, const double *s, double error)
{
    double u[3], v[3], w[3], size = 0;
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

/* Does the line of p and q, which are on either side of t's plane, pass through t's interior? */
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
