/* SPDX-License-Identifier: MIT
 * cluster_record.h: a cluster record, decoded one number at a time: the plain version of what
 * node/wide_node.h does for eight triangles side by side. Reads never leave the blob and the 8192
 * bytes behind it.
 * Spec: format.md, chapter "Cluster records"
 */
#ifndef BVPI_NODE_CLUSTER_RECORD_H
#define BVPI_NODE_CLUSTER_RECORD_H

#include "base/checked.h"
#include "base/load.h"
#include "format/outside.h"
#include "format/record.h"

#include <stdbool.h>

/* A cluster record in the mapping. Its header was read once. Where triangles lie outside there are
 * no streams: vertex 3 i + k is corner k of local triangle i. */
typedef struct bvpi_cluster {
    bvpd_cluster head;
    const bvpi_outside *outside;           /* or NULL */
    uint32_t vertex_count, triangle_count; /* 1 .. 256; vertices outside: up to 768 */
    const uint8_t *corners, *vertices;     /* streams */
    const uint8_t *table[3];               /* for an axis that has one; the next table follows */
    const uint8_t *end;                    /* end of the last table */
    /* Bits of a triangle's first corner, and of the differences. */
    unsigned first_width, delta_width;
    unsigned corners_width, vertex_width; /* bits of a triangle, and of a vertex */
    unsigned width[3]; /* bits of a coordinate; of a table's entry if there is a table */
    unsigned field_width[3], field_at[3]; /* bits of an axis in a vertex, and where they begin */
} bvpi_cluster;

enum { BVPI_LOCAL_VERTICES = 3 * BVPD_CLUSTER_TRIANGLES }; /* local vertex numbers are below */

/* The bits of a coordinate. Rules refuse 26 to 31 and values above 32; a decoder that meets them
 * nevertheless uses 25 or 32. */
static inline unsigned bvpi_cluster_width(uint8_t packing)
{
    static const uint8_t widths[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 25, 25, 25, 25, 25, 25, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32,
        32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32};
    return widths[packing & 63];
}

static inline uint32_t bvpi_packed_size(uint32_t count, unsigned width)
{
    return (count * width + 7) / 8;
}

/* The bits of an index below `count` (2 .. 255). */
static inline unsigned bvpi_table_width(uint8_t count)
{
    return 32u - (unsigned)__builtin_clz((count - 1u) | 1u);
}

/* Sets the widths of an axis whose coordinates begin at bit `at` of a vertex. Returns where they
 * end. */
static inline unsigned bvpi_cluster_axis(bvpi_cluster *c, int axis, unsigned at)
{
    const uint8_t count = c->head.table_count[axis];
    c->width[axis] = bvpi_cluster_width(c->head.packing[axis]);
    c->field_width[axis] = count > 0 ? bvpi_table_width(count) : c->width[axis];
    c->field_at[axis] = at;
    return at + c->field_width[axis];
}

/* Whatever a header says, its streams and tables, and the eight bytes of the last load, lie in the
 * bytes that follow DATA. */
static_assert(sizeof(bvpd_cluster) + 3 * BVPD_CLUSTER_TRIANGLES +
                      3 * sizeof(float) * BVPD_CLUSTER_VERTICES + 3 * sizeof(float) * UINT8_MAX +
                      sizeof(uint64_t) <=
                  BVPD_DATA_TAIL,
              "decoders read no farther");

/* Computes where everything is, from the header. `record`: the record's first byte. Without loops,
 * so that results a caller does not use cost nothing. */
static inline void bvpi_cluster_layout(const uint8_t *record, bvpi_cluster *c)
{
    c->vertex_count = c->head.vertex_count_minus_1 + 1u;
    c->triangle_count = c->head.triangle_count_minus_1 + 1u;
    c->first_width = (c->head.corner_bits & 7) + 1u;
    c->delta_width = (c->head.corner_bits >> 3 & 7) + 1u;
    c->corners_width = c->first_width + 2 * c->delta_width;
    c->vertex_width = bvpi_cluster_axis(c, 2, bvpi_cluster_axis(c, 1, bvpi_cluster_axis(c, 0, 0)));
    c->corners = record + sizeof c->head;
    c->vertices = c->corners + bvpi_packed_size(c->triangle_count, c->corners_width);
    c->table[0] = c->vertices + bvpi_packed_size(c->vertex_count, c->vertex_width);
    c->table[1] = c->table[0] + bvpi_packed_size(c->head.table_count[0], c->width[0]);
    c->table[2] = c->table[1] + bvpi_packed_size(c->head.table_count[1], c->width[1]);
    c->end = c->table[2] + bvpi_packed_size(c->head.table_count[2], c->width[2]);
}

