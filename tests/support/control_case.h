/* SPDX-License-Identifier: MIT
 * control_case.h: every query of one file, its answer as numbers, and how long it goes on between
 * two looks at its control.
 */
#ifndef CONTROL_CASE_H
#define CONTROL_CASE_H

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "build_case.h"
#include "bvpack_clash.h"
#include "suite.h"

/* ---- files ----------------------------------------------------------------------------------- */

/* A part in all kinds, and four instances of it, near one another. */
static inline case_file make_scene(uint64_t *state, uint32_t triangles, double size)
{
    static const bvp_hierarchy_spec specs[] = {{.kind = BVP_KIND_WIDE},
                                               {.kind = BVP_KIND_BOXTREE},
                                               {.kind = BVP_KIND_AABB},
                                               {.kind = BVP_KIND_OBB},
                                               {.kind = BVP_KIND_RSS}};
    const bvp_build_options options = {.hierarchies = specs, .hierarchy_count = 5};
    float *soup = case_soup(state, triangles, size, size / 10);
    const bvp_mesh mesh = case_mesh(soup, triangles);
    bvp_builder *builder;
    uint32_t part, node;
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    for (int i = 0; i < 4; i++) {
        const double at[12] = {1, 0, 0, 0.3 * i * size, 0, 1, 0, 0.1 * i * size, 0, 0, 1, 0};
        ck_assert_int_eq(
            bvp_builder_add_node(builder,
                                 &(bvp_new_node){.parent = BVP_NONE, .placement = at, .part = part},
                                 &node, NULL),
            BVP_OK);
    }
    free(soup);
    return case_finish(builder);
}

/* ---- every query ----------------------------------------------------------------------------- */

/* An answer as numbers, for comparison. */
typedef struct answer {
    bvp_status status;
    double number[8];
    uint64_t count, sum; /* of what was given to a callback or an array */
} answer;

static inline int take_pair(void *user, const bvp_pair *pair)
{
    answer *a = user;
    a->count++;
    a->sum += (pair->a.triangle + 1) * 31 + pair->b.triangle;
    return 0;
}

static inline int take_hit(void *user, const bvp_hit_id *id)
{
    answer *a = user;
    a->count++;
    a->sum += id->triangle + 1;
    return 0;
}

static inline int take_candidate(void *user, const bvp_hit_id *id, const double corners[9])
{
    (void)corners;
    return take_hit(user, id);
}

static inline int take_ray_hit(void *user, const bvp_ray_hit *hit)
{
    answer *a = user;
    a->count++;
    a->sum += hit->id.triangle + 1;
    return 0;
}

static inline void take_distance(answer *a, const bvp_distance_result *d)
{
    a->number[0] = d->found;
    a->number[1] = d->found ? d->distance : 0;
    a->number[2] = d->found ? d->lower : 0;
}

enum {
    COLLIDE,
    PAIRS,
    PAIRS_ARRAY,
    DISTANCE,
    WITHIN,
    COLLIDE_WARM,
    DISTANCE_WARM,
    WITHIN_WARM,
    COLLIDE_BATCH,
    DISTANCE_BATCH,
    RAY_FIRST,
    RAY_ANY,
    RAY_ALL,
    RAY_BATCH,
    CLOSEST,
    CLOSEST_BATCH,
    SIGNED_CLOSEST,
    OVERLAP,
    CANDIDATES,
    IN_BOX,
    IN_BOX_BY_TRIANGLES,
    NEAREST,
    QUESTIONS
};

enum { RAYS = 40 };

