/* SPDX-License-Identifier: MIT
 * part.c: splits a mesh into batches that fit in a cache, builds each by itself, on any thread, and
 * joins them: the result depends on the mesh alone.
 * Spec: format.md, chapters "Parts", "Hierarchies".
 */
#include "build/part.h"

#include "base/status.h"
#include "build/binary.h"
#include "build/items.h"
#include "build/thread.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    BATCH_TRIANGLES = 1 << 15, /* 2 MiB with its boxes and binary nodes */
    SHIFT_MAX = 12
};
/* What a node's bytes are worth: as much as visiting it when its surface is this many times the
 * average triangle's share of the root's. Measured: nodes get 12 % fewer and their boxes 0.4 %
 * larger. */
#define NODE_PRICE 50
#ifndef RECORDS_ADDRESSABLE /* a test makes it small */
/* A node's geom has 24 bits for the cluster. */
#define RECORDS_ADDRESSABLE (UINT64_C(1) << 24)
#endif

/* One part on the way. */
typedef struct building {
    const bvpi_mesh *mesh;
    uint32_t leaf_size, thread_count;
    bvpi_watch *watch;
    bvpi_part_bytes *out;
    bvpi_grid grid;
    float node_price;
    bvpi_item *items;
    uint32_t *order; /* triangles as they are stored, batch by batch */
    /* the hierarchy above the batches; absent when there is one batch */
    bvpi_split *splits;
    uint32_t split_count, split_capacity, level_begin;
    bvpi_collapse top;
    bool is_wide; /* the first hierarchy is */
    struct workspace *workspaces;
    uint32_t workspace_count;
    uint32_t failed; /* atomic: some thread ran out of memory */
} building;

static uint64_t round_up(uint64_t size, uint64_t alignment)
{
    return (size + alignment - 1) & ~(alignment - 1);
}

static void choose_grid(building *b)
{
    double lo[3], hi[3];
    bvpd_part *part = &b->out->part;
    bvpi_mesh_bounds(b->mesh, part->lo, part->hi);
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = part->lo[axis];
        hi[axis] = part->hi[axis];
    }
    bvpi_grid_choose(lo, hi, &b->grid);
    const double x = b->grid.extent[0], y = b->grid.extent[1], z = b->grid.extent[2];
    b->node_price = (float)(NODE_PRICE * (x * y + y * z + z * x) / b->mesh->triangle_count);
}

/* ---- the splits above the batches -------------------------------------------------------------
 */

/* Nodes of one level are split at the same time. Their children's places are known before. */
static void split_node(void *user, uint32_t piece)
{
    building *b = user;
    bvpi_split *node = &b->splits[b->level_begin + piece];
    if (node->left != 0)
        bvpi_split_once(b->items, b->leaf_size, node, &b->splits[node->left],
                        &b->splits[node->left + 1]);
}

static bool grow_splits(building *b, uint32_t wanted)
{
    if (wanted <= b->split_capacity)
        return true;
    bvpi_split *grown = bvpi_allocate(2 * (uint64_t)wanted, sizeof *grown);
    if (!grown)
        return false;
    if (b->splits)
        memcpy(grown, b->splits, b->split_count * sizeof *grown);
    free(b->splits);
    b->splits = grown;
    b->split_capacity = 2 * wanted;
    return true;
}

static bool split_top(building *b)
{
    if (!grow_splits(b, 1))
        return false;
    bvpi_split_root(b->items, b->mesh->triangle_count, 0, &b->splits[0]);
    b->split_count = 1;
    b->level_begin = 0;
    for (uint32_t level_end = 1; b->level_begin < level_end; level_end = b->split_count) {
        uint32_t next = level_end;
        if (!grow_splits(b, level_end + 2 * (level_end - b->level_begin)))
            return false;
        for (uint32_t k = b->level_begin; k < level_end; k++)
            if (b->splits[k].count > BATCH_TRIANGLES) {
                b->splits[k].left = next;
                next += 2;
            }
        bvpi_parallel(b->thread_count, level_end - b->level_begin, split_node, b);
        b->level_begin = level_end;
        b->split_count = next;
    }
    return true;
}

