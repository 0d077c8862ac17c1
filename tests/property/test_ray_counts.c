/* SPDX-License-Identifier: MIT
 * test_ray_counts.c: what rays cost, counted, not timed: on fixed scenes no set of rays may open
 * more nodes or test more than is written here, with any instruction set.
 */
#include "count_scene.h"
#include "suite.h"

#include <stdio.h>

enum { SIDE = 24, RAYS = SIDE * SIDE };

typedef enum question { FIRST, ANY, ALL } question;

/* From a plane beside the part, row by row, or from anywhere in its box to anywhere in it. */
typedef enum pattern { PARALLEL, CROSSING } pattern;

/* Doubles of 1/4096, so that no library's last bit matters. */
static double next(uint32_t *state)
{
    *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
    return (double)(*state >> 20) / 4096;
}

static void make_rays(const bvp_file *file, uint32_t part, pattern how, bvp_ray rays[RAYS])
{
    bvp_part_info info;
    uint32_t state = 7;
    ck_assert_int_eq(bvp_get_part(file, part, &info), BVP_OK);
    for (int i = 0; i < RAYS; i++) {
        bvp_ray *r = &rays[i];
        *r = (bvp_ray){.t_max = how == PARALLEL ? INFINITY : 1};
        for (int a = 0; a < 3; a++) {
            const double lo = (double)info.lo[a], size = (double)info.hi[a] - lo;
            const double at = a == 0 ? (i % SIDE + 0.5) / SIDE : (i / SIDE + 0.5) / SIDE;
            r->origin[a] = how == CROSSING ? lo + size * next(&state)
                           : a == 2        ? lo - 1
                                           : lo + size * at;
            r->direction[a] = how == CROSSING ? lo + size * next(&state) - r->origin[a]
                                              : (const double[]){0.0625, -0.125, 1}[a];
        }
    }
}

static int go_on(void *user, const bvp_ray_hit *hit)
{
    (void)user;
    (void)hit;
    return 0;
}

static bvp_stats ask(const bvp_body *body, const bvp_ray rays[RAYS], question what)
{
    bvp_stats stats = {0};
    for (int i = 0; i < RAYS; i++) {
        bvp_ray_hit hit;
        uint64_t count;
        int any;
        const bvp_status status = what == FIRST ? bvp_ray_first(body, &rays[i], &hit, &stats)
                                  : what == ANY
                                      ? bvp_ray_any(body, &rays[i], &any, &stats)
                                      : bvp_ray_all(body, &rays[i], go_on, NULL, &count, &stats);
        ck_assert_int_eq(status, BVP_OK);
    }
    return stats;
}

/* What some rays may cost together at most. */
typedef struct limit {
    uint32_t part;
    pattern how;
    question what;
    uint64_t nodes, leaves, triangles;
} limit;

static const limit limits[] = {
#include "ray_counts.h"
};

static void check(const limit *l, const bvp_stats *s)
{
    printf("    {%u, %s, %s, %llu, %llu, %llu},\n", l->part,
           l->how == PARALLEL ? "PARALLEL" : "CROSSING",
           (const char *[]){"FIRST", "ANY", "ALL"}[l->what], (unsigned long long)s->nodes,
           (unsigned long long)s->leaves, (unsigned long long)s->triangles);
    ck_assert_uint_le(s->nodes, l->nodes);
    ck_assert_uint_le(s->leaves, l->leaves);
    ck_assert_uint_le(s->triangles, l->triangles);
}

START_TEST(rays_cost_no_more_than_before)
{
    static bvp_ray rays[RAYS];
    for (int baseline = 0; baseline < 2; baseline++) {
        bvp_file *file = count_scene_open(baseline);
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
            const limit *l = &limits[k];
            const bvp_body body = {.file = file, .part = l->part};
            make_rays(file, l->part, l->how, rays);
            const bvp_stats stats = ask(&body, rays, l->what);
            check(l, &stats);
        }
        bvp_close(file);
    }
}
END_TEST

SUITE(test_ray_counts)
{
    const TTest *const list[] = {rays_cost_no_more_than_before, NULL};
    return suite_run_within("ray_counts", 60, list);
}
