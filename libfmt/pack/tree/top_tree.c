/* SPDX-License-Identifier: MIT
 * top_tree.c: the hierarchies over an assembly's instances, with the same splits and nodes as in a
 * part.
 *
 * Instances are grouped by scale first (scales.c); each group gets a grid and a hierarchy. Boxes
 * are rounded outward to the grid. Leaves hold one instance, because entering an instance costs as
 * much as testing several dozen boxes.
 *
 * Held by tests/unit/test_top.c.
 * Spec: format.md, chapters "Instances", "Hierarchies over the instances"
 */
#include "pack/tree/top_tree.h"

#include "base/status.h"
#include "pack/tree/collapse.h"
#include "pack/tree/scales.h"
#include "node/grid.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Entering an instance costs as much as testing several dozen boxes. */
enum { TOP_LEAF_SIZE = 1 };

/* Nodes near the root, and of a page: half of a reader's first read, and half of a block. */
enum { NEAR_COUNT = 448, PAGE_COUNT = 192 };

/* Their binary hierarchy has two nodes an instance, which are numbered in 32 bits. */
enum { INSTANCES_MAX = INT32_MAX };

/* ---- the hierarchy --------------------------------------------------------------------------- */

static void *allocate(uint64_t count, size_t size)
{
    return aligned_alloc(64, (count * size + 64) & ~UINT64_C(63));
}

/* The instances of one hierarchy, and where it begins in the common arrays. */
typedef struct group {
    const bvpi_bounds *bounds; /* of all instances */
    const uint32_t *members;
    uint32_t count;
    uint32_t first_place; /* in the order of leaves */
    uint32_t first_node;
} group;

static void make_items(const group *g, const bvpi_grid *grid, bvpi_item *items)
{
    for (uint32_t i = 0; i < g->count; i++) {
        const bvpi_bounds *b = &g->bounds[g->members[i]];
        for (int axis = 0; axis < 3; axis++) {
            items[i].minus_lo[axis] = (float)-bvpi_grid_below(grid, axis, b->lo[axis]);
            items[i].hi[axis] = (float)bvpi_grid_above(grid, axis, b->hi[axis]);
        }
        items[i].id = g->members[i];
        items[i].zero = 0;
    }
}

/* The numbers that nodes get, and how far they are given. */
typedef struct numbering {
    const bvpi_collapse *c;
    uint32_t first_place;
    uint32_t *places; /* of the numbered nodes, in c->wide */
    uint32_t count;
    bvpd_node *out;
} numbering;

/* Copies node k, and gives its inner children the next numbers. */
static void number_children(numbering *n, uint32_t k)
{
    const bvpi_wide *wide = &n->c->wide[n->places[k]];
    n->out[k] = wide->node;
    n->out[k].geom = wide->item_count > 0 ? n->first_place + wide->first_item : 0;
    n->out[k].child = wide->child_count > 0 ? n->count : 0;
    for (uint32_t i = 0; i < wide->child_count; i++)
        n->places[n->count++] = wide->child + i;
}

/* Copies nodes breadth first, from node k on, until about `most` have numbers. The first one that
 * was not copied. */
static uint32_t number_page(numbering *n, uint32_t k, uint32_t most)
{
    for (const uint32_t first = n->count; k < n->count && n->count - first < most; k++)
        number_children(n, k);
    return k;
}

/* Copies what is below node k: a page of nodes, and what is below its open ends one after the
 * other. */
static void number_subtree(numbering *n, uint32_t k)
{
    const uint32_t first = n->count;
    number_children(n, k);
    const uint32_t open = number_page(n, first, PAGE_COUNT), end = n->count;
    for (uint32_t child = open; child < end; child++)
        number_subtree(n, child);
}

/* Whoever fetches a file's bytes from afar gets the nodes near the root at once, and then the pages
 * on its way down. Recursion is as deep as the hierarchy. */
static void number_nodes(numbering *n)
{
    n->places[0] = 0;
    n->count = 1;
    const uint32_t open = number_page(n, 0, NEAR_COUNT), end = n->count;
    for (uint32_t k = open; k < end; k++)
        number_subtree(n, k);
    assert(n->count == n->c->wide_count); /* each node is met once */
}

static void fill_hierarchy(const bvpi_collapse *c, const bvpi_grid *grid, uint32_t first_node,
                           bvpd_hierarchy *h)
{
    const double whole = bvpi_root_area(grid);
    *h = (bvpd_hierarchy){.kind = BVPD_KIND_WIDE8,
                          .part = BVPD_NONE,
                          .data_off = (uint64_t)first_node * BVPD_UNIT,
                          .data_size = (uint64_t)c->wide_count * BVPD_UNIT,
                          .upper_count = c->wide_count,
                          .node_count = c->wide_count,
                          .leaf_count = c->leaf_count,
                          .leaf_size = TOP_LEAF_SIZE,
                          .depth = c->depth,
                          .grid_unit = grid->unit,
                          .area_cost = whole > 0 ? c->area / whole : 0};
    memcpy(h->grid_origin, grid->origin, sizeof h->grid_origin);
    memcpy(h->grid_extent, grid->extent, sizeof h->grid_extent);
}

