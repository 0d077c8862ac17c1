/* SPDX-License-Identifier: MIT
 * bench_rays.c: one body, protocols rays (primary, random segments, any hit) and closest (points);
 * the peer is asked the same rays, and every answer is compared.
 * Usage: bench_rays MODEL.bvp [RAYS [KINDS]], of "primary,segments,any,closest"
 */
#include "bench.h"
#include "bench_rounds.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIDE 20.0

enum { ROUNDS = 5, SLICE = 2000, CGAL_EVERY = 64, CGAL_TRIANGLES = 3000000 };

/* Rays as the peer takes them, in floats; and what came out. */
typedef struct rays {
    const char *name;
    size_t count;
    float (*origin)[3], (*direction)[3];
    float t_max;
    bvp_ray *ours; /* the same */
    bvp_ray_hit *hits;
    int *any;
    bvp_closest_result *found;
    double *peer; /* t, or negative; distance */
} rays;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        bench_require(BVP_ERR_NO_MEMORY, "rays");
    return memory;
}

/* Processor time: all of this runs in one thread, and other processes may run beside it. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rays_new(rays *r, const char *name, size_t count, float t_max)
{
    *r = (rays){.name = name, .count = count, .t_max = t_max};
    r->origin = allocate(count, sizeof *r->origin);
    r->direction = allocate(count, sizeof *r->direction);
    r->ours = allocate(count, sizeof *r->ours);
    r->hits = allocate(count, sizeof *r->hits);
    r->any = allocate(count, sizeof *r->any);
    r->found = allocate(count, sizeof *r->found);
    r->peer = allocate(count, sizeof *r->peer);
}

static void rays_free(rays *r)
{
    free(r->origin);
    free(r->direction);
    free(r->ours);
    free(r->hits);
    free(r->any);
    free(r->found);
    free(r->peer);
}

static void rays_finish(rays *r)
{
    for (size_t i = 0; i < r->count; i++)
        for (int a = 0; a < 3; a++) {
            r->ours[i].origin[a] = (double)r->origin[i][a];
            r->ours[i].direction[a] = (double)r->direction[i][a];
            r->ours[i].t_max = (double)r->t_max;
        }
}

static void bounds_of(const bench_mesh *mesh, double lo[3], double hi[3])
{
    bvp_file_info info;
    bvp_get_info(mesh->file, &info);
    memcpy(lo, info.lo, sizeof info.lo);
    memcpy(hi, info.hi, sizeof info.hi);
}

/* P: four cameras around the model, a square of rays each, row by row. */
static void make_primary(rays *r, const bench_mesh *mesh, size_t count)
{
    size_t side = (size_t)sqrt((double)count / 4);
    double lo[3], hi[3], radius = 0;
    bounds_of(mesh, lo, hi);
    for (int a = 0; a < 3; a++)
        radius = hypot(radius, (hi[a] - lo[a]) / 2);
    rays_new(r, "primary", 4 * side * side, INFINITY);
    for (size_t i = 0; i < r->count; i++) {
        const double turn = 0.4 + M_PI / 2 * (double)(i / (side * side));
        const double x = ((double)(i % side) + 0.5) / (double)side - 0.5;
        const double y = ((double)(i / side % side) + 0.5) / (double)side - 0.5;
        const double out[3] = {cos(turn) * 0.8, sin(turn) * 0.8, 0.6};
        const double right[3] = {-sin(turn), cos(turn), 0};
        const double up[3] = {-cos(turn) * 0.6, -sin(turn) * 0.6, 0.8};
        for (int a = 0; a < 3; a++) {
            r->origin[i][a] = (float)((lo[a] + hi[a]) / 2 + 2.6 * radius * out[a]);
            r->direction[i][a] = (float)(-out[a] + 0.8 * (x * right[a] + y * up[a]));
        }
    }
    rays_finish(r);
}

