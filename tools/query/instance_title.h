/* SPDX-License-Identifier: MIT
 * instance_title.h: what people call an instance.
 */
#ifndef BVPACK_TOOLS_QUERY_INSTANCE_TITLE_H
#define BVPACK_TOOLS_QUERY_INSTANCE_TITLE_H

#include <stdbool.h>
#include "query/instance_tree.h"

/* Does a label tell what the thing is? Not "SOLID", "Body 3" or "0:1:1:3". */
bool instance_title_tells(bvp_string label);

/* The node's label, if it tells what the thing is. Many exporters call each body "SOLID", or by its
 * place in their document ("0:1:1:3"): then the part's name, if that does; then its part number;
 * else the labels from the nearest node above whose label does, down to the node, as in its path:
 * "gripper/SOLID[2]"; if none does, from the nearest that is not just "unnamed": "body_8"; else
 * "unnamed part 7". 0, or no memory. O(depth). */
int instance_title(const instance_tree *t, uint32_t node, growing_text *out);

/* The nearest node, this one or one above it, that the source knows as a thing of its own: it has
 * an id, a part number or is a product. BVP_NONE: none is. O(depth). */
uint32_t instance_element(const instance_tree *t, uint32_t node);

#endif
