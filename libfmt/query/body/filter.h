/* SPDX-License-Identifier: MIT
 * filter.h: which instances of an assembly a query covers: bvp_filter.
 */
#ifndef BVPI_QUERY_BODY_FILTER_H
#define BVPI_QUERY_BODY_FILTER_H

#include <stdbool.h>

#include "bvpack.h"

static inline bool bvpi_filter_selects(const bvp_filter *filter, uint32_t instance)
{
    const size_t word = instance / 64;
    const bool named =
        word < filter->word_count && (filter->bits[word] >> (instance % 64) & 1) != 0;
    return named != (filter->exclude != 0);
}

/* Is `bits` set, or word_count 0? */
bool bvpi_filter_is_sound(const bvp_filter *filter);

/* A total order by content, NULL first. */
int bvpi_filter_compare(const bvp_filter *a, const bvp_filter *b);

/* Names the content; 0: there is no filter. */
uint64_t bvpi_filter_hash(const bvp_filter *filter);

/* How many of the instances 0 .. instance_count - 1 are selected; `most` when there are more. */
uint32_t bvpi_filter_count(const bvp_filter *filter, uint32_t instance_count, uint32_t most);

/* Are so few instances selected that an unbounded search is faster one instance at a time? A walk
 * of the hierarchy opens every box between them. */
bool bvpi_filter_is_few(const bvp_filter *filter, uint32_t instance_count);

/* The first selected one of instances from .. instance_count - 1, or instance_count. */
uint32_t bvpi_filter_next(const bvp_filter *filter, uint32_t from, uint32_t instance_count);

#endif
