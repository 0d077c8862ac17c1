/* SPDX-License-Identifier: MIT
 * bench_mesh.c: meshes, the clock and the random numbers of the benchmark.
 */
#include "bench.h"
#include "bvpack_build.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_thread_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

uint64_t bench_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double bench_uniform(uint64_t *state)
{
    return (double)(bench_random(state) >> 11) * 0x1p-53;
}

void bench_require(bvp_status status, const char *what)
{
    if (status == BVP_OK)
        return;
    fprintf(stderr, "bench: %s: %s\n", what, bvp_status_name(status));
    exit(1);
}

uint64_t bench_allocated(void)
{
    const struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static void *allocate(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory)
        bench_require(BVP_ERR_NO_MEMORY, "bench");
    return memory;
}

static void apply(const double m[12], const float in[3], double out[3])
{
    for (int row = 0; row < 3; row++)
        out[row] =
            m[4 * row] * in[0] + m[4 * row + 1] * in[1] + m[4 * row + 2] * in[2] + m[4 * row + 3];
}

/* Every instance's triangles in the world, 9 doubles each. */
static double *flatten(const bvp_file *file, const bvp_file_info *info)
{
    double *world = allocate(info->triangle_count * 9 * sizeof *world), *next = world;
    for (uint32_t i = 0; i < info->instance_count; i++) {
        bvp_instance_info instance;
        bvp_part_info part;
        uint64_t count;
        bench_require(bvp_get_instance(file, i, &instance), "instance");
        bench_require(bvp_get_part(file, instance.part, &part), "part");
        float *local = allocate(part.triangle_count * 36);
        bench_require(bvp_get_triangles(file, instance.part, (bvp_range){0, part.triangle_count},
                                        local, NULL, &count),
                      "triangles");
        for (uint64_t k = 0; k < 3 * count; k++, next += 3)
            apply(instance.placement, local + 3 * k, next);
        free(local);
    }
    return world;
}

static float *fit(const double *world, uint64_t corner_count, double side)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    float *fitted = allocate(corner_count * 3 * sizeof *fitted);
    for (uint64_t k = 0; k < 3 * corner_count; k++) {
        lo[k % 3] = fmin(lo[k % 3], world[k]);
        hi[k % 3] = fmax(hi[k % 3], world[k]);
    }
    double scale = side / fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2]));
    for (uint64_t k = 0; k < 3 * corner_count; k++)
        fitted[k] = (float)((world[k] - (lo[k % 3] + hi[k % 3]) / 2) * scale);
    return fitted;
}

static bvp_file *pack(const float *positions, uint64_t triangle_count,
                      const bvp_build_options *options)
{
    char path[] = "bench-XXXXXX";
    bvp_mesh mesh = {.positions = positions,
                     .vertex_count = 3 * triangle_count,
                     .triangle_count = triangle_count};
    bvp_builder *builder;
    bvp_file *file;
    uint32_t part;
    int fd = mkstemp(path);
    if (fd < 0)
        bench_require(BVP_ERR_SYSTEM, path);
    bench_require(bvp_builder_new(options, &builder, NULL), "builder");
    bench_require(bvp_builder_add_part(builder, &mesh, &part, NULL), "add part");
    bench_require(bvp_builder_finish_fd(builder, fd, NULL, NULL), "write");
    bvp_builder_free(builder);
    bench_require(bvp_open_fd(fd, NULL, &file, NULL), "open");
    close(fd);
    unlink(path);
    return file;
}

bvp_file *bench_pack(const float *positions, uint64_t triangle_count,
                     const struct bvp_hierarchy_spec *hierarchy)
{
    const bvp_build_options options = {.hierarchies = hierarchy,
                                       .hierarchy_count = hierarchy != NULL};
    return pack(positions, triangle_count, &options);
}

bvp_file *bench_pack_rays(const float *positions, uint64_t triangle_count)
{
    const bvp_build_options options = {.rays = 1};
    return pack(positions, triangle_count, &options);
}

void bench_mesh_take(bench_mesh *mesh, float *positions, uint64_t triangle_count)
{
    mesh->triangle_count = triangle_count;
    mesh->positions = positions;
    mesh->file = bench_pack(positions, triangle_count, NULL);
}

void bench_mesh_load(bench_mesh *mesh, const char *path, double side)
{
    bvp_file *file;
    bvp_file_info info;
    bvp_error error;
    if (bvp_open(path, NULL, &file, &error) != BVP_OK) {
        fprintf(stderr, "bench: %s: %s\n", path, error.message);
        exit(1);
    }
    bvp_get_info(file, &info);
    double *world = flatten(file, &info);
    bench_mesh_take(mesh, fit(world, 3 * info.triangle_count, side), info.triangle_count);
    free(world);
    bvp_close(file);
}

void bench_mesh_free(bench_mesh *mesh)
{
    bvp_close(mesh->file);
    free(mesh->positions);
}