/* The same where there are no streams. Whatever the header says of them is forgotten. */
static inline void bvpi_cluster_layout_outside(const uint8_t *record, bvpi_cluster *c)
{
    c->triangle_count = c->head.triangle_count_minus_1 + 1u;
    c->vertex_count = 3 * c->triangle_count;
    c->first_width = c->delta_width = c->corners_width = c->vertex_width = 0;
    c->corners = c->vertices = c->end = record + sizeof c->head;
    for (int axis = 0; axis < 3; axis++) {
        c->table[axis] = c->end;
        c->width[axis] = c->field_width[axis] = c->field_at[axis] = 0;
        c->head.packing[axis] = BVPD_OUTSIDE << 6;
        c->head.table_count[axis] = 0;
    }
}

/* Loads the header of the record at `offset` of a blob. False: it is not inside the blob. */
static inline bool bvpi_cluster_load(const uint8_t *blob, uint64_t blob_size, uint64_t offset,
                                     bvpd_cluster *out)
{
    if (!bvpi_fits(offset, sizeof *out, blob_size))
        return false;
    bvpi_load_record(out, blob + offset, sizeof *out);
    return true;
}

/* The same, and where everything is. outside: the part's. */
static inline bool bvpi_cluster_open(const uint8_t *blob, uint64_t blob_size,
                                     const bvpi_outside *outside, uint64_t offset,
                                     bvpi_cluster *out)
{
    if (!bvpi_cluster_load(blob, blob_size, offset, &out->head))
        return false;
    out->outside = outside;
    if (__builtin_expect(outside != NULL, 0))
        bvpi_cluster_layout_outside(blob + offset, out);
    else
        bvpi_cluster_layout(blob + offset, out);
    bvpi_want(blob + offset, (size_t)(out->end - (blob + offset)));
    return true;
}

/* The number within the part of the triangle that `reference` names: (record offset >>
 * cluster_shift) * 256 + local number. False: no record begins there. */
static inline bool bvpi_reference_triangle(const bvpi_part *part, uint32_t reference,
                                           uint64_t *triangle)
{
    bvpd_cluster head;
    const uint64_t offset = (uint64_t)(reference >> 8) << part->cluster_shift;
    if (!bvpi_cluster_load(part->blob, part->blob_size, offset, &head))
        return false;
    *triangle = (uint64_t)head.first_triangle + (reference & 255);
    return true;
}

/* Bytes from the record's start to its nodes; a multiple of 64. */
static inline uint32_t bvpi_cluster_nodes_off(const bvpi_cluster *cluster)
{
    const uint32_t end =
        (uint32_t)(cluster->end - cluster->corners) + (uint32_t)sizeof cluster->head;
    return (end + BVPD_UNIT - 1) & ~(uint32_t)(BVPD_UNIT - 1);
}

/* `width` bits (0 .. 32) of a stream from bit `bit` on, least significant bit first. */
static inline uint32_t bvpi_stream_bits(const uint8_t *stream, uint32_t bit, unsigned width)
{
    uint64_t word;
    memcpy(&word, stream + bit / 8, sizeof word);
    return (uint32_t)(word >> (bit % 8) & ((UINT64_C(1) << width) - 1));
}

/* The step of mode GRID: codes 0 .. 15: 10^-code; 64 .. 191: 2^(code - 128). Other codes are
 * invalid. */
static inline double bvpi_cluster_step(uint8_t code)
{
    static const double decimal[16] = {1e0,  1e-1, 1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,
                                       1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15};
    if (code < 16)
        return decimal[code];
    if (code < 64 || code >= 192)
        return 1;
    const uint64_t bits = (uint64_t)(1023 - 128 + code) << 52; /* an exponent without fraction */
    double step;
    memcpy(&step, &bits, sizeof step);
    return step;
}

static inline float bvpi_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* What is stored for local vertex `vertex` (0 .. 255) on an axis: a coordinate's code, or an index
 * into the axis' table. */
