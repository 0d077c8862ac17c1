/* SPDX-License-Identifier: MIT
 * bench_start.c: from a file to the first answer, ours and the peers', which read an STL file and
 * build; what building takes, bytes a triangle, memory of one process and of sixteen.
 * Usage: bench_start MODEL.stl MODEL.bvp [all|rays]
 */
#define _DEFAULT_SOURCE
#include "bench.h"
#include "bvpack_build.h"
#include "peer.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HEADER_SIZE = 84, RECORD_SIZE = 50, CROWD = 16, CROWD_TRIANGLES = 100000 };

/* A way to an answer; neither table: ours. */
typedef struct contender {
    const peer_pairs *pairs;
    const peer_rays *rays;
    int robust;
    const char *suffix;
    uint64_t triangles_max;
} contender;

typedef struct soup {
    float *positions;
    uint64_t triangle_count;
} soup;

/* What one process saw. */
typedef struct sample {
    double build_s, cold_s, warm_s; /* processor time; wall from the path to the answer */
    double bytes;
    uint64_t triangle_count;
    long own_kib, shared_kib;
} sample;

static void require(int ok, const char *what)
{
    if (!ok)
        perror(what);
    if (!ok)
        exit(1);
}

static void forget(const char *path)
{
    const int fd = open(path, O_RDONLY);
    require(fd >= 0 && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0, path);
    close(fd);
}

static uint64_t size_of(const char *path)
{
    struct stat info;
    require(stat(path, &info) == 0, path);
    return (uint64_t)info.st_size;
}

static soup read_stl(const char *path)
{
    const size_t size = size_of(path);
    unsigned char *bytes = malloc(size);
    FILE *file = fopen(path, "rb");
    uint32_t count;
    require(bytes && file && fread(bytes, 1, size, file) == size && size >= HEADER_SIZE, path);
    fclose(file);
    memcpy(&count, bytes + 80, sizeof count);
    require((size - HEADER_SIZE) / RECORD_SIZE >= count, "not a binary STL");
    soup s = {malloc(36 * (size_t)count), count};
    require(s.positions != NULL, "memory");
    for (size_t i = 0; i < count; i++)
        memcpy(s.positions + 9 * i, bytes + HEADER_SIZE + RECORD_SIZE * i + 12, 36);
    free(bytes);
    return s;
}

/* ---- the first answer ------------------------------------------------------------------------ */

/* A ray through the box's middle, and the box's width moved by a half of it. */
typedef struct questions {
    double placement[12];
    bvp_ray ray;
} questions;

static questions questions_of(const double lo[3], const double hi[3])
{
    questions q = {.placement = {1, 0, 0, (hi[0] - lo[0]) / 2, 0, 1, 0, 0, 0, 0, 1, 0}};
    q.ray = (bvp_ray){.t_max = INFINITY};
    for (int a = 0; a < 3; a++) {
        q.ray.origin[a] = hi[a] + (hi[a] - lo[a]) / 2;
        q.ray.direction[a] = (float)((lo[a] + hi[a]) / 2 - q.ray.origin[a]);
    }
    return q;
}

static questions questions_of_soup(const soup *s)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint64_t k = 0; k < 9 * s->triangle_count; k++) {
        lo[k % 3] = fmin(lo[k % 3], (double)s->positions[k]);
        hi[k % 3] = fmax(hi[k % 3], (double)s->positions[k]);
    }
    return questions_of(lo, hi);
}

static void ask_peer(const contender *c, const void *model, const questions *q)
{
    float origin[3], direction[3];
    for (int a = 0; a < 3; a++) {
        origin[a] = (float)q->ray.origin[a];
        direction[a] = (float)q->ray.direction[a];
    }
    if (c->rays)
        c->rays->first(model, origin, direction, INFINITY);
    else if (c->pairs->collide)
        c->pairs->collide(model, model, q->placement);
    else
        c->pairs->distance(model, model, q->placement);
}

static void ask_file(const bvp_file *file)
{
    bvp_file_info info;
    bvp_ray_hit hit;
    int touches;
    bvp_get_info(file, &info);
    const questions q = questions_of(info.lo, info.hi);
    const bvp_body body = {.file = file, .part = BVP_ASSEMBLY},
                   moved = {.file = file, .part = BVP_ASSEMBLY, .placement = q.placement};
    bench_require(bvp_ray_first(&body, &q.ray, &hit, NULL), "ray");
    bench_require(bvp_collide(&body, &moved, &touches, NULL), "collide");
}

/* ---- one process ----------------------------------------------------------------------------- */

static long proc_kib(const char *key)
{
    char line[256];
    long value = 0;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            value += strtol(line + strlen(key), NULL, 10);
    if (f != NULL)
        fclose(f);
    return value;
}

static void see_memory(sample *out)
{
    out->own_kib = proc_kib("Private_Clean:") + proc_kib("Private_Dirty:");
    out->shared_kib = proc_kib("Shared_Clean:") + proc_kib("Shared_Dirty:");
}

static double open_and_ask(const char *path)
{
    bvp_file *file;
    const double start = bench_now();
    bench_require(bvp_open(path, NULL, &file, NULL), path);
    ask_file(file);
    const double seconds = bench_now() - start;
    bvp_close(file);
    return seconds;
}

