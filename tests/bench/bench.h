/* SPDX-License-Identifier: MIT
 * bench.h: what the benchmark's parts share: meshes as the peers want them, poses, the clock.
 */
#ifndef BENCH_H
#define BENCH_H

#include "bvpack.h"
#include "peer.h"

#include <stdint.h>

/* A mesh as floats, packed and opened: what we and the peers are asked about is the same. */
typedef struct bench_mesh {
    float *positions; /* triangle_count * 9 */
    uint64_t triangle_count;
    bvp_file *file; /* one part, its origin at zero */
} bench_mesh;

/* Reads a packed file, all instances in their places as one mesh; its box centred at the origin and
 * its largest side scaled to `side`, in double, rounded to float. Ends the program on failure. */
void bench_mesh_load(bench_mesh *mesh, const char *path, double side);
/* The same of a mesh that lies in memory, as it is; takes over `positions`, which malloc gave. */
void bench_mesh_take(bench_mesh *mesh, float *positions, uint64_t triangle_count);
void bench_mesh_free(bench_mesh *mesh);
struct bvp_hierarchy_spec;
/* A soup packed with one hierarchy, NULL: the default one; opened. */
bvp_file *bench_pack(const float *positions, uint64_t triangle_count,
                     const struct bvp_hierarchy_spec *hierarchy);
/* The same with a hierarchy for rays, by default options. */
bvp_file *bench_pack_rays(const float *positions, uint64_t triangle_count);

double bench_now(void);        /* seconds */
double bench_thread_now(void); /* seconds that this thread had a processor for */
/* splitmix64, and a double in [0, 1) of it. */
uint64_t bench_random(uint64_t *state);
double bench_uniform(uint64_t *state);

/* What exact arithmetic says of pairs that only one of two libraries reports. */
typedef struct bench_verdicts {
    uint64_t cross, touch, apart; /* they cross, merely touch, or do not meet */
    uint64_t unknown;             /* built without GMP */
} bench_verdicts;

/* Asks both for all pairs in one pose and judges those that one of them lacks; verdicts add up. */
void bench_judge(const bench_mesh *a, const bench_mesh *b, const double placement[12],
                 const peer_pairs *peer, const void *peer_a, const void *peer_b,
                 bench_verdicts *only_ours, bench_verdicts *only_theirs);

/* Do the two meet in one pose? Judged over the pairs that either of us reports: a pair that neither
 * sees is not there. Not known without GMP, or where nobody can say pairs. */
typedef struct bench_truth {
    int known, meet;
} bench_truth;

bench_truth bench_truth_of(const bench_mesh *a, const bench_mesh *b, const double placement[12],
                           const peer_pairs *peer, const void *peer_a, const void *peer_b);

/* Bytes that malloc has given out. */
uint64_t bench_allocated(void);

/* Ends the program with a message when the library fails. */
void bench_require(bvp_status status, const char *what);

#endif
