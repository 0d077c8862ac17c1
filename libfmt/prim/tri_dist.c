/* SPDX-License-Identifier: MIT
 * tri_dist.c: the distance of two placed triangles as an interval, narrower than 2^-31 of itself.
 *
 * The search for nearest points (nearest_of.h) need not be exact. Whatever two points of the
 * triangles it finds, their distance is an upper bound, and the gap between the projections on the
 * line through them is a lower one. Only rounding in these two bounds has to be accounted for. If
 * the interval is too wide, the same is tried in better arithmetic:
 * 1. the gap along both normals in double, if the caller has a limit: it excludes most pairs of
 *    surfaces that face each other, at a fraction of the cost;
 * 2. nearest points in double;
 * 3. if the lower end is 0, the exact overlap test: it alone decides whether the distance is 0;
 * 4. nearest points in double-double;
 * 5. there, further directions for features that lie side by side;
 * 6. integers (tri_dist_exact.c).
 *
 * Coordinates are in the frame parallel to the world, relative to corner 0 of A, scaled so that the
 * frame's reach is below 1. Then bodies far from the origin lose no digits. eta bounds the error of
 * a coordinate: pose->world_eta in double, ETA_DD in double-double.
 *
 * Invariants: out->lo <= distance <= out->hi at every step; both are 0 exactly if the triangles
 * meet. How wide the interval is never depends on other pairs, so answers do not depend on the
 * order of a walk.
 *
 * Slow twin: squared distances in rationals, tests/unit/test_tri_dist.c.
 * Spec: exactness.md, chapter 6
 * Measured: decisions.md, "Queries between two bodies", "The same, in integers"
 */
#include "prim/tri_dist.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "prim/nearest.h"
#include "prim/tri_dist_exact.h"
#include "prim/tri_tri_exact.h"

#define GOOD_ENOUGH 0x1p-31 /* width of an interval relative to its end: below 1e-9 */

/* ---- corners, relative to corner 0 of A, in the frame parallel to the world, scaled ---------- */

static void corners_f64(const bvpi_pose *pose, const float a[9], const float b[9],
                        bvpi_vec_f64 pa[3], bvpi_vec_f64 pb[3])
{
    /* translations are subtracted from one another before anything is added to them: far from the
     * world's origin the rest keeps its digits */
    double scale = pose->world_scale;
    for (int x = 0; x < 3; x++) {
        const double *ma = pose->ma + 4 * x, *mb = pose->mb + 4 * x;
        double p0 = ma[0] * (double)a[0] + ma[1] * (double)a[1] + ma[2] * (double)a[2];
        double shift = mb[3] - ma[3] - p0;
        for (int i = 0; i < 3; i++) {
            const float *p = a + 3 * i, *q = b + 3 * i;
            double u = ma[0] * (double)p[0] + ma[1] * (double)p[1] + ma[2] * (double)p[2];
            double v = mb[0] * (double)q[0] + mb[1] * (double)q[1] + mb[2] * (double)q[2];
            pa[i].c[x] = (u - p0) * scale;
            pb[i].c[x] = (v + shift) * scale;
        }
    }
}

static bvpi_dd linear_dd(const double row[4], const float p[3])
{
    bvpi_dd sum = bvpi_dd_product(row[0], (double)p[0]);
    sum = bvpi_dd_add(sum, bvpi_dd_product(row[1], (double)p[1]));
    return bvpi_dd_add(sum, bvpi_dd_product(row[2], (double)p[2]));
}

static void corners_dd(const bvpi_pose *pose, const float a[9], const float b[9], bvpi_vec_dd pa[3],
                       bvpi_vec_dd pb[3])
{
    double scale = pose->world_scale;
    for (int x = 0; x < 3; x++) {
        const double *ma = pose->ma + 4 * x, *mb = pose->mb + 4 * x;
        bvpi_dd p0 = linear_dd(ma, a);
        bvpi_dd shift = bvpi_dd_sub(bvpi_dd_sum(mb[3], -ma[3]), p0);
        for (int i = 0; i < 3; i++) {
            bvpi_dd u = bvpi_dd_sub(linear_dd(ma, a + 3 * i), p0);
            bvpi_dd v = bvpi_dd_add(linear_dd(mb, b + 3 * i), shift);
            pa[i].c[x] = bvpi_dd_scale(u, scale);
            pb[i].c[x] = bvpi_dd_scale(v, scale);
        }
    }
}

/* ---- witness points -------------------------------------------------------------------------- */

/* Back to world coordinates: corner 0 of A plus a relative point. */
static void to_world(const bvpi_pose *pose, const float a[9], const bvpi_dd relative[3],
                     double out[3])
{
    for (int x = 0; x < 3; x++) {
        const double *row = pose->ma + 4 * x;
        bvpi_dd p0 = bvpi_dd_add(linear_dd(row, a), bvpi_dd_of(row[3]));
        bvpi_dd r = bvpi_dd_scale(relative[x], 1 / pose->world_scale);
        out[x] = bvpi_dd_round(bvpi_dd_add(p0, r));
    }
}

