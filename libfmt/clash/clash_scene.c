/* SPDX-License-Identifier: MIT
 * clash_scene.c: world boxes of instances, and the walk that finds all instances near a box.
 *
 * The boxes must contain the placed parts in real arithmetic, or a contact would be missed without
 * any error: each is widened by more than rounding can take away (PAD). In the same way the box
 * that is searched for grows by the reach, and by the errors of the inverse placement that takes it
 * into the assembly. In the grid of the hierarchy it is rounded outward by a step.
 *
 * The walk accepts forged files: children are behind their parent, a stack overflow or a node too
 * many ends it with BVP_ERR_CORRUPT, and duplicates are removed from the list.
 *
 * Held by tests/property/test_clash.c and test_clash_brute.c: no pair is missing;
 * test_far_instances.c: several hierarchies.
 * Spec: exactness.md, chapter 12
 */
#include "clash/clash_scene.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing_array.h"
#include "base/meter.h"
#include "format/lazy.h"
#include "node/frame.h"

bvp_status bvpi_clash_scene_init(bvpi_clash_scene *scene, const bvp_file *a, const bvp_file *b,
                                 const double *placement_b, double reach,
                                 const bvp_control *control)
{
    const bvp_body body_a = {.file = a, .part = BVP_ASSEMBLY, .control = control};
    const bvp_body body_b = {.file = b ? b : a,
                             .part = BVP_ASSEMBLY,
                             .placement = b ? placement_b : NULL,
                             .control = control};
    bvp_status status;
    memset(scene, 0, sizeof *scene);
    scene->self = b == NULL;
    scene->reach = reach;
    status = bvpi_placed_body_init(&scene->a, &body_a);
    if (status == BVP_OK)
        status = bvpi_placed_body_init(&scene->b, &body_b);
    if (status == BVP_OK)
        status = bvpi_part_cache_init(&scene->pieces_a, a);
    if (status == BVP_OK && b)
        status = bvpi_part_cache_init(&scene->pieces_b, b);
    if (status == BVP_OK)
        status = bvpi_part_cache_init(&scene->seams_a, a);
    if (status == BVP_OK && b)
        status = bvpi_part_cache_init(&scene->seams_b, b);
    if (status == BVP_OK)
        status = bvpi_part_cache_init(&scene->sweeps_a, a);
    if (status == BVP_OK && b)
        status = bvpi_part_cache_init(&scene->sweeps_b, b);
    return status;
}