static inline void ask_pair(int which, const bvp_body *a, const bvp_body *b, answer *out,
                            bvp_stats *stats)
{
    static bvp_pair pairs[1 << 14];
    bvp_warm_start warm = {.front = NULL};
    uint64_t memory[4096];
    double at[3][12];
    int hit = 0, hits[3] = {0, 0, 0};
    size_t done = 0;
    bvp_distance_result d = {.found = 7}, all[3] = {{.found = 0}};
    uint64_t count = 0;
    for (int k = 0; k < 3; k++) {
        memcpy(at[k], b->placement, sizeof at[k]);
        at[k][3] += 0.01 * k;
    }
    memset(memory, 0, sizeof memory);
    warm.front = memory;
    warm.front_size = sizeof memory;
    switch (which) {
    case COLLIDE:
        out->status = bvp_collide(a, b, &hit, stats);
        break;
    case PAIRS:
        out->status = bvp_pairs_each(a, b, take_pair, out, &count, stats);
        ck_assert_uint_eq(count, out->count);
        break;
    case PAIRS_ARRAY:
        out->status = bvp_pairs(a, b, pairs, 1 << 14, &count, stats);
        for (uint64_t k = 0; k < count; k++)
            take_pair(out, &pairs[k]);
        break;
    case DISTANCE:
        out->status = bvp_distance(a, b, INFINITY, &d, stats);
        take_distance(out, &d);
        break;
    case WITHIN:
        out->status = bvp_within(a, b, 0.2, &hit, &d, stats);
        take_distance(out, &d);
        break;
    case COLLIDE_WARM:
        out->status = bvp_collide_warm(a, b, &warm, &hit, stats);
        break;
    case DISTANCE_WARM:
        out->status = bvp_distance_warm(a, b, INFINITY, &warm, &d, stats);
        take_distance(out, &d);
        break;
    case WITHIN_WARM:
        out->status = bvp_within_warm(a, b, 0.2, &warm, &hit, stats);
        break;
    case COLLIDE_BATCH:
        out->status = bvp_collide_batch(a, b, (bvp_const_array){at[0], 0, 3},
                                        (bvp_array){hits, 0, 3}, &done, stats);
        break;
    case DISTANCE_BATCH:
        out->status = bvp_distance_batch(a, b, (bvp_const_array){at[0], 0, 3}, INFINITY,
                                         (bvp_array){all, 0, 3}, &done, stats);
        for (size_t k = 0; k < done; k++)
            out->number[4 + k] = all[k].distance;
        break;
    }
    out->number[3] = hit + 2 * hits[0] + 4 * hits[1] + 8 * hits[2] + 16 * (double)done;
}

static inline void take_ray(answer *out, const bvp_ray_hit *hit)
{
    out->number[0] += hit->found;
    out->number[1] += hit->found ? hit->t : 0;
}

