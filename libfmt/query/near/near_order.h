/* SPDX-License-Identifier: MIT
 * near_order.h: an order of points in which neighbours follow one another, so that what a batch
 * keeps of one point serves the next.
 */
#ifndef BVPI_QUERY_NEAR_NEAR_ORDER_H
#define BVPI_QUERY_NEAR_NEAR_ORDER_H

#include <stdint.h>

#include "bvpack.h"

enum {
    BVPI_NEAR_LEAST = 64, /* for fewer points it does not pay */
    BVPI_NEAR_MOST = 4096 /* points at a time */
};

/* points: 3 doubles, of any value. order: `count` (BVPI_NEAR_LEAST .. BVPI_NEAR_MOST) numbers, of
 * the points from `from` on, each once, by cells of a Morton curve over their box. */
void bvpi_near_order(const bvp_const_array *points, size_t from, unsigned count, uint16_t *order);

#endif
