/* SPDX-License-Identifier: MIT
 * verify_volumes.c: checks the volumes of a binary hierarchy: every node from the root on, and
 * every triangle against all volumes above it.
 *
 * The walk keeps the path from the root to the current node. A triangle of a leaf is tested against
 * each volume on the path with the formulas that readers use, including their slack, so that what
 * passes here is safe for every query.
 * Spec: format.md, chapters "Binary hierarchies", "Boxtree", "AABB tree", "Oriented volumes"
 */
#include "format/check/verify_file.h"

#include "base/checked.h"
#include "node/cluster_record.h"
#include "kinds/node/any_volume.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* A node on the path from the root to the current one. */
typedef struct level {
    bvpi_binary_node node, child[2];
    const uint8_t *payload, *child_payload[2];
    bvpi_decoded volume;
    uint32_t child_count, entered; /* 0 children: a leaf, or a node that cannot be opened */
    uint64_t triangle_count;       /* below it, so far */
    float lo[3], hi[3];            /* box of these triangles */
} level;

typedef struct path {
    bvpi_binary_check *check;
    bvpi_report *report;
    bvpi_decoded start; /* what the root's payload is relative to */
    bvpi_cluster cluster;
    uint64_t cluster_off; /* offset in the blob; UINT64_MAX: none is open */
    uint32_t count;
    level levels[BVPD_DEPTH_MAX];
} path;

static uint64_t offset_of(const path *p, const uint8_t *bytes)
{
    return bvpi_verify_off(p->check->verify, bytes);
}

/* ---- boxtree -------------------------------------------------------------------------------- */

/* Checks the node's sides one by one: no offset may be cut off by the opposite side. */
static bool is_within(const bvpi_binary *tree, const bvpi_frame *parent, const uint8_t *payload)
{
    const unsigned mask = bvpi_load_u8(payload) & 63u;
    bvpi_frame box = *parent;
    uint32_t idx = 0;
    for (unsigned side = 0; side < 6; side++) {
        if ((mask >> side & 1) == 0 || idx == tree->plane_max)
            continue;
        const unsigned axis = side % 3;
        const uint32_t extent = parent->hi[axis] - parent->lo[axis];
        const uint32_t offset = bvpi_boxtree_offset(tree, payload, idx++, extent);
        if (offset > box.hi[axis] - box.lo[axis])
            return false;
        if (side < 3)
            box.lo[axis] += offset;
        else
            box.hi[axis] -= offset;
    }
    return true;
}

static void verify_planes(const path *p, const bvpi_decoded *parent, const uint8_t *payload)
{
    const bvpi_binary *tree = &p->check->tree;
    const uint64_t offset = offset_of(p, payload);
    const uint8_t mask = bvpi_load_u8(payload);
    const uint32_t planes = (uint32_t)__builtin_popcount(mask & 63u);
    BVPI_KNOWN(p->report, "BOX-1", offset, mask < 64, "mask 0x%02x has reserved bits", mask);
    if (!BVPI_SOUND(p->report, "BOX-2", offset, planes <= tree->plane_max,
                    "a node has %" PRIu32 " planes, at most %u are allowed", planes,
                    tree->plane_max))
        return;
    bool are_whole = true;
    for (uint32_t i = 0; i < planes && tree->offset_size == 4; i++) {
        const uint32_t bits = bvpi_peek_u32(payload + 1 + 4 * i);
        const float steps = bvpi_float_of_bits(bits);
        are_whole = are_whole && bits >> 31 == 0 && steps < 0x1p22f && steps == floorf(steps);
    }
    BVPI_SOUND(p->report, "BOX-3", offset, are_whole,
               "an offset is not a whole number of grid steps");
    BVPI_SOUND(p->report, "BOX-4", offset, is_within(tree, &parent->box, payload),
               "a side passes the side opposite");
}

static double grid_point(const bvpi_binary *tree, int axis, uint32_t steps)
{
    return tree->grid_origin[axis] + (double)steps * tree->grid_unit;
}

/* ---- oriented volumes ----------------------------------------------------------------------- */

static void verify_oriented(const path *p, const uint8_t *payload, const bvpi_oriented *volume)
{
    const uint64_t offset = offset_of(p, payload);
    const uint32_t rotation = bvpi_peek_u32(payload);
    bool is_rotation = true;
    double sum = 0;
    for (int field = 0; field < 3; field++) {
        const int value = (int)(rotation >> (10 * field) & 1023) - 512;
        const double q = value * BVPI_ROTATION_STEP;
        sum += q * q;
        is_rotation = is_rotation && value != -512;
    }
    BVPI_SOUND(p->report, "ORI-1", offset, is_rotation && 1 - sum >= 0,
               "rotation 0x%08" PRIx32 " is none", rotation);
    /* Readers' slack suffices for volumes of this size and place. */
    const bvpi_oriented *grid = &p->start.oriented;
    const double most = BVPI_ORIENTED_LARGEST * grid->reach;
    bool is_near = true;
    for (int axis = 0; axis < 3; axis++)
        is_near = is_near && volume->size[axis] <= most &&
                  fabs(volume->centre[axis] - grid->centre[axis]) <= most;
    BVPI_SOUND(p->report, "ORI-4", offset, is_near,
               "a volume is larger than twice the grid's reach, or that far from its centre");
}

