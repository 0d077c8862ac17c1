/* SPDX-License-Identifier: MIT
 * test_clash_flush.c: solids inside solids, flush with one to three of their faces, at random rigid
 * placements near and far: never "touching", and never a bound below the depth that was built.
 * BVP_FLUSH: how many; BVP_SEED: of which random numbers.
 */
#include <stdio.h>

#include "clash_case.h"
#include "rigid_places.h"
#include "suite.h"

enum { CASES = 1000, OUTLINE = 24, SAMPLES = 24 };

/* All solids are prisms: how deep one is in the other is known from the plane, as the distance of a
 * point of the inner one's section to the outer one's outline, or to its ends. */

/* What a closed polygon, counterclockwise, sweeps from z0 to z1; with a hole of as many corners, a
 * tube. All coordinates are floats. */
typedef struct prism {
    double outer[OUTLINE][2], hole[OUTLINE][2];
    int count;
    bool has_hole, is_ring; /* is_ring: a piece of a tube, its outline runs there and back */
    double z0, z1;
} prism;

static double to_float(double x)
{
    return (double)(float)x;
}

static void put(double point[2], double x, double y)
{
    point[0] = to_float(x);
    point[1] = to_float(y);
}

static void make_box(prism *p, double x0, double y0, double x1, double y1)
{
    p->count = 4;
    put(p->outer[0], x0, y0);
    put(p->outer[1], x1, y0);
    put(p->outer[2], x1, y1);
    put(p->outer[3], x0, y1);
}

static void make_l(prism *p, double size, double arm)
{
    p->count = 6;
    put(p->outer[0], 0, 0);
    put(p->outer[1], size, 0);
    put(p->outer[2], size, arm);
    put(p->outer[3], arm, arm);
    put(p->outer[4], arm, size);
    put(p->outer[5], 0, size);
}

static void make_circle(double (*out)[2], int count, double radius)
{
    for (int i = 0; i < count; i++)
        put(out[i], radius * cos(2 * M_PI * i / count), radius * sin(2 * M_PI * i / count));
}

/* Sides `from` to `to` of a tube. */
static void make_ring_piece(prism *p, const prism *tube, int from, int to)
{
    const int half = to - from + 1;
    p->count = 2 * half;
    p->is_ring = true;
    for (int i = 0; i < half; i++) {
        memcpy(p->outer[i], tube->outer[from + i], sizeof p->outer[i]);
        memcpy(p->outer[2 * half - 1 - i], tube->hole[from + i], sizeof p->outer[i]);
    }
}

/* One of some ways to be inside and flush; both share a frame. */
static void make_pair(uint64_t *state, prism *outer, prism *inner)
{
    const double size = exp2(random_between(state, -6, 10)),
                 tall = size * random_between(state, .3, 2);
    const double part = random_between(state, .15, .6), share = random_between(state, .15, .6);
    const int sides = 6 + (int)(case_random(state) % 7), kind = (int)(case_random(state) % 9);
    memset(outer, 0, sizeof *outer);
    memset(inner, 0, sizeof *inner);
    outer->z1 = to_float(tall);
    switch (kind) {
    case 0: /* a box in a box: flush with one side or two */
    case 1:
        make_box(outer, 0, 0, size, size * random_between(state, .5, 1));
        make_box(inner, 0, kind == 0 ? 0 : size * .1, size * part, size * .45);
        break;
    case 2: /* an L in the corner of a box */
        make_box(outer, 0, 0, size, size);
        make_l(inner, size * .9, size * part * .8);
        break;
    case 3: /* a box in the arm of an L */
        make_l(outer, size, size * part);
        make_box(inner, size * share, 0, size * (share + .3),
                 case_random(state) % 2 ? size * part : size * part * .7);
        break;
    case 4: /* an L in an L */
        make_l(outer, size, size * part);
        make_l(inner, size * .8, size * part * share);
        break;
    case 5: /* a box or a cylinder in a cylinder, flush with its end */
        outer->count = sides;
        make_circle(outer->outer, sides, size);
        if (case_random(state) % 2) {
            make_box(inner, -size * share, -size * .3, size * .5, size * part);
        } else {
            inner->count = sides;
            make_circle(inner->outer, sides, size * part);
        }
        break;
    case 6: { /* a block between up to three sides of a cylinder and its axis */
        const int to = 1 + (int)(case_random(state) % 3);
        outer->count = sides;
        make_circle(outer->outer, sides, size);
        inner->count = to + 2;
        memcpy(inner->outer[1], outer->outer[0], sizeof *outer->outer * (size_t)(to + 1));
        break;
    }
    case 7: /* a tube in a tube, flush with its end, or with the bore, too */
        outer->count = inner->count = sides;
        outer->has_hole = inner->has_hole = true;
        make_circle(outer->outer, sides, size);
        make_circle(outer->hole, sides, size * part);
        make_circle(inner->outer, sides, size * (part + (1 - part) * .6));
        make_circle(inner->hole, sides,
                    case_random(state) % 2 ? size * part : size * (part + (1 - part) * .2));
        break;
    default: /* one to three sides of a tube's wall */
        outer->count = sides;
        outer->has_hole = true;
        make_circle(outer->outer, sides, size);
        make_circle(outer->hole, sides, size * part);
        make_ring_piece(inner, outer, 0, 1 + (int)(case_random(state) % 3));
    }
    const bool on_end = kind == 1 || kind == 5 || kind == 7 || case_random(state) % 2 == 0;
    inner->z0 = on_end ? 0 : to_float(tall * .1);
    inner->z1 = to_float(tall * random_between(state, .3, .8));
}

