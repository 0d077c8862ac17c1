/* SPDX-License-Identifier: MIT
 * base_leaf.h: pairs of triangles that the baselines' leaves hold, tested eight at a time by the
 * library's exact test.
 */
#ifndef PAPERS_BASE_LEAF_H
#define PAPERS_BASE_LEAF_H

#include "base_tree.h"
#include "prim/tri_tri.h"

typedef struct base_batch {
    bvpi_pose pose;
    f32x8 a[9], b[9];
    int waiting;
    uint64_t hits;
    bvp_stats *stats;
} base_batch;

static inline void base_batch_flush(base_batch *batch)
{
    const unsigned lanes = (1u << batch->waiting) - 1;
    const bvpi_tri_tri8_result found =
        bvpi_tri_tri8(&batch->pose, batch->a, batch->b, lanes, false);
    batch->hits += (uint64_t)__builtin_popcount(found.hit);
    batch->stats->exact += (uint64_t)__builtin_popcount(found.exact);
    batch->waiting = 0;
}

static inline void base_batch_add(base_batch *batch, const float *a, const float *b)
{
    for (int k = 0; k < 9; k++) {
        batch->a[k][batch->waiting] = a[k];
        batch->b[k][batch->waiting] = b[k];
    }
    batch->stats->triangles++;
    if (++batch->waiting == 8)
        base_batch_flush(batch);
}

#endif
