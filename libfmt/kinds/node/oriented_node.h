/* SPDX-License-Identifier: MIT
 * oriented_node.h: the 13 bytes in which oriented boxes and swept rectangles are stored: a
 * rotation, a centre and three sizes relative to the parent's reach.
 * Spec: format.md, chapter "Oriented volumes".
 */
#ifndef BVPI_KINDS_NODE_ORIENTED_NODE_H
#define BVPI_KINDS_NODE_ORIENTED_NODE_H

#include "node/binary_node.h"

#include <math.h>

/* Payload: u32 rotation, then i16 centre[3], then u8 size[3].
 * rotation: a unit quaternion (w, x, y, z) without its largest component, which is positive and
 * whose number is bits 30-31; the others, in order, are fields of 10 bits f, lowest first, worth
 * (f - 512) / (511 sqrt 2).
 * centre: the parent's plus (i16 / 16384) times its reach, along the part's axes.
 * size: code 0: 0; else (16 + (code & 15)) * 2^-(4 + (code >> 4)) times the parent's reach. */
enum { BVPI_ORIENTED_PAYLOAD = 13 };
#define BVPI_ROTATION_STEP (0.70710678118654752440 / 511)

/* Rule ORI-4, in units of the grid box' reach: no size is larger, no centre farther from the grid's
 * on any axis. Then no point of a volume is farther than BVPI_ORIENTED_SPREAD of them: along an
 * axis an obb reaches sqrt(3) times its largest size at most, an rss 1 + sqrt(2) times. */
enum { BVPI_ORIENTED_LARGEST = 2, BVPI_ORIENTED_SPREAD = 7 };
static_assert(BVPI_ORIENTED_SPREAD * 1000 >= BVPI_ORIENTED_LARGEST * (1000 + 2415), "spec: ORI-4");

typedef struct bvpi_oriented {
    double centre[3];
    double axis[9]; /* rows: unit vectors, the volume's axes in part coordinates */
    double size[3]; /* box: half extents; swept rectangle: half its sides, and the radius */
    double reach;   /* sum of the sizes: no point of the volume is farther from the centre */
} bvpi_oriented;

static inline void bvpi_rotation_axes(uint32_t rotation, double axis[9])
{
    double q[4], sum = 0;
    const unsigned largest = rotation >> 30;
    for (unsigned k = 0, field = 0; k < 4; k++) {
        if (k == largest)
            continue;
        q[k] = ((int)(rotation >> (10 * field++) & 1023) - 512) * BVPI_ROTATION_STEP;
        sum += q[k] * q[k];
    }
    q[largest] = sqrt(sum < 1 ? 1 - sum : 0);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    axis[0] = 1 - 2 * (y * y + z * z);
    axis[1] = 2 * (x * y + w * z);
    axis[2] = 2 * (x * z - w * y);
    axis[3] = 2 * (x * y - w * z);
    axis[4] = 1 - 2 * (x * x + z * z);
    axis[5] = 2 * (y * z + w * x);
    axis[6] = 2 * (x * z + w * y);
    axis[7] = 2 * (y * z - w * x);
    axis[8] = 1 - 2 * (x * x + y * y);
}

static inline double bvpi_size_of_code(uint8_t code)
{
    static const double scale[16] = {0x1p-4,  0x1p-5,  0x1p-6,  0x1p-7,  0x1p-8,  0x1p-9,
                                     0x1p-10, 0x1p-11, 0x1p-12, 0x1p-13, 0x1p-14, 0x1p-15,
                                     0x1p-16, 0x1p-17, 0x1p-18, 0x1p-19};
    return code == 0 ? 0 : (16 + (code & 15)) * scale[code >> 4];
}

