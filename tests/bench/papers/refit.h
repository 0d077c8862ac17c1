/* SPDX-License-Identifier: MIT
 * refit.h: refitting against rebuilding, a part of solid.c.
 */
#ifndef PAPERS_REFIT_H
#define PAPERS_REFIT_H

#include "suite.h"

void papers_refit(const setup *setup);

#endif
