/* SPDX-License-Identifier: MIT
 * bench_import.c: how fast models of text are read, with one thread and with two, beside two floors
 * in the same run: looking for newlines, and strtof on every coordinate. Answers are compared: the
 * model must be the same whatever the number of threads. Megabytes a second, of wall time and of
 * processor time, the best of RUNS.
 * Usage: bench_import RUNS MODEL...
 */
#include "model/model.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_import: %s\n", what);
    exit(1);
}

typedef struct text {
    const char *path;
    char *data; /* mapped; a page of zeros follows */
    size_t size;
} text;

static text map_text(const char *path)
{
    struct stat file;
    const int fd = open(path, O_RDONLY);
    require(fd >= 0 && fstat(fd, &file) == 0, "can't open a model");
    text t = {.path = path, .size = (size_t)file.st_size};
    t.data = mmap(NULL, t.size, PROT_READ, MAP_PRIVATE, fd, 0);
    require(t.data != MAP_FAILED, "can't map a model");
    close(fd);
    return t;
}

static uint64_t count_lines(const text *t)
{
    uint64_t lines = 0;
    const char *end = t->data + t->size;
    for (const char *p = t->data; (p = memchr(p, '\n', (size_t)(end - p))); p++)
        lines++;
    return lines;
}

/* strtof wherever a number follows "vertex " or "v ", without looking at anything else. */
static uint64_t read_numbers(const text *t)
{
    uint64_t numbers = 0;
    const char *end = t->data + t->size - 1; /* the last newline ends the last number */
    for (const char *line = t->data; line && line < end;) {
        const char *p = line + strspn(line, " \t");
        size_t word = strncmp(p, "vertex ", 7) == 0 ? 7 : strncmp(p, "v ", 2) == 0 ? 2 : 0;
        for (int i = 0; word > 0 && i < 3; i++) {
            char *after;
            volatile float value = strtof(p + word, &after);
            (void)value;
            p = after;
            word = 0;
            numbers++;
            if (i < 2)
                word = strspn(p, " ");
            word += i < 2 && word == 0;
        }
        line = memchr(p, '\n', (size_t)(end - p));
        line += line != NULL;
    }
    return numbers;
}

typedef struct measured {
    double wall, processor;
} measured;

static void keep(measured *best, double wall, double processor)
{
    if (best->wall == 0 || wall < best->wall)
        best->wall = wall;
    if (best->processor == 0 || processor < best->processor)
        best->processor = processor;
}

static void print(const text *t, const char *who, const measured *m)
{
    printf("%s,%s,%.0f,%.0f\n", strrchr(t->path, '/') ? strrchr(t->path, '/') + 1 : t->path, who,
           1e-6 * (double)t->size / m->wall, 1e-6 * (double)t->size / m->processor);
}

static void hash_model(const model *m, uint8_t hash[16])
{
    memset(hash, 0, 16);
    for (uint32_t i = 0; i < m->mesh_count; i++) {
        const model_mesh *mesh = &m->meshes[i];
        const size_t width = 3 * (mesh->is_double ? sizeof(double) : sizeof(float));
        uint8_t chain[48];
        memcpy(chain, hash, 16);
        bvp_hash(mesh->positions, mesh->vertex_count * width, chain + 16);
        bvp_hash(mesh->indices, mesh->triangle_count * 12, chain + 32);
        bvp_hash(chain, sizeof chain, hash);
    }
}

static void import(const text *t, uint32_t threads, measured *best, uint8_t hash[16])
{
    const import_options options = {.thread_count = threads};
    bvp_error error;
    model m;
    const double wall = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
    const bvp_status status =
        model_import_memory(t->data, t->size, t->path, NULL, &options, &m, &error);
    if (status != BVP_OK)
        fprintf(stderr, "%s\n", error.message);
    require(status == BVP_OK, "can't import a model");
    keep(best, seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - processor);
    hash_model(&m, hash);
    model_free(&m);
}

int main(int argc, char **argv)
{
    require(argc > 2, "usage: bench_import RUNS MODEL...");
    printf("model,who,mb_a_second,mb_a_processor_second\n");
    for (int i = 2; i < argc; i++) {
        const text t = map_text(argv[i]);
        measured lines = {0}, numbers = {0}, one = {0}, two = {0};
        for (int run = 0; run < atoi(argv[1]); run++) {
            uint8_t hashes[2][16];
            uint64_t found = 0;
            double wall = seconds(CLOCK_MONOTONIC), spent = seconds(CLOCK_PROCESS_CPUTIME_ID);
            found += count_lines(&t);
            keep(&lines, seconds(CLOCK_MONOTONIC) - wall,
                 seconds(CLOCK_PROCESS_CPUTIME_ID) - spent);
            wall = seconds(CLOCK_MONOTONIC);
            spent = seconds(CLOCK_PROCESS_CPUTIME_ID);
            found += read_numbers(&t);
            keep(&numbers, seconds(CLOCK_MONOTONIC) - wall,
                 seconds(CLOCK_PROCESS_CPUTIME_ID) - spent);
            require(found > 0, "a model without lines");
            import(&t, 1, &one, hashes[0]);
            import(&t, 2, &two, hashes[1]);
            require(memcmp(hashes[0], hashes[1], 16) == 0, "two threads read another model");
        }
        print(&t, "newlines", &lines);
        print(&t, "strtof", &numbers);
        print(&t, "one thread", &one);
        print(&t, "two threads", &two);
        munmap(t.data, t.size);
    }
    return 0;
}
