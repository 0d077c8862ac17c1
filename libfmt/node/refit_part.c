/* SPDX-License-Identifier: MIT
 * refit_part.c: new coordinates for a part's vertices, and new boxes for its AABB tree, in the
 * private pages of one handle.
 *
 * Everything that can be refused is checked before the first byte is written: the part's form,
 * every cluster, every coordinate, the resulting world bounds. After that only a file that changes
 * meanwhile can fail.
 *
 * Children come after their parents in the file, so one pass from the last record to the first sees
 * children first. A block's nodes are listed in the same way. Bytes are stored only where they
 * differ, so unchanged pages stay shared with other processes.
 *
 * The part gets a new content hash and address, because its bytes are new; `shape` changes so that
 * warm starts notice.
 *
 * Held by tests/property/test_refit.c: every box is exact, nobody else sees it, only touched pages
 * are private.
 * Spec: format.md, chapter "Deformed parts"
 * Based on: van den Bergen, Efficient collision detection of complex deformable models using AABB
 * trees, 1997, section 4.
 */
#include "node/refit.h"

#include "base/status.h"
#include "format/checksum.h"
#include "format/identity.h"
#include "format/lazy.h"
#include "node/aabb_node.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* A leaf has at least one of a block's 256 triangles. */
enum { BLOCK_NODES_MAX = 2 * BVPD_CLUSTER_TRIANGLES - 1 };

typedef struct refit {
    bvp_file *file;
    uint32_t part_idx, hierarchy_idx;
    bvpi_part part;
    bvpi_binary tree;
    const float *positions; /* of all stored vertices */
    uint64_t vertex_count;
    bool is_changed; /* some coordinate got another value */
    float lo[3], hi[3];
    double area; /* of all boxes: half their surfaces */
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
    bvpd_part record;
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
    if (bvpi_get_part(r->file, r->part_idx, &r->part) != BVP_OK)
        return corrupt(r, "the record");
    const uint8_t *bytes = r->file->section[BVPD_PART].data + r->part_idx * sizeof record;
    bvpi_load_record(&record, bytes, sizeof record);
    r->hierarchy_idx = record.first_hierarchy;
    status = bvpi_get_part_binary(r->file, r->part_idx, BVPD_KIND_AABB, &r->tree);
    if (status == BVP_ERR_ARGUMENT || (status == BVP_OK && record.hierarchy_count != 1))
        return refuse(r, "has not just one hierarchy of kind aabb; pack it with --hierarchy aabb "
                         "--deformable");
    return status == BVP_OK && r->tree.order_width == 0 ? BVP_OK : corrupt(r, "the hierarchy");
}

/* Opens cluster `idx`. False: it leaves the blob. */
static bool open_cluster(const bvpi_part *part, uint32_t idx, bvpi_cluster *out)
{
    const uint64_t offset = bvpi_cluster_off(part, idx);
    return bvpi_cluster_open(part->blob, part->blob_size, offset, out) &&
           bvpi_cluster_nodes_off(out) <= part->blob_size - offset;
}

static bool is_raw(const bvpi_cluster *cluster)
{
    bool raw = true;
    for (int axis = 0; axis < 3; axis++)
        raw = raw && cluster->head.packing[axis] == (BVPD_RAW << 6 | 32) &&
              cluster->head.table_count[axis] == 0;
    return raw;
}

static bvp_status check_clusters(const refit *r)
{
    uint64_t count = 0;
    for (uint32_t idx = 0; idx < r->part.cluster_count; idx++) {
        bvpi_cluster cluster;
        if (!open_cluster(&r->part, idx, &cluster))
            return corrupt(r, "a cluster");
        if (!is_raw(&cluster))
            return refuse(r, "has packed coordinates, which cannot be moved in place; pack it with "
                             "--hierarchy aabb --deformable");
        count += cluster.vertex_count;
    }
    if (count == r->vertex_count)
        return BVP_OK;
    return bvpi_error_set(r->error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                          "%" PRIu64 " vertices are given; part %" PRIu32 " stores %" PRIu64
                          ": bvp_get_vertices lists them",
                          r->vertex_count, r->part_idx, count);
}

/* Also computes the new bounds. */
static bvp_status check_positions(refit *r)
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint64_t i = 0; i < r->vertex_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const float x = r->positions[3 * i + axis];
            if (!isfinite(x))
                return bvpi_error_set(r->error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                                      "the new position of vertex %" PRIu64 " of part %" PRIu32
                                      " is not finite; the part is as it was",
                                      i, r->part_idx);
            lo[axis] = x < lo[axis] ? x : lo[axis];
            hi[axis] = x > hi[axis] ? x : hi[axis];
        }
    for (int axis = 0; axis < 3; axis++) {
        r->lo[axis] = lo[axis] + 0.0f; /* -0 becomes 0 */
        r->hi[axis] = hi[axis] + 0.0f;
    }
    return BVP_OK;
}