static void finish_f64(const bvpi_pose *pose, const float a[9], const bvpi_nearest_f64 *best,
                       bvpi_tri_dist *out)
{
    bvpi_dd x[3], y[3];
    for (int i = 0; i < 3; i++) {
        x[i] = bvpi_dd_of(best->x.c[i]);
        y[i] = bvpi_dd_of(best->y.c[i]);
    }
    to_world(pose, a, x, out->point_a);
    to_world(pose, a, y, out->point_b);
    out->lo /= pose->world_scale;
    out->hi /= pose->world_scale;
}

static void finish_dd(const bvpi_pose *pose, const float a[9], const bvpi_nearest_dd *best,
                      bvpi_tri_dist *out)
{
    to_world(pose, a, best->x.c, out->point_a);
    to_world(pose, a, best->y.c, out->point_b);
    out->lo /= pose->world_scale;
    out->hi /= pose->world_scale;
}

/* ---- the distance ---------------------------------------------------------------------------- */

/* The error of a coordinate in double-double, relative to the frame's reach. */
#define ETA_DD     0x1p-96
/* Points this near count as one point, in units of the frame's reach: a few roundings. */
#define SAME_POINT 0x1p-50

/* The same bound for one pair, from the magnitudes of its own terms. For triangles that are tiny
 * compared with their part it is far smaller. */
static double eta_dd(const bvpi_pose *pose, const float a[9], const float b[9])
{
    double most = 0;
    for (int x = 0; x < 3; x++) {
        const double *ma = pose->ma + 4 * x, *mb = pose->mb + 4 * x;
        double size_a = 0, size_b = 0;
        for (int i = 0; i < 9; i += 3) {
            double sum_a = 0, sum_b = 0;
            for (int k = 0; k < 3; k++) {
                sum_a += fabs(ma[k] * (double)a[i + k]);
                sum_b += fabs(mb[k] * (double)b[i + k]);
            }
            size_a = fmax(size_a, sum_a);
            size_b = fmax(size_b, sum_b);
        }
        most = fmax(most, 2 * size_a + size_b + fabs(ma[3]) + fabs(mb[3]));
    }
    return most * pose->world_scale * (1 + 0x1p-40) * ETA_DD + 0x1p-1000;
}

/* Does an edge of one run through the other? The first that does is enough, and a sixth of the
 * work of all pairs of features. */
static bool cross_dd(const bvpi_vec_dd a[3], const bvpi_vec_dd b[3], bvpi_nearest_dd *best)
{
    best->any = 0;
    for (int i = 0; i < 6; i++) {
        const bvpi_vec_dd *of = i < 3 ? a : b;
        offer_crossing_dd(best, of[i % 3], of[(i + 1) % 3], i < 3 ? b : a, i >= 3);
        if (best->any && bvpi_dd_round(best->distance_sq) <= SAME_POINT * SAME_POINT) {
            best->y = best->x;
            return true;
        }
    }
    return false;
}

/* The common point of triangles that meet. `best` holds the nearest points in double, which may
 * already coincide. */
static void common(const bvpi_pose *pose, const float a[9], const float b[9],
                   const bvpi_vec_f64 pa[3], const bvpi_vec_f64 pb[3], bvpi_nearest_f64 *best,
                   bvpi_tri_dist *out)
{
    out->lo = out->hi = 0;
    if (!(best->distance_sq <= SAME_POINT * SAME_POINT))
        offer_crossings_f64(pa, pb, best);
    if (best->distance_sq <= SAME_POINT * SAME_POINT) {
        best->y = best->x;
        finish_f64(pose, a, best, out);
    } else {
        bvpi_vec_dd qa[3], qb[3];
        bvpi_nearest_dd best_dd;
        corners_dd(pose, a, b, qa, qb);
        if (!cross_dd(qa, qb, &best_dd)) {
            nearest_of_triangles_dd(qa, qb, &best_dd);
            offer_crossings_dd(qa, qb, &best_dd);
        }
        finish_dd(pose, a, &best_dd, out);
    }
}

void bvpi_tri_common1(const bvpi_pose *pose, const float a[9], const float b[9], bvpi_tri_dist *out)
{
    bvpi_vec_f64 pa[3], pb[3];
    bvpi_nearest_f64 best;
    corners_f64(pose, a, b, pa, pb);
    nearest_of_triangles_f64(pa, pb, &best);
    common(pose, a, b, pa, pb, &best, out);
}

void bvpi_tri_dist1(const bvpi_pose *pose, const float a[9], const float b[9], bvpi_tri_dist *out)
{
    bvpi_tri_dist1_within(pose, a, b, INFINITY, out);
}

