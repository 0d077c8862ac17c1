/* SPDX-License-Identifier: MIT
 * instance_tree.c: what identifies the instances of a file.
 *
 * A node is identified by the chain of names and source ids above it, and by its number among
 * siblings with the same name and id: never by an index of the file, which the next export may give
 * to another node.
 */
#include "query/instance_tree.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "text/array.h"
#include "text/hash64.h"
#include "text/message.h"

/* ---- text ---------------------------------------------------------------------------------- */

int growing_text_add(growing_text *text, const char *data, size_t size)
{
    if (array_grow(&text->data, &text->capacity, text->size + size + 1, 1) != 0)
        return -1;
    if (size > 0)
        memcpy(text->data + text->size, data, size);
    text->size += size;
    assert(text->size < text->capacity);
    text->data[text->size] = '\0';
    return 0;
}

void growing_text_clear(growing_text *text)
{
    text->size = 0;
    if (text->data)
        text->data[0] = '\0';
}

void growing_text_free(growing_text *text)
{
    free(text->data);
    memset(text, 0, sizeof *text);
}

/* ---- nodes --------------------------------------------------------------------------------- */

/* A node with a forged parent is taken for a root, so every walk upward ends. */
uint32_t instance_tree_parent(const instance_tree *t, uint32_t node)
{
    bvp_node_info info;
    if (bvp_get_node(t->file, node, &info) != BVP_OK || info.parent >= node)
        return BVP_NONE;
    return info.parent;
}

uint32_t instance_tree_node(const instance_tree *t, uint32_t instance)
{
    bvp_instance_info info;
    if (bvp_get_instance(t->file, instance, &info) != BVP_OK || info.node >= t->info.node_count)
        return 0;
    return info.node;
}

static bvp_string part_text(const instance_tree *t, const bvp_node_info *node, int want_source_id)
{
    bvp_part_identity part;
    if (node->part == BVP_NONE || bvp_get_part_identity(t->file, node->part, &part) != BVP_OK)
        return (bvp_string){"", 0};
    return want_source_id ? part.source_id : part.name;
}

bvp_string instance_tree_part_name(const instance_tree *t, uint32_t node)
{
    bvp_node_info info;
    if (bvp_get_node(t->file, node, &info) != BVP_OK)
        return (bvp_string){"", 0};
    return part_text(t, &info, 0);
}

static bvp_string label_of(const instance_tree *t, const bvp_node_info *node)
{
    const bvp_string name = node->name.size > 0 ? node->name : part_text(t, node, 0);
    return name.size > 0 ? name : (bvp_string){"unnamed", 7};
}

bvp_string instance_tree_label(const instance_tree *t, uint32_t node)
{
    bvp_node_info info;
    if (bvp_get_node(t->file, node, &info) != BVP_OK)
        return (bvp_string){"unnamed", 7};
    return label_of(t, &info);
}

int instance_tree_property(const instance_tree *t, uint32_t node, const char *key,
                           instance_value_fn accept, void *user)
{
    bvp_node_info info;
    const size_t size = strlen(key);
    if (bvp_get_node(t->file, node, &info) != BVP_OK)
        return 0;
    for (uint32_t i = 0; i < info.property_count; i++) {
        bvp_string name, value;
        if (bvp_get_property(t->file, node, i, &name, &value) == BVP_OK && name.size == size &&
            memcmp(name.data, key, size) == 0 && accept(user, value))
            return 1;
    }
    return 0;
}

int instance_tree_property_of(const instance_tree *t, uint32_t instance, const char *key,
                              instance_value_fn accept, void *user)
{
    return t->has_properties &&
           instance_tree_property(t, instance_tree_node(t, instance), key, accept, user);
}

static int keep_value(void *user, bvp_string value)
{
    *(bvp_string *)user = value;
    return value.size > 0;
}

bvp_string instance_tree_part_number(const instance_tree *t, uint32_t node)
{
    bvp_string found = {"", 0};
    bvp_node_info info;
    if (instance_tree_property(t, node, "part_number", keep_value, &found) ||
        bvp_get_node(t->file, node, &info) != BVP_OK)
        return found;
    found = part_text(t, &info, 1);
    return found.size > 0 ? found : part_text(t, &info, 0);
}

/* ---- identities ---------------------------------------------------------------------------- */

/* How many siblings with the same name and id have been seen: an open-addressed table. */
typedef struct kin_table {
    struct kin {
        uint64_t key; /* 0: free */
        uint32_t count;
    } * slots;
    uint64_t mask;
} kin_table;

/* The table has more slots than nodes are counted in it, so that the probe ends. */
static uint32_t count_kin(kin_table *table, const uint8_t hash[16])
{
    uint64_t key;
    memcpy(&key, hash, sizeof key);
    key += key == 0;
    for (uint64_t i = key & table->mask;; i = (i + 1) & table->mask) {
        struct kin *slot = &table->slots[i];
        if (slot->key == 0)
            slot->key = key;
        if (slot->key == key)
            return ++slot->count;
    }
}

