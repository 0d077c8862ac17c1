/* SPDX-License-Identifier: MIT
 * test_turned.c: parts of long oblique triangles, whose grids are turned: against brute force, both
 * instruction sets, in assemblies, warm and in packets; with hostile quaternions. Their rays,
 * points and regions, and other kinds of hierarchy: test_binary_single.c and test_binary_pairs.c.
 */
#include "binary_cases.h"
#include "format/map.h"
#include "format/record.h"
#include "hard_models.h"
#include "suite.h"

enum { STRIPS = 100, FACETS = 120, PARTS = 4 };

static body_mesh make_part(int number)
{
    switch (number) {
    case 0:
        return mesh_strips(STRIPS);
    case 1:
        return mesh_tube(FACETS, 0.3);
    case 2:
        return mesh_tube(FACETS, 0.29);
    default:
        return mesh_sphere(6);
    }
}

static bool is_turned(const bvp_file *file, uint32_t part)
{
    bvpi_tree tree;
    ck_assert_int_eq(bvpi_get_part_tree(file, part, &tree), BVP_OK);
    return tree.is_turned;
}

/* ---- what is turned -------------------------------------------------------------------------- */

START_TEST(oblique_slivers_are_turned_and_nothing_else_is)
{
    for (int k = 0; k < PARTS; k++) {
        body_mesh mesh = make_part(k);
        body_scene s = scene_of_one(mesh);
        bvp_file_info info;
        bvp_get_info(s.file[0], &info);
        ck_assert_int_eq(is_turned(s.file[0], 0), k < 3);
        ck_assert_int_eq((s.file[0]->header.feature_incompatible & BVPD_FEATURE_TURNS) != 0, k < 3);
        ck_assert_int_eq(bvp_verify_file(s.file[0], NULL, NULL, NULL), BVP_OK);
        scene_close(&s);
        free(mesh.tri);
    }
    for (int k = 0; k < FEW; k++) {
        body_mesh mesh = make_mesh(k);
        body_scene s = scene_of_one(mesh);
        ck_assert(!is_turned(s.file[0], 0));
        scene_close(&s);
        free(mesh.tri);
    }
}
END_TEST

/* Flat parts lie in their grid's plane; what is bent, or along the axes, stays. */
START_TEST(oblique_flat_parts_are_turned)
{
    static const double axis[3] = {1, 2, 3};
    for (int k = 0; k < 4; k++) {
        hard_model plate = hard_plate(8);
        hard_turn(&plate, axis, k == 1 ? 0 : 0.7);
        if (k == 2)
            plate.soup[9 * 77 + 2] += 0.01f;
        if (k == 3) /* far from the origin, where rounding bends it, but little */
            for (uint32_t i = 0; i < 9 * plate.count; i++)
                plate.soup[i] += 1000;
        body_scene s = scene_of_one((body_mesh){.tri = plate.soup, .count = plate.count});
        ck_assert_int_eq(is_turned(s.file[0], 0), k == 0 || k == 3);
        ck_assert_int_eq(bvp_verify_file(s.file[0], NULL, NULL, NULL), BVP_OK);
        scene_close(&s);
        free(plate.soup);
    }
}
END_TEST

/* The grid in the right frame is nearly as good as the same mesh along the axes. */
START_TEST(boxes_are_those_of_a_mesh_along_the_axes)
{
    double cost[2];
    for (int k = 0; k < 2; k++) {
        body_mesh mesh = mesh_strips(1000);
        bvp_hierarchy_info info;
        for (uint64_t i = 0; k == 1 && i < mesh.count; i++) /* the same, along the axes */
            for (int c = 0; c < 3; c++) {
                float *p = mesh.tri + 9 * i + 3 * c;
                const uint64_t strip = i / 2 + (i % 2 == 0 ? c == 2 : c >= 1);
                p[0] = (i % 2 == 0 ? c >= 1 : c == 1) ? 1 : -1;
                p[1] = (float)strip / 500 - 1;
                p[2] = strip % 2 ? 0.02f : 0;
            }
        body_scene s = scene_of_one(mesh);
        ck_assert_int_eq(is_turned(s.file[0], 0), k == 0);
        ck_assert_int_eq(bvp_get_hierarchy(s.file[0], 0, 0, &info), BVP_OK);
        cost[k] = info.area_cost;
        scene_close(&s);
        free(mesh.tri);
    }
    ck_assert_msg(cost[0] < 1.5 * cost[1], "%g, along the axes %g", cost[0], cost[1]);
}
END_TEST