static double pack_seconds(const soup *s)
{
    const bvp_mesh mesh = {.positions = s->positions,
                           .vertex_count = 3 * s->triangle_count,
                           .triangle_count = s->triangle_count};
    const bvp_build_options options = {.thread_count = 1};
    bvp_builder *builder;
    uint32_t part;
    FILE *out = fopen("/dev/null", "w");
    require(out != NULL, "/dev/null");
    const double start = bench_thread_now();
    bench_require(bvp_builder_new(&options, &builder, NULL), "builder");
    bench_require(bvp_builder_add_part(builder, &mesh, &part, NULL), "add part");
    bench_require(bvp_builder_finish_fd(builder, fileno(out), NULL, NULL), "write");
    const double seconds = bench_thread_now() - start;
    bvp_builder_free(builder);
    fclose(out);
    return seconds;
}

/* Building for a stored file is no part of the way to the answer. crowd: only open and stay. */
static sample start_ours(const char *stl, const char *path, int crowd)
{
    sample out = {.bytes = (double)size_of(path)};
    bvp_file *file;
    open_and_ask(path); /* our code is mapped */
    if (!crowd) {
        soup s = read_stl(stl);
        out.triangle_count = s.triangle_count;
        out.build_s = pack_seconds(&s);
        free(s.positions);
        out.warm_s = open_and_ask(path);
        forget(path);
        out.cold_s = open_and_ask(path);
    }
    bench_require(bvp_open(path, NULL, &file, NULL), path);
    ask_file(file);
    see_memory(&out);
    return out;
}

/* The file is read twice, from the disk and from the page cache, and built from once. */
static sample start_peer(const contender *c, const char *stl, int crowd)
{
    sample out = {0};
    double start = bench_now();
    soup s;
    if (!crowd) {
        forget(stl);
        start = bench_now();
        s = read_stl(stl);
        free(s.positions);
        out.cold_s = bench_now() - start;
    }
    start = bench_now();
    s = read_stl(stl);
    out.warm_s = bench_now() - start;
    out.triangle_count = s.triangle_count;
    const questions q = questions_of_soup(&s);
    const uint64_t before = bench_allocated();
    const double processor = bench_thread_now();
    start = bench_now();
    void *model = c->rays ? c->rays->make(s.positions, s.triangle_count, c->robust)
                          : c->pairs->make(s.positions, s.triangle_count);
    out.build_s = bench_thread_now() - processor;
    out.bytes = (double)(bench_allocated() - before);
    ask_peer(c, model, &q);
    const double since = bench_now() - start;
    out.warm_s += since;
    out.cold_s += since;
    if (c->rays && c->rays->bytes)
        out.bytes = (double)c->rays->bytes(model);
    free(s.positions);
    see_memory(&out);
    return out;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* `count` processes, all of which hold what they have loaded until the last one does; the means. */
static sample start_all(const contender *c, const char *stl, const char *path, int count)
{
    int result[2], end[2];
    sample mean = {0};
    require(pipe(result) == 0 && pipe(end) == 0, "pipe");
    for (int i = 0; i < count; i++)
        if (fork() == 0) {
            char byte;
            sample s;
            close(end[1]);
            s = c->pairs || c->rays ? start_peer(c, stl, count > 1)
                                    : start_ours(stl, path, count > 1);
            _exit(write(result[1], &s, sizeof s) != (ssize_t)sizeof s ||
                  read(end[0], &byte, 1) < 0);
        }
    close(result[1]);
    for (int i = 0; i < count; i++) {
        sample s;
        require(read(result[0], &s, sizeof s) == (ssize_t)sizeof s, "a process");
        if (i == 0)
            mean = s;
        else
            mean.own_kib += s.own_kib;
    }
    mean.own_kib /= count;
    close(end[1]);
    close(result[0]);
    close(end[0]);
    while (wait(NULL) > 0)
        ;
    return mean;
}

static void print(const contender *c, const char *stl, const char *path, uint64_t triangle_count)
{
    const char *name = c->rays ? c->rays->name : c->pairs ? c->pairs->name : "bvpack";
    const sample one = start_all(c, stl, path, 1);
    printf("%s%s,%llu,%.3f,%.1f,%.6f,%.6f,%ld,%ld,", name, c->suffix,
           (unsigned long long)triangle_count, one.build_s, one.bytes / (double)triangle_count,
           one.cold_s, one.warm_s, one.own_kib, one.shared_kib);
    if (triangle_count <= CROWD_TRIANGLES)
        printf("%ld\n", start_all(c, stl, path, CROWD).own_kib);
    else
        printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const contender all[] = {
        {NULL, NULL, 0, "", UINT64_MAX},
        {peer_fcl, NULL, 0, "", UINT64_MAX},
        {peer_fcl_rss, NULL, 0, "", UINT64_MAX},
        {peer_cgal, NULL, 0, "", UINT64_MAX},
        {peer_bullet, NULL, 0, "", 500000},
        {peer_ode, NULL, 0, "", 500000},
        {NULL, peer_cgal_rays, 0, " with points", 3000000},
        {NULL, peer_embree, 0, " medium", UINT64_MAX},
        {NULL, peer_embree, PEER_COMPACT | PEER_ROBUST, " compact robust", UINT64_MAX}};
    if (argc < 3) {
        fprintf(stderr, "usage: bench_start MODEL.stl MODEL.bvp [all|rays]\n");
        return 2;
    }
    const uint64_t count = (size_of(argv[1]) - HEADER_SIZE) / RECORD_SIZE;
    const int rays_alone = argc > 3 && strcmp(argv[3], "rays") == 0;
    printf("library,triangles,build_s,bytes_per_triangle,cold_s,warm_s,own_kib,shared_kib,"
           "own_kib_of_16\n");
    fflush(stdout);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const int ours = k == 0, there = ours || all[k].pairs || all[k].rays;
        if (there && count <= all[k].triangles_max && (!rays_alone || ours || all[k].rays))
            print(&all[k], argv[1], argv[2], count);
    }
    return 0;
}
