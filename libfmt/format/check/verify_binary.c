/* SPDX-License-Identifier: MIT
 * verify_binary.c: the record, links, blocks and order stream of a binary hierarchy: everything
 * that must hold before it can be walked.
 *
 * Upper records are breadth first, so the links of those that are not ends must be 1, 3, 5 and so
 * on; that alone makes them a tree in which each record but the first is a child exactly once. Each
 * link to a block must name a different block (one bit for every 4 bytes), and together the blocks
 * must fill the space between records and order stream. After that, verify_volumes.c can walk
 * without further checks on links.
 * Spec: format.md, chapters "Hierarchies", "Binary hierarchies"
 */
#include "format/check/verify_file.h"

#include "base/checked.h"
#include "kinds/node/any_volume.h"

#include <assert.h>
#include <inttypes.h>

/* ---- the record ----------------------------------------------------------------------------- */

enum { SPLIT_MAX = 7 };
#define FIELD(name) (offset + offsetof(bvpd_hierarchy, name))

/* Binary hierarchies follow each other in BINH. False: this one's bytes cannot be read, or were
 * read already. */
static bool verify_place(bvpi_verify *v, const bvpd_hierarchy *r, uint64_t offset)
{
    const bvpi_span *binary = &v->file.section[BVPD_BINH];
    uint64_t expected = 0;
    const bool is_placed = BVPI_SOUND(
        &v->report, "HIE-3", FIELD(data_off),
        bvpi_align(v->passage.binary_end, BVPD_SECTION_ALIGN, &expected) &&
            r->data_off == expected && bvpi_fits(r->data_off, r->data_size, binary->size),
        "the hierarchy (%" PRIu64 " bytes at %" PRIu64 ") is not where %" PRIu64
        " bytes before it end, or leaves BINH",
        r->data_size, r->data_off, v->passage.binary_end);
    if (!is_placed)
        return false;
    BVPI_SOUND(&v->report, "HIE-3", bvpi_verify_off(v, binary->data) + v->passage.binary_end,
               bvpi_is_zero(binary->data + v->passage.binary_end, expected - v->passage.binary_end),
               "the padding before a hierarchy is not zero");
    v->passage.binary_end = r->data_off + r->data_size;
    return BVPI_RULE(
        &v->report, "HIE-3", BVP_ERR_LIMIT, FIELD(data_size), r->data_size <= BVPI_BINARY_SIZE_MAX,
        "%" PRIu64 " bytes of a hierarchy are over the limit of 2^32 - 1", r->data_size);
}

static void verify_numbers(bvpi_verify *v, const bvpi_part *part, const bvpd_hierarchy *r,
                           uint64_t offset)
{
    bvpi_report *report = &v->report;
    bvpi_verify_record(v, r, offset);
    BVPI_SOUND(report, "HIE-7", FIELD(leaf_size),
               r->leaf_size >= 1 && r->leaf_size <= BVPD_LEAF_MAX,
               "leaf_size is %" PRIu32 ", not 1 to 8", r->leaf_size);
    const bool is_known = BVPI_SOUND(report, "HIE-14", FIELD(plane_max), bvpi_is_form_sound(r),
                                     "%u planes and offsets of %u bytes do not fit the kind",
                                     r->plane_max, r->offset_size);
    BVPI_SOUND(report, "HIE-15", FIELD(order_off), bvpi_is_order_sound(r, part->triangle_count),
               "an order stream of %" PRIu64 " entries of %u bits at %" PRIu64
               " does not end the %" PRIu64 " bytes of the hierarchy",
               part->triangle_count, r->order_width, r->order_off, r->data_size);
    BVPI_KNOWN(report, "HIE-16", FIELD(split), r->split <= SPLIT_MAX, "split %u is unknown",
               r->split);
    bool is_in_grid = true; /* the corners of a sound grid are exact doubles */
    for (int axis = 0; axis < 3; axis++)
        is_in_grid = is_in_grid && r->grid_origin[axis] <= part->lo[axis] &&
                     part->hi[axis] <= r->grid_origin[axis] + r->grid_unit * r->grid_extent[axis];
    BVPI_SOUND(report, "HIE-17", FIELD(grid_origin), is_in_grid,
               "the part leaves the box of the grid");
    BVPI_SOUND(report, "HIE-5", FIELD(upper_count), !is_known || bvpi_is_count_sound(r),
               "%" PRIu32 " upper records of %" PRIu32 " volumes do not exist or leave the bytes",
               r->upper_count, r->node_count);
}

/* ---- upper records -------------------------------------------------------------------------- */

