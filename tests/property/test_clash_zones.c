/* SPDX-License-Identifier: MIT
 * test_clash_zones.c: runs over instances and convex zones: every pair is reported as it is when
 * asked for alone, in one order; threads, rules, ends, arguments, files of all sorts.
 */
#include "suite.h"

#include "zone_case.h"

START_TEST(equals_asking_every_pair)
{
    const uint64_t seed = case_seed();
    case_file file = zone_scene(seed, 10, 1);
    zone_set *zones = zone_scene_zones(seed + 1, 10);
    for (int detail = 0; detail <= BVP_CLASH_FAST_CONTACTS; detail++) {
        bvp_clash_coverage sum;
        uint64_t verdicts[BVP_VERDICT_COUNT] = {0}, counted = 0;
        uint32_t at = 0;
        const bvp_clash_options options = {
            .limits = zone_limits, .detail = (bvp_clash_detail)detail, .thread_count = 2};
        zone_list *l = zone_run(file.file, zones, options, &sum);
        for (uint32_t a = 0; a < INSTANCES; a++)
            for (uint32_t b = 0; b < ZONES; b++) {
                bvp_clash_pair one;
                ck_assert_int_eq(bvp_clash_one_zone(file.file, a, &zones->zones[b], &zone_limits,
                                                    (bvp_clash_detail)detail, &one),
                                 BVP_OK);
                ck_assert_uint_eq(one.b, 0);
                one.b = b;
                if (one.verdict == BVP_VERDICT_CLEAR)
                    continue;
                verdicts[one.verdict]++;
                ck_assert_uint_lt(at, l->count);
                ck_assert_mem_eq(&one, &l->pairs[at], sizeof one);
                at++;
            }
        ck_assert_uint_eq(at, l->count);
        for (int v = 0; v < BVP_VERDICT_COUNT; v++) {
            counted += sum.verdicts[v];
            if (v != BVP_VERDICT_CLEAR)
                ck_assert_uint_eq(sum.verdicts[v], verdicts[v]);
        }
        ck_assert_uint_eq(counted + sum.excluded, sum.box_pairs);
        ck_assert_uint_lt(sum.box_pairs, PAIRS_MOST);
        ck_assert_uint_eq(sum.instance_count, INSTANCES);
        ck_assert_uint_gt(sum.open_count, 0);
        ck_assert_uint_eq(l->done, INSTANCES);
        ck_assert_mem_eq(&l->seen, &sum, sizeof sum);
        free(l);
    }
    free(zones);
    case_close(&file);
}
END_TEST

/* ---- order and ends -------------------------------------------------------------------------- */

START_TEST(any_number_of_threads)
{
    const uint64_t seed = case_seed() + 1;
    case_file file = zone_scene(seed, 5, 1);
    zone_set *zones = zone_scene_zones(seed, 5);
    bvp_clash_options options = {.limits = zone_limits, .thread_count = 1};
    zone_list *one = zone_run(file.file, zones, options, NULL);
    ck_assert_uint_gt(one->count, 200);
    for (options.thread_count = 2; options.thread_count <= 7; options.thread_count += 5) {
        zone_list *more = zone_run(file.file, zones, options, NULL);
        ck_assert_uint_eq(more->count, one->count);
        ck_assert_mem_eq(more->pairs, one->pairs, one->count * sizeof *one->pairs);
        free(more);
    }
    free(one);
    free(zones);
    case_close(&file);
}
END_TEST

START_TEST(stops_and_resumes)
{
    const uint64_t seed = case_seed() + 2;
    case_file file = zone_scene(seed, 8, 1);
    zone_set *zones = zone_scene_zones(seed, 8);
    bvp_clash_coverage sum;
    bvp_clash_options options = {.limits = zone_limits, .thread_count = 2};
    zone_list *whole = zone_run(file.file, zones, options, NULL);
    for (uint32_t first = 0; first <= INSTANCES; first += 16) {
        uint32_t skipped = 0;
        options.first_instance = first;
        zone_list *rest = zone_run(file.file, zones, options, &sum);
        while (skipped < whole->count && whole->pairs[skipped].a < first)
            skipped++;
        ck_assert_uint_eq(rest->count, whole->count - skipped);
        ck_assert_mem_eq(rest->pairs, whole->pairs + skipped, rest->count * sizeof *rest->pairs);
        ck_assert_uint_eq(sum.instance_count, INSTANCES - first);
        free(rest);
    }
    zone_list *cut = calloc(1, sizeof *cut);
    options.first_instance = 0;
    options.zones = &zones->array;
    cut->stop_at = whole->count / 2;
    ck_assert_int_eq(
        bvp_clash(&(bvp_clash_scene){.a = file.file}, &options, zone_list_add, cut, NULL, NULL),
        BVP_OK);
    ck_assert_uint_eq(cut->count, cut->stop_at);
    ck_assert_mem_eq(cut->pairs, whole->pairs, cut->count * sizeof *cut->pairs);
    free(cut);
    free(whole);
    free(zones);
    case_close(&file);
}
END_TEST

