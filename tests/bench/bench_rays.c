/* SPDX-License-Identifier: MIT
 * bench_rays.c: one body, protocol R: primary rays, random segments, occlusion, closest points;
 * the peer is asked the same rays, and every answer is compared.
 * Usage: bench_rays MODEL.bvp [RAYS [PROTOCOLS]], of "PSAC"
 */
#include "bench.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIDE 20.0

enum { ROUNDS = 5, SLICE = 2000 };

/* Rays as the peer takes them, in floats; and what came out. */
typedef struct rays {
    const char *name;
    size_t count;
    float (*origin)[3], (*direction)[3];
    float t_max;
    bvp_ray *ours; /* the same */
    bvp_ray_hit *hits;
    int *any;
    double *peer; /* t, or negative */
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
    r->peer = allocate(count, sizeof *r->peer);
}

static void rays_free(rays *r)
{
    free(r->origin);
    free(r->direction);
    free(r->ours);
    free(r->hits);
    free(r->any);
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
    rays_new(r, "P", 4 * side * side, INFINITY);
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

/* ---- asking
 * --------------------------------------------------------------------------------------- */

typedef void (*ask_fn)(rays *r, const bench_mesh *mesh, const void *peer);

static void ask_first(rays *r, const bench_mesh *mesh, const void *peer)
{
    bvp_body body = {mesh->file, 0, NULL};
    (void)peer;
    for (size_t i = 0; i < r->count; i++)
        bench_require(bvp_ray_first(&body, &r->ours[i], &r->hits[i], NULL), "ray");
}

static void ask_first_batch(rays *r, const bench_mesh *mesh, const void *peer)
{
    bvp_body body = {mesh->file, 0, NULL};
    (void)peer;
    bench_require(bvp_ray_first_batch(&body, r->ours, 0, r->count, r->hits, 0, NULL, NULL), "rays");
}

static void ask_any(rays *r, const bench_mesh *mesh, const void *peer)
{
    bvp_body body = {mesh->file, 0, NULL};
    (void)peer;
    for (size_t i = 0; i < r->count; i++) {
        bench_require(bvp_ray_any(&body, &r->ours[i], &r->any[i], NULL), "ray");
        r->hits[i].found = r->any[i];
    }
}

static void ask_any_batch(rays *r, const bench_mesh *mesh, const void *peer)
{
    bvp_body body = {mesh->file, 0, NULL};
    (void)peer;
    bench_require(bvp_ray_any_batch(&body, r->ours, 0, r->count, r->any, 0, NULL, NULL), "rays");
}

static void peer_first(rays *r, const bench_mesh *mesh, const void *peer)
{
    (void)mesh;
    for (size_t i = 0; i < r->count; i++)
        r->peer[i] = peer_embree->first(peer, r->origin[i], r->direction[i], r->t_max);
}

static void peer_any(rays *r, const bench_mesh *mesh, const void *peer)
{
    (void)mesh;
    for (size_t i = 0; i < r->count; i++)
        r->peer[i] = peer_embree->any(peer, r->origin[i], r->direction[i], r->t_max) ? 1 : -1;
}

enum { MEDIUM, ROBUST, PEERS };

/* How many rays hit for only one of the two, or at different places. */
static size_t differences(const rays *r, int compare_t)
{
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++) {
        const int theirs = r->peer[i] >= 0, ours = r->hits[i].found;
        count += ours != theirs ||
                 (ours && compare_t && fabs(r->hits[i].t - r->peer[i]) > 1e-4 * fabs(r->peer[i]));
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
    s.peer += from;
    return s;
}

/* Who is timed: we, in two ways, and the peers. */
enum { CONTENDERS = 2 + PEERS };

typedef struct contender {
    ask_fn ask;
    const void *peer;
    double seconds; /* of all slices, each at its best */
    size_t differ;
} contender;

/* All take turns at a slice: what else the machine does falls on all alike, and the best of some
 * rounds is without most of it. Between our two ways comes a peer, which has the caches to itself
 * then. */
static void time_slice(rays *s, const bench_mesh *mesh, contender all[CONTENDERS], int compare_t)
{
    static const int order[CONTENDERS] = {0, 2 + MEDIUM, 1, 2 + ROBUST};
    double best[CONTENDERS];
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < CONTENDERS; i++) {
            const int k = order[i];
            if (k >= 2 && !all[k].peer)
                continue;
            const double start = now();
            all[k].ask(s, mesh, all[k].peer);
            const double seconds = now() - start;
            best[k] = round == 0 ? seconds : fmin(best[k], seconds);
            if (k >= 2 && round == 0)
                all[k].differ += differences(s, compare_t);
        }
    for (int k = 0; k < CONTENDERS; k++)
        if (k < 2 || all[k].peer)
            all[k].seconds += best[k];
}

