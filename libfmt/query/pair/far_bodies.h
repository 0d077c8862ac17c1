/* SPDX-License-Identifier: MIT
 * far_bodies.h: bodies whose boxes in the world are certainly apart, before a query is set up.
 */
#ifndef BVPI_QUERY_PAIR_FAR_BODIES_H
#define BVPI_QUERY_PAIR_FAR_BODIES_H

#include <stdbool.h>

#include "bvpack.h"

/* Are two bodies certainly farther apart than the limit, so that the answer is that nothing was
 * found? False wherever a query has something to refuse, to count or to check first: controls, a
 * chosen kind of hierarchy that a part may lack, instances far away, placements near what is
 * refused, damaged records. a, b: as a caller gave them, or NULL. */
bool bvpi_bodies_are_far(const bvp_body *a, const bvp_body *b, double limit);
/* The same for a query, whose answer that is: one box test. stats: the caller's, or NULL. */
bool bvpi_boxes_are_far(const bvp_body *a, const bvp_body *b, double limit, bvp_stats *stats);

#endif