/* S, A: random segments in the model's box. */
static void make_segments(rays *r, const bench_mesh *mesh, const char *name, size_t count)
{
    uint64_t state = 12345;
    double lo[3], hi[3];
    bounds_of(mesh, lo, hi);
    rays_new(r, name, count, 1);
    for (size_t i = 0; i < count; i++)
        for (int a = 0; a < 3; a++) {
            const double from = lo[a] + (hi[a] - lo[a]) * bench_uniform(&state);
            const double to = lo[a] + (hi[a] - lo[a]) * bench_uniform(&state);
            r->origin[i][a] = (float)from;
            r->direction[i][a] = (float)(to - from);
        }
    rays_finish(r);
}

/* C: points within 10 % of the box around the surface, as origins. */
static void make_points(rays *r, const bench_mesh *mesh, size_t count)
{
    double lo[3], hi[3];
    uint64_t state = 12345;
    bounds_of(mesh, lo, hi);
    rays_new(r, "closest", count, 0);
    for (size_t i = 0; i < count; i++) {
        const float *p = mesh->positions + 9 * (bench_random(&state) % mesh->triangle_count);
        for (int a = 0; a < 3; a++)
            r->origin[i][a] =
                (float)((double)p[a] + 0.1 * (hi[a] - lo[a]) * (2 * bench_uniform(&state) - 1));
    }
    rays_finish(r);
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* A peer and its model. */
typedef struct rival {
    const peer_rays *peer;
    void *model;
} rival;

typedef void (*ask_fn)(rays *r, const bench_mesh *mesh, const rival *them);

static void ask_first(rays *r, const bench_mesh *mesh, const rival *them)
{
    bvp_body body = {.file = mesh->file, .part = 0};
    (void)them;
    for (size_t i = 0; i < r->count; i++)
        bench_require(bvp_ray_first(&body, &r->ours[i], &r->hits[i], NULL), "ray");
}

static void ask_first_batch(rays *r, const bench_mesh *mesh, const rival *them)
{
    bvp_body body = {.file = mesh->file, .part = 0};
    (void)them;
    bench_require(bvp_ray_first_batch(&body, (bvp_const_array){r->ours, 0, r->count},
                                      (bvp_array){r->hits, 0, r->count}, NULL, NULL),
                  "rays");
}

static void ask_any(rays *r, const bench_mesh *mesh, const rival *them)
{
    bvp_body body = {.file = mesh->file, .part = 0};
    (void)them;
    for (size_t i = 0; i < r->count; i++) {
        bench_require(bvp_ray_any(&body, &r->ours[i], &r->any[i], NULL), "ray");
        r->hits[i].found = r->any[i];
    }
}

static void ask_any_batch(rays *r, const bench_mesh *mesh, const rival *them)
{
    bvp_body body = {.file = mesh->file, .part = 0};
    (void)them;
    bench_require(bvp_ray_any_batch(&body, (bvp_const_array){r->ours, 0, r->count},
                                    (bvp_array){r->any, 0, r->count}, NULL, NULL),
                  "rays");
}

static void peer_first(rays *r, const bench_mesh *mesh, const rival *them)
{
    (void)mesh;
    for (size_t i = 0; i < r->count; i++)
        r->peer[i] = them->peer->first(them->model, r->origin[i], r->direction[i], r->t_max);
}

static void peer_any(rays *r, const bench_mesh *mesh, const rival *them)
{
    (void)mesh;
    for (size_t i = 0; i < r->count; i++)
        r->peer[i] = them->peer->any(them->model, r->origin[i], r->direction[i], r->t_max) ? 1 : -1;
}

enum { MEDIUM, ROBUST, CGAL, PEERS };

/* What of the answers must be the same. */
typedef enum compared { HIT, PLACE, DISTANCE } compared;

/* How many rays hit for only one of the two, or at different places; how many distances differ. */
static size_t differences(const rays *r, compared what)
{
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++) {
        const int theirs = r->peer[i] >= 0, ours = r->hits[i].found;
        if (what == DISTANCE)
            count += !(fabs(r->found[i].distance - r->peer[i]) <= 1e-4 * SIDE);
        else
            count += ours != theirs || (ours && what == PLACE &&
                                        fabs(r->hits[i].t - r->peer[i]) > 1e-4 * fabs(r->peer[i]));
    }
    return count;
}

static rays slice(const rays *r, size_t from, size_t count)
{
    rays s = *r;
    s.count = count;
    s.origin += from;
    s.direction += from;
    s.ours += from;
    s.hits += from;
    s.any += from;
    s.found += from;
    s.peer += from;
    return s;
}

