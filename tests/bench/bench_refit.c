/* SPDX-License-Identifier: MIT
 * bench_refit.c: refitting a deformed part against packing it anew: how long each takes, and how
 * long queries take afterwards, as the deformation grows. Answers of both are compared.
 * Usage: bench_refit [TRIANGLES]
 * Based on: van den Bergen 1997, section 4: what is measured there.
 */
#include "bvpack_build.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { POSES = 40, ROUNDS = 3 };

typedef struct shape {
    float *positions;
    uint32_t *indices;
    uint64_t vertex_count, triangle_count;
} shape;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* others may keep the machine busy */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(bvp_status status, const char *what, const bvp_error *error)
{
    if (status == BVP_OK)
        return;
    fprintf(stderr, "bench_refit: %s: %s\n", what, error ? error->message : "");
    exit(1);
}

static void *allocate(uint64_t size)
{
    void *out = malloc(size);
    if (!out)
        exit(1);
    return out;
}

/* A torus of about `count` triangles, 2.5 across, with a ripple on it. */
static shape make_torus(uint64_t count)
{
    const uint32_t n = (uint32_t)sqrt((double)count / 6), m = 3 * n;
    shape s = {.vertex_count = (uint64_t)n * m, .triangle_count = 2 * (uint64_t)n * m};
    s.positions = allocate(s.vertex_count * 12);
    s.indices = allocate(s.triangle_count * 12);
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++) {
            const double u = 2 * M_PI * i / m, v = 2 * M_PI * j / n;
            const double r = 0.25 + 0.01 * sin(40 * u) * sin(8 * v), d = 1 + r * cos(v);
            const uint32_t right = (i + 1) % m * n, up = (j + 1) % n;
            const uint32_t quad[6] = {i * n + j, right + j,  right + up,
                                      i * n + j, right + up, i * n + up};
            float *p = s.positions + 3 * ((uint64_t)i * n + j);
            p[0] = (float)(d * cos(u));
            p[1] = (float)(d * sin(u));
            p[2] = (float)(r * sin(v));
            memcpy(s.indices + 6 * ((uint64_t)i * n + j), quad, sizeof quad);
        }
    return s;
}

/* ---- deformations: the same floats go to the same place ---------------------------------------
 */

static void twist(double strength, const float in[3], float out[3])
{
    const double c = cos(strength * in[0]), s = sin(strength * in[0]);
    out[0] = in[0];
    out[1] = (float)(c * in[1] - s * in[2]);
    out[2] = (float)(s * in[1] + c * in[2]);
}

static void stretch(double strength, const float in[3], float out[3])
{
    out[0] = (float)(in[0] * (1 + strength));
    out[1] = in[1];
    out[2] = (float)(in[2] + 0.3 * strength * in[0] * in[0]);
}

static void noise(double strength, const float in[3], float out[3])
{
    uint32_t bits[3];
    memcpy(bits, in, sizeof bits);
    uint64_t state = bits[0] ^ (uint64_t)bits[1] << 21 ^ (uint64_t)bits[2] << 42;
    for (int axis = 0; axis < 3; axis++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        out[axis] = (float)(in[axis] + strength * ((double)(state >> 11) * 0x1p-52 - 1));
    }
}

typedef void (*deformation)(double strength, const float in[3], float out[3]);

static void deform(deformation f, double strength, const float *in, uint64_t count, float *out)
{
    for (uint64_t i = 0; i < count; i++)
        f(strength, in + 3 * i, out + 3 * i);
}

/* ---- packing and asking -----------------------------------------------------------------------
 */

/* *seconds: of building, without writing. The file has no name. */
static bvp_file *pack(const shape *s, const float *positions, double *seconds, int overlay)
{
    const bvp_hierarchy_spec spec = {.kind = BVP_KIND_AABB};
    const bvp_build_options options = {
        .thread_count = 1, .hierarchies = &spec, .hierarchy_count = 1, .deformable = 1};
    const bvp_open_options how = {.overlay = overlay};
    const bvp_mesh mesh = {.positions = positions,
                           .vertex_count = s->vertex_count,
                           .indices = s->indices,
                           .triangle_count = s->triangle_count};
    char path[] = "bench-refit-XXXXXX";
    const int fd = mkstemp(path);
    bvp_builder *builder;
    bvp_file *file;
    bvp_error error = {0};
    uint32_t part;
    if (fd < 0)
        exit(1);
    unlink(path);
    require(bvp_builder_new(&options, &builder, &error), "builder", &error);
    const double began = now();
    require(bvp_builder_add_part(builder, &mesh, &part, &error), "build", &error);
    *seconds = now() - began;
    require(bvp_builder_finish_fd(builder, fd, NULL, &error), "write", &error);
    bvp_builder_free(builder);
    require(bvp_open_fd(fd, &how, &file, &error), "open", &error);
    close(fd);
    return file;
}

static int count_pair(void *user, const bvp_pair *pair)
{
    (void)user;
    (void)pair;
    return 0;
}

