/* SPDX-License-Identifier: MIT
 * batches.c: cuts a large mesh into batches of triangles, with the hierarchy above them.
 *
 * Splitting all triangles level by level would move each of them once a level. Instead a tree is
 * built over a sample, every 32nd triangle; its planes then send all triangles to their batches,
 * and each is moved once. Classifying and moving are done in independent pieces, whose places come
 * from prefix sums over the counts of (batch, piece). So the order is that of one thread.
 *
 * Only triangles' numbers are moved, 4 bytes each. Their items, 32 bytes each, are made when their
 * batch is built, so that they exist for as many batches as there are threads. A batch's box is the
 * union of its boxes in each piece; coordinates of items are whole numbers, so it is exact.
 *
 * A sample may mislead: batches that turn out too large are split further, one after the other
 * (split_large), each level by level. So no batch has more than `most` triangles whatever the
 * sample says. Only the items of one such batch exist at a time.
 *
 * Held by tests/unit/test_batches.c: no batch too large, same result for any number of threads.
 * Measured: decisions.md, "Building"
 */
#include "pack/tree/batches.h"

#include "base/isa.h"
#include "base/large_array.h"
#include "base/parallel.h"
#include "pack/tree/sample.h"

#include <assert.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRIDE = BVPI_SAMPLE_STRIDE,
    SAMPLE_PIECE = 1 << 12,
    PIECE_LEAST = 1 << 16,
    PIECES_MAX = 64
};

/* State of the work. */
typedef struct cutting {
    const bvpi_mesh *mesh;
    const bvpi_grid *grid;
    uint32_t most, leaf_size, thread_count;
    bvpi_batches *out;
    bvpi_item *sample;
    uint32_t sample_count;
    bvpi_sample_tree tree; /* its leaves are batches */
    uint32_t *batch_of;    /* of each triangle */
    uint64_t piece_size;
    uint32_t piece_count;
    uint32_t *counts; /* for each piece and batch: a count, then where the next triangle goes */
    bvpi_batch_box *boxes; /* for each piece and batch */
    bvpi_item *items;      /* of a batch that is too large */
    uint32_t *large;       /* its triangles */
    uint32_t large_count;
    uint32_t level_begin; /* its level that is split */
} cutting;

static const bvpi_items_kernel *kernel(void)
{
    return BVPI_ISA_CHOOSE(bvpi_items_kernel, bvpi_isa_of_cpu());
}

/* Moves the nodes to an array that has room for `capacity` of them. */
static bool move_nodes(cutting *c, uint32_t capacity)
{
    bvpi_batches *out = c->out;
    assert(out->build_node_count <= capacity);
    bvpi_build_node *build_nodes = bvpi_allocate(capacity, sizeof *build_nodes);
    if (!build_nodes)
        return false;
    if (out->build_nodes)
        memcpy(build_nodes, out->build_nodes, out->build_node_count * sizeof *build_nodes);
    free(out->build_nodes);
    out->build_nodes = build_nodes;
    out->build_node_capacity = capacity;
    return true;
}

/* ---- the sample ----------------------------------------------------------------------------- */

static void make_sample(void *user, uint32_t piece)
{
    const cutting *c = user;
    const uint32_t begin = piece * SAMPLE_PIECE, left = c->sample_count - begin;
    const uint32_t end = begin + (left < SAMPLE_PIECE ? left : SAMPLE_PIECE);
    for (uint32_t k = begin; k < end; k++) {
        const uint64_t triangle = c->sample[k].id;
        assert(triangle < c->mesh->triangle_count);
        kernel()->make(c->mesh, c->grid, triangle, triangle + 1, c->sample + k - triangle);
    }
}

static bool plan(cutting *c)
{
    const uint32_t count = c->mesh->triangle_count / STRIDE;
    /* three quarters of the expected size, so that few batches turn out too large */
    const uint32_t most = c->most / STRIDE * 3 / 4;
    const uint64_t room = bvpi_sample_room(count, most);
    c->sample = bvpi_allocate(count, sizeof *c->sample);
    c->tree.planes = bvpi_allocate(room, sizeof *c->tree.planes);
    c->tree.leaves = bvpi_allocate(room, sizeof *c->tree.leaves);
    if (!c->sample || !c->tree.planes || !c->tree.leaves || !move_nodes(c, (uint32_t)room))
        return false;
    /* which triangles are in the sample follows from one pseudo-random sequence, so that is done
     * before the threads start */
    uint32_t state = 0;
    for (uint32_t k = 0; k < count; k++)
        c->sample[k].id = k * STRIDE + bvpi_sample_next(&state, STRIDE);
    c->sample_count = count;
    bvpi_parallel(c->thread_count, (count + SAMPLE_PIECE - 1) / SAMPLE_PIECE, make_sample, c);
    c->tree.build_nodes = c->out->build_nodes;
    bvpi_sample_split(c->sample, c->sample_count, most, 0, &c->tree);
    c->out->build_node_count = c->tree.build_node_count;
    free(c->sample);
    c->sample = NULL;
    return move_nodes(c, c->out->build_node_count);
}

