/* SPDX-License-Identifier: MIT
 * build_case.c: meshes to build, files in memory, and what must be true of them.
 */
#include "build_case.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t case_seed(void)
{
    const char *text = getenv("BVP_SEED");
    const uint64_t seed = text ? strtoull(text, NULL, 0) : 20261121;
    printf("BVP_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

uint64_t case_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

double case_uniform(uint64_t *state)
{
    return (double)(case_random(state) >> 11) * 0x1p-53;
}

float *case_soup(uint64_t *state, uint32_t count, double size, double triangle_size)
{
    float *soup = malloc(36 * (size_t)count + 1);
    ck_assert_ptr_nonnull(soup);
    for (uint32_t i = 0; i < count; i++) {
        double centre[3];
        for (int axis = 0; axis < 3; axis++)
            centre[axis] = (case_uniform(state) - 0.5) * size;
        for (int k = 0; k < 9; k++)
            soup[9 * (size_t)i + k] =
                (float)(centre[k % 3] + (case_uniform(state) - 0.5) * triangle_size);
    }
    return soup;
}

bvp_mesh case_mesh(const float *soup, uint32_t count)
{
    return (bvp_mesh){
        .positions = soup, .vertex_count = 3 * (uint64_t)count, .triangle_count = count};
}

bvp_mesh case_random_soup(uint64_t *state, float *positions, uint32_t count)
{
    for (uint32_t i = 0; i < 9 * count; i++)
        positions[i] = (float)(case_uniform(state) + (i % 3 == 0 ? i / 300 : 0));
    return case_mesh(positions, count);
}

static int print_finding(void *user, const bvp_finding *finding)
{
    (void)user;
    printf("%s at %llu: %s\n", finding->rule, (unsigned long long)finding->offset,
           finding->message);
    return 0;
}

static void read_back(int fd, case_file *out)
{
    struct stat info;
    ck_assert_int_eq(fstat(fd, &info), 0);
    out->size = (size_t)info.st_size;
    out->bytes = aligned_alloc(4096, out->size);
    ck_assert_ptr_nonnull(out->bytes);
    ck_assert_int_eq(pread(fd, out->bytes, out->size, 0), (ssize_t)out->size);
}

case_file case_finish(bvp_builder *builder)
{
    case_file out = {0};
    bvp_error error = {0};
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    bvp_status status = bvp_builder_finish_fd(builder, fileno(file), &out.report, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    bvp_builder_free(builder);
    read_back(fileno(file), &out);
    fclose(file);
    ck_assert_uint_eq(out.report.file_size, out.size);
    status = bvp_open_memory(out.bytes, out.size, NULL, &out.file, &error);
    ck_assert_msg(status == BVP_OK, "%s: %s", error.rule, error.message);
    ck_assert_int_eq(bvp_verify_file(out.file, print_finding, NULL, &error), BVP_OK);
    return out;
}

case_file case_build(const bvp_mesh *mesh, const bvp_build_options *options)
{
    bvp_builder *builder;
    bvp_error error = {0};
    uint32_t part;
    ck_assert_int_eq(bvp_builder_new(options, &builder, &error), BVP_OK);
    bvp_status status = bvp_builder_add_part(builder, mesh, &part, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    return case_finish(builder);
}

void case_close(case_file *file)
{
    bvp_close(file->file);
    free(file->bytes);
}

void case_check_triangles(const case_file *file, const float *soup, const uint32_t *ids,
                          uint32_t count)
{
    float *positions = malloc(36 * (size_t)count + 1);
    uint64_t *numbers = malloc(8 * (size_t)count + 1), got;
    uint8_t *seen = calloc(count + 1, 1);
    ck_assert(positions && numbers && seen);
    ck_assert_int_eq(
        bvp_get_triangles(file->file, 0, (bvp_range){0, count}, positions, numbers, &got), BVP_OK);
    ck_assert_uint_eq(got, count);
    for (uint32_t i = 0; i < count; i++) {
        /* with ids of their own, triangles are found by searching: such tests are small */
        uint32_t source = ids ? 0 : (uint32_t)numbers[i];
        while (ids && source < count && (ids[source] != numbers[i] || seen[source]))
            source++;
        ck_assert_uint_lt(source, count);
        ck_assert_int_eq(seen[source], 0);
        seen[source] = 1;
        ck_assert_mem_eq(positions + 9 * (size_t)i, soup + 9 * (size_t)source, 36);
    }
    free(positions);
    free(numbers);
    free(seen);
}
