/* SPDX-License-Identifier: MIT
 * shares.c: bvp_clash_share(): cuts a clash run into shares of about the same cost.
 *
 * What a pair costs varies a hundredfold with how its surfaces lie, and no look at boxes tells. But
 * it varies as much everywhere. So the instances are cut into many pieces, whose estimated costs
 * are equal, and a share gets pieces from all over the assembly: one of each round, a round being
 * as many pieces in a row as there are shares. In a round the dearest piece goes to the share that
 * has least so far.
 *
 * The estimate: of some thousand instances, evenly spread, the boxes near are counted. The
 * instances up to the next one have as many neighbours, and each of these costs by the size of the
 * instance's part. Everything is counted in integers, so that the answer is the same on every
 * machine.
 *
 * Held by tests/property/test_clash_shares.c.
 * Measured: decisions.md, "Shares of a clash run"
 */
#include "clash/shares.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/meter.h"
#include "base/report.h"
#include "base/status.h"
#include "clash/clash_scene.h"
#include "clash/pair_limits.h"
#include "clash/zones.h"
#include "format/source.h"
#include "query/body/caller_array.h"

enum {
    LOOKS_MOST = 8192, /* instances whose neighbours are counted: two microseconds each */
    NEAR_MOST = 4096,  /* neighbours that are counted */
    PIECE_LEAST = 64,  /* instances; smaller pieces lose what neighbours share */
    ALIGNED = 16       /* pieces of many instances begin at a multiple of this */
};

/* ---- what a run is asked for ----------------------------------------------------------------- */

bvp_status bvpi_clash_ranges(const bvp_clash_options *options, uint32_t total,
                             bvp_clash_range **out, size_t *count)
{
    const bvp_clash_range all = {0, total};
    const bvp_const_array whole = {&all, sizeof all, 1};
    const bvp_const_array *asked = options->ranges ? options->ranges : &whole;
    const uint32_t first = options->first_instance;
    const uint32_t end = options->end_instance ? options->end_instance : UINT32_MAX;
    uint32_t behind = 0;
    *count = 0;
    *out = NULL;
    if (asked->count > total && options->ranges) /* some are empty, or they are not disjoint */
        return BVP_ERR_ARGUMENT;
    if (asked->count > 0 && asked->base == NULL)
        return BVP_ERR_ARGUMENT;
    bvp_clash_range *ranges = *out = malloc((asked->count + 1) * sizeof *ranges);
    if (!ranges)
        return BVP_ERR_NO_MEMORY;
    for (size_t i = 0; i < asked->count; i++) {
        bvp_clash_range r = *(const bvp_clash_range *)bvpi_const_element(asked, sizeof r, i);
        if (r.first < behind || r.end < r.first || r.end > total)
            return BVP_ERR_ARGUMENT;
        behind = r.end;
        r.first = r.first > first ? r.first : first;
        r.end = r.end < end ? r.end : end;
        if (r.first < r.end)
            ranges[(*count)++] = r;
    }
    return BVP_OK;
}

/* ---- what instances cost --------------------------------------------------------------------- */

typedef struct estimate {
    const bvpi_clash_scene *scene;
    const bvp_control *control;
    uint64_t *marks; /* with zones: the instances near one; else NULL */
    bvpi_clash_list near;
    uint64_t near_count; /* neighbours of the last instance that was looked at */
    uint32_t part;       /* of the last instance */
    uint64_t of_pair;
} estimate;

/* floor(sqrt(n)), by bits. */
static uint32_t root_of(uint32_t n)
{
    uint32_t root = 0;
    for (uint32_t bit = 1u << 15; bit != 0; bit >>= 1)
        if ((uint64_t)(root | bit) * (root | bit) <= n)
            root |= bit;
    return root;
}

/* Counts the instances of the second file near this one. Within one file a pair belongs to its
 * lesser instance, so those in front are another's. */
static bvp_status look_around(estimate *e, uint32_t instance)
{
    bvpi_bounds own;
    bvp_status status = bvpi_clash_bounds(&e->scene->a, instance, &own);
    if (status == BVP_OK)
        status = bvpi_clash_candidates(e->scene, &own, &e->near);
    e->near_count = 0;
    for (uint64_t k = 0; k < e->near.count && status == BVP_OK; k++)
        e->near_count += !e->scene->self || e->near.items[k] > instance;
    if (e->near_count > NEAR_MOST)
        e->near_count = NEAR_MOST;
    return status;
}

