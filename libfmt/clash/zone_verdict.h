/* SPDX-License-Identifier: MIT
 * zone_verdict.h: the verdict of an instance and a zone.
 * Spec: exactness.md, chapter 12, "Zones"
 */
#ifndef BVPI_CLASH_ZONE_VERDICT_H
#define BVPI_CLASH_ZONE_VERDICT_H

#include "clash/judge.h"
#include "clash/zone_shape.h"
#include "query/near/convex_query.h"

/* State for judging; one for each thread. */
typedef struct bvpi_zone_judge {
    const bvpi_clash_item *item;
    const bvpi_zone *zone;
    double crack;          /* cracks up to this width count as closed */
    double band;           /* what is this near counts as touching */
    bvpi_placed_body body; /* the item's part */
    bvpi_convex_query query;
} bvpi_zone_judge;

/* The item must remain valid at this address. */
void bvpi_zone_judge_set(bvpi_zone_judge *judge, const bvpi_clash_item *item);

/* Sets everything in *pair except a, b and the limits, which are inputs. */
bvp_status bvpi_zone_judge_pair(bvpi_zone_judge *judge, const bvpi_zone *zone,
                                bvp_clash_detail detail, bvp_clash_pair *pair);

#endif
