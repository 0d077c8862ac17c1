/* SPDX-License-Identifier: MIT
 * large_wide.c: builds the 8-wide hierarchy of a mesh set by set.
 *
 * The triangles are dealt to sets (sets.c). The hierarchy above the batches needs their boxes only;
 * it is collapsed first, because a batch's nodes depend on the frame of its root. Then one set at a
 * time is loaded, and its batches are built in parallel, each as wide_tree.c would: from the same
 * triangles in the same order. What a batch leaves goes to temporary files, a quarter of the
 * triangles' size, and is mapped when all are built: from there on the part is like any other.
 *
 * A batch that the sample left too large is split twice: before the hierarchy above the batches is
 * made, for the boxes, and again when its set is built, for the order of its triangles.
 *
 * Held by tests/unit/test_large.c and tests/property/test_stream.c: the bytes of the build in
 * memory, for any memory and any number of threads.
 * Measured: decisions.md, "Larger than memory"
 */
#include "pack/large/large_wide.h"

#include "base/large_array.h"
#include "base/parallel.h"
#include "base/status.h"
#include "pack/large/check_state.h"
#include "pack/large/share.h"
#include "pack/large/state.h"
#include "pack/tree/batches.h"
#include "pack/tree/wide_batch.h"

#include <assert.h>

typedef struct building {
    const bvpi_mesh *kept;
    const bvpi_grid *grid;
    const bvp_hierarchy_spec *spec;
    const bvpi_large_means *means;
    bvpi_wide_build *out;
    bvpi_batch_store *store;
    bvpi_scratch batches; /* the batches without their arrays, set by set; where there is a state */
    bvpi_share *shares;   /* that other processes have built */
    uint32_t share_count;
    bool is_share; /* this process builds one */
    bvpi_sets sets;
    bvpi_batches nodes; /* those above the batches, and the batches */
    bvpi_batch_builder builder;
    uint32_t *stubs;      /* numbers of batches, set by set */
    uint32_t *stub_begin; /* of each set, and of one behind the last, in `stubs` */
    /* of the set that is being built */
    const bvpi_set *set;
    bvpi_set_mesh loaded;
    uint32_t *triangles; /* its triangles, batch by batch */
    uint32_t first_piece;
    uint32_t failed; /* atomic */
} building;

void bvpi_batch_store_close(bvpi_batch_store *store)
{
    bvpi_scratch_close(&store->bytes);
    bvpi_scratch_close(&store->ids);
    bvpi_scratch_close(&store->wide);
    bvpi_scratch_close(&store->records);
}

/* ---- one set --------------------------------------------------------------------------------- */

static const bvpi_build_node *leaf_of(const building *b, uint32_t leaf)
{
    return &b->nodes.build_nodes[b->sets.tree.leaves[leaf]];
}

static bvp_status no_memory(const building *b, bvp_error *error)
{
    return bvpi_error_memory(error, b->set->triangle_count * 16);
}

/* Have the leaves the triangles and boxes that the tree says? */
static bool has_its_leaves(const building *b)
{
    for (uint32_t k = 0; k < b->set->leaf_count; k++) {
        const bvpi_build_node *leaf = leaf_of(b, b->set->first_leaf + k);
        const bvpi_batch_box *box = &b->loaded.boxes[k];
        if (b->loaded.counts[k] != leaf->count ||
            memcmp(&box->minus_lo, leaf->minus_lo, sizeof leaf->minus_lo) != 0 ||
            memcmp(&box->hi, leaf->hi, sizeof leaf->hi) != 0)
            return false;
    }
    return true;
}

