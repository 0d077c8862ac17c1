/* SPDX-License-Identifier: MIT
 * batches.c: cuts a large mesh into batches of triangles, with the hierarchy above them.
 *
 * Splitting all triangles level by level would move each of them once a level. Instead a tree is
 * built over a sample, every 32nd triangle; its planes then send all triangles to their batches,
 * and each is moved once. Classifying and moving are done in independent pieces, whose places come
 * from prefix sums over the counts of (batch, piece). So the order is that of one thread.
 *
 * A sample may mislead: batches that turn out too large are split further, level by level
 * (split_large). So no batch has more than `most` triangles whatever the sample says.
 *
 * Held by tests/unit/test_batches.c: no batch too large, same result for any number of threads.
 * Measured: decisions.md, "Building"
 */
#include "pack/tree/batches.h"

#include "base/isa.h"
#include "pack/tree/items.h"
#include "pack/tree/sample.h"
#include "pack/work.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRIDE = 32, /* triangles for each one in the sample */
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
    uint32_t build_node_capacity, level_begin;
    bvpi_item *sample;
    uint32_t sample_count;
    bvpi_sample_tree tree; /* its leaves are batches */
    uint32_t *batch_of;    /* of each triangle */
    uint64_t piece_size;
    uint32_t piece_count;
    uint32_t *counts; /* for each piece and batch: a count, then where the next triangle goes */
    uint64_t degenerate_count; /* atomic */
} cutting;

static const bvpi_items_kernel *kernel(void)
{
    return BVPI_ISA_CHOOSE(bvpi_items_kernel, bvpi_isa_of_cpu());
}

static bool grow_splits(cutting *c, uint32_t wanted)
{
    bvpi_batches *out = c->out;
    if (wanted <= c->build_node_capacity)
        return true;
    assert(out->build_node_count <= wanted);
    bvpi_build_node *build_nodes = bvpi_allocate(2 * (uint64_t)wanted, sizeof *build_nodes);
    if (!build_nodes)
        return false;
    if (out->build_nodes)
        memcpy(build_nodes, out->build_nodes, out->build_node_count * sizeof *build_nodes);
    free(out->build_nodes);
    out->build_nodes = build_nodes;
    c->build_node_capacity = 2 * wanted;
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
    const uint64_t room = c->mesh->triangle_count / STRIDE;
    c->sample = bvpi_allocate(room, sizeof *c->sample);
    c->tree.planes = bvpi_allocate(2 * room, sizeof *c->tree.planes);
    c->tree.leaves = bvpi_allocate(room, sizeof *c->tree.leaves);
    if (!c->sample || !c->tree.planes || !c->tree.leaves || !grow_splits(c, (uint32_t)(2 * room)))
        return false;
    /* which triangles are in the sample follows from one pseudo-random sequence, so that is done
     * before the threads start */
    const uint32_t count = c->mesh->triangle_count / STRIDE;
    uint32_t state = 0;
    for (uint32_t k = 0; k < count; k++)
        c->sample[k].id = k * STRIDE + bvpi_sample_next(&state, STRIDE);
    c->sample_count = count;
    bvpi_parallel(c->thread_count, (count + SAMPLE_PIECE - 1) / SAMPLE_PIECE, make_sample, c);
    c->tree.build_nodes = c->out->build_nodes;
    /* three quarters of the expected size, so that few batches turn out too large */
    bvpi_sample_split(c->sample, c->sample_count, c->most / STRIDE * 3 / 4, 0, &c->tree);
    c->out->build_node_count = c->tree.build_node_count;
    return true;
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
    kernel()->classify(c->mesh, c->grid, c->tree.planes, begin, end, c->batch_of,
                       c->counts + (uint64_t)piece * c->tree.leaf_count);
}

