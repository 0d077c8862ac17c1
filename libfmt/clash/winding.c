/* SPDX-License-Identifier: MIT
 * winding.c: the winding number of a part with narrow cracks around a point.
 *
 * With walls across its cracks (seams.h) the part is closed, so a ray from a point off the part and
 * its walls leaves it as many times more than it enters as the winding number says. The walls are
 * near the open edges. A ray that passes every open edge at twice the walls' reach crosses no wall,
 * so its crossings with the part are all there are, and one such ray that grazes nothing is enough.
 *
 * The walls themselves are never built. A point within reach of the surface may be in a wall, and a
 * part wider than `crack` is not treated as closed: both are UNSURE.
 *
 * Slow twin: solids with cracks and T-junctions at random placements,
 * tests/property/test_clash_cracks.c.
 * Spec: exactness.md, chapter 12, "Cracks"
 * Measured: decisions.md, "Duplicates by surface, and cracks"
 */
#include "clash/judge.h"

#include <assert.h>
#include <math.h>

/* How near the line through a point passes an open edge, except for rounding. */
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
    for (int i = 0; i < 3; i++) { /* projected perpendicular to the line */
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

bvp_status bvpi_clash_winding(const bvpi_clash_item *item, const double point[3], double slack,
                              double crack, bvpi_where *out)
{
    const bvp_control *control = item->meter != NULL ? item->meter->control : NULL;
    const bvpi_seams *seams;
    bvpi_closest_query query;
    *out = BVPI_UNSURE;
    bvp_status status = bvpi_seams_get(item->seams, item->part.part_idx, control, &seams);
    if (status != BVP_OK)
        return status;
    const double width = seams->width * item->part.at.placement.size_max * (1 + 0x1p-40);
    if (!isfinite(width) || !(width <= crack))
        return BVP_OK;
    assert(slack >= 0 && item->slack >= 0);
    const double reach = width + 16 * (item->slack + slack);
    status = bvpi_clash_nearest(item, point, reach, &query);
    if (status != BVP_OK || query.best.found) /* the point may be inside a wall */
        return status;
    for (int k = 0; k < BVPI_CLASH_DIRECTIONS && status == BVP_OK; k++) {
        const double *direction = bvpi_clash_directions[k];
        bvpi_tally tally;
        bool passes = false; /* an open edge, at less than twice the walls' reach */
        for (uint32_t i = 0; i < seams->count && !passes; i++) {
            if (!bvpi_meter_step(item->meter))
                return BVP_ERR_CANCELLED;
            /* twice, because of rounding; not a number counts as passing */
            passes = !(passes_at(item, &seams->at[i], point, direction) > 2 * reach);
        }
        if (passes)
            continue;
        status = bvpi_clash_cast_ray(item, point, k, &tally);
        if (status == BVP_OK && !tally.grazes) {
            *out = tally.sum != 0 ? BVPI_INSIDE : BVPI_OUTSIDE;
            break;
        }
    }
    return status;
}