/* ---- two bodies ------------------------------------------------------------------------------ */

typedef struct sum {
    uint64_t count, of;
} sum;

static int add_pair(void *user, const bvp_pair *pair)
{
    sum *s = user;
    s->count++;
    s->of += pair->a.id * 1000003 + pair->b.id + (pair->proper ? UINT64_C(1) << 40 : 0);
    return 0;
}

static sum sum_of(oracle_soup a, oracle_soup b)
{
    uint8_t *matrix = malloc(a.count * b.count);
    sum s = {.count = oracle_pairs(a, b, matrix)};
    for (uint64_t k = 0; k < a.count * b.count; k++)
        if (matrix[k] != 0)
            s.of += k / b.count * 1000003 + k % b.count + (matrix[k] > 1 ? UINT64_C(1) << 40 : 0);
    free(matrix);
    return s;
}

static void check_pair(const body_mesh *x, const body_mesh *y, const body_scene *s,
                       const body_scene *t, const double *ma, const double *mb)
{
    const oracle_soup soup_a = {x->tri, x->count, ma}, soup_b = {y->tri, y->count, mb};
    const sum expected = sum_of(soup_a, soup_b);
    bvp_stats stats[2] = {{0}};
    bvp_distance_result out[2];
    double lo, hi;
    oracle_distance(soup_a, soup_b, &lo, &hi);
    for (int isa = 0; isa < 2; isa++) {
        const bvp_body a = {.file = s->file[isa], .part = 0, .placement = ma},
                       b = {.file = t->file[isa], .part = 0, .placement = mb};
        sum found = {0};
        uint64_t count;
        int hit, near, far;
        ck_assert_int_eq(bvp_pairs_each(&a, &b, add_pair, &found, &count, &stats[isa]), BVP_OK);
        ck_assert_uint_eq(found.count, expected.count);
        ck_assert_uint_eq(found.of, expected.of);
        ck_assert_int_eq(bvp_collide(&a, &b, &hit, &stats[isa]), BVP_OK);
        ck_assert_int_eq(hit, expected.count > 0);
        memset(&out[isa], 0, sizeof out[isa]);
        ck_assert_int_eq(bvp_distance(&a, &b, INFINITY, &out[isa], &stats[isa]), BVP_OK);
        ck_assert_msg(out[isa].lower <= hi && out[isa].distance >= lo &&
                          out[isa].distance <= hi * (1 + 1e-9),
                      "%.17g, not %.17g to %.17g", out[isa].distance, lo, hi);
        if (hi == 0)
            continue;
        ck_assert_int_eq(bvp_within(&a, &b, hi * (1 + 1e-6), &near, NULL, &stats[isa]), BVP_OK);
        ck_assert_int_eq(bvp_within(&a, &b, lo * (1 - 1e-6), &far, NULL, &stats[isa]), BVP_OK);
        ck_assert(near && !far);
    }
    ck_assert_mem_eq(&stats[0], &stats[1], sizeof stats[0]);
    ck_assert_mem_eq(&out[0], &out[1], sizeof out[0]);
}