/* ---- all triangles --------------------------------------------------------------------------- */

static void piece_range(const cutting *c, uint32_t piece, uint64_t *begin, uint64_t *end)
{
    const uint64_t count = c->mesh->triangle_count;
    *begin = piece * c->piece_size;
    assert(*begin < count); /* no piece is empty */
    *end = count - *begin < c->piece_size ? count : *begin + c->piece_size;
}

static void classify_piece(void *user, uint32_t piece)
{
    const cutting *c = user;
    uint64_t begin, end;
    piece_range(c, piece, &begin, &end);
    const bvpi_f32x4 none = {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX};
    bvpi_batch_box *boxes = c->boxes + (uint64_t)piece * c->tree.leaf_count;
    for (uint32_t k = 0; k < c->tree.leaf_count; k++)
        boxes[k] = (bvpi_batch_box){none, none};
    kernel()->classify(c->mesh, c->grid, c->tree.planes, begin, end, c->batch_of,
                       c->counts + (uint64_t)piece * c->tree.leaf_count, boxes);
}

static void scatter_piece(void *user, uint32_t piece)
{
    const cutting *c = user;
    uint32_t *next = c->counts + (uint64_t)piece * c->tree.leaf_count;
    uint64_t begin, end;
    piece_range(c, piece, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        c->out->triangles[next[c->batch_of[i]]++] = (uint32_t)i;
}

/* Sets the leaf's box from those of the pieces. */
static void bound_batch(const cutting *c, uint32_t batch, bvpi_build_node *leaf)
{
    bvpi_batch_box all = c->boxes[batch];
    for (uint32_t piece = 1; piece < c->piece_count; piece++) {
        const bvpi_batch_box *box = &c->boxes[(uint64_t)piece * c->tree.leaf_count + batch];
        all.minus_lo = bvpi_max4(all.minus_lo, box->minus_lo);
        all.hi = bvpi_max4(all.hi, box->hi);
    }
    for (int axis = 0; axis < 3; axis++) {
        leaf->minus_lo[axis] = all.minus_lo[axis];
        leaf->hi[axis] = all.hi[axis];
        assert(leaf->hi[axis] >= -leaf->minus_lo[axis]); /* no batch is empty */
    }
}

static bool move_triangles(cutting *c)
{
    const uint64_t count = c->mesh->triangle_count;
    c->piece_size = count / PIECES_MAX > PIECE_LEAST ? count / PIECES_MAX + 1 : PIECE_LEAST;
    c->piece_count = (uint32_t)((count + c->piece_size - 1) / c->piece_size);
    c->batch_of = bvpi_allocate(count, sizeof *c->batch_of);
    c->out->triangles = bvpi_allocate(count, sizeof *c->out->triangles);
    c->counts = calloc((uint64_t)c->piece_count * c->tree.leaf_count, sizeof *c->counts);
    c->boxes = bvpi_allocate((uint64_t)c->piece_count * c->tree.leaf_count, sizeof *c->boxes);
    if (!c->batch_of || !c->out->triangles || !c->counts || !c->boxes)
        return false;
    bvpi_parallel(c->thread_count, c->piece_count, classify_piece, c);
    /* counts become places: batch by batch, and within a batch the pieces in order */
    uint32_t sum = 0;
    for (uint32_t k = 0; k < c->tree.leaf_count; k++) {
        bvpi_build_node *leaf = &c->out->build_nodes[c->tree.leaves[k]];
        leaf->first = sum;
        for (uint32_t piece = 0; piece < c->piece_count; piece++) {
            uint32_t *at = &c->counts[(uint64_t)piece * c->tree.leaf_count + k];
            const uint32_t here = *at;
            *at = sum;
            sum += here;
        }
        leaf->count = sum - leaf->first;
        bound_batch(c, k, leaf);
    }
    assert(sum == count);
    bvpi_parallel(c->thread_count, c->piece_count, scatter_piece, c);
    bvpi_sample_join(c->out->build_nodes, c->out->build_node_count);
    return true;
}

/* ---- batches that are too large -------------------------------------------------------------- */

/* Makes the items of a run of the large batch's triangles. */
static void gather_piece(void *user, uint32_t piece)
{
    const cutting *c = user;
    const uint32_t begin = piece * PIECE_LEAST, left = c->large_count - begin;
    kernel()->gather(c->mesh, c->grid, c->large + begin, left < PIECE_LEAST ? left : PIECE_LEAST,
                     c->items + begin);
}

/* The nodes of one level are split in parallel. Places of their children were assigned before. */
static void split_node(void *user, uint32_t piece)
{
    const cutting *c = user;
    bvpi_build_node *build_nodes = c->out->build_nodes,
                    *node = &build_nodes[c->level_begin + piece];
    if (node->left != 0)
        bvpi_split_once(c->items, c->leaf_size, node, &build_nodes[node->left],
                        &build_nodes[node->left + 1]);
}

/* Splits the nodes level_begin .. level_end - 1 that are too large, and then their children. */
static bool split_levels(cutting *c, uint32_t level_end)
{
    bvpi_batches *out = c->out;
    while (c->level_begin < level_end) {
        const uint32_t most = out->build_node_count + 2 * (level_end - c->level_begin);
        uint32_t next = out->build_node_count;
        if (most > out->build_node_capacity && !move_nodes(c, 2 * most))
            return false;
        for (uint32_t k = c->level_begin; k < level_end; k++)
            if (out->build_nodes[k].count > c->most) {
                out->build_nodes[k].left = next;
                next += 2;
            }
        bvpi_parallel(c->thread_count, level_end - c->level_begin, split_node, c);
        c->level_begin = out->build_node_count;
        level_end = out->build_node_count = next;
    }
    return true;
}

/* While it is split, a batch's items are numbered from 0, as those of its descendants. */
static bool split_batch(cutting *c, uint32_t idx)
{
    bvpi_batches *out = c->out;
    const uint32_t count = out->build_nodes[idx].count, first_new = out->build_node_count;
    const uint32_t first = out->build_nodes[idx].first;
    c->large_count = count;
    c->items = bvpi_allocate(count, sizeof *c->items);
    if (!c->items)
        return false;
    bvpi_parallel(c->thread_count, (count + PIECE_LEAST - 1) / PIECE_LEAST, gather_piece, c);
    out->build_nodes[idx].first = 0;
    c->level_begin = idx;
    const bool ok = split_levels(c, idx + 1);
    out->build_nodes[idx].first = first;
    for (uint32_t k = first_new; k < out->build_node_count; k++)
        out->build_nodes[k].first += first;
    for (uint32_t i = 0; i < count; i++)
        c->large[i] = c->items[i].id;
    free(c->items);
    c->items = NULL;
    return ok;
}

static bool split_large(cutting *c)
{
    const uint32_t end = c->out->build_node_count; /* later ones are small enough */
    bool ok = true;
    for (uint32_t k = 0; k < end && ok; k++) {
        const bvpi_build_node *node = &c->out->build_nodes[k];
        c->large = c->out->triangles + node->first;
        if (node->left == 0 && node->count > c->most)
            ok = split_batch(c, k);
    }
    return ok;
}

bool bvpi_batch_split(const bvpi_mesh *mesh, const bvpi_grid *grid, uint32_t most,
                      uint32_t leaf_size, uint32_t thread_count, uint32_t *triangles,
                      bvpi_batches *out, uint32_t idx)
{
    cutting c = {.mesh = mesh,
                 .grid = grid,
                 .most = most,
                 .leaf_size = leaf_size,
                 .thread_count = thread_count,
                 .out = out,
                 .large = triangles};
    return split_batch(&c, idx);
}

/* ---- the call ------------------------------------------------------------------------------- */

bool bvpi_batches_make(const bvpi_mesh *mesh, const bvpi_grid *grid, uint32_t most,
                       uint32_t leaf_size, uint32_t thread_count, bvpi_batches *out)
{
    cutting c = {.mesh = mesh,
                 .grid = grid,
                 .most = most,
                 .leaf_size = leaf_size,
                 .thread_count = thread_count,
                 .out = out};
    *out = (bvpi_batches){0};
    assert(mesh->triangle_count > most);
    const bool ok = plan(&c) && move_triangles(&c);
    free(c.sample);
    free(c.tree.planes);
    free(c.tree.leaves);
    free(c.batch_of);
    free(c.counts);
    free(c.boxes);
    return ok && split_large(&c);
}

void bvpi_batches_free(bvpi_batches *batches)
{
    free(batches->triangles);
    free(batches->build_nodes);
    *batches = (bvpi_batches){0};
}
