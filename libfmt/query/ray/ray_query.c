/* SPDX-License-Identifier: MIT
 * ray_query.c: rays before placement, and which hit is kept.
 *
 * A ray is taken into the part by the inverse placement, in double with error bounds; only boxes
 * use it. Triangles see the caller's ray (tri_ray.h).
 *
 * The first hit is unique: least t, then least instance, then least triangle. Its number in the
 * source and its normal are looked up at the end (bvpi_ray_query_settle), because a best hit is
 * often replaced by a nearer one.
 *
 * Spec: exactness.md, chapter 10, "Boxes and rays"
 */
#include "query/ray/ray_query.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "node/turn.h"

/* ---- before placement ------------------------------------------------------------------------ */

/* Rounding, with u = 2^-53: one difference, three products and two sums, well below the 16 u added
 * here. */
void bvpi_local_ray_init(bvpi_local_ray *out, const bvpi_placement *placement, const bvp_ray *ray)
{
    const double *d = ray->direction;
    double o[3];
    out->origin[3] = out->direction[3] = out->origin_err[3] = out->direction_err[3] = 0;
    BVPI_UNROLL
    for (int b = 0; b < 3; b++)
        o[b] = ray->origin[b] - placement->m[4 * b + 3];
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const double *row = placement->inverse + 3 * a, *err = placement->inverse_err + 3 * a;
        double reach[3];
        BVPI_UNROLL
        for (int b = 0; b < 3; b++)
            reach[b] = err[b] + fabs(row[b]) * 0x1p-49;
        out->origin[a] = row[0] * o[0] + row[1] * o[1] + row[2] * o[2];
        out->direction[a] = row[0] * d[0] + row[1] * d[1] + row[2] * d[2];
        out->origin_err[a] = reach[0] * fabs(o[0]) + reach[1] * fabs(o[1]) + reach[2] * fabs(o[2]);
        out->direction_err[a] =
            reach[0] * fabs(d[0]) + reach[1] * fabs(d[1]) + reach[2] * fabs(d[2]);
    }
}

void bvpi_local_ray_turn(bvpi_local_ray *ray, const bvpi_tree *tree)
{
    const bvpi_local_ray old = *ray;
    const double *o = old.origin_err, *d = old.direction_err;
    assert(tree->is_turned);
    const double o_err = bvpi_turned_point(tree, old.origin,
                                           bvpi_larger(o[0], bvpi_larger(o[1], o[2])), ray->origin);
    const double d_err = bvpi_turned_point(
        tree, old.direction, bvpi_larger(d[0], bvpi_larger(d[1], d[2])), ray->direction);
    for (int a = 0; a < 3; a++) {
        ray->origin_err[a] = o_err;
        ray->direction_err[a] = d_err;
    }
}

/* ---- hits ------------------------------------------------------------------------------------ */

/* Normal of the placed triangle by the order of its corners, of any length; zero when it has
 * none. */
static void normal_of(const bvpi_placement *placement, const float tri[9], double out[3])
{
    double e[2][3], w[2][3];
    for (int i = 0; i < 2; i++) {
        for (int a = 0; a < 3; a++)
            e[i][a] = (double)tri[3 * (i + 1) + a] - (double)tri[a];
        for (int a = 0; a < 3; a++) {
            const double *row = placement->m + 4 * a;
            w[i][a] = placement->is_identity
                          ? e[i][a]
                          : row[0] * e[i][0] + row[1] * e[i][1] + row[2] * e[i][2];
        }
    }
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        out[a] = w[0][b] * w[1][c] - w[0][c] * w[1][b];
    }
}

/* Divides by the largest component first, but only where squares might over- or underflow. */
static void normalise(double v[3])
{
    double sum = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (!(sum > 0x1p-900 && sum < 0x1p900)) {
        const double largest = bvpi_larger(fabs(v[0]), bvpi_larger(fabs(v[1]), fabs(v[2])));
        if (!(largest > 0))
            return;
        for (int a = 0; a < 3; a++)
            v[a] /= largest;
        sum = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    }
    const double length = sqrt(sum);
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

static void fill_in(const bvpi_ray_whose *whose, bvp_ray_hit *hit)
{
    bvpi_hit_id_of(whose->part, &whose->cluster, whose->local, &hit->id);
    normal_of(&whose->part->at.placement, whose->tri, hit->normal);
    normalise(hit->normal);
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
    if (part->part.ids) {
        /* Prefetches the triangle's source number, which is rarely in the cache: the record's
         * header, and the place of the number if numbers take 12 bits. */
        const uint8_t *record = part->part.ids + 4 * (uint64_t)cluster->id_off;
        __builtin_prefetch(record);
        __builtin_prefetch(record + sizeof(bvpd_ids) + local * 3 / 2);
    }
    query->best.part = part;
    query->best.cluster = *cluster;
    query->best.local = local;
    memcpy(query->best.tri, tri, sizeof query->best.tri);
    if (query->mode == BVPI_RAY_ALL) {
        fill_in(&query->best, &h);
        query->best.part = NULL;
        query->stopped = query->each && query->each(query->user, &h) != 0;
        return;
    }
    query->hit = h;
    query->t_max = h.t;
}

void bvpi_ray_query_settle(bvpi_ray_query *query)
{
    assert(query->hit.found && query->best.part != NULL);
    fill_in(&query->best, &query->hit);
    query->best.part = NULL;
}

void bvpi_ray_query_answer(const bvpi_ray_query *query, bvp_ray_hit *out)
{
    if (query->hit.found)
        *out = query->hit;
    else
        *out = (bvp_ray_hit){.found = 0};
}

bvp_status bvpi_ray_part_hits(const bvpi_placed_part *part, bvpi_isa isa, const bvp_ray *ray,
                              bvpi_meter *meter, bvp_ray_hit_fn each, void *user)
{
    bvpi_ray_query query;
    const bvp_status status = bvpi_ray_query_init(&query, ray, BVPI_RAY_ALL);
    if (status != BVP_OK)
        return status;
    query.each = each;
    query.user = user;
    query.meter = meter;
    return BVPI_ISA_CHOOSE(bvpi_ray_kernel, isa)->run_part(part, &query);
}
