/* SPDX-License-Identifier: MIT
 * verify_nodes.c: checks a wide hierarchy, of a part or over the instances, from its record to its
 * last leaf.
 *
 * Every unit that is a node is in the set `slots` at first; reaching a node removes it. So a node
 * that is reached twice is found, the walk ends on any input, and what remains at the end was never
 * referred to. The set `items` does the same for triangles or instances.
 * Spec: format.md, chapters "Hierarchies" and "Nodes"
 */
#include "format/check/verify_file.h"

#include "base/checked.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- the record ----------------------------------------------------------------------------- */

/* Rules HIE-9 and HIE-10: corners are exact doubles, and every frame is a multiple of its step. */
static bool is_grid(const bvpd_hierarchy *r)
{
    int exponent;
    if (!isfinite(r->grid_unit) || r->grid_unit <= 0 || frexp(r->grid_unit, &exponent) != 0.5 ||
        exponent < -300 || exponent > 300)
        return false;
    for (int axis = 0; axis < 3; axis++) {
        const double steps = r->grid_origin[axis] / r->grid_unit;
        if (!(fabs(steps) <= 0x1p52) || steps != floor(steps))
            return false;
    }
    return true;
}

void bvpi_verify_record(bvpi_verify *v, const bvpd_hierarchy *r, uint64_t offset)
{
    bvpi_report *report = &v->report;
    BVPI_SOUND(report, "HIE-4", offset + offsetof(bvpd_hierarchy, root), r->root == 0,
               "the root is unit %" PRIu32 ", not 0", r->root);
    BVPI_SOUND(report, "HIE-9", offset + offsetof(bvpd_hierarchy, grid_origin), is_grid(r),
               "grid_unit is not a power of two, or grid_origin not a multiple of it");
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t extent = r->grid_extent[axis];
        const bool is_extent =
            extent < 1u << BVPD_GRID_BITS && extent % (1u << bvpi_frame_shift(extent)) == 0;
        BVPI_SOUND(report, "HIE-10", offset + offsetof(bvpd_hierarchy, grid_extent) + 4 * axis,
                   is_extent,
                   "grid_extent %" PRIu32 " is over 22 bits or not a multiple of its step", extent);
    }
    BVPI_SOUND(report, "HIE-11", offset + offsetof(bvpd_hierarchy, area_cost),
               isfinite(r->area_cost) && r->area_cost >= 0, "area_cost is not a number >= 0");
    const bool is_wide = r->kind == BVPD_KIND_WIDE8;
    const bool is_zero = r->plane_max == 0 && r->offset_size == 0 && r->order_width == 0 &&
                         r->split == 0 && r->order_off == 0;
    BVPI_KNOWN(report, "HIE-12", offset + offsetof(bvpd_hierarchy, reserved),
               (is_zero || !is_wide) && r->reserved == 0,
               "reserved bytes of a hierarchy are not zero");
    const bool may_turn = is_wide && r->part != BVPD_NONE &&
                          (v->file.header.feature_incompatible & BVPD_FEATURE_TURNS) != 0;
    BVPI_SOUND(report, "HIE-18", offset + offsetof(bvpd_hierarchy, turn),
               !bvpi_is_turned(r) || (may_turn && bvpi_is_turn_sound(r)),
               "the hierarchy is turned, which it or the file must not be, or a number is -32768");
}

bool bvpi_verify_hierarchy(bvpi_hierarchy_check *check, const bvpd_hierarchy *r, uint32_t idx)
{
    bvpi_verify *v = check->verify;
    bvpi_report *report = &v->report;
    const uint64_t offset =
        bvpi_verify_off(v, v->file.section[BVPD_HIER].data) + (uint64_t)idx * sizeof *r;
    if (!BVPI_KNOWN(report, "HIE-1", offset, r->kind == BVPD_KIND_WIDE8,
                    "hierarchy kind %" PRIu32 " is unknown here", r->kind))
        return false;
    bvpi_verify_record(v, r, offset);
    BVPI_SOUND(report, "HIE-5", offset + offsetof(bvpd_hierarchy, upper_count),
               r->upper_count <= r->node_count && r->node_count <= check->tree.unit_count,
               "%" PRIu32 " nodes, %" PRIu32 " of them upper ones, do not fit in %" PRIu32 " units",
               r->node_count, r->upper_count, check->tree.unit_count);
    check->tree.root = 0;
    check->tree.grid_unit = r->grid_unit;
    check->tree.is_turned = bvpi_is_turned(r);
    memcpy(check->tree.turn, r->turn, sizeof check->tree.turn);
    for (int axis = 0; axis < 3; axis++) {
        check->tree.grid_origin[axis] = r->grid_origin[axis];
        check->tree.grid_extent[axis] = r->grid_extent[axis];
    }
    return check->tree.unit_count > 0;
}

