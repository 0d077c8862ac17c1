/* SPDX-License-Identifier: MIT
 * refit_oriented_kernel.c: recomputes all volumes of an OBB or RSS tree, in place; compiled once
 * per instruction set.
 *
 * Rotations are kept: choosing axes is most of what building such a tree costs. Centres and sizes
 * are computed along them from all corners below each node, so a volume is as small as its old axes
 * allow; where the shape has turned, a tree that is built anew is better.
 *
 * Volumes are stored relative to their parents', so there are two passes. Upward: the vertices of
 * each block are added to the ranges of all records above it, but for those to which its box shows
 * that it adds nothing: of large nodes only blocks near the rim are left. Downward: with the
 * parent's volume decoded, a node's centre is encoded and decoded, and then the sizes around it are
 * rounded up. In a block each vertex is looked at once for each level. Upper records need memory,
 * which the caller has, and so does what is known of one block.
 *
 * Rounding: ranges are relative to the grid box's centre. With u = 2^-53 and L and E as in the
 * spec, a coordinate along an axis, computed here or by a reader from a difference of at most 2 E
 * on each axis, errs by less than 6 u * 2 sqrt(3) E < 21 u E: three products, two sums, and the
 * difference before them. A size is made of two of them, and the reader computes a third one; that
 * axes are not quite orthonormal does not matter, because all use the same. A swept rectangle's
 * roots keep squares to 8 u E^2. Together that is less than 100 u E. The slack that is added to
 * each size is 2^-45 (L + E) = 256 u (L + E).
 *
 * Held by tests/property/test_refit.c: verified, that is every corner is in each volume as readers
 * compute it.
 * Spec: format.md, chapters "Oriented volumes", "Deformed parts"
 * Measured: decisions.md, "Refits once more"
 */
#include "refit/refit.h"

#include "refit/refit_corners.h"
#include "refit/refit_volume.h"

#include <assert.h>
#include <math.h>

typedef struct upper {
    bvpi_oriented volume; /* its axes first, relative to the grid box's centre; then all of it */
    bvpi_range range;     /* of what the node holds */
    uint32_t parent, level;
    bvpi_range plain; /* of a block: its box along its axes */
    bool is_block;    /* its range is known at once */
} upper;

/* One block. */
typedef struct block {
    block_corners corners;
    bvpi_block_node nodes[BVPI_BLOCK_NODES_MAX];
    vertex_set sets[BVPI_BLOCK_NODES_MAX]; /* of each node, its vertices */
    bvpi_oriented volumes[BVPI_BLOCK_NODES_MAX];
    block_locals locals;
} block;

typedef struct oriented {
    bvp_file *file;
    const bvpi_binary *tree;
    const bvpi_part *part;
    bvpi_raw_cluster open;
    bvpi_oriented outermost; /* the grid box */
    double slack;
    block *block;
    upper *upper;
    double area; /* of all volumes */
} oriented;

_Static_assert(sizeof(block) <= BVPI_REFIT_ORIENTED_BLOCK &&
                   sizeof(upper) <= BVPI_REFIT_ORIENTED_UPPER,
               "bvpi_refit_room");

static bool is_rss(const oriented *o)
{
    return o->tree->kind == BVPD_KIND_RSS;
}

static int stage_count(const oriented *o)
{
    return is_rss(o) ? STAGES : STAGE_RANGE + 1;
}

/* ---- one node ------------------------------------------------------------------------------- */

/* The axes of a node, at the centre of the grid box. */
static void frame_of(const oriented *o, const uint8_t *payload, bvpi_oriented *out)
{
    *out = o->outermost;
    bvpi_rotation_axes(bvpi_peek_u32(payload), out->axis);
}

/* Writes the payload of a node whose corners take up `range` of its frame. *out: its volume. */
static void fit_node(oriented *o, const uint8_t *payload, const bvpi_oriented *parent,
                     const bvpi_oriented *frame, const bvpi_range *range, bvpi_oriented *out)
{
    uint8_t bytes[BVPI_ORIENTED_PAYLOAD];
    memcpy(bytes, payload, sizeof bytes);
    *out = volume_around(frame, range, parent, is_rss(o), o->slack, bytes);
    bvpi_overlay_store(o->file, payload, bytes, sizeof bytes);
    o->area += bvpi_oriented_surface(out, is_rss(o));
}

/* ---- blocks --------------------------------------------------------------------------------- */

static bool load_block(oriented *o, const bvpi_binary_node *root, bool numbered)
{
    return block_corners_load(o->tree, o->part, &o->open, root->first, root->count,
                              o->outermost.centre, numbered, &o->block->corners);
}

/* The vertices of each node, children first. */
static void set_vertices(block *b, uint32_t count)
{
    for (uint32_t k = count; k-- > 0;) {
        const bvpi_block_node *n = &b->nodes[k];
        if (n->left == 0)
            vertex_set_of(&b->corners, n->node.first - b->nodes[0].node.first, n->node.count,
                          &b->sets[k]);
        else
            vertex_set_join(&b->corners, &b->sets[n->left], &b->sets[n->left + 1], &b->sets[k]);
    }
}

/* volume: of the block's root, which is fitted already. */
static bool fit_block(oriented *o, const bvpi_binary_node *root, const uint8_t *payload,
                      const bvpi_oriented *volume)
{
    block *b = o->block;
    uint32_t count;
    if (!load_block(o, root, true) || !bvpi_block_list(o->tree, root, payload, b->nodes, &count))
        return false;
    set_vertices(b, count);
    b->volumes[0] = *volume;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t left = b->nodes[k].left;
        for (uint32_t child = left; left != 0 && child < left + 2; child++) {
            bvpi_oriented frame;
            frame_of(o, b->nodes[child].payload, &frame);
            bvpi_range plain;
            const bvpi_range range =
                range_of(&b->corners, &b->sets[child], frame.axis, is_rss(o), &b->locals, &plain);
            fit_node(o, b->nodes[child].payload, &b->volumes[k], &frame, &range,
                     &b->volumes[child]);
        }
    }
    return true;
}

