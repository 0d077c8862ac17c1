/* SPDX-License-Identifier: MIT
 * linear_order.c: the order of linear parts in LINS.
 *
 * Most instances of an assembly stand in one of some hundred ways; the others have a linear part
 * each. The most used ones come first, in one block: whoever fetches blocks from afar needs it
 * once. The others follow in the order of the instances, as neighbours are asked for together.
 *
 * Held by tests/unit/test_linear_order.c, tests/property/test_first_pick.c (counts of reads)
 * Spec: format.md, chapter "Linear parts"
 * Measured: decisions.md, "First picks"
 */
#include "pack/file/linear_order.h"

#include "base/status.h"
#include "format/linear.h"
#include "pack/file/use_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Words of the linear parts that come first: half a block, which one read has more often than not.
 */
enum { OFTEN = BVPD_BLOCK_SIZE / 8 / 2 };

/* The new linear parts, while they are put in order. */
typedef struct ordering {
    const uint64_t *from;
    uint64_t *to;
    uint32_t *place; /* new references by old ones; BVP_NONE: it has none yet */
    uint64_t count;  /* words */
} ordering;

/* Copies one unless it is there. */
static void take(ordering *o, uint32_t reference)
{
    const unsigned words = 1 + bvpi_linear_count(o->from[reference]);
    if (o->place[reference] != BVP_NONE)
        return;
    memcpy(o->to + o->count, o->from + reference, words * sizeof *o->to);
    o->place[reference] = (uint32_t)o->count;
    o->count += words;
}

/* uses: of each reference. Those that are used more than once, sorted. */
static uint32_t list_often(const uint32_t *uses, uint64_t words, bvpi_use *list)
{
    uint32_t count = 0;
    for (uint64_t k = 1; k < words; k++)
        if (uses[k] > 1)
            list[count++] = (bvpi_use){(uint32_t)k, uses[k]};
    if (count > 0)
        qsort(list, count, sizeof *list, bvpi_most_used_first);
    return count;
}

bvp_status bvpi_order_linears(bvpi_array *linears, bvpd_instance *instances, uint32_t count,
                              bvp_error *error)
{
    const uint64_t words = linears->count / sizeof(uint64_t);
    ordering o = {.from = linears->data};
    uint32_t *uses = calloc(words, sizeof *uses);
    bvpi_use *list = malloc((words + 1) * sizeof *list);
    o.to = malloc(linears->count);
    o.place = malloc(words * sizeof *o.place);
    const bool ok = uses && list && o.to && o.place;
    if (ok) {
        memset(o.place, 0xff, words * sizeof *o.place);
        for (uint32_t i = 0; i < count; i++)
            uses[instances[i].linear]++;
        take(&o, 0); /* the identity stays the first one */
        const uint32_t repeated = list_often(uses, words, list);
        for (uint32_t k = 0; k < repeated && o.count < OFTEN; k++)
            take(&o, list[k].number);
        for (uint32_t i = 0; i < count; i++) {
            take(&o, instances[i].linear);
            instances[i].linear = o.place[instances[i].linear];
        }
        assert(o.count <= words);
        memcpy(linears->data, o.to, o.count * sizeof *o.to);
        linears->count = o.count * sizeof *o.to;
    }
    free(uses);
    free(list);
    free(o.to);
    free(o.place);
    return ok ? BVP_OK : bvpi_error_memory(error, words * 24);
}
