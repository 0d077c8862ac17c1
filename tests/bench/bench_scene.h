/* SPDX-License-Identifier: MIT
 * bench_scene.h: two bodies, where the second one stands, and the peers' models of both.
 */
#ifndef BENCH_SCENE_H
#define BENCH_SCENE_H

#include "bench.h"
#include "peer.h"

enum { BENCH_PEERS_MAX = 6, BENCH_VARIANTS_MAX = 2 };

typedef enum bench_kind {
    BENCH_COLLIDE,
    BENCH_PAIRS,
    BENCH_DISTANCE,
    BENCH_WITHIN,
    BENCH_KINDS
} bench_kind;

/* The same two bodies in other hierarchies of ours. */
typedef struct bench_variant {
    const char *name;
    bvp_file *a, *b;
} bench_variant;

typedef struct bench_scene {
    const char *name;
    const bench_mesh *a, *b;
    double (*placements)[12]; /* of b, in the order of asking */
    int count;
    double delta;     /* for "within" */
    double limit;     /* seconds a question may take: who needs more is stopped; 0: no limit */
    unsigned skipped; /* bits of bench_kind that are not asked */
    int variant_count;
    bench_variant variants[BENCH_VARIANTS_MAX];
} bench_scene;

/* The peers that are installed and can take meshes of this size. */
typedef struct bench_rivals {
    int count;
    const peer_pairs *peer[BENCH_PEERS_MAX];
    void *a[BENCH_PEERS_MAX], *b[BENCH_PEERS_MAX]; /* one model when both are one mesh */
} bench_rivals;

void bench_rivals_make(bench_rivals *out, const bench_mesh *a, const bench_mesh *b);
void bench_rivals_drop(bench_rivals *rivals);

void bench_scene_header(void);
/* Asks the library and the rivals everything they know, prints a row of CSV for each, judges what
 * differs. Returns how many of our answers are wrong by exact arithmetic. */
uint64_t bench_scene_run(const bench_scene *scene, const bench_rivals *rivals);

#endif