/* ---- coordinates ---------------------------------------------------------------------------- */

/* The place of a raw coordinate. */
static const uint8_t *raw_place(const bvpi_cluster *cluster, int axis, uint32_t vertex)
{
    return cluster->vertices + 12 * vertex + 4 * axis;
}

/* Repeats the checks of check_clusters, because the file may have changed since. */
static bvp_status move_vertices(refit *r)
{
    uint64_t done = 0;
    for (uint32_t idx = 0; idx < r->part.cluster_count; idx++) {
        bvpi_cluster cluster;
        if (!open_cluster(&r->part, idx, &cluster) || !is_raw(&cluster) ||
            cluster.vertex_count > r->vertex_count - done)
            return corrupt(r, "a cluster");
        const float *positions = r->positions + 3 * done;
        for (uint32_t i = 0; i < 3 * cluster.vertex_count; i++) {
            const uint8_t *place = raw_place(&cluster, (int)(i % 3), i / 3);
            if (memcmp(place, &positions[i], sizeof *positions) != 0) {
                memcpy(bvpi_overlay(r->file, place), &positions[i], sizeof *positions);
                r->is_changed = true;
            }
        }
        done += cluster.vertex_count;
        assert(done <= r->vertex_count);
    }
    return BVP_OK;
}

/* ---- boxes ---------------------------------------------------------------------------------- */

static const bvpi_aabb nothing = {{INFINITY, INFINITY, INFINITY},
                                  {-INFINITY, -INFINITY, -INFINITY}};

static void include(bvpi_aabb *box, const float lo[3], const float hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        box->lo[axis] = lo[axis] < box->lo[axis] ? lo[axis] : box->lo[axis];
        box->hi[axis] = hi[axis] > box->hi[axis] ? hi[axis] : box->hi[axis];
    }
}

/* Zeros are stored as +0, so that the bytes do not depend on which of two equal values came
 * first. */
static void store_box(refit *r, const uint8_t *payload, bvpi_aabb *box)
{
    double size[3];
    for (int axis = 0; axis < 3; axis++) {
        box->lo[axis] += 0.0f;
        box->hi[axis] += 0.0f;
        size[axis] = (double)box->hi[axis] - box->lo[axis];
    }
    r->area += size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
    bvpi_overlay_store(r->file, payload, box, sizeof *box);
}

/* The box of local triangles first .. first + count - 1. */
static void bound_triangles(const bvpi_cluster *cluster, uint32_t first, uint32_t count,
                            bvpi_aabb *box)
{
    *box = nothing;
    for (uint32_t corner = 3 * first; corner < 3 * (first + count); corner++) {
        const uint32_t vertex = bvpi_cluster_corner(cluster, corner / 3, corner % 3);
        float at[3];
        for (int axis = 0; axis < 3; axis++)
            memcpy(&at[axis], raw_place(cluster, axis, vertex), sizeof at[axis]);
        include(box, at, at);
    }
}

/* A node of a block whose payload will be written. */
typedef struct block_node {
    bvpi_binary_node node;
    const uint8_t *payload;
    uint32_t left; /* number of an inner node's left child, which the right one follows */
    bvpi_aabb box;
} block_node;

/* Lists all nodes below the root, nodes[0], children after parents. */
static bool list_block(const refit *r, block_node nodes[BLOCK_NODES_MAX], uint32_t *count)
{
    *count = 1;
    for (uint32_t k = 0; k < *count; k++) {
        bvpi_binary_node child[2];
        const uint8_t *payload[2];
        if (bvpi_binary_is_leaf(&r->tree, &nodes[k].node))
            continue;
        if (!bvpi_binary_children(&r->tree, &nodes[k].node, child, payload))
            return false;
        /* two children share their parent's triangles, and neither is without one */
        assert(*count + 2 <= BLOCK_NODES_MAX);
        nodes[k].left = *count;
        for (int side = 0; side < 2; side++)
            nodes[(*count)++] = (block_node){.node = child[side], .payload = payload[side]};
    }
    return true;
}