/* Wide nodes above the batches; a lane holds a whole batch, so that a "leaf" of any size is one. */
static bool collapse_top(building *b)
{
    bvpi_collapse *top = &b->top;
    *top = (bvpi_collapse){.splits = b->splits,
                           .split_count = b->split_count,
                           .leaf_size = 0,
                           .node_price = b->node_price};
    memcpy(top->frame.hi, b->grid.extent, sizeof b->grid.extent);
    top->wide = bvpi_allocate(b->split_count + 1, sizeof *top->wide);
    top->visited = bvpi_allocate(b->split_count + 1, sizeof *top->visited);
    top->stubs = bvpi_allocate(b->split_count, sizeof *top->stubs);
    void *scratch = bvpi_allocate(1, bvpi_collapse_scratch_size(b->split_count));
    const bool ok = top->wide && top->visited && top->stubs && scratch;
    if (ok)
        bvpi_collapse_run(top, scratch);
    free(scratch);
    return ok;
}

/* ---- batches -------------------------------------------------------------------------------- */

/* Memory of one batch on the way; each thread takes one and gives it back. */
typedef struct workspace {
    bvpi_split *splits;
    bvpi_wide *wide;
    uint32_t *visited, *order;
    void *scratch;
    bool is_taken; /* atomic */
} workspace;

static bool make_workspace(workspace *w, uint32_t triangle_count)
{
    const uint64_t splits = 2 * (uint64_t)triangle_count + 1;
    w->splits = bvpi_allocate(splits, sizeof *w->splits);
    w->wide = bvpi_allocate(splits, sizeof *w->wide);
    w->visited = bvpi_allocate(splits, sizeof *w->visited);
    w->order = bvpi_allocate(triangle_count, sizeof *w->order);
    w->scratch = bvpi_allocate(1, bvpi_collapse_scratch_size((uint32_t)splits));
    return w->splits && w->wide && w->visited && w->order && w->scratch;
}

static void free_workspace(workspace *w)
{
    free(w->splits);
    free(w->wide);
    free(w->visited);
    free(w->order);
    free(w->scratch);
}

/* There are as many as threads: one is free. */
static workspace *take_workspace(building *b)
{
    uint32_t k = 0;
    while (__atomic_test_and_set(&b->workspaces[k].is_taken, __ATOMIC_ACQUIRE))
        k = (k + 1) % b->workspace_count;
    return &b->workspaces[k];
}

static void give_back_workspace(workspace *w)
{
    __atomic_clear(&w->is_taken, __ATOMIC_RELEASE);
}

static uint32_t largest_leaf(const bvpi_split *splits, uint32_t count)
{
    uint32_t largest = 0;
    for (uint32_t k = 0; k < count; k++)
        if (splits[k].left == 0 && splits[k].count > largest)
            largest = splits[k].count;
    return largest;
}

static bool fill_batch(building *b, const bvpi_split *root, const bvpi_frame *frame, workspace *w,
                       bvpi_batch *batch)
{
    bvpi_item *items = b->items + root->first;
    bvpi_collapse c = {.splits = w->splits,
                       .items = items,
                       .leaf_size = b->leaf_size,
                       .frame = *frame,
                       .node_price = b->node_price,
                       .wide = w->wide,
                       .visited = w->visited,
                       .order = w->order};
    c.split_count = bvpi_split_all(items, root->count, b->leaf_size, root->depth, w->splits);
    bvpi_collapse_run(&c, w->scratch);
    batch->wide_count = c.wide_count;
    batch->first_item = root->first;
    batch->triangle_count = root->count;
    batch->depth = c.depth;
    batch->leaf_count = c.leaf_count;
    batch->largest_leaf = largest_leaf(w->splits, c.split_count);
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
    bvpi_split root = {.count = b->mesh->triangle_count};
    bvpi_frame frame = b->top.frame;
    workspace *w = take_workspace(b);
    if (b->out->batch_count > 1) {
        root = b->splits[b->top.stubs[piece].split];
        frame = b->top.stubs[piece].frame;
    }
    if (!fill_batch(b, &root, &frame, w, &b->out->batches[piece]))
        __atomic_store_n(&b->failed, 1, __ATOMIC_RELAXED);
    give_back_workspace(w);
    bvpi_watch_add(b->watch, "build", root.count);
}