/* Loads the set, and lists its triangles by the leaves of the sample's tree. */
static bvp_status load_set(building *b, uint32_t idx, bvp_error *error)
{
    b->set = &b->sets.sets[idx];
    bvp_status status = bvpi_set_load(&b->sets, b->grid, idx, b->means, &b->loaded, error);
    if (status != BVP_OK)
        return status;
    const uint32_t count = b->loaded.mesh.triangle_count;
    uint32_t *next = malloc(b->set->leaf_count * sizeof *next);
    b->triangles = bvpi_allocate(count, sizeof *b->triangles);
    b->loaded.mesh.has_ids = b->kept->has_ids;
    b->loaded.mesh.is_deformable = b->kept->is_deformable;
    if (!next || !b->triangles)
        status = no_memory(b, error);
    if (status == BVP_OK && !has_its_leaves(b))
        status = bvpi_changed(b->means, error);
    for (uint32_t k = 0; k < b->set->leaf_count && status == BVP_OK; k++)
        next[k] = leaf_of(b, b->set->first_leaf + k)->first - (uint32_t)b->set->first;
    for (uint32_t i = 0; i < count && status == BVP_OK; i++)
        b->triangles[next[b->loaded.batch_of[i]]++] = i;
    free(next);
    free(b->loaded.batch_of);
    b->loaded.batch_of = NULL;
    return status;
}

static void forget_set(building *b)
{
    bvpi_set_mesh_free(&b->loaded);
    free(b->triangles);
    b->triangles = NULL;
}

/* Splits a leaf that is too large into nodes of `list`, where it has the number `idx`. */
static bool split_leaf(building *b, uint32_t leaf, bvpi_batches *list, uint32_t idx)
{
    const uint32_t first = leaf_of(b, leaf)->first - (uint32_t)b->set->first;
    return bvpi_batch_split(&b->loaded.mesh, b->grid, BVPI_BATCH_TRIANGLES, b->spec->leaf_size,
                            b->means->thread_count, b->triangles + first, list, idx);
}

static bool is_large(const building *b, uint32_t leaf)
{
    return leaf_of(b, leaf)->count > BVPI_BATCH_TRIANGLES;
}

/* ---- above the batches ----------------------------------------------------------------------- */

/* Adds the nodes below leaves that are too large. */
static bvp_status split_large(building *b, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t k = 0; k < b->sets.set_count && status == BVP_OK; k++) {
        const bvpi_set *set = &b->sets.sets[k];
        uint32_t large = 0;
        for (uint32_t leaf = 0; leaf < set->leaf_count; leaf++)
            large += is_large(b, set->first_leaf + leaf);
        if (large == 0)
            continue;
        status = load_set(b, k, error);
        for (uint32_t leaf = set->first_leaf;
             leaf < set->first_leaf + set->leaf_count && status == BVP_OK; leaf++)
            if (is_large(b, leaf) && !split_leaf(b, leaf, &b->nodes, b->sets.tree.leaves[leaf]))
                status = no_memory(b, error);
        forget_set(b);
    }
    return status;
}

/* Lists the batches of each set. */
static bool list_stubs(building *b)
{
    const bvpi_collapse *top = &b->out->top;
    const uint32_t set_count = b->sets.set_count;
    uint32_t *set_of = malloc(top->stub_count * sizeof *set_of + 1);
    b->stubs = malloc(top->stub_count * sizeof *b->stubs + 1);
    b->stub_begin = calloc(set_count + 1, sizeof *b->stub_begin);
    const bool ok = set_of && b->stubs && b->stub_begin;
    for (uint32_t k = 0; k < top->stub_count && ok; k++) {
        const uint64_t first = b->nodes.build_nodes[top->stubs[k].split].first;
        uint32_t low = 0, high = set_count; /* the set's first is at most `first` */
        while (high - low > 1) {
            const uint32_t middle = low + (high - low) / 2;
            if (b->sets.sets[middle].first <= first)
                low = middle;
            else
                high = middle;
        }
        set_of[k] = low;
        b->stub_begin[low + 1]++;
    }
    for (uint32_t k = 0; k < set_count && ok; k++)
        b->stub_begin[k + 1] += b->stub_begin[k];
    for (uint32_t k = 0; k < top->stub_count && ok; k++)
        b->stubs[b->stub_begin[set_of[k]]++] = k;
    if (ok) {
        memmove(b->stub_begin + 1, b->stub_begin, set_count * sizeof *b->stub_begin);
        b->stub_begin[0] = 0;
    }
    free(set_of);
    return ok;
}

