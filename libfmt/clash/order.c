/* SPDX-License-Identifier: MIT
 * order.c: works on blocks with several threads, and delivers their pairs in the order of the
 * blocks.
 *
 * Blocks occupy a ring. A thread takes the next number as soon as that block's place in the ring is
 * free. Whoever completes a block delivers all complete blocks from the oldest on; only one thread
 * delivers at a time (is_delivering), and it does not hold the mutex while the caller's function
 * runs. So the caller sees one order, from one thread at a time, whatever the number of threads.
 *
 * Memory is bounded: the ring has a fixed number of places, and a block with PAIRS_MOST waiting
 * pairs stops until it is the oldest. No deadlock: the oldest block never waits for another block,
 * and the ring always contains it.
 *
 * Invariants, under the mutex: next_to_deliver <= next_to_take <= block_count; a block's place is
 * reused only after it was delivered. has_ended is atomic, because workers poll it without the
 * mutex.
 *
 * Held by tests/property/test_clash.c (alike for any number of threads) and under the thread
 * sanitizer by test_threads.
 * Measured: decisions.md, "Verdicts of a whole plant", "Races planted by hand"
 */
#include "clash/order.h"

#include "base/growing_array.h"
#include "base/parallel.h"
#include "base/thread.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREAD_MAX = 256,
    /* Fewer instances get smaller blocks, so that all threads end at about the same time. */
    BLOCKS_WANTED = 64,
    /* Places in the ring for each thread: how far others may run ahead of a slow block. */
    RING_A_THREAD = 4,
    PAIRS_MOST = 1024 /* pairs that a block may hold before it is the oldest: 300 KiB */
};

struct bvpi_clash_order {
    const bvpi_clash_run *run;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bvpi_clash_block *ring;
    uint32_t ring_size, block_size, block_count;
    uint32_t next_to_take, next_to_deliver;
    size_t range;  /* that the next block is in */
    uint32_t used; /* instances of it that have been taken */
    bool is_delivering;
    bool has_ended; /* atomic */
    bvp_status status;
    bvp_clash_coverage sum;
};

bool bvpi_clash_goes_on(const bvpi_clash_order *order)
{
    return !__atomic_load_n(&order->has_ended, __ATOMIC_RELAXED);
}

static void end(bvpi_clash_order *order)
{
    __atomic_store_n(&order->has_ended, true, __ATOMIC_RELAXED);
}

/* ---- delivery: one thread at a time, which holds is_delivering, not the mutex ---------------- */

static void give_pairs(bvpi_clash_order *order, bvpi_clash_block *block)
{
    const bvpi_clash_run *run = order->run;
    for (uint32_t i = 0; i < block->pair_count && bvpi_clash_goes_on(order); i++)
        if (run->callback && run->callback(run->callback_user, &block->pairs[i]) != 0)
            end(order);
    block->pair_count = 0;
}

/* Returns the block's status, which ends the run unless it is BVP_OK. */
static bvp_status give_block(bvpi_clash_order *order, bvpi_clash_block *block)
{
    const bvp_clash_options *options = order->run->options;
    give_pairs(order, block);
    if (!bvpi_clash_goes_on(order))
        return BVP_OK;
    if (block->status != BVP_OK) {
        end(order);
        return block->status;
    }
    bvp_clash_coverage *sum = &order->sum;
    sum->box_pairs += block->sum.box_pairs;
    sum->excluded += block->sum.excluded;
    sum->instance_count += block->sum.instance_count;
    sum->open_count += block->sum.open_count;
    for (int i = 0; i < BVP_VERDICT_COUNT; i++)
        sum->verdicts[i] += block->sum.verdicts[i];
    if (options->progress && options->progress(options->progress_user, block->first + block->count,
                                               order->run->total, sum) != 0)
        end(order);
    return BVP_OK;
}

/* Called with the mutex held; releases it while the caller's function runs. */
static void deliver_complete(bvpi_clash_order *order)
{
    assert(order->next_to_deliver <= order->next_to_take &&
           order->next_to_take <= order->block_count);
    if (order->is_delivering)
        return;
    order->is_delivering = true;
    while (bvpi_clash_goes_on(order)) {
        bvpi_clash_block *oldest = &order->ring[order->next_to_deliver % order->ring_size];
        if (!oldest->is_complete || oldest->number != order->next_to_deliver)
            break;
        assert(order->next_to_deliver < order->next_to_take);
        pthread_mutex_unlock(&order->mutex);
        const bvp_status status = give_block(order, oldest);
        pthread_mutex_lock(&order->mutex);
        if (status != BVP_OK)
            order->status = status;
        oldest->is_complete = false;
        order->next_to_deliver++;
        pthread_cond_broadcast(&order->changed);
    }
    order->is_delivering = false;
    pthread_cond_broadcast(&order->changed);
}

bool bvpi_clash_deliver(bvpi_clash_block *block, const bvp_clash_pair *pair)
{
    bvpi_clash_order *order = block->order;
    if (block->pair_count == PAIRS_MOST) {
        /* When the block is the oldest and no other thread delivers, the pairs it has so far are
         * delivered. */
        pthread_mutex_lock(&order->mutex);
        while (bvpi_clash_goes_on(order) &&
               (order->is_delivering || order->next_to_deliver != block->number))
            pthread_cond_wait(&order->changed, &order->mutex);
        order->is_delivering = true;
        pthread_mutex_unlock(&order->mutex);
        give_pairs(order, block);
        pthread_mutex_lock(&order->mutex);
        order->is_delivering = false;
        pthread_cond_broadcast(&order->changed);
        pthread_mutex_unlock(&order->mutex);
    }
    assert(block->pair_count < PAIRS_MOST);
    if (!bvpi_clash_goes_on(order))
        return false;
    if (!bvpi_grow(&block->pairs, &block->pair_capacity, block->pair_count + 1,
                   sizeof *block->pairs)) {
        block->status = BVP_ERR_NO_MEMORY;
        return false;
    }
    block->pairs[block->pair_count++] = *pair;
    return true;
}