static bool make_workspaces(building *b)
{
    const uint32_t all = b->mesh->triangle_count, batches = b->out->batch_count;
    b->workspace_count = b->thread_count < batches ? b->thread_count : batches;
    b->workspaces = calloc(b->workspace_count, sizeof *b->workspaces);
    bool ok = b->workspaces != NULL;
    for (uint32_t k = 0; k < b->workspace_count && ok; k++)
        ok = make_workspace(&b->workspaces[k], all < BATCH_TRIANGLES ? all : BATCH_TRIANGLES);
    return ok;
}

static void free_workspaces(building *b)
{
    for (uint32_t k = 0; k < b->workspace_count && b->workspaces; k++)
        free_workspace(&b->workspaces[k]);
    free(b->workspaces);
}

static bool build_batches(building *b)
{
    b->out->batch_count = 1;
    memcpy(b->top.frame.hi, b->grid.extent, sizeof b->grid.extent);
    if (b->mesh->triangle_count > BATCH_TRIANGLES) {
        if (!split_top(b) || !collapse_top(b))
            return false;
        b->out->batch_count = b->top.stub_count;
    }
    b->out->batches = calloc(b->out->batch_count, sizeof *b->out->batches);
    if (!b->out->batches || !make_workspaces(b))
        return false;
    bvpi_parallel(b->thread_count, b->out->batch_count, build_batch, b);
    return !b->failed;
}

/* ---- joining -------------------------------------------------------------------------------- */

/* A node of the whole: in a batch's list, or (batch: BVPD_NONE) in the list above the batches. */
typedef struct place {
    uint32_t batch, wide;
} place;

typedef struct joining {
    building *b;
    place *upper; /* breadth first: number k becomes unit k */
    uint32_t upper_count;
    uint32_t *batch_of;     /* for the list above the batches: whose root stands there, or NONE */
    uint32_t *first_record; /* for each batch: in the cluster table */
    uint64_t *first_triangle, *first_id;
} joining;

static bvpi_wide *wide_at(const building *b, place at)
{
    return at.batch == BVPD_NONE ? &b->top.wide[at.wide] : &b->out->batches[at.batch].wide[at.wide];
}

static uint32_t count_upper(const building *b)
{
    uint32_t count = b->out->batch_count > 1 ? b->top.visited_count : 0;
    for (uint32_t k = 0; k < b->out->batch_count; k++)
        for (uint32_t i = 0; i < b->out->batches[k].wide_count; i++)
            count += b->out->batches[k].wide[i].home == BVPI_HOME_UPPER;
    return count;
}

/* Appends the inner children of an upper node that are upper nodes too. */
static void append_children(joining *j, place parent)
{
    bvpi_wide *node = wide_at(j->b, parent);
    place child = {parent.batch, node->child};
    if (node->child_count == 0 ||
        (parent.batch != BVPD_NONE && wide_at(j->b, child)->home != BVPI_HOME_UPPER))
        return;
    node->node.child = j->upper_count;
    for (uint32_t i = 0; i < node->child_count; i++, child.wide++) {
        const uint32_t batch = parent.batch == BVPD_NONE ? j->batch_of[child.wide] : BVPD_NONE;
        j->upper[j->upper_count++] = batch == BVPD_NONE ? child : (place){batch, 0};
    }
}

static void number_upper(joining *j)
{
    const building *b = j->b;
    if (b->out->batch_count > 1) {
        for (uint32_t i = 0; i < b->top.wide_count; i++)
            j->batch_of[i] = BVPD_NONE;
        for (uint32_t k = 0; k < b->top.stub_count; k++)
            j->batch_of[b->top.stubs[k].wide] = k;
    }
    j->upper[0] = (place){b->out->batch_count > 1 ? BVPD_NONE : 0, 0};
    j->upper_count = 1;
    for (uint32_t k = 0; k < j->upper_count; k++)
        append_children(j, j->upper[k]);
}

