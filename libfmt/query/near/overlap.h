/* SPDX-License-Identifier: MIT
 * overlap.h: a query for the triangles in a region while it runs.
 */
#ifndef BVPI_QUERY_NEAR_OVERLAP_H
#define BVPI_QUERY_NEAR_OVERLAP_H

#include "base/meter.h"
#include "base/isa.h"
#include "prim/box_region.h"
#include "query/body/placed_body.h"

/* A closed region of the world: bvp_region with what the caller may change copied, but for planes.
 */
typedef struct bvpi_region {
    bvp_region_kind kind;
    double lo[3], hi[3];      /* BOX */
    double centre[3], radius; /* BALL */
    const double *planes;     /* CONVEX: n, d each; inside is n . x + d >= 0 */
    uint32_t plane_count;
} bvpi_region;

typedef struct bvpi_overlap_query {
    bvpi_region region;
    /* Of an assembly: asks an instance in place of the kernel; or NULL. */
    bvp_status (*instead)(struct bvpi_overlap_query *query, const bvpi_placed_body *placed,
                          uint32_t instance);
    bvp_hit_fn each;            /* or NULL */
    bvp_candidate_fn candidate; /* or NULL. In place of `each`, of a box, or of a convex region
                                   whose lo and hi are set to a box around it: gets what may meet
                                   it; nothing is decided exactly */
    void *user;
    uint64_t count;
    int stopped;
    bvpi_meter *meter; /* the call's, or NULL */
    bvp_stats stats;
} bvpi_overlap_query;

/* BVP_ERR_ARGUMENT: no such kind, a missing array, what is not finite, an inverted box, a negative
 * radius, a plane without normal, no plane or too many. */
bvp_status bvpi_region_init(bvpi_region *region, bvp_region given);

/* The region on a hierarchy's grid; part_lo, part_hi: its bounds before placement. */
void bvpi_region_grid(const bvpi_region *region, const bvpi_placed_tree *at, bvpi_grid_region *out,
                      float part_lo[3], float part_hi[3]);

/* Exact: is the placed triangle in the region, at least by a point? */
bool bvpi_region_holds(const bvpi_region *region, const bvpi_placement *placement,
                       const float tri[9]);

/* Reports triangle `local` of a cluster. */
void bvpi_overlap_query_hit(bvpi_overlap_query *query, const bvpi_placed_part *part,
                            const bvpd_cluster *cluster, uint32_t local);

/* Answers `query` about `placed`. */
typedef struct bvpi_overlap_kernel {
    bvp_status (*run)(const bvpi_placed_body *placed, bvpi_overlap_query *query);
} bvpi_overlap_kernel;
extern const bvpi_overlap_kernel bvpi_overlap_kernel_base, bvpi_overlap_kernel_avx2;

#endif
