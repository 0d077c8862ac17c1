/* SPDX-License-Identifier: MIT
 * bench_hard.c: hard cases, where hierarchies of boxes have cliffs: slivers in all directions,
 * surfaces that face each other at one distance, copies that nearly coincide, bodies inside one
 * another, a stray, bodies far apart, a mesh against itself. Protocol: hard.
 * Every contender answers each question first in a process of its own: who needs longer than a
 * limit is stopped there, and the row then says what it took at least.
 * Usage: bench_hard [--quick] [SCENE...], of the names in `scenes`
 */
#include "bench_scene.h"
#include "hard_models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSES = 12 };

/* What a scene's rows share. */
typedef struct hard_scene {
    const char *name;
    uint64_t (*run)(const struct hard_scene *scene, int quick);
    double number;
    int oblique;
} hard_scene;

static const double across[3] = {1, 2, 3}, up[3] = {0, 0, 1}, nowhere[3] = {0, 0, 0};

/* Both in the default hierarchy, beside FCL's trees of both kinds and PQP's. Takes over the models;
 * b.soup NULL: a copy of a. */
static uint64_t ask(const char *name, hard_model a, hard_model b, double placements[POSES][12],
                    double delta, unsigned skipped)
{
    const peer_pairs *const peers[] = {peer_fcl, peer_fcl_rss, peer_pqp};
    bench_mesh mesh_a, mesh_b;
    bench_rivals rivals = {0};
    bench_mesh_take(&mesh_a, a.soup, a.count);
    if (b.soup)
        bench_mesh_take(&mesh_b, b.soup, b.count);
    const bench_mesh *second = b.soup ? &mesh_b : &mesh_a;
    for (size_t k = 0; k < sizeof peers / sizeof *peers; k++) {
        if (!peers[k])
            continue;
        const int i = rivals.count++;
        rivals.peer[i] = peers[k];
        rivals.a[i] = peers[k]->make(mesh_a.positions, mesh_a.triangle_count);
        rivals.b[i] =
            b.soup ? peers[k]->make(second->positions, second->triangle_count) : rivals.a[i];
    }
    const bench_scene s = {.name = name,
                           .a = &mesh_a,
                           .b = second,
                           .placements = placements,
                           .count = POSES,
                           .delta = delta,
                           .limit = 1,
                           .skipped = skipped};
    const uint64_t wrong = bench_scene_run(&s, &rivals);
    bench_rivals_drop(&rivals);
    if (b.soup)
        bench_mesh_free(&mesh_b);
    bench_mesh_free(&mesh_a);
    return wrong;
}

static const hard_model copy_of_it = {NULL, 0};

/* ---- slivers --------------------------------------------------------------------------------- */

/* How a sheet's copy lies: side by side at one distance, tilted so that an edge is nearest, through
 * one another. */
enum { FACING, APART, CROSSING };

