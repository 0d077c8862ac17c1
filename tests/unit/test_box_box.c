/* SPDX-License-Identifier: MIT
 * test_box_box.c: boxes that share a point are never called apart, distances are never overstated,
 * and boxes that are clearly apart are told apart. Slack and shrink are needed, nearly all of them.
 */
#include "prim/box_box.h"
#include "prim/pose.h"
#include "climb.h"
#include "tri_cases.h"
#include "suite.h"

#include <check.h>

typedef struct setting {
    tri_case c;
    bvpi_grid_box a, b;
    bvpi_placement placement;
    bvpi_pose pose;
    bvpi_box_pair pair;
} setting;

/* A box on a grid, in steps. */
typedef struct steps {
    uint32_t lo[3], hi[3];
} steps;

static void random_grid(bvpi_grid_box *box, double *bound)
{
    box->unit = ldexp(1, case_int(40) - 30);
    for (int i = 0; i < 3; i++) {
        int shift = case_int(4) ? 10 : 10 + case_int(22);
        box->extent[i] = 1u + ((uint32_t)case_random() >> shift);
        box->origin[i] = box->unit * (case_int(1 << 24) - (1 << 23));
        bound[i] = fmax(fabs(box->origin[i]), fabs(box->origin[i] + box->unit * box->extent[i]));
    }
}

static void random_setting(setting *s, bool same_size)
{
    double bound_a[3], bound_b[3], world[9], error = 0;
    s->c.placing = case_int(PLACE_COUNT);
    case_placements(&s->c);
    random_grid(&s->a, bound_a);
    random_grid(&s->b, bound_b);
    if (same_size) {
        s->b = s->a;
        memcpy(bound_b, bound_a, sizeof bound_b);
    }
    ck_assert_int_eq(bvpi_placement_init(&s->placement, s->c.ma), BVP_OK);
    ck_assert_int_eq(bvpi_pose_init(&s->pose, s->c.ma, s->c.mb, bound_a, bound_b), BVP_OK);
    for (int i = 0; i < 3; i++) {
        const double *err = s->pose.x_err + 4 * i;
        error =
            fmax(error, err[3] + err[0] * bound_b[0] + err[1] * bound_b[1] + err[2] * bound_b[2]);
    }
    for (int k = 0; k < 9; k++)
        world[k] = s->placement.inverse[k];
    bvpi_box_pair_init(&s->pair, &s->a, &s->b, s->pose.x, error, world);
}

static void random_steps(const bvpi_grid_box *grid, steps *out)
{
    for (int i = 0; i < 3; i++) {
        uint32_t p = (uint32_t)(case_random() % (grid->extent[i] + 1));
        uint32_t q = case_int(3) ? p + (uint32_t)(case_random() % (1 + grid->extent[i] / 64))
                                 : (uint32_t)(case_random() % (grid->extent[i] + 1));
        q = q > grid->extent[i] ? grid->extent[i] : q;
        out->lo[i] = p < q ? p : q;
        out->hi[i] = p < q ? q : p;
    }
}

static void random_point(const bvpi_grid_box *grid, const steps *box, long double out[3])
{
    for (int i = 0; i < 3; i++) {
        long double along = case_int(4) ? case_int(2) : (case_unit() + 1) / 2;
        out[i] = grid->origin[i] +
                 grid->unit * (box->lo[i] + along * ((long double)box->hi[i] - box->lo[i]));
    }
}

static void apply(const double m[12], const long double p[3], long double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3];
}

static void load(const steps *box, const float unit[3], float centre[3], float half[3])
{
    for (int i = 0; i < 3; i++) {
        centre[i] = ((float)box->lo[i] + (float)box->hi[i]) * 0.5f * unit[i];
        half[i] = ((float)box->hi[i] - (float)box->lo[i]) * 0.5f * unit[i];
    }
}

static void splat(const float centre[3], const float half[3], bvpi_box8 *out)
{
    for (int i = 0; i < 3; i++) {
        out->centre[i] = f32x8_splat(centre[i]);
        out->half[i] = f32x8_splat(half[i]);
    }
}

