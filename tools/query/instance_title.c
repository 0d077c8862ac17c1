/* SPDX-License-Identifier: MIT
 * instance_title.c: tells names that somebody gave from those that a program made up.
 *
 * Held by tests/unit/test_instance_tree.c.
 */
#include "query/instance_title.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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

bool instance_title_tells(bvp_string label)
{
    return tells(label);
}

/* Of names that tell nothing, "SOLID" and "body_8" are still better than "unnamed". */
static bool is_empty(bvp_string label)
{
    static const char *const words[] = {"unnamed", "noname", "untitled", "none", "null", "default"};
    size_t end = label.size, begin = 0;
    while (end > 0 && (label.data[end - 1] == ' ' || label.data[end - 1] == '\t'))
        end--;
    while (begin < end && label.data[begin] == ' ')
        begin++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (end - begin == strlen(words[i]) &&
            strncasecmp(label.data + begin, words[i], end - begin) == 0)
            return true;
    return begin == end;
}

/* The nearest node, this one or one above, with such a label; BVP_NONE: there is none. */
static uint32_t nearest(const instance_tree *t, uint32_t node, bool (*is_such)(bvp_string))
{
    while (node != BVP_NONE && !is_such(instance_tree_label(t, node)))
        node = instance_tree_parent(t, node);
    return node;
}

static bool is_something(bvp_string label)
{
    return !is_empty(label);
}

static int add_unnamed(const instance_tree *t, uint32_t node, growing_text *out)
{
    char text[48];
    bvp_node_info info;
    if (bvp_get_node(t->file, node, &info) != BVP_OK || info.part == BVP_NONE)
        return growing_text_add(out, "unnamed", 7);
    const int size =
        snprintf(text, sizeof text, "unnamed part %llu", (unsigned long long)info.part + 1);
    return growing_text_add(out, text, (size_t)size);
}

static int keep_value(void *user, bvp_string value)
{
    *(bvp_string *)user = value;
    return 1;
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
    bvp_string number = {"", 0};
    if (instance_tree_property(t, node, "part_number", keep_value, &number) && tells(number))
        return growing_text_add(out, number.data, number.size);
    uint32_t named = nearest(t, instance_tree_parent(t, node), tells);
    if (named == BVP_NONE)
        named = nearest(t, node, is_something);
    if (named == BVP_NONE)
        return add_unnamed(t, node, out);
    return instance_tree_path_from(t, instance_tree_parent(t, named), node, out);
}

static int is_text(void *user, bvp_string value)
{
    (void)user;
    return value.size > 0;
}

uint32_t instance_element(const instance_tree *t, uint32_t node)
{
    bvp_node_info info;
    for (; node != BVP_NONE; node = instance_tree_parent(t, node))
        if (bvp_get_node(t->file, node, &info) == BVP_OK &&
            (info.source_id.size > 0 ||
             instance_tree_property(t, node, "part_number", is_text, NULL) ||
             instance_tree_property(t, node, "product", is_text, NULL)))
            return node;
    return BVP_NONE;
}
