/* SPDX-License-Identifier: MIT
 * annotate_binary.c: explains BINH: upper records, blocks, payloads, order streams.
 *
 * Nodes of a block are stored in preorder, so walking the tree visits its bytes in order; a node
 * that is not at the cursor ends the explanation of that hierarchy.
 * Spec: format.md, chapters "Binary hierarchies", "Boxtree", "AABB tree", "Oriented volumes"
 */
#include "format/check/annotate.h"

#include "base/checked.h"
#include "kinds/node/any_volume.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum {
    PREFIX_SIZE = 64,
    PATH_SIZE = 128,
    SHOWN = 8,
    STACK_MAX = BVPD_CLUSTER_TRIANGLES + 1 /* a child has fewer triangles than its node */
};

/* A hierarchy's bytes; offsets count from its start, where the cursor was. */
typedef struct walk {
    bvpi_annotator *a;
    bvpi_binary tree;
    uint64_t start;
    char prefix[PREFIX_SIZE]; /* of the hierarchy */
    char node[PATH_SIZE];     /* of the node being explained */
} walk;

/* Explains the next `size` bytes. */
static void say(walk *w, uint64_t size, const char *name, const char *value, const char *rule)
{
    char path[PATH_SIZE + 32];
    snprintf(path, sizeof path, "%s.%s", w->node, name);
    bvpi_annotate_bytes(w->a, w->a->cursor + size, path, value, rule);
}

static void say_number(walk *w, uint64_t size, const char *name, uint64_t number, const char *rule)
{
    char value[BVPI_VALUE_MAX];
    snprintf(value, sizeof value, "%" PRIu64, number);
    say(w, size, name, value, rule);
}

static const uint8_t *here(const walk *w)
{
    return w->a->file->base + w->a->cursor;
}

/* ---- payloads ------------------------------------------------------------------------------- */

/* The sides in words; each offset in the unit that follows from the parent's extent. */
static void say_planes(walk *w)
{
    const bvpi_binary *tree = &w->tree;
    const uint8_t *payload = here(w);
    const uint8_t mask = bvpi_load_u8(payload);
    char value[BVPI_VALUE_MAX] = "";
    bvpi_add_to_value(value, "0x%02x", mask);
    for (unsigned side = 0; side < 6; side++)
        if (mask >> side & 1)
            bvpi_add_to_value(value, " %s %c", side < 3 ? "lo" : "hi", "xyz"[side % 3]);
    say(w, 1, "mask", mask == 0 ? "0x00 the parent's box" : value, "BOX-1");
    const uint32_t size = bvpi_binary_payload_size(tree, payload);
    for (uint32_t i = 0; 1 + i * tree->offset_size < size; i++) {
        char name[16];
        const uint8_t *at = payload + 1 + i * tree->offset_size;
        snprintf(name, sizeof name, "offset[%" PRIu32 "]", i);
        if (tree->offset_size == 4)
            snprintf(value, sizeof value, "%.9g", (double)bvpi_float_of_bits(bvpi_peek_u32(at)));
        else
            snprintf(value, sizeof value, "%u",
                     tree->offset_size == 1 ? bvpi_load_u8(at) : bvpi_peek_u16(at));
        say(w, tree->offset_size, name, value, "BOX-4");
    }
}

/* The axes; centre and sizes as shares of the parent's reach. */
static void say_oriented(walk *w)
{
    static const char *const centre[3] = {"centre[0]", "centre[1]", "centre[2]"};
    static const char *const size[3] = {"size[0]", "size[1]", "size[2]"};
    const uint8_t *payload = here(w);
    const char *rule = w->tree.kind == BVPD_KIND_RSS ? "ORI-3" : "ORI-2";
    char value[BVPI_VALUE_MAX];
    double axis[9];
    bvpi_rotation_axes(bvpi_peek_u32(payload), axis);
    snprintf(value, sizeof value, "x to %.6g %.6g %.6g, y to %.6g %.6g %.6g", axis[0], axis[1],
             axis[2], axis[3], axis[4], axis[5]);
    say(w, 4, "rotation", value, "ORI-1");
    for (int i = 0; i < 3; i++) {
        snprintf(value, sizeof value, "%.6g of the parent's reach",
                 (int16_t)bvpi_peek_u16(payload + 4 + 2 * i) * 0x1p-14);
        say(w, 2, centre[i], value, "ORI-4");
    }
    for (int i = 0; i < 3; i++) {
        snprintf(value, sizeof value, "%.6g of the parent's reach",
                 bvpi_size_of_code(bvpi_load_u8(payload + 10 + i)));
        say(w, 1, size[i], value, rule);
    }
}

