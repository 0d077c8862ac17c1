/* SPDX-License-Identifier: MIT
 * items_kernel.h: what items.c and batches.c do for every triangle. Every instruction set gives the
 * same items.
 */
#ifndef BVPI_PACK_TREE_ITEMS_KERNEL_H
#define BVPI_PACK_TREE_ITEMS_KERNEL_H

#include "pack/mesh/mesh.h"
#include "pack/tree/sah_split.h"
#include "node/grid.h"

/* A node of a tree of planes: items whose doubled centre is at most `at` on `axis` go left. */
typedef struct bvpi_plane {
    float at;
    uint32_t axis;
    uint32_t left;  /* the right child follows it; 0: a leaf */
    uint32_t batch; /* number of a leaf */
} bvpi_plane;

enum { BVPI_ABREAST = 4 };

/* Follows the planes for several centres at once. The steps of one depend on each other, and their
 * number cannot be predicted; several at once hide that. */
static inline void bvpi_find_batches(const bvpi_plane *planes, float centres[BVPI_ABREAST][4],
                                     uint32_t batches[BVPI_ABREAST])
{
    uint32_t at[BVPI_ABREAST] = {0}, inner;
    do {
        inner = 0;
        for (int k = 0; k < BVPI_ABREAST; k++) {
            const bvpi_plane *plane = planes + at[k];
            const uint32_t next = plane->left + (centres[k][plane->axis] > plane->at);
            at[k] = plane->left != 0 ? next : at[k];
            inner |= plane->left;
        }
    } while (inner != 0);
    for (int k = 0; k < BVPI_ABREAST; k++)
        batches[k] = planes[at[k]].batch;
}

/* Bounds the items of a batch; the last lanes are 0. Begins as less than any item. */
typedef struct bvpi_batch_box {
    bvpi_f32x4 minus_lo, hi;
} bvpi_batch_box;

typedef struct bvpi_items_kernel {
    /* Makes the items of triangles begin .. end - 1 in items[triangle]. Returns how many of them
     * have no area. */
    uint64_t (*make)(const bvpi_mesh *mesh, const bvpi_grid *grid, uint64_t begin, uint64_t end,
                     bvpi_item *items);
    /* Sets batch_of[triangle] to the batch where the planes lead, increments counts[batch], and
     * adds the item to boxes[batch]. */
    void (*classify)(const bvpi_mesh *mesh, const bvpi_grid *grid, const bvpi_plane *planes,
                     uint64_t begin, uint64_t end, uint32_t *batch_of, uint32_t *counts,
                     bvpi_batch_box *boxes);
    /* As make, but the item of triangles[k] in items[k]. */
    uint64_t (*gather)(const bvpi_mesh *mesh, const bvpi_grid *grid, const uint32_t *triangles,
                       uint64_t count, bvpi_item *items);
} bvpi_items_kernel;

extern const bvpi_items_kernel bvpi_items_kernel_base, bvpi_items_kernel_avx2;

#endif
