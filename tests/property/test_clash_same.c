/* SPDX-License-Identifier: MIT
 * test_clash_same.c: a surface cut into other triangles, in another order, in a frame of its own,
 * near and far, is a duplicate; one that differs by a few touch gaps somewhere is none.
 * BVP_FLUSH: how many of each; BVP_SEED: of which random numbers.
 */
#include <stdio.h>

#include "remesh.h"
#include "suite.h"

enum { CASES = 120, STL_CASES = 2 };

static const double home[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static int case_count(int otherwise)
{
    const char *text = getenv("BVP_FLUSH");
    return text ? atoi(text) * otherwise / CASES / 4 : otherwise;
}

static void make_solid(uint64_t *state, remesh *out)
{
    static solid s;
    static const double l[6][2] = {{-4, -4}, {4, -4}, {4, -1}, {-1, -1}, {-1, 4}, {-4, 4}};
    const double size = exp2(random_between(state, -6, 10));
    const double hi[3] = {size * .5, size * random_between(state, .1, .5),
                          size * random_between(state, .01, .5)};
    const double lo[3] = {-hi[0], -hi[1], -hi[2]};
    s.count = 0;
    *out = (remesh){NULL, 0, 0};
    switch (case_random(state) % 5) {
    case 0:
        solid_box(&s, lo, hi, 0, -1);
        break;
    case 1:
        solid_cylinder(&s, hi[1], 5 + (int)(case_random(state) % 40), lo[0], hi[0]);
        break;
    case 2:
        solid_prism(&s, l, 6, -3, random_between(state, -2, 4));
        break;
    case 3:
        solid_plate(&s, hi[0], hi[0] * random_between(state, .1, .8), 8, lo[2], hi[2]);
        break;
    default:
        remesh_take_sphere(out, hi[0], 5 + (int)(case_random(state) % 15),
                           3 + (int)(case_random(state) % 8));
    }
    remesh_take_solid(out, &s);
}

/* The verdict of two meshes at two places, in one of both orders. *gap: what was applied. */
static bvp_verdict verdict_of(uint64_t *state, const remesh meshes[2], double places[2][12])
{
    const bvp_clash_limits limits = {0, NAN, NAN};
    const unsigned first = (unsigned)(case_random(state) % 2);
    assembly all = assembly_new(home);
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t part = remesh_part(&all, &meshes[i ^ first]);
        assembly_place(&all, part, places[i ^ first]);
    }
    case_file file = case_finish(all.builder);
    bvp_clash_pair pair;
    ck_assert_int_eq(bvp_clash_one(&(bvp_clash_scene){.a = file.file}, 0, 1, &limits,
                                   (bvp_clash_detail)(case_random(state) % 4), &pair),
                     BVP_OK);
    case_close(&file);
    return pair.verdict;
}

/* The touch gap that both get by default, near enough. */
static double gap_of(const remesh *m, const double placement[12])
{
    assembly all = assembly_new(home);
    assembly_place(&all, remesh_part(&all, m), placement);
    case_file file = case_finish(all.builder);
    const double gap = bvp_clash_touch_gap(file.file, NULL);
    case_close(&file);
    return gap;
}

static void change_mesh(uint64_t *state, remesh *m, double placement[12])
{
    if (m->count < 400 && case_random(state) % 2)
        remesh_flip(m);
    if (case_random(state) % 4)
        remesh_split(state, m, 1 + (int)(case_random(state) % 3));
    remesh_permute(state, m);
    if (case_random(state) % 4 == 0)
        random_own_frame(state, m->soup, m->count, placement);
}

static bvp_verdict compare_changed(uint64_t *state, const remesh *mesh)
{
    remesh meshes[2];
    double places[2][12];
    random_place(state, places[0]);
    memcpy(places[1], places[0], sizeof places[0]);
    for (int i = 0; i < 2; i++) {
        remesh_copy(mesh, &meshes[i]);
        change_mesh(state, &meshes[i], places[i]);
    }
    const bvp_verdict verdict = verdict_of(state, meshes, places);
    free(meshes[0].soup);
    free(meshes[1].soup);
    return verdict;
}

