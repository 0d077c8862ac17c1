/* SPDX-License-Identifier: MIT
 * boxtree_parts.h: parts of boxtree.c.
 */
#ifndef PAPERS_BOXTREE_PARTS_H
#define PAPERS_BOXTREE_PARTS_H

#include "papers_suite.h"

/* Figure 5. */
void boxtree_building(const setup *setup);
/* Section 4.2. */
void boxtree_construction(const setup *setup);
/* Figure 7. */
void boxtree_overlap_tests(const setup *setup);

/* What section 3.3 saves of the operations counted by ops.c: aligned, SAT lite, SAT. */
typedef struct counted_saving {
    double worst[3], mean[3];
} counted_saving;

/* Section 3.3 and lookup tables, in the library. */
void boxtree_descents(const setup *setup, const counted_saving *counted);
/* Figure 8. */
void boxtree_against_dops(const setup *setup);

#endif
