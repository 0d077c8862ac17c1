/* SPDX-License-Identifier: MIT
 * instance_title.c: tells names that somebody gave from those that a program made up.
 *
 * Held by tests/unit/test_instance_tree.c.
 */
#include "query/instance_title.h"

#include <stdbool.h>
#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* What exporters call a body, a face set or a node that has no name. */
static bool is_generic_word(const char *word, size_t size)
{
    static const char *const words[] = {"unnamed",
                                        "noname",
                                        "untitled",
                                        "none",
                                        "null",
                                        "default",
                                        "node",
                                        "object",
                                        "item",
                                        "solid",
                                        "solids",
                                        "body",
                                        "brep",
                                        "shell",
                                        "surface",
                                        "compound",
                                        "shape",
                                        "mesh",
                                        "polygon",
                                        "faces",
                                        "geometry",
                                        "group",
                                        "open_cascade_step_translator"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t k = 0;
        while (k < size && words[i][k] != '\0' && (word[k] | 0x20) == (words[i][k] | 0x20))
            k++;
        if (k == size && words[i][k] == '\0')
            return true;
    }
    return false;
}

/* A generic word, perhaps with a number: "Solid", "Body 3", "mesh_012", "SOLID.004"; or a place in
 * a document, "0:1:1:3" or "=>[0:1:1:3]". A number alone may be a part number: it tells. */
static bool tells(bvp_string label)
{
    size_t word = 0;
    bool has_colon = false, has_letter = false, has_digit = false;
    for (size_t i = 0; i < label.size; i++) {
        has_colon |= label.data[i] == ':';
        has_digit |= label.data[i] >= '0' && label.data[i] <= '9';
        has_letter |= is_letter(label.data[i]);
    }
    if (!has_letter)
        return has_digit && !has_colon;
    size_t end = label.size;
    while (end > 0 && strchr("0123456789 ._-#()[]", label.data[end - 1]) && label.data[end - 1])
        end--;
    while (word < end && label.data[word] == ' ')
        word++;
    return !is_generic_word(label.data + word, end - word);
}

int instance_title(const instance_tree *t, uint32_t node, growing_text *out)
{
    const bvp_string own = instance_tree_label(t, node);
    growing_text_clear(out);
    if (tells(own))
        return growing_text_add(out, own.data, own.size);
    const bvp_string part = instance_tree_part_name(t, node);
    if (tells(part))
        return growing_text_add(out, part.data, part.size);
    uint32_t named = instance_tree_parent(t, node);
    while (named != BVP_NONE && !tells(instance_tree_label(t, named)))
        named = instance_tree_parent(t, named);
    return instance_tree_path_from(t, named == BVP_NONE ? BVP_NONE : instance_tree_parent(t, named),
                                   node, out);
}
