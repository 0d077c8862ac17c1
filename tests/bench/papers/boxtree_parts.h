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
/* Figure 7, and lookup tables. */
void boxtree_overlap_tests(const setup *setup);
/* Figure 8. */
void boxtree_against_dops(const setup *setup);

#endif
