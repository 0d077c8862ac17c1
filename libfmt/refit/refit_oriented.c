/* SPDX-License-Identifier: MIT
 * refit_oriented.c: recomputes all volumes of an OBB or RSS tree, in place.
 *
 * Rotations are kept: choosing axes is most of what building such a tree costs. Centres and sizes
 * are computed along them from all corners below each node, so a volume is as small as its old axes
 * allow; where the shape has turned, a tree that is built anew is better.
 *
 * Volumes are stored relative to their parents', so there are two passes. Upward: the corners of
 * each block are added to the ranges of all records above it. Downward: with the parent's volume
 * decoded, a node's centre is encoded and decoded, and then the sizes around it are rounded up.
 * Each vertex is looked at once for each level. Upper records need memory, which the caller has;
 * a block's volumes are on the stack.
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
 */
#include "refit/refit.h"

#include "kinds/node/oriented_set.h"
#include "refit/refit_block.h"

#include <assert.h>
#include <math.h>

enum { STAGES_OBB = 1, STAGES_RSS = 3 };

enum { CORNERS_MAX = 3 * BVPD_CLUSTER_TRIANGLES, SLOTS = 1024, FREE = UINT16_MAX };

/* The corners of a block's triangles, each place once. */
typedef struct block_corners {
    float xyz[3 * CORNERS_MAX];
    uint32_t count;
    uint16_t place[CORNERS_MAX]; /* of each corner, in the block's order */
} block_corners;

typedef struct upper {
    bvpi_oriented volume; /* its axes first, relative to the grid box's centre; then all of it */
    bvpi_range range;     /* of what the node holds */
    uint32_t parent, level;
} upper;

typedef struct oriented {
    bvp_file *file;
    const bvpi_binary *tree;
    const bvpi_part *part;
    bvpi_raw_cluster open;
    bvpi_oriented outermost; /* the grid box */
    double slack;
    upper *upper;
    double area; /* of all volumes */
} oriented;

size_t bvpi_refit_oriented_room(void)
{
    return sizeof(upper);
}

static bool is_rss(const oriented *o)
{
    return o->tree->kind == BVPD_KIND_RSS;
}

/* ---- ranges --------------------------------------------------------------------------------- */

static int stage_count(const oriented *o)
{
    return is_rss(o) ? STAGES_RSS : STAGES_OBB;
}

/* Adds corners. Of a swept rectangle the thickness comes first, then its sides, then its
 * corners. */
static void add_corners(int stage, const bvpi_oriented *frame, const bvpi_corners *set,
                        bvpi_range *range)
{
    const double z = (range->lo[2] + range->hi[2]) / 2;
    const double radius = (range->hi[2] - range->lo[2]) / 2;
    if (stage == 0)
        bvpi_range_add(range, frame, set);
    else if (stage == 1)
        bvpi_swept_sides(frame, set, z, radius, range);
    else
        bvpi_swept_corners(frame, set, z, radius, range);
}

static void end_stage(const oriented *o, int stage, bvpi_range *range)
{
    const bvpi_range empty = bvpi_range_empty();
    if (stage == 1)
        bvpi_swept_close(range);
    for (int k = 0; k < 2 && stage == 0 && is_rss(o); k++) {
        range->lo[k] = empty.lo[k];
        range->hi[k] = empty.hi[k];
    }
}

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
    double middle[3], half[3], at[3];
    memcpy(bytes, payload, sizeof bytes);
    bvpi_range_middle(range, middle, half);
    const double radius = half[2];
    bvpi_oriented_local(frame, parent->centre, at);
    for (int k = 0; k < 3; k++)
        middle[k] -= at[k];
    bvpi_centre_encode(frame, middle, parent->reach, bytes);
    bvpi_oriented_volume(parent, bytes, out);
    bvpi_oriented_local(frame, out->centre, at);
    for (int k = 0; k < 3; k++)
        half[k] = fmax(range->hi[k] - at[k], at[k] - range->lo[k]) + o->slack;
    /* the ball reaches from the rectangle's new height as far as from the one it was chosen for */
    if (is_rss(o))
        half[2] = radius + fabs((range->lo[2] + range->hi[2]) / 2 - at[2]) + o->slack;
    for (int k = 0; k < 3; k++)
        bytes[10 + k] = bvpi_size_code_over(half[k], parent->reach);
    bvpi_oriented_volume(parent, bytes, out);
    bvpi_overlay_store(o->file, payload, bytes, sizeof bytes);
    o->area += bvpi_oriented_surface(out, is_rss(o));
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* The number of a place, in a hash table of `slots`. It ends: some slots stay free. */
static uint16_t number_of(block_corners *corners, uint16_t slots[SLOTS], const float at[3])
{
    uint32_t bits[3];
    memcpy(bits, at, sizeof bits);
    uint64_t hash = (bits[0] | (uint64_t)bits[1] << 32) * UINT64_C(0x9e3779b97f4a7c15);
    hash = ((hash ^ hash >> 32) + bits[2]) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t slot = (uint32_t)(hash >> 54);; slot = (slot + 1) % SLOTS) {
        if (slots[slot] == FREE) {
            assert(corners->count < CORNERS_MAX);
            memcpy(corners->xyz + 3 * corners->count, bits, sizeof bits);
            return slots[slot] = (uint16_t)corners->count++;
        }
        if (memcmp(corners->xyz + 3 * (size_t)slots[slot], bits, sizeof bits) == 0)
            return slots[slot];
    }
}

