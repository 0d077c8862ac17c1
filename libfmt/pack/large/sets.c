/* SPDX-License-Identifier: MIT
 * sets.c: the upper levels of a hierarchy whose triangles are not in memory.
 *
 * As batches.c does: a tree of planes is built over a sample, every 32nd triangle, and the planes
 * send all triangles to their batches. Here consecutive batches make a set that fits in memory, and
 * a set's triangles go to its runs in a temporary file, in the stream's order. So each set can be
 * built by itself, and has its triangles in the order in which batches.c would have them.
 *
 * Three passes over the runs: the sample; classification and dealing; later each set once.
 *
 * Held by tests/unit/test_large.c: the nodes of batches.c.
 * Measured: decisions.md, "Larger than memory"
 */
#include "pack/large/sets.h"

#include "base/isa.h"
#include "base/large_array.h"
#include "base/parallel.h"
#include "base/status.h"
#include "pack/large/check_state.h"
#include "pack/large/state.h"
#include "pack/mesh/weld.h"
#include "pack/tree/batches.h"

#include <assert.h>
#include <float.h>
#include <pthread.h>

enum {
    TRIANGLE_COST = 128, /* bytes of memory for each triangle of a set that is being built */
    SET_RUN = 1 << 13,   /* triangles in a run of a set */
    CORNERS = 9 * sizeof(float)
};

static const bvpi_items_kernel *kernel(void)
{
    return BVPI_ISA_CHOOSE(bvpi_items_kernel, bvpi_isa_of_cpu());
}

/* ---- the sample ------------------------------------------------------------------------------ */

typedef struct sampling {
    const bvpi_large_means *means;
    const bvpi_grid *grid;
    bvpi_item *sample;
    uint32_t count;
    const bvpi_run *runs; /* of the group */
    uint64_t first;
} sampling;

/* A run has whole strides of the sample. */
static void sample_run(void *user, uint32_t piece)
{
    const sampling *s = user;
    const bvpi_run *run = &s->runs[piece];
    const bvpi_mesh mesh = bvpi_run_mesh(run);
    const uint64_t begin = (s->first + piece) * s->means->run_size;
    const uint64_t end = (begin + run->triangle_count) / BVPI_SAMPLE_STRIDE;
    for (uint64_t k = begin / BVPI_SAMPLE_STRIDE; k < end; k++) {
        const uint64_t local = s->sample[k].id - begin;
        kernel()->make(&mesh, s->grid, local, local + 1, s->sample + k - local);
    }
}

static bvp_status sample_runs(void *user, bvpi_run *runs, uint64_t first, uint32_t count,
                              bvp_error *error)
{
    sampling *s = user;
    (void)error;
    s->runs = runs;
    s->first = first;
    bvpi_parallel(s->means->thread_count, count, sample_run, s);
    return BVP_OK;
}

/* Builds the tree of planes over the sample. */
static bvp_status plan(const bvpi_spool *spool, const bvpi_grid *grid, uint32_t most,
                       const bvpi_large_means *means, bvpi_sample_tree *tree, bvp_error *error)
{
    const uint32_t count = (uint32_t)(spool->triangle_count / BVPI_SAMPLE_STRIDE);
    const uint32_t leaf_most = most / BVPI_SAMPLE_STRIDE * 3 / 4;
    const uint64_t room = bvpi_sample_room(count, leaf_most);
    sampling s = {.means = means, .grid = grid, .count = count};
    assert(means->run_size % BVPI_SAMPLE_STRIDE == 0 && count > 0);
    s.sample = bvpi_allocate(count, sizeof *s.sample);
    tree->build_nodes = bvpi_allocate(room, sizeof *tree->build_nodes);
    tree->planes = bvpi_allocate(room, sizeof *tree->planes);
    tree->leaves = bvpi_allocate(room, sizeof *tree->leaves);
    bvp_status status = BVP_OK;
    if (!s.sample || !tree->build_nodes || !tree->planes || !tree->leaves)
        status = bvpi_error_memory(error, count * sizeof *s.sample);
    uint32_t state = 0;
    for (uint32_t k = 0; k < count && status == BVP_OK; k++)
        s.sample[k].id = k * BVPI_SAMPLE_STRIDE + bvpi_sample_next(&state, BVPI_SAMPLE_STRIDE);
    if (status == BVP_OK)
        status = bvpi_spool_visit(&spool->runs, means, sample_runs, &s, error);
    if (status == BVP_OK)
        bvpi_sample_split(s.sample, count, leaf_most, 0, tree);
    assert(status != BVP_OK || tree->build_node_count <= room);
    free(s.sample);
    return status;
}