static void add_ring_caps(solid *s, const prism *p)
{
    const int half = p->count / 2;
    for (int i = 0; i + 1 < half; i++)
        for (int up = 0; up < 2; up++) {
            const double z = up ? p->z1 : p->z0;
            const double *q[4] = {p->outer[i], p->outer[i + 1], p->outer[p->count - 2 - i],
                                  p->outer[p->count - 1 - i]};
            double c[4][3];
            for (int k = 0; k < 4; k++) {
                const double *from = q[up ? k : 3 - k];
                c[k][0] = from[0];
                c[k][1] = from[1];
                c[k][2] = z;
            }
            solid_quad(s, c[0], c[1], c[2], c[3]);
        }
}

static void add_side(solid *s, const double a[2], const double b[2], double z0, double z1)
{
    const double p[4][3] = {{a[0], a[1], z0}, {b[0], b[1], z0}, {b[0], b[1], z1}, {a[0], a[1], z1}};
    solid_quad(s, p[0], p[1], p[2], p[3]);
}

static void make_solid(const prism *p, solid *s)
{
    s->count = 0;
    if (!p->has_hole && !p->is_ring) {
        solid_prism(s, p->outer, p->count, p->z0, p->z1);
        return;
    }
    for (int i = 0; i < p->count; i++) {
        const int next = (i + 1) % p->count;
        add_side(s, p->outer[i], p->outer[next], p->z0, p->z1);
        if (p->has_hole)
            add_side(s, p->hole[next], p->hole[i], p->z0, p->z1);
    }
    if (p->is_ring)
        add_ring_caps(s, p);
    for (int i = 0; i < p->count && p->has_hole; i++) {
        const int next = (i + 1) % p->count;
        const double *q[4] = {p->hole[i], p->outer[i], p->outer[next], p->hole[next]};
        for (int up = 0; up < 2; up++) {
            double c[4][3];
            for (int k = 0; k < 4; k++) {
                memcpy(c[k], q[up ? k : 3 - k], 2 * sizeof c[k][0]);
                c[k][2] = up ? p->z1 : p->z0;
            }
            solid_quad(s, c[0], c[1], c[2], c[3]);
        }
    }
}

/* ---- how deep -------------------------------------------------------------------------------- */

static double to_segment(const double p[2], const double a[2], const double b[2])
{
    const double e[2] = {b[0] - a[0], b[1] - a[1]}, d[2] = {p[0] - a[0], p[1] - a[1]};
    const double t = fmin(fmax((d[0] * e[0] + d[1] * e[1]) / (e[0] * e[0] + e[1] * e[1]), 0), 1);
    return hypot(d[0] - t * e[0], d[1] - t * e[1]);
}

static double to_outline(const prism *p, const double point[2])
{
    double least = INFINITY;
    for (int i = 0; i < p->count; i++) {
        const int next = (i + 1) % p->count;
        least = fmin(least, to_segment(point, p->outer[i], p->outer[next]));
        if (p->has_hole)
            least = fmin(least, to_segment(point, p->hole[i], p->hole[next]));
    }
    return least;
}

static double depth_at(const prism *outer, const prism *inner, const double point[2])
{
    const double across = to_outline(outer, point);
    return fmax(fmin(across, fmin(inner->z1 - outer->z0, outer->z1 - inner->z1)),
                fmin(across, fmin(inner->z0 - outer->z0, outer->z1 - inner->z0)));
}

/* Of the points of the inner one's ends that are tried: a lower bound of the depth. */
static double depth_of(const prism *outer, const prism *inner)
{
    double most = 0;
    for (int i = 0; i < inner->count; i++)
        for (int k = 0; k <= SAMPLES; k++) {
            const double *a = inner->outer[i], *b = inner->outer[(i + 1) % inner->count];
            const double t = k / (double)SAMPLES;
            const double point[2] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])};
            most = fmax(most, depth_at(outer, inner, point));
        }
    return most;
}

/* ---- where ----------------------------------------------------------------------------------- */

static double largest_of(const solid *s)
{
    double largest = 0;
    for (uint32_t i = 0; i < 9 * s->count; i++)
        largest = fmax(largest, fabs((double)s->soup[i]));
    return largest;
}

