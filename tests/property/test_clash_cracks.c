/* SPDX-License-Identifier: MIT
 * test_clash_cracks.c: solids whose triangles do not meet quite, or meet in T-junctions: below the
 * touch gap they are solids all the same, at random rigid placements near and far; above it, or
 * open, or with faces that look the wrong way, they are shells, of which nobody can tell.
 * BVP_FLUSH: how many; BVP_SEED: of which random numbers.
 */
#include <stdio.h>

#include "clash/judge.h"
#include "remesh.h"
#include "suite.h"

enum { CASES = 400 };

static const double home[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static int case_count(void)
{
    const char *text = getenv("BVP_FLUSH");
    return text ? atoi(text) : CASES;
}

/* Each corner of each triangle goes somewhere else, by up to half of `width`: all edges are open.
 */
static void shake(uint64_t *state, remesh *m, double width)
{
    for (uint32_t i = 0; i < 3 * m->count; i++) {
        double turn[9];
        const double way = random_between(state, 0, .5 * width);
        random_rotation(state, turn);
        for (int k = 0; k < 3; k++)
            m->soup[3 * (size_t)i + (unsigned)k] += (float)(way * turn[k]);
    }
}

/* Two triangles, which make up a flat side of a box or a cylinder, move by `width`. */
static void move_side(uint64_t *state, remesh *m, double width)
{
    double turn[9];
    const uint32_t first = 2 * (uint32_t)(case_random(state) % 4);
    random_rotation(state, turn);
    for (uint32_t i = 0; i < 18; i++)
        m->soup[9 * first + i] += (float)(width * turn[i % 3]);
}

typedef enum damage { T_JUNCTIONS, ONE_SIDE, ALL_CORNERS, DAMAGES } damage;

static void crack(uint64_t *state, damage kind, double width, remesh *m)
{
    if (kind == ONE_SIDE)
        move_side(state, m, width);
    if (kind == T_JUNCTIONS || case_random(state) % 2)
        remesh_split(state, m, 1 + (int)(case_random(state) % 2));
    if (kind == ALL_CORNERS)
        shake(state, m, width);
    remesh_permute(state, m);
}

static void make_outer(uint64_t *state, double size, remesh *out)
{
    static solid s;
    const double hi[3] = {size, size, size}, lo[3] = {-size, -size, -size};
    s.count = 0;
    if (case_random(state) % 2)
        solid_box(&s, lo, hi, 0, -1);
    else /* which holds a ball of radius .8 size */
        solid_cylinder(&s, size, 8 + (int)(case_random(state) % 12), -size, size);
    *out = (remesh){NULL, 0, 0};
    remesh_take_solid(out, &s);
}

/* A box or a cylinder, no point of which is farther from its middle than `radius`. */
static void make_inner(uint64_t *state, double radius, remesh *out)
{
    static solid s;
    const double hi[3] = {radius * .5, radius * random_between(state, .2, .5), radius * .5};
    const double lo[3] = {-hi[0], -hi[1], -hi[2]};
    s.count = 0;
    if (case_random(state) % 2)
        solid_box(&s, lo, hi, 0, -1);
    else
        solid_cylinder(&s, hi[0], 8, lo[1], hi[1]);
    *out = (remesh){NULL, 0, 0};
    remesh_take_solid(out, &s);
}

typedef enum relation { INSIDE, THROUGH, APART, RELATIONS } relation;

static const bvp_verdict verdicts[RELATIONS] = {BVP_VERDICT_ENCLOSED, BVP_VERDICT_PENETRATING,
                                                BVP_VERDICT_CLEAR};

/* Where the inner one's middle is, of what fits into the outer one's ball. */
static void make_shift(uint64_t *state, relation kind, double size, double radius, double out[3])
{
    double turn[9];
    const double reach = random_between(state, 0, .75 * size - radius);
    random_rotation(state, turn);
    for (int i = 0; i < 3; i++)
        out[i] = reach * turn[i];
    if (kind == THROUGH) { /* its end is outside, its other end as deep inside as it is long */
        out[0] = random_between(state, -.2, .2) * size;
        out[1] = random_between(state, -.2, .2) * size;
        out[2] = size;
    }
    if (kind == APART)
        out[2] = (case_random(state) % 2 ? 1 : -1) * (size + 1.1 * radius);
}

/* world * (turn, shift) */
static void place_within(uint64_t *state, const double world[12], const double shift[3],
                         double out[12])
{
    double turn[9];
    random_rotation(state, turn);
    for (int i = 0; i < 3; i++) {
        out[4 * i + 3] = world[4 * i + 3];
        for (int k = 0; k < 3; k++) {
            out[4 * i + 3] += world[4 * i + k] * shift[k];
            out[4 * i + k] = 0;
            for (int j = 0; j < 3; j++)
                out[4 * i + k] += world[4 * i + j] * turn[3 * j + k];
        }
    }
}

static void ask(uint64_t *state, const remesh *outer, const remesh *inner, const double shift[3],
                const bvp_clash_limits *limits, bvp_clash_pair *out)
{
    double world[12], within[12];
    const bool is_first = case_random(state) % 2;
    assembly all = assembly_new(home);
    random_place(state, world);
    place_within(state, world, shift, within);
    if (is_first)
        assembly_place(&all, remesh_part(&all, outer), world);
    assembly_place(&all, remesh_part(&all, inner), within);
    if (!is_first)
        assembly_place(&all, remesh_part(&all, outer), world);
    case_file file = case_finish(all.builder);
    ck_assert_int_eq(bvp_clash_one(&(bvp_clash_scene){.a = file.file}, 0, 1, limits,
                                   (bvp_clash_detail)(case_random(state) % 4), out),
                     BVP_OK);
    case_close(&file);
}

START_TEST(below_the_gap)
{
    uint64_t state = case_seed();
    const int cases = case_count();
    int wrong = 0, untold = 0;
    for (int k = 0; k < cases; k++) {
        const double size = exp2(random_between(&state, -2, 10)), gap = 1e-4 * size;
        const double radius = size * random_between(&state, .1, .5);
        const relation where = (relation)(k % RELATIONS);
        const damage kind = (damage)(case_random(&state) % DAMAGES);
        const bvp_clash_limits limits = {0, gap, gap};
        double shift[3];
        remesh outer, inner;
        bvp_clash_pair pair;
        make_outer(&state, size, &outer);
        make_inner(&state, radius, &inner);
        make_shift(&state, where, size, radius, shift);
        crack(&state, kind, gap * random_between(&state, .01, .95), &outer);
        if (case_random(&state) % 2)
            crack(&state, (damage)(case_random(&state) % DAMAGES), .5 * gap, &inner);
        ask(&state, &outer, &inner, shift, &limits, &pair);
        const bool is_right =
            pair.verdict == verdicts[where] && (where == APART || pair.depth_upper > .04 * radius);
        untold += pair.verdict == BVP_VERDICT_UNKNOWN;
        if (!is_right && pair.verdict != BVP_VERDICT_UNKNOWN && wrong++ < 4)
            printf("case %d, damage %d, not %s: %s, depth %g .. %g of %g\n", k, (int)kind,
                   bvp_verdict_name(verdicts[where]), bvp_verdict_name(pair.verdict), pair.depth,
                   pair.depth_upper, radius);
        free(outer.soup);
        free(inner.soup);
    }
    printf("%d with cracks below the gap: %d wrong, %d unknown\n", cases, wrong, untold);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_le(untold, cases / 1000); /* whose triangles are about as narrow as the cracks */
}
END_TEST

/* What makes a shell of an outer solid with cracks. */
typedef enum opening { WIDE_CRACK, NO_LID, NO_TRIANGLE, TURNED_SIDE, OPENINGS } opening;

static void open_up(uint64_t *state, opening kind, double gap, remesh *m)
{
    const uint32_t first = 2 * (uint32_t)(case_random(state) % 4);
    if (kind == WIDE_CRACK)
        move_side(state, m, gap * random_between(state, 4, 50));
    for (uint32_t i = 0; i < 2 && kind == TURNED_SIDE; i++) {
        float kept[3], *tri = m->soup + 9 * (size_t)(first + i);
        memcpy(kept, tri, sizeof kept);
        memcpy(tri, tri + 3, sizeof kept);
        memcpy(tri + 3, kept, sizeof kept);
    }
    for (uint32_t i = 0; i < 2 && kind == NO_LID; i++)
        memcpy(m->soup + 9 * (size_t)(first + 1 - i), m->soup + 9 * (size_t)--m->count, 36);
    if (kind == NO_TRIANGLE)
        memcpy(m->soup + 9 * (size_t)first, m->soup + 9 * (size_t)--m->count, 36);
    crack(state, (damage)(case_random(state) % DAMAGES), .5 * gap, m);
    if (kind == TURNED_SIDE) /* an edge of two triangles is not open, whatever way they look */
        shake(state, m, .5 * gap);
}

START_TEST(shells)
{
    uint64_t state = case_seed();
    const int cases = case_count();
    int wrong = 0, outside = 0;
    for (int k = 0; k < cases; k++) {
        const double size = exp2(random_between(&state, -2, 10)), gap = 1e-4 * size;
        const double radius = size * .2, shift[3] = {0, 0, 0};
        const opening kind = (opening)(k % OPENINGS);
        const bvp_clash_limits limits = {0, gap, gap};
        remesh outer, inner;
        bvp_clash_pair pair;
        make_outer(&state, size, &outer);
        make_inner(&state, radius, &inner);
        open_up(&state, kind, gap, &outer);
        ask(&state, &outer, &inner, shift, &limits, &pair);
        outside += pair.verdict == BVP_VERDICT_CLEAR;
        if (pair.verdict != BVP_VERDICT_UNKNOWN && wrong++ < 8)
            printf("case %d, opening %d: %s\n", k, (int)kind, bvp_verdict_name(pair.verdict));
        free(outer.soup);
        free(inner.soup);
    }
    printf("%d around another part with openings: %d wrong, %d clear\n", cases, wrong, outside);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

/* Flush with the wall of a box with cracks, from inside: no bound below the depth. */
START_TEST(flush)
{
    uint64_t state = case_seed();
    const int cases = case_count() / 4;
    int wrong = 0, said[BVP_VERDICT_COUNT] = {0};
    for (int k = 0; k < cases; k++) {
        static solid s[2];
        const double size = exp2(random_between(&state, -2, 10)), gap = 1e-4 * size;
        const double lo[3] = {0, 0, 0}, hi[3] = {size, size, size};
        const double in_lo[3] = {0, .2 * size, k % 2 ? 0 : .3 * size};
        const double in_hi[3] = {random_between(&state, .2, .7) * size, .8 * size, .7 * size};
        const bvp_clash_limits limits = {0, gap, gap};
        remesh meshes[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
        double world[12];
        bvp_clash_pair pair;
        s[0].count = s[1].count = 0;
        solid_box(&s[0], lo, hi, 0, -1);
        solid_box(&s[1], in_lo, in_hi, 0, -1);
        for (int i = 0; i < 2; i++)
            remesh_take_solid(&meshes[i], &s[i]);
        crack(&state, (damage)(case_random(&state) % DAMAGES), .5 * gap, &meshes[0]);
        random_place(&state, world);
        assembly all = assembly_new(home);
        for (int i = 0; i < 2; i++)
            assembly_place(&all, remesh_part(&all, &meshes[(i + k / 2) % 2]), world);
        case_file file = case_finish(all.builder);
        ck_assert_int_eq(bvp_clash_one(&(bvp_clash_scene){.a = file.file}, 0, 1, &limits,
                                       (bvp_clash_detail)(case_random(&state) % 4), &pair),
                         BVP_OK);
        case_close(&file);
        said[pair.verdict]++;
        if (pair.depth_upper < .19 * size && wrong++ < 4)
            printf("case %d: %s, depth %g .. %g of %g\n", k, bvp_verdict_name(pair.verdict),
                   pair.depth, pair.depth_upper, size);
        free(meshes[0].soup);
        free(meshes[1].soup);
    }
    printf("%d flush: %d bounds are wrong; %d touching, %d penetrating, %d enclosed, %d unknown\n",
           cases, wrong, said[BVP_VERDICT_TOUCHING], said[BVP_VERDICT_PENETRATING],
           said[BVP_VERDICT_ENCLOSED], said[BVP_VERDICT_UNKNOWN]);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

/* Points in and around a box with wide cracks, through which many rays pass: what is said of one is
 * true, and something is said of most. */
START_TEST(points)
{
    enum { POINTS = 100 };
    uint64_t state = case_seed();
    const int cases = case_count() / 4;
    int wrong = 0, told = 0, closed = 0;
    for (int k = 0; k < cases; k++) {
        static solid s;
        const double lo[3] = {-1, -1, -1}, hi[3] = {1, 1, 1}, gap = .1;
        remesh m = {NULL, 0, 0};
        assembly all = assembly_new(home);
        s.count = 0;
        solid_box(&s, lo, hi, 0, -1);
        remesh_take_solid(&m, &s);
        crack(&state, k % 2 ? ONE_SIDE : ALL_CORNERS, gap * random_between(&state, .1, .9), &m);
        assembly_place(&all, remesh_part(&all, &m), home);
        case_file file = case_finish(all.builder);
        bvpi_clash_scene scene;
        bvpi_clash_item item;
        ck_assert_int_eq(bvpi_clash_scene_init(&scene, file.file, NULL, NULL, 0, NULL), BVP_OK);
        ck_assert_int_eq(bvpi_clash_item_init(&item, &scene, false, 0, NULL, NULL), BVP_OK);
        bool is_closed = false;
        for (int i = 0; i < POINTS; i++) {
            double point[3], most = 0;
            bvpi_where where;
            for (int j = 0; j < 3; j++) {
                point[j] = random_between(&state, -1.6, 1.6);
                most = fmax(most, fabs(point[j]));
            }
            ck_assert_int_eq(bvpi_clash_winding(&item, point, 0, gap, &where), BVP_OK);
            is_closed = is_closed || where != BVPI_UNSURE;
            if (fabs(most - 1) < 2 * gap || where == BVPI_UNSURE)
                continue;
            told++;
            wrong += where != (most < 1 ? BVPI_INSIDE : BVPI_OUTSIDE);
        }
        closed += is_closed;
        bvpi_clash_scene_free(&scene);
        case_close(&file);
        free(m.soup);
    }
    printf("%d boxes with wide cracks, %d closed, %d points told, %d of them wrong\n", cases,
           closed, told, wrong);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_ge(told, cases * POINTS / 2);
}
END_TEST

SUITE(test_clash_cracks)
{
    const TTest *const list[] = {below_the_gap, shells, flush, points, NULL};
    return suite_run("clash_cracks", list);
}
