/* SPDX-License-Identifier: MIT
 * items_kernel.h: what items.c and batches.c do with every triangle; every instruction set gives
 * the same items.
 */
#ifndef BVPI_PACK_TREE_ITEMS_KERNEL_H
#define BVPI_PACK_TREE_ITEMS_KERNEL_H

#include "pack/mesh/mesh.h"
#include "pack/tree/sah_split.h"
#include "node/grid.h"

/* A node of a tree of planes: items whose centre, doubled, is at most `at` on `axis` go left. */
typedef struct bvpi_plane {
    float at;
    uint32_t axis;
    uint32_t left;  /* the right one comes after it; 0: a leaf */
    uint32_t batch; /* of a leaf */
} bvpi_plane;

enum { BVPI_ABREAST = 4 };

/* Where the planes lead some centres at once: one's steps depend on each other, and nobody can tell
 * how many there are. */
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

typedef struct bvpi_items_kernel {
    /* The item of each triangle begin .. end - 1, to items[triangle]; returns how many of them
     * have no surface. */
    uint64_t (*make)(const bvpi_mesh *mesh, const bvpi_grid *grid, uint64_t begin, uint64_t end,
                     bvpi_item *items);
    /* batch_of[triangle]: where the planes lead it; counts[batch]: goes up. */
    void (*classify)(const bvpi_mesh *mesh, const bvpi_grid *grid, const bvpi_plane *planes,
                     uint64_t begin, uint64_t end, uint32_t *batch_of, uint32_t *counts);
    /* As make, but to items[next[batch]++]. */
    uint64_t (*scatter)(const bvpi_mesh *mesh, const bvpi_grid *grid, const uint32_t *batch_of,
                        uint64_t begin, uint64_t end, uint32_t *next, bvpi_item *items);
} bvpi_items_kernel;

extern const bvpi_items_kernel bvpi_items_kernel_base, bvpi_items_kernel_avx2;

#endif
