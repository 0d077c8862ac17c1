/* SPDX-License-Identifier: MIT
 * clash_all.c: bvp_clash() and bvp_clash_one(): arguments, blocks of instances, their candidates,
 * their pairs.
 *
 * Instances of the first file are cut into blocks (order.h). For a block, one walk over the second
 * file's hierarchy finds all instances near the block's common box. Each pair of boxes within reach
 * is then passed to the caller's rule and judged (verdict.c). Within one file each unordered pair
 * is judged once, with a < b.
 *
 * What threads share (the scene) is immutable or a cache with atomic slots. Everything else belongs
 * to a `worker`: placed instances, boxes, the judge's state. A worker's caches change only the
 * time, never a verdict. So reports do not depend on the number of threads.
 *
 * Slow twin: tests/support/clash_brute.c, all pairs of instances and of triangles; threads, order
 * and ends: tests/property/test_clash.c.
 * Spec: exactness.md, chapter "Clash verdicts"
 * Measured: decisions.md, "Verdicts of a whole plant"
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/status.h"
#include "clash/contacts.h"
#include "clash/judge.h"
#include "clash/known_apart.h"
#include "clash/order.h"
#include "clash/pair_limits.h"
#include "clash/shares.h"
#include "clash/zones.h"
#include "format/source.h"

/* ---- the state of one thread ----------------------------------------------------------------- */

enum { KEPT = 256 }; /* placed instances that are cached; a power of two */

typedef struct kept_item {
    uint32_t instance;
    bool is_known;
    bvpi_clash_item item;
} kept_item;

typedef struct kept_bounds {
    uint32_t instance;
    bool is_known;
    bvpi_bounds bounds;
} kept_bounds;

enum { KEPT_BOUNDS = 8192 };

typedef struct whole {
    const bvp_control *control; /* may be NULL */
    bvpi_clash_scene scene;
    bvpi_clash_terms terms;
} whole;

typedef struct worker {
    bvpi_meter steps, *meter; /* of the current pair; NULL without a control */
    bvpi_clash_judge judge;
    bvpi_contacts contacts;
    bvpi_clash_item item_a;
    bvpi_bounds own[BVPI_CLASH_BLOCK_MOST]; /* boxes of the block's instances */
    bvpi_clash_list near;                   /* candidates of a block */
    bvpi_bounds *bounds;                    /* boxes of the candidates */
    size_t bounds_capacity;
    kept_item items[KEPT];
    kept_bounds kept[KEPT_BOUNDS];
} worker;

static void *worker_new(void *user)
{
    const whole *all = user;
    worker *w = calloc(1, sizeof *w);
    if (w)
        bvpi_clash_judge_init(&w->judge, all->scene.a.file, all->scene.b.file, &w->contacts);
    if (!w)
        return NULL;
    w->meter = bvpi_meter_init(&w->steps, all->control);
    /* With a budget the steps of each pair must not depend on what the thread has seen before. */
    if (all->control == NULL || all->control->budget == 0)
        w->judge.known = bvpi_known_apart_new(); /* without memory all is asked */
    return w;
}

static void worker_free(void *own)
{
    worker *w = own;
    free(w->near.items);
    free(w->bounds);
    free(w->judge.known);
    free(w);
}

/* Arguments were checked before. So an argument error now means a damaged file, unless the two
 * parts have no kind of hierarchy in common. */
