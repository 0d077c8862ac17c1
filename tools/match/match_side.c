/* SPDX-License-Identifier: MIT
 * match_side.c: a file's nodes and parts as hashes. A hash is 64 bits: two things that share one by
 * accident are matched, and then compared as they are.
 *
 * Invariants once a side is open: a node's parent has a smaller number than the node, which also
 * holds for forged trees, so walks upward end; `shape` covers all that is below a node, in any
 * order of the children; an id that several nodes share counts as none.
 */
#include "match/match_side.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "text/hash64.h"
#include "text/colour_runs.h"
#include "text/message.h"
#include "text/primitive_names.h"
#include "model/transform.h"

int match_is_compared(bvp_string key)
{
    static const char *const others[] = {COLOURS_KEY, ASSET_KEY};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (key.size == strlen(others[i]) && memcmp(key.data, others[i], key.size) == 0)
            return 0;
    return 1;
}

static uint64_t hash_string(bvp_string text)
{
    return hash64(text.data, text.size);
}

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t all[3] = {a, b, c};
    return hash64(all, sizeof all);
}

/* -0 and 0 compare equal. */
static uint64_t hash_placement(const double placement[12])
{
    double all[12];
    for (int i = 0; i < 12; i++)
        all[i] = placement[i] + 0.0;
    return hash64(all, sizeof all);
}

/* ---- parts --------------------------------------------------------------------------------- */

/* Works for a thin file without its store: parts may be missing. */
static int read_part(match_side *s, uint32_t idx)
{
    bvp_part_identity info;
    match_part *part = &s->parts[idx];
    const bvp_status status = bvp_get_part_identity(s->tree.file, idx, &info);
    if (status != BVP_OK)
        return complain_status(s->path, status, NULL);
    *part = (match_part){.node = BVP_NONE, .partner = BVP_NONE};
    /* coordinates in another unit are another mesh, even when their numbers are the same */
    for (int i = 0; s->scale != 1 && i < 16; i++)
        info.content_hash[i] ^= 0xff;
    part->content = hash64(info.content_hash, sizeof info.content_hash);
    part->name = info.name.size > 0 ? hash_string(info.name) : 0;
    memcpy(part->content_hash, info.content_hash, sizeof part->content_hash);
    memcpy(part->address, info.address, sizeof part->address);
    return 0;
}

/* ---- nodes --------------------------------------------------------------------------------- */

static int read_node(match_side *s, uint32_t idx)
{
    bvp_node_info info;
    match_node *node = &s->nodes[idx];
    assert(idx < s->node_count);
    const bvp_status status = bvp_get_node(s->tree.file, idx, &info);
    if (status != BVP_OK)
        return complain_status(s->path, status, NULL);
    *node = (match_node){.child = BVP_NONE, .next = BVP_NONE, .partner = BVP_NONE};
    node->parent = idx == 0 ? BVP_NONE : info.parent < idx ? info.parent : 0;
    node->part = info.part < s->part_count ? info.part : BVP_NONE;
    node->name = hash_string(instance_tree_label(&s->tree, idx));
    for (int i = 3; i < 12; i += 4) /* the same placement in the first file's unit */
        info.placement[i] *= s->scale;
    node->id = info.source_id.size > 0 ? hash_string(info.source_id) : 0;
    node->kin = mix(node->name, node->id, 0);
    node->local = hash_placement(info.placement);
    /* A sum does not depend on the order. */
    uint64_t sum = 0;
    for (uint32_t i = 0; i < info.property_count; i++) {
        bvp_string key, value;
        if (bvp_get_property(s->tree.file, idx, i, &key, &value) == BVP_OK &&
            match_is_compared(key))
            sum += mix(hash_string(key), hash_string(value), 0);
    }
    node->properties = sum;
    if (node->parent == BVP_NONE)
        memcpy(s->placements[idx], info.placement, sizeof info.placement);
    else
        transform_multiply(s->placements[node->parent], info.placement, s->placements[idx]);
    node->world = hash_placement(s->placements[idx]);
    if (node->part != BVP_NONE) {
        match_part *part = &s->parts[s->nodes[idx].part];
        part->instance_count++;
        if (part->node == BVP_NONE) {
            const bvp_string number = instance_tree_part_number(&s->tree, idx);
            part->node = idx;
            part->number = number.size > 0 ? hash_string(number) : 0;
        }
    }
    return 0;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

/* ---- the whole ----------------------------------------------------------------------------- */

int match_side_open(match_side *s, const char *path, const bvp_file *file, double scale)
{
    *s = (match_side){.path = path, .scale = scale};
    int code = instance_tree_open(&s->tree, file);
    if (code != 0)
        return code;
    s->node_count = s->tree.info.node_count;
    s->part_count = s->tree.info.part_count;
    s->nodes = calloc((size_t)s->node_count + 1, sizeof *s->nodes);
    s->parts = calloc((size_t)s->part_count + 1, sizeof *s->parts);
    s->placements = calloc((size_t)s->node_count + 1, sizeof *s->placements);
    if (!s->nodes || !s->parts || !s->placements)
        return complain_memory();
    for (uint32_t i = 0; i < s->part_count && code == 0; i++)
        code = read_part(s, i);
    for (uint32_t i = 0; i < s->node_count && code == 0; i++)
        code = read_node(s, i);
    if (code != 0)
        return code;
    /* Backward: what is below a node is complete before the node is added to its parent. */
    for (uint32_t i = s->node_count; i-- > 0;) {
        match_node *node = &s->nodes[i];
        const uint64_t content = node->part == BVP_NONE ? 0 : s->parts[node->part].content;
        node->shape = mix(content, node->shape, 0);
        node->instance_count += node->part != BVP_NONE;
        if (node->parent == BVP_NONE)
            continue;
        match_node *parent = &s->nodes[node->parent];
        assert(node->parent < i);
        parent->shape += mix(node->name, node->local, node->shape);
        parent->instance_count += node->instance_count;
        node->next = parent->child;
        parent->child = i;
    }
    /* An id that several nodes have identifies none of them. */
    uint64_t *ids = malloc(((size_t)s->node_count + 1) * sizeof *ids);
    size_t count = 0, shared = 0;
    if (!ids)
        return complain_memory();
    for (uint32_t i = 0; i < s->node_count; i++)
        if (s->nodes[i].id != 0)
            ids[count++] = s->nodes[i].id;
    qsort(ids, count, sizeof *ids, by_value);
    for (size_t i = 1; i < count; i++)
        if (ids[i] == ids[i - 1])
            ids[shared++] = ids[i]; /* stays sorted, as bsearch needs it; shared < i */
    assert(shared == 0 || shared < count);
    for (uint32_t i = 0; i < s->node_count && shared > 0; i++)
        if (bsearch(&s->nodes[i].id, ids, shared, sizeof *ids, by_value))
            s->nodes[i].id = 0;
    free(ids);
    return 0;
}

void match_side_close(match_side *s)
{
    instance_tree_close(&s->tree);
    free(s->nodes);
    free(s->parts);
    free(s->placements);
    *s = (match_side){.path = NULL};
}
