/* SPDX-License-Identifier: MIT
 * primitive_names.c: which primitive of its mesh a triangle is of, and of which material.
 */
#include "text/primitive_names.h"

#include <inttypes.h>

#include "text/json_tree.h"
#include "text/message.h"

/* The last pair that begins at or before the triangle: primitives without triangles begin where the
 * next one does. A list that is none, or is damaged, says nothing. */
static const json_value *find(const json_value *list, uint64_t triangle, size_t *index)
{
    const json_value *found = NULL;
    uint64_t first;
    for (size_t i = 0; i < json_tree_size(list); i++) {
        const json_value *pair = json_tree_at(list, i);
        if (!json_tree_count(json_tree_at(pair, 0), &first) || first > triangle)
            break;
        found = pair;
        *index = i;
    }
    return found;
}

void primitive_put_json(json *out, bvp_string list, uint64_t triangle)
{
    json_fault fault;
    size_t index;
    uint64_t number;
    json_value *tree = json_tree_open(list.data, list.size, &fault);
    const json_value *pair = find(tree, triangle, &index);
    if (pair) {
        const json_value *material = json_tree_at(pair, 1);
        jsonw_count(out, "primitive", index);
        if (json_tree_text(material))
            jsonw_bytes(out, "material",
                        (bvp_string){json_tree_text(material), json_tree_text_size(material)});
        else if (json_tree_count(material, &number))
            jsonw_count(out, "material", number);
        else
            jsonw_null(out, "material");
    }
    json_tree_close(tree);
}

void primitive_print(bvp_string list, uint64_t triangle)
{
    json_fault fault;
    size_t index;
    uint64_t number;
    json_value *tree = json_tree_open(list.data, list.size, &fault);
    const json_value *pair = find(tree, triangle, &index);
    if (pair) {
        const json_value *material = json_tree_at(pair, 1);
        printf(", primitive %zu", index);
        if (json_tree_text(material)) {
            fputs(", material \"", stdout);
            print_name(stdout, json_tree_text(material), json_tree_text_size(material));
            putchar('"');
        } else if (json_tree_count(material, &number)) {
            printf(", material %" PRIu64, number);
        }
    }
    json_tree_close(tree);
}
