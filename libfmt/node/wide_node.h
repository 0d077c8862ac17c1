/* SPDX-License-Identifier: MIT
 * wide_node.h: a 64-byte node as eight child boxes, and a leaf as eight triangles, decoded side by
 * side. Every reference that is returned from here was checked to be inside the blob, whatever the
 * bytes say. The plain versions are node/frame.h and node/cluster_record.h; tests/unit/test_wide.c
 * holds them equal.
 * Spec: format.md, chapters "Nodes" and "Cluster records"
 */
#ifndef BVPI_NODE_WIDE_NODE_H
#define BVPI_NODE_WIDE_NODE_H

#include <stdbool.h>

#include "base/checked.h"
#include "base/load.h"
#include "base/simd.h"
#include "format/layout.h"
#include "format/record.h"
#include "node/tri8.h"

/* ---- a node's references --------------------------------------------------------------------- */

/* A node whose meta bytes and references were read once and checked. `bounds` stays in the mapping,
 * where any value is harmless. */
typedef struct bvpi_wide {
    const uint8_t (*bounds)[16];
    uint64_t meta;   /* byte j: meta of lane j */
    uint64_t before; /* byte j: number of inner children (inner lane) or items (leaf lane) in the
                        lanes before j */
    uint32_t child, geom;
    unsigned used; /* bit j: lane j is not empty */
} bvpi_wide;

#define BVPI_BYTES(x) (UINT64_C(0x0101010101010101) * (x))

/* Byte j of the result: the sum of bytes 0 .. j - 1. */
static inline uint64_t bvpi_sum_before(uint64_t bytes)
{
    return (bytes * BVPI_BYTES(1)) << 8;
}

/* Reads unit `unit` (< unit_count, as the root and every checked child is). False: the node
 * violates a rule that keeps walks inside the blob, or makes them end. */
static inline bool bvpi_wide_load(const bvpi_tree *tree, uint32_t unit, bvpi_wide *out)
{
    const bvpd_node *node = (const bvpd_node *)(tree->units + (uint64_t)unit * BVPD_UNIT);
    uint64_t meta = bvpi_load_u64(node->meta);
    uint32_t child = bvpi_load_u32(&node->child);
    uint64_t inner = (meta >> 7) & BVPI_BYTES(1); /* byte j: 1 if lane j is an inner child */
    uint64_t counts = meta & BVPI_BYTES(0x7f);
    uint64_t inner_count = (inner * BVPI_BYTES(1)) >> 56;
    uint64_t over = (counts + BVPI_BYTES(0x7f - BVPD_LEAF_MAX)) & BVPI_BYTES(0x80);
    if (over != 0 || (counts & inner * 0x7f) != 0)
        return false;
    if (inner_count != 0 &&
        (child <= unit || inner_count > tree->unit_count || child > tree->unit_count - inner_count))
        return false;
    out->bounds = node->bounds;
    out->meta = meta;
    out->before = bvpi_sum_before(inner) & inner * 0xff;
    out->before |= bvpi_sum_before(counts) & ~(inner * 0xff);
    out->child = child;
    out->geom = bvpi_load_u32(&node->geom);
    uint64_t used = ((counts + BVPI_BYTES(0x7f)) & BVPI_BYTES(0x80)) >> 7 | inner;
    out->used = (unsigned)((used * UINT64_C(0x0102040810204080)) >> 56);
    return true;
}

static inline bool bvpi_wide_is_inner(const bvpi_wide *node, unsigned lane)
{
    return (node->meta >> (8 * lane) & BVPD_META_INNER) != 0;
}

/* Items in a leaf lane, 1 .. 8. */
static inline unsigned bvpi_wide_item_count(const bvpi_wide *node, unsigned lane)
{
    return (unsigned)(node->meta >> (8 * lane)) & 0xff;
}

/* The unit of an inner lane's node; checked. */
static inline uint32_t bvpi_wide_child(const bvpi_wide *node, unsigned lane)
{
    return node->child + ((uint32_t)(node->before >> (8 * lane)) & 0xff);
}

/* The first item of a leaf lane: in a part cluster << 8 | local triangle, in a top hierarchy an
 * instance. Not checked here: bvpi_wide_triangles and bvpi_get_instance do that. */
