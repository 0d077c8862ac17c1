/* SPDX-License-Identifier: MIT
 * properties.h: a node's free properties: keys and values as text.
 */
#ifndef PROPERTIES_H
#define PROPERTIES_H

#include "text/json_tree.h"
#include "model/model.h"

/* Each returns 0, or -1 when memory is out. Bytes that are not UTF-8 are replaced. */
int property_add(model_node *node, const char *key, const char *value, size_t size);
/* A string as it is, anything else as JSON text; each member of an object, but for those that
 * packed files have of colours and numbers: a model's are about another file. */
int property_add_json(model_node *node, const char *key, const json_value *value);
int property_add_members(model_node *node, const json_value *object);
/* Those of `from` whose keys `node` does not have. */
int property_inherit(model_node *node, const model_node *from);

#endif
