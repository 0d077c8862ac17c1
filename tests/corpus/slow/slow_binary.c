/* SPDX-License-Identifier: MIT
 * slow_binary.c: volumes and leaves of binary hierarchies.
 * Spec: format.md, chapters 9.1 to 9.4
 */
#include "slow_binary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "slow_file.h"

enum { BOXTREE = 2, AABB, OBB, RSS };

typedef struct binary {
    uint64_t record, bytes, blob; /* in HIER, BINH and DATA */
    unsigned shift;               /* cluster_shift */
    uint32_t kind, payload_size, leaf_size, plane_max, offset_size, order_width;
} binary;

typedef struct volume {
    uint32_t lo[3], hi[3];                     /* boxtree */
    double centre[3], axis[9], size[3], reach; /* obb, rss */
} volume;

/* A node: where its payload is; what comes below it. */
typedef struct binary_node {
    uint64_t payload;
    int is_upper;
    uint32_t left;         /* an upper node's left child */
    uint64_t rest;         /* in a block: what follows the payload */
    uint32_t first, count; /* in a block: items */
} binary_node;

static uint32_t bits_of(uint32_t extent)
{
    uint32_t bits = 0;
    for (; extent != 0; extent >>= 1)
        bits++;
    return bits;
}

static uint32_t offset_steps(const binary *b, uint64_t at, uint32_t extent)
{
    const uint32_t bits = 8 * b->offset_size;
    if (b->offset_size == 4)
        return (uint32_t)float_of(u32(at));
    return (uint32_t)number(at, (int)b->offset_size)
           << (bits_of(extent) > bits ? bits_of(extent) - bits : 0);
}

static void decode_boxtree(const binary *b, const volume *parent, uint64_t payload, volume *out)
{
    uint64_t at = payload + 1;
    *out = *parent;
    for (int bit = 0; bit < 6; bit++) {
        const int axis = bit % 3;
        if ((u8(payload) >> bit & 1) == 0)
            continue;
        const uint32_t steps = offset_steps(b, at, parent->hi[axis] - parent->lo[axis]);
        if (bit < 3)
            out->lo[axis] = parent->lo[axis] + steps;
        else
            out->hi[axis] = parent->hi[axis] - steps;
        at += b->offset_size;
    }
}

static void decode_rotation(uint32_t rotation, double axis[9])
{
    const double step = sqrt(0.5) / 511;
    const int missing = (int)(rotation >> 30);
    double q[4], sum = 0;
    int shift = 0;
    for (int i = 0; i < 4; i++) {
        if (i == missing)
            continue;
        q[i] = ((int)(rotation >> shift & 1023) - 512) * step;
        sum = sum + q[i] * q[i];
        shift += 10;
    }
    q[missing] = sqrt(1 - sum);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double rows[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y + w * z),     2 * (x * z - w * y),
        2 * (x * y - w * z),     1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
        2 * (x * z + w * y),     2 * (y * z - w * x),     1 - 2 * (x * x + y * y)};
    memcpy(axis, rows, sizeof rows);
}

static void decode_oriented(const volume *parent, uint64_t payload, volume *out)
{
    decode_rotation(u32(payload), out->axis);
    for (int axis = 0; axis < 3; axis++) {
        const int16_t c = (int16_t)number(payload + 4 + 2 * axis, 2);
        const uint8_t s = u8(payload + 10 + axis);
        out->centre[axis] = parent->centre[axis] + c / 16384.0 * parent->reach;
        out->size[axis] = s == 0 ? 0 : (16 + (s & 15)) / (16.0 * (1 << (s >> 4))) * parent->reach;
    }
    out->reach = out->size[0] + out->size[1] + out->size[2];
}

static void decode(const binary *b, const volume *parent, uint64_t payload, volume *out)
{
    if (b->kind == BOXTREE)
        decode_boxtree(b, parent, payload, out);
    else if (b->kind == OBB || b->kind == RSS)
        decode_oriented(parent, payload, out);
}

static void grid_volume(const binary *b, volume *out)
{
    for (int axis = 0; axis < 3; axis++) {
        out->lo[axis] = 0;
        out->hi[axis] = u32(b->record + 80 + 4 * axis);
        out->size[axis] = 0.5 * f64(b->record + 72) * out->hi[axis];
        out->centre[axis] = f64(b->record + 48 + 8 * axis) + out->size[axis];
    }
    out->reach = out->size[0] + out->size[1] + out->size[2];
}

static uint32_t payload_size(const binary *b, uint64_t payload)
{
    uint32_t planes = 0;
    if (b->kind != BOXTREE)
        return b->payload_size;
    for (int bit = 0; bit < 6; bit++)
        planes += u8(payload) >> bit & 1;
    return 1 + planes * b->offset_size;
}