/* ---- the nodes ------------------------------------------------------------------------------ */

typedef struct waiting {
    bvpi_frame frame;
    uint32_t unit, level;
} waiting;

enum { STACK_MAX = BVPD_DEPTH_MAX * (BVPD_WIDTH - 1) + 1 };

/* Rules about a single node. */
static void verify_lanes(bvpi_hierarchy_check *c, const bvpd_node *node, uint64_t offset)
{
    bvpi_report *report = &c->verify->report;
    uint32_t inner = 0, leaves = 0;
    for (int lane = 0; lane < BVPD_WIDTH; lane++) {
        const uint8_t meta = node->meta[lane];
        const bool is_inner = bvpi_meta_is_inner(meta), is_leaf = bvpi_meta_is_leaf(meta);
        inner += is_inner;
        leaves += is_leaf;
        BVPI_SOUND(report, "NOD-1", offset + offsetof(bvpd_node, meta) + lane,
                   is_inner || is_leaf || meta == 0, "meta 0x%02x of lane %d means nothing", meta,
                   lane);
        bool is_empty = true;
        for (int axis = 0; axis < 3; axis++)
            is_empty = is_empty && node->bounds[axis][lane] == 255 &&
                       node->bounds[axis][BVPD_WIDTH + lane] == 0;
        if (meta == 0)
            BVPI_SOUND(report, "NOD-2", offset + lane, is_empty, "the empty lane %d has a box",
                       lane);
    }
    BVPI_SOUND(report, "NOD-3", offset, inner + leaves > 0, "the node has no children");
    BVPI_SOUND(report, "NOD-4", offset + offsetof(bvpd_node, child), inner > 0 || node->child == 0,
               "child is %" PRIu32 " though no lane is inner", node->child);
    BVPI_SOUND(report, "NOD-5", offset + offsetof(bvpd_node, geom), leaves > 0 || node->geom == 0,
               "geom is %" PRIu32 " though no lane is a leaf", node->geom);
    c->leaf_count += leaves;
}

/* Removes a unit from the set of nodes that were not reached yet. */
static bool claim(bvpi_hierarchy_check *c, uint32_t unit, uint64_t offset)
{
    const bool is_free = unit < c->slots.count && bvpi_bits_get(&c->slots, unit);
    if (is_free)
        bvpi_bits_clear(&c->slots, unit);
    return BVPI_SOUND(&c->verify->report, "NOD-7", offset, is_free,
                      "unit %" PRIu32 " is not a node, or is referred to twice", unit);
}

/* Checks one node and pushes its inner children, the first lane on top. */
static uint32_t verify_node(bvpi_hierarchy_check *c, const waiting *here, waiting *stack)
{
    bvpi_report *report = &c->verify->report;
    const uint64_t offset = c->units_off + (uint64_t)here->unit * BVPD_UNIT;
    bvpd_node node;
    assert(here->unit < c->tree.unit_count);
    const bool is_linked = bvpi_node_load(&c->tree, here->unit, &node);
    verify_lanes(c, &node, offset);
    BVPI_SOUND(report, "NOD-6", offset + offsetof(bvpd_node, child), is_linked,
               "child %" PRIu32 " is not after unit %" PRIu32 ", or leaves the hierarchy",
               node.child, here->unit);
    bvpi_leaf leaf = {.geom = node.geom};
    uint32_t unit = node.child, count = 0;
    for (int lane = 0; lane < BVPD_WIDTH; lane++) {
        const uint8_t meta = node.meta[lane];
        waiting child = {.level = here->level + 1};
        if (!bvpi_meta_is_inner(meta) && !bvpi_meta_is_leaf(meta))
            continue;
        bvpi_frame_child(&here->frame, &node, lane, &child.frame);
        BVPI_SOUND(report, "NOD-9", offset + lane, bvpi_frame_is_within(&child.frame, &here->frame),
                   "the box of lane %d is inverted or leaves its parent's", lane);
        if (bvpi_meta_is_leaf(meta)) {
            leaf.count = meta;
            if (leaf.count > c->largest_leaf)
                c->largest_leaf = leaf.count;
            c->verify_leaf(c, &child.frame, &leaf, offset);
            leaf.before += meta;
        } else if (is_linked) {
            child.unit = unit++;
            if (claim(c, child.unit, offset + offsetof(bvpd_node, child)))
                stack[count++] = child;
        }
    }
    assert(count + (leaf.before > 0) <= BVPD_WIDTH);
    for (uint32_t i = 0; i < count / 2; i++) {
        const waiting swapped = stack[i];
        stack[i] = stack[count - 1 - i];
        stack[count - 1 - i] = swapped;
    }
    return count;
}