static int identify(instance_tree *t, uint32_t node, kin_table *table, growing_text *text)
{
    static const uint8_t top[16];
    bvp_node_info info = {.parent = BVP_NONE};
    const bvp_status status = bvp_get_node(t->file, node, &info);
    const uint32_t parent = status == BVP_OK && info.parent < node ? info.parent : BVP_NONE;
    uint8_t *hash = t->hashes[node];
    assert(node < t->info.node_count);
    t->has_properties |= info.property_count > 0;
    if (parent == BVP_NONE) {
        memset(hash, 0, 16);
        t->ordinals[node] = 1;
        return 0;
    }
    /* hash = of above, label and source id. The parent's is there: its number is smaller. */
    const bvp_string label = label_of(t, &info);
    growing_text_clear(text);
    if (growing_text_add(text, (const char *)(parent == 0 ? top : t->hashes[parent]), 16) != 0 ||
        growing_text_add(text, label.data, label.size) != 0 || growing_text_add(text, "", 1) != 0 ||
        growing_text_add(text, info.source_id.data, info.source_id.size) != 0)
        return -1;
    bvp_hash(text->data, text->size, hash);
    t->ordinals[node] = count_kin(table, hash);
    if (t->ordinals[node] > 1) {
        uint8_t record[20];
        memcpy(record, hash, 16);
        for (int b = 0; b < 4; b++)
            record[16 + b] = (uint8_t)(t->ordinals[node] >> (8 * b));
        bvp_hash(record, sizeof record, hash);
    }
    return 0;
}

int instance_tree_open(instance_tree *t, const bvp_file *file)
{
    kin_table table = {.mask = 15};
    growing_text text = {0};
    int failed;

    memset(t, 0, sizeof *t);
    t->file = file;
    bvp_get_info(file, &t->info);
    while (table.mask < 2 * (uint64_t)t->info.node_count)
        table.mask = 2 * table.mask + 1;
    assert((table.mask & (table.mask + 1)) == 0 && table.mask >= t->info.node_count);
    table.slots = calloc(table.mask + 1, sizeof *table.slots);
    t->hashes = calloc((size_t)t->info.node_count + 1, sizeof *t->hashes);
    t->ordinals = calloc((size_t)t->info.node_count + 1, sizeof *t->ordinals);
    failed = !table.slots || !t->hashes || !t->ordinals;
    for (uint32_t node = 0; !failed && node < t->info.node_count; node++)
        failed = identify(t, node, &table, &text) != 0;
    free(table.slots);
    growing_text_free(&text);
    if (!failed)
        return 0;
    instance_tree_close(t);
    return complain_memory();
}

void instance_tree_close(instance_tree *t)
{
    free(t->hashes);
    free(t->ordinals);
    free(t->index);
    memset(t, 0, sizeof *t);
}

/* ---- paths --------------------------------------------------------------------------------- */

static int add_label(const instance_tree *t, uint32_t node, growing_text *out)
{
    const bvp_string label = instance_tree_label(t, node);
    for (size_t i = 0, plain; i < label.size; i += plain) {
        plain = 0;
        if (label.data[i] == '/' || label.data[i] == '\\')
            if (growing_text_add(out, "\\", 1) != 0)
                return -1;
        do
            plain++;
        while (i + plain < label.size && label.data[i + plain] != '/' &&
               label.data[i + plain] != '\\');
        if (growing_text_add(out, label.data + i, plain) != 0)
            return -1;
    }
    if (t->ordinals[node] > 1) {
        char number[16];
        int size = snprintf(number, sizeof number, "[%u]", t->ordinals[node]);
        return growing_text_add(out, number, (size_t)size);
    }
    return 0;
}

int instance_tree_path_from(const instance_tree *t, uint32_t from, uint32_t node, growing_text *out)
{
    uint32_t chain[1024], count = 0; /* a tree has fewer levels */
    growing_text_clear(out);
    for (uint32_t at = node; at != from && at != BVP_NONE && count < 1024;
         at = instance_tree_parent(t, at))
        chain[count++] = at;
    while (count-- > 0)
        if (add_label(t, chain[count], out) != 0 ||
            (count > 0 && growing_text_add(out, "/", 1) != 0))
            return -1;
    return 0;
}

int instance_tree_path(const instance_tree *t, uint32_t node, growing_text *out)
{
    const int is_root = instance_tree_parent(t, node) == BVP_NONE;
    return instance_tree_path_from(t, is_root ? BVP_NONE : 0, node, out);
}

/* ---- from a path to its instance ------------------------------------------------------------ */

static int by_hash(const void *a, const void *b)
{
    const struct indexed_instance *one = a, *other = b;
    if (one->hash != other->hash)
        return one->hash < other->hash ? -1 : 1;
    return (one->instance > other->instance) - (one->instance < other->instance);
}

int instance_tree_index(instance_tree *t)
{
    growing_text path = {0};
    const uint32_t count = t->info.instance_count;
    int failed = 0;
    if (t->index)
        return 0;
    struct indexed_instance *index = calloc((size_t)count + 1, sizeof *index);
    for (uint32_t i = 0; index && !failed && i < count; i++) {
        failed = instance_tree_path(t, instance_tree_node(t, i), &path) != 0;
        if (!failed)
            index[i] = (struct indexed_instance){hash64(path.data, path.size), i};
    }
    growing_text_free(&path);
    if (!index || failed) {
        free(index);
        return complain_memory();
    }
    qsort(index, count, sizeof *index, by_hash);
    t->index = index;
    return 0;
}

uint32_t instance_tree_find(const instance_tree *t, const char *path)
{
    const uint64_t hash = hash64(path, strlen(path));
    assert(t->index); /* instance_tree_index has made it */
    size_t low = 0, high = t->info.instance_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->index[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->info.instance_count && t->index[low].hash == hash ? t->index[low].instance
                                                                      : BVP_NONE;
}
