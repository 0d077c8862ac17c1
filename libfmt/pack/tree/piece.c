/* SPDX-License-Identifier: MIT
 * piece.c: builds one subtree of a binary hierarchy: nodes, blocks, cluster records.
 *
 * grow() splits recursively and computes sizes on the way back. find_blocks() walks the result and
 * chooses the blocks: the largest subtrees with at most 256 triangles whose inner links fit one
 * byte and, if this hierarchy owns the order of triangles, whose triangles fit one cluster record.
 * write_blocks() writes them.
 *
 * Nodes are kept in an array without pointers: the left child of slot s is slot s + 1, the right
 * child of a node whose left child has l triangles is slot s + 2 l. A subtree of n triangles thus
 * needs 2 n - 1 slots, whatever its shape.
 *
 * Invariants: a slot's size, leaf_count and spans_fit are valid once both children are; out->bytes
 * is allocated after find_blocks() has added up all sizes, so writing cannot overflow.
 *
 * Depth of recursion is bounded by BVPD_DEPTH_MAX (partition.h halves in time).
 *
 * Held by tests/property/test_binary.c.
 * Spec: format.md, chapter "Binary hierarchies"
 */
#include "pack/tree/piece.h"

#include "pack/tree/aabb_boxes.h"
#include "pack/tree/items.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SPAN_MAX = 255, BLOCK_ALIGNMENT = 4 };

/* A node of the piece; see the top of the file for its place. */
typedef struct slot {
    uint32_t left_count; /* 0: a leaf */
    uint32_t size;       /* bytes of the subtree within a block, including its own payload */
    uint32_t leaf_count;
    bool spans_fit; /* no left child below has more than SPAN_MAX bytes or leaves */
    uint8_t payload[BVPI_PAYLOAD_MAX];
} slot;

typedef struct growing {
    const bvpi_growth *g;
    const bvpi_item *items; /* of the piece */
    uint32_t *order;
    slot *slots;
    void *scratch;
    bvpi_piece *out;
    uint64_t capacity; /* of out->bytes */
} growing;

/* A subtree during a walk; first counts from the start of the piece. */
typedef struct place {
    uint32_t slot, first, count, level;
} place;

/* ---- growing -------------------------------------------------------------------------------- */

static void fit(const bvpi_growth *g, bvpi_stem *stem, const bvpi_volume *parent, void *scratch)
{
    uint32_t *triangles = g->order + stem->node.first;
    memset(stem->payload, 0, sizeof stem->payload);
    if (bvpi_volume_is_oriented(&g->form))
        for (uint32_t i = 0; i < stem->node.count; i++)
            triangles[i] = g->items[stem->node.first + i].id;
    if (!bvpi_volume_fit(&g->form, g->mesh, &stem->node, triangles, parent, g->fit, stem->payload,
                         &stem->volume, scratch)) {
        stem->volume = *parent;
        __atomic_store_n(g->failed, 1, __ATOMIC_RELAXED);
    }
}

static void fit_siblings(const bvpi_growth *g, bvpi_stem child[2], const bvpi_volume *parent)
{
    const bvpi_build_node *const node[2] = {&child[0].node, &child[1].node};
    uint8_t *const payload[2] = {child[0].payload, child[1].payload};
    bvpi_volume *const volume[2] = {&child[0].volume, &child[1].volume};
    for (int k = 0; k < 2; k++)
        memset(child[k].payload, 0, sizeof child[k].payload);
    bvpi_volume_fit_siblings(&g->form, node, parent, payload, volume);
}

void bvpi_grow_root(const bvpi_growth *g, uint32_t count, bvpi_stem *root, void *scratch)
{
    bvpi_volume outermost;
    bvpi_volume_outermost(&g->form, &outermost);
    bvpi_split_root(g->items, count, 0, &root->node);
    fit(g, root, &outermost, scratch);
}

void bvpi_grow_once(const bvpi_growth *g, const bvpi_stem *parent, bvpi_stem child[2],
                    void *scratch)
{
    double axes[9];
    bvpi_partition_rule cut = {.rule = g->split, .leaf_size = g->form.leaf_size, .mesh = g->mesh};
    if (bvpi_volume_is_oriented(&g->form)) {
        bvpi_volume_axes(&g->form, &parent->volume, axes);
        cut.axes = axes;
    } else if (g->split == BVP_SPLIT_RESTRICTED)
        cut.box = &parent->volume.frame;
    bvpi_partition(g->items, &cut, &parent->node, &child[0].node, &child[1].node);
    if (g->split == BVP_SPLIT_RESTRICTED)
        fit_siblings(g, child, &parent->volume);
    else
        for (int k = 0; k < 2; k++)
            fit(g, &child[k], &parent->volume, scratch);
}

