/* SPDX-License-Identifier: MIT
 * placed_body.c: turns the caller's body into placed hierarchies, ready for a walk.
 *
 * A walk gets a tree with bounds of its coordinates and a placement that can be inverted; what
 * nodes refer to is checked by the walks. Part 0 is prepared once, when the file is opened, so that
 * a single call is as fast as one of a batch.
 *
 * Who is to blame: what a record of the file says is BVP_ERR_CORRUPT, what only the caller's
 * placement, filter or choice of a kind makes impossible is BVP_ERR_ARGUMENT.
 *
 * Invariants of a bvpi_placed_tree: its placement was accepted by bvpi_placement_init(), `bound`
 * holds every |coordinate| of its grid, and `slack` what rounding may move out of a box.
 *
 * Spec: exactness.md, chapters 2 and 3
 */
#include "query/body/placed_body.h"

#include "base/status.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "format/lazy.h"
#include "format/triangle_ids.h"
#include "node/turn.h"
#include "query/body/kind_table.h"

static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/* Bounds of a grid's corners, which include the grid box of everything in it. */
static void bound_grid(bvpi_placed_tree *at)
{
    const bvpi_tree *tree = &at->tree;
    for (int a = 0; a < 3; a++) {
        double lo = tree->grid_origin[a], hi = lo + tree->grid_unit * tree->grid_extent[a];
        at->bound[a] = bvpi_larger(fabs(lo), fabs(hi));
    }
}

bvp_status bvpi_placed_part_kind(const bvp_file *file, uint32_t kind, bvpi_placed_part *out)
{
    bvp_hierarchy_info first;
    out->kind = kind;
    if (kind == BVPD_KIND_WIDE8) {
        /* the wide one is the first, if a part has it */
        bvp_status status = bvpi_get_part_tree(file, out->part_idx, &out->at.tree);
        if (status != BVP_OK && bvp_get_hierarchy(file, out->part_idx, 0, &first) == BVP_OK &&
            first.kind != BVP_KIND_WIDE)
            status = BVP_ERR_ARGUMENT;
        return status;
    }
    bvp_status status = bvpi_get_part_binary(file, out->part_idx, kind, &out->binary);
    if (status == BVP_OK && bvpi_kind_table[kind] == NULL)
        status = BVP_ERR_LIMIT; /* this library was built without the kind */
    if (status != BVP_OK)
        return status;
    /* of the tree, the fields that decoding leaves needs */
    bvpi_tree *tree = &out->at.tree;
    *tree = (bvpi_tree){.units = out->part.blob,
                        .blob_size = out->part.blob_size,
                        .cluster_shift = out->part.cluster_shift,
                        .outside = out->part.outside,
                        .node_count = 1, /* beside an assembly the part is one leaf */
                        .leaf_size = out->binary.leaf_size,
                        .grid_unit = out->binary.grid_unit};
    memcpy(tree->grid_origin, out->binary.grid_origin, sizeof tree->grid_origin);
    memcpy(tree->grid_extent, out->binary.grid_extent, sizeof tree->grid_extent);
    return BVP_OK;
}

/* The hierarchy that the handle asks for, or the part's best. */
static bvp_status open_hierarchy(const bvp_file *file, bvpi_placed_part *out)
{
    bvp_hierarchy_info first;
    if (file->kind != BVP_KIND_DEFAULT)
        return bvpi_placed_part_kind(file, (uint32_t)file->kind, out);
    bvp_status status = bvpi_placed_part_kind(file, BVPD_KIND_WIDE8, out);
    if (status != BVP_ERR_ARGUMENT)
        return status;
    status = bvp_get_hierarchy(file, out->part_idx, 0, &first);
    if (status == BVP_OK)
        status = bvpi_placed_part_kind(file, (uint32_t)first.kind, out);
    return status == BVP_ERR_ARGUMENT ? BVP_ERR_CORRUPT : status; /* the caller chose no kind */
}

