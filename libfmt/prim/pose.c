/* SPDX-License-Identifier: MIT
 * pose.c: inverses, relative placements and products of placements, each with a proven error bound.
 *
 * A placement is exact by definition; its inverse is not representable. Filters and box tests work
 * with an approximate inverse and must know how wrong it is, or they would reject pairs that meet.
 * So every function that rounds also returns a bound, and the exact stages do not use the results
 * at all: they start from the placements.
 *
 * Two ways to the same quantities:
 * - in double, for placements whose entries are moderate and whose determinant is well above
 *   rounding (is_tame): cheap, errors some 2^-50 of the terms;
 * - in double-double, for all others and for rays: cofactors are differences of exact products,
 *   errors some 2^-98 of the terms, so a bound remains useful for ill-conditioned placements.
 *
 * Chapter 1 of exactness.md says which placements are in range. Others are refused in
 * bvpi_placement_init(), so no later step needs to handle a singular or overflowing map.
 *
 * Largest and smallest stretch come from the eigenvalues of L^T L by Jacobi rotations, enclosed by
 * Gershgorin's circles.
 *
 * Invariants: inverse_err, x_err, eta and reach are upper bounds, and size_min <= true stretch <=
 * size_max; each is rounded outward when it is computed.
 *
 * Slow twin: rational arithmetic, tests/unit/test_pose.c, which also checks that bounds are not
 * idle.
 * Spec: exactness.md, chapters 2 and 3, which derive the constants
 */
#include "prim/pose.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/dd2.h"
#include "base/simd.h"
#include "base/vec3.h"

#define U             0x1p-53
#define DD_ERR        0x1p-98  /* relative error of a sum of three double-double products */
#define SINGULAR      0x1p-90  /* |det| below this share of its terms: may be 0 */
#define DET_MIN       0x1p-800 /* what underflow loses, below 2^-1060, stays negligible */
#define LARGEST_TAME  0x1p100  /* of entries, and 1 / the smallest: products of four are in range */
#define LARGEST_SHARE 0x1p10   /* of the terms of a determinant, relative to it */

/* More than underflow can lose in a handful of operations, but a normal number: denormals slow the
 * processor down. */
#define UNDERFLOWN          0x1p-1000
#define LARGEST_LINEAR      0x1p200
#define SMALLEST_LINEAR     0x1p-200
#define LARGEST_INVERSE     0x1p400
#define LARGEST_TRANSLATION 0x1p300

static const double IDENTITY[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static bool is_identity(const double *m)
{
    return m == NULL || bvpi_is_identity(m);
}

/* ---- inverse --------------------------------------------------------------------------------- */

/* Two cofactors: x y - z w. */
BVPI_INLINE void two_cofactors(bvpi_adjugate *out, int first, int second, bvpi_f64x2 x,
                               bvpi_f64x2 y, bvpi_f64x2 z, bvpi_f64x2 w)
{
    const bvpi_dd2 two = bvpi_dd2_add(bvpi_dd2_product(x, y), bvpi_dd2_neg(bvpi_dd2_product(z, w)));
    out->c[first] = bvpi_dd2_lane(two, 0);
    out->c[second] = bvpi_dd2_lane(two, 1);
}

/* All nine, two by two; m is moderate. */
static void cofactors_by_two(bvpi_adjugate *out, const double m[12])
{
    const double *r[3] = {m, m + 4, m + 8};
    bvpi_f64x2 p[3], q[3];
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        p[i] = (bvpi_f64x2){r[i][1], r[i][2]};
        q[i] = (bvpi_f64x2){r[i][2], r[i][0]};
    }
    two_cofactors(out, 0, 3, p[1], q[2], q[1], p[2]);
    two_cofactors(out, 1, 4, p[2], q[0], q[2], p[0]);
    two_cofactors(out, 2, 5, p[0], q[1], q[0], p[1]);
    const bvpi_f64x2 x12 = {r[1][0], r[2][0]}, y20 = {r[2][1], r[0][1]};
    const bvpi_f64x2 y12 = {r[1][1], r[2][1]}, x20 = {r[2][0], r[0][0]};
    two_cofactors(out, 6, 7, x12, y20, y12, x20);
    const bvpi_f64x2 x0 = {r[0][0], r[0][0]}, y1 = {r[1][1], r[1][1]};
    const bvpi_f64x2 y0 = {r[0][1], r[0][1]}, x1 = {r[1][0], r[1][0]};
    two_cofactors(out, 8, 8, x0, y1, y0, x1);
}

