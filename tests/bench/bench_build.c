/* SPDX-License-Identifier: MIT
 * bench_build.c: welding and packing a binary STL, by the public interface; processor seconds of
 * the best of RUNS, and the largest resident memory besides the soup. Usage: bench_build MODEL.stl
 * [THREADS [RUNS [COPIES]]]
 */
#include "bvpack_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { HEADER_SIZE = 84, RECORD_SIZE = 50 };

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double resident_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void require(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_build: %s\n", what);
    exit(1);
}

/* The model `copies` times, side by side: 9 floats a triangle. */
static float *read_soup(const char *path, uint32_t copies, uint32_t *count)
{
    unsigned char header[HEADER_SIZE], record[RECORD_SIZE];
    FILE *file = fopen(path, "rb");
    require(file && fread(header, 1, sizeof header, file) == sizeof header, "cannot read");
    memcpy(count, header + 80, 4);
    float *soup = malloc(36 * (size_t)*count * copies + 1);
    require(soup != NULL, "out of memory");
    for (size_t i = 0; i < *count; i++) {
        require(fread(record, 1, sizeof record, file) == sizeof record, "the file is cut off");
        memcpy(soup + 9 * i, record + 12, 36);
    }
    fclose(file);
    for (size_t k = 9 * (size_t)*count; k < 9 * (size_t)*count * copies; k++)
        soup[k] = soup[k - 9 * (size_t)*count] + (k % 3 == 0 ? 1000.0f : 0.0f);
    *count *= copies;
    return soup;
}

typedef struct timing {
    double wall, processor;
} timing;

static void keep_best(timing *best, double wall, double processor, int run)
{
    if (run == 0 || wall < best->wall)
        best->wall = wall;
    if (run == 0 || processor < best->processor)
        best->processor = processor;
}

static void weld(const bvp_mesh *mesh, uint32_t threads, timing *best, int run)
{
    const double wall = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
    uint32_t *indices = NULL;
    void *positions = NULL;
    uint64_t vertex_count;
    require(bvp_weld(mesh, threads, &indices, &positions, &vertex_count, NULL) == BVP_OK, "weld");
    keep_best(best, seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - processor,
              run);
    free(indices);
    free(positions);
}

static void pack(const bvp_mesh *mesh, uint32_t threads, timing *best, int run,
                 bvp_build_report *report)
{
    const double wall = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
    const bvp_build_options options = {.thread_count = threads};
    bvp_builder *builder;
    uint32_t part;
    FILE *out = fopen("/dev/null", "w");
    require(out && bvp_builder_new(&options, &builder, NULL) == BVP_OK &&
                bvp_builder_add_part(builder, mesh, &part, NULL) == BVP_OK &&
                bvp_builder_finish_fd(builder, fileno(out), report, NULL) == BVP_OK,
            "pack");
    bvp_builder_free(builder);
    fclose(out);
    keep_best(best, seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - processor,
              run);
}

static void print(const char *what, const timing *t, uint32_t count, double mib)
{
    printf("%s,%u,%.3f,%.3f,%.2f,%.1f\n", what, count, t->wall, t->processor,
           count / t->processor * 1e-6, mib * 1048576 / count);
}

int main(int argc, char **argv)
{
    require(argc > 1, "usage: bench_build MODEL.stl [THREADS [RUNS [COPIES]]]");
    const uint32_t threads = argc > 2 ? (uint32_t)atoi(argv[2]) : 1;
    const int runs = argc > 3 ? atoi(argv[3]) : 3;
    uint32_t count;
    float *soup = read_soup(argv[1], argc > 4 ? (uint32_t)atoi(argv[4]) : 1, &count);
    const bvp_mesh mesh = {
        .positions = soup, .vertex_count = 3 * (uint64_t)count, .triangle_count = count};
    const double before = resident_mib();
    timing best = {0, 0};
    bvp_build_report report;
    printf("what,triangles,wall_s,processor_s,mtri_per_processor_s,bytes_per_triangle\n");
    for (int run = 0; run < runs; run++)
        weld(&mesh, threads, &best, run);
    print("weld", &best, count, resident_mib() - before);
    for (int run = 0; run < runs; run++)
        pack(&mesh, threads, &best, run, &report);
    print("pack", &best, count, resident_mib() - before);
    printf("# file: %.2f bytes a triangle, of these %.2f numbers\n",
           (double)report.file_size / count, (double)report.id_size / count);
    free(soup);
    return 0;
}
