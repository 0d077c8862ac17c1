/* SPDX-License-Identifier: MIT
 * point_tri.c: the nearest point of one placed triangle, with an interval of the distance.
 *
 * The same ladder as tri_dist.c, with the point as origin. Each step returns a valid interval; the
 * first one that is narrow enough ends it:
 * 1. four triangles side by side in double (point_tri4.h);
 * 2. the general search in double, its error bounded by the largest terms of the part, then by the
 *    triangle's own terms, which is much less for tiny triangles in large parts;
 * 3. double-double;
 * 4. if the lower end is 0: the exact ball test with radius 0 decides whether the point is on the
 *    triangle;
 * 5. integers (tri_dist_exact.c), with the point as a triangle of size 0.
 *
 * bvpi_point_init() prepares two frames: parallel to the world and relative to the point, for the
 * steps above, and part coordinates in float, for skipping triangles eight at a time. Bounds in
 * part coordinates become world lengths by the placement's stretch.
 *
 * Slow twin: squared distances in rationals, tests/unit/test_point_tri.c; whole queries against
 * brute force, tests/property/test_closest.c.
 * Spec: exactness.md, chapter 8
 * Measured: decisions.md, "Rays and closest points"
 */
#include "prim/point_tri.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "prim/nearest.h"
#include "prim/point_tri4.h"
#include "prim/tri_ball.h"
#include "prim/tri_dist_exact.h"

#define U      0x1p-53
#define ETA_DD 0x1p-96 /* error of a coordinate in double-double, scaled */

/* The power of two that brings reach into [1/2, 1). */
static double unit_scale(double reach)
{
    const uint64_t exponents = UINT64_C(0x7ff) << 52;
    uint64_t bits;
    memcpy(&bits, &reach, sizeof bits);
    bits = (UINT64_C(2045) << 52) - (bits & exponents);
    if (reach > 0x1p-1000 && reach < 0x1p1000) {
        memcpy(&reach, &bits, sizeof reach);
        return reach;
    }
    int exponent;
    frexp(reach > 0 ? reach : 1, &exponent);
    return ldexp(1, -exponent);
}

bvp_status bvpi_point_init(bvpi_point *out, const bvpi_placement *placement, const double world[3],
                           const double bound[3])
{
    /* the frame parallel to the world, whose origin is the point */
    double reach = 0, eta = 0;
    memcpy(out->world, world, sizeof out->world);
    out->m = placement->m;
    for (int x = 0; x < 3; x++) {
        const double *row = placement->m + 4 * x;
        if (!isfinite(world[x]))
            return BVP_ERR_ARGUMENT;
        double shift = fabs(row[3] - world[x]);
        double size =
            shift + fabs(row[0]) * bound[0] + fabs(row[1]) * bound[1] + fabs(row[2]) * bound[2];
        reach = bvpi_larger(reach, size * BVPI_ROUND_UP);
        eta = bvpi_larger(eta, 8 * U * size + 0x1p-1000);
    }
    if (!isfinite(reach))
        return BVP_ERR_ARGUMENT;
    out->scale = unit_scale(reach);
    out->eta = eta * out->scale * BVPI_ROUND_UP;

    /* part coordinates, for distances in float */
    double err[3], part_reach = 0;
    bvpi_placement_point_to_part(placement, out->world, out->part, err);
    out->err = err[0] + err[1] + err[2];
    for (int x = 0; x < 3; x++) {
        part_reach =
            bvpi_larger(part_reach, (bound[x] + fabs(out->part[x]) + err[x]) * BVPI_ROUND_UP);
        out->along_err[x] = bound[x] * 0x1p-22 + err[x] + fabs(out->part[x]) * 0x1p-48;
    }
    out->per_length = (1 + 0x1p-40) / placement->size_min;
    out->part_scale = unit_scale(part_reach);
    const double part_eta = (out->err + 4 * U * part_reach) * out->part_scale;
    out->part_eta = (float)part_eta * (1 + 0x1p-20f) + 0x1p-100f;
    for (int x = 0; x < 3; x++) {
        /* the sum of two floats: one would lose the digits that tell near triangles apart */
        const double at = out->part[x] * out->part_scale;
        out->part_hi[x] = (float)at;
        out->part_lo[x] = (float)(at - (double)out->part_hi[x]);
    }
    /* Bounds of the world length of a scaled unit. If they are no moderate floats, they and
     * scale_f become what excludes nothing. */
    const double lo = placement->size_min / out->part_scale;
    const double hi = placement->size_max / out->part_scale;
    const bool ok = lo > 0x1p-100 && hi < 0x1p100;
    out->scale_f = ok ? (float)out->part_scale : 0;
    out->length_lo = ok ? (float)lo * (1 - 0x1p-22f) : 0;
    out->length_hi = ok ? (float)hi * (1 + 0x1p-22f) : INFINITY;
    const double sum = out->part[0] + out->part[1] + out->part[2] + out->err;
    return isfinite(sum) ? BVP_OK : BVP_ERR_ARGUMENT;
}

/* ---- one triangle ---------------------------------------------------------------------------- */

