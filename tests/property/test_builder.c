/* SPDX-License-Identifier: MIT
 * test_builder.c: what goes in comes out, bit for bit; every file satisfies every rule of the spec;
 * the same bytes for every thread count; bad calls are refused with a text that helps.
 */
#include "build_case.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check_soup(const float *soup, uint32_t count)
{
    const bvp_mesh mesh = case_mesh(soup, count);
    case_file file = case_build(&mesh, NULL);
    case_check_triangles(&file, soup, NULL, count);
    case_close(&file);
}

/* ---- meshes --------------------------------------------------------------------------------- */

START_TEST(test_random_sizes)
{
    uint64_t state = case_seed();
    static const uint32_t counts[] = {1, 2, 7, 8, 9, 63, 64, 65, 255, 256, 257, 1000, 4097, 70000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        float *soup = case_soup(&state, counts[i], 100, 3);
        check_soup(soup, counts[i]);
        free(soup);
    }
}
END_TEST

START_TEST(test_scales)
{
    static const double sizes[] = {1e-44, 1e-38, 1e-30, 1e-6, 1, 1e6, 1e30, 3e38};
    uint64_t state = case_seed();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        float *soup = case_soup(&state, 500, sizes[i], sizes[i] / 20);
        check_soup(soup, 500);
        free(soup);
    }
}
END_TEST

/* A speck far from the origin on one axis, of full precision on another. */
START_TEST(test_uneven_axes)
{
    uint64_t state = case_seed();
    float *soup = case_soup(&state, 300, 1, 0.1);
    for (uint32_t i = 0; i < 900; i++) {
        soup[3 * i] = soup[3 * i] * 4 + 1e30f;
        soup[3 * i + 1] *= 1e-40f;
    }
    check_soup(soup, 300);
    free(soup);
}
END_TEST

START_TEST(test_identical_triangles)
{
    static const float one[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0.5f};
    enum { COUNT = 40000 };
    float *soup = malloc(COUNT * sizeof one);
    for (uint32_t i = 0; i < COUNT; i++)
        memcpy(soup + 9 * i, one, sizeof one);
    const bvp_mesh mesh = case_mesh(soup, COUNT);
    case_file file = case_build(&mesh, NULL);
    case_check_triangles(&file, soup, NULL, COUNT);
    ck_assert_uint_eq(file.report.duplicate_count, COUNT - 1);
    bvp_part_info part;
    bvp_get_part(file.file, 0, &part);
    ck_assert_uint_eq(part.vertex_count, 3);
    ck_assert_uint_eq(part.open_edge_count, 0);
    ck_assert_uint_eq(part.nonmanifold_edge_count, 3);
    case_close(&file);
    free(soup);
}
END_TEST

/* All corners one point: every box is a point. */
START_TEST(test_points)
{
    float *soup = malloc(1000 * 36);
    for (uint32_t i = 0; i < 9000; i++)
        soup[i] = i % 3 == 1 ? -7.25f : 0.1f;
    const bvp_mesh mesh = case_mesh(soup, 1000);
    case_file file = case_build(&mesh, NULL);
    case_check_triangles(&file, soup, NULL, 1000);
    ck_assert_uint_eq(file.report.degenerate_count, 1000);
    case_close(&file);
    free(soup);
}
END_TEST

START_TEST(test_coplanar_and_needles)
{
    enum { COUNT = 100000 };
    uint64_t state = case_seed();
    float *soup = case_soup(&state, COUNT, 1000, 2);
    for (uint32_t i = 0; i < 3 * COUNT; i++)
        soup[3 * i + 2] = 1.5f; /* all in one plane */
    check_soup(soup, COUNT);
    for (uint32_t i = 0; i < 3000; i++) { /* a million times as long as wide */
        soup[9 * i + 3] = soup[9 * i] + 1000;
        soup[9 * i + 4] = soup[9 * i + 1] + 0.001f;
    }
    check_soup(soup, 3000);
    free(soup);
}
END_TEST

/* Sizes in a geometric row: the binned splits peel off one after the other. */
START_TEST(test_geometric_row)
{
    float *soup = malloc(3000 * 36);
    for (uint32_t i = 0; i < 3000; i++)
        for (int k = 0; k < 9; k++)
            soup[9 * i + k] = (float)pow(0.97, i) * (1 + 0.01f * (float)k);
    check_soup(soup, 3000);
    free(soup);
}
END_TEST

