/* SPDX-License-Identifier: MIT
 * questions.c: one question of each kind to a file of the shape that tests/property/test_source.c
 * builds, and a number that stands for all of its answer.
 */
#include "questions.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bvpack_broad.h"
#include "bvpack_clash.h"

static void take(uint64_t *answer, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        *answer = (*answer ^ bytes[i]) * UINT64_C(0x100000001b3);
}

/* Of a number or an array; structs have padding. */
#define TAKE(x) take(answer, &(x), sizeof(x))

static void take_string(uint64_t *answer, bvp_string s)
{
    TAKE(s.size);
    take(answer, s.data, s.size);
}

static void take_id(uint64_t *answer, const bvp_hit_id *id)
{
    TAKE(id->instance);
    TAKE(id->part);
    TAKE(id->triangle);
    TAKE(id->id);
}

static int take_hit(void *answer, const bvp_hit_id *id)
{
    take_id(answer, id);
    return 0;
}

static void take_ray(uint64_t *answer, const bvp_ray_hit *hit)
{
    TAKE(hit->found);
    if (!hit->found)
        return;
    TAKE(hit->t);
    TAKE(hit->normal);
    take_id(answer, &hit->id);
}

static int take_each_ray(void *answer, const bvp_ray_hit *hit)
{
    take_ray(answer, hit);
    return 0;
}

static void take_float(uint64_t *answer, const bvp_float_hit *hit)
{
    TAKE(hit->triangle);
    if (hit->triangle != BVP_NO_TRIANGLE)
        TAKE(hit->t);
}

static void take_distance(uint64_t *answer, const bvp_distance_result *r)
{
    TAKE(r->found);
    if (!r->found)
        return;
    TAKE(r->distance);
    TAKE(r->lower);
    TAKE(r->point_a);
    take_id(answer, &r->a);
    take_id(answer, &r->b);
}

static void take_closest(uint64_t *answer, const bvp_closest_result *r)
{
    TAKE(r->found);
    if (!r->found)
        return;
    TAKE(r->distance);
    TAKE(r->point);
    take_id(answer, &r->id);
}

/* ---- bodies and places ----------------------------------------------------------------------- */

static const double turned[12] = {0.6, -0.8, 0, 5, 0.8, 0.6, 0, 1, 0, 0, 1, 2};
static const double beside[12] = {1, 0, 0, 17, 0, 1, 0, 0, 0, 0, 1, 0};
static const double middle[3] = {0, 1, -1};

static bvp_body large_part(const bvp_file *file)
{
    return (bvp_body){.file = file, .part = 0};
}

static bvp_body placed_part(const bvp_file *file)
{
    return (bvp_body){.file = file, .part = 0, .placement = turned};
}

static bvp_body small_part(const bvp_file *file)
{
    return (bvp_body){.file = file, .part = 1, .placement = beside};
}

