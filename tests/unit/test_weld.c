/* SPDX-License-Identifier: MIT
 * test_weld.c: equal bits become one vertex, numbered by first use, whatever the thread count.
 */
#include "build_case.h"
#include "pack/mesh/welded.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

/* Few different vertices, some of which differ in the sign of a zero only. */
static float *make_vertices(uint64_t *state, uint32_t count, uint32_t range)
{
    float *v = malloc(12 * (size_t)count + 1);
    for (uint32_t i = 0; i < 3 * count; i++) {
        v[i] = (float)(case_random(state) % range);
        if (v[i] == 0 && case_random(state) % 2)
            v[i] = -0.0f;
    }
    return v;
}

START_TEST(test_soup)
{
    uint64_t state = case_seed();
    enum { COUNT = 3000 };
    float *v = make_vertices(&state, COUNT, 9);
    const bvpi_vertices vertices = {(const uint8_t *)v, 12, 12, COUNT, 36};
    uint32_t number[COUNT], used = 0;
    uint8_t *positions;
    const uint32_t count = bvpi_weld(&vertices, NULL, COUNT, 1, number, &positions);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t k = 0;
        while (memcmp(v + 3 * k, v + 3 * i, 12) != 0)
            k++;
        ck_assert_uint_eq(number[i], k == i ? used : number[k]);
        ck_assert_mem_eq(positions + 12 * number[i], v + 3 * i, 12);
        used += k == i;
    }
    ck_assert_uint_eq(count, used);
    free(positions);
    free(v);
}
END_TEST

static uint64_t mixed(uint64_t x)
{
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 32;
}

static uint64_t unmixed(uint64_t y)
{
    uint64_t inverse = UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < 5; i++) /* each step doubles the bits that are right */
        inverse *= 2 - UINT64_C(0x9e3779b97f4a7c15) * inverse;
    return (y ^ y >> 32) * inverse;
}

/* Vertices of one hash, made with the hash's inverse. */
START_TEST(test_equal_hashes)
{
    enum { COUNT = 30 };
    float v[3 * COUNT];
    const uint64_t hash = mixed(UINT64_C(0x3f8000003f800000));
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint64_t first = unmixed(hash - i);
        memcpy(v + 3 * (size_t)i, &first, sizeof first);
        memcpy(v + 3 * (size_t)i + 2, &i, sizeof i);
    }
    const bvpi_vertices vertices = {(const uint8_t *)v, 12, 12, COUNT, 36};
    uint32_t number[COUNT];
    uint8_t *positions;
    ck_assert_uint_eq(bvpi_weld(&vertices, NULL, COUNT, 1, number, &positions), COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        ck_assert_uint_eq(number[i], i);
    ck_assert_mem_eq(positions, v, sizeof v);
    free(positions);
}
END_TEST

/* The same of doubles, which differ after their first twelve bytes only. */
START_TEST(test_equal_hashes_of_doubles)
{
    enum { COUNT = 30 };
    uint64_t v[3 * COUNT];
    const uint64_t hash = mixed(UINT64_C(0x3ff0000000000000));
    for (uint64_t i = 0; i < COUNT; i++) {
        v[3 * i] = UINT64_C(0x3ff8000000000000);
        v[3 * i + 1] = UINT64_C(0x4000000000000000) + (i << 32);
        v[3 * i + 2] = unmixed(hash) - mixed(mixed(v[3 * i]) + v[3 * i + 1]);
    }
    const bvpi_vertices vertices = {(const uint8_t *)v, 24, 24, COUNT, 72};
    uint32_t number[COUNT];
    uint8_t *positions;
    ck_assert_uint_eq(bvpi_weld(&vertices, NULL, COUNT, 1, number, &positions), COUNT);
    ck_assert_mem_eq(positions, v, sizeof v);
    free(positions);
}
END_TEST

/* Enough vertices for several shares, of which each has some that others have, too. */
START_TEST(test_threads_agree)
{
    uint64_t state = case_seed();
    enum { COUNT = 200000 };
    float *v = make_vertices(&state, COUNT, 60);
    const bvpi_vertices vertices = {(const uint8_t *)v, 12, 12, COUNT, 36};
    uint32_t *one = malloc(COUNT * sizeof *one), *many = malloc(COUNT * sizeof *many);
    uint32_t *shuffled = malloc(COUNT * sizeof *shuffled);
    uint8_t *positions, *others;
    for (uint32_t k = 0; k < COUNT; k++)
        shuffled[k] = (uint32_t)(case_random(&state) % COUNT);
    for (uint32_t threads = 2; threads < 20; threads += 5)
        for (int indexed = 0; indexed < 2; indexed++) {
            const uint32_t *indices = indexed ? shuffled : NULL;
            const uint32_t count = bvpi_weld(&vertices, indices, COUNT, 1, one, &positions);
            ck_assert_uint_eq(bvpi_weld(&vertices, indices, COUNT, threads, many, &others), count);
            ck_assert_mem_eq(one, many, COUNT * sizeof *one);
            ck_assert_mem_eq(positions, others, 12 * (size_t)count);
            free(positions);
            free(others);
        }
    free(one);
    free(many);
    free(shuffled);
    free(v);
}
END_TEST

