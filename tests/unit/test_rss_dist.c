/* SPDX-License-Identifier: MIT
 * test_rss_dist.c: distances of rectangles, triangles and swept rectangles are never overstated,
 * and are the true ones but for rounding.
 */
#include "flat_oracle.h"
#include "climb.h"
#include "prim/rss_dist.h"
#include "suite.h"

#include <stdio.h>

static const double no_map[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static void random_rss(uint64_t *state, double at, double sizes, bvpi_rss *out)
{
    double axis[9], centre[3], size[3];
    case_rotation(state, axis);
    for (int k = 0; k < 3; k++) {
        const int kind = (int)(case_random(state) % 8);
        centre[k] = at + case_between(state, -1, 1);
        size[k] = kind == 0 ? 0 : sizes * (kind == 1 ? 1 : case_uniform(state));
    }
    bvpi_rss_place(no_map, 1, true, centre, axis, size, out);
}

static polygon polygon_of(const bvpi_face *face)
{
    polygon out = {.count = face->edges};
    for (int i = 0; i < out.count; i++)
        for (int k = 0; k < 3; k++)
            out.c[i][k] = face->corner[k][i];
    return out;
}

/* A face that often has something in common with `like`: a corner, a plane, a direction. */
static void random_face(uint64_t *state, double at, double sizes, const bvpi_face *like,
                        bvpi_face *out)
{
    const int kind = (int)(case_random(state) % 8);
    double p[9];
    bvpi_rss rss;
    if (like == NULL || kind < 3) {
        random_rss(state, at, sizes, &rss);
        bvpi_face_of_rss(&rss, out);
        return;
    }
    const double lift = kind == 3 ? 0 : case_between(state, -1, 1);
    for (int i = 0; i < 3; i++) {
        const double s = case_between(state, -2, 2), t = case_between(state, -2, 2);
        const int corner = (int)(case_random(state) % (unsigned)like->edges);
        for (int k = 0; k < 3; k++)
            p[3 * i + k] = kind < 5 ? like->corner[k][0] + s * like->edge[k][0] +
                                          t * like->edge[k][1] + lift * like->normal[k]
                           : kind < 7
                               ? like->corner[k][corner] + (kind == 5 || i > 0) * lift * sizes
                               : at + case_between(state, -1, 1) * sizes;
    }
    bvpi_face_of_triangle(p, out);
}

static double reach_of(const bvpi_face *a, const bvpi_face *b)
{
    double reach = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++)
            reach = fmax(reach, fmax(fabs(a->corner[k][i]), fabs(b->corner[k][i])));
    return reach;
}

START_TEST(distances_of_faces_are_true)
{
    uint64_t state = case_seed();
    int meet = 0, count = 60000;
    for (int round = 0; round < count; round++) {
        const double at = round % 5 ? 0 : ldexp(1, (int)(case_random(&state) % 30));
        const double sizes = ldexp(1, (int)(case_random(&state) % 6) - 4);
        bvpi_face a, b;
        random_face(&state, at, sizes, NULL, &a);
        random_face(&state, at, sizes, &a, &b);
        const polygon p = polygon_of(&a), q = polygon_of(&b);
        const long double distance = polygon_distance(&p, &q);
        const double slack = bvpi_rss_slack(reach_of(&a, &b), 0);
        const double there = bvpi_face_distance(&a, &b, INFINITY);
        const double back = bvpi_face_distance(&b, &a, INFINITY);
        ck_assert_msg(there <= distance + slack, "%d: %g > %Lg", round, there, distance);
        ck_assert_msg(back <= distance + slack, "%d: %g > %Lg", round, back, distance);
        /* the direction of a short connection is less well known */
        const long double least = distance * (1 - 1e-9L) - 1e-10L * sizes - 1e4L * slack;
        ck_assert_msg(there >= least, "%d: %g < %Lg", round, there, distance);
        ck_assert_msg(back >= least, "%d: %g < %Lg", round, back, distance);
        const double enough = there * case_uniform(&state);
        ck_assert(bvpi_face_distance(&a, &b, enough) >= enough);
        ck_assert(there <= 1e4 * slack || bvpi_face_apart(&a, &b, enough));
        ck_assert(!bvpi_face_apart(&a, &b, (double)distance + slack));
        meet += distance == 0;
    }
    printf("%d of %d pairs of faces meet\n", meet, count);
    ck_assert(meet > count / 50);
}
END_TEST

/* Any point of the volume. */
static void random_point(uint64_t *state, const double centre[3], const double axis[9],
                         const double size[3], double out[3])
{
    double ball[9], t[2];
    case_rotation(state, ball);
    for (int j = 0; j < 2; j++)
        t[j] = size[j] * (case_random(state) % 2 ? case_between(state, -1, 1)
                                                 : (double)(case_random(state) % 2) * 2 - 1);
    for (int k = 0; k < 3; k++)
        out[k] = centre[k] + t[0] * axis[k] + t[1] * axis[3 + k] + size[2] * ball[k];
}

