/* SPDX-License-Identifier: MIT
 * test_camera.c: a fitted camera sees all points, tightly and centred; rays and projection agree.
 */
#include "view/camera.h"

#include "tri_cases.h"
#include "suite.h"

#include <check.h>

enum { POINTS = 40 };

static const char *const words[] = {"iso", "front", "back", "left", "right", "top", "bottom"};

static void random_points(double points[POINTS][3])
{
    const double shift = 100 * case_unit();
    for (int i = 0; i < POINTS; i++)
        for (int a = 0; a < 3; a++)
            points[i][a] = shift + case_unit() * (1 + 3 * a);
}

/* Bounds of the points in the picture, in pixels. */
static void bounds_of(const camera *c, double points[POINTS][3], double lo[2], double hi[2])
{
    lo[0] = lo[1] = INFINITY;
    hi[0] = hi[1] = -INFINITY;
    for (int i = 0; i < POINTS; i++) {
        double at[2], depth;
        camera_project(c, points[i], &at[0], &at[1], &depth);
        ck_assert_double_gt(depth, 0);
        for (int k = 0; k < 2; k++) {
            lo[k] = fmin(lo[k], at[k]);
            hi[k] = fmax(hi[k], at[k]);
        }
    }
}

START_TEST(fits_every_preset)
{
    double points[POINTS][3];
    case_seed(1);
    for (int i = 0; i < 500; i++) {
        const double size[2] = {64 + case_int(900), 64 + case_int(900)};
        const double angle = case_int(2) ? 0 : 5 + case_int(80);
        double lo[2], hi[2];
        camera c;
        random_points(points);
        camera_lens(&c, size[0], size[1], angle);
        ck_assert(camera_preset(&c, words[case_int(7)], (uint32_t)case_int(4)));
        camera_fit(&c, points[0], POINTS, 0.05);
        bounds_of(&c, points, lo, hi);
        double largest = 0;
        for (int k = 0; k < 2; k++) {
            ck_assert_double_ge(lo[k], 0.04 * size[k]);
            ck_assert_double_le(hi[k], 0.96 * size[k]);
            ck_assert_double_eq_tol(lo[k] + hi[k], size[k], 0.02 * size[k]);
            largest = fmax(largest, (hi[k] - lo[k]) / size[k]);
        }
        if (angle < 40) /* at wider ones it keeps away from the nearest point */
            ck_assert_double_ge(largest, 0.88);
    }
}
END_TEST

START_TEST(rays_go_where_points_appear)
{
    case_seed(2);
    for (int i = 0; i < 500; i++) {
        const double eye[3] = {5 * case_unit(), 5 * case_unit(), 5 * case_unit()};
        const double target[3] = {case_unit(), case_unit(), case_unit()};
        const double pixel[2] = {300 * case_unit() + 300, 200 * case_unit() + 200};
        double origin[3], direction[3], point[3], x, y, depth;
        camera c;
        camera_lens(&c, 600, 400, case_int(2) ? 40 : 0);
        ck_assert(camera_look(&c, eye, target, 2));
        camera_ray(&c, pixel[0], pixel[1], origin, direction);
        for (int a = 0; a < 3; a++)
            point[a] = origin[a] + 3 * direction[a];
        camera_project(&c, point, &x, &y, &depth);
        ck_assert_double_eq_tol(x, pixel[0], 1e-6);
        ck_assert_double_eq_tol(y, pixel[1], 1e-6);
        ck_assert_double_eq_tol(depth, 3, 1e-9);
    }
}
END_TEST

START_TEST(refuses_what_it_does_not_know)
{
    const double eye[3] = {1, 2, 3};
    camera c;
    camera_lens(&c, 10, 10, 30);
    ck_assert(!camera_preset(&c, "behind", 2));
    ck_assert(!camera_look(&c, eye, eye, 2));
}
END_TEST

SUITE(test_camera)
{
    const TTest *const list[] = {fits_every_preset, rays_go_where_points_appear,
                                 refuses_what_it_does_not_know, NULL};
    return suite_run("camera", list);
}
