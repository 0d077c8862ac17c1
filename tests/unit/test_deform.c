/* SPDX-License-Identifier: MIT
 * test_deform.c: each formula does what it says; its bytes are the same everywhere.
 */
#include "bvpack.h"
#include "refit/warp.h"
#include "suite.h"

#include <math.h>
#include <string.h>

/* A box from -1 -2 -4 to 1 2 4: its longest side is z, its middle the origin. */
static const float corners[] = {-1, -2, -4, 1, 2, 4, 1, 0, 3, 0, 1, -3, 0.5f, 0.25f, 1};
enum { COUNT = sizeof corners / 12 };

START_TEST(nothing_changes_nothing)
{
    float at[3 * COUNT];
    const deformation none = {.stretch = 1};
    memcpy(at, corners, sizeof at);
    at[0] = -0.0f;
    at[3] = 1e-30f;
    float before[3 * COUNT];
    memcpy(before, at, sizeof at);
    deform(&none, at, COUNT);
    ck_assert_mem_eq(at, before, sizeof at);
}
END_TEST

START_TEST(stretches_the_longest_side)
{
    float at[3 * COUNT];
    const deformation twice = {.stretch = 2};
    memcpy(at, corners, sizeof at);
    deform(&twice, at, COUNT);
    for (int i = 0; i < 3 * COUNT; i++)
        ck_assert_float_eq(at[i], i % 3 == 2 ? 2 * corners[i] : corners[i]);
}
END_TEST

START_TEST(twists_about_it)
{
    for (int degrees = -720; degrees <= 720; degrees += 7) {
        float at[3 * COUNT];
        const deformation d = {.stretch = 1, .twist = degrees};
        memcpy(at, corners, sizeof at);
        deform(&d, at, COUNT);
        for (int i = 0; i < COUNT; i++) {
            const double x = corners[3 * i], y = corners[3 * i + 1], z = corners[3 * i + 2];
            const double angle = degrees * z * M_PI / 180;
            ck_assert_double_eq_tol(at[3 * i], cos(angle) * x - sin(angle) * y, 1e-6);
            ck_assert_double_eq_tol(at[3 * i + 1], sin(angle) * x + cos(angle) * y, 1e-6);
            ck_assert_float_eq(at[3 * i + 2], corners[3 * i + 2]);
        }
    }
}
END_TEST

START_TEST(noise_is_of_the_place)
{
    float at[6] = {0, 1, 2, -0.0f, 1, 2}, other[6];
    deformation d = {.stretch = 1, .noise = 0.5, .seed = 1};
    memcpy(other, at, sizeof at);
    deform(&d, at, 2);
    ck_assert_mem_eq(at, at + 3, 12);
    ck_assert(at[0] != 0 && at[1] != 1 && at[2] != 2);
    for (int axis = 0; axis < 3; axis++)
        ck_assert(fabsf(at[axis] - other[axis]) <= 0.5f);
    d.seed = 2;
    deform(&d, other, 2);
    ck_assert_mem_ne(at, other, 12);
}
END_TEST

START_TEST(bytes_are_the_same_everywhere)
{
    static const uint8_t expected[16] = {0x9e, 0x89, 0xa9, 0x26, 0xff, 0xf8, 0x36, 0xee,
                                         0x48, 0xdb, 0xe3, 0x1b, 0x9e, 0xe5, 0xa7, 0x7f};
    float at[3 * COUNT];
    uint8_t hash[16];
    const deformation d = {1.25, 17.3, 0.01, 42};
    memcpy(at, corners, sizeof at);
    deform(&d, at, COUNT);
    bvp_hash(at, sizeof at, hash);
    ck_assert_mem_eq(hash, expected, sizeof hash);
}
END_TEST

/* Nothing is read: there is no box to find a middle of. */
START_TEST(no_vertices_stay_none)
{
    const deformation d = {1.25, 17.3, 0.01, 42};
    deform(&d, NULL, 0);
}
END_TEST

SUITE(test_deform)
{
    const TTest *tests[] = {nothing_changes_nothing,
                            stretches_the_longest_side,
                            twists_about_it,
                            noise_is_of_the_place,
                            bytes_are_the_same_everywhere,
                            no_vertices_stay_none,
                            NULL};
    return suite_run("deform", tests);
}