START_TEST(test_negative_zero)
{
    float soup[18] = {-0.0f, 0, 0, 1, -0.0f, 0, 0, 1, -0.0f, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const bvp_mesh mesh = case_mesh(soup, 2);
    case_file file = case_build(&mesh, NULL);
    case_check_triangles(&file, soup, NULL, 2);
    bvp_part_info part;
    bvp_get_part(file.file, 0, &part);
    ck_assert_uint_eq(part.vertex_count, 6); /* signs of zeros tell vertices apart */
    ck_assert(!signbit(part.lo[0]) && !signbit(part.lo[1]) && !signbit(part.lo[2]));
    case_close(&file);
}
END_TEST

/* Decimal, binary and mixed grids; a stride; shared vertices. */
START_TEST(test_indexed_grid)
{
    enum { SIDE = 60, VERTICES = (SIDE + 1) * (SIDE + 1), COUNT = 2 * SIDE * SIDE };
    float *vertices = calloc(VERTICES, 5 * sizeof(float));
    uint32_t *indices = malloc(3 * COUNT * sizeof *indices), *out = indices;
    float *soup = malloc(COUNT * 36);
    for (uint32_t y = 0; y <= SIDE; y++)
        for (uint32_t x = 0; x <= SIDE; x++) {
            float *v = vertices + 5 * (y * (SIDE + 1) + x);
            v[0] = (float)((int)x - 30) / 10.0f;
            v[1] = (float)y * 0.125f;
            v[2] = sinf((float)(x * y));
        }
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            const uint32_t a = y * (SIDE + 1) + x, b = a + 1, c = a + SIDE + 1, d = c + 1;
            const uint32_t both[6] = {a, b, d, a, d, c};
            memcpy(out, both, sizeof both);
            out += 6;
        }
    for (uint32_t k = 0; k < 3 * COUNT; k++)
        memcpy(soup + 3 * k, vertices + 5 * indices[k], 12);
    const bvp_mesh mesh = {.positions = vertices,
                           .position_stride = 20,
                           .vertex_count = VERTICES,
                           .indices = indices,
                           .triangle_count = COUNT};
    case_file file = case_build(&mesh, NULL);
    case_check_triangles(&file, soup, NULL, COUNT);
    bvp_part_info part;
    bvp_get_part(file.file, 0, &part);
    ck_assert_uint_eq(part.vertex_count, VERTICES);
    ck_assert_uint_eq(part.open_edge_count, 4 * SIDE);
    ck_assert_uint_eq(part.nonmanifold_edge_count, 0);
    ck_assert_uint_lt(part.geometry_size, 9 * COUNT);
    case_close(&file);
    free(vertices);
    free(indices);
    free(soup);
}
END_TEST

/* ---- numbers -------------------------------------------------------------------------------- */

START_TEST(test_ids)
{
    enum { COUNT = 2000 };
    uint64_t state = case_seed();
    uint32_t ids[COUNT];
    float *soup = case_soup(&state, COUNT, 10, 1);
    for (uint32_t i = 0; i < COUNT; i++)
        ids[i] = i % 3 ? (uint32_t)case_random(&state) : UINT32_MAX - i / 2;
    bvp_mesh mesh = case_mesh(soup, COUNT);
    mesh.ids = ids;
    case_file file = case_build(&mesh, NULL);
    case_check_triangles(&file, soup, ids, COUNT);
    case_close(&file);
    const bvp_build_options without = {.no_ids = 1};
    file = case_build(&mesh, &without);
    bvp_part_info part;
    bvp_get_part(file.file, 0, &part);
    ck_assert_int_eq(part.has_ids, 0);
    ck_assert_uint_eq(file.report.id_size, 0);
    case_close(&file);
    free(soup);
}
END_TEST

START_TEST(test_leaf_sizes)
{
    uint64_t state = case_seed();
    float *soup = case_soup(&state, 1000, 10, 1);
    const bvp_mesh mesh = case_mesh(soup, 1000);
    uint64_t sizes[9];
    for (uint32_t leaf = 1; leaf <= 8; leaf++) {
        const bvp_build_options options = {.leaf_size = leaf};
        case_file file = case_build(&mesh, &options);
        case_check_triangles(&file, soup, NULL, 1000);
        sizes[leaf] = file.report.hierarchy_size;
        case_close(&file);
    }
    ck_assert_uint_gt(sizes[1], 2 * sizes[4]);
    ck_assert_uint_gt(2 * sizes[4], 3 * sizes[8]);
    free(soup);
}
END_TEST

