/* SPDX-License-Identifier: MIT
 * rebase.c: chooses an origin near a mesh, and moves its vertices there.
 *
 * The origin has few significant bits, so that differences are exact where the input allows; the
 * largest error made is reported.
 *
 * Held by tests/property/test_builder.c: what goes in comes out, bit for bit.
 * Spec: format.md, chapter "Parts"
 */
#include "pack/mesh/rebase.h"

#include "base/dd.h"

#include <assert.h>
#include <math.h>

void bvpi_corners_range_add(bvpi_corners_range *r, const double x[3])
{
    for (int axis = 0; axis < 3; axis++) {
        const bool is_float = (double)(float)x[axis] == x[axis];
        r->lo[axis] = !r->has_corners || x[axis] < r->lo[axis] ? x[axis] : r->lo[axis];
        r->hi[axis] = !r->has_corners || x[axis] > r->hi[axis] ? x[axis] : r->hi[axis];
        r->exact[axis] = (!r->has_corners || r->exact[axis]) && is_float;
    }
    r->has_corners = true;
}

void bvpi_corners_range_join(bvpi_corners_range *r, const bvpi_corners_range *other)
{
    if (!other->has_corners)
        return;
    if (!r->has_corners) {
        *r = *other;
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        r->lo[axis] = other->lo[axis] < r->lo[axis] ? other->lo[axis] : r->lo[axis];
        r->hi[axis] = other->hi[axis] > r->hi[axis] ? other->hi[axis] : r->hi[axis];
        r->exact[axis] = r->exact[axis] && other->exact[axis];
    }
}

/* The box's centre, rounded to a multiple of about an eighth of the box's size. It has few bits, so
 * that differences from it are exact where the input allows. */
static double origin_of(double lo, double hi)
{
    int exponent;
    assert(lo <= hi); /* corners are finite by now */
    frexp(hi - lo, &exponent);
    const double centre = lo / 2 + hi / 2;
    if (hi == lo) {
        frexp(centre, &exponent);
        exponent -= 20;
    }
    const double step = ldexp(1, exponent - 3);
    return rint(centre / step) * step;
}

void bvpi_corners_range_origin(const bvpi_corners_range *r, double origin[3])
{
    for (int axis = 0; axis < 3; axis++)
        origin[axis] = r->has_corners && !r->exact[axis] ? origin_of(r->lo[axis], r->hi[axis]) : 0;
}

bool bvpi_rebase(const double x[3], const double origin[3], float out[3], double *error)
{
    for (int axis = 0; axis < 3; axis++) {
        if (origin[axis] == 0 && (double)(float)x[axis] == x[axis]) {
            out[axis] = (float)x[axis]; /* keeps -0 */
            continue;
        }
        const bvpi_dd exact = bvpi_dd_sum(x[axis], -origin[axis]);
        out[axis] = (float)exact.hi;
        const double missed = fabs((exact.hi - out[axis]) + exact.lo);
        if (isfinite(out[axis]) && missed > *error)
            *error = missed;
    }
    return isfinite(out[0]) && isfinite(out[1]) && isfinite(out[2]);
}