static bvp_status judge_items(bvpi_clash_judge *judge, bvp_clash_detail detail,
                              bvp_clash_pair *pair)
{
    const bvp_status status = bvpi_clash_judge_pair(judge, detail, pair);
    const bool is_alike = judge->a->part.kind == judge->b->part.kind;
    return status == BVP_ERR_ARGUMENT && is_alike ? BVP_ERR_CORRUPT : status;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* a: its item is ready. bounds: of b. */
static bvp_status judge_pair(whole *all, worker *w, bvpi_clash_block *block, uint32_t a, uint32_t b,
                             const bvpi_bounds *bounds)
{
    bvp_clash_pair pair;
    bool is_excluded;
    assert(!all->scene.self || a < b);
    memset(&pair, 0, sizeof pair);
    pair.a = a;
    pair.b = b;
    block->sum.box_pairs++;
    bvp_status status = bvpi_clash_apply_rule(&all->terms, &pair, &is_excluded);
    block->sum.excluded += is_excluded;
    if (status != BVP_OK || is_excluded)
        return status;
    bvpi_meter_init(&w->steps, all->control);
    if (!bvpi_meter_step(w->meter))
        return BVP_ERR_CANCELLED;
    kept_item *kept = &w->items[b % KEPT];
    if (!kept->is_known || kept->instance != b) {
        status = bvpi_clash_item_init(&kept->item, &all->scene, true, b, bounds, w->meter);
        kept->instance = b;
        kept->is_known = status == BVP_OK;
    }
    if (status != BVP_OK)
        return status;
    bvpi_clash_judge_set(&w->judge, &w->item_a, &kept->item);
    status = judge_items(&w->judge, all->terms.options->detail, &pair);
    if (status != BVP_OK)
        return status;
    assert((int)pair.verdict < (int)BVP_VERDICT_COUNT);
    block->sum.verdicts[pair.verdict]++;
    if (pair.verdict != BVP_VERDICT_CLEAR)
        bvpi_clash_deliver(block, &pair);
    return block->status;
}

/* The box of an instance of scene->b, which is kept. */
static bvp_status get_bounds(whole *all, worker *w, uint32_t instance, bvpi_bounds *out)
{
    kept_bounds *kept = &w->kept[instance % KEPT_BOUNDS];
    bvp_status status = BVP_OK;
    if (!kept->is_known || kept->instance != instance) {
        status = bvpi_clash_bounds(&all->scene.b, instance, &kept->bounds);
        kept->instance = instance;
        kept->is_known = status == BVP_OK;
    }
    *out = kept->bounds;
    return status;
}

/* One walk for the common box of a block's instances; then the boxes of all candidates, which every
 * instance of the block is compared with. */
static bvp_status find_candidates(whole *all, worker *w, const bvpi_clash_block *block)
{
    bvpi_bounds *own = w->own;
    bvpi_bounds all_own = {0};
    assert(block->count <= BVPI_CLASH_BLOCK_MOST);
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < block->count && status == BVP_OK; i++) {
        const uint32_t instance = block->first + i;
        status = all->scene.self ? get_bounds(all, w, instance, &own[i])
                                 : bvpi_clash_bounds(&all->scene.a, instance, &own[i]);
        if (i == 0)
            all_own = own[i];
        for (int k = 0; k < 3; k++) {
            all_own.lo[k] = fmin(all_own.lo[k], own[i].lo[k]);
            all_own.hi[k] = fmax(all_own.hi[k], own[i].hi[k]);
        }
    }
    if (status == BVP_OK)
        status = bvpi_clash_candidates(&all->scene, &all_own, &w->near);
    if (status == BVP_OK && w->bounds_capacity < w->near.count) {
        free(w->bounds);
        w->bounds_capacity = 2 * w->near.count;
        w->bounds = malloc(w->bounds_capacity * sizeof *w->bounds);
        if (!w->bounds) {
            w->bounds_capacity = 0;
            return BVP_ERR_NO_MEMORY;
        }
    }
    assert(status != BVP_OK || w->near.count <= w->bounds_capacity);
    for (size_t k = 0; k < w->near.count && status == BVP_OK; k++) {
        if (k % BVPI_CLASH_BLOCK_MOST == 0 && bvpi_is_cancelled(all->control))
            return BVP_ERR_CANCELLED;
        status = get_bounds(all, w, w->near.items[k], &w->bounds[k]);
    }
    return status;
}

/* Judges one instance against the block's candidates. It is prepared only once a candidate is near,
 * because most instances of a block have few. Within one file a pair is judged from its lesser
 * instance. */
static bvp_status work_on_instance(whole *all, worker *w, bvpi_clash_block *block, uint32_t a,
                                   const bvpi_bounds *bounds)
{
    bool is_ready = false;
    bvp_status status = BVP_OK;
    for (size_t k = 0; k < w->near.count && status == BVP_OK; k++) {
        const uint32_t b = w->near.items[k];
        if ((all->scene.self && b <= a) ||
            !bvpi_clash_is_near(bounds, &w->bounds[k], all->scene.reach))
            continue;
        if (!bvpi_clash_goes_on(block->order))
            break;
        if (!is_ready) {
            status = bvpi_clash_item_init(&w->item_a, &all->scene, false, a, bounds, w->meter);
            w->judge.a = NULL; /* another item at the same address */
            is_ready = true;
        }
        if (status == BVP_OK)
            status = judge_pair(all, w, block, a, b, &w->bounds[k]);
    }
    return status;
}