/* A block must be between the upper records and the order stream, and only one record may link to
 * it. blocks: one bit for 4 bytes. */
static bool verify_block_link(const bvpi_binary_check *c, uint32_t link, bvpi_bits *blocks,
                              uint64_t start, uint64_t end, uint64_t offset)
{
    bvpi_report *report = &c->verify->report;
    const uint64_t at = (uint64_t)(link & ~BVPD_LINK_BLOCK) * 4;
    if (!BVPI_SOUND(report, "BIN-3", offset, at >= start && bvpi_fits(at, sizeof(bvpd_block), end),
                    "a block at %" PRIu64 " is not between %" PRIu64 " and %" PRIu64, at, start,
                    end))
        return false;
    bvpd_block head;
    bvpi_load_record(&head, c->tree.blob + at, sizeof head);
    if (!BVPI_SOUND(report, "BIN-3", offset, bvpi_fits(at + sizeof head, head.size, end),
                    "a block of %u bytes at %" PRIu64 " goes on after %" PRIu64, head.size, at,
                    end) ||
        !BVPI_SOUND(report, "BIN-4", offset, !bvpi_bits_get(blocks, at / 4),
                    "two records link to the block at %" PRIu64, at))
        return false;
    assert(at % 4 == 0 && at < end);
    bvpi_bits_set(blocks, at / 4);
    return true;
}

/* In breadth-first order the links are 1, 3, 5, ...; then every record but the first is a child
 * once. */
static bool verify_uppers(const bvpi_binary_check *c, bvpi_bits *blocks, uint64_t start,
                          uint64_t end)
{
    const bvpi_binary *tree = &c->tree;
    bvpi_report *report = &c->verify->report;
    uint64_t next = 1;
    bool sound = true;
    for (uint32_t i = 0; i < tree->upper_count && bvpi_report_goes_on(report); i++) {
        const uint8_t *record = tree->blob + (uint64_t)i * tree->upper_size;
        const uint32_t link = bvpi_peek_u32(record + tree->payload_size);
        const uint64_t offset = c->offset + (uint64_t)i * tree->upper_size;
        const uint32_t size = bvpi_binary_payload_size(tree, record);
        assert(size <= tree->payload_size);
        BVPI_SOUND(report, "BIN-2", offset, bvpi_is_zero(record + size, tree->payload_size - size),
                   "the padding of a payload is not zero");
        if (link & BVPD_LINK_BLOCK) {
            sound &= verify_block_link(c, link, blocks, start, end, offset + tree->payload_size);
            continue;
        }
        sound &= BVPI_SOUND(report, "BIN-1", offset + tree->payload_size,
                            link == next && link > i && next + 1 < tree->upper_count,
                            "record %" PRIu32 " links to %" PRIu32 ", not to %" PRIu64
                            ", or there are only %" PRIu32,
                            i, link, next, tree->upper_count);
        next += 2;
    }
    sound &= BVPI_SOUND(report, "BIN-1", c->offset, next == tree->upper_count,
                        "records link to %" PRIu64 " of %" PRIu32, next, tree->upper_count);
    return sound && !report->stopped;
}

/* ---- blocks --------------------------------------------------------------------------------- */

static uint64_t padded(uint64_t size)
{
    return (size + 3) & ~UINT64_C(3);
}

/* Blocks must fill the space between the upper records and the order stream. */
static bool verify_blocks(const bvpi_binary_check *c, const bvpi_bits *blocks, uint64_t at,
                          uint64_t end)
{
    const bvpi_binary *tree = &c->tree;
    bvpi_report *report = &c->verify->report;
    while (at < end && bvpi_report_goes_on(report)) {
        if (!BVPI_SOUND(report, "BIN-4", c->offset + at,
                        at % 4 == 0 && at / 4 < blocks->count && bvpi_bits_get(blocks, at / 4),
                        "no record links to a block at %" PRIu64, at))
            return false;
        bvpd_block head;
        bvpi_load_record(&head, tree->blob + at, sizeof head);
        const uint64_t block_end = at + sizeof head + head.size, next = padded(block_end);
        BVPI_KNOWN(report, "BLK-1", c->offset + at + offsetof(bvpd_block, reserved),
                   head.reserved == 0, "reserved bytes of a block are not zero");
        BVPI_SOUND(report, "BLK-5", c->offset + at,
                   tree->order_width != 0 || (head.first & 255) + head.count_minus_1 <= 255,
                   "the block's triangles are not in one cluster");
        if (!BVPI_SOUND(report, "BIN-4", c->offset + at, next <= end,
                        "the blocks end at %" PRIu64 ", not at %" PRIu64, next, end))
            return false;
        BVPI_SOUND(report, "BIN-5", c->offset + block_end,
                   bvpi_is_zero(tree->blob + block_end, next - block_end),
                   "the padding of a block is not zero");
        assert(next > at);
        at = next;
    }
    return !report->stopped;
}