static void cofactors_one_by_one(bvpi_adjugate *out, const double m[12])
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            int r1 = (k + 1) % 3, r2 = (k + 2) % 3, c1 = (i + 1) % 3, c2 = (i + 2) % 3;
            out->c[3 * i + k] = bvpi_dd_sub(bvpi_dd_product(m[4 * r1 + c1], m[4 * r2 + c2]),
                                            bvpi_dd_product(m[4 * r1 + c2], m[4 * r2 + c1]));
        }
    }
}

/* is_tame: of m's placement; m is moderate then. False: singular, or too near to it for doubles to
 * tell. */
static bool adjugate_init(bvpi_adjugate *out, const double m[12], bool is_tame)
{
    if (is_tame)
        cofactors_by_two(out, m);
    else
        cofactors_one_by_one(out, m);
    /* by the first row; the same terms without signs tell how much of det rounding may be */
    out->det = bvpi_dd_of(0);
    out->det_terms = 0;
    for (int i = 0; i < 3; i++) {
        bvpi_dd term = bvpi_dd_scale(out->c[3 * i], m[i]);
        out->det = bvpi_dd_add(out->det, term);
        out->det_terms += fabs(term.hi);
    }
    out->det_terms *= BVPI_ROUND_UP;
    const double det = fabs(out->det.hi);
    out->inverse_det = bvpi_dd_div(bvpi_dd_of(1), out->det);
    return det > SINGULAR * out->det_terms && det > DET_MIN;
}

static bool in_range(const double m[12])
{
    double linear = 0, translation = 0;
    for (int i = 0; i < 12; i++) {
        if (!isfinite(m[i]))
            return false;
        if (i % 4 == 3)
            translation = bvpi_larger(translation, fabs(m[i]));
        else
            linear = bvpi_larger(linear, fabs(m[i]));
    }
    return linear >= SMALLEST_LINEAR && linear <= LARGEST_LINEAR &&
           translation <= LARGEST_TRANSLATION;
}

/* Bounds the error of a quotient n / det, where n is a sum of products of cofactors whose
 * magnitudes add up to `terms`. */
static double quotient_error(const bvpi_adjugate *a, double quotient, double terms)
{
    /* d(n / det) = dn / det + (n / det) ddet / det, and the quotient's own rounding */
    double numerator = DD_ERR * terms + UNDERFLOWN, det = DD_ERR * a->det_terms + UNDERFLOWN;
    return BVPI_ROUND_UP *
           ((numerator + fabs(quotient) * det) * fabs(a->inverse_det.hi) + DD_ERR * fabs(quotient));
}

/* ---- stretch of a linear map ----------------------------------------------------------------- */

/* One Jacobi rotation of the symmetric matrix g in the plane of axes p and q. */
static void rotate(double g[3][3], int p, int q)
{
    assert(p >= 0 && p < q && q < 3);
    if (g[p][q] == 0)
        return;
    /* tan of twice the angle is 1 / theta, which makes g[p][q] zero */
    double theta = (g[q][q] - g[p][p]) / (2 * g[p][q]);
    /* the smaller of the two roots: a turn by at most 45 degrees, for which Jacobi's method is
     * known to converge */
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    int r = 3 - p - q;
    double pr = g[p][r], qr = g[q][r], shift = t * g[p][q];
    g[p][p] -= shift;
    g[q][q] += shift;
    g[p][q] = g[q][p] = 0;
    g[p][r] = g[r][p] = c * pr - s * qr;
    g[q][r] = g[r][q] = s * pr + c * qr;
}

