/* SPDX-License-Identifier: MIT
 * refit_wide_kernel.c: recomputes all boxes of a wide hierarchy, over a part's triangles or over
 * the instances, in place.
 *
 * A node's box is the frame that its children's 8-bit numbers refer to, and only the parent says
 * it. So there are two passes over the nodes. Upward (last to first): each node's box is computed
 * from its leaves and children, and stored in the node's own bounds, which are rebuilt anyway.
 * Downward: with the frame known, each node's lanes are encoded in 8 bits, and inner children
 * receive their decoded box as frame. The lanes' boxes are kept from the first pass for the second
 * where the caller has memory for them; otherwise leaves are decoded twice.
 *
 * Every rounding is outward: corners to the grid, boxes on the grid to the frame's 8-bit steps. A
 * frame is what a lane decodes to, so it contains the lane's box, and so the lanes of the child.
 *
 * The tree's structure stays; only boxes change. Grid and cost are the caller's to store.
 *
 * The file may be forged, or change meanwhile. No unit outside the blob is read or written
 * (bvpi_node_load checks units and children, raw_cluster.h clusters), boxes are clamped to the
 * grid, and each pass takes node_count steps at most.
 *
 * Held by tests/property/test_refit.c and test_refit_top.c: verified, and queries answer as for the
 * same geometry packed anew.
 * Spec: format.md, chapters "Nodes", "Deformed parts"
 * Based on: van den Bergen, Efficient collision detection of complex deformable models using AABB
 * trees, 1997, section 4.
 * Measured: decisions.md, "Refits once more"
 */
#include "refit/refit.h"

#include "node/raw_cluster.h"
#include "node/turn.h"

#include <assert.h>

/* Boxes of a node's lanes; an empty one's are not set. */
typedef struct lane_boxes {
    int32_t lo[3][BVPD_WIDTH], hi[3][BVPD_WIDTH];
} lane_boxes;
_Static_assert(sizeof(lane_boxes) == BVPI_REFIT_WIDE_NODE, "what the caller allocates");

typedef struct wide {
    bvp_file *file;
    const bvpi_tree *tree;
    const bvpi_part *part; /* or NULL: leaves hold instances */
    const bvpi_grid *grid;
    bvpi_grid_lanes lanes;
    bvpi_turn turn; /* of a turned grid */
    bvpi_raw_cluster open;
    uint32_t upper_count;
    lane_boxes *kept; /* of each node, in the order of spread(); or NULL */
    double area;      /* of all lanes, in square grid steps */
} wide;

static const uint8_t *bytes_of(const wide *w, uint32_t unit)
{
    return w->tree->units + (uint64_t)unit * BVPD_UNIT;
}

_Static_assert(offsetof(bvpd_node, bounds) == 0 &&
                   sizeof(bvpi_frame_lanes) <= sizeof((bvpd_node *)0)->bounds,
               "a box is stored in place of bounds");

/* Between the passes, a node's bounds hold a box: first its own, then its frame. */
static void store_box(const wide *w, uint32_t unit, const bvpi_frame_lanes *box)
{
    assert(unit < w->tree->unit_count);
    memcpy(bvpi_overlay(w->file, bytes_of(w, unit)), box, sizeof *box);
}

static void load_box(const wide *w, uint32_t unit, bvpi_frame_lanes *box)
{
    assert(unit < w->tree->unit_count);
    memcpy(box, bytes_of(w, unit), sizeof *box);
}

/* ---- leaves --------------------------------------------------------------------------------- */

/* On a turned grid, boxes hold the turned corners as the format computes them. */
static bvpi_frame_lanes bound_turned(const wide *w, const bvpi_cluster *cluster, uint32_t first,
                                     uint32_t count)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    bvpi_frame box;
    for (uint32_t corner = 3 * first; corner < 3 * (first + count); corner++) {
        float at[3];
        double turned[3];
        bvpi_raw_corner(cluster, corner / 3, corner % 3, at);
        bvpi_turn_point(&w->turn, (double[]){(double)at[0], (double)at[1], (double)at[2]}, turned);
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = turned[axis] < lo[axis] ? turned[axis] : lo[axis];
            hi[axis] = turned[axis] > hi[axis] ? turned[axis] : hi[axis];
        }
    }
    for (int axis = 0; axis < 3; axis++)
        bvpi_frame_round(w->grid, axis, lo[axis], hi[axis], &box);
    return bvpi_frame_to_lanes(&box);
}

/* The box of triangles `reference`, `reference` + 1, ... in one cluster. */
BVPI_INLINE bvp_status bound_triangles(wide *w, uint32_t reference, uint32_t count,
                                       bvpi_frame_lanes *box)
{
    const bvpi_cluster *cluster = bvpi_raw_find(&w->open, w->part, reference, count);
    bvpi_raw_box exact;
    if (!cluster)
        return BVP_ERR_CORRUPT;
    if (w->grid->is_turned) {
        *box = bound_turned(w, cluster, reference & 255, count);
        return BVP_OK;
    }
    bvpi_raw_clear(&exact);
    bvpi_raw_include(cluster, reference & 255, count, &exact);
    *box = bvpi_frame_round_all(&w->lanes, &exact);
    return BVP_OK;
}

