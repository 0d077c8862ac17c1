/* SPDX-License-Identifier: MIT
 * refit_top.c: recomputes the hierarchies over the instances, in place.
 *
 * Two passes over the nodes. Upward (last to first): each node's box is computed from its instances
 * and children, and stored in the node's own bounds, which are rebuilt anyway. Downward: with the
 * frame known, each node's lanes are encoded in 8 bits, and inner children receive their decoded
 * box as frame. So no memory is needed besides the file's own.
 *
 * The tree's structure stays; only boxes, grids and costs change.
 *
 * The file may change meanwhile: boxes are clamped to the grid, so numbers stay in range whatever
 * is read.
 *
 * Held by tests/property/test_refit_top.c: queries answer as for the same geometry packed anew.
 * Spec: format.md, chapters "Hierarchies over the instances", "Deformed parts"
 * Based on: van den Bergen, Efficient collision detection of complex deformable models using AABB
 * trees, 1997, section 4.
 */
#include "node/refit.h"

#include "base/load.h"
#include "node/frame.h"

#include <assert.h>

/* ---- bounds --------------------------------------------------------------------------------- */

static void widen(bvpi_bounds *all, const bvpi_bounds *b, bool is_first)
{
    for (int axis = 0; axis < 3; axis++) {
        if (is_first || b->lo[axis] < all->lo[axis])
            all->lo[axis] = b->lo[axis] + 0.0; /* -0 becomes 0 */
        if (is_first || b->hi[axis] > all->hi[axis])
            all->hi[axis] = b->hi[axis] + 0.0;
    }
}

/* lo, hi: the new box of part `moved`, whose record still has the old one. */
static bvp_status bound_instance(const bvp_file *file, uint32_t idx, uint32_t moved,
                                 const float lo[3], const float hi[3], bvpi_bounds *out)
{
    bvpd_instance instance;
    bvpi_part part;
    double placement[12];
    if (bvpi_get_instance(file, idx, &instance, placement) != BVP_OK ||
        bvpi_get_part(file, instance.part, &part) != BVP_OK)
        return BVP_ERR_CORRUPT;
    const bool is_moved = instance.part == moved;
    bvpi_place_bounds(placement, is_moved ? lo : part.lo, is_moved ? hi : part.hi, out);
    bool in_range = true; /* false for NaN, too */
    for (int axis = 0; axis < 3; axis++)
        in_range = in_range && out->lo[axis] >= -BVPI_COORDINATE_MAX &&
                   out->hi[axis] <= BVPI_COORDINATE_MAX;
    if (in_range)
        return BVP_OK;
    return is_moved ? BVP_ERR_ARGUMENT : BVP_ERR_CORRUPT;
}

bvp_status bvpi_refit_world(const bvp_file *file, uint32_t part, const float lo[3],
                            const float hi[3], bvpi_bounds *out)
{
    bvp_status status = BVP_OK;
    for (uint32_t idx = 0; idx < file->header.instance_count && status == BVP_OK; idx++) {
        bvpi_bounds b;
        status = bound_instance(file, idx, part, lo, hi, &b);
        if (status == BVP_OK)
            widen(out, &b, idx == 0);
    }
    return status;
}

/* ---- the hierarchy -------------------------------------------------------------------------- */

typedef struct top {
    bvp_file *file;
    bvpi_tree tree;
    bvpi_grid grid;
    double area; /* of all lanes, in square grid steps */
} top;

static const uint8_t *bytes_of(const top *t, uint32_t unit)
{
    return t->tree.units + (uint64_t)unit * BVPD_UNIT;
}

_Static_assert(offsetof(bvpd_node, bounds) == 0 &&
                   sizeof(bvpi_frame) <= sizeof((bvpd_node *)0)->bounds,
               "a box is stored in place of bounds");

/* Between the passes, a node's bounds hold a box: first its own, then its frame. */
static void store_box(const top *t, uint32_t unit, const bvpi_frame *box)
{
    memcpy(bvpi_overlay(t->file, bytes_of(t, unit)), box, sizeof *box);
}

static void load_box(const top *t, uint32_t unit, bvpi_frame *box)
{
    memcpy(box, bytes_of(t, unit), sizeof *box);
}

