/* SPDX-License-Identifier: MIT
 * oriented_set.c: ranges of corners in a volume's frame, codes, and how far a swept rectangle may
 * shrink.
 * Spec: format.md, chapter "Oriented volumes"; exactness.md, chapter 10
 * Based on: Larsen, Gottschalk, Lin, Manocha, Fast distance queries with rectangular swept sphere
 * volumes, 2000.
 */
#include "kinds/node/oriented_set.h"

#include <assert.h>

enum {
    ZERO_RANK = 240, /* where code 0 would stand, which means 0 */
    CENTRE_MAX = 32767
};

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

uint8_t bvpi_size_code_of_rank(int rank)
{
    assert(rank >= 0 && rank < BVPI_SIZE_RANKS);
    if (rank == ZERO_RANK)
        rank++;
    return (uint8_t)((15 - rank / 16) * 16 + rank % 16);
}

static bool is_reached(int rank, double size, double reach)
{
    return bvpi_size_of_code(bvpi_size_code_of_rank(rank)) * reach >= size;
}

/* The rank's size is (16 + rank % 16) * 2^(rank / 16 - 19): a share of the reach, 1.m * 2^e, is
 * near rank 16 (e + 15) + the first four bits of m. What is left are roundings, and that two ranks
 * have one size. */
int bvpi_size_rank(double size, double reach)
{
    const double share = size / reach;
    int rank = BVPI_SIZE_RANKS - 1;
    if (share < 0x1p-15)
        rank = 0;
    else if (share < 2) {
        uint64_t bits;
        memcpy(&bits, &share, sizeof bits);
        rank = (int)(bits >> 48) - 16 * (1023 - 15);
    }
    while (rank > 0 && is_reached(rank - 1, size, reach))
        rank--;
    while (rank < BVPI_SIZE_RANKS - 1 && !is_reached(rank, size, reach))
        rank++;
    return rank;
}

uint8_t bvpi_size_code_over(double size, double reach)
{
    return size > 0 ? bvpi_size_code_of_rank(bvpi_size_rank(size, reach)) : 0;
}

void bvpi_centre_encode(const bvpi_oriented *frame, const double middle[3], double reach,
                        uint8_t payload[BVPI_ORIENTED_PAYLOAD])
{
    for (int k = 0; k < 3; k++) {
        const double offset = frame->axis[k] * middle[0] + frame->axis[3 + k] * middle[1] +
                              frame->axis[6 + k] * middle[2];
        double steps = reach > 0 ? offset / reach * 0x1p14 + 0.5 : 0;
        steps = steps > -CENTRE_MAX ? steps : -CENTRE_MAX;
        steps = steps < CENTRE_MAX ? steps : CENTRE_MAX;
        const int whole = (int)steps;
        const int16_t field = (int16_t)(whole - (whole > steps)); /* rounded down */
        memcpy(payload + 4 + 2 * k, &field, sizeof field);
    }
}

/* ---- swept rectangles ------------------------------------------------------------------------ */

/* How far a ball of this radius reaches along the rectangle at a height over it. */
static double cap(double radius, double height)
{
    return sqrt(fmax(radius * radius - height * height, 0));
}

/* So that balls at its ends, not at its corners, reach over the corners of the set. */
void bvpi_swept_sides(const bvpi_oriented *volume, const bvpi_corners *set, double z, double radius,
                      bvpi_range *rectangle)
{
    for (uint64_t i = 0; i < set->count; i++) {
        double corner[3], local[3];
        bvpi_corner_load(set, i, corner);
        bvpi_oriented_local(volume, corner, local);
        const double reach = cap(radius, local[2] - z);
        for (int k = 0; k < 2; k++) {
            const double lo = local[k] + reach, hi = local[k] - reach;
            rectangle->lo[k] = lo < rectangle->lo[k] ? lo : rectangle->lo[k];
            rectangle->hi[k] = hi > rectangle->hi[k] ? hi : rectangle->hi[k];
        }
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

/* Moves the rectangle's corners outward, along their diagonals, until balls there hold what lies
 * beyond them. */
void bvpi_swept_corners(const bvpi_oriented *volume, const bvpi_corners *set, double z,
                        double radius, bvpi_range *rectangle)
{
    for (uint64_t i = 0; i < set->count; i++) {
        double corner[3], local[3], *side[2], direction[2];
        bvpi_corner_load(set, i, corner);
        bvpi_oriented_local(volume, corner, local);
        const double dx = beyond(rectangle, 0, local[0], &side[0], &direction[0]);
        const double dy = beyond(rectangle, 1, local[1], &side[1], &direction[1]);
        const double dz = local[2] - z;
        if (dx <= 0 || dy <= 0)
            continue;
        /* From the corner, moved by m along both axes, the point is sqrt(2) ((dx + dy) / 2 - m)
         * away along the diagonal and sqrt(off_sq) off it. */
        const double across = (dx - dy) / 2;
        const double off_sq = 2 * across * across + dz * dz;
        const double move = (dx + dy) / 2 - cap(radius, sqrt(off_sq)) * sqrt(0.5);
        for (int k = 0; k < 2 && move > 0; k++)
            *side[k] += move * direction[k];
    }
}