/* Places the records behind the upper nodes, aligned to 1 << shift, and fills in the table (of
 * offsets >> shift). False: the last one is out of a node's reach. */
static bool place_records(const joining *j, unsigned shift)
{
    bvpi_part_bytes *out = j->b->out;
    const uint64_t alignment = UINT64_C(1) << shift;
    uint64_t offset = round_up((uint64_t)j->upper_count * BVPD_UNIT, alignment);
    uint32_t *entry = out->table;
    for (uint32_t k = 0; k < out->batch_count; k++)
        for (uint32_t r = 0; r < out->batches[k].record_count; r++) {
            if (offset >> shift >= RECORDS_ADDRESSABLE)
                return false;
            *entry++ = (uint32_t)(offset >> shift);
            offset = round_up(offset + out->batches[k].records[r].size, alignment);
        }
    out->part.cluster_shift = (uint8_t)shift;
    out->part.cluster_table_off = offset;
    out->part.data_size = round_up(offset + 4 * (uint64_t)out->part.cluster_count, alignment);
    return out->part.data_size / BVPD_UNIT < UINT32_MAX;
}

/* Fills in what the nodes refer to, and puts those that live in records there. */
static void finish_nodes(const joining *j, uint32_t batch_idx)
{
    bvpi_part_bytes *out = j->b->out;
    bvpi_batch *batch = &out->batches[batch_idx];
    const uint32_t *table = out->table + j->first_record[batch_idx];
    const unsigned shift = out->part.cluster_shift;
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

static void finish_records(const joining *j, uint32_t batch_idx)
{
    bvpi_batch *batch = &j->b->out->batches[batch_idx];
    for (uint32_t r = 0; r < batch->record_count; r++) {
        bvpd_cluster head;
        memcpy(&head, batch->bytes + batch->records[r].offset, sizeof head);
        head.first_triangle += (uint32_t)j->first_triangle[batch_idx];
        if (batch->ids_size > 0)
            head.id_off += (uint32_t)(j->first_id[batch_idx] / 4);
        memcpy(batch->bytes + batch->records[r].offset, &head, sizeof head);
    }
}

static void finish_batch(void *user, uint32_t piece)
{
    const joining *j = user;
    if (j->b->is_wide)
        finish_nodes(j, piece);
    finish_records(user, piece);
}

/* Sums over the batches: where each begins, and what is in all of them. */
static void sum_records(joining *j)
{
    bvpi_part_bytes *out = j->b->out;
    bvpd_part *part = &out->part;
    uint64_t triangles = 0;
    for (uint32_t k = 0; k < out->batch_count; k++) {
        const bvpi_batch *batch = &out->batches[k];
        j->first_record[k] = part->cluster_count;
        j->first_triangle[k] = triangles;
        j->first_id[k] = part->ids_size;
        part->cluster_count += batch->record_count;
        part->ids_size += batch->ids_size;
        triangles += batch->triangle_count;
    }
}

static void sum_nodes(const building *b)
{
    bvpi_part_bytes *out = b->out;
    bvpd_hierarchy *h = &out->hierarchy[0];
    double area = b->top.area;
    h->node_count = out->batch_count > 1 ? b->top.visited_count : 0;
    for (uint32_t k = 0; k < out->batch_count; k++) {
        const bvpi_batch *batch = &out->batches[k];
        const uint32_t above = out->batch_count > 1 ? b->top.stubs[k].level - 1 : 0;
        h->node_count += batch->wide_count;
        h->leaf_count += batch->leaf_count;
        h->leaf_size = batch->largest_leaf > h->leaf_size ? batch->largest_leaf : h->leaf_size;
        h->depth = above + batch->depth > h->depth ? above + batch->depth : h->depth;
        area += batch->area;
    }
    const double x = b->grid.extent[0], y = b->grid.extent[1], z = b->grid.extent[2];
    const double whole = x * y + y * z + z * x;
    h->area_cost = whole > 0 ? area / whole : 0;
}

static bool make_room(joining *j)
{
    const building *b = j->b;
    const uint32_t batches = b->out->batch_count;
    j->upper = bvpi_allocate(b->is_wide ? count_upper(b) : 0, sizeof *j->upper);
    j->batch_of = bvpi_allocate(b->top.wide_count, sizeof *j->batch_of);
    j->first_record = bvpi_allocate(batches, sizeof *j->first_record);
    j->first_triangle = bvpi_allocate(batches, sizeof *j->first_triangle);
    j->first_id = bvpi_allocate(batches, sizeof *j->first_id);
    return j->upper && j->batch_of && j->first_record && j->first_triangle && j->first_id;
}

static void free_room(joining *j)
{
    free(j->upper);
    free(j->batch_of);
    free(j->first_record);
    free(j->first_triangle);
    free(j->first_id);
}

static bvp_status lay_out(joining *j, bvp_error *error)
{
    bvpi_part_bytes *out = j->b->out;
    const uint64_t table_size = round_up(4 * (uint64_t)out->part.cluster_count, 1 << SHIFT_MAX);
    out->upper = bvpi_allocate(j->upper_count, sizeof *out->upper);
    out->table = bvpi_allocate(table_size, 1);
    if (!out->upper || !out->table)
        return bvpi_error_memory(error, table_size + (uint64_t)j->upper_count * BVPD_UNIT);
    memset(out->table, 0, table_size);
    unsigned shift = 6;
    while (shift <= SHIFT_MAX && !place_records(j, shift))
        shift++;
    if (shift > SHIFT_MAX || out->part.ids_size / 4 > UINT32_MAX)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "a part of %" PRIu32 " triangles does not fit: more than 64 GiB; "
                              "split the mesh into several parts",
                              j->b->mesh->triangle_count);
    return BVP_OK;
}

