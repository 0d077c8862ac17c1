/* SPDX-License-Identifier: MIT
 * tiny_binary.h: the small file of tiny_file.h, whose first part has all kinds of hierarchies: a
 * root record, and a block for each of the two clusters.
 */
#ifndef TINY_BINARY_H
#define TINY_BINARY_H

#include "tiny_file.h"

/* Records of HIER, and where their bytes are in BINH. */
enum {
    TINY_BOXTREE = 1,
    TINY_AABB,
    TINY_OBB,
    TINY_RSS,
    TINY_HIERARCHIES = 7,
    TINY_BOXTREE_OFF = 0,
    TINY_AABB_OFF = 64,
    TINY_OBB_OFF = 256,
    TINY_RSS_OFF = 384,
    TINY_ROTATION = 512 | 512 << 10 | 512 << 20 /* none */
};

typedef struct tiny_binary {
    uint8_t bytes[1024];
    uint32_t size;
} tiny_binary;

static inline void tiny_put(tiny_binary *b, const void *bytes, uint32_t size)
{
    tiny_require(b->size + size <= sizeof b->bytes, "space for a hierarchy");
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
}

static inline void tiny_align(tiny_binary *b, uint32_t alignment)
{
    b->size = (b->size + alignment - 1) & ~(alignment - 1);
}

static inline void tiny_link(tiny_binary *b, uint32_t link)
{
    tiny_put(b, &link, sizeof link);
}

/* A payload with its P bytes filled up, and a link. */
static inline void tiny_upper(tiny_binary *b, const void *payload, uint32_t size, uint32_t full,
                              uint32_t link)
{
    tiny_put(b, payload, size);
    b->size += full - size;
    tiny_link(b, link);
}

static inline void tiny_block(tiny_binary *b, uint32_t first, uint32_t size, uint32_t count)
{
    const bvpd_block head = {first, (uint16_t)size, (uint8_t)(count - 1), 0};
    tiny_put(b, &head, sizeof head);
}

/* Upper records, the blocks of two triangles and of one. The payloads: root; the square's node and
 * the other triangle's; the square's two leaves, `leaf_size` bytes each. `full`: P. */
static inline void tiny_skeleton(tiny_binary *b, uint32_t full, const void *const payload[4],
                                 const uint32_t size[4], const uint32_t first[2], uint32_t span)
{
    const uint32_t start = b->size;
    const uint32_t square = (3 * (full + 4) + 3) & ~3u;
    const uint32_t single = (square + 8 + 2 + 2 * size[3] + 3) & ~3u;
    const uint8_t counts[2] = {0, (uint8_t)span};
    tiny_upper(b, payload[0], size[0], full, 1);
    tiny_upper(b, payload[1], size[1], full, BVPD_LINK_BLOCK | square / 4);
    tiny_upper(b, payload[2], size[2], full, BVPD_LINK_BLOCK | single / 4);
    b->size = start + square;
    tiny_block(b, first[0], 2 + 2 * size[3], 2);
    tiny_put(b, counts, sizeof counts);
    tiny_put(b, payload[3], size[3]);
    tiny_put(b, payload[3], size[3]);
    b->size = start + single;
    tiny_block(b, first[1], 0, 1);
}

/* References to the triangles 2, 0, 1, 11 bits each: the blocks' first are 1 and 0. */
static inline void tiny_order(tiny_binary *b)
{
    const uint32_t reference[3] = {TINY_RECORD_1 / 64 << 8, TINY_RECORD_0 / 64 << 8,
                                   TINY_RECORD_0 / 64 << 8 | 1};
    for (uint32_t i = 0; i < 3; i++)
        tiny_put_bits(b->bytes + b->size, 11, i, reference[i]);
    b->size += 5;
}

static inline void tiny_boxtree(tiny_binary *b, uint32_t offset_size)
{
    static const uint32_t offsets[3] = {2, 5, 8};
    const uint32_t first[2] = {TINY_RECORD_0 / 64 << 8, TINY_RECORD_1 / 64 << 8};
    uint8_t root[1] = {0}, square[9] = {1 << 1 | 1 << 3}, single[9] = {1 << 0};
    for (uint32_t i = 0; i < 3; i++) {
        const float steps = (float)offsets[i];
        uint8_t *at = (i < 2 ? square : single) + 1 + i % 2 * offset_size;
        if (offset_size == 4)
            memcpy(at, &steps, 4);
        else
            *at = (uint8_t)offsets[i];
    }
    const void *const payload[4] = {root, square, single, root};
    const uint32_t size[4] = {1, 1 + 2 * offset_size, 1 + offset_size, 1};
    tiny_skeleton(b, 1 + 2 * offset_size, payload, size, first, 1);
}