/* ---- batches --------------------------------------------------------------------------------- */

static void build_batch(void *user, uint32_t piece)
{
    building *b = user;
    const uint32_t k = b->stubs[b->first_piece + piece];
    const bvpi_stub *stub = &b->out->top.stubs[k];
    const bvpi_build_node *root = &b->nodes.build_nodes[stub->split];
    if (!bvpi_watch_goes_on(b->means->watch) ||
        !bvpi_batch_build(&b->builder, &b->loaded.mesh, root,
                          b->triangles + (root->first - b->set->first), &stub->frame, NULL,
                          &b->out->batches[k]))
        __atomic_store_n(&b->failed, 1, __ATOMIC_RELAXED);
    else
        bvpi_watch_add(b->means->watch, "build", root->count);
}

/* Appends what the batch has to the files. Its pointers are of no use until the files are mapped.
 */
static bvp_status put_batch(building *b, bvpi_batch *batch, bvp_error *error)
{
    bvpi_batch_store *store = b->store;
    bvp_status status = bvpi_scratch_append(&store->bytes, batch->bytes, batch->size, error);
    if (status == BVP_OK)
        status = bvpi_scratch_append(&store->ids, batch->ids, batch->ids_size, error);
    if (status == BVP_OK)
        status = bvpi_scratch_append(&store->wide, batch->wide,
                                     batch->wide_count * sizeof *batch->wide, error);
    if (status == BVP_OK)
        status = bvpi_scratch_append(&store->records, batch->records,
                                     batch->record_count * sizeof *batch->records, error);
    free(batch->bytes);
    free(batch->ids);
    free(batch->wide);
    free(batch->records);
    batch->bytes = batch->ids = NULL;
    batch->wide = NULL;
    batch->records = NULL;
    return status;
}

/* As in split_large, into nodes that are not needed. */
static bvp_status order_large(building *b, bvp_error *error)
{
    for (uint32_t k = 0; k < b->set->leaf_count; k++) {
        if (!is_large(b, b->set->first_leaf + k))
            continue;
        bvpi_batches list = {.build_nodes = bvpi_allocate(1, sizeof *list.build_nodes),
                             .build_node_count = 1,
                             .build_node_capacity = 1};
        if (list.build_nodes) {
            list.build_nodes[0] = *leaf_of(b, b->set->first_leaf + k);
            list.build_nodes[0].left = 0;
        }
        const bool ok = list.build_nodes && split_leaf(b, b->set->first_leaf + k, &list, 0);
        bvpi_batches_free(&list);
        if (!ok)
            return no_memory(b, error);
    }
    return BVP_OK;
}

/* Notes that all sets up to `idx` are built, unless that was done just now. */
static bvp_status save_set(building *b, uint32_t idx, bvp_error *error)
{
    bvpi_large_state *state = b->means->state;
    bvpi_batch_store *store = b->store;
    bvp_status status = BVP_OK;
    for (uint32_t k = b->stub_begin[idx]; k < b->stub_begin[idx + 1] && status == BVP_OK; k++)
        status = bvpi_scratch_append(&b->batches, &b->out->batches[b->stubs[k]],
                                     sizeof *b->out->batches, error);
    if (status != BVP_OK || b->is_share ||
        (idx + 1 < b->sets.set_count && !bvpi_state_is_due(state)))
        return status;
    const bvpi_scratch *files[5] = {&store->bytes, &store->ids, &store->wide, &store->records,
                                    &b->batches};
    for (int k = 0; k < 5 && status == BVP_OK; k++)
        status = bvpi_scratch_sync(files[k], error);
    state->done.built_count = idx + 1;
    state->done.bytes_size = store->bytes.size;
    state->done.ids_size = store->ids.size;
    state->done.wide_size = store->wide.size;
    state->done.records_size = store->records.size;
    state->done.batches_size = b->batches.size;
    return status == BVP_OK ? bvpi_state_save(state, error) : status;
}