/* Gives all records, and the wide nodes, their places. */
static bvp_status join(building *b, joining *j, bvp_error *error)
{
    bvpi_part_bytes *out = b->out;
    *j = (joining){.b = b};
    if (!make_room(j))
        return bvpi_error_memory(error, out->batch_count * (uint64_t)sizeof *j->first_record);
    if (b->is_wide) {
        number_upper(j);
        sum_nodes(b);
    }
    sum_records(j);
    bvp_status status = lay_out(j, error);
    if (status != BVP_OK)
        return status;
    bvpi_parallel(b->thread_count, out->batch_count, finish_batch, j);
    for (uint32_t k = 0; k < j->upper_count; k++)
        out->upper[k] = wide_at(b, j->upper[k])->node;
    out->upper_count = j->upper_count;
    return BVP_OK;
}

/* ---- the hierarchies ------------------------------------------------------------------------- */

static bvp_status no_memory(const building *b, bvp_error *error)
{
    return bvpi_error_memory(error, b->mesh->triangle_count * (uint64_t)sizeof(bvpi_item));
}

static void fill_wide_record(const building *b)
{
    bvpd_hierarchy *h = &b->out->hierarchy[0];
    h->kind = BVPD_KIND_WIDE8;
    h->data_size = b->out->part.data_size;
    h->upper_count = b->out->upper_count;
    h->grid_unit = b->grid.unit;
    memcpy(h->grid_origin, b->grid.origin, sizeof h->grid_origin);
    memcpy(h->grid_extent, b->grid.extent, sizeof h->grid_extent);
}

static bvp_status build_wide(building *b, joining *j, bvp_error *error)
{
    bvp_status status = BVP_OK;
    b->items = bvpi_items_make(b->mesh, &b->grid, b->thread_count, &b->out->part.degenerate_count);
    if (!b->items || !build_batches(b))
        status = no_memory(b, error);
    free(b->items);
    free_workspaces(b);
    if (status == BVP_OK)
        status = join(b, j, error);
    fill_wide_record(b);
    return status;
}

