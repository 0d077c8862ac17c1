/* SPDX-License-Identifier: MIT
 * inside.c: where a point is, by counting what rays from it cross, with signs.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#include "clash/judge.h"

#include <math.h>

#include "node/cluster_record.h"
#include "query/ray/ray_query.h"

/* Directions that no edge or face of a drawing runs along, spread so that a circle on the sphere
 * around five of them holds a third of it. */
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
    *out = (bvpi_tally){.direction = bvpi_clash_directions[which]};
    for (int i = 0; i < 3; i++) {
        ray.origin[i] = point[i];
        ray.direction[i] = bvpi_clash_directions[which][i];
    }
    return bvpi_ray_part_hits(&item->part, item->file->isa, &ray, item->meter, count_hit, out);
}

/* What nine rays say of an open surface: outside, when half of them or more leave freely, which
 * five that do decide; inside, when none does. */
static bvpi_where vote(const unsigned votes[2])
{
    if (votes[1] <= votes[0])
        return BVPI_OUTSIDE;
    return votes[0] == 0 ? BVPI_INSIDE : BVPI_UNSURE;
}

/* Of a closed surface whose faces all look outward one good ray tells: the count's parity and the
 * signs agree. Else three of one opinion are needed. */
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
    if (item->is_open && votes[0] + votes[1] > 0)
        *out = vote(votes);
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

/* Before placement: the box is the part's own, not the world's. */
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