/* A lower bound, scaled, from the normals alone. */
static double gap_along_normals(const bvpi_vec_f64 a[3], const bvpi_vec_f64 b[3], double eta)
{
    double size[3], gap = 0;
    vec_sizes_f64(a, b, size);
    for (int i = 0; i < 2; i++) {
        const bvpi_vec_f64 *t = i == 0 ? a : b;
        const bvpi_vec_f64 n = vec_cross_f64(vec_sub_f64(t[1], t[0]), vec_sub_f64(t[2], t[0]));
        gap = bvpi_larger(gap, gap_along_f64(a, b, n, size, eta));
        gap = bvpi_larger(gap, gap_along_f64(b, a, n, size, eta));
    }
    return gap;
}

/* limit: pairs that are certainly farther may be left with a lower end above it, and no more.
 * in_integers: the last step is worth its price. */
static void measure(const bvpi_pose *pose, const float a[9], const float b[9], double limit,
                    bool in_integers, bvpi_tri_dist *out)
{
    bvpi_vec_f64 pa[3], pb[3];
    bvpi_nearest_f64 best;
    const double eta = pose->world_eta * pose->world_scale;
    out->effort = 1;
    corners_f64(pose, a, b, pa, pb);
    if (limit < INFINITY) {
        out->lo = gap_along_normals(pa, pb, eta) / pose->world_scale;
        if (out->lo > limit)
            return;
    }
    nearest_of_triangles_f64(pa, pb, &best);
    distance_bounds_f64(pa, pb, &best, eta, &out->lo, &out->hi);
    if (out->lo > 0 && out->hi - out->lo <= GOOD_ENOUGH * out->hi) {
        finish_f64(pose, a, &best, out);
        return;
    }
    if (out->lo / pose->world_scale > limit) {
        out->lo /= pose->world_scale;
        return;
    }
    /* equal placements are left out, which keeps every relation and has fewer digits */
    bool same = pose->same;
    if (!(out->lo > 0) &&
        bvpi_tri_tri_exact(a, b, same ? NULL : pose->ma, same ? NULL : pose->mb) != 0) {
        common(pose, a, b, pa, pb, &best, out);
        return;
    }
    bvpi_vec_dd qa[3], qb[3];
    bvpi_nearest_dd best_dd;
    out->effort = 8;
    corners_dd(pose, a, b, qa, qb);
    nearest_of_triangles_dd(qa, qb, &best_dd);
    distance_bounds_dd(qa, qb, &best_dd, ETA_DD, &out->lo, &out->hi);
    if (!(out->hi - out->lo <= GOOD_ENOUGH * out->hi)) {
        /* both intervals hold the distance, and so does what they have in common */
        const double eta_own = fmin(ETA_DD, eta_dd(pose, a, b));
        double lo, hi;
        distance_bounds_dd(qa, qb, &best_dd, eta_own, &lo, &hi);
        lo = fmax(lo, gap_side_by_side_dd(qa, qb, &best_dd, eta_own));
        out->lo = fmax(out->lo, lo);
        out->hi = fmin(out->hi, hi);
    }
    bvpi_nearest_exact exact;
    if (in_integers && !(out->hi - out->lo <= GOOD_ENOUGH * out->hi) &&
        out->lo / pose->world_scale <= limit &&
        bvpi_tri_dist_exact(a, b, pose->ma, pose->mb, pose->world_scale, &exact)) {
        assert(exact.lo <= exact.hi);
        out->effort = 32;
        to_world(pose, a, exact.x, out->point_a);
        to_world(pose, a, exact.y, out->point_b);
        out->lo = exact.lo;
        out->hi = exact.hi;
        return;
    }
    finish_dd(pose, a, &best_dd, out);
}

void bvpi_tri_dist1_within(const bvpi_pose *pose, const float a[9], const float b[9], double limit,
                           bvpi_tri_dist *out)
{
    measure(pose, a, b, limit, true, out);
}

void bvpi_tri_dist1_rough(const bvpi_pose *pose, const float a[9], const float b[9],
                          bvpi_tri_dist *out)
{
    measure(pose, a, b, INFINITY, false, out);
}

void bvpi_tri_dist1_any(const bvpi_pose *pose, const float a[9], const float b[9], double limit,
                        bvpi_tri_dist *out)
{
    bvpi_vec_f64 pa[3], pb[3];
    bvpi_nearest_f64 best;
    out->effort = 1;
    corners_f64(pose, a, b, pa, pb);
    nearest_of_triangles_f64(pa, pb, &best);
    distance_bounds_f64(pa, pb, &best, pose->world_eta * pose->world_scale, &out->lo, &out->hi);
    if (out->hi / pose->world_scale * (1 + 0x1p-50) <= limit)
        finish_f64(pose, a, &best, out);
    else
        bvpi_tri_dist1_within(pose, a, b, limit, out);
}