/* The part and its hierarchy: first of all by the short way that most files allow. */
static bvp_status load_part(const bvp_file *file, uint32_t part, bvpi_placed_part *out)
{
    out->kind = BVPD_KIND_WIDE8;
    out->rays.nodes = NULL;
    bvp_status status = BVP_OK;
    if (file->kind != BVP_KIND_DEFAULT ||
        bvpi_get_part_and_tree(file, part, &out->part, &out->at.tree) != BVP_OK) {
        status = bvpi_get_part(file, part, &out->part);
        if (status == BVP_OK)
            status = open_hierarchy(file, out);
    }
    if (status == BVP_OK && file->kind == BVP_KIND_DEFAULT && !file->is_refitted)
        status = bvpi_get_part_rays(file, part, &out->rays);
    return status;
}

/* Of a turned grid: every coordinate, turned or not, is at most the length of the farthest point;
 * and turned ones may leave their boxes by their rounding. */
static void bound_turned(bvpi_placed_tree *at)
{
    const double *b = at->bound, *c = at->corner;
    const double turned = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    const double plain = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    const double reach = bvpi_larger(turned, plain) * (1 + 0x1p-40);
    for (int a = 0; a < 3; a++)
        at->bound[a] = reach;
    at->slack = reach * BVPI_TURN_ERROR;
}

static void set_bounds(bvpi_placed_part *out)
{
    bound_grid(&out->at);
    for (int a = 0; a < 3; a++) {
        const double lo = fabs((double)out->part.lo[a]), hi = fabs((double)out->part.hi[a]);
        out->at.corner[a] = bvpi_larger(lo, hi);
        out->at.bound[a] = bvpi_larger(out->at.bound[a], out->at.corner[a]);
    }
    out->at.slack = 0;
    if (out->at.tree.is_turned)
        bound_turned(&out->at);
}

static bvp_status open_part(const bvp_file *file, const bvp_control *control, uint32_t part,
                            bvpi_placed_part *out)
{
    const bvpi_placed_part *ready = file->ready;
    bvp_status status = bvpi_touch_under(file, part, control);
    if (part == 0 && ready != NULL && !file->is_refitted && status == BVP_OK) {
        *out = *ready;
        return BVP_OK;
    }
    out->part_idx = part;
    if (status == BVP_OK)
        status = load_part(file, part, out);
    if (status == BVP_OK)
        set_bounds(out);
    return status;
}

/* out->placement is the body's already. The product of the caller's placement and an instance's is
 * rounded, which moves the instance relative to its box: out->slack is by how much at most, with
 * room for parts far from their origin. */
static bvp_status load_top(const bvpi_placed_body *placed, uint32_t top, bvpi_placed_tree *out)
{
    const bvp_status status = bvpi_get_top_tree(placed->file, top, &out->tree);
    if (status != BVP_OK)
        return status;
    bound_grid(out);
    out->slack = 0;
    if (placed->placement) {
        const bvpi_placement *placement = &out->placement;
        const double *m = placement->m;
        const double largest =
            bvpi_larger(out->bound[0], bvpi_larger(out->bound[1], out->bound[2]));
        const double moved = bvpi_larger(fabs(m[3]), bvpi_larger(fabs(m[7]), fabs(m[11])));
        assert(placement->size_min > 0 && placement->size_min <= placement->size_max);
        out->slack =
            (largest * placement->size_max * 0x1p-40 + moved * 0x1p-50) / placement->size_min;
    }
    return BVP_OK;
}

bvp_status bvpi_placed_body_top(const bvpi_placed_body *placed, uint32_t top, bvpi_placed_tree *out)
{
    out->placement = placed->top.placement;
    return load_top(placed, top, out);
}

void bvpi_placed_tree_box(const bvpi_placed_tree *at, double lo[3], double hi[3])
{
    const bvpi_tree *tree = &at->tree;
    bvpi_turn turn;
    if (tree->is_turned)
        bvpi_turn_init(tree->turn, &turn);
    for (int i = 0; i < 3; i++) {
        double row[4];
        memcpy(row, at->placement.m + 4 * i, sizeof row);
        if (tree->is_turned)
            bvpi_turn_point(&turn, at->placement.m + 4 * i, row);
        lo[i] = hi[i] = row[3];
        for (int k = 0; k < 3; k++) {
            const double from = row[k] * tree->grid_origin[k];
            const double by = row[k] * tree->grid_unit * tree->grid_extent[k];
            lo[i] += from + bvpi_smaller(by, 0);
            hi[i] += from + bvpi_larger(by, 0);
        }
    }
}