/* ---- threads --------------------------------------------------------------------------------- */

static uint32_t blocks_in(const bvp_clash_range *range, uint32_t block_size)
{
    const uint32_t count = range->end - range->first;
    return count / block_size + (count % block_size != 0);
}

/* The instances of the next block, which are all in one range. */
static bvp_clash_range cut_block(bvpi_clash_order *order)
{
    const bvpi_clash_run *run = order->run;
    assert(order->range < run->range_count);
    while (order->used == run->ranges[order->range].end - run->ranges[order->range].first) {
        order->range++;
        order->used = 0;
        assert(order->range < run->range_count);
    }
    const bvp_clash_range *range = &run->ranges[order->range];
    const uint32_t first = range->first + order->used, left = range->end - first;
    const uint32_t count = left < order->block_size ? left : order->block_size;
    order->used += count;
    return (bvp_clash_range){first, first + count};
}

/* Returns the next block, empty, or NULL if there are no more. */
static bvpi_clash_block *take_block(bvpi_clash_order *order)
{
    bvpi_clash_block *block = NULL;
    pthread_mutex_lock(&order->mutex);
    if (order->next_to_take < order->block_count && bvpi_clash_goes_on(order)) {
        const uint32_t number = order->next_to_take++;
        const bvp_clash_range own = cut_block(order); /* before another thread takes a number */
        while (bvpi_clash_goes_on(order) && number - order->next_to_deliver >= order->ring_size)
            pthread_cond_wait(&order->changed, &order->mutex);
        if (bvpi_clash_goes_on(order)) {
            block = &order->ring[number % order->ring_size];
            assert(!block->is_complete);
            block->number = number;
            block->first = own.first;
            block->count = own.end - own.first;
            block->pair_count = 0;
            block->status = BVP_OK;
            memset(&block->sum, 0, sizeof block->sum);
        }
    }
    pthread_mutex_unlock(&order->mutex);
    return block;
}

static void *work(void *argument)
{
    bvpi_clash_order *order = argument;
    const bvpi_clash_run *run = order->run;
    void *own = run->own_new(run->user);
    bvpi_clash_block *block;
    if (!own) {
        pthread_mutex_lock(&order->mutex);
        order->status = BVP_ERR_NO_MEMORY;
        end(order);
        pthread_cond_broadcast(&order->changed);
        pthread_mutex_unlock(&order->mutex);
    }
    while (own && (block = take_block(order)) != NULL) {
        run->work(run->user, own, block);
        pthread_mutex_lock(&order->mutex);
        /* under the mutex, so that the delivering thread sees everything the block has written */
        block->is_complete = true;
        deliver_complete(order);
        pthread_mutex_unlock(&order->mutex);
    }
    if (own)
        run->own_free(own);
    return NULL;
}

bvp_status bvpi_clash_in_order(const bvpi_clash_run *run, bvp_clash_coverage *coverage)
{
    bvpi_clash_order order = {.run = run, .block_size = BVPI_CLASH_BLOCK_MOST};
    uint32_t instances = 0; /* no more than there are, because ranges are disjoint */
    for (size_t i = 0; i < run->range_count; i++)
        instances += run->ranges[i].end - run->ranges[i].first;
    while (order.block_size > 1 && instances / order.block_size < BLOCKS_WANTED)
        order.block_size /= 2;
    for (size_t i = 0; i < run->range_count; i++)
        order.block_count += blocks_in(&run->ranges[i], order.block_size);
    assert(order.block_size > 0 && order.block_size <= BVPI_CLASH_BLOCK_MOST);
    uint32_t thread_count = run->thread_count ? run->thread_count : bvpi_cpu_count();
    if (thread_count > THREAD_MAX)
        thread_count = THREAD_MAX;
    if (thread_count > order.block_count)
        thread_count = order.block_count;
    order.ring_size = RING_A_THREAD * thread_count;
    if (thread_count > 0) {
        order.ring = calloc(order.ring_size, sizeof *order.ring);
        if (!order.ring)
            return BVP_ERR_NO_MEMORY;
        for (uint32_t i = 0; i < order.ring_size; i++)
            order.ring[i].order = &order;
        pthread_mutex_init(&order.mutex, NULL);
        pthread_cond_init(&order.changed, NULL);
        /* All blocks run on threads of our own, because the caller's stack may be small:
         * BVPI_THREAD_STACK. Only if none can be started they run on this one. */
        pthread_t threads[THREAD_MAX];
        uint32_t started = 0;
        while (started < thread_count && bvpi_thread_start(&threads[started], work, &order))
            started++;
        if (started == 0)
            work(&order);
        for (uint32_t i = 0; i < started; i++)
            pthread_join(threads[i], NULL);
        assert(order.has_ended || order.next_to_deliver == order.block_count);
        pthread_cond_destroy(&order.changed);
        pthread_mutex_destroy(&order.mutex);
        for (uint32_t i = 0; i < order.ring_size; i++)
            free(order.ring[i].pairs);
        free(order.ring);
    }
    *coverage = order.sum;
    return order.status;
}