/* True if the hierarchy can be walked: it is a tree that contains every record and block once. */
static bool verify_skeleton(const bvpi_binary_check *c)
{
    const bvpi_binary *tree = &c->tree;
    const uint64_t uppers = (uint64_t)tree->upper_count * tree->upper_size;
    const uint64_t start = padded(uppers);
    const uint64_t end =
        tree->order_width == 0 ? tree->blob_size : (uint64_t)(tree->order - tree->blob);
    bvpi_bits blocks;
    assert(uppers <= tree->blob_size && end <= tree->blob_size);
    if (!BVPI_SOUND(&c->verify->report, "BIN-4", c->offset + end, start <= end,
                    "the order stream begins before the upper records end"))
        return false;
    BVPI_SOUND(&c->verify->report, "BIN-5", c->offset + uppers,
               bvpi_is_zero(tree->blob + uppers, start - uppers),
               "the padding after the upper records is not zero");
    const uint64_t bits = tree->order_count * tree->order_width;
    if (bits % 8 != 0)
        BVPI_SOUND(&c->verify->report, "BIN-5", c->offset + tree->blob_size - 1,
                   tree->order[bits / 8] >> (bits % 8) == 0,
                   "the bits after the order stream are not zero");
    if (!bvpi_bits_make(c->verify, end / 4 + 1, &blocks))
        return false;
    const bool sound =
        verify_uppers(c, &blocks, start, end) && verify_blocks(c, &blocks, start, end);
    bvpi_bits_free(&blocks);
    return sound;
}

/* ---- the hierarchy -------------------------------------------------------------------------- */

void bvpi_verify_binary(bvpi_verify *v, const bvpi_part *part, const bvpd_hierarchy *r,
                        uint32_t idx, uint64_t triangle_count)
{
    const uint64_t offset =
        bvpi_verify_off(v, v->file.section[BVPD_HIER].data) + (uint64_t)idx * sizeof *r;
    bvpi_report *report = &v->report;
    const bool is_placed = verify_place(v, r, offset);
    verify_numbers(v, part, r, offset);
    bvpi_binary_check c = {.verify = v, .part = part};
    bvpi_rays rays;
    uint32_t largest_leaf = r->leaf_size;
    const bool is_rays = r->kind == BVPD_KIND_RAYS;
    if (!is_placed || triangle_count == 0 ||
        !(is_rays ? bvpi_view_rays(&v->file, r, &rays)
                  : bvpi_view_binary(&v->file, r, part->triangle_count, &c.tree) == BVP_OK))
        return;
    c.offset = bvpi_verify_off(v, is_rays ? rays.nodes : c.tree.blob);
    if ((is_rays || verify_skeleton(&c)) && bvpi_bits_make(v, triangle_count, &c.items)) {
        bvpi_bits_set_first(&c.items, triangle_count);
        if (is_rays)
            bvpi_verify_rays(&c, &rays, &largest_leaf);
        else
            bvpi_verify_volumes(&c);
        for (uint64_t item = 0; item < c.items.count && bvpi_report_goes_on(report); item++)
            if (c.items.bytes[item / 8] != 0)
                BVPI_SOUND(report, is_rays ? "RAY-10" : "BIN-7", c.offset,
                           !bvpi_bits_get(&c.items, item), "no leaf holds triangle %" PRIu64, item);
        if (!report->stopped) {
            BVPI_SOUND(report, "HIE-6", FIELD(node_count),
                       r->node_count == c.node_count && r->leaf_count == c.leaf_count,
                       "the hierarchy has %" PRIu32 " volumes and %" PRIu32
                       " leaves, its record says %" PRIu32 " and %" PRIu32,
                       c.node_count, c.leaf_count, r->node_count, r->leaf_count);
            BVPI_SOUND(report, "HIE-8", FIELD(depth),
                       r->depth == c.depth && c.depth <= BVPD_DEPTH_MAX,
                       "depth is %" PRIu32 "; the hierarchy has %" PRIu32
                       " levels, at most 64 are allowed",
                       r->depth, c.depth);
            BVPI_SOUND(report, "HIE-7", FIELD(leaf_size), largest_leaf == r->leaf_size,
                       "leaf_size is %" PRIu32 "; the largest leaf has %" PRIu32 " triangles",
                       r->leaf_size, largest_leaf);
        }
    }
    bvpi_bits_free(&c.items);
}
