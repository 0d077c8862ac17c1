/* SPDX-License-Identifier: MIT
 * zones.c: an assembly held against convex zones: which instances are near one, and their pairs.
 *
 * First one walk over the hierarchy for each zone marks the instances that may be near it: a bit
 * for each instance, however many zones there are. Then blocks of instances are worked on
 * (order.h). A marked instance is compared with the boxes of all zones, and each that is within
 * reach is passed to the caller's rule and judged (zone_verdict.c). Pairs come in the order of
 * (instance, zone).
 *
 * The zones and the marks are not written any more once threads begin.
 *
 * Slow twin: bvp_clash_one_zone for every instance and zone, tests/property/test_clash_zones.c.
 * Spec: exactness.md, chapter 12, "Zones"
 * Measured: decisions.md, "Zones"
 */
#include "clash/zones.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "clash/zone_verdict.h"
#include "format/source.h"
#include "query/body/caller_array.h"

/* ---- the zones ------------------------------------------------------------------------------- */

bvp_status bvpi_zones_init(bvpi_zones *zones, const bvp_const_array *given, bvp_error *error)
{
    memset(zones, 0, sizeof *zones);
    zones->status = BVP_OK;
    if (given->count >= UINT32_MAX || (given->count > 0 && given->base == NULL))
        return zones->status = bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                                              "there is no array of zones, or it has 2^32 - 1 of "
                                              "them or more");
    if (given->count == 0)
        return BVP_OK;
    zones->count = (uint32_t)given->count;
    zones->at = calloc(zones->count, sizeof *zones->at);
    if (!zones->at)
        return zones->status = bvpi_error_memory(error, (uint64_t)zones->count * sizeof *zones->at);
    for (uint32_t i = 0; i < zones->count; i++) {
        const bvp_clash_zone *one = bvpi_const_element(given, sizeof *one, i);
        const bvp_status status = bvpi_zone_init(&zones->at[i], &one->shape);
        if (status == BVP_OK)
            continue;
        bvpi_zones_free(zones);
        return zones->status = bvpi_error_set(
                   error, status, BVPI_NO_OFFSET, "",
                   "zone %u%s%.80s%s is no solid: expected a box, sphere, capsule, cylinder or "
                   "hull with sizes from 0 to 2^300 and a placement that is not singular, and "
                   "rigid if the zone is round",
                   i, one->name ? " (" : "", one->name ? one->name : "", one->name ? ")" : "");
    }
    return BVP_OK;
}

void bvpi_zones_free(bvpi_zones *zones)
{
    free(zones->at);
    zones->at = NULL;
    zones->count = 0;
}

/* ---- a run ----------------------------------------------------------------------------------- */

typedef struct zone_run {
    const bvpi_zones *zones;
    bvpi_clash_scene *scene;
    const bvpi_clash_terms *terms;
    const bvp_control *control;
    uint64_t *marks; /* a bit for each instance */
} zone_run;

typedef struct worker {
    bvpi_meter steps, *meter; /* of the current pair; NULL without a control */
    bvpi_clash_item item;
    bvpi_zone_judge judge;
} worker;

static void *worker_new(void *user)
{
    const zone_run *all = user;
    worker *w = calloc(1, sizeof *w);
    if (w)
        w->meter = bvpi_meter_init(&w->steps, all->control);
    return w;
}

static void worker_free(void *own)
{
    free(own);
}

bvp_status bvpi_zones_mark(const bvpi_zones *zones, const bvpi_clash_scene *scene,
                           const bvp_control *control, uint64_t **out)
{
    const uint32_t instance_count = bvpi_clash_count(&scene->a);
    bvpi_clash_list near = {0};
    bvp_status status = BVP_OK;
    uint64_t *marks = *out = calloc((size_t)instance_count / 64 + 1, sizeof *marks);
    if (!marks)
        return BVP_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < zones->count && status == BVP_OK; i++) {
        if (bvpi_is_cancelled(control))
            status = BVP_ERR_CANCELLED;
        else
            status = bvpi_clash_candidates(scene, &zones->at[i].bounds, &near);
        for (uint64_t k = 0; k < near.count && status == BVP_OK; k++)
            if (near.items[k] < instance_count) /* a forged hierarchy may list others */
                marks[near.items[k] / 64] |= UINT64_C(1) << (near.items[k] % 64);
    }
    free(near.items);
    return status;
}

/* Arguments were checked before. So an argument error now means a damaged file. */
static bvp_status judge(bvpi_zone_judge *judge, const bvpi_zone *zone, bvp_clash_detail detail,
                        bvp_clash_pair *pair)
{
    const bvp_status status = bvpi_zone_judge_pair(judge, zone, detail, pair);
    return status == BVP_ERR_ARGUMENT ? BVP_ERR_CORRUPT : status;
}

