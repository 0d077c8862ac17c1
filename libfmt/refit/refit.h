/* SPDX-License-Identifier: MIT
 * refit.h: what changes when a part is deformed: its boxes, and those of its instances. Everything
 * is written to the private pages of one handle.
 * Spec: format.md, chapter "Deformed parts"
 */
#ifndef BVPI_REFIT_REFIT_H
#define BVPI_REFIT_REFIT_H

#include "base/isa.h"
#include "base/simd.h"
#include "format/record.h"
#include "node/aabb_node.h"
#include "node/frame.h"
#include "node/grid.h"
#include "node/raw_cluster.h"
#include "prim/place_bounds.h"

#include <string.h>

/* A writable view of bytes of an overlay. */
static inline uint8_t *bvpi_overlay(const bvp_file *file, const uint8_t *data)
{
    return file->overlay + (data - file->base);
}

/* Stores `size` bytes if they differ: a page whose bytes do not change stays shared. */
static inline void bvpi_overlay_store(const bvp_file *file, const uint8_t *at, const void *bytes,
                                      size_t size)
{
    if (memcmp(at, bytes, size) != 0)
        memcpy(bvpi_overlay(file, at), bytes, size);
}

/* Writes a hierarchy's grid and cost into its record. */
bvp_status bvpi_refit_record(bvp_file *file, uint32_t hierarchy, const bvpi_grid *grid,
                             double area_cost);

/* Of a hierarchy's record: all areas relative to the root's, as the builder measures it. */
static inline double bvpi_area_cost(double area, double of_root)
{
    return of_root > 0 ? area / of_root : 0;
}

/* ---- boxes on a grid ------------------------------------------------------------------------- */

/* Contains nothing; what is included is contained. */
static inline void bvpi_frame_clear(bvpi_frame *box)
{
    *box = (bvpi_frame){{UINT32_MAX, UINT32_MAX, UINT32_MAX}, {0, 0, 0}};
}

static inline void bvpi_frame_include(bvpi_frame *box, const bvpi_frame *other)
{
    for (int axis = 0; axis < 3; axis++) {
        box->lo[axis] = other->lo[axis] < box->lo[axis] ? other->lo[axis] : box->lo[axis];
        box->hi[axis] = other->hi[axis] > box->hi[axis] ? other->hi[axis] : box->hi[axis];
    }
}

static inline double bvpi_frame_half_surface(const bvpi_frame *box)
{
    const double x = box->hi[0] - box->lo[0], y = box->hi[1] - box->lo[1];
    const double z = box->hi[2] - box->lo[2];
    return x * y + y * z + z * x;
}

/* lo .. hi on one axis, rounded outward. The file may change while it is read: the result stays in
 * the grid whatever the numbers have become, NaN too. */
static inline void bvpi_frame_round(const bvpi_grid *grid, int axis, double lo, double hi,
                                    bvpi_frame *out)
{
    const double most = grid->extent[axis];
    const double below = bvpi_grid_below(grid, axis, lo), above = bvpi_grid_above(grid, axis, hi);
    out->lo[axis] = (uint32_t)(below > 0 ? below < most ? below : most : 0);
    out->hi[axis] = (uint32_t)(above > 0 ? above < most ? above : most : 0);
}

/* The same on all axes at once, for a grid that is not turned. */
typedef struct bvpi_grid_lanes {
    f64x4 start, most;
    double inverse;
} bvpi_grid_lanes;

static inline bvpi_grid_lanes bvpi_grid_lanes_of(const bvpi_grid *grid)
{
    return (bvpi_grid_lanes){
        {grid->start[0], grid->start[1], grid->start[2], 0},
        {(double)grid->extent[0], (double)grid->extent[1], (double)grid->extent[2], 0},
        grid->inverse};
}

BVPI_INLINE f64x4 bvpi_floor_lanes(f64x4 x)
{
    const f64x4 rounded = (x + BVPI_ROUNDER) - BVPI_ROUNDER, zero = {0, 0, 0, 0};
    return rounded - f64x4_select(f64x4_gt(rounded, x), zero + 1, zero);
}

/* NaN becomes 0. */
BVPI_INLINE f64x4 bvpi_grid_clamp(const bvpi_grid_lanes *grid, f64x4 steps)
{
    const f64x4 zero = {0, 0, 0, 0};
    return f64x4_min(f64x4_max(steps - grid->start, zero), grid->most);
}

/* A box in grid steps; the fourth lanes are not used. */
typedef struct bvpi_frame_lanes {
    bvpi_i32x4 lo, hi;
} bvpi_frame_lanes;