/* Consecutive batches as sets, by the sample's counts. */
static bvp_status cut_sets(const bvpi_large_means *means, bvpi_sets *out, bvp_error *error)
{
    const bvpi_sample_tree *t = &out->tree;
    const uint64_t most = means->memory / 2 / TRIANGLE_COST;
    uint64_t sum = 0;
    out->sets = calloc(t->leaf_count, sizeof *out->sets);
    if (!out->sets)
        return bvpi_error_memory(error, t->leaf_count * sizeof *out->sets);
    for (uint32_t k = 0; k < t->leaf_count; k++) {
        const uint64_t count = (uint64_t)t->build_nodes[t->leaves[k]].count * BVPI_SAMPLE_STRIDE;
        if (k == 0 || sum + count > most) {
            out->sets[out->set_count++].first_leaf = k;
            sum = 0;
        }
        out->sets[out->set_count - 1].leaf_count++;
        sum += count;
    }
    return BVP_OK;
}

/* ---- dealing --------------------------------------------------------------------------------- */

/* What a run of the group becomes. */
typedef struct dealt {
    uint32_t *order;  /* its triangles, set by set */
    uint32_t *begin;  /* of each set, and of one behind the last, in `order` */
    uint32_t *counts; /* of each leaf; over all groups */
    bvpi_batch_box *boxes;
    bool failed;
} dealt;

/* Triangles of a set that do not make a run yet. */
typedef struct waiting {
    uint8_t *corners;
    uint32_t *ids, count;
    uint8_t **bytes; /* runs that are to be appended */
    bvpi_run_place *places;
    uint64_t made_count, byte_capacity, place_capacity;
    bool failed;
} waiting;

typedef struct dealing {
    const bvpi_large_means *means;
    const bvpi_grid *grid;
    const bvpi_spool *spool;
    bvpi_sets *out;
    uint32_t *set_of; /* each leaf's */
    dealt of[BVPI_RUN_GROUP];
    waiting *waiting;     /* of each set */
    const bvpi_run *runs; /* of the group */
    uint32_t count;
} dealing;

static void classify_run(void *user, uint32_t piece)
{
    dealing *d = user;
    dealt *of = &d->of[piece];
    const bvpi_run *run = &d->runs[piece];
    const bvpi_mesh mesh = bvpi_run_mesh(run);
    const uint32_t count = run->triangle_count, set_count = d->out->set_count;
    uint32_t *leaf_of = malloc(count * sizeof *leaf_of);
    of->failed = !leaf_of;
    if (!of->failed) {
        kernel()->classify(&mesh, d->grid, d->out->tree.planes, 0, count, leaf_of, of->counts,
                           of->boxes);
        memset(of->begin, 0, (set_count + 1) * sizeof *of->begin);
        for (uint32_t i = 0; i < count; i++)
            of->begin[d->set_of[leaf_of[i]] + 1]++;
        for (uint32_t k = 0; k < set_count; k++)
            of->begin[k + 1] += of->begin[k];
        for (uint32_t i = 0; i < count; i++) /* moves each begin to the next one's */
            of->order[of->begin[d->set_of[leaf_of[i]]]++] = i;
        memmove(of->begin + 1, of->begin, set_count * sizeof *of->begin);
        of->begin[0] = 0;
    }
    free(leaf_of);
}

