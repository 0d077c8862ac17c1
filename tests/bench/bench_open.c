/* SPDX-License-Identifier: MIT
 * bench_open.c: from a path to the first answer, with the file in the page cache and without; pages
 * that a cold query touches; what many processes on one file take.
 * Usage: bench_open FILE.bvp [RUNS]. Medians over RUNS; every question is asked of the whole file.
 */
#define _DEFAULT_SOURCE
#include "bench.h"

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS_MAX = 1001, CROWD = 16, PAGE = 4096 };

typedef enum question { RAY, COLLIDE, DISTANCE, QUESTIONS } question;
static const char *const question_names[QUESTIONS] = {"ray", "collide", "distance"};

/* What one process saw. */
typedef struct sample {
    double open_us, first_us, later_us; /* since before bvp_open: opened, one answer; 1000 more */
    long resident_kib;                  /* after the first answer */
    int ok;
} sample;

static double now_us(void)
{
    return 1e6 * bench_now();
}

/* A line of a file of /proc, in KiB. */
static long proc_kib(const char *file, const char *key)
{
    char line[256];
    long value = -1;
    FILE *f = fopen(file, "r");
    while (f != NULL && value < 0 && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            value = strtol(line + strlen(key), NULL, 10);
    if (f != NULL)
        fclose(f);
    return value;
}

/* ---- questions ------------------------------------------------------------------------------- */

/* Number `idx`: a ray from outside through a random point of the box; a copy of the body, turned
 * about z, with its centre at a distance of half to once the box's longest side. */
static int ask(const bvp_file *file, question what, int idx)
{
    bvp_file_info info;
    bvp_get_info(file, &info);
    const bvp_body body = {.file = file, .part = BVP_ASSEMBLY};
    uint64_t seed = (uint64_t)idx + 1;
    if (what == RAY) {
        bvp_ray ray = {.t_min = 0, .t_max = INFINITY};
        bvp_ray_hit hit;
        for (int a = 0; a < 3; a++) {
            ray.origin[a] = info.hi[a] + 1;
            ray.direction[a] =
                info.lo[a] + (info.hi[a] - info.lo[a]) * bench_uniform(&seed) - ray.origin[a];
        }
        return bvp_ray_first(&body, &ray, &hit, NULL) == BVP_OK;
    }
    const double turn = 6.283185307179586 * bench_uniform(&seed), c = cos(turn), s = sin(turn);
    double placement[12] = {c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 0}, longest = 0;
    for (int a = 0; a < 3; a++)
        longest = fmax(longest, info.hi[a] - info.lo[a]);
    placement[3] = longest * (0.5 + 0.5 * bench_uniform(&seed));
    const bvp_body copy = {.file = file, .part = BVP_ASSEMBLY, .placement = placement};
    int touches;
    bvp_distance_result nearest;
    if (what == COLLIDE)
        return bvp_collide(&body, &copy, &touches, NULL) == BVP_OK;
    return bvp_distance(&body, &copy, INFINITY, &nearest, NULL) == BVP_OK;
}

/* ---- to the first answer --------------------------------------------------------------------- */

/* How a row opens the file. */
typedef struct opening {
    const char *name;
    bool used; /* the library has answered before, so that its code is mapped */
    bool cold; /* the page cache has nothing of the file */
    bool lazy; /* block hashes are checked before a part is asked */
} opening;

static sample measure(const char *path, bool lazy)
{
    const bvp_open_options options = {.verify_lazily = lazy};
    sample s = {.ok = 0};
    bvp_file *file;
    const double start = now_us();
    if (bvp_open(path, &options, &file, NULL) != BVP_OK)
        return s;
    s.open_us = now_us() - start;
    s.ok = ask(file, RAY, 0);
    s.first_us = now_us() - start;
    s.resident_kib = proc_kib("/proc/self/status", "VmRSS:");
    const double later = now_us();
    for (int i = 1; i <= 1000; i++)
        s.ok = s.ok && ask(file, RAY, i);
    s.later_us = now_us() - later;
    bvp_close(file);
    return s;
}

static void forget(const char *path)
{
    const int fd = open(path, O_RDONLY);
    if (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
        perror(path);
    close(fd);
}

/* In a process of its own. */
static int measure_in_child(const char *path, const opening *how, sample *out)
{
    int fd[2];
    if (pipe(fd) != 0)
        return 0;
    const pid_t child = fork();
    if (child == 0) {
        if (how->used)
            measure(path, how->lazy);
        if (how->cold)
            forget(path);
        const sample s = measure(path, how->lazy);
        _exit(write(fd[1], &s, sizeof s) == (ssize_t)sizeof s ? 0 : 1);
    }
    close(fd[1]);
    const int whole = child > 0 && read(fd[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(fd[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return whole && out->ok;
}

static int by_first(const void *a, const void *b)
{
    const double x = ((const sample *)a)->first_us, y = ((const sample *)b)->first_us;
    return (x > y) - (x < y);
}

static void row_of_opening(const char *path, const opening *how, int runs)
{
    static sample samples[RUNS_MAX];
    for (int i = -1; i < runs; i++) /* the first run fills the page cache */
        if (!measure_in_child(path, how, &samples[i < 0 ? 0 : i]))
            exit(1);
    qsort(samples, (size_t)runs, sizeof *samples, by_first);
    const sample *m = &samples[runs / 2];
    printf("%s,%.1f,%.1f,%.0f,%ld,%d\n", how->name, m->open_us, m->first_us, m->later_us,
           m->resident_kib, runs);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static long cached_pages(void *memory, size_t size)
{
    const size_t count = (size + PAGE - 1) / PAGE;
    unsigned char *bits = malloc(count);
    long sum = 0;
    if (bits == NULL || mincore(memory, size, bits) != 0)
        exit(1);
    for (size_t i = 0; i < count; i++)
        sum += bits[i] & 1;
    free(bits);
    return sum;
}

/* Mapped by ourselves, so that nothing is read but what is touched. */
static long pages_of(const char *path, question what, int idx)
{
    struct stat info;
    bvp_file *file;
    forget(path);
    const int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &info) != 0)
        exit(1);
    const size_t size = (size_t)info.st_size;
    void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED || madvise(memory, size, MADV_RANDOM) != 0 ||
        bvp_open_memory(memory, size, NULL, &file, NULL) != BVP_OK || !ask(file, what, idx))
        exit(1);
    const long pages = cached_pages(memory, size);
    bvp_close(file);
    munmap(memory, size);
    close(fd);
    return pages;
}

static void row_of_pages(const char *path, question what, int runs)
{
    double sum = 0;
    for (int i = 0; i < runs; i++)
        sum += (double)pages_of(path, what, i);
    printf("%s,%.1f,%d\n", question_names[what], sum / runs, runs);
}

/* ---- processes ------------------------------------------------------------------------------- */

/* Each asks, says so, and waits for the end. */
static void crowd_member(const char *path, int ready, int end)
{
    bvp_file *file;
    char byte = 1;
    if (bvp_open(path, NULL, &file, NULL) != BVP_OK)
        _exit(1);
    for (int i = 0; i < 1000; i++)
        ask(file, RAY, i);
    if (write(ready, &byte, 1) != 1 || read(end, &byte, 1) < 0)
        _exit(1);
    _exit(0);
}

static void row_of_crowd(const char *path, int count)
{
    int ready[2], end[2];
    pid_t child[CROWD];
    long pss = 0, own = 0, resident = 0, shared = 0;
    if (pipe(ready) != 0 || pipe(end) != 0)
        exit(1);
    for (int i = 0; i < count; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            close(end[1]);
            crowd_member(path, ready[1], end[0]);
        }
    }
    for (int i = 0; i < count; i++) {
        char byte;
        if (read(ready[0], &byte, 1) != 1)
            exit(1);
    }
    for (int i = 0; i < count; i++) {
        char file[64];
        snprintf(file, sizeof file, "/proc/%d/smaps_rollup", (int)child[i]);
        pss += proc_kib(file, "Pss:");
        own += proc_kib(file, "Private_Dirty:") + proc_kib(file, "Private_Clean:");
        resident += proc_kib(file, "Rss:");
        shared += proc_kib(file, "Shared_Dirty:") + proc_kib(file, "Shared_Clean:");
    }
    close(end[1]);
    for (int i = 0; i < count; i++)
        waitpid(child[i], NULL, 0);
    printf("%d,%ld,%ld,%ld,%ld\n", count, pss, own / count, resident / count, shared / count);
}

static const opening openings[] = {
    {.name = "fresh,warm"},
    {.name = "used,warm", .used = true},
    {.name = "used,cold", .used = true, .cold = true},
    {.name = "used with verify_lazily,warm", .used = true, .lazy = true},
    {.name = "used with verify_lazily,cold", .used = true, .cold = true, .lazy = true},
};

int main(int argc, char **argv)
{
    const int runs = argc > 2 ? atoi(argv[2]) : 21;
    if (argc < 2 || runs < 1 || runs > RUNS_MAX) {
        fprintf(stderr, "usage: bench_open FILE.bvp [RUNS]\n");
        return 2;
    }
    const char *path = argv[1];
    printf("process,page cache,open_us,first_answer_us,next_1000_us,resident_kib,runs\n");
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++)
        row_of_opening(path, &openings[i], runs);
    printf("question,pages,runs\n");
    for (question what = RAY; what < QUESTIONS; what++)
        row_of_pages(path, what, runs);
    printf("processes,all of them KiB,private KiB each,resident KiB each,shared KiB each\n");
    row_of_crowd(path, 1);
    row_of_crowd(path, CROWD);
    return 0;
}
