/* SPDX-License-Identifier: MIT
 * wide_tree.c: builds the 8-wide hierarchy of a mesh.
 *
 * The mesh is cut into batches that fit in a cache (batches.c). Each batch is built by one thread:
 * its items are made, sorted by a sample, split, collapsed to wide nodes, cut into cluster records.
 * The nodes above the batches are collapsed from the batches' own hierarchy, with each batch as a
 * stub. At the end, nodes that are not stored in records are numbered breadth first over all
 * batches (upper nodes), so that children come after their parents.
 *
 * Deterministic: batches are numbered before they are built, threads share nothing but workspaces,
 * and a batch's result depends on its triangles only.
 *
 * A node's references need the final places of records, so they are filled in later, by
 * bvpi_wide_finish(), batch by batch.
 *
 * Held by tests/unit/test_wide_build.c and test_batches.c; the same bytes for any number of
 * threads, tests/property/test_builder.c; races, tests/house/check_threads.sh.
 * Spec: format.md, chapters "Hierarchies", "Nodes"
 * Measured: decisions.md, "Building"
 */
#include "pack/tree/wide_tree.h"

#include "pack/tree/batches.h"
#include "base/large_array.h"
#include "pack/tree/items.h"
#include "pack/tree/full_leaves.h"
#include "pack/tree/morton.h"
#include "pack/tree/sample.h"

#include <assert.h>
#include <stdlib.h>

/* How many times as dear a node is by the rule full. Measured: 8, 20: .08, .09 bytes a triangle
 * less, boxes 1.4, 2.6 % larger. */
enum { FULL_PRICE = 8 };
enum { BATCH_TRIANGLES = BVPI_MORTON_MAX }; /* 2 MiB with its boxes and binary nodes */

/* State of the work. */
typedef struct building {
    const bvpi_mesh *mesh;
    uint32_t leaf_size, thread_count;
    bool is_morton, is_full;
    bvpi_watch *watch;
    bvpi_wide_build *out;
    float node_price;
    uint32_t *order; /* triangles in stored order, batch by batch; NULL: not requested */
    bvpi_batches batches;
    struct workspace *workspaces;
    uint32_t workspace_count;
    uint32_t failed; /* atomic: some thread ran out of memory */
} building;

/* ---- above the batches ----------------------------------------------------------------------- */

/* Collapses the nodes above the batches. A lane holds a whole batch, so with leaf size 0 every
 * batch becomes a stub. */
static bool collapse_top(building *b)
{
    bvpi_collapse *top = &b->out->top;
    const uint32_t build_node_count = b->batches.build_node_count;
    *top = (bvpi_collapse){.build_nodes = b->batches.build_nodes,
                           .build_node_count = build_node_count,
                           .leaf_size = 0,
                           .node_price = b->node_price};
    memcpy(top->frame.hi, b->out->grid->extent, sizeof top->frame.hi);
    top->wide = bvpi_allocate(build_node_count + 1, sizeof *top->wide);
    top->visited = bvpi_allocate(build_node_count + 1, sizeof *top->visited);
    top->stubs = bvpi_allocate(build_node_count, sizeof *top->stubs);
    void *scratch = bvpi_allocate(1, bvpi_collapse_scratch_size(build_node_count));
    const bool ok = top->wide && top->visited && top->stubs && scratch;
    if (ok)
        bvpi_collapse_run(top, scratch);
    assert(top->item_count == 0); /* there is no `order` to put items in */
    free(scratch);
    return ok;
}

/* ---- batches ------------------------------------------------------------------------------- */