START_TEST(pairs_are_those_of_brute_force)
{
    body_mesh meshes[PARTS];
    body_scene scenes[PARTS];
    int touching = 0;
    case_seed(401 + (uint64_t)_i);
    for (int k = 0; k < PARTS; k++) {
        meshes[k] = make_part(k);
        scenes[k] = scene_of_one(meshes[k]);
    }
    for (int round = 0; round < 24; round++) {
        const int x = round % PARTS, y = case_int(PARTS);
        double ma[12], mb[12];
        place_random(round % PLACED_FLAT, ma);
        memcpy(mb, ma, sizeof mb);
        if (case_int(3) > 0)
            place_random(case_int(PLACED_FLAT), mb);
        double size = 0;
        for (int k = 0; k < 9; k++)
            size = fmax(size, fabs(ma[4 * (k / 3) + k % 3]));
        for (int axis = 0; axis < 3; axis++)
            mb[4 * axis + 3] = ma[4 * axis + 3] + size * (round % 2 ? 3 : 0.2) * case_unit();
        check_pair(&meshes[x], &meshes[y], &scenes[x], &scenes[y], ma, mb);
        touching += round % 2 == 0;
    }
    for (int k = 0; k < PARTS; k++) {
        scene_close(&scenes[k]);
        free(meshes[k].tri);
    }
    ck_assert_int_gt(touching, 0);
}
END_TEST

/* A thousand across and up to a quarter of a million from their own origin, then placed near each
 * other again: floats and turned coordinates keep few digits of what is left. */
START_TEST(far_from_their_origin_answers_are_those_of_brute_force)
{
    case_seed(411);
    for (int round = 0; round < 9; round++) {
        body_mesh x = make_part(round % 3), y = make_part(case_int(3));
        const double away = ldexp(1, 10 + round), turn = round % 2 ? 0.3 : 0;
        double off[3], ma[12], mb[12];
        for (int axis = 0; axis < 3; axis++)
            off[axis] = away * case_unit();
        for (uint64_t i = 0; i < 9 * x.count; i++)
            x.tri[i] = (float)((double)x.tri[i] * 512 + off[i % 3]);
        for (uint64_t i = 0; i < 9 * y.count; i++)
            y.tri[i] = (float)((double)y.tri[i] * 512 - off[i % 3]);
        body_scene s = scene_of_one(x), t = scene_of_one(y);
        ck_assert(is_turned(s.file[0], 0) && is_turned(t.file[0], 0));
        ck_assert_int_eq(bvp_verify_file(s.file[0], NULL, NULL, NULL), BVP_OK);
        case_identity(ma);
        for (int k = 0; k < 3; k++) {
            case_identity(mb);
            mb[0] = mb[5] = cos(turn);
            mb[4] = sin(turn);
            mb[1] = -mb[4];
            for (int axis = 0; axis < 3; axis++) {
                const double *row = mb + 4 * axis;
                mb[4 * axis + 3] = off[axis] + row[0] * off[0] + row[1] * off[1] + row[2] * off[2] +
                                   512 * (k == 0 ? 0.1 : k) * case_unit();
            }
            check_pair(&x, &y, &s, &t, ma, mb);
        }
        scene_close(&s);
        scene_close(&t);
        free(x.tri);
        free(y.tri);
    }
}
END_TEST

/* A tube in a tube, surfaces near each other everywhere: nothing but the right frame tells facets
 * apart. Counts as along the axes, and not as the square of the facets. */
START_TEST(a_tube_in_its_bore_costs_what_one_along_the_axes_does)
{
    uint64_t boxes[2];
    for (int k = 0; k < 2; k++) {
        const int n = 200 << k;
        body_mesh outer = mesh_tube(n, 0.3), inner = mesh_tube(n, 0.297);
        body_scene s = scene_of_one(outer), t = scene_of_one(inner);
        const bvp_body a = {.file = s.file[0], .part = 0}, b = {.file = t.file[0], .part = 0};
        bvp_stats stats = {0};
        int hit;
        ck_assert_int_eq(bvp_collide(&a, &b, &hit, &stats), BVP_OK);
        ck_assert_int_eq(hit, 0);
        boxes[k] = stats.boxes + stats.leaves;
        scene_close(&s);
        scene_close(&t);
        free(outer.tri);
        free(inner.tri);
    }
    printf("%lu boxes and leaves, of twice as many facets %lu\n", (unsigned long)boxes[0],
           (unsigned long)boxes[1]);
    ck_assert_uint_lt(boxes[0], 200 * 40);
    ck_assert_uint_lt(boxes[1], 3 * boxes[0]);
}
END_TEST

/* ---- assemblies, warm starts, packets -------------------------------------------------------- */