/* Both ways round. Returns the lanes that may meet, and the greater distance. */
static unsigned ask(const setting *s, const steps *box_a, const steps *box_b, double *distance)
{
    const bvpi_box_pair *pair = &s->pair;
    float centre_a[3], half_a[3], centre_b[3], half_b[3];
    bvpi_box8 a, b;
    bvpi_lone_box lone_a, lone_b;
    f32x8 d[3], e[3];
    load(box_a, pair->unit_a, centre_a, half_a);
    load(box_b, pair->unit_b, centre_b, half_b);
    splat(centre_a, half_a, &a);
    splat(centre_b, half_b, &b);
    bvpi_lone_a(pair, centre_a, half_a, &lone_a);
    bvpi_lone_b(pair, centre_b, half_b, &lone_b);
    bvpi_box_offset(pair, true, &a, &lone_b, d);
    bvpi_box_offset(pair, false, &b, &lone_a, e);
    f32x8 gap_sq = f32x8_max(bvpi_boxes_gap_sq(pair, true, &a, &lone_b, d),
                             bvpi_boxes_gap_sq(pair, false, &b, &lone_a, e));
    *distance = sqrt((double)gap_sq[3]) * pair->world_unit;
    return bvpi_boxes_meet(pair, true, &a, &lone_b, d, 255) &
           bvpi_boxes_meet(pair, false, &b, &lone_a, e, 255);
}

START_TEST(boxes_with_a_common_point_meet)
{
    int checked = 0;
    case_seed(5);
    for (int round = 0; round < 4000; round++) {
        setting s = {0};
        random_setting(&s, round % 2);
        double axis[3] = {case_unit(), case_unit(), case_unit()};
        bvpi_box_pair_aim(&s.pair, axis);
        for (int k = 0; k < 50; k++) {
            steps box_a, box_b;
            long double p[3], world[3], q[3];
            double distance, err[3], rounded[3], back[3];
            random_steps(&s.b, &box_b);
            random_point(&s.b, &box_b, p);
            apply(s.c.mb, p, world);
            bool inside = true;
            for (int i = 0; i < 3; i++)
                rounded[i] = (double)world[i];
            bvpi_placement_point_to_part(&s.placement, rounded, back, err);
            for (int i = 0; i < 3; i++) {
                q[i] = (back[i] - s.a.origin[i]) / s.a.unit;
                long double slack = (err[i] + fabs(back[i]) * 0x1p-45) / s.a.unit;
                slack += fabs(rounded[i]) * 0x1p-45 / s.placement.size_min / s.a.unit;
                inside = inside && q[i] >= slack && q[i] + slack <= s.a.extent[i];
                box_a.lo[i] = inside ? (uint32_t)floorl(q[i] - slack) : 0;
                box_a.hi[i] = inside ? (uint32_t)ceill(q[i] + slack) : 0;
            }
            if (!inside)
                continue;
            ck_assert_uint_eq(ask(&s, &box_a, &box_b, &distance), 255);
            ck_assert(distance == 0);
            checked++;
        }
    }
    printf("%d box pairs with a common point\n", checked);
    ck_assert(checked > 5000);
}
END_TEST

