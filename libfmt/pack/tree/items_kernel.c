/* SPDX-License-Identifier: MIT
 * items_kernel.c: boxes of triangles, their three axes side by side; compiled once for each
 * instruction set.
 *
 * A box in grid steps is rounded outward. All numbers are whole and below 2^23, so that sums and
 * differences are exact and every instruction set gives the same items.
 *
 * Slow twin: the grid's own functions, tests/unit/test_items.c.
 * Spec: format.md, chapter "Hierarchies" (grid)
 * Measured: decisions.md, "Building"
 */
#include "pack/tree/items_kernel.h"

#include "base/isa.h"
#include "base/simd.h"
#include "node/turn.h"
#include "pack/mesh/defects.h"

#include <assert.h>
#include <string.h>

/* ---- three axes ------------------------------------------------------------------------------ */

typedef struct corners {
    bvpi_f32x4 at[3]; /* the last lane is 0 */
} corners;

static inline bvpi_f32x4 min4(bvpi_f32x4 a, bvpi_f32x4 b)
{
#ifdef __SSE2__
    return (bvpi_f32x4)_mm_min_ps((__m128)a, (__m128)b);
#else
    bvpi_i32x4 mask = a < b;
    return (bvpi_f32x4)(((bvpi_i32x4)a & mask) | ((bvpi_i32x4)b & ~mask));
#endif
}

static inline corners load_corners(const bvpi_mesh *mesh, uint64_t triangle)
{
    corners c;
    for (int k = 0; k < 3; k++) {
        const float *p = mesh->positions + 3 * (uint64_t)mesh->indices[3 * triangle + k];
        c.at[k] = (bvpi_f32x4){p[0], p[1], p[2], 0};
    }
    return c;
}

/* bvpi_floor of each lane. */
static inline f64x4 floor4(f64x4 x)
{
    const f64x4 rounded = (x + BVPI_ROUNDER) - BVPI_ROUNDER;
    const f64x4 one = {1, 1, 1, 1};
    return rounded - (f64x4)((i64x4)one & (rounded > x));
}

/* A grid's start and inverse step as vectors; of a turned one the columns of its rotation. */
typedef struct lattice {
    f64x4 start, inverse, column[3];
    bool is_turned;
} lattice;

static inline lattice lattice_of(const bvpi_grid *g)
{
    lattice out = {.start = {g->start[0], g->start[1], g->start[2], 0},
                   .inverse = {g->inverse, g->inverse, g->inverse, g->inverse},
                   .is_turned = g->is_turned};
    bvpi_turn turn;
    if (!g->is_turned)
        return out;
    bvpi_turn_init(g->turn, &turn);
    for (int k = 0; k < 3; k++)
        out.column[k] = (f64x4){turn.m[k], turn.m[3 + k], turn.m[6 + k], 0};
    return out;
}

/* bvpi_turn_point, the axes side by side. */
static inline f64x4 turned(const lattice *g, bvpi_f32x4 p)
{
    return (g->column[0] * (double)p[0] + g->column[1] * (double)p[1]) +
           g->column[2] * (double)p[2];
}

/* The triangle's box in grid steps, rounded outward: minus the lower corner, and the upper
 * corner. */
static inline void box_of(const corners *c, const lattice *g, bvpi_f32x4 *minus_lo, bvpi_f32x4 *hi)
{
    const bvpi_f32x4 least = min4(min4(c->at[0], c->at[1]), c->at[2]);
    const bvpi_f32x4 most = bvpi_max4(bvpi_max4(c->at[0], c->at[1]), c->at[2]);
    f64x4 from = __builtin_convertvector(least, f64x4), to = __builtin_convertvector(most, f64x4);
    if (g->is_turned) {
        const f64x4 a = turned(g, c->at[0]), b = turned(g, c->at[1]), d = turned(g, c->at[2]);
        from = f64x4_min(f64x4_min(a, b), d);
        to = f64x4_max(f64x4_max(a, b), d);
    }
    const f64x4 below = floor4(from * g->inverse);
    const f64x4 above = -floor4(-to * g->inverse);
    *minus_lo = __builtin_convertvector(g->start - below, bvpi_f32x4);
    *hi = __builtin_convertvector(above - g->start, bvpi_f32x4);
}

