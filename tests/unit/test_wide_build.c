/* SPDX-License-Identifier: MIT
 * test_wide_build.c: pack/tree/wide_tree.c: a blob made of a hierarchy's nodes and records is
 * walked from its root: boxes hold their triangles, each triangle is met once, the sums of the
 * record are true.
 */
#include "pack/tree/wide_tree.h"
#include "node/cluster_record.h"
#include "node/frame.h"

#include "build_case.h"
#include "suite.h"

#include <stdlib.h>

enum { SHIFT = 6 };

/* A hierarchy as a part would store it. */
typedef struct built {
    bvpi_mesh mesh;
    bvpi_grid grid;
    bvpi_wide_build wide;
    bvpd_hierarchy record;
    uint32_t *order, *table;
    uint8_t *blob;
    uint64_t blob_size;
    uint64_t watched;
} built;

static void note(void *user, const char *stage, uint64_t done, uint64_t total)
{
    built *b = user;
    ck_assert_str_eq(stage, "build");
    ck_assert_uint_le(done, total);
    b->watched = done > b->watched ? done : b->watched;
}

static bvpi_mesh make_mesh(uint32_t count)
{
    uint64_t state = case_seed();
    uint32_t *indices = malloc(12 * (size_t)count);
    for (uint32_t k = 0; k < 3 * count; k++)
        indices[k] = k;
    return (bvpi_mesh){.positions = case_soup(&state, count, 100, 3),
                       .indices = indices,
                       .vertex_count = 3 * count,
                       .triangle_count = count};
}

static void choose_grid(built *b)
{
    double lo[3] = {1e9, 1e9, 1e9}, hi[3] = {-1e9, -1e9, -1e9};
    for (uint32_t k = 0; k < 3 * b->mesh.vertex_count; k++) {
        const double x = b->mesh.positions[k];
        lo[k % 3] = x < lo[k % 3] ? x : lo[k % 3];
        hi[k % 3] = x > hi[k % 3] ? x : hi[k % 3];
    }
    bvpi_grid_choose(lo, hi, &b->grid);
}

/* Upper nodes, then the batches' records. */
static void lay_out(built *b)
{
    const bvpi_wide_build *w = &b->wide;
    uint64_t offset = (uint64_t)w->upper_count * BVPD_UNIT;
    uint32_t entry = 0;
    b->blob_size = offset;
    for (uint32_t k = 0; k < w->batch_count; k++)
        b->blob_size += w->batches[k].size;
    b->blob = calloc(1, b->blob_size + BVPD_DATA_TAIL);
    b->table = calloc(b->blob_size >> SHIFT, sizeof *b->table);
    for (uint32_t k = 0; k < w->batch_count; k++) {
        const bvpi_batch *batch = &w->batches[k];
        for (uint32_t r = 0; r < batch->record_count; r++)
            b->table[entry + r] = (uint32_t)((offset + batch->records[r].offset) >> SHIFT);
        bvpi_wide_finish(w, k, b->table + entry, SHIFT);
        memcpy(b->blob + offset, batch->bytes, batch->size);
        offset += batch->size;
        entry += batch->record_count;
    }
    bvpi_wide_write(w, &b->record, (bvpd_node *)b->blob);
}

static built build(uint32_t count, uint32_t leaf_size, bvp_split split, uint32_t thread_count)
{
    built b = {.mesh = make_mesh(count)};
    bvpi_watch watch = {.progress = note, .user = &b, .total = count};
    choose_grid(&b);
    b.order = calloc(count, sizeof *b.order);
    const bvp_hierarchy_spec spec = {.leaf_size = leaf_size, .split = split};
    ck_assert(bvpi_wide_make(&b.mesh, &b.grid, &spec, thread_count, b.order, &watch, &b.wide));
    ck_assert_uint_eq(watch.done, count);
    ck_assert_uint_eq(b.watched, count);
    b.wide.grid = &b.grid; /* here, not where this function has it */
    lay_out(&b);
    return b;
}