static void report(rays *r, const bench_mesh *mesh, void *const peers[PEERS], ask_fn one,
                   ask_fn batch, ask_fn theirs, int compare_t)
{
    contender all[CONTENDERS] = {{.ask = one}, {.ask = batch}};
    double rate[CONTENDERS];
    size_t hits = 0;
    for (int k = 0; k < PEERS; k++)
        all[2 + k] = (contender){.ask = theirs, .peer = peers[k]};
    for (size_t from = 0; from < r->count; from += SLICE) {
        rays s = slice(r, from, r->count - from < SLICE ? r->count - from : SLICE);
        time_slice(&s, mesh, all, compare_t);
    }
    for (size_t i = 0; i < r->count; i++)
        hits += r->hits[i].found != 0;
    for (int k = 0; k < CONTENDERS; k++)
        rate[k] = (double)r->count / all[k].seconds * 1e-6;
    printf("%s,%llu,%zu,%zu,%.3f,%.3f,", r->name, (unsigned long long)mesh->triangle_count,
           r->count, hits, rate[0], rate[1]);
    if (peers[MEDIUM])
        printf("%.3f,%.3f,%.2f,%.2f,%.2f,%zu,%zu\n", rate[2 + MEDIUM], rate[2 + ROBUST],
               rate[0] / rate[2 + MEDIUM], rate[1] / rate[2 + MEDIUM], rate[0] / rate[2 + ROBUST],
               all[2 + MEDIUM].differ, all[2 + ROBUST].differ);
    else
        printf(",,,,,,\n");
    fflush(stdout);
}

/* C: sources within 10 % of the box around the surface; floats, as the peer takes them. */
typedef struct sources {
    size_t count;
    double (*points)[3];
    bvp_closest_result *found;
    double *theirs;
} sources;

static void sources_new(sources *s, const bench_mesh *mesh, size_t count)
{
    double lo[3], hi[3];
    uint64_t state = 12345;
    bounds_of(mesh, lo, hi);
    s->count = count;
    s->points = allocate(count, sizeof *s->points);
    s->found = allocate(count, sizeof *s->found);
    s->theirs = allocate(count, sizeof *s->theirs);
    for (size_t i = 0; i < count; i++) {
        const float *p = mesh->positions + 9 * (bench_random(&state) % mesh->triangle_count);
        for (int a = 0; a < 3; a++)
            s->points[i][a] = (double)(float)((double)p[a] + 0.1 * (hi[a] - lo[a]) *
                                                                 (2 * bench_uniform(&state) - 1));
    }
}

static void sources_free(sources *s)
{
    free(s->points);
    free(s->found);
    free(s->theirs);
}

static void ask_closest(const sources *s, size_t from, size_t count, const bench_mesh *mesh)
{
    bvp_body body = {mesh->file, 0, NULL};
    for (size_t i = from; i < from + count; i++)
        bench_require(bvp_closest(&body, s->points[i], INFINITY, &s->found[i], NULL), "closest");
}

static void ask_closest_batch(const sources *s, size_t from, size_t count, const bench_mesh *mesh)
{
    bvp_body body = {mesh->file, 0, NULL};
    bench_require(bvp_closest_batch(&body, s->points[from], 0, count, INFINITY, s->found + from, 0,
                                    NULL, NULL),
                  "closest points");
}