/* Millimetres in a national grid: exact in double, not in float. */
START_TEST(test_rebase)
{
    enum { COUNT = 400 };
    uint64_t state = case_seed();
    double soup[9 * COUNT];
    for (uint32_t i = 0; i < 9 * COUNT; i++)
        soup[i] = 5512345.678 + floor(case_uniform(&state) * 1e6) / 1e4;
    bvp_mesh mesh = {
        .positions = soup, .is_double = 1, .vertex_count = 3 * COUNT, .triangle_count = COUNT};
    case_file file = case_build(&mesh, NULL);
    bvp_part_info part;
    bvp_instance_info instance;
    bvp_get_part(file.file, 0, &part);
    bvp_get_instance(file.file, 0, &instance);
    ck_assert_double_gt(part.rounding_error, 0);
    ck_assert_double_lt(part.rounding_error, 1e-5);
    for (int axis = 0; axis < 3; axis++) {
        ck_assert_double_ne(part.origin[axis], 0);
        ck_assert_double_eq(instance.placement[4 * axis + 3], part.origin[axis]);
    }
    for (uint64_t i = 0; i < COUNT; i++) {
        float position[9];
        uint64_t id;
        bvp_get_triangle(file.file, 0, i, position, &id);
        for (int k = 0; k < 9; k++)
            ck_assert_double_le(fabs(position[k] + part.origin[k % 3] - soup[9 * id + k]),
                                part.rounding_error * 1.0001);
    }
    case_close(&file);
    for (uint32_t i = 0; i < 9 * COUNT; i++)
        soup[i] = (float)soup[i]; /* floats in doubles need no rebase */
    file = case_build(&mesh, NULL);
    bvp_get_part(file.file, 0, &part);
    ck_assert_double_eq(part.origin[0], 0);
    ck_assert_double_eq(part.rounding_error, 0);
    case_close(&file);
}
END_TEST

/* ---- sharing, determinism -------------------------------------------------------------------- */

START_TEST(test_shared_parts)
{
    uint64_t state = case_seed();
    float *soup = case_soup(&state, 100, 10, 1);
    bvp_mesh mesh = case_mesh(soup, 100);
    bvp_builder *builder;
    uint32_t part;
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    for (uint32_t i = 0; i < 3; i++) {
        mesh.name = i ? "again" : "first";
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
        ck_assert_uint_eq(part, 0);
    }
    soup[5] += 1;
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    ck_assert_uint_eq(part, 1);
    mesh.triangle_count = 0;
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    ck_assert_uint_eq(part, BVP_NONE);
    case_file file = case_finish(builder);
    ck_assert_uint_eq(file.report.part_count, 2);
    ck_assert_uint_eq(file.report.shared_part_count, 2);
    case_close(&file);
    free(soup);
}
END_TEST

/* More than the table of parts begins with. */
START_TEST(test_many_shared_parts)
{
    enum { PARTS = 300 };
    uint64_t state = case_seed();
    float *soup = case_soup(&state, PARTS + 1, 10, 1);
    bvp_builder *builder;
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < PARTS; i++) {
            const bvp_mesh mesh = case_mesh(soup + 9 * i, 2);
            uint32_t part;
            ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
            ck_assert_uint_eq(part, i);
        }
    case_file file = case_finish(builder);
    ck_assert_uint_eq(file.report.part_count, PARTS);
    ck_assert_uint_eq(file.report.shared_part_count, PARTS);
    case_close(&file);
    free(soup);
}
END_TEST

START_TEST(test_thread_counts)
{
    enum { COUNT = 150000 };
    uint64_t state = case_seed();
    float *soup = case_soup(&state, COUNT, 100, 1);
    const bvp_mesh mesh = case_mesh(soup, COUNT);
    case_file one = case_build(&mesh, &(bvp_build_options){.thread_count = 1});
    for (uint32_t threads = 2; threads <= 5; threads += 3) {
        case_file other = case_build(&mesh, &(bvp_build_options){.thread_count = threads});
        ck_assert_uint_eq(one.size, other.size);
        ck_assert_int_eq(memcmp(one.bytes, other.bytes, one.size), 0);
        case_close(&other);
    }
    case_close(&one);
    free(soup);
}
END_TEST

/* ---- refusals ------------------------------------------------------------------------------- */

static void refuse(const bvp_mesh *mesh, bvp_status expected, const char *text)
{
    bvp_builder *builder;
    bvp_error error = {0};
    uint32_t part;
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, mesh, &part, &error), expected);
    ck_assert_int_eq(error.status, expected);
    ck_assert_msg(strstr(error.message, text) != NULL, "%s", error.message);
    bvp_builder_free(builder);
}

