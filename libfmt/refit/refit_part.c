/* SPDX-License-Identifier: MIT
 * refit_part.c: new coordinates for a part's vertices, and new boxes for its hierarchies, in the
 * private pages of one handle.
 *
 * Everything that can be refused is checked before the first byte is written: the part's form,
 * every cluster, every coordinate, the resulting world bounds. After that only a file that is
 * damaged or changes meanwhile can fail.
 *
 * The part gets a new content hash and address, because its bytes are new; `shape` changes so that
 * warm starts notice.
 *
 * Held by tests/property/test_refit.c: every box is exact, nobody else sees it, only touched pages
 * are private.
 * Spec: format.md, chapter "Deformed parts"
 */
#include "refit/refit.h"

#include "base/simd.h"
#include "base/status.h"
#include "format/checksum.h"
#include "format/identity.h"
#include "format/lazy.h"
#include "node/raw_cluster.h"
#include "node/turn.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct refit {
    bvp_file *file;
    uint32_t part_idx;
    bvpd_part record; /* as it was */
    bvpi_part part;
    const float *positions; /* of all stored vertices */
    uint64_t vertex_count;
    bool is_changed;          /* some coordinate got another value */
    uint8_t content_hash[16]; /* with the new coordinates */
    float lo[3], hi[3];
    void *room; /* room_size bytes; NULL if that is 0 */
    uint64_t room_size;
    bvp_error *error;
} refit;

static bvp_status refuse(const refit *r, const char *text)
{
    return bvpi_error_set(r->error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "", "part %" PRIu32 " %s",
                          r->part_idx, text);
}

static bvp_status corrupt(const refit *r, const char *text)
{
    return bvpi_error_set(r->error, BVP_ERR_CORRUPT, BVPI_NO_OFFSET, "",
                          "%s of part %" PRIu32 " cannot be read; verify the file", text,
                          r->part_idx);
}

/* ---- checks before anything is written ------------------------------------------------------- */

static bvp_status open_part(refit *r)
{
    if (r->part_idx >= r->file->header.part_count)
        return bvpi_error_set(r->error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "part %" PRIu32 " does not exist; the file has %" PRIu32 " of them",
                              r->part_idx, r->file->header.part_count);
    /* With verify_lazily, blocks must be checked while they still match HASH; those of other parts
     * as well, because parts share blocks. Only what this part needs can refuse the call. */
    bvp_status status = bvpi_touch(r->file, BVP_ASSEMBLY);
    for (uint32_t idx = 0; r->file->part_state && idx < r->file->header.part_count; idx++) {
        const bvp_status own = bvpi_touch(r->file, idx);
        status = idx == r->part_idx && status == BVP_OK ? own : status;
    }
    if (status != BVP_OK)
        return corrupt(r, "the hashed blocks");
    if (bvpi_get_part_record(r->file, r->part_idx, &r->record) != BVP_OK ||
        bvpi_view_part(r->file, r->part_idx, &r->record, &r->part) != BVP_OK)
        return corrupt(r, "the record");
    return BVP_OK;
}

uint64_t bvpi_refit_room(const bvpd_hierarchy *h)
{
    switch (h->kind) {
    case BVPD_KIND_WIDE8:
        return (uint64_t)h->node_count * BVPI_REFIT_WIDE_NODE;
    case BVPD_KIND_BOXTREE:
        return (uint64_t)h->node_count * BVPI_REFIT_BOXTREE_NODE +
               (uint64_t)h->upper_count * BVPI_REFIT_BOXTREE_UPPER;
    case BVPD_KIND_OBB:
    case BVPD_KIND_RSS:
        return BVPI_REFIT_ORIENTED_BLOCK + (uint64_t)h->upper_count * BVPI_REFIT_ORIENTED_UPPER;
    default:
        return 0;
    }
}

static bvp_status check_hierarchies(refit *r)
{
    for (uint32_t i = 0; i < r->record.hierarchy_count; i++) {
        bvpd_hierarchy h;
        bvpi_binary tree;
        if (bvpi_get_hierarchy_record(r->file, r->part_idx, &r->record, i, &h) != BVP_OK)
            return corrupt(r, "a hierarchy");
        if (h.kind == BVPD_KIND_RAYS)
            return refuse(r, "has a hierarchy for rays, which cannot be refitted; pack it with "
                             "--deformable and without --rays");
        /* what is allocated follows from the counts */
        if (h.kind == BVPD_KIND_WIDE8
                ? h.node_count > r->part.blob_size / BVPD_UNIT
                : bvpi_view_binary(r->file, &h, r->record.triangle_count, &tree) != BVP_OK)
            return corrupt(r, "a hierarchy");
        r->room_size = bvpi_refit_room(&h) > r->room_size ? bvpi_refit_room(&h) : r->room_size;
    }
    return r->record.hierarchy_count > 0 ? BVP_OK : corrupt(r, "the record");
}

