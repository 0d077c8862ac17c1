/* SPDX-License-Identifier: MIT
 * bench_build.c: welding and packing a binary STL on one and on two threads, as it is and with
 * indices, with full care and fast, beside Embree's builders, all in turn, the best of RUNS; the
 * largest resident memory besides the mesh; then importing it and each OTHER model.
 * Usage: bench_build MODEL.stl [RUNS [COPIES [OTHER...]]]
 */
#include "bvpack_build.h"
#include "model/model.h"
#include "peer.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HEADER_SIZE = 84, RECORD_SIZE = 50, THREADS = 2 };

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Forgets the peak of what was resident before. Where the system can't, peaks only go up. */
static void reset_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file)
        return;
    fputs("5", file);
    fclose(file);
}

/* Bytes resident at most since then, or (now) now. */
static double resident(const char *key)
{
    char line[256];
    double kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            kib = atof(line + strlen(key));
    if (file)
        fclose(file);
    return 1024 * kib;
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

/* ---- the contenders -------------------------------------------------------------------------- */

typedef struct contender {
    const char *what;
    uint32_t threads;
    bvp_split split;        /* DEFAULT: weld only, when there is no peer */
    int indexed, peer, low; /* low: the peer's fast quality */
    double wall, processor, peak;
} contender;

typedef struct scene {
    bvp_mesh soup, indexed;
    uint64_t file_size[2]; /* packed with care, fast */
} scene;

static void weld(const bvp_mesh *mesh, uint32_t threads)
{
    uint32_t *indices = NULL;
    void *positions = NULL;
    uint64_t vertex_count;
    require(bvp_weld(mesh, threads, &indices, &positions, &vertex_count, NULL) == BVP_OK, "weld");
    free(indices);
    free(positions);
}

static uint64_t pack(const bvp_mesh *mesh, uint32_t threads, bvp_split split)
{
    const bvp_hierarchy_spec spec = {.kind = BVP_KIND_WIDE, .split = split};
    const bvp_build_options options = {
        .thread_count = threads, .hierarchies = &spec, .hierarchy_count = 1};
    bvp_builder *builder;
    bvp_build_report report;
    uint32_t part;
    FILE *out = fopen("/dev/null", "w");
    require(out && bvp_builder_new(&options, &builder, NULL) == BVP_OK &&
                bvp_builder_add_part(builder, mesh, &part, NULL) == BVP_OK &&
                bvp_builder_finish_fd(builder, fileno(out), &report, NULL) == BVP_OK,
            "pack");
    bvp_builder_free(builder);
    fclose(out);
    return report.file_size;
}

static void run_once(scene *s, const contender *c)
{
    const bvp_mesh *mesh = c->indexed ? &s->indexed : &s->soup;
    if (c->peer)
        peer_embree->build(mesh->positions, mesh->vertex_count, mesh->indices, mesh->triangle_count,
                           c->low);
    else if (c->split == BVP_SPLIT_DEFAULT)
        weld(mesh, c->threads);
    else
        s->file_size[c->split == BVP_SPLIT_MORTON] = pack(mesh, c->threads, c->split);
}

static void time_once(scene *s, contender *c, int run)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    reset_peak();
    const double before = resident("VmRSS:");
    double wall = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
    run_once(s, c);
    wall = seconds(CLOCK_MONOTONIC) - wall;
    processor = seconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
    if (run == 0 || wall < c->wall)
        c->wall = wall;
    if (run == 0 || processor < c->processor)
        c->processor = processor;
    if (resident("VmHWM:") - before > c->peak)
        c->peak = resident("VmHWM:") - before;
}

static void print(const contender *c, uint64_t count)
{
    printf("%s,%u,%.3f,%.3f,%.2f,%.2f,%.1f\n", c->what, c->threads, c->wall, c->processor,
           (double)count / c->processor * 1e-6, (double)count / c->wall * 1e-6,
           c->peak / (double)count);
}

