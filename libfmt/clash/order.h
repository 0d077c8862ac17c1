/* SPDX-License-Identifier: MIT
 * order.h: blocks of instances on several threads, whose pairs are delivered in the order of the
 * blocks. Memory is bounded: blocks that wait for their turn, and of each a number of pairs.
 */
#ifndef BVPI_CLASH_ORDER_H
#define BVPI_CLASH_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "bvpack_clash.h"

/* Instances in a block: neighbours share what is looked up. */
enum { BVPI_CLASH_BLOCK_MOST = 64 };

typedef struct bvpi_clash_order bvpi_clash_order;

/* What a block gives, while it is worked on. */
typedef struct bvpi_clash_block {
    bvpi_clash_order *order;
    uint32_t number;       /* 0, 1, 2 ... */
    uint32_t first, count; /* instances of the first file */
    bvp_clash_coverage sum;
    bvp_clash_pair *pairs;
    uint64_t pair_count, pair_capacity;
    bvp_status status; /* other than BVP_OK: nothing after this block's pairs is delivered */
    bool is_complete;
} bvpi_clash_block;

/* Takes note of a pair, in order. False: the run has ended, or memory has. */
bool bvpi_clash_deliver(bvpi_clash_block *block, const bvp_clash_pair *pair);
/* Does anybody still want to know? */
bool bvpi_clash_goes_on(const bvpi_clash_order *order);

/* Works on one block; any thread. own: one of the run's, no other call has it at the same time. */
typedef void (*bvpi_clash_work_fn)(void *user, void *own, bvpi_clash_block *block);

typedef struct bvpi_clash_run {
    const bvp_clash_options *options;
    uint32_t first, total; /* instances `first` to `total` - 1 of the first file */
    uint32_t thread_count;
    bvp_clash_fn callback;
    void *callback_user;
    bvpi_clash_work_fn work;
    void *user;
    void *(*own_new)(void *user); /* NULL: no memory */
    void (*own_free)(void *own);
} bvpi_clash_run;

/* Runs all blocks; coverage: of what has been delivered. */
bvp_status bvpi_clash_in_order(const bvpi_clash_run *run, bvp_clash_coverage *coverage);

#endif
