/* SPDX-License-Identifier: MIT
 * bench_twin A B PLACEMENTS COUNT: what tests/python/bench_python.py does, in C: one batch of
 * collide and one query a call, of file B against file A. PLACEMENTS: COUNT times 12 doubles. For
 * each line of its input it prints: nanoseconds of processor time a query in the batch, and one a
 * call; hits.
 */
#define _POSIX_C_SOURCE 200809L
#include <bvpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    bvp_file *files[2];
    if (argc != 5)
        return 2;
    const size_t count = (size_t)atol(argv[4]);
    double *placements = malloc(count * 12 * sizeof(double));
    int *hits = malloc(count * sizeof(int));
    FILE *in = fopen(argv[3], "rb");
    if (!placements || !hits || !in || fread(placements, 96, count, in) != count ||
        bvp_open(argv[1], NULL, &files[0], NULL) || bvp_open(argv[2], NULL, &files[1], NULL))
        return 1;
    fclose(in);
    const bvp_body a = {.file = files[0], .part = BVP_ASSEMBLY};
    bvp_body b = {.file = files[1], .part = BVP_ASSEMBLY};
    while (getchar() == '\n') {
        const double from = now();
        if (bvp_collide_batch(&a, &b, (bvp_const_array){placements, 0, count},
                              (bvp_array){hits, 0, count}, NULL, NULL))
            return 1;
        const double middle = now();
        size_t sum = 0, again = 0;
        for (size_t i = 0; i < count; i++) {
            int hit;
            b.placement = placements + 12 * i;
            if (bvp_collide(&a, &b, &hit, NULL))
                return 1;
            again += (size_t)hit;
        }
        const double to = now();
        for (size_t i = 0; i < count; i++)
            sum += (size_t)hits[i];
        if (sum != again)
            return 1;
        printf("%.1f %.1f %zu\n", (middle - from) / (double)count, (to - middle) / (double)count,
               sum);
        fflush(stdout);
    }
    return 0;
}