/* Returns an upper bound of the largest singular value, tight to some 1e-13, and sets *lowest to a
 * lower bound of the smallest, which is tight only for well-conditioned maps. */
static double largest_stretch(const double linear[9], double *lowest)
{
    double scale = 0, l[9], g[3][3], low = INFINITY, high = 0;
    for (int i = 0; i < 9; i++)
        scale = bvpi_larger(scale, fabs(linear[i]));
    assert(scale > 0); /* the map is not singular */
    const double inverse = 1 / scale;
    for (int i = 0; i < 9; i++)
        l[i] = linear[i] * inverse;
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) { /* g = l^T l */
        BVPI_UNROLL
        for (int j = i; j < 3; j++)
            g[i][j] = g[j][i] = l[i] * l[j] + l[3 + i] * l[3 + j] + l[6 + i] * l[6 + j];
    }
    /* of the trace, which rotations keep: it stands for the rounding of g and of the rotations, and
     * these stop where the circles' own radii are no larger */
    double slack = 0x1p-44 * (g[0][0] + g[1][1] + g[2][2]);
    for (int sweep = 0; sweep < 8; sweep++) {
        if (fabs(g[0][1]) + fabs(g[0][2]) + fabs(g[1][2]) <= slack)
            break;
        rotate(g, 0, 1);
        rotate(g, 0, 2);
        rotate(g, 1, 2);
    }
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        double radius = fabs(g[i][(i + 1) % 3]) + fabs(g[i][(i + 2) % 3]) + slack;
        low = bvpi_smaller(low, g[i][i] - radius);
        high = bvpi_larger(high, g[i][i] + radius);
    }
    *lowest = low > 0 ? scale * sqrt(low) * (1 - 4 * U) : 0;
    return scale * sqrt(high) * (1 + 4 * U);
}

static void linear_part(double out[9], const double m[12])
{
    for (int i = 0; i < 9; i++)
        out[i] = m[4 * (i / 3) + i % 3];
}

/* Gershgorin's circles of L^T L say little about the smallest singular value of an ill-conditioned
 * map. One over the largest of the inverse is then the better bound. */
static void measure(bvpi_placement *placement)
{
    double l[9], low, unused, err = 0;
    linear_part(l, placement->m);
    placement->size_min = 0;
    placement->size_max = largest_stretch(l, &low);
    if (low * 0x1p5 > placement->size_max) {
        placement->size_min = low;
    } else {
        for (int i = 0; i < 9; i++)
            err += placement->inverse_err[i];
        placement->size_min =
            bvpi_larger(low, (1 - 0x1p-40) / (largest_stretch(placement->inverse, &unused) + err));
    }
    assert(placement->size_min > 0 && placement->size_min <= placement->size_max);
    placement->is_similar = placement->size_max <= placement->size_min * (1 + 0x1p-40);
}

/* ---- one body -------------------------------------------------------------------------------- */

/* True if no product of three entries overflows or underflows. */
static bool is_moderate(const double m[12])
{
    int odd = 0;
    BVPI_UNROLL
    for (int i = 0; i < 12; i++) {
        const double size = fabs(m[i]);
        odd |= i % 4 == 3 ? !(size <= LARGEST_TRANSLATION)
                          : !(size <= LARGEST_TAME) | (size < 1 / LARGEST_TAME && size != 0);
    }
    return !odd;
}

/* The inverse in double. With p a cofactor and T the determinant, both with all signs positive: the
 * cofactor errs by 2 u p, the determinant by 5 u T, and two more roundings add u each. */