START_TEST(other_triangles)
{
    uint64_t state = case_seed();
    const int cases = case_count(CASES);
    int wrong = 0;
    for (int k = 0; k < cases; k++) {
        remesh mesh;
        make_solid(&state, &mesh);
        const bvp_verdict verdict = compare_changed(&state, &mesh);
        if (verdict != BVP_VERDICT_DUPLICATE && wrong++ < 4)
            printf("case %d, %u triangles: %s\n", k, mesh.count, bvp_verdict_name(verdict));
        free(mesh.soup);
    }
    printf("%d surfaces with other triangles: %d are no duplicates\n", cases, wrong);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

START_TEST(models)
{
    static const char *const names[] = {"plate_holes.STL", "featuretype.STL"};
    const char *home_folder = getenv("BVP_SRCDIR");
    uint64_t state = case_seed();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        remesh mesh = {NULL, 0, 0};
        snprintf(path, sizeof path, "%s/samples/models/%s", home_folder ? home_folder : "../..",
                 names[i]);
        ck_assert_msg(remesh_read_stl(&mesh, path), "%s: not read", path);
        remesh_centre(&mesh);
        for (int k = 0; k < case_count(STL_CASES); k++) {
            const bvp_verdict verdict = compare_changed(&state, &mesh);
            ck_assert_msg(verdict == BVP_VERDICT_DUPLICATE, "%s, case %d: %s", names[i], k,
                          bvp_verdict_name(verdict));
        }
        free(mesh.soup);
    }
}
END_TEST

/* A bolt turned by one of its sides lies where it was, corner for corner. */
START_TEST(turned_onto_itself)
{
    static solid s;
    uint64_t state = case_seed();
    remesh meshes[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    double places[2][12], turn[12];
    s.count = 0;
    solid_cylinder(&s, 3, 6, -2, 2);
    for (int i = 0; i < 2; i++)
        remesh_take_solid(&meshes[i], &s);
    for (int k = 1; k < 6; k++) {
        memcpy(turn, home, sizeof turn);
        turn[0] = turn[5] = cos(M_PI / 3 * k);
        turn[4] = -(turn[1] = -sin(M_PI / 3 * k));
        memcpy(places[0], home, sizeof home);
        memcpy(places[1], turn, sizeof turn);
        ck_assert_int_eq(verdict_of(&state, meshes, places), BVP_VERDICT_DUPLICATE);
        turn[0] = turn[5] = cos(M_PI / 3 * k + .1);
        turn[4] = -(turn[1] = -sin(M_PI / 3 * k + .1));
        memcpy(places[1], turn, sizeof turn);
        ck_assert_int_ne(verdict_of(&state, meshes, places), BVP_VERDICT_DUPLICATE);
    }
    free(meshes[0].soup);
    free(meshes[1].soup);
}
END_TEST

/* ---- other surfaces -------------------------------------------------------------------------- */

typedef enum difference {
    MOVED,
    FACE_MOVED,
    HOLE,
    BOSS,
    PIT,
    SCALED,
    GONE,
    DIFFERENCES
} difference;

static void outward(const float *tri, double out[3])
{
    double e[3], f[3];
    for (int i = 0; i < 3; i++) {
        e[i] = (double)tri[3 + i] - (double)tri[i];
        f[i] = (double)tri[6 + i] - (double)tri[i];
    }
    for (int i = 0; i < 3; i++)
        out[i] = e[(i + 1) % 3] * f[(i + 2) % 3] - e[(i + 2) % 3] * f[(i + 1) % 3];
    const double size = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    for (int i = 0; i < 3; i++)
        out[i] /= size > 0 ? size : 1;
}

/* In place of triangle `which` of a box: a frame of it and, at a share of its size around its
 * middle, nothing, or a cone as high as `height` along its normal. */
static void change_triangle(remesh *m, uint32_t which, double share, double height, bool is_closed)
{
    float tri[9], small[9], added[9], top[3];
    double n[3];
    memcpy(tri, m->soup + 9 * (size_t)which, sizeof tri);
    outward(tri, n);
    for (int i = 0; i < 3; i++) {
        const double middle = ((double)tri[i] + (double)tri[3 + i] + (double)tri[6 + i]) / 3;
        for (int k = 0; k < 3; k++)
            small[3 * k + i] = (float)(middle + share * ((double)tri[3 * k + i] - middle));
        top[i] = (float)(middle + height * n[i]);
    }
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        memcpy(added, tri + 3 * k, 12);
        memcpy(added + 3, tri + 3 * next, 12);
        memcpy(added + 6, small + 3 * next, 12);
        if (k == 0)
            memcpy(m->soup + 9 * (size_t)which, added, sizeof added);
        else
            remesh_add(m, added);
        memcpy(added + 3, small + 3 * next, 12);
        memcpy(added + 6, small + 3 * k, 12);
        remesh_add(m, added);
        if (!is_closed)
            continue;
        memcpy(added, small + 3 * k, 12);
        memcpy(added + 3, small + 3 * next, 12);
        memcpy(added + 6, top, 12);
        remesh_add(m, added);
    }
}