/* Opens cluster `idx`. False: it leaves the blob. */
static bool open_cluster(const refit *r, uint32_t idx, bvpi_cluster *out)
{
    return bvpi_cluster_open_whole(&r->part, bvpi_cluster_off(&r->part, idx), out);
}

static bvp_status check_clusters(const refit *r)
{
    uint64_t count = 0;
    for (uint32_t idx = 0; idx < r->part.cluster_count; idx++) {
        bvpi_cluster cluster;
        if (!open_cluster(r, idx, &cluster))
            return corrupt(r, "a cluster");
        if (!bvpi_cluster_is_raw(&cluster))
            return refuse(r, "has packed coordinates, which cannot be moved in place; pack it with "
                             "--deformable");
        count += cluster.vertex_count;
    }
    if (count == r->vertex_count)
        return BVP_OK;
    return bvpi_error_set(r->error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                          "%" PRIu64 " vertices are given; part %" PRIu32 " stores %" PRIu64
                          ": bvp_get_vertices lists them",
                          r->vertex_count, r->part_idx, count);
}

/* The bounds of positions, and whether all are finite. Eight vertices are three vectors, of which
 * each lane always holds the same axis. */
static bool bound_positions(const float *positions, uint64_t count, float lo[3], float hi[3])
{
    enum { VECTORS = 3, AT_ONCE = 8 };
    f32x8 least[VECTORS], most[VECTORS];
    i32x8 is_finite = i32x8_splat(-1);
    const uint64_t whole = count / AT_ONCE * AT_ONCE;
    for (int k = 0; k < VECTORS; k++) {
        least[k] = f32x8_splat(INFINITY);
        most[k] = f32x8_splat(-INFINITY);
    }
    for (uint64_t i = 0; i < whole; i += AT_ONCE)
        for (int k = 0; k < VECTORS; k++) {
            const f32x8 x = f32x8_load(positions + 3 * i + AT_ONCE * k);
            is_finite &= f32x8_le(f32x8_abs(x), f32x8_splat(FLT_MAX));
            least[k] = f32x8_min(x, least[k]);
            most[k] = f32x8_max(x, most[k]);
        }
    bool finite = i32x8_movemask(is_finite) == 255;
    for (int i = 0; i < VECTORS * AT_ONCE; i++) {
        const float low = least[i / AT_ONCE][i % AT_ONCE], high = most[i / AT_ONCE][i % AT_ONCE];
        lo[i % 3] = low < lo[i % 3] ? low : lo[i % 3];
        hi[i % 3] = high > hi[i % 3] ? high : hi[i % 3];
    }
    for (uint64_t i = 3 * whole; i < 3 * count; i++) {
        finite = finite && isfinite(positions[i]);
        lo[i % 3] = positions[i] < lo[i % 3] ? positions[i] : lo[i % 3];
        hi[i % 3] = positions[i] > hi[i % 3] ? positions[i] : hi[i % 3];
    }
    return finite;
}

/* Also computes the new bounds. */
static bvp_status check_positions(refit *r)
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (!bound_positions(r->positions, r->vertex_count, lo, hi)) {
        uint64_t i = 0;
        while (isfinite(r->positions[i])) /* one is not */
            i++;
        return bvpi_error_set(r->error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the new position of vertex %" PRIu64 " of part %" PRIu32
                              " is not finite; the part is as it was",
                              i / 3, r->part_idx);
    }
    for (int axis = 0; axis < 3; axis++) {
        r->lo[axis] = lo[axis] + 0.0f; /* -0 becomes 0 */
        r->hi[axis] = hi[axis] + 0.0f;
    }
    return BVP_OK;
}

/* ---- coordinates ---------------------------------------------------------------------------- */

/* Writes `size` bytes, in those pages where some of them differ: the others stay shared. */
static bool move_bytes(const refit *r, const uint8_t *to, const uint8_t *from, size_t size)
{
    enum { PAGE = 4096 }; /* a system's pages are as large or a multiple */
    bool is_changed = false;
    for (size_t done = 0; done < size;) {
        const size_t left = size - done, room = PAGE - (uintptr_t)(to + done) % PAGE;
        const size_t count = left < room ? left : room;
        if (memcmp(to + done, from + done, count) != 0) {
            memcpy(bvpi_overlay(r->file, to + done), from + done, count);
            is_changed = true;
        }
        done += count;
    }
    return is_changed;
}