START_TEST(assemblies_and_warm_starts_answer_as_plain_parts)
{
    static uint64_t front[1 << 13];
    body_mesh meshes[PARTS];
    uint32_t parts[8];
    double placements[96];
    case_seed(77);
    for (int k = 0; k < PARTS; k++)
        meshes[k] = make_part(k);
    for (uint32_t k = 0; k < 8; k++) {
        parts[k] = k % PARTS;
        place_random(PLACED_RIGID, placements + 12 * k);
    }
    body_scene s = scene_of(meshes, PARTS, parts, placements, 8), one = scene_of_one(meshes[1]);
    bvp_warm_start warm = {.front = front, .front_size = sizeof front};
    for (int step = 0; step < 40; step++) {
        double m[12], best = INFINITY;
        case_identity(m);
        m[3] = 4 - 0.1 * step;
        m[7] = 0.03 * step;
        const bvp_body a = {.file = s.file[0], .part = BVP_ASSEMBLY},
                       b = {.file = one.file[0], .part = 0, .placement = m},
                       alone = {.file = s.file[0], .part = 0},
                       turned = {.file = s.file[0], .part = 1};
        bvp_distance_result all, out, hot;
        for (uint32_t k = 0; k < 8; k++) {
            const bvp_body c = {
                .file = s.file[0], .part = k % PARTS, .placement = placements + 12 * k};
            ck_assert_int_eq(bvp_distance(&c, &b, INFINITY, &out, NULL), BVP_OK);
            best = fmin(best, out.distance);
        }
        ck_assert_int_eq(bvp_distance(&a, &b, INFINITY, &all, NULL), BVP_OK);
        ck_assert_msg(fabs(all.distance - best) <= 1e-9 * best, "%g, not %g", all.distance, best);
        const bvp_body *first = step < 20 ? &alone : &turned;
        memset(&out, 0, sizeof out);
        memset(&hot, 0, sizeof hot);
        ck_assert_int_eq(bvp_distance(first, &b, INFINITY, &out, NULL), BVP_OK);
        ck_assert_int_eq(bvp_distance_warm(first, &b, INFINITY, &warm, &hot, NULL), BVP_OK);
        if (out.distance > 0)
            ck_assert_mem_eq(&out, &hot, sizeof out);
        else
            ck_assert(hot.distance == 0);
    }
    scene_close(&s);
    scene_close(&one);
    for (int k = 0; k < PARTS; k++)
        free(meshes[k].tri);
}
END_TEST

enum { RAYS = 512 };

START_TEST(packets_of_rays_answer_as_single_ones)
{
    static bvp_ray rays[RAYS];
    static bvp_ray_hit hits[RAYS];
    int found = 0;
    bool same = true;
    case_seed(9);
    for (int k = 0; k < 3; k++) {
        body_mesh mesh = make_part(k);
        body_scene s = scene_of_one(mesh);
        for (int isa = 0; isa < 2; isa++) {
            const bvp_body body = {.file = s.file[isa], .part = 0};
            for (int i = 0; i < RAYS; i++)
                rays[i] = (bvp_ray){.origin = {5, 4, 3},
                                    .direction = {-4.3 + 0.002 * (i % 8) + 0.03 * (i / 64),
                                                  -4.4 + 0.002 * (i / 8 % 8), -2.7},
                                    .t_max = INFINITY};
            size_t done;
            ck_assert_int_eq(bvp_ray_first_batch(&body, (bvp_const_array){rays, 0, RAYS},
                                                 (bvp_array){hits, 0, RAYS}, &done, NULL),
                             BVP_OK);
            for (int i = 0; i < RAYS; i++) {
                bvp_ray_hit one;
                same = same && bvp_ray_first(&body, &rays[i], &one, NULL) == BVP_OK &&
                       one.found == hits[i].found && one.t == hits[i].t &&
                       one.id.triangle == hits[i].id.triangle;
                found += one.found;
            }
        }
        scene_close(&s);
        free(mesh.tri);
    }
    ck_assert(same);
    ck_assert_int_gt(found, 100);
}
END_TEST

/* ---- boxes, forged bytes --------------------------------------------------------------------- */