/* Corners in order over several pieces stay as they are; two that change places where a piece
 * begins give their vertices other numbers. */
START_TEST(test_order_over_pieces)
{
    enum { COUNT = 600000, AT = 1 << 18 };
    float *v = calloc(3 * COUNT, sizeof *v);
    uint32_t *indices = malloc(COUNT * sizeof *indices), *out = malloc(COUNT * sizeof *out);
    for (uint32_t k = 0; k < COUNT; k++) {
        v[3 * k] = (float)k;
        indices[k] = k;
    }
    const bvpi_vertices vertices = {(const uint8_t *)v, 12, 12, COUNT, 36};
    for (uint32_t round = 0; round < 2; round++) {
        uint8_t *positions;
        ck_assert_uint_eq(bvpi_weld(&vertices, indices, COUNT, 2, out, &positions), COUNT);
        for (uint32_t k = 0; k < COUNT; k++) {
            ck_assert(out[k] == k);
            ck_assert(memcmp(positions + 12 * k, v + 3 * indices[k], 12) == 0);
        }
        free(positions);
        indices[AT] = AT + 1;
        indices[AT + 1] = AT;
    }
    free(v);
    free(indices);
    free(out);
}
END_TEST

/* The same, whatever lies between the triangles. */
START_TEST(test_triangle_stride)
{
    uint64_t state = case_seed();
    enum { COUNT = 50001, STRIDE = 50 };
    float *v = make_vertices(&state, COUNT, 40);
    uint8_t *facets = calloc(COUNT / 3, STRIDE);
    for (uint32_t i = 0; i < COUNT / 3; i++)
        memcpy(facets + i * STRIDE, v + 9 * i, 36);
    const bvpi_vertices dense = {(const uint8_t *)v, 12, 12, COUNT, 36};
    const bvpi_vertices strided = {facets, 12, 12, COUNT, STRIDE};
    uint32_t *one = malloc(COUNT * sizeof *one), *other = malloc(COUNT * sizeof *other);
    uint8_t *positions, *others;
    const uint32_t count = bvpi_weld(&dense, NULL, COUNT, 1, one, &positions);
    for (uint32_t threads = 1; threads < 4; threads++) {
        ck_assert_uint_eq(bvpi_weld(&strided, NULL, COUNT, threads, other, &others), count);
        ck_assert_mem_eq(one, other, COUNT * sizeof *one);
        ck_assert_mem_eq(positions, others, 12 * (size_t)count);
        free(others);
    }
    free(positions);
    free(one);
    free(other);
    free(facets);
    free(v);
}
END_TEST

/* positions[indices_out] are the corners; new numbers appear in order. */
static void check_weld(const bvp_mesh *mesh, size_t size)
{
    uint32_t *indices = NULL, next = 0;
    void *positions = NULL;
    uint64_t count;
    bvp_error error;
    ck_assert_int_eq(bvp_weld(mesh, 2, &indices, &positions, &count, &error), BVP_OK);
    for (uint64_t k = 0; k < 3 * mesh->triangle_count; k++) {
        const uint64_t from = mesh->indices ? mesh->indices[k] : k;
        const char *corner = (const char *)mesh->positions + from * size;
        ck_assert_uint_le(indices[k], next);
        next += indices[k] == next;
        ck_assert_mem_eq((char *)positions + indices[k] * size, corner, size);
    }
    ck_assert_uint_eq(next, count);
    for (uint64_t i = 0; i < count && count < 2000; i++)
        for (uint64_t k = 0; k < i; k++)
            ck_assert_mem_ne((char *)positions + i * size, (char *)positions + k * size, size);
    free(indices);
    free(positions);
}