/* The triangles of batch `k`. */
static uint32_t count_of(const building *b, uint32_t k)
{
    return b->nodes.build_nodes[b->out->top.stubs[k].split].count;
}

/* What an earlier process has built. */
static bvp_status load_batches(building *b, bvp_error *error)
{
    bvp_status status = BVP_OK;
    uint64_t offset = 0;
    if (!b->means->state)
        return status;
    if (b->means->state->done.built_count > b->sets.set_count)
        return bvpi_changed(b->means, error);
    const uint32_t end = b->stub_begin[b->means->state->done.built_count];
    if (b->batches.size != end * sizeof *b->out->batches)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the state in %s does not fit together; remove that folder to start "
                              "again",
                              b->means->state->folder);
    for (uint32_t k = 0; k < end && status == BVP_OK; k++) {
        bvpi_batch *batch = &b->out->batches[b->stubs[k]];
        status = bvpi_scratch_read(&b->batches, offset, batch, sizeof *batch, error);
        batch->bytes = batch->ids = NULL;
        batch->wide = NULL;
        batch->records = NULL;
        offset += sizeof *batch;
        if (status == BVP_OK && !bvpi_check_batch(batch, count_of(b, b->stubs[k])))
            status = bvpi_changed(b->means, error);
        bvpi_watch_add(b->means->watch, "build", batch->triangle_count);
    }
    return status;
}

/* Appends `size` bytes of a share's file, which it passes. */
static bvp_status copy_range(bvpi_share *share, int kind, uint64_t size, bvpi_scratch *to,
                             bvp_error *error)
{
    uint8_t *bytes = malloc(size + 1);
    bvp_status status = bytes ? BVP_OK : bvpi_error_memory(error, size);
    if (status == BVP_OK)
        status = bvpi_scratch_read(&share->files[kind], share->offset[kind], bytes, size, error);
    if (status == BVP_OK)
        status = bvpi_scratch_append(to, bytes, size, error);
    share->offset[kind] += size;
    free(bytes);
    return status;
}

/* Takes what the share has of set `idx`; sets before it are passed. */
static bvp_status take_set(building *b, bvpi_share *share, uint32_t idx, bvp_error *error)
{
    bvpi_batch_store *store = b->store;
    bvp_status status = BVP_OK;
    for (; share->next_set <= idx && status == BVP_OK; share->next_set += share->count) {
        const uint32_t set = share->next_set;
        for (uint32_t k = b->stub_begin[set]; k < b->stub_begin[set + 1] && status == BVP_OK; k++) {
            bvpi_batch batch;
            status =
                bvpi_scratch_read(&share->files[BVPI_SHARE_BATCHES],
                                  share->offset[BVPI_SHARE_BATCHES], &batch, sizeof batch, error);
            if (status == BVP_OK && !bvpi_check_batch(&batch, count_of(b, b->stubs[k])))
                status = bvpi_changed(b->means, error);
            if (status != BVP_OK)
                break;
            const uint64_t sizes[4] = {batch.size, batch.ids_size,
                                       batch.wide_count * (uint64_t)sizeof *batch.wide,
                                       batch.record_count * (uint64_t)sizeof *batch.records};
            bvpi_scratch *to[4] = {&store->bytes, &store->ids, &store->wide, &store->records};
            share->offset[BVPI_SHARE_BATCHES] += sizeof batch;
            batch.bytes = batch.ids = NULL;
            batch.wide = NULL;
            batch.records = NULL;
            if (set == idx)
                b->out->batches[b->stubs[k]] = batch;
            for (int kind = 0; kind < 4 && status == BVP_OK; kind++)
                if (set == idx)
                    status = copy_range(share, kind, sizes[kind], to[kind], error);
                else
                    share->offset[kind] += sizes[kind];
            if (set == idx)
                bvpi_watch_add(b->means->watch, "build", batch.triangle_count);
        }
    }
    return status == BVP_OK ? save_set(b, idx, error) : status;
}