/* Checks that the triangle's corners are inside every volume on the path. */
static void verify_held(const path *p, const float triangle[9], uint64_t item)
{
    const bool is_rss = p->check->tree.kind == BVPD_KIND_RSS;
    for (uint32_t i = 0; i < p->count; i++) {
        const level *l = &p->levels[i];
        bool held = true;
        for (int corner = 0; corner < 3; corner++) {
            const double point[3] = {triangle[3 * corner], triangle[3 * corner + 1],
                                     triangle[3 * corner + 2]};
            held = held && bvpi_oriented_holds(&l->volume.oriented, is_rss, point);
        }
        BVPI_SOUND(p->report, is_rss ? "ORI-3" : "ORI-2", offset_of(p, l->payload), held,
                   "triangle %" PRIu64 " leaves the volume of level %" PRIu32, item, i);
    }
}

/* ---- triangles ------------------------------------------------------------------------------ */

/* Loads the triangle of item `idx`, and removes it from those that no leaf has held. The cluster of
 * the last item stays open, because neighbouring items are mostly in the same one. */
static bool claim(path *p, uint64_t idx, uint64_t offset, float triangle[9], uint64_t *item)
{
    bvpi_binary_check *c = p->check;
    const bvpi_part *part = c->part;
    uint32_t reference = 0;
    bool is_there = idx <= UINT32_MAX && bvpi_binary_item(&c->tree, (uint32_t)idx, &reference);
    const uint64_t place = (uint64_t)(reference >> 8) << part->cluster_shift;
    if (is_there && place != p->cluster_off) {
        is_there =
            bvpi_verify_is_cluster(part, place) &&
            bvpi_cluster_open(part->blob, part->blob_size, part->outside, place, &p->cluster);
        p->cluster_off = is_there ? place : UINT64_MAX;
    }
    const uint32_t local = reference & 255;
    if (!BVPI_SOUND(p->report, "BIN-8", offset, is_there && local < p->cluster.triangle_count,
                    "item %" PRIu64 ", triangle %" PRIu32 " of cluster unit %" PRIu32
                    ", does not exist",
                    idx, local, reference >> 8))
        return false;
    *item = (uint64_t)p->cluster.head.first_triangle + local;
    bvpi_cluster_triangle(&p->cluster, local, triangle);
    const bool is_free = *item < c->items.count && bvpi_bits_get(&c->items, *item);
    if (is_free)
        bvpi_bits_clear(&c->items, *item);
    return BVPI_SOUND(p->report, "BIN-7", offset, is_free, "triangle %" PRIu64 " is in two leaves",
                      *item);
}

static void grow(level *l, const float lo[3], const float hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        l->lo[axis] = lo[axis] < l->lo[axis] ? lo[axis] : l->lo[axis];
        l->hi[axis] = hi[axis] > l->hi[axis] ? hi[axis] : l->hi[axis];
    }
}

