/* SPDX-License-Identifier: MIT
 * clash_groups.c: how many pairs a run reports of each pair of parts.
 *
 * Memory is bounded, whatever a run finds: groups are counted in a hash table with twice as many
 * slots as groups it takes, so that a probe always meets a free slot.
 */
#include "found/clash_groups.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "text/message.h"

int clash_groups_start(clash_groups *g)
{
    memset(g, 0, sizeof *g);
    g->items = calloc(2 * CLASH_GROUP_MAX, sizeof *g->items);
    return g->items ? 0 : complain_memory();
}

void clash_groups_close(clash_groups *g)
{
    free(g->items);
    memset(g, 0, sizeof *g);
}

void clash_groups_count(clash_groups *g, uint32_t part_a, uint32_t part_b)
{
    const uint64_t key = (uint64_t)part_a << 32 | part_b, mask = 2 * CLASH_GROUP_MAX - 1;
    for (uint64_t i = key * 0x9e3779b97f4a7c15u >> 40 & mask;; i = (i + 1) & mask) {
        clash_group *item = &g->items[i];
        assert(g->count <= CLASH_GROUP_MAX); /* half of the slots are free: the probe ends */
        if (item->count == 0 && g->count == CLASH_GROUP_MAX) {
            g->ungrouped++;
            return;
        }
        if (item->count == 0) {
            *item = (clash_group){part_a, part_b, 0};
            g->count++;
        }
        if (item->part_a == part_a && item->part_b == part_b) {
            item->count++;
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

uint32_t clash_groups_largest(const clash_groups *g, clash_group *out, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 2 * CLASH_GROUP_MAX; i++) {
        uint32_t at = count;
        if (g->items[i].count == 0)
            continue;
        while (at > 0 && is_larger(&g->items[i], &out[at - 1]))
            at--;
        if (at == most)
            continue;
        count += count < most;
        assert(at < count && count <= most);
        memmove(out + at + 1, out + at, (count - 1 - at) * sizeof *out);
        out[at] = g->items[i];
    }
    return count;
}