void bvpi_clash_scene_free(bvpi_clash_scene *scene)
{
    bvpi_part_cache_free(&scene->pieces_a);
    bvpi_part_cache_free(&scene->pieces_b);
    bvpi_part_cache_free(&scene->seams_a);
    bvpi_part_cache_free(&scene->seams_b);
    bvpi_part_cache_free(&scene->sweeps_a);
    bvpi_part_cache_free(&scene->sweeps_b);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Bounds seven roundings of at most 2^-53 of the terms each, with as much again for what the caller
 * adds. */
#define PAD 0x1p-49

/* The image of a box under an affine map, rounded outward. */
static void map_box(const double m[12], const double lo[3], const double hi[3], bvpi_bounds *out)
{
    for (int i = 0; i < 3; i++) {
        const double *row = m + 4 * i;
        double middle = row[3], half = 0, terms = fabs(row[3]);
        for (int k = 0; k < 3; k++) {
            const double centre = 0.5 * lo[k] + 0.5 * hi[k], extent = 0.5 * hi[k] - 0.5 * lo[k];
            middle += row[k] * centre;
            half += fabs(row[k]) * extent;
            terms += fabs(row[k]) * (fabs(centre) + extent);
        }
        half += PAD * terms + 0x1p-1000;
        out->lo[i] = middle - half;
        out->hi[i] = middle + half;
    }
}

bvp_status bvpi_clash_bounds(const bvpi_placed_body *placed, uint32_t instance, bvpi_bounds *out)
{
    bvpd_instance record;
    bvpi_part part;
    double m[12], lo[3], hi[3];
    bvp_status status = bvpi_get_instance(placed->file, instance, &record, m);
    if (status == BVP_OK &&
        placed->file->thin) /* a thin file's boxes are not in the tables checked at open */
        status = bvpi_touch_under(placed->file, record.part, placed->control);
    if (status == BVP_OK)
        status = bvpi_get_part(placed->file, record.part, &part);
    if (status != BVP_OK)
        return status == BVP_ERR_ARGUMENT ? BVP_ERR_CORRUPT
                                          : status; /* the index came from the file */
    if (placed->placement)
        status = bvpi_compose(placed->placement, m, m);
    for (int i = 0; i < 3; i++) {
        lo[i] = (double)part.lo[i];
        hi[i] = (double)part.hi[i];
    }
    map_box(m, lo, hi, out);
    return status;
}

bool bvpi_clash_is_near(const bvpi_bounds *a, const bvpi_bounds *b, double reach)
{
    const double most = reach * (1 + 0x1p-50);
    for (int i = 0; i < 3; i++)
        if (a->lo[i] - b->hi[i] > most || b->lo[i] - a->hi[i] > most)
            return false;
    return true;
}

/* ---- candidates ------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

typedef struct waiting_node {
    bvpi_frame frame;
    uint32_t unit;
} waiting_node;

enum { LOOK = 1024 }; /* nodes between two checks of the control */

enum { WAITING_MOST = BVPD_DEPTH_MAX * (BVPD_WIDTH - 1) + 1 };

typedef struct walk {
    const bvpi_tree *tree;
    bvpi_frame asked; /* the searched box in grid steps */
    bvpi_clash_list *out;
    uint32_t waiting_count;
    waiting_node waiting[WAITING_MOST];
} walk;

/* Lists the instances of the node's leaves that meet the searched box, and pushes the inner
 * children that do. */
static bvp_status open_node(walk *w, const waiting_node *at)
{
    bvpd_node node;
    uint32_t inner = 0, first;
    if (!bvpi_node_load(w->tree, at->unit, &node))
        return BVP_ERR_CORRUPT;
    first = node.geom;
    for (int lane = 0; lane < BVPD_WIDTH; lane++) {
        const uint8_t meta = node.meta[lane];
        waiting_node child = {.unit = node.child + inner};
        if (!bvpi_meta_is_inner(meta) && !bvpi_meta_is_leaf(meta))
            continue;
        bvpi_frame_child(&at->frame, &node, lane, &child.frame);
        bool meets = true;
        for (int i = 0; i < 3; i++)
            meets =
                meets && child.frame.lo[i] <= w->asked.hi[i] && w->asked.lo[i] <= child.frame.hi[i];
        if (bvpi_meta_is_inner(meta)) {
            inner++;
            if (meets && w->waiting_count == WAITING_MOST)
                return BVP_ERR_CORRUPT;
            if (meets)
                w->waiting[w->waiting_count++] = child;
            continue;
        }
        if (meets && !bvpi_grow(&w->out->items, &w->out->capacity, w->out->count + meta,
                                sizeof *w->out->items))
            return BVP_ERR_NO_MEMORY;
        for (uint32_t i = 0; meets && i < meta; i++)
            w->out->items[w->out->count++] = first + i;
        first += meta;
    }
    return BVP_OK;
}

/* A coordinate in grid steps, one step outward. */
static uint32_t steps_of(const bvpi_tree *tree, int axis, double x, bool up)
{
    const double steps = floor((x - tree->grid_origin[axis]) / tree->grid_unit) + (up ? 2 : -1);
    if (!(steps > 0))
        return 0;
    return steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX;
}

/* `bounds` grown by the reach, in the assembly's own coordinates. */
static void bounds_in_assembly(const bvpi_clash_scene *scene, const bvpi_placed_tree *top,
                               const bvpi_bounds *bounds, bvpi_bounds *out)
{
    const bvpi_placement *placement = &top->placement;
    double m[12] = {0}, lo[3], hi[3];
    *out = *bounds;
    for (int i = 0; i < 3; i++) {
        out->lo[i] -= scene->reach * (1 + 0x1p-49) + PAD * fabs(out->lo[i]);
        out->hi[i] += scene->reach * (1 + 0x1p-49) + PAD * fabs(out->hi[i]);
    }
    if (!scene->b.placement)
        return;
    for (int i = 0; i < 3; i++) {
        lo[i] = out->lo[i] - placement->m[4 * i + 3] - PAD * fabs(out->lo[i]);
        hi[i] = out->hi[i] - placement->m[4 * i + 3] + PAD * fabs(out->hi[i]);
        for (int k = 0; k < 3; k++)
            m[4 * i + k] = placement->inverse[3 * i + k];
    }
    map_box(m, lo, hi, out);
    for (int i = 0; i < 3; i++) {
        double err = top->slack;
        for (int k = 0; k < 3; k++)
            err += placement->inverse_err[3 * i + k] * fmax(fabs(lo[k]), fabs(hi[k]));
        out->lo[i] -= err;
        out->hi[i] += err;
    }
}

/* Lists the instances of one hierarchy whose boxes on the grid meet `bounds`. A valid hierarchy has
 * node_count nodes, so a forged one ends after as many. */
static bvp_status walk_top(const bvpi_clash_scene *scene, const bvpi_placed_tree *top,
                           const bvpi_bounds *bounds, bvpi_clash_list *out)
{
    const bvpi_tree *tree = &top->tree;
    bvpi_bounds asked;
    walk w;
    bvp_status status = BVP_OK;
    bounds_in_assembly(scene, top, bounds, &asked);
    w.tree = tree;
    w.out = out;
    for (int i = 0; i < 3; i++) {
        w.asked.lo[i] = steps_of(tree, i, asked.lo[i], false);
        w.asked.hi[i] = steps_of(tree, i, asked.hi[i], true);
    }
    w.waiting[0].unit = tree->root;
    bvpi_frame_root(tree, &w.waiting[0].frame);
    w.waiting_count = 1;
    for (uint64_t left = tree->node_count; w.waiting_count > 0 && status == BVP_OK; left--) {
        assert(w.waiting_count <= WAITING_MOST);
        const waiting_node at = w.waiting[--w.waiting_count];
        status = left == 0 ? BVP_ERR_CORRUPT : open_node(&w, &at);
        if (left % LOOK == 0 && bvpi_is_cancelled(scene->b.control))
            status = BVP_ERR_CANCELLED;
    }
    return status;
}

bvp_status bvpi_clash_candidates(const bvpi_clash_scene *scene, const bvpi_bounds *bounds,
                                 bvpi_clash_list *out)
{
    out->count = 0;
    if (scene->b.is_empty)
        return BVP_OK;
    bvp_status status = walk_top(scene, &scene->b.top, bounds, out);
    for (uint32_t k = 1; k < scene->b.top_count && status == BVP_OK; k++) {
        bvpi_placed_tree top;
        status = bvpi_placed_body_top(&scene->b, k, &top);
        if (status == BVP_OK)
            status = walk_top(scene, &top, bounds, out);
    }
    if (status != BVP_OK || out->count == 0)
        return status;
    /* A valid hierarchy lists each instance once. If a forged one lists it twice, it is kept once.
     */
    size_t kept = 0;
    qsort(out->items, out->count, sizeof *out->items, compare);
    for (size_t i = 1; i < out->count; i++)
        if (out->items[i] != out->items[kept])
            out->items[++kept] = out->items[i];
    assert(kept < out->count);
    out->count = kept + 1;
    return BVP_OK;
}
