/* SPDX-License-Identifier: MIT
 * bench_pairs.c: two bodies, protocols A (two copies tumbling), D (the same, close to one another),
 * B (a small mover beside a large environment), F (two fine surfaces that face one another); the
 * peer is asked the same, and every answer is compared. Times are the thread's, whatever else runs.
 * Based on: Zachmann, "Minimal hierarchical collision detection", 2002 (protocol A).
 */
#include "bench.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 4, DISTANCES = 12, ROTATIONS = 500 };
static const char *const kind_names[KINDS] = {"collide", "pairs", "distance", "within"};

typedef struct scene {
    const char *name;
    const bench_mesh *a, *b;
    double (*placements)[12];
    int count;
    double delta; /* for "within" */
} scene;

/* The answers of one library to one kind, a number for each pose, and the mean time. */
typedef struct answers {
    double *values;
    double us;
} answers;

static int go_on(void *user, const bvp_pair *pair)
{
    (void)user;
    (void)pair;
    return 0;
}

static double ask_us(const scene *s, int kind, const double placement[12])
{
    bvp_body a = {s->a->file, 0, NULL}, b = {s->b->file, 0, placement};
    bvp_distance_result nearest;
    uint64_t count = 0;
    int hit = 0;
    switch (kind) {
    case 0:
        bench_require(bvp_collide(&a, &b, &hit, NULL), "collide");
        return hit;
    case 1:
        bench_require(bvp_pairs_each(&a, &b, go_on, NULL, &count, NULL), "pairs");
        return (double)count;
    case 2:
        bench_require(bvp_distance(&a, &b, INFINITY, &nearest, NULL), "distance");
        return nearest.distance;
    default:
        bench_require(bvp_within(&a, &b, s->delta, &hit, NULL, NULL), "within");
        return hit;
    }
}

static double ask_peer(const peer_pairs *peer, int kind, void *a, void *b,
                       const double placement[12])
{
    switch (kind) {
    case 0:
        return peer->collide(a, b, placement);
    case 1:
        return (double)peer->pairs(a, b, placement, NULL, NULL);
    default:
        return peer->distance(a, b, placement);
    }
}

static answers new_answers(int count)
{
    answers out = {calloc((size_t)count, sizeof(double)), 0};
    if (!out.values)
        bench_require(BVP_ERR_NO_MEMORY, "answers");
    return out;
}

/* The faster of two rounds. */
static answers measure_us(const scene *s, int kind)
{
    answers out = new_answers(s->count);
    out.us = INFINITY;
    for (int round = 0; round < 2; round++) {
        double start = bench_thread_now();
        for (int i = 0; i < s->count; i++)
            out.values[i] = ask_us(s, kind, s->placements[i]);
        out.us = fmin(out.us, (bench_thread_now() - start) * 1e6 / s->count);
    }
    return out;
}

static answers measure_peer(const scene *s, const peer_pairs *peer, int kind, void *a, void *b)
{
    answers out = new_answers(s->count);
    out.us = INFINITY;
    for (int round = 0; round < 2; round++) {
        double start = bench_thread_now();
        for (int i = 0; i < s->count; i++)
            out.values[i] = ask_peer(peer, kind, a, b, s->placements[i]);
        out.us = fmin(out.us, (bench_thread_now() - start) * 1e6 / s->count);
    }
    return out;
}

/* A peer is asked for the distance, for it has no other question. */
static answers within_of(const scene *s, const answers *distances)
{
    answers out = new_answers(s->count);
    out.us = distances->us;
    for (int i = 0; i < s->count; i++)
        out.values[i] = distances->values[i] <= s->delta;
    return out;
}

/* How many poses differ: counts at all, distances by more than 1e-6 of themselves. */
static int differences(const scene *s, int kind, const answers *ours, const answers *theirs)
{
    int differ = 0;
    for (int i = 0; i < s->count; i++) {
        double x = ours->values[i], y = theirs->values[i];
        differ += kind == 2 ? fabs(x - y) > 1e-6 * fmax(x, y) + 1e-12 : x != y;
    }
    return differ;
}

