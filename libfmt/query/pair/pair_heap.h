/* SPDX-License-Identifier: MIT
 * pair_heap.h: a priority queue of pairs of boxes, the nearest first, for kernels.
 *
 * Best-first search opens no pair that is farther apart than the answer. Its queue has no useful
 * bound, so this one has a fixed capacity; the walk puts what does not fit on its depth-first stack
 * (pair_walk.h).
 *
 * Entries are 64 bytes and stay where they are: the heap orders 64-bit ranks, and
 * a rank's lowest byte names its entry. Ranks are the bits of gap and key, both floats >= 0, whose
 * bits sort as the floats do.
 *
 * Invariants: rank[] is a binary heap of `count` distinct slots; the other slots are
 * free[count ...].
 */
#ifndef BVPI_QUERY_PAIR_PAIR_HEAP_H
#define BVPI_QUERY_PAIR_PAIR_HEAP_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum { PAIR_HEAP_MOST = 248 };

/* A pair of boxes that may matter. ref: the unit of an inner node, or the first item of a leaf with
 * `count` items. */
typedef struct pair_entry {
    float centre_a[3], half_a[3], centre_b[3], half_b[3];
    uint32_t ref_a, ref_b;
    float gap_sq;             /* lower bound, in square work units of the world */
    uint8_t count_a, count_b; /* 0: inner */
    uint8_t opened;           /* front.h: whose node has been opened */
    uint8_t unused;
} pair_entry;

typedef struct pair_heap {
    uint64_t rank[PAIR_HEAP_MOST];
    pair_entry entry[PAIR_HEAP_MOST];
    uint8_t free[PAIR_HEAP_MOST];
    unsigned count;
} pair_heap;

static inline void heap_init(pair_heap *heap)
{
    heap->count = 0;
    for (unsigned i = 0; i < PAIR_HEAP_MOST; i++)
        heap->free[i] = (uint8_t)i;
}

/* Bits of a float >= 0 order as it does. */
static inline uint32_t heap_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Makes room for an entry with this gap, and returns where to write it; of equal gaps the smaller
 * key comes first. The heap must not be full. */
static inline pair_entry *heap_push(pair_heap *heap, float gap_sq, float key)
{
    assert(heap->count < PAIR_HEAP_MOST);
    const uint8_t slot = heap->free[heap->count];
    assert(slot < PAIR_HEAP_MOST);
    const uint64_t rank =
        (uint64_t)heap_bits(gap_sq) << 32 | (heap_bits(key) & ~UINT32_C(0xff)) | slot;
    unsigned at = heap->count++;
    for (; at > 0 && heap->rank[(at - 1) / 2] > rank; at = (at - 1) / 2)
        heap->rank[at] = heap->rank[(at - 1) / 2];
    heap->rank[at] = rank;
    return &heap->entry[slot];
}

/* Removes the nearest entry of a heap that is not empty. The entry is valid until the next push. */
static inline const pair_entry *heap_pop(pair_heap *heap)
{
    assert(heap->count > 0 && heap->count <= PAIR_HEAP_MOST);
    const uint8_t slot = (uint8_t)heap->rank[0];
    const uint64_t last = heap->rank[--heap->count];
    unsigned at = 0;
    for (unsigned child; (child = 2 * at + 1) < heap->count; at = child) {
        child += child + 1 < heap->count && heap->rank[child + 1] < heap->rank[child];
        if (heap->rank[child] >= last)
            break;
        heap->rank[at] = heap->rank[child];
    }
    heap->rank[at] = last;
    heap->free[heap->count] = slot;
    return &heap->entry[slot];
}

#endif