static bool make_run(waiting *w)
{
    bvpi_run run;
    bvpi_run_place place;
    uint8_t *bytes = NULL;
    if (bvpi_run_make(w->corners, 12, w->ids, w->count, &run))
        bytes = bvpi_run_encode(&run, &place);
    bvpi_run_free(&run);
    w->count = 0;
    if (!bytes || !bvpi_grow(&w->bytes, &w->byte_capacity, w->made_count + 1, sizeof *w->bytes) ||
        !bvpi_grow(&w->places, &w->place_capacity, w->made_count + 1, sizeof *w->places)) {
        free(bytes);
        return false;
    }
    w->places[w->made_count] = place;
    w->bytes[w->made_count++] = bytes;
    return true;
}

/* Takes the group's triangles of set `piece`. */
static void gather_set(void *user, uint32_t piece)
{
    dealing *d = user;
    waiting *w = &d->waiting[piece];
    for (uint32_t r = 0; r < d->count && !w->failed; r++) {
        const dealt *of = &d->of[r];
        const bvpi_run *run = &d->runs[r];
        for (uint32_t i = of->begin[piece]; i < of->begin[piece + 1] && !w->failed; i++) {
            const uint32_t triangle = of->order[i];
            uint8_t *corners = w->corners + (size_t)w->count * CORNERS;
            for (int k = 0; k < 3; k++)
                memcpy(corners + 12 * k,
                       run->positions + 12 * (size_t)run->indices[3 * (size_t)triangle + k], 12);
            w->ids[w->count++] = run->ids[triangle];
            if (w->count == SET_RUN)
                w->failed = !make_run(w);
        }
    }
}

static bvp_status append_made(dealing *d, uint32_t idx, bvp_error *error)
{
    waiting *w = &d->waiting[idx];
    bvpi_set *set = &d->out->sets[idx];
    bvp_status status = w->failed ? bvpi_error_memory(error, SET_RUN * (uint64_t)CORNERS) : BVP_OK;
    for (uint64_t k = 0; k < w->made_count; k++) {
        if (status == BVP_OK &&
            !bvpi_grow(&set->runs, &set->run_capacity, set->run_count + 1, sizeof *set->runs))
            status = bvpi_error_memory(error, (set->run_count + 1) * sizeof *set->runs);
        if (status == BVP_OK) {
            set->runs[set->run_count++] = d->out->runs.count;
            set->triangle_count += w->places[k].triangle_count;
            status = bvpi_run_append(&d->out->runs, w->bytes[k], &w->places[k], error);
        }
        free(w->bytes[k]);
    }
    w->made_count = 0;
    return status;
}

static bvp_status deal_runs(void *user, bvpi_run *runs, uint64_t first, uint32_t count,
                            bvp_error *error)
{
    dealing *d = user;
    bvp_status status = BVP_OK;
    d->runs = runs;
    d->count = count;
    bvpi_parallel(d->means->thread_count, count, classify_run, d);
    for (uint32_t k = 0; k < count && status == BVP_OK; k++)
        if (d->of[k].failed)
            status = bvpi_error_memory(error, runs[k].triangle_count * sizeof(bvpi_item));
    if (status == BVP_OK)
        bvpi_parallel(d->means->thread_count, d->out->set_count, gather_set, d);
    for (uint32_t k = 0; k < d->out->set_count && status == BVP_OK; k++)
        status = append_made(d, k, error);
    for (uint32_t k = 0; k < count && status == BVP_OK && !d->means->state; k++) {
        const bvpi_run_place *place = &d->spool->runs.places[first + k];
        bvpi_scratch_forget(&d->spool->runs.scratch, place->offset, place->size);
    }
    return status;
}

static void gather_rest(void *user, uint32_t piece)
{
    dealing *d = user;
    waiting *w = &d->waiting[piece];
    if (w->count > 0)
        w->failed = !make_run(w);
}

