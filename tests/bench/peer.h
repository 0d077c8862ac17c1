/* SPDX-License-Identifier: MIT
 * peer.h: other libraries behind one interface; each lies in one file, linked when it is installed.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A pair of triangles that a peer says touch. */
typedef void (*peer_pair_fn)(void *user, uint64_t a, uint64_t b);

typedef struct peer_pairs {
    const char *name;
    void *(*make)(const float *positions, uint64_t triangle_count);
    void (*drop)(void *model);
    /* b at `placement` (row-major 3x4, rigid), a where it is */
    int (*collide)(const void *a, const void *b, const double placement[12]);
    uint64_t (*pairs)(const void *a, const void *b, const double placement[12],
                      peer_pair_fn callback, void *user);
    double (*distance)(const void *a, const void *b, const double placement[12]);
    /* both placed */
    int (*collide_placed)(const void *a, const double at_a[12], const void *b,
                          const double at_b[12]);
    double (*distance_placed)(const void *a, const double at_a[12], const void *b,
                              const double at_b[12]);
} peer_pairs;

typedef struct peer_rays {
    const char *name;
    /* robust: compact and watertight, else the peer's usual settings */
    void *(*make)(const float *positions, uint64_t triangle_count, int robust);
    void (*drop)(void *model);
    /* nearest hit's parameter, or a negative number */
    double (*first)(const void *model, const float origin[3], const float direction[3],
                    float t_max);
    int (*any)(const void *model, const float origin[3], const float direction[3], float t_max);
    double (*closest)(const void *model, const float point[3]); /* distance */
} peer_rays;

extern const peer_pairs *const peer_fcl;                     /* NULL when configured without */
extern const peer_pairs *const peer_bullet, *const peer_ode; /* likewise; collide only */
extern const peer_rays *const peer_embree;                   /* the same */

#ifdef __cplusplus
}
#endif
#endif