/* Neighbouring instances often have the same part, so its record is kept for the next one. */
static void work_on_block(void *user, void *own, bvpi_clash_block *block)
{
    whole *all = user;
    worker *w = own;
    bvp_part_info info;
    uint32_t part = BVP_NONE;
    bvp_status status = find_candidates(all, w, block);
    for (uint32_t i = 0; i < block->count && status == BVP_OK; i++) {
        const uint32_t a = block->first + i;
        bvpd_instance record;
        double placement[12];
        status = bvpi_is_cancelled(all->control)
                     ? BVP_ERR_CANCELLED
                     : bvpi_get_instance(all->scene.a.file, a, &record, placement);
        if (status == BVP_OK && record.part != part)
            status = bvp_get_part(all->scene.a.file, record.part, &info);
        if (status != BVP_OK)
            break;
        part = record.part;
        block->sum.instance_count++;
        block->sum.open_count += info.open_edge_count > 0;
        status = work_on_instance(all, w, block, a, &w->own[i]);
    }
    if (block->status == BVP_OK)
        block->status = status;
}

/* ---- public ---------------------------------------------------------------------------------- */

/* The error texts of bvp_clash(). They do not name a rule of the format. */
static const char *const reasons[] = {
    [BVP_ERR_CORRUPT] = "an instance, part or hierarchy is damaged: verify the file",
    [BVP_ERR_NO_MEMORY] = "no memory for a list of instances or pairs",
    [BVP_ERR_SYSTEM] = "a part in the store can't be opened, or a thread can't be started: is the "
                       "part there, and are there descriptors left?",
    [BVP_ERR_ARGUMENT] = "a limit is negative, the placement singular, two parts have no kind of "
                         "hierarchy in common, there are zones and a second file, or ranges "
                         "that are not ascending, disjoint and within the instances, or reserved "
                         "options are not zero",
    [BVP_ERR_CANCELLED] = "ended before it was done, by its flag, its callback or its budget of "
                          "steps"};

static bvp_status clash(const bvp_clash_scene *scene, const bvp_clash_options *options,
                        bvp_clash_fn callback, void *user, bvp_clash_coverage *coverage,
                        bvp_error *error)
{
    const bvp_file *a = scene ? scene->a : NULL, *b = scene ? scene->b : NULL;
    bvp_clash_coverage sum = {0};
    whole all = {.terms = {.a = a, .b = b, .options = options}};
    bvp_status status = BVP_ERR_ARGUMENT;
    all.terms.limits = options->limits;
    all.control = options->control != NULL ? options->control : a != NULL ? a->control : NULL;
    const bool has_zones = options->zones != NULL;
    bvpi_zones zones = {0};
    if (coverage)
        *coverage = sum;
    if (has_zones && bvpi_zones_init(&zones, options->zones, error) != BVP_OK)
        return zones.status;
    if (a && !(b && has_zones) && bvpi_is_zero(options->reserved, sizeof options->reserved) &&
        bvpi_clash_fill_limits(&all.terms.limits, a, b) && options->reach >= 0) {
        all.terms.reach = bvpi_clash_reach(&all.terms.limits, options->reach);
        status = bvpi_clash_scene_init(&all.scene, a, b, scene->placement_b, all.terms.reach,
                                       all.control);
    }
    if (status == BVP_OK) {
        bvpi_clash_run run = {.options = options,
                              .total = bvpi_clash_count(&all.scene.a),
                              .thread_count = options->thread_count,
                              .callback = callback,
                              .callback_user = user,
                              .work = work_on_block,
                              .user = &all,
                              .own_new = worker_new,
                              .own_free = worker_free};
        bvp_clash_range *ranges;
        status = bvpi_clash_ranges(options, run.total, &ranges, &run.range_count);
        run.ranges = ranges;
        if (status == BVP_OK)
            status = has_zones ? bvpi_zones_in_order(&zones, &all.scene, &all.terms, all.control,
                                                     &run, &sum)
                               : bvpi_clash_in_order(&run, &sum);
        free(ranges);
    }
    bvpi_clash_scene_free(&all.scene);
    bvpi_zones_free(&zones);
    if (coverage)
        *coverage = sum;
    if (status == BVP_OK)
        return BVP_OK;
    const bool is_known = status < (int)(sizeof reasons / sizeof *reasons) && reasons[status];
    return bvpi_error_set(error, status, UINT64_MAX, "", "%s",
                          is_known ? reasons[status] : bvp_status_name(status));
}