/* Less than any item, for each leaf; NULL: out of memory. */
static bvpi_batch_box *make_boxes(uint32_t leaf_count)
{
    const bvpi_f32x4 none = {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX};
    bvpi_batch_box *boxes = bvpi_allocate(leaf_count, sizeof *boxes);
    for (uint32_t k = 0; k < leaf_count && boxes; k++)
        boxes[k] = (bvpi_batch_box){none, none};
    return boxes;
}

static bool make_room(dealing *d)
{
    const uint32_t leaf_count = d->out->tree.leaf_count, set_count = d->out->set_count;
    bool ok = true;
    d->set_of = malloc(leaf_count * sizeof *d->set_of);
    d->waiting = calloc(set_count, sizeof *d->waiting);
    for (uint32_t k = 0; k < d->means->group && ok; k++) {
        dealt *of = &d->of[k];
        of->order = malloc(d->means->run_size * sizeof *of->order);
        of->begin = malloc((set_count + 1) * sizeof *of->begin);
        of->counts = calloc(leaf_count, sizeof *of->counts);
        of->boxes = make_boxes(leaf_count);
        ok = of->order && of->begin && of->counts && of->boxes;
    }
    for (uint32_t k = 0; k < set_count && ok && d->waiting; k++) {
        waiting *w = &d->waiting[k];
        w->corners = malloc(SET_RUN * CORNERS);
        w->ids = malloc(SET_RUN * sizeof *w->ids);
        ok = w->corners && w->ids;
    }
    ok = ok && d->set_of && d->waiting;
    for (uint32_t k = 0; k < set_count && ok; k++)
        for (uint32_t leaf = 0; leaf < d->out->sets[k].leaf_count; leaf++)
            d->set_of[d->out->sets[k].first_leaf + leaf] = k;
    return ok;
}

static void free_room(dealing *d)
{
    for (uint32_t k = 0; k < BVPI_RUN_GROUP; k++) {
        free(d->of[k].order);
        free(d->of[k].begin);
        free(d->of[k].counts);
        free(d->of[k].boxes);
    }
    for (uint32_t k = 0; k < d->out->set_count && d->waiting; k++) {
        waiting *w = &d->waiting[k];
        for (uint64_t i = 0; i < w->made_count; i++)
            free(w->bytes[i]);
        free(w->corners);
        free(w->ids);
        free(w->bytes);
        free(w->places);
    }
    free(d->waiting);
    free(d->set_of);
}

/* Sets count, first and box of the leaves, then of the nodes above them. */
static void settle_leaves(dealing *d)
{
    bvpi_sample_tree *t = &d->out->tree;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < t->leaf_count; k++) {
        bvpi_build_node *leaf = &t->build_nodes[t->leaves[k]];
        bvpi_batch_box box = d->of[0].boxes[k];
        leaf->count = 0;
        for (uint32_t g = 0; g < d->means->group; g++) {
            leaf->count += d->of[g].counts[k];
            box.minus_lo = bvpi_max4(box.minus_lo, d->of[g].boxes[k].minus_lo);
            box.hi = bvpi_max4(box.hi, d->of[g].boxes[k].hi);
        }
        memcpy(leaf->minus_lo, &box.minus_lo, sizeof leaf->minus_lo);
        memcpy(leaf->hi, &box.hi, sizeof leaf->hi);
        leaf->first = (uint32_t)sum;
        if (k == d->out->sets[d->set_of[k]].first_leaf)
            d->out->sets[d->set_of[k]].first = sum;
        sum += leaf->count;
    }
    assert(sum == d->spool->triangle_count);
    bvpi_sample_join(t->build_nodes, t->build_node_count);
}