/* Do doubles prove an area in one of the planes xy, yz, zx? */
static inline bool has_area(const corners *c)
{
    const f64x4 a = __builtin_convertvector(c->at[0], f64x4);
    const f64x4 b = __builtin_convertvector(c->at[1], f64x4) - a;
    const f64x4 d = __builtin_convertvector(c->at[2], f64x4) - a;
    const f64x4 next_b = {b[1], b[2], b[0], 0}, next_d = {d[1], d[2], d[0], 0};
    const f64x4 p = b * next_d, q = next_b * d, difference = p - q;
    const i64x4 sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    const f64x4 size = (f64x4)((i64x4)p & ~sign) + (f64x4)((i64x4)q & ~sign);
    const i64x4 yes = (f64x4)((i64x4)difference & ~sign) > size * 0x1p-48;
    return (yes[0] | yes[1] | yes[2]) != 0;
}

static inline bool make_item(const bvpi_mesh *mesh, const lattice *g, uint64_t triangle,
                             bvpi_item *item)
{
    const corners c = load_corners(mesh, triangle);
    bvpi_f32x4 minus_lo, hi;
    box_of(&c, g, &minus_lo, &hi);
    memcpy(item->minus_lo, &minus_lo, sizeof minus_lo);
    memcpy(item->hi, &hi, sizeof hi);
    item->id = (uint32_t)triangle;
    item->zero = 0;
    const uint32_t *index = mesh->indices + 3 * triangle;
    const float *p = mesh->positions;
    return !has_area(&c) &&
           bvpi_is_degenerate(p + 3 * (uint64_t)index[0], p + 3 * (uint64_t)index[1],
                              p + 3 * (uint64_t)index[2]);
}

/* ---- runs of triangles ----------------------------------------------------------------------- */

static uint64_t make(const bvpi_mesh *mesh, const bvpi_grid *grid, uint64_t begin, uint64_t end,
                     bvpi_item *items)
{
    const lattice g = lattice_of(grid);
    uint64_t degenerate_count = 0;
    assert(begin <= end && end <= mesh->triangle_count);
    for (uint64_t i = begin; i < end; i++)
        degenerate_count += make_item(mesh, &g, i, &items[i]);
    return degenerate_count;
}

static void classify(const bvpi_mesh *mesh, const bvpi_grid *grid, const bvpi_plane *planes,
                     uint64_t begin, uint64_t end, uint32_t *batch_of, uint32_t *counts,
                     bvpi_batch_box *boxes)
{
    const lattice g = lattice_of(grid);
    assert(begin <= end && end <= mesh->triangle_count);
    for (uint64_t i = begin; i < end; i += BVPI_ABREAST) {
        const uint64_t count = end - i < BVPI_ABREAST ? end - i : BVPI_ABREAST;
        float centres[BVPI_ABREAST][4] = {{0}};
        bvpi_f32x4 minus_lo[BVPI_ABREAST], hi[BVPI_ABREAST];
        uint32_t batches[BVPI_ABREAST];
        for (uint64_t k = 0; k < count; k++) {
            const corners c = load_corners(mesh, i + k);
            box_of(&c, &g, &minus_lo[k], &hi[k]);
            const bvpi_f32x4 centre = hi[k] - minus_lo[k];
            memcpy(centres[k], &centre, sizeof centre);
        }
        bvpi_find_batches(planes, centres, batches);
        for (uint64_t k = 0; k < count; k++) {
            bvpi_batch_box *box = &boxes[batches[k]];
            batch_of[i + k] = batches[k];
            counts[batches[k]]++;
            box->minus_lo = bvpi_max4(box->minus_lo, minus_lo[k]);
            box->hi = bvpi_max4(box->hi, hi[k]);
        }
    }
}

enum { AHEAD = 8 };

static uint64_t gather(const bvpi_mesh *mesh, const bvpi_grid *grid, const uint32_t *triangles,
                       uint64_t count, bvpi_item *items)
{
    const lattice g = lattice_of(grid);
    uint64_t degenerate_count = 0;
    for (uint64_t i = 0; i < count; i++) {
        assert(triangles[i] < mesh->triangle_count);
        if (i + 2 * AHEAD < count) /* a mesh in no order has all of these in memory */
            __builtin_prefetch(mesh->indices + 3 * (uint64_t)triangles[i + 2 * AHEAD]);
        if (i + AHEAD < count)
            for (int k = 0; k < 3; k++) {
                const uint32_t vertex = mesh->indices[3 * (uint64_t)triangles[i + AHEAD] + k];
                __builtin_prefetch(mesh->positions + 3 * (uint64_t)vertex);
            }
        degenerate_count += make_item(mesh, &g, triangles[i], &items[i]);
    }
    return degenerate_count;
}

const bvpi_items_kernel BVPI_ISA_NAME(bvpi_items_kernel) = {make, classify, gather};
