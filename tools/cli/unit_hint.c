/* SPDX-License-Identifier: MIT
 * unit_hint.c: compares the sizes in a file, in metres, with those of things that people build.
 *
 * A whole may be of any size: a plant has kilometres. Of its instances half are rarely longer than
 * 12 m, what lorries carry; with a wrong unit they would be a thousand times as long.
 *
 * Held by tests/cli/test_units.sh.
 */
#include "cli/unit_hint.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "text/message.h"

#define LONG_INSTANCE 12.0  /* metres */
#define LONG_WHOLE    50.0  /* smaller ones may be one thing, and be right */
#define SHORT_WHOLE   0.002 /* the smallest watches are larger */

static double diagonal(const double size[3])
{
    return hypot(hypot(size[0], size[1]), size[2]);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The length of an instance, in units: its part's, along the longest of the placed axes at most. */
static double length_of(const bvp_file *file, uint32_t instance)
{
    bvp_instance_info at;
    bvp_part_identity part;
    double placed[3] = {0};
    if (bvp_get_instance(file, instance, &at) != BVP_OK ||
        bvp_get_part_identity(file, at.part, &part) != BVP_OK)
        return 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const double side = (double)part.hi[k] - (double)part.lo[k];
            const double along = at.placement[4 * i + k] * side;
            placed[k] += along * along;
        }
    for (int k = 0; k < 3; k++)
        placed[k] = sqrt(placed[k]);
    return diagonal(placed);
}

/* The median length of the instances, in units; 0: there are none. */
static double median_length(const bvp_file *file, uint32_t instance_count)
{
    enum { MOST = 1 << 16 };
    const uint32_t count = instance_count < MOST ? instance_count : MOST;
    double *lengths = calloc((size_t)count + 1, sizeof *lengths);
    if (!lengths || count == 0) {
        free(lengths);
        return 0;
    }
    for (uint32_t i = 0; i < count; i++)
        lengths[i] = length_of(file, (uint32_t)((uint64_t)i * instance_count / count));
    qsort(lengths, count, sizeof *lengths, by_value);
    const double median = lengths[count / 2];
    free(lengths);
    return median;
}

void unit_hint(const bvp_file *file, char text[UNIT_HINT_MAX])
{
    bvp_file_info info;
    text[0] = '\0';
    bvp_get_info(file, &info);
    const double unit = info.unit_in_metres;
    if (unit == 0 || info.triangle_count == 0)
        return;
    const double size[3] = {info.hi[0] - info.lo[0], info.hi[1] - info.lo[1],
                            info.hi[2] - info.lo[2]};
    const double whole = diagonal(size) * unit;
    char a[32];
    const char *name = unit_name(unit);
    if (whole > LONG_WHOLE) {
        const double median = median_length(file, info.instance_count) * unit;
        if (median > LONG_INSTANCE)
            snprintf(text, UNIT_HINT_MAX,
                     "half of its instances are longer than %.3g m: if that is wrong, the numbers "
                     "are not in %s%s; pack it with --unit",
                     median, name[0] ? name : shortest(unit, a), name[0] ? "" : " m");
    } else if (whole > 0 && whole < SHORT_WHOLE) {
        snprintf(text, UNIT_HINT_MAX,
                 "all of it is %.3g mm long: if that is wrong, the numbers are not in %s%s; pack "
                 "it with --unit",
                 whole * 1000, name[0] ? name : shortest(unit, a), name[0] ? "" : " m");
    }
}
