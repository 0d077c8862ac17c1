/* SPDX-License-Identifier: MIT
 * api_instances_in.c: which instances of an assembly meet a box of the world, by their own
 * boxes or by their triangles.
 *
 * The overlap walk over the hierarchy of instances, with a function in place of the part's walk.
 * Whether an instance's box meets the region is exact: the sign of a sum of doubles.
 *
 * Slow twin: rational arithmetic on every instance, tests/property/test_instances.c.
 * Spec: exactness.md, chapter 10, "Boxes of instances"
 */
#include <assert.h>
#include <string.h>

#include "format/lazy.h"
#include "format/source.h"
#include "prim/place_bounds.h"
#include "query/body/caller_array.h"
#include "query/near/overlap.h"

typedef struct box_query {
    bvpi_overlap_query walk; /* first: the kernel calls back with it; in an assembly that is moved,
                                its region is the box's six half spaces */
    bvpi_region box;
    int by_triangles;
    bvp_array instances; /* uint32_t: `count` of them are found */
    uint64_t count;
    int overflow;
} box_query;

/* ---- an instance's box ----------------------------------------------------------------------- */

/* Does the smallest box around the placed corners of lo .. hi meet the other? */
static bool boxes_meet(const double m[12], const float lo[3], const float hi[3],
                       const bvpi_region *box)
{
    for (int axis = 0; axis < 3; axis++) {
        const double *row = m + 4 * axis;
        if (bvpi_place_compare(row, lo, hi, false, box->hi[axis]) > 0 ||
            bvpi_place_compare(row, lo, hi, true, box->lo[axis]) < 0)
            return false;
    }
    return true;
}

static bvp_status instance_box_meets(const box_query *q, const bvpi_placed_body *placed,
                                     uint32_t instance, bool *meets)
{
    bvpd_instance record;
    bvpi_part part;
    double m[12];
    if (bvpi_get_instance(placed->file, instance, &record, m) != BVP_OK)
        return BVP_ERR_CORRUPT;
    bvp_status status =
        placed->file->thin ? bvpi_touch_under(placed->file, record.part, placed->control) : BVP_OK;
    if (status == BVP_OK)
        status = bvpi_get_part(placed->file, record.part, &part);
    if (status == BVP_OK && placed->placement)
        status = bvpi_compose(placed->placement, m, m);
    *meets = status == BVP_OK && boxes_meet(m, part.lo, part.hi, &q->box);
    return status;
}

/* ---- an instance's triangles ----------------------------------------------------------------- */

static int stop_at_once(void *user, const bvp_hit_id *id)
{
    (void)user;
    (void)id;
    return 1;
}

static bvp_status triangles_meet(box_query *q, const bvpi_placed_body *placed, uint32_t instance,
                                 bool *meet)
{
    bvpi_placed_body one = {.file = placed->file, .control = placed->control};
    bvpi_overlap_query query = {.region = q->box, .each = stop_at_once, .meter = q->walk.meter};
    bvp_status status = bvpi_placed_body_instance(placed, instance, &one.one);
    if (status == BVP_OK)
        status = BVPI_ISA_CHOOSE(bvpi_overlap_kernel, one.file->isa)->run(&one, &query);
    bvpi_add_stats(&q->walk.stats, &query.stats);
    *meet = query.count > 0;
    return status;
}

/* ---- the query ------------------------------------------------------------------------------- */

static bvp_status ask_instance(bvpi_overlap_query *query, const bvpi_placed_body *placed,
                               uint32_t instance)
{
    box_query *q = (box_query *)query;
    bool meets;
    assert(placed->is_assembly && q->count <= q->instances.count);
    bvp_status status = instance_box_meets(q, placed, instance, &meets);
    if (status == BVP_OK && meets && q->by_triangles)
        status = triangles_meet(q, placed, instance, &meets);
    if (status != BVP_OK || !meets)
        return status;
    query->stopped = q->overflow = q->count == q->instances.count;
    if (!q->overflow)
        *(uint32_t *)bvpi_element(&q->instances, sizeof instance, q->count++) = instance;
    return BVP_OK;
}

/* For a moved assembly. The question is about the smallest axis-parallel box around an instance,
 * which may meet the region although the placed box itself does not. So only the world's axes, as
 * six half spaces, may leave out a node. */
static void walk_by_planes(box_query *q, double planes[24])
{
    memset(planes, 0, 24 * sizeof *planes);
    for (int axis = 0; axis < 3; axis++) {
        double *inward = planes + 8 * axis, *outward = inward + 4;
        inward[axis] = 1;
        inward[3] = -q->box.lo[axis];
        outward[axis] = -1;
        outward[3] = q->box.hi[axis];
    }
    q->walk.region = (bvpi_region){.kind = BVP_REGION_CONVEX, .planes = planes, .plane_count = 6};
}

static bvp_status run(const bvp_body *body, box_query *q)
{
    bvpi_placed_body placed;
    double planes[24];
    bvp_status status = bvpi_placed_body_init(&placed, body);
    if (status == BVP_OK && !placed.is_assembly)
        status = BVP_ERR_ARGUMENT;
    if (status != BVP_OK)
        return status;
    bvpi_meter meter;
    q->walk.meter = bvpi_meter_init(&meter, placed.control);
    q->walk.region = q->box;
    q->walk.instead = ask_instance;
    if (placed.placement && !q->by_triangles)
        walk_by_planes(q, planes);
    status = BVPI_ISA_CHOOSE(bvpi_overlap_kernel, placed.file->isa)->run(&placed, &q->walk);
    q->walk.stats.steps = bvpi_meter_taken(q->walk.meter);
    return status == BVP_OK && q->overflow ? BVP_ERR_LIMIT : status;
}

bvp_status bvp_instances_in(const bvp_body *body, bvp_region region, int by_triangles,
                            bvp_array instances, uint64_t *count, bvp_stats *stats)
{
    box_query q = {.by_triangles = by_triangles, .instances = instances};
    bvpi_call call;
    if (region.kind != BVP_REGION_BOX || !count || (!instances.base && instances.count > 0))
        return BVP_ERR_ARGUMENT;
    bvp_status status = bvpi_region_init(&q.box, region);
    call = bvpi_call_begin_bodies(body, NULL);
    if (status == BVP_OK)
        status = run(body, &q);
    status = bvpi_call_end(&call, status);
    *count = q.count;
    bvpi_add_stats(stats, &q.walk.stats);
    return status;
}
