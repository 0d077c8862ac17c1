/* SPDX-License-Identifier: MIT
 * ray.c: rays as hierarchies see them, and what a hit is worth.
 * Spec: exactness.md, chapter "Boxes and rays"
 */
#include "query/ray.h"

#include <math.h>
#include <string.h>

static bool are_finite(const double *v, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

bvp_status bvpi_ray_query_init(bvpi_ray_query *query, const bvp_ray *ray, bvpi_ray_mode mode)
{
    const double *d = ray->direction;
    query->mode = mode;
    query->ray = *ray;
    query->t_max = ray->t_max;
    query->each = NULL;
    query->leaves = NULL;
    query->count = 0;
    query->stopped = 0;
    query->hit = (bvp_ray_hit){.found = 0};
    query->stats = (bvp_stats){.nodes = 0};
    if (!are_finite(ray->origin, 3) || !are_finite(d, 3) || isnan(ray->t_min) || isnan(ray->t_max))
        return BVP_ERR_ARGUMENT;
    return d[0] != 0 || d[1] != 0 || d[2] != 0 ? BVP_OK : BVP_ERR_ARGUMENT;
}

/* ---- before placement ---------------------------------------------------------------------------
 */

static inline double largest_of(const double v[3])
{
    return bvpi_larger(fabs(v[0]), bvpi_larger(fabs(v[1]), fabs(v[2])));
}

/* An inverse and how far each entry may be off. */
typedef struct inverse {
    double m[9], err[9];
} inverse;

/* Rounding: of the difference to the origin, three products, two sums; u = 2^-53. */
static void apply_inverse(const inverse *inv, const double m[12], const bvp_ray *ray,
                          bvpi_local_ray *out)
{
    const double *d = ray->direction;
    double o[3];
    for (int b = 0; b < 3; b++)
        o[b] = ray->origin[b] - m[4 * b + 3];
    for (int a = 0; a < 3; a++) {
        const double *row = inv->m + 3 * a, *err = inv->err + 3 * a;
        double reach[3];
        for (int b = 0; b < 3; b++)
            reach[b] = err[b] + fabs(row[b]) * 0x1p-49;
        out->origin[a] = row[0] * o[0] + row[1] * o[1] + row[2] * o[2];
        out->direction[a] = row[0] * d[0] + row[1] * d[1] + row[2] * d[2];
        out->origin_err[a] = reach[0] * fabs(o[0]) + reach[1] * fabs(o[1]) + reach[2] * fabs(o[2]);
        out->direction_err[a] =
            reach[0] * fabs(d[0]) + reach[1] * fabs(d[1]) + reach[2] * fabs(d[2]);
    }
}

static void keep(const bvp_ray *ray, bvpi_local_ray *out)
{
    memcpy(out->origin, ray->origin, sizeof ray->origin);
    memcpy(out->direction, ray->direction, sizeof ray->direction);
}

void bvpi_local_ray_init(bvpi_local_ray *out, const bvpi_place *place, const bvp_ray *ray)
{
    inverse inv;
    *out = (bvpi_local_ray){.origin = {0}};
    if (place->is_identity) {
        keep(ray, out);
        return;
    }
    for (int i = 0; i < 9; i++) {
        inv.m[i] = place->inverse[i].hi;
        inv.err[i] = place->inverse_err[i] + fabs(inv.m[i]) * 0x1p-52;
    }
    apply_inverse(&inv, place->m, ray, out);
}

/* No product of two of these entries over- or underflows. */
static bool is_moderate(const double m[12])
{
    for (int i = 0; i < 12; i++) {
        const double size = fabs(m[i]);
        if (i % 4 != 3 && size != 0 && !(size > 0x1p-200 && size < 0x1p200))
            return false;
    }
    return true;
}

/* Cofactors over the determinant. With p the cofactor with all signs positive and u = 2^-53, a
 * cofactor is off by 3 u p, the determinant by 8 u times itself with all signs positive. */
static bool invert(const double m[12], inverse *out)
{
    double cofactor[9], positive[9], det = 0, det_positive = 0;
    for (int i = 0; i < 9; i++) {
        const int r1 = (i / 3 + 1) % 3, r2 = (i / 3 + 2) % 3, c1 = (i + 1) % 3, c2 = (i + 2) % 3;
        const double plus = m[4 * r1 + c1] * m[4 * r2 + c2];
        const double minus = m[4 * r1 + c2] * m[4 * r2 + c1];
        cofactor[i] = plus - minus;
        positive[i] = fabs(plus) + fabs(minus);
    }
    for (int i = 0; i < 3; i++) {
        det += m[i] * cofactor[i];
        det_positive += fabs(m[i]) * positive[i];
    }
    const double error = det_positive * 0x1p-50 / fabs(det);
    if (!(error < 0x1p-20))
        return false;
    for (int i = 0; i < 9; i++) {
        const int to = 3 * (i % 3) + i / 3;
        out->m[to] = cofactor[i] / det;
        out->err[to] =
            (positive[i] * 0x1p-51 + fabs(cofactor[i]) * (error * 1.01 + 0x1p-51)) / fabs(det);
    }
    return true;
}

bool bvpi_local_ray_rough(bvpi_local_ray *out, const double m[12], const bvp_ray *ray)
{
    inverse inv;
    *out = (bvpi_local_ray){.origin = {0}};
    if (!is_moderate(m) || !invert(m, &inv))
        return false;
    apply_inverse(&inv, m, ray, out);
    return true;
}

/* ---- hits ------------------------------------------------------------------------------------ */

/* Normal of the placed triangle by the order of its corners, of any length; zero when it has
 * none. */
static void normal_of(const bvpi_place *place, const float tri[9], double out[3])
{
    double e[2][3], w[2][3];
    for (int i = 0; i < 2; i++) {
        for (int a = 0; a < 3; a++)
            e[i][a] = (double)tri[3 * (i + 1) + a] - (double)tri[a];
        for (int a = 0; a < 3; a++) {
            const double *row = place->m + 4 * a;
            w[i][a] = place->is_identity ? e[i][a]
                                         : row[0] * e[i][0] + row[1] * e[i][1] + row[2] * e[i][2];
        }
    }
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        out[a] = w[0][b] * w[1][c] - w[0][c] * w[1][b];
    }
}

