/* SPDX-License-Identifier: MIT
 * ray_meshlet.h: nodes and meshlets of kind rays: where things are, for the builder, the queries
 * and the verifier.
 * Spec: format.md, chapter "Ray trees"
 */
#ifndef BVPI_NODE_RAY_MESHLET_H
#define BVPI_NODE_RAY_MESHLET_H

#include <math.h>
#include <stdbool.h>

#include "base/load.h"
#include "format/layout.h"

/* By how much planes stand off what they bound, for the rounding in queries: in steps of the node,
 * and as a share of the part's largest |coordinate|. Spec: exactness.md, chapter 10 */
#define BVPI_RAY_PAD_STEP  0x1p-12
#define BVPI_RAY_PAD_BOUND 0x1p-21

/* A part whose largest |coordinate| is outside of these has no ray tree. */
#define BVPI_RAY_BOUND_MIN 0x1p-30
#define BVPI_RAY_BOUND_MAX 0x1p30

/* What a lane of a node is. lane: not BVPD_RAY_EMPTY. */
static inline bool bvpi_ray_lane_is_leaf(int16_t lane)
{
    return lane < 0;
}

static inline uint32_t bvpi_ray_lane_count(int16_t lane)
{
    return ((uint32_t)(lane - BVPD_RAY_LEAF) & 7) + 1;
}

/* The unit of a leaf's meshlet. */
static inline uint64_t bvpi_ray_lane_unit(uint32_t geom, int16_t lane)
{
    return (uint64_t)geom + ((uint32_t)(lane - BVPD_RAY_LEAF) >> 3);
}

/* The largest |coordinate| of a part with these bounds. */
static inline double bvpi_ray_bound(const float lo[3], const float hi[3])
{
    double bound = 0;
    for (int a = 0; a < 3; a++) {
        const double reach = fmax(fabs((double)lo[a]), fabs((double)hi[a]));
        bound = reach > bound ? reach : bound;
    }
    return bound;
}

/* Bytes from a meshlet's start to its vertices, to its references, and to its end. */
static inline uint32_t bvpi_meshlet_vertices(uint32_t triangle_count)
{
    return 4 + (((3 * triangle_count + 1) / 2 + 3) & ~3u);
}

static inline uint32_t bvpi_meshlet_references(uint32_t triangle_count, uint32_t vertex_count)
{
    return bvpi_meshlet_vertices(triangle_count) + 12 * vertex_count;
}

static inline uint32_t bvpi_meshlet_size(uint32_t triangle_count, uint32_t vertex_count,
                                         bool several)
{
    const uint32_t end =
        bvpi_meshlet_references(triangle_count, vertex_count) + triangle_count * (several ? 4 : 1);
    return (end + BVPD_RAY_UNIT - 1) & ~(uint32_t)(BVPD_RAY_UNIT - 1);
}

/* Where triangle `triangle` of a meshlet is stored, as in bvpd_node.geom. references: its first
 * one. */
static inline uint32_t bvpi_meshlet_reference(uint32_t word, const uint8_t *references,
                                              uint32_t triangle)
{
    return word & BVPD_RAY_SEVERAL ? bvpi_peek_u32(references + 4 * triangle)
                                   : (word & ~UINT32_C(0xff)) | references[triangle];
}

/* The vertex of a corner. */
static inline uint32_t bvpi_meshlet_corner(const uint8_t *meshlet, uint32_t triangle_count,
                                           uint32_t vertex_count, uint32_t triangle,
                                           uint32_t corner)
{
    const uint32_t at = corner * triangle_count + triangle;
    return meshlet[4 + at / 2] >> (4 * (at & 1)) & (vertex_count > 8 ? 15 : 7);
}

#endif