void bvpi_verify_nodes(bvpi_hierarchy_check *c, const bvpd_hierarchy *r, uint32_t idx)
{
    bvpi_report *report = &c->verify->report;
    const uint64_t offset = bvpi_verify_off(c->verify, c->verify->file.section[BVPD_HIER].data) +
                            (uint64_t)idx * sizeof *r;
    waiting stack[STACK_MAX + BVPD_WIDTH], here = {.unit = c->tree.root, .level = 1};
    uint32_t count = 0;
    assert(c->verify_leaf && c->slots.bytes && c->items.bytes &&
           c->slots.count <= c->tree.unit_count);
    bvpi_frame_root(&c->tree, &here.frame);
    if (claim(c, here.unit, c->units_off))
        stack[count++] = here;
    while (count > 0 && bvpi_report_goes_on(report)) {
        here = stack[--count];
        c->node_count++;
        if (here.level > c->depth)
            c->depth = here.level;
        /* A node that is too deep is not opened. One of level n leaves at most 7 behind on each
         * level above it, so the stack suffices. */
        if (here.level <= BVPD_DEPTH_MAX)
            count += verify_node(c, &here, stack + count);
        assert(count <= STACK_MAX + BVPD_WIDTH);
    }
    for (uint64_t unit = 0; unit < c->slots.count && bvpi_report_goes_on(report); unit++)
        if (c->slots.bytes[unit / 8] != 0)
            BVPI_SOUND(report, "NOD-8", c->units_off + unit * BVPD_UNIT,
                       !bvpi_bits_get(&c->slots, unit), "no node refers to node %" PRIu64, unit);
    const uint64_t items = c->more_follow ? 0 : c->items.count;
    for (uint64_t item = 0; item < items && bvpi_report_goes_on(report); item++)
        if (c->items.bytes[item / 8] != 0)
            BVPI_SOUND(report, "NOD-12", c->units_off, !bvpi_bits_get(&c->items, item),
                       "no leaf holds %s %" PRIu64, c->part ? "triangle" : "instance", item);
    if (report->stopped)
        return;
    BVPI_SOUND(report, "HIE-6", offset + offsetof(bvpd_hierarchy, node_count),
               r->node_count == c->node_count && r->leaf_count == c->leaf_count,
               "the hierarchy has %" PRIu32 " nodes and %" PRIu32
               " leaves, its record says %" PRIu32 " and %" PRIu32,
               c->node_count, c->leaf_count, r->node_count, r->leaf_count);
    BVPI_SOUND(report, "HIE-7", offset + offsetof(bvpd_hierarchy, leaf_size),
               r->leaf_size <= BVPD_LEAF_MAX && r->leaf_size >= c->largest_leaf,
               "leaf_size is %" PRIu32 "; the largest leaf has %" PRIu32, r->leaf_size,
               c->largest_leaf);
    BVPI_SOUND(report, "HIE-8", offset + offsetof(bvpd_hierarchy, depth),
               r->depth == c->depth && c->depth <= BVPD_DEPTH_MAX,
               "depth is %" PRIu32 "; the hierarchy has %" PRIu32 " levels, at most 64 are allowed",
               r->depth, c->depth);
}
