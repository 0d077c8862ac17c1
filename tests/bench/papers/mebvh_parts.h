/* SPDX-License-Identifier: MIT
 * mebvh_parts.h: parts of mebvh.c.
 */
#ifndef PAPERS_MEBVH_PARTS_H
#define PAPERS_MEBVH_PARTS_H

#include "papers_suite.h"

/* Table 3. */
void mebvh_planning(const setup *setup);
/* A rectangle as two triangles; trees that are balanced. */
void mebvh_rectangles(const setup *setup);
void mebvh_balance(const setup *setup);

#endif
