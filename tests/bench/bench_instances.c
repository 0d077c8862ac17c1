/* SPDX-License-Identifier: MIT
 * bench_instances.c: what instances cost: the same questions of an assembly and of one part that
 * has all its triangles in place, by a mover near the surface (as protocol mover), rays and points.
 * Usage: bench_instances ASSEMBLY.bvp FLAT.bvp MOVER.bvp SIDE [COUNT]
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9, BODIES = 2 };
typedef enum question { COLLIDE, WITHIN, DISTANCE, RAY, ANY, CLOSEST, BOX, QUESTIONS } question;
static const char *const question_names[QUESTIONS] = {"collide", "within",  "distance", "ray",
                                                      "any hit", "closest", "box"};

typedef struct scene {
    bvp_file *file[BODIES]; /* the assembly, the flat part */
    bvp_body body[BODIES];
    bvp_file *mover;
    double (*placement)[12];
    int count;
    double side; /* of the mover */
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
static void place(const scene *s, uint64_t *seed, double m[12])
{
    const double side = s->side;
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
    bvp_get_triangles(s->body[1].file, 0, (bvp_range){triangle, 1}, corners, NULL, &got);
    random_rotation(seed, side / longest, m);
    for (int a = 0; a < 3; a++) {
        m[4 * a + 3] = ((double)corners[a] + corners[3 + a] + corners[6 + a]) / 3 +
                       (2 * bench_uniform(seed) - 1) * side;
        for (int k = 0; k < 3; k++)
            m[4 * a + 3] -= m[4 * a + k] * (info.lo[k] + info.hi[k]) / 2;
    }
}

/* From the mover's place through the next one's. */
static bvp_ray ray_of(const scene *s, int idx)
{
    const double *m = s->placement[idx], *next = s->placement[(idx + 1) % s->count];
    bvp_ray ray = {.t_max = INFINITY};
    for (int a = 0; a < 3; a++) {
        ray.origin[a] = m[4 * a + 3];
        ray.direction[a] = next[4 * a + 3] - m[4 * a + 3];
    }
    return ray;
}

static double ask_pair(const scene *s, question what, const bvp_body *body, int idx,
                       bvp_stats *stats)
{
    const bvp_body mover = {.file = s->mover, .part = 0, .placement = s->placement[idx]};
    bvp_distance_result nearest;
    int answer;
    switch (what) {
    case COLLIDE:
        bench_require(bvp_collide(&mover, body, &answer, stats), "collide");
        return answer;
    case WITHIN:
        bench_require(bvp_within(&mover, body, s->side / 10, &answer, NULL, stats), "within");
        return answer;
    default:
        bench_require(bvp_distance(&mover, body, INFINITY, &nearest, stats), "distance");
        return nearest.distance;
    }
}

static double ask(const scene *s, question what, const bvp_body *body, int idx, bvp_stats *stats)
{
    const double *m = s->placement[idx], half = s->side / 2;
    const double point[3] = {m[3], m[7], m[11]};
    const double lo[3] = {m[3] - half, m[7] - half, m[11] - half};
    const double hi[3] = {m[3] + half, m[7] + half, m[11] + half};
    const bvp_ray ray = ray_of(s, idx);
    bvp_closest_result closest;
    bvp_ray_hit hit;
    uint64_t count;
    int touches;
    switch (what) {
    case RAY:
        bench_require(bvp_ray_first(body, &ray, &hit, stats), "ray");
        return hit.found ? hit.t : -1;
    case ANY:
        bench_require(bvp_ray_any(body, &ray, &touches, stats), "any hit");
        return touches;
    case CLOSEST:
        bench_require(bvp_closest(body, point, INFINITY, &closest, stats), "closest");
        return closest.distance;
    case BOX:
        bench_require(bvp_overlap(body, bvp_box_region(lo, hi), NULL, NULL, &count, stats), "box");
        return (double)count;
    default:
        return ask_pair(s, what, body, idx, stats);
    }
}

/* Microseconds a question, of the best round; the bodies take turns. */
static void measure(const scene *s, question what, double us[BODIES], double *answers[BODIES])
{
    for (int round = 0; round < ROUNDS; round++)
        for (int b = 0; b < BODIES; b++) {
            const double start = bench_now();
            for (int i = 0; i < s->count; i++)
                answers[b][i] = ask(s, what, &s->body[b], i, NULL);
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

/* Counts are those of a question, in the mean. */
static void row_of(const scene *s, question what, uint32_t instance_count, double *answers[BODIES])
{
    double us[BODIES];
    bvp_stats stats[BODIES] = {{.nodes = 0}, {.nodes = 0}};
    measure(s, what, us, answers);
    for (int b = 0; b < BODIES; b++)
        for (int i = 0; i < s->count; i++)
            ask(s, what, &s->body[b], i, &stats[b]);
    printf("%s,%u,%.2f,%.2f,%.2f,%d,%d,%.1f,%.1f,%.1f\n", question_names[what], instance_count,
           us[0], us[1], us[0] / us[1], count_differing(s, answers, 1e-4 * s->side), s->count,
           (double)stats[0].nodes / s->count, (double)stats[0].instance_pairs / s->count,
           (double)stats[1].nodes / s->count);
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: bench_instances ASSEMBLY.bvp FLAT.bvp MOVER.bvp SIDE [COUNT]\n");
        return 2;
    }
    scene s = {.count = argc > 5 ? atoi(argv[5]) : 500,
               .mover = open_or_end(argv[3]),
               .side = atof(argv[4])};
    bvp_file_info info;
    uint64_t seed = 12345;
    for (int b = 0; b < BODIES; b++)
        s.file[b] = open_or_end(argv[1 + b]);
    s.body[0] = (bvp_body){.file = s.file[0], .part = BVP_ASSEMBLY};
    s.body[1] = (bvp_body){.file = s.file[1], .part = 0};
    s.placement = calloc((size_t)s.count, sizeof *s.placement);
    double *answers[BODIES] = {calloc((size_t)s.count, sizeof(double)),
                               calloc((size_t)s.count, sizeof(double))};
    if (!s.placement || !answers[0] || !answers[1])
        return 1;
    for (int i = 0; i < s.count; i++)
        place(&s, &seed, s.placement[i]);
    bvp_get_info(s.file[0], &info);
    printf("question,instances,assembly_us,flat_us,ratio,answers_that_differ,asked,nodes,"
           "instances_entered,flat_nodes\n");
    for (question what = 0; what < QUESTIONS; what++)
        row_of(&s, what, info.instance_count, answers);
    for (int b = 0; b < BODIES; b++) {
        free(answers[b]);
        bvp_close(s.file[b]);
    }
    bvp_close(s.mover);
    free(s.placement);
    return 0;
}
