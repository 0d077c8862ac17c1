/* SPDX-License-Identifier: MIT
 * winding.c: how often a part with cracks goes around a point.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#include "clash/judge.h"

#include <math.h>

/* With walls over its cracks (seams.h) such a part is closed, and goes around a point off it a
 * whole number of times: as often as a ray from there leaves it more often than it enters it. The
 * walls are near the open edges, so that a ray that passes none of these crosses none of them, and
 * its crossings with the part are all there are. */

/* How near the line through a point passes an open edge: from below, but for rounding. */
static double passes_at(const bvpi_clash_item *item, const struct bvpi_seam *seam,
                        const double point[3], const double direction[3])
{
    const double size = sqrt(direction[0] * direction[0] + direction[1] * direction[1] +
                             direction[2] * direction[2]);
    double from[3], to[3], e[3], along[2] = {0, 0}, way = 0, length = 0, sum = 0;
    bvpi_clash_place_corner(item, seam->ends[0], from);
    bvpi_clash_place_corner(item, seam->ends[1], to);
    for (int i = 0; i < 3; i++) {
        from[i] -= point[i];
        to[i] -= point[i];
        along[0] += from[i] * direction[i] / size;
        along[1] += to[i] * direction[i] / size;
    }
    for (int i = 0; i < 3; i++) { /* across the line */
        from[i] -= along[0] * direction[i] / size;
        to[i] -= along[1] * direction[i] / size;
        e[i] = to[i] - from[i];
        way -= e[i] * from[i];
        length += e[i] * e[i];
    }
    const double t = way > 0 ? fmin(way / length, 1) : 0;
    for (int i = 0; i < 3; i++)
        sum += (from[i] + t * e[i]) * (from[i] + t * e[i]);
    return sqrt(sum);
}

/* Twice the walls' reach, and rounding. */
static bool passes_cracks(const bvpi_clash_item *item, const bvpi_seams *seams, double reach,
                          const double point[3], const double direction[3], bool *is_over)
{
    for (uint32_t i = 0; i < seams->count; i++) {
        *is_over = *is_over || !bvpi_meter_step(item->meter);
        if (*is_over || !(passes_at(item, &seams->at[i], point, direction) > 2 * reach))
            return true;
    }
    return false;
}

bvp_status bvpi_clash_winding(const bvpi_clash_item *item, const double point[3], double slack,
                              double crack, bvpi_where *out)
{
    const bvp_control *control = item->meter != NULL ? item->meter->control : NULL;
    const bvpi_seams *seams;
    bvpi_closest_query query;
    bool is_over = false;
    *out = BVPI_UNSURE;
    bvp_status status = bvpi_seams_get(item->seams, item->part.part_idx, control, &seams);
    if (status != BVP_OK)
        return status;
    const double width = seams->width * item->part.at.placement.size_max * (1 + 0x1p-40);
    if (!isfinite(width) || !(width <= crack))
        return BVP_OK;
    const double reach = width + 16 * (item->slack + slack);
    status = bvpi_clash_nearest(item, point, reach, &query);
    if (status != BVP_OK || query.best.found) /* it may be in a wall */
        return status;
    for (int k = 0; k < BVPI_CLASH_DIRECTIONS && status == BVP_OK; k++) {
        bvpi_tally tally;
        if (passes_cracks(item, seams, reach, point, bvpi_clash_directions[k], &is_over)) {
            status = is_over ? BVP_ERR_CANCELLED : BVP_OK;
            continue;
        }
        status = bvpi_clash_cast_ray(item, point, k, &tally);
        if (status == BVP_OK && !tally.grazes) {
            *out = tally.sum != 0 ? BVPI_INSIDE : BVPI_OUTSIDE;
            break;
        }
    }
    return status;
}