static bool invert_in_double(bvpi_placement *placement)
{
    const double *m = placement->m;
    double cofactor[9], positive[9], det = 0, terms = 0;
    if (!is_moderate(m))
        return false;
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        BVPI_UNROLL
        for (int k = 0; k < 3; k++) {
            const int r1 = (k + 1) % 3, r2 = (k + 2) % 3, c1 = (i + 1) % 3, c2 = (i + 2) % 3;
            const double plus = m[4 * r1 + c1] * m[4 * r2 + c2];
            const double minus = m[4 * r1 + c2] * m[4 * r2 + c1];
            cofactor[3 * i + k] = plus - minus;
            positive[3 * i + k] = fabs(plus) + fabs(minus);
        }
    }
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        det += m[i] * cofactor[3 * i];
        terms += fabs(m[i]) * positive[3 * i];
    }
    const double by_det = 1 / det, size = fabs(by_det), share = terms * size;
    /* beyond that the bound would be useless, or first order would not do; also if det is 0 */
    if (!(share < LARGEST_SHARE && size < LARGEST_TAME))
        return false;
    const double err = size * (5 * U + 6 * U * share) * BVPI_ROUND_UP;
    BVPI_UNROLL
    for (int i = 0; i < 9; i++) {
        placement->inverse[i] = cofactor[i] * by_det;
        placement->inverse_err[i] = positive[i] * err;
    }
    return true;
}

/* The inverse in double-double, rounded to double. */
static bvp_status invert(bvpi_placement *placement)
{
    bvpi_adjugate a;
    if (!in_range(placement->m) || !adjugate_init(&a, placement->m, false))
        return BVP_ERR_ARGUMENT;
    for (int i = 0; i < 9; i++) {
        const bvpi_dd entry = bvpi_dd_mul(a.c[i], a.inverse_det);
        placement->inverse[i] = entry.hi;
        placement->inverse_err[i] =
            (quotient_error(&a, entry.hi, fabs(a.c[i].hi)) + fabs(entry.lo)) * BVPI_ROUND_UP;
        if (!(fabs(entry.hi) <= LARGEST_INVERSE))
            return BVP_ERR_ARGUMENT;
    }
    return BVP_OK;
}

bvp_status bvpi_placement_init(bvpi_placement *placement, const double *m)
{
    /* the same values as in the general case, except that bounds need no rounding */
    static const bvpi_placement identity = {.m = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
                                            .inverse = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                            .size_min = 1,
                                            .size_max = 1,
                                            .is_identity = 1,
                                            .is_tame = 1,
                                            .is_similar = 1};
    if (is_identity(m)) {
        memcpy(placement, &identity, sizeof identity);
        return BVP_OK;
    }
    memcpy(placement->m, m, sizeof placement->m);
    placement->adjugate = NULL;
    placement->is_identity = 0;
    placement->is_tame = invert_in_double(placement);
    if (!placement->is_tame && invert(placement) != BVP_OK)
        return BVP_ERR_ARGUMENT;
    measure(placement);
    return BVP_OK;
}

bool bvpi_placement_is_plain(const double m[12])
{
    const double det = m[0] * (m[5] * m[10] - m[6] * m[9]) + m[1] * (m[6] * m[8] - m[4] * m[10]) +
                       m[2] * (m[4] * m[9] - m[5] * m[8]);
    const f64x4 sums =
        f64x4_abs(f64x4_load(m)) + f64x4_abs(f64x4_load(m + 4)) + f64x4_abs(f64x4_load(m + 8));
    const double linear = sums[0] + sums[1] + sums[2], translation = sums[3];
    return linear > 0x1p-100 && linear < 0x1p100 && translation < 0x1p300 &&
           fabs(det) > 0x1p-30 * linear * linear * linear;
}

/* The adjugate of a placement that bvpi_placement_init() has accepted: never a singular one. */
static void adjugate_of(bvpi_adjugate *out, const bvpi_placement *placement)
{
    const bool is_regular = adjugate_init(out, placement->m, placement->is_tame);
    assert(is_regular);
    (void)is_regular;
}

/* out = adjugate v / det; err bounds the error. */
static void apply_inverse(const bvpi_adjugate *a, const bvpi_dd v[3], bvpi_dd out[3], double err[3])
{
    for (int i = 0; i < 3; i++) {
        bvpi_dd sum = bvpi_dd_of(0);
        double terms = 0;
        /* the division by det comes last, once for each coordinate: cofactors are known to some
         * 2^-104, entries of the inverse only as well as det */
        for (int k = 0; k < 3; k++) {
            bvpi_dd term = bvpi_dd_mul(a->c[3 * i + k], v[k]);
            sum = bvpi_dd_add(sum, term);
            terms += fabs(term.hi);
        }
        out[i] = bvpi_dd_mul(sum, a->inverse_det);
        err[i] = quotient_error(a, out[i].hi, terms * BVPI_ROUND_UP);
    }
}