static inline uint32_t bvpi_cluster_field(const bvpi_cluster *cluster, int axis, uint32_t vertex)
{
    return bvpi_stream_bits(cluster->vertices,
                            vertex * cluster->vertex_width + cluster->field_at[axis],
                            cluster->field_width[axis]);
}

/* The coordinate of local vertex `vertex` (0 .. 255; outside: < vertex_count) on an axis. */
static inline float bvpi_cluster_coordinate(const bvpi_cluster *cluster, int axis, uint32_t vertex)
{
    if (cluster->outside) {
        float corners[9];
        bvpi_outside_local(cluster->outside, &cluster->head, vertex / 3, corners);
        return corners[3 * (vertex % 3) + (uint32_t)axis];
    }
    uint32_t field = bvpi_cluster_field(cluster, axis, vertex);
    if (cluster->head.table_count[axis] > 0)
        field = bvpi_stream_bits(cluster->table[axis], field * cluster->width[axis],
                                 cluster->width[axis]);
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

/* The local vertex number (0 .. 255; outside: < vertex_count) of a corner (0 .. 2) of local
 * triangle `triangle`. */
static inline uint32_t bvpi_cluster_corner(const bvpi_cluster *cluster, uint32_t triangle,
                                           uint32_t corner)
{
    if (cluster->outside)
        return 3 * triangle + corner;
    const uint32_t bit = triangle * cluster->corners_width;
    const uint32_t first = bvpi_stream_bits(cluster->corners, bit, cluster->first_width);
    if (corner == 0)
        return first;
    const uint32_t at = bit + cluster->first_width + (corner - 1) * cluster->delta_width;
    const uint32_t delta = bvpi_stream_bits(cluster->corners, at, cluster->delta_width);
    return (first + delta + cluster->head.corner_base) & 255;
}

/* The same for all three corners, with one load; not outside. */
static inline void bvpi_cluster_corners(const bvpi_cluster *cluster, uint32_t triangle,
                                        uint32_t out[3])
{
    const unsigned first_width = cluster->first_width, delta_width = cluster->delta_width;
    const uint32_t fields = bvpi_stream_bits(cluster->corners, triangle * cluster->corners_width,
                                             cluster->corners_width); /* at most 24 bits */
    const uint32_t mask = (1u << delta_width) - 1, base = cluster->head.corner_base;
    out[0] = fields & ((1u << first_width) - 1);
    out[1] = (out[0] + (fields >> first_width & mask) + base) & 255;
    out[2] = (out[0] + (fields >> (first_width + delta_width) & mask) + base) & 255;
}

/* Prefetches vertices and tables of the triangles from `triangle` on. */
static inline void bvpi_cluster_prefetch(const bvpi_cluster *cluster, uint32_t triangle)
{
    if (cluster->outside)
        return;
    const uint32_t vertex = bvpi_cluster_corner(cluster, triangle, 0);
    __builtin_prefetch(cluster->vertices + vertex * cluster->vertex_width / 8);
    __builtin_prefetch(cluster->table[0]);
}

/* The three corners of a triangle: x0 y0 z0 x1 ... z2. */
static inline void bvpi_cluster_triangle(const bvpi_cluster *cluster, uint32_t triangle,
                                         float out[9])
{
    if (cluster->outside) {
        bvpi_outside_local(cluster->outside, &cluster->head, triangle, out);
        return;
    }
    for (uint32_t corner = 0; corner < 3; corner++) {
        const uint32_t vertex = bvpi_cluster_corner(cluster, triangle, corner);
        for (int axis = 0; axis < 3; axis++)
            out[3 * corner + axis] = bvpi_cluster_coordinate(cluster, axis, vertex);
    }
}

/* The offset of cluster `idx` (< cluster_count) in the part's blob, from its table. */
static inline uint64_t bvpi_cluster_off(const bvpi_part *part, uint32_t idx)
{
    const uint8_t *entry = part->blob + part->cluster_table_off + (uint64_t)idx * 4;
    return (uint64_t)bvpi_load_u32(entry) << part->cluster_shift;
}

/* Opens record `idx` of the table. */
static inline bool bvpi_cluster_at(const bvpi_part *part, uint32_t idx, bvpi_cluster *out)
{
    return bvpi_cluster_open(part->blob, part->blob_size, part->outside,
                             bvpi_cluster_off(part, idx), out);
}

/* The part, and how many of `*capacity` triangles from `first` on it has. BVP_ERR_ARGUMENT: `first`
 * is beyond the end. */
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
