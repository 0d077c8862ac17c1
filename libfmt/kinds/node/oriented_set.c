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

/* How far a ball of this radius reaches along the rectangle at a height over it. */
static double cap(double radius, double height)
{
    const double left_sq = radius * radius - height * height;
    return left_sq > 0 ? sqrt(left_sq) : 0;
}

void bvpi_swept_side(const double local[3], double z, double radius, bvpi_range *rectangle)
{
    const double reach = cap(radius, local[2] - z);
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
        bvpi_swept_side(local, z, radius, rectangle);
    }
}

void bvpi_swept_close(bvpi_range *rectangle)
{
    for (int k = 0; k < 2; k++)
        if (rectangle->lo[k] > rectangle->hi[k])
            rectangle->lo[k] = rectangle->hi[k] = (rectangle->lo[k] + rectangle->hi[k]) / 2;
}

/* How far `at` is beyond the nearer side of the rectangle along an axis, and which side that is. */
static double beyond(bvpi_range *rectangle, int axis, double at, double **side, double *direction)
{
    const bool over = at > rectangle->hi[axis];
    *side = over ? &rectangle->hi[axis] : &rectangle->lo[axis];
    *direction = over ? 1 : -1;
    return (at - **side) * *direction;
}

void bvpi_swept_corner(const double local[3], double z, double radius, bvpi_range *rectangle)
{
    double *side[2], direction[2];
    const double dx = beyond(rectangle, 0, local[0], &side[0], &direction[0]);
    const double dy = beyond(rectangle, 1, local[1], &side[1], &direction[1]);
    const double dz = local[2] - z;
    if (dx <= 0 || dy <= 0)
        return;
    /* well inside the ball at the corner: what follows would move nothing */
    if (dx * dx + dy * dy + dz * dz < (1 - 0x1p-40) * (radius * radius))
        return;
    /* From the corner, moved by m along both axes, the point is sqrt(2) ((dx + dy) / 2 - m)
     * away along the diagonal and sqrt(off_sq) off it. */
    const double across = (dx - dy) / 2;
    const double off_sq = 2 * across * across + dz * dz;
    const double move = (dx + dy) / 2 - cap(radius, sqrt(off_sq)) * sqrt(0.5);
    for (int k = 0; k < 2 && move > 0; k++)
        *side[k] += move * direction[k];
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