static bvp_status deal(dealing *d, bvp_error *error)
{
    bvp_status status = make_room(d) ? BVP_OK : bvpi_error_memory(error, SET_RUN * CORNERS);
    if (status == BVP_OK)
        status = bvpi_spool_visit(&d->spool->runs, d->means, deal_runs, d, error);
    if (status != BVP_OK)
        return status;
    bvpi_parallel(d->means->thread_count, d->out->set_count, gather_rest, d);
    for (uint32_t k = 0; k < d->out->set_count && status == BVP_OK; k++)
        status = append_made(d, k, error);
    if (status == BVP_OK)
        settle_leaves(d);
    return status;
}

/* ---- the state ------------------------------------------------------------------------------- */

/* What the file "tree" begins with; then nodes, planes, leaves, sets, their runs' numbers, and the
 * places of all runs. */
typedef struct tree_head {
    uint64_t build_node_count, leaf_count, set_count, run_count;
} tree_head;

static bvp_status save_tree(bvpi_sets *sets, const bvpi_large_means *means, bvp_error *error)
{
    const bvpi_sample_tree *t = &sets->tree;
    const tree_head head = {t->build_node_count, t->leaf_count, sets->set_count, sets->runs.count};
    bvpi_scratch file;
    bvp_status status = bvpi_large_file(means, "tree", 0, &file, error);
    if (status == BVP_OK)
        status = bvpi_scratch_append(&file, &head, sizeof head, error);
    if (status == BVP_OK)
        status = bvpi_scratch_append(&file, t->build_nodes,
                                     t->build_node_count * sizeof *t->build_nodes, error);
    if (status == BVP_OK)
        status =
            bvpi_scratch_append(&file, t->planes, t->build_node_count * sizeof *t->planes, error);
    if (status == BVP_OK)
        status = bvpi_scratch_append(&file, t->leaves, t->leaf_count * sizeof *t->leaves, error);
    if (status == BVP_OK)
        status =
            bvpi_scratch_append(&file, sets->sets, sets->set_count * sizeof *sets->sets, error);
    for (uint32_t k = 0; k < sets->set_count && status == BVP_OK; k++)
        status = bvpi_scratch_append(&file, sets->sets[k].runs,
                                     sets->sets[k].run_count * sizeof *sets->sets[k].runs, error);
    if (status == BVP_OK)
        status = bvpi_scratch_append(&file, sets->runs.places,
                                     sets->runs.count * sizeof *sets->runs.places, error);
    if (status == BVP_OK)
        status = bvpi_scratch_sync(&file, error);
    means->state->done.tree_size = file.size;
    bvpi_scratch_close(&file);
    return status;
}

/* Reads `count` elements at *offset into an array to be freed. */
static bvp_status read_array(const bvpi_scratch *file, uint64_t *offset, uint64_t count,
                             size_t size, void *out, bvp_error *error)
{
    void *array = bvpi_allocate(count, size);
    memcpy(out, &array, sizeof array);
    if (!array)
        return bvpi_error_memory(error, count * size);
    const bvp_status status = bvpi_scratch_read(file, *offset, array, count * size, error);
    *offset += count * size;
    return status;
}

/* Has the file room for so much? */
static bool fits(const tree_head *h, uint64_t size)
{
    return h->build_node_count > 0 && h->leaf_count > 0 && h->set_count > 0 &&
           h->build_node_count <= size / sizeof(bvpi_build_node) &&
           h->leaf_count <= h->build_node_count && h->set_count <= h->leaf_count &&
           h->run_count <= size / sizeof(bvpi_run_place);
}