START_TEST(test_public_call)
{
    uint64_t state = case_seed();
    enum { COUNT = 900 };
    float *v = make_vertices(&state, COUNT, 5);
    uint32_t indices[COUNT];
    bvp_mesh mesh = {.positions = v, .vertex_count = COUNT, .triangle_count = COUNT / 3};
    check_weld(&mesh, 12);
    for (uint32_t k = 0; k < COUNT; k++)
        indices[k] = (uint32_t)(case_random(&state) % COUNT);
    mesh.indices = indices;
    check_weld(&mesh, 12);
    double wide[3 * COUNT];
    for (uint32_t i = 0; i < 3 * COUNT; i++)
        wide[i] = v[i] + 0.1;
    mesh.positions = wide;
    mesh.is_double = 1;
    check_weld(&mesh, 24);
    free(v);
}
END_TEST

START_TEST(test_in_place)
{
    const float v[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    uint32_t indices[6] = {3, 4, 5, 1, 0, 2}, *out = indices;
    const uint32_t expected[6] = {0, 1, 2, 0, 3, 1};
    void *positions = NULL;
    uint64_t count;
    const bvp_mesh mesh = {
        .positions = v, .vertex_count = 6, .indices = indices, .triangle_count = 2};
    ck_assert_int_eq(bvp_weld(&mesh, 1, &out, &positions, &count, NULL), BVP_OK);
    ck_assert_ptr_eq(out, indices);
    ck_assert_uint_eq(count, 4);
    ck_assert_mem_eq(indices, expected, sizeof expected);
    free(positions);
}
END_TEST

START_TEST(test_refusals)
{
    const float v[9] = {0};
    const uint32_t indices[3] = {0, 1, 3};
    uint32_t *out = NULL;
    void *positions = NULL;
    uint64_t count;
    bvp_error error;
    bvp_mesh mesh = {.positions = v, .vertex_count = 3, .indices = indices, .triangle_count = 1};
    ck_assert_int_eq(bvp_weld(&mesh, 1, &out, &positions, &count, &error), BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "vertex 3"));
    mesh.indices = NULL;
    mesh.triangle_count = 2;
    ck_assert_int_eq(bvp_weld(&mesh, 1, &out, &positions, &count, &error), BVP_ERR_ARGUMENT);
    mesh.vertex_count = UINT64_C(1) << 33;
    ck_assert_int_eq(bvp_weld(&mesh, 1, &out, &positions, &count, &error), BVP_ERR_LIMIT);
    ck_assert_ptr_null(out);
}
END_TEST

static void refuse_weld(const bvp_mesh *mesh, const char *text)
{
    uint32_t *out = NULL;
    void *positions = NULL;
    uint64_t count = 0;
    bvp_error error = {0};
    ck_assert_int_eq(bvp_weld(mesh, 1, &out, &positions, &count, &error), BVP_ERR_ARGUMENT);
    ck_assert_msg(strstr(error.message, text) != NULL, "%s", error.message);
    ck_assert_ptr_null(out);
    ck_assert_ptr_null(positions);
    uint32_t *groups;
    error = (bvp_error){0};
    ck_assert_int_eq(bvp_find_strays(mesh, &groups, &(uint32_t){0}, NULL, &error),
                     BVP_ERR_ARGUMENT);
    ck_assert_msg(strstr(error.message, text) != NULL, "%s", error.message);
}

/* Strides shorter than what they step over, or longer than memory, and positions that are missing.
 * All but the last would be read beyond the end of the array. */
START_TEST(test_bad_arrays)
{
    const double v[9] = {0};
    const uint32_t indices[3] = {0, 1, 2};
    const bvp_mesh sound = {.positions = v, .vertex_count = 3, .triangle_count = 1};
    for (int is_double = 0; is_double < 2; is_double++)
        for (int indexed = 0; indexed < 2; indexed++) {
            bvp_mesh mesh = sound;
            mesh.is_double = is_double;
            mesh.indices = indexed ? indices : NULL;
            mesh.position_stride = is_double ? 23 : 11;
            refuse_weld(&mesh, "position_stride");
            mesh.position_stride = SIZE_MAX / 4 * 3;
            refuse_weld(&mesh, "lead out of memory");
            mesh.position_stride = SIZE_MAX / 3;
            refuse_weld(&mesh, "lead out of memory");
            mesh.position_stride = 0;
            mesh.triangle_stride = is_double ? 71 : 35;
            refuse_weld(&mesh, "triangle_stride");
            mesh.triangle_stride = 0;
            mesh.positions = NULL;
            refuse_weld(&mesh, "no positions");
        }
    bvp_mesh mesh = sound;
    mesh.triangle_stride = SIZE_MAX;
    refuse_weld(&mesh, "lead out of memory");
}
END_TEST