static bvp_status bound_instances(const wide *w, uint32_t first, uint32_t count,
                                  bvpi_frame_lanes *box)
{
    bvpi_frame frame;
    const bvp_status status = bvpi_refit_instances(w->file, w->grid, first, count, &frame);
    if (status == BVP_OK)
        *box = bvpi_frame_to_lanes(&frame);
    return status;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static bvpi_frame_lanes lane_box(const lane_boxes *boxes, int lane)
{
    bvpi_frame_lanes box = {{0}, {0}};
    for (int axis = 0; axis < 3; axis++) {
        box.lo[axis] = boxes->lo[axis][lane];
        box.hi[axis] = boxes->hi[axis][lane];
    }
    return box;
}

/* The boxes of a node's lanes, from its inner children and its items, and the box around them. */
static bvp_status bound_lanes(wide *w, const bvpd_node *node, lane_boxes *boxes,
                              bvpi_frame_lanes *all)
{
    uint32_t child = node->child, item = node->geom;
    bvpi_i32x4 lo = {INT32_MAX, INT32_MAX, INT32_MAX, 0}, hi = {0, 0, 0, 0};
    for (int lane = 0; lane < BVPD_WIDTH; lane++) {
        const uint8_t meta = node->meta[lane];
        bvpi_frame_lanes box;
        if (bvpi_meta_is_inner(meta)) {
            load_box(w, child++, &box);
        } else if (bvpi_meta_is_leaf(meta)) {
            if ((w->part ? bound_triangles(w, item, meta, &box)
                         : bound_instances(w, item, meta, &box)) != BVP_OK)
                return BVP_ERR_CORRUPT;
            item += meta;
        } else {
            continue;
        }
        lo = bvpi_i32x4_min(box.lo, lo);
        hi = bvpi_i32x4_max(box.hi, hi);
        for (int axis = 0; axis < 3; axis++) {
            boxes->lo[axis][lane] = box.lo[axis];
            boxes->hi[axis][lane] = box.hi[axis];
        }
    }
    *all = (bvpi_frame_lanes){lo, hi};
    return BVP_OK;
}

/* Stores the box of everything below a node in place of its bounds. idx: its number among all
 * nodes. */
static bvp_status gather_node(wide *w, uint32_t unit, uint32_t idx)
{
    bvpd_node node;
    bvpi_frame_lanes all;
    lane_boxes own;
    assert(idx < w->tree->node_count);
    if (!bvpi_node_load(w->tree, unit, &node) ||
        bound_lanes(w, &node, w->kept ? &w->kept[idx] : &own, &all) != BVP_OK)
        return BVP_ERR_CORRUPT;
    store_box(w, unit, &all);
    return BVP_OK;
}

/* Encodes boxes as the smallest 8-bit ones in `frame` around them; boxes become what a reader
 * decodes (bvpi_frame_child). Returns the sum of their areas. */
static double encode_lanes(const bvpi_frame_lanes *frame, bvpd_node *node, lane_boxes *boxes)
{
    const i32x8 empty = i32x8_eq(i32x8_from_u8(node->meta), i32x8_splat(0));
    const i32x8 last = i32x8_splat(255);
    f64x4 side[3][2];
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const unsigned shift = bvpi_frame_shift((uint32_t)(frame->hi[axis] - frame->lo[axis]));
        const i32x8 from = i32x8_splat(frame->lo[axis]), up = i32x8_splat((1 << shift) - 1);
        const i32x8 lo = i32x8_load(boxes->lo[axis]) - from;
        const i32x8 hi = i32x8_load(boxes->hi[axis]) - from;
        const i32x8 low = lo >> shift & last, high = (hi + up) >> shift & last;
        /* empty lanes get an empty box: lo 255, hi 0 */
        i32x8_store_u8(node->bounds[axis], low | (empty & last));
        i32x8_store_u8(node->bounds[axis] + BVPD_WIDTH, high & ~empty);
        i32x8_store(boxes->lo[axis], from + (low << shift));
        i32x8_store(boxes->hi[axis], from + (high << shift));
        f64x4_from_i32((high - low) << shift & ~empty, side[axis]);
    }
    for (int half = 0; half < 2; half++) {
        const f64x4 x = side[0][half], y = side[1][half], z = side[2][half];
        const f64x4 area = x * y + y * z + z * x;
        for (int lane = 0; lane < BVPD_WIDTH / 2; lane++)
            sum += area[lane];
    }
    return sum;
}

