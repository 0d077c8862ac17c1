/* SPDX-License-Identifier: MIT
 * test_isa.c: the eight-lane primitives give the same bits for every instruction set and compiler:
 * this file is compiled once for each, and the expected digest is written down here.
 */
#include "prim/point_tri.h"
#include "prim/tri_dist.h"
#include "prim/tri_ray.h"
#include "prim/tri_tri.h"
#include "prim_suite.h"
#include "tri_cases.h"

enum { CASES = 300 };

static uint64_t digest;

static void take(uint64_t word)
{
    digest = (digest ^ word) * UINT64_C(0x100000001b3);
}

static void take_floats(f32x8 v)
{
    uint32_t words[8];
    memcpy(words, &v, sizeof words);
    for (int i = 0; i < 8; i++)
        take(words[i]);
}

/* Only additions and multiplications, which are the same everywhere: case_rotation would call the
 * mathematical library. */
static void make_placement(double m[12])
{
    for (int i = 0; i < 12; i++)
        m[i] = (i % 5 == 0) + case_unit() * 0.25;
}

static void digest_one(int family)
{
    tri_case c[8];
    f32x8 a[9], b[9], lo, hi;
    double ma[12], mb[12], bound_a[3] = {0}, bound_b[3] = {0}, p[3], q[3];
    make_placement(ma);
    make_placement(mb);
    for (int lane = 0; lane < 8; lane++) {
        case_make(&c[lane], family, PLACE_IDENTITY);
        bounds_of(c[lane].a, 3, p);
        bounds_of(c[lane].b, 3, q);
        for (int x = 0; x < 3; x++) {
            bound_a[x] = fmax(bound_a[x], p[x]);
            bound_b[x] = fmax(bound_b[x], q[x]);
        }
        for (int k = 0; k < 9; k++) {
            a[k][lane] = c[lane].a[k];
            b[k][lane] = c[lane].b[k];
        }
    }
    bvpi_pose pose;
    ck_assert_int_eq(bvpi_pose_init(&pose, ma, case_int(3) ? mb : ma, bound_a, bound_b), BVP_OK);
    bvpi_tri_tri8_result r = bvpi_tri_tri8(&pose, a, b, 0xff, false);
    take(r.hit | r.proper << 8 | r.exact << 16);
    bvpi_tri_dist8(&pose, a, b, &lo, &hi);
    take_floats(lo);
    take_floats(hi);
    bvpi_placement placement;
    bvpi_point point;
    bvpi_tri_ray ray;
    bvpi_tri_ray_hit hits[8];
    place_point(mb, c[0].b, p);
    place_point(mb, c[0].b + 3, q);
    ck_assert_int_eq(bvpi_placement_init(&placement, ma), BVP_OK);
    ck_assert_int_eq(bvpi_point_init(&point, &placement, p, bound_a), BVP_OK);
    bvpi_point_tri8(&point, a, 0xff, &lo, &hi);
    take_floats(lo);
    take_floats(hi);
    for (int x = 0; x < 3; x++)
        q[x] -= p[x];
    if (bvpi_tri_ray_init(&ray, &placement, p, q, bound_a) == BVP_OK) {
        take(bvpi_tri_ray_misses(&ray, a));
        take(bvpi_tri_ray8(&ray, a, 0xff, 0, INFINITY, hits));
    }
}

START_TEST(digest_is_the_same_everywhere)
{
    case_state = 30;
    digest = UINT64_C(0xcbf29ce484222325);
    for (int family = 0; family < CASE_FAMILIES; family++)
        for (int i = 0; i < CASES; i++)
            digest_one(family);
    ck_assert_uint_eq(digest, UINT64_C(4058023315344170351));
}
END_TEST

SUITE(test_isa)
{
    const TTest *const tests[] = {digest_is_the_same_everywhere, NULL};
    return run_suite("isa", tests);
}