/* Who is timed: we, in two ways, and the peers. */
enum { ONE, BATCH, FIRST_PEER, CONTENDERS = FIRST_PEER + PEERS };

typedef struct contender {
    ask_fn ask;
    const rival *them;
    size_t every; /* asked at every so many-th slice: slow ones get fewer */
    double seconds,
        ours; /* of its slices, the medians of the rounds; ours one a call of the same */
    double rounds[ROUNDS]; /* the sums of each round */
    size_t differ, asked;  /* rays */
} contender;

static int takes_part(const contender *c, size_t number)
{
    return (c->them == NULL || c->them->model != NULL) && number % c->every == 0;
}

/* All take turns at a slice: what else the machine does falls on all alike. Between our two ways
 * comes a peer, which has the caches to itself then. */
static void time_slice(rays *s, const bench_mesh *mesh, contender all[CONTENDERS], size_t number,
                       compared what)
{
    static const int order[CONTENDERS] = {ONE, FIRST_PEER + MEDIUM, BATCH, FIRST_PEER + ROBUST,
                                          FIRST_PEER + CGAL};
    double seconds[CONTENDERS][ROUNDS], median[CONTENDERS];
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < CONTENDERS; i++) {
            const int k = order[i];
            if (!takes_part(&all[k], number))
                continue;
            const double start = now();
            all[k].ask(s, mesh, all[k].them);
            seconds[k][round] = now() - start;
            all[k].rounds[round] += seconds[k][round];
            if (k >= FIRST_PEER && round == 0)
                all[k].differ += differences(s, what);
        }
    for (int k = 0; k < CONTENDERS; k++)
        if (takes_part(&all[k], number)) {
            median[k] = bench_quartiles_of(seconds[k], ROUNDS).median;
            all[k].seconds += median[k];
            all[k].ours += median[ONE];
            all[k].asked += s->count;
        }
}

/* Quartiles of the peer's time over ours one a call, round by round. */
static bench_quartiles spread(const contender *ours, const contender *theirs)
{
    double ratio[ROUNDS];
    for (int round = 0; round < ROUNDS; round++)
        ratio[round] = theirs->rounds[round] / ours->rounds[round];
    return bench_quartiles_of(ratio, ROUNDS);
}

static void print_peers(const contender all[CONTENDERS])
{
    const contender *medium = &all[FIRST_PEER + MEDIUM], *robust = &all[FIRST_PEER + ROBUST];
    const contender *cgal = &all[FIRST_PEER + CGAL];
    const double one = (double)all[ONE].asked / all[ONE].seconds * 1e-6;
    const double batched = (double)all[BATCH].asked / all[BATCH].seconds * 1e-6;
    if (medium->asked) {
        const double rate = (double)medium->asked / medium->seconds * 1e-6;
        const double rate_robust = (double)robust->asked / robust->seconds * 1e-6;
        const bench_quartiles q = spread(&all[ONE], medium);
        printf("%.3f,%.3f,%.2f,%.2f,%.2f,%zu,%zu,%.2f,%.2f,", rate, rate_robust, one / rate,
               batched / rate, one / rate_robust, medium->differ, robust->differ, q.q1, q.q3);
    } else {
        printf(",,,,,,,,,");
    }
    if (cgal->asked)
        printf("%.3f,%.2f,%zu,%zu\n", (double)cgal->asked / cgal->seconds * 1e-6,
               cgal->seconds / cgal->ours, cgal->differ, cgal->asked);
    else
        printf(",,,\n");
    fflush(stdout);
}

