/* SPDX-License-Identifier: MIT
 * ray_query.h: a ray query while it runs, and the ray as one hierarchy sees it.
 */
#ifndef BVPI_QUERY_RAY_RAY_QUERY_H
#define BVPI_QUERY_RAY_RAY_QUERY_H

#include <stddef.h>

#include "base/isa.h"
#include "base/meter.h"
#include "node/wide_node.h"
#include "prim/box_ray.h"
#include "prim/tri_ray.h"
#include "query/body/placed_body.h"

typedef enum bvpi_ray_mode { BVPI_RAY_FIRST, BVPI_RAY_ANY, BVPI_RAY_ALL } bvpi_ray_mode;

/* A leaf's triangles, decoded. Neighbouring rays of a batch meet the same leaves: some are kept. */
typedef struct bvpi_leaf {
    const uint8_t *units; /* of which tree; NULL: of none */
    uint32_t item, triangle_count;
    bvpd_cluster cluster;
    bvpi_tri8 tri;
} bvpi_leaf;

/* 12 KiB of stack. */
#ifndef BVPI_LEAF_BITS
#define BVPI_LEAF_BITS 5
#endif
enum { BVPI_LEAVES = 1 << BVPI_LEAF_BITS };

/* The triangle that a hit belongs to. */
typedef struct bvpi_ray_whose {
    const bvpi_placed_part *part; /* NULL: nothing is put off */
    bvpd_cluster cluster;
    uint32_t local; /* number in the cluster */
    float tri[9];   /* part coordinates */
} bvpi_ray_whose;

/* Where among BVPI_LEAVES the leaf that begins with `item` is kept, if it is. */
static inline bvpi_leaf *bvpi_leaf_place(bvpi_leaf *leaves, uint32_t item)
{
    return &leaves[item * UINT32_C(0x9e3779b1) >> (32 - BVPI_LEAF_BITS)];
}

/* One question and its answer so far. */
typedef struct bvpi_ray_query {
    bvpi_ray_mode mode;
    const bvp_ray *ray;
    bvp_ray_hit hit;     /* FIRST: the best one; found is the answer of ANY */
    bvpi_ray_whose best; /* FIRST: whose normal and number bvpi_ray_query_settle fills in */
    double t_max;        /* hits beyond do not matter; shrinks */
    bvp_ray_hit_fn each; /* ALL */
    void *user;
    uint64_t count;
    int stopped;
    bvpi_leaf *leaves; /* BVPI_LEAVES of them, to be used again, or NULL */
    bvpi_meter *meter; /* the call's, or NULL */
    bvp_stats stats;
} bvpi_ray_query;

/* With zeros in the fourth places. One by one: the ray was just copied in pieces of sixteen bytes,
 * and a load of 32 would wait until these are in the cache. */
BVPI_INLINE f64x4 bvpi_ray_origin(const bvp_ray *ray)
{
    return (f64x4){ray->origin[0], ray->origin[1], ray->origin[2], 0};
}

BVPI_INLINE f64x4 bvpi_ray_direction(const bvp_ray *ray)
{
    return (f64x4){ray->direction[0], ray->direction[1], ray->direction[2], 0};
}

/* BVP_ERR_ARGUMENT for what is not a number, an infinite origin or direction, no direction. */
static inline bvp_status bvpi_ray_query_init(bvpi_ray_query *query, const bvp_ray *ray,
                                             bvpi_ray_mode mode)
{
    const double *o = ray->origin, *d = ray->direction;
    query->mode = mode;
    query->ray = ray;
    query->t_max = ray->t_max;
    query->each = NULL;
    query->leaves = NULL;
    query->meter = NULL;
    query->count = 0;
    query->stopped = 0;
    query->hit.found = 0;
    query->best.part = NULL;
    query->stats = (bvp_stats){.nodes = 0};
    /* a finite number times 0 is 0; what others give is not a number */
    const double zero = (o[0] * 0 + d[0] * 0) + (o[1] * 0 + d[1] * 0) + (o[2] * 0 + d[2] * 0);
    const bool moves = d[0] != 0 || d[1] != 0 || d[2] != 0;
    return zero == 0 && moves && ray->t_min == ray->t_min && ray->t_max == ray->t_max
               ? BVP_OK
               : BVP_ERR_ARGUMENT;
}