static void corners_f64(const bvpi_point *p, const float tri[9], bvpi_vec_f64 out[3])
{
    for (int x = 0; x < 3; x++) {
        const double *row = p->m + 4 * x;
        double shift = row[3] - p->world[x];
        for (int i = 0; i < 3; i++) {
            const float *q = tri + 3 * i;
            out[i].c[x] =
                (row[0] * (double)q[0] + row[1] * (double)q[1] + row[2] * (double)q[2] + shift) *
                p->scale;
        }
    }
}

static void corners_dd(const bvpi_point *p, const float tri[9], bvpi_vec_dd out[3])
{
    for (int x = 0; x < 3; x++) {
        const double *row = p->m + 4 * x;
        for (int i = 0; i < 3; i++) {
            bvpi_dd sum = bvpi_dd_sum(row[3], -p->world[x]);
            for (int j = 0; j < 3; j++)
                sum = bvpi_dd_add(sum, bvpi_dd_product(row[j], (double)tri[3 * i + j]));
            out[i].c[x] = bvpi_dd_scale(sum, p->scale);
        }
    }
}

/* The magnitudes of all terms of the corners, scaled. Far less than 1 for a triangle that is tiny
 * compared with its part. */
static double size_of_terms(const bvpi_point *p, const float tri[9])
{
    double most = 0;
    for (int x = 0; x < 3; x++) {
        const double *row = p->m + 4 * x;
        for (int i = 0; i < 9; i += 3) {
            double sum = fabs(row[3]) + fabs(p->world[x]);
            for (int j = 0; j < 3; j++)
                sum += fabs(row[j] * (double)tri[i + j]);
            most = bvpi_larger(most, sum);
        }
    }
    return most * p->scale * BVPI_ROUND_UP;
}

static bool is_good(const bvpi_point_tri *d)
{
    return d->hi - d->lo <= BVPI_GOOD_ENOUGH * d->hi;
}

/* Sets the nearest point y, relative to the point and scaled, and the interval. */
static void nearest_of_features(const bvpi_point *point, const float tri[9], bvpi_dd y[3],
                                bvpi_point_tri *out)
{
    const bvpi_vec_f64 zero[3] = {0};
    bvpi_vec_f64 corners[3];
    bvpi_nearest_f64 best;
    corners_f64(point, tri, corners);
    nearest_to_origin_f64(corners, &best);
    distance_bounds_f64(zero, corners, &best, point->eta, &out->lo, &out->hi);
    for (int x = 0; x < 3; x++)
        y[x] = bvpi_dd_of(best.y.c[x]);
    if (is_good(out))
        return;
    /* the same points, but the error that the triangle's own terms cause */
    const double size = size_of_terms(point, tri);
    distance_bounds_f64(zero, corners, &best, fmin(point->eta, 8 * U * size + 0x1p-1000), &out->lo,
                        &out->hi);
    if (is_good(out))
        return;
    bvpi_vec_dd zero_dd[3] = {0}, corners_2[3];
    bvpi_nearest_dd best_dd;
    corners_dd(point, tri, corners_2);
    nearest_to_origin_dd(corners_2, &best_dd);
    distance_bounds_dd(zero_dd, corners_2, &best_dd, fmin(ETA_DD, size * ETA_DD + 0x1p-1000),
                       &out->lo, &out->hi);
    memcpy(y, best_dd.y.c, sizeof best_dd.y.c);
    if (is_good(out))
        return;
    if (!(out->lo > 0) && bvpi_tri_meets_ball(tri, point->m, point->world, 0)) {
        out->hi = 0;
        return;
    }
    /* in integers: the point is a triangle of size 0, which does not meet `tri` */
    static const float none[9] = {0};
    const double *w = point->world;
    const double at[12] = {1, 0, 0, w[0], 0, 1, 0, w[1], 0, 0, 1, w[2]};
    bvpi_nearest_exact exact;
    if (!bvpi_tri_dist_exact(none, tri, at, point->m, point->scale, &exact))
        return;
    out->lo = exact.lo * point->scale;
    out->hi = exact.hi * point->scale;
    memcpy(y, exact.y, sizeof exact.y);
}

void bvpi_point_tri_general(const bvpi_point *point, const float tri[9], bvpi_point_tri *out)
{
    bvpi_dd y[3];
    nearest_of_features(point, tri, y, out);
    out->lo /= point->scale;
    out->hi /= point->scale;
    for (int x = 0; x < 3; x++) {
        const bvpi_dd r = bvpi_dd_scale(y[x], 1 / point->scale);
        out->point[x] = bvpi_dd_round(bvpi_dd_add(bvpi_dd_of(point->world[x]), r));
    }
}

void bvpi_point_tri1(const bvpi_point *point, const float tri[9], bvpi_point_tri *out)
{
    bvpi_point_tri4 four;
    f64x4 corners[9];
    for (int k = 0; k < 9; k++)
        corners[k] = f64x4_splat((double)tri[k]);
    bvpi_point_tri4_init(&four, point, corners);
    bvpi_point_tri4_lane(&four, point, tri, 0, out);
}
