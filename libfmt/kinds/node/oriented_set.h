/* SPDX-License-Identifier: MIT
 * oriented_set.h: what of a volume's frame a set of corners takes up, and the codes of sizes; for
 * what fits volumes and what refits them.
 * Spec: format.md, chapter "Oriented volumes".
 */
#ifndef BVPI_KINDS_NODE_ORIENTED_SET_H
#define BVPI_KINDS_NODE_ORIENTED_SET_H

#include "kinds/node/oriented_node.h"

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

enum { BVPI_SIZE_RANKS = 256 /* size codes in order of the sizes they stand for */ };

uint8_t bvpi_size_code_of_rank(int rank);
/* The first rank whose size is not below `size`; the last one if none is. */
int bvpi_size_rank(double size, double reach);
/* The least code whose size is not below `size`. */
uint8_t bvpi_size_code_over(double size, double reach);

/* Writes the centre that is `middle` away from frame's, along its axes. frame->centre: the
 * parent's. */
void bvpi_centre_encode(const bvpi_oriented *frame, const double middle[3], double reach,
                        uint8_t payload[BVPI_ORIENTED_PAYLOAD]);

/* ---- swept rectangles ------------------------------------------------------------------------ */

/* The rectangle, at height z over the frame's centre, around which balls of `radius` hold a set:
 * first the sides, then the corners. Both are called for each part of the set, the first one from
 * an empty range on; in between the sides are closed. Along the third axis the range is not
 * used. */
void bvpi_swept_sides(const bvpi_oriented *volume, const bvpi_corners *set, double z, double radius,
                      bvpi_range *rectangle);
void bvpi_swept_close(bvpi_range *rectangle);
void bvpi_swept_corners(const bvpi_oriented *volume, const bvpi_corners *set, double z,
                        double radius, bvpi_range *rectangle);

#endif
