/* SPDX-License-Identifier: MIT
 * test_obb_obb.c: oriented boxes that share a point are never called apart, those that are apart
 * are, and distances are never overstated.
 */
#include "flat_oracle.h"
#include "prim/obb_obb.h"
#include "suite.h"

#include <stdio.h>

/* A pair of boxes, b in the frame of a. */
typedef struct setting {
    bvpi_obb a, b;
    bvpi_obb_pair pair;
    bool rigid;
    double reach, slack;
} setting;

static double corner(const bvpi_obb *box, int number, int k)
{
    double x = box->centre[k];
    for (int j = 0; j < 3; j++)
        x += (number >> j & 1 ? 1 : -1) * box->half[j] * box->axis[k][j];
    return x;
}

/* axis: rows. */
static bvpi_obb box_of(const double centre[3], const double axis[9], const double half[3])
{
    bvpi_obb box = {{0}, {{0}}, {0}};
    for (int i = 0; i < 3; i++) {
        box.centre[i] = centre[i];
        box.half[i] = half[i];
        for (int j = 0; j < 3; j++)
            box.axis[i][j] = axis[3 * j + i];
    }
    return box;
}

static void finish(setting *s)
{
    s->reach = 0;
    for (int n = 0; n < 24; n++)
        s->reach = fmax(s->reach,
                        fmax(fabs(corner(&s->a, n / 3, n % 3)), fabs(corner(&s->b, n / 3, n % 3))));
    s->slack = bvpi_obb_slack(s->reach, 0);
    bvpi_obb_pair_init(&s->pair, &s->a, &s->b, s->slack, s->rigid);
}

static void random_setting(uint64_t *state, bool rigid, setting *s)
{
    double map[12], axis[2][9], centre[2][3], half[2][3], stretch;
    const double far = case_random(state) % 4 ? 0 : ldexp(1, (int)(case_random(state) % 30));
    case_map(state, rigid, 2, map, &stretch);
    for (int n = 0; n < 2; n++) {
        case_rotation(state, axis[n]);
        for (int k = 0; k < 3; k++) {
            centre[n][k] = case_between(state, -1, 1) + (n == 0 ? far : 0);
            half[n][k] = case_random(state) % 5 ? case_uniform(state) : case_random(state) % 2;
            map[4 * k + 3] += n == 0 ? far : 0;
        }
    }
    if (case_random(state) % 4 == 0)
        memcpy(axis[0], axis[1], sizeof axis[0]);
    s->rigid = rigid;
    s->a = box_of(centre[0], axis[0], half[0]);
    const bvpi_obb own = box_of(centre[1], axis[1], half[1]);
    bvpi_obb_place(map, &own, &s->b);
    finish(s);
}

/* Moves b such that a point of it, perhaps a corner, lies on one of a's. */
static void make_touch(uint64_t *state, setting *s)
{
    long double d[3] = {0};
    const int how = (int)(case_random(state) % 3);
    for (int k = 0; k < 3; k++)
        d[k] = s->a.centre[k] - s->b.centre[k];
    for (int j = 0; j < 3; j++) {
        const double t = case_random(state) % 2 ? 1 : -1, u = case_random(state) % 2 ? 1 : -1;
        const double p = how == 0 ? t : how == 1 && j ? t : case_between(state, -1, 1);
        const double q = how == 0 ? u : how == 1 && j ? u : case_between(state, -1, 1);
        for (int k = 0; k < 3; k++)
            d[k] += p * s->a.half[j] * s->a.axis[k][j] - q * s->b.half[j] * s->b.axis[k][j];
    }
    for (int k = 0; k < 3; k++)
        s->b.centre[k] += (double)d[k];
    finish(s);
}

START_TEST(boxes_with_a_common_point_meet)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 200000; round++) {
        setting s;
        random_setting(&state, round % 2, &s);
        make_touch(&state, &s);
        const int axis = bvpi_obb_separate(&s.pair, s.rigid, false);
        ck_assert_msg(axis == BVPI_OBB_AXES, "%d: axis %d", round, axis);
        ck_assert_int_eq(bvpi_obb_separate(&s.pair, s.rigid, true), BVPI_OBB_AXES);
        ck_assert(bvpi_obb_distance(&s.pair, s.rigid, INFINITY) == 0);
    }
}
END_TEST