static inline void tiny_aabb(tiny_binary *b)
{
    static const float root[6] = {0, 0, 0, 9, 4, 1}, square[6] = {0, 2, 0, 4, 4, 0};
    static const float single[6] = {8, 0, 0, 9, 1, 1};
    const void *const payload[4] = {root, square, single, square};
    const uint32_t size[4] = {24, 24, 24, 24}, first[2] = {1, 0};
    tiny_skeleton(b, 24, payload, size, first, 1);
    tiny_order(b);
}

/* Not turned, around the middle of the grid, and larger than they need to be. */
static inline void tiny_oriented(tiny_binary *b)
{
    uint8_t node[3][13] = {{0}};
    const uint32_t rotation = TINY_ROTATION;
    for (int i = 0; i < 3; i++) {
        memcpy(node[i], &rotation, sizeof rotation);
        memset(node[i] + 10, 0x1f + 0x10 * i, 3);
    }
    const void *const payload[4] = {node[0], node[1], node[1], node[2]};
    const uint32_t size[4] = {13, 13, 13, 13}, first[2] = {1, 0};
    tiny_skeleton(b, 13, payload, size, first, 1);
    tiny_order(b);
}

static inline void tiny_record(tiny_sections *s, uint32_t idx, uint32_t kind, uint32_t data_off,
                               uint32_t data_size)
{
    bvpd_hierarchy *h = &s->hierarchy[idx];
    *h = s->hierarchy[0];
    h->kind = kind;
    h->data_off = data_off;
    h->data_size = data_size;
    h->upper_count = 3;
    h->node_count = 5;
    h->leaf_count = 3;
    h->leaf_size = 1;
    h->depth = 3;
    if (kind != BVPD_KIND_BOXTREE) {
        h->order_width = 11;
        h->order_off = data_size - 5;
    }
}

static inline void tiny_binaries(tiny_sections *s, tiny_binary *b, uint32_t offset_size)
{
    memmove(&s->hierarchy[5], &s->hierarchy[1], 2 * sizeof *s->hierarchy);
    s->part[0].hierarchy_count = 5;
    s->part[1].first_hierarchy = 5;
    for (uint32_t kind = BVPD_KIND_BOXTREE; kind < BVPD_KIND_BINARY_END; kind++) {
        tiny_align(b, BVPD_SECTION_ALIGN);
        const uint32_t start = b->size;
        if (kind == BVPD_KIND_BOXTREE)
            tiny_boxtree(b, offset_size);
        else if (kind == BVPD_KIND_AABB)
            tiny_aabb(b);
        else
            tiny_oriented(b);
        tiny_record(s, kind - 1, kind, start, b->size - start);
    }
    s->hierarchy[TINY_BOXTREE].plane_max = 2;
    s->hierarchy[TINY_BOXTREE].offset_size = (uint8_t)offset_size;
}

/* offset_size: of the boxtree, 1 or 4. */
static inline uint8_t *tiny_make_binary(size_t *size, uint32_t offset_size)
{
    tiny_sections *s = tiny_fill();
    tiny_binary b = {.size = 0};
    tiny_binaries(s, &b, offset_size);
    const bvpi_chunk chunk = {b.bytes, b.size};
    uint8_t *out = tiny_write(s, TINY_HIERARCHIES, &chunk, 0, size);
    free(s);
    return out;
}

/* The second part's hierarchy comes before the first one's five. For repair_file(). */
static inline uint8_t *tiny_make_by_use(size_t *size)
{
    uint8_t *file = tiny_make_binary(size, 1);
    bvpd_header *h = (bvpd_header *)file;
    bvpd_part *parts = (bvpd_part *)(file + h->sections[BVPD_PART].offset);
    bvpd_hierarchy *trees = (bvpd_hierarchy *)(file + h->sections[BVPD_HIER].offset);
    const bvpd_hierarchy second = trees[5];
    memmove(trees + 1, trees, 5 * sizeof *trees);
    trees[0] = second;
    parts[0].first_hierarchy = 1;
    parts[1].first_hierarchy = 0;
    h->feature_incompatible |= BVPD_FEATURE_BY_USE;
    return file;
}

#endif