/* Oblique: both turned by 40 degrees in their own coordinates. */
static uint64_t strips(const hard_scene *scene, int quick)
{
    const int way = (int)scene->number;
    hard_model sheet = hard_strips(quick ? 800 : 3000);
    uint64_t state = 1;
    double placements[POSES][12], turned[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    if (scene->oblique)
        hard_place(across, 40 * M_PI / 180, nowhere, turned);
    for (int i = 0; i < POSES; i++) {
        const double tilt = way == FACING ? 0 : (10 + 4 * i) * M_PI / 180;
        const double height = way == CROSSING ? 5 * i : 3 + 3 * i + 720 * sin(tilt);
        double normal[3], lying[3], at[3];
        for (int k = 0; k < 3; k++) {
            normal[k] = turned[4 * k + 2];
            lying[k] = turned[4 * k] + turned[4 * k + 1];
            at[k] = height * normal[k] + 20 * hard_uniform(&state);
        }
        hard_place(way == FACING ? normal : lying, way == FACING ? 0.13 * i : tilt, at,
                   placements[i]);
    }
    if (scene->oblique)
        hard_turn(&sheet, across, 40 * M_PI / 180);
    return ask(scene->name, sheet, copy_of_it, placements, 1, 0);
}

/* A rod of `number` facets in a tube with a little room around it. */
static uint64_t pipe(const hard_scene *scene, int quick)
{
    const uint32_t facets = (uint32_t)scene->number / (quick ? 4 : 1);
    hard_model tube = hard_pipe(facets, 10, 12, 200), rod = hard_pipe(facets, 0, 9.8, 220);
    const double angle = scene->oblique ? acos(3 / sqrt(14)) : 0;
    const double axis[3] = {-2, 1, 0}; /* turns z to `across` */
    double placements[POSES][12];
    hard_turn(&tube, axis, angle);
    hard_turn(&rod, axis, angle);
    for (int i = 0; i < POSES; i++) {
        double along[3], move[3];
        for (int k = 0; k < 3; k++) {
            along[k] = scene->oblique ? across[k] / sqrt(14) : up[k];
            move[k] = i * along[k];
        }
        hard_place(along, 0.13 * i, move, placements[i]);
    }
    return ask(scene->name, tube, rod, placements, 0.1, 0);
}

/* A fan of slivers beside its copy, side by side or, with `number`, through one another. */
static uint64_t discs(const hard_scene *scene, int quick)
{
    const double profile[2][2] = {{0, 0}, {1, 0}};
    hard_model disc = hard_revolved(quick ? 500 : 2000, profile, 2);
    double turned[12], placements[POSES][12];
    hard_place(across, scene->oblique ? 0.7 : 0, nowhere, turned);
    const double normal[3] = {turned[2], turned[6], turned[10]};
    const double side[3] = {turned[0], turned[4], turned[8]};
    for (int i = 0; i < POSES; i++) {
        const double gap = scene->number > 0 ? 0 : i % 2 ? 0.001 : 0.1;
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = gap * normal[k] + (scene->number > 0 ? 0.1 * i * side[k] : 0);
        if (scene->number > 0)
            hard_place(side, scene->number, at, placements[i]);
        else
            hard_place(normal, 0.3 * i, at, placements[i]);
    }
    if (scene->oblique)
        hard_turn(&disc, across, 0.7);
    return ask(scene->name, disc, copy_of_it, placements, 0.0005, 0);
}

/* A cone in its seat: a screw's head in a countersunk hole. */
static uint64_t cones(const hard_scene *scene, int quick)
{
    const uint32_t facets = (uint32_t)scene->number / (quick ? 4 : 1);
    const double head[5][2] = {{0, -5}, {5, -5}, {10, 0}, {10, 2}, {0, 2}};
    const double seat[6][2] = {{20, 0}, {10.2, 0}, {5.2, -5}, {5.2, -10}, {20, -10}, {20, 0}};
    hard_model a = hard_revolved(facets, seat, 6), b = hard_revolved(facets, head, 5);
    const double axis[3] = {-2, 1, 0}; /* turns z to `across` */
    double placements[POSES][12];
    hard_turn(&a, axis, scene->oblique ? acos(3 / sqrt(14)) : 0);
    hard_turn(&b, axis, scene->oblique ? acos(3 / sqrt(14)) : 0);
    for (int i = 0; i < POSES; i++)
        hard_place(scene->oblique ? across : up, 0.13 * i, nowhere, placements[i]);
    return ask(scene->name, a, b, placements, 0.05, 0);
}

/* Balls of slivers along their meridians, `number` apart. */
static uint64_t meridians(const hard_scene *scene, int quick)
{
    double profile[13][2], placements[POSES][12];
    for (int i = 0; i <= 12; i++) {
        profile[i][0] = i % 12 ? sin(M_PI * i / 12) : 0;
        profile[i][1] = -cos(M_PI * i / 12);
    }
    hard_model ball = hard_revolved(quick ? 400 : 2000, profile, 13);
    for (int i = 0; i < POSES; i++)
        hard_place(across, 0.4 * i + 0.1, (double[3]){scene->number + 0.01 * i, 0.1, 0.1},
                   placements[i]);
    return ask(scene->name, ball, copy_of_it, placements, 0.02, 0);
}

/* A bundle of needles beside another one, or in it. Loose: each in a direction of its own. */
static uint64_t needles(const hard_scene *scene, int quick)
{
    const uint32_t count = quick ? 500 : 2000;
    uint64_t state = 3;
    double placements[POSES][12];
    for (int i = 0; i < POSES; i++) {
        const double at[3] = {scene->number + 0.02 * i, 0.1 * hard_uniform(&state),
                              0.1 * hard_uniform(&state)};
        hard_place(across, 0.5 * i, at, placements[i]);
    }
    const uint32_t directions = scene->oblique ? count : 12;
    return ask(scene->name, hard_needles(count, directions, 7), hard_needles(count, directions, 11),
               placements, 0.02, 0);
}

/* ---- surfaces -------------------------------------------------------------------------------- */

/* Two plates face to face, a tenth or a thousandth of their edge apart, turned in their plane or
 * tilted by `number`. Oblique: both turned in their own coordinates. */
static uint64_t plates(const hard_scene *scene, int quick)
{
    const uint32_t cells = quick ? 40 : 150;
    const double angle = scene->oblique ? 0.7 : 0;
    hard_model plate = hard_plate(cells);
    double placements[POSES][12], turned[12];
    hard_place(across, angle, nowhere, turned);
    hard_turn(&plate, across, angle);
    for (int i = 0; i < POSES; i++) {
        const double gap = i % 2 ? 0.001 : 0.1;
        double side[3], normal[3], at[3];
        for (int k = 0; k < 3; k++) {
            side[k] = turned[4 * k];
            normal[k] = turned[4 * k + 2];
            at[k] = gap * normal[k] + (0.1 + 0.05 * i) * side[k];
        }
        if (scene->number > 0)
            hard_place(side, scene->number, at, placements[i]);
        else
            hard_place(normal, 0.3 * i, at, placements[i]);
    }
    return ask(scene->name, plate, copy_of_it, placements, 0.0005, 0);
}

/* A scan on itself, turned by `number` or, where that is negative, moved by it. */
static uint64_t same(const hard_scene *scene, int quick)
{
    uint64_t state = 5;
    double placements[POSES][12];
    for (int i = 0; i < POSES; i++) {
        double way[3], length = 0;
        for (int k = 0; k < 3; k++) {
            way[k] = hard_uniform(&state) - 0.5;
            length += way[k] * way[k];
        }
        for (int k = 0; k < 3; k++)
            way[k] *= scene->number / sqrt(length);
        hard_place(across, 0, way, placements[i]);
        if (scene->number > 0)
            hard_place(way, scene->number, nowhere, placements[i]);
    }
    return ask(scene->name, hard_scan(quick ? 20 : 60, 1), copy_of_it, placements, 0.001,
               1u << BENCH_DISTANCE | 1u << BENCH_WITHIN);
}

/* A sphere of radius `number` inside one of radius 1. */
static uint64_t spheres(const hard_scene *scene, int quick)
{
    const uint32_t cells = quick ? 15 : 41;
    double placements[POSES][12];
    for (int i = 0; i < POSES; i++)
        hard_place(across, 0.1 * (1 + i), nowhere, placements[i]);
    return ask(scene->name, hard_sphere(cells, 1), hard_sphere(cells, scene->number), placements,
               (1 - scene->number) / 4, 1u << BENCH_PAIRS);
}

/* Spheres beside one another, one of them with a triangle `number` away. */
static uint64_t stray(const hard_scene *scene, int quick)
{
    const uint32_t cells = quick ? 15 : 41;
    hard_model with = hard_sphere(cells, 1);
    double placements[POSES][12];
    hard_add_stray(&with, scene->number);
    for (int i = 0; i < POSES; i++)
        hard_place(across, 0.4 * i, (double[3]){2.1 + 0.1 * i, 0.1, 0.1}, placements[i]);
    return ask(scene->name, with, hard_sphere(cells, 1), placements, 0.05, 0);
}

/* Scans so far apart that a look at their boxes tells. */
static uint64_t apart(const hard_scene *scene, int quick)
{
    uint64_t state = 9;
    double placements[POSES][12];
    for (int i = 0; i < POSES; i++) {
        double at[3] = {scene->number, 0, 0};
        at[i % 3] = i % 2 ? scene->number : -scene->number;
        hard_place(across, 6 * hard_uniform(&state), at, placements[i]);
    }
    return ask(scene->name, hard_scan(quick ? 15 : 41, 1), copy_of_it, placements, 0.5,
               1u << BENCH_DISTANCE);
}

/* All pairs of a mesh with itself: each triangle, and those that share an edge or a corner. */
static uint64_t self(const hard_scene *scene, int quick)
{
    double placements[POSES][12];
    for (int i = 0; i < POSES; i++)
        hard_place(up, 0, nowhere, placements[i]);
    return ask(scene->name, hard_scan(quick ? 15 : 30, 1), copy_of_it, placements, 0,
               1u << BENCH_DISTANCE | 1u << BENCH_WITHIN);
}

/* ---- the scenes ------------------------------------------------------------------------------ */

static const hard_scene scenes[] = {
    {"strips apart", strips, APART, 1},
    {"strips apart parallel to an axis", strips, APART, 0},
    {"strips facing", strips, FACING, 1},
    {"strips crossing", strips, CROSSING, 1},
    {"pipe 128 in its bore", pipe, 128, 1},
    {"pipe 256 in its bore", pipe, 256, 1},
    {"pipe 512 in its bore", pipe, 512, 1},
    {"pipe 1024 in its bore", pipe, 1024, 1},
    {"pipe 512 parallel to an axis", pipe, 512, 0},
    {"needles apart", needles, 1.2, 0},
    {"needles crossing", needles, 0.3, 0},
    {"loose needles apart", needles, 1.2, 1},
    {"loose needles crossing", needles, 0.3, 1},
    {"discs flush", discs, 0, 0},
    {"discs crossing", discs, 0.3, 0},
    {"oblique discs flush", discs, 0, 1},
    {"oblique discs crossing", discs, 0.3, 1},
    {"cone 256 in its seat", cones, 256, 1},
    {"cone 1024 in its seat", cones, 1024, 1},
    {"cone 1024 parallel to an axis", cones, 1024, 0},
    {"meridians apart", meridians, 2.05, 0},
    {"meridians crossing", meridians, 1.5, 0},
    {"plates flush", plates, 0, 0},
    {"plates tilted 1e-5", plates, 1e-5, 0},
    {"oblique plates flush", plates, 0, 1},
    {"oblique plates tilted 1e-5", plates, 1e-5, 1},
    {"copy turned 1e-9", same, 1e-9, 0},
    {"scan on itself 1e-4 off", same, -1e-4, 0},
    {"sphere .9 in 1", spheres, 0.9, 0},
    {"sphere .999 in 1", spheres, 0.999, 0},
    {"stray at 1e3", stray, 1e3, 0},
    {"stray at 1e6", stray, 1e6, 0},
    {"boxes apart", apart, 10, 0},
    {"self", self, 0, 0},
};

/* Is it named, or the start of its name? No names: all are. */
static int wanted(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return 1;
    return count == 0;
}

int main(int argc, char **argv)
{
    const int quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    uint64_t wrong = 0, asked = 0;
    bench_scene_header();
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (wanted(scenes[i].name, argv + 1 + quick, argc - 1 - quick)) {
            wrong += scenes[i].run(&scenes[i], quick);
            asked++;
        }
    if (!asked)
        fprintf(stderr, "bench_hard: no scene has a name that begins so\n");
    return wrong != 0 || !asked;
}