/* Temporary memory for one batch. Each thread takes one and returns it. */
typedef struct workspace {
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

/* Builds the batch of `root` from its triangles of the mesh; triangles NULL: from all of them. */
static bool fill_batch(building *b, const bvpi_build_node *root, const uint32_t *triangles,
                       const bvpi_frame *frame, workspace *w, bvpi_batch *batch)
{
    assert(root->count > 0 && root->count <= BATCH_TRIANGLES); /* a workspace's room */
    const uint64_t degenerate_count =
        bvpi_items_gather(b->mesh, b->out->grid, triangles, root->count, w->items);
    __atomic_fetch_add(&b->out->degenerate_count, degenerate_count, __ATOMIC_RELAXED);
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
    if (b->order)
        memcpy(b->order + root->first, c.order, root->count * sizeof *b->order);
    return bvpi_cluster_batch(b->mesh, c.visited, c.order, batch);
}

static void build_batch(void *user, uint32_t piece)
{
    building *b = user;
    bvpi_build_node root = {.count = b->mesh->triangle_count};
    const uint32_t *triangles = NULL;
    bvpi_frame frame = b->out->top.frame;
    if (!bvpi_watch_goes_on(b->watch)) {
        __atomic_store_n(&b->failed, 1, __ATOMIC_RELAXED);
        return;
    }
    /* there are as many workspaces as threads, so one is free */
    uint32_t k = 0;
    while (__atomic_test_and_set(&b->workspaces[k].is_taken, __ATOMIC_ACQUIRE))
        k = (k + 1) % b->workspace_count;
    workspace *w = &b->workspaces[k];
    if (b->out->batch_count > 1) {
        root = b->batches.build_nodes[b->out->top.stubs[piece].split];
        frame = b->out->top.stubs[piece].frame;
        triangles = b->batches.triangles + root.first;
    }
    if (!fill_batch(b, &root, triangles, &frame, w, &b->out->batches[piece]))
        __atomic_store_n(&b->failed, 1, __ATOMIC_RELAXED);
    __atomic_clear(&w->is_taken, __ATOMIC_RELEASE);
    bvpi_watch_add(b->watch, "build", root.count);
}

static bool make_workspaces(building *b)
{
    const uint32_t all = b->mesh->triangle_count, batches = b->out->batch_count;
    b->workspace_count = b->thread_count < batches ? b->thread_count : batches;
    b->workspaces = calloc(b->workspace_count, sizeof *b->workspaces);
    bool ok = b->workspaces != NULL;
    for (uint32_t k = 0; k < b->workspace_count && ok; k++)
        ok = make_workspace(&b->workspaces[k], all < BATCH_TRIANGLES ? all : BATCH_TRIANGLES,
                            b->is_morton);
    return ok;
}

static void free_workspaces(building *b)
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
}

static bool build_batches(building *b)
{
    b->out->batch_count = 1;
    memcpy(b->out->top.frame.hi, b->out->grid->extent, sizeof b->out->top.frame.hi);
    if (b->mesh->triangle_count > BATCH_TRIANGLES) {
        if (!bvpi_batches_make(b->mesh, b->out->grid, BATCH_TRIANGLES, b->leaf_size,
                               b->thread_count, &b->batches) ||
            !bvpi_watch_goes_on(b->watch) || !collapse_top(b))
            return false;
        b->out->batch_count = b->out->top.stub_count;
    }
    b->out->batches = calloc(b->out->batch_count, sizeof *b->out->batches);
    if (!b->out->batches || !make_workspaces(b))
        return false;
    bvpi_parallel(b->thread_count, b->out->batch_count, build_batch, b);
    return !b->failed;
}

/* ---- the nodes above the clusters ---------------------------------------------------------- */

static bvpi_wide *wide_at(const bvpi_wide_build *build, bvpi_wide_place at)
{
    return at.batch == BVPD_NONE ? &build->top.wide[at.wide]
                                 : &build->batches[at.batch].wide[at.wide];
}

/* Appends the inner children of an upper node that are upper nodes themselves. Element k becomes
 * unit k. batch_of: for the list above the batches, the batch whose root stands there, or NONE. */
static void append_children(bvpi_wide_build *build, bvpi_wide_place parent,
                            const uint32_t *batch_of)
{
    bvpi_wide *node = wide_at(build, parent);
    bvpi_wide_place child = {parent.batch, node->child};
    if (node->child_count == 0 ||
        (parent.batch != BVPD_NONE && wide_at(build, child)->home != BVPI_HOME_UPPER))
        return;
    node->node.child = build->upper_count;
    for (uint32_t i = 0; i < node->child_count; i++, child.wide++) {
        const uint32_t batch = parent.batch == BVPD_NONE ? batch_of[child.wide] : BVPD_NONE;
        build->upper[build->upper_count++] =
            batch == BVPD_NONE ? child : (bvpi_wide_place){batch, 0};
    }
}

/* Numbers the upper nodes breadth first: the list is its own queue. A batch's root takes the place
 * of its stub. */