static bvp_status load_tree(bvpi_sets *sets, const bvpi_large_means *means, bvp_error *error)
{
    bvpi_sample_tree *t = &sets->tree;
    tree_head head = {.set_count = 0};
    uint64_t offset = sizeof head;
    bvpi_scratch file;
    bvp_status status = bvpi_large_file(means, "tree", means->state->done.tree_size, &file, error);
    if (status == BVP_OK)
        status = bvpi_scratch_read(&file, 0, &head, sizeof head, error);
    if (status == BVP_OK && !fits(&head, file.size))
        status = bvpi_changed(means, error);
    if (status == BVP_OK)
        status = read_array(&file, &offset, head.build_node_count, sizeof *t->build_nodes,
                            &t->build_nodes, error);
    if (status == BVP_OK)
        status =
            read_array(&file, &offset, head.build_node_count, sizeof *t->planes, &t->planes, error);
    if (status == BVP_OK)
        status = read_array(&file, &offset, head.leaf_count, sizeof *t->leaves, &t->leaves, error);
    if (status == BVP_OK)
        status = read_array(&file, &offset, head.set_count, sizeof *sets->sets, &sets->sets, error);
    for (uint32_t k = 0; k < head.set_count && status == BVP_OK; k++, sets->set_count++) {
        bvpi_set *set = &sets->sets[k];
        set->runs = NULL;
        if (set->run_count > head.run_count) {
            status = bvpi_changed(means, error);
            break;
        }
        status = read_array(&file, &offset, set->run_count, sizeof *set->runs, &set->runs, error);
        set->run_capacity = set->run_count;
    }
    if (status == BVP_OK)
        status = read_array(&file, &offset, head.run_count, sizeof *sets->runs.places,
                            &sets->runs.places, error);
    t->build_node_count = (uint32_t)head.build_node_count;
    t->leaf_count = (uint32_t)head.leaf_count;
    sets->runs.count = sets->runs.capacity = head.run_count;
    bvpi_scratch_close(&file);
    const bvpi_progress *done = &means->state->done;
    if (status == BVP_OK && !bvpi_check_sets(sets, &done->description.grid,
                                             done->spool.triangle_count, done->sets_size))
        status = bvpi_changed(means, error);
    return status == BVP_OK
               ? bvpi_large_file(means, "sets", done->sets_size, &sets->runs.scratch, error)
               : status;
}

/* All sets are dealt: the runs of the stream are not needed any more. */
static bvp_status save_sets(bvpi_sets *sets, const bvpi_spool *spool, const bvpi_large_means *means,
                            bvp_error *error)
{
    bvpi_large_state *state = means->state;
    bvp_status status = bvpi_scratch_sync(&sets->runs.scratch, error);
    if (status == BVP_OK)
        status = save_tree(sets, means, error);
    state->done.sets_size = sets->runs.scratch.size;
    state->done.stage = BVPI_STAGE_DEALT;
    if (status == BVP_OK)
        status = bvpi_state_save(state, error);
    if (status == BVP_OK)
        bvpi_scratch_forget(&spool->runs.scratch, 0, spool->runs.scratch.size);
    return status;
}

/* ---- the calls ------------------------------------------------------------------------------- */

static bvp_status make_sets(const bvpi_spool *spool, const bvpi_grid *grid, uint32_t most,
                            const bvpi_large_means *means, bvpi_sets *out, bvp_error *error)
{
    bvp_status status = plan(spool, grid, most, means, &out->tree, error);
    if (status == BVP_OK)
        status = cut_sets(means, out, error);
    if (status == BVP_OK)
        status = bvpi_large_file(means, "sets", 0, &out->runs.scratch, error);
    if (status != BVP_OK)
        return status;
    dealing *d = calloc(1, sizeof *d);
    if (!d)
        return bvpi_error_memory(error, sizeof *d);
    *d = (dealing){.means = means, .grid = grid, .spool = spool, .out = out};
    status = deal(d, error);
    free_room(d);
    free(d);
    return status;
}

bvp_status bvpi_sets_make(const bvpi_spool *spool, const bvpi_grid *grid, uint32_t most,
                          const bvpi_large_means *means, bvpi_sets *out, bvp_error *error)
{
    *out = (bvpi_sets){.runs.scratch = BVPI_NO_SCRATCH};
    if (means->state && means->state->done.stage >= BVPI_STAGE_DEALT)
        return load_tree(out, means, error);
    const bvp_status status = make_sets(spool, grid, most, means, out, error);
    return status == BVP_OK && means->state ? save_sets(out, spool, means, error) : status;
}

