/* SPDX-License-Identifier: MIT
 * bench_warm.c: protocol warm: a mover along a smooth path of 10,000 placements, as in assembly
 * path planning; plain queries beside warm ones, whose answers must be the same, and the peer on
 * some.
 */
#include "bench.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 3, ROUNDS = 3, PEER_EACH = 20, FRONT_SIZE = 1024 << 10 };
static const char *const kind_names[KINDS] = {"collide", "within", "distance"};

static uint64_t front[FRONT_SIZE / sizeof(uint64_t)];

typedef struct path {
    bench_mesh a, b;
    double (*placements)[12];
    int count;
    double delta; /* for "within" */
} path;

/* ---- paths ----------------------------------------------------------------------------------- */

/* A position and an orientation, as a quaternion of any length. */
typedef struct stop {
    double at[3], turn[4];
} stop;

static void place(double m[12], const stop *s)
{
    double q[4], length = 0;
    for (int i = 0; i < 4; i++)
        length += s->turn[i] * s->turn[i];
    for (int i = 0; i < 4; i++)
        q[i] = s->turn[i] / sqrt(length);
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; i++)
        m[4 * (i / 3) + i % 3] = r[i];
    for (int i = 0; i < 3; i++)
        m[4 * i + 3] = s->at[i];
}

/* Over a random point of the surface, so that the mover is about clear of it. */
static void stop_beside(stop *out, const bench_mesh *environment, double side, uint64_t *state)
{
    const float *p =
        environment->positions + 9 * (bench_random(state) % environment->triangle_count);
    double edge[2][3], normal[3], length = 0;
    for (int i = 0; i < 3; i++) {
        edge[0][i] = (double)p[3 + i] - p[i];
        edge[1][i] = (double)p[6 + i] - p[i];
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        normal[i] = edge[0][j] * edge[1][k] - edge[0][k] * edge[1][j];
        length += normal[i] * normal[i];
    }
    const double offset = side * (0.6 + 0.6 * bench_uniform(state));
    for (int i = 0; i < 3; i++) {
        out->at[i] = ((double)p[i] + p[3 + i] + p[6 + i]) / 3;
        out->at[i] += length > 0 ? normal[i] / sqrt(length) * offset : 0;
    }
    for (int i = 0; i < 4; i++)
        out->turn[i] = bench_uniform(state) - 0.5;
}

static double apart_sq(const stop *a, const stop *b)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (a->at[i] - b->at[i]) * (a->at[i] - b->at[i]);
    return sum;
}

/* From each stop to the nearest one that is left, by the shorter turn. */
static void order_stops(stop *stops, int count)
{
    for (int i = 1; i < count; i++) {
        int nearest = i;
        for (int k = i; k < count; k++)
            if (apart_sq(&stops[k], &stops[i - 1]) < apart_sq(&stops[nearest], &stops[i - 1]))
                nearest = k;
        stop next = stops[nearest];
        double same = 0;
        stops[nearest] = stops[i];
        for (int k = 0; k < 4; k++)
            same += next.turn[k] * stops[i - 1].turn[k];
        for (int k = 0; k < 4 && same < 0; k++)
            next.turn[k] = -next.turn[k];
        stops[i] = next;
    }
}

/* Catmull and Rom's curve between p[1] and p[2]. */
static double between(const double p[4], double t)
{
    return 0.5 * (2 * p[1] + (p[2] - p[0]) * t + (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3]) * t * t +
                  (3 * p[1] - p[0] - 3 * p[2] + p[3]) * t * t * t);
}

static void stop_between(const stop s[4], double t, stop *out)
{
    for (int i = 0; i < 3; i++)
        out->at[i] = between((double[4]){s[0].at[i], s[1].at[i], s[2].at[i], s[3].at[i]}, t);
    for (int i = 0; i < 4; i++)
        out->turn[i] =
            between((double[4]){s[0].turn[i], s[1].turn[i], s[2].turn[i], s[3].turn[i]}, t);
}

/* Past places where the mover nearly or just touches the environment. */
static void past_surfaces(path *p, double side, int legs)
{
    enum { ALL = 2000 };
    uint64_t state = 12345;
    stop *stops = malloc(ALL * sizeof *stops);
    if (!stops)
        bench_require(BVP_ERR_NO_MEMORY, "path");
    for (int i = 0; i < ALL; i++)
        stop_beside(&stops[i], &p->a, side, &state);
    order_stops(stops, ALL);
    for (int i = 0; i < p->count; i++) {
        const double t = (double)i * legs / p->count;
        stop here;
        stop_between(stops + (int)t, t - (int)t, &here);
        place(p->placements[i], &here);
    }
    free(stops);
}

/* A copy that turns about itself while it comes and goes. */
static void come_and_go(path *p)
{
    for (int i = 0; i < p->count; i++) {
        const double t = 2 * M_PI * i / p->count;
        const stop here = {{1.6 + 0.7 * cos(5 * t), 0.3 * sin(7 * t), 0.3 * cos(4 * t)},
                           {sin(3 * t), cos(2 * t + 1), 0.7 * sin(t + 0.5), cos(t)}};
        place(p->placements[i], &here);
    }
}

/* ---- questions ------------------------------------------------------------------------------- */

/* A number that tells answers apart. */
static double ask(const path *p, int kind, int i, bvp_warm_start *warm, bvp_distance_result *out)
{
    const bvp_body a = {.file = p->a.file, .part = 0},
                   b = {.file = p->b.file, .part = 0, .placement = p->placements[i]};
    int yes = 0;
    if (kind == 0)
        bench_require(bvp_collide_warm(&a, &b, warm, &yes, NULL), "collide");
    else if (kind == 1)
        bench_require(bvp_within_warm(&a, &b, p->delta, warm, &yes, NULL), "within");
    else
        bench_require(bvp_distance_warm(&a, &b, INFINITY, warm, out, NULL), "distance");
    return kind == 2 ? out->distance : yes;
}