/* The largest gap along any of the 15 axes, each a unit vector: the plain way. */
static long double largest_gap(const setting *s)
{
    long double u[2][3][3], axis[15][3], d[3], best = -INFINITY;
    for (int j = 0; j < 9; j++) {
        u[0][j / 3][j % 3] = s->a.axis[j % 3][j / 3];
        u[1][j / 3][j % 3] = s->b.axis[j % 3][j / 3];
    }
    for (int k = 0; k < 3; k++)
        d[k] = (long double)s->b.centre[k] - s->a.centre[k];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            axis[i][j] = u[0][i][j];
            cross_l(u[0][i], u[1][j], axis[6 + 3 * i + j]);
            cross_l(u[1][(i + 1) % 3], u[1][(i + 2) % 3], axis[3 + i]);
        }
    for (int n = 0; n < 15; n++) {
        const long double length = sqrtl(dot_l(axis[n], axis[n]));
        long double gap = fabsl(dot_l(axis[n], d));
        for (int j = 0; j < 3; j++)
            gap -= s->a.half[j] * fabsl(dot_l(axis[n], u[0][j])) +
                   s->b.half[j] * fabsl(dot_l(axis[n], u[1][j]));
        if (length > 1e-6L)
            best = fmaxl(best, gap / length);
    }
    return best;
}

static polygon side_of(const bvpi_obb *box, int side)
{
    static const int ring[4] = {0, 1, 3, 2};
    const int j = side / 2, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    polygon out = {.count = 4};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            out.c[i][k] =
                corner(box, (side % 2) << j | (ring[i] & 1) << j1 | (ring[i] >> 1) << j2, k);
    return out;
}

static long double distance_of(const setting *s)
{
    long double least = INFINITY;
    for (int n = 0; n < 36; n++) {
        const polygon p = side_of(&s->a, n / 6), q = side_of(&s->b, n % 6);
        least = fminl(least, polygon_distance(&p, &q));
    }
    return least;
}

START_TEST(answers_are_those_of_the_plain_way)
{
    uint64_t state = case_seed();
    int apart = 0, missed = 0, tried[BVPI_OBB_AXES + 1] = {0};
    for (int round = 0; round < 6000; round++) {
        setting s;
        random_setting(&state, round % 2, &s);
        const long double gap = largest_gap(&s);
        const int axis = bvpi_obb_separate(&s.pair, s.rigid, false);
        const int lite = bvpi_obb_separate(&s.pair, s.rigid, true);
        const double bound = bvpi_obb_distance(&s.pair, s.rigid, INFINITY);
        tried[axis]++;
        if (gap > 16 * s.slack + 1e-9)
            ck_assert_msg(axis < BVPI_OBB_AXES, "%d: gap %Lg", round, gap);
        if (gap < 0)
            ck_assert_int_eq(axis, BVPI_OBB_AXES);
        ck_assert(lite == axis || (lite == BVPI_OBB_AXES && axis >= BVPI_OBB_EDGE));
        ck_assert((bound > 0) == (axis < BVPI_OBB_AXES));
        if (gap <= 0)
            continue;
        const long double distance = distance_of(&s);
        ck_assert_msg(bound <= distance, "%d: %g > %Lg", round, bound, distance);
        ck_assert_msg(bound >= gap * (1 - 1e-8L) - 16 * s.slack - 1e-9, "%d: %g < %Lg", round,
                      bound, gap);
        ck_assert(bvpi_obb_distance(&s.pair, s.rigid, bound / 2) >= bound / 2);
        apart++;
        missed += lite != axis;
    }
    printf("%d pairs apart, %d of them by edges only; by axis:", apart, missed);
    for (int k = 0; k <= BVPI_OBB_AXES; k++)
        printf(" %d", tried[k]);
    printf("\n");
    ck_assert(apart > 2000 && missed > 10);
}
END_TEST

/* Near the limit of meeting and far from it; what is not finite, too. */
START_TEST(three_axes_at_a_time_say_the_same)
{
    const double numbers[] = {NAN, INFINITY, 1e300, 1e-310};
    uint64_t state = case_seed();
    int apart = 0;
    for (int round = 0; round < 200000; round++) {
        setting s;
        random_setting(&state, true, &s);
        if (round % 2)
            make_touch(&state, &s);
        if (round % 16 == 1) {
            s.b.half[case_random(&state) % 3] = numbers[case_random(&state) % 4];
            s.a.centre[case_random(&state) % 3] = numbers[case_random(&state) % 4];
        } else if (round % 4 == 1) {
            s.b.centre[case_random(&state) % 3] += ldexp(1, -(int)(case_random(&state) % 50));
        }
        bvpi_obb_pair_init(&s.pair, &s.a, &s.b, s.slack, true);
        for (int lite = 0; lite < 2; lite++) {
            const bool meet = bvpi_obb_separate(&s.pair, true, lite) == BVPI_OBB_AXES;
            ck_assert_msg(bvpi_obb_meet(&s.a, &s.b, s.slack, lite) == meet, "%d", round);
            apart += !meet;
        }
    }
    ck_assert(apart > 50000 && apart < 350000);
}
END_TEST