static bvp_status build_set(building *b, uint32_t idx, bvp_error *error)
{
    const uint32_t begin = b->stub_begin[idx], count = b->stub_begin[idx + 1] - begin;
    bvp_status status = load_set(b, idx, error);
    if (status == BVP_OK)
        status = order_large(b, error);
    if (status == BVP_OK) {
        b->first_piece = begin;
        bvpi_parallel(b->means->thread_count, count, build_batch, b);
        if (b->failed)
            status = bvpi_watch_goes_on(b->means->watch) ? no_memory(b, error)
                                                         : bvpi_error_cancelled(error);
    }
    forget_set(b);
    for (uint32_t k = 0; k < count && status == BVP_OK; k++)
        status = put_batch(b, &b->out->batches[b->stubs[begin + k]], error);
    if (b->means->state && status == BVP_OK)
        return save_set(b, idx, error);
    for (uint64_t k = 0; k < b->set->run_count; k++) {
        const bvpi_run_place *place = &b->sets.runs.places[b->set->runs[k]];
        bvpi_scratch_forget(&b->sets.runs.scratch, place->offset, place->size);
    }
    return status;
}

/* Maps the files, in which the batches lie in the order of `stubs`. */
static bvp_status map_batches(building *b, bvp_error *error)
{
    bvpi_batch_store *store = b->store;
    bvp_status status = bvpi_scratch_map(&store->bytes, error);
    if (status == BVP_OK)
        status = bvpi_scratch_map(&store->ids, error);
    if (status == BVP_OK)
        status = bvpi_scratch_map(&store->wide, error);
    if (status == BVP_OK)
        status = bvpi_scratch_map(&store->records, error);
    uint64_t bytes = 0, ids = 0, wide = 0, records = 0;
    for (uint32_t k = 0; k < b->out->batch_count && status == BVP_OK; k++) {
        bvpi_batch *batch = &b->out->batches[b->stubs[k]];
        if (batch->size > store->bytes.size - bytes || batch->ids_size > store->ids.size - ids ||
            batch->wide_count * sizeof *batch->wide > store->wide.size - wide ||
            batch->record_count * sizeof *batch->records > store->records.size - records)
            return bvpi_changed(b->means, error);
        batch->bytes = store->bytes.map + bytes;
        batch->ids = batch->ids_size > 0 ? store->ids.map + ids : NULL;
        batch->wide = (bvpi_wide *)(void *)(store->wide.map + wide);
        batch->records = (bvpi_record *)(void *)(store->records.map + records);
        bytes += batch->size;
        ids += batch->ids_size;
        wide += batch->wide_count * sizeof *batch->wide;
        records += batch->record_count * sizeof *batch->records;
        if (!bvpi_check_arrays(batch))
            status = bvpi_changed(b->means, error);
    }
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static bvp_status open_store(building *b, bvp_error *error)
{
    static const bvpi_progress nothing;
    const bvpi_large_means *means = b->means;
    const bvpi_progress *done = means->state ? &means->state->done : &nothing;
    bvpi_batch_store *store = b->store;
    bvp_status status = bvpi_large_file(means, "bytes", done->bytes_size, &store->bytes, error);
    if (status == BVP_OK)
        status = bvpi_large_file(means, "ids", done->ids_size, &store->ids, error);
    if (status == BVP_OK)
        status = bvpi_large_file(means, "wide", done->wide_size, &store->wide, error);
    if (status == BVP_OK)
        status = bvpi_large_file(means, "records", done->records_size, &store->records, error);
    if (status == BVP_OK && means->state)
        status = bvpi_large_file(means, "batches", done->batches_size, &b->batches, error);
    return status;
}

/* The places of records are written into nodes and records where these lie. A process that goes on
 * later needs them as they were. */
static bvp_status copy_changing(building *b, bvp_error *error)
{
    bvpi_scratch *files[2] = {&b->store->bytes, &b->store->wide};
    bvp_status status = BVP_OK;
    for (int k = 0; k < 2 && status == BVP_OK && b->means->state; k++) {
        bvpi_scratch copy;
        status = bvpi_scratch_open(b->means->state->folder, NULL, 0, &copy, error);
        if (status == BVP_OK)
            status = bvpi_scratch_copy(files[k], &copy, error);
        bvpi_scratch_close(files[k]);
        *files[k] = copy;
    }
    return status;
}

/* Everything but the batches. spool: NULL: the state has all sets. */
static bvp_status prepare(building *b, const bvpi_spool *spool, uint64_t triangle_count,
                          bvp_error *error)
{
    bvpi_wide_build *out = b->out;
    bvp_status status =
        bvpi_sets_make(spool, b->grid, BVPI_BATCH_TRIANGLES, b->means, &b->sets, error);
    if (status != BVP_OK)
        return status;
    b->nodes = (bvpi_batches){.build_nodes = b->sets.tree.build_nodes,
                              .build_node_count = b->sets.tree.build_node_count,
                              .build_node_capacity = b->sets.tree.build_node_count};
    b->sets.tree.build_nodes = NULL;
    status = split_large(b, error);
    if (status != BVP_OK)
        return status;
    const bool ok = bvpi_batch_builder_start(b->spec, b->grid, triangle_count, BVPI_BATCH_TRIANGLES,
                                             b->means->thread_count, &b->builder) &&
                    bvpi_wide_collapse_top(b->nodes.build_nodes, b->nodes.build_node_count,
                                           b->builder.node_price, out);
    if (ok) {
        out->batch_count = out->top.stub_count;
        out->batches = calloc(out->batch_count, sizeof *out->batches);
    }
    return ok && out->batches && list_stubs(b)
               ? BVP_OK
               : bvpi_error_memory(error, b->nodes.build_node_count * sizeof *out->batches);
}

static bvp_status build(building *b, const bvpi_spool *spool, bvp_error *error)
{
    bvpi_wide_build *out = b->out;
    bvp_status status = prepare(b, spool, spool->triangle_count, error);
    if (status == BVP_OK)
        status = open_store(b, error);
    if (status != BVP_OK)
        return status;
    status = load_batches(b, error);
    if (status == BVP_OK && b->means->state)
        status = bvpi_shares_find(b->means->state, &b->shares, &b->share_count, error);
    for (uint32_t k = b->means->state ? b->means->state->done.built_count : 0;
         k < b->sets.set_count && status == BVP_OK; k++) {
        bvpi_share *share = bvpi_share_of(b->shares, b->share_count, k);
        status = share ? take_set(b, share, k, error) : build_set(b, k, error);
    }
    for (uint32_t k = 0; k < out->batch_count; k++)
        out->degenerate_count += out->batches[k].degenerate_count;
    if (status == BVP_OK)
        status = copy_changing(b, error);
    if (status == BVP_OK)
        status = map_batches(b, error);
    if (status == BVP_OK && !bvpi_wide_number_upper(out))
        status = b->means->state
                     ? bvpi_changed(b->means, error)
                     : bvpi_error_memory(error, out->batch_count * sizeof *out->batches);
    return status;
}

static void end_building(building *b)
{
    bvpi_sets_close(&b->sets);
    bvpi_scratch_close(&b->batches);
    bvpi_batches_free(&b->nodes);
    bvpi_batch_builder_end(&b->builder);
    for (uint32_t k = 0; k < b->share_count; k++)
        bvpi_share_close(&b->shares[k]);
    free(b->shares);
    free(b->stubs);
    free(b->stub_begin);
}

bvp_status bvpi_large_wide_make(const bvpi_spool *spool, const bvpi_mesh *kept,
                                const bvpi_grid *grid, const bvp_hierarchy_spec *spec,
                                const bvpi_large_means *means, bvpi_wide_build *out,
                                bvpi_batch_store *store, bvp_error *error)
{
    building b = {.kept = kept,
                  .grid = grid,
                  .spec = spec,
                  .means = means,
                  .out = out,
                  .store = store,
                  .batches = BVPI_NO_SCRATCH,
                  .sets.runs.scratch = BVPI_NO_SCRATCH};
    assert(spool->triangle_count > BVPI_BATCH_TRIANGLES);
    *out = (bvpi_wide_build){.grid = grid};
    *store = (bvpi_batch_store){BVPI_NO_SCRATCH, BVPI_NO_SCRATCH, BVPI_NO_SCRATCH, BVPI_NO_SCRATCH};
    const bvp_status status = build(&b, spool, error);
    for (uint32_t k = 0; k < out->batch_count && out->batches && status != BVP_OK; k++)
        if (!store->bytes.map) /* else nothing of them is on the heap */
            bvpi_batch_free(&out->batches[k]);
    end_building(&b);
    return status;
}

/* The share's files take the store's place. */
static bvp_status build_share(building *b, uint32_t index, uint32_t count, bvp_error *error)
{
    bvpi_share share;
    bvp_status status = bvpi_share_create(b->means->state, index, count, &share, error);
    b->store->bytes = share.files[BVPI_SHARE_BYTES];
    b->store->ids = share.files[BVPI_SHARE_IDS];
    b->store->wide = share.files[BVPI_SHARE_WIDE];
    b->store->records = share.files[BVPI_SHARE_RECORDS];
    b->batches = share.files[BVPI_SHARE_BATCHES];
    for (uint64_t k = index - 1; k < b->sets.set_count && status == BVP_OK; k += count)
        status = build_set(b, (uint32_t)k, error);
    share.files[BVPI_SHARE_BYTES] = b->store->bytes;
    share.files[BVPI_SHARE_IDS] = b->store->ids;
    share.files[BVPI_SHARE_WIDE] = b->store->wide;
    share.files[BVPI_SHARE_RECORDS] = b->store->records;
    share.files[BVPI_SHARE_BATCHES] = b->batches;
    b->batches = BVPI_NO_SCRATCH;
    if (status == BVP_OK)
        status = bvpi_share_publish(b->means->state, &share, error);
    bvpi_share_close(&share);
    return status;
}

bvp_status bvpi_large_wide_share(uint64_t triangle_count, const bvpi_mesh *kept,
                                 const bvpi_grid *grid, const bvp_hierarchy_spec *spec,
                                 const bvpi_large_means *means, uint32_t index, uint32_t count,
                                 bvp_error *error)
{
    bvpi_wide_build made = {.grid = grid};
    bvpi_batch_store store;
    building b = {.kept = kept,
                  .grid = grid,
                  .spec = spec,
                  .means = means,
                  .out = &made,
                  .store = &store,
                  .is_share = true,
                  .batches = BVPI_NO_SCRATCH,
                  .sets.runs.scratch = BVPI_NO_SCRATCH};
    assert(means->state && means->state->done.stage >= BVPI_STAGE_DEALT);
    bvp_status status = prepare(&b, NULL, triangle_count, error);
    if (status == BVP_OK)
        status = build_share(&b, index, count, error);
    for (uint32_t k = 0; k < made.batch_count && made.batches; k++)
        bvpi_batch_free(&made.batches[k]); /* those of a set that failed */
    free(made.batches);
    end_building(&b);
    bvpi_wide_free(&made);
    return status;
}