/* Temporary memory. */
typedef struct workspace {
    bvpi_item *items;
    bvpi_build_node *build_nodes;
    bvpi_wide *wide;
    uint32_t *visited;
    void *scratch;
} workspace;

static bool make_workspace(workspace *w, bvpi_top *out, uint32_t count)
{
    const uint64_t nodes = 2 * (uint64_t)count + 1;
    w->items = allocate(count, sizeof *w->items);
    w->build_nodes = allocate(nodes, sizeof *w->build_nodes);
    w->wide = allocate(nodes, sizeof *w->wide);
    w->visited = allocate(nodes, sizeof *w->visited);
    assert(nodes <= UINT32_MAX);
    w->scratch = allocate(1, bvpi_collapse_scratch_size((uint32_t)nodes));
    out->nodes = allocate(nodes + BVPD_TOP_MAX, sizeof *out->nodes);
    out->order = allocate(count, sizeof *out->order);
    return w->items && w->build_nodes && w->wide && w->visited && w->scratch && out->nodes &&
           out->order;
}

static void build_one(const workspace *w, const group *g, bvpi_top *out)
{
    assert(g->count > 0 && out->hierarchy_count < BVPD_TOP_MAX);
    bvpd_hierarchy *hierarchy = &out->hierarchies[out->hierarchy_count++];
    bvpi_grid grid;
    bvpi_bounds all = g->bounds[g->members[0]];
    for (uint32_t i = 1; i < g->count; i++) {
        const bvpi_bounds *b = &g->bounds[g->members[i]];
        for (int axis = 0; axis < 3; axis++) {
            all.lo[axis] = fmin(all.lo[axis], b->lo[axis]);
            all.hi[axis] = fmax(all.hi[axis], b->hi[axis]);
        }
    }
    bvpi_grid_choose(all.lo, all.hi, &grid);
    make_items(g, &grid, w->items);
    bvpi_collapse c = {.build_nodes = w->build_nodes,
                       .items = w->items,
                       .leaf_size = TOP_LEAF_SIZE,
                       .node_price = bvpi_node_price(&grid, g->count),
                       .wide = w->wide,
                       .visited = w->visited,
                       .order = out->order + g->first_place};
    c.build_node_count = bvpi_split_all(w->items, g->count, TOP_LEAF_SIZE, 0, w->build_nodes);
    memcpy(c.frame.hi, grid.extent, sizeof grid.extent);
    bvpi_collapse_run(&c, w->scratch);
    assert(c.item_count == g->count && c.stub_count == 0);
    number_nodes(&(numbering){&c, g->first_place, w->visited, 0, out->nodes + g->first_node});
    fill_hierarchy(&c, &grid, g->first_node, hierarchy);
    out->size += hierarchy->data_size;
}

bvp_status bvpi_top_build(const bvpi_bounds *bounds, uint32_t count, bvpi_top *out,
                          bvp_error *error)
{
    workspace w = {0};
    bvpi_scales scales;
    *out = (bvpi_top){0};
    if (count > INSTANCES_MAX)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "the assembly has %" PRIu32
                              " instances; 2^31 - 1 can be packed into a file: split it",
                              count);
    bvp_status status = bvpi_scales_find(bounds, count, &scales, error);
    if (status != BVP_OK)
        return status;
    const bool ok = make_workspace(&w, out, count);
    uint32_t from = 0;
    for (uint32_t k = 0; k < scales.count && ok; k++) {
        assert(scales.ends[k] > from && scales.ends[k] <= count);
        const group g = {.bounds = bounds,
                         .members = scales.members + from,
                         .count = scales.ends[k] - from,
                         .first_place = from,
                         .first_node = (uint32_t)(out->size / BVPD_UNIT)};
        build_one(&w, &g, out);
        from = scales.ends[k];
    }
    assert(!ok || from == count); /* every instance is in a group */
    if (!ok) {
        free(out->nodes);
        free(out->order);
        *out = (bvpi_top){0};
    }
    free(scales.members);
    free(w.items);
    free(w.build_nodes);
    free(w.wide);
    free(w.visited);
    free(w.scratch);
    return ok ? BVP_OK : bvpi_error_memory(error, (uint64_t)count * 400);
}
