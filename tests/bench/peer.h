/* SPDX-License-Identifier: MIT
 * peer.h: other libraries behind one interface; each lies in one file, linked when it is installed.
 * What a peer has no answer to is NULL.
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
    /* without it `distance` is compared with the limit */
    int (*within)(const void *a, const void *b, const double placement[12], double limit);
    /* the depth of the deepest contact; 0: none */
    double (*depth)(const void *a, const void *b, const double placement[12]);
} peer_pairs;

/* A ray as the peers take it; direction need not be of unit length. */
typedef struct peer_ray {
    float origin[3], t_max, direction[3];
} peer_ray;

/* Settings of a peer's model: watertight; with less memory. Not every peer has them. */
enum { PEER_ROBUST = 1, PEER_COMPACT = 2 };
/* How rays are handed over: one a call; eight a call; all of them in one. */
typedef enum peer_way { PEER_ONE, PEER_EIGHT, PEER_STREAM } peer_way;

typedef struct peer_rays {
    const char *name;
    void *(*make)(const float *positions, uint64_t triangle_count, int settings);
    /* the same of a mesh with shared vertices */
    void *(*make_indexed)(const float *positions, uint64_t vertex_count, const uint32_t *indices,
                          uint64_t triangle_count, int settings);
    void (*drop)(void *model);
    uint64_t (*bytes)(const void *model); /* where malloc does not see them, else NULL */
    /* nearest hit's parameter, or a negative number */
    double (*first)(const void *model, const float origin[3], const float direction[3],
                    float t_max);
    int (*any)(const void *model, const float origin[3], const float direction[3], float t_max);
    /* of each ray the nearest hit's parameter, or a negative number; any: whether there is one, 1
     * or -1. coherent: they go the same way. count is a multiple of 8 */
    void (*ask)(const void *model, peer_way way, int any, int coherent, const peer_ray *rays,
                uint64_t count, float *hits);
    double (*closest)(const void *model, const float point[3]); /* distance */
    /* builds and drops it again, indexed; low: the fastest, else the usual quality */
    void (*build)(const float *positions, uint64_t vertex_count, const uint32_t *indices,
                  uint64_t triangle_count, int low);
} peer_rays;

/* Many bodies, each of a peer_pairs' model at a rigid place. Pairs are of their numbers, in any
 * order. */
typedef struct peer_manager {
    const char *name;
    void *(*make)(void *const *models, const double (*placements)[12], uint32_t count);
    void (*drop)(void *manager);
    void (*collide)(void *manager, peer_pair_fn callback, void *user);
    /* all whose distance is at most `limit` */
    void (*within)(void *manager, double limit, peer_pair_fn callback, void *user);
} peer_manager;

/* A broad phase alone: many boxes that move, lo and hi of each. Pairs are of their numbers, in any
 * order. */
typedef struct peer_boxes {
    const char *name;
    void *(*make)(const double (*boxes)[6], uint32_t count);
    void (*drop)(void *manager);
    /* `moved` names those that have another box now; brings the tree up to date */
    void (*move)(void *manager, const double (*boxes)[6], const uint32_t *moved, uint32_t count);
    void (*pairs)(void *manager, peer_pair_fn callback, void *user);
} peer_boxes;

struct bvp_convex;
/* Solid shapes against a peer_pairs' model, which stays where it is. */
typedef struct peer_convex {
    const char *name;
    void *(*make)(const struct bvp_convex *convex); /* NULL: there is no such shape */
    void (*drop)(void *shape);
    int (*collide)(const void *model, const void *shape, const double placement[12]);
    double (*distance)(const void *model, const void *shape, const double placement[12]);
    /* Of two shapes, or two models, the second placed: the depth of the deepest contact; 0: none.
     */
    double (*depth)(const void *a, const void *b, const double placement[12]);
} peer_convex;

/* NULL when configured without. RSS: distance only; CGAL: collide only; Bullet and ODE: that and
 * depth. */
extern const peer_pairs *const peer_fcl, *const peer_fcl_rss, *const peer_pqp;
extern const peer_pairs *const peer_cgal, *const peer_bullet, *const peer_ode;
extern const peer_manager *const peer_fcl_manager; /* of peer_fcl's models */
/* The tree refitted and balanced after each step, or those that moved inserted again. */
extern const peer_boxes *const peer_fcl_refitted, *const peer_fcl_inserted;
extern const peer_convex *const peer_fcl_convex;    /* against peer_fcl's models */
extern const peer_convex *const peer_bullet_convex; /* boxes alone, as hulls: depth only */
extern const peer_rays *const peer_embree, *const peer_cgal_rays;

#ifdef __cplusplus
}
#endif
#endif
