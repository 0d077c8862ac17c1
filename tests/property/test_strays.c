/* SPDX-License-Identifier: MIT
 * test_strays.c: triangles far outside the others: which they are, what importing makes of them,
 * and that a ball with one asks of no query, by no kind of hierarchy, more than twice the work that
 * the ball alone does. Answers are held against brute force.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_case.h"
#include "model/import.h"
#include "oracle.h"
#include "prim/place_bounds.h"
#include "suite.h"

enum { KINDS = 5, BALL = 6 * 2 * 8 * 8, SMALL = 6 * 2 * 3 * 3, SLACK = 24 };

static const bvp_hierarchy_spec specs[KINDS] = {{.kind = BVP_KIND_WIDE},
                                                {.kind = BVP_KIND_BOXTREE},
                                                {.kind = BVP_KIND_AABB},
                                                {.kind = BVP_KIND_OBB},
                                                {.kind = BVP_KIND_RSS}};

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Point (i, j) of a cube's side of n by n cells, on the unit ball. */
static void ball_point(int side, int i, int j, int n, float out[3])
{
    double p[3], length = 0;
    p[side % 3] = side < 3 ? 1 : -1;
    p[(side + 1) % 3] = 2.0 * i / n - 1;
    p[(side + 2) % 3] = 2.0 * j / n - 1;
    for (int k = 0; k < 3; k++)
        length += p[k] * p[k];
    for (int k = 0; k < 3; k++)
        out[k] = (float)(p[k] / sqrt(length));
}

/* 12 n n triangles. */
static void make_ball(int n, float *out)
{
    static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    for (int side = 0; side < 6; side++)
        for (int k = 0; k < 6 * n * n; k++, out += 3)
            ball_point(side, k / 6 % n + corner[k % 6][0], k / 6 / n + corner[k % 6][1], n, out);
}

/* At (far, far, far), an eighth as large. */
static void make_stray(double far, float out[9])
{
    for (int k = 0; k < 9; k++)
        out[k] = (float)(far + (k == 3 || k == 7 ? far / 8 : 0));
}

/* The triangle put in as number `at`. */
static float *with_triangle(const float *soup, uint32_t count, uint32_t at, const float extra[9])
{
    float *out = malloc(36 * ((size_t)count + 1));
    memcpy(out, soup, 36 * (size_t)at);
    memcpy(out + 9 * (size_t)at, extra, 36);
    memcpy(out + 9 * ((size_t)at + 1), soup + 9 * (size_t)at, 36 * (size_t)(count - at));
    return out;
}

/* ---- which triangles are strays -------------------------------------------------------------- */

static uint32_t find(const bvp_mesh *mesh, uint32_t **groups, double *factor)
{
    uint32_t count;
    ck_assert_int_eq(bvp_find_strays(mesh, groups, &count, factor, NULL), BVP_OK);
    ck_assert_int_eq(*groups != NULL, count > 1);
    for (uint64_t i = 0; *groups && i < mesh->triangle_count; i++)
        ck_assert_uint_lt((*groups)[i], count);
    return count;
}

/* 2^13.9 times the ball's size is none, 2^15 times is one. */
START_TEST(a_gap_of_fourteen_octaves_makes_a_stray)
{
    static float ball[9 * BALL];
    float stray[9];
    make_ball(8, ball);
    for (int way = 0; way < 4; way++) {
        const double far = ldexp(way & 1 ? 0.93 : 2, 14);
        make_stray(far, stray);
        for (int k = 0; k < 9; k++)
            stray[k] = way & 2 ? -stray[k] : stray[k];
        float *soup = with_triangle(ball, BALL, BALL / 3, stray);
        const bvp_mesh mesh = case_mesh(soup, BALL + 1);
        uint32_t *groups;
        double factor;
        const uint32_t count = find(&mesh, &groups, &factor);
        ck_assert_uint_eq(count, way & 1 ? 1 : 2);
        for (uint32_t i = 0; groups && i <= BALL; i++)
            ck_assert_uint_eq(groups[i], i == BALL / 3);
        if (groups) {
            ck_assert(factor > 16384 && factor < 65536);
        }
        const case_file built = case_build(&mesh, NULL);
        ck_assert_uint_eq(built.report.stray_count, count - 1);
        case_file copy = built;
        case_close(&copy);
        free(groups);
        free(soup);
    }
}
END_TEST