/* Repeats the checks of check_clusters, because the file may have changed since. */
static bvp_status move_vertices(refit *r)
{
    uint64_t done = 0;
    bvpi_hasher hasher;
    bvpi_shape_hash_start(&hasher, &r->part);
    for (uint32_t idx = 0; idx < r->part.cluster_count; idx++) {
        bvpi_cluster cluster;
        if (!open_cluster(r, idx, &cluster) || !bvpi_cluster_is_raw(&cluster) ||
            cluster.vertex_count > r->vertex_count - done)
            return corrupt(r, "a cluster");
        if (move_bytes(r, bvpi_raw_place(&cluster, 0, 0),
                       (const uint8_t *)(r->positions + 3 * done),
                       cluster.vertex_count * 3 * sizeof(float)))
            r->is_changed = true;
        bvpi_shape_hash_add(&hasher, &cluster);
        done += cluster.vertex_count;
        assert(done <= r->vertex_count);
    }
    bvpi_hasher_end128(&hasher, r->content_hash);
    return BVP_OK;
}

/* ---- boxes ----------------------------------------------------------------------------------- */

/* The finest grid for the new vertices, turned as the old one. */
static void choose_grid(const refit *r, const bvpi_tree *tree, bvpi_grid *out)
{
    double lo[3], hi[3];
    bvpi_turn turn;
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = (double)r->lo[axis];
        hi[axis] = (double)r->hi[axis];
    }
    if (!tree || !tree->is_turned) {
        bvpi_grid_choose(lo, hi, out);
        return;
    }
    bvpi_turn_init(tree->turn, &turn);
    for (uint64_t i = 0; i < r->vertex_count; i++) {
        const float *p = r->positions + 3 * i;
        double turned[3];
        bvpi_turn_point(&turn, (double[]){(double)p[0], (double)p[1], (double)p[2]}, turned);
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = i == 0 || turned[axis] < lo[axis] ? turned[axis] : lo[axis];
            hi[axis] = i == 0 || turned[axis] > hi[axis] ? turned[axis] : hi[axis];
        }
    }
    bvpi_grid_choose(lo, hi, out);
    memcpy(out->turn, tree->turn, sizeof out->turn);
    out->is_turned = true;
}

static const bvpi_refit_kernel *kernel_of(const refit *r)
{
    return BVPI_ISA_CHOOSE(bvpi_refit_kernel, r->file->isa);
}

static bvp_status fit_wide(const refit *r, const bvpd_hierarchy *h, bvpi_grid *grid,
                           double *area_cost)
{
    bvpi_tree tree;
    if (bvpi_get_part_tree_here(r->file, r->part_idx, &tree) != BVP_OK ||
        bvpi_refit_room(h) > r->room_size ||
        h->node_count != tree.node_count) /* the file changes */
        return BVP_ERR_CORRUPT;
    choose_grid(r, &tree, grid);
    return kernel_of(r)->wide(r->file, &tree, &r->part, h->upper_count, grid, r->room, area_cost);
}

static bvp_status fit_binary(const refit *r, const bvpd_hierarchy *h, bvpi_grid *grid,
                             double *area_cost)
{
    bvpi_binary tree;
    if (bvpi_view_binary(r->file, h, r->record.triangle_count, &tree) != BVP_OK ||
        bvpi_refit_room(h) > r->room_size) /* it has grown: the file changes */
        return BVP_ERR_CORRUPT;
    choose_grid(r, NULL, grid);
    memcpy(tree.grid_origin, grid->origin, sizeof tree.grid_origin);
    memcpy(tree.grid_extent, grid->extent, sizeof tree.grid_extent);
    tree.grid_unit = grid->unit;
    switch (tree.kind) {
    case BVPD_KIND_AABB:
        return kernel_of(r)->aabb(r->file, &tree, &r->part, grid, r->room, area_cost);
    case BVPD_KIND_BOXTREE:
        return kernel_of(r)->boxtree(r->file, &tree, &r->part, grid, r->room, area_cost);
    default:
        return kernel_of(r)->oriented(r->file, &tree, &r->part, grid, r->room, area_cost);
    }
}

/* All hierarchies of the part. */
static bvp_status fit_hierarchies(const refit *r)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < r->record.hierarchy_count && status == BVP_OK; i++) {
        bvpd_hierarchy h;
        bvpi_grid grid;
        double area_cost = 0;
        status = bvpi_get_hierarchy_record(r->file, r->part_idx, &r->record, i, &h);
        if (status == BVP_OK)
            status = h.kind == BVPD_KIND_WIDE8 ? fit_wide(r, &h, &grid, &area_cost)
                                               : fit_binary(r, &h, &grid, &area_cost);
        if (status == BVP_OK)
            status = bvpi_refit_record(r->file, r->record.first_hierarchy + i, &grid, area_cost);
    }
    return status;
}

/* ---- records -------------------------------------------------------------------------------- */

