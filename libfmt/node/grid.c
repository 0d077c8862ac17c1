/* SPDX-License-Identifier: MIT
 * grid.c: chooses a hierarchy's grid: the finest one whose root box has at most 22 bits on each
 * axis.
 *
 * The unit is a power of two and the origin a multiple of it, so that every grid line is an exact
 * double and rounding outward is exact. Root boxes are multiples of their own 8-bit step, as frames
 * of nodes must be.
 *
 * Held by tests/unit/test_grid.c: holds its box, rounds outward, satisfies the rules.
 * Spec: format.md, chapter "Hierarchies" (grid)
 */
#include "node/grid.h"

#include "format/layout.h"

#include <assert.h>
#include <math.h>

enum {
    FINEST = -149,  /* 2^-149 is the smallest float; a finer grid separates nothing */
    START_BITS = 50 /* |coordinate / unit| stays below 2^50, where all arithmetic is exact */
};

/* The exponent e with |x| < 2^e. */
static int exponent_over(double x)
{
    int exponent = 0;
    frexp(x, &exponent);
    return x == 0 ? -1074 : exponent;
}

/* False: with this unit the root box has more than 22 bits on an axis. */
static bool try_unit(const double lo[3], const double hi[3], int exponent, bvpi_grid *out)
{
    out->unit = ldexp(1, exponent);
    out->inverse = ldexp(1, -exponent);
    for (int axis = 0; axis < 3; axis++) {
        out->start[axis] = bvpi_floor(lo[axis] * out->inverse);
        out->origin[axis] = out->start[axis] * out->unit;
        assert(fabs(out->start[axis]) <= (double)(UINT64_C(1) << START_BITS));
        /* Root boxes are multiples of their own 8-bit step, which is 2^k for extents of more than 8
         * bits. That may add a bit, and then the next step is tried. */
        double extent = bvpi_grid_above(out, axis, hi[axis]), step = 1;
        while (extent >= 256 * step)
            step *= 2;
        extent = -bvpi_floor(-extent / step) * step;
        if (extent < 0) /* bounds that a damaged file has the wrong way round */
            extent = 0;
        if (extent >= 1 << BVPD_GRID_BITS)
            return false;
        out->extent[axis] = (uint32_t)extent;
    }
    return true;
}

void bvpi_grid_choose(const double lo[3], const double hi[3], bvpi_grid *out)
{
    double largest = 0, longest = 0;
    for (int axis = 0; axis < 3; axis++) {
        largest = fmax(largest, fmax(fabs(lo[axis]), fabs(hi[axis])));
        longest = fmax(longest, hi[axis] - lo[axis]);
    }
    int exponent = FINEST;
    if (exponent < exponent_over(longest) - BVPD_GRID_BITS)
        exponent = exponent_over(longest) - BVPD_GRID_BITS;
    if (exponent < exponent_over(largest) - START_BITS)
        exponent = exponent_over(largest) - START_BITS;
    /* The extent, rounded outward and to its step, may need one bit more than the length does. */
    while (!try_unit(lo, hi, exponent, out))
        exponent++;
    out->is_turned = false;
}
