/* SPDX-License-Identifier: MIT
 * instance_title.h: what people call an instance.
 */
#ifndef BVPACK_TOOLS_QUERY_INSTANCE_TITLE_H
#define BVPACK_TOOLS_QUERY_INSTANCE_TITLE_H

#include "query/instance_tree.h"

/* The node's label, if it tells what the thing is. Many exporters call each body "SOLID", or by its
 * place in their document ("0:1:1:3"): then the part's name, if that does; else the labels from the
 * nearest node above whose label does, down to the node, as in its path: "gripper/SOLID[2]"; from
 * the root's on if none does. 0, or no memory. O(depth). */
int instance_title(const instance_tree *t, uint32_t node, growing_text *out);

#endif
