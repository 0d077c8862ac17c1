/* SPDX-License-Identifier: MIT
 * wide_tree.c: builds the 8-wide hierarchy of a mesh.
 *
 * The mesh is cut into batches that fit in a cache (batches.c). Each batch is built by one thread
 * (wide_batch.c). The nodes above the batches are collapsed from the batches' own hierarchy, with
 * each batch as a stub. At the end, nodes that are not stored in records are numbered breadth first
 * over all batches (upper nodes), so that children come after their parents.
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
#include "base/parallel.h"
#include "pack/tree/wide_batch.h"

#include <assert.h>
#include <stdlib.h>

/* State of the work. */
typedef struct building {
    const bvpi_mesh *mesh;
    uint32_t thread_count;
    bvpi_watch *watch;
    bvpi_wide_build *out;
    bvpi_batch_builder builder;
    uint32_t *order; /* triangles in stored order, batch by batch; NULL: not requested */
    bvpi_batches batches;
    uint32_t failed; /* atomic: some thread ran out of memory */
} building;

/* ---- above the batches ----------------------------------------------------------------------- */

/* A lane holds a whole batch, so with leaf size 0 every batch becomes a stub. */
bool bvpi_wide_collapse_top(const bvpi_build_node *build_nodes, uint32_t build_node_count,
                            float node_price, bvpi_wide_build *out)
{
    bvpi_collapse *top = &out->top;
    *top = (bvpi_collapse){.build_nodes = build_nodes,
                           .build_node_count = build_node_count,
                           .leaf_size = 0,
                           .node_price = node_price};
    memcpy(top->frame.hi, out->grid->extent, sizeof top->frame.hi);
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
    if (b->out->batch_count > 1) {
        root = b->batches.build_nodes[b->out->top.stubs[piece].split];
        frame = b->out->top.stubs[piece].frame;
        triangles = b->batches.triangles + root.first;
    }
    if (!bvpi_batch_build(&b->builder, b->mesh, &root, triangles, &frame,
                          b->order ? b->order + root.first : NULL, &b->out->batches[piece]))
        __atomic_store_n(&b->failed, 1, __ATOMIC_RELAXED);
    bvpi_watch_add(b->watch, "build", root.count);
}

static bool build_batches(building *b, const bvp_hierarchy_spec *spec)
{
    const uint32_t all = b->mesh->triangle_count;
    bvpi_wide_build *out = b->out;
    if (!bvpi_batch_builder_start(spec, out->grid, all,
                                  all < BVPI_BATCH_TRIANGLES ? all : BVPI_BATCH_TRIANGLES,
                                  all > BVPI_BATCH_TRIANGLES ? b->thread_count : 1, &b->builder))
        return false;
    out->batch_count = 1;
    memcpy(out->top.frame.hi, out->grid->extent, sizeof out->top.frame.hi);
    if (all > BVPI_BATCH_TRIANGLES) {
        if (!bvpi_batches_make(b->mesh, out->grid, BVPI_BATCH_TRIANGLES, spec->leaf_size,
                               b->thread_count, &b->batches) ||
            !bvpi_watch_goes_on(b->watch) ||
            !bvpi_wide_collapse_top(b->batches.build_nodes, b->batches.build_node_count,
                                    b->builder.node_price, out))
            return false;
        out->batch_count = out->top.stub_count;
    }
    out->batches = calloc(out->batch_count, sizeof *out->batches);
    if (!out->batches)
        return false;
    bvpi_parallel(b->thread_count, out->batch_count, build_batch, b);
    for (uint32_t k = 0; k < out->batch_count; k++)
        out->degenerate_count += out->batches[k].degenerate_count;
    return !b->failed;
}

/* ---- the nodes above the clusters ---------------------------------------------------------- */

static bvpi_wide *wide_at(const bvpi_wide_build *build, bvpi_wide_place at)
{
    return at.batch == BVPD_NONE ? &build->top.wide[at.wide]
                                 : &build->batches[at.batch].wide[at.wide];
}

/* Appends the inner children of an upper node that are upper nodes themselves. Element k becomes
 * unit k. room: for so many in all. False: there are more, as in a state that was forged. batch_of:
 * for the list above the batches, the batch whose root stands there, or NONE. */
static bool append_children(bvpi_wide_build *build, bvpi_wide_place parent, uint32_t room,
                            const uint32_t *batch_of)
{
    bvpi_wide *node = wide_at(build, parent);
    bvpi_wide_place child = {parent.batch, node->child};
    if (node->child_count == 0 ||
        (parent.batch != BVPD_NONE && wide_at(build, child)->home != BVPI_HOME_UPPER))
        return true;
    if (node->child_count > room - build->upper_count)
        return false;
    node->node.child = build->upper_count;
    for (uint32_t i = 0; i < node->child_count; i++, child.wide++) {
        const uint32_t batch = parent.batch == BVPD_NONE ? batch_of[child.wide] : BVPD_NONE;
        build->upper[build->upper_count++] =
            batch == BVPD_NONE ? child : (bvpi_wide_place){batch, 0};
    }
    return true;
}

/* Numbers the upper nodes breadth first: the list is its own queue. A batch's root takes the place
 * of its stub. */
bool bvpi_wide_number_upper(bvpi_wide_build *build)
{
    const bvpi_collapse *top = &build->top;
    uint32_t *batch_of = bvpi_allocate(top->wide_count, sizeof *batch_of);
    uint32_t count = build->batch_count > 1 ? top->visited_count : 0;
    assert(build->batch_count == 1 || build->batch_count == top->stub_count);
    for (uint32_t k = 0; k < build->batch_count; k++)
        for (uint32_t i = 0; i < build->batches[k].wide_count; i++)
            count += build->batches[k].wide[i].home == BVPI_HOME_UPPER;
    build->upper = bvpi_allocate(count, sizeof *build->upper);
    bool ok = batch_of && build->upper;
    if (ok) {
        for (uint32_t i = 0; i < top->wide_count; i++)
            batch_of[i] = BVPD_NONE;
        for (uint32_t k = 0; k < top->stub_count; k++)
            batch_of[top->stubs[k].wide] = k;
        build->upper[0] = (bvpi_wide_place){build->batch_count > 1 ? BVPD_NONE : 0, 0};
        build->upper_count = 1;
        for (uint32_t k = 0; k < build->upper_count && ok; k++)
            ok = append_children(build, build->upper[k], count, batch_of);
        ok = ok && build->upper_count == count;
    }
    free(batch_of);
    return ok;
}

/* ---- the hierarchy ------------------------------------------------------------------------- */

bool bvpi_wide_make(const bvpi_mesh *mesh, const bvpi_grid *grid, const bvp_hierarchy_spec *spec,
                    uint32_t thread_count, uint32_t *order, bvpi_watch *watch, bvpi_wide_build *out)
{
    building b = {
        .mesh = mesh, .thread_count = thread_count, .watch = watch, .out = out, .order = order};
    *out = (bvpi_wide_build){.grid = grid};
    const bool ok = build_batches(&b, spec);
    bvpi_batches_free(&b.batches);
    bvpi_batch_builder_end(&b.builder);
    return ok && bvpi_wide_number_upper(out);
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
