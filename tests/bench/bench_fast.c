/* SPDX-License-Identifier: MIT
 * bench_fast.c: the same questions to two files of one model, packed with care and with --fast, in
 * turn; their answers are compared. Processor time, the least of some rounds, and what was visited.
 * Usage: bench_fast CAREFUL.bvp FAST.bvp [QUERIES]
 */
#include "bvpack.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_fast: %s\n", what);
    exit(1);
}

/* splitmix64 */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double lo[3], size[3];

static void random_point(uint64_t *state, double out[3])
{
    for (int axis = 0; axis < 3; axis++)
        out[axis] = lo[axis] + size[axis] * uniform(state);
}

/* One question by its number; returns a number that stands for the answer. */
typedef double (*question)(const bvp_file *file, uint64_t number, bvp_stats *stats);

static bvp_ray segment_of(uint64_t number)
{
    uint64_t state = number;
    bvp_ray ray = {.t_max = 1};
    double end[3];
    random_point(&state, ray.origin);
    random_point(&state, end);
    for (int axis = 0; axis < 3; axis++)
        ray.direction[axis] = end[axis] - ray.origin[axis];
    return ray;
}

static double first(const bvp_file *file, uint64_t number, bvp_stats *stats)
{
    const bvp_body body = {.file = file, .part = 0};
    const bvp_ray ray = segment_of(number);
    bvp_ray_hit hit;
    require(bvp_ray_first(&body, &ray, &hit, stats) == BVP_OK, "ray");
    return hit.found ? hit.t : -1;
}

static double any(const bvp_file *file, uint64_t number, bvp_stats *stats)
{
    const bvp_body body = {.file = file, .part = 0};
    const bvp_ray ray = segment_of(number);
    int hit;
    require(bvp_ray_any(&body, &ray, &hit, stats) == BVP_OK, "ray");
    return hit;
}

static double closest(const bvp_file *file, uint64_t number, bvp_stats *stats)
{
    const bvp_body body = {.file = file, .part = 0};
    uint64_t state = number;
    bvp_closest_result out;
    double point[3];
    random_point(&state, point);
    require(bvp_closest(&body, point, INFINITY, &out, stats) == BVP_OK, "closest");
    return out.distance;
}

/* A copy, turned about the vertical and put somewhere beside the first. */
static void place(uint64_t number, double m[12])
{
    uint64_t state = number;
    const double angle = 6.283185307179586 * uniform(&state), c = cos(angle), s = sin(angle);
    const double turned[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    for (int row = 0; row < 3; row++) {
        const double centre = lo[row] + size[row] / 2;
        m[4 * row + 3] = centre + (2 * uniform(&state) - 1) * size[row];
        for (int k = 0; k < 3; k++) {
            m[4 * row + k] = turned[3 * row + k];
            m[4 * row + 3] -= turned[3 * row + k] * (lo[k] + size[k] / 2);
        }
    }
}

static double collide(const bvp_file *file, uint64_t number, bvp_stats *stats)
{
    double placement[12];
    const bvp_body a = {.file = file, .part = 0},
                   b = {.file = file, .part = 0, .placement = placement};
    int hit;
    place(number, placement);
    require(bvp_collide(&a, &b, &hit, stats) == BVP_OK, "collide");
    return hit;
}

static double within(const bvp_file *file, uint64_t number, bvp_stats *stats)
{
    double placement[12];
    const bvp_body a = {.file = file, .part = 0},
                   b = {.file = file, .part = 0, .placement = placement};
    int is_within;
    place(number, placement);
    require(bvp_within(&a, &b, 0.001 * size[0], &is_within, NULL, stats) == BVP_OK, "within");
    return is_within;
}

static void compare(const char *what, question ask, bvp_file *const file[2], uint64_t queries)
{
    double best[2] = {INFINITY, INFINITY};
    bvp_stats stats[2] = {{0}, {0}};
    uint64_t differ = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double sum[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            const double start = now();
            for (uint64_t q = 0; q < queries; q++)
                sum[k] += ask(file[k], q, &stats[k]);
            if (now() - start < best[k])
                best[k] = now() - start;
        }
        differ += sum[0] != sum[1];
    }
    require(differ == 0, "the answers differ");
    printf("%s,%.3f,%.3f,%.3f,%.2f,%.2f\n", what, 1e6 * best[0] / (double)queries,
           1e6 * best[1] / (double)queries, best[1] / best[0],
           (double)stats[0].nodes / (double)(ROUNDS * queries),
           (double)stats[1].nodes / (double)(ROUNDS * queries));
}

int main(int argc, char **argv)
{
    require(argc > 2, "usage: bench_fast CAREFUL.bvp FAST.bvp [QUERIES]");
    const uint64_t queries = argc > 3 ? (uint64_t)atoll(argv[3]) : 20000;
    bvp_file *file[2];
    bvp_file_info info;
    bvp_error error;
    for (int k = 0; k < 2; k++)
        require(bvp_open(argv[k + 1], NULL, &file[k], &error) == BVP_OK, error.message);
    bvp_get_info(file[0], &info);
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = info.lo[axis];
        size[axis] = info.hi[axis] - info.lo[axis];
    }
    printf("what,careful_us,fast_us,ratio,careful_nodes,fast_nodes\n");
    compare("segment", first, file, queries);
    compare("any hit", any, file, queries);
    compare("closest point", closest, file, queries);
    compare("collide", collide, file, queries / 20);
    compare("within", within, file, queries / 20);
    bvp_close(file[0]);
    bvp_close(file[1]);
    return 0;
}
