/* SPDX-License-Identifier: MIT
 * convex_query.h: a query of a body and a convex body while it runs.
 */
#ifndef BVPI_QUERY_NEAR_CONVEX_QUERY_H
#define BVPI_QUERY_NEAR_CONVEX_QUERY_H

#include "base/isa.h"
#include "base/meter.h"
#include "prim/box_convex.h"
#include "prim/convex_tri.h"
#include "query/body/placed_body.h"

typedef enum bvpi_convex_mode {
    BVPI_CONVEX_ANY,     /* is a triangle within `most`? */
    BVPI_CONVEX_NEAREST, /* the nearest triangle, if within `most` */
    BVPI_CONVEX_ALL      /* each triangle that touches */
} bvpi_convex_mode;

typedef struct bvpi_convex_query {
    bvpi_convex convex;
    bvpi_convex_mode mode;
    double most;  /* the caller's limit or delta */
    double limit; /* nothing farther is of interest; shrinks to the best distance */
    bvp_distance_result best;
    bvp_hit_fn each; /* ALL; or NULL */
    void *user;
    uint64_t count;
    bool is_done;      /* the answer is complete */
    bvpi_meter *meter; /* the call's, or NULL */
    bvp_stats stats;
} bvpi_convex_query;

/* BVP_ERR_ARGUMENT: a bad convex body; most is negative or not a number. */
bvp_status bvpi_convex_query_init(bvpi_convex_query *query, const bvp_convex *convex,
                                  bvpi_convex_mode mode, double most);

/* The convex body on a hierarchy's grid. */
void bvpi_convex_grid(const bvpi_convex *convex, const bvpi_placed_tree *at, bvpi_grid_convex *out);

/* Its bounds before placement, in part coordinates. */
void bvpi_convex_part_bounds(const bvpi_convex *convex, const bvpi_placement *placement,
                             float lo[3], float hi[3]);

/* Takes note of triangle `local` of a cluster. */
void bvpi_convex_query_hit(bvpi_convex_query *query, const bvpi_placed_part *part,
                           const bvpd_cluster *cluster, uint32_t local,
                           const bvpi_convex_tri *found);

/* Answers `query` about `placed`. */
typedef struct bvpi_convex_kernel {
    bvp_status (*run)(const bvpi_placed_body *placed, bvpi_convex_query *query);
} bvpi_convex_kernel;
extern const bvpi_convex_kernel bvpi_convex_kernel_base, bvpi_convex_kernel_avx2;

#endif