/* Changes a box so that some point is three gaps off, and places it. */
static void make_different(uint64_t *state, difference kind, double size, double gap, remesh *m,
                           double placement[12])
{
    const uint32_t which = (uint32_t)(case_random(state) % m->count);
    double way[9];
    switch (kind) {
    case MOVED:
        random_rotation(state, way);
        for (int i = 0; i < 3; i++)
            placement[4 * i + 3] += 3.1 * gap * way[i];
        break;
    case FACE_MOVED: /* out, or in */
        way[0] = case_random(state) % 2 ? 3.1 * gap : -3.1 * gap;
        for (uint32_t i = 0; i < 9 * m->count; i += 3)
            if (m->soup[i] > 0)
                m->soup[i] += (float)way[0];
        break;
    case HOLE: /* as wide as nine gaps at least: the triangles of the box are not too thin */
        change_triangle(m, which, fmax(200 * gap / size, random_between(state, .01, .5)), 0, false);
        break;
    case BOSS:
        change_triangle(m, which, random_between(state, .01, .5), 3.1 * gap, true);
        break;
    case PIT:
        change_triangle(m, which, random_between(state, .01, .5), -3.1 * gap, true);
        break;
    case SCALED:
        for (uint32_t i = 0; i < 9 * m->count; i++)
            m->soup[i] = (float)((double)m->soup[i] * (1 + 8 * gap / size));
        break;
    default: /* a triangle less */
        m->soup[9 * (size_t)which] = m->soup[9 * (size_t)which + 3];
        m->soup[9 * (size_t)which + 1] = m->soup[9 * (size_t)which + 4];
        m->soup[9 * (size_t)which + 2] = m->soup[9 * (size_t)which + 5];
    }
}

START_TEST(other_surfaces)
{
    static solid s;
    uint64_t state = case_seed();
    const int cases = case_count(CASES);
    int wrong[DIFFERENCES] = {0}, sum = 0;
    for (int k = 0; k < cases * 2; k++) {
        const difference kind = (difference)(k % DIFFERENCES);
        const double size = exp2(random_between(&state, -2, 10));
        const double hi[3] = {size * .5, size * random_between(&state, .2, .5),
                              size * random_between(&state, .2, .5)};
        const double lo[3] = {-hi[0], -hi[1], -hi[2]};
        remesh meshes[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
        double places[2][12];
        s.count = 0;
        solid_box(&s, lo, hi, 0, -1);
        random_place(&state, places[0]);
        memcpy(places[1], places[0], sizeof places[0]);
        for (int i = 0; i < 2; i++)
            remesh_take_solid(&meshes[i], &s);
        make_different(&state, kind, size, gap_of(&meshes[0], places[0]), &meshes[1], places[1]);
        for (int i = 0; i < 2; i++)
            change_mesh(&state, &meshes[i], places[i]);
        const bvp_verdict verdict = verdict_of(&state, meshes, places);
        if (verdict == BVP_VERDICT_DUPLICATE && wrong[kind]++ < 4)
            printf("case %d, difference %d: a duplicate\n", k, (int)kind);
        free(meshes[0].soup);
        free(meshes[1].soup);
    }
    for (int i = 0; i < DIFFERENCES; i++)
        sum += wrong[i];
    printf("%d surfaces that differ: %d are duplicates\n", cases * 2, sum);
    ck_assert_int_eq(sum, 0);
}
END_TEST

SUITE(test_clash_same)
{
    const TTest *const list[] = {other_triangles, models, turned_onto_itself, other_surfaces, NULL};
    return suite_run("clash_same", list);
}
