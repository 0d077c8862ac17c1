/* SPDX-License-Identifier: MIT
 * binary_node.h: the skeleton shared by the binary hierarchies: which nodes are children, which
 * triangles a leaf holds. What a payload means is in node/aabb_node.h and in kinds/node/.
 * Spec: format.md, chapter "Binary hierarchies"
 * Based on: Shellshear, Li, Carlson, ME-BVH: Memory Efficient Bounding Volume Hierarchies (leaves
 * hold up to leaf_size triangles that have no volumes of their own).
 */
#ifndef BVPI_NODE_BINARY_NODE_H
#define BVPI_NODE_BINARY_NODE_H

#include "base/checked.h"
#include "base/load.h"
#include "format/record.h"
#include "node/cluster_record.h"

#include <stdbool.h>

/* The current node of a walk. Its payload was read by its parent; what remains are its children. An
 * upper node (end == 0) is a record of the upper array. All others are in a block, in preorder:
 * `at` is where their children begin. */
typedef struct bvpi_binary_node {
    uint32_t at; /* upper: its number; in a block: offset in the blob of what follows its payload */
    uint32_t end;   /* offset of the block's end; 0: upper */
    uint32_t first; /* in a block: its first triangle, for bvpi_binary_item */
    uint32_t count; /* in a block: number of triangles, 1 .. 256; upper: 0 */
} bvpi_binary_node;

static inline bool bvpi_binary_is_leaf(const bvpi_binary *tree, const bvpi_binary_node *node)
{
    return node->end != 0 && node->count <= tree->leaf_size;
}

/* The size of the payload that begins at `payload`; at most tree->payload_size. */
static inline uint32_t bvpi_binary_payload_size(const bvpi_binary *tree, const uint8_t *payload)
{
    if (tree->kind != BVPD_KIND_BOXTREE)
        return tree->payload_size;
    const uint32_t planes = (uint32_t)__builtin_popcount(bvpi_load_u8(payload) & 63u);
    const uint32_t size = 1 + planes * tree->offset_size;
    return size < tree->payload_size ? size : tree->payload_size;
}

/* The size of a left child's subtree, from its span byte. Boxtree: the byte itself. Otherwise the
 * byte is the number of leaves, and all nodes have the same size. */
static inline uint32_t bvpi_binary_left_size(const bvpi_binary *tree, uint32_t span)
{
    if (tree->kind == BVPD_KIND_BOXTREE)
        return span;
    return (2 * span - 1) * tree->payload_size + 2 * (span - 1);
}

/* Upper record `idx` as a node, after checking it; *payload: its payload. If the record links to a
 * block, the node is the block's root. */
static inline bool bvpi_binary_upper(const bvpi_binary *tree, uint32_t idx, bvpi_binary_node *out,
                                     const uint8_t **payload)
{
    if (idx >= tree->upper_count)
        return false;
    const uint8_t *record = tree->blob + (uint64_t)idx * tree->upper_size;
    const uint32_t link = bvpi_peek_u32(record + tree->payload_size);
    *payload = record;
    if ((link & BVPD_LINK_BLOCK) == 0) {
        *out = (bvpi_binary_node){.at = idx};
        return true;
    }
    const uint64_t offset = (uint64_t)(link & ~BVPD_LINK_BLOCK) * 4;
    bvpd_block head;
    if (!bvpi_fits(offset, sizeof head, tree->blob_size))
        return false;
    bvpi_load_record(&head, tree->blob + offset, sizeof head);
    if (!bvpi_fits(offset + sizeof head, head.size, tree->blob_size))
        return false;
    out->at = (uint32_t)(offset + sizeof head);
    out->end = out->at + head.size;
    out->first = head.first;
    out->count = head.count_minus_1 + 1u;
    return true;
}

static inline bool bvpi_binary_root(const bvpi_binary *tree, bvpi_binary_node *out,
                                    const uint8_t **payload)
{
    return bvpi_binary_upper(tree, 0, out, payload);
}

/* The two children of an inner node. False: the bytes violate a rule that keeps walks inside the
 * blob, or makes them end. */
static inline bool bvpi_binary_children(const bvpi_binary *tree, const bvpi_binary_node *node,
                                        bvpi_binary_node child[2], const uint8_t *payload[2])
{
    if (node->end == 0) {
        const uint8_t *record = tree->blob + (uint64_t)node->at * tree->upper_size;
        const uint32_t link = bvpi_peek_u32(record + tree->payload_size);
        return link > node->at && link < UINT32_MAX &&
               bvpi_binary_upper(tree, link, &child[0], &payload[0]) &&
               bvpi_binary_upper(tree, link + 1, &child[1], &payload[1]);
    }
    const uint8_t *bytes = tree->blob + node->at;
    const uint32_t room = node->end - node->at;
    if (room < 2 + 2u)
        return false;
    const uint32_t left_count = bvpi_load_u8(bytes) + 1u, span = bvpi_load_u8(bytes + 1);
    const uint32_t left_size = bvpi_binary_left_size(tree, span);
    if (left_count >= node->count || span == 0 || left_size >= room - 2)
        return false;
    payload[0] = bytes + 2;
    payload[1] = bytes + 2 + left_size;
    const uint32_t size[2] = {bvpi_binary_payload_size(tree, payload[0]),
                              bvpi_binary_payload_size(tree, payload[1])};
    if (size[0] > left_size || size[1] > room - 2 - left_size)
        return false;
    const uint32_t middle = node->at + 2 + left_size;
    child[0] = (bvpi_binary_node){node->at + 2 + size[0], middle, node->first, left_count};
    child[1] = (bvpi_binary_node){middle + size[1], node->end, node->first + left_count,
                                  node->count - left_count};
    return true;
}

/* Triangle `item` of a leaf (first .. first + count - 1) as a reference into the clusters: (record
 * offset >> cluster_shift) * 256 + local number; bvpi_cluster_open checks it. False: it is not in
 * the order stream. */
static inline bool bvpi_binary_item(const bvpi_binary *tree, uint32_t item, uint32_t *reference)
{
    *reference = item;
    if (tree->order_width == 0)
        return true;
    if (item >= tree->order_count)
        return false;
    const uint64_t bit = (uint64_t)item * tree->order_width;
    *reference = (uint32_t)(bvpi_peek_u64(tree->order + bit / 8) >> (bit % 8) &
                            ((UINT64_C(1) << tree->order_width) - 1));
    return true;
}

#endif
