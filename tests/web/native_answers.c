/* SPDX-License-Identifier: MIT
 * native_answers.c: asks a packed file by the library, and writes questions and answers as numbers,
 * which replay.mjs asks the module for browsers. All are doubles in the host's order; a block is
 * its length, then its numbers. Usage: native_answers FILE COUNT >ANSWERS
 */
#include <bvpack.h>
#include <bvpack_clash.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double *numbers;
static size_t count, capacity;

static void add(double number)
{
    if (count == capacity) {
        capacity = capacity ? capacity * 2 : 1024;
        numbers = realloc(numbers, capacity * sizeof *numbers);
        if (!numbers)
            exit(99);
    }
    numbers[count++] = number;
}

static void add_all(const double *from, size_t how_many)
{
    for (size_t i = 0; i < how_many; i++)
        add(from[i]);
}

static void end_block(void)
{
    const double length = (double)count;
    fwrite(&length, sizeof length, 1, stdout);
    fwrite(numbers, sizeof *numbers, count, stdout);
    count = 0;
}

static void must(bvp_status status, const char *what)
{
    if (status == BVP_OK)
        return;
    fprintf(stderr, "native_answers: %s: %s\n", what, bvp_status_name(status));
    exit(1);
}

/* 0 .. 1, the same on every machine */
static double chance(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

static void add_id(const bvp_hit_id *id)
{
    add(id->instance);
    add(id->part);
    add((double)id->triangle);
    add((double)id->id);
}

static void add_distance(const bvp_distance_result *result, int found)
{
    add(found);
    if (!found)
        return;
    add(result->distance);
    add(result->lower);
    add_all(result->point_a, 3);
    add_all(result->point_b, 3);
    add_id(&result->a);
    add_id(&result->b);
}

static bvp_file_info info;
static bvp_body all;

static double size_of(int axis)
{
    return info.hi[axis] - info.lo[axis];
}

static void put_point(double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = info.lo[i] + (chance() * 1.4 - 0.2) * size_of(i);
}

static void ask_rays(size_t how_many)
{
    bvp_ray *rays = calloc(how_many, sizeof *rays);
    for (size_t i = 0; rays && i < how_many; i++) {
        double to[3];
        put_point(rays[i].origin);
        put_point(to);
        for (int k = 0; k < 3; k++)
            rays[i].direction[k] = to[k] - rays[i].origin[k];
        rays[i].t_min = i % 4 == 0 ? 0.25 : 0;
        rays[i].t_max = i % 3 == 0 ? 1.5 : INFINITY;
    }
    if (!rays)
        exit(99);
    add_all(rays[0].origin, 8 * how_many);
    end_block();
    for (size_t i = 0; i < how_many; i++) {
        bvp_ray_hit hit;
        must(bvp_ray_first(&all, &rays[i], &hit, NULL), "bvp_ray_first");
        add(hit.found);
        if (!hit.found)
            continue;
        const double tuv[] = {hit.t, hit.u, hit.v};
        add_all(tuv, 3);
        add_all(hit.normal, 3);
        add_id(&hit.id);
    }
    end_block();
    free(rays);
}

static void ask_points(size_t how_many)
{
    double *points = calloc(how_many, 3 * sizeof *points);
    if (!points)
        exit(99);
    for (size_t i = 0; i < how_many; i++)
        put_point(points + 3 * i);
    add_all(points, 3 * how_many);
    end_block();
    for (size_t i = 0; i < how_many; i++) {
        bvp_closest_result nearest;
        must(bvp_closest(&all, points + 3 * i, INFINITY, &nearest, NULL), "bvp_closest");
        add(nearest.distance);
        add_all(nearest.point, 3);
        add_id(&nearest.id);
    }
    end_block();
    free(points);
}

/* The first part against the last one, which is turned about z and moved. */
static void ask_pairs_of_parts(size_t how_many)
{
    const bvp_body a = {.file = all.file, .part = 0};
    bvp_body b = {.file = all.file, .part = info.part_count - 1};
    double *placements = calloc(how_many, 12 * sizeof *placements);
    if (!placements)
        exit(99);
    bvp_part_info part;
    must(bvp_get_part(all.file, 0, &part), "bvp_get_part");
    for (size_t i = 0; i < how_many; i++) {
        const double turn = 6 * chance(), c = cos(turn), s = sin(turn);
        double *p = placements + 12 * i;
        p[0] = p[5] = c;
        p[1] = -s;
        p[4] = s;
        p[10] = 1;
        for (int k = 0; k < 3; k++)
            p[4 * k + 3] = (chance() - 0.5) * 3 * (double)(part.hi[k] - part.lo[k]);
    }
    add_all(placements, 12 * how_many);
    end_block();
    for (size_t i = 0; i < how_many; i++) {
        int hit;
        b.placement = placements + 12 * i;
        must(bvp_collide(&a, &b, &hit, NULL), "bvp_collide");
        add(hit);
    }
    end_block();
    for (size_t i = 0; i < how_many; i++) {
        bvp_distance_result result;
        b.placement = placements + 12 * i;
        must(bvp_distance(&a, &b, INFINITY, &result, NULL), "bvp_distance");
        add_distance(&result, 1);
    }
    end_block();
    for (size_t i = 0; i < how_many; i++) {
        bvp_distance_result result;
        int within;
        b.placement = placements + 12 * i;
        must(bvp_within(&a, &b, 0.1 * size_of(0), &within, &result, NULL), "bvp_within");
        add_distance(&result, within);
    }
    end_block();
    free(placements);
}

static int add_pair(void *user, const bvp_pair *pair)
{
    (void)user;
    add_id(&pair->a);
    add_id(&pair->b);
    add(pair->proper);
    return 0;
}

static int add_hit(void *user, const bvp_hit_id *id)
{
    (void)user;
    add_id(id);
    return 0;
}

static void ask_lists(void)
{
    uint64_t found;
    double middle[3];
    for (int i = 0; i < 3; i++)
        middle[i] = (info.lo[i] + info.hi[i]) / 2;
    must(bvp_pairs_each(&all, NULL, add_pair, NULL, &found, NULL), "bvp_pairs_each");
    end_block();
    const double ball[] = {middle[0], middle[1], middle[2], 0.2 * size_of(0)};
    add_all(ball, 4);
    end_block();
    must(bvp_overlap(&all, bvp_ball_region(ball, ball[3]), add_hit, NULL, &found, NULL),
         "bvp_overlap");
    end_block();
    const double placement[] = {1, 0, 0, middle[0], 0, 1, 0, middle[1], 0, 0, 1, info.hi[2] * 2};
    const bvp_convex capsule = {.kind = BVP_CONVEX_CAPSULE,
                                .radius = 0.01 * size_of(0),
                                .length = 0.02 * size_of(1),
                                .placement = placement};
    bvp_distance_result result;
    must(bvp_convex_distance(&all, &capsule, INFINITY, &result, NULL), "bvp_convex_distance");
    add(capsule.radius);
    add(capsule.length);
    add_all(placement, 12);
    end_block();
    add_distance(&result, 1);
    end_block();
}

static void ask_instances(void)
{
    double box[6];
    for (int i = 0; i < 3; i++) {
        box[i] = info.lo[i] + 0.3 * size_of(i);
        box[3 + i] = info.lo[i] + 0.6 * size_of(i);
    }
    uint32_t *instances = calloc(info.instance_count + 1, sizeof *instances);
    if (!instances)
        exit(99);
    add_all(box, 6);
    end_block();
    for (int by_triangles = 0; by_triangles < 2; by_triangles++) {
        uint64_t found;
        const bvp_array out = {instances, 0, info.instance_count};
        must(bvp_instances_in(&all, bvp_box_region(box, box + 3), by_triangles, out, &found, NULL),
             "bvp_instances_in");
        for (uint64_t i = 0; i < found; i++)
            add(instances[i]);
        end_block();
    }
    free(instances);
    enum { NEAREST = 5 };
    bvp_closest_result nearest[NEAREST];
    uint64_t found;
    must(bvp_nearest_instances(&all, box, INFINITY, (bvp_array){nearest, 0, NEAREST}, &found, NULL),
         "bvp_nearest_instances");
    for (uint64_t i = 0; i < found; i++) {
        add(nearest[i].distance);
        add_all(nearest[i].point, 3);
        add_id(&nearest[i].id);
    }
    end_block();
}

static int add_clash(void *user, const bvp_clash_pair *pair)
{
    (void)user;
    const double row[] = {pair->a,     pair->b,     pair->verdict,    pair->distance,
                          pair->lower, pair->depth, pair->depth_upper};
    add_all(row, 7);
    add_all(pair->point_a, 3);
    add_all(pair->point_b, 3);
    return 0;
}

static void run_clash(const bvp_clash_options *options)
{
    bvp_clash_coverage coverage;
    bvp_error error = {.status = BVP_OK};
    const bvp_clash_scene scene = {.a = all.file};
    must(bvp_clash(&scene, options, add_clash, NULL, &coverage, &error), error.message);
    end_block();
    add((double)coverage.box_pairs);
    add((double)coverage.excluded);
    for (int i = 0; i < BVP_VERDICT_COUNT; i++)
        add((double)coverage.verdicts[i]);
    end_block();
}

/* Three rules: instances of number 1 modulo 3 are left out with those below 3, the first one is
 * never near anything, and those of even numbers, or zones of even numbers, have four times the
 * clearance and a third of it as touch gap. */
typedef struct rule_pair {
    double clearance;
    int is_symmetric;
} rule_pair;

static int decide(void *user, uint32_t a, uint32_t b, bvp_clash_limits *limits)
{
    const rule_pair *rule = user;
    if ((a % 3 == 1 && b < 3) || (rule->is_symmetric && b % 3 == 1 && a < 3))
        return 1;
    if (a == 0 || (rule->is_symmetric && b == 0)) {
        limits->clearance = 0;
    } else if (b % 2 == 0 || (rule->is_symmetric && a % 2 == 0)) {
        limits->clearance = 4 * rule->clearance;
        limits->touch_gap = rule->clearance / 3;
    }
    return 0;
}

static void ask_clash(void)
{
    bvp_clash_options options = {.limits = {0.001 * size_of(0), NAN, NAN},
                                 .detail = BVP_CLASH_VERDICTS};
    add(options.limits.clearance);
    end_block();
    run_clash(&options);
    rule_pair rule = {options.limits.clearance, 1};
    options.rule = decide;
    options.rule_user = &rule;
    options.reach = 4 * rule.clearance;
    run_clash(&options);
    double middle[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, points[12];
    for (int i = 0; i < 3; i++) {
        middle[4 * i + 3] = (info.lo[i] + info.hi[i]) / 2;
        for (int k = 0; k < 4; k++)
            points[3 * k + i] = k == i ? info.hi[i] : info.lo[i];
    }
    const bvp_clash_zone zones[] = {
        {.shape = {.kind = BVP_CONVEX_BOX,
                   .size = {0.2 * size_of(0), 0.2 * size_of(1), 0.2 * size_of(2)},
                   .placement = middle}},
        {.shape = {.kind = BVP_CONVEX_HULL, .points = points, .point_count = 4}},
        {.shape = {.kind = BVP_CONVEX_CAPSULE,
                   .radius = 0.05 * size_of(0),
                   .length = 0.1 * size_of(0),
                   .placement = middle}}};
    add_all(zones[0].shape.size, 3);
    add_all(middle, 12);
    add_all(points, 12);
    add(zones[2].shape.radius);
    add(zones[2].shape.length);
    end_block();
    const bvp_const_array array = {zones, 0, sizeof zones / sizeof *zones};
    options.detail = BVP_CLASH_DISTANCE;
    options.zones = &array;
    rule.is_symmetric = 0;
    run_clash(&options);
}

int main(int argc, char **argv)
{
    bvp_file *file;
    bvp_error error = {.message = "usage: native_answers FILE COUNT"};
    if (argc < 3 || bvp_open(argv[1], NULL, &file, &error) != BVP_OK)
        return fprintf(stderr, "%s\n", error.message), 2;
    const size_t how_many = (size_t)strtoul(argv[2], NULL, 10);
    bvp_get_info(file, &info);
    all = (bvp_body){.file = file, .part = BVP_ASSEMBLY};
    ask_rays(how_many);
    ask_points(how_many);
    ask_pairs_of_parts(how_many / 20 + 1);
    ask_lists();
    ask_instances();
    ask_clash();
    bvp_close(file);
    free(numbers);
    return fflush(stdout) != 0;
}