static bvp_status open_top(bvpi_placed_body *placed, const double *placement)
{
    assert(placed->is_assembly);
    bvpi_placed_tree *top = &placed->top;
    const bool is_moved = placement && !bvpi_is_identity(placement);
    bvp_status status = bvpi_touch_under(placed->file, BVP_ASSEMBLY, placed->control);
    placed->placement = is_moved ? placement : NULL;
    if (status == BVP_OK)
        status = bvpi_placement_init(&top->placement, placed->placement);
    if (status != BVP_OK)
        return status;
    placed->is_empty = placed->file->header.instance_count == 0;
    if (placed->is_empty)
        return BVP_OK;
    placed->top_count = bvpi_top_count(placed->file);
    return load_top(placed, 0, top);
}

bvp_status bvpi_placed_body_init(bvpi_placed_body *placed, const bvp_body *body)
{
    if (body == NULL || body->file == NULL)
        return BVP_ERR_ARGUMENT;
    placed->file = body->file;
    placed->is_assembly = body->part == BVP_ASSEMBLY;
    placed->filter = body->filter;
    placed->kept = NULL;
    placed->control = body->control != NULL ? body->control : body->file->control;
    if (body->filter && !(placed->is_assembly && bvpi_filter_is_sound(body->filter)))
        return BVP_ERR_ARGUMENT;
    if (placed->is_assembly)
        return open_top(placed, body->placement);
    placed->is_empty = 0;
    placed->one.instance = BVP_NONE;
    bvp_status status = open_part(body->file, placed->control, body->part, &placed->one);
    if (status == BVP_OK)
        status = bvpi_placement_init(&placed->one.at.placement, body->placement);
    return status;
}

bool bvpi_ready_init(const bvp_file *file, bvpi_placed_part *out)
{
    out->part_idx = 0;
    if (load_part(file, 0, out) != BVP_OK)
        return false;
    set_bounds(out);
    out->instance = BVP_NONE;
    return bvpi_placement_init(&out->at.placement, NULL) == BVP_OK;
}

const bvpi_placed_part *bvpi_ready_part(const bvp_body *body)
{
    const bvp_file *file = body ? body->file : NULL;
    if (!file || body->part != 0 || body->placement || body->filter || file->is_refitted ||
        body->control || file->control || bvpi_touch(file, 0) != BVP_OK)
        return NULL;
    return file->ready;
}

/* A grid's box. */
static void box_of_grid(const bvpi_placed_tree *at, bvpi_plain_box *out)
{
    const bvpi_tree *tree = &at->tree;
    for (int i = 0; i < 3; i++) {
        out->lo[i] = tree->grid_origin[i];
        out->hi[i] = out->lo[i] + tree->grid_unit * tree->grid_extent[i];
        out->size[i] = at->bound[i];
    }
    out->is_turned = tree->is_turned;
    memcpy(out->turn, tree->turn, sizeof out->turn);
}

static bool box_of_part(const bvp_file *file, uint32_t part, bvpi_plain_box *out)
{
    const bvpi_placed_part *of = file->ready;
    bvpi_placed_part other;
    if (part != 0 || of == NULL || file->is_refitted) {
        if (bvpi_get_part_and_tree(file, part, &other.part, &other.at.tree) != BVP_OK)
            return false;
        if (other.at.tree.is_turned)
            set_bounds(&other);
        of = &other;
    }
    if (of->at.tree.is_turned) {
        box_of_grid(&of->at, out);
        return true;
    }
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        out->lo[i] = (double)of->part.lo[i];
        out->hi[i] = (double)of->part.hi[i];
        out->size[i] = bvpi_larger(fabs(out->lo[i]), fabs(out->hi[i]));
    }
    return true;
}

static bool box_of_instances(const bvp_file *file, bvpi_plain_box *out)
{
    bvpi_placed_tree top;
    if (file->header.instance_count == 0 || bvpi_top_count(file) != 1 ||
        bvpi_get_top_tree(file, 0, &top.tree) != BVP_OK)
        return false;
    bound_grid(&top);
    box_of_grid(&top, out);
    return true;
}