/* What the root's payload is relative to: the grid box. */
static inline void bvpi_oriented_frame(const bvpi_binary *tree, bvpi_oriented *out)
{
    *out = (bvpi_oriented){.axis = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int axis = 0; axis < 3; axis++) {
        out->size[axis] = 0.5 * tree->grid_unit * tree->grid_extent[axis];
        out->centre[axis] = tree->grid_origin[axis] + out->size[axis];
        out->reach += out->size[axis];
    }
}

/* The largest |coordinate| of a point of any volume on each axis of the part; also of the grid
 * box'. 2^-40: for roundings, here and of the axes. */
static inline void bvpi_oriented_bound(const bvpi_binary *tree, double bound[3])
{
    bvpi_oriented whole;
    bvpi_oriented_frame(tree, &whole);
    for (int axis = 0; axis < 3; axis++)
        bound[axis] =
            (fabs(whole.centre[axis]) + BVPI_ORIENTED_SPREAD * whole.reach) * (1 + 0x1p-40);
}

/* How far a triangle may seem to stand out of a volume that holds it, for the rounding of doubles.
 * Builders round sizes up so that every computed inequality holds without it; readers add it to the
 * sizes once more. */
static inline double bvpi_oriented_slack(const bvpi_binary *tree)
{
    double largest = 0, reach = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double extent = tree->grid_unit * tree->grid_extent[axis];
        largest = fmax(largest, fabs(tree->grid_origin[axis]) + extent);
        reach += extent;
    }
    return 0x1p-45 * (largest + reach);
}

/* The parts of a node's volume. */
static inline void bvpi_oriented_centre(const bvpi_oriented *parent, const uint8_t *payload,
                                        double centre[3])
{
    for (int axis = 0; axis < 3; axis++) {
        const int16_t offset = (int16_t)bvpi_peek_u16(payload + 4 + 2 * axis);
        centre[axis] = parent->centre[axis] + offset * 0x1p-14 * parent->reach;
    }
}

static inline void bvpi_oriented_sizes(const bvpi_oriented *parent, const uint8_t *payload,
                                       bvpi_oriented *out)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        out->size[axis] = bvpi_size_of_code(bvpi_load_u8(payload + 10 + axis)) * parent->reach;
        sum += out->size[axis];
    }
    out->reach = sum;
}

/* The node's volume. */
static inline void bvpi_oriented_volume(const bvpi_oriented *parent, const uint8_t *payload,
                                        bvpi_oriented *out)
{
    bvpi_rotation_axes(bvpi_peek_u32(payload), out->axis);
    bvpi_oriented_centre(parent, payload, out->centre);
    bvpi_oriented_sizes(parent, payload, out);
}

/* A point's coordinates in the volume's frame. The rules of the format are about these numbers, as
 * computed here. */
static inline void bvpi_oriented_local(const bvpi_oriented *volume, const double point[3],
                                       double out[3])
{
    const double x = point[0] - volume->centre[0];
    const double y = point[1] - volume->centre[1];
    const double z = point[2] - volume->centre[2];
    for (int i = 0; i < 3; i++) {
        const double *axis = volume->axis + 3 * i;
        out[i] = axis[0] * x + axis[1] * y + axis[2] * z;
    }
}

/* The distance of a point, in the volume's frame, to its rectangle. */
static inline double bvpi_swept_distance(const bvpi_oriented *volume, const double local[3])
{
    double x = fabs(local[0]) - volume->size[0], y = fabs(local[1]) - volume->size[1];
    x = x > 0 ? x : 0;
    y = y > 0 ? y : 0;
    return sqrt(x * x + y * y + local[2] * local[2]);
}

/* Is the corner of a triangle in the volume? */
static inline bool bvpi_oriented_holds(const bvpi_oriented *volume, bool rss, const double point[3])
{
    double local[3];
    bvpi_oriented_local(volume, point, local);
    if (rss)
        return bvpi_swept_distance(volume, local) <= volume->size[2];
    return fabs(local[0]) <= volume->size[0] && fabs(local[1]) <= volume->size[1] &&
           fabs(local[2]) <= volume->size[2];
}

#endif