static void scatter_piece(void *user, uint32_t piece)
{
    cutting *c = user;
    uint64_t begin, end;
    piece_range(c, piece, &begin, &end);
    const uint64_t degenerate_count =
        kernel()->scatter(c->mesh, c->grid, c->batch_of, begin, end,
                          c->counts + (uint64_t)piece * c->tree.leaf_count, c->out->items);
    __atomic_fetch_add(&c->degenerate_count, degenerate_count, __ATOMIC_RELAXED);
}

static void bound_batch(void *user, uint32_t piece)
{
    const cutting *c = user;
    bvpi_build_node *leaf = &c->out->build_nodes[c->tree.leaves[piece]];
    const uint32_t first = leaf->first;
    bvpi_split_root(c->out->items + first, leaf->count, leaf->depth, leaf);
    leaf->first = first;
}

static bool move_items(cutting *c)
{
    const uint64_t count = c->mesh->triangle_count;
    c->piece_size = count / PIECES_MAX > PIECE_LEAST ? count / PIECES_MAX + 1 : PIECE_LEAST;
    c->piece_count = (uint32_t)((count + c->piece_size - 1) / c->piece_size);
    c->batch_of = bvpi_allocate(count, sizeof *c->batch_of);
    c->out->items = bvpi_allocate(count, sizeof *c->out->items);
    c->counts = calloc((uint64_t)c->piece_count * c->tree.leaf_count, sizeof *c->counts);
    if (!c->batch_of || !c->out->items || !c->counts)
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
    }
    assert(sum == count);
    bvpi_parallel(c->thread_count, c->piece_count, scatter_piece, c);
    c->out->degenerate_count = c->degenerate_count;
    bvpi_parallel(c->thread_count, c->tree.leaf_count, bound_batch, c);
    bvpi_sample_join(c->out->build_nodes, c->out->build_node_count);
    return true;
}

/* ---- batches that are too large -------------------------------------------------------------- */

/* The nodes of one level are split in parallel. Places of their children were assigned before. */
static void split_node(void *user, uint32_t piece)
{
    const cutting *c = user;
    bvpi_build_node *build_nodes = c->out->build_nodes,
                    *node = &build_nodes[c->level_begin + piece];
    if (node->left != 0 && node->count > c->most && build_nodes[node->left].count == 0)
        bvpi_split_once(c->out->items, c->leaf_size, node, &build_nodes[node->left],
                        &build_nodes[node->left + 1]);
}

static bool split_large(cutting *c)
{
    bvpi_batches *out = c->out;
    c->level_begin = 0;
    for (uint32_t end = out->build_node_count; c->level_begin < end; end = out->build_node_count) {
        uint32_t next = end;
        if (!grow_splits(c, end + 2 * (end - c->level_begin)))
            return false;
        for (uint32_t k = c->level_begin; k < end; k++)
            if (out->build_nodes[k].left == 0 && out->build_nodes[k].count > c->most) {
                out->build_nodes[k].left = next;
                out->build_nodes[next].count = 0; /* not split yet */
                next += 2;
            }
        bvpi_parallel(c->thread_count, end - c->level_begin, split_node, c);
        c->level_begin = end;
        out->build_node_count = next;
    }
    return true;
}

/* ---- the call ------------------------------------------------------------------------------- */

static bool make_one(cutting *c)
{
    bvpi_batches *out = c->out;
    out->items = bvpi_items_make(c->mesh, c->grid, c->thread_count, &out->degenerate_count);
    if (!out->items || !grow_splits(c, 1))
        return false;
    bvpi_split_root(out->items, c->mesh->triangle_count, 0, &out->build_nodes[0]);
    out->build_node_count = 1;
    return true;
}

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
    bool ok;
    if (mesh->triangle_count <= most)
        ok = make_one(&c);
    else
        ok = plan(&c) && move_items(&c);
    free(c.sample);
    free(c.tree.planes);
    free(c.tree.leaves);
    free(c.batch_of);
    free(c.counts);
    return ok && split_large(&c);
}

void bvpi_batches_free(bvpi_batches *batches)
{
    free(batches->items);
    free(batches->build_nodes);
    *batches = (bvpi_batches){0};
}
