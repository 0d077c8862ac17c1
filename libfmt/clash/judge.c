/* SPDX-License-Identifier: MIT
 * judge.c: prepares instances and pairs for judging.
 */
#include "clash/judge.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* See BVPI_CLASH_SLACK: 16 u of the largest terms. A corner is rounded once; the middle of three,
 * or a point of an edge, a few times more. */
double bvpi_clash_slack(const bvpi_placed_tree *at)
{
    const double *m = at->placement.m;
    double most = 0;
    for (int i = 0; i < 3; i++) {
        double terms = fabs(m[4 * i + 3]);
        for (int k = 0; k < 3; k++)
            terms += fabs(m[4 * i + k]) * at->bound[k];
        most = fmax(most, terms);
    }
    return most * BVPI_CLASH_SLACK;
}

bvp_status bvpi_clash_item_init(bvpi_clash_item *item, bvpi_clash_scene *scene, bool is_of_b,
                                uint32_t instance, const bvpi_bounds *bounds, bvpi_meter *meter)
{
    const bvpi_placed_body *placed = is_of_b ? &scene->b : &scene->a;
    bvp_part_info info;
    bvp_status status = bvpi_placed_body_instance(placed, instance, &item->part);
    if (status == BVP_OK)
        status = bvp_get_part(placed->file, item->part.part_idx, &info);
    if (bounds)
        item->bounds = *bounds;
    else if (status == BVP_OK)
        status = bvpi_clash_bounds(placed, instance, &item->bounds);
    if (status != BVP_OK)
        return status;
    item->file = placed->file;
    item->meter = meter;
    item->slack = bvpi_clash_slack(&item->part.at);
    item->pieces = is_of_b && !scene->self ? &scene->pieces_b : &scene->pieces_a;
    item->seams = is_of_b && !scene->self ? &scene->seams_b : &scene->seams_a;
    item->sweeps = is_of_b && !scene->self ? &scene->sweeps_b : &scene->sweeps_a;
    item->is_open = info.open_edge_count > 0;
    item->is_sound = info.open_edge_count == 0 && info.nonmanifold_edge_count == 0;
    memcpy(item->content_hash, info.content_hash, sizeof item->content_hash);
    return BVP_OK;
}

void bvpi_clash_place_corner(const bvpi_clash_item *item, const float corner[3], double out[3])
{
    const double local[3] = {(double)corner[0], (double)corner[1], (double)corner[2]};
    bvpi_placement_point_to_world(&item->part.at.placement, local, out);
}

void bvpi_clash_middle(const double corners[9], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = corners[i] / 3 + corners[3 + i] / 3 + corners[6 + i] / 3;
}

void bvpi_clash_on_edge(const double from[3], const double way[3], double t, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = from[i] + t * way[i];
}

void bvpi_clash_judge_init(bvpi_clash_judge *judge, const bvp_file *a, const bvp_file *b,
                           struct bvpi_contacts *contacts)
{
    bvpi_pair_query *query = &judge->query;
    memset(judge, 0, sizeof *judge);
    judge->contacts = contacts;
    query->bodies.a.file = a;
    query->bodies.b.file = b;
    query->kernel = BVPI_ISA_CHOOSE(bvpi_pair_kernel, a->isa < b->isa ? a->isa : b->isa);
    query->bodies.box_test = a->box_test != BVP_TEST_DEFAULT ? a->box_test : b->box_test;
}

void bvpi_clash_judge_set(bvpi_clash_judge *judge, const bvpi_clash_item *a,
                          const bvpi_clash_item *b)
{
    assert(a->file == judge->query.bodies.a.file && b->file == judge->query.bodies.b.file);
    if (judge->a != a)
        judge->query.bodies.a.one = a->part;
    judge->query.bodies.b.one = b->part;
    judge->query.meter = a->meter;
    judge->a = a;
    judge->b = b;
}
