/* SPDX-License-Identifier: MIT
 * inside.c: is a point inside a part? Rays from the point count crossings with their signs.
 *
 * For a closed surface the number of exits minus entries along any ray is the winding number, and
 * rays here are exact (tri_ray.h). Only rays that graze an edge or a face are discarded, because
 * such a crossing may be counted twice.
 * - Closed, every edge in exactly two triangles: one ray decides, if parity and signed sum agree.
 * - Closed, but faces may be inconsistent: three rays of the same opinion decide.
 * - Open: no single ray decides, since it may leave through an opening. Nine fixed directions vote.
 *   Half of them or more uncrossed: outside. All of them crossed: inside. Otherwise unsure.
 *
 * The vote estimates which share of all directions the part covers, as a generalised winding number
 * does, at the price of nine rays instead of a sum over all triangles.
 *
 * Slow twin: winding numbers, tests/support/clash_brute.c.
 * Spec: exactness.md, chapter 12, "Enclosed"
 * Related: Jacobson, Kavan, Sorkine-Hornung, Robust inside-outside segmentation using generalized
 * winding numbers, 2013.
 */
#include "clash/judge.h"

#include <assert.h>
#include <math.h>

#include "node/cluster_record.h"
#include "query/ray/ray_query.h"

/* No edge or face of a usual model runs along one of these. They are spread so that a circle on the
 * sphere around any five of them covers a third of it. */
enum { DIRECTIONS = BVPI_CLASH_DIRECTIONS, ENOUGH = 3 };
const double bvpi_clash_directions[BVPI_CLASH_DIRECTIONS][3] = {
    {0.1381, 0.2713, 0.9525},  {-0.8117, 0.5639, 0.1523}, {0.3049, -0.9437, 0.1283},
    {-0.2297, -0.3671, 0.901}, {0.7793, 0.2153, -0.5885}, {-0.4129, 0.1879, -0.8912},
    {0.5501, 0.8011, 0.2357},  {-0.6421, -0.7129, 0.282}, {0.1733, -0.4441, -0.879},
};

#define GRAZING_COSINE 1e-6
#define GRAZING_BORDER 1e-9 /* barycentric */

static int count_hit(void *user, const bvp_ray_hit *hit)
{
    bvpi_tally *t = user;
    const double cosine = hit->normal[0] * t->direction[0] + hit->normal[1] * t->direction[1] +
                          hit->normal[2] * t->direction[2];
    const double border = fmin(fmin(hit->u, hit->v), 1 - hit->u - hit->v);
    t->grazes = !(fabs(cosine) > GRAZING_COSINE) || !(border > GRAZING_BORDER);
    t->sum += cosine > 0 ? 1 : -1;
    t->count++;
    return t->grazes;
}

bvp_status bvpi_clash_cast_ray(const bvpi_clash_item *item, const double point[3], int which,
                               bvpi_tally *out)
{
    bvp_ray ray = {.t_max = INFINITY};
    assert(which >= 0 && which < BVPI_CLASH_DIRECTIONS);
    *out = (bvpi_tally){.direction = bvpi_clash_directions[which]};
    for (int i = 0; i < 3; i++) {
        ray.origin[i] = point[i];
        ray.direction[i] = bvpi_clash_directions[which][i];
    }
    return bvpi_ray_part_hits(&item->part, item->file->isa, &ray, item->meter, count_hit, out);
}

/* See the top of the file for the three cases. */
bvp_status bvpi_clash_where(const bvpi_clash_item *item, const double point[3], bvpi_where *out)
{
    unsigned votes[2] = {0, 0};
    *out = BVPI_UNSURE;
    for (int k = 0; k < DIRECTIONS; k++) {
        bvpi_tally t;
        const bvp_status status = bvpi_clash_cast_ray(item, point, k, &t);
        if (status != BVP_OK)
            return status;
        if (t.grazes)
            continue;
        const bool is_in = t.sum != 0;
        votes[is_in] += item->is_sound && is_in == (t.count % 2 != 0) ? ENOUGH : 1;
        if (item->is_open && votes[0] > DIRECTIONS / 2)
            break;
        if (!item->is_open && votes[is_in] >= ENOUGH) {
            *out = is_in ? BVPI_INSIDE : BVPI_OUTSIDE;
            return BVP_OK;
        }
    }
    if (!item->is_open || votes[0] + votes[1] == 0)
        return BVP_OK;
    /* an open part's rays: [0] left it freely, [1] crossed it */
    if (votes[1] <= votes[0])
        *out = BVPI_OUTSIDE;
    else if (votes[0] == 0)
        *out = BVPI_INSIDE;
    return BVP_OK;
}

bvp_status bvpi_clash_nearest(const bvpi_clash_item *item, const double point[3], double limit,
                              bvpi_closest_query *query)
{
    const bvp_status status = bvpi_closest_query_init(query, point, limit);
    query->meter = item->meter;
    if (status != BVP_OK)
        return status;
    return BVPI_ISA_CHOOSE(bvpi_closest_kernel, item->file->isa)->run_part(&item->part, query);
}

/* ---- points of a part ------------------------------------------------------------------------ */

/* In part coordinates, because the part's own box is tighter than the world box. */
bool bvpi_clash_is_in_box(const bvpi_placed_part *part, const double point[3], double slack)
{
    const double more = slack / part->at.placement.size_min * (1 + 0x1p-50);
    double local[3], err[3];
    bvpi_placement_point_to_part(&part->at.placement, point, local, err);
    for (int i = 0; i < 3; i++)
        if (local[i] + err[i] + more < (double)part->part.lo[i] ||
            local[i] - err[i] - more > (double)part->part.hi[i])
            return false;
    return true;
}

bool bvpi_clash_sample(const bvpi_clash_item *item, uint32_t which, double point[3],
                       bvp_hit_id *hit, bvp_status *status)
{
    const bvpi_part *part = &item->part.part;
    const uint32_t count =
        part->cluster_count < BVPI_CLASH_SAMPLES ? part->cluster_count : BVPI_CLASH_SAMPLES;
    bvpi_cluster cluster;
    float tri[9];
    if (which >= count)
        return false;
    if (!bvpi_cluster_at(part, (uint32_t)((uint64_t)which * part->cluster_count / count),
                         &cluster)) {
        *status = BVP_ERR_CORRUPT;
        return false;
    }
    bvpi_cluster_triangle(&cluster, 0, tri);
    bvpi_clash_place_corner(item, tri, point);
    bvpi_hit_id_of(&item->part, &cluster.head, 0, hit);
    return true;
}
