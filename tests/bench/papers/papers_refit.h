/* SPDX-License-Identifier: MIT
 * papers_refit.h: refitting against rebuilding, a part of solid.c.
 */
#ifndef PAPERS_REFIT_H
#define PAPERS_REFIT_H

#include "papers_suite.h"

void papers_refit(const setup *setup);
/* Median seconds of refitting an AABB tree of a twisted model, leaves of one; NaN: refused. */
double papers_refit_seconds(const mesh *m);

#endif
