/* SPDX-License-Identifier: MIT
 * ray_packet_kernel.c: answers eight coherent rays together, or declines; compiled once per
 * instruction set.
 *
 * A packet is declined if two of its rays differ too much (a question of cost only), if a ray is
 * not valid, or if the file is damaged. Nothing is answered or counted then, and the caller asks
 * the rays one by one, which gives each its proper status.
 *
 * Slow twin: single rays, bit for bit, tests/property/test_ray_packet.c.
 * Spec: exactness.md, chapter 10, "Boxes and rays"
 * Measured: decisions.md, "Rays and closest points".
 */
#include "query/ray/ray_packet_walk.h"

/* Rows to columns. */
BVPI_INLINE void transpose(const f64x4 row[4], f64x4 column[4])
{
    const f64x4 even01 = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
    const f64x4 odd01 = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
    const f64x4 even23 = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
    const f64x4 odd23 = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
    column[0] = __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
    column[1] = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
    column[2] = __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
    column[3] = __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
}

_Static_assert(sizeof(bvp_ray) == 8 * sizeof(double), "a ray is two vectors");

/* Four rays as they are given. */
BVPI_INLINE void load_rays(const bvpi_ray_batch *batch, size_t first, bvpi_rays4 *out)
{
    f64x4 row[2][4], column[2][4];
    BVPI_UNROLL
    for (unsigned i = 0; i < 4; i++) {
        const bvp_ray *ray = bvpi_batch_ray(batch, first + i);
        row[0][i] = f64x4_load(ray->origin);
        row[1][i] = f64x4_load(ray->direction + 1);
    }
    transpose(row[0], column[0]);
    transpose(row[1], column[1]);
    BVPI_UNROLL
    for (int a = 0; a < 3; a++)
        out->origin[a] = column[0][a];
    out->direction[0] = column[0][3];
    out->direction[1] = column[1][0];
    out->direction[2] = column[1][1];
    out->t_min = column[1][2];
    out->t_max = column[1][3];
    out->origin_err = out->direction_err = (f64x4){0};
}

/* Four rays before placement, in the frame of the grid. */
static void unplace_rays(const bvpi_ray_batch *batch, size_t first, bvpi_rays4 *out)
{
    const bvpi_placed_tree *at = &batch->placed->one.at;
    load_rays(batch, first, out);
    for (unsigned i = 0; i < 4; i++) {
        bvpi_local_ray local;
        bvpi_local_ray_init(&local, &at->placement, bvpi_batch_ray(batch, first + i));
        if (at->tree.is_turned)
            bvpi_local_ray_turn(&local, &at->tree);
        for (int a = 0; a < 3; a++) {
            out->origin[a][i] = local.origin[a];
            out->direction[a][i] = local.direction[a];
        }
        out->origin_err[i] = bvpi_largest3(f64x4_load(local.origin_err));
        out->direction_err[i] = bvpi_largest3(f64x4_load(local.direction_err));
    }
}

static bool run(const bvpi_ray_batch *batch, const bvpi_packet_place *place)
{
    const bvpi_placed_tree *at = &batch->placed->one.at;
    bvpi_packet_walk w;
    bvpi_rays4 four[2];
    if (!bvpi_meter_step(batch->meter) || bvpi_packet_is_apart(batch, place))
        return false;
    BVPI_UNROLL
    for (size_t h = 0; h < 2; h++)
        if (at->placement.is_identity && !at->tree.is_turned)
            load_rays(batch, place->first[h], &four[h]);
        else
            unplace_rays(batch, place->first[h], &four[h]);
    if (!bvpi_ray_packet_init(&w.packet, at, four))
        return false;
    w.tree = &at->tree;
    w.rays.batch = batch;
    w.rays.place = place;
    w.rays.ready = w.rays.found = 0;
    w.rays.triangles = 0;
    if (w.packet.lanes != 0) {
        if (!bvpi_packet_walk_run(&w))
            return false;
        batch->stats->nodes += w.tree->node_count - bvpi_steps_left(&w.steps);
        batch->stats->boxes += w.boxes;
        batch->stats->leaves += w.leaves;
        batch->stats->triangles += w.rays.triangles;
    }
    bvpi_packet_answer(&w.rays);
    return true;
}

const bvpi_ray_packet_kernel BVPI_ISA_NAME(bvpi_ray_packet_kernel) = {run};
