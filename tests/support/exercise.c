/* SPDX-License-Identifier: MIT
 * exercise.c: everything a reader can ask of a file that may lie; the answers do not matter, that
 * every call comes back does.
 */
#include "exercise.h"

#include <math.h>

#include "bvpack_broad.h"

/* How many of the possibly absurd number of things are looked at. */
enum { LIMIT = 200, ANNOTATIONS = 20000 };

static uint32_t some(uint64_t count)
{
    return count < LIMIT ? (uint32_t)count : LIMIT;
}

static int stop_after(void *user)
{
    int *left = user;
    return --*left <= 0;
}

static int on_pair(void *user, const bvp_pair *pair)
{
    (void)pair;
    return stop_after(user);
}

static int on_hit(void *user, const bvp_hit_id *id)
{
    (void)id;
    return stop_after(user);
}

static int on_candidate(void *user, const bvp_hit_id *id, const double corners[9])
{
    (void)corners;
    return on_hit(user, id);
}

static int on_ray_hit(void *user, const bvp_ray_hit *hit)
{
    (void)hit;
    return stop_after(user);
}

static int on_box(void *user, const bvp_box *box)
{
    (void)box;
    return stop_after(user);
}

static int on_annotation(void *user, const bvp_annotation *annotation)
{
    (void)annotation;
    return stop_after(user);
}

static int on_volume(void *user, const bvp_volume *volume)
{
    (void)volume;
    return stop_after(user);
}

static void read_hierarchies(const bvp_file *file, uint32_t part)
{
    bvp_hierarchy_info info;
    for (uint32_t i = 0; i < BVP_KIND_RSS && bvp_get_hierarchy(file, part, i, &info) == BVP_OK; i++)
        for (uint32_t level = 0; level < 3; level++) {
            int left = LIMIT;
            bvp_volumes(file, part, info.kind, level < 2 ? level * 3 : UINT32_MAX, on_volume,
                        &left);
        }
}

/* Strings are read to their last byte: the sanitizer watches. */
static void read_string(bvp_string string)
{
    static volatile char sink;
    for (size_t i = 0; i < string.size; i++)
        sink = string.data[i];
    (void)sink;
}

static void read_part(const bvp_file *file, uint32_t part)
{
    bvp_part_info info;
    float positions[9 * LIMIT];
    uint64_t ids[LIMIT], corners[3 * LIMIT], count;
    int left = LIMIT;
    if (bvp_get_part(file, part, &info) == BVP_OK) {
        read_string(info.name);
        read_string(info.source_id);
    }
    bvp_get_triangles(file, part, (bvp_range){0, LIMIT}, positions, ids, &count);
    bvp_get_triangle(file, part, 7, positions, ids);
    bvp_get_vertices(file, part, 3, LIMIT, positions, &count);
    bvp_get_corners(file, part, 5, LIMIT, corners, &count);
    bvp_boxes(file, part, UINT32_MAX, on_box, &left);
    read_hierarchies(file, part);
}

static void ask_columns(const bvp_file *file)
{
    double placements[LIMIT][12];
    uint32_t numbers[LIMIT];
    bvp_string names[LIMIT], values[LIMIT];
    uint64_t offsets[LIMIT + 1];
    bvp_part_info parts[LIMIT];
    const bvp_range all = {0, LIMIT};
    uint64_t count;
    bvp_status status;
    bvp_get_instances(
        file, all,
        &(bvp_instance_columns){.parts = numbers, .placements = placements[0], .names = names},
        &count);
    bvp_get_instances(file, all, &(bvp_instance_columns){.names = names}, &count);
    bvp_get_nodes(file, all,
                  &(bvp_node_columns){.parts = numbers,
                                      .property_counts = numbers,
                                      .placements = placements[0],
                                      .names = names,
                                      .source_ids = values},
                  &count);
    status = bvp_get_properties(
        file, all, LIMIT,
        &(bvp_property_columns){.offsets = offsets, .keys = names, .values = values}, &count);
    for (uint64_t k = 0; status == BVP_OK && k < count && k < LIMIT; k++) {
        read_string(names[k]);
        read_string(values[k]);
    }
    bvp_get_parts(file, all, parts, &count);
}

