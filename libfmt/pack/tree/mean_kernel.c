/* SPDX-License-Identifier: MIT
 * mean_kernel.c: cuts a set of triangles at the mean of its surface along an axis; compiled once
 * for each instruction set.
 *
 * The paper weights by area, so that a finely meshed corner does not draw the cut towards it.
 * Triangles that have no area together count alike.
 *
 * Lanes are axes. Sums are taken triangle by triangle, and a lane does what a scalar would do, so
 * that every instruction set rounds alike.
 *
 * Held by tests/unit/test_partition.c: its slow twin, for every instruction set.
 * Measured: decisions.md, "Oriented trees are built faster"
 * Based on: Gottschalk, Lin, Manocha, OBBTree, 1996, section 4
 */
#include "pack/tree/mean_kernel.h"

#include "base/isa.h"

#include <assert.h>
#include <math.h>

typedef struct corners {
    f64x4 at[3]; /* the last lane is 0 */
} corners;

static inline corners load_corners(const bvpi_mesh *mesh, uint32_t triangle)
{
    const uint32_t *index = mesh->indices + 3 * (uint64_t)triangle;
    corners c;
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        const float *p = mesh->positions + 3 * (uint64_t)index[k];
        c.at[k] = bvpi_f64x4_from_f32x4((bvpi_f32x4){p[0], p[1], p[2], 0});
    }
    return c;
}

static inline double sum_of(f64x4 v)
{
    return v[0] + v[1] + v[2];
}

/* Three times the projection of a triangle's centroid. */
static inline double projection_of(const corners *c, f64x4 axis)
{
    return sum_of((c->at[0] + c->at[1] + c->at[2]) * axis);
}

/* Twice a triangle's area. */
static inline double area_of(const corners *c)
{
    const f64x4 e = c->at[1] - c->at[0], f = c->at[2] - c->at[0];
    const f64x4 next_e = {e[1], e[2], e[0], e[3]}, last_e = {e[2], e[0], e[1], e[3]};
    const f64x4 next_f = {f[1], f[2], f[0], f[3]}, last_f = {f[2], f[0], f[1], f[3]};
    const f64x4 n = next_e * last_f - last_e * next_f;
    return sqrt(sum_of(n * n));
}

static uint32_t cut(bvpi_item *items, uint32_t count, const bvpi_mesh *mesh, const double axis[3])
{
    const f64x4 along = {axis[0], axis[1], axis[2], 0};
    double sum = 0, all = 0, area = 0;
    assert(count > 0);
    for (uint32_t i = 0; i < count; i++) {
        const corners c = load_corners(mesh, items[i].id);
        const double at = projection_of(&c, along), weight = area_of(&c);
        sum += weight * at;
        area += weight;
        all += at;
    }
    const double mean = area > 0 ? sum / area : all / count;
    /* before each round items 0 .. left - 1 go left and items left .. i - 1 right; swapping always
     * saves a branch that cannot be predicted */
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        const corners c = load_corners(mesh, items[i].id);
        const f32x8 item = f32x8_load(items[i].minus_lo);
        f32x8_store(items[i].minus_lo, f32x8_load(items[left].minus_lo));
        f32x8_store(items[left].minus_lo, item);
        left += projection_of(&c, along) < mean;
    }
    return left;
}

const bvpi_mean_kernel BVPI_ISA_NAME(bvpi_mean_kernel) = {cut};