static double sum(const answers *a, int count)
{
    double total = 0;
    for (int i = 0; i < count; i++)
        total += a->values[i];
    return total;
}

static void print(const scene *s, int kind, const char *who, const answers *a, double ratio,
                  int differ)
{
    printf("%s,%llu,%s,%s,%d,%.2f,%.9g,", s->name, (unsigned long long)s->a->triangle_count,
           kind_names[kind], who, s->count, a->us, sum(a, s->count));
    if (ratio > 0)
        printf("%.2f,%d\n", ratio, differ);
    else
        printf(",\n");
    fflush(stdout);
}

/* A pose whose counts differ is judged pair by pair; nothing of ours may be apart, nothing that
 * crosses may be missing. Returns how many are. */
static uint64_t judge(const scene *s, const peer_pairs *peer, const void *a, const void *b,
                      const answers *ours, const answers *theirs)
{
    bench_verdicts only_ours = {0}, only_theirs = {0};
    for (int i = 0; i < s->count; i++)
        if (ours->values[i] != theirs->values[i])
            bench_judge(s->a, s->b, s->placements[i], peer, a, b, &only_ours, &only_theirs);
    fprintf(stderr,
            "only bvpack: %llu pairs cross, %llu touch, %llu are apart, %llu not judged; "
            "only %s: %llu cross, %llu touch, %llu are apart, %llu not judged\n",
            (unsigned long long)only_ours.cross, (unsigned long long)only_ours.touch,
            (unsigned long long)only_ours.apart, (unsigned long long)only_ours.unknown, peer->name,
            (unsigned long long)only_theirs.cross, (unsigned long long)only_theirs.touch,
            (unsigned long long)only_theirs.apart, (unsigned long long)only_theirs.unknown);
    return only_ours.apart + only_theirs.cross + only_theirs.touch;
}

static void compare(const scene *s, const peer_pairs *peer, int kind, const answers *ours,
                    const answers *theirs)
{
    print(s, kind, peer->name, theirs, theirs->us / ours->us, differences(s, kind, ours, theirs));
}

/* Every so many-th pose, to be freed. */
static scene some_of(const scene *s, int most)
{
    const int stride = (s->count + most - 1) / most;
    scene few = *s;
    few.count = (s->count + stride - 1) / stride;
    few.placements = malloc((size_t)few.count * sizeof *few.placements);
    for (int i = 0; i < few.count && few.placements; i++)
        memcpy(few.placements[i], s->placements[i * stride], sizeof *few.placements);
    few.count = few.placements ? few.count : 0;
    return few;
}

/* Peers that know one question only and take milliseconds: few poses, no huge models. */
static void ask_others(const scene *s)
{
    enum { MOST_TRIANGLES = 500000, MOST_POSES = 30 };
    const peer_pairs *const others[] = {peer_bullet, peer_ode};
    scene few = some_of(s, MOST_POSES);
    answers ours = measure_us(&few, 0);
    for (int k = 0; k < 2 && s->a->triangle_count < MOST_TRIANGLES; k++) {
        const peer_pairs *peer = others[k];
        if (!peer)
            continue;
        void *a = peer->make(s->a->positions, s->a->triangle_count);
        void *b = peer->make(s->b->positions, s->b->triangle_count);
        answers theirs = measure_peer(&few, peer, 0, a, b);
        compare(&few, peer, 0, &ours, &theirs);
        free(theirs.values);
        peer->drop(a);
        peer->drop(b);
    }
    free(ours.values);
    free(few.placements);
}