/* Where each block's triangles begin, in the order of the pieces. NULL: out of memory. */
static uint32_t *find_firsts(const joining *j)
{
    const bvpi_part_bytes *out = j->b->out;
    uint64_t count = 0;
    for (uint32_t k = 0; k < out->batch_count; k++)
        count += out->batches[k].wide_count;
    uint32_t *firsts = bvpi_allocate(count, sizeof *firsts), *next = firsts;
    for (uint32_t k = 0; k < out->batch_count && firsts; k++) {
        const bvpi_batch *batch = &out->batches[k];
        for (uint32_t i = 0; i < batch->wide_count; i++)
            *next++ =
                out->table[j->first_record[k] + batch->wide[i].cluster] << 8 | batch->wide[i].local;
    }
    return firsts;
}

/* A binary hierarchy whose leaf order the triangles are stored in. */
static bvp_status build_first(building *b, const bvpi_binary_build *made, joining *j,
                              bvp_error *error)
{
    bvpi_part_bytes *out = b->out;
    out->batch_count = made->piece_count;
    out->batches = calloc(out->batch_count, sizeof *out->batches);
    if (!out->batches)
        return no_memory(b, error);
    for (uint32_t k = 0; k < out->batch_count; k++) {
        out->batches[k] = made->pieces[k].clusters;
        made->pieces[k].clusters = (bvpi_batch){0};
    }
    bvp_status status = join(b, j, error);
    if (status != BVP_OK)
        return status;
    uint32_t *firsts = find_firsts(j);
    if (!firsts)
        return no_memory(b, error);
    status = bvpi_binary_write(made, NULL, firsts, &out->hierarchy[0], &out->binary[0], error);
    free(firsts);
    return status;
}

/* Each triangle of the mesh, where it is stored. NULL: out of memory. */
static uint32_t *find_references(const building *b)
{
    const bvpi_part_bytes *out = b->out;
    const uint32_t *entry = out->table;
    uint32_t *references = bvpi_allocate(b->mesh->triangle_count, sizeof *references);
    for (uint32_t k = 0; k < out->batch_count && references; k++) {
        const bvpi_batch *batch = &out->batches[k];
        const uint32_t *order = b->order + batch->first_item;
        for (uint32_t r = 0; r < batch->record_count; r++, entry++) {
            bvpd_cluster head;
            memcpy(&head, batch->bytes + batch->records[r].offset, sizeof head);
            for (uint32_t i = 0; i <= head.triangle_count_minus_1; i++)
                references[*order++] = *entry << 8 | i;
        }
    }
    return references;
}

/* Hierarchy `idx` of the part: the first, whose order is kept, or one that refers to it. */
static bvp_status build_binary(building *b, const bvp_hierarchy_spec *spec, uint32_t idx,
                               const uint32_t *references, joining *j, bvp_error *error)
{
    bvpi_part_bytes *out = b->out;
    bvpi_binary_build made;
    bvp_status status = BVP_OK;
    if (!bvpi_binary_make(b->mesh, &b->grid, spec, b->thread_count, idx == 0, b->watch, &made))
        status = no_memory(b, error);
    else if (idx == 0) {
        out->part.degenerate_count = made.degenerate_count;
        status = build_first(b, &made, j, error);
        b->order = made.order;
        made.order = NULL;
    } else
        status = bvpi_binary_write(&made, references, NULL, &out->hierarchy[idx], &out->binary[idx],
                                   error);
    bvpi_binary_free(&made);
    return status;
}

static bvp_status build_others(building *b, const bvp_hierarchy_spec *specs, uint32_t count,
                               bvp_error *error)
{
    uint32_t *references = find_references(b);
    bvp_status status = references ? BVP_OK : no_memory(b, error);
    for (uint32_t k = 1; k < count && status == BVP_OK; k++)
        status = build_binary(b, &specs[k], k, references, NULL, error);
    free(references);
    return status;
}

/* ---- the part ------------------------------------------------------------------------------- */

