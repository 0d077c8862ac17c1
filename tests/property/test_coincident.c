/* SPDX-License-Identifier: MIT
 * test_coincident.c: a part and its copy moved by very little: the answer is that of all pairs,
 * which are found by the walk alone, and mostly it comes soon.
 */
#include "query/pair/coincident.h"

#include "rigid_places.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 48, COUNT = 2 * SIDE * SIDE, PLACES = 400, SOON = 200 };

/* A sheet of edge 1, bumpy unless height is 0. */
static case_file make_sheet(double height)
{
    static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    float *soup = malloc(36 * COUNT);
    ck_assert_ptr_nonnull(soup);
    for (int k = 0; k < 3 * COUNT; k++) {
        const int cell = k / 6, *at = corner[k % 6];
        const double x = (double)(cell % SIDE + at[0]) / SIDE;
        const double y = (double)(cell / SIDE + at[1]) / SIDE;
        soup[3 * k] = (float)x;
        soup[3 * k + 1] = (float)y;
        soup[3 * k + 2] = (float)(height * sin(9 * x + 1) * cos(7 * y));
    }
    const bvp_mesh mesh = case_mesh(soup, COUNT);
    case_file out = case_build(&mesh, NULL);
    free(soup);
    return out;
}

/* Turned about the sheet's middle by up to `angle`, and moved by up to `off`. */
static void place_near(uint64_t *state, double angle, double off, double m[12])
{
    double axis[3];
    for (int i = 0; i < 3; i++)
        axis[i] = random_between(state, -1, 1) * angle;
    const double turn[12] = {1,        -axis[2], axis[1],  0,       axis[2], 1,
                             -axis[0], 0,        -axis[1], axis[0], 1,       0};
    memcpy(m, turn, sizeof turn);
    for (int i = 0; i < 3; i++)
        m[4 * i + 3] =
            -0.5 * (m[4 * i] + m[4 * i + 1] - (i < 2)) + random_between(state, -1, 1) * off;
}

typedef struct tally {
    uint32_t hits, soon; /* touching; found after few pairs of leaves and triangles */
} tally;

static tally try_places(const case_file *f, uint64_t *state, double angle, double off)
{
    tally out = {0};
    uint32_t wrong = 0;
    for (int k = 0; k < PLACES; k++) {
        double m[12];
        uint64_t count;
        int hit, mirrored;
        bvp_stats stats = {0};
        bvp_pair first;
        place_near(state, angle, off, m);
        const bvp_body a = {.file = f->file}, b = {.file = f->file, .placement = m};
        const bvp_status status = bvp_pairs(&a, &b, &first, 1, &count, NULL);
        wrong += status != BVP_OK && status != BVP_ERR_LIMIT;
        wrong += bvp_collide(&a, &b, &hit, &stats) != BVP_OK || hit != (count > 0);
        wrong += bvp_collide(&b, &a, &mirrored, NULL) != BVP_OK || mirrored != hit;
        out.hits += count > 0;
        out.soon += hit && stats.leaves + stats.triangles <= SOON;
    }
    printf("angle %g off %g: %u of %d touch, %u found soon\n", angle, off, (unsigned)out.hits,
           PLACES, (unsigned)out.soon);
    ck_assert_uint_eq(wrong, 0);
    return out;
}

START_TEST(most_contacts_are_found_soon)
{
    uint64_t state = case_seed();
    case_file f = make_sheet(0.1);
    for (int k = 0; k < 3; k++) {
        const tally turned = try_places(&f, &state, pow(10, -3 * k - 4), 0);
        ck_assert_uint_eq(turned.hits, PLACES);
        ck_assert_uint_ge(turned.soon, PLACES * 9 / 10);
    }
    const tally moved = try_places(&f, &state, 0, 1e-4);
    ck_assert_uint_gt(moved.soon, moved.hits * 3 / 4);
    case_close(&f);
}
END_TEST

START_TEST(nothing_is_found_where_nothing_touches)
{
    uint64_t state = case_seed();
    case_file flat = make_sheet(0), bumpy = make_sheet(0.1);
    double m[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1e-6};
    const bvp_body a = {.file = flat.file}, b = {.file = flat.file, .placement = m};
    bvp_distance_result d;
    int hit;
    ck_assert_int_eq(bvp_collide(&a, &b, &hit, NULL), BVP_OK);
    ck_assert_int_eq(hit, 0);
    m[11] = 0;
    ck_assert_int_eq(bvp_distance(&a, &b, INFINITY, &d, NULL), BVP_OK);
    ck_assert(d.found && d.distance == 0);
    const tally tilted = try_places(&flat, &state, 1e-6, 1e-6);
    ck_assert_uint_gt(tilted.hits, 0);
    ck_assert_uint_lt(tilted.hits, PLACES);
    try_places(&bumpy, &state, 1e-2, 1e-2); /* at the limit of what counts as nearly */
    case_close(&flat);
    case_close(&bumpy);
}
END_TEST

SUITE(test_coincident)
{
    const TTest *const tests[] = {most_contacts_are_found_soon,
                                  nothing_is_found_where_nothing_touches, NULL};
    return suite_run("coincident", tests);
}
