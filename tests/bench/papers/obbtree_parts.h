/* SPDX-License-Identifier: MIT
 * obbtree_parts.h: parts of obbtree.c.
 */
#ifndef PAPERS_OBBTREE_PARTS_H
#define PAPERS_OBBTREE_PARTS_H

#include "papers_suite.h"

/* Trees of models beside FCL's. */
void obbtree_models(const setup *setup);
/* How the time to build grows. */
void obbtree_build(const setup *setup);
/* Scenes with contacts. */
void obbtree_scenes(const setup *setup);

#endif