static bool load_block(oriented *o, const bvpi_binary_node *root, block_corners *out)
{
    uint16_t slots[SLOTS];
    memset(slots, 0xff, sizeof slots); /* all are FREE */
    out->count = 0;
    for (uint32_t i = 0; i < root->count; i++) {
        uint32_t local;
        const bvpi_cluster *cluster =
            bvpi_block_triangle(o->tree, o->part, &o->open, root->first + i, &local);
        if (!cluster)
            return false;
        for (uint32_t k = 0; k < 3; k++) {
            float at[3];
            bvpi_raw_corner(cluster, local, k, at);
            out->place[3 * i + k] = number_of(out, slots, at);
        }
    }
    return true;
}

/* The corners of triangles first .. first + count - 1 of the block, each place once. */
static bvpi_corners pick(const block_corners *corners, uint32_t first, uint32_t count,
                         float room[3 * CORNERS_MAX])
{
    uint8_t is_picked[CORNERS_MAX] = {0};
    bvpi_corners out = {room, 0};
    for (uint32_t corner = 3 * first; corner < 3 * (first + count); corner++) {
        const uint32_t k = corners->place[corner];
        if (is_picked[k])
            continue;
        is_picked[k] = 1;
        memcpy(room + 3 * out.count++, corners->xyz + 3 * k, 3 * sizeof *room);
    }
    return out;
}

/* volume: of the block's root, which is fitted already. */
static bool fit_block(oriented *o, const bvpi_binary_node *root, const uint8_t *payload,
                      const bvpi_oriented *volume)
{
    bvpi_block_node nodes[BVPI_BLOCK_NODES_MAX];
    bvpi_oriented volumes[BVPI_BLOCK_NODES_MAX];
    block_corners corners;
    float room[3 * CORNERS_MAX];
    uint32_t count;
    if (!load_block(o, root, &corners) || !bvpi_block_list(o->tree, root, payload, nodes, &count))
        return false;
    volumes[0] = *volume;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t left = nodes[k].left;
        for (uint32_t child = left; left != 0 && child < left + 2; child++) {
            const bvpi_binary_node *n = &nodes[child].node;
            const uint32_t first = n->first - root->first;
            assert(first + n->count <= root->count);
            const bvpi_corners set = pick(&corners, first, n->count, room);
            bvpi_oriented frame;
            bvpi_range range = bvpi_range_empty();
            frame_of(o, nodes[child].payload, &frame);
            for (int stage = 0; stage < stage_count(o); stage++) {
                add_corners(stage, &frame, &set, &range);
                end_stage(o, stage, &range);
            }
            fit_node(o, nodes[child].payload, &volumes[k], &frame, &range, &volumes[child]);
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
        bvpi_binary_node node, child[2];
        const uint8_t *payload, *below[2];
        upper *u = &o->upper[idx];
        if (!bvpi_binary_upper(o->tree, idx, &node, &payload) || u->level >= BVPD_DEPTH_MAX)
            return false;
        frame_of(o, payload, &u->volume);
        if (node.end != 0)
            continue;
        if (!bvpi_binary_children(o->tree, &node, child, below))
            return false;
        for (int side = 0; side < 2; side++) {
            upper *c = &o->upper[bvpi_upper_number(o->tree, below[side])];
            assert(c > u); /* bvpi_binary_children: so the ways up end */
            c->parent = idx;
            c->level = u->level + 1;
        }
    }
    return true;
}

/* Adds each block's corners to all records above it. */
static bool gather(oriented *o, int stage)
{
    for (uint32_t idx = 0; idx < o->tree->upper_count; idx++) {
        bvpi_binary_node node;
        const uint8_t *payload;
        block_corners corners;
        if (!bvpi_binary_upper(o->tree, idx, &node, &payload))
            return false;
        if (node.end == 0)
            continue;
        if (!load_block(o, &node, &corners))
            return false;
        const bvpi_corners set = {corners.xyz, corners.count};
        for (uint32_t k = idx;; k = o->upper[k].parent) {
            add_corners(stage, &o->upper[k].volume, &set, &o->upper[k].range);
            if (k == 0)
                break;
        }
    }
    for (uint32_t idx = 0; idx < o->tree->upper_count; idx++)
        end_stage(o, stage, &o->upper[idx].range);
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
    bvpi_binary_node node, child[2];
    const uint8_t *payload, *below[2];
    const upper *u = &o->upper[idx];
    if (!bvpi_binary_upper(o->tree, idx, &node, &payload))
        return false;
    if (node.end != 0)
        return fit_block(o, &node, payload, &u->volume);
    if (!bvpi_binary_children(o->tree, &node, child, below))
        return false;
    for (int side = 0; side < 2; side++)
        fit_upper(o, below[side], &u->volume, &o->upper[bvpi_upper_number(o->tree, below[side])]);
    return true;
}

bvp_status bvpi_refit_oriented(bvp_file *file, const bvpi_binary *tree, const bvpi_part *part,
                               void *room, double *area_cost)
{
    oriented o = {.file = file,
                  .tree = tree,
                  .part = part,
                  .slack = bvpi_oriented_slack(tree),
                  .upper = room};
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
    *area_cost = whole > 0 ? o.area / whole : 0;
    return ok ? BVP_OK : BVP_ERR_CORRUPT;
}
