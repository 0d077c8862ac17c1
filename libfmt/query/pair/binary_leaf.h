/* SPDX-License-Identifier: MIT
 * binary_leaf.h: decoded leaves of binary hierarchies, and pairs of two leaves' triangles; for
 * kernels.
 * Based on: Shellshear, Li, Carlson, ME-BVH: Memory Efficient Bounding Volume Hierarchies.
 */
#ifndef BVPI_QUERY_PAIR_BINARY_LEAF_H
#define BVPI_QUERY_PAIR_BINARY_LEAF_H

#include "node/binary_node.h"
#include "query/pair/pair_queue.h"

/* A leaf's triangles. If the hierarchy is not the part's first, they may be anywhere in the
 * clusters, so each has a reference. */
typedef struct binary_leaf {
    tri_leaf tri; /* tri.item: the leaf's first triangle, as bvpi_binary_item takes it */
    uint32_t reference[8];
} binary_leaf;

/* binary_leaf_kernel.c, for the same instruction set. */
#define binary_triangles BVPI_ISA_NAME(bvpi_binary_triangles)
/* Triangles `first` .. `first` + count - 1 (count: 1 .. 8) and where they are. The lanes left over
 * repeat the first one. False: the file is damaged. */
bool binary_triangles(const bvpi_binary *tree, const bvpi_tree *clusters, uint32_t first,
                      unsigned count, uint32_t reference[8], bvpi_tri8 *out);

/* Queues the pairs of a triangle of `a` in rows and one of `b` in columns that bounds do not rule
 * out, and tests full batches. */
BVPI_INLINE void leaves_meet(pair_tester *t, const binary_leaf *a, unsigned rows,
                             const binary_leaf *b, unsigned columns, bool by_distance)
{
    leaf_spans spans;
    t->answer->stats.leaves++;
    if (by_distance)
        leaf_spans_init(&spans, &t->frame, &a->tri, &b->tri);
    for (; rows != 0; rows &= rows - 1) {
        const unsigned i = bvpi_lowest_bit(rows);
        unsigned lanes = columns;
        lanes &= by_distance ? leaf_within(&t->frame, &spans, &a->tri, &b->tri, i, t->limit_sq)
                             : leaf_touching(&a->tri, &b->tri, i);
        for (; lanes != 0; lanes &= lanes - 1) {
            const unsigned j = bvpi_lowest_bit(lanes);
            enqueue(&t->queue, &a->tri, i, a->reference[i], &b->tri, j, b->reference[j]);
            if (t->queue.count < 8)
                continue;
            if (by_distance)
                flush_distance(t);
            else
                flush_overlap(t);
            if (!tester_goes_on(t))
                return;
        }
    }
    if (tester_goes_on(t))
        note_leaves(t, &a->tri, &b->tri);
}

#endif
