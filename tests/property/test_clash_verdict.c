/* SPDX-License-Identifier: MIT
 * test_clash_verdict.c: a scene for every verdict, at home, 10,000 km away, scaled, mirrored and
 * turned; alike with all details, on both ways to ask, in both orders.
 */
#include "suite.h"

#include "clash_case.h"

/* Two solids in millimetres, and what is to be said of them. */
typedef struct scene {
    const char *name;
    void (*make)(solid *a, solid *b);
    double shift[3]; /* of b */
    bvp_clash_limits limits;
    bvp_verdict verdict;
    double distance, depth; /* NaN: any */
} scene;

static const double zero[3] = {0, 0, 0}, ten[3] = {10, 10, 10};

/* The same cube, cut into other triangles: its axes change places. */
static void same_walls(solid *a, solid *b)
{
    solid_box(a, zero, ten, 0, -1);
    solid_box(b, zero, ten, 0, -1);
    for (uint32_t i = 0; i < 3 * b->count; i++) {
        float *corner = b->soup + 3 * i;
        const float x = corner[0];
        corner[0] = corner[1];
        corner[1] = corner[2];
        corner[2] = x;
    }
}

/* Of two pieces the second one is inside. */
static void piece_inside(solid *a, solid *b)
{
    const double lo[3] = {-21, 0, 0}, hi[3] = {-20, 1, 1}, in_lo[3] = {4, 4, 4},
                 in_hi[3] = {6, 6, 6}; /* the first one comes first in any order */
    solid_box(a, zero, ten, 0, -1);
    solid_box(b, lo, hi, 0, -1);
    solid_box(b, in_lo, in_hi, 0, -1);
}

static void piece_inside_other_way(solid *a, solid *b)
{
    piece_inside(b, a);
}

static void plate_in_slot(solid *a, solid *b)
{
    const double lo[3] = {-4, 0, 0}, hi[3] = {0, 10, 10}, behind[3] = {10, 0, 0},
                 end[3] = {14, 10, 10};
    solid_box(a, zero, ten, 0, -1);
    solid_box(b, lo, hi, 0, -1);
    solid_box(b, behind, end, 0, -1);
}

static void filled_cavity(solid *a, solid *b)
{
    const double lo[3] = {-4, -4, -4}, hi[3] = {14, 14, 14};
    solid_box(a, zero, ten, 0, -1);
    solid_box(b, lo, hi, 0, -1);
    solid_box(b, zero, ten, 1, -1);
}

/* Another part, so that it is no duplicate: one box is hollow. */
static void two_boxes(solid *a, solid *b)
{
    solid_box(a, zero, ten, 0, -1);
    solid_box(b, zero, ten, 0, -1);
    const double lo[3] = {2, 2, 2}, hi[3] = {3, 3, 3};
    solid_box(b, lo, hi, 1, -1);
}

/* b's face at x = 0 lies at the float behind 10 when it is put at 10. */
static void one_step_apart(solid *a, solid *b)
{
    const double lo[3] = {(double)nextafterf(10, 20), 0, 0}, hi[3] = {20, 10, 10};
    solid_box(a, zero, ten, 0, -1);
    solid_box(b, lo, hi, 0, -1);
}

static void same_box(solid *a, solid *b)
{
    solid_box(a, zero, ten, 0, -1);
    *b = *a;
}

static void bolt_in_hole(solid *a, solid *b)
{
    solid_plate(a, 20, 5, 24, 0, 10);
    solid_cylinder(b, 4.9, 24, -5, 10);
    solid_cylinder(b, 8, 24, 10, 14); /* the head, flush on the plate */
}

static void pin_flush_in_hole(solid *a, solid *b)
{
    solid_plate(a, 20, 5, 24, 0, 10);
    solid_cylinder(b, 5, 24, -5, 15);
}

/* The same about an axis that is none of either part's own, and corners rounded to float: only
 * shrinking across the contacts frees them. */
