/* SPDX-License-Identifier: MIT
 * diff_properties.c: finds the properties in which two nodes differ, by sorting and merging both
 * lists.
 */
#include "diff/diff_properties.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct property {
    bvp_string key, value;
} property;

typedef struct property_list {
    property *items;
    uint32_t count;
} property_list;

static int compare(bvp_string a, bvp_string b)
{
    const size_t common = a.size < b.size ? a.size : b.size;
    const int order = common > 0 ? memcmp(a.data, b.data, common) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int in_order(const void *a, const void *b)
{
    const property *one = a, *other = b;
    const int order = compare(one->key, other->key);
    return order != 0 ? order : compare(one->value, other->value);
}

static int list(const match_side *s, uint32_t node, property_list *out)
{
    bvp_node_info info;
    if (bvp_get_node(s->tree.file, node, &info) != BVP_OK)
        info.property_count = 0;
    out->count = 0;
    out->items = calloc((size_t)info.property_count + 1, sizeof *out->items);
    if (!out->items)
        return -1;
    for (uint32_t i = 0; i < info.property_count; i++) {
        property *next = &out->items[out->count];
        out->count += bvp_get_property(s->tree.file, node, i, &next->key, &next->value) == BVP_OK &&
                      match_is_compared(next->key);
    }
    assert(out->count <= info.property_count);
    qsort(out->items, out->count, sizeof *out->items, in_order);
    return 0;
}

int diff_properties(const match_side *a, uint32_t node_a, const match_side *b, uint32_t node_b,
                    diff_property_fn callback, void *user)
{
    property_list one = {0}, other = {0};
    int code = list(a, node_a, &one);
    if (code == 0)
        code = list(b, node_b, &other);
    if (code == 0) {
        for (uint32_t i = 0, k = 0; i < one.count || k < other.count;) {
            const property *was = i < one.count ? &one.items[i] : NULL;
            const property *is = k < other.count ? &other.items[k] : NULL;
            const int order = !was ? 1 : !is ? -1 : compare(was->key, is->key);
            i += order <= 0;
            k += order >= 0;
            if (order < 0)
                callback(user, was->key, &was->value, NULL);
            else if (order > 0)
                callback(user, is->key, NULL, &is->value);
            else if (compare(was->value, is->value) != 0)
                callback(user, was->key, &was->value, &is->value);
        }
    }
    free(one.items);
    free(other.items);
    return code;
}