/* No triangle uses a vertex: none is read. */
START_TEST(test_no_triangles)
{
    const uint32_t indices[1] = {0};
    for (int indexed = 0; indexed < 2; indexed++) {
        const bvp_mesh mesh = {.vertex_count = 3, .indices = indexed ? indices : NULL};
        uint32_t *out = NULL;
        void *positions = NULL;
        uint64_t count = 77;
        ck_assert_int_eq(bvp_weld(&mesh, 1, &out, &positions, &count, NULL), BVP_OK);
        ck_assert_uint_eq(count, 0);
        free(out);
        free(positions);
    }
}
END_TEST

/* Welding leaves a mesh as it is, exactly if that is said of it. */
START_TEST(test_welded)
{
    enum { VERTICES = 12, CORNERS = 36 };
    uint64_t state = case_seed();
    uint32_t yes = 0;
    for (int round = 0; round < 20000; round++) {
        uint32_t indices[CORNERS], number[CORNERS], next = 0;
        float *v = make_vertices(&state, VERTICES, round % 2 ? 9 : 90);
        const bvpi_vertices vertices = {(const uint8_t *)v, 12, 12, VERTICES, 36};
        uint8_t *positions;
        bool is_welded;
        for (int k = 0; k < CORNERS; k++) { /* mostly in order, mostly all */
            const uint64_t any = case_random(&state);
            const bool is_new = any % 3 == 0 && next < VERTICES;
            indices[k] =
                is_new ? next : (uint32_t)(any >> 8) % (next + (any % 128 == 1 ? 2 : next == 0));
            indices[k] = k == 0 ? 0 : indices[k] < VERTICES ? indices[k] : 0;
            next = indices[k] >= next ? indices[k] + 1 : next;
        }
        const uint32_t count = bvpi_weld(&vertices, indices, CORNERS, 1, number, &positions);
        const bool expected = count == VERTICES && memcmp(number, indices, sizeof number) == 0;
        ck_assert(bvpi_is_welded(&vertices, indices, CORNERS, 1 + round % 3, &is_welded));
        ck_assert_int_eq(is_welded, expected);
        yes += is_welded;
        free(positions);
        free(v);
    }
    ck_assert(yes > 100 && yes < 19900);
}
END_TEST

/* Enough vertices for several shares: two that are equal are found wherever they are. */
START_TEST(test_welded_shares)
{
    enum { VERTICES = 60000, CORNERS = 3 * VERTICES };
    uint64_t state = case_seed();
    uint32_t *indices = malloc(CORNERS * sizeof *indices);
    float *v = malloc(12 * VERTICES);
    const bvpi_vertices vertices = {(const uint8_t *)v, 12, 12, VERTICES, 36};
    for (uint32_t k = 0; k < VERTICES; k++) {
        v[3 * k] = (float)k;
        v[3 * k + 1] = v[3 * k + 2] = (float)(case_random(&state) % 5);
        for (uint32_t c = 0; c < 3; c++)
            indices[3 * k + c] = k - (c < k ? c : k);
    }
    for (int round = 0; round < 30; round++) {
        const uint32_t a = (uint32_t)(case_random(&state) % VERTICES);
        const uint32_t b = (a + 1 + (uint32_t)(case_random(&state) % (VERTICES - 1))) % VERTICES;
        float kept[3];
        bool is_welded;
        const uint32_t threads = 1 + (uint32_t)round % 5;
        ck_assert(bvpi_is_welded(&vertices, indices, CORNERS, threads, &is_welded));
        ck_assert(is_welded);
        memcpy(kept, v + 3 * (size_t)a, 12);
        memcpy(v + 3 * (size_t)a, v + 3 * (size_t)b, 12);
        ck_assert(bvpi_is_welded(&vertices, indices, CORNERS, threads, &is_welded));
        ck_assert(!is_welded);
        memcpy(v + 3 * (size_t)a, kept, 12);
    }
    free(indices);
    free(v);
}
END_TEST

SUITE(test_weld)
{
    const TTest *const tests[] = {test_soup,
                                  test_equal_hashes,
                                  test_equal_hashes_of_doubles,
                                  test_threads_agree,
                                  test_triangle_stride,
                                  test_order_over_pieces,
                                  test_public_call,
                                  test_in_place,
                                  test_refusals,
                                  test_bad_arrays,
                                  test_no_triangles,
                                  test_welded,
                                  test_welded_shares,
                                  NULL};
    return suite_run("weld", tests);
}
