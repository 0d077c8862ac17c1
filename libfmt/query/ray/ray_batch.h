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

/* Answers the rays of a packet together; the body is a part with a wide hierarchy. False: they
 * have too little in common, or one of them is not valid, or the file is damaged; then nothing is
 * answered or counted. */
typedef struct bvpi_ray_packet_kernel {
    bool (*run)(const bvpi_ray_batch *batch, const bvpi_packet_place *place);
} bvpi_ray_packet_kernel;
extern const bvpi_ray_packet_kernel bvpi_ray_packet_kernel_base, bvpi_ray_packet_kernel_avx2;

/* Answers rays from .. to - 1 in turns; the body is a part with a hierarchy for rays, and nothing
 * is metered. Returns the number of the first one that is not answered: `to`, or of a ray that has
 * to go another way, which decides its status. */
typedef struct bvpi_ray_turns_kernel {
    size_t (*run)(const bvpi_ray_batch *batch, size_t from, size_t to);
} bvpi_ray_turns_kernel;
extern const bvpi_ray_turns_kernel bvpi_ray_turns_kernel_base, bvpi_ray_turns_kernel_avx2;

#endif
