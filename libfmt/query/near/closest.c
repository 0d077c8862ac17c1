/* SPDX-License-Identifier: MIT
 * closest.c: the point in a hierarchy's grid, and which candidate is kept as the nearest.
 *
 * The answer is unique: least distance, then least instance, then least triangle.
 */
#include "query/near/closest.h"

#include "node/turn.h"

#include <assert.h>
#include <math.h>
#include <string.h>

bvp_status bvpi_closest_query_init(bvpi_closest_query *query, const double point[3],
                                   double max_distance)
{
    memset(&query->best, 0, sizeof query->best);
    memset(&query->stats, 0, sizeof query->stats);
    for (int a = 0; a < 3; a++) {
        if (!isfinite(point[a]))
            return BVP_ERR_ARGUMENT;
        query->point[a] = point[a];
    }
    query->instead = NULL;
    query->meter = NULL;
    query->leaves = NULL;
    query->most = query->limit = max_distance;
    query->bound = INFINITY;
    return max_distance >= 0 ? BVP_OK : BVP_ERR_ARGUMENT;
}

void bvpi_closest_grid(bvpi_grid_point *out, const bvpi_placed_tree *at, const double given[3],
                       double err)
{
    const bvpi_tree *tree = &at->tree;
    double part[3];
    err = bvpi_turned_point(tree, given, err, part);
    assert(tree->grid_unit > 0); /* a power of two: so the quotient is exact but for underflow */
    double steps[3], largest = 0;
    for (int a = 0; a < 3; a++) {
        steps[a] = (part[a] - tree->grid_origin[a]) / tree->grid_unit;
        largest = bvpi_larger(largest, fabs(steps[a]));
    }
    const double error = (err + at->slack) / tree->grid_unit + largest * 0x1p-52;
    bvpi_grid_point_init(out, steps, error, tree->grid_extent,
                         tree->grid_unit * at->placement.size_min * (1 - 0x1p-50));
}

static bool is_nearer(const bvp_closest_result *a, const bvp_closest_result *b)
{
    if (a->distance != b->distance)
        return a->distance < b->distance;
    if (a->id.instance != b->id.instance)
        return a->id.instance < b->id.instance;
    return a->id.triangle < b->id.triangle;
}

/* The true distance is in lo .. hi. If that interval contains max_distance, the triangle counts. */
bool bvpi_closest_query_candidate(bvpi_closest_query *query, const bvpi_placed_part *part,
                                  const bvpd_cluster *cluster, uint32_t local,
                                  const bvpi_point_tri *nearest)
{
    bvp_closest_result c = {.found = 1, .distance = bvpi_smaller(nearest->hi, query->most)};
    if (!(nearest->lo <= query->most) || !(nearest->hi < INFINITY) || c.distance > query->limit)
        return false; /* also what is not a number, in a damaged file */
    c.id.instance = part->instance;
    c.id.triangle = (uint64_t)cluster->first_triangle + local;
    if (query->best.found && !is_nearer(&c, &query->best))
        return false;
    memcpy(c.point, nearest->point, sizeof c.point);
    query->best = c;
    query->limit = c.distance;
    return true;
}
