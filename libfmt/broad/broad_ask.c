/* SPDX-License-Identifier: MIT
 * broad_ask.c: which bodies of a broad phase meet a box.
 */
#include <math.h>
#include <string.h>

#include "broad/broad.h"

#define BEYOND 0x1p120 /* no box reaches so far */

/* The box's ends are rounded to the nearest float: rounding keeps an order, so it still meets each
 * fat box, of floats, that it met. One without end is cut off beyond all others. */
static bvp_status search_box(const bvp_broad *broad, const bvpi_bounds *box, bvp_broad_id *found,
                             uint64_t capacity, uint64_t *count)
{
    bvpi_broad_search search;
    uint32_t group;
    unsigned lanes;
    float lo[3], hi[3];
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = (float)fmin(fmax(box->lo[axis], -BEYOND), BEYOND);
        hi[axis] = (float)fmin(fmax(box->hi[axis], -BEYOND), BEYOND);
    }
    bvpi_broad_search_init(&broad->tree, lo, hi, &search);
    while ((lanes = broad->kernel->next(&broad->tree, &search, &group)) != 0)
        for (; lanes != 0; lanes &= lanes - 1) {
            const uint32_t slot = broad->tree.slots[8 * group + (uint32_t)__builtin_ctz(lanes)];
            if (!bvpi_bounds_meet(&broad->bounds[slot], box))
                continue;
            if (*count == capacity)
                return BVP_ERR_LIMIT;
            found[(*count)++] = bvpi_broad_id_of(broad, slot);
        }
    return BVP_OK;
}

static bool can_answer(const bvp_broad *broad, const bvp_broad_id *found, uint64_t capacity)
{
    return broad != NULL && broad->moved_count == 0 && (found != NULL || capacity == 0);
}

bvp_status bvp_broad_in_box(const bvp_broad *broad, const double lo[3], const double hi[3],
                            bvp_broad_id *found, uint64_t capacity, uint64_t *count)
{
    bvpi_bounds box;
    if (count == NULL)
        return BVP_ERR_ARGUMENT;
    *count = 0;
    if (!can_answer(broad, found, capacity) || lo == NULL || hi == NULL)
        return BVP_ERR_ARGUMENT;
    for (int axis = 0; axis < 3; axis++) {
        if (!(lo[axis] <= hi[axis]))
            return BVP_ERR_ARGUMENT;
        box.lo[axis] = lo[axis];
        box.hi[axis] = hi[axis];
    }
    return search_box(broad, &box, found, capacity, count);
}

bvp_status bvp_broad_near(const bvp_broad *broad, const bvp_body *body, bvp_broad_id *found,
                          uint64_t capacity, uint64_t *count)
{
    bvpi_body_bounds own;
    bvpi_bounds box;
    if (count == NULL)
        return BVP_ERR_ARGUMENT;
    *count = 0;
    if (!can_answer(broad, found, capacity))
        return BVP_ERR_ARGUMENT;
    bvp_status status = bvpi_body_bounds_init(body, &own);
    if (status == BVP_OK)
        status = bvpi_body_bounds_place(&own, body->placement, broad->grow, &box);
    if (status != BVP_OK || own.is_empty)
        return status;
    return search_box(broad, &box, found, capacity, count);
}