/* Returns how many answers of ours are wrong. */
static uint64_t run(const scene *s)
{
    uint64_t wrong = 0;
    const peer_pairs *peer = peer_fcl;
    void *a = peer ? peer->make(s->a->positions, s->a->triangle_count) : NULL;
    void *b = peer ? peer->make(s->b->positions, s->b->triangle_count) : NULL;
    answers ours[KINDS], theirs[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
        ours[kind] = measure_us(s, kind);
        print(s, kind, "bvpack", &ours[kind], 0, 0);
        if (!peer)
            continue;
        theirs[kind] = kind < 3 ? measure_peer(s, peer, kind, a, b) : within_of(s, &theirs[2]);
        compare(s, peer, kind, &ours[kind], &theirs[kind]);
    }
    ask_others(s);
    if (peer) {
        wrong = judge(s, peer, a, b, &ours[1], &theirs[1]);
        peer->drop(a);
        peer->drop(b);
    }
    for (int kind = 0; kind < KINDS; kind++) {
        free(ours[kind].values);
        if (peer)
            free(theirs[kind].values);
    }
    return wrong;
}

static void turn(double m[12], const double q[4])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; i++)
        m[4 * (i / 3) + i % 3] = r[i];
}

/* Protocol A: Rz(angle) * Rx(angle), moved along x. */
static void place_copy(double m[12], double distance, double angle)
{
    double c = cos(angle), s = sin(angle);
    const double placement[12] = {c, -s * c, s * s, distance, s, c * c, -c * s, 0, 0, s, c, 0};
    memcpy(m, placement, sizeof placement);
}

/* From distance number `first_distance` on: 0, protocol A; the last alone, D. */
static int two_copies(const char *name, const char *path, int first_distance, int poses)
{
    bench_mesh mesh;
    const int distances = DISTANCES - first_distance;
    scene s = {.name = name, .a = &mesh, .b = &mesh, .count = distances * poses, .delta = 0.05};
    bench_mesh_load(&mesh, path, 2);
    s.placements = calloc((size_t)s.count, sizeof *s.placements);
    if (!s.placements)
        return 1;
    const int first = poses < ROTATIONS; /* the parallel pose is one of 500, not one of a few */
    for (int i = 0; i < distances; i++)
        for (int k = 0; k < poses; k++)
            place_copy(s.placements[i * poses + k], 2 - (first_distance + i) * 1.8 / 11,
                       2 * M_PI * ((199 * (k + first)) % ROTATIONS) / ROTATIONS);
    uint64_t wrong = run(&s);
    free(s.placements);
    bench_mesh_free(&mesh);
    return wrong != 0;
}

