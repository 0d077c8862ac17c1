/* SPDX-License-Identifier: MIT
 * api_nearest_instances.c: the k instances of an assembly nearest to a point.
 *
 * The walk of the closest point over instances, whose limit is the distance of the k-th nearest so
 * far. Each instance is measured as if it were alone, with a limit slightly larger, so that its
 * result does not depend on what was found before. The list is sorted and never has an instance
 * twice, even if the walk falls back to depth first and starts again.
 *
 * Slow twin: the closest point of each instance alone, tests/property/test_instances.c.
 * Spec: exactness.md, chapter 10, "The nearest instances"
 * Measured: decisions.md, "Queries of some instances"
 * Based on: Hjaltason, Samet, Distance Browsing in Spatial Databases, 1999.
 */
#include <assert.h>
#include <math.h>

#include "format/source.h"
#include "query/body/caller_array.h"
#include "query/near/closest.h"

typedef struct nearest_query {
    bvpi_closest_query walk; /* first: the kernel calls back with it */
    const bvpi_closest_kernel *kernel;
    double most;       /* the caller's max_distance */
    bvp_array nearest; /* bvp_closest_result: `count` of them are sorted, the nearest first */
    uint64_t count;
} nearest_query;

/* Negative: `a` comes first; 0: they are one instance. */
static int compare(const bvp_closest_result *a, const bvp_closest_result *b)
{
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return (a->id.instance > b->id.instance) - (a->id.instance < b->id.instance);
}

static bvp_closest_result *at(const nearest_query *q, uint64_t idx)
{
    return bvpi_element(&q->nearest, sizeof(bvp_closest_result), idx);
}

/* Puts a result where it belongs in the sorted list, and drops the last if the list is full. Not if
 * it is there already: a walk that starts again visits instances twice. */
static void insert(nearest_query *q, const bvp_closest_result *r)
{
    uint64_t place = 0, to = q->count; /* the place is in place .. to */
    assert(q->count <= q->nearest.count);
    while (place < to) {
        const uint64_t middle = place + (to - place) / 2;
        const int order = compare(at(q, middle), r);
        if (order == 0)
            return;
        if (order < 0)
            place = middle + 1;
        else
            to = middle;
    }
    assert(place == 0 || compare(at(q, place - 1), r) < 0);
    if (place == q->nearest.count)
        return;
    q->count += q->count < q->nearest.count;
    assert(place < q->count);
    for (uint64_t i = q->count - 1; i > place; i--)
        *at(q, i) = *at(q, i - 1);
    *at(q, place) = *r;
    if (q->count == q->nearest.count)
        q->walk.limit = at(q, q->count - 1)->distance;
}

/* Measures an instance with a slightly larger limit than the list's: its result must not depend on
 * what was found before. */
static bvp_status ask_instance(bvpi_closest_query *query, const bvpi_placed_part *part)
{
    nearest_query *q = (nearest_query *)query;
    bvpi_closest_query one;
    const double beyond = query->limit * (1 + 0x1p-20) + 0x1p-1000;
    bvp_status status = bvpi_closest_query_init(&one, query->point, fmin(beyond, q->most));
    one.meter = query->meter;
    if (status == BVP_OK)
        status = q->kernel->run_part(part, &one);
    bvpi_add_stats(&query->stats, &one.stats);
    if (status == BVP_OK && one.best.found && one.best.distance <= query->limit)
        insert(q, &one.best);
    return status;
}

static bvp_status run(const bvp_body *body, const double point[3], nearest_query *q)
{
    bvpi_placed_body placed;
    bvp_status status = bvpi_closest_query_init(&q->walk, point, q->most);
    if (status == BVP_OK)
        status = bvpi_placed_body_init(&placed, body);
    if (status == BVP_OK && !placed.is_assembly)
        status = BVP_ERR_ARGUMENT;
    if (status != BVP_OK || q->nearest.count == 0)
        return status;
    q->kernel = BVPI_ISA_CHOOSE(bvpi_closest_kernel, placed.file->isa);
    q->walk.instead = ask_instance;
    bvpi_meter meter;
    q->walk.meter = bvpi_meter_init(&meter, placed.control);
    status = q->kernel->run(&placed, &q->walk);
    q->walk.stats.steps = bvpi_meter_taken(q->walk.meter);
    return status;
}

static bvp_status nearest_instances(const bvp_body *body, const double point[3],
                                    double max_distance, bvp_array nearest, uint64_t *count,
                                    bvp_stats *stats)
{
    nearest_query q = {.most = max_distance, .nearest = nearest};
    if (!point || !count || (!nearest.base && nearest.count > 0))
        return BVP_ERR_ARGUMENT;
    const bvp_status status = run(body, point, &q);
    *count = status == BVP_ERR_CANCELLED ? 0 : q.count; /* nearer ones might have come */
    bvpi_add_stats(stats, &q.walk.stats);
    return status;
}

bvp_status bvp_nearest_instances(const bvp_body *body, const double point[3], double max_distance,
                                 bvp_array nearest, uint64_t *count, bvp_stats *stats)
{
    bvpi_call call = bvpi_call_begin_bodies(body, NULL);
    return bvpi_call_end(&call,
                         nearest_instances(body, point, max_distance, nearest, count, stats));
}