static void oblique_pin(solid *a, solid *b)
{
    const double x = sqrt(.5), y = sqrt(1. / 6), z = sqrt(1. / 3);
    const double turn[3][3] = {{x, y, z}, {-x, y, z}, {0, -2 * y, z}};
    solid *both[2] = {a, b};
    pin_flush_in_hole(a, b);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < 3 * both[side]->count; i++) {
            float *corner = both[side]->soup + 3 * i;
            const double from[3] = {(double)corner[0], (double)corner[1], (double)corner[2]};
            for (int k = 0; k < 3; k++)
                corner[k] =
                    (float)(turn[k][0] * from[0] + turn[k][1] * from[1] + turn[k][2] * from[2]);
        }
}

static void pin_in_small_hole(solid *a, solid *b)
{
    solid_plate(a, 20, 5, 24, 0, 10);
    solid_cylinder(b, 5.5, 24, -5, 15);
}

static void rod_through_plate(solid *a, solid *b)
{
    const double lo[3] = {-50, -50, 0}, hi[3] = {50, 50, 4};
    solid_box(a, lo, hi, 0, -1);
    solid_cylinder(b, 3, 12, -300, 300);
}

static void nested(solid *a, solid *b)
{
    const double lo[3] = {4, 4, 4}, hi[3] = {6, 6, 6};
    solid_box(a, zero, ten, 0, -1);
    solid_box(b, lo, hi, 0, -1);
}

/* Flush with three walls, all but some rounding, from inside: the corners that are extreme along
 * the axes may all be on them. */
static void in_a_corner(solid *a, solid *b)
{
    const double lo[3] = {1e-5, 1e-5, 8}, hi[3] = {3, 1, 10 - 2e-5};
    solid_box(a, zero, ten, 0, -1);
    solid_box(b, lo, hi, 0, -1);
}

/* All corners are flush with the wall. */
static void rod_in_rod(solid *a, solid *b)
{
    solid_cylinder(a, 5, 24, -10, 10);
    solid_cylinder(b, 5 - 2e-5, 24, -6, 6);
}

static void nested_other_way(solid *a, solid *b)
{
    nested(b, a);
}

static void in_cavity(solid *a, solid *b)
{
    const double lo[3] = {1, 1, 1}, hi[3] = {9, 9, 9}, in_lo[3] = {4, 4, 4}, in_hi[3] = {6, 6, 6};
    solid_box(a, zero, ten, 0, -1);
    solid_box(a, lo, hi, 1, -1);
    solid_box(b, in_lo, in_hi, 0, -1);
}

static void l_trap(solid *a, solid *b)
{
    static const double l[6][2] = {{0, 0}, {10, 0}, {10, 2}, {2, 2}, {2, 10}, {0, 10}};
    const double lo[3] = {5, 5, 4}, hi[3] = {8, 8, 6};
    solid_prism(a, l, 6, 0, 10);
    solid_box(b, lo, hi, 0, -1);
}

static void open_shell(solid *a, solid *b)
{
    const double lo[3] = {4, 4, 4}, hi[3] = {6, 6, 6};
    solid_box(a, zero, ten, 0, 5);
    solid_box(b, lo, hi, 0, -1);
}

/* A small wedge right behind the slope of a large one: the way out is short, the boxes' is not. */
static void wedge(solid *a, solid *b)
{
    static const double large[3][2] = {{0, 0}, {10, 0}, {0, 10}};
    static const double small[3][2] = {{4.5, 4.5}, {5.5, 4.5}, {4.5, 5.5}};
    solid_prism(a, large, 3, 0, 10);
    solid_prism(b, small, 3, 4, 6);
}

/* Open on top. */
static void open_wedge(solid *a, solid *b)
{
    wedge(a, b);
    a->count--;
}

static void crossing_sheets(solid *a, solid *b)
{
    const double p[4][3] = {{-5, -5, 0}, {5, -5, 0}, {5, 5, 0}, {-5, 5, 0}};
    const double q[4][3] = {{-3, 0, -2}, {3, 0, -2}, {3, 0, 4}, {-3, 0, 4}};
    solid_quad(a, p[0], p[1], p[2], p[3]);
    solid_quad(b, q[0], q[1], q[2], q[3]);
}

#define L(clearance, gap, overlap)                                                                 \
    {                                                                                              \
        clearance, gap, overlap                                                                    \
    }