/* Where the rest lies does not matter; doubles, strides and indices are taken as they are. */
START_TEST(a_part_far_from_its_origin_has_none)
{
    static float ball[9 * BALL];
    static double doubles[9 * BALL];
    static uint32_t indices[3 * BALL];
    uint32_t *groups;
    make_ball(8, ball);
    for (int k = 0; k < 9 * BALL; k++)
        doubles[k] = 4e8 + (double)ball[k];
    for (uint32_t k = 0; k < 3 * BALL; k++)
        indices[k] = k;
    bvp_mesh mesh = {
        .positions = doubles, .is_double = 1, .vertex_count = 3 * BALL, .triangle_count = BALL};
    ck_assert_uint_eq(find(&mesh, &groups, NULL), 1);
    mesh.indices = indices;
    ck_assert_uint_eq(find(&mesh, &groups, NULL), 1);
    doubles[3 * 77] = -1e300;
    ck_assert_uint_eq(find(&mesh, &groups, NULL), 2);
    for (uint32_t i = 0; i < BALL; i++)
        ck_assert_uint_eq(groups[i], i == 25);
    free(groups);
    doubles[3 * 77] = NAN;
    ck_assert_uint_eq(find(&mesh, &groups, NULL), 1);
    indices[5] = UINT32_MAX;
    ck_assert_uint_eq(find(&mesh, &groups, NULL), 1);
    mesh.triangle_count = 64;
    mesh.indices = NULL;
    doubles[0] = 1e300;
    ck_assert_uint_eq(find(&mesh, &groups, NULL), 1);
}
END_TEST

/* Strays at 1e7 and 1e20, and two balls at either end of the world. */
START_TEST(strays_of_strays_have_groups_of_their_own)
{
    enum { COUNT = 4 * BALL };
    static float soup[9 * COUNT];
    uint32_t *groups;
    for (int k = 0; k < 4; k++)
        make_ball(8, soup + 9 * k * BALL);
    for (int k = 0; k < 9 * BALL; k++) {
        soup[18 * BALL + k] = ldexpf(soup[18 * BALL + k], -40) + (k % 3 == 0 ? 0x1p-10f : 0);
        soup[27 * BALL + k] = ldexpf(soup[27 * BALL + k], 20) + 0x1p43f;
    }
    make_stray(1e20, soup + 9 * 10);
    make_stray(1e25, soup + 9 * 11); /* no gap between these */
    make_stray(1e22, soup + 9 * 12);
    for (int k = 0; k < 9 * BALL; k++) /* the first ball: the last, mirrored */
        if (k < 90 || k >= 117)
            soup[k] = -soup[27 * BALL + k];
    const bvp_mesh mesh = case_mesh(soup, COUNT);
    ck_assert_uint_eq(find(&mesh, &groups, NULL), 4);
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t ball = i / BALL;
        const bool is_farthest = i >= 10 && i <= 12;
        if (ball == 1 || ball == 2)
            ck_assert_uint_eq(groups[i], 0);
        else if (is_farthest)
            ck_assert_uint_eq(groups[i], 2);
        else
            ck_assert_uint_eq(groups[i], ball == 0 ? groups[0] : groups[3 * BALL]);
    }
    ck_assert_uint_ne(groups[0], groups[3 * BALL]);
    ck_assert_uint_eq(groups[0] + groups[3 * BALL], 1 + 3);
    free(groups);
}
END_TEST

/* ---- what importing makes of them ------------------------------------------------------------ */