/* Encodes a node's lanes in its frame. The children's frames are what the lanes decode to, so they
 * are stored in turn: parents come before their children. */
static bvp_status spread_node(wide *w, uint32_t unit, uint32_t idx)
{
    bvpd_node node;
    bvpi_frame_lanes frame, unused;
    lane_boxes own, *boxes = w->kept ? &w->kept[idx] : &own;
    assert(idx < w->tree->node_count);
    if (!bvpi_node_load(w->tree, unit, &node))
        return BVP_ERR_CORRUPT;
    if (!w->kept && bound_lanes(w, &node, boxes, &unused) != BVP_OK)
        return BVP_ERR_CORRUPT;
    load_box(w, unit, &frame);
    uint32_t child = node.child;
    assert(node.child > unit || bvpi_inner_count(&node) == 0);
    w->area += encode_lanes(&frame, &node, boxes);
    for (int lane = 0; lane < BVPD_WIDTH; lane++)
        if (bvpi_meta_is_inner(node.meta[lane])) {
            const bvpi_frame_lanes box = lane_box(boxes, lane);
            store_box(w, child++, &box);
        }
    bvpi_overlay_store(w->file, bytes_of(w, unit), &node, sizeof node);
    return BVP_OK;
}

/* ---- passes --------------------------------------------------------------------------------- */

/* The first node at the end of cluster `idx`; *count: how many there are. */
static bool cluster_nodes(const wide *w, uint32_t idx, uint32_t *first, uint32_t *count)
{
    const uint64_t offset = bvpi_cluster_off(w->part, idx);
    bvpi_cluster cluster;
    if (!bvpi_cluster_open_whole(w->part, offset, &cluster))
        return false;
    const uint64_t unit = (offset + bvpi_cluster_nodes_off(&cluster)) / BVPD_UNIT;
    *count = cluster.head.node_count;
    *first = (uint32_t)unit;
    return unit + *count <= w->tree->unit_count;
}

/* Children come after their parents (bvpi_node_load checks it), and clusters after the upper nodes
 * and in the order of the table. So from the last node to the first each child's box is there when
 * its parent asks for it. */
static bvp_status gather(wide *w)
{
    uint32_t left = w->tree->node_count; /* ends forged files that count nodes twice */
    bvp_status status = BVP_OK;
    for (uint32_t idx = w->part ? w->part->cluster_count : 0; idx-- > 0 && status == BVP_OK;) {
        uint32_t first, count;
        if (!cluster_nodes(w, idx, &first, &count) || count > left)
            return BVP_ERR_CORRUPT;
        for (left -= count; count-- > 0 && status == BVP_OK;)
            status = gather_node(w, first + count, left + count);
    }
    if (status == BVP_OK && w->upper_count != left) /* so nodes have the same numbers in spread() */
        return BVP_ERR_CORRUPT;
    for (uint32_t unit = w->upper_count; unit-- > 0 && status == BVP_OK;)
        status = gather_node(w, unit, unit);
    return status;
}

/* From the first node to the last each parent has stored a node's frame before the node asks. */
static bvp_status spread(wide *w)
{
    uint32_t number = w->upper_count;
    bvp_status status = BVP_OK;
    for (uint32_t unit = 0; unit < w->upper_count && status == BVP_OK; unit++)
        status = spread_node(w, unit, unit);
    for (uint32_t idx = 0; w->part && idx < w->part->cluster_count && status == BVP_OK; idx++) {
        uint32_t first, count;
        if (!cluster_nodes(w, idx, &first, &count) || count > w->tree->node_count - number)
            return BVP_ERR_CORRUPT;
        for (uint32_t k = 0; k < count && status == BVP_OK; k++)
            status = spread_node(w, first + k, number++);
    }
    return status;
}

bvp_status refit_wide(bvp_file *file, const bvpi_tree *tree, const bvpi_part *part,
                      uint32_t upper_count, const bvpi_grid *grid, void *room, double *area_cost)
{
    wide w = {.file = file,
              .tree = tree,
              .part = part,
              .grid = grid,
              .lanes = bvpi_grid_lanes_of(grid),
              .upper_count = upper_count,
              .kept = room};
    if (upper_count < 1 || upper_count > tree->node_count)
        return BVP_ERR_CORRUPT;
    if (grid->is_turned)
        bvpi_turn_init(grid->turn, &w.turn);
    bvp_status status = gather(&w);
    if (status != BVP_OK)
        return status;
    /* the root's frame is the grid */
    const bvpi_frame root = {{0, 0, 0}, {grid->extent[0], grid->extent[1], grid->extent[2]}};
    const bvpi_frame_lanes frame = bvpi_frame_to_lanes(&root);
    const double whole = bvpi_frame_half_surface(&root);
    store_box(&w, tree->root, &frame);
    status = spread(&w);
    *area_cost = bvpi_area_cost(w.area, whole);
    return status;
}