static void verify_leaf(path *p, level *leaf)
{
    bvpi_binary_check *c = p->check;
    const uint64_t offset = offset_of(p, leaf->payload);
    c->leaf_count++;
    BVPI_SOUND(p->report, "BLK-4", offset, leaf->node.at == leaf->node.end,
               "%" PRIu32 " bytes follow a leaf", leaf->node.end - leaf->node.at);
    for (uint32_t i = 0; i < leaf->node.count && bvpi_report_goes_on(p->report); i++) {
        float triangle[9];
        uint64_t item;
        if (!claim(p, (uint64_t)leaf->node.first + i, offset, triangle, &item))
            continue;
        for (int corner = 0; corner < 3; corner++)
            grow(leaf, triangle + 3 * corner, triangle + 3 * corner);
        if (c->tree.kind == BVPD_KIND_BOXTREE) {
            const bvpi_frame *box = &leaf->volume.box;
            bool is_in_box = true;
            for (int k = 0; k < 9; k++)
                is_in_box = is_in_box &&
                            grid_point(&c->tree, k % 3, box->lo[k % 3]) <= triangle[k] &&
                            triangle[k] <= grid_point(&c->tree, k % 3, box->hi[k % 3]);
            BVPI_SOUND(p->report, "BOX-5", offset, is_in_box,
                       "triangle %" PRIu64 " leaves the box of its leaf", item);
        } else if (c->tree.kind != BVPD_KIND_AABB)
            verify_held(p, triangle, item);
    }
    leaf->triangle_count = leaf->node.count;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* Appends a node to the path, unless the path is too long. */
static void enter(path *p, const bvpi_binary_node *node, const uint8_t *payload)
{
    bvpi_binary_check *c = p->check;
    const bvpi_decoded *parent = p->count > 0 ? &p->levels[p->count - 1].volume : &p->start;
    c->node_count++;
    c->depth = p->count + 1 > c->depth ? p->count + 1 : c->depth;
    if (p->count == BVPD_DEPTH_MAX)
        return;
    level *l = &p->levels[p->count++];
    l->node = *node;
    l->payload = payload;
    l->child_count = l->entered = 0;
    l->triangle_count = 0;
    for (int axis = 0; axis < 3; axis++) {
        l->lo[axis] = INFINITY;
        l->hi[axis] = -INFINITY;
    }
    bvpi_decoded_volume(&c->tree, parent, payload, &l->volume);
    if (c->tree.kind == BVPD_KIND_BOXTREE)
        verify_planes(p, parent, payload);
    else if (c->tree.kind != BVPD_KIND_AABB)
        verify_oriented(p, payload, &l->volume.oriented);
    if (bvpi_binary_is_leaf(&c->tree, node))
        verify_leaf(p, l);
    else if (bvpi_binary_children(&c->tree, node, l->child, l->child_payload))
        l->child_count = 2;
    else { /* say why the block's node does not have two children */
        const uint8_t *bytes = c->tree.blob + node->at;
        const uint32_t room = node->end - node->at;
        const uint32_t left = bvpi_load_u8(bytes) + 1u, span = bvpi_load_u8(bytes + 1);
        if (room < 2 ||
            BVPI_SOUND(p->report, "BLK-2", offset_of(p, bytes), left < node->count && span > 0,
                       "the left child of a node with %" PRIu32 " triangles has %" PRIu32
                       ", and its span is %" PRIu32,
                       node->count, left, span))
            bvpi_report_add(p->report, "BLK-3", BVP_ERR_CORRUPT, offset_of(p, bytes),
                            "children leave the %" PRIu32 " bytes of their node", room);
    }
}

/* Removes the last node of the path; everything below it was visited. */
static void leave(path *p)
{
    assert(p->count > 0);
    level *l = &p->levels[--p->count];
    const bvpi_binary *tree = &p->check->tree;
    const uint64_t offset = offset_of(p, l->payload);
    const bool is_leaf = bvpi_binary_is_leaf(tree, &l->node);
    if (!is_leaf)
        BVPI_SOUND(p->report, "BIN-6", offset, l->triangle_count > tree->leaf_size,
                   "a node of %" PRIu64 " triangles has children; leaves have up to %" PRIu32,
                   l->triangle_count, tree->leaf_size);
    bool is_union = true; /* the box, of what is below */
    for (int axis = 0; axis < 3 && tree->kind == BVPD_KIND_AABB; axis++)
        is_union = is_union &&
                   bvpi_float_of_bits(bvpi_peek_u32(l->payload + 4 * axis)) == l->lo[axis] &&
                   bvpi_float_of_bits(bvpi_peek_u32(l->payload + 12 + 4 * axis)) == l->hi[axis];
    BVPI_SOUND(p->report, is_leaf ? "AAB-1" : "AAB-2", offset, is_union,
               "a box is not the union of what it holds");
    if (p->count == 0)
        return;
    level *parent = &p->levels[p->count - 1];
    parent->triangle_count += l->triangle_count;
    grow(parent, l->lo, l->hi);
}

void bvpi_verify_volumes(bvpi_binary_check *check)
{
    path p = {.check = check, .report = &check->verify->report, .cluster_off = UINT64_MAX};
    bvpi_binary_node root;
    const uint8_t *payload;
    assert(check->items.bytes);
    bvpi_decoded_start(&check->tree, &p.start);
    if (!bvpi_binary_root(&check->tree, &root, &payload))
        return;
    enter(&p, &root, payload);
    while (p.count > 0 && bvpi_report_goes_on(p.report)) {
        level *l = &p.levels[p.count - 1];
        assert(p.count <= BVPD_DEPTH_MAX && l->entered <= l->child_count);
        if (l->entered < l->child_count) {
            const uint32_t idx = l->entered++;
            enter(&p, &l->child[idx], l->child_payload[idx]);
        } else
            leave(&p);
    }
}