/* The same for two vectors, if all products are in range: by cofactors of 0 or 2^-304 .. 2^201, an
 * inverse_det of 2^-303 .. 2^100. False: they are not. */
static bool apply_inverse_to_two(const bvpi_adjugate *a, const bvpi_dd v[2][3], bvpi_dd out[2][3],
                                 double err[2][3])
{
    const bvpi_dd2 by_det = bvpi_dd2_of(a->inverse_det, a->inverse_det);
    const double det_err = DD_ERR * a->det_terms + UNDERFLOWN, by = fabs(a->inverse_det.hi);
    bvpi_dd2 both[3];
    for (int k = 0; k < 3; k++) {
        both[k] = bvpi_dd2_of(v[0][k], v[1][k]);
        for (int n = 0; n < 2; n++)
            if (!bvpi_dd2_is_moderate(v[n][k].hi, 0x1p-200, 0x1p500))
                return false;
    }
    for (int i = 0; i < 3; i++) {
        bvpi_dd2 sum = {{0}, {0}};
        bvpi_f64x2 terms = {0};
        BVPI_UNROLL
        for (int k = 0; k < 3; k++) {
            const bvpi_dd c = a->c[3 * i + k];
            const bvpi_dd2 term = bvpi_dd2_mul(bvpi_dd2_of(c, c), both[k]);
            sum = bvpi_dd2_add(sum, term);
            terms += bvpi_f64x2_abs(term.hi);
        }
        if (!bvpi_dd2_is_moderate(sum.hi[0], 0x1p-500, 0x1p800) ||
            !bvpi_dd2_is_moderate(sum.hi[1], 0x1p-500, 0x1p800))
            return false;
        const bvpi_dd2 done = bvpi_dd2_mul(sum, by_det);
        const bvpi_f64x2 size = bvpi_f64x2_abs(done.hi);
        const bvpi_f64x2 numerator = DD_ERR * (terms * BVPI_ROUND_UP) + UNDERFLOWN;
        const bvpi_f64x2 off = BVPI_ROUND_UP * ((numerator + size * det_err) * by +
                                                DD_ERR * size); /* quotient_error */
        for (int n = 0; n < 2; n++) {
            out[n][i] = bvpi_dd2_lane(done, n);
            err[n][i] = off[n];
        }
    }
    return true;
}

/* Rounds to double and adds the rounding error to err. */
static void round3(const bvpi_dd v[3], double out[3], double err[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = bvpi_dd_round(v[i]);
        err[i] = (err[i] + fabs(v[i].lo)) * BVPI_ROUND_UP;
    }
}

/* out = inverse v, where v has a relative error of u. */
static void apply_tame(const bvpi_placement *placement, const double v[3], double out[3],
                       double err[3])
{
    assert(placement->is_tame);
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const double *row = placement->inverse + 3 * i, *row_err = placement->inverse_err + 3 * i;
        double sum = 0, off = 0;
        BVPI_UNROLL
        for (int k = 0; k < 3; k++) {
            sum += row[k] * v[k];
            off += (row_err[k] + 5 * U * fabs(row[k])) * fabs(v[k]);
        }
        out[i] = sum;
        err[i] = off * BVPI_ROUND_UP + UNDERFLOWN;
    }
}

/* Applies the inverse linear part, in the cheapest arithmetic that is good enough. */
static void to_part(const bvpi_placement *placement, const bvpi_dd v[3], double out[3],
                    double err[3])
{
    const double rounded[3] = {v[0].hi, v[1].hi, v[2].hi};
    bvpi_adjugate a;
    bvpi_dd exact[3];
    if (placement->is_identity) {
        memset(err, 0, 3 * sizeof *err);
        round3(v, out, err);
    } else if (placement->is_tame) {
        apply_tame(placement, rounded, out, err);
    } else {
        adjugate_of(&a, placement);
        apply_inverse(&a, v, exact, err);
        round3(exact, out, err);
    }
}