bool bvpi_get_plain_box(const bvp_body *body, bvpi_plain_box *out)
{
    const bvp_file *file = body != NULL ? body->file : NULL;
    if (file == NULL || body->control != NULL || file->control != NULL ||
        bvpi_touch(file, body->part) != BVP_OK)
        return false;
    const bool is_assembly = body->part == BVP_ASSEMBLY;
    /* of a chosen kind a part may have none, which the query tells */
    if (file->kind != BVP_KIND_DEFAULT && (body->part != 0 || !file->ready || file->is_refitted))
        return false;
    if (body->filter != NULL && !(is_assembly && bvpi_filter_is_sound(body->filter)))
        return false;
    out->is_moved = body->placement != NULL;
    out->placement = out->is_moved ? body->placement : identity;
    out->is_turned = false;
    out->is_composed = is_assembly && out->is_moved;
    return is_assembly ? box_of_instances(file, out) : box_of_part(file, body->part, out);
}

/* If the product of placements is not usable, the file is corrupt only if its own placement is not;
 * else the caller's argument is at fault. */
static bvp_status place_instance(const bvpi_placed_body *placed, const double placement[12],
                                 bvpi_placement *out)
{
    double product[12];
    if (bvpi_is_identity(placement)) {
        *out = placed->top.placement; /* as most parts of a file without a tree */
        return BVP_OK;
    }
    if (placed->placement && bvpi_compose(placed->placement, placement, product) == BVP_OK &&
        bvpi_placement_init(out, product) == BVP_OK)
        return BVP_OK;
    if (bvpi_placement_init(out, placement) != BVP_OK)
        return BVP_ERR_CORRUPT;
    return placed->placement ? BVP_ERR_ARGUMENT : BVP_OK;
}

bvp_status bvpi_placed_body_instance(const bvpi_placed_body *placed, uint32_t instance,
                                     bvpi_placed_part *out)
{
    bvpd_instance record;
    double placement[12];
    if (instance >= placed->file->header.instance_count)
        return BVP_ERR_CORRUPT;
    bvp_status status = bvpi_get_instance(placed->file, instance, &record, placement);
    if (status != BVP_OK)
        return BVP_ERR_CORRUPT;
    status = open_part(placed->file, placed->control, record.part, out);
    if (status != BVP_OK)
        return status;
    out->instance = instance;
    return place_instance(placed, placement, &out->at.placement);
}

void bvpi_placed_body_keep(bvpi_placed_body *placed, bvpi_kept_parts *kept)
{
    if (!placed->is_assembly)
        return;
    for (int k = 0; k < BVPI_KEPT_PARTS; k++)
        kept->part[k].instance = BVP_NONE;
    placed->kept = kept;
}

bvp_status bvpi_placed_body_visit(const bvpi_placed_body *placed, uint32_t instance,
                                  bvpi_placed_part *own, const bvpi_placed_part **out)
{
    bvpi_placed_part *part = placed->kept ? &placed->kept->part[instance % BVPI_KEPT_PARTS] : own;
    *out = part;
    if (placed->kept && part->instance == instance && instance != BVP_NONE)
        return BVP_OK;
    const bvp_status status = bvpi_placed_body_instance(placed, instance, part);
    if (status != BVP_OK) {
        part->instance = BVP_NONE;
    } else if (placed->kept) {
        part->at.placement.adjugate = &placed->kept->adjugate[instance % BVPI_KEPT_PARTS];
        part->at.placement.adjugate->is_ready = false;
    }
    return status;
}

void bvpi_hit_id_of(const bvpi_placed_part *part, const bvpd_cluster *cluster, uint32_t local,
                    bvp_hit_id *out)
{
    out->instance = part->instance;
    out->part = part->part_idx;
    out->triangle = (uint64_t)cluster->first_triangle + local;
    out->id = bvpi_triangle_id(&part->part, cluster, local);
}

void bvpi_eight_ids_of(const bvpi_placed_part *part, const bvpd_cluster *cluster,
                       const uint32_t local[8], uint64_t ids[8])
{
    bvpi_numbers_of_eight(part->part.ids, part->part.ids_size, cluster, local, ids);
}

void bvpi_add_stats(bvp_stats *to, const bvp_stats *from)
{
    if (to == NULL)
        return;
    to->nodes += from->nodes;
    to->boxes += from->boxes;
    to->leaves += from->leaves;
    to->triangles += from->triangles;
    to->exact += from->exact;
    to->instance_pairs += from->instance_pairs;
    to->steps += from->steps;
}