/* A budget ends the run at the same pair with any number of threads; a flag, before anything. */
START_TEST(controls_end_it)
{
    const uint64_t seed = case_seed() + 3;
    case_file file = zone_scene(seed, 5, 1);
    zone_set *zones = zone_scene_zones(seed, 5);
    const bvp_control few = {.budget = 20};
    uint32_t counts[2];
    for (uint32_t k = 0; k < 2; k++) {
        zone_list *l = calloc(1, sizeof *l);
        const bvp_clash_options options = {.limits = zone_limits,
                                           .thread_count = 1 + 3 * k,
                                           .control = &few,
                                           .zones = &zones->array};
        ck_assert_int_eq(
            bvp_clash(&(bvp_clash_scene){.a = file.file}, &options, zone_list_add, l, NULL, NULL),
            BVP_ERR_CANCELLED);
        counts[k] = l->count;
        free(l);
    }
    ck_assert_uint_eq(counts[0], counts[1]);
    const volatile int set = 1;
    const bvp_control stop = {.cancel = &set};
    const bvp_clash_options options = {
        .limits = zone_limits, .control = &stop, .zones = &zones->array};
    zone_list *l = calloc(1, sizeof *l);
    ck_assert_int_eq(
        bvp_clash(&(bvp_clash_scene){.a = file.file}, &options, zone_list_add, l, NULL, NULL),
        BVP_ERR_CANCELLED);
    ck_assert_uint_eq(l->count, 0);
    free(l);
    free(zones);
    case_close(&file);
}
END_TEST

/* Leaves out instances that are odd, and gives each zone its own clearance. */
static int rule(void *user, uint32_t a, uint32_t b, bvp_clash_limits *own)
{
    (void)user;
    ck_assert_uint_lt(b, ZONES);
    own->clearance = .1 * b;
    return a % 2;
}

START_TEST(rules_select)
{
    const uint64_t seed = case_seed() + 4;
    case_file file = zone_scene(seed, 8, 1);
    zone_set *zones = zone_scene_zones(seed, 8);
    bvp_clash_coverage sum;
    const bvp_clash_options options = {.limits = zone_limits, .rule = rule, .reach = .1 * ZONES};
    zone_list *l = zone_run(file.file, zones, options, &sum);
    uint32_t at = 0;
    ck_assert_uint_gt(sum.excluded, 0);
    for (uint32_t a = 0; a < INSTANCES; a += 2)
        for (uint32_t b = 0; b < ZONES; b++) {
            const bvp_clash_limits own = {.1 * b, zone_limits.touch_gap, zone_limits.overlap};
            bvp_clash_pair one;
            ck_assert_int_eq(
                bvp_clash_one_zone(file.file, a, &zones->zones[b], &own, BVP_CLASH_DISTANCE, &one),
                BVP_OK);
            one.b = b;
            if (one.verdict != BVP_VERDICT_CLEAR)
                ck_assert_mem_eq(&one, &l->pairs[at++], sizeof one);
        }
    ck_assert_uint_eq(at, l->count);
    free(l);
    free(zones);
    case_close(&file);
}
END_TEST

START_TEST(arguments_are_checked)
{
    case_file file = zone_scene(case_seed() + 5, 8, 0);
    bvp_clash_zone two[2] = {{{.kind = BVP_CONVEX_SPHERE, .radius = 1}, "good"},
                             {{.kind = BVP_CONVEX_SPHERE, .radius = -1}, "door"}};
    bvp_const_array array = {two, 0, 2};
    const bvp_clash_options options = {.limits = zone_limits, .zones = &array};
    bvp_clash_scene scene = {.a = file.file};
    bvp_clash_coverage sum;
    bvp_clash_pair pair;
    bvp_error error = {0};
    ck_assert_int_eq(bvp_clash(&scene, &options, NULL, NULL, &sum, &error), BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "zone 1 (door)"));
    ck_assert_uint_eq(sum.box_pairs, 0);
    ck_assert_int_eq(bvp_clash_one_zone(file.file, 0, &two[1], &zone_limits, 0, &pair),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_clash_one_zone(file.file, INSTANCES, &two[0], &zone_limits, 0, &pair),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_clash_one_zone(file.file, 0, NULL, &zone_limits, 0, &pair),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(
        bvp_clash_one_zone(file.file, 0, &two[0], &(bvp_clash_limits){-1, 0, 0}, 0, &pair),
        BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_clash_one_zone(file.file, 0, &two[0], NULL, 0, &pair), BVP_OK);
    two[1].shape.radius = 1;
    ck_assert_int_eq(bvp_clash(&scene, &options, NULL, NULL, &sum, &error), BVP_OK);
    scene.b = file.file; /* zones, and a second file */
    ck_assert_int_eq(bvp_clash(&scene, &options, NULL, NULL, &sum, &error), BVP_ERR_ARGUMENT);
    scene.b = NULL;
    array.base = NULL;
    ck_assert_int_eq(bvp_clash(&scene, &options, NULL, NULL, &sum, &error), BVP_ERR_ARGUMENT);
    array.count = 0;
    ck_assert_int_eq(bvp_clash(&scene, &options, NULL, NULL, &sum, &error), BVP_OK);
    ck_assert_uint_eq(sum.box_pairs, 0);
    ck_assert_uint_eq(sum.instance_count, INSTANCES);
    case_close(&file);
}
END_TEST