static void say_payload(walk *w)
{
    const uint8_t *payload = here(w);
    if (w->tree.kind == BVPD_KIND_BOXTREE) {
        say_planes(w);
    } else if (w->tree.kind == BVPD_KIND_AABB) {
        for (int i = 0; i < 6; i++) {
            char name[8], value[BVPI_VALUE_MAX];
            snprintf(name, sizeof name, "%s[%d]", i < 3 ? "lo" : "hi", i % 3);
            snprintf(value, sizeof value, "%.9g",
                     (double)bvpi_float_of_bits(bvpi_peek_u32(payload + 4 * i)));
            say(w, 4, name, value, "AAB-2");
        }
    } else {
        say_oriented(w);
    }
}

/* ---- upper records -------------------------------------------------------------------------- */

static void say_uppers(walk *w)
{
    for (uint32_t i = 0; i < w->tree.upper_count && !w->a->stopped; i++) {
        const uint64_t start = w->a->cursor;
        char value[BVPI_VALUE_MAX];
        snprintf(w->node, sizeof w->node, "%s.upper[%" PRIu32 "]", w->prefix, i);
        say_payload(w);
        if (!w->a->stopped)
            say(w, start + w->tree.payload_size - w->a->cursor, "padding", "", "BIN-2");
        const uint32_t link = bvpi_peek_u32(here(w));
        if (link & BVPD_LINK_BLOCK)
            snprintf(value, sizeof value, "block at %" PRIu64,
                     (uint64_t)(link & ~BVPD_LINK_BLOCK) * 4);
        else
            snprintf(value, sizeof value, "records %" PRIu32 " and the next", link);
        say(w, 4, "link", value, link & BVPD_LINK_BLOCK ? "BIN-3" : "BIN-1");
    }
}

/* ---- blocks --------------------------------------------------------------------------------- */

typedef struct item {
    bvpi_binary_node node;
    const uint8_t *payload; /* NULL: in the upper record */
} item;

/* Nodes in preorder are stored in order. False: these are not. */
static bool say_nodes(walk *w, const bvpi_binary_node *root, const char *block)
{
    item stack[STACK_MAX];
    uint32_t waiting = 0, number = 0;
    stack[waiting++] = (item){*root, NULL};
    while (waiting > 0 && !w->a->stopped) {
        const item next = stack[--waiting];
        bvpi_binary_node child[2];
        const uint8_t *payload[2];
        snprintf(w->node, sizeof w->node, "%s.node[%" PRIu32 "]", block, number++);
        if (next.payload && next.payload != here(w))
            return false;
        if (next.payload)
            say_payload(w);
        if (bvpi_binary_is_leaf(&w->tree, &next.node)) {
            if (next.node.at != next.node.end)
                return false;
            continue;
        }
        if (w->a->stopped)
            return true;
        if (waiting + 2 > STACK_MAX || !bvpi_binary_children(&w->tree, &next.node, child, payload))
            return false;
        say_number(w, 1, "left_count_minus_1", bvpi_load_u8(here(w)), "BLK-2");
        if (!w->a->stopped)
            say_number(w, 1, "span", bvpi_load_u8(here(w)), "BLK-3");
        stack[waiting++] = (item){child[1], payload[1]};
        stack[waiting++] = (item){child[0], payload[0]};
        assert(child[0].count + child[1].count == next.node.count);
    }
    return true;
}

static bool say_block(walk *w, uint32_t idx, uint64_t end)
{
    const uint64_t at = w->a->cursor - w->start;
    char block[PATH_SIZE - 32];
    bvpd_block head;
    if (!bvpi_fits(at, sizeof head, end))
        return false;
    bvpi_load_record(&head, here(w), sizeof head);
    if (!bvpi_fits(at + sizeof head, head.size, end))
        return false;
    snprintf(block, sizeof block, "%s.block[%" PRIu32 "]", w->prefix, idx);
    snprintf(w->node, sizeof w->node, "%s", block);
    say_number(w, 4, "first", head.first, "BIN-8");
    say_number(w, 2, "size", head.size, "BIN-4");
    say_number(w, 1, "count_minus_1", head.count_minus_1, "BLK-4");
    say(w, 1, "reserved", "", "BLK-1");
    const uint32_t begin = (uint32_t)(at + sizeof head);
    const bvpi_binary_node root = {begin, begin + head.size, head.first, head.count_minus_1 + 1u};
    if (w->a->stopped)
        return true;
    if (!say_nodes(w, &root, block))
        return false;
    const uint64_t padded = (root.end + UINT64_C(3)) & ~UINT64_C(3);
    if (w->a->stopped || padded > end)
        return w->a->stopped;
    snprintf(w->node, sizeof w->node, "%s", block);
    say(w, padded - root.end, "padding", "", "BIN-5");
    return true;
}