static double outside(const bvpi_rss *rss, const double p[3])
{
    double in[2], off_sq = 0, beyond_sq = 0;
    for (int j = 0; j < 2; j++)
        in[j] = (p[0] - rss->centre[0]) * rss->axis[j][0] +
                (p[1] - rss->centre[1]) * rss->axis[j][1] +
                (p[2] - rss->centre[2]) * rss->axis[j][2];
    for (int k = 0; k < 3; k++) {
        const double d = p[k] - rss->centre[k] - in[0] * rss->axis[0][k] - in[1] * rss->axis[1][k];
        off_sq += d * d;
    }
    for (int j = 0; j < 2; j++)
        beyond_sq += pow(fmax(fabs(in[j]) - rss->half[j], 0), 2);
    return sqrt(off_sq + beyond_sq) - rss->radius;
}

START_TEST(images_hold_all_points)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 20000; round++) {
        const bool rigid = round % 2;
        double map[12], axis[9], centre[3], size[3], stretch, p[3], q[3];
        bvpi_rss image;
        case_map(&state, rigid, 10, map, &stretch);
        case_rotation(&state, axis);
        for (int k = 0; k < 3; k++) {
            centre[k] = case_between(&state, -1, 1);
            size[k] = case_random(&state) % 5 ? case_uniform(&state) : 0;
        }
        bvpi_rss_place(map, stretch, rigid, centre, axis, size, &image);
        for (int k = 0; k < 20; k++) {
            random_point(&state, centre, axis, size, p);
            for (int i = 0; i < 3; i++)
                q[i] = map[4 * i] * p[0] + map[4 * i + 1] * p[1] + map[4 * i + 2] * p[2] +
                       map[4 * i + 3];
            ck_assert_msg(outside(&image, q) <= 1e-13 * 64, "%d: %g out", round,
                          outside(&image, q));
        }
        if (rigid) /* and it is no larger */
            ck_assert(fabs(image.half[0] - stretch * size[0]) < 1e-10 * stretch);
    }
}
END_TEST