static void import_soup(const float *soup, uint32_t count, model_strays strays, model *m)
{
    static const uint8_t header[80];
    const import_options options = {.thread_count = 1, .format = "stl", .strays = strays};
    const size_t size = 84 + 50 * (size_t)count;
    uint8_t *bytes = calloc(size, 1);
    bvp_error error = {0};
    memcpy(bytes, header, sizeof header);
    memcpy(bytes + 80, &count, 4);
    for (uint32_t i = 0; i < count; i++)
        memcpy(bytes + 84 + 50 * (size_t)i + 12, soup + 9 * (size_t)i, 36);
    const bvp_status status = model_import_memory(bytes, size, "case", NULL, &options, m, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    free(bytes);
}

static void check_mesh(const model_mesh *mesh, const float *soup)
{
    for (uint64_t i = 0; i < 3 * mesh->triangle_count; i++)
        ck_assert(memcmp((const float *)mesh->positions + 3 * (size_t)mesh->indices[i],
                         soup + 9 * (size_t)mesh->ids[i / 3] + 3 * (i % 3), 12) == 0);
}

START_TEST(triangles_keep_their_numbers)
{
    static float ball[9 * BALL];
    float stray[2][9];
    model m;
    make_ball(8, ball);
    make_stray(1e7, stray[0]);
    make_stray(1e20, stray[1]);
    float *one = with_triangle(ball, BALL, 100, stray[0]);
    float *soup = with_triangle(one, BALL + 1, 50, stray[1]);
    import_soup(soup, BALL + 2, MODEL_STRAYS_PART, &m);
    ck_assert_uint_eq(m.mesh_count, 1);
    const model_mesh *mesh = m.meshes, *first = mesh->strays;
    ck_assert_uint_eq(mesh->triangle_count, BALL);
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_nonnull(first->strays);
    ck_assert_ptr_null(first->strays->strays);
    check_mesh(mesh, soup);
    check_mesh(first, soup);
    check_mesh(first->strays, soup);
    ck_assert_uint_eq(first->ids[0], 101);
    ck_assert_uint_eq(first->strays->ids[0], 50);
    ck_assert_uint_eq(m.warning_count, 1);
    ck_assert_uint_eq(m.warnings[0].count, 2);
    ck_assert_str_eq(m.warnings[0].text, "triangles lie 10^6 times farther out than all others; "
                                         "they get grids of their own");
    model_free(&m);
    import_soup(one, BALL + 1, MODEL_STRAYS_KEEP, &m);
    ck_assert_uint_eq(m.meshes[0].triangle_count, BALL + 1);
    ck_assert_ptr_null(m.meshes[0].strays);
    ck_assert_str_eq(m.warnings[0].text, "triangle lies 10^6 times farther out than all others; in "
                                         "one part with them it makes queries slow");
    model_free(&m);
    free(one);
    free(soup);
}
END_TEST

/* ---- work ------------------------------------------------------------------------------------ */

/* A file of what importing makes of a soup, in all kinds. */
static case_file build(const float *soup, uint32_t count)
{
    const bvp_build_options options = {
        .thread_count = 1, .hierarchies = specs, .hierarchy_count = KINDS};
    bvp_builder *builder;
    uint32_t part, node;
    model m;
    import_soup(soup, count, MODEL_STRAYS_PART, &m);
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    for (const model_mesh *mesh = m.meshes; mesh; mesh = mesh->strays) {
        const bvp_mesh from = {.positions = mesh->positions,
                               .vertex_count = mesh->vertex_count,
                               .indices = mesh->indices,
                               .triangle_count = mesh->triangle_count,
                               .ids = mesh->ids};
        ck_assert_int_eq(bvp_builder_add_part(builder, &from, &part, NULL), BVP_OK);
        ck_assert_int_eq(bvp_builder_add_node(builder,
                                              &(bvp_new_node){.parent = BVP_NONE, .part = part},
                                              &node, NULL),
                         BVP_OK);
    }
    model_free(&m);
    case_file built = case_finish(builder);
    ck_assert_uint_eq(built.report.stray_count, 0);
    return built;
}

typedef enum question {
    COLLIDE,
    PAIRS,
    DISTANCE,
    WITHIN,
    RAY,
    CLOSEST,
    OVERLAP,
    QUESTIONS
} question;

/* What a query says, but for numbers of triangles behind the stray. */
typedef struct answer {
    double number[2];
    uint64_t count, sum;
} answer;

static uint32_t skipped; /* the stray's number, whose file is asked; or UINT32_MAX */

static uint64_t number_of(const bvp_hit_id *id)
{
    return 1 + id->id - (id->id > skipped);
}

static int take_pair(void *user, const bvp_pair *pair)
{
    answer *a = user;
    a->count++;
    a->sum += number_of(&pair->a) * 1000 + pair->b.id;
    return 0;
}

static int take_hit(void *user, const bvp_hit_id *id)
{
    answer *a = user;
    a->count++;
    a->sum += number_of(id) * number_of(id);
    return 0;
}

static uint64_t ask(question what, const bvp_body *a, const bvp_body *b, answer *out)
{
    const double *m = b->placement, at[3] = {m[3], m[7], m[11]};
    const double lo[3] = {at[0] - 1, at[1] - 1, at[2] - 1};
    const double hi[3] = {at[0] + 1, at[1] + 1, at[2] + 1};
    const bvp_ray ray = {.origin = {at[0], at[1], at[2]},
                         .direction = {-at[0] + 0.1, -at[1], -at[2]},
                         .t_max = INFINITY};
    bvp_stats stats = {0};
    bvp_distance_result d = {0};
    bvp_closest_result closest = {0};
    bvp_ray_hit hit = {0};
    int yes = 0;
    bvp_status status = BVP_OK;
    *out = (answer){.count = 0};
    switch (what) {
    case COLLIDE:
        status = bvp_collide(a, b, &yes, &stats);
        break;
    case PAIRS:
        status = bvp_pairs_each(a, b, take_pair, out, &out->count, &stats);
        break;
    case DISTANCE:
        status = bvp_distance(a, b, INFINITY, &d, &stats);
        out->number[0] = d.distance;
        out->number[1] = d.lower;
        break;
    case WITHIN:
        status = bvp_within(a, b, 0.25, &yes, NULL, &stats);
        break;
    case RAY:
        status = bvp_ray_first(a, &ray, &hit, &stats);
        out->number[0] = hit.found ? hit.t : -1;
        break;
    case CLOSEST:
        status = bvp_closest(a, at, INFINITY, &closest, &stats);
        out->number[0] = closest.distance;
        break;
    default:
        status = bvp_overlap(a, bvp_box_region(lo, hi), take_hit, out, &out->count, &stats);
    }
    ck_assert_int_eq(status, BVP_OK);
    out->count += (uint64_t)yes;
    return stats.nodes + stats.boxes + stats.leaves + stats.triangles + stats.exact +
           stats.instance_pairs + stats.steps;
}

static bvp_file *open_kind(const case_file *f, bvp_kind kind)
{
    const bvp_open_options how = {.kind = kind};
    bvp_file *file;
    ck_assert_int_eq(bvp_open_memory(f->bytes, f->size, &how, &file, NULL), BVP_OK);
    return file;
}

static void check_distance(const answer *a, const double lo, const double hi)
{
    const double slack = 1e-9 * hi + 1e-20;
    ck_assert_msg(a->number[0] >= lo - slack && a->number[0] <= hi + slack &&
                      a->number[1] <= hi + slack,
                  "distance %g .. %g, should be %g .. %g", a->number[1], a->number[0], lo, hi);
}

static const double placements[][12] = {
    {1, 0, 0, 2.5, 0, 1, 0, 0.1, 0, 0, 1, 0.05},
    {1, 0, 0, 1.75, 0, 1, 0, 0.1, 0, 0, 1, 0.2},
    {2 / 3., -1 / 3., 2 / 3., 1.5, 2 / 3., 2 / 3., -1 / 3., 0.5, -1 / 3., 2 / 3., 2 / 3., 0},
    {0.5, 0, 0, 0.1, 0, 0.5, 0, 0, 0, 0, 0.5, 0.3},
    {1, 0, 0, -40, 0, 1, 0, 30, 0, 0, 1, 20}};
enum { PLACEMENTS = sizeof placements / sizeof *placements };

typedef struct scene {
    float ball[9 * BALL], small[9 * SMALL], stray[9];
    float *soup;
    uint32_t at; /* the stray's number in soup */
    case_file plain, with, other;
} scene;

static void open_scene(scene *s, double far)
{
    uint64_t state = case_seed();
    make_ball(8, s->ball);
    make_ball(3, s->small);
    make_stray(far, s->stray);
    s->at = (uint32_t)(case_random(&state) % BALL);
    s->soup = with_triangle(s->ball, BALL, s->at, s->stray);
    s->plain = build(s->ball, BALL);
    s->with = build(s->soup, BALL + 1);
    s->other = build(s->small, SMALL);
}

static void close_scene(scene *s)
{
    case_close(&s->plain);
    case_close(&s->with);
    case_close(&s->other);
    free(s->soup);
}

/* Near the ball: the same answers as without the stray, and at most twice the work. */
static void check_near(const scene *s, bvp_kind kind, const double placement[12])
{
    static uint8_t matrix[(BALL + 1) * SMALL];
    static const bvp_control any = {.budget = UINT64_MAX};
    bvp_file *plain = open_kind(&s->plain, kind), *with = open_kind(&s->with, kind);
    bvp_file *other = open_kind(&s->other, kind);
    const bvp_body b = {.file = other, .part = BVP_ASSEMBLY, .placement = placement};
    const bvp_body of[2] = {{.file = plain, .part = BVP_ASSEMBLY, .control = &any},
                            {.file = with, .part = BVP_ASSEMBLY, .control = &any}};
    const oracle_soup whole = {.tri = s->soup, .count = BALL + 1};
    const oracle_soup small = {.tri = s->small, .count = SMALL, .placement = placement};
    const uint64_t pairs = oracle_pairs(whole, small, matrix);
    double lo, hi;
    oracle_distance((oracle_soup){.tri = s->ball, .count = BALL}, small, &lo, &hi);
    for (question what = COLLIDE; what < QUESTIONS; what++) {
        answer without, got;
        skipped = UINT32_MAX;
        const uint64_t before = ask(what, &of[0], &b, &without);
        skipped = s->at;
        const uint64_t after = ask(what, &of[1], &b, &got);
        ck_assert_uint_eq(got.count, without.count);
        ck_assert_uint_eq(got.sum, without.sum);
        /* of pairs that are as near but for rounding either may be named */
        ck_assert_double_eq_tol(got.number[0], without.number[0], 1e-12);
        if (what == COLLIDE)
            ck_assert_uint_eq(got.count, pairs > 0);
        if (what == PAIRS)
            ck_assert_uint_eq(got.count, pairs);
        if (what == DISTANCE)
            check_distance(&got, lo, hi);
        if (what == WITHIN)
            ck_assert_uint_eq(got.count, hi <= 0.25);
        ck_assert_msg(after <= 2 * before + SLACK,
                      "kind %d, query %d: %" PRIu64 " steps, %" PRIu64 " without the stray",
                      (int)kind, (int)what, after, before);
    }
    bvp_close(plain);
    bvp_close(with);
    bvp_close(other);
}

/* At the stray: it is found there, under its number. */
static void check_far(const scene *s, bvp_kind kind)
{
    bvp_file *with = open_kind(&s->with, kind), *other = open_kind(&s->other, kind);
    const float *p = s->stray;
    const double placement[12] = {1, 0, 0, (double)p[0], 0, 1, 0, (double)p[1],
                                  0, 0, 1, (double)p[2]};
    const double centre[3] = {((double)p[0] + (double)p[3] + (double)p[6]) / 3,
                              ((double)p[1] + (double)p[4] + (double)p[7]) / 3,
                              ((double)p[2] + (double)p[5] + (double)p[8]) / 3};
    const bvp_body a = {.file = with, .part = BVP_ASSEMBLY};
    const bvp_body b = {.file = other, .part = BVP_ASSEMBLY, .placement = placement};
    static uint8_t matrix[(BALL + 1) * SMALL];
    const oracle_soup whole = {.tri = s->soup, .count = BALL + 1};
    const oracle_soup small = {.tri = s->small, .count = SMALL, .placement = placement};
    const bvp_ray ray = {
        .origin = {centre[0], centre[1], 0}, .direction = {0, 0, 1}, .t_max = INFINITY};
    const double lo[3] = {centre[0] / 2, centre[1] / 2, centre[2] / 2};
    const double hi[3] = {2 * centre[0], 2 * centre[1], 2 * centre[2]};
    bvp_pair pairs[SMALL];
    bvp_ray_hit hit;
    bvp_closest_result closest;
    bvp_distance_result d;
    uint64_t count;
    answer got = {.count = 0};
    const uint64_t expected = oracle_pairs(whole, small, matrix);
    ck_assert_int_eq(bvp_pairs(&a, &b, pairs, SMALL, &count, NULL), BVP_OK);
    ck_assert_uint_eq(count, expected);
    ck_assert_uint_gt(count, 0);
    for (uint64_t i = 0; i < count; i++)
        ck_assert_uint_eq(pairs[i].a.id, s->at);
    ck_assert_int_eq(bvp_distance(&a, &b, INFINITY, &d, NULL), BVP_OK);
    ck_assert(d.found && d.distance == 0 && d.a.id == s->at);
    ck_assert_int_eq(bvp_ray_first(&a, &ray, &hit, NULL), BVP_OK);
    ck_assert(hit.found && hit.id.id == s->at);
    ck_assert_int_eq(bvp_closest(&a, centre, INFINITY, &closest, NULL), BVP_OK);
    ck_assert(closest.found && closest.id.id == s->at);
    skipped = UINT32_MAX;
    ck_assert_int_eq(bvp_overlap(&a, bvp_box_region(lo, hi), take_hit, &got, &count, NULL), BVP_OK);
    ck_assert_uint_eq(got.count, 1);
    ck_assert_uint_eq(got.sum, (s->at + 1ull) * (s->at + 1ull));
    bvp_close(with);
    bvp_close(other);
}

/* What is asked before parts of a coarse grid meet: it holds the exact bounds, which an eighth of
 * its margin would not. */
START_TEST(the_span_of_a_placed_box_holds_its_bounds)
{
    uint64_t state = case_seed();
    int narrow = 0;
    for (int n = 0; n < 100000; n++) {
        double m[12], span[2];
        float lo[3], hi[3];
        bvpi_bounds exact;
        for (int k = 0; k < 12; k++)
            m[k] = ldexp(case_uniform(&state) - 0.5, (int)(case_random(&state) % 8));
        for (int k = 0; k < 3; k++) {
            const double x = case_uniform(&state) - 0.5, y = case_uniform(&state) - 0.5;
            lo[k] = (float)fmin(x, y);
            hi[k] = (float)fmax(x, y);
        }
        bvpi_place_bounds(m, lo, hi, &exact);
        for (int axis = 0; axis < 3; axis++) {
            bvpi_place_span(m + 4 * axis, lo, hi, span);
            ck_assert_double_le(span[0], exact.lo[axis]);
            ck_assert_double_ge(span[1], exact.hi[axis]);
            double sum = fabs(m[4 * axis + 3]);
            for (int k = 0; k < 3; k++)
                sum += fabs(m[4 * axis + k]) * fmax(fabs((double)lo[k]), fabs((double)hi[k]));
            narrow += exact.lo[axis] - span[0] < sum * 0x7p-53;
            narrow += span[1] - exact.hi[axis] < sum * 0x7p-53;
        }
    }
    ck_assert_int_gt(narrow, 0);
}
END_TEST

static const double distances[] = {1e7, 1e12, 1e20, 1e30};

START_TEST(one_stray_costs_no_query_more_than_as_much_again)
{
    scene *s = calloc(1, sizeof *s);
    open_scene(s, distances[_i / KINDS]);
    for (int p = 0; p < PLACEMENTS; p++)
        check_near(s, specs[_i % KINDS].kind, placements[p]);
    check_far(s, specs[_i % KINDS].kind);
    close_scene(s);
    free(s);
}
END_TEST

/* The issue's: 16,200 triangles with degenerate ones at the poles, a triangle at 1e7. */
START_TEST(a_sphere_of_rings_with_a_stray)
{
    enum { RINGS = 90, COUNT = 2 * RINGS * RINGS };
    float *sphere = malloc(36 * (size_t)COUNT), stray[9], *at = sphere;
    static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < RINGS; i++)
        for (int k = 0; k < 6 * RINGS; k++, at += 3) {
            const double t = pi * (i + corner[k % 6][0]) / RINGS;
            const double p = 2 * pi * (k / 6 + corner[k % 6][1]) / RINGS;
            at[0] = (float)(sin(t) * cos(p));
            at[1] = (float)(sin(t) * sin(p));
            at[2] = (float)cos(t);
        }
    make_stray(1e7, stray);
    float *soup = with_triangle(sphere, COUNT, COUNT, stray);
    case_file plain = build(sphere, COUNT), with = build(soup, COUNT + 1);
    skipped = COUNT;
    for (int i = 0; i < KINDS * PLACEMENTS; i++) {
        const bvp_kind kind = specs[i % KINDS].kind;
        bvp_file *file[2] = {open_kind(&plain, kind), open_kind(&with, kind)};
        const bvp_body b = {
            .file = file[0], .part = BVP_ASSEMBLY, .placement = placements[i / KINDS]};
        for (question what = COLLIDE; what < QUESTIONS; what++) {
            answer answers[2];
            uint64_t work[2];
            for (int f = 0; f < 2; f++) {
                const bvp_body a = {.file = file[f], .part = BVP_ASSEMBLY};
                work[f] = ask(what, &a, &b, &answers[f]);
            }
            ck_assert_double_eq_tol(answers[0].number[0], answers[1].number[0], 1e-12);
            ck_assert_uint_eq(answers[0].count, answers[1].count);
            ck_assert_uint_eq(answers[0].sum, answers[1].sum);
            ck_assert_uint_le(work[1], 2 * work[0] + SLACK);
        }
        bvp_close(file[0]);
        bvp_close(file[1]);
    }
    case_close(&plain);
    case_close(&with);
    free(sphere);
    free(soup);
}
END_TEST

SUITE(test_strays)
{
    TCase *cases = tcase_create("strays");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, a_gap_of_fourteen_octaves_makes_a_stray);
    tcase_add_test(cases, a_part_far_from_its_origin_has_none);
    tcase_add_test(cases, strays_of_strays_have_groups_of_their_own);
    tcase_add_test(cases, triangles_keep_their_numbers);
    tcase_add_loop_test(cases, one_stray_costs_no_query_more_than_as_much_again, 0,
                        KINDS * (int)(sizeof distances / sizeof *distances));
    tcase_add_test(cases, the_span_of_a_placed_box_holds_its_bounds);
    tcase_add_test(cases, a_sphere_of_rings_with_a_stray);
    return suite_run_case("strays", cases);
}