void bvpi_placement_point_to_part(const bvpi_placement *placement, const double world[3],
                                  double out[3], double err[3])
{
    bvpi_dd v[3];
    for (int i = 0; i < 3; i++)
        v[i] = bvpi_dd_sum(world[i], -placement->m[4 * i + 3]);
    to_part(placement, v, out, err);
}

void bvpi_placement_vector_to_part(const bvpi_placement *placement, const double world[3],
                                   double out[3], double err[3])
{
    const bvpi_dd v[3] = {bvpi_dd_of(world[0]), bvpi_dd_of(world[1]), bvpi_dd_of(world[2])};
    to_part(placement, v, out, err);
}

void bvpi_placement_ray_to_part(const bvpi_placement *placement, const double origin[3],
                                const double direction[3], bvpi_dd o[3], double o_err[3],
                                bvpi_dd d[3], double d_err[3])
{
    bvpi_dd given[2][3], out[2][3];
    double err[2][3];
    bvpi_adjugate own, *a = placement->adjugate ? placement->adjugate : &own;
    for (int i = 0; i < 3; i++) {
        given[0][i] = bvpi_dd_sum(origin[i], -placement->m[4 * i + 3]);
        given[1][i] = bvpi_dd_of(direction[i]);
    }
    if (a == &own || !a->is_ready)
        adjugate_of(a, placement);
    a->is_ready = true;
    if (!placement->is_tame || !apply_inverse_to_two(a, given, out, err)) {
        apply_inverse(a, given[0], out[0], err[0]);
        apply_inverse(a, given[1], out[1], err[1]);
    }
    memcpy(o, out[0], sizeof out[0]);
    memcpy(d, out[1], sizeof out[1]);
    memcpy(o_err, err[0], sizeof err[0]);
    memcpy(d_err, err[1], sizeof err[1]);
}

void bvpi_placement_point_to_world(const bvpi_placement *placement, const double part[3],
                                   double out[3])
{
    for (int i = 0; i < 3; i++) {
        const double *row = placement->m + 4 * i;
        bvpi_dd sum = bvpi_dd_of(row[3]);
        for (int j = 0; j < 3; j++)
            sum = bvpi_dd_add(sum, bvpi_dd_product(row[j], part[j]));
        out[i] = bvpi_dd_round(sum);
    }
}

/* ---- two bodies ------------------------------------------------------------------------------ */

/* x = MA^-1 MB, column by column. The difference of the translations is exact, so bodies far from
 * the origin lose nothing. */
static void relative_in_dd(bvpi_pose *pose, const bvpi_placement *placement)
{
    bvpi_adjugate a;
    adjugate_of(&a, placement);
    for (int j = 0; j < 4; j++) {
        bvpi_dd v[3], column[3];
        double out[3], err[3];
        for (int i = 0; i < 3; i++)
            v[i] = bvpi_dd_sum(pose->mb[4 * i + j], j == 3 ? -pose->ma[4 * i + 3] : 0);
        apply_inverse(&a, v, column, err);
        round3(column, out, err);
        for (int i = 0; i < 3; i++) {
            pose->x[4 * i + j] = out[i];
            pose->x_err[4 * i + j] = err[i];
        }
    }
}

/* The same in double, four columns side by side. Rounding is that of apply_tame. */
static void relative_in_double(bvpi_pose *pose, const bvpi_placement *a)
{
    assert(a->is_tame);
    f64x4 v[3];
    BVPI_UNROLL
    for (int k = 0; k < 3; k++)
        v[k] = f64x4_load(pose->mb + 4 * k) - (f64x4){0, 0, 0, pose->ma[4 * k + 3]};
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        f64x4 sum = {0}, off = {0};
        BVPI_UNROLL
        for (int k = 0; k < 3; k++) {
            const double entry = a->inverse[3 * i + k];
            sum += v[k] * f64x4_splat(entry);
            off += f64x4_abs(v[k]) * f64x4_splat(a->inverse_err[3 * i + k] + 5 * U * fabs(entry));
        }
        f64x4_store(pose->x + 4 * i, sum);
        f64x4_store(pose->x_err + 4 * i,
                    off * f64x4_splat(BVPI_ROUND_UP) + f64x4_splat(UNDERFLOWN));
    }
}

