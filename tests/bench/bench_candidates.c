/* SPDX-License-Identifier: MIT
 * bench_candidates.c: what a physics engine asks for every moving body in every step: the triangles
 * near its box, with their corners in the world. bvp_candidates_box beside what an adapter did
 * without it, bvp_overlap and bvp_get_triangle; checks that both agree.
 * Usage: bench_candidates ASSEMBLY.bvp [SIDE [BOXES]]: cubes of that side near the surface
 */
#include "bench.h"
#include "bench_rounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct box {
    double lo[3], hi[3];
} box;

typedef struct scene {
    bvp_body body;
    double (*placement)[12]; /* of the instances */
    uint32_t instance_count;
    box *boxes;
    double side;
} scene;

/* ---- the two ways ---------------------------------------------------------------------------- */

/* What an engine's callback does at least: it reads the corners. */
typedef struct sum {
    const scene *scene;
    double corners;
    uint64_t count;
} sum;

static void place(const double m[12], const float from[9], double out[9])
{
    for (int k = 0; k < 9; k++) {
        const double *row = m + 4 * (k % 3);
        const float *p = from + k / 3 * 3;
        out[k] = row[0] * (double)p[0] + row[1] * (double)p[1] + row[2] * (double)p[2] + row[3];
    }
}

static int take_corners(void *user, const bvp_hit_id *id, const double corners[9])
{
    sum *s = user;
    (void)id;
    for (int k = 0; k < 9; k++)
        s->corners += corners[k];
    s->count++;
    return 0;
}

static int fetch_corners(void *user, const bvp_hit_id *id)
{
    const sum *s = user;
    float position[9];
    double corners[9];
    uint64_t source;
    bench_require(bvp_get_triangle(s->scene->body.file, id->part, id->triangle, position, &source),
                  "triangle");
    place(s->scene->placement[id->instance], position, corners);
    return take_corners(user, id, corners);
}

static double ask_candidates(const void *user, int idx)
{
    const scene *s = user;
    const box *b = &s->boxes[idx];
    sum sum = {.scene = s};
    bench_require(bvp_candidates_box(&s->body, b->lo, b->hi, take_corners, &sum, NULL, NULL),
                  "candidates");
    return (double)sum.count;
}

static double ask_overlap(const void *user, int idx)
{
    const scene *s = user;
    const box *b = &s->boxes[idx];
    sum sum = {.scene = s};
    bench_require(
        bvp_overlap(&s->body, bvp_box_region(b->lo, b->hi), fetch_corners, &sum, NULL, NULL),
        "overlap");
    return (double)sum.count;
}

/* ---- do they agree? -------------------------------------------------------------------------- */

typedef struct ids {
    const scene *scene;
    bvp_hit_id *at;
    double (*corners)[9]; /* or NULL */
    uint64_t count, capacity;
} ids;

static int keep(void *user, const bvp_hit_id *id)
{
    ids *list = user;
    if (list->count < list->capacity)
        list->at[list->count] = *id;
    return list->count++ + 1 >= list->capacity;
}

static int keep_corners(void *user, const bvp_hit_id *id, const double corners[9])
{
    ids *list = user;
    if (list->count < list->capacity)
        memcpy(list->corners[list->count], corners, sizeof *list->corners);
    return keep(user, id);
}

static int same_triangle(const bvp_hit_id *a, const bvp_hit_id *b)
{
    return a->instance == b->instance && a->triangle == b->triangle && a->id == b->id;
}

/* Boxes of which the candidates lack a triangle that touches, or have other corners. */
static int count_wrong(const scene *s, int count)
{
    enum { MOST = 1 << 20 };
    ids all = {s, calloc(MOST, sizeof(bvp_hit_id)), calloc(MOST, sizeof(double[9])), 0, MOST};
    ids touching = {s, calloc(MOST, sizeof(bvp_hit_id)), NULL, 0, MOST};
    int wrong = 0;
    if (!all.at || !all.corners || !touching.at)
        exit(1);
    for (int i = 0; i < count; i++) {
        const box *b = &s->boxes[i];
        uint64_t next = 0;
        all.count = touching.count = 0;
        bench_require(bvp_candidates_box(&s->body, b->lo, b->hi, keep_corners, &all, NULL, NULL),
                      "candidates");
        bench_require(
            bvp_overlap(&s->body, bvp_box_region(b->lo, b->hi), keep, &touching, NULL, NULL),
            "overlap");
        for (uint64_t k = 0; k < all.count; k++) {
            sum fetched = {.scene = s}, given = {.scene = s};
            if (next < touching.count && same_triangle(&all.at[k], &touching.at[next]))
                next++;
            fetch_corners(&fetched, &all.at[k]);
            take_corners(&given, &all.at[k], all.corners[k]);
            wrong += fetched.corners != given.corners;
        }
        wrong += next != touching.count;
    }
    free(all.at);
    free(all.corners);
    free(touching.at);
    return wrong;
}