static void drop(built *b)
{
    for (uint32_t k = 0; k < b->wide.batch_count; k++)
        bvpi_batch_free(&b->wide.batches[k]);
    free(b->wide.batches);
    bvpi_wide_free(&b->wide);
    free((float *)b->mesh.positions);
    free((uint32_t *)b->mesh.indices);
    free(b->order);
    free(b->table);
    free(b->blob);
}

/* ---- the walk -------------------------------------------------------------------------------- */

typedef struct sums {
    uint32_t nodes, leaves, triangles, largest_leaf, depth;
} sums;

typedef struct pending {
    bvpi_frame frame;
    uint32_t unit, level;
} pending;

/* The triangles of a leaf lie in its box, in steps of the grid. */
static void check_leaf(const built *b, uint32_t geom, uint32_t count, const bvpi_frame *box)
{
    bvpi_cluster cluster;
    ck_assert(
        bvpi_cluster_open(b->blob, b->blob_size, NULL, (uint64_t)(geom >> 8) << SHIFT, &cluster));
    ck_assert_uint_le((geom & 255) + count, cluster.triangle_count);
    for (uint32_t i = geom & 255; i < (geom & 255) + count; i++) {
        float t[9];
        bvpi_cluster_triangle(&cluster, i, t);
        for (int k = 0; k < 9; k++) {
            ck_assert(bvpi_grid_below(&b->grid, k % 3, t[k]) >= box->lo[k % 3]);
            ck_assert(bvpi_grid_above(&b->grid, k % 3, t[k]) <= box->hi[k % 3]);
        }
    }
}

static uint32_t check_node(const built *b, const pending *at, pending *stack, uint32_t waiting,
                           sums *sum)
{
    bvpd_node node;
    uint32_t inner = 0;
    memcpy(&node, b->blob + (uint64_t)at->unit * BVPD_UNIT, sizeof node);
    for (int lane = 0; lane < BVPD_WIDTH; lane++) {
        const uint32_t meta = node.meta[lane];
        bvpi_frame box;
        bvpi_frame_child(&at->frame, &node, lane, &box);
        if (meta == BVPD_META_INNER) {
            ck_assert_uint_gt(node.child + inner, at->unit); /* behind its parent */
            ck_assert_uint_lt(node.child + inner, b->blob_size / BVPD_UNIT);
            stack[waiting++] = (pending){box, node.child + inner++, at->level + 1};
        } else if (meta > 0) {
            check_leaf(b, node.geom, meta, &box);
            node.geom += meta;
            sum->leaves++;
            sum->triangles += meta;
            sum->largest_leaf = meta > sum->largest_leaf ? meta : sum->largest_leaf;
        }
    }
    sum->nodes++;
    sum->depth = at->level > sum->depth ? at->level : sum->depth;
    return waiting;
}

static void check_walk(const built *b)
{
    const uint64_t units = b->blob_size / BVPD_UNIT;
    pending *stack = calloc(units + BVPD_WIDTH, sizeof *stack);
    uint8_t *met = calloc(units, 1);
    uint32_t waiting = 1;
    sums sum = {0};
    stack[0] = (pending){.level = 1};
    memcpy(stack[0].frame.hi, b->grid.extent, sizeof b->grid.extent);
    while (waiting > 0) {
        const pending at = stack[--waiting];
        ck_assert_msg(!met[at.unit], "two parents");
        met[at.unit] = 1;
        waiting = check_node(b, &at, stack, waiting, &sum);
    }
    ck_assert_uint_eq(sum.triangles, b->mesh.triangle_count);
    ck_assert_uint_eq(sum.nodes, b->record.node_count);
    ck_assert_uint_eq(sum.leaves, b->record.leaf_count);
    ck_assert_uint_eq(sum.largest_leaf, b->record.leaf_size);
    ck_assert_uint_eq(sum.depth, b->record.depth);
    free(stack);
    free(met);
}