static bool number_upper(bvpi_wide_build *build)
{
    const bvpi_collapse *top = &build->top;
    uint32_t *batch_of = bvpi_allocate(top->wide_count, sizeof *batch_of);
    uint32_t count = build->batch_count > 1 ? top->visited_count : 0;
    assert(build->batch_count == 1 || build->batch_count == top->stub_count);
    for (uint32_t k = 0; k < build->batch_count; k++)
        for (uint32_t i = 0; i < build->batches[k].wide_count; i++)
            count += build->batches[k].wide[i].home == BVPI_HOME_UPPER;
    build->upper = bvpi_allocate(count, sizeof *build->upper);
    const bool ok = batch_of && build->upper;
    if (ok) {
        for (uint32_t i = 0; i < top->wide_count; i++)
            batch_of[i] = BVPD_NONE;
        for (uint32_t k = 0; k < top->stub_count; k++)
            batch_of[top->stubs[k].wide] = k;
        build->upper[0] = (bvpi_wide_place){build->batch_count > 1 ? BVPD_NONE : 0, 0};
        build->upper_count = 1;
        for (uint32_t k = 0; k < build->upper_count; k++)
            append_children(build, build->upper[k], batch_of);
        assert(build->upper_count == count);
    }
    free(batch_of);
    return ok;
}

/* ---- the hierarchy ------------------------------------------------------------------------- */

bool bvpi_wide_make(const bvpi_mesh *mesh, const bvpi_grid *grid, const bvp_hierarchy_spec *spec,
                    uint32_t thread_count, uint32_t *order, bvpi_watch *watch, bvpi_wide_build *out)
{
    building b = {.mesh = mesh,
                  .leaf_size = spec->leaf_size,
                  .is_morton = spec->split == BVP_SPLIT_MORTON,
                  .is_full = spec->split == BVP_SPLIT_FULL,
                  .thread_count = thread_count,
                  .watch = watch,
                  .out = out,
                  .node_price = (spec->split == BVP_SPLIT_FULL ? FULL_PRICE : 1) *
                                bvpi_node_price(grid, mesh->triangle_count),
                  .order = order};
    *out = (bvpi_wide_build){.grid = grid};
    const bool ok = build_batches(&b);
    bvpi_batches_free(&b.batches);
    free_workspaces(&b);
    return ok && number_upper(out);
}

void bvpi_wide_free(bvpi_wide_build *build)
{
    free(build->top.wide);
    free(build->top.visited);
    free(build->top.stubs);
    free(build->upper);
}

void bvpi_wide_finish(const bvpi_wide_build *build, uint32_t batch_idx, const uint32_t *table,
                      unsigned shift)
{
    const bvpi_batch *batch = &build->batches[batch_idx];
    for (uint32_t i = 0; i < batch->wide_count; i++) {
        bvpi_wide *w = &batch->wide[i];
        const bvpi_wide *child = &batch->wide[w->child];
        if (w->item_count > 0)
            w->node.geom = table[w->cluster] << 8 | w->local;
        if (w->child_count > 0 && child->home != BVPI_HOME_UPPER) {
            const uint64_t record = (uint64_t)table[child->home] << shift;
            const uint64_t nodes = record + batch->records[child->home].nodes_off;
            w->node.child = (uint32_t)(nodes / BVPD_UNIT) + child->slot;
        }
        if (w->home != BVPI_HOME_UPPER) {
            const bvpi_record *home = &batch->records[w->home];
            memcpy(batch->bytes + home->offset + home->nodes_off + (uint64_t)w->slot * BVPD_UNIT,
                   &w->node, sizeof w->node);
        }
    }
}

void bvpi_wide_write(const bvpi_wide_build *build, bvpd_hierarchy *record, bvpd_node *upper)
{
    const bvpi_grid *grid = build->grid;
    *record = (bvpd_hierarchy){
        .kind = BVPD_KIND_WIDE8, .upper_count = build->upper_count, .grid_unit = grid->unit};
    memcpy(record->grid_origin, grid->origin, sizeof record->grid_origin);
    memcpy(record->grid_extent, grid->extent, sizeof record->grid_extent);
    if (grid->is_turned)
        memcpy(record->turn, grid->turn, sizeof record->turn);
    double area = build->top.area;
    record->node_count = build->batch_count > 1 ? build->top.visited_count : 0;
    for (uint32_t k = 0; k < build->batch_count; k++) {
        const bvpi_batch *batch = &build->batches[k];
        const uint32_t above = build->batch_count > 1 ? build->top.stubs[k].level - 1 : 0;
        const uint32_t depth = above + batch->depth;
        record->node_count += batch->wide_count;
        record->leaf_count += batch->leaf_count;
        record->leaf_size =
            batch->largest_leaf > record->leaf_size ? batch->largest_leaf : record->leaf_size;
        record->depth = depth > record->depth ? depth : record->depth;
        area += batch->area;
    }
    const double whole = bvpi_root_area(grid);
    record->area_cost = whole > 0 ? area / whole : 0;
    for (uint32_t k = 0; k < build->upper_count; k++)
        upper[k] = wide_at(build, build->upper[k])->node;
}