static long double sampled_distance(const setting *s, const steps *box_a, const steps *box_b)
{
    long double least = INFINITY;
    for (int k = 0; k < 40; k++) {
        long double p[3], q[3], x[3], y[3];
        random_point(&s->a, box_a, p);
        random_point(&s->b, box_b, q);
        apply(s->c.ma, p, x);
        apply(s->c.mb, q, y);
        long double d = hypotl(hypotl(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
        least = d < least ? d : least;
    }
    return least;
}

START_TEST(distances_are_not_overstated)
{
    int useful = 0, apart = 0, count = 0;
    case_seed(6);
    for (int round = 0; round < 2000; round++) {
        setting s = {0};
        random_setting(&s, round % 4 != 0);
        for (int k = 0; k < 20; k++, count++) {
            steps box_a, box_b;
            double bound;
            double axis[3] = {case_unit(), case_unit(), case_unit()};
            random_steps(&s.a, &box_a);
            random_steps(&s.b, &box_b);
            bvpi_box_pair_aim(&s.pair, axis);
            unsigned meet = ask(&s, &box_a, &box_b, &bound);
            long double sampled = sampled_distance(&s, &box_a, &box_b);
            ck_assert_msg(bound <= sampled, "%g, but two points are %Lg apart", bound, sampled);
            useful += bound > 0.5 * sampled;
            apart += meet == 0;
        }
    }
    printf("%d of %d pairs are apart, %d bounds are over half of the sampled distance\n", apart,
           count, useful);
    ck_assert(apart > count / 3 && useful > count / 4);
}
END_TEST

/* ---- what the constants are needed for ------------------------------------------------------- */

/* The far corner of b's grid, a point, as a's first one sees it. x: the map, how far b's grid
 * reaches, and the axis to aim along. How much larger than the true gap along `number`, a's first
 * axis or that one, the computed gap would be without slack. */
static double slack_along(const double x[18], int number)
{
    bvpi_grid_box a = {{0, 0, 0}, 1, {1, 1, 1}}, b = {{0, 0, 0}, 1, {0, 0, 0}};
    const double world[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    bvpi_box_pair pair;
    float centre_a[3], half_a[3], centre_b[3], half_b[3];
    bvpi_box8 eight_a, eight_b;
    bvpi_lone_box lone_a, lone_b;
    f32x8 d[3], e[3];
    steps box_a = {{0}, {0}}, box_b;
    long double exact = 0;
    for (int i = 0; i < 3; i++) {
        b.extent[i] = (1 << 20) + (uint32_t)(fabs(fmod(x[12 + i], 1)) * 0x1p20);
        box_b.lo[i] = box_b.hi[i] = b.extent[i];
    }
    bvpi_box_pair_init(&pair, &a, &b, x, 0, world);
    bvpi_box_pair_aim(&pair, x + 15);
    load(&box_a, pair.unit_a, centre_a, half_a);
    load(&box_b, pair.unit_b, centre_b, half_b);
    splat(centre_a, half_a, &eight_a);
    splat(centre_b, half_b, &eight_b);
    bvpi_lone_a(&pair, centre_a, half_a, &lone_a);
    bvpi_lone_b(&pair, centre_b, half_b, &lone_b);
    bvpi_box_offset(&pair, true, &eight_a, &lone_b, d);
    bvpi_box_offset(&pair, false, &eight_b, &lone_a, e);
    const bool aimed = number == BVPI_AXIS_AIM;
    const f32x8 there = aimed ? bvpi_gap_aim(&pair, true, &eight_a, &lone_b, d)
                              : bvpi_gap_a(&pair, true, &eight_a, &lone_b, d, 0);
    const f32x8 back = aimed ? bvpi_gap_aim(&pair, false, &eight_b, &lone_a, e)
                             : bvpi_gap_a(&pair, false, &eight_b, &lone_a, e, 0);
    for (int i = 0; i < (aimed ? 3 : 1); i++) {
        long double at = x[4 * i + 3];
        for (int k = 0; k < 3; k++)
            at += (long double)x[4 * i + k] * b.extent[k];
        exact += at * (aimed ? (long double)pair.aim[i] : 1);
    }
    const double slack = (double)pair.slack[number];
    const long double gap = (long double)fmaxf(there[0], back[0]);
    return (double)(gap + slack - fabsl(exact) * (long double)pair.unit_a[0]) / slack;
}

static double slack_share(const double x[7])
{
    double all[18] = {x[0], x[1], x[2], x[6], 0, 1, 0, 0, 0, 0, 1, 0, x[3], x[4], x[5], 1, 0, 0};
    return slack_along(all, BVPI_AXIS_A);
}

static double aimed_slack_share(const double x[18])
{
    return slack_along(x, BVPI_AXIS_AIM);
}

/* A gap that is a float, along an axis that the world stretches: x: how, and the gap. How much
 * larger than the true distance the computed one would be without shrinking. */
static double shrink_share(const double x[4])
{
    const bvpi_grid_box a = {{0, 0, 0}, 1, {1 << 20, 1, 1}}, b = {{0, 0, 0}, 1, {1, 1, 1}};
    const double map[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const double world[9] = {x[0], x[1], x[2], 0, 1, 0, 0, 0, 1}, axis[3] = {1, 0, 0};
    bvpi_box_pair pair;
    setting s = {0};
    double distance;
    bvpi_box_pair_init(&pair, &a, &b, map, 0, world);
    bvpi_box_pair_aim(&pair, axis);
    memset(pair.slack, 0, sizeof pair.slack);
    s.pair = pair;
    const uint32_t gap = (uint32_t)(fabs(fmod(x[3], 1)) * 0x1p20);
    const steps box_a = {{gap, 0, 0}, {gap, 0, 0}}, box_b = {{0}, {0}};
    ask(&s, &box_a, &box_b, &distance);
    const long double length =
        sqrtl((long double)x[0] * x[0] + (long double)x[1] * x[1] + (long double)x[2] * x[2]);
    return gap == 0 ? 0 : (double)((distance * length / gap - (1 - 0x1p-20L)) / 0x1p-20L);
}

START_TEST(constants_are_needed)
{
    static const double slack[][7] = {
        {0x1.3a1e590000001p-4, 0x1.8526990000001p-1, 0x1.0c4b1bp-1, 0x1.71b853d380c2ap-2,
         -0x1.2a954ef09af77p-1, 0x1.1e8e5e909935p-1, -0x1.400000ffffc3dp-1},
        {-0x1.26583d0000001p-2, -0x1.52df87p-1, -0x1.b53babp-2, 0x1.faa11a74975a9p-1,
         -0x1.36cbc13882b57p-1, -0x1.276f4be556e2dp-3, 0x1.400000fffffb7p-1}};
    static const double shrink[][4] = {
        {0x1.5dc924312a8d9p-2, 0x1.7f6f3dc0ee5fdp-1, 0x1.2049af0553ddep-1, 0x1.ff34b524174b9p-1},
        {-0x1.44f40359e8f87p-2, -0x1.c70241265703dp-1, -0x1.aa34543315635p-3,
         -0x1.f405c93a58054p-3}};
    static const double aimed[][18] = {
        {0x1.7235f10000001p-2, 0x1.2005a3p-1, 0x1.714097p-1, -0x1.200000fff894cp+0,
         0x1.036d790000001p-1, 0x1.342f33p-1, 0x1.606fb50000001p-1, 0x1.00000100002c1p-3,
         -0x1.576f3cffe4575p-6, 0x1.f7e37d0000001p-1, -0x1.c7715cfffffe2p-1, -0x1.1bfffef7d697fp+0,
         -0x1.329592c36b9fap-2, 0x1.36b8aec769343p-8, 0x1.b9d2737a019fbp-2, -0x1.942dade4c97abp-10,
         -0x1.5808bd9d77fep-2, -0x1.efbbbe408cc8fp-17},
        {-0x1.cc7329p-1, -0x1.98659afffffffp-6, -0x1.289efefffffffp-1, 0x1.20000100025f9p-1,
         0x1.0b4ded0000001p-1, 0x1.55f9190000001p-1, 0x1.9b2f850000001p-3, 0x1.4000010000069p-1,
         0x1.584c4fp-1, 0x1.4a352fp-1, 0x1.0db557p-3, -0x1.400000fffd649p-1, -0x1.85fac878b62fap-4,
         0x1.ecbef28b660f2p-1, 0x1.4144b3b16be9cp-1, 0x1.18c942e900628p-5, 0x1.e3085e4a6166cp-1,
         0x1.7708febc3793cp-4}};
    CLIMB_CHECK(slack_share, 0.125, slack);
    CLIMB_CHECK(aimed_slack_share, 0.125, aimed);
    CLIMB_CHECK(shrink_share, 0.125, shrink);
}
END_TEST

/* ---- rounded normals ------------------------------------------------------------------------- */

/* Column k of the map from b, scaled to entries of at most 1. */
static void scaled_column(const setting *s, int k, double out[3])
{
    int exponent;
    const double *x = s->pose.x;
    frexp(fmax(fmax(fabs(x[k]), fabs(x[4 + k])), fabs(x[8 + k])), &exponent);
    for (int i = 0; i < 3; i++)
        out[i] = ldexp(x[4 * i + k], -exponent);
}

/* A normal of b, rounded to floats, is not quite orthogonal to the other two axes: what they reach
 * along it is part of the slack. A compiler that leaves the rounding out loses that part. */
START_TEST(slack_covers_rounded_normals)
{
    case_seed(7);
    for (int n = 0; n < 2000; n++) {
        setting s;
        random_setting(&s, false);
        const bvpi_box_pair *p = &s.pair;
        for (int j = 0; j < 3; j++) {
            double needed = 0;
            for (int i = 0; i < 3; i++)
                needed += fabs((double)p->n[j][i]) * (double)p->slack[BVPI_AXIS_A];
            for (int k = 0; k < 3; k++) {
                double column[3], dot = 0;
                scaled_column(&s, k, column);
                for (int i = 0; i < 3; i++)
                    dot += (double)p->n[j][i] * column[i];
                needed += k == j ? 0 : fabs(dot) * (double)p->half_b[k];
            }
            ck_assert_double_ge((double)p->slack[BVPI_AXIS_B + j], needed * (1 - 0x1p-20));
        }
    }
}
END_TEST

SUITE(test_box_box)
{
    const TTest *const list[] = {boxes_with_a_common_point_meet, distances_are_not_overstated,
                                 constants_are_needed, slack_covers_rounded_normals, NULL};
    return suite_run("box_box", list);
}
