/* SPDX-License-Identifier: MIT
 * touch_gap.c: from which distance on two surfaces cannot be told apart.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#include "bvpack_clash.h"

#include <float.h>
#include <math.h>

/* Distance from a number of this size to the next one that a float (double) can hold, at most. */
#define FLOAT_STEP  0x1p-23
#define DOUBLE_STEP 0x1p-52
enum { STEPS = 8 };

static double gap_of(const bvp_file *file)
{
    bvp_file_info info;
    double extent = 0, largest = 0;
    bvp_get_info(file, &info);
    for (int i = 0; i < 3 && info.instance_count > 0; i++) {
        extent = fmax(extent, info.hi[i] - info.lo[i]);
        largest = fmax(largest, fmax(fabs(info.lo[i]), fabs(info.hi[i])));
    }
    return fmax(STEPS * fmax(extent * FLOAT_STEP, largest * DOUBLE_STEP),
                2 * info.tessellation_tolerance);
}

double bvp_clash_touch_gap(const bvp_file *a, const bvp_file *b)
{
    const double gap = a ? gap_of(a) : 0;
    return b ? fmax(gap, gap_of(b)) : gap;
}