static bvp_body assembly(const bvp_file *file)
{
    return (bvp_body){.file = file, .part = BVP_ASSEMBLY};
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bvp_status ask_info(const bvp_file *file, uint64_t *answer)
{
    bvp_file_info info;
    bvp_get_info(file, &info);
    TAKE(info.triangle_count);
    TAKE(info.hi);
    TAKE(info.instance_hierarchy_count);
    return BVP_OK;
}

static bvp_status ask_parts(const bvp_file *file, uint64_t *answer)
{
    bvp_status status = BVP_OK;
    for (uint32_t part = 0; part < 2 && status == BVP_OK; part++) {
        bvp_part_info info;
        bvp_part_identity identity;
        status = bvp_get_part(file, part, &info);
        if (status == BVP_OK)
            status = bvp_get_part_identity(file, part, &identity);
        if (status == BVP_OK)
            status = bvp_check_part(file, part, NULL);
        if (status != BVP_OK)
            break;
        take_string(answer, info.name);
        take_string(answer, identity.source_id);
        TAKE(info.lo);
        TAKE(info.content_hash);
        TAKE(identity.triangle_count);
    }
    return status;
}

static bvp_status ask_hierarchies(const bvp_file *file, uint64_t *answer)
{
    bvp_hierarchy_info info;
    bvp_status status = BVP_OK;
    for (uint32_t k = 0; k < 2 && status == BVP_OK; k++) {
        status = bvp_get_hierarchy(file, 0, k, &info);
        if (status == BVP_OK)
            TAKE(info.node_count);
    }
    return status;
}

static bvp_status ask_nodes(const bvp_file *file, uint64_t *answer)
{
    bvp_status status = BVP_OK;
    for (uint32_t node = 0; node < 1500 && status == BVP_OK; node += 53) {
        bvp_node_info info;
        bvp_string key, value;
        uint32_t count;
        status = bvp_get_node(file, node, &info);
        for (uint32_t k = 0; status == BVP_OK && k < info.property_count; k++) {
            status = bvp_get_property(file, node, k, &key, &value);
            if (status == BVP_OK) {
                take_string(answer, key);
                take_string(answer, value);
            }
        }
        if (status == BVP_OK) {
            take_string(answer, info.name);
            TAKE(info.placement);
            TAKE(info.instance);
            status = bvp_get_colours(file, node, NULL, 0, &count);
            TAKE(count);
        }
    }
    return status;
}

static bvp_status ask_instances(const bvp_file *file, uint64_t *answer)
{
    bvp_status status = BVP_OK;
    for (uint32_t k = 0; k < 1500 && status == BVP_OK; k += 61) {
        bvp_instance_info info;
        status = bvp_get_instance(file, k, &info);
        if (status == BVP_OK) {
            TAKE(info.part);
            TAKE(info.placement);
        }
    }
    return status;
}

static bvp_status ask_columns(const bvp_file *file, uint64_t *answer)
{
    static uint32_t parts[1500];
    static double placements[1500][12];
    static bvp_string names[1500], keys[1500];
    const bvp_range some = {100, 300};
    bvp_part_info info[2];
    uint64_t count = 0;
    bvp_status status = bvp_get_instances(
        file, some,
        &(bvp_instance_columns){.parts = parts, .placements = placements[0], .names = names},
        &count);
    for (uint64_t k = 0; status == BVP_OK && k < count; k++) {
        TAKE(parts[k]);
        TAKE(placements[k]);
        take_string(answer, names[k]);
    }
    if (status == BVP_OK)
        status = bvp_get_nodes(
            file, some,
            &(bvp_node_columns){.ends = parts, .placements = placements[0], .names = names},
            &count);
    for (uint64_t k = 0; status == BVP_OK && k < count; k++) {
        TAKE(parts[k]);
        TAKE(placements[k]);
        take_string(answer, names[k]);
    }
    if (status == BVP_OK)
        status = bvp_get_properties(file, some, 1500,
                                    &(bvp_property_columns){.keys = keys, .values = names}, &count);
    for (uint64_t k = 0; status == BVP_OK && k < count && k < 1500; k++) {
        take_string(answer, keys[k]);
        take_string(answer, names[k]);
    }
    if (status == BVP_OK)
        status = bvp_get_parts(file, (bvp_range){0, 2}, info, &count);
    for (uint64_t k = 0; status == BVP_OK && k < count; k++) {
        take_string(answer, info[k].name);
        TAKE(info[k].lo);
    }
    return status;
}

static bvp_status ask_subtree(const bvp_file *file, uint64_t *answer)
{
    uint64_t bits[64] = {0};
    const bvp_status status = bvp_filter_subtree(file, 700, bits, 64);
    TAKE(bits);
    return status;
}

static bvp_status ask_provenance(const bvp_file *file, uint64_t *answer)
{
    static char text[1 << 18];
    size_t size;
    const bvp_status status = bvp_get_provenance(file, text, sizeof text, &size, NULL);
    if (status == BVP_OK)
        take(answer, text, size);
    return status;
}

static bvp_status ask_digest(const bvp_file *file, uint64_t *answer)
{
    uint8_t digest[32] = {0};
    const bvp_status status = bvp_get_digest(file, digest, NULL);
    TAKE(digest);
    return status;
}

static bvp_status ask_triangles(const bvp_file *file, uint64_t *answer)
{
    float at[9 * 40];
    uint64_t ids[40], corners[120], count;
    bvp_status status = bvp_get_triangles(file, 0, (bvp_range){17011, 40}, at, ids, &count);
    if (status != BVP_OK)
        return status;
    TAKE(at);
    TAKE(ids);
    status = bvp_get_triangle(file, 0, 9999, at, ids);
    if (status == BVP_OK)
        status = bvp_get_vertices(file, 0, 22222, 40, at + 9, &count);
    if (status == BVP_OK)
        status = bvp_get_corners(file, 0, 15000, 40, corners, &count);
    if (status == BVP_OK) {
        TAKE(at);
        TAKE(corners);
    }
    return status;
}

static int take_box(void *user, const bvp_box *box)
{
    uint64_t *answer = user;
    TAKE(box->lo);
    TAKE(box->hi);
    TAKE(box->first);
    return 0;
}

static int take_volume(void *user, const bvp_volume *volume)
{
    uint64_t *answer = user;
    TAKE(volume->centre);
    TAKE(volume->half);
    return 0;
}

static bvp_status ask_boxes(const bvp_file *file, uint64_t *answer)
{
    bvp_status status = bvp_boxes(file, 0, UINT32_MAX, take_box, answer);
    if (status == BVP_OK)
        status = bvp_boxes(file, BVP_ASSEMBLY, UINT32_MAX, take_box, answer);
    return status;
}

static bvp_status ask_volumes(const bvp_file *file, uint64_t *answer)
{
    bvp_status status = BVP_OK;
    for (int kind = BVP_KIND_WIDE; kind < BVP_KIND_RAYS; kind++) {
        const bvp_status of_kind = bvp_volumes(file, 0, (bvp_kind)kind, 12, take_volume, answer);
        status = of_kind == BVP_OK || of_kind == BVP_ERR_ARGUMENT ? status : of_kind;
    }
    return status;
}

/* ---- one body -------------------------------------------------------------------------------- */

enum { RAYS = 300 };

static void make_rays(bvp_ray rays[RAYS], bvp_float_ray floats[RAYS])
{
    for (int i = 0; i < RAYS; i++) {
        rays[i] = (bvp_ray){.origin = {0, 0, -80},
                            .direction = {0.02 * (i % 20 - 10), 0.03 * (i / 20 - 7), 1},
                            .t_max = INFINITY};
        for (int k = 0; k < 3; k++) {
            floats[i].origin[k] = (float)rays[i].origin[k];
            floats[i].direction[k] = (float)rays[i].direction[k];
        }
        floats[i].t_min = 0;
        floats[i].t_max = INFINITY;
    }
}

static bvp_status cast(const bvp_body *body, uint64_t *answer)
{
    bvp_ray rays[RAYS];
    bvp_float_ray floats[RAYS];
    uint64_t count;
    make_rays(rays, floats);
    bvp_status status = BVP_OK;
    for (int i = 0; i < RAYS && status == BVP_OK; i += 41) {
        bvp_ray_hit hit;
        bvp_float_hit float_hit = {0};
        int any = 0;
        status = bvp_ray_first(body, &rays[i], &hit, NULL);
        if (status == BVP_OK)
            take_ray(answer, &hit);
        if (status == BVP_OK)
            status = bvp_ray_any(body, &rays[i], &any, NULL);
        if (status == BVP_OK)
            status = bvp_float_ray_first(body, &floats[i], &float_hit, NULL);
        if (status == BVP_OK)
            take_float(answer, &float_hit);
        if (status == BVP_OK)
            status = bvp_float_ray_any(body, &floats[i], &any, NULL);
        TAKE(any);
    }
    if (status == BVP_OK)
        status = bvp_ray_all(body, &rays[RAYS / 2], take_each_ray, answer, &count, NULL);
    return status;
}

static bvp_status ask_rays_of_part(const bvp_file *file, uint64_t *answer)
{
    const bvp_body body = large_part(file);
    return cast(&body, answer);
}

static bvp_status ask_rays_of_all(const bvp_file *file, uint64_t *answer)
{
    const bvp_body body = assembly(file);
    return cast(&body, answer);
}

static bvp_status ask_batches(const bvp_file *file, uint64_t *answer)
{
    const bvp_body body = large_part(file);
    bvp_ray rays[RAYS];
    bvp_float_ray floats[RAYS];
    static bvp_ray_hit hits[RAYS];
    static bvp_float_hit float_hits[RAYS];
    int any[RAYS];
    make_rays(rays, floats);
    const bvp_const_array of = {rays, 0, RAYS}, of_floats = {floats, 0, RAYS};
    bvp_status status = bvp_ray_first_batch(&body, of, (bvp_array){hits, 0, RAYS}, NULL, NULL);
    if (status == BVP_OK)
        status = bvp_float_ray_first_batch(&body, of_floats, (bvp_array){float_hits, 0, RAYS}, NULL,
                                           NULL);
    if (status == BVP_OK)
        status = bvp_ray_any_batch(&body, of, (bvp_array){any, 0, RAYS}, NULL, NULL);
    if (status != BVP_OK)
        return status;
    TAKE(any);
    status = bvp_float_ray_any_batch(&body, of_floats, (bvp_array){any, 0, RAYS}, NULL, NULL);
    for (int i = 0; i < RAYS && status == BVP_OK; i++) {
        take_ray(answer, &hits[i]);
        take_float(answer, &float_hits[i]);
        TAKE(any[i]);
    }
    return status;
}

static bvp_status ask_closest(const bvp_file *file, uint64_t *answer)
{
    const bvp_body bodies[2] = {large_part(file), assembly(file)};
    bvp_status status = BVP_OK;
    for (int k = 0; k < 2 && status == BVP_OK; k++) {
        bvp_closest_result result;
        status = bvp_closest(&bodies[k], middle, INFINITY, &result, NULL);
        if (status == BVP_OK)
            take_closest(answer, &result);
        bvp_signed_result with_sign;
        if (status == BVP_OK)
            status = bvp_signed_closest(&bodies[k], middle, INFINITY, &with_sign, NULL);
        if (status == BVP_OK) {
            TAKE(with_sign.nearest.distance);
            TAKE(with_sign.inside.where);
            TAKE(with_sign.inside.winding);
        }
    }
    return status;
}

static bvp_status ask_overlap(const bvp_file *file, uint64_t *answer)
{
    const bvp_body bodies[2] = {large_part(file), assembly(file)};
    const double lo[3] = {-5, -5, -5}, hi[3] = {2, 5, 0};
    const double planes[8] = {1, 0, 0, -40, 0, 1, 0, -30};
    const bvp_region regions[3] = {bvp_box_region(lo, hi), bvp_ball_region(middle, 4),
                                   bvp_convex_region(planes, 2)};
    bvp_status status = BVP_OK;
    uint64_t count;
    for (int k = 0; k < 6 && status == BVP_OK; k++) {
        status = bvp_overlap(&bodies[k & 1], regions[k / 2], take_hit, answer, &count, NULL);
        TAKE(count);
    }
    return status;
}

static bvp_status ask_boxes_batch(const bvp_file *file, uint64_t *answer)
{
    static bvp_hit_id hits[4000];
    const bvp_body body = large_part(file);
    const double boxes[3][6] = {
        {-5, -5, -5, 2, 5, 0}, {900, 0, 0, 901, 1, 1}, {-9, 0, 0, -3, 4, 9}};
    uint64_t offsets[4] = {0};
    const bvp_status status =
        bvp_overlap_batch(&body, (bvp_const_array){boxes, 0, 3}, (bvp_array){offsets, 0, 4},
                          (bvp_array){hits, 0, 4000}, NULL, NULL);
    TAKE(offsets);
    for (uint64_t k = 0; status == BVP_OK && k < offsets[3]; k++)
        take_id(answer, &hits[k]);
    return status;
}

static int take_candidate(void *answer, const bvp_hit_id *id, const double corners[9])
{
    take_id(answer, id);
    take(answer, corners, 9 * sizeof *corners);
    return 0;
}

static bvp_status ask_candidates(const bvp_file *file, uint64_t *answer)
{
    const bvp_body bodies[3] = {large_part(file), placed_part(file), assembly(file)};
    const double lo[3] = {-5, -5, -5}, hi[3] = {2, 5, 0};
    bvp_status status = BVP_OK;
    for (int k = 0; k < 3 && status == BVP_OK; k++) {
        uint64_t count = 0;
        status = bvp_candidates_box(&bodies[k], lo, hi, take_candidate, answer, &count, NULL);
        TAKE(count);
    }
    return status;
}

static bvp_status ask_convex(const bvp_file *file, uint64_t *answer)
{
    const double at[12] = {0.8, 0, 0.6, 0, 0, 1, 0, 0, -0.6, 0, 0.8, 0};
    const double points[12] = {0, 0, 0, 6, 0, 0, 0, 5, 0, 0, 0, 4};
    const bvp_body bodies[2] = {large_part(file), assembly(file)};
    bvp_status status = BVP_OK;
    for (int k = 0; k < 10 && status == BVP_OK; k++) {
        const bvp_convex convex = {.kind = (bvp_convex_kind)(BVP_CONVEX_BOX + k / 2),
                                   .size = {3, 2, 1},
                                   .radius = 1,
                                   .length = 3,
                                   .points = points,
                                   .point_count = 4,
                                   .placement = at};
        const bvp_body *body = &bodies[k & 1];
        bvp_distance_result nearest = {0};
        uint64_t count = 0;
        int hit = 0;
        status = bvp_convex_collide(body, &convex, &hit, NULL);
        if (status == BVP_OK)
            status = bvp_convex_each(body, &convex, take_hit, answer, &count, NULL);
        if (status == BVP_OK)
            status = bvp_convex_distance(body, &convex, INFINITY, &nearest, NULL);
        if (status == BVP_OK) {
            TAKE(hit);
            take_distance(answer, &nearest);
        }
    }
    return status;
}

static bvp_status ask_instances_in(const bvp_file *file, uint64_t *answer)
{
    static uint32_t found[2000];
    bvp_closest_result nearest[6];
    const bvp_body body = assembly(file);
    const double lo[3] = {-10, -10, -10}, hi[3] = {40, 60, 60};
    bvp_status status = BVP_OK;
    uint64_t count = 0;
    for (int by_triangles = 0; by_triangles < 2 && status == BVP_OK; by_triangles++) {
        status = bvp_instances_in(&body, bvp_box_region(lo, hi), by_triangles,
                                  (bvp_array){found, 0, 2000}, &count, NULL);
        if (status == BVP_OK)
            take(answer, found, count * sizeof *found);
    }
    if (status == BVP_OK)
        status = bvp_nearest_instances(&body, middle, INFINITY, (bvp_array){nearest, 0, 6}, &count,
                                       NULL);
    for (uint64_t k = 0; k < count && status == BVP_OK; k++)
        take_closest(answer, &nearest[k]);
    return status;
}

/* ---- two bodies ------------------------------------------------------------------------------ */

static int take_pair(void *user, const bvp_pair *pair)
{
    uint64_t *answer = user;
    take_id(answer, &pair->a);
    take_id(answer, &pair->b);
    return 0;
}

static bvp_status ask_two(const bvp_body *a, const bvp_body *b, uint64_t *answer)
{
    bvp_distance_result nearest = {0};
    uint64_t count = 0;
    int hit = 0;
    bvp_status status = bvp_collide(a, b, &hit, NULL);
    TAKE(hit);
    if (status == BVP_OK)
        status = bvp_pairs_each(a, b, take_pair, answer, &count, NULL);
    if (status == BVP_OK)
        status = bvp_distance(a, b, INFINITY, &nearest, NULL);
    if (status == BVP_OK)
        take_distance(answer, &nearest);
    if (status == BVP_OK)
        status = bvp_within(a, b, 0.5, &hit, &nearest, NULL);
    if (status == BVP_OK)
        take_distance(answer, &nearest);
    return status;
}

static bvp_status ask_parts_pair(const bvp_file *file, uint64_t *answer)
{
    const bvp_body a = large_part(file), b = placed_part(file);
    return ask_two(&a, &b, answer);
}

static bvp_status ask_small_pair(const bvp_file *file, uint64_t *answer)
{
    const double far_away[12] = {1, 0, 0, 90, 0, 1, 0, 0, 0, 0, 1, 3};
    const bvp_body a = large_part(file), b = {.file = file, .part = 1, .placement = far_away};
    return ask_two(&a, &b, answer);
}

static bvp_status ask_assembly_pair(const bvp_file *file, uint64_t *answer)
{
    const bvp_body a = assembly(file), b = small_part(file);
    return ask_two(&a, &b, answer);
}

static bvp_status ask_pair_batches(const bvp_file *file, uint64_t *answer)
{
    const bvp_body a = small_part(file), b = {.file = file, .part = 1};
    double at[5][12];
    int hits[5] = {0};
    bvp_distance_result results[5] = {{0}};
    for (int k = 0; k < 5; k++) {
        memcpy(at[k], beside, sizeof at[k]);
        at[k][3] += 3 * k - 2;
    }
    const bvp_const_array places = {at, 0, 5};
    bvp_status status = bvp_collide_batch(&a, &b, places, (bvp_array){hits, 0, 5}, NULL, NULL);
    if (status == BVP_OK)
        status =
            bvp_distance_batch(&a, &b, places, INFINITY, (bvp_array){results, 0, 5}, NULL, NULL);
    bvp_warm_start warm = {.front = NULL};
    int within[5] = {0};
    if (status == BVP_OK)
        status =
            bvp_collide_warm_batch(&a, &b, places, &warm, (bvp_array){within, 0, 5}, NULL, NULL);
    TAKE(within);
    if (status == BVP_OK)
        status = bvp_within_batch(&a, &b, places, 0.5, (bvp_array){within, 0, 5}, NULL, NULL);
    TAKE(within);
    TAKE(hits);
    for (int k = 0; k < 5; k++)
        take_distance(answer, &results[k]);
    return status;
}

static bvp_status ask_warm(const bvp_file *file, uint64_t *answer)
{
    static uint64_t front[1 << 14];
    double at[12] = {1, 0, 0, 66, 0, 1, 0, 0, 0, 0, 1, 0};
    const bvp_body a = large_part(file), b = {.file = file, .part = 1, .placement = at};
    bvp_warm_start warm[3];
    bvp_status status = BVP_OK;
    memset(warm, 0, sizeof warm);
    warm[2].front = front;
    warm[2].front_size = sizeof front;
    for (int step = 0; step < 6 && status == BVP_OK; step++, at[3] -= 3) {
        bvp_distance_result nearest = {0};
        int hit = 0, within = 0;
        status = bvp_collide_warm(&a, &b, &warm[0], &hit, NULL);
        if (status == BVP_OK)
            status = bvp_within_warm(&a, &b, 0.5, &warm[1], &within, NULL);
        if (status == BVP_OK)
            status = bvp_distance_warm(&a, &b, INFINITY, &warm[2], &nearest, NULL);
        TAKE(hit);
        TAKE(within);
        TAKE(nearest.distance);
    }
    return status;
}

static bvp_status ask_broad(const bvp_file *file, uint64_t *answer)
{
    const bvp_broad_body bodies[3] = {{.body = {.file = file, .part = 0}},
                                      {.body = {.file = file, .part = BVP_ASSEMBLY}},
                                      {.body = {.file = file, .part = 1, .placement = beside}}};
    bvp_broad *broad;
    bvp_broad_id id;
    bvp_status status = bvp_broad_new(NULL, &broad);
    if (status != BVP_OK)
        return status;
    for (int k = 0; k < 3 && status == BVP_OK; k++) {
        double lo[3], hi[3];
        status = bvp_broad_add(broad, &bodies[k], &id);
        if (status == BVP_OK)
            status = bvp_broad_box(broad, id, lo, hi);
        if (status == BVP_OK) {
            TAKE(lo);
            TAKE(hi);
        }
    }
    bvp_broad_free(broad);
    return status;
}

/* ---- clash ----------------------------------------------------------------------------------- */

static int take_clash(void *user, const bvp_clash_pair *pair)
{
    uint64_t *answer = user;
    TAKE(pair->a);
    TAKE(pair->b);
    TAKE(pair->verdict);
    TAKE(pair->distance);
    TAKE(pair->depth);
    TAKE(pair->depth_upper);
    return 0;
}

static bvp_status ask_clash(const bvp_file *file, uint64_t *answer)
{
    const bvp_clash_options options = {.limits = {1, NAN, NAN}, .thread_count = 2};
    const bvp_clash_scene scene = {.a = file};
    return bvp_clash(&scene, &options, take_clash, answer, NULL, NULL);
}

static bvp_status ask_clash_one(const bvp_file *file, uint64_t *answer)
{
    const bvp_clash_scene scene = {.a = file};
    const bvp_clash_limits limits = {1, NAN, NAN};
    bvp_status status = BVP_OK;
    for (uint32_t b = 1; b < 400 && status == BVP_OK; b += 57) {
        bvp_clash_pair pair;
        status = bvp_clash_one(&scene, 0, b, &limits, BVP_CLASH_CONTACTS, &pair);
        if (status == BVP_OK)
            take_clash(answer, &pair);
    }
    return status;
}

static bvp_status ask_penetration(const bvp_file *file, uint64_t *answer)
{
    const double near_by[12] = {1, 0, 0, .25, 0, 1, 0, .5, 0, 0, 1, .125};
    const bvp_body a = {.file = file, .part = 1};
    const bvp_body b = {.file = file, .part = 1, .placement = near_by};
    bvp_contact contacts[3];
    bvp_penetration_result found;
    const bvp_status status = bvp_penetration(&a, &b, (bvp_array){contacts, 0, 3}, &found);
    if (status == BVP_OK) {
        TAKE(found.verdict);
        TAKE(found.depth);
        TAKE(found.depth_upper);
        TAKE(found.contact_count);
    }
    return status;
}

static bvp_status ask_zones(const bvp_file *file, uint64_t *answer)
{
    const double at[12] = {1, 0, 0, 100, 0, 1, 0, 100, 0, 0, 1, 100};
    const bvp_clash_zone zones[2] = {
        {.shape = {.kind = BVP_CONVEX_BOX, .size = {60, 50, 40}, .placement = at}},
        {.shape = {.kind = BVP_CONVEX_SPHERE, .radius = 30}}};
    const bvp_const_array given = {zones, 0, 2};
    const bvp_clash_options options = {.limits = {1, NAN, NAN}, .zones = &given, .thread_count = 2};
    const bvp_clash_limits limits = {1, NAN, NAN};
    const bvp_clash_scene scene = {.a = file};
    bvp_clash_pair pair;
    bvp_status status = bvp_clash(&scene, &options, take_clash, answer, NULL, NULL);
    for (uint32_t k = 0; k < 300 && status == BVP_OK; k += 59) {
        status = bvp_clash_one_zone(file, k, &zones[1], &limits, BVP_CLASH_DISTANCE, &pair);
        if (status == BVP_OK)
            take_clash(answer, &pair);
    }
    return status;
}

static bvp_status ask_touch_gap(const bvp_file *file, uint64_t *answer)
{
    const double gap = bvp_clash_touch_gap(file, NULL);
    bvp_error error;
    TAKE(gap);
    return isnan(gap) && bvp_get_source_error(file, &error) == BVP_OK ? error.status : BVP_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bvp_status ask_verify(const bvp_file *file, uint64_t *answer)
{
    const bvp_status status = bvp_verify_part(file, 1, NULL, NULL, NULL);
    (void)answer;
    return status == BVP_OK ? bvp_verify_file(file, NULL, NULL, NULL) : status;
}

static int take_annotation(void *user, const bvp_annotation *a)
{
    uint64_t *answer = user;
    TAKE(a->offset);
    take(answer, a->value, strlen(a->value));
    return 0;
}

static bvp_status ask_annotations(const bvp_file *file, uint64_t *answer)
{
    return bvp_annotate(file, take_annotation, answer);
}

const question questions[] = {
    {"info", ask_info},
    {"parts", ask_parts},
    {"hierarchies", ask_hierarchies},
    {"nodes", ask_nodes},
    {"instances", ask_instances},
    {"columns", ask_columns},
    {"subtree", ask_subtree},
    {"provenance", ask_provenance},
    {"digest", ask_digest},
    {"triangles", ask_triangles},
    {"boxes", ask_boxes},
    {"volumes", ask_volumes},
    {"rays of a part", ask_rays_of_part},
    {"rays of all", ask_rays_of_all},
    {"batches of rays", ask_batches},
    {"closest", ask_closest},
    {"overlap", ask_overlap},
    {"candidates", ask_candidates},
    {"overlap batch", ask_boxes_batch},
    {"convex", ask_convex},
    {"instances in", ask_instances_in},
    {"pair of parts", ask_parts_pair},
    {"pair with a small part", ask_small_pair},
    {"pair with all", ask_assembly_pair},
    {"batches of pairs", ask_pair_batches},
    {"warm", ask_warm},
    {"broad", ask_broad},
    {"clash", ask_clash},
    {"clash of one pair", ask_clash_one},
    {"penetration", ask_penetration},
    {"zones", ask_zones},
    {"touch gap", ask_touch_gap},
    {"verify", ask_verify},
    {"annotations", ask_annotations},
};
const unsigned question_count = sizeof questions / sizeof *questions;
