/* SPDX-License-Identifier: MIT
 * keyword.h: the words for kinds of hierarchies, for the rules they are cut by, and for how
 * oriented volumes are fitted.
 */
#ifndef KEYWORD_H
#define KEYWORD_H

#include "bvpack_build.h"

/* For an option's table: all kinds, and the rules that cut any kind but wide. */
#define KIND_CHOICE  "wide|boxtree|aabb|obb|rss"
#define SPLIT_CHOICE "sah|volume|restricted|longest|lookahead|midpoint|median|mean"
#define FIT_CHOICE   "surface|extremes|hull"

/* "?" when there is none of that number. */
const char *kind_name(uint32_t kind);
const char *split_name(uint32_t split);
const char *fit_name(uint32_t fit);

/* The number of a word, which need not end with a zero; 0 when it is none. */
uint32_t kind_by_name(const char *word, size_t size);
uint32_t split_by_name(const char *word);
uint32_t fit_by_name(const char *word);

#endif
