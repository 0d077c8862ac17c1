/* SPDX-License-Identifier: MIT
 * properties.c: a node's free properties: keys and values as text.
 */
#include "model/properties.h"

#include <stdlib.h>
#include <string.h>
#include "model/import.h"
#include "model/quality_keys.h"
#include "text/primitive_names.h"

int property_add(model_node *node, const char *key, const char *value, size_t size)
{
    const size_t count = node->property_count + (size_t)1;
    model_property *larger = realloc(node->properties, count * sizeof *larger);
    if (!larger)
        return -1;
    node->properties = larger;
    model_property *added = &larger[node->property_count++];
    added->key = import_text(key, strlen(key));
    added->value = import_text(value, size);
    return added->key && added->value ? 0 : -1;
}

int property_add_json(model_node *node, const char *key, const json_value *value)
{
    if (json_tree_text(value))
        return property_add(node, key, json_tree_text(value), json_tree_text_size(value));
    char *text = json_tree_dump(value);
    const int result = text ? property_add(node, key, text, strlen(text)) : -1;
    free(text);
    return result;
}

static int add_member(void *user, const char *key, const json_value *value)
{
    static const char *const ours[] = {COLOURS_KEY, ASSET_KEY, TOLERANCE_KEY, MISSING_FACES_KEY};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (strcmp(key, ours[i]) == 0)
            return 0;
    return property_add_json(user, key, value);
}

int property_add_members(model_node *node, const json_value *object)
{
    return json_tree_each(object, add_member, node);
}

int property_inherit(model_node *node, const model_node *from)
{
    const uint32_t own = node->property_count;
    for (uint32_t i = 0; i < from->property_count; i++) {
        const model_property *p = &from->properties[i];
        int has_key = 0;
        for (uint32_t k = 0; k < own && !has_key; k++)
            has_key = strcmp(node->properties[k].key, p->key) == 0;
        if (!has_key && property_add(node, p->key, p->value, strlen(p->value)))
            return -1;
    }
    return 0;
}
