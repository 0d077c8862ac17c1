/* SPDX-License-Identifier: MIT
 * verify_ahead.c: rules that are checked on several threads before the verifier comes to them.
 *
 * The verifier goes through a file in one order, so that its findings come in that order. What
 * costs most are the hashes of blocks and the bytes of parts, and these do not depend on one
 * another. Here they are only tried: is there any finding at all? The verifier then passes over
 * what is sound, and checks everything else once more by itself. So findings are the same for any
 * number of threads, and damaged files take longer than sound ones.
 *
 * A part is tried in three tasks: its content, which takes longest and begins first; its
 * hierarchies, with every triangle in a leaf; its clusters. A task begins with what the parts
 * before it hand on, foretold from their records. The verifier uses its result only if that was
 * foretold rightly.
 *
 * Work stays linear: no task reads bytes of DATA, TIDS, HIER or BINH that an earlier part has.
 *
 * Held by tests/property/test_verify.c: the same findings on one and on three threads.
 */
#include "format/check/verify_file.h"

#include "base/checked.h"
#include "base/parallel.h"
#include "format/lazy.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS_A_PIECE = 256, TASKS = 3 };

/* ---- hashes of blocks ------------------------------------------------------------------------ */

typedef struct block_trial {
    const bvpi_verify *verify;
    uint64_t block_count;
    int is_sound, is_cancelled; /* atomic */
} block_trial;

static void try_blocks(void *user, uint32_t piece)
{
    block_trial *t = user;
    const bvp_file *file = &t->verify->file;
    const uint64_t from = (uint64_t)piece * BLOCKS_A_PIECE;
    if (bvpi_is_cancelled(t->verify->control))
        __atomic_store_n(&t->is_cancelled, 1, __ATOMIC_RELAXED);
    bool is_sound = !__atomic_load_n(&t->is_cancelled, __ATOMIC_RELAXED);
    for (uint64_t block = from; block < t->block_count && block < from + BLOCKS_A_PIECE && is_sound;
         block++)
        is_sound = bvpi_block_is_good(file, block);
    if (!is_sound)
        __atomic_store_n(&t->is_sound, 0, __ATOMIC_RELAXED);
}

/* A callback that said so once need not say it again. */
static void end_if(bvpi_verify *v, int is_cancelled)
{
    if (is_cancelled) {
        v->report.stopped = true;
        v->report.status = bvpi_error_cancelled(v->report.error);
    }
}

bool bvpi_blocks_are_sound(bvpi_verify *v, uint64_t block_count)
{
    block_trial t = {.verify = v, .block_count = block_count, .is_sound = 1};
    const uint64_t pieces = (block_count + BLOCKS_A_PIECE - 1) / BLOCKS_A_PIECE;
    if (v->thread_count < 2 || pieces < 2 || pieces > UINT32_MAX)
        return false;
    bvpi_parallel(v->thread_count, (uint32_t)pieces, try_blocks, &t);
    end_if(v, t.is_cancelled);
    return t.is_sound;
}

/* ---- parts ----------------------------------------------------------------------------------- */

struct bvpi_trial {
    bvpi_passage before, after; /* foretold; reached */
    bvpi_sums sums;             /* of this part */
    int failed_tasks;           /* atomic */
    bool is_tried;
};

typedef struct tried_part {
    uint64_t size; /* of its blob */
    uint32_t part;
} tried_part;

typedef struct part_trials {
    const bvpi_verify *verify;
    bvpi_trial *trials;
    tried_part *order; /* the largest first */
    uint32_t count;
    int is_cancelled; /* atomic */
} part_trials;

/* Follows the part's hierarchies in BINH. False: their bytes are those of others, or leave it. */
static bool foretell_hierarchies(const bvpi_verify *v, const bvpd_part *r, bvpi_passage *next)
{
    const bvpi_span *records = &v->file.section[BVPD_HIER];
    if (!bvpi_fits(next->hierarchy_count, r->hierarchy_count, records->count) ||
        !bvpi_fits(r->first_hierarchy, r->hierarchy_count, records->count))
        return false;
    next->hierarchy_count += r->hierarchy_count;
    for (uint64_t i = r->first_hierarchy; i < (uint64_t)r->first_hierarchy + r->hierarchy_count;
         i++) {
        bvpd_hierarchy h;
        bvpi_load_record(&h, records->data + i * sizeof h, sizeof h);
        if (h.kind == BVPD_KIND_WIDE8)
            continue;
        if (h.data_off < next->binary_end ||
            !bvpi_fits(h.data_off, h.data_size, v->file.section[BVPD_BINH].size))
            return false;
        next->binary_end = h.data_off + h.data_size;
    }
    return true;
}