void bvpi_sets_close(bvpi_sets *sets)
{
    bvpi_run_file_close(&sets->runs);
    for (uint32_t k = 0; k < sets->set_count; k++)
        free(sets->sets[k].runs);
    free(sets->sets);
    free(sets->tree.build_nodes);
    free(sets->tree.planes);
    free(sets->tree.leaves);
    *sets = (bvpi_sets){.runs.scratch = BVPI_NO_SCRATCH};
}

/* ---- loading --------------------------------------------------------------------------------- */

typedef struct loading {
    const bvpi_sets *sets;
    const bvpi_set *set;
    const bvpi_grid *grid;
    bvpi_set_mesh *out;
    uint8_t *positions; /* of all runs, before they are welded */
    uint32_t *indices, *ids;
    uint64_t *first_triangle, *first_vertex; /* of each run */
    uint32_t failed;                         /* atomic */
    uint32_t is_changed;                     /* atomic */
    pthread_mutex_t lock;                    /* of the counts and boxes of all pieces */
} loading;

static void load_run(void *user, uint32_t piece)
{
    loading *l = user;
    bvpi_run run;
    const bvpi_run_place *place = &l->sets->runs.places[l->set->runs[piece]];
    const bvp_status status = bvpi_run_read(&l->sets->runs.scratch, place, &run, NULL);
    if (status != BVP_OK) {
        __atomic_store_n(status == BVP_ERR_ARGUMENT ? &l->is_changed : &l->failed, 1,
                         __ATOMIC_RELAXED);
        bvpi_run_free(&run);
        return;
    }
    const uint64_t triangle = l->first_triangle[piece], vertex = l->first_vertex[piece];
    memcpy(l->positions + 12 * vertex, run.positions, 12 * (size_t)run.vertex_count);
    memcpy(l->ids + triangle, run.ids, run.triangle_count * sizeof *run.ids);
    for (uint64_t k = 0; k < 3 * (uint64_t)run.triangle_count; k++)
        l->indices[3 * triangle + k] = (uint32_t)(run.indices[k] + vertex);
    bvpi_run_free(&run);
}

enum { CLASSIFY_PIECE = 1 << 18 };

