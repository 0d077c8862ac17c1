/* SPDX-License-Identifier: MIT
 * bench_instances.c: what instances cost: the same questions of an assembly and of one part that
 * has all its triangles in place, by a mover near the surface (protocol B), rays and points.
 * Usage: bench_instances ASSEMBLY.bvp FLAT.bvp MOVER.bvp SIDE [COUNT]
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3, QUESTIONS = 4, BODIES = 2 };
static const char *const question_names[QUESTIONS] = {"collide", "distance", "ray", "closest"};

typedef struct scene {
    bvp_file *file[BODIES]; /* the assembly, the flat part */
    bvp_body body[BODIES];
    bvp_file *mover;
    double (*placement)[12];
    int count;
} scene;

static bvp_file *open_or_end(const char *path)
{
    bvp_file *file;
    bvp_error error;
    if (bvp_open(path, NULL, &file, &error) == BVP_OK)
        return file;
    fprintf(stderr, "%s: %s\n", path, error.message);
    exit(1);
}

/* Shoemake, Uniform random rotations, 1992; times `scale`. */
static void random_rotation(uint64_t *seed, double scale, double m[12])
{
    const double r = bench_uniform(seed), a = 2 * M_PI * bench_uniform(seed);
    const double b = 2 * M_PI * bench_uniform(seed);
    const double w = sqrt(1 - r) * sin(a), x = sqrt(1 - r) * cos(a);
    const double y = sqrt(r) * sin(b), z = sqrt(r) * cos(b);
    const double rows[12] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),     0,
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),     0,
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y), 0};
    for (int k = 0; k < 12; k++)
        m[k] = scale * rows[k];
}

/* The mover, its longest side `side`, its centre within it of a random triangle's. */
static void place(const scene *s, uint64_t *seed, double side, double m[12])
{
    bvp_part_info flat;
    bvp_file_info info;
    float corners[9];
    uint64_t got;
    double longest = 0;
    bvp_get_part(s->body[1].file, 0, &flat);
    bvp_get_info(s->mover, &info);
    for (int a = 0; a < 3; a++)
        longest = fmax(longest, info.hi[a] - info.lo[a]);
    const uint64_t triangle = bench_random(seed) % flat.triangle_count;
    bvp_get_triangles(s->body[1].file, 0, triangle, 1, corners, NULL, &got);
    random_rotation(seed, side / longest, m);
    for (int a = 0; a < 3; a++) {
        m[4 * a + 3] = ((double)corners[a] + corners[3 + a] + corners[6 + a]) / 3 +
                       (2 * bench_uniform(seed) - 1) * side;
        for (int k = 0; k < 3; k++)
            m[4 * a + 3] -= m[4 * a + k] * (info.lo[k] + info.hi[k]) / 2;
    }
}

static double ask(const scene *s, int question, const bvp_body *body, int idx)
{
    const bvp_body mover = {s->mover, 0, s->placement[idx]};
    const double *m = s->placement[idx], *next = s->placement[(idx + 1) % s->count];
    const double point[3] = {m[3], m[7], m[11]};
    bvp_ray ray = {.t_max = INFINITY};
    bvp_distance_result nearest;
    bvp_closest_result closest;
    bvp_ray_hit hit;
    int touches;
    for (int a = 0; a < 3; a++) {
        ray.origin[a] = point[a];
        ray.direction[a] = next[4 * a + 3] - point[a];
    }
    switch (question) {
    case 0:
        bench_require(bvp_collide(&mover, body, &touches, NULL), "collide");
        return touches;
    case 1:
        bench_require(bvp_distance(&mover, body, INFINITY, &nearest, NULL), "distance");
        return nearest.distance;
    case 2:
        bench_require(bvp_ray_first(body, &ray, &hit, NULL), "ray");
        return hit.found ? hit.t : -1;
    default:
        bench_require(bvp_closest(body, point, INFINITY, &closest, NULL), "closest");
        return closest.distance;
    }
}

/* Microseconds a question, of the best round; the bodies take turns. */
static void measure(const scene *s, int question, double us[BODIES], double *answers[BODIES])
{
    for (int round = 0; round < ROUNDS; round++)
        for (int b = 0; b < BODIES; b++) {
            const double start = bench_now();
            for (int i = 0; i < s->count; i++)
                answers[b][i] = ask(s, question, &s->body[b], i);
            const double spent = 1e6 * (bench_now() - start) / s->count;
            us[b] = round == 0 || spent < us[b] ? spent : us[b];
        }
}

/* The flat part's coordinates are rounded: answers may differ by so much. */
static int count_differing(const scene *s, double *answers[BODIES], double tolerance)
{
    int differing = 0;
    for (int i = 0; i < s->count; i++)
        differing += !(fabs(answers[0][i] - answers[1][i]) <= tolerance);
    return differing;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: bench_instances ASSEMBLY.bvp FLAT.bvp MOVER.bvp SIDE [COUNT]\n");
        return 2;
    }
    scene s = {.count = argc > 5 ? atoi(argv[5]) : 500, .mover = open_or_end(argv[3])};
    bvp_file_info info;
    uint64_t seed = 12345;
    for (int b = 0; b < BODIES; b++)
        s.file[b] = open_or_end(argv[1 + b]);
    s.body[0] = (bvp_body){s.file[0], BVP_ASSEMBLY, NULL};
    s.body[1] = (bvp_body){s.file[1], 0, NULL};
    s.placement = calloc((size_t)s.count, sizeof *s.placement);
    double *answers[BODIES] = {calloc((size_t)s.count, sizeof(double)),
                               calloc((size_t)s.count, sizeof(double))};
    if (!s.placement || !answers[0] || !answers[1])
        return 1;
    for (int i = 0; i < s.count; i++)
        place(&s, &seed, atof(argv[4]), s.placement[i]);
    bvp_get_info(s.body[0].file, &info);
    printf("question,instances,assembly_us,flat_us,ratio,answers_that_differ,asked\n");
    for (int question = 0; question < QUESTIONS; question++) {
        double us[BODIES];
        measure(&s, question, us, answers);
        printf("%s,%u,%.2f,%.2f,%.2f,%d,%d\n", question_names[question], info.instance_count, us[0],
               us[1], us[0] / us[1], count_differing(&s, answers, 1e-4 * atof(argv[4])), s.count);
    }
    for (int b = 0; b < BODIES; b++) {
        free(answers[b]);
        bvp_close(s.file[b]);
    }
    bvp_close(s.mover);
    free(s.placement);
    return 0;
}