static bool refit_block(refit *r, const bvpi_binary_node *root, const uint8_t *payload)
{
    block_node nodes[BLOCK_NODES_MAX];
    bvpi_cluster cluster;
    uint32_t count;
    const uint64_t offset = (uint64_t)(root->first >> 8) << r->part.cluster_shift;
    if (!bvpi_cluster_open(r->part.blob, r->part.blob_size, offset, &cluster) ||
        bvpi_cluster_nodes_off(&cluster) > r->part.blob_size - offset || !is_raw(&cluster) ||
        (root->first & 255) + root->count > cluster.triangle_count)
        return false;
    nodes[0] = (block_node){.node = *root, .payload = payload};
    if (!list_block(r, nodes, &count))
        return false;
    while (count-- > 0) {
        block_node *n = &nodes[count];
        if (bvpi_binary_is_leaf(&r->tree, &n->node)) {
            bound_triangles(&cluster, n->node.first & 255, n->node.count, &n->box);
        } else {
            assert(n->left > count); /* so the children's boxes are known */
            n->box = nodes[n->left].box;
            include(&n->box, nodes[n->left + 1].box.lo, nodes[n->left + 1].box.hi);
        }
        store_box(r, n->payload, &n->box);
    }
    return true;
}

/* Record idx of the upper array, and if it links to a block, all of that. */
static bool refit_upper(refit *r, uint32_t idx)
{
    bvpi_binary_node node, child[2];
    const uint8_t *payload, *below[2];
    if (!bvpi_binary_upper(&r->tree, idx, &node, &payload))
        return false;
    if (node.end != 0)
        return refit_block(r, &node, payload);
    if (!bvpi_binary_children(&r->tree, &node, child, below))
        return false;
    bvpi_aabb box = nothing, other;
    for (int side = 0; side < 2; side++) {
        bvpi_aabb_box(below[side], &other);
        include(&box, other.lo, other.hi);
    }
    store_box(r, payload, &box);
    return true;
}

/* ---- records -------------------------------------------------------------------------------- */

/* Over triangles and coordinates as stored, because the source's order is not known here. */
void bvpi_shape_hash(const bvpi_part *part, uint8_t hash[16])
{
    bvpi_hasher hasher;
    bvpi_hasher_start128(&hasher);
    bvpi_hasher_add128(&hasher, part->origin, sizeof part->origin);
    for (uint32_t idx = 0; idx < part->cluster_count; idx++) {
        bvpi_cluster cluster;
        if (open_cluster(part, idx, &cluster))
            bvpi_hasher_add128(&hasher, cluster.corners, (size_t)(cluster.end - cluster.corners));
    }
    bvpi_hasher_end128(&hasher, hash);
}

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

static bvp_status write_records(refit *r)
{
    const uint8_t *at = r->file->section[BVPD_PART].data + r->part_idx * sizeof(bvpd_part);
    double lo[3], hi[3], whole = 0;
    bvpd_part record;
    bvpi_grid grid;
    bvpi_load_record(&record, at, sizeof record);
    bvpi_shape_hash(&r->part, record.content_hash);
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
    for (int axis = 0; axis < 3; axis++) {
        record.lo[axis] = r->lo[axis];
        record.hi[axis] = r->hi[axis];
        lo[axis] = r->lo[axis];
        hi[axis] = r->hi[axis];
    }
    /* the tree's cost, as the builder measures it: all boxes relative to the root's */
    for (int axis = 0; axis < 3; axis++)
        whole += (hi[axis] - lo[axis]) * (hi[(axis + 1) % 3] - lo[(axis + 1) % 3]);
    bvpi_overlay_store(r->file, at, &record, sizeof record);
    bvpi_grid_choose(lo, hi, &grid);
    return bvpi_refit_record(r->file, r->hierarchy_idx, &grid, whole > 0 ? r->area / whole : 0);
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
    if (status != BVP_OK)
        return status;
    status = move_vertices(&r);
    if (!r.is_changed)
        return status;
    /* Also when the file turns out to be damaged, now or at the boxes: bytes have changed already,
     * and neither warm starts nor the part that was prepared at open may rely on what was. */
    file->is_refitted = true;
    /* equal files that were refitted equally have the same shape */
    const uint64_t what[3] = {file->shape, part,
                              bvpi_hash64(positions, r.vertex_count * 3 * sizeof *positions)};
    file->shape = bvpi_hash64(what, sizeof what);
    for (uint32_t idx = r.tree.upper_count; idx-- > 0 && status == BVP_OK;)
        if (!refit_upper(&r, idx))
            status = corrupt(&r, "the hierarchy");
    if (status == BVP_OK && write_records(&r) != BVP_OK)
        status = corrupt(&r, "the hierarchy's record");
    if (status == BVP_OK && !has_same_bounds(&r) && file->header.instance_count > 0 &&
        bvpi_refit_top(file, &world) != BVP_OK)
        status = corrupt(&r, "the hierarchy over the instances");
    return status;
}