bvp_status bvpi_refit_record(bvp_file *file, uint32_t hierarchy, const bvpi_grid *grid,
                             double area_cost)
{
    const bvpi_span *span = &file->section[BVPD_HIER];
    bvpd_hierarchy record;
    if (hierarchy >= span->count)
        return BVP_ERR_CORRUPT;
    const uint8_t *at = span->data + (uint64_t)hierarchy * sizeof record;
    bvpi_load_record(&record, at, sizeof record);
    memcpy(record.grid_origin, grid->origin, sizeof record.grid_origin);
    memcpy(record.grid_extent, grid->extent, sizeof record.grid_extent);
    record.grid_unit = grid->unit;
    record.area_cost = area_cost;
    bvpi_overlay_store(file, at, &record, sizeof record);
    return BVP_OK;
}

static void write_part_record(const refit *r)
{
    const uint8_t *at = r->file->section[BVPD_PART].data + r->part_idx * sizeof(bvpd_part);
    bvpd_part record = r->record;
    memcpy(record.content_hash, r->content_hash, sizeof record.content_hash);
    /* Other bytes need another address. It follows from what the part was and what it is now. */
    if (bvpi_has_packer(&record)) {
        memcpy(record.packer, record.address, sizeof record.packer);
        bvpi_part_address(&record, record.address);
    } else {
        bvpi_hasher hasher;
        bvpi_hasher_start128(&hasher);
        bvpi_hasher_add128(&hasher, record.address, sizeof record.address);
        bvpi_hasher_add128(&hasher, record.content_hash, sizeof record.content_hash);
        bvpi_hasher_end128(&hasher, record.address);
    }
    memcpy(record.lo, r->lo, sizeof record.lo);
    memcpy(record.hi, r->hi, sizeof record.hi);
    bvpi_overlay_store(r->file, at, &record, sizeof record);
}

/* ---- the call -------------------------------------------------------------------------------- */

static bool has_same_bounds(const refit *r)
{
    return memcmp(r->lo, r->part.lo, sizeof r->lo) == 0 &&
           memcmp(r->hi, r->part.hi, sizeof r->hi) == 0;
}

/* All reasons to refuse. Nothing is written before this has succeeded. */
static bvp_status check(refit *r, bvpi_bounds *world)
{
    if (!r->file || !r->file->overlay)
        return bvpi_error_set(r->error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the file is not open as an overlay; set bvp_open_options.overlay");
    bvp_status status = open_part(r);
    if (status == BVP_OK)
        status = check_hierarchies(r);
    if (status == BVP_OK)
        status = check_clusters(r);
    if (status == BVP_OK)
        status = check_positions(r);
    if (status != BVP_OK || has_same_bounds(r))
        return status;
    status = bvpi_refit_world(r->file, r->part_idx, r->lo, r->hi, world);
    if (status == BVP_ERR_ARGUMENT)
        return refuse(r, "would be too large in the world at one of its placements");
    return status == BVP_OK ? BVP_OK : corrupt(r, "an instance");
}

/* Writes everything. */
static bvp_status move(refit *r, const bvpi_bounds *world)
{
    bvp_file *file = r->file;
    bvp_status status = move_vertices(r);
    if (!r->is_changed)
        return status;
    /* Also when the file turns out to be damaged, now or at the boxes: bytes have changed already,
     * and neither warm starts nor the part that was prepared at open may rely on what was. */
    file->is_refitted = true;
    /* equal files that were refitted equally have the same shape */
    uint64_t what[4] = {file->shape, r->part_idx};
    memcpy(what + 2, r->content_hash, sizeof r->content_hash);
    file->shape = bvpi_hash64(what, sizeof what);
    if (status == BVP_OK && fit_hierarchies(r) != BVP_OK)
        status = corrupt(r, "a hierarchy");
    if (status == BVP_OK)
        write_part_record(r);
    if (status == BVP_OK && !has_same_bounds(r) && file->header.instance_count > 0 &&
        bvpi_refit_top(file, world) != BVP_OK)
        status = corrupt(r, "the hierarchy over the instances");
    return status;
}

bvp_status bvp_refit(bvp_file *file, uint32_t part, const float *positions, uint64_t vertex_count,
                     bvp_error *error)
{
    refit r = {.file = file,
               .part_idx = part,
               .positions = positions,
               .vertex_count = positions ? vertex_count : 0,
               .error = error};
    bvpi_bounds world; /* set by check() if the part's own bounds change */
    bvp_status status = check(&r, &world);
    if (status == BVP_OK && r.room_size > 0) {
        r.room = malloc(r.room_size);
        status = r.room ? BVP_OK : bvpi_error_memory(error, r.room_size);
    }
    if (status == BVP_OK)
        status = move(&r, &world);
    free(r.room);
    return status;
}
