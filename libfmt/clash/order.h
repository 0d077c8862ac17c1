/* SPDX-License-Identifier: MIT
 * order.h: blocks of instances on several threads, with their pairs delivered in the order of the
 * blocks. Memory is bounded: in the number of blocks that wait, and in the pairs of each.
 */
#ifndef BVPI_CLASH_ORDER_H
#define BVPI_CLASH_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "bvpack_clash.h"

/* Instances in a block. Neighbours share look-ups. */
enum { BVPI_CLASH_BLOCK_MOST = 64 };

typedef struct bvpi_clash_order bvpi_clash_order;

/* A block while it is worked on, and what it has found. */
typedef struct bvpi_clash_block {
    bvpi_clash_order *order;
    uint32_t number;       /* 0, 1, 2 ... */
    uint32_t first, count; /* instances of the first file */
    bvp_clash_coverage sum;
    bvp_clash_pair *pairs;
    uint64_t pair_count, pair_capacity;
    bvp_status status; /* if not BVP_OK, nothing after this block's pairs is delivered */
    bool is_complete;
} bvpi_clash_block;

/* Adds a pair to the block's results, in order. False: the run has ended, or memory has. */
bool bvpi_clash_deliver(bvpi_clash_block *block, const bvp_clash_pair *pair);
/* False once the run has ended early. */
bool bvpi_clash_goes_on(const bvpi_clash_order *order);

/* Works on one block, on any thread. own: from own_new; no other call uses it at the same time. */
typedef void (*bvpi_clash_work_fn)(void *user, void *own, bvpi_clash_block *block);

typedef struct bvpi_clash_run {
    const bvp_clash_options *options;
    const bvp_clash_range *ranges; /* of instances of the first file: ascending, disjoint */
    size_t range_count;
    uint32_t total; /* of all its instances, for progress */
    uint32_t thread_count;
    bvp_clash_fn callback;
    void *callback_user;
    bvpi_clash_work_fn work;
    void *user;
    void *(*own_new)(void *user); /* NULL: out of memory */
    void (*own_free)(void *own);
} bvpi_clash_run;

/* Runs all blocks. coverage: of the blocks delivered. */
bvp_status bvpi_clash_in_order(const bvpi_clash_run *run, bvp_clash_coverage *coverage);

#endif