/* World bounds of the instances of one of several hierarchies. */
static bvp_status bound_items(const top *t, bvpi_bounds *out)
{
    bool is_first = true;
    bvpd_node node;
    bvpi_bounds b;
    for (uint32_t unit = 0; unit < t->tree.node_count; unit++) {
        if (!bvpi_node_load(&t->tree, unit, &node))
            return BVP_ERR_CORRUPT;
        uint64_t item = node.geom;
        for (int lane = 0; lane < BVPD_WIDTH; lane++) {
            const unsigned count = bvpi_meta_is_leaf(node.meta[lane]) ? node.meta[lane] : 0;
            for (unsigned i = 0; i < count; i++, item++, is_first = false) {
                if (item > UINT32_MAX ||
                    bound_instance(t->file, (uint32_t)item, BVPD_NONE, NULL, NULL, &b) != BVP_OK)
                    return BVP_ERR_CORRUPT;
                widen(out, &b, is_first);
            }
        }
    }
    return is_first ? BVP_ERR_CORRUPT : BVP_OK;
}

static void include(bvpi_frame *box, const bvpi_frame *other)
{
    for (int axis = 0; axis < 3; axis++) {
        box->lo[axis] = other->lo[axis] < box->lo[axis] ? other->lo[axis] : box->lo[axis];
        box->hi[axis] = other->hi[axis] > box->hi[axis] ? other->hi[axis] : box->hi[axis];
    }
}

/* The file may change while it is read; the box stays in the grid whatever a placement has
 * become. */
static uint32_t clamp(const top *t, int axis, double steps)
{
    const double most = t->grid.extent[axis];
    return (uint32_t)(steps > 0 ? steps < most ? steps : most : 0);
}

/* The box of instances first .. first + count - 1. */
static bvp_status bound_leaf(const top *t, uint32_t first, uint32_t count, bvpi_frame *box)
{
    *box = (bvpi_frame){{UINT32_MAX, UINT32_MAX, UINT32_MAX}, {0, 0, 0}};
    for (uint32_t i = 0; i < count; i++) {
        bvpi_bounds b;
        bvpi_frame own;
        if (first > UINT32_MAX - i ||
            bound_instance(t->file, first + i, BVPD_NONE, NULL, NULL, &b) != BVP_OK)
            return BVP_ERR_CORRUPT;
        for (int axis = 0; axis < 3; axis++) {
            own.lo[axis] = clamp(t, axis, bvpi_grid_below(&t->grid, axis, b.lo[axis]));
            own.hi[axis] = clamp(t, axis, bvpi_grid_above(&t->grid, axis, b.hi[axis]));
        }
        include(box, &own);
    }
    return BVP_OK;
}

/* The boxes of a node's lanes, from its inner children and its instances. */
static bvp_status bound_lanes(const top *t, const bvpd_node *node, bvpi_frame boxes[BVPD_WIDTH])
{
    uint32_t child = node->child, item = node->geom;
    bvp_status status = BVP_OK;
    for (int lane = 0; lane < BVPD_WIDTH && status == BVP_OK; lane++)
        if (bvpi_meta_is_inner(node->meta[lane])) {
            load_box(t, child++, &boxes[lane]);
        } else if (bvpi_meta_is_leaf(node->meta[lane])) {
            status = bound_leaf(t, item, node->meta[lane], &boxes[lane]);
            item += node->meta[lane];
        }
    return status;
}

static bool is_used(const bvpd_node *node, int lane)
{
    return bvpi_meta_is_inner(node->meta[lane]) || bvpi_meta_is_leaf(node->meta[lane]);
}

/* Stores the box of everything below a node in place of its bounds. */
static bvp_status gather_node(top *t, uint32_t unit)
{
    bvpd_node node;
    bvpi_frame boxes[BVPD_WIDTH], all = {{UINT32_MAX, UINT32_MAX, UINT32_MAX}, {0, 0, 0}};
    if (!bvpi_node_load(&t->tree, unit, &node) || bound_lanes(t, &node, boxes) != BVP_OK)
        return BVP_ERR_CORRUPT;
    for (int lane = 0; lane < BVPD_WIDTH; lane++)
        if (is_used(&node, lane))
            include(&all, &boxes[lane]);
    store_box(t, unit, &all);
    return BVP_OK;
}

