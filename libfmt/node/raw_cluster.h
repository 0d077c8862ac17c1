/* SPDX-License-Identifier: MIT
 * raw_cluster.h: clusters whose coordinates are stored as they are, so that vertices can move in
 * place, and the boxes of their triangles.
 * Spec: format.md, chapters "Cluster records", "Deformed parts"
 */
#ifndef BVPI_NODE_RAW_CLUSTER_H
#define BVPI_NODE_RAW_CLUSTER_H

#include "base/simd.h"
#include "format/checksum.h"
#include "node/aabb_node.h"
#include "node/cluster_record.h"

#include <math.h>

/* All three axes in mode RAW, without tables: a vertex is 12 bytes. */
static inline bool bvpi_cluster_is_raw(const bvpi_cluster *cluster)
{
    bool raw = true;
    for (int axis = 0; axis < 3; axis++)
        raw = raw && cluster->head.packing[axis] == (BVPD_RAW << 6 | 32) &&
              cluster->head.table_count[axis] == 0;
    return raw;
}

/* Opens the record at `offset` of a blob. False: its streams are not inside the blob. */
static inline bool bvpi_cluster_open_whole(const bvpi_part *part, uint64_t offset,
                                           bvpi_cluster *out)
{
    return bvpi_cluster_open(part->blob, part->blob_size, part->outside, offset, out) &&
           bvpi_cluster_nodes_off(out) <= part->blob_size - offset;
}

/* The place of a raw coordinate. */
static inline const uint8_t *bvpi_raw_place(const bvpi_cluster *cluster, int axis, uint32_t vertex)
{
    return cluster->vertices + (size_t)12 * vertex + 4 * axis;
}

/* Corner `corner` of local triangle `triangle` of a raw cluster. */
static inline void bvpi_raw_corner(const bvpi_cluster *cluster, uint32_t triangle, uint32_t corner,
                                   float out[3])
{
    const uint32_t vertex = bvpi_cluster_corner(cluster, triangle, corner);
    memcpy(out, bvpi_raw_place(cluster, 0, vertex), 3 * sizeof *out);
}

/* The cluster that was opened last: leaves that follow one another mostly share one. */
typedef struct bvpi_raw_cluster {
    bvpi_cluster cluster;
    uint64_t offset;
    bool is_open;
} bvpi_raw_cluster;

/* Clusters are met one after another, upward or downward, and the vertices of each in no order that
 * a processor could foresee: the one that probably comes after `offset` is asked for meanwhile. */
static inline void bvpi_raw_prefetch(const bvpi_part *part, uint64_t before, uint64_t offset)
{
    enum { LINE = 64, MOST = 96 * LINE };
    const uint64_t stride = before < offset ? offset - before : before - offset;
    const uint64_t next = before < offset ? offset + stride : offset - stride;
    for (uint64_t i = 0; stride <= MOST && i < stride && next + i < part->blob_size; i += LINE)
        __builtin_prefetch(part->blob + next + i);
}

/* The raw cluster of a reference (record offset >> cluster_shift) * 256 + local number, if it has
 * `count` triangles from that number on; else NULL. Valid until the next call. */
static inline const bvpi_cluster *bvpi_raw_find(bvpi_raw_cluster *c, const bvpi_part *part,
                                                uint32_t reference, uint32_t count)
{
    const uint64_t offset = (uint64_t)(reference >> 8) << part->cluster_shift;
    if (!c->is_open || c->offset != offset) {
        bvpi_raw_prefetch(part, c->offset, offset);
        c->is_open =
            bvpi_cluster_open_whole(part, offset, &c->cluster) && bvpi_cluster_is_raw(&c->cluster);
        c->offset = offset;
    }
    return c->is_open && (reference & 255) + count <= c->cluster.triangle_count ? &c->cluster
                                                                                : NULL;
}

static inline void bvpi_aabb_clear(bvpi_aabb *box)
{
    *box = (bvpi_aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline void bvpi_aabb_include(bvpi_aabb *box, const float lo[3], const float hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        box->lo[axis] = lo[axis] < box->lo[axis] ? lo[axis] : box->lo[axis];
        box->hi[axis] = hi[axis] > box->hi[axis] ? hi[axis] : box->hi[axis];
    }
}

/* a < b ? a : b in each lane. */
static inline bvpi_f32x4 bvpi_raw_lower(bvpi_f32x4 a, bvpi_f32x4 b)
{
#ifdef __SSE2__
    return (bvpi_f32x4)_mm_min_ps((__m128)a, (__m128)b);
#else
    const bvpi_i32x4 mask = a < b;
    return (bvpi_f32x4)(((bvpi_i32x4)a & mask) | ((bvpi_i32x4)b & ~mask));
#endif
}

/* a > b ? a : b in each lane. */
static inline bvpi_f32x4 bvpi_raw_upper(bvpi_f32x4 a, bvpi_f32x4 b)
{
#ifdef __SSE2__
    return (bvpi_f32x4)_mm_max_ps((__m128)a, (__m128)b);
#else
    const bvpi_i32x4 mask = a > b;
    return (bvpi_f32x4)(((bvpi_i32x4)a & mask) | ((bvpi_i32x4)b & ~mask));
#endif
}

/* The box of some vertices. Three axes side by side; the fourth lane is the next vertex' x, or one
 * of the bytes behind DATA, and is not used. */
typedef struct bvpi_raw_box {
    bvpi_f32x4 lo, hi;
} bvpi_raw_box;

static inline void bvpi_raw_clear(bvpi_raw_box *box)
{
    box->lo = (bvpi_f32x4){INFINITY, INFINITY, INFINITY, 0};
    box->hi = -box->lo;
}

/* Adds local triangles first .. first + count - 1 of a raw cluster. */
static inline void bvpi_raw_include(const bvpi_cluster *cluster, uint32_t first, uint32_t count,
                                    bvpi_raw_box *box)
{
    bvpi_f32x4 lo = box->lo, hi = box->hi;
    for (uint32_t triangle = first; triangle < first + count; triangle++) {
        uint32_t vertex[3];
        bvpi_cluster_corners(cluster, triangle, vertex);
        BVPI_UNROLL
        for (int k = 0; k < 3; k++) {
            bvpi_f32x4 at;
            memcpy(&at, bvpi_raw_place(cluster, 0, vertex[k]), sizeof at);
            lo = bvpi_raw_lower(at, lo);
            hi = bvpi_raw_upper(at, hi);
        }
    }
    box->lo = lo;
    box->hi = hi;
}

/* Is every cluster of the part raw? */
bool bvpi_is_deformable(const bvpi_part *part);

/* content_hash of a deformed part: over its triangles and coordinates as stored, cluster by
 * cluster, because the source's order is not known where it is computed. */
void bvpi_shape_hash(const bvpi_part *part, uint8_t hash[16]);
void bvpi_shape_hash_start(bvpi_hasher *hasher, const bvpi_part *part);
void bvpi_shape_hash_add(bvpi_hasher *hasher, const bvpi_cluster *cluster);

#endif
