/* SPDX-License-Identifier: MIT
 * tri_ray.c: a ray against one triangle, in double where that is certain, else exactly.
 *
 * Watertight means: a ray that passes through a shared edge or corner hits at least one of the
 * triangles that share it. Filters with tolerances cannot promise that. Here every decision is the
 * sign of a determinant of the exact ray and the exact corners, so neighbours see the same edge on
 * consistent sides.
 *
 * The fast stage looks along the ray: a shear takes the ray to a point, and the triangle's three
 * sides become signs in two dimensions. The shear's coefficients are computed in double-double and
 * rounded once; the error does not grow with the distance of the origin. If a side, or t against an
 * end of the range, is not certain, bvpi_tri_ray_exactly() repeats the test in integers.
 *
 * The exact stage represents the ray by two points, t = 0 and t = 1. A hit's t is a quotient of two
 * determinants; it is compared with the range without dividing.
 *
 * Triangles that contain the ray's direction in their plane are never hit, nor are degenerate ones:
 * all three signs are 0.
 *
 * Slow twin: rational arithmetic, tests/unit/test_tri_ray.c; whole queries against brute force,
 * tests/property/test_ray.c.
 * Spec: exactness.md, chapter 7, which derives the bounds
 * Measured: decisions.md, "Rays and closest points"
 * Based on: Woop, Benthin, Wald, Watertight Ray/Triangle Intersection, 2013 (the shear).
 */
#include "prim/tri_ray.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/dd2.h"
#include "base/vec3.h"
#include "prim/points.h"

#define U 0x1p-53

/* ---- preparation ----------------------------------------------------------------------------- */

/* Shear and offset on kx and ky, side by side where all products are in range. */
static void shear_of(const bvpi_tri_ray *r, const bvpi_dd o[3], const bvpi_dd d[3],
                     bvpi_dd shear[2], bvpi_dd offset[2])
{
    const int x = r->kx, y = r->ky, z = r->kz;
    bool is_moderate = fabs(d[z].hi) >= 0x1p-200;
    for (int k = 0; k < 3; k++)
        is_moderate = is_moderate && bvpi_dd2_is_moderate(d[k].hi, 0x1p-200, 0x1p200) &&
                      bvpi_dd2_is_moderate(o[k].hi, 0x1p-400, 0x1p400);
    if (is_moderate) {
        const bvpi_dd2 two = bvpi_dd2_div(bvpi_dd2_of(d[x], d[y]), bvpi_dd2_of(d[z], d[z]));
        const bvpi_dd2 along = bvpi_dd2_mul(two, bvpi_dd2_of(o[z], o[z]));
        const bvpi_dd2 from = bvpi_dd2_add(bvpi_dd2_of(o[x], o[y]), bvpi_dd2_neg(along));
        for (int i = 0; i < 2; i++) {
            shear[i] = bvpi_dd2_lane(two, i);
            offset[i] = bvpi_dd2_lane(from, i);
        }
        return;
    }
    for (int i = 0; i < 2; i++) {
        const int k = i == 0 ? x : y;
        shear[i] = bvpi_dd_div(d[k], d[z]);
        offset[i] = bvpi_dd_sub(o[k], bvpi_dd_mul(shear[i], o[z]));
    }
}

/* Sets the two axes of the sheared view. */
static void init_view(bvpi_tri_ray *r, const bvpi_dd o[3], const bvpi_dd d[3],
                      const double o_err[3], const double d_err[3], const double bound[3])
{
    bvpi_dd shear[2], offset[2];
    shear_of(r, o, d, shear, offset);
    const int z = r->kz;
    const double oz = fabs(o[z].hi), by_z = fabs(d[z].hi);
    for (int i = 0; i < 2; i++) {
        const int k = i == 0 ? r->kx : r->ky;
        const double s = fabs(shear[i].hi);
        const double s_err = (d_err[k] + s * d_err[z]) / by_z * 2 + 0x1p-98 * s;
        const double c_err =
            o_err[k] + s * o_err[z] + (oz + o_err[z]) * s_err + 0x1p-98 * (fabs(o[k].hi) + s * oz);
        const double reach = bound[k] + s * bound[z] + fabs(offset[i].hi);
        bvpi_tri_ray_set_view(r, i, shear[i].hi, offset[i].hi, c_err + bound[z] * s_err, reach);
    }
}

bvp_status bvpi_tri_ray_init(bvpi_tri_ray *out, const bvpi_placement *placement,
                             const double origin[3], const double direction[3],
                             const double bound[3])
{
    bvpi_dd o[3], d[3];
    double o_err[3], d_err[3];
    const f64x4 from = {origin[0], origin[1], origin[2], 0};
    const f64x4 along = {direction[0], direction[1], direction[2], 0};
    if (placement->is_identity && bvpi_tri_ray_init_plain(out, from, along, bound))
        return BVP_OK;
    memcpy(out->world_origin, origin, 3 * sizeof *origin);
    memcpy(out->world_direction, direction, 3 * sizeof *direction);
    out->m = placement->m;
    for (int x = 0; x < 3; x++)
        if (!isfinite(origin[x]) || !isfinite(direction[x]))
            return BVP_ERR_ARGUMENT;
    if (direction[0] == 0 && direction[1] == 0 && direction[2] == 0)
        return BVP_ERR_ARGUMENT;
    bvpi_placement_ray_to_part(placement, origin, direction, o, o_err, d, d_err);
    for (int x = 0; x < 3; x++) {
        out->origin[x] = o[x].hi;
        out->direction[x] = d[x].hi;
        out->origin_err[x] = (o_err[x] + U * fabs(o[x].hi)) * BVPI_ROUND_UP;
        out->direction_err[x] = (d_err[x] + U * fabs(d[x].hi)) * BVPI_ROUND_UP;
        if (!isfinite(out->origin[x] + out->origin_err[x]) ||
            !isfinite(out->direction[x] + out->direction_err[x]))
            return BVP_ERR_ARGUMENT;
    }
    /* along the largest component: slopes are at most 1 then, and errors grow least */
    int z = fabs(out->direction[1]) > fabs(out->direction[0]) ? 1 : 0;
    z = fabs(out->direction[2]) > fabs(out->direction[z]) ? 2 : z;
    out->kz = z;
    out->kx = (z + 1) % 3;
    out->ky = (z + 2) % 3;
    out->by_z = 1 / out->direction[z];
    out->view_err = 0;
    out->view_err_f = 0;
    init_view(out, o, d, o_err, d_err, bound);
    bvpi_tri_ray_set_depth(out, bound);
    return BVP_OK;
}