/* The caller's elements may be larger than the library's. */
START_TEST(zones_may_have_a_stride)
{
    struct wide {
        bvp_clash_zone zone;
        double more[3];
    } wide[3];
    const uint64_t seed = case_seed() + 6;
    case_file file = zone_scene(seed, 4, 1);
    bvp_clash_zone packed[3];
    bvp_clash_coverage sums[2];
    memset(wide, 0xff, sizeof wide);
    for (int i = 0; i < 3; i++) {
        packed[i] =
            (bvp_clash_zone){.shape = {.kind = BVP_CONVEX_BOX, .size = {i + 1, i + 1, i + 1}}};
        wide[i].zone = packed[i];
    }
    const bvp_const_array arrays[2] = {{packed, 0, 3}, {wide, sizeof wide[0], 3}};
    for (int k = 0; k < 2; k++) {
        const bvp_clash_options options = {.limits = zone_limits, .zones = &arrays[k]};
        ck_assert_int_eq(
            bvp_clash(&(bvp_clash_scene){.a = file.file}, &options, NULL, NULL, &sums[k], NULL),
            BVP_OK);
    }
    ck_assert_uint_gt(sums[0].box_pairs, 0);
    ck_assert_mem_eq(&sums[0], &sums[1], sizeof sums[0]);
    case_close(&file);
}
END_TEST

/* A file of one mesh has one instance, one without any mesh none. */
START_TEST(files_of_one_mesh_and_of_none)
{
    static const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
    static solid s;
    const bvp_clash_zone zone = {.shape = {.kind = BVP_CONVEX_SPHERE, .radius = .5}};
    const bvp_const_array array = {&zone, 0, 1};
    const bvp_clash_options options = {.limits = zone_limits, .zones = &array};
    bvp_clash_coverage sum;
    s.count = 0;
    solid_box(&s, lo, hi, 0, -1);
    const bvp_mesh mesh = case_mesh(s.soup, s.count);
    case_file one = case_build(&mesh, NULL);
    ck_assert_int_eq(bvp_clash(&(bvp_clash_scene){.a = one.file}, &options, NULL, NULL, &sum, NULL),
                     BVP_OK);
    bvp_file_info info;
    bvp_get_info(one.file, &info);
    ck_assert_uint_eq(sum.instance_count, info.instance_count);
    ck_assert_uint_eq(sum.verdicts[BVP_VERDICT_PENETRATING], info.instance_count);
    case_close(&one);
    assembly none = assembly_new(zone_home);
    case_file empty = case_finish(none.builder);
    ck_assert_int_eq(
        bvp_clash(&(bvp_clash_scene){.a = empty.file}, &options, NULL, NULL, &sum, NULL), BVP_OK);
    ck_assert_uint_eq(sum.box_pairs, 0);
    case_close(&empty);
}
END_TEST

/* Instances so far out that they have a hierarchy of their own. */
START_TEST(far_instances_are_found)
{
    static const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1}, away = 1e8;
    static solid s;
    assembly all = assembly_new(zone_home);
    double m[12], middle[12];
    bvp_file_info info;
    bvp_clash_coverage sum;
    s.count = 0;
    solid_box(&s, lo, hi, 0, -1);
    const uint32_t part = assembly_part(&all, &s);
    memcpy(m, zone_home, sizeof m);
    for (int i = 0; i < 40; i++) {
        m[3] = i < 36 ? 2 * i : away + 2 * i;
        assembly_place(&all, part, m);
    }
    case_file file = case_finish(all.builder);
    bvp_get_info(file.file, &info);
    ck_assert_uint_gt(info.instance_hierarchy_count, 1);
    memcpy(middle, zone_home, sizeof middle);
    const bvp_clash_zone zone = {
        .shape = {.kind = BVP_CONVEX_BOX, .size = {7, 1, 1}, .placement = middle}};
    const bvp_const_array array = {&zone, 0, 1};
    const bvp_clash_options options = {.limits = {0, .25, .25}, .zones = &array};
    for (int k = 0; k < 2; k++) { /* four boxes are in the zone each time */
        middle[3] = (k == 0 ? 22.5 : away + 74.5) + 1;
        ck_assert_int_eq(
            bvp_clash(&(bvp_clash_scene){.a = file.file}, &options, NULL, NULL, &sum, NULL),
            BVP_OK);
        ck_assert_uint_eq(sum.box_pairs, 4);
        ck_assert_uint_eq(sum.instance_count, 40);
    }
    case_close(&file);
}
END_TEST

SUITE(test_clash_zones)
{
    const TTest *const tests[] = {equals_asking_every_pair,
                                  any_number_of_threads,
                                  stops_and_resumes,
                                  controls_end_it,
                                  rules_select,
                                  arguments_are_checked,
                                  zones_may_have_a_stride,
                                  files_of_one_mesh_and_of_none,
                                  far_instances_are_found,
                                  NULL};
    return suite_run("test_clash_zones", tests);
}
