/* SPDX-License-Identifier: MIT
 * test_pair_leaf.c: where axes go to axes, triangles whose boxes are apart by a few ulps are left
 * out, and none whose boxes meet; under rotations no triangles that meet.
 */
#define BVPI_ISA base /* whose leaf_bound it is */
#include "prim_suite.h"
#include "prim/tri_tri_exact.h"
#include "query/pair/pair_leaf.h"
#include "tri_cases.h"

enum { ROUNDS = 20000 };

/* A coordinate within a few ulps of one of the planes at 0.1, 0.2 ... 1. */
static float near_plane(void)
{
    float x = 0.1f * (float)(1 + case_int(10));
    for (int k = case_int(5); k > 0; k--)
        x = nextafterf(x, case_int(2) ? 2 : -2);
    return case_int(4) ? x : -x;
}

static void random_triangle(float t[9])
{
    for (int i = 0; i < 9; i++)
        t[i] = near_plane();
    if (case_int(2)) /* a facet along an axis */
        for (int k = 1, x = case_int(3); k < 3; k++)
            t[3 * k + x] = t[x];
}

/* Axes to axes, maybe mirrored, moved by multiples of what the planes are apart. */
static void random_flush(double m[12])
{
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const int *to = order[case_int(6)];
    memset(m, 0, 12 * sizeof *m);
    for (int i = 0; i < 3; i++) {
        m[4 * i + to[i]] = case_int(2) ? 1 : -1;
        m[4 * i + 3] = 0.1 * case_int(11);
    }
}

/* 113 bits; on AArch64 it is long double that has them. */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
#else
typedef long double quad;
#endif

/* The ends of a placed triangle along axis i of the world: sums of few bits, exact in 113. */
static void ends_of(const double m[12], const float t[9], int i, quad *lo, quad *hi)
{
    for (int k = 0; k < 3; k++) {
        quad at = m[4 * i + 3];
        for (int x = 0; x < 3; x++)
            at += (quad)m[4 * i + x] * t[3 * k + x];
        *lo = k == 0 || at < *lo ? at : *lo;
        *hi = k == 0 || at > *hi ? at : *hi;
    }
}

/* How far the boxes are apart; below 0: they overlap. */
static double gap_of(const double ma[12], const float a[9], const double mb[12], const float b[9])
{
    quad gap = -1;
    for (int i = 0; i < 3; i++) {
        quad lo_a, hi_a, lo_b, hi_b;
        ends_of(ma, a, i, &lo_a, &hi_a);
        ends_of(mb, b, i, &lo_b, &hi_b);
        gap = lo_a - hi_b > gap ? lo_a - hi_b : gap;
        gap = lo_b - hi_a > gap ? lo_b - hi_a : gap;
    }
    return (double)gap;
}

static void set_leaf(const leaf_frame *frame, bool is_a, float t[8][9], tri_leaf *out)
{
    for (int k = 0; k < 9; k++)
        for (int lane = 0; lane < 8; lane++)
            out->stored.c[k][lane] = t[lane][k];
    out->count = 8;
    leaf_bound(frame, is_a, out);
}

/* The frame is a's, where coordinates are below 4: an ulp is at most 2^-22. */
START_TEST(flush_boxes_are_told_apart_by_ulps)
{
    double ma[12], mb[12];
    const double bound[3] = {1.01, 1.01, 1.01};
    float a[8][9], b[8][9];
    unsigned apart = 0;
    tri_leaf leaf_a, leaf_b;
    leaf_frame frame;
    bvpi_pose pose;
    case_seed(20261121);
    for (int round = 0; round < ROUNDS; round++) {
        random_flush(ma);
        random_flush(mb);
        for (int k = 0; k < 8; k++) {
            random_triangle(a[k]);
            random_triangle(b[k]);
        }
        ck_assert_int_eq(bvpi_pose_init(&pose, ma, mb, bound, bound), BVP_OK);
        leaf_frame_init(&frame, &pose, false, 0);
        set_leaf(&frame, true, a, &leaf_a);
        set_leaf(&frame, false, b, &leaf_b);
        for (unsigned i = 0; i < 8; i++) {
            const unsigned lanes = leaf_touching(&leaf_a, &leaf_b, i);
            for (unsigned j = 0; j < 8; j++) {
                const double gap = gap_of(ma, a[i], mb, b[j]);
                apart += gap > 0 && gap < 0x1p-21;
                if (gap > 0x1p-22)
                    ck_assert_msg(!(lanes >> j & 1), "round %d: apart by %g", round, gap);
                /* boxes that meet may be told apart by normals, triangles that meet not */
                if (gap <= 0 && !(lanes >> j & 1))
                    ck_assert_msg(!bvpi_tri_tri_exact(a[i], b[j], ma, mb), "round %d", round);
            }
        }
    }
    printf("%u pairs of boxes apart by less than 2^-21\n", apart);
    ck_assert_uint_gt(apart, 1000);
}
END_TEST

enum { OUT = 100 }; /* how far B's coordinates are out in its part */

/* Two edges that cross, each its triangle's end along x: of A, where x is 1, and of B, `inside`
 * further in, which a rotation and a translation take there from far out. */
static void crossing_edges(tri_case *c, double inside)
{
    const double edge_a[3][3] = {{1, -1, 0}, {1, 1, 0}, {0, 0, case_unit()}};
    const double edge_b[3][3] = {
        {1 - inside, 0, -1}, {1 - inside, 0, 1}, {2, case_unit(), case_unit()}};
    case_identity(c->ma);
    case_rotation(c->mb);
    case_translate(c->mb, OUT);
    for (int k = 0; k < 9; k++) {
        double part = 0;
        for (int x = 0; x < 3; x++)
            part += c->mb[4 * x + k % 3] * (edge_b[k / 3][x] - c->mb[4 * x + 3]);
        c->a[k] = (float)edge_a[k / 3][k % 3];
        c->b[k] = (float)part;
    }
}

START_TEST(turned_triangles_that_meet_are_kept)
{
    const double bound[3] = {1, 1, 1};
    double far[3];
    int meet = 0;
    case_seed(3);
    for (int round = 0; round < ROUNDS; round++) {
        tri_case c;
        float a[8][9], b[8][9];
        tri_leaf leaf_a, leaf_b;
        leaf_frame frame;
        bvpi_pose pose;
        crossing_edges(&c, ldexp(case_unit(), -14 - case_int(6)));
        for (int lane = 0; lane < 8; lane++) {
            memcpy(a[lane], c.a, sizeof c.a);
            memcpy(b[lane], c.b, sizeof c.b);
        }
        bounds_of(c.b, 3, far);
        ck_assert_int_eq(bvpi_pose_init(&pose, c.ma, c.mb, bound, far), BVP_OK);
        leaf_frame_init(&frame, &pose, false, 0);
        set_leaf(&frame, true, a, &leaf_a);
        set_leaf(&frame, false, b, &leaf_b);
        if (!bvpi_tri_tri_exact(c.a, c.b, c.ma, c.mb))
            continue;
        ck_assert_msg(leaf_touching(&leaf_a, &leaf_b, 0) == 255, "round %d", round);
        meet++;
    }
    ck_assert(meet > ROUNDS / 4 && meet < ROUNDS * 3 / 4);
}
END_TEST

SUITE(test_pair_leaf)
{
    const TTest *const tests[] = {flush_boxes_are_told_apart_by_ulps,
                                  turned_triangles_that_meet_are_kept, NULL};
    return run_suite("pair_leaf", tests);
}
