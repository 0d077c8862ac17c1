/* SPDX-License-Identifier: MIT
 * ask_file.c: all there is to ask of an open file.
 */
#include "ask_file.h"

#include <math.h>
#include <string.h>

#include "answer.h"

static int on_pair(void *user, const bvp_pair *pair)
{
    (void)user;
    NOTE(pair->a.triangle);
    NOTE(pair->b.triangle);
    return 0;
}

static int on_hit(void *user, const bvp_hit_id *id)
{
    (void)user;
    NOTE(id->triangle);
    return 0;
}

static int on_candidate(void *user, const bvp_hit_id *id, const double corners[9])
{
    (void)user;
    NOTE(id->triangle);
    NOTE(corners[8]);
    return 0;
}

static int on_ray_hit(void *user, const bvp_ray_hit *hit)
{
    (void)user;
    NOTE(hit->t);
    return 0;
}

static int on_box(void *user, const bvp_box *box)
{
    (void)user;
    NOTE(box->lo);
    return 0;
}

static int on_volume(void *user, const bvp_volume *volume)
{
    (void)user;
    NOTE(volume->centre);
    return 0;
}

enum { SOME = 64 };

static int ask_part(const bvp_file *file, uint32_t part)
{
    bvp_part_info info;
    bvp_part_identity identity;
    bvp_hierarchy_info hierarchy;
    static float positions[9 * SOME];
    static uint64_t ids[SOME], corners[3 * SOME];
    uint64_t count, id;
    ASK(bvp_get_part_identity, file, part, &identity);
    TRY(bvp_check_part, file, part);
    ASK(bvp_get_part, file, part, &info);
    note_text(info.name);
    NOTE(info.content_hash);
    NOTE(identity.address);
    ASK(bvp_get_triangle, file, part, 3, positions, &id);
    ASK(bvp_get_triangles, file, part, (bvp_range){0, SOME}, positions, ids, &count);
    NOTE(ids[0]);
    ASK(bvp_get_vertices, file, part, 0, SOME, positions, &count);
    ASK(bvp_get_corners, file, part, 0, SOME, corners, &count);
    NOTE(positions[0]);
    NOTE(corners[0]);
    ASK(bvp_boxes, file, part, 2, on_box, NULL);
    for (uint32_t i = 0; i < info.hierarchy_count; i++) {
        ASK(bvp_get_hierarchy, file, part, i, &hierarchy);
        ASK(bvp_volumes, file, part, hierarchy.kind, UINT32_MAX, on_volume, NULL);
    }
    return 0;
}

static int ask_columns(const bvp_file *file)
{
    static double placements[SOME][12];
    static bvp_string names[SOME], values[SOME];
    static bvp_part_info parts[SOME];
    const bvp_range some = {0, SOME};
    uint64_t count;
    ASK(bvp_get_instances, file, some,
        &(bvp_instance_columns){.placements = placements[0], .names = names}, &count);
    NOTE(count);
    ASK(bvp_get_nodes, file, some, &(bvp_node_columns){.placements = placements[0], .names = names},
        &count);
    NOTE(placements[0]);
    ASK(bvp_get_properties, file, some, SOME,
        &(bvp_property_columns){.keys = names, .values = values}, &count);
    NOTE(count);
    ASK(bvp_get_parts, file, some, parts, &count);
    NOTE(parts[0].content_hash);
    return 0;
}

int ask_tables(const bvp_file *file)
{
    bvp_file_info info;
    bvp_node_info node;
    bvp_instance_info instance;
    bvp_string key, value;
    bvp_colour_run runs[4];
    uint32_t run_count;
    char text[4096];
    size_t size;
    bvp_get_info(file, &info);
    NOTE(info.root_hash);
    for (uint32_t i = 0; i < info.node_count; i++) {
        ASK(bvp_get_node, file, i, &node);
        note_text(node.name);
        ASK(bvp_get_colours, file, i, runs, 4, &run_count);
        note(&run_count, sizeof run_count);
        if (run_count <= 4 && bvp_find_colour(runs, run_count, 1))
            note(bvp_find_colour(runs, run_count, 1), 4);
        for (uint32_t k = 0; k < node.property_count; k++) {
            ASK(bvp_get_property, file, i, k, &key, &value);
            note_text(value);
        }
    }
    for (uint32_t i = 0; i < info.instance_count; i++) {
        ASK(bvp_get_instance, file, i, &instance);
        NOTE(instance.placement);
    }
    if (ask_columns(file) != 0)
        return -1;
    TRY(bvp_get_provenance, file, text, sizeof text, &size);
    note(text, size < sizeof text ? size : sizeof text);
    for (uint32_t i = 0; i < info.part_count; i++)
        if (ask_part(file, i) != 0)
            return -1;
    return 0;
}

