/* SPDX-License-Identifier: MIT
 * count_work.c: rays, overlaps, distances or builds, some number of times, for
 * tests/cross/count_instructions.sh: what processors take for one is the difference of two runs.
 *
 * count_work FILE rays|overlaps|distances|builds COUNT [base]: prints a hash of the answers, which
 * are the same on every machine. base: kernels without AVX2.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bvpack_build.h"

static uint64_t state = 1, hash;

static double random_in(double lo, double hi)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (hi - lo) * ((double)(state >> 11) * 0x1p-53);
}

/* FNV-1a */
static void add(const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static void check(bvp_status status)
{
    if (status != BVP_OK) {
        fprintf(stderr, "count_work: %s\n", bvp_status_name(status));
        exit(1);
    }
}

static void random_point(const bvp_file_info *info, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = random_in(info->lo[i], info->hi[i]);
}

static void cast_rays(const bvp_body *body, const bvp_file_info *info, size_t count)
{
    bvp_ray *rays = calloc(count + 1, sizeof *rays);
    bvp_ray_hit *hits = calloc(count + 1, sizeof *hits);
    for (size_t i = 0; i < count; i++) {
        rays[i].t_max = INFINITY;
        random_point(info, rays[i].origin);
        for (int k = 0; k < 3; k++)
            rays[i].direction[k] = random_in(-1, 1);
    }
    check(bvp_ray_first_batch(body, (bvp_const_array){rays, 0, count}, (bvp_array){hits, 0, count},
                              NULL, NULL));
    for (size_t i = 0; i < count; i++)
        if (hits[i].found)
            add(&hits[i].t, sizeof hits[i].t);
    free(rays);
    free(hits);
}

static int add_hit(void *user, const bvp_hit_id *hit)
{
    (void)user;
    add(&hit->triangle, sizeof hit->triangle);
    return 0;
}

static void overlap_boxes(const bvp_body *body, const bvp_file_info *info, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double lo[3], hi[3];
        uint64_t found;
        random_point(info, lo);
        for (int k = 0; k < 3; k++)
            hi[k] = lo[k] + (info->hi[k] - info->lo[k]) / 50;
        check(bvp_overlap(body, bvp_box_region(lo, hi), add_hit, NULL, &found, NULL));
        add(&found, sizeof found);
    }
}

/* Two instances of the file, one of them turned about the third axis by a rational rotation. */
static void measure(const bvp_file *file, const bvp_file_info *info, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bvp_instance_info at[2];
        for (int k = 0; k < 2; k++)
            check(bvp_get_instance(file, (uint32_t)random_in(0, info->instance_count), &at[k]));
        const double turned[12] = {.6, -.8, 0, random_in(-3, 3), .8, .6, 0, random_in(-3, 3),
                                   0,  0,   1, random_in(-3, 3)};
        const bvp_body a = {.file = file, .part = at[0].part, .placement = at[0].placement};
        const bvp_body b = {.file = file, .part = at[1].part, .placement = turned};
        bvp_distance_result found;
        check(bvp_distance(&a, &b, INFINITY, &found, NULL));
        add(&found.distance, sizeof found.distance);
        add(&found.a.triangle, sizeof found.a.triangle);
        add(&found.b.triangle, sizeof found.b.triangle);
    }
}

/* Builds one part after another: their content hashes say what came out. */
static void build(const bvp_file *file, const bvp_file_info *info, size_t count)
{
    const bvp_build_options options = {.thread_count = 1};
    bvp_builder *builder;
    check(bvp_builder_new(&options, &builder, NULL));
    for (size_t i = 0; i < count; i++) {
        const uint32_t part = (uint32_t)(i % info->part_count);
        bvp_part_info of;
        uint32_t added;
        uint64_t read;
        check(bvp_get_part(file, part, &of));
        float *corners = malloc((size_t)of.triangle_count * 9 * sizeof *corners);
        check(
            bvp_get_triangles(file, part, (bvp_range){0, of.triangle_count}, corners, NULL, &read));
        const bvp_mesh mesh = {.positions = corners,
                               .vertex_count = 3 * of.triangle_count,
                               .triangle_count = of.triangle_count};
        check(bvp_builder_add_part(builder, &mesh, &added, NULL));
        check(bvp_builder_get_part(builder, added, &of));
        add(of.content_hash, sizeof of.content_hash);
        free(corners);
    }
    bvp_builder_free(builder);
}

int main(int argc, char **argv)
{
    bvp_open_options options = {0};
    bvp_error error;
    bvp_file *file;
    bvp_file_info info;
    if (argc < 4)
        return 99;
    options.baseline_simd = argc > 4 && strcmp(argv[4], "base") == 0;
    if (bvp_open(argv[1], &options, &file, &error) != BVP_OK) {
        fprintf(stderr, "count_work: %s\n", error.message);
        return 1;
    }
    const size_t count = strtoul(argv[3], NULL, 10);
    const bvp_body body = {.file = file, .part = BVP_ASSEMBLY};
    bvp_get_info(file, &info);
    if (strcmp(argv[2], "rays") == 0)
        cast_rays(&body, &info, count);
    else if (strcmp(argv[2], "overlaps") == 0)
        overlap_boxes(&body, &info, count);
    else if (strcmp(argv[2], "distances") == 0)
        measure(file, &info, count);
    else
        build(file, &info, count);
    printf("%016llx\n", (unsigned long long)hash);
    bvp_close(file);
    return 0;
}
