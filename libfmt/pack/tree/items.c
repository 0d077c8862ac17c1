/* SPDX-License-Identifier: MIT
 * items.c: boxes of triangles, rounded outward to the grid.
 */
#include "pack/tree/items.h"

#include "base/isa.h"
#include "base/parallel.h"
#include "pack/tree/items_kernel.h"

#include <assert.h>

enum { ITEM_PIECE = 1 << 16 };

void bvpi_mesh_bounds(const bvpi_mesh *mesh, float lo[3], float hi[3])
{
    float least[12], most[12]; /* four vertices side by side */
    assert(mesh->vertex_count > 0);
    for (int k = 0; k < 12; k++)
        least[k] = most[k] = mesh->positions[k % 3];
    uint64_t i = 0;
    for (; i + 12 <= 3 * (uint64_t)mesh->vertex_count; i += 12)
        for (int k = 0; k < 12; k++) {
            const float x = mesh->positions[i + k];
            least[k] = x < least[k] ? x : least[k];
            most[k] = x > most[k] ? x : most[k];
        }
    for (; i < 3 * (uint64_t)mesh->vertex_count; i++) {
        const float x = mesh->positions[i];
        least[i % 3] = x < least[i % 3] ? x : least[i % 3];
        most[i % 3] = x > most[i % 3] ? x : most[i % 3];
    }
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = least[axis];
        hi[axis] = most[axis];
        for (int k = axis + 3; k < 12; k += 3) {
            lo[axis] = least[k] < lo[axis] ? least[k] : lo[axis];
            hi[axis] = most[k] > hi[axis] ? most[k] : hi[axis];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] += 0.0f; /* removes -0: the sign of a zero would depend on the order */
        hi[axis] += 0.0f;
    }
}

typedef struct making {
    const bvpi_mesh *mesh;
    const bvpi_grid *grid;
    bvpi_item *items;
    uint64_t degenerate_count; /* atomic */
} making;

static void make_items(void *user, uint32_t piece)
{
    making *m = user;
    const uint64_t begin = (uint64_t)piece * ITEM_PIECE;
    assert(begin < m->mesh->triangle_count);
    const uint64_t left = m->mesh->triangle_count - begin;
    const uint64_t end = begin + (left < ITEM_PIECE ? left : ITEM_PIECE);
    const bvpi_items_kernel *kernel = BVPI_ISA_CHOOSE(bvpi_items_kernel, bvpi_isa_of_cpu());
    const uint64_t degenerate_count = kernel->make(m->mesh, m->grid, begin, end, m->items);
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

uint64_t bvpi_items_gather(const bvpi_mesh *mesh, const bvpi_grid *grid, const uint32_t *triangles,
                           uint32_t count, bvpi_item *items)
{
    const bvpi_items_kernel *kernel = BVPI_ISA_CHOOSE(bvpi_items_kernel, bvpi_isa_of_cpu());
    return triangles ? kernel->gather(mesh, grid, triangles, count, items)
                     : kernel->make(mesh, grid, 0, count, items);
}
