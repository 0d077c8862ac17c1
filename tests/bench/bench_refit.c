/* SPDX-License-Identifier: MIT
 * bench_refit.c: a deformed part refitted and built anew by the builder's own rule (SAH), in every
 * kind of hierarchy: how long both take, and how much longer queries of the refitted one take. Both
 * are asked the same questions, in turn, and must answer the same.
 * Usage: bench_refit [TRIANGLES [KIND]], 1000000 and all kinds without
 */
#include "bench.h"
#include "bench_rounds.h"
#include "bvpack_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POSES = 64, RUNS = 5 };

/* ---- the part -------------------------------------------------------------------------------- */

/* A torus with bumps, of largest side 2. */
typedef struct torus {
    float *positions;
    uint32_t *indices;
    uint64_t vertex_count, triangle_count;
} torus;

static void *allocate(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory)
        bench_require(BVP_ERR_NO_MEMORY, "bench");
    return memory;
}

static torus make_torus(uint64_t wanted)
{
    const uint32_t across = (uint32_t)sqrt((double)wanted / 4), along = 2 * across;
    torus t = {.vertex_count = (uint64_t)across * along,
               .triangle_count = 2 * (uint64_t)across * along};
    t.positions = allocate(t.vertex_count * 12);
    t.indices = allocate(t.triangle_count * 12);
    for (uint32_t i = 0; i < along; i++)
        for (uint32_t k = 0; k < across; k++) {
            const double u = 2 * M_PI * i / along, v = 2 * M_PI * k / across;
            const double r = 0.28 + 0.015 * sin(9 * u) * sin(7 * v);
            float *p = t.positions + 3 * ((uint64_t)i * across + k);
            p[0] = (float)((0.7 + r * cos(v)) * cos(u));
            p[1] = (float)((0.7 + r * cos(v)) * sin(u));
            p[2] = (float)(r * sin(v));
        }
    uint32_t *next = t.indices;
    for (uint32_t i = 0; i < along; i++)
        for (uint32_t k = 0; k < across; k++) {
            const uint32_t j = (i + 1) % along * across, l = (k + 1) % across;
            const uint32_t quad[6] = {i * across + k, j + k, j + l,
                                      i * across + k, j + l, i * across + l};
            memcpy(next, quad, sizeof quad);
            next += 6;
        }
    return t;
}

/* ---- deformations ---------------------------------------------------------------------------- */

typedef enum shape { SWAY, STRETCH, NOISE, TWIST } shape;

typedef struct deformation {
    const char *name;
    shape shape;
    double strength; /* noise: in edges; twist: radians over the part's length */
} deformation;

static const deformation deformations[] = {
    {"sway .01", SWAY, 0.01}, {"noise .2 edge", NOISE, 0.2}, {"stretch 1.5", STRETCH, 1.5},
    {"twist .1", TWIST, 0.1}, {"twist .5", TWIST, 0.5},      {"twist 2", TWIST, 2},
    {"twist 8", TWIST, 8},
};
enum { DEFORMATIONS = sizeof deformations / sizeof deformations[0] };

/* Equal places go to equal places; the twist is about x. */
static void deform(const deformation *d, double edge, const float in[3], float out[3])
{
    uint32_t bits[3];
    uint64_t state;
    double p[3] = {(double)in[0], (double)in[1], (double)in[2]};
    const double angle = d->strength * p[0] / 2, c = cos(angle), s = sin(angle), y = p[1];
    switch (d->shape) {
    case SWAY:
        p[2] += d->strength * sin(3 * p[0]);
        break;
    case STRETCH:
        p[0] *= d->strength;
        p[1] /= sqrt(d->strength);
        break;
    case NOISE:
        memcpy(bits, in, sizeof bits);
        state = bits[0] ^ (uint64_t)bits[1] << 21 ^ (uint64_t)bits[2] << 42;
        for (int axis = 0; axis < 3; axis++)
            p[axis] += d->strength * edge * (2 * bench_uniform(&state) - 1);
        break;
    default:
        p[1] = c * y - s * p[2];
        p[2] = s * y + c * p[2];
    }
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (float)p[axis];
}

static void deform_all(const deformation *d, double edge, const float *in, uint64_t count,
                       float *out)
{
    for (uint64_t i = 0; i < count; i++)
        deform(d, edge, in + 3 * i, out + 3 * i);
}

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct form {
    const char *name;
    bvp_hierarchy_spec specs[5];
    uint32_t count;
} form;