/* ---- scene ----------------------------------------------------------------------------------- */

static void make_scene(scene *s, const char *path, int count)
{
    bvp_file *file;
    bvp_error error;
    bvp_file_info info;
    uint64_t seed = 12345;
    if (bvp_open(path, NULL, &file, &error) != BVP_OK) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        exit(1);
    }
    bvp_get_info(file, &info);
    s->body = (bvp_body){.file = file, .part = BVP_ASSEMBLY};
    s->instance_count = info.instance_count;
    s->placement = calloc(info.instance_count, sizeof *s->placement);
    s->boxes = calloc((size_t)count, sizeof *s->boxes);
    uint32_t *parts = calloc(info.instance_count, sizeof *parts);
    if (!s->placement || !s->boxes || !parts || info.instance_count == 0)
        exit(1);
    for (uint32_t i = 0; i < info.instance_count; i++) {
        bvp_instance_info instance;
        bench_require(bvp_get_instance(file, i, &instance), "instance");
        memcpy(s->placement[i], instance.placement, sizeof instance.placement);
        parts[i] = instance.part;
    }
    for (int i = 0; i < count; i++) { /* its centre within `side` of a random triangle's corner */
        const uint32_t instance = (uint32_t)(bench_random(&seed) % info.instance_count);
        bvp_part_info part;
        float position[9];
        double world[9];
        uint64_t source;
        bench_require(bvp_get_part(file, parts[instance], &part), "part");
        bench_require(bvp_get_triangle(file, parts[instance],
                                       bench_random(&seed) % part.triangle_count, position,
                                       &source),
                      "triangle");
        place(s->placement[instance], position, world);
        for (int a = 0; a < 3; a++) {
            const double centre = world[a] + (bench_uniform(&seed) - .5) * s->side;
            s->boxes[i].lo[a] = centre - s->side / 2;
            s->boxes[i].hi[a] = centre + s->side / 2;
        }
    }
    free(parts);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_candidates ASSEMBLY.bvp [SIDE [BOXES]]\n");
        return 2;
    }
    const int count = argc > 3 ? atoi(argv[3]) : 2000;
    scene s = {.side = argc > 2 ? atof(argv[2]) : .3};
    bench_contender all[] = {
        {.name = "bvp_candidates_box", .ask = ask_candidates, .user = &s},
        {.name = "bvp_overlap + bvp_get_triangle", .ask = ask_overlap, .user = &s}};
    if (count < 1 || !(s.side > 0))
        return 2;
    make_scene(&s, argv[1], count);
    const int wrong = count_wrong(&s, count);
    const int asked = bench_rounds(all, 2, count, bench_limit());
    printf("side,who,boxes,us,triangles,ns_a_triangle,times_slower,times_slower_q1,"
           "times_slower_q3,times_slower_worst,boxes_that_differ\n");
    for (int k = 0; k < 2; k++) {
        const double us = bench_us(&all[k], asked).median;
        double triangles = 0;
        for (int i = 0; i < asked; i++)
            triangles += all[k].answers[i];
        printf("%g,%s,%d,%.4g,%.4g,%.4g", s.side, all[k].name, asked, us, triangles / asked,
               1e3 * us * asked / triangles);
        if (k == 0) {
            printf(",,,,,%d\n", wrong);
            continue;
        }
        const bench_quartiles q = bench_ratio(&all[0], &all[k], asked);
        printf(",%.4g,%.4g,%.4g,%.4g,\n", q.median, q.q1, q.q3,
               bench_worst(&all[0], &all[k], asked));
    }
    bench_rounds_free(all, 2);
    bvp_close((bvp_file *)s.body.file);
    free(s.placement);
    free(s.boxes);
    return wrong != 0;
}