START_TEST(distances_of_volumes_are_not_overstated)
{
    uint64_t state = case_seed();
    int apart = 0, tight = 0, count = 20000;
    for (int round = 0; round < count; round++) {
        const bool rigid = round % 2;
        double map[12], axis[2][9], centre[2][3], size[2][3], stretch, p[3], q[3], x[3];
        double least = INFINITY;
        bvpi_rss a, b;
        case_map(&state, rigid, 3, map, &stretch);
        for (int n = 0; n < 2; n++) {
            case_rotation(&state, axis[n]);
            for (int k = 0; k < 3; k++) {
                centre[n][k] = case_between(&state, -1, 1);
                size[n][k] = case_random(&state) % 5 ? case_uniform(&state) / 2 : 0;
            }
        }
        bvpi_rss_place(no_map, 1, true, centre[0], axis[0], size[0], &a);
        bvpi_rss_place(map, stretch, rigid, centre[1], axis[1], size[1], &b);
        const double bound = bvpi_rss_distance(&a, &b, bvpi_rss_slack(100, 0), INFINITY);
        for (int k = 0; k < 40; k++) {
            random_point(&state, centre[0], axis[0], size[0], p);
            random_point(&state, centre[1], axis[1], size[1], q);
            for (int i = 0; i < 3; i++)
                x[i] = map[4 * i] * q[0] + map[4 * i + 1] * q[1] + map[4 * i + 2] * q[2] +
                       map[4 * i + 3] - p[i];
            least = fmin(least, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
        }
        ck_assert(!bvpi_rss_apart(&a, &b, 0, least * (1 + 1e-12)));
        ck_assert(bound == 0 || bvpi_rss_apart(&a, &b, bvpi_rss_slack(100, 0), .999 * bound));
        ck_assert_msg(bound <= least, "%d: %g, but two points are %g apart", round, bound, least);
        apart += bound > 0;
        tight += bound > 0.8 * least;
    }
    printf("%d of %d pairs are apart, %d bounds are over 0.8 of the sampled distance\n", apart,
           count, tight);
    ck_assert(apart > count / 3 && tight > count / 8);
}
END_TEST

/* The axes of a turn by a quaternion. */
static void turn_by(const double q[4], double axis[9])
{
    const double l = 1 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double x = q[0] * l, y = q[1] * l, z = q[2] * l, w = q[3] * l;
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                         2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                         2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    memcpy(axis, r, sizeof r);
}

/* The reach of a rectangle's coordinates. */
static double reach_of_rss(const bvpi_rss *rss)
{
    double reach = 0;
    for (int i = 0; i < 3; i++)
        reach = fmax(reach, fabs(rss->centre[i]) + rss->half[0] * fabs(rss->axis[0][i]) +
                                rss->half[1] * fabs(rss->axis[1][i]));
    return reach;
}

/* x: a turn and a rectangle (turn, centre, sides) that it places; the way from the image's corner
 * to another rectangle's, outward from both, and that one's turn and sides. */
static double slack_share(const double x[22])
{
    double map[12] = {0}, turn[9], axis[9], at[3], away[3] = {0};
    const double size[3] = {fabs(x[11]), fabs(x[12]), 0};
    const double other_size[3] = {fabs(x[20]), fabs(x[21]), 0};
    bvpi_rss image, other;
    long double corner[3] = {0}, exact = 0;
    turn_by(x, turn);
    turn_by(x + 4, axis);
    for (int i = 0; i < 9; i++)
        map[i / 3 * 4 + i % 3] = turn[i];
    bvpi_rss_place(map, 1, true, x + 8, axis, size, &image);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            corner[i] += map[4 * i + k] * ((long double)x[8 + k] + (long double)size[0] * axis[k] +
                                           (long double)size[1] * axis[3 + k]);
        away[i] = fabs(x[13]) * image.axis[0][i] + fabs(x[14]) * image.axis[1][i] +
                  x[15] * (image.axis[0][(i + 1) % 3] * image.axis[1][(i + 2) % 3] -
                           image.axis[0][(i + 2) % 3] * image.axis[1][(i + 1) % 3]);
    }
    turn_by(x + 16, axis);
    for (int j = 0; j < 2; j++) {
        const double *u = axis + 3 * j;
        const bool back = u[0] * away[0] + u[1] * away[1] + u[2] * away[2] < 0;
        for (int i = 0; back && i < 3; i++)
            axis[3 * j + i] = -axis[3 * j + i];
    }
    for (int i = 0; i < 3; i++)
        at[i] = (double)corner[i] + away[i] + other_size[0] * axis[i] + other_size[1] * axis[3 + i];
    bvpi_rss_place(no_map, 1, true, at, axis, other_size, &other);
    for (int i = 0; i < 3; i++) {
        const long double off = at[i] - (long double)other_size[0] * axis[i] -
                                (long double)other_size[1] * axis[3 + i] - corner[i];
        exact += off * off;
    }
    bvpi_face face, beside;
    bvpi_face_of_rss(&image, &face);
    bvpi_face_of_rss(&other, &beside);
    const double found = bvpi_face_distance(&beside, &face, INFINITY);
    const double reach = fmax(reach_of_rss(&image), reach_of_rss(&other));
    return (double)(found - sqrtl(exact)) / bvpi_rss_slack(reach, 0);
}

START_TEST(slack_is_needed)
{
    static const double table[][22] = {
        {0x1.3cb8a6933b3dp-1,   0x1.3dd2cc67d3192p-1,  0x1.e65daa59bcc3fp-1,  0x1.ff6e1a6f634b7p-2,
         -0x1.462d5b7f70da1p-2, 0x1.81eb9a7e2da19p-3,  -0x1.0b1ae7090018cp-3, -0x1.e8310534579c6p-2,
         -0x1.8f937eb810ac6p-3, 0x1.9932082594d8fp-3,  0x1.0080fe038e6e6p-3,  -0x1.0557c7040ac7fp-8,
         0x1.7bef021424aep-6,   0x1.e2bd0a4eb4311p-2,  0x1.f9c81a6e5dbe1p-4,  -0x1.8d76744863ddfp-3,
         0x1.534970a114877p+0,  -0x1.244b0e56a8db9p-1, -0x1.d02305db98f0cp-2, 0x1.5d622cd6aa7ffp-3,
         -0x1.cd251d097d01ep-7, 0x1.97f08762ede7bp-6}};
    CLIMB_CHECK(slack_share, 0.09, table);
}
END_TEST

START_TEST(what_is_not_finite_says_nothing)
{
    const double numbers[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e-310, 0, 1};
    uint64_t state = case_seed();
    for (int round = 0; round < 20000; round++) {
        bvpi_rss v[2];
        for (int n = 0; n < 2; n++) {
            random_rss(&state, 0, 1, &v[n]);
            double *at = (double *)&v[n] + case_random(&state) % (sizeof v[n] / sizeof *at);
            *at = numbers[case_random(&state) % 8];
        }
        const double bound = bvpi_rss_distance(&v[0], &v[1], 0, INFINITY);
        ck_assert(bound >= 0);
    }
}
END_TEST

SUITE(test_rss_dist)
{
    const TTest *const tests[] = {slack_is_needed,
                                  distances_of_faces_are_true,
                                  images_hold_all_points,
                                  distances_of_volumes_are_not_overstated,
                                  what_is_not_finite_says_nothing,
                                  NULL};
    return suite_run("rss_dist", tests);
}