static double ask_peer(const path *p, int kind, int i, void *a, void *b)
{
    if (kind == 0)
        return peer_fcl->collide(a, b, p->placements[i]);
    const double distance = peer_fcl->distance(a, b, p->placements[i]);
    return kind == 1 ? distance <= p->delta : distance;
}

/* Answers of all placements in turn; the mean time of one, in microseconds. */
static double walk(const path *p, int kind, bvp_warm_start *warm, double *values,
                   bvp_distance_result *results)
{
    const double start = bench_thread_now();
    for (int i = 0; i < p->count; i++)
        values[i] = ask(p, kind, i, warm, &results[i]);
    return (bench_thread_now() - start) * 1e6 / p->count;
}

typedef struct answers {
    double *values;
    bvp_distance_result *results;
    double us;
} answers;

static answers new_answers(const path *p)
{
    answers out = {calloc((size_t)p->count, sizeof *out.values),
                   calloc((size_t)p->count, sizeof *out.results), INFINITY};
    if (!out.values || !out.results)
        bench_require(BVP_ERR_NO_MEMORY, "answers");
    return out;
}

static void free_answers(answers *a)
{
    free(a->values);
    free(a->results);
}

/* Of bodies that touch any two triangles that do may be named. */
static bool is_same_result(const bvp_distance_result *a, const bvp_distance_result *b)
{
    const bool touch = a->found && a->distance == 0;
    return touch ? b->found && b->distance == 0 : memcmp(a, b, sizeof *a) == 0;
}

static int count_wrong(const path *p, const answers *plain, const answers *warm)
{
    int wrong = 0;
    for (int i = 0; i < p->count; i++)
        wrong += plain->values[i] != warm->values[i] ||
                 !is_same_result(&plain->results[i], &warm->results[i]);
    return wrong;
}

/* The peer on every so many-th placement; *differ: answers unlike ours. */
static double walk_peer(const path *p, int kind, void *a, void *b, const answers *ours, int *differ)
{
    const double start = bench_thread_now();
    int count = 0;
    *differ = 0;
    for (int i = 0; i < p->count; i += PEER_EACH, count++) {
        const double x = ours->values[i], y = ask_peer(p, kind, i, a, b);
        *differ += kind == 2 ? fabs(x - y) > 1e-6 * fmax(x, y) + 1e-12 : x != y;
    }
    return (bench_thread_now() - start) * 1e6 / count;
}

/* Returns how many warm answers are not the plain ones. */
static int run(const path *p)
{
    void *a = peer_fcl ? peer_fcl->make(p->a.positions, p->a.triangle_count) : NULL;
    void *b = peer_fcl ? peer_fcl->make(p->b.positions, p->b.triangle_count) : NULL;
    int wrong = 0;
    printf("query,plain_us,warm_us,plain_over_warm,answers_that_differ,yes,placements,peer_us,"
           "peer_over_warm,peer_answers_that_differ\n");
    for (int kind = 0; kind < KINDS; kind++) {
        answers plain = new_answers(p), warm = new_answers(p);
        int yes = 0;
        for (int round = 0; round < ROUNDS; round++) {
            bvp_warm_start start = {.front = front, .front_size = sizeof front};
            plain.us = fmin(plain.us, walk(p, kind, NULL, plain.values, plain.results));
            warm.us = fmin(warm.us, walk(p, kind, &start, warm.values, warm.results));
        }
        const int differ = count_wrong(p, &plain, &warm);
        for (int i = 0; i < p->count; i++)
            yes += kind == 2 ? plain.values[i] == 0 : plain.values[i] != 0;
        printf("%s,%.3f,%.3f,%.2f,%d,%d,%d", kind_names[kind], plain.us, warm.us,
               plain.us / warm.us, differ, yes, p->count);
        if (a) {
            int unlike;
            const double us = walk_peer(p, kind, a, b, &plain, &unlike);
            printf(",%.2f,%.2f,%d\n", us, us / warm.us, unlike);
        } else {
            printf(",,,\n");
        }
        fflush(stdout);
        wrong += differ;
        free_answers(&plain);
        free_answers(&warm);
    }
    if (a) {
        peer_fcl->drop(a);
        peer_fcl->drop(b);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    const bool through = argc > 4 && strcmp(argv[1], "through") == 0;
    const bool copies = argc > 2 && strcmp(argv[1], "copies") == 0;
    if (!through && !copies) {
        fprintf(stderr, "usage: bench_warm through ENVIRONMENT.bvp MOVER.bvp SIDE [PLACEMENTS]\n"
                        "       bench_warm copies MODEL.bvp [PLACEMENTS]\n");
        return 2;
    }
    const int last = through ? 5 : 3;
    const double side = through ? atof(argv[4]) : 2;
    path p = {.count = argc > last ? atoi(argv[last]) : 10000, .delta = 0.025 * side};
    p.placements = calloc((size_t)p.count, sizeof *p.placements);
    if (!p.placements)
        return 1;
    bench_mesh_load(&p.a, argv[2], through ? 20 : 2);
    bench_mesh_load(&p.b, argv[through ? 3 : 2], side);
    if (through)
        past_surfaces(&p, side, 50);
    else
        come_and_go(&p);
    const int wrong = run(&p);
    free(p.placements);
    bench_mesh_free(&p.a);
    bench_mesh_free(&p.b);
    return wrong != 0;
}
