/* SPDX-License-Identifier: MIT
 * item_case.h: boxes to sort into hierarchies, and what must be true of any that holds them.
 */
#ifndef ITEM_CASE_H
#define ITEM_CASE_H

#include "pack/tree/sah_split.h"
#include "build_case.h"

#include <stdlib.h>

#include "suite.h"

/* Boxes with lower corners below `range` and sides below `size`, to be freed. */
static inline bvpi_item *item_case(uint64_t *state, uint32_t count, uint32_t range, uint32_t size)
{
    bvpi_item *items = aligned_alloc(64, (count + 2) * sizeof *items / 64 * 64);
    for (uint32_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            const uint32_t lo = (uint32_t)(case_random(state) % range);
            items[i].minus_lo[axis] = -(float)lo;
            items[i].hi[axis] = (float)(lo + case_random(state) % size);
        }
        items[i].id = i;
        items[i].zero = 0;
    }
    return items;
}

static inline bool item_case_inside(const float *minus_lo, const float *hi,
                                    const bvpi_build_node *outer)
{
    for (int axis = 0; axis < 3; axis++)
        if (minus_lo[axis] > outer->minus_lo[axis] || hi[axis] > outer->hi[axis])
            return false;
    return true;
}

/* Every item is in one leaf, every box holds what is below, children come after their parents and
 * share what these have. */
static inline void item_case_check(const bvpi_item *items, uint32_t count,
                                   const bvpi_build_node *nodes, uint32_t node_count,
                                   uint32_t leaf_size)
{
    uint8_t *seen = calloc(count, 1);
    ck_assert_uint_lt(node_count, 2 * count);
    for (uint32_t k = 0; k < node_count; k++) {
        const bvpi_build_node *n = &nodes[k];
        ck_assert_uint_lt(n->depth, BVPD_DEPTH_MAX);
        if (n->left == 0) {
            ck_assert(n->count >= 1 && n->count <= leaf_size);
            for (uint32_t i = n->first; i < n->first + n->count; i++) {
                ck_assert(item_case_inside(items[i].minus_lo, items[i].hi, n));
                ck_assert_int_eq(seen[items[i].id]++, 0);
            }
            continue;
        }
        const bvpi_build_node *l = &nodes[n->left], *r = l + 1;
        ck_assert_uint_gt(n->left, k);
        ck_assert_uint_eq(l->first, n->first);
        ck_assert_uint_eq(r->first, l->first + l->count);
        ck_assert_uint_eq(l->count + r->count, n->count);
        ck_assert(item_case_inside(l->minus_lo, l->hi, n) &&
                  item_case_inside(r->minus_lo, r->hi, n));
    }
    for (uint32_t i = 0; i < count; i++)
        ck_assert_int_eq(seen[i], 1);
    free(seen);
}

#endif
