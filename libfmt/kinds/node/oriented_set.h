/* SPDX-License-Identifier: MIT
 * oriented_set.h: what of a volume's frame a set of corners takes up, and the codes of sizes; for
 * what fits volumes and what refits them.
 * Spec: format.md, chapter "Oriented volumes".
 */
#ifndef BVPI_KINDS_NODE_ORIENTED_SET_H
#define BVPI_KINDS_NODE_ORIENTED_SET_H

#include "kinds/node/oriented_node.h"

#include <assert.h>
#include <math.h>

/* lo .. hi along each of some axes, relative to a point. */
typedef struct bvpi_range {
    double lo[3], hi[3];
} bvpi_range;

/* Corners of triangles: count * 3 floats. */
typedef struct bvpi_corners {
    const float *xyz;
    uint64_t count;
} bvpi_corners;

static inline bvpi_range bvpi_range_empty(void)
{
    const double most = (double)INFINITY;
    return (bvpi_range){{most, most, most}, {-most, -most, -most}};
}

static inline void bvpi_range_extend(bvpi_range *range, const double local[3])
{
    for (int k = 0; k < 3; k++) {
        range->lo[k] = local[k] < range->lo[k] ? local[k] : range->lo[k];
        range->hi[k] = local[k] > range->hi[k] ? local[k] : range->hi[k];
    }
}

static inline void bvpi_corner_load(const bvpi_corners *set, uint64_t idx, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (double)set->xyz[3 * idx + (unsigned)k];
}

/* Adds corners, in the frame of `volume`, whose sizes are not used. */
void bvpi_range_add(bvpi_range *range, const bvpi_oriented *volume, const bvpi_corners *set);

/* The middle of a range, and half of its lengths. */
static inline void bvpi_range_middle(const bvpi_range *range, double middle[3], double half[3])
{
    for (int k = 0; k < 3; k++) {
        middle[k] = (range->lo[k] + range->hi[k]) / 2;
        half[k] = (range->hi[k] - range->lo[k]) / 2;
    }
}

/* An eighth of the surface of an oriented box, or of the box around a swept rectangle along its
 * axes. */
static inline double bvpi_oriented_surface(const bvpi_oriented *volume, bool rss)
{
    const double ball = rss ? volume->size[2] : 0;
    const double x = volume->size[0] + ball, y = volume->size[1] + ball, z = volume->size[2];
    return x * y + y * z + z * x;
}

/* ---- codes ----------------------------------------------------------------------------------- */

/* Size codes in order of the sizes they stand for. A rank's size, as a share of the reach, is
 * (16 + rank % 16) * 2^(rank / 16 - 19): its number is the first bits of that double. */
enum {
    BVPI_SIZE_RANKS = 256,
    BVPI_RANK_SHIFT = 48,                         /* a double's bits below its rank */
    BVPI_RANK_OF_ONE = 240,                       /* its code would be 0, which means 0 */
    BVPI_RANK_BIAS = 1023 * 16 - BVPI_RANK_OF_ONE /* 1023: the exponent field of 1 */
};

static inline uint8_t bvpi_size_code_of_rank(int rank)
{
    assert(rank >= 0 && rank < BVPI_SIZE_RANKS);
    rank += rank == BVPI_RANK_OF_ONE;
    return (uint8_t)((15 - rank / 16) * 16 + rank % 16);
}

/* Is the size of a rank not below `size`? */
static inline bool bvpi_rank_reaches(int rank, double size, double reach)
{
    const int own = rank + (rank == BVPI_RANK_OF_ONE);
    const uint64_t bits = (uint64_t)(own + BVPI_RANK_BIAS) << BVPI_RANK_SHIFT;
    double share;
    memcpy(&share, &bits, sizeof share);
    return share * reach >= size;
}

/* The first rank whose size is not below `size`; the last one if none is. A share of the reach lies
 * between the size of the rank that its own first bits are and that of the next one. What is left
 * are roundings, and that two ranks have one size. */