/* The power of two that brings reach into [1/2, 1). *float_ok: it is a normal float. */
static double unit_scale(double reach, int *float_ok)
{
    int exponent;
    if (reach == 0)
        reach = 1;
    frexp(reach, &exponent);
    *float_ok = exponent > -126 && exponent < 126;
    return ldexp(1, -exponent);
}

/* Computes reach and eta of a frame whose points are a (or fa a, for a linear map fa) and fb b. A
 * coordinate of a difference of such points takes at most 5 rounded operations in sequence, 10 with
 * fa. */
BVPI_INLINE void frame_bounds(const double *fa, const double fb[12], const double *fb_err,
                              const double bound_a[3], const double bound_b[3], double *reach,
                              double *eta)
{
    *reach = *eta = 0;
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        double size = fabs(fb[4 * i + 3]), err = fb_err ? fb_err[4 * i + 3] : U * size;
        BVPI_UNROLL
        for (int j = 0; j < 3; j++) {
            size += fabs(fb[4 * i + j]) * bound_b[j];
            err += fb_err ? fb_err[4 * i + j] * bound_b[j] : 0;
            size += fa ? fabs(fa[3 * i + j]) * bound_a[j] : 0;
        }
        size += fa ? 0 : bound_a[i];
        *reach = bvpi_larger(*reach, (size + err) * BVPI_ROUND_UP);
        *eta = bvpi_larger(*eta, (err + (fa ? 16 : 8) * U * size + UNDERFLOWN) * BVPI_ROUND_UP);
    }
}

/* True if the map takes each axis to an axis without scaling. Rows are enough, because the map is
 * not singular. */
static int is_signed_permutation(const double m[12])
{
    for (int x = 0; x < 3; x++)
        if (fabs(m[4 * x]) + fabs(m[4 * x + 1]) + fabs(m[4 * x + 2]) != 1 ||
            m[4 * x] * m[4 * x + 1] != 0 || m[4 * x + 1] * m[4 * x + 2] != 0 ||
            m[4 * x] * m[4 * x + 2] != 0)
            return 0;
    return 1;
}

void bvpi_pose_init_placed(bvpi_pose *pose, const bvpi_placement *a, const bvpi_placement *b,
                           const double bound_a[3], const double bound_b[3])
{
    memcpy(pose->ma, a->m, sizeof a->m);
    memcpy(pose->mb, b->m, sizeof b->m);
    pose->same = memcmp(a->m, b->m, sizeof a->m) == 0;
    pose->is_flush = pose->same || (is_signed_permutation(a->m) && is_signed_permutation(b->m));
    /* x = MA^-1 MB */
    if (pose->same || a->is_identity) {
        memcpy(pose->x, pose->same ? IDENTITY : pose->mb, sizeof pose->x);
        memset(pose->x_err, 0, sizeof pose->x_err);
    } else if (a->is_tame) {
        relative_in_double(pose, a);
    } else {
        relative_in_dd(pose, a);
    }
    frame_bounds(NULL, pose->x, pose->x_err, bound_a, bound_b, &pose->reach, &pose->eta);
    pose->scale = unit_scale(pose->reach, &pose->float_ok);
    pose->own_frame = a->is_similar;
    pose->a_size_min = a->size_min;
    pose->a_size_max = a->size_max;
    pose->b_size_min = b->size_min;
    pose->b_size_max = b->size_max;
}

