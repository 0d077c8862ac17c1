/* SPDX-License-Identifier: MIT
 * wide_batch.c: builds one batch of a wide hierarchy: its items are made, sorted by a sample,
 * split, collapsed to wide nodes, cut into cluster records.
 *
 * A batch's result depends on its triangles only, in their order: not on the thread, nor on where
 * in a mesh the triangles and their vertices stand.
 *
 * Held by tests/unit/test_wide_build.c and test_large.c.
 * Measured: decisions.md, "Building"
 */
#include "pack/tree/wide_batch.h"

#include "base/large_array.h"
#include "pack/tree/full_leaves.h"
#include "pack/tree/items.h"
#include "pack/tree/sample.h"

#include <assert.h>
#include <stdlib.h>

/* How many times as dear a node is by the rule full. Measured: 8, 20: .08, .09 bytes a triangle
 * less, boxes 1.4, 2.6 % larger. */
enum { FULL_PRICE = 8 };

/* Temporary memory for one batch. Each thread takes one and returns it. */
typedef struct bvpi_batch_workspace {
    bvpi_item *items;
    bvpi_build_node *build_nodes;
    bvpi_wide *wide;
    uint32_t *visited, *order;
    void *scratch;
    bvpi_item *sorted;
    void *presort;
    void *keys;    /* only for the Morton rule */
    bool is_taken; /* atomic */
} workspace;

static bool make_workspace(workspace *w, uint32_t triangle_count, bool is_morton)
{
    const uint64_t build_nodes = 2 * (uint64_t)triangle_count + 1;
    w->items = bvpi_allocate(triangle_count, sizeof *w->items);
    w->build_nodes = bvpi_allocate(build_nodes, sizeof *w->build_nodes);
    w->wide = bvpi_allocate(build_nodes, sizeof *w->wide);
    w->visited = bvpi_allocate(build_nodes, sizeof *w->visited);
    w->order = bvpi_allocate(triangle_count, sizeof *w->order);
    w->scratch = bvpi_allocate(1, bvpi_collapse_scratch_size((uint32_t)build_nodes));
    w->sorted = bvpi_allocate(triangle_count, sizeof *w->sorted);
    w->presort = bvpi_allocate(1, bvpi_presort_scratch_size(triangle_count));
    if (is_morton)
        w->keys = bvpi_allocate(1, bvpi_morton_scratch_size(triangle_count));
    return w->items && w->build_nodes && w->wide && w->visited && w->order && w->scratch &&
           w->sorted && w->presort && (w->keys || !is_morton);
}

static uint32_t largest_leaf(const bvpi_build_node *build_nodes, uint32_t count)
{
    uint32_t largest = 0;
    for (uint32_t k = 0; k < count; k++)
        if (build_nodes[k].left == 0 && build_nodes[k].count > largest)
            largest = build_nodes[k].count;
    return largest;
}

static bool fill_batch(const bvpi_batch_builder *b, const bvpi_mesh *mesh,
                       const bvpi_build_node *root, const uint32_t *triangles,
                       const bvpi_frame *frame, uint32_t *order, workspace *w, bvpi_batch *batch)
{
    assert(root->count > 0 && root->count <= BVPI_BATCH_TRIANGLES); /* a workspace's room */
    batch->degenerate_count =
        (uint32_t)bvpi_items_gather(mesh, b->grid, triangles, root->count, w->items);
    bvpi_collapse c = {.build_nodes = w->build_nodes,
                       .items = w->sorted,
                       .leaf_size = b->leaf_size,
                       .frame = *frame,
                       .node_price = b->node_price,
                       .wide = w->wide,
                       .visited = w->visited,
                       .order = w->order};
    c.build_node_count =
        bvpi_presort(w->items, root->count, root->depth, w->sorted, w->build_nodes, w->presort);
    c.build_node_count =
        b->is_morton
            ? bvpi_morton_rest(w->sorted, b->leaf_size, w->build_nodes, c.build_node_count, w->keys)
        : b->is_full ? bvpi_full_rest(w->sorted, b->leaf_size, w->build_nodes, c.build_node_count)
                     : bvpi_split_rest(w->sorted, b->leaf_size, w->build_nodes, c.build_node_count,
                                       bvpi_split_once);
    bvpi_collapse_run(&c, w->scratch);
    assert(c.item_count == root->count && c.stub_count == 0);
    batch->wide_count = c.wide_count;
    batch->first_item = root->first;
    batch->triangle_count = root->count;
    batch->depth = c.depth;
    batch->leaf_count = c.leaf_count;
    batch->largest_leaf = largest_leaf(w->build_nodes, c.build_node_count);
    batch->area = c.area;
    batch->wide = bvpi_allocate(c.wide_count, sizeof *batch->wide);
    if (!batch->wide)
        return false;
    memcpy(batch->wide, w->wide, c.wide_count * sizeof *batch->wide);
    if (order)
        memcpy(order, c.order, root->count * sizeof *order);
    return bvpi_cluster_batch(mesh, c.visited, c.order, b->is_morton, batch);
}

bool bvpi_batch_build(const bvpi_batch_builder *b, const bvpi_mesh *mesh,
                      const bvpi_build_node *root, const uint32_t *triangles,
                      const bvpi_frame *frame, uint32_t *order, bvpi_batch *batch)
{
    /* there are as many workspaces as threads, so one is free */
    uint32_t k = 0;
    while (__atomic_test_and_set(&b->workspaces[k].is_taken, __ATOMIC_ACQUIRE))
        k = (k + 1) % b->workspace_count;
    const bool ok = fill_batch(b, mesh, root, triangles, frame, order, &b->workspaces[k], batch);
    __atomic_clear(&b->workspaces[k].is_taken, __ATOMIC_RELEASE);
    return ok;
}

bool bvpi_batch_builder_start(const bvp_hierarchy_spec *spec, const bvpi_grid *grid,
                              uint64_t triangle_count, uint32_t most, uint32_t thread_count,
                              bvpi_batch_builder *out)
{
    const bool is_full = spec->split == BVP_SPLIT_FULL;
    *out = (bvpi_batch_builder){.grid = grid,
                                .leaf_size = spec->leaf_size,
                                .is_morton = spec->split == BVP_SPLIT_MORTON,
                                .is_full = is_full,
                                .node_price = (is_full ? FULL_PRICE : 1) *
                                              bvpi_node_price(grid, triangle_count),
                                .workspace_count = thread_count};
    out->workspaces = calloc(thread_count, sizeof *out->workspaces);
    bool ok = out->workspaces != NULL;
    for (uint32_t k = 0; k < thread_count && ok; k++)
        ok = make_workspace(&out->workspaces[k], most, out->is_morton);
    return ok;
}

void bvpi_batch_builder_end(bvpi_batch_builder *b)
{
    for (uint32_t k = 0; k < b->workspace_count && b->workspaces; k++) {
        workspace *w = &b->workspaces[k];
        free(w->items);
        free(w->build_nodes);
        free(w->wide);
        free(w->visited);
        free(w->order);
        free(w->scratch);
        free(w->sorted);
        free(w->presort);
        free(w->keys);
    }
    free(b->workspaces);
    *b = (bvpi_batch_builder){.grid = NULL};
}