typedef struct around {
    double lo[3], hi[3];
} around;

static int add_box(void *user, const bvp_box *box)
{
    around *all = user;
    for (int i = 0; i < 3; i++) {
        all->lo[i] = fmin(all->lo[i], box->lo[i]);
        all->hi[i] = fmax(all->hi[i], box->hi[i]);
    }
    return 0;
}

START_TEST(shown_boxes_hold_the_part)
{
    body_mesh mesh = make_part(0);
    body_scene s = scene_of_one(mesh);
    bvp_part_info part;
    ck_assert_int_eq(bvp_get_part(s.file[0], 0, &part), BVP_OK);
    for (uint32_t level = 0; level < 4; level++) {
        around all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        ck_assert_int_eq(bvp_boxes(s.file[0], 0, level, add_box, &all), BVP_OK);
        for (int i = 0; i < 3; i++)
            ck_assert(all.lo[i] <= (double)part.lo[i] && all.hi[i] >= (double)part.hi[i]);
    }
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

/* Whatever the quaternion says, queries end. */
START_TEST(forged_quaternions_are_refused_or_harmless)
{
    static const int16_t values[] = {0, 1, -1, INT16_MAX, -INT16_MAX, INT16_MIN};
    body_mesh mesh = make_part(0);
    const bvp_build_options options = {.thread_count = 1};
    bytes packed = pack(&mesh, &options);
    bvp_file *plain = open_by(&packed, BVP_KIND_DEFAULT, BVP_TEST_DEFAULT, 0);
    uint8_t *turn = (uint8_t *)packed.data +
                    (plain->section[BVPD_HIER].data - (const uint8_t *)packed.data) +
                    offsetof(bvpd_hierarchy, turn);
    double m[12];
    case_identity(m);
    m[3] = 1;
    for (unsigned k = 0; k < 6 * 6 * 4; k++) {
        int16_t forged[4] = {3, 5, -7, 11};
        forged[k / 36] = values[k % 6];
        forged[(k / 36 + 1) % 4] = values[k / 6 % 6];
        memcpy(turn, forged, sizeof forged);
        bvp_file *file = open_by(&packed, BVP_KIND_DEFAULT, BVP_TEST_DEFAULT, 0);
        const bvp_body a = {.file = file, .part = 0}, b = {.file = file, .part = 0, .placement = m};
        const bool refused = forged[k / 36] == INT16_MIN || forged[(k / 36 + 1) % 4] == INT16_MIN;
        bvp_distance_result out;
        bvp_closest_result near;
        int hit;
        const bvp_ray ray = {.origin = {3, 3, 3}, .direction = {-1, -1, -1}, .t_max = INFINITY};
        const bvp_status status = bvp_distance(&a, &b, INFINITY, &out, NULL);
        ck_assert_int_eq(status, refused ? BVP_ERR_CORRUPT : BVP_OK);
        ck_assert_int_eq(bvp_closest(&a, m, INFINITY, &near, NULL), status);
        ck_assert_int_eq(bvp_ray_any(&a, &ray, &hit, NULL), status);
        bvp_close(file);
    }
    bvp_close(plain);
    free(packed.data);
    free(mesh.tri);
}
END_TEST

SUITE(test_turned)
{
    TCase *cases = tcase_create("turned");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, oblique_slivers_are_turned_and_nothing_else_is);
    tcase_add_test(cases, oblique_flat_parts_are_turned);
    tcase_add_test(cases, boxes_are_those_of_a_mesh_along_the_axes);
    tcase_add_loop_test(cases, pairs_are_those_of_brute_force, 0, 4);
    tcase_add_test(cases, a_tube_in_its_bore_costs_what_one_along_the_axes_does);
    tcase_add_test(cases, far_from_their_origin_answers_are_those_of_brute_force);
    tcase_add_test(cases, assemblies_and_warm_starts_answer_as_plain_parts);
    tcase_add_test(cases, packets_of_rays_answer_as_single_ones);
    tcase_add_test(cases, shown_boxes_hold_the_part);
    tcase_add_test(cases, forged_quaternions_are_refused_or_harmless);
    return suite_run_case("turned", cases);
}
