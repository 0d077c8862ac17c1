/* SPDX-License-Identifier: MIT
 * touch_gap.c: the default touch gap: the distance below which surfaces cannot be told apart.
 *
 * Eight steps of a float over the extent, or of a double at the largest coordinate, whichever is
 * more, but at least twice the tessellation tolerance.
 * Spec: exactness.md, chapter "Clash verdicts"
 * Measured: decisions.md, "Instances far away"
 */
#include "bvpack_clash.h"

#include <float.h>
#include <math.h>

#include "format/record.h"
#include "format/source.h"

/* Relative distance of neighbouring floats, and doubles, at most. */
#define FLOAT_STEP  0x1p-23
#define DOUBLE_STEP 0x1p-52
enum { STEPS = 8 };

/* has_tolerance: that of the tessellation counts. */
static double gap_of(const bvp_file *file, bool has_tolerance)
{
    bvp_file_info info;
    bvpi_tree tree;
    double extent = 0, largest = 0;
    bvpi_call call = bvpi_call_begin(file, NULL);
    bvp_get_info(file, &info);
    /* The world's bounds. If there are instances far away, the bounds of the first hierarchy alone:
     * otherwise the far ones would make the gap so large that all neighbours touch. */
    const bool is_one =
        info.instance_hierarchy_count < 2 || bvpi_get_top_tree(file, 0, &tree) != BVP_OK;
    for (int i = 0; i < 3 && info.instance_count > 0; i++) {
        const double lo = is_one ? info.lo[i] : tree.grid_origin[i];
        const double hi =
            is_one ? info.hi[i] : tree.grid_origin[i] + tree.grid_unit * tree.grid_extent[i];
        extent = fmax(extent, hi - lo);
        largest = fmax(largest, fmax(fabs(lo), fabs(hi)));
    }
    if (bvpi_call_end(&call, BVP_OK) != BVP_OK)
        return NAN;
    return fmax(STEPS * fmax(extent * FLOAT_STEP, largest * DOUBLE_STEP),
                has_tolerance ? 2 * info.tessellation_tolerance : 0);
}

static double largest_gap(const bvp_file *a, const bvp_file *b, bool has_tolerance)
{
    const double of_a = a ? gap_of(a, has_tolerance) : 0;
    const double of_b = b ? gap_of(b, has_tolerance) : 0;
    return isnan(of_a) || isnan(of_b) ? NAN : fmax(of_a, of_b);
}

double bvp_clash_touch_gap(const bvp_file *a, const bvp_file *b)
{
    return largest_gap(a, b, true);
}

double bvp_clash_coordinate_gap(const bvp_file *a, const bvp_file *b)
{
    return largest_gap(a, b, false);
}
