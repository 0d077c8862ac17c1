/* SPDX-License-Identifier: MIT
 * solid_where.c: is a point inside a body, one part or the union of an assembly's instances?
 *
 * An assembly is asked instance by instance: those that the overlap walk finds in whose boxes the
 * point is. The first one that has it inside ends the walk.
 *
 * Slow twin: tests/property/test_inside.c.
 * Spec: exactness.md, chapter 10, "Inside"
 */
#include <assert.h>

#include "query/near/overlap.h"
#include "query/solid/solid.h"

typedef struct union_query {
    bvpi_overlap_query walk; /* first: the kernel calls back with it */
    bvpi_solid_query solid;
    const double *point;
    bvp_inside_result best;
} union_query;

/* Of the answers of instances the later one in this order counts. */
static int rank(bvp_where where)
{
    static const int ranks[] = {[BVP_WHERE_OUTSIDE] = 0,
                                [BVP_WHERE_OPEN] = 1,
                                [BVP_WHERE_SURFACE] = 2,
                                [BVP_WHERE_INSIDE] = 3};
    return ranks[where];
}

static bvp_status ask_instance(bvpi_overlap_query *query, const bvpi_placed_body *placed,
                               uint32_t instance)
{
    union_query *q = (union_query *)query;
    bvpi_placed_part own;
    const bvpi_placed_part *part;
    bvp_inside_result one;
    assert(placed->is_assembly);
    bvp_status status = bvpi_placed_body_visit(placed, instance, &own, &part);
    if (status == BVP_OK)
        status = bvpi_solid_ask(&q->solid, part, q->point, &one);
    if (status == BVP_OK && rank(one.where) > rank(q->best.where))
        q->best = one;
    query->stopped = q->best.where == BVP_WHERE_INSIDE;
    return status;
}

bvp_status bvpi_solid_where(const bvpi_placed_body *placed, const double point[3], bool with_angles,
                            bvpi_meter *meter, bvp_inside_result *out, bvp_stats *stats)
{
    union_query q = {.walk = {.instead = ask_instance, .meter = meter},
                     .solid = {.file = placed->file, .with_angles = with_angles, .meter = meter},
                     .point = point,
                     .best = {.instance = BVP_NONE}};
    bvp_status status = bvpi_region_init(&q.walk.region, bvp_box_region(point, point));
    if (status == BVP_OK && !bvpi_meter_step(meter))
        status = BVP_ERR_CANCELLED;
    if (status == BVP_OK && !placed->is_assembly)
        status = bvpi_solid_ask(&q.solid, &placed->one, point, &q.best);
    else if (status == BVP_OK)
        status = BVPI_ISA_CHOOSE(bvpi_overlap_kernel, placed->file->isa)->run(placed, &q.walk);
    bvpi_add_stats(stats, &q.walk.stats);
    bvpi_add_stats(stats, &q.solid.stats);
    *out = status == BVP_OK ? q.best : (bvp_inside_result){.instance = BVP_NONE};
    return status;
}