static double half_surface(const bvpi_frame *box)
{
    const double x = box->hi[0] - box->lo[0], y = box->hi[1] - box->lo[1];
    const double z = box->hi[2] - box->lo[2];
    return x * y + y * z + z * x;
}

/* Encodes a node's lanes in its frame. The children's frames are what the lanes decode to, so they
 * are stored in turn: parents come before their children. */
static bvp_status spread_node(top *t, uint32_t unit)
{
    bvpd_node node;
    bvpi_frame frame, boxes[BVPD_WIDTH];
    if (!bvpi_node_load(&t->tree, unit, &node) || bound_lanes(t, &node, boxes) != BVP_OK)
        return BVP_ERR_CORRUPT;
    load_box(t, unit, &frame);
    uint32_t child = node.child;
    assert(node.child > unit || bvpi_inner_count(&node) == 0);
    /* empty lanes get an empty box: lo 255, hi 0 */
    memset(node.bounds, 255, sizeof node.bounds);
    for (int axis = 0; axis < 3; axis++)
        memset(node.bounds[axis] + BVPD_WIDTH, 0, BVPD_WIDTH);
    for (int lane = 0; lane < BVPD_WIDTH; lane++) {
        if (!is_used(&node, lane))
            continue;
        /* the smallest 8-bit box of `frame` around the lane's box */
        for (int axis = 0; axis < 3; axis++) {
            const unsigned shift = bvpi_frame_shift(frame.hi[axis] - frame.lo[axis]);
            const uint32_t up = (UINT32_C(1) << shift) - 1;
            const uint32_t lo = boxes[lane].lo[axis] - frame.lo[axis];
            const uint32_t hi = boxes[lane].hi[axis] - frame.lo[axis];
            node.bounds[axis][lane] = (uint8_t)(lo >> shift);
            node.bounds[axis][BVPD_WIDTH + lane] = (uint8_t)((hi + up) >> shift);
        }
        bvpi_frame_child(&frame, &node, lane, &boxes[lane]);
        t->area += half_surface(&boxes[lane]);
        if (bvpi_meta_is_inner(node.meta[lane]))
            store_box(t, child++, &boxes[lane]);
    }
    bvpi_overlay_store(t->file, bytes_of(t, unit), &node, sizeof node);
    return BVP_OK;
}

/* bounds: of the hierarchy's instances. */
static bvp_status refit_one(top *t, uint32_t idx, const bvpi_bounds *bounds)
{
    bvp_status status = BVP_OK;
    bvpi_grid_choose(bounds->lo, bounds->hi, &t->grid);
    /* Upward. Children come after their parents (bvpi_node_load checks it), so from the last unit
     * to the first each child's box is there when its parent asks for it. */
    for (uint32_t unit = t->tree.node_count; unit-- > 0 && status == BVP_OK;)
        status = gather_node(t, unit);
    if (status != BVP_OK)
        return status;
    /* downward, from the root's frame, which is the grid */
    bvpi_frame root = {{0, 0, 0}, {t->grid.extent[0], t->grid.extent[1], t->grid.extent[2]}};
    const double whole = half_surface(&root);
    store_box(t, t->tree.root, &root);
    for (uint32_t unit = 0; unit < t->tree.node_count && status == BVP_OK; unit++)
        status = spread_node(t, unit);
    if (status == BVP_OK)
        status = bvpi_refit_record(t->file, idx, &t->grid, whole > 0 ? t->area / whole : 0);
    return status;
}

bvp_status bvpi_refit_top(bvp_file *file, const bvpi_bounds *world)
{
    const uint32_t count = bvpi_top_count(file);
    bvp_status status = BVP_OK;
    for (uint32_t k = 0; k < count && status == BVP_OK; k++) {
        top t = {.file = file};
        bvpi_bounds bounds = *world;
        status = bvpi_get_top_tree(file, k, &t.tree);
        if (status == BVP_OK && count > 1)
            status = bound_items(&t, &bounds);
        if (status == BVP_OK)
            status = refit_one(&t, file->header.top_hierarchy + k, &bounds);
    }
    if (count > 0) {
        memcpy(file->header.lo, world->lo, sizeof world->lo);
        memcpy(file->header.hi, world->hi, sizeof world->hi);
    }
    return status;
}
