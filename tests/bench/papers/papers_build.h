/* SPDX-License-Identifier: MIT
 * papers_build.h: what building AABB and OBB trees costs and gives, a part of solid.c.
 */
#ifndef PAPERS_BUILD_H
#define PAPERS_BUILD_H

#include "papers_suite.h"

void papers_build(const setup *setup);

#endif