static void ask_closest_peer(const sources *s, size_t from, size_t count, const void *peer)
{
    for (size_t i = from; i < from + count; i++) {
        const float point[3] = {(float)s->points[i][0], (float)s->points[i][1],
                                (float)s->points[i][2]};
        s->theirs[i] = peer_embree->closest(peer, point);
    }
}

/* One a call, batched, the peer: seconds of all slices, each at its best. */
static void time_closest(const sources *s, const bench_mesh *mesh, const void *peer,
                         double seconds[3])
{
    for (size_t from = 0; from < s->count; from += SLICE) {
        const size_t count = s->count - from < SLICE ? s->count - from : SLICE;
        double best[3] = {INFINITY, INFINITY, INFINITY};
        for (int round = 0; round < ROUNDS; round++) {
            double at[4] = {now()};
            ask_closest(s, from, count, mesh);
            at[1] = now();
            ask_closest_batch(s, from, count, mesh);
            at[2] = now();
            if (peer)
                ask_closest_peer(s, from, count, peer);
            at[3] = now();
            for (int k = 0; k < 3; k++)
                best[k] = fmin(best[k], at[k + 1] - at[k]);
        }
        for (int k = 0; k < 3; k++)
            seconds[k] += best[k];
    }
}

static void report_closest(const bench_mesh *mesh, size_t count, const void *peer)
{
    sources s;
    double seconds[3] = {0}, rate[3];
    size_t differ = 0;
    sources_new(&s, mesh, count);
    time_closest(&s, mesh, peer, seconds);
    for (int k = 0; k < 3; k++)
        rate[k] = (double)count / seconds[k] * 1e-6;
    printf("C,%llu,%zu,%zu,%.3f,%.3f,", (unsigned long long)mesh->triangle_count, count, count,
           rate[0], rate[1]);
    for (size_t i = 0; peer && i < count; i++)
        differ += !(fabs(s.found[i].distance - s.theirs[i]) <= 1e-4 * SIDE);
    if (peer)
        printf("%.3f,,%.2f,%.2f,,%zu,\n", rate[2], rate[0] / rate[2], rate[1] / rate[2], differ);
    else
        printf(",,,,,,\n");
    sources_free(&s);
}

/* protocols: letters of those to run. */
static void run(const bench_mesh *mesh, void *const peers[PEERS], size_t count,
                const char *protocols)
{
    rays r;
    printf("protocol,triangles,rays,hits,one_a_call,batched,embree_medium,embree_robust,"
           "one_over_medium,batched_over_medium,one_over_robust,differ_medium,differ_robust\n");
    if (strchr(protocols, 'P')) {
        make_primary(&r, mesh, count);
        report(&r, mesh, peers, ask_first, ask_first_batch, peer_first, 1);
        rays_free(&r);
    }
    if (strchr(protocols, 'S')) {
        make_segments(&r, mesh, "S", count);
        report(&r, mesh, peers, ask_first, ask_first_batch, peer_first, 1);
        rays_free(&r);
    }
    if (strchr(protocols, 'A')) {
        make_segments(&r, mesh, "A", count);
        report(&r, mesh, peers, ask_any, ask_any_batch, peer_any, 0);
        rays_free(&r);
    }
    if (strchr(protocols, 'C'))
        report_closest(mesh, count / 5, peers[MEDIUM]);
}

int main(int argc, char **argv)
{
    const size_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
    bench_mesh mesh;
    void *peers[PEERS] = {NULL};
    if (argc < 2 || argc > 4 || count < 5) {
        fprintf(stderr, "usage: bench_rays MODEL.bvp [RAYS [PROTOCOLS]]\n");
        return 2;
    }
    bench_mesh_load(&mesh, argv[1], SIDE);
    for (int k = 0; peer_embree && k < PEERS; k++)
        peers[k] = peer_embree->make(mesh.positions, mesh.triangle_count, k == ROBUST);
    run(&mesh, peers, count, argc > 3 ? argv[3] : "PSAC");
    for (int k = 0; peer_embree && k < PEERS; k++)
        peer_embree->drop(peers[k]);
    bench_mesh_free(&mesh);
    return 0;
}