/* Foretells from the records what is before each part. A part that claims what an earlier one has,
 * and all that follow it, are not tried. */
static void foretell(part_trials *t)
{
    const bvpi_verify *v = t->verify;
    const bvpi_span *parts = &v->file.section[BVPD_PART];
    bvpi_passage next = {0, 0, 0, 0};
    for (uint32_t part = 0; part < parts->count; part++) {
        bvpd_part r;
        bvpi_load_record(&r, parts->data + part * sizeof r, sizeof r);
        t->trials[part].before = next;
        if (r.data_off < next.data_end || r.ids_off < next.ids_end ||
            !bvpi_fits(r.data_off, r.data_size, v->file.section[BVPD_DATA].size) ||
            !bvpi_fits(r.ids_off, r.ids_size, v->file.section[BVPD_TIDS].size) ||
            !foretell_hierarchies(v, &r, &next))
            return;
        next.data_end = r.data_off + r.data_size;
        next.ids_end = r.ids_off + r.ids_size;
        if (r.data_size == 0)
            continue; /* in a store */
        t->trials[part].is_tried = true;
        t->order[t->count++] = (tried_part){r.data_size, part};
    }
}

static int larger_first(const void *a, const void *b)
{
    const tried_part *x = a, *y = b;
    return (x->size < y->size) - (x->size > y->size);
}

static void try_part(void *user, uint32_t piece)
{
    part_trials *t = user;
    const uint32_t part = t->order[piece / TASKS].part;
    bvpi_trial *trial = &t->trials[part];
    bvpi_meter meter;
    if (__atomic_load_n(&trial->failed_tasks, __ATOMIC_RELAXED) != 0 ||
        __atomic_load_n(&t->is_cancelled, __ATOMIC_RELAXED))
        return;
    bvpi_verify *v = malloc(sizeof *v);
    bool is_sound = v != NULL;
    if (is_sound) {
        *v = *t->verify;
        v->task = (bvpi_task)(BVPI_TASK_CONTENT - piece % TASKS);
        v->report = (bvpi_report){.meter = bvpi_meter_init(&meter, v->control)};
        v->passage = trial->before;
        v->sums = (bvpi_sums){0};
        bvpi_verify_part_in_turn(v, part);
        is_sound = v->report.status == BVP_OK;
        if (v->report.status == BVP_ERR_CANCELLED)
            __atomic_store_n(&t->is_cancelled, 1, __ATOMIC_RELAXED);
        if (v->task == BVPI_TASK_HIERARCHIES) { /* no other task finds all of it */
            trial->after = v->passage;
            trial->sums = v->sums;
        }
    }
    free(v);
    if (!is_sound)
        __atomic_add_fetch(&trial->failed_tasks, 1, __ATOMIC_RELAXED);
}

void bvpi_try_parts(bvpi_verify *v)
{
    const uint64_t count = v->file.section[BVPD_PART].count;
    if (v->thread_count < 2 || count == 0 || count > UINT32_MAX / TASKS)
        return;
    part_trials t = {.verify = v,
                     .trials = calloc(count, sizeof *t.trials),
                     .order = malloc(count * sizeof *t.order)};
    if (t.trials && t.order) {
        foretell(&t);
        qsort(t.order, t.count, sizeof *t.order, larger_first);
        bvpi_parallel(v->thread_count, TASKS * t.count, try_part, &t);
        end_if(v, t.is_cancelled);
        v->trials = t.trials;
        t.trials = NULL;
    }
    free(t.trials);
    free(t.order);
}

bool bvpi_pass_sound_part(bvpi_verify *v, uint32_t part)
{
    if (!v->trials)
        return false;
    const bvpi_trial *trial = &v->trials[part];
    if (!trial->is_tried || trial->failed_tasks != 0 ||
        memcmp(&trial->before, &v->passage, sizeof v->passage) != 0)
        return false;
    v->passage = trial->after;
    v->sums.node_bytes += trial->sums.node_bytes;
    v->sums.part_nodes += trial->sums.part_nodes;
    v->sums.has_rays = v->sums.has_rays || trial->sums.has_rays;
    v->sums.is_by_use = v->sums.is_by_use || trial->sums.is_by_use;
    return true;
}
