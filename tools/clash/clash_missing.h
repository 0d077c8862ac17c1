/* SPDX-License-Identifier: MIT
 * clash_missing.h: parts of which faces are missing: nothing is known of contacts with these.
 */
#ifndef CLASH_MISSING_H
#define CLASH_MISSING_H

#include "rules/clash_rules.h"

/* A warning of the coverage statement for each such part that has instances, the first ones by
 * name. 0, or says that memory is out and returns the exit code. */
int clash_missing_warn(clash_rules *r, const instance_tree *t);

#endif
