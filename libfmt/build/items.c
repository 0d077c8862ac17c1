/* SPDX-License-Identifier: MIT
 * items.c: boxes of triangles, rounded outward to the grid.
 */
#include "build/items.h"

#include "build/defects.h"
#include "build/thread.h"

#include <stdlib.h>

enum { ITEM_PIECE = 1 << 16 };

void *bvpi_allocate(uint64_t count, size_t size)
{
    if (count > SIZE_MAX / size - 64)
        return NULL;
    return aligned_alloc(64, (count * size + 64) & ~(uint64_t)63);
}

void bvpi_mesh_bounds(const bvpi_mesh *mesh, float lo[3], float hi[3])
{
    for (int axis = 0; axis < 3; axis++)
        lo[axis] = hi[axis] = mesh->positions[axis];
    for (uint64_t i = 1; i < mesh->vertex_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const float x = mesh->positions[3 * i + axis];
            lo[axis] = x < lo[axis] ? x : lo[axis];
            hi[axis] = x > hi[axis] ? x : hi[axis];
        }
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] += 0.0f; /* no -0: the sign of a zero would depend on the order */
        hi[axis] += 0.0f;
    }
}

typedef struct making {
    const bvpi_mesh *mesh;
    const bvpi_grid *grid;
    bvpi_item *items;
    uint64_t degenerate_count; /* atomic */
} making;

static void make_item(const bvpi_grid *grid, const float *a, const float *b, const float *c,
                      bvpi_item *item)
{
    for (int axis = 0; axis < 3; axis++) {
        float lo = a[axis] < b[axis] ? a[axis] : b[axis];
        float hi = a[axis] > b[axis] ? a[axis] : b[axis];
        lo = lo < c[axis] ? lo : c[axis];
        hi = hi > c[axis] ? hi : c[axis];
        item->minus_lo[axis] = (float)-bvpi_grid_below(grid, axis, lo);
        item->hi[axis] = (float)bvpi_grid_above(grid, axis, hi);
    }
}

static void make_items(void *user, uint32_t piece)
{
    making *m = user;
    const bvpi_mesh *mesh = m->mesh;
    const uint64_t begin = (uint64_t)piece * ITEM_PIECE;
    const uint64_t left = mesh->triangle_count - begin;
    const uint64_t end = begin + (left < ITEM_PIECE ? left : ITEM_PIECE);
    uint64_t degenerate_count = 0;
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t *index = mesh->indices + 3 * i;
        const float *corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = mesh->positions + 3 * (uint64_t)index[k];
        make_item(m->grid, corner[0], corner[1], corner[2], &m->items[i]);
        m->items[i].id = (uint32_t)i;
        m->items[i].zero = 0;
        degenerate_count += bvpi_is_degenerate(corner[0], corner[1], corner[2]);
    }
    __atomic_fetch_add(&m->degenerate_count, degenerate_count, __ATOMIC_RELAXED);
}

bvpi_item *bvpi_items_make(const bvpi_mesh *mesh, const bvpi_grid *grid, uint32_t thread_count,
                           uint64_t *degenerate_count)
{
    making m = {.mesh = mesh, .grid = grid};
    const uint64_t pieces = ((uint64_t)mesh->triangle_count + ITEM_PIECE - 1) / ITEM_PIECE;
    m.items = bvpi_allocate(mesh->triangle_count, sizeof *m.items);
    if (!m.items)
        return NULL;
    bvpi_parallel(thread_count, (uint32_t)pieces, make_items, &m);
    *degenerate_count = m.degenerate_count;
    return m.items;
}