/* A soup with something else between its triangles, at odd addresses. */
START_TEST(test_triangle_stride)
{
    enum { COUNT = 300, STRIDE = 50 };
    uint64_t state = case_seed();
    float *soup = case_soup(&state, COUNT, 10, 1);
    uint8_t *facets = malloc(COUNT * STRIDE + 1);
    memset(facets, 255, COUNT * STRIDE + 1);
    for (uint32_t i = 0; i < COUNT; i++)
        memcpy(facets + 1 + i * STRIDE, soup + 9 * i, 36);
    bvp_mesh mesh = {.positions = facets + 1,
                     .vertex_count = 3 * COUNT,
                     .triangle_count = COUNT,
                     .triangle_stride = STRIDE};
    case_file file = case_build(&mesh, NULL);
    case_check_triangles(&file, soup, NULL, COUNT);
    case_close(&file);
    memset(facets + 1 + (COUNT - 1) * STRIDE + 32, 255, 4);
    refuse(&mesh, BVP_ERR_ARGUMENT, "triangle 299: vertex 899 is not finite");
    mesh.triangle_stride = 35;
    refuse(&mesh, BVP_ERR_ARGUMENT, "triangle_stride");
    free(facets);
    free(soup);
}
END_TEST

START_TEST(test_refusals)
{
    float soup[27] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 3, 0, 0, 2, 1, 0};
    uint32_t indices[6] = {0, 1, 2, 3, 4, 6};
    bvp_mesh mesh = {.positions = soup, .vertex_count = 6, .indices = indices, .triangle_count = 2};
    refuse(&mesh, BVP_ERR_ARGUMENT, "triangle 1 refers to vertex 6");
    indices[5] = 5;
    soup[13] = INFINITY;
    refuse(&mesh, BVP_ERR_ARGUMENT, "triangle 1: vertex 4 is not finite");
    mesh.position_stride = 8;
    refuse(&mesh, BVP_ERR_ARGUMENT, "position_stride");
    mesh.position_stride = 0;
    mesh.name = "\xff";
    refuse(&mesh, BVP_ERR_ARGUMENT, "UTF-8");
    mesh.name = NULL;
    mesh.triangle_count = UINT64_C(1) << 32;
    refuse(&mesh, BVP_ERR_LIMIT, "split it");
    mesh.indices = NULL;
    mesh.triangle_count = 3;
    refuse(&mesh, BVP_ERR_ARGUMENT, "need 9 vertices");
    mesh.positions = NULL;
    refuse(&mesh, BVP_ERR_ARGUMENT, "no positions");
    const double huge[9] = {-1e300, 0, 0, 1e300, 0, 0, 0, 1, 0};
    mesh = (bvp_mesh){.positions = huge, .is_double = 1, .vertex_count = 3, .triangle_count = 1};
    refuse(&mesh, BVP_ERR_LIMIT, "float");
}
END_TEST

START_TEST(test_drop_invalid)
{
    enum { COUNT = 50 };
    uint64_t state = case_seed();
    uint32_t ids[COUNT], kept = 0;
    float *soup = case_soup(&state, COUNT, 10, 1), valid[9 * COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        if (i % 7 == 3)
            soup[9 * i + i % 9] = i % 2 ? NAN : -INFINITY;
        else {
            memcpy(valid + 9 * kept, soup + 9 * i, 36);
            ids[kept++] = i;
        }
    const bvp_mesh mesh = case_mesh(soup, COUNT);
    case_file file = case_build(&mesh, &(bvp_build_options){.drop_invalid = 1});
    case_check_triangles(&file, valid, ids, kept);
    ck_assert_uint_eq(file.report.dropped_triangle_count, COUNT - kept);
    case_close(&file);
    free(soup);
}
END_TEST

/* Zero is the default of every option, and the default is "unknown". */
START_TEST(test_defaults)
{
    const float soup[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const bvp_mesh mesh = case_mesh(soup, 1);
    for (int up = BVP_UP_UNKNOWN; up <= BVP_UP_Z; up++) {
        bvp_file_info info;
        case_file f = case_build(&mesh, &(bvp_build_options){.up = (bvp_up)up});
        bvp_get_info(f.file, &info);
        ck_assert_int_eq(info.up, up);
        ck_assert(info.unit_in_metres == 0 && info.tessellation_tolerance == 0);
        case_close(&f);
    }
    ck_assert_int_eq(BVP_UP_UNKNOWN, 0);
}
END_TEST

START_TEST(test_options)
{
    bvp_builder *builder;
    bvp_error error;
    const bvp_build_options bad[] = {{.leaf_size = 9},
                                     {.unit_in_metres = NAN},
                                     {.unit_in_metres = -1},
                                     {.up = (bvp_up)4},
                                     {.tessellation_tolerance = -1},
                                     {.tessellation_tolerance = INFINITY},
                                     {.provenance = "\xc0\x80"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_eq(bvp_builder_new(&bad[i], &builder, &error), BVP_ERR_ARGUMENT);
        ck_assert_ptr_null(builder);
    }
    bvp_builder_free(NULL);
}
END_TEST

START_TEST(test_finish_once)
{
    char path[] = "test_builder.XXXXXX";
    bvp_builder *builder;
    bvp_error error;
    uint32_t node;
    close(mkstemp(path));
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_finish(builder, path, NULL, &error), BVP_OK); /* empty: allowed */
    ck_assert_int_eq(bvp_builder_finish(builder, path, NULL, &error), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_builder_add_node(builder,
                                          &(bvp_new_node){.parent = BVP_NONE, .part = BVP_NONE},
                                          &node, &error),
                     BVP_ERR_ARGUMENT);
    bvp_builder_free(builder);
    bvp_file *file;
    ck_assert_int_eq(bvp_open(path, NULL, &file, &error), BVP_OK);
    ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, &error), BVP_OK);
    bvp_close(file);
    unlink(path);
}
END_TEST