/* ---- exact ----------------------------------------------------------------------------------- */

/* Sign of numerator / denominator - bound. The bound's power of two goes to whichever side keeps
 * both integers. */
static int compare_ratio(const bvpi_big *numerator, const bvpi_big *denominator, double bound)
{
    bvpi_big factor, power, left, right;
    assert(isfinite(bound) && denominator->sign != 0);
    int unit = bvpi_lowest_exponent(bound);
    if (bound == 0)
        return numerator->sign * denominator->sign;
    int shift = unit < 0 ? -unit : 0, unit_right = unit < 0 ? unit : 0;
    bvpi_big_zero(&factor);
    bvpi_big_zero(&power);
    bvpi_big_add_product(&factor, bound, 1, unit_right);
    bvpi_big_add_product(&power, ldexp(1, shift / 2), ldexp(1, shift - shift / 2), 0);
    bvpi_big_mul(&left, numerator, &power);
    bvpi_big_mul(&right, denominator, &factor);
    bvpi_big_sub(&left, &left, &right);
    return left.sign * denominator->sign;
}

static double ratio(const bvpi_big *numerator, const bvpi_big *denominator)
{
    int bits = bvpi_big_bits(denominator);
    return bvpi_big_to_double(numerator, bits) / bvpi_big_to_double(denominator, bits);
}

/* Points 0, 1, 2 are the corners; 3 and 4 are on the ray, at t = 0 and 1. */
bool bvpi_tri_ray_exactly(const bvpi_tri_ray *ray, const float tri[9], double t_min, double t_max,
                          bvpi_tri_ray_hit *hit)
{
    bvpi_points points;
    bvpi_terms terms[5][3];
    bvpi_terms_of_triangle(terms, 0, tri, ray->m);
    bvpi_terms_of_point(terms[3], ray->world_origin);
    for (int x = 0; x < 3; x++)
        terms[4][x] =
            (bvpi_terms){{ray->world_origin[x], ray->world_direction[x], 0, 0}, {1, 1, 0, 0}};
    if (!bvpi_points_init(&points, terms, 5))
        return false;
    int s0 = bvpi_orient3(&points, 3, 4, 1, 2), s1 = bvpi_orient3(&points, 3, 4, 2, 0);
    int s2 = bvpi_orient3(&points, 3, 4, 0, 1);
    bool plus = s0 > 0 || s1 > 0 || s2 > 0, minus = s0 < 0 || s1 < 0 || s2 < 0;
    if (plus == minus) /* outside of an edge, or all zero: seen edge-on */
        return false;
    bvpi_big height, drop, part, sum;
    bvpi_orient3_value(&height, &points, 0, 1, 2, 3);
    bvpi_orient3_value(&drop, &points, 0, 1, 2, 4);
    bvpi_big_sub(&drop, &height, &drop);
    assert(drop.sign != 0); /* the ray is not in the plane */
    if (isfinite(t_min) ? compare_ratio(&height, &drop, t_min) < 0 : t_min > 0)
        return false;
    if (isfinite(t_max) ? compare_ratio(&height, &drop, t_max) > 0 : t_max < 0)
        return false;
    assert(t_min <= t_max);
    const double t = ratio(&height, &drop);
    hit->t = t < t_min ? t_min : t > t_max ? t_max : t; /* rounding must not leave the range */
    /* the three sides have one sign, and add up to `drop` but for its own: u and v are the share of
     * two of them */
    sum = drop;
    sum.sign = plus ? 1 : -1;
    bvpi_orient3_value(&part, &points, 3, 4, 2, 0);
    hit->u = ratio(&part, &sum);
    bvpi_orient3_value(&part, &points, 3, 4, 0, 1);
    hit->v = ratio(&part, &sum);
    return true;
}

/* ---- one triangle ---------------------------------------------------------------------------- */

bool bvpi_tri_ray1(const bvpi_tri_ray *ray, const float tri[9], double t_min, double t_max,
                   bvpi_tri_ray_hit *hit)
{
    f64x4 p[3];
    for (int k = 0; k < 3; k++)
        p[k] = (f64x4){(double)tri[k], (double)tri[3 + k], (double)tri[6 + k], 0};
    const int answer =
        bvpi_tri_ray_in_double(ray, p[ray->kx], p[ray->ky], p[ray->kz], t_min, t_max, hit);
    return answer >= 0 ? answer : bvpi_tri_ray_exactly(ray, tri, t_min, t_max, hit);
}
