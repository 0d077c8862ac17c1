/* SPDX-License-Identifier: MIT
 * refit_top.c: recomputes the hierarchies over the instances, in place, by the passes of
 * refit_wide.c.
 *
 * The file may change meanwhile: boxes are clamped to the grid, so numbers stay in range whatever
 * is read.
 *
 * Held by tests/property/test_refit_top.c: queries answer as for the same geometry packed anew.
 * Spec: format.md, chapters "Hierarchies over the instances", "Deformed parts"
 */
#include "refit/refit.h"

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

/* ---- hierarchies ----------------------------------------------------------------------------- */

/* World bounds of the instances of one of several hierarchies. */
static bvp_status bound_items(const bvp_file *file, const bvpi_tree *tree, bvpi_bounds *out)
{
    bool is_first = true;
    bvpd_node node;
    bvpi_bounds b;
    for (uint32_t unit = 0; unit < tree->node_count; unit++) {
        if (!bvpi_node_load(tree, unit, &node))
            return BVP_ERR_CORRUPT;
        uint64_t item = node.geom;
        for (int lane = 0; lane < BVPD_WIDTH; lane++) {
            const unsigned count = bvpi_meta_is_leaf(node.meta[lane]) ? node.meta[lane] : 0;
            for (unsigned i = 0; i < count; i++, item++, is_first = false) {
                if (item > UINT32_MAX ||
                    bound_instance(file, (uint32_t)item, BVPD_NONE, NULL, NULL, &b) != BVP_OK)
                    return BVP_ERR_CORRUPT;
                widen(out, &b, is_first);
            }
        }
    }
    return is_first ? BVP_ERR_CORRUPT : BVP_OK;
}

bvp_status bvpi_refit_instances(const bvp_file *file, const bvpi_grid *grid, uint32_t first,
                                uint32_t count, bvpi_frame *out)
{
    bvpi_frame_clear(out);
    for (uint32_t i = 0; i < count; i++) {
        bvpi_bounds b;
        bvpi_frame own;
        if (first > UINT32_MAX - i ||
            bound_instance(file, first + i, BVPD_NONE, NULL, NULL, &b) != BVP_OK)
            return BVP_ERR_CORRUPT;
        for (int axis = 0; axis < 3; axis++)
            bvpi_frame_round(grid, axis, b.lo[axis], b.hi[axis], &own);
        bvpi_frame_include(out, &own);
    }
    return BVP_OK;
}

bvp_status bvpi_refit_top(bvp_file *file, const bvpi_bounds *world)
{
    const bvpi_refit_kernel *kernel = BVPI_ISA_CHOOSE(bvpi_refit_kernel, file->isa);
    const uint32_t count = bvpi_top_count(file);
    bvp_status status = BVP_OK;
    for (uint32_t k = 0; k < count && status == BVP_OK; k++) {
        bvpi_bounds bounds = *world;
        bvpi_tree tree;
        bvpi_grid grid;
        double area_cost;
        status = bvpi_get_top_tree(file, k, &tree);
        if (status == BVP_OK && count > 1)
            status = bound_items(file, &tree, &bounds);
        if (status != BVP_OK)
            return status;
        bvpi_grid_choose(bounds.lo, bounds.hi, &grid);
        status = kernel->wide(file, &tree, NULL, tree.node_count, &grid, NULL, &area_cost);
        if (status == BVP_OK)
            status = bvpi_refit_record(file, file->header.top_hierarchy + k, &grid, area_cost);
    }
    if (count > 0) {
        memcpy(file->header.lo, world->lo, sizeof world->lo);
        memcpy(file->header.hi, world->hi, sizeof world->hi);
    }
    return status;
}