START_TEST(images_are_the_points_images)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 20000; round++) {
        double map[12], axis[9], centre[3], half[3], stretch;
        bvpi_obb image;
        case_map(&state, round % 2, 10, map, &stretch);
        case_rotation(&state, axis);
        for (int k = 0; k < 3; k++) {
            centre[k] = case_between(&state, -1, 1);
            half[k] = case_random(&state) % 5 ? case_uniform(&state) : 0;
        }
        const bvpi_obb box = box_of(centre, axis, half);
        bvpi_obb_place(map, &box, &image);
        for (int n = 0; n < 8; n++)
            for (int i = 0; i < 3; i++) {
                double x = map[4 * i + 3];
                for (int k = 0; k < 3; k++)
                    x += map[4 * i + k] * corner(&box, n, k);
                ck_assert(fabs(x - corner(&image, n, i)) < 1e-11);
            }
    }
}
END_TEST

/* How far the corners of the box, mapped, lie beyond the box around its image: as a share of what
 * the bend adds to its half sizes; more than 1: beyond. */
static double use_of_bend(const double map[12], const bvpi_near_rotation *near, const bvpi_obb *box)
{
    bvpi_obb image;
    double most = 0;
    bvpi_obb_turn(near, box, &image);
    const double more = near->stretch * near->bend * (box->half[0] + box->half[1] + box->half[2]);
    for (int n = 0; n < 8; n++) {
        double from[3];
        for (int i = 0; i < 3; i++) {
            from[i] = map[4 * i + 3] - image.centre[i];
            for (int k = 0; k < 3; k++)
                from[i] += map[4 * i + k] * corner(box, n, k);
        }
        for (int k = 0; k < 3; k++) {
            const double at = fabs(image.axis[0][k] * from[0] + image.axis[1][k] * from[1] +
                                   image.axis[2][k] * from[2]);
            most = fmax(most, (at - (image.half[k] - more)) / more);
        }
    }
    return most;
}

/* Maps that are a little bent: an eighth of the bend would not do. */
START_TEST(boxes_around_images_hold_them)
{
    uint64_t state = case_seed();
    double most = 0, stretch;
    int turns = 0, bad = 0;
    for (int round = 0; round < 20000; round++) {
        double map[12], axis[9], centre[3] = {0}, half[3];
        bvpi_near_rotation near;
        case_map(&state, true, 2, map, &stretch);
        case_rotation(&state, axis);
        const double bent = ldexp(stretch, -4 - (int)(case_random(&state) % 40));
        for (int n = 0; n < 12; n++)
            map[n] += n % 4 < 3 && round % 3 ? case_between(&state, -bent, bent) : 0;
        for (int k = 0; k < 3; k++)
            half[k] = case_random(&state) % 3 ? case_uniform(&state) : 0;
        half[round % 3] += .01;
        const bvpi_obb box = box_of(centre, axis, half);
        if (!bvpi_near_rotation_of(map, &near))
            continue;
        turns++;
        /* 2^-48 of the coordinates are rounding of this test */
        const double use = use_of_bend(map, &near, &box);
        bad += !(use <= 1 + 0x1p-48 / near.bend);
        if (near.bend > 0x1p-40)
            most = fmax(most, use);
        for (int n = 0; n < 9; n++) {
            double dot = 0;
            for (int i = 0; i < 3; i++)
                dot += near.rotation[3 * i + n / 3] * near.rotation[3 * i + n % 3];
            bad += !(fabs(dot - (n % 4 == 0)) < 0x1p-46);
        }
    }
    ck_assert_int_eq(bad, 0);
    ck_assert_int_gt(turns, 10000);
    ck_assert(most > .25);
}
END_TEST

START_TEST(maps_that_shear_or_flatten_are_no_rotations)
{
    const double maps[][12] = {
        {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1.01, 0}, {1, .01, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
        {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0},    {0},
        {NAN, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},  {1, 0, 0, 0, 0, INFINITY, 0, 0, 0, 0, 1, 0}};
    bvpi_near_rotation near;
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        ck_assert(!bvpi_near_rotation_of(maps[i], &near));
}
END_TEST

START_TEST(what_is_not_finite_says_nothing)
{
    const double numbers[] = {NAN, INFINITY, 1e300, 1e-310};
    uint64_t state = case_seed();
    for (int round = 0; round < 20000; round++) {
        setting s;
        random_setting(&state, round % 2, &s);
        double *at = (double *)&s.b + case_random(&state) % (sizeof s.b / sizeof *at);
        *at = numbers[case_random(&state) % 2];
        bvpi_obb_pair_init(&s.pair, &s.a, &s.b, s.slack, s.rigid);
        const double bound = bvpi_obb_distance(&s.pair, s.rigid, INFINITY);
        ck_assert(bound >= 0);
    }
}
END_TEST

SUITE(test_obb_obb)
{
    const TTest *const tests[] = {
        boxes_with_a_common_point_meet,    answers_are_those_of_the_plain_way,
        three_axes_at_a_time_say_the_same, images_are_the_points_images,
        boxes_around_images_hold_them,     maps_that_shear_or_flatten_are_no_rotations,
        what_is_not_finite_says_nothing,   NULL};
    return suite_run("obb_obb", tests);
}
