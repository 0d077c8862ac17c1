/* SPDX-License-Identifier: MIT
 * tri8.h: eight triangles of a cluster that is open already, decoded axis by axis.
 * Spec: format.md, CLU. The plain version is node/cluster.h.
 */
#ifndef BVPI_NODE_TRI8_H
#define BVPI_NODE_TRI8_H

#include "node/wide.h"

/* Coordinates on one axis of the vertices that three times eight corners name. */
BVPI_INLINE void bvpi_tri8_axis(const bvpi_cluster *cluster, int axis, const u32x8 local[3],
                                f32x8 out[3])
{
    const unsigned width = cluster->width[axis], mode = cluster->head.packing[axis] >> 6;
    const uint8_t *stream = cluster->stream[axis];
    const uint32_t base = cluster->head.base[axis];
    u32x8 field[3];
    BVPI_UNROLL
    for (int k = 0; k < 3; k++)
        field[k] = bvpi_stream_fields(stream, width, local[k]);
    if (mode == BVPD_ORDERED) {
        BVPI_UNROLL
        for (int k = 0; k < 3; k++) {
            /* the complement of the rank: as it is for negative numbers, else less the sign */
            const i32x8 rank = (i32x8)(~base - field[k]);
            out[k] = (f32x8)(rank ^ (~(rank >> 31) & 0x7fffffff));
        }
    } else if (mode == BVPD_RAW) {
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            out[k] = (f32x8)field[k];
    } else {
        const double step = bvpi_cluster_step(cluster->head.scale[axis]);
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            out[k] = bvpi_stream_floats(field[k], mode, base, step);
    }
}

/* Triangles first .. first + 7. Of those that the cluster does not have any numbers may come out,
 * from the blob or the 8192 bytes behind it. */
BVPI_INLINE void bvpi_tri8_decode(const bvpi_cluster *cluster, unsigned first, bvpi_tri8 *out)
{
    const u32x8 each = {0, 3, 6, 9, 12, 15, 18, 21};
    const u32x8 corners = bvpi_load_lanes_u32(cluster->corners + 3 * first, each);
    const u32x8 local[3] = {corners & 0xff, corners >> 8 & 0xff, corners >> 16 & 0xff};
    BVPI_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        f32x8 c[3];
        bvpi_tri8_axis(cluster, axis, local, c);
        for (int k = 0; k < 3; k++)
            out->c[3 * k + axis] = c[k];
    }
}

/* Corners of one of eight triangles. */
BVPI_INLINE void bvpi_tri8_lane(const bvpi_tri8 *tri, unsigned lane, float out[9])
{
    for (int k = 0; k < 9; k++)
        out[k] = tri->c[k][lane];
}

#endif