static const form forms[] = {
    {"wide", {{.kind = BVP_KIND_WIDE}}, 1},
    {"aabb", {{.kind = BVP_KIND_AABB}}, 1},
    {"boxtree", {{.kind = BVP_KIND_BOXTREE}}, 1},
    {"obb", {{.kind = BVP_KIND_OBB}}, 1},
    {"rss", {{.kind = BVP_KIND_RSS}}, 1},
    {"wide+aabb", {{.kind = BVP_KIND_WIDE}, {.kind = BVP_KIND_AABB}}, 2},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

/* Packs on one thread. *seconds: of building, without writing the file. */
static int pack(const torus *t, const float *positions, const form *f, double *seconds)
{
    char path[] = "bench-XXXXXX";
    const bvp_build_options options = {
        .thread_count = 1, .hierarchies = f->specs, .hierarchy_count = f->count, .deformable = 1};
    const bvp_mesh mesh = {.positions = positions,
                           .vertex_count = t->vertex_count,
                           .indices = t->indices,
                           .triangle_count = t->triangle_count};
    bvp_builder *builder;
    uint32_t part;
    const int fd = mkstemp(path);
    if (fd < 0)
        bench_require(BVP_ERR_SYSTEM, path);
    unlink(path);
    bench_require(bvp_builder_new(&options, &builder, NULL), "builder");
    const double start = bench_now();
    bench_require(bvp_builder_add_part(builder, &mesh, &part, NULL), "add part");
    *seconds = bench_now() - start;
    bench_require(bvp_builder_finish_fd(builder, fd, NULL, NULL), "write");
    bvp_builder_free(builder);
    return fd;
}

static bvp_file *open_file(int fd, int overlay)
{
    const bvp_open_options options = {.overlay = overlay};
    bvp_file *file;
    bench_require(bvp_open_fd(fd, &options, &file, NULL), "open");
    return file;
}

static double area_cost(const bvp_file *file)
{
    bvp_hierarchy_info info;
    bench_require(bvp_get_hierarchy(file, 0, 0, &info), "hierarchy");
    return info.area_cost;
}

/* ---- questions ------------------------------------------------------------------------------- */

typedef enum asked { PAIRS, DISTANCE, CLOSEST, RAY, ASKED } asked;

typedef struct questions {
    const bvp_file *file;
    asked asked;
    const double (*near)[12], (*apart)[12];
} questions;

static int count_only(void *user, const bvp_pair *pair)
{
    (void)user, (void)pair;
    return 0;
}

static double ask(const void *user, int idx)
{
    const questions *q = user;
    const double *m = q->asked == DISTANCE ? q->apart[idx] : q->near[idx];
    const bvp_body a = {.file = q->file, .part = 0};
    const bvp_body b = {.file = q->file, .part = 0, .placement = m};
    const double point[3] = {m[3], m[7], m[11]};
    bvp_distance_result between = {.distance = 0};
    bvp_closest_result closest = {.distance = 0};
    bvp_ray_hit hit = {.found = 0};
    bvp_ray ray = {.t_max = INFINITY};
    uint64_t count = 0;
    switch (q->asked) {
    case PAIRS:
        bench_require(bvp_pairs_each(&a, &b, count_only, NULL, &count, NULL), "pairs");
        return (double)count;
    case DISTANCE:
        bench_require(bvp_distance(&a, &b, INFINITY, &between, NULL), "distance");
        return between.distance;
    case CLOSEST:
        bench_require(bvp_closest(&a, point, INFINITY, &closest, NULL), "closest");
        return closest.distance;
    default:
        for (int i = 0; i < 3; i++) {
            ray.origin[i] = q->apart[idx][4 * i + 3];
            ray.direction[i] = point[i] - ray.origin[i];
        }
        bench_require(bvp_ray_first(&a, &ray, &hit, NULL), "ray");
        return hit.found ? hit.t : -1;
    }
}

/* Random turns, and moves of length `far` at random. */
static void make_poses(uint64_t seed, double least, double most, double out[POSES][12])
{
    for (int k = 0; k < POSES; k++) {
        double q[4], d[3], size = 0, length = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = 2 * bench_uniform(&seed) - 1;
            size += q[i] * q[i];
        }
        for (int i = 0; i < 3; i++) {
            d[i] = 2 * bench_uniform(&seed) - 1;
            length += d[i] * d[i];
        }
        const double w = q[0], x = q[1], y = q[2], z = q[3], s = 2 / size;
        const double turn[9] = {
            1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
            s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
            s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
        const double move = (least + (most - least) * bench_uniform(&seed)) / sqrt(length);
        for (int i = 0; i < 3; i++) {
            memcpy(out[k] + 4 * i, turn + 3 * i, 3 * sizeof *turn);
            out[k][4 * i + 3] = move * d[i];
        }
    }
}

typedef struct compared {
    double ratio[ASKED], worst[ASKED]; /* refitted over rebuilt, and of the worst question */
    double us[2];                      /* of PAIRS: rebuilt, refitted */
    int differing;
} compared;

static void compare(const bvp_file *rebuilt, const bvp_file *refitted, compared *out)
{
    double near[POSES][12], apart[POSES][12];
    bvp_part_info part;
    bench_require(bvp_get_part(rebuilt, 0, &part), "part");
    double size = 0;
    for (int i = 0; i < 3; i++)
        size = fmax(size, ((double)part.hi[i] - (double)part.lo[i]) / 2);
    make_poses(1, 0.3 * size, 0.9 * size, near);
    make_poses(2, 3.6 * size, 4 * size, apart);
    *out = (compared){.differing = 0};
    for (asked k = 0; k < ASKED; k++) {
        const questions q[2] = {
            {rebuilt, k, (const double(*)[12])near, (const double(*)[12])apart},
            {refitted, k, (const double(*)[12])near, (const double(*)[12])apart}};
        bench_contender all[2] = {{.name = "rebuilt", .ask = ask, .user = &q[0]},
                                  {.name = "refitted", .ask = ask, .user = &q[1]}};
        const int count = bench_rounds(all, 2, POSES, bench_limit());
        for (int i = 0; i < count; i++)
            out->differing +=
                !(fabs(all[0].answers[i] - all[1].answers[i]) <= 1e-9 * fabs(all[0].answers[i]));
        out->ratio[k] = bench_ratio(&all[0], &all[1], count).median;
        out->worst[k] = 1 / bench_worst(&all[1], &all[0], count);
        for (int side = 0; side < 2 && k == PAIRS; side++)
            out->us[side] = bench_us(&all[side], count).median;
        bench_rounds_free(all, 2);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Median seconds, the first one not counted, which copies the pages that it touches. */
static double refit(bvp_file *file, const float *rest, float *moved, uint64_t count,
                    const deformation *d, double edge, double *first)
{
    double seconds[RUNS];
    for (int run = 0; run <= RUNS; run++) {
        deformation now = *d;
        now.strength *= run == RUNS ? 1 : 0.999 - 0.001 * run; /* each moves everything */
        deform_all(&now, edge, rest, count, moved);
        const double start = bench_now();
        bench_require(bvp_refit(file, 0, moved, count, NULL), "refit");
        const double took = bench_now() - start;
        if (run == 0)
            *first = took;
        else
            seconds[run - 1] = took;
    }
    qsort(seconds, RUNS, sizeof *seconds, by_value);
    return seconds[RUNS / 2];
}

static int row(const torus *t, const form *f, const deformation *d, int fd)
{
    const double edge = 2 * sqrt(10.0 / (double)t->triangle_count);
    double first = 0, build[3];
    uint64_t count;
    compared c;
    bvp_file *file = open_file(fd, 1), *rebuilt = NULL;
    bench_require(bvp_get_vertices(file, 0, 0, UINT64_MAX, NULL, &count), "vertices");
    float *rest = allocate(count * 12), *moved = allocate(count * 12);
    bench_require(bvp_get_vertices(file, 0, 0, count, rest, &count), "vertices");
    const double seconds = refit(file, rest, moved, count, d, edge, &first);
    float *positions = allocate(t->vertex_count * 12);
    deform_all(d, edge, t->positions, t->vertex_count, positions);
    int runs = 0;
    do {
        bvp_close(rebuilt);
        const int anew = pack(t, positions, f, &build[runs]);
        rebuilt = open_file(anew, 0);
        close(anew);
    } while (build[runs++] < 3 && runs < 3);
    qsort(build, (size_t)runs, sizeof *build, by_value);
    const double rebuild = build[runs / 2];
    compare(rebuilt, file, &c);
    printf("%s,%llu,%s,%.2f,%.2f,%.1f,%.1f,%.1f,%.3f", f->name,
           (unsigned long long)t->triangle_count, d->name, 1e3 * seconds, 1e3 * first,
           1e3 * rebuild, rebuild / seconds, rebuild / first, area_cost(file) / area_cost(rebuilt));
    for (asked k = 0; k < ASKED; k++)
        printf(",%.2f,%.2f", c.ratio[k], c.worst[k]);
    /* after so many questions for all pairs a rebuild was cheaper */
    if (c.us[1] > 1.02 * c.us[0])
        printf(",%.0f", (rebuild - seconds) * 1e6 / (c.us[1] - c.us[0]));
    else
        printf(",never");
    printf(",%d\n", c.differing);
    fflush(stdout);
    free(positions);
    free(rest);
    free(moved);
    bvp_close(rebuilt);
    bvp_close(file);
    return c.differing;
}

int main(int argc, char **argv)
{
    const torus t = make_torus(argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000);
    int differing = 0;
    printf("kind,triangles,deformation,refit_ms,first_ms,rebuild_ms,rebuild_over_refit,"
           "rebuild_over_first,area_ratio,pairs_ratio,pairs_worst,distance_ratio,distance_worst,"
           "closest_ratio,closest_worst,ray_ratio,ray_worst,rebuild_pays_after,differing\n");
    for (int k = 0; k < FORMS; k++) {
        double seconds;
        if (argc > 2 && strcmp(argv[2], forms[k].name) != 0)
            continue;
        const int fd = pack(&t, t.positions, &forms[k], &seconds);
        for (int i = 0; i < DEFORMATIONS; i++)
            differing += row(&t, &forms[k], &deformations[i], fd);
        close(fd);
    }
    free(t.positions);
    free(t.indices);
    return differing != 0;
}