static void compare(scene *s, int runs)
{
    contender list[] = {
        {.what = "weld", .threads = 1},
        {.what = "weld", .threads = THREADS},
        {.what = "pack", .threads = 1, .split = BVP_SPLIT_SAH},
        {.what = "pack", .threads = THREADS, .split = BVP_SPLIT_SAH},
        {.what = "pack indexed", .threads = 1, .split = BVP_SPLIT_SAH, .indexed = 1},
        {.what = "pack indexed", .threads = THREADS, .split = BVP_SPLIT_SAH, .indexed = 1},
        {.what = "fast", .threads = 1, .split = BVP_SPLIT_MORTON},
        {.what = "fast", .threads = THREADS, .split = BVP_SPLIT_MORTON},
        {.what = "fast indexed", .threads = 1, .split = BVP_SPLIT_MORTON, .indexed = 1},
        {.what = "fast indexed", .threads = THREADS, .split = BVP_SPLIT_MORTON, .indexed = 1},
        {.what = "Embree medium", .threads = 1, .indexed = 1, .peer = 1},
        {.what = "Embree low", .threads = 1, .indexed = 1, .peer = 1, .low = 1},
    };
    const size_t count = sizeof list / sizeof *list;
    for (int run = 0; run < runs; run++)
        for (size_t k = 0; k < count; k++)
            if (!list[k].peer || peer_embree)
                time_once(s, &list[k], run);
    printf("what,threads,wall_s,processor_s,mtri_per_processor_s,mtri_per_s,peak_bytes\n");
    for (size_t k = 0; k < count; k++) {
        if (!list[k].peer || peer_embree)
            print(&list[k], s->soup.triangle_count);
        if (k > 0 && list[k].threads > 1)
            printf("# %s: %.2f times as fast on %u threads\n", list[k].what,
                   list[k - 1].wall / list[k].wall, list[k].threads);
    }
    printf("# file: %.2f bytes a triangle, fast %.2f\n",
           (double)s->file_size[0] / (double)s->soup.triangle_count,
           (double)s->file_size[1] / (double)s->soup.triangle_count);
}

/* ---- importing ------------------------------------------------------------------------------ */

static void *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    require(file && fseek(file, 0, SEEK_END) == 0, "cannot read");
    *size = (size_t)ftell(file);
    rewind(file);
    void *data = malloc(*size + 1);
    require(data && fread(data, 1, *size, file) == *size, "cannot read");
    fclose(file);
    return data;
}

/* From the bytes in memory to meshes as the builder takes them. */
static void import(const char *path, int runs)
{
    const import_options options = {.thread_count = 1};
    size_t size;
    void *data = read_all(path, &size);
    contender c = {.what = "", .threads = 1};
    uint64_t count = 0;
    for (int run = 0; run < runs; run++) {
        model m;
        bvp_error error;
        const double wall = seconds(CLOCK_MONOTONIC), start = seconds(CLOCK_PROCESS_CPUTIME_ID);
        require(model_import_memory(data, size, path, NULL, &options, &m, &error) == BVP_OK,
                "import");
        const double processor = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
        if (run == 0 || processor < c.processor)
            c.processor = processor;
        if (run == 0 || seconds(CLOCK_MONOTONIC) - wall < c.wall)
            c.wall = seconds(CLOCK_MONOTONIC) - wall;
        count = 0;
        for (uint32_t k = 0; k < m.mesh_count; k++)
            count += m.meshes[k].triangle_count;
        if (run == 0)
            printf("import %.*s", (int)strcspn(m.format, ","), m.format);
        model_free(&m);
    }
    print(&c, count);
    free(data);
}

int main(int argc, char **argv)
{
    require(argc > 1, "usage: bench_build MODEL.stl [RUNS [COPIES [OTHER...]]]");
    const int runs = argc > 2 ? atoi(argv[2]) : 3;
    uint32_t count, *indices = NULL;
    float *soup = read_soup(argv[1], argc > 3 ? (uint32_t)atoi(argv[3]) : 1, &count);
    void *positions = NULL;
    scene s = {
        .soup = {.positions = soup, .vertex_count = 3 * (uint64_t)count, .triangle_count = count}};
    s.indexed = s.soup;
    require(bvp_weld(&s.soup, 1, &indices, &positions, &s.indexed.vertex_count, NULL) == BVP_OK,
            "weld");
    s.indexed.indices = indices;
    s.indexed.positions = positions;
    compare(&s, runs);
    free(soup);
    free(indices);
    free(positions);
    import(argv[1], runs);
    for (int k = 4; k < argc; k++)
        import(argv[k], runs);
    return 0;
}