BVPI_INLINE bvpi_frame_lanes bvpi_frame_round_all(const bvpi_grid_lanes *grid,
                                                  const bvpi_raw_box *box)
{
    const f64x4 below = bvpi_f64x4_from_f32x4(box->lo), above = bvpi_f64x4_from_f32x4(box->hi);
    const f64x4 lo = bvpi_grid_clamp(grid, bvpi_floor_lanes(below * grid->inverse));
    const f64x4 hi = bvpi_grid_clamp(grid, -bvpi_floor_lanes(-above * grid->inverse));
    return (bvpi_frame_lanes){__builtin_convertvector(lo, bvpi_i32x4),
                              __builtin_convertvector(hi, bvpi_i32x4)};
}

static inline bvpi_frame_lanes bvpi_frame_to_lanes(const bvpi_frame *box)
{
    return (bvpi_frame_lanes){{(int32_t)box->lo[0], (int32_t)box->lo[1], (int32_t)box->lo[2], 0},
                              {(int32_t)box->hi[0], (int32_t)box->hi[1], (int32_t)box->hi[2], 0}};
}

/* ---- hierarchies ----------------------------------------------------------------------------- */

/* Refits of hierarchies, compiled for each instruction set. *area_cost: as the record has it. */
typedef struct bvpi_refit_kernel {
    /* All boxes of a wide hierarchy. part: whose triangles lie in its leaves, all in raw clusters;
     * NULL: the file's instances do. upper_count: of its record. room: bvpi_refit_room bytes; NULL:
     * each leaf is bounded twice. */
    bvp_status (*wide)(bvp_file *file, const bvpi_tree *tree, const bvpi_part *part,
                       uint32_t upper_count, const bvpi_grid *grid, void *room, double *area_cost);
    /* All volumes of a binary hierarchy over raw clusters. tree: with the grid that its record will
     * have. room: bvpi_refit_room bytes. */
    bvp_status (*aabb)(bvp_file *file, const bvpi_binary *tree, const bvpi_part *part,
                       const bvpi_grid *grid, void *room, double *area_cost);
    bvp_status (*boxtree)(bvp_file *file, const bvpi_binary *tree, const bvpi_part *part,
                          const bvpi_grid *grid, void *room, double *area_cost);
    bvp_status (*oriented)(bvp_file *file, const bvpi_binary *tree, const bvpi_part *part,
                           const bvpi_grid *grid, void *room, double *area_cost);
} bvpi_refit_kernel;
extern const bvpi_refit_kernel bvpi_refit_kernel_base, bvpi_refit_kernel_avx2;

/* Bytes that a refit of the hierarchy needs besides the file. */
uint64_t bvpi_refit_room(const bvpd_hierarchy *h);
enum {
    BVPI_REFIT_WIDE_NODE = BVPD_WIDTH * sizeof(bvpi_frame),
    BVPI_REFIT_BOXTREE_NODE = 32,
    BVPI_REFIT_BOXTREE_UPPER = 32,
    BVPI_REFIT_ORIENTED_UPPER = 240,
    BVPI_REFIT_ORIENTED_BLOCK = 190000
};

#ifdef BVPI_ISA
#define refit_wide     BVPI_ISA_NAME(bvpi_refit_wide)
#define refit_aabb     BVPI_ISA_NAME(bvpi_refit_aabb)
#define refit_boxtree  BVPI_ISA_NAME(bvpi_refit_boxtree)
#define refit_oriented BVPI_ISA_NAME(bvpi_refit_oriented)
bvp_status refit_wide(bvp_file *file, const bvpi_tree *tree, const bvpi_part *part,
                      uint32_t upper_count, const bvpi_grid *grid, void *room, double *area_cost);
bvp_status refit_aabb(bvp_file *file, const bvpi_binary *tree, const bvpi_part *part,
                      const bvpi_grid *grid, void *room, double *area_cost);
bvp_status refit_boxtree(bvp_file *file, const bvpi_binary *tree, const bvpi_part *part,
                         const bvpi_grid *grid, void *room, double *area_cost);
bvp_status refit_oriented(bvp_file *file, const bvpi_binary *tree, const bvpi_part *part,
                          const bvpi_grid *grid, void *room, double *area_cost);
#endif

/* ---- instances ------------------------------------------------------------------------------- */

/* The box of instances first .. first + count - 1, count > 0, as their parts' records say. */
bvp_status bvpi_refit_instances(const bvp_file *file, const bvpi_grid *grid, uint32_t first,
                                uint32_t count, bvpi_frame *out);

/* Computes the world bounds for `part` having the box lo .. hi. Writes nothing. BVP_ERR_ARGUMENT:
 * an instance would leave the format's range. */
bvp_status bvpi_refit_world(const bvp_file *file, uint32_t part, const float lo[3],
                            const float hi[3], bvpi_bounds *out);

/* Recomputes all boxes of the hierarchies over the instances from the parts' records, and sets the
 * world bounds to `world`. */
bvp_status bvpi_refit_top(bvp_file *file, const bvpi_bounds *world);

#endif