static binary_node upper_node(const binary *b, uint32_t idx)
{
    binary_node node = {.payload = b->bytes + (uint64_t)idx * (b->payload_size + 4)};
    const uint32_t link = u32(node.payload + b->payload_size);
    if (link < 0x80000000u) {
        node.is_upper = 1;
        node.left = link;
        return node;
    }
    const uint64_t block = b->bytes + 4 * (uint64_t)(link & 0x7fffffff);
    node.first = u32(block);
    node.count = u8(block + 6) + 1u;
    node.rest = block + 8;
    return node;
}

static int is_leaf(const binary *b, const binary_node *node)
{
    return !node->is_upper && node->count <= b->leaf_size;
}

static void open_node(const binary *b, const binary_node *node, binary_node child[2])
{
    if (node->is_upper) {
        child[0] = upper_node(b, node->left);
        child[1] = upper_node(b, node->left + 1);
        return;
    }
    const uint32_t left = u8(node->rest) + 1u, span = u8(node->rest + 1);
    const uint32_t size =
        b->kind == BOXTREE ? span : (2 * span - 1) * b->payload_size + 2 * (span - 1);
    child[0] = (binary_node){.payload = node->rest + 2, .first = node->first, .count = left};
    child[1] = (binary_node){
        .payload = node->rest + 2 + size, .first = node->first + left, .count = node->count - left};
    for (int i = 0; i < 2; i++)
        child[i].rest = child[i].payload + payload_size(b, child[i].payload);
}

static void print_volume(const binary *b, const binary_node *node, const volume *v, uint32_t level)
{
    double centre[3], half[3], axis[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < 3; i++) {
        const double origin = f64(b->record + 48 + 8 * i), unit = f64(b->record + 72);
        double lo = origin + v->lo[i] * unit, hi = origin + v->hi[i] * unit;
        if (b->kind == AABB) {
            lo = float_of(u32(node->payload + 4 * i));
            hi = float_of(u32(node->payload + 12 + 4 * i));
        }
        centre[i] = b->kind >= OBB ? v->centre[i] : 0.5 * (lo + hi);
        half[i] = b->kind >= OBB ? v->size[i] : 0.5 * (hi - lo);
    }
    if (b->kind >= OBB)
        memcpy(axis, v->axis, sizeof axis);
    printf("volume %u %u", level, is_leaf(b, node) ? node->count : 0);
    for (int i = 0; i < 3; i++)
        printf(" %a", centre[i]);
    for (int i = 0; i < 9; i++)
        printf(" %a", axis[i]);
    printf(" %a %a %a %a\n", half[0], half[1], b->kind == RSS ? 0 : half[2],
           b->kind == RSS ? half[2] : 0);
}

/* Prints the volumes of `wanted`, and leaves above; returns how many inner ones there were. */
static uint64_t print_volumes(const binary *b, const binary_node *node, const volume *parent,
                              uint32_t level, uint32_t wanted)
{
    volume v;
    binary_node child[2];
    decode(b, parent, node->payload, &v);
    if (level == wanted || is_leaf(b, node)) {
        print_volume(b, node, &v, level);
        return !is_leaf(b, node);
    }
    open_node(b, node, child);
    return print_volumes(b, &child[0], &v, level + 1, wanted) +
           print_volumes(b, &child[1], &v, level + 1, wanted);
}

/* The storage numbers of each leaf's triangles, from left to right. */
static void print_leaves(const binary *b, const binary_node *node)
{
    binary_node child[2];
    if (!is_leaf(b, node)) {
        open_node(b, node, child);
        print_leaves(b, &child[0]);
        print_leaves(b, &child[1]);
        return;
    }
    printf("leaf");
    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t reference = node->first + i;
        if (b->order_width != 0) {
            const uint64_t bit = (uint64_t)reference * b->order_width;
            const uint64_t order = b->bytes + u64(b->record + 104);
            reference = 0;
            for (uint32_t k = 0; k < b->order_width; k++)
                reference |= (uint32_t)(u8(order + (bit + k) / 8) >> (bit + k) % 8 & 1) << k;
        }
        const uint64_t cluster = b->blob + ((uint64_t)(reference >> 8) << b->shift);
        printf(" %" PRIu64, (uint64_t)u32(cluster + 28) + (reference & 255));
    }
    printf("\n");
}

void print_binary(uint64_t record, uint64_t blob, unsigned cluster_shift)
{
    binary b = {.record = record,
                .bytes = binh.offset + u64(record + 8),
                .blob = blob,
                .shift = cluster_shift,
                .kind = u32(record),
                .leaf_size = u32(record + 40),
                .plane_max = u8(record + 92),
                .offset_size = u8(record + 93),
                .order_width = u8(record + 94)};
    volume grid;
    b.payload_size = b.kind == BOXTREE ? 1 + b.plane_max * b.offset_size : b.kind == AABB ? 24 : 13;
    grid_volume(&b, &grid);
    const binary_node root = upper_node(&b, 0);
    for (uint32_t level = 0; print_volumes(&b, &root, &grid, 0, level) > 0; level++)
        printf("level\n");
    print_leaves(&b, &root);
}