START_TEST(test_source_hash)
{
    static const uint8_t source[16] = {1, 2, 3};
    static const float soup[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const bvp_mesh mesh = case_mesh(soup, 1);
    const bvp_build_options options[3] = {
        {.source_hash = source}, {.source_hash = source, .leaf_size = 4}, {0}};
    bvp_file_info info[3];
    for (int i = 0; i < 3; i++) {
        case_file file = case_build(&mesh, &options[i]);
        bvp_get_info(file.file, &info[i]);
        case_close(&file);
    }
    ck_assert_mem_ne(info[0].source_hash, info[1].source_hash, 16);
    ck_assert_mem_ne(info[0].source_hash, info[2].source_hash, 16);
}
END_TEST

/* ---- progress ------------------------------------------------------------------------------- */

typedef struct seen {
    uint64_t calls, done, total; /* atomic */
} seen;

static void see(void *user, const char *stage, uint64_t done, uint64_t total)
{
    seen *s = user;
    if (strcmp(stage, "build") != 0)
        return;
    __atomic_add_fetch(&s->calls, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&s->total, total, __ATOMIC_RELAXED);
    uint64_t most = __atomic_load_n(&s->done, __ATOMIC_RELAXED);
    while (done > most && !__atomic_compare_exchange_n(&s->done, &most, done, 0, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED))
        continue;
}

/* One large part is reported on the way, and ends at its total. */
START_TEST(test_progress)
{
    enum { COUNT = 100000 };
    static const bvp_hierarchy_spec specs[] = {{.kind = BVP_KIND_WIDE}, {.kind = BVP_KIND_AABB}};
    uint64_t state = case_seed();
    float *soup = case_soup(&state, COUNT, 100, 1);
    const bvp_mesh mesh = case_mesh(soup, COUNT);
    for (uint32_t kinds = 1; kinds <= 2; kinds++) {
        seen s = {0};
        bvp_build_options options = {.thread_count = 2,
                                     .hierarchies = specs,
                                     .hierarchy_count = kinds,
                                     .progress = see,
                                     .progress_user = &s};
        case_file file = case_build(&mesh, &options);
        ck_assert_uint_ge(s.calls, 2 * kinds);
        ck_assert_uint_eq(s.total, (uint64_t)COUNT * kinds);
        ck_assert_uint_eq(s.done, s.total);
        case_close(&file);
    }
    free(soup);
}
END_TEST

SUITE(test_builder)
{
    const TTest *const tests[] = {test_random_sizes,
                                  test_scales,
                                  test_uneven_axes,
                                  test_identical_triangles,
                                  test_points,
                                  test_coplanar_and_needles,
                                  test_geometric_row,
                                  test_negative_zero,
                                  test_indexed_grid,
                                  test_triangle_stride,
                                  test_ids,
                                  test_leaf_sizes,
                                  test_rebase,
                                  test_shared_parts,
                                  test_many_shared_parts,
                                  test_thread_counts,
                                  test_refusals,
                                  test_drop_invalid,
                                  test_defaults,
                                  test_options,
                                  test_finish_once,
                                  test_source_hash,
                                  test_progress,
                                  NULL};
    return suite_run("builder", tests);
}