/* The worker's item is the instance, unless *is_ready is false: then it is prepared. */
static bvp_status judge_pair(zone_run *all, worker *w, bvpi_clash_block *block,
                             bvp_clash_pair *pair, const bvpi_bounds *bounds, bool *is_ready)
{
    bool is_excluded;
    block->sum.box_pairs++;
    bvp_status status = bvpi_clash_apply_rule(all->terms, pair, &is_excluded);
    block->sum.excluded += is_excluded;
    if (status != BVP_OK || is_excluded)
        return status;
    bvpi_meter_init(&w->steps, all->control);
    if (!bvpi_meter_step(w->meter))
        return BVP_ERR_CANCELLED;
    if (!*is_ready) {
        status = bvpi_clash_item_init(&w->item, all->scene, false, pair->a, bounds, w->meter);
        if (status != BVP_OK)
            return status;
        bvpi_zone_judge_set(&w->judge, &w->item);
        *is_ready = true;
    }
    status = judge(&w->judge, &all->zones->at[pair->b], all->terms->options->detail, pair);
    if (status != BVP_OK)
        return status;
    assert((int)pair->verdict < (int)BVP_VERDICT_COUNT);
    block->sum.verdicts[pair->verdict]++;
    if (pair->verdict != BVP_VERDICT_CLEAR)
        bvpi_clash_deliver(block, pair);
    return block->status;
}

static bvp_status work_on_instance(zone_run *all, worker *w, bvpi_clash_block *block, uint32_t a)
{
    bvpi_bounds bounds;
    bool is_ready = false;
    bvp_status status = bvpi_clash_bounds(&all->scene->a, a, &bounds);
    for (uint32_t b = 0; b < all->zones->count && status == BVP_OK; b++) {
        if (!bvpi_clash_is_near(&bounds, &all->zones->at[b].bounds, all->scene->reach))
            continue;
        if (!bvpi_clash_goes_on(block->order))
            break;
        bvp_clash_pair pair;
        memset(&pair, 0, sizeof pair);
        pair.a = a;
        pair.b = b;
        status = judge_pair(all, w, block, &pair, &bounds, &is_ready);
    }
    return status;
}

static void work_on_block(void *user, void *own, bvpi_clash_block *block)
{
    zone_run *all = user;
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < block->count && status == BVP_OK; i++) {
        const uint32_t a = block->first + i;
        bvpd_instance record;
        bvp_part_info info;
        double placement[12];
        status = bvpi_is_cancelled(all->control)
                     ? BVP_ERR_CANCELLED
                     : bvpi_get_instance(all->scene->a.file, a, &record, placement);
        if (status == BVP_OK)
            status = bvp_get_part(all->scene->a.file, record.part, &info);
        if (status != BVP_OK)
            break;
        block->sum.instance_count++;
        block->sum.open_count += info.open_edge_count > 0;
        if (all->marks[a / 64] >> (a % 64) & 1)
            status = work_on_instance(all, own, block, a);
    }
    if (block->status == BVP_OK)
        block->status = status;
}

bvp_status bvpi_zones_in_order(const bvpi_zones *zones, bvpi_clash_scene *scene,
                               const bvpi_clash_terms *terms, const bvp_control *control,
                               const bvpi_clash_run *given, bvp_clash_coverage *coverage)
{
    zone_run all = {.zones = zones, .scene = scene, .terms = terms, .control = control};
    bvpi_clash_run run = *given;
    run.work = work_on_block;
    run.user = &all;
    run.own_new = worker_new;
    run.own_free = worker_free;
    bvp_status status = bvpi_zones_mark(zones, scene, control, &all.marks);
    if (status == BVP_OK)
        status = bvpi_clash_in_order(&run, coverage);
    free(all.marks);
    return status;
}

/* ---- one pair -------------------------------------------------------------------------------- */

static bvp_status clash_one_zone(const bvp_file *file, uint32_t instance,
                                 const bvp_clash_zone *given, const bvp_clash_limits *limits,
                                 bvp_clash_detail detail, bvp_clash_pair *pair)
{
    static const bvp_clash_limits defaults = {0, NAN, NAN};
    if (!file || !given || !pair)
        return BVP_ERR_ARGUMENT;
    bvpi_clash_scene scene;
    bvpi_zone zone;
    bvpi_clash_item item;
    bvpi_zone_judge own;
    bvpi_meter steps, *meter = bvpi_meter_init(&steps, file->control);
    memset(pair, 0, sizeof *pair);
    pair->a = instance;
    pair->limits = limits ? *limits : defaults;
    if (!bvpi_clash_fill_limits(&pair->limits, file, NULL) ||
        instance >= file->header.instance_count || bvpi_zone_init(&zone, &given->shape) != BVP_OK)
        return BVP_ERR_ARGUMENT;
    bvp_status status = bvpi_clash_scene_init(&scene, file, NULL, NULL,
                                              bvpi_clash_reach(&pair->limits, 0), file->control);
    if (status == BVP_OK)
        status = bvpi_clash_item_init(&item, &scene, false, instance, NULL, meter);
    if (status == BVP_OK && bvpi_clash_is_near(&item.bounds, &zone.bounds, scene.reach)) {
        bvpi_zone_judge_set(&own, &item);
        status = judge(&own, &zone, detail, pair);
    }
    bvpi_clash_scene_free(&scene);
    return status;
}

bvp_status bvp_clash_one_zone(const bvp_file *file, uint32_t instance, const bvp_clash_zone *given,
                              const bvp_clash_limits *limits, bvp_clash_detail detail,
                              bvp_clash_pair *pair)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, clash_one_zone(file, instance, given, limits, detail, pair));
}