/* ---- passes --------------------------------------------------------------------------------- */

/* Sets the axes of all upper records, and who their parents are. */
static bool start(oriented *o)
{
    for (uint32_t idx = 0; idx < o->tree->upper_count; idx++)
        o->upper[idx] = (upper){.range = bvpi_range_empty()};
    for (uint32_t idx = 0; idx < o->tree->upper_count; idx++) {
        bvpi_upper_record record;
        upper *u = &o->upper[idx];
        if (!bvpi_upper_read(o->tree, idx, &record) || u->level >= BVPD_DEPTH_MAX)
            return false;
        frame_of(o, record.payload, &u->volume);
        for (int side = 0; side < 2 && !record.is_block; side++) {
            upper *below = &o->upper[record.child[side]];
            below->parent = idx;
            below->level = u->level + 1;
        }
    }
    return true;
}

/* Adds a triangle of each block to all records above it, so that most blocks add nothing more. */
static bool gather_one_each(oriented *o, int stage)
{
    block *b = o->block;
    for (uint32_t idx = 0; idx < o->tree->upper_count; idx++) {
        bvpi_binary_node node;
        const uint8_t *payload;
        if (!bvpi_binary_upper(o->tree, idx, &node, &payload))
            return false;
        if (node.end == 0)
            continue;
        node.count = 1;
        if (!load_block(o, &node, false))
            return false;
        for (uint32_t k = idx; k != 0;) {
            upper *above = &o->upper[k = o->upper[k].parent];
            range_add(&above->range, stage, is_rss(o), &b->corners, above->volume.axis, &b->locals);
        }
    }
    return true;
}

/* Adds the vertices of record idx' block to all records above it. In the first stage its own range
 * is computed. */
static bool gather_block(oriented *o, int stage, uint32_t idx, const bvpi_binary_node *node)
{
    block *b = o->block;
    upper *own = &o->upper[idx];
    bool is_loaded = stage == STAGE_RANGE;
    if (is_loaded) {
        if (!load_block(o, node, false))
            return false;
        vertex_set_all(&b->corners, b->sets);
        own->range =
            range_of(&b->corners, b->sets, own->volume.axis, is_rss(o), &b->locals, &own->plain);
        own->is_block = true;
    }
    for (uint32_t k = idx; k != 0;) {
        upper *above = &o->upper[k = o->upper[k].parent];
        if (!range_is_open(&above->range, stage, is_rss(o), above->volume.axis, &own->plain,
                           own->volume.axis, o->slack))
            continue;
        if (!is_loaded && !load_block(o, node, false))
            return false;
        is_loaded = true;
        range_add(&above->range, stage, is_rss(o), &b->corners, above->volume.axis, &b->locals);
    }
    return true;
}

static bool gather(oriented *o, int stage)
{
    if (stage != STAGE_CORNERS && !gather_one_each(o, stage))
        return false;
    for (uint32_t idx = 0; idx < o->tree->upper_count; idx++) {
        bvpi_binary_node node;
        const uint8_t *payload;
        if (!bvpi_binary_upper(o->tree, idx, &node, &payload) ||
            (node.end != 0 && !gather_block(o, stage, idx, &node)))
            return false;
    }
    for (uint32_t idx = 0; idx < o->tree->upper_count; idx++)
        if (!o->upper[idx].is_block)
            range_end(&o->upper[idx].range, stage, is_rss(o));
    return true;
}

static void fit_upper(oriented *o, const uint8_t *payload, const bvpi_oriented *parent, upper *u)
{
    const bvpi_oriented frame = u->volume;
    fit_node(o, payload, parent, &frame, &u->range, &u->volume);
}

/* The record's own volume is known: its parent has come before. */
static bool spread(oriented *o, uint32_t idx)
{
    bvpi_upper_record record;
    const upper *u = &o->upper[idx];
    if (!bvpi_upper_read(o->tree, idx, &record))
        return false;
    if (record.is_block)
        return fit_block(o, &record.node, record.payload, &u->volume);
    for (int side = 0; side < 2; side++)
        fit_upper(o, record.below[side], &u->volume, &o->upper[record.child[side]]);
    return true;
}

bvp_status refit_oriented(bvp_file *file, const bvpi_binary *tree, const bvpi_part *part,
                          const bvpi_grid *grid, void *room, double *area_cost)
{
    oriented o = {.file = file,
                  .tree = tree,
                  .part = part,
                  .slack = bvpi_oriented_slack(tree),
                  .block = room,
                  .upper = (upper *)((block *)room + 1)};
    (void)grid;
    bvpi_oriented_frame(tree, &o.outermost);
    bool ok = start(&o);
    for (int stage = 0; stage < stage_count(&o) && ok; stage++)
        ok = gather(&o, stage);
    if (!ok)
        return BVP_ERR_CORRUPT;
    fit_upper(&o, tree->blob, &o.outermost, &o.upper[0]);
    const double whole = bvpi_oriented_surface(&o.upper[0].volume, is_rss(&o));
    for (uint32_t idx = 0; idx < tree->upper_count && ok; idx++)
        ok = spread(&o, idx);
    *area_cost = bvpi_area_cost(o.area, whole);
    return ok ? BVP_OK : BVP_ERR_CORRUPT;
}