/* What a pair with this instance costs: more for a larger part. Neighbours often have the same. */
static bvp_status look_at_part(estimate *e, uint32_t instance)
{
    bvp_part_info info;
    uint32_t part;
    bvp_status status = bvpi_get_instance_part(e->scene->a.file, instance, &part);
    if (status == BVP_OK && part != e->part)
        status = bvp_get_part(e->scene->a.file, part, &info);
    if (status != BVP_OK)
        return status == BVP_ERR_ARGUMENT ? BVP_ERR_CORRUPT : status;
    if (part != e->part)
        e->of_pair = 64 + root_of(info.triangle_count > UINT32_MAX ? UINT32_MAX
                                                                   : (uint32_t)info.triangle_count);
    e->part = part;
    return BVP_OK;
}

/* Of one instance, in some unit: at most 2^28. */
static bvp_status cost_of(estimate *e, uint32_t instance, uint64_t *cost)
{
    const bvp_status status = look_at_part(e, instance);
    *cost = 128 + e->near_count * e->of_pair;
    if (e->marks)
        *cost = e->marks[instance / 64] >> (instance % 64) & 1 ? 64 * e->of_pair : 1;
    return status;
}

/* sums[i]: of the instances in front of i. */
static bvp_status sum_up(estimate *e, uint32_t total, uint64_t *sums)
{
    const uint32_t step = total / LOOKS_MOST + 1;
    bvp_status status = BVP_OK;
    sums[0] = 0;
    for (uint32_t i = 0; i < total && status == BVP_OK; i++) {
        uint64_t cost = 0;
        if (i % LOOKS_MOST == 0 && bvpi_is_cancelled(e->control))
            return BVP_ERR_CANCELLED;
        if (i % step == 0 && !e->marks)
            status = look_around(e, i);
        if (status == BVP_OK)
            status = cost_of(e, i, &cost);
        sums[i + 1] = sums[i] + cost;
    }
    return status;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

typedef struct cut {
    const uint64_t *sums;
    uint32_t total, aligned; /* instances */
    uint64_t piece_count;
} cut;

/* Where piece `number` begins: the first instance in front of which there is as much. */
static uint32_t begin_of(const cut *c, uint64_t number)
{
    const uint64_t all = c->sums[c->total], n = c->piece_count;
    const uint64_t wanted = all / n * number + all % n * number / n;
    uint32_t low = 0, high = c->total;
    if (number >= n)
        return c->total;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (c->sums[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low - low % c->aligned;
}

/* A piece of a round, or a share; `number` decides among equal ones. */
typedef struct weighed {
    uint64_t cost;
    uint32_t number;
} weighed;

static int compare_weighed(const void *x, const void *y)
{
    const weighed *a = x, *b = y;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Deals the pieces, and notes those of share `index`. */
static bvp_status deal(const cut *c, uint32_t index, uint32_t count, bvp_clash_range *ranges,
                       uint32_t *range_count)
{
    weighed *shares = malloc(2 * (size_t)count * sizeof *shares), *pieces = shares + count;
    if (!shares)
        return BVP_ERR_NO_MEMORY;
    for (uint32_t k = 0; k < count; k++)
        shares[k] = (weighed){0, k};
    for (uint64_t round = 0; round < c->piece_count; round += count) {
        uint32_t begin = begin_of(c, round);
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t end = begin_of(c, round + k + 1);
            pieces[k] = (weighed){c->sums[end] - c->sums[begin], k};
            begin = end;
        }
        qsort(shares, count, sizeof *shares, compare_weighed);
        qsort(pieces, count, sizeof *pieces, compare_weighed);
        for (uint32_t k = 0; k < count; k++) {
            const weighed *piece = &pieces[count - 1 - k];
            const uint64_t number = round + piece->number;
            shares[k].cost += piece->cost;
            const bvp_clash_range r = {begin_of(c, number), begin_of(c, number + 1)};
            if (shares[k].number != index || r.first == r.end)
                continue;
            if (*range_count > 0 && ranges[*range_count - 1].end == r.first)
                ranges[*range_count - 1].end = r.end;
            else
                ranges[(*range_count)++] = r;
        }
    }
    assert(*range_count <= BVP_CLASH_SHARE_RANGES);
    free(shares);
    return BVP_OK;
}

static bvp_status cut_and_deal(estimate *e, uint32_t index, uint32_t count, bvp_clash_range *ranges,
                               uint32_t *range_count)
{
    const uint32_t total = bvpi_clash_count(&e->scene->a);
    const uint64_t wanted = total / PIECE_LEAST / count;
    const uint64_t rounds = count == 1 || wanted == 0         ? 1
                            : wanted < BVP_CLASH_SHARE_RANGES ? wanted
                                                              : BVP_CLASH_SHARE_RANGES;
    uint64_t *sums = malloc(((size_t)total + 1) * sizeof *sums);
    if (!sums)
        return BVP_ERR_NO_MEMORY;
    bvp_status status = sum_up(e, total, sums);
    const cut c = {sums, total, wanted > 0 ? ALIGNED : 1, rounds * count};
    if (status == BVP_OK)
        status = deal(&c, index, count, ranges, range_count);
    free(sums);
    return status;
}

/* ---- public ---------------------------------------------------------------------------------- */

static bvp_status share(const bvp_clash_scene *given, const bvp_clash_options *options,
                        uint32_t index, uint32_t count, bvp_clash_range *ranges,
                        uint32_t *range_count, bvp_error *error)
{
    const bvp_file *a = given ? given->a : NULL, *b = given ? given->b : NULL;
    bvp_clash_limits limits = options->limits;
    bvpi_clash_scene scene = {0};
    bvpi_zones zones = {0};
    estimate e = {.scene = &scene,
                  .part = BVP_NONE,
                  .control = options->control ? options->control
                             : a              ? a->control
                                              : NULL};
    if (!ranges || !range_count)
        return BVP_ERR_ARGUMENT;
    *range_count = 0;
    if (!a || (b && options->zones) || index >= count || count > BVP_CLASH_SHARES_MOST ||
        !(options->reach >= 0) || !bvpi_is_zero(options->reserved, sizeof options->reserved) ||
        !bvpi_clash_fill_limits(&limits, a, b))
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "expected a scene, limits that are not negative, a share below a "
                              "count of 1 to 1,000,000, and zero in reserved options");
    if (options->zones && bvpi_zones_init(&zones, options->zones, error) != BVP_OK)
        return zones.status;
    bvp_status status = bvpi_clash_scene_init(&scene, a, b, given->placement_b,
                                              bvpi_clash_reach(&limits, options->reach), e.control);
    if (status == BVP_OK && options->zones)
        status = bvpi_zones_mark(&zones, &scene, e.control, &e.marks);
    if (status == BVP_OK)
        status = cut_and_deal(&e, index, count, ranges, range_count);
    free(e.marks);
    free(e.near.items);
    bvpi_clash_scene_free(&scene);
    bvpi_zones_free(&zones);
    return status == BVP_OK ? status
                            : bvpi_error_set(error, status, BVPI_NO_OFFSET, "", "%s",
                                             status == BVP_ERR_CORRUPT
                                                 ? "an instance, part or hierarchy is damaged: "
                                                   "verify the file"
                                                 : bvp_status_name(status));
}

bvp_status bvp_clash_share(const bvp_clash_scene *scene, const bvp_clash_options *options,
                           uint32_t index, uint32_t count,
                           bvp_clash_range ranges[BVP_CLASH_SHARE_RANGES], uint32_t *range_count,
                           bvp_error *error)
{
    static const bvp_clash_options defaults = {.limits = {0, NAN, NAN}};
    const bvp_file *a = scene ? scene->a : NULL, *b = scene ? scene->b : NULL;
    bvpi_call call = bvpi_call_begin(a, b);
    const bvp_status status =
        share(scene, options ? options : &defaults, index, count, ranges, range_count, error);
    const bool is_missing = bvpi_call_missed(&call);
    const bvp_status ended = bvpi_call_end(&call, status);
    return is_missing ? bvpi_source_explain(a && a->source ? a : b, error) : ended;
}