static inline int bvpi_size_rank(double size, double reach)
{
    const double share = size / reach;
    int rank = BVPI_SIZE_RANKS - 1;
    if (share < 0x1p-15)
        rank = 0;
    else if (share < 2) {
        uint64_t bits;
        memcpy(&bits, &share, sizeof bits);
        rank = (int)(bits >> BVPI_RANK_SHIFT) - BVPI_RANK_BIAS;
        rank += rank < BVPI_SIZE_RANKS - 1;
    }
    while (rank > 0 && bvpi_rank_reaches(rank - 1, size, reach))
        rank--;
    while (rank < BVPI_SIZE_RANKS - 1 && !bvpi_rank_reaches(rank, size, reach))
        rank++;
    return rank;
}

/* The least code whose size is not below `size`. */
static inline uint8_t bvpi_size_code_over(double size, double reach)
{
    return size > 0 ? bvpi_size_code_of_rank(bvpi_size_rank(size, reach)) : 0;
}

enum { BVPI_CENTRE_MAX = 32767 };

/* Writes the centre that is `middle` away from frame's, along its axes. frame->centre: the
 * parent's. */
void bvpi_centre_encode(const bvpi_oriented *frame, const double middle[3], double reach,
                        uint8_t payload[BVPI_ORIENTED_PAYLOAD]);

/* ---- swept rectangles ------------------------------------------------------------------------ */

/* The rectangle, at height z over the frame's centre, around which balls of `radius` hold a set:
 * first the sides, so that balls at its ends, not at its corners, reach over the set; then the
 * corners, moved outward along their diagonals until balls there hold what lies beyond them. Both
 * are called for each part of the set, the first one from an empty range on; in between the sides
 * are closed. Along the third axis the range is not used. */
void bvpi_swept_sides(const bvpi_oriented *volume, const bvpi_corners *set, double z, double radius,
                      bvpi_range *rectangle);
void bvpi_swept_corners(const bvpi_oriented *volume, const bvpi_corners *set, double z,
                        double radius, bvpi_range *rectangle);
/* How far a ball of this radius reaches along the rectangle at a height over it. */
static inline double bvpi_swept_cap(double radius, double height)
{
    const double left_sq = radius * radius - height * height;
    return left_sq > 0 ? sqrt(left_sq) : 0;
}

/* Between sides and corners. */
static inline void bvpi_swept_close(bvpi_range *rectangle)
{
    for (int k = 0; k < 2; k++)
        if (rectangle->lo[k] > rectangle->hi[k])
            rectangle->lo[k] = rectangle->hi[k] = (rectangle->lo[k] + rectangle->hi[k]) / 2;
}

/* A point moves no corner if its squared distance from there is below this share of the squared
 * radius. */
#define BVPI_SWEPT_INSIDE (1 - 0x1p-40)

/* How far `at` is beyond the nearer side of the rectangle along an axis, and which side that is. */
static inline double bvpi_swept_beyond(bvpi_range *rectangle, int axis, double at, double **side,
                                       double *direction)
{
    const bool over = at > rectangle->hi[axis];
    *side = over ? &rectangle->hi[axis] : &rectangle->lo[axis];
    *direction = over ? 1 : -1;
    return (at - **side) * *direction;
}

/* Moves the corner that one point in the frame lies beyond. */
static inline void bvpi_swept_corner(const double local[3], double z, double radius,
                                     bvpi_range *rectangle)
{
    double *side[2], direction[2];
    const double dx = bvpi_swept_beyond(rectangle, 0, local[0], &side[0], &direction[0]);
    const double dy = bvpi_swept_beyond(rectangle, 1, local[1], &side[1], &direction[1]);
    const double dz = local[2] - z;
    if (dx <= 0 || dy <= 0)
        return;
    /* well inside the ball at the corner: what follows would move nothing */
    if (dx * dx + dy * dy + dz * dz < BVPI_SWEPT_INSIDE * (radius * radius))
        return;
    /* From the corner, moved by m along both axes, the point is sqrt(2) ((dx + dy) / 2 - m)
     * away along the diagonal and sqrt(off_sq) off it. */
    const double across = (dx - dy) / 2;
    const double off_sq = 2 * across * across + dz * dz;
    const double move = (dx + dy) / 2 - bvpi_swept_cap(radius, sqrt(off_sq)) * sqrt(0.5);
    for (int k = 0; k < 2 && move > 0; k++)
        *side[k] += move * direction[k];
}

#endif