/* ---- the order stream ----------------------------------------------------------------------- */

/* ---- hierarchies ---------------------------------------------------------------------------- */

/* Stops where the bytes make no sense. Each step first checks whether the callback has stopped the
 * walk; if not, the cursor is where it should be. */
static void say_hierarchy(walk *w)
{
    const bvpi_binary *tree = &w->tree;
    const uint64_t end =
        tree->order_width == 0 ? tree->blob_size : (uint64_t)(tree->order - tree->blob);
    const uint64_t uppers = (uint64_t)tree->upper_count * tree->upper_size;
    const uint64_t padded = (uppers + 3) & ~UINT64_C(3);
    assert(end <= tree->blob_size);
    if (padded > end)
        return;
    say_uppers(w);
    snprintf(w->node, sizeof w->node, "%s", w->prefix);
    if (!w->a->stopped)
        say(w, w->start + padded - w->a->cursor, "padding", "", "BIN-5");
    for (uint32_t i = 0; !w->a->stopped && w->a->cursor < w->start + end; i++)
        if (!say_block(w, i, end))
            return;
    if (w->a->stopped || tree->order_width == 0)
        return;
    char value[BVPI_VALUE_MAX] = "";
    bvpi_add_to_value(value, "%" PRIu64 " x %u bits, cluster:triangle:", tree->order_count,
                      tree->order_width);
    for (uint32_t i = 0; i < tree->order_count && i < SHOWN; i++) {
        uint32_t reference = 0;
        bvpi_binary_item(tree, i, &reference);
        bvpi_add_to_value(value, " %" PRIu32 ":%" PRIu32, reference >> 8, reference & 255);
    }
    if (tree->order_count > SHOWN)
        bvpi_add_to_value(value, " ...");
    snprintf(w->node, sizeof w->node, "%s", w->prefix);
    say(w, (tree->order_count * tree->order_width + 7) / 8, "order", value, "BIN-7");
}

/* False: the hierarchy begins before the cursor, or cannot be read. */
static bool annotate_kind(bvpi_annotator *a, uint32_t part, uint32_t kind)
{
    static const char *const names[BVPD_KIND_END] = {"",    "wide", "boxtree", "aabb",
                                                     "obb", "rss",  "rays"};
    const bool is_rays = kind == BVPD_KIND_RAYS;
    bvpi_rays rays = {.nodes = NULL};
    walk w = {.a = a};
    const bvp_status status = is_rays ? bvpi_get_part_rays(a->file, part, &rays)
                                      : bvpi_get_part_binary(a->file, part, kind, &w.tree);
    if (status != BVP_OK || (is_rays && !rays.nodes))
        return false;
    if (is_rays) {
        w.tree.blob = rays.nodes;
        w.tree.blob_size = (uint64_t)(rays.meshlets - rays.nodes) + rays.meshlet_size;
    }
    w.start = (uint64_t)(w.tree.blob - a->file->base);
    if (w.start < a->cursor)
        return false;
    snprintf(w.prefix, sizeof w.prefix, "BINH.part[%" PRIu32 "].%s", part, names[kind]);
    bvpi_annotate_bytes(a, w.start, "BINH.padding", "", "HIE-3");
    const uint64_t end = w.start + w.tree.blob_size;
    if (!a->stopped && is_rays)
        bvpi_annotate_rays(a, &rays, w.prefix);
    else if (!a->stopped)
        say_hierarchy(&w);
    a->unknown = a->unknown || (!a->stopped && a->cursor < end);
    bvpi_annotate_bytes(a, end, "unknown", "", "");
    return true;
}

void bvpi_annotate_binaries(bvpi_annotator *a)
{
    for (uint32_t part = 0; part < a->file->header.part_count && !a->stopped; part++) {
        bvp_hierarchy_info h;
        if (bvpi_is_elsewhere(a->file, part))
            continue;
        for (uint32_t i = 0; bvp_get_hierarchy(a->file, part, i, &h) == BVP_OK && !a->stopped; i++)
            if (h.kind != BVP_KIND_WIDE && !annotate_kind(a, part, (uint32_t)h.kind))
                return;
    }
}
