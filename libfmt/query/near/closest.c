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
    query->kept = NULL;
    query->error = 0;
    query->most = query->limit = max_distance;
    query->bound = INFINITY;
    return max_distance >= 0 ? BVP_OK : BVP_ERR_ARGUMENT;
}

void bvpi_near_kept_init(bvpi_near_kept *kept)
{
    memset(kept->key, 0xff, sizeof kept->key);
    for (int i = 0; i < 4; i++)
        kept->answers[i][0] = kept->answers[i][1] = kept->answers[i][2] = INFINITY;
    kept->error = 0;
    kept->next = 0;
}

/* The nearest of the answers; the last term is what is lost where squares underflow. */
void bvpi_near_kept_bound(const bvpi_near_kept *kept, bvpi_closest_query *query)
{
    double least = INFINITY;
    for (int i = 0; i < 4; i++) {
        const double x = kept->answers[i][0] - query->point[0];
        const double y = kept->answers[i][1] - query->point[1];
        const double z = kept->answers[i][2] - query->point[2];
        least = bvpi_smaller(least, x * x + y * y + z * z);
    }
    query->bound = sqrt(least) * (1 + 0x1p-50) + kept->error + 0x1p-500;
}

/* The rounding of its coordinates counts, too. */
void bvpi_near_kept_answer(bvpi_near_kept *kept, const bvpi_closest_query *query)
{
    const double *point = query->best.point;
    if (!query->best.found)
        return;
    const double error =
        query->error + (fabs(point[0]) + fabs(point[1]) + fabs(point[2])) * 0x1p-52;
    memcpy(kept->answers[kept->next], point, sizeof kept->answers[0]);
    kept->error = bvpi_larger(kept->error, error);
    kept->next = (kept->next + 1) % 4;
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
                                  uint64_t triangle, const bvpi_point_tri *nearest)
{
    bvp_closest_result c = {.found = 1, .distance = bvpi_smaller(nearest->hi, query->most)};
    if (!(nearest->lo <= query->most) || !(nearest->hi < INFINITY) || c.distance > query->limit)
        return false; /* also what is not a number, in a damaged file */
    c.id.instance = part->instance;
    c.id.triangle = triangle;
    if (query->best.found && !is_nearer(&c, &query->best))
        return false;
    memcpy(c.point, nearest->point, sizeof c.point);
    query->best = c;
    query->limit = c.distance;
    return true;
}