static void normalise(double v[3])
{
    const double largest = largest_of(v);
    if (!(largest > 0))
        return;
    for (int a = 0; a < 3; a++)
        v[a] /= largest;
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int a = 0; a < 3; a++)
        v[a] /= length;
}

static bool is_before(const bvp_ray_hit *a, const bvp_ray_hit *b)
{
    if (a->t != b->t)
        return a->t < b->t;
    if (a->id.instance != b->id.instance)
        return a->id.instance < b->id.instance;
    return a->id.triangle < b->id.triangle;
}

void bvpi_ray_query_hit(bvpi_ray_query *query, const bvpi_placed_part *part,
                        const bvpd_cluster *cluster, uint32_t local, const float tri[9],
                        const bvpi_tri_ray_hit *hit)
{
    bvp_ray_hit h = {.found = 1, .t = hit->t, .u = hit->u, .v = hit->v};
    query->count++;
    if (query->mode == BVPI_RAY_ANY) {
        query->hit.found = 1;
        return;
    }
    h.id.instance = part->instance;
    h.id.triangle = (uint64_t)cluster->first_triangle + local;
    if (query->mode == BVPI_RAY_FIRST && query->hit.found && !is_before(&h, &query->hit))
        return;
    bvpi_hit_id_of(part, cluster, local, &h.id);
    normal_of(&part->at.place, tri, h.normal);
    if (query->mode == BVPI_RAY_ALL) {
        normalise(h.normal);
        query->stopped = query->each && query->each(query->user, &h) != 0;
        return;
    }
    query->hit = h;
    query->t_max = h.t;
}

void bvpi_ray_query_finish(bvpi_ray_query *query)
{
    if (query->mode == BVPI_RAY_FIRST && query->hit.found)
        normalise(query->hit.normal);
}
