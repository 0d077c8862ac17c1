/* SPDX-License-Identifier: MIT
 * ray_batch.h: the rays of one batched call; coherent ones are answered in packets of eight.
 */
#ifndef BVPI_QUERY_RAY_RAY_BATCH_H
#define BVPI_QUERY_RAY_RAY_BATCH_H

#include "query/body/caller_array.h"
#include "query/ray/ray_query.h"

enum { BVPI_PACKET = 8 };

/* A call with its arrays. */
typedef struct bvpi_ray_batch {
    const bvpi_placed_body *placed;
    bvpi_ray_mode mode; /* FIRST or ANY */
    bool floats;        /* rays: bvp_float_ray, else bvp_ray */
    bvp_const_array rays;
    bvp_array out;     /* FIRST: a bvp_ray_hit or bvp_float_hit each, ANY: an int */
    bvpi_leaf *leaves; /* BVPI_LEAVES of them */
    bvpi_meter *meter; /* of all of them, or NULL */
    bvp_stats *stats;
} bvpi_ray_batch;

static inline const bvp_ray *bvpi_batch_ray(const bvpi_ray_batch *batch, size_t idx)
{
    assert(!batch->floats);
    return bvpi_const_element(&batch->rays, sizeof(bvp_ray), idx);
}

static inline const bvp_float_ray *bvpi_batch_float_ray(const bvpi_ray_batch *batch, size_t idx)
{
    assert(batch->floats);
    return bvpi_const_element(&batch->rays, sizeof(bvp_float_ray), idx);
}

static inline void *bvpi_batch_out(const bvpi_ray_batch *batch, size_t idx)
{
    const size_t first = batch->floats ? sizeof(bvp_float_hit) : sizeof(bvp_ray_hit);
    return bvpi_element(&batch->out, batch->mode == BVPI_RAY_ANY ? sizeof(int) : first, idx);
}

/* Rays of a packet: four from first[0] on, four from first[1] on. */
typedef struct bvpi_packet_place {
    size_t first[2];
} bvpi_packet_place;

static inline size_t bvpi_packet_ray(const bvpi_packet_place *place, unsigned lane)
{
    return place->first[lane >> 2] + (lane & 3);
}

/* Where ray `idx` begins and where it goes, on three axes. */
BVPI_INLINE void bvpi_batch_line(const bvpi_ray_batch *batch, size_t idx, f64x4 *origin,
                                 f64x4 *direction)
{
    if (batch->floats) {
        const bvp_float_ray *ray = bvpi_batch_float_ray(batch, idx);
        const float *o = ray->origin, *d = ray->direction;
        *origin = (f64x4){o[0], o[1], o[2], 0};
        *direction = (f64x4){d[0], d[1], d[2], 0};
    } else {
        const bvp_ray *ray = bvpi_batch_ray(batch, idx);
        *origin = bvpi_ray_origin(ray);
        *direction = bvpi_ray_direction(ray);
    }
}

/* Do two rays differ too much to share their work? reach: how far apart they may begin. */
BVPI_INLINE bool bvpi_rays_are_apart(const bvpi_ray_batch *batch, size_t a, size_t b, double reach)
{
    f64x4 from_a, from_b, to_a, to_b;
    bvpi_batch_line(batch, a, &from_a, &to_a);
    bvpi_batch_line(batch, b, &from_b, &to_b);
    const i64x4 turned = (i64x4)to_a ^ (i64x4)to_b;
    const double spread = bvpi_largest3(f64x4_abs(to_a)) * 0.125;
    const i64x4 far = f64x4_gt(f64x4_abs(from_a - from_b), f64x4_splat(reach)) |
                      f64x4_gt(f64x4_abs(to_a - to_b), f64x4_splat(spread));
    return (i64x4_movemask(turned | far) & 7) != 0;
}

/* Two of a packet's rays tell whether a look at all is worth it. */
BVPI_INLINE bool bvpi_packet_is_apart(const bvpi_ray_batch *batch, const bvpi_packet_place *place)
{
    const double *bound = batch->placed->one.at.bound;
    const double reach = bvpi_larger(bound[0], bvpi_larger(bound[1], bound[2])) * 0.25;
    return bvpi_rays_are_apart(batch, place->first[0], place->first[1] + 3, reach) ||
           bvpi_rays_are_apart(batch, place->first[0], place->first[0] + 3, reach);
}

/* Answers the rays of a packet together. False: they have too little in common, or one of them is
 * not valid, or the file is damaged; then nothing is answered or counted. The first one: the body
 * is a part with a wide hierarchy, and rays are of doubles. The second one: a part with a hierarchy
 * for rays, and nothing is metered. */
typedef struct bvpi_ray_packet_kernel {
    bool (*run)(const bvpi_ray_batch *batch, const bvpi_packet_place *place);
} bvpi_ray_packet_kernel;
extern const bvpi_ray_packet_kernel bvpi_ray_packet_kernel_base, bvpi_ray_packet_kernel_avx2;
extern const bvpi_ray_packet_kernel bvpi_meshlet_packet_kernel_base,
    bvpi_meshlet_packet_kernel_avx2;

/* Answers rays from .. to - 1 in turns; the body is a part with a hierarchy for rays, and nothing
 * is metered. Returns the number of the first one that is not answered: `to`, or of a ray that has
 * to go another way, which decides its status. */
typedef struct bvpi_ray_turns_kernel {
    size_t (*run)(const bvpi_ray_batch *batch, size_t from, size_t to);
} bvpi_ray_turns_kernel;
extern const bvpi_ray_turns_kernel bvpi_ray_turns_kernel_base, bvpi_ray_turns_kernel_avx2;

#endif