/* The answer, which is zeros where there is no hit. */
void bvpi_ray_query_answer(const bvpi_ray_query *query, bvp_ray_hit *out);

static inline bvp_ray bvpi_float_ray_exactly(const bvp_float_ray *ray)
{
    const float *o = ray->origin, *d = ray->direction;
    return (bvp_ray){{o[0], o[1], o[2]}, {d[0], d[1], d[2]}, ray->t_min, ray->t_max};
}

static inline bvp_float_hit bvpi_float_hit_of(const bvp_ray_hit *hit)
{
    if (!hit->found)
        return (bvp_float_hit){.triangle = BVP_NO_TRIANGLE};
    return (bvp_float_hit){.t = (float)hit->t,
                           .u = (float)hit->u,
                           .v = (float)hit->v,
                           .instance = hit->id.instance,
                           .triangle = hit->id.triangle};
}

/* A ray before placement, in doubles that are off by less than the errors. */
typedef struct bvpi_local_ray {
    double origin[4], direction[4], origin_err[4], direction_err[4]; /* the fourth ones are 0 */
} bvpi_local_ray;

/* One of: no placement; a placement. */
BVPI_INLINE void bvpi_local_ray_keep(bvpi_local_ray *out, const bvp_ray *ray)
{
    const f64x4 zero = {0};
    f64x4_store(out->origin, bvpi_ray_origin(ray));
    f64x4_store(out->direction, bvpi_ray_direction(ray));
    f64x4_store(out->origin_err, zero);
    f64x4_store(out->direction_err, zero);
}
void bvpi_local_ray_init(bvpi_local_ray *out, const bvpi_placement *placement, const bvp_ray *ray);
BVPI_INLINE void bvpi_local_ray_of(bvpi_local_ray *out, const bvpi_placement *placement,
                                   const bvp_ray *ray)
{
    if (placement->is_identity)
        bvpi_local_ray_keep(out, ray);
    else
        bvpi_local_ray_init(out, placement, ray);
}
/* Turns the ray into the frame of a turned grid. */
void bvpi_local_ray_turn(bvpi_local_ray *ray, const bvpi_tree *tree);

/* Records a hit of triangle `local` of a cluster; tri: part coordinates. */
void bvpi_ray_query_hit(bvpi_ray_query *query, const bvpi_placed_part *part,
                        const bvpd_cluster *cluster, uint32_t local, const float tri[9],
                        const bvpi_tri_ray_hit *hit);

/* Fills in what was put off until the part's best hit is known, while the part is still there. */
void bvpi_ray_query_settle(bvpi_ray_query *query);
/* At the end. */
static inline void bvpi_ray_query_finish(bvpi_ray_query *query)
{
    if (query->best.part)
        bvpi_ray_query_settle(query);
}

/* Nothing more is to be found. */
static inline bool bvpi_ray_query_done(const bvpi_ray_query *query)
{
    return query->stopped || (query->mode == BVPI_RAY_ANY && query->hit.found);
}

/* Answers `query` about `placed`. */
typedef struct bvpi_ray_kernel {
    bvp_status (*run)(const bvpi_placed_body *placed, bvpi_ray_query *query);
    bvp_status (*run_part)(const bvpi_placed_part *part,
                           bvpi_ray_query *query); /* at.place ready */
    /* The same of a ray of floats, FIRST or ANY, with the part's hierarchy for rays. False: not
     * this way. *hit: triangle UINT64_MAX if there is none; of ANY nothing else is set. stats: or
     * NULL. */
    bool (*run_floats)(const bvpi_placed_part *part, const bvp_float_ray *ray, bvpi_ray_mode mode,
                       bvp_float_hit *hit, bvp_stats *stats, bvp_status *status);
} bvpi_ray_kernel;
extern const bvpi_ray_kernel bvpi_ray_kernel_base, bvpi_ray_kernel_avx2;

/* Every hit of one part where it stands, unordered, of a sound ray; a callback that returns nonzero
 * stops. */
bvp_status bvpi_ray_part_hits(const bvpi_placed_part *part, bvpi_isa isa, const bvp_ray *ray,
                              bvpi_meter *meter, bvp_ray_hit_fn each, void *user);

#endif