static void classify_piece(void *user, uint32_t piece)
{
    loading *l = user;
    const bvpi_mesh *mesh = &l->out->mesh;
    const uint64_t begin = (uint64_t)piece * CLASSIFY_PIECE;
    const uint64_t left = mesh->triangle_count - begin;
    const uint64_t end = begin + (left < CLASSIFY_PIECE ? left : CLASSIFY_PIECE);
    const uint32_t first_leaf = l->set->first_leaf, leaf_count = l->set->leaf_count;
    uint32_t *counts = calloc(l->sets->tree.leaf_count, sizeof *counts);
    bvpi_batch_box *boxes = make_boxes(l->sets->tree.leaf_count);
    if (!counts || !boxes)
        __atomic_store_n(&l->failed, 1, __ATOMIC_RELAXED);
    else
        kernel()->classify(mesh, l->grid, l->sets->tree.planes, begin, end, l->out->batch_of,
                           counts, boxes);
    for (uint64_t i = begin; i < end && counts && boxes; i++) {
        l->out->batch_of[i] -= first_leaf;
        if (l->out->batch_of[i] >= leaf_count)
            __atomic_store_n(&l->is_changed, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_lock(&l->lock);
    for (uint32_t k = 0; k < leaf_count && counts && boxes; k++) {
        bvpi_batch_box *box = &l->out->boxes[k];
        l->out->counts[k] += counts[first_leaf + k];
        box->minus_lo = bvpi_max4(box->minus_lo, boxes[first_leaf + k].minus_lo);
        box->hi = bvpi_max4(box->hi, boxes[first_leaf + k].hi);
    }
    pthread_mutex_unlock(&l->lock);
    free(counts);
    free(boxes);
}

static bvp_status load(loading *l, const bvpi_large_means *means, bvp_error *error)
{
    uint64_t triangles = 0, vertices = 0;
    const uint64_t count = l->set->run_count;
    l->first_triangle = malloc((count + 1) * sizeof *l->first_triangle);
    l->first_vertex = malloc((count + 1) * sizeof *l->first_vertex);
    if (!l->first_triangle || !l->first_vertex)
        return bvpi_error_memory(error, count * sizeof *l->first_vertex);
    for (uint64_t k = 0; k < count; k++) {
        const bvpi_run_place *place = &l->sets->runs.places[l->set->runs[k]];
        l->first_triangle[k] = triangles;
        l->first_vertex[k] = vertices;
        triangles += place->triangle_count;
        vertices += place->vertex_count;
    }
    if (vertices >= UINT32_MAX)
        return bvpi_error_memory(error, vertices * 12);
    l->positions = bvpi_allocate(vertices, 12);
    l->indices = bvpi_allocate(3 * triangles, sizeof *l->indices);
    l->ids = bvpi_allocate(triangles, sizeof *l->ids);
    l->out->batch_of = bvpi_allocate(triangles, sizeof *l->out->batch_of);
    l->out->counts = calloc(l->set->leaf_count, sizeof *l->out->counts);
    l->out->boxes = make_boxes(l->set->leaf_count);
    if (!l->positions || !l->indices || !l->ids || !l->out->batch_of || !l->out->counts ||
        !l->out->boxes)
        return bvpi_error_memory(error, triangles * 20 + vertices * 12);
    bvpi_parallel(means->thread_count, (uint32_t)count, load_run, l);
    const bvpi_vertices v = {l->positions, 12, 12, (uint32_t)vertices, 36};
    uint8_t *positions = NULL;
    uint32_t vertex_count = UINT32_MAX;
    if (l->is_changed)
        return bvpi_changed(means, error);
    if (!l->failed)
        vertex_count =
            bvpi_weld(&v, l->indices, 3 * triangles, means->thread_count, l->indices, &positions);
    if (vertex_count == UINT32_MAX)
        return bvpi_error_memory(error, triangles * 20 + vertices * 12);
    l->out->mesh = (bvpi_mesh){.positions = (const float *)(const void *)positions,
                               .indices = l->indices,
                               .ids = l->ids,
                               .vertex_count = vertex_count,
                               .triangle_count = (uint32_t)triangles};
    l->indices = l->ids = NULL;
    bvpi_parallel(means->thread_count,
                  (uint32_t)((triangles + CLASSIFY_PIECE - 1) / CLASSIFY_PIECE), classify_piece, l);
    if (l->is_changed)
        return bvpi_changed(means, error);
    return l->failed ? bvpi_error_memory(error, l->sets->tree.leaf_count * sizeof(uint32_t))
                     : BVP_OK;
}

bvp_status bvpi_set_load(const bvpi_sets *sets, const bvpi_grid *grid, uint32_t idx,
                         const bvpi_large_means *means, bvpi_set_mesh *out, bvp_error *error)
{
    loading l = {.sets = sets,
                 .set = &sets->sets[idx],
                 .grid = grid,
                 .out = out,
                 .lock = PTHREAD_MUTEX_INITIALIZER};
    *out = (bvpi_set_mesh){.batch_of = NULL};
    const bvp_status status = load(&l, means, error);
    free(l.positions);
    free(l.indices);
    free(l.ids);
    free(l.first_triangle);
    free(l.first_vertex);
    if (status != BVP_OK)
        bvpi_set_mesh_free(out);
    return status;
}

void bvpi_set_mesh_free(bvpi_set_mesh *m)
{
    free((void *)m->mesh.positions);
    free((void *)m->mesh.indices);
    free((void *)m->mesh.ids);
    free(m->batch_of);
    free(m->counts);
    free(m->boxes);
    *m = (bvpi_set_mesh){.batch_of = NULL};
}
