/* SPDX-License-Identifier: MIT
 * diff_properties.h: which properties of two nodes differ.
 */
#ifndef DIFF_PROPERTIES_H
#define DIFF_PROPERTIES_H

#include "match/match_side.h"

/* was, is: NULL where the node has no such property. */
typedef void (*diff_property_fn)(void *user, bvp_string key, const bvp_string *was,
                                 const bvp_string *is);

/* Calls for each property that differs, in the order of keys; of several of one key in that of
 * values. 0, or says that memory is out and returns the exit code. */
int diff_properties(const match_side *a, uint32_t node_a, const match_side *b, uint32_t node_b,
                    diff_property_fn callback, void *user);

#endif