static void read_tables(const bvp_file *file, const bvp_file_info *info)
{
    bvp_instance_info instance;
    bvp_node_info node;
    bvp_string key, value;
    bvp_colour_run runs[4];
    uint32_t run_count;
    char text[256];
    size_t size;
    int left = LIMIT;
    for (uint32_t i = 0; i < some(info->part_count); i++)
        read_part(file, i);
    for (uint32_t i = 0; i < some(info->instance_count); i++)
        bvp_get_instance(file, i, &instance);
    for (uint32_t i = 0; i < some(info->node_count); i++) {
        if (bvp_get_node(file, i, &node) != BVP_OK)
            continue;
        read_string(node.name);
        read_string(node.source_id);
        bvp_get_colours(file, i, runs, 4, &run_count);
        for (uint32_t k = 0; k < some(node.property_count); k++)
            if (bvp_get_property(file, i, k, &key, &value) == BVP_OK) {
                read_string(key);
                read_string(value);
            }
    }
    ask_columns(file);
    bvp_get_provenance(file, text, sizeof text, &size, NULL);
    bvp_boxes(file, BVP_ASSEMBLY, 2, on_box, &left);
}

/* Rays from one point, near one another: these go together. */
static void ask_batch(const bvp_body *body, const bvp_ray *middle)
{
    enum { COUNT = 27 };
    bvp_ray rays[COUNT];
    bvp_ray_hit hits[COUNT];
    bvp_float_ray floats[COUNT];
    bvp_float_hit float_hits[COUNT];
    int any[COUNT];
    for (int i = 0; i < COUNT; i++) {
        rays[i] = *middle;
        rays[i].direction[0] += 0.03 * (i - COUNT / 2);
        rays[i].direction[2] += 0.002 * i;
        floats[i] = (bvp_float_ray){.t_max = INFINITY};
        for (int k = 0; k < 3; k++) {
            floats[i].origin[k] = (float)rays[i].origin[k];
            floats[i].direction[k] = (float)rays[i].direction[k];
        }
    }
    bvp_ray_first_batch(body, (bvp_const_array){rays, 0, COUNT}, (bvp_array){hits, 0, COUNT}, NULL,
                        NULL);
    bvp_ray_any_batch(body, (bvp_const_array){rays, 0, COUNT}, (bvp_array){any, 0, COUNT}, NULL,
                      NULL);
    bvp_float_ray_first_batch(body, (bvp_const_array){floats, 0, COUNT},
                              (bvp_array){float_hits, 0, COUNT}, NULL, NULL);
    bvp_float_ray_any_batch(body, (bvp_const_array){floats, 0, COUNT}, (bvp_array){any, 0, COUNT},
                            NULL, NULL);
    bvp_float_ray_first(body, &floats[0], &float_hits[0], NULL);
    bvp_float_ray_any(body, &floats[0], &any[0], NULL);
}

static void ask_convex(const bvp_body *body, const double middle[3], const double size)
{
    const double place[12] = {1, 0, 0, middle[0], 0, 1, 0, middle[1], 0, 0, 1, middle[2]};
    const double points[12] = {0, 0, 0, size, 0, 0, 0, size / 2, 0, 0, 0, size / 4};
    uint64_t count;
    int hit, left = LIMIT;
    for (int kind = BVP_CONVEX_BOX; kind <= BVP_CONVEX_HULL; kind++) {
        bvp_distance_result nearest;
        const bvp_convex convex = {.kind = (bvp_convex_kind)kind,
                                   .size = {size / 2, size / 4, 0},
                                   .radius = size / 8,
                                   .length = size / 2,
                                   .points = points,
                                   .point_count = 4,
                                   .placement = place};
        bvp_convex_collide(body, &convex, &hit, NULL);
        bvp_convex_each(body, &convex, on_hit, &left, &count, NULL);
        bvp_convex_distance(body, &convex, INFINITY, &nearest, NULL);
        bvp_convex_within(body, &convex, size / 8, &hit, &nearest, NULL);
    }
}

static void ask_boxes(const bvp_body *body, const double lo[3], const double hi[3])
{
    const double boxes[2][6] = {{lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]},
                                {hi[0], hi[1], hi[2], hi[0], hi[1], hi[2]}};
    uint64_t offsets[3];
    bvp_hit_id hits[LIMIT];
    bvp_overlap_batch(body, (bvp_const_array){boxes, 0, 2}, (bvp_array){offsets, 0, 3},
                      (bvp_array){hits, 0, LIMIT}, NULL, NULL);
}