static bvp_status build_all(building *b, const bvp_hierarchy_spec *specs, uint32_t count,
                            bvp_error *error)
{
    joining j = {0};
    bvp_status status = BVP_OK;
    choose_grid(b);
    if (b->is_wide && count > 1) {
        b->order = bvpi_allocate(b->mesh->triangle_count, sizeof *b->order);
        status = b->order ? BVP_OK : no_memory(b, error);
    }
    if (status == BVP_OK)
        status =
            b->is_wide ? build_wide(b, &j, error) : build_binary(b, &specs[0], 0, NULL, &j, error);
    free_room(&j);
    if (status == BVP_OK && count > 1)
        status = build_others(b, specs, count, error);
    b->out->part.triangle_count = b->mesh->triangle_count;
    b->out->part.vertex_count = b->mesh->vertex_count;
    b->out->part.hierarchy_count = count;
    return status;
}

bvp_status bvpi_part_build(const bvpi_mesh *mesh, const bvp_hierarchy_spec *specs,
                           uint32_t spec_count, uint32_t thread_count, bvpi_watch *watch,
                           bvpi_part_bytes *out, bvp_error *error)
{
    building b = {.mesh = mesh,
                  .leaf_size = specs[0].leaf_size,
                  .thread_count = thread_count,
                  .watch = watch,
                  .out = out,
                  .is_wide = specs[0].kind == BVP_KIND_WIDE};
    *out = (bvpi_part_bytes){0};
    watch->done = 0;
    watch->total = (uint64_t)mesh->triangle_count * spec_count;
    bvp_status status = build_all(&b, specs, spec_count, error);
    for (uint32_t k = 0; k < out->batch_count && out->batches; k++) {
        free(out->batches[k].wide);
        out->batches[k].wide = NULL;
    }
    free(b.order);
    free(b.splits);
    free(b.top.wide);
    free(b.top.visited);
    free(b.top.stubs);
    if (status != BVP_OK)
        bvpi_part_free(out);
    return status;
}

void bvpi_part_free(bvpi_part_bytes *part)
{
    for (uint32_t k = 0; k < part->batch_count && part->batches; k++)
        bvpi_batch_free(&part->batches[k]);
    for (uint32_t k = 0; k < BVPI_HIERARCHY_MAX; k++)
        free(part->binary[k]);
    free(part->batches);
    free(part->upper);
    free(part->table);
    *part = (bvpi_part_bytes){0};
}

/* ---- chunks --------------------------------------------------------------------------------- */

uint64_t bvpi_part_chunk_count(const bvpi_part_bytes *part)
{
    return 3 + 2 * (uint64_t)part->part.cluster_count;
}

uint64_t bvpi_part_data(const bvpi_part_bytes *part, bvpi_chunk *chunks)
{
    const uint64_t alignment = UINT64_C(1) << part->part.cluster_shift;
    const uint64_t upper_size = (uint64_t)part->upper_count * BVPD_UNIT;
    uint64_t count = 0;
    chunks[count++] = (bvpi_chunk){part->upper, upper_size};
    chunks[count++] = (bvpi_chunk){NULL, round_up(upper_size, alignment) - upper_size};
    for (uint32_t k = 0; k < part->batch_count; k++) {
        const bvpi_batch *batch = &part->batches[k];
        for (uint32_t r = 0; r < batch->record_count && alignment > BVPD_UNIT; r++) {
            const bvpi_record *record = &batch->records[r];
            chunks[count++] = (bvpi_chunk){batch->bytes + record->offset, record->size};
            chunks[count++] = (bvpi_chunk){NULL, round_up(record->size, alignment) - record->size};
        }
        if (alignment == BVPD_UNIT)
            chunks[count++] = (bvpi_chunk){batch->bytes, batch->size};
    }
    chunks[count++] =
        (bvpi_chunk){part->table, part->part.data_size - part->part.cluster_table_off};
    return count;
}

uint64_t bvpi_part_ids(const bvpi_part_bytes *part, bvpi_chunk *chunks)
{
    uint64_t count = 0;
    for (uint32_t k = 0; k < part->batch_count; k++)
        if (part->batches[k].ids_size > 0)
            chunks[count++] = (bvpi_chunk){part->batches[k].ids, part->batches[k].ids_size};
    return count;
}
