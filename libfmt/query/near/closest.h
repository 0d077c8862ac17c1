/* SPDX-License-Identifier: MIT
 * closest.h: a closest-point query while it runs.
 */
#ifndef BVPI_QUERY_NEAR_CLOSEST_H
#define BVPI_QUERY_NEAR_CLOSEST_H

#include <stdbool.h>

#include "base/isa.h"
#include "base/meter.h"
#include "node/tri8.h"
#include "prim/box_point.h"
#include "prim/point_tri.h"
#include "query/body/placed_body.h"

/* Leaves that a batch has decoded, one for each remainder of a hash, on the stack: 40 KiB. Points
 * that follow one another meet the same ones. */
#ifndef BVPI_KEPT_LEAF_BITS
#define BVPI_KEPT_LEAF_BITS 7
#endif
/* boxes of leaves that are kept: they pay where most leaves are met again */
enum { BVPI_KEPT_LEAVES = 1 << BVPI_KEPT_LEAF_BITS, BVPI_KEPT_BOXES = BVPI_KEPT_LEAF_BITS > 8 };
typedef struct bvpi_near_leaf {
    bvpi_tri8 triangles; /* `count`, the last one again and again */
    float box[2][3];     /* lo, hi; or both somewhere in their midst */
    uint32_t first_triangle, count;
} bvpi_near_leaf;
/* What a batch knows when its next point is asked: leaves, and where its last answers lie, which
 * bounds the next one's distance. */
typedef struct bvpi_near_kept {
    bvpi_near_leaf leaf[BVPI_KEPT_LEAVES];
    uint64_t key[BVPI_KEPT_LEAVES]; /* part << 32 | first item; UINT64_MAX: none */
    double answers[4][3];           /* infinity: none yet */
    double error;                   /* how far one of them is from its triangle at most */
    unsigned next;                  /* whose place the next answer takes */
} bvpi_near_kept;

typedef struct bvpi_closest_query {
    /* Of an assembly: asks an instance in place of the kernel, and may lower the limit; or NULL. */
    bvp_status (*instead)(struct bvpi_closest_query *query, const bvpi_placed_part *part);
    double point[3];
    double limit; /* nothing farther is of interest; shrinks to the best distance */
    double most;  /* the caller's max_distance */
    double bound; /* something is at this distance or nearer, though it may not be known yet what */
    bvp_closest_result best;
    double error;         /* how far best.point is from its triangle at most */
    bvpi_near_kept *kept; /* the batch's, or NULL */
    bvpi_meter *meter;    /* the call's, or NULL */
    bvp_stats stats;
} bvpi_closest_query;

/* BVP_ERR_ARGUMENT: the point is not finite, the distance negative or not a number. */
bvp_status bvpi_closest_query_init(bvpi_closest_query *query, const double point[3],
                                   double max_distance);

/* Nothing yet. */
void bvpi_near_kept_init(bvpi_near_kept *kept);
/* For the query's point, before it is asked: the bound that the batch's last answers give. */
void bvpi_near_kept_bound(const bvpi_near_kept *kept, bvpi_closest_query *query);
/* Keeps an answer. */
void bvpi_near_kept_answer(bvpi_near_kept *kept, const bvpi_closest_query *query);

/* part: the point before placement, known to within err. */
void bvpi_closest_grid(bvpi_grid_point *out, const bvpi_placed_tree *at, const double part[3],
                       double err);

/* Takes note of the nearest point of a part's triangle. True: it is the best so far, and its id is
 * still to be looked up. */
bool bvpi_closest_query_candidate(bvpi_closest_query *query, const bvpi_placed_part *part,
                                  uint64_t triangle, const bvpi_point_tri *nearest);

/* Answers `query` about `placed`. */
typedef struct bvpi_closest_kernel {
    bvp_status (*run)(const bvpi_placed_body *placed, bvpi_closest_query *query);
    bvp_status (*run_part)(const bvpi_placed_part *part, bvpi_closest_query *query); /* placed */
} bvpi_closest_kernel;
extern const bvpi_closest_kernel bvpi_closest_kernel_base, bvpi_closest_kernel_avx2;

#endif