static int ask_two(const bvp_body *a, const bvp_body *b)
{
    static bvp_pair pairs[4096];
    static const double at[24] = {1, 0, 0, .2, 0, 1, 0, 0, 0, 0, 1, 0,
                                  1, 0, 0, 9,  0, 1, 0, 0, 0, 0, 1, 0};
    bvp_distance_result nearest = {.found = 0}, two[2] = {{.found = 0}};
    bvp_warm_start warm = {.front = NULL};
    uint64_t count;
    int hit, hits[2];
    size_t done;
    ASK(bvp_collide, a, b, &hit, NULL);
    NOTE(hit);
    ASK(bvp_pairs_each, a, b, on_pair, NULL, &count, NULL);
    ASK(bvp_pairs, a, b, pairs, 4096, &count, NULL);
    NOTE(count);
    ASK(bvp_distance, a, b, INFINITY, &nearest, NULL);
    NOTE(nearest.distance);
    ASK(bvp_distance_about, a, b, INFINITY, .01, &nearest, NULL);
    ASK(bvp_within, a, b, .5, &hit, &nearest, NULL);
    NOTE(hit);
    ASK(bvp_collide_warm, a, b, &warm, &hit, NULL);
    ASK(bvp_distance_warm, a, b, INFINITY, &warm, &nearest, NULL);
    NOTE(nearest.distance);
    ASK(bvp_within_warm, a, b, .5, &warm, &hit, NULL);
    if (!b)
        return 0;
    ASK(bvp_collide_batch, a, b, (bvp_const_array){at, 0, 2}, (bvp_array){hits, 0, 2}, &done, NULL);
    ASK(bvp_within_batch, a, b, (bvp_const_array){at, 0, 2}, .5, (bvp_array){hits, 0, 2}, &done,
        NULL);
    ASK(bvp_collide_warm_batch, a, b, (bvp_const_array){at, 0, 2}, &warm, (bvp_array){hits, 0, 2},
        &done, NULL);
    ASK(bvp_within_warm_batch, a, b, (bvp_const_array){at, 0, 2}, .5, &warm,
        (bvp_array){hits, 0, 2}, &done, NULL);
    ASK(bvp_distance_warm_batch, a, b, (bvp_const_array){at, 0, 2}, INFINITY, &warm,
        (bvp_array){two, 0, 2}, &done, NULL);
    ASK(bvp_distance_about_batch, a, b, (bvp_const_array){at, 0, 2}, INFINITY, .01,
        (bvp_array){two, 0, 2}, &done, NULL);
    ASK(bvp_distance_batch, a, b, (bvp_const_array){at, 0, 2}, INFINITY, (bvp_array){two, 0, 2},
        &done, NULL);
    NOTE(hits);
    NOTE(two[1].distance);
    return 0;
}