static void ask_one(const bvp_body *body, const double middle[3], const double size)
{
    bvp_ray ray = {.direction = {1, 0.5, 0.25}, .t_max = INFINITY};
    bvp_ray_hit hit;
    bvp_closest_result closest;
    bvp_inside_result inside;
    bvp_signed_result signed_one;
    const double planes[8] = {1, 0, 0, -middle[0], 0, 1, 0, -middle[1]};
    double lo[3], hi[3];
    uint64_t count;
    int any, left = LIMIT;
    for (int axis = 0; axis < 3; axis++) {
        ray.origin[axis] = middle[axis] - ray.direction[axis] * size;
        lo[axis] = middle[axis] - size / 8;
        hi[axis] = middle[axis] + size / 8;
    }
    bvp_ray_first(body, &ray, &hit, NULL);
    bvp_ray_any(body, &ray, &any, NULL);
    bvp_ray_all(body, &ray, on_ray_hit, &left, &count, NULL);
    ask_batch(body, &ray);
    bvp_closest(body, ray.origin, INFINITY, &closest, NULL);
    bvp_inside(body, middle, &inside, NULL);
    bvp_signed_closest(body, ray.origin, INFINITY, &signed_one, NULL);
    left = LIMIT;
    bvp_overlap(body, bvp_box_region(lo, hi), on_hit, &left, &count, NULL);
    bvp_candidates_box(body, lo, hi, on_candidate, &left, &count, NULL);
    bvp_overlap(body, bvp_ball_region(middle, size / 8), on_hit, &left, &count, NULL);
    bvp_overlap(body, bvp_convex_region(planes, 2), on_hit, &left, &count, NULL);
    ask_convex(body, middle, size);
    ask_boxes(body, lo, hi);
}

/* Of assemblies; a part is refused. */
static void ask_instances(const bvp_body *body, const double middle[3], const double size)
{
    uint32_t instances[LIMIT];
    bvp_closest_result nearest[5];
    double lo[3], hi[3];
    uint64_t count;
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = middle[axis] - size / 4;
        hi[axis] = middle[axis] + size / 4;
    }
    bvp_instances_in(body, bvp_box_region(lo, hi), 0, (bvp_array){instances, 0, LIMIT}, &count,
                     NULL);
    bvp_instances_in(body, bvp_box_region(lo, hi), 1, (bvp_array){instances, 0, LIMIT}, &count,
                     NULL);
    bvp_nearest_instances(body, lo, INFINITY, (bvp_array){nearest, 0, 5}, &count, NULL);
}

static void ask_two_batches(const bvp_body *a, const bvp_body *b, double size)
{
    const double at[2][12] = {{1, 0, 0, size, 0, 1, 0, 0, 0, 0, 1, 0},
                              {1, 0, 0, size / 2, 0, 1, 0, 0, 0, 0, 1, 0}};
    const bvp_const_array places = {at, 0, 2};
    bvp_distance_result nearest[2];
    bvp_warm_start warm = {.front = NULL};
    int hits[2];
    bvp_within_batch(a, b, places, size / 100, (bvp_array){hits, 0, 2}, NULL, NULL);
    bvp_distance_about_batch(a, b, places, size, size / 1e4, (bvp_array){nearest, 0, 2}, NULL,
                             NULL);
    bvp_collide_warm_batch(a, b, places, &warm, (bvp_array){hits, 0, 2}, NULL, NULL);
    bvp_within_warm_batch(a, b, places, size / 100, &warm, (bvp_array){hits, 0, 2}, NULL, NULL);
    bvp_distance_warm_batch(a, b, places, size, &warm, (bvp_array){nearest, 0, 2}, NULL, NULL);
}

static void ask_two(const bvp_body *a, const bvp_body *b, double size)
{
    bvp_distance_result nearest;
    uint64_t count;
    int hit, left = LIMIT;
    bvp_collide(a, b, &hit, NULL);
    bvp_pairs_each(a, b, on_pair, &left, &count, NULL);
    bvp_distance(a, b, INFINITY, &nearest, NULL);
    bvp_distance_about(a, b, INFINITY, size / 1e4, &nearest, NULL);
    bvp_within(a, b, size / 100, &hit, &nearest, NULL);
    ask_two_batches(a, b, size);
}