/* A solid in a frame of its own, and where that is: together they say what was said before, but for
 * rounding. Returns how far that takes a point. */
static double own_frame(uint64_t *state, solid *s, double placement[12])
{
    const double size = largest_of(s);
    random_own_frame(state, s->soup, s->count, placement);
    return 4 * size * 0x1p-24;
}

/* The same, but only moved, by what floats and doubles hold: the surfaces stay what they are. */
static double own_origin(uint64_t *state, solid *s, double placement[12])
{
    const double size = largest_of(s), step = exp2(ceil(log2(size)) - 3);
    double by[3];
    for (int i = 0; i < 3; i++)
        by[i] = step * (double)(case_random(state) % 7);
    for (uint32_t i = 0; i < 9 * s->count; i++)
        s->soup[i] = (float)((double)s->soup[i] - by[i % 3]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            placement[4 * i + 3] += placement[4 * i + k] * by[k];
    return 8 * size * 0x1p-24;
}

/* ---- one case -------------------------------------------------------------------------------- */

typedef struct flush_case {
    double depth, slack; /* that was built; how far rounding may take a point */
    bvp_clash_limits limits;
    uint32_t inner; /* which instance */
} flush_case;

static case_file make_case(uint64_t *state, flush_case *out)
{
    static const double home[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    static solid solids[2];
    prism outer, inner;
    double placement[2][12];
    assembly all = assembly_new(home);
    make_pair(state, &outer, &inner);
    make_solid(&outer, &solids[0]);
    make_solid(&inner, &solids[1]);
    random_place(state, placement[0]);
    memcpy(placement[1], placement[0], sizeof placement[0]);
    out->depth = depth_of(&outer, &inner);
    out->slack = 0;
    for (int i = 0; i < 3; i++)
        out->slack = fmax(out->slack, fabs(placement[0][4 * i + 3]) * 0x1p-48);
    out->slack += largest_of(&solids[0]) * 0x1p-48;
    const int frame = (int)(case_random(state) % 4);
    if (frame == 2)
        out->slack += own_origin(state, &solids[1], placement[1]);
    if (frame == 3)
        out->slack += own_frame(state, &solids[1], placement[1]);
    const double gaps[4] = {NAN, 0, out->depth * 1e-6, out->depth * 1e-3};
    const double overlaps[4] = {NAN, 0, out->depth * 1e-3, out->depth * .05};
    out->limits =
        (bvp_clash_limits){case_random(state) % 2 ? out->depth * .1 : 0,
                           gaps[case_random(state) % 4], overlaps[case_random(state) % 4]};
    out->inner = (uint32_t)(case_random(state) % 2);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t which = (i == 0) == (out->inner == 0);
        assembly_place(&all, assembly_part(&all, &solids[which]), placement[which]);
    }
    return case_finish(all.builder);
}

static bool is_right(const flush_case *c, const bvp_clash_pair *pair)
{
    return (pair->verdict == BVP_VERDICT_PENETRATING || pair->verdict == BVP_VERDICT_ENCLOSED) &&
           pair->depth_upper >= c->depth - c->slack && pair->depth <= pair->depth_upper;
}

START_TEST(flush_containments)
{
    const char *text = getenv("BVP_FLUSH");
    const int cases = text ? atoi(text) : CASES;
    uint64_t state = case_seed();
    int wrong[BVP_CLASH_FAST_CONTACTS + 1] = {0}, enclosed = 0;
    for (int k = 0; k < cases; k++) {
        flush_case c;
        case_file file = make_case(&state, &c);
        for (int detail = 0; detail <= BVP_CLASH_FAST_CONTACTS; detail++) {
            bvp_clash_pair pair;
            ck_assert_int_eq(bvp_clash_one(&(bvp_clash_scene){.a = file.file}, 0, 1, &c.limits,
                                           (bvp_clash_detail)detail, &pair),
                             BVP_OK);
            enclosed += pair.verdict == BVP_VERDICT_ENCLOSED;
            if (is_right(&c, &pair))
                continue;
            if (wrong[detail]++ < 4)
                printf("case %d, detail %d: %s, depth %g .. %g, but %g was built (%g)\n", k, detail,
                       bvp_verdict_name(pair.verdict), pair.depth, pair.depth_upper, c.depth,
                       c.slack);
        }
        case_close(&file);
    }
    printf("%d flush containments, %d enclosed; wrong: %d, %d, %d, %d\n", cases, enclosed, wrong[0],
           wrong[1], wrong[2], wrong[3]);
    for (int detail = 0; detail <= BVP_CLASH_FAST_CONTACTS; detail++)
        ck_assert_int_eq(wrong[detail], 0);
}
END_TEST

SUITE(test_clash_flush)
{
    const TTest *const list[] = {flush_containments, NULL};
    return suite_run("clash_flush", list);
}