/* A left child with l triangles takes at most 2 l - 1 slots, from at->slot + 1 on; the right child
 * follows at at->slot + 2 l. */
static place child_of(const growing *w, const place *at, int k)
{
    const uint32_t left = w->slots[at->slot].left_count;
    assert(left > 0 && left < at->count);
    if (k == 0)
        return (place){at->slot + 1, at->first, left, at->level + 1};
    return (place){at->slot + 2 * left, at->first + left, at->count - left, at->level + 1};
}

/* Computes the sizes of a node whose children are done, and its payload if payloads are made
 * bottom-up. */
static void sum_up(const growing *w, const place *at)
{
    slot *s = &w->slots[at->slot];
    const bvpi_binary *form = &w->g->form;
    s->leaf_count = 1;
    s->spans_fit = true;
    if (s->left_count == 0) {
        if (form->kind == BVPD_KIND_AABB)
            bvpi_aabb_around(w->g->mesh, w->items + at->first, at->count, s->payload);
        s->size = bvpi_binary_payload_size(form, s->payload);
        return;
    }
    const slot *left = &w->slots[child_of(w, at, 0).slot];
    const slot *right = &w->slots[child_of(w, at, 1).slot];
    if (form->kind == BVPD_KIND_AABB)
        bvpi_aabb_join(left->payload, right->payload, s->payload);
    const uint32_t span = form->kind == BVPD_KIND_BOXTREE ? left->size : left->leaf_count;
    s->size = bvpi_binary_payload_size(form, s->payload) + 2 + left->size + right->size;
    s->leaf_count = left->leaf_count + right->leaf_count;
    s->spans_fit = span <= SPAN_MAX && left->spans_fit && right->spans_fit;
}