/* Triangle i of a batch is triangle order[first_item + i] of the mesh, bit for bit. */
static void check_order(const built *b)
{
    uint32_t all = 0;
    /* of the batch in the blob, behind which decoders may over-read */
    uint64_t begin = (uint64_t)b->wide.upper_count * BVPD_UNIT;
    uint8_t *met = calloc(b->mesh.triangle_count, 1);
    for (uint32_t k = 0; k < b->wide.batch_count; k++) {
        const bvpi_batch *batch = &b->wide.batches[k];
        const uint32_t *order = b->order + batch->first_item;
        for (uint32_t r = 0; r < batch->record_count; r++) {
            bvpi_cluster cluster;
            ck_assert(bvpi_cluster_open(b->blob, b->blob_size, NULL,
                                        begin + batch->records[r].offset, &cluster));
            for (uint32_t i = 0; i < cluster.triangle_count; i++) {
                float t[9];
                const uint32_t id = *order++;
                bvpi_cluster_triangle(&cluster, i, t);
                ck_assert_mem_eq(t, b->mesh.positions + 9 * (size_t)id, sizeof t);
                ck_assert_uint_eq(met[id]++, 0);
                all++;
            }
        }
        begin += batch->size;
    }
    ck_assert_uint_eq(all, b->mesh.triangle_count);
    free(met);
}

/* ---- tests ----------------------------------------------------------------------------------- */

START_TEST(hierarchies_hold_every_triangle)
{
    static const uint32_t counts[] = {1, 2, 9, 300, 3000}, leaves[] = {1, 3, 8};
    static const bvp_split rules[] = {BVP_SPLIT_SAH, BVP_SPLIT_MORTON, BVP_SPLIT_FULL};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t k = 0; k < 3 * sizeof leaves / sizeof *leaves; k++) {
            built b = build(counts[i], leaves[k / 3], rules[k % 3], 1);
            ck_assert_uint_eq(b.wide.batch_count, 1);
            ck_assert_uint_le(b.record.leaf_size, leaves[k / 3]);
            ck_assert_uint_eq(b.record.kind, BVPD_KIND_WIDE8);
            ck_assert_uint_eq(b.record.upper_count, b.wide.upper_count);
            check_walk(&b);
            check_order(&b);
            drop(&b);
        }
}
END_TEST

/* More triangles than a batch takes: nodes above the batches; the same bytes from any number of
 * threads. */
static void check_batches(bvp_split split)
{
    built one = build(100000, 8, split, 1), three = build(100000, 8, split, 3);
    ck_assert_uint_gt(one.wide.batch_count, 3);
    ck_assert_uint_eq(one.blob_size, three.blob_size);
    ck_assert_mem_eq(one.blob, three.blob, one.blob_size);
    ck_assert_mem_eq(&one.record, &three.record, sizeof one.record);
    ck_assert_mem_eq(one.order, three.order, 100000 * sizeof *one.order);
    check_walk(&one);
    check_order(&one);
    drop(&one);
    drop(&three);
}

START_TEST(batches_are_joined)
{
    check_batches(BVP_SPLIT_SAH);
    check_batches(BVP_SPLIT_MORTON);
    check_batches(BVP_SPLIT_FULL);
}
END_TEST

/* Who does not ask for the order gets the same hierarchy. */
START_TEST(the_order_is_optional)
{
    built b = build(5000, 4, BVP_SPLIT_SAH, 1);
    const bvp_hierarchy_spec spec = {.leaf_size = 4, .split = BVP_SPLIT_SAH};
    bvpi_watch watch = {.total = 5000};
    bvpi_wide_build other;
    ck_assert(bvpi_wide_make(&b.mesh, &b.grid, &spec, 1, NULL, &watch, &other));
    ck_assert_uint_eq(other.upper_count, b.wide.upper_count);
    ck_assert_uint_eq(other.batches[0].size, b.wide.batches[0].size);
    bvpi_batch_free(&other.batches[0]);
    free(other.batches);
    bvpi_wide_free(&other);
    drop(&b);
}
END_TEST

SUITE(test_wide_build)
{
    const TTest *const tests[] = {hierarchies_hold_every_triangle, batches_are_joined,
                                  the_order_is_optional, NULL};
    return suite_run("wide_build", tests);
}
