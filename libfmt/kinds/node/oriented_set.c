/* SPDX-License-Identifier: MIT
 * oriented_set.c: ranges of corners in a volume's frame, codes, and how far a swept rectangle may
 * shrink.
 * Spec: format.md, chapter "Oriented volumes"; exactness.md, chapter 10
 * Based on: Larsen, Gottschalk, Lin, Manocha, Fast distance queries with rectangular swept sphere
 * volumes, 2000.
 */
#include "kinds/node/oriented_set.h"

#include <assert.h>

void bvpi_range_add(bvpi_range *range, const bvpi_oriented *volume, const bvpi_corners *set)
{
    for (uint64_t i = 0; i < set->count; i++) {
        double corner[3], local[3];
        bvpi_corner_load(set, i, corner);
        bvpi_oriented_local(volume, corner, local);
        bvpi_range_extend(range, local);
    }
}

/* ---- codes ----------------------------------------------------------------------------------- */

void bvpi_centre_encode(const bvpi_oriented *frame, const double middle[3], double reach,
                        uint8_t payload[BVPI_ORIENTED_PAYLOAD])
{
    for (int k = 0; k < 3; k++) {
        const double offset = frame->axis[k] * middle[0] + frame->axis[3 + k] * middle[1] +
                              frame->axis[6 + k] * middle[2];
        double steps = reach > 0 ? offset / reach * 0x1p14 + 0.5 : 0;
        steps = steps > -BVPI_CENTRE_MAX ? steps : -BVPI_CENTRE_MAX;
        steps = steps < BVPI_CENTRE_MAX ? steps : BVPI_CENTRE_MAX;
        const int whole = (int)steps;
        const int16_t field = (int16_t)(whole - (whole > steps)); /* rounded down */
        memcpy(payload + 4 + 2 * k, &field, sizeof field);
    }
}

/* ---- swept rectangles ------------------------------------------------------------------------ */

/* One point in the frame. */
static void add_side(const double local[3], double z, double radius, bvpi_range *rectangle)
{
    const double reach = bvpi_swept_cap(radius, local[2] - z);
    for (int k = 0; k < 2; k++) {
        const double lo = local[k] + reach, hi = local[k] - reach;
        rectangle->lo[k] = lo < rectangle->lo[k] ? lo : rectangle->lo[k];
        rectangle->hi[k] = hi > rectangle->hi[k] ? hi : rectangle->hi[k];
    }
}

void bvpi_swept_sides(const bvpi_oriented *volume, const bvpi_corners *set, double z, double radius,
                      bvpi_range *rectangle)
{
    for (uint64_t i = 0; i < set->count; i++) {
        double corner[3], local[3];
        bvpi_corner_load(set, i, corner);
        bvpi_oriented_local(volume, corner, local);
        add_side(local, z, radius, rectangle);
    }
}

void bvpi_swept_corners(const bvpi_oriented *volume, const bvpi_corners *set, double z,
                        double radius, bvpi_range *rectangle)
{
    for (uint64_t i = 0; i < set->count; i++) {
        double corner[3], local[3];
        bvpi_corner_load(set, i, corner);
        bvpi_oriented_local(volume, corner, local);
        bvpi_swept_corner(local, z, radius, rectangle);
    }
}
