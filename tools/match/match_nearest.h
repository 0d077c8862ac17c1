/* SPDX-License-Identifier: MIT
 * match_nearest.h: pairs the points of two sets.
 */
#ifndef MATCH_NEAREST_H
#define MATCH_NEAREST_H

#include <stdint.h>

enum { MATCH_NEAREST_MAX = 256 }; /* points of a set */

/* Pairs points that are each other's nearest, then those of the rest that are, and so on, until one
 * set is used up: the nearest pair is one of the result. Of equal distances the lower numbers
 * count. partner: for each of a, a number of b, or UINT32_MAX. Each round takes O(|a| (|a| + |b|));
 * after 16 of them what is left stays alone. */
void match_nearest(const double (*a)[3], uint32_t a_count, const double (*b)[3], uint32_t b_count,
                   uint32_t *partner);

#endif