void bvpi_pose_bound_corners(bvpi_pose *pose, const double bound_a[3], const double bound_b[3])
{
    /* the frame parallel to the world, with A's translation as its origin */
    linear_part(pose->world_a, pose->ma);
    memcpy(pose->world_b, pose->mb, sizeof pose->mb);
    for (int i = 3; i < 12; i += 4)
        pose->world_b[i] -= pose->ma[i];
    frame_bounds(pose->world_a, pose->world_b, NULL, bound_a, bound_b, &pose->world_reach,
                 &pose->world_eta);
    pose->world_scale = unit_scale(pose->world_reach, &pose->world_float_ok);

    /* bounds of the world length of one scaled unit, in the frame of float distances */
    const double lo = pose->own_frame ? pose->a_size_min / pose->scale : 1 / pose->world_scale;
    const double hi = pose->own_frame ? pose->a_size_max / pose->scale : 1 / pose->world_scale;
    const bool ok =
        (pose->own_frame ? pose->float_ok : pose->world_float_ok) && lo > 0x1p-100 && hi < 0x1p+100;
    pose->length_lo = ok ? (float)lo * (1 - 0x1p-22f) : 0;
    pose->length_hi = ok ? (float)hi * (1 + 0x1p-22f) : INFINITY;
}

bvp_status bvpi_pose_init(bvpi_pose *pose, const double *ma, const double *mb,
                          const double bound_a[3], const double bound_b[3])
{
    bvpi_placement a, b;
    if (bvpi_placement_init(&a, ma) != BVP_OK || bvpi_placement_init(&b, mb) != BVP_OK)
        return BVP_ERR_ARGUMENT;
    bvpi_pose_init_placed(pose, &a, &b, bound_a, bound_b);
    bvpi_pose_bound_corners(pose, bound_a, bound_b);
    return BVP_OK;
}

/* ---- products -------------------------------------------------------------------------------- */

void bvpi_chain_init(bvpi_chain *chain, const double *m)
{
    for (int i = 0; i < 12; i++)
        chain->m[i] = bvpi_dd_of(m ? m[i] : IDENTITY[i]);
}

/* row[0] x + row[1] y + row[2] z + last */
static bvpi_dd row_times(const bvpi_dd row[4], double x, double y, double z, bvpi_dd last)
{
    bvpi_dd sum = bvpi_dd_scale(row[0], x);
    sum = bvpi_dd_add(sum, bvpi_dd_scale(row[1], y));
    sum = bvpi_dd_add(sum, bvpi_dd_scale(row[2], z));
    return bvpi_dd_add(sum, last);
}

void bvpi_chain_mul(bvpi_chain *chain, const double m[12])
{
    for (int i = 0; i < 3; i++) {
        bvpi_dd row[4];
        memcpy(row, chain->m + 4 * i, sizeof row);
        for (int j = 0; j < 4; j++)
            chain->m[4 * i + j] =
                row_times(row, m[j], m[4 + j], m[8 + j], j == 3 ? row[3] : bvpi_dd_of(0));
    }
}

void bvpi_chain_translate(bvpi_chain *chain, const double origin[3])
{
    for (int i = 0; i < 3; i++) {
        const bvpi_dd *row = chain->m + 4 * i;
        chain->m[4 * i + 3] = row_times(row, origin[0], origin[1], origin[2], row[3]);
    }
}

bvp_status bvpi_chain_round(const bvpi_chain *chain, double out[12])
{
    bool finite = true;
    for (int i = 0; i < 12; i++) {
        out[i] = bvpi_dd_round(chain->m[i]);
        finite = finite && isfinite(out[i]);
    }
    return finite ? BVP_OK : BVP_ERR_ARGUMENT;
}

bvp_status bvpi_compose(const double *a, const double *b, double out[12])
{
    bvpi_chain chain;
    if (is_identity(a) || is_identity(b)) {
        const double *other = is_identity(a) ? b : a;
        memcpy(out, other ? other : IDENTITY, sizeof IDENTITY);
        return BVP_OK;
    }
    bvpi_chain_init(&chain, a);
    bvpi_chain_mul(&chain, b);
    return bvpi_chain_round(&chain, out);
}