int ask_one(const bvp_body *body)
{
    static const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1}, middle[3] = {.5, .5, .5};
    static const double plane[4] = {1, 0, 0, -.25};
    const bvp_ray ray = {{.4, .3, 9}, {0, 0, -1}, 0, INFINITY};
    const bvp_float_ray floats = {{.4f, .3f, 9}, 0, {0, 0, -1}, INFINITY};
    bvp_ray_hit hit = {.found = 0};
    bvp_float_hit float_hit = {.triangle = BVP_NO_TRIANGLE};
    const bvp_convex convex = {.kind = BVP_CONVEX_CYLINDER, .radius = .5, .length = 2};
    const bvp_convex ball = {.kind = BVP_CONVEX_SPHERE, .radius = .1};
    bvp_distance_result nearest = {.found = 0};
    bvp_closest_result closest[3] = {{.found = 0}};
    bvp_inside_result inside = {.winding = 0};
    bvp_signed_result signed_one = {.inside = {.winding = 0}};
    uint32_t instances[SOME];
    uint64_t count;
    size_t done;
    int any;
    ASK(bvp_ray_first, body, &ray, &hit, NULL);
    NOTE(hit.t);
    ASK(bvp_ray_any, body, &ray, &any, NULL);
    ASK(bvp_ray_all, body, &ray, on_ray_hit, NULL, &count, NULL);
    ASK(bvp_ray_first_batch, body, (bvp_const_array){&ray, 0, 1}, (bvp_array){&hit, 0, 1}, &done,
        NULL);
    ASK(bvp_ray_any_batch, body, (bvp_const_array){&ray, 0, 1}, (bvp_array){&any, 0, 1}, &done,
        NULL);
    NOTE(any);
    ASK(bvp_float_ray_first, body, &floats, &float_hit, NULL);
    NOTE(float_hit.t);
    ASK(bvp_float_ray_any, body, &floats, &any, NULL);
    ASK(bvp_float_ray_first_batch, body, (bvp_const_array){&floats, 0, 1},
        (bvp_array){&float_hit, 0, 1}, &done, NULL);
    ASK(bvp_float_ray_any_batch, body, (bvp_const_array){&floats, 0, 1}, (bvp_array){&any, 0, 1},
        &done, NULL);
    NOTE(any);
    ASK(bvp_closest, body, hi, INFINITY, closest, NULL);
    NOTE(closest[0].distance);
    ASK(bvp_closest_batch, body, (bvp_const_array){middle, 0, 1}, INFINITY,
        (bvp_array){closest, 0, 1}, &done, NULL);
    NOTE(closest[0].distance);
    ASK(bvp_inside, body, middle, &inside, NULL);
    NOTE(inside.where);
    ASK(bvp_inside_batch, body, (bvp_const_array){middle, 0, 1}, (bvp_array){&inside, 0, 1}, &done,
        NULL);
    NOTE(inside.winding);
    ASK(bvp_signed_closest, body, middle, INFINITY, &signed_one, NULL);
    NOTE(signed_one.nearest.distance);
    ASK(bvp_signed_closest_batch, body, (bvp_const_array){middle, 0, 1}, INFINITY,
        (bvp_array){&signed_one, 0, 1}, &done, NULL);
    NOTE(signed_one.nearest.distance);
    ASK(bvp_overlap, body, bvp_box_region(lo, hi), on_hit, NULL, &count, NULL);
    ASK(bvp_overlap, body, bvp_ball_region(middle, .5), on_hit, NULL, &count, NULL);
    ASK(bvp_overlap, body, bvp_convex_region(plane, 1), on_hit, NULL, &count, NULL);
    NOTE(count);
    const double box[6] = {0, 0, 0, 1, 1, 1};
    uint64_t offsets[2];
    ASK(bvp_overlap_batch, body, (bvp_const_array){box, 0, 1}, (bvp_array){offsets, 0, 2},
        (bvp_array){NULL, 0, 0}, &done, NULL);
    NOTE(offsets[1]);
    ASK(bvp_candidates_box, body, lo, hi, on_candidate, NULL, &count, NULL);
    NOTE(count);
    ASK(bvp_convex_collide, body, &convex, &any, NULL);
    NOTE(any);
    ASK(bvp_convex_each, body, &convex, on_hit, NULL, &count, NULL);
    NOTE(count);
    ASK(bvp_convex_distance, body, &ball, INFINITY, &nearest, NULL);
    NOTE(nearest.distance);
    ASK(bvp_convex_within, body, &ball, .5, &any, &nearest, NULL);
    NOTE(any);
    if (body->part != BVP_ASSEMBLY)
        return 0;
    ASK(bvp_instances_in, body, bvp_box_region(lo, hi), 1, (bvp_array){instances, 0, SOME}, &count,
        NULL);
    ASK(bvp_nearest_instances, body, middle, INFINITY, (bvp_array){closest, 0, 3}, &count, NULL);
    NOTE(closest[2].distance);
    return 0;
}

int ask_queries(const bvp_file *file, const bvp_file *other)
{
    uint64_t bits[SOME] = {0};
    const bvp_filter group = {bits, SOME, 0};
    bvp_file_info info;
    bvp_get_info(file, &info);
    const bvp_body all = {.file = file, .part = BVP_ASSEMBLY};
    const bvp_body part = {.file = file, .part = info.part_count - 1};
    const bvp_body apart = {.file = other, .part = BVP_ASSEMBLY};
    ASK(bvp_filter_subtree, file, info.node_count > 1 ? 1 : 0, bits, SOME);
    const bvp_body some = {.file = file, .part = BVP_ASSEMBLY, .filter = &group};
    return ask_one(&part) || ask_one(&all) || ask_two(&part, &apart) || ask_two(&some, &apart) ||
           ask_two(&all, NULL);
}

int ask_all(const bvp_file *file, const bvp_file *other)
{
    return ask_tables(file) || ask_queries(file, other);
}
