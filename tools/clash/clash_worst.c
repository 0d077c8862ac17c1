/* SPDX-License-Identifier: MIT
 * clash_worst.c: the worst pairs of a run, and how many there are of each pair of products.
 *
 * Memory is bounded, whatever a run finds. The worst pairs are an array sorted by insertion: a pair
 * that is no worse than the last of a full array costs one comparison. Groups are counted in a hash
 * table with twice as many slots as groups it takes, so that a probe always meets a free slot.
 */
#include "clash/clash_worst.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "text/message.h"

int clash_worst_start(clash_worst *w, uint32_t capacity)
{
    memset(w, 0, sizeof *w);
    w->capacity = capacity;
    w->pairs = calloc((size_t)capacity + 1, sizeof *w->pairs);
    w->groups = calloc(2 * CLASH_GROUP_MAX, sizeof *w->groups);
    return w->pairs && w->groups ? 0 : complain_memory();
}

void clash_worst_close(clash_worst *w)
{
    free(w->pairs);
    free(w->groups);
    memset(w, 0, sizeof *w);
}

/* ---- pairs --------------------------------------------------------------------------------- */

static int severity(bvp_verdict verdict)
{
    static const int ranks[BVP_VERDICT_COUNT] = {
        [BVP_VERDICT_PENETRATING] = 6, [BVP_VERDICT_ENCLOSED] = 5, [BVP_VERDICT_DUPLICATE] = 4,
        [BVP_VERDICT_UNKNOWN] = 3,     [BVP_VERDICT_WITHIN] = 2,   [BVP_VERDICT_TOUCHING] = 1};
    assert((unsigned)verdict < BVP_VERDICT_COUNT);
    return ranks[verdict];
}

static int is_worse(const bvp_clash_pair *a, const bvp_clash_pair *b)
{
    if (a->verdict != b->verdict)
        return severity(a->verdict) > severity(b->verdict);
    if (a->depth != b->depth)
        return a->depth > b->depth;
    return a->distance < b->distance;
}

void clash_worst_add(clash_worst *w, const clash_worst_pair *pair)
{
    uint32_t at = w->count;
    assert(w->count <= w->capacity);
    while (at > 0 && is_worse(&pair->pair, &w->pairs[at - 1].pair))
        at--;
    if (at == w->capacity)
        return;
    w->count += w->count < w->capacity; /* of a full array the last pair is dropped */
    assert(at < w->count);
    memmove(w->pairs + at + 1, w->pairs + at, (w->count - 1 - at) * sizeof *w->pairs);
    w->pairs[at] = *pair;
}

/* ---- groups -------------------------------------------------------------------------------- */

void clash_worst_count(clash_worst *w, uint32_t part_a, uint32_t part_b)
{
    const uint64_t key = (uint64_t)part_a << 32 | part_b, mask = 2 * CLASH_GROUP_MAX - 1;
    for (uint64_t i = key * 0x9e3779b97f4a7c15u >> 40 & mask;; i = (i + 1) & mask) {
        clash_group *g = &w->groups[i];
        assert(w->group_count <= CLASH_GROUP_MAX); /* half of the slots are free: the probe ends */
        if (g->count == 0 && w->group_count == CLASH_GROUP_MAX) {
            w->ungrouped++;
            return;
        }
        if (g->count == 0) {
            *g = (clash_group){part_a, part_b, 0};
            w->group_count++;
        }
        if (g->part_a == part_a && g->part_b == part_b) {
            g->count++;
            return;
        }
    }
}

static int is_larger(const clash_group *a, const clash_group *b)
{
    if (a->count != b->count)
        return a->count > b->count;
    return a->part_a != b->part_a ? a->part_a < b->part_a : a->part_b < b->part_b;
}

uint32_t clash_worst_groups(const clash_worst *w, clash_group *out, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 2 * CLASH_GROUP_MAX; i++) {
        uint32_t at = count;
        if (w->groups[i].count == 0)
            continue;
        while (at > 0 && is_larger(&w->groups[i], &out[at - 1]))
            at--;
        if (at == most)
            continue;
        count += count < most;
        assert(at < count && count <= most);
        memmove(out + at + 1, out + at, (count - 1 - at) * sizeof *out);
        out[at] = w->groups[i];
    }
    return count;
}
