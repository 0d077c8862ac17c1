/* SPDX-License-Identifier: MIT
 * cluster.h: a cluster record, decoded number by number: the plain version of what node/wide.h does
 * with eight triangles side by side. Nothing here leaves the blob and the 8192 bytes behind it.
 * Spec: format.md, chapter "Cluster records".
 */
#ifndef BVPI_NODE_CLUSTER_H
#define BVPI_NODE_CLUSTER_H

#include "base/checked.h"
#include "base/load.h"
#include "format/map.h"

#include <stdbool.h>

/* A cluster record in the mapping, its header read once. */
typedef struct bvpi_cluster {
    bvpd_cluster head;
    uint32_t vertex_count, triangle_count; /* 1 .. 256 */
    const uint8_t *corners;                /* three local vertex numbers a triangle */
    const uint8_t *stream[3];              /* packed coordinates of each axis */
    unsigned width[3];                     /* bits of one coordinate */
} bvpi_cluster;

/* Bits a coordinate takes. 26 to 31 and above 32 are refused by the rules; a decoder that is asked
 * for the coordinates all the same takes 25 or 32. */
static inline unsigned bvpi_cluster_width(uint8_t packing)
{
    const unsigned width = packing & 63;
    if (width >= 32)
        return 32;
    return width > 25 ? 25 : width;
}

static inline uint32_t bvpi_packed_size(uint32_t count, unsigned width)
{
    return (count * width + 7) / 8;
}

/* False when the record at `offset` of a blob does not begin in it. */
static inline bool bvpi_cluster_open(const uint8_t *blob, uint64_t blob_size, uint64_t offset,
                                     bvpi_cluster *out)
{
    if (!bvpi_fits(offset, sizeof out->head, blob_size))
        return false;
    bvpi_load_record(&out->head, blob + offset, sizeof out->head);
    out->vertex_count = out->head.vertex_count_minus_1 + 1u;
    out->triangle_count = out->head.triangle_count_minus_1 + 1u;
    out->corners = blob + offset + sizeof out->head;
    const uint8_t *next = out->corners + 3 * out->triangle_count;
    for (int axis = 0; axis < 3; axis++) {
        out->stream[axis] = next;
        out->width[axis] = bvpi_cluster_width(out->head.packing[axis]);
        next += bvpi_packed_size(out->vertex_count, out->width[axis]);
    }
    return true;
}

/* Number in the part of the triangle that `reference` names: a record's offset >> cluster_shift,
 * times 256, plus the local number. False: no record begins there. */
static inline bool bvpi_reference_triangle(const bvpi_part *part, uint32_t reference,
                                           uint64_t *triangle)
{
    bvpi_cluster cluster;
    const uint64_t offset = (uint64_t)(reference >> 8) << part->cluster_shift;
    if (!bvpi_cluster_open(part->blob, part->blob_size, offset, &cluster))
        return false;
    *triangle = (uint64_t)cluster.head.first_triangle + (reference & 255);
    return true;
}

/* Bytes from the record's start to its nodes, which begin at a multiple of 64. */
static inline uint32_t bvpi_cluster_nodes_off(const bvpi_cluster *cluster)
{
    const uint32_t packed = bvpi_packed_size(cluster->vertex_count, cluster->width[2]);
    const uint32_t end =
        (uint32_t)(cluster->stream[2] - cluster->corners) + packed + (uint32_t)sizeof cluster->head;
    return (end + BVPD_UNIT - 1) & ~(uint32_t)(BVPD_UNIT - 1);
}

/* Field `idx` (0 .. 255) of `width` bits, least significant bit first. */
static inline uint32_t bvpi_packed_field(const uint8_t *stream, unsigned width, uint32_t idx)
{
    const uint32_t bit = idx * width;
    uint64_t word;
    memcpy(&word, stream + bit / 8, sizeof word);
    return (uint32_t)(word >> (bit % 8) & ((UINT64_C(1) << width) - 1));
}

/* Step of mode GRID: codes 0..15: 10^-code; 64..191: 2^(code - 128); no other code is valid. */
static inline double bvpi_cluster_step(uint8_t code)
{
    static const double decimal[16] = {1e0,  1e-1, 1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,
                                       1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15};
    if (code < 16)
        return decimal[code];
    double step = 1;
    for (int exponent = code - 128; code >= 64 && code < 192 && exponent != 0;
         exponent += exponent < 0 ? 1 : -1)
        step *= exponent < 0 ? 0.5 : 2.0;
    return step;
}

static inline float bvpi_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Coordinate of local vertex `vertex` (0 .. 255) on an axis. */
static inline float bvpi_cluster_coordinate(const bvpi_cluster *cluster, int axis, uint32_t vertex)
{
    const uint32_t field = bvpi_packed_field(cluster->stream[axis], cluster->width[axis], vertex);
    const uint32_t value = cluster->head.base[axis] + field;
    switch (cluster->head.packing[axis] >> 6) {
    case BVPD_RAW:
        return bvpi_float_of_bits(field);
    case BVPD_ORDERED:
        return bvpi_float_of_bits(value >> 31 ? value & 0x7fffffff : ~value);
    default:
        return (float)((double)(int32_t)value * bvpi_cluster_step(cluster->head.scale[axis]));
    }
}

/* Local vertex number of a corner (0 .. 2) of local triangle `triangle` (< triangle_count). */
static inline uint32_t bvpi_cluster_corner(const bvpi_cluster *cluster, uint32_t triangle,
                                           uint32_t corner)
{
    return bvpi_load_u8(cluster->corners + 3 * triangle + corner);
}

/* Its three corners: x0 y0 z0 x1 ... z2. */
static inline void bvpi_cluster_triangle(const bvpi_cluster *cluster, uint32_t triangle,
                                         float out[9])
{
    for (uint32_t corner = 0; corner < 3; corner++) {
        const uint32_t vertex = bvpi_cluster_corner(cluster, triangle, corner);
        for (int axis = 0; axis < 3; axis++)
            out[3 * corner + axis] = bvpi_cluster_coordinate(cluster, axis, vertex);
    }
}

/* Offset of cluster `idx` (< cluster_count) in the part's blob, from its table. */
static inline uint64_t bvpi_cluster_off(const bvpi_part *part, uint32_t idx)
{
    const uint8_t *entry = part->blob + part->cluster_table_off + (uint64_t)idx * 4;
    return (uint64_t)bvpi_load_u32(entry) << part->cluster_shift;
}

/* Opens record `idx` of the table. */
static inline bool bvpi_cluster_at(const bvpi_part *part, uint32_t idx, bvpi_cluster *out)
{
    return bvpi_cluster_open(part->blob, part->blob_size, bvpi_cluster_off(part, idx), out);
}

/* The part, and of `*capacity` triangles from `first` on how many it has. BVP_ERR_ARGUMENT: `first`
 * lies beyond the end. */
static inline bvp_status bvpi_triangle_range(const bvp_file *file, uint32_t part_idx,
                                             uint64_t first, bvpi_part *part, uint64_t *capacity)
{
    const bvp_status status = bvpi_get_part(file, part_idx, part);
    if (status != BVP_OK)
        return status;
    if (first > part->triangle_count)
        return BVP_ERR_ARGUMENT;
    if (*capacity > part->triangle_count - first)
        *capacity = part->triangle_count - first;
    return BVP_OK;
}

#endif
