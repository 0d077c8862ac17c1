/* SPDX-License-Identifier: MIT
 * papers_refit.h: refitting against rebuilding, a part of solid.c.
 */
#ifndef PAPERS_REFIT_H
#define PAPERS_REFIT_H

#include "papers_suite.h"

void papers_refit(const setup *setup);

#endif