static void grow(growing *w, const bvpi_stem *stem, const place *at)
{
    slot *s = &w->slots[at->slot];
    bvpi_stem child[2];
    assert(at->count > 0 && at->slot + 2 * (uint64_t)at->count <= 2 * (uint64_t)w->out->count);
    assert(at->level < BVPD_DEPTH_MAX);
    memcpy(s->payload, stem->payload, sizeof s->payload);
    s->left_count = 0;
    if (at->count > w->g->form.leaf_size) {
        bvpi_grow_once(w->g, stem, child, w->scratch);
        s->left_count = child[0].node.count;
        for (int k = 0; k < 2; k++) {
            const place next = child_of(w, at, k);
            grow(w, &child[k], &next);
        }
    }
    sum_up(w, at);
    w->out->node_count++;
    w->out->leaf_count += s->left_count == 0;
    w->out->depth = at->level >= w->out->depth ? at->level + 1 : w->out->depth;
    w->out->area += bvpi_volume_area(&w->g->form, s->payload, &stem->volume);
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* Lists the volumes above the blocks, siblings adjacent, and the blocks in leaf order. */
static void find_blocks(growing *w, const place *at, uint32_t idx)
{
    bvpi_piece *out = w->out;
    bvpi_upper *upper = &out->uppers[idx];
    memcpy(upper->payload, w->slots[at->slot].payload, sizeof upper->payload);
    upper->is_end =
        at->count <= BVPD_CLUSTER_TRIANGLES && w->slots[at->slot].spans_fit &&
        (!w->g->owns_order || bvpi_cluster_fits(w->g->mesh, w->order + at->first, at->count));
    if (upper->is_end) {
        upper->link = out->block_count;
        out->blocks[out->block_count++] = (bvpi_block){at->first, at->count, at->level, out->size};
        const uint64_t size = sizeof(bvpd_block) + w->slots[at->slot].size -
                              bvpi_binary_payload_size(&w->g->form, upper->payload);
        out->size += (size + BLOCK_ALIGNMENT - 1) & ~(uint64_t)(BLOCK_ALIGNMENT - 1);
        return;
    }
    upper->link = out->upper_count;
    out->upper_count += 2;
    for (int k = 0; k < 2; k++) {
        const place child = child_of(w, at, k);
        find_blocks(w, &child, upper->link + (uint32_t)k);
    }
}

/* Writes a subtree without its root's payload. Returns its end. */
static uint8_t *write_subtree(const growing *w, const place *at, uint8_t *out)
{
    const slot *s = &w->slots[at->slot];
    if (s->left_count == 0)
        return out;
    const bvpi_binary *form = &w->g->form;
    const slot *left = &w->slots[child_of(w, at, 0).slot];
    *out++ = (uint8_t)(s->left_count - 1);
    *out++ = (uint8_t)(form->kind == BVPD_KIND_BOXTREE ? left->size : left->leaf_count);
    for (int k = 0; k < 2; k++) {
        const place child = child_of(w, at, k);
        const uint8_t *payload = w->slots[child.slot].payload;
        const uint32_t size = bvpi_binary_payload_size(form, payload);
        memcpy(out, payload, size);
        out = write_subtree(w, &child, out + size);
    }
    return out;
}

static void write_blocks(const growing *w, const place *at, uint32_t idx)
{
    const bvpi_upper *upper = &w->out->uppers[idx];
    if (upper->is_end) {
        const bvpi_block *block = &w->out->blocks[upper->link];
        uint8_t *begin = w->out->bytes + block->offset;
        const uint8_t *end = write_subtree(w, at, begin + sizeof(bvpd_block));
        assert((uint64_t)(end - w->out->bytes) <= w->out->size && block->count > 0);
        const bvpd_block head = {.size = (uint16_t)(end - begin - (ptrdiff_t)sizeof head),
                                 .count_minus_1 = (uint8_t)(block->count - 1)};
        memcpy(begin, &head, sizeof head);
        return;
    }
    for (int k = 0; k < 2; k++) {
        const place child = child_of(w, at, k);
        write_blocks(w, &child, upper->link + (uint32_t)k);
    }
}

/* ---- clusters ------------------------------------------------------------------------------- */

/* A record consists of whole blocks: for the cutter, each block is a node that has leaves only. */
static bool cut_clusters(const growing *w)
{
    bvpi_piece *out = w->out;
    bvpi_batch *batch = &out->clusters;
    batch->wide = bvpi_allocate(out->block_count, sizeof *batch->wide);
    uint32_t *visited = bvpi_allocate(out->block_count, sizeof *visited);
    bool ok = batch->wide && visited;
    for (uint32_t k = 0; k < out->block_count && ok; k++) {
        batch->wide[k] = (bvpi_wide){.first_item = out->blocks[k].first,
                                     .item_count = out->blocks[k].count,
                                     .level = out->blocks[k].level};
        visited[k] = k;
    }
    batch->wide_count = out->block_count;
    batch->first_item = out->first;
    batch->triangle_count = out->count;
    ok = ok && bvpi_cluster_batch(w->g->mesh, visited, w->order, false, batch);
    free(visited);
    return ok;
}

/* ---- the piece ------------------------------------------------------------------------------ */

static bool make_blocks(growing *w)
{
    bvpi_piece *out = w->out;
    const place root = {0, 0, out->count, 0};
    for (uint32_t i = 0; i < out->count; i++)
        w->order[i] = w->items[i].id;
    out->uppers = bvpi_allocate(2 * (uint64_t)out->leaf_count, sizeof *out->uppers);
    out->blocks = bvpi_allocate(out->leaf_count, sizeof *out->blocks);
    if (!out->uppers || !out->blocks)
        return false;
    out->upper_count = 1;
    find_blocks(w, &root, 0);
    assert(out->block_count <= out->leaf_count && out->upper_count == 2 * out->block_count - 1);
    out->bytes = calloc(out->size, 1);
    if (!out->bytes)
        return false;
    write_blocks(w, &root, 0);
    return !w->g->owns_order || cut_clusters(w);
}

bool bvpi_piece_make(const bvpi_growth *g, const bvpi_stem *root, bvpi_piece *out)
{
    const uint32_t first = root->node.first, count = root->node.count;
    growing w = {.g = g, .items = g->items + first, .order = g->order + first, .out = out};
    const place whole = {0, 0, count, root->node.depth};
    *out = (bvpi_piece){.first = first, .count = count};
    w.slots = bvpi_allocate(2 * (uint64_t)count, sizeof *w.slots);
    w.scratch = bvpi_allocate(bvpi_volume_scratch_size(&g->form, count), 1);
    bool ok = w.slots && w.scratch;
    if (ok) {
        grow(&w, root, &whole);
        assert(out->node_count == 2 * out->leaf_count - 1); /* inner nodes have two children */
        ok = make_blocks(&w);
    }
    free(w.slots);
    free(w.scratch);
    return ok;
}

void bvpi_piece_free(bvpi_piece *piece)
{
    free(piece->uppers);
    free(piece->blocks);
    free(piece->bytes);
    bvpi_batch_free(&piece->clusters);
    *piece = (bvpi_piece){0};
}
