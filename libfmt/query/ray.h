/* SPDX-License-Identifier: MIT
 * ray.h: a ray query while it runs, and the ray as one hierarchy sees it.
 */
#ifndef BVPI_QUERY_RAY_H
#define BVPI_QUERY_RAY_H

#include "base/isa.h"
#include "node/tri8.h"
#include "prim/box_ray.h"
#include "prim/tri_ray.h"
#include "query/subject.h"

typedef enum bvpi_ray_mode { BVPI_RAY_FIRST, BVPI_RAY_ANY, BVPI_RAY_ALL } bvpi_ray_mode;

/* A leaf's triangles, decoded. Neighbouring rays of a batch meet the same leaves: some are kept. */
typedef struct bvpi_leaf {
    const uint8_t *units; /* of which tree; NULL: of none */
    uint32_t item, triangle_count;
    bvpd_cluster cluster;
    bvpi_tri8 tri;
} bvpi_leaf;

enum { BVPI_LEAVES = 32 }; /* 12 KiB */

/* One question and its answer so far. */
typedef struct bvpi_ray_query {
    bvpi_ray_mode mode;
    bvp_ray ray;
    bvp_ray_hit hit;     /* FIRST: the best one, its normal not of unit length before
                            bvpi_ray_query_finish; found is the answer of ANY */
    double t_max;        /* nothing beyond is of interest any more */
    bvp_ray_hit_fn each; /* ALL */
    void *user;
    uint64_t count;
    int stopped;
    bvpi_leaf *leaves; /* BVPI_LEAVES of them, to be used again, or NULL */
    bvp_stats stats;
} bvpi_ray_query;

/* BVP_ERR_ARGUMENT for what is not a number, an infinite origin or direction, no direction. */
bvp_status bvpi_ray_query_init(bvpi_ray_query *query, const bvp_ray *ray, bvpi_ray_mode mode);

/* A ray before placement, in doubles that are off by less than the errors. */
typedef struct bvpi_local_ray {
    double origin[4], direction[4], origin_err[4], direction_err[4]; /* the fourth ones are 0 */
} bvpi_local_ray;

/* Either of: a placement made ready; the bare 12 numbers, much faster. False: these are too near to
 * singular, or too large or small, for this. */
void bvpi_local_ray_init(bvpi_local_ray *out, const bvpi_place *place, const bvp_ray *ray);
bool bvpi_local_ray_rough(bvpi_local_ray *out, const double m[12], const bvp_ray *ray);

/* Takes note of a hit of triangle `local` of a cluster; tri: part coordinates. */
void bvpi_ray_query_hit(bvpi_ray_query *query, const bvpi_placed_part *part,
                        const bvpd_cluster *cluster, uint32_t local, const float tri[9],
                        const bvpi_tri_ray_hit *hit);

/* Fills in what was put off until the best hit is known. */
void bvpi_ray_query_finish(bvpi_ray_query *query);

/* Nothing more is to be found. */
static inline bool bvpi_ray_query_done(const bvpi_ray_query *query)
{
    return query->stopped || (query->mode == BVPI_RAY_ANY && query->hit.found);
}

/* Answers `query` about `subject`. */
typedef struct bvpi_ray_kernel {
    bvp_status (*run)(const bvpi_subject *subject, bvpi_ray_query *query);
    bvp_status (*run_part)(const bvpi_placed_part *part,
                           bvpi_ray_query *query); /* at.place ready */
} bvpi_ray_kernel;
extern const bvpi_ray_kernel bvpi_ray_kernel_base, bvpi_ray_kernel_avx2;

#endif