static const scene scenes[] = {
    {"far", two_boxes, {11, 0, 0}, L(.5, 1e-4, 1e-3), BVP_VERDICT_CLEAR, NAN, 0},
    {"within", two_boxes, {11, 0, 0}, L(1.5, 1e-4, 1e-3), BVP_VERDICT_WITHIN, 1, 0},
    {"diagonal", two_boxes, {11, 11, 0}, L(1.4, 1e-4, 1e-3), BVP_VERDICT_CLEAR, NAN, 0},
    {"flush", two_boxes, {10, 0, 0}, L(1, 1e-4, 1e-3), BVP_VERDICT_TOUCHING, 0, 0},
    {"flush, shifted", two_boxes, {10, 3, 4}, L(1, 1e-4, 1e-3), BVP_VERDICT_TOUCHING, 0, 0},
    {"flush at an edge", two_boxes, {10, 10, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_TOUCHING, 0, 0},
    {"one step apart", one_step_apart, {0, 0, 0}, L(0, 1e-5, 1e-3), BVP_VERDICT_TOUCHING, NAN, 0},
    {"one step apart, no gap", one_step_apart, {0, 0, 0}, L(0, 0, 0), BVP_VERDICT_CLEAR, NAN, 0},
    {".01 deep", two_boxes, {9.99, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_PENETRATING, 0, .01},
    {".01 deep, permitted", two_boxes, {9.99, 1, 1}, L(0, 1e-4, .02), BVP_VERDICT_TOUCHING, 0, NAN},
    {"corner", two_boxes, {9, 9, 9}, L(0, 1e-4, 1e-3), BVP_VERDICT_PENETRATING, 0, 1},
    {"bolt in its hole", bolt_in_hole, {0, 0, 0}, L(.2, 1e-4, 1e-3), BVP_VERDICT_TOUCHING, 0, 0},
    {"bolt lifted", bolt_in_hole, {0, 0, .05}, L(.2, 1e-4, 1e-3), BVP_VERDICT_WITHIN, .05, 0},
    {"bolt deep", bolt_in_hole, {0, 0, -.05}, L(.2, 1e-4, 1e-3), BVP_VERDICT_PENETRATING, 0, .05},
    {"plate in its slot", plate_in_slot, {0, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_TOUCHING, 0, 0},
    {"filled cavity", filled_cavity, {0, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_TOUCHING, 0, 0},
    {"same walls", same_walls, {0, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_DUPLICATE, 0, NAN},
    {"same walls, one hollow",
     two_boxes,
     {0, 0, 0},
     L(0, 1e-4, 1e-3),
     BVP_VERDICT_PENETRATING,
     0,
     NAN},
    {"pin flush", pin_flush_in_hole, {0, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_TOUCHING, 0, NAN},
    {"oblique pin", oblique_pin, {0, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_TOUCHING, 0, NAN},
    {"pin too thick",
     pin_in_small_hole,
     {0, 0, 0},
     L(0, 1e-4, 1e-3),
     BVP_VERDICT_PENETRATING,
     0,
     NAN},
    {"rod through plate",
     rod_through_plate,
     {0, 0, 0},
     L(0, 1e-4, 1e-3),
     BVP_VERDICT_PENETRATING,
     0,
     NAN},
    {"nested", nested, {0, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_ENCLOSED, 4, 0},
    {"nested, in clearance", nested, {3.5, 0, 0}, L(1, 1e-4, 1e-3), BVP_VERDICT_ENCLOSED, .5, 0},
    {"in a corner", in_a_corner, {0, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_ENCLOSED, NAN, NAN},
    {"rod in a rod", rod_in_rod, {0, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_ENCLOSED, NAN, NAN},
    {"the other way", nested_other_way, {0, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_ENCLOSED, 4, 0},
    {"behind a slope",
     wedge,
     {-4e-5, -4e-5, 0},
     L(0, 1e-4, 1),
     BVP_VERDICT_ENCLOSED,
     4e-5 * M_SQRT2,
     0},
    {"behind an open one",
     open_wedge,
     {-4e-5, -4e-5, 0},
     L(0, 1e-4, 1),
     BVP_VERDICT_UNKNOWN,
     4e-5 * M_SQRT2,
     0},
    {"before a slope", wedge, {1.00004, 1.00004, 0}, L(0, 3, 1), BVP_VERDICT_TOUCHING, NAN, 0},
    {"a piece inside", piece_inside, {0, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_ENCLOSED, 4, 0},
    {"a piece around",
     piece_inside_other_way,
     {0, 0, 0},
     L(0, 1e-4, 1e-3),
     BVP_VERDICT_ENCLOSED,
     4,
     0},
    {"in a cavity", in_cavity, {0, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_CLEAR, NAN, 0},
    {"L-shaped trap", l_trap, {0, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_CLEAR, NAN, 0},
    {"trap, in clearance", l_trap, {0, 0, 0}, L(4, 1e-4, 1e-3), BVP_VERDICT_WITHIN, 3, 0},
    {"open shell around", open_shell, {0, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_UNKNOWN, 4, 0},
    {"outside an open shell", open_shell, {10, 0, 0}, L(5, 1e-4, 1e-3), BVP_VERDICT_WITHIN, 4, 0},
    {"same place", same_box, {0, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_DUPLICATE, 0, NAN},
    {"nearly the same place",
     same_box,
     {5e-5, 0, 0},
     L(0, 1e-4, 1e-3),
     BVP_VERDICT_DUPLICATE,
     NAN,
     NAN},
    {"not the same place", same_box, {1, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_PENETRATING, 0, NAN},
    {"sheets", crossing_sheets, {0, 0, 0}, L(0, 1e-4, 1e-3), BVP_VERDICT_PENETRATING, 0, 2},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* Where the scenes are looked at; `scale`: of lengths there. */
typedef struct place {
    const char *name;
    double m[12], scale;
} place;
static const place places[] = {
    {"home", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, 1},
    {"10,000 km", {1, 0, 0, 1e10, 0, 1, 0, -1e10, 0, 0, 1, 1e10}, 1},
    {"scaled", {.125, 0, 0, 7, 0, .125, 0, 1, 0, 0, .125, 2}, .125},
    {"mirrored", {-1, 0, 0, 3, 0, 1, 0, 4, 0, 0, 1, 5}, 1},
    {"turned in steps, mirrored, large", {0, 4, 0, 1, 4, 0, 0, 2, 0, 0, 4, 3}, 4},
};
enum { PLACES = sizeof places / sizeof *places };

static case_file make(const scene *s, const place *at)
{
    static solid a, b;
    assembly all = assembly_new(at->m);
    a.count = b.count = 0;
    s->make(&a, &b);
    assembly_put(&all, &a, 0, 0, 0);
    assembly_put(&all, &b, s->shift[0], s->shift[1], s->shift[2]);
    return case_finish(all.builder);
}

static bvp_clash_limits scaled(const bvp_clash_limits *limits, double by)
{
    return (bvp_clash_limits){limits->clearance * by, limits->touch_gap * by, limits->overlap * by};
}

static int keep_pair(void *user, const bvp_clash_pair *pair)
{
    *(bvp_clash_pair *)user = *pair;
    return 0;
}

static void check_numbers(const scene *s, const place *at, const bvp_clash_pair *pair,
                          bvp_clash_detail detail)
{
    const double slack = 1e-9 * at->scale + 4 * fabs(at->m[3]) * 0x1p-52;
    ck_assert_msg(pair->verdict == s->verdict, "%s, %s, detail %d: %s, not %s; %g, depth %g .. %g",
                  s->name, at->name, (int)detail, bvp_verdict_name(pair->verdict),
                  bvp_verdict_name(s->verdict), pair->distance, pair->depth, pair->depth_upper);
    if (pair->verdict == BVP_VERDICT_CLEAR || detail == BVP_CLASH_VERDICTS ||
        detail == BVP_CLASH_FAST_CONTACTS)
        return;
    if (!isnan(s->distance))
        ck_assert_msg(fabs(pair->distance - s->distance * at->scale) <= slack,
                      "%s, %s: distance %g", s->name, at->name, pair->distance);
    if (!isnan(s->depth)) /* the estimate is a lower bound, and exact in these scenes */
        ck_assert_msg(fabs(pair->depth - s->depth * at->scale) <= 1e-6 * at->scale + slack,
                      "%s, %s: depth %.9g .. %g", s->name, at->name, pair->depth,
                      pair->depth_upper);
    ck_assert(pair->depth <= pair->depth_upper + slack && isfinite(pair->depth_upper));
    if (pair->verdict == BVP_VERDICT_ENCLOSED) /* all of the inner one, which is larger than this */
        ck_assert_double_ge(pair->depth_upper, at->scale * .9);
    if (pair->verdict == BVP_VERDICT_TOUCHING) /* and that is proved */
        ck_assert_msg(pair->depth_upper <= pair->limits.overlap * (1 + 1e-9),
                      "%s, %s: at most %g deep", s->name, at->name, pair->depth_upper);
}

static void check_scene(const scene *s, const place *at)
{
    case_file file = make(s, at);
    for (int detail = 0; detail <= BVP_CLASH_FAST_CONTACTS; detail++) {
        bvp_clash_pair pair = {.verdict = BVP_VERDICT_CLEAR}, one;
        bvp_clash_coverage sum;
        const bvp_clash_options options = {.limits = scaled(&s->limits, at->scale),
                                           .detail = (bvp_clash_detail)detail};
        ck_assert_int_eq(
            bvp_clash(&(bvp_clash_scene){.a = file.file}, &options, keep_pair, &pair, &sum, NULL),
            BVP_OK);
        check_numbers(s, at, &pair, (bvp_clash_detail)detail);
        ck_assert_uint_le(sum.box_pairs, 1);
        ck_assert_int_eq(bvp_clash_one(&(bvp_clash_scene){.a = file.file}, 0, 1, &options.limits,
                                       (bvp_clash_detail)detail, &one),
                         BVP_OK);
        ck_assert_int_eq(one.verdict, s->verdict);
        if (one.verdict != BVP_VERDICT_CLEAR)
            ck_assert_mem_eq(&one, &pair, sizeof one);
    }
    case_close(&file);
}

START_TEST(every_verdict)
{
    for (int p = 0; p < PLACES; p++)
        for (int s = 0; s < SCENES; s++)
            check_scene(&scenes[s], &places[p]);
}
END_TEST

/* One in a corner of the other, with three walls that rounding pulls apart: a shift off one of them
 * frees nothing, whatever side of the walls the corners are then rounded to. */
START_TEST(same_corner)
{
    static solid a, b;
    const double one[3] = {1, 1, 1}, four[3] = {4, 4, 4};
    const bvp_clash_limits limits = {0, NAN, NAN};
    a.count = b.count = 0;
    solid_box(&a, zero, one, 0, -1);
    solid_box(&b, zero, four, 0, -1);
    for (int k = 1; k <= 200; k++) {
        const double c = 2 * cos(.03 * k), s = 2 * sin(.03 * k);
        const double m[12] = {2, 0, 0, 1.5, 0, c, -s, 3, 0, s, c, 3};
        assembly all = assembly_new(m);
        bvp_clash_pair pair;
        assembly_put(&all, &a, 0, 0, 0);
        assembly_put(&all, &b, 0, 0, 0);
        case_file file = case_finish(all.builder);
        ck_assert_int_eq(bvp_clash_one(&(bvp_clash_scene){.a = file.file}, 0, 1, &limits,
                                       BVP_CLASH_DISTANCE, &pair),
                         BVP_OK);
        ck_assert_msg(pair.verdict == BVP_VERDICT_PENETRATING, "%d: %s", k,
                      bvp_verdict_name(pair.verdict));
        case_close(&file);
    }
}
END_TEST

/* A sphere of radius 10 without what is above z = `top`, and a speck above it that keeps its box.
 */
static void open_sphere(solid *s, double top)
{
    enum { AROUND = 24, ALONG = 8 };
    const double step = (10 + top) / ALONG, speck[3][3] = {{0, 0, 10}, {.01, 0, 10}, {0, .01, 10}};
    for (int i = 0; i < ALONG; i++)
        for (int k = 0; k < AROUND; k++) {
            double p[4][3];
            for (int c = 0; c < 4; c++) {
                const double z = i + c / 2 == 0 ? -10 : -10 + step * (i + c / 2);
                const double radius = sqrt(100 - z * z);
                const double angle = 2 * M_PI * ((k + (c == 1 || c == 2)) % AROUND) / AROUND;
                p[c][0] = radius * cos(angle);
                p[c][1] = radius * sin(angle);
                p[c][2] = z;
            }
            if (i > 0)
                solid_triangle(s, p[0], p[1], p[2]);
            solid_triangle(s, p[0], p[2], p[3]);
        }
    solid_triangle(s, speck[0], speck[1], speck[2]);
}

/* Which verdict a cube in the middle of it gets, however that is turned. */
START_TEST(share_of_directions)
{
    static const struct {
        double covered;
        bvp_verdict verdict;
    } shares[] = {{.2, BVP_VERDICT_WITHIN},
                  {.3, BVP_VERDICT_WITHIN},
                  {.7, BVP_VERDICT_UNKNOWN},
                  {.8, BVP_VERDICT_UNKNOWN},
                  {.9, BVP_VERDICT_UNKNOWN}};
    static solid a, b;
    const double lo[3] = {-.01, -.01, -.01}, hi[3] = {.01, .01, .01};
    const bvp_clash_limits limits = {20, NAN, NAN};
    uint64_t state = case_seed();
    b.count = 0;
    solid_box(&b, lo, hi, 0, -1);
    for (int k = 0; k < 1000; k++) {
        const size_t which = (size_t)k % (sizeof shares / sizeof *shares);
        double m[12] = {0}, axis[3], angle = 7 * case_uniform(&state), size = 0;
        for (int i = 0; i < 3; i++) {
            axis[i] = case_uniform(&state) - .5;
            size += axis[i] * axis[i];
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                m[4 * i + j] = (i == j ? cos(angle) : 0) +
                               (1 - cos(angle)) * axis[i] * axis[j] / size +
                               (i == j ? 0 : sin(angle) * axis[3 - i - j] / sqrt(size)) *
                                   ((j - i + 3) % 3 == 1 ? -1 : 1);
        assembly all = assembly_new(m);
        bvp_clash_pair pair;
        a.count = 0;
        open_sphere(&a, 20 * shares[which].covered - 10);
        assembly_put(&all, &a, 0, 0, 0);
        assembly_put(&all, &b, 0, 0, 0);
        case_file file = case_finish(all.builder);
        ck_assert_int_eq(bvp_clash_one(&(bvp_clash_scene){.a = file.file}, 0, 1, &limits,
                                       BVP_CLASH_VERDICTS, &pair),
                         BVP_OK);
        ck_assert_msg(pair.verdict == shares[which].verdict, "%g covered, round %d: %s",
                      shares[which].covered, k, bvp_verdict_name(pair.verdict));
        case_close(&file);
    }
}
END_TEST

/* What an instance of one file is to one of another is the same as within one file. */
START_TEST(two_files)
{
    const place *home = &places[0];
    const double moved[12] = {1, 0, 0, 100, 0, 1, 0, 0, 0, 0, 1, 0};
    for (int k = 0; k < SCENES; k++) {
        const scene *s = &scenes[k];
        static solid a, b;
        assembly one = assembly_new(home->m), two = assembly_new(home->m);
        bvp_clash_pair pair = {.verdict = BVP_VERDICT_CLEAR};
        a.count = b.count = 0;
        s->make(&a, &b);
        assembly_put(&one, &a, 0, 0, 0);
        assembly_put(&two, &b, s->shift[0] - 100, s->shift[1], s->shift[2]);
        case_file file_a = case_finish(one.builder), file_b = case_finish(two.builder);
        const bvp_clash_options options = {.limits = s->limits};
        ck_assert_int_eq(
            bvp_clash(&(bvp_clash_scene){.a = file_a.file, .b = file_b.file, .placement_b = moved},
                      &options, keep_pair, &pair, NULL, NULL),
            BVP_OK);
        ck_assert_msg(pair.verdict == s->verdict, "%s: %s", s->name,
                      bvp_verdict_name(pair.verdict));
        case_close(&file_a);
        case_close(&file_b);
    }
}
END_TEST

static bvp_verdict verdict_of(const bvp_file *a, const bvp_file *b, const double *place_b)
{
    const bvp_clash_options options = {.limits = {0, NAN, NAN}};
    bvp_clash_pair pair = {.verdict = BVP_VERDICT_CLEAR};
    ck_assert_int_eq(bvp_clash(&(bvp_clash_scene){.a = a, .b = b, .placement_b = place_b}, &options,
                               keep_pair, &pair, NULL, NULL),
                     BVP_OK);
    return pair.verdict;
}

/* Two boxes of equal corners, one of which has a dent, are as many triangles in the same box. Nor
 * is a part its own duplicate that was turned about a corner of its box. */
START_TEST(not_duplicate)
{
    static solid whole, dented;
    const double size[3] = {2, 2, 2}, dent[3] = {1, 1, 1.5};
    const double home[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const double turned[12] = {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0};
    const double corner[4][3] = {{0, 0, 2}, {2, 0, 2}, {2, 2, 2}, {0, 2, 2}};
    const double middle[3] = {1, 1, 2};
    whole.count = dented.count = 0;
    solid_box(&whole, zero, size, 0, 5);
    solid_box(&dented, zero, size, 0, 5);
    for (int k = 0; k < 4; k++) {
        solid_triangle(&whole, corner[k], corner[(k + 1) % 4], middle);
        solid_triangle(&dented, corner[k], corner[(k + 1) % 4], dent);
    }
    assembly one = assembly_new(home), two = assembly_new(home);
    assembly_put(&one, &whole, 0, 0, 0);
    assembly_put(&two, &dented, 0, 0, 0);
    case_file a = case_finish(one.builder), b = case_finish(two.builder);
    ck_assert_int_eq(verdict_of(a.file, a.file, home), BVP_VERDICT_DUPLICATE);
    ck_assert_int_ne(verdict_of(a.file, b.file, home), BVP_VERDICT_DUPLICATE);
    ck_assert_int_ne(verdict_of(a.file, a.file, turned), BVP_VERDICT_DUPLICATE);
    case_close(&a);
    case_close(&b);
}
END_TEST

/* Of a part in thousands of pieces any one may be the one inside. */
START_TEST(one_of_many_pieces)
{
    enum { PIECES = 3000, ASKED = 40 };
    static float soup[PIECES * 36];
    static solid around;
    static const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const double lo[3] = {-.5, -.5, -.5}, hi[3] = {1.5, 1.5, 1.5};
    const bvp_clash_limits limits = {0, NAN, NAN};
    for (int i = 0; i < PIECES; i++)
        for (int k = 0; k < 12; k++) {
            const double *c = corners[faces[k]];
            float *to = soup + 36 * i + 3 * k;
            to[0] = (float)(c[0] + 4 * (i % 50));
            to[1] = (float)(c[1] + 4 * (i / 50));
            to[2] = (float)c[2];
        }
    around.count = 0;
    solid_box(&around, lo, hi, 0, -1);
    assembly all = assembly_new(places[0].m);
    const bvp_mesh mesh = case_mesh(soup, 4 * PIECES);
    uint32_t part;
    ck_assert_int_eq(bvp_builder_add_part(all.builder, &mesh, &part, NULL), BVP_OK);
    assembly_place(&all, part, places[0].m);
    const uint32_t box = assembly_part(&all, &around);
    for (int k = 0; k < ASKED; k++) {
        const int i = k * (PIECES / ASKED) + 3 * k % 40;
        const double m[12] = {1, 0, 0, 4 * (i % 50), 0, 1, 0, 4 * (i / 50), 0, 0, 1, 0};
        assembly_place(&all, box, m);
    }
    case_file file = case_finish(all.builder);
    const bvp_clash_options options = {.limits = limits};
    bvp_clash_coverage sum;
    ck_assert_int_eq(
        bvp_clash(&(bvp_clash_scene){.a = file.file}, &options, NULL, NULL, &sum, NULL), BVP_OK);
    ck_assert_uint_eq(sum.verdicts[BVP_VERDICT_ENCLOSED], ASKED);
    case_close(&file);
}
END_TEST

START_TEST(lines_of_contact)
{
    const scene s = {"", rod_through_plate, {0, 0, 0}, {0, 1e-4, 1e-3}, BVP_VERDICT_PENETRATING, 0,
                     NAN};
    case_file file = make(&s, &places[0]);
    bvp_clash_pair pair;
    uint64_t count;
    const bvp_body all = {.file = file.file, .part = BVP_ASSEMBLY};
    ck_assert_int_eq(bvp_clash_one(&(bvp_clash_scene){.a = file.file}, 0, 1, &s.limits,
                                   BVP_CLASH_CONTACTS, &pair),
                     BVP_OK);
    ck_assert_int_eq(bvp_pairs(&all, NULL, NULL, 0, &count, NULL), BVP_ERR_LIMIT);
    ck_assert_uint_gt(pair.triangle_pairs, 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_double_ge(pair.lo[i], -3 - 1e-6);
        ck_assert_double_le(pair.hi[i], 3 + 1e-6);
    }
    ck_assert_double_eq_tol(pair.lo[2], 0, 1e-6);
    ck_assert_double_eq_tol(pair.hi[2], 4, 1e-6);
    /* nowhere deeper than a point of the plate's faces on the rod's axis */
    ck_assert_double_ge(pair.depth, 1.5);
    ck_assert_double_le(pair.depth, 3 * cos(M_PI / 12) + 1e-6);
    ck_assert_double_ge(pair.depth_upper, 3 * cos(M_PI / 12) - 1e-6);
    case_close(&file);
}
END_TEST

START_TEST(names)
{
    ck_assert_str_eq(bvp_verdict_name(BVP_VERDICT_CLEAR), "clear");
    ck_assert_str_eq(bvp_verdict_name(BVP_VERDICT_UNKNOWN), "unknown");
    ck_assert_str_eq(bvp_verdict_name((bvp_verdict)99), "?");
}
END_TEST

START_TEST(touch_gap)
{
    static solid a;
    assembly near = assembly_new(places[0].m), far = assembly_new(places[1].m);
    a.count = 0;
    solid_box(&a, zero, ten, 0, -1);
    assembly_put(&near, &a, 0, 0, 0);
    assembly_put(&far, &a, 0, 0, 0);
    case_file file_a = case_finish(near.builder), file_b = case_finish(far.builder);
    const double gap = bvp_clash_touch_gap(file_a.file, NULL);
    ck_assert_double_ge(gap, 8 * 10 * 0x1p-24);
    ck_assert_double_le(gap, 8 * 10 * 0x1p-22);
    /* far from the origin what counts is what a double's last place is worth there */
    const double far_gap = bvp_clash_touch_gap(file_b.file, NULL);
    ck_assert_double_ge(far_gap, 1e10 * 0x1p-53);
    ck_assert_double_le(far_gap, 1e-4);
    ck_assert_double_eq(bvp_clash_touch_gap(file_a.file, file_b.file), fmax(gap, far_gap));
    case_close(&file_a);
    case_close(&file_b);
}
END_TEST

/* A box with a side of ten, in a file that states how near its triangles are to the true surface.
 */
static case_file tolerant_box(double tolerance)
{
    static solid a;
    const bvp_build_options options = {.tessellation_tolerance = tolerance};
    assembly all = {0};
    memcpy(all.world, places[0].m, sizeof all.world);
    ck_assert_int_eq(bvp_builder_new(&options, &all.builder, NULL), BVP_OK);
    a.count = 0;
    solid_box(&a, zero, ten, 0, -1);
    assembly_put(&all, &a, 0, 0, 0);
    return case_finish(all.builder);
}

/* Both surfaces may be off by the stated tolerance; of two files the coarser counts, and a
 * tolerance below what the coordinates can hold does not. */
START_TEST(touch_gap_of_tolerance)
{
    case_file coarse = tolerant_box(.125), fine = tolerant_box(1e-9), none = tolerant_box(0);
    const double least = bvp_clash_touch_gap(none.file, NULL);
    ck_assert_double_gt(least, 2e-9);
    ck_assert_double_lt(least, .125);
    ck_assert_double_eq(bvp_clash_touch_gap(coarse.file, NULL), .25);
    ck_assert_double_eq(bvp_clash_touch_gap(fine.file, NULL), least);
    ck_assert_double_eq(bvp_clash_touch_gap(none.file, coarse.file), .25);
    ck_assert_double_eq(bvp_clash_touch_gap(coarse.file, none.file), .25);
    case_close(&coarse);
    case_close(&fine);
    case_close(&none);
}
END_TEST

SUITE(test_clash_verdict)
{
    const TTest *const list[] = {names,
                                 touch_gap,
                                 touch_gap_of_tolerance,
                                 lines_of_contact,
                                 two_files,
                                 not_duplicate,
                                 every_verdict,
                                 same_corner,
                                 one_of_many_pieces,
                                 share_of_directions,
                                 NULL};
    return suite_run("clash_verdict", list);
}