/* All pairs with a small ring at poses around the torus; counts[] must agree between files. */
static double ask(const bvp_file *file, const bvp_file *probe, uint64_t counts[POSES],
                  bvp_stats *stats)
{
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        const double began = now();
        memset(stats, 0, sizeof *stats);
        for (int i = 0; i < POSES; i++) {
            const double u = 2 * M_PI * i / POSES,
                         m[12] = {0.1,           0, 0, cos(u) * 1.25, 0,   0.1, 0,
                                  sin(u) * 1.25, 0, 0, 0.1,           0.02};
            const bvp_body a = {file, 0, NULL}, b = {probe, 0, m};
            require(bvp_pairs_each(&a, &b, count_pair, NULL, &counts[i], stats), "pairs", NULL);
        }
        best = fmin(best, now() - began);
    }
    return best / POSES;
}

typedef struct row {
    const char *name;
    deformation f;
    double strength;
} row;

/* What stays the same for all rows. */
typedef struct bench {
    shape torus;
    bvp_file *file, *probe;
    float *stored, *moved;
    uint64_t stored_count;
    double worst; /* refit over rebuild */
} bench;

static double refit(bench *b)
{
    bvp_error error = {0};
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        /* from the shape at rest: nothing is where it was */
        require(bvp_refit(b->file, 0, b->stored, b->stored_count, &error), "refit", &error);
        const double began = now();
        require(bvp_refit(b->file, 0, b->moved, b->stored_count, &error), "refit", &error);
        best = fmin(best, now() - began);
    }
    return best;
}

static void measure(bench *b, const row *r)
{
    double seconds[2], query[2], cost[2];
    uint64_t counts[2][POSES], total = 0;
    bvp_stats stats[2];
    bvp_hierarchy_info info;
    float *positions = allocate(b->torus.vertex_count * 12);
    deform(r->f, r->strength, b->stored, b->stored_count, b->moved);
    deform(r->f, r->strength, b->torus.positions, b->torus.vertex_count, positions);
    seconds[0] = refit(b);
    bvp_file *anew = pack(&b->torus, positions, &seconds[1], 0);
    bvp_file *const files[2] = {b->file, anew};
    for (int k = 0; k < 2; k++) {
        query[k] = ask(files[k], b->probe, counts[k], &stats[k]);
        require(bvp_get_hierarchy(files[k], 0, 0, &info), "info", NULL);
        cost[k] = info.area_cost;
    }
    for (int i = 0; i < POSES; i++) {
        total += counts[0][i];
        if (counts[0][i] != counts[1][i])
            require(BVP_ERR_CORRUPT, "the answers differ", NULL);
    }
    printf("%-8s %6g %8.1f %9.1f %7.4f %9.1f %9.1f %6.2f %9.0f %9.0f %7.1f %7.1f %8llu\n", r->name,
           r->strength, 1e3 * seconds[0], 1e3 * seconds[1], seconds[0] / seconds[1], 1e6 * query[0],
           1e6 * query[1], query[0] / query[1], (double)stats[0].boxes / POSES,
           (double)stats[1].boxes / POSES, cost[0], cost[1], (unsigned long long)total);
    b->worst = fmax(b->worst, seconds[0] / seconds[1]);
    bvp_close(anew);
    free(positions);
}

int main(int argc, char **argv)
{
    static const row rows[] = {
        {"twist", twist, 0.1},     {"twist", twist, 1},     {"twist", twist, 4},
        {"stretch", stretch, 0.1}, {"stretch", stretch, 1}, {"stretch", stretch, 4},
        {"noise", noise, 0.0005},  {"noise", noise, 0.005}, {"noise", noise, 0.05}};
    bench b = {.torus = make_torus(argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000)};
    const shape ring = make_torus(5000);
    double seconds;
    b.file = pack(&b.torus, b.torus.positions, &seconds, 1);
    b.probe = pack(&ring, ring.positions, &seconds, 0);
    require(bvp_get_vertices(b.file, 0, 0, UINT64_MAX, NULL, &b.stored_count), "vertices", NULL);
    b.stored = allocate(b.stored_count * 12);
    b.moved = allocate(b.stored_count * 12);
    require(bvp_get_vertices(b.file, 0, 0, b.stored_count, b.stored, &b.stored_count), "vertices",
            NULL);
    printf("%llu triangles, one thread, processor time; all pairs with a small part at %d poses, "
           "the same counts\n",
           (unsigned long long)b.torus.triangle_count, POSES);
    puts("deformation     refit ms build ms   ratio  query us   rebuilt  ratio     boxes   rebuilt "
         "   cost rebuilt    pairs");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        measure(&b, &rows[i]);
    printf("largest refit/rebuild: %.4f (asked for: at most 0.1)\n", b.worst);
    bvp_close(b.file);
    bvp_close(b.probe);
    free(b.torus.positions);
    free(b.torus.indices);
    free(ring.positions);
    free(ring.indices);
    free(b.stored);
    free(b.moved);
    return b.worst > 0.1;
}