static void report(rays *r, const bench_mesh *mesh, const rival rivals[PEERS], ask_fn one,
                   ask_fn batch, ask_fn theirs, compared what)
{
    contender all[CONTENDERS] = {{.ask = one, .every = 1}, {.ask = batch, .every = 1}};
    size_t hits = 0, number = 0;
    for (int k = 0; k < PEERS; k++)
        all[FIRST_PEER + k] =
            (contender){.ask = theirs, .them = &rivals[k], .every = k == CGAL ? CGAL_EVERY : 1};
    for (size_t from = 0; from < r->count; from += SLICE, number++) {
        rays s = slice(r, from, r->count - from < SLICE ? r->count - from : SLICE);
        time_slice(&s, mesh, all, number, what);
    }
    for (size_t i = 0; i < r->count; i++)
        hits += what == DISTANCE || r->hits[i].found;
    printf("%s,%llu,%zu,%zu,%.3f,%.3f,", r->name, (unsigned long long)mesh->triangle_count,
           r->count, hits, (double)r->count / all[ONE].seconds * 1e-6,
           (double)r->count / all[BATCH].seconds * 1e-6);
    print_peers(all);
}

/* As rays: a slice of points is asked like a slice of rays, the points being the origins. */
static void ask_closest(rays *r, const bench_mesh *mesh, const rival *them)
{
    bvp_body body = {.file = mesh->file, .part = 0};
    (void)them;
    for (size_t i = 0; i < r->count; i++)
        bench_require(bvp_closest(&body, r->ours[i].origin, INFINITY, &r->found[i], NULL),
                      "closest");
}

static void ask_closest_batch(rays *r, const bench_mesh *mesh, const rival *them)
{
    bvp_body body = {.file = mesh->file, .part = 0};
    (void)them;
    bench_require(bvp_closest_batch(&body,
                                    (bvp_const_array){r->ours[0].origin, sizeof *r->ours, r->count},
                                    INFINITY, (bvp_array){r->found, 0, r->count}, NULL, NULL),
                  "closest points");
}

static void peer_closest(rays *r, const bench_mesh *mesh, const rival *them)
{
    (void)mesh;
    for (size_t i = 0; i < r->count; i++)
        r->peer[i] = them->peer->closest(them->model, r->origin[i]);
}

/* kinds: names of those to run. */
static void run(const bench_mesh *mesh, const rival rivals[PEERS], size_t count, const char *kinds)
{
    rays r;
    printf("rays,triangles,rays,hits,one_a_call,batched,embree_medium,embree_robust,"
           "one_over_medium,batched_over_medium,one_over_robust,differ_medium,differ_robust,"
           "one_over_medium_q1,one_over_medium_q3,cgal,one_over_cgal,differ_cgal,rays_of_cgal\n");
    if (strstr(kinds, "primary")) {
        make_primary(&r, mesh, count);
        report(&r, mesh, rivals, ask_first, ask_first_batch, peer_first, PLACE);
        rays_free(&r);
    }
    if (strstr(kinds, "segments")) {
        make_segments(&r, mesh, "segments", count);
        report(&r, mesh, rivals, ask_first, ask_first_batch, peer_first, PLACE);
        rays_free(&r);
    }
    if (strstr(kinds, "any")) {
        make_segments(&r, mesh, "any hit", count);
        report(&r, mesh, rivals, ask_any, ask_any_batch, peer_any, HIT);
        rays_free(&r);
    }
    if (strstr(kinds, "closest")) {
        make_points(&r, mesh, count / 5);
        report(&r, mesh, rivals, ask_closest, ask_closest_batch, peer_closest, DISTANCE);
        rays_free(&r);
    }
}

int main(int argc, char **argv)
{
    const size_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
    bench_mesh mesh;
    rival rivals[PEERS] = {{peer_embree, NULL}, {peer_embree, NULL}, {peer_cgal_rays, NULL}};
    if (argc < 2 || argc > 4 || count < 5) {
        fprintf(stderr, "usage: bench_rays MODEL.bvp [RAYS [KINDS]]\n");
        return 2;
    }
    bench_mesh_load(&mesh, argv[1], SIDE);
    for (int k = 0; k < PEERS; k++)
        if (rivals[k].peer && (k != CGAL || mesh.triangle_count <= CGAL_TRIANGLES))
            rivals[k].model =
                rivals[k].peer->make(mesh.positions, mesh.triangle_count, k == ROBUST);
    run(&mesh, rivals, count, argc > 3 ? argv[3] : "primary,segments,any,closest");
    for (int k = 0; k < PEERS; k++)
        if (rivals[k].model)
            rivals[k].peer->drop(rivals[k].model);
    bench_mesh_free(&mesh);
    return 0;
}