BVPI_GUARD(clash, bvp_clash_fn, bvp_clash_pair)

/* What a caller is told stands on bytes that were there. */
typedef struct told {
    const bvpi_call *call;
    const bvp_clash_options *options;
} told;

static int tell_progress(void *user, uint32_t done, uint32_t total,
                         const bvp_clash_coverage *coverage)
{
    const told *t = user;
    return bvpi_call_missed(t->call) ||
           t->options->progress(t->options->progress_user, done, total, coverage);
}

bvp_status bvp_clash(const bvp_clash_scene *scene, const bvp_clash_options *options,
                     bvp_clash_fn callback, void *user, bvp_clash_coverage *coverage,
                     bvp_error *error)
{
    static const bvp_clash_options defaults = {.limits = {0, NAN, NAN}};
    const bvp_file *a = scene ? scene->a : NULL, *b = scene ? scene->b : NULL;
    bvpi_call call = bvpi_call_begin(a, b);
    bvp_clash_options own = options ? *options : defaults;
    clash_guard guard = {&call, callback, user};
    told progress = {&call, options};
    if (own.progress) {
        own.progress = tell_progress;
        own.progress_user = &progress;
    }
    const bvp_status status =
        clash(scene, &own, callback ? clash_guarded : NULL, &guard, coverage, error);
    const bool is_missing = bvpi_call_missed(&call);
    const bvp_status ended = bvpi_call_end(&call, status);
    return is_missing ? bvpi_source_explain(a && a->source ? a : b, error) : ended;
}

static bvp_status judge_one(bvpi_clash_scene *scene, bvp_clash_detail detail, bvp_clash_pair *pair)
{
    bvpi_clash_judge judge;
    bvpi_clash_item item_a, item_b;
    bvpi_meter own, *meter = bvpi_meter_init(&own, scene->a.control);
    if (pair->a >= bvpi_clash_count(&scene->a) || pair->b >= bvpi_clash_count(&scene->b) ||
        (scene->self && pair->a == pair->b))
        return BVP_ERR_ARGUMENT;
    bvp_status status = bvpi_clash_item_init(&item_a, scene, false, pair->a, NULL, meter);
    if (status == BVP_OK)
        status = bvpi_clash_item_init(&item_b, scene, true, pair->b, NULL, meter);
    if (status != BVP_OK || !bvpi_clash_is_near(&item_a.bounds, &item_b.bounds, scene->reach))
        return status;
    bvpi_contacts *contacts = malloc(sizeof *contacts);
    if (!contacts)
        return BVP_ERR_NO_MEMORY;
    bvpi_clash_judge_init(&judge, scene->a.file, scene->b.file, contacts);
    bvpi_clash_judge_set(&judge, &item_a, &item_b);
    status = judge_items(&judge, detail, pair);
    free(contacts);
    return status;
}

static bvp_status clash_one(const bvp_clash_scene *given, uint32_t instance_a, uint32_t instance_b,
                            const bvp_clash_limits *limits, bvp_clash_detail detail,
                            bvp_clash_pair *pair)
{
    static const bvp_clash_limits defaults = {0, NAN, NAN};
    bvpi_clash_scene scene;
    if (!given || !given->a || !pair)
        return BVP_ERR_ARGUMENT;
    const bvp_file *a = given->a, *b = given->b;
    memset(pair, 0, sizeof *pair);
    pair->a = instance_a;
    pair->b = instance_b;
    pair->limits = limits ? *limits : defaults;
    if (!bvpi_clash_fill_limits(&pair->limits, a, b))
        return BVP_ERR_ARGUMENT;
    bvp_status status = bvpi_clash_scene_init(&scene, a, b, given->placement_b,
                                              bvpi_clash_reach(&pair->limits, 0), a->control);
    if (status == BVP_OK)
        status = judge_one(&scene, detail, pair);
    bvpi_clash_scene_free(&scene);
    return status;
}

bvp_status bvp_clash_one(const bvp_clash_scene *scene, uint32_t instance_a, uint32_t instance_b,
                         const bvp_clash_limits *limits, bvp_clash_detail detail,
                         bvp_clash_pair *pair)
{
    bvpi_call call = bvpi_call_begin(scene ? scene->a : NULL, scene ? scene->b : NULL);
    return bvpi_call_end(&call, clash_one(scene, instance_a, instance_b, limits, detail, pair));
}