/* Protocol B: over a random point of the surface, along its normal, by up to reach * side / 2. */
static void place_mover(double m[12], const bench_mesh *environment, double side, double reach,
                        uint64_t *state)
{
    const float *p =
        environment->positions + 9 * (bench_random(state) % environment->triangle_count);
    double u = sqrt(bench_uniform(state)), v = bench_uniform(state);
    double edge[2][3], normal[3], length = 0;
    for (int axis = 0; axis < 3; axis++) {
        m[4 * axis + 3] = (1 - u) * p[axis] + u * (1 - v) * p[3 + axis] + u * v * p[6 + axis];
        edge[0][axis] = (double)p[3 + axis] - p[axis];
        edge[1][axis] = (double)p[6 + axis] - p[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        int j = (axis + 1) % 3, k = (axis + 2) % 3;
        normal[axis] = edge[0][j] * edge[1][k] - edge[0][k] * edge[1][j];
        length += normal[axis] * normal[axis];
    }
    double u1 = bench_uniform(state), u2 = 2 * M_PI * bench_uniform(state),
           u3 = 2 * M_PI * bench_uniform(state);
    turn(m, (double[4]){sqrt(1 - u1) * sin(u2), sqrt(1 - u1) * cos(u2), sqrt(u1) * sin(u3),
                        sqrt(u1) * cos(u3)});
    double offset = reach * side / 2 * bench_uniform(state);
    for (int axis = 0; axis < 3 && length > 0; axis++)
        m[4 * axis + 3] += normal[axis] / sqrt(length) * offset;
}

static int mover(const char *environment, const char *moving, double side, double reach, int poses)
{
    enum { ALL = 2000 };
    bench_mesh a, b;
    uint64_t state = 12345;
    double(*all)[12] = calloc(ALL, sizeof *all);
    scene s = {.name = "B", .a = &a, .b = &b, .count = poses, .delta = 0.05 * side};
    s.placements = calloc((size_t)poses, sizeof *s.placements);
    if (!all || !s.placements)
        return 1;
    bench_mesh_load(&a, environment, 20);
    bench_mesh_load(&b, moving, side);
    for (int i = 0; i < ALL; i++)
        place_mover(all[i], &a, side, reach, &state);
    for (int i = 0; i < poses; i++)
        memcpy(s.placements[i], all[(1201 * i) % ALL], sizeof *all);
    uint64_t wrong = run(&s);
    free(all);
    free(s.placements);
    bench_mesh_free(&a);
    bench_mesh_free(&b);
    return wrong != 0;
}

/* Protocol F: a bumpy sheet of edge 1, cells * cells * 2 triangles; above: the bumps of the one
 * that lies on it, `gap` higher. */
static void make_sheet(bench_mesh *mesh, int cells, double gap)
{
    float *positions = malloc(sizeof(float) * 18 * (size_t)cells * (size_t)cells),
          *next = positions;
    if (!positions)
        bench_require(BVP_ERR_NO_MEMORY, "sheet");
    static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    for (int i = 0; i < cells * cells * 6; i++, next += 3) {
        const double x = (double)(i / 6 % cells + corner[i % 6][0]) / cells;
        const double y = (double)(i / 6 / cells + corner[i % 6][1]) / cells;
        next[0] = (float)x;
        next[1] = (float)y;
        next[2] = (float)(0.05 * sin(7 * x) * cos(5 * y) + gap);
    }
    bench_mesh_take(mesh, positions, 2 * (uint64_t)cells * (uint64_t)cells);
}

/* One sheet above the other, a little aside, as a seat and what sits on it: gaps 1e-1 .. 1e-5. */
static int facing(int cells)
{
    uint64_t wrong = 0;
    for (int digits = 1; digits <= 5; digits++) {
        const double gap = pow(10, -digits);
        double placement[1][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
        bench_mesh below, above;
        char name[16];
        snprintf(name, sizeof name, "F 1e-%d", digits);
        scene s = {.name = name, .a = &below, .b = &above, .placements = placement, .count = 1};
        s.delta = gap / 2;
        make_sheet(&below, cells, 0);
        make_sheet(&above, cells, gap);
        wrong += run(&s);
        bench_mesh_free(&below);
        bench_mesh_free(&above);
    }
    return wrong != 0;
}

static int poses_of(const char *text, int most)
{
    int poses = text ? atoi(text) : most;
    return poses < 1 ? 1 : poses > most ? most : poses;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    printf(
        "scene,triangles,query,library,poses,us,sum_of_answers,times_slower,poses_that_differ\n");
    if (strcmp(what, "a") == 0 && argc > 2)
        return two_copies("A", argv[2], 0, poses_of(argv[3], ROTATIONS));
    if (strcmp(what, "d") == 0 && argc > 2)
        return two_copies("D", argv[2], DISTANCES - 1, poses_of(argv[3], ROTATIONS));
    if (strcmp(what, "b") == 0 && argc > 5)
        return mover(argv[2], argv[3], atof(argv[4]), atof(argv[5]),
                     poses_of(argc > 6 ? argv[6] : NULL, 2000));
    if (strcmp(what, "f") == 0)
        return facing(argc > 2 ? atoi(argv[2]) : 200);
    fprintf(stderr, "usage: bench_pairs a|d MODEL.bvp [POSES]\n"
                    "       bench_pairs b ENVIRONMENT.bvp MOVER.bvp SIDE REACH [POSES]\n"
                    "       bench_pairs f [CELLS]\n");
    return 2;
}