/* A group of instances against all others, and what the first level of the tree has. */
static void ask_groups(const bvp_file *file, const bvp_file_info *info, const double middle[3],
                       const double size)
{
    uint64_t bits[LIMIT] = {5};
    const bvp_filter group = {bits, LIMIT, 0}, rest = {bits, LIMIT, 1};
    const bvp_body a = {.file = file, .part = BVP_ASSEMBLY, .filter = &group};
    const bvp_body b = {.file = file, .part = BVP_ASSEMBLY, .filter = &rest};
    for (uint32_t node = 1; node < some(info->node_count); node += 7)
        bvp_filter_subtree(file, node, bits, LIMIT);
    ask_one(&b, middle, size);
    ask_instances(&b, middle, size);
    ask_two(&a, &b, size);
    ask_two(&b, NULL, size);
}

/* What is kept of a damaged body is asked of the next placement. */
static void ask_path(const bvp_body *a, const bvp_file *file, double size)
{
    double at[12] = {1, 0, 0, size, 0, 1, 0, 0, 0, 0, 1, 0};
    const bvp_body b = {.file = file, .part = 0, .placement = at};
    bvp_distance_result nearest;
    bvp_warm_start warm[3] = {0};
    int hit;
    for (int step = 0; step < 3; step++, at[3] -= size / 50) {
        bvp_collide_warm(a, &b, &warm[0], &hit, NULL);
        bvp_within_warm(a, &b, size / 10, &warm[1], &hit, NULL);
        bvp_distance_warm(a, &b, INFINITY, &warm[2], &nearest, NULL);
    }
}

/* Bodies whose boxes the file says. */
static void ask_broad(const bvp_file *file, const bvp_body *moved)
{
    const bvp_broad_body bodies[3] = {{.body = {.file = file, .part = 0}},
                                      {.body = {.file = file, .part = BVP_ASSEMBLY}},
                                      {.body = *moved}};
    bvp_broad_id ids[6], found[6];
    uint64_t count;
    bvp_broad *broad;
    if (bvp_broad_new(NULL, &broad) != BVP_OK)
        return;
    for (int k = 0; k < 6; k++)
        bvp_broad_add(broad, &bodies[k % 3], &ids[k]);
    bvp_broad_update(broad, NULL);
    bvp_broad_near(broad, moved, found, 6, &count);
    for (int k = 0; k < 6; k += 2)
        bvp_broad_move(broad, ids[k], moved->placement);
    bvp_broad_update(broad, NULL);
    bvp_broad_free(broad);
}

static void ask(const bvp_file *file, const bvp_file_info *info)
{
    double middle[3], size = 0;
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = info->lo[axis] / 2 + info->hi[axis] / 2;
        size = fmax(size, info->hi[axis] / 2 - info->lo[axis] / 2);
    }
    if (!(size > 0 && size < 1e30))
        size = 1;
    const double turned[12] = {0.6, -0.8, 0, size / 3, 0.8, 0.6, 0, 0, 0, 0, 1, size / 5};
    bvp_body assembly = {.file = file, .part = BVP_ASSEMBLY},
             moved = {.file = file, .part = BVP_ASSEMBLY, .placement = turned};
    bvp_body part = {.file = file, .part = 0, .placement = turned};
    ask_one(&assembly, middle, size);
    ask_one(&part, middle, size);
    ask_instances(&assembly, middle, size);
    ask_instances(&moved, middle, size);
    ask_groups(file, info, middle, size);
    ask_two(&assembly, NULL, size);
    ask_two(&assembly, &moved, size);
    ask_two(&assembly, &part, size);
    ask_path(&part, file, size);
    ask_path(&assembly, file, size);
    ask_broad(file, &moved);
}

void exercise_annotations(const bvp_file *file)
{
    int left = ANNOTATIONS;
    bvp_annotate(file, on_annotation, &left);
}

void exercise(const bvp_file *file)
{
    bvp_file_info info;
    bvp_get_info(file, &info);
    read_tables(file, &info);
    ask(file, &info);
}