static inline uint32_t bvpi_wide_item(const bvpi_wide *node, unsigned lane)
{
    return node->geom + ((uint32_t)(node->before >> (8 * lane)) & 0xff);
}

/* ---- a node's boxes -------------------------------------------------------------------------- */

/* Eight boxes; those of empty lanes are arbitrary. */
typedef struct bvpi_boxes {
    f32x8 lo[3], hi[3];
} bvpi_boxes;

/* 1 << s of the spec, in the caller's unit of length: the frame's extent reduced to a power of two,
 * divided by 128, but at least `unit` (one grid step). */
BVPI_INLINE float bvpi_wide_step(float extent, float unit)
{
    int32_t bits, least;
    memcpy(&bits, &extent, sizeof bits);
    memcpy(&least, &unit, sizeof least);
    bits = (bits & 0x7f800000) - (7 << 23);
    bits = bits > least ? bits : least;
    memcpy(&extent, &bits, sizeof extent);
    return extent;
}

/* lo, hi: the node's frame, that is its own box, in units of 1 / `unit` grid steps, a power of two
 * for each axis. All numbers are below 2^22 grid steps, so nothing is rounded. */
BVPI_INLINE void bvpi_wide_boxes(const bvpi_wide *node, const float lo[3], const float hi[3],
                                 const float unit[3], bvpi_boxes *out)
{
    for (int a = 0; a < 3; a++) {
        f32x8 step = f32x8_splat(bvpi_wide_step(hi[a] - lo[a], unit[a]));
        f32x8 from = f32x8_splat(lo[a]);
        out->lo[a] = from + f32x8_from_u8(node->bounds[a]) * step;
        out->hi[a] = from + f32x8_from_u8(node->bounds[a] + 8) * step;
    }
}

/* The same as centres and half extents, for frame and result; these are multiples of half a
 * step. */
BVPI_INLINE void bvpi_wide_centred(const bvpi_wide *node, const float centre[3],
                                   const float half[3], const float unit[3], f32x8 out_centre[3],
                                   f32x8 out_half[3])
{
    for (int a = 0; a < 3; a++) {
        float step = bvpi_wide_step(2 * half[a], unit[a]) * 0.5f;
        f32x8 lo = f32x8_from_u8(node->bounds[a]);
        f32x8 hi = f32x8_from_u8(node->bounds[a] + 8);
        out_centre[a] = f32x8_splat(centre[a] - half[a]) + (lo + hi) * f32x8_splat(step);
        out_half[a] = (hi - lo) * f32x8_splat(step);
    }
}

/* The same for one lane, with the same bits. */
static inline void bvpi_wide_centred_lane(const bvpi_wide *node, unsigned lane,
                                          const float centre[3], const float half[3],
                                          const float unit[3], float out_centre[3],
                                          float out_half[3])
{
    for (int a = 0; a < 3; a++) {
        const float step = bvpi_wide_step(2 * half[a], unit[a]) * 0.5f;
        const int lo = node->bounds[a][lane], hi = node->bounds[a][8 + lane];
        out_centre[a] = (centre[a] - half[a]) + (float)(lo + hi) * step;
        out_half[a] = (float)(hi - lo) * step;
    }
}

/* ---- a cluster's triangles ------------------------------------------------------------------- */

/* Decodes `count` (1 .. 8) triangles from `item` (bvpi_wide_item) on; the remaining lanes repeat
 * the first one. False: the record is outside the blob, or has fewer triangles. */
BVPI_INLINE bool bvpi_wide_triangles(const bvpi_tree *tree, uint32_t item, unsigned count,
                                     bvpi_tri8 *out)
{
    bvpi_cluster cluster;
    unsigned first = item & 0xff;
    if (!bvpi_cluster_open(tree->units, tree->blob_size, tree->outside,
                           (uint64_t)(item >> 8) << tree->cluster_shift, &cluster) ||
        first + count > cluster.triangle_count)
        return false;
    u32x8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    lane &= (u32x8)i32x8_lt((i32x8)lane, i32x8_splat((int32_t)count));
    bvpi_tri8_decode_lanes(&cluster, lane + first, out);
    return true;
}

#endif
