/* SPDX-License-Identifier: MIT
 * last_kernel.c: a query between two bodies restricted to one pair of triangles, question.last;
 * compiled once per instruction set.
 *
 * The pair goes through the same queue and tests as in a full query (pair_queue.h), so it gets the
 * same interval, bit for bit. Its references come from the caller's memory and are checked.
 * Measured: decisions.md, "Warm starts (protocol warm)".
 */
#include "query/pair/pair_queue.h"

#include <assert.h>

/* A copy of a triangle's corners in a lane of the queue. False: there is no such triangle. */
static bool load_item(const bvpi_placed_part *part, uint32_t item, float out[9][8], unsigned lane)
{
    bvpi_cluster cluster;
    float corners[9];
    if (!bvpi_cluster_open(part->part.blob, part->part.blob_size, part->part.outside,
                           (uint64_t)(item >> 8) << part->part.cluster_shift, &cluster) ||
        (item & 0xff) >= cluster.triangle_count)
        return false;
    bvpi_cluster_triangle(&cluster, item & 0xff, corners);
    for (int k = 0; k < 9; k++)
        out[k][lane] = corners[k];
    return true;
}

static bool enqueue_pair(pair_tester *t, uint32_t item_a, uint32_t item_b)
{
    const unsigned at = t->queue.count;
    assert(at == 0);
    if (!load_item(t->a, item_a, t->queue.a, at) || !load_item(t->b, item_b, t->queue.b, at)) {
        tester_fail(t, BVP_ERR_CORRUPT);
        return false;
    }
    t->queue.item_a[at] = item_a;
    t->queue.item_b[at] = item_b;
    t->queue.count++;
    return true;
}

static void parts(bvpi_pair_query *query, const bvpi_placed_part *a, const bvpi_placed_part *b)
{
    const bvpi_last_pair *last = query->question.last;
    const bool swap = query->bodies.swapped;
    pair_tester test;
    assert(query->answer.state == BVPI_PAIR_SEARCHING && last != NULL);
    tester_init(&test, query, a, b, false);
    if (!enqueue_pair(&test, swap ? last->item_b : last->item_a,
                      swap ? last->item_a : last->item_b))
        return;
    tester_finish(&test);
}

const bvpi_pair_kernel BVPI_ISA_NAME(bvpi_last_kernel) = {
    .isa = BVPI_ISA_NUMBER, .wide = parts, .binary = parts};