static inline void ask_one(int which, const bvp_body *a, answer *out, bvp_stats *stats)
{
    const bvp_ray ray = {{-1, 0.15, 0.25}, {1, 0.01, -0.02}, 0, INFINITY};
    const double point[3] = {0.3, 0.6, 1.7}, lo[3] = {0.1, 0.1, 0.1}, hi[3] = {0.4, 0.5, 0.6};
    bvp_ray rays[RAYS];
    bvp_ray_hit hit = {.found = 7}, hits[RAYS];
    bvp_closest_result near = {.found = 7}, nearest[4];
    bvp_signed_result with_sign = {.inside = {.winding = 7}};
    uint32_t instances[4];
    uint64_t count = 0;
    size_t done = 0;
    int any = 7;
    for (int k = 0; k < RAYS; k++) {
        rays[k] = ray;
        rays[k].origin[1] += 0.001 * k;
    }
    switch (which) {
    case RAY_FIRST:
        out->status = bvp_ray_first(a, &ray, &hit, stats);
        take_ray(out, &hit);
        break;
    case RAY_ANY:
        out->status = bvp_ray_any(a, &ray, &any, stats);
        out->number[0] = any;
        break;
    case RAY_ALL:
        out->status = bvp_ray_all(a, &ray, take_ray_hit, out, &count, stats);
        break;
    case RAY_BATCH:
        out->status = bvp_ray_first_batch(a, (bvp_const_array){rays, 0, RAYS},
                                          (bvp_array){hits, 0, RAYS}, &done, stats);
        for (size_t k = 0; k < done; k++)
            take_ray(out, &hits[k]);
        break;
    case CLOSEST:
        out->status = bvp_closest(a, point, INFINITY, &near, stats);
        out->number[0] = near.found;
        out->number[1] = near.found ? near.distance : 0;
        break;
    case CLOSEST_BATCH:
        out->status = bvp_closest_batch(a, (bvp_const_array){point, 0, 1}, INFINITY,
                                        (bvp_array){&near, 0, 1}, &done, stats);
        out->number[0] = near.found;
        out->number[1] = near.found ? near.distance : 0;
        break;
    case SIGNED_CLOSEST:
        out->status =
            bvp_signed_closest(a, (double[3]){0.3, 0.4, 0.3}, INFINITY, &with_sign, stats);
        out->number[0] = with_sign.nearest.found;
        out->number[1] = with_sign.nearest.found ? with_sign.nearest.distance : 0;
        out->number[2] = with_sign.inside.where;
        break;
    case OVERLAP:
        out->status = bvp_overlap(a, bvp_ball_region(point, 1.3), take_hit, out, &count, stats);
        break;
    case CANDIDATES:
        out->status = bvp_candidates_box(a, lo, hi, take_candidate, out, &count, stats);
        break;
    case IN_BOX:
    case IN_BOX_BY_TRIANGLES:
        out->status = bvp_instances_in(a, bvp_box_region(lo, hi), which == IN_BOX_BY_TRIANGLES,
                                       (bvp_array){instances, 0, 4}, &out->count, stats);
        for (uint64_t k = 0; k < out->count; k++)
            out->sum += instances[k] + 1;
        break;
    case NEAREST:
        out->status = bvp_nearest_instances(a, point, INFINITY, (bvp_array){nearest, 0, 4},
                                            &out->count, stats);
        for (uint64_t k = 0; k < out->count; k++)
            out->number[k] = nearest[k].distance;
        break;
    }
    out->number[7] = (double)done;
}

/* b: NULL: the instances of a against one another. */
static inline answer ask(int which, const bvp_file *file, uint32_t part, bool self,
                         const bvp_control *control, bvp_stats *stats)
{
    const double turned[12] = {cos(0.5), -sin(0.5), 0, 0.6, sin(0.5), cos(0.5),
                               0,        0.2,       0, 0,   1,        1.2};
    const bvp_body a = {.file = file, .part = part, .control = control};
    const bvp_body b = {.file = file, .part = part, .placement = turned};
    answer out;
    memset(&out, 0, sizeof out);
    if (which >= RAY_FIRST)
        ask_one(which, &a, &out, stats);
    else if (!self)
        ask_pair(which, &a, &b, &out, stats);
    else
        out.status = bvp_pairs_each(&a, NULL, take_pair, &out, &(uint64_t){0}, stats);
    return out;
}

static inline bool is_asked(int which, uint32_t part, bool self)
{
    const bool of_assembly = which == IN_BOX || which == IN_BOX_BY_TRIANGLES || which == NEAREST;
    return (part == BVP_ASSEMBLY || !of_assembly) && (!self || (which == PAIRS && part != 0));
}

/* ---- how soon it is noticed ------------------------------------------------------------------ */

/* Processor time of this thread, which other programs on the machine do not lengthen. */
static inline double seconds_used(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

typedef struct watch {
    double begin, last, longest, most; /* seconds */
    uint64_t looks;
} watch;

static inline int look(void *user)
{
    watch *w = user;
    const double now = seconds_used();
    w->longest = fmax(w->longest, now - w->last);
    w->last = now;
    w->looks++;
    return now - w->begin > w->most;
}

static inline watch watch_begin(double most)
{
    watch w = {.begin = seconds_used(), .most = most};
    w.last = w.begin;
    return w;
}

/* 10 ms are promised; a sanitized program on a busy machine gets more. */
static inline void watch_end(watch *w, const char *what, bvp_status status)
{
    look(w);
    printf("%-30s %-10s %7" PRIu64 " looks in %.3f s, the longest time between two %.3f ms\n", what,
           bvp_status_name(status), w->looks, w->last - w->begin, w->longest * 1e3);
    ck_assert_double_le(w->longest, 0.1);
}

#endif
