/* SPDX-License-Identifier: MIT
 * bench_open.c: time from a path to the first answer, and the memory of a process that asked once.
 * Usage: bench_open FILE.bvp [RUNS]. Each run is a fresh process on a warm page cache; median of
 * RUNS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bvpack.h"

enum { MOST_RUNS = 1001 };

typedef struct sample {
    double open_us, first_us, second_us; /* since before bvp_open: opened, a ray, a collide query */
    long resident_kib, file_kib;         /* after the first answer */
    int found;
} sample;

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* A line of /proc/self/status, in KiB. */
static long status_kib(const char *key)
{
    char line[256];
    long value = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            value = strtol(line + strlen(key) + 1, NULL, 10);
    if (f != NULL)
        fclose(f);
    return value;
}

/* The first question: a ray through the middle of the model. */
static int ask_ray(const bvp_file *file)
{
    bvp_file_info info;
    bvp_get_info(file, &info);
    bvp_body body = {file, BVP_ASSEMBLY, NULL};
    bvp_ray ray = {.t_min = 0, .t_max = 1e300};
    for (int a = 0; a < 3; a++) {
        double middle = 0.5 * (info.lo[a] + info.hi[a]);
        ray.origin[a] = info.hi[a] + 1;
        ray.direction[a] = middle - ray.origin[a];
    }
    bvp_ray_hit hit;
    return bvp_ray_first(&body, &ray, &hit, NULL) == BVP_OK ? hit.found : -1;
}

/* The second: does the assembly touch its first part at the origin? */
static int ask_collide(const bvp_file *file)
{
    bvp_body body = {file, BVP_ASSEMBLY, NULL}, part = {file, 0, NULL};
    int touches = 0;
    return bvp_collide(&body, &part, &touches, NULL) == BVP_OK ? touches : -1;
}

static sample measure(const char *path)
{
    sample s = {.found = -1};
    bvp_file *file;
    bvp_error error;
    double start = now_us();
    if (bvp_open(path, NULL, &file, &error) != BVP_OK) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        return s;
    }
    s.open_us = now_us() - start;
    s.found = ask_ray(file);
    s.first_us = now_us() - start;
    s.resident_kib = status_kib("VmRSS");
    s.file_kib = status_kib("RssFile");
    s.found = s.found < 0 ? -1 : ask_collide(file);
    s.second_us = now_us() - start;
    bvp_close(file);
    return s;
}

static int measure_in_child(const char *path, sample *out)
{
    int fd[2];
    if (pipe(fd) != 0)
        return 0;
    pid_t child = fork();
    if (child == 0) {
        sample s = measure(path);
        _exit(write(fd[1], &s, sizeof s) == (ssize_t)sizeof s ? 0 : 1);
    }
    close(fd[1]);
    int whole = child > 0 && read(fd[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(fd[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return whole && out->found >= 0;
}

static int by_first(const void *a, const void *b)
{
    double x = ((const sample *)a)->first_us, y = ((const sample *)b)->first_us;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static sample samples[MOST_RUNS];
    int runs = argc > 2 ? atoi(argv[2]) : 21;
    if (argc < 2 || runs < 1 || runs > MOST_RUNS) {
        fprintf(stderr, "usage: bench_open FILE.bvp [RUNS]\n");
        return 2;
    }
    for (int i = -1; i < runs; i++) /* the first run warms the cache */
        if (!measure_in_child(argv[1], &samples[i < 0 ? 0 : i]))
            return 1;
    qsort(samples, (size_t)runs, sizeof *samples, by_first);
    const sample *m = &samples[runs / 2];
    printf("open_us,first_answer_us,second_answer_us,resident_kib,of_it_file_kib,runs\n");
    printf("%.1f,%.1f,%.1f,%ld,%ld,%d\n", m->open_us, m->first_us, m->second_us, m->resident_kib,
           m->file_kib, runs);
    return 0;
}
