/* SPDX-License-Identifier: MIT
 * test_build_memory.c: each allocation fails once: the call says so, nothing leaks (the address
 * sanitizer looks), and nothing else goes wrong. And the most that is allocated at a time. The
 * allocator is wrapped by the linker.
 */
#include "pack/mesh/defects.h"
#include "pack/tree/binary_tree.h"
#include "suite.h"

#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Allocations until one fails; none when negative. */
static int64_t left = -1;

static int fails(void)
{
    return left >= 0 && left-- == 0;
}

/* Bytes that are allocated, and the most that were; less by what libraries have allocated
 * themselves and is freed here. */
static int64_t live, most_live;

static void *take(void *p)
{
    live += (int64_t)malloc_usable_size(p);
    most_live = live > most_live ? live : most_live;
    return p;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *p);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : take(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : take(__real_calloc(count, size));
}

void *__wrap_realloc(void *p, size_t size)
{
    if (fails())
        return NULL;
    const int64_t before = (int64_t)malloc_usable_size(p);
    void *moved = __real_realloc(p, size);
    if (moved)
        live -= before;
    return moved ? take(moved) : NULL;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : take(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *p)
{
    live -= (int64_t)malloc_usable_size(p);
    __real_free(p);
}

enum { COUNT = 40000 }; /* more than one batch */

static double *make_soup(void)
{
    double *soup = malloc(9 * COUNT * sizeof *soup);
    uint32_t state = 1;
    for (uint32_t i = 0; i < 9 * COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        soup[i] = (state >> 8) * 1e-3 + (i / 9) * 0.1;
    }
    soup[10] = HUGE_VAL;
    return soup;
}

static bvp_status build_all(const bvp_mesh *mesh, int fd)
{
    const bool is_small = mesh->triangle_count < COUNT;
    const bvp_hierarchy_spec specs[] = {{.kind = is_small ? BVP_KIND_WIDE : BVP_KIND_BOXTREE},
                                        {.kind = BVP_KIND_AABB},
                                        {.kind = BVP_KIND_BOXTREE},
                                        {.kind = BVP_KIND_OBB},
                                        {.kind = BVP_KIND_RSS}};
    const bvp_build_options options = {.thread_count = 1,
                                       .drop_invalid = 1,
                                       .provenance = "{\"sources\": []}",
                                       .hierarchies = specs,
                                       .hierarchy_count = is_small ? 5 : 2};
    const double moved[12] = {1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7};
    bvp_builder *b = NULL;
    uint32_t part, node;
    bvp_status status = bvp_builder_new(&options, &b, NULL);
    if (status == BVP_OK)
        status = bvp_builder_add_part(b, mesh, &part, NULL);
    for (int i = 0; i < 20 && status == BVP_OK; i++)
        status = bvp_builder_add_node(b,
                                      &(bvp_new_node){.parent = BVP_NONE,
                                                      .name = "name",
                                                      .source_id = "id",
                                                      .placement = moved,
                                                      .part = part},
                                      &node, NULL);
    if (status == BVP_OK)
        status = bvp_builder_add_property(b, node, "key", "value", NULL);
    if (status == BVP_OK)
        status = bvp_builder_finish_fd(b, fd, NULL, NULL);
    bvp_builder_free(b);
    return status;
}

START_TEST(test_build)
{
    double *soup = make_soup();
    bvp_mesh mesh = {
        .positions = soup, .is_double = 1, .vertex_count = 3 * COUNT, .triangle_count = COUNT};
    FILE *file = fopen("/dev/null", "w");
    int64_t nth = 0;
    /* all of a small part's; of a large part's some: a sample of each place */
    for (int large = 0; large < 2; large++) {
        bool reached = true;
        mesh.triangle_count = large ? COUNT : 300;
        for (nth = 0; reached; nth += 1 + 8 * large) {
            left = nth;
            const bvp_status status = build_all(&mesh, fileno(file));
            reached = left < 0;
            left = -1;
            /* a failed attempt to give memory back is none */
            ck_assert(status == BVP_OK || (status == BVP_ERR_NO_MEMORY && reached));
            ck_assert_int_lt(nth, 5000);
        }
        ck_assert_int_gt(nth, 30);
    }
    fclose(file);
    free(soup);
}
END_TEST

START_TEST(test_weld)
{
    double *soup = make_soup();
    const bvp_mesh mesh = {
        .positions = soup, .is_double = 1, .vertex_count = 3000, .triangle_count = 1000};
    bool reached = true;
    int64_t nth = 0;
    for (; reached; nth++) {
        uint32_t *indices = NULL;
        void *positions = NULL;
        uint64_t count;
        left = nth;
        const bvp_status status = bvp_weld(&mesh, 1, &indices, &positions, &count, NULL);
        reached = left < 0;
        left = -1;
        ck_assert(status == BVP_OK ||
                  (reached && status == BVP_ERR_NO_MEMORY && !indices && !positions));
        free(indices);
        free(positions);
    }
    ck_assert_int_gt(nth, 2);
    free(soup);
}
END_TEST

/* ---- one kind alone, refit, save ------------------------------------------------------------ */

static bvp_status build_kind(const bvp_mesh *mesh, bvp_kind kind, int fd)
{
    const bvp_hierarchy_spec spec = {.kind = kind, .leaf_size = 3};
    const bvp_build_options options = {.thread_count = 1,
                                       .drop_invalid = 1,
                                       .hierarchies = &spec,
                                       .hierarchy_count = 1,
                                       .deformable = 1};
    bvp_builder *b = NULL;
    uint32_t part, node;
    bvp_status status = bvp_builder_new(&options, &b, NULL);
    if (status == BVP_OK)
        status = bvp_builder_add_part(b, mesh, &part, NULL);
    if (status == BVP_OK)
        status = bvp_builder_add_node(
            b, &(bvp_new_node){.parent = BVP_NONE, .name = "", .source_id = "", .part = part},
            &node, NULL);
    if (status == BVP_OK)
        status = bvp_builder_finish_fd(b, fd, NULL, NULL);
    bvp_builder_free(b);
    return status;
}

/* What owns the order and what follows one take different ways: here each kind owns it. */
START_TEST(test_kinds)
{
    double *soup = make_soup();
    const bvp_mesh mesh = {
        .positions = soup, .is_double = 1, .vertex_count = 900, .triangle_count = 300};
    FILE *file = fopen("/dev/null", "w");
    for (bvp_kind kind = BVP_KIND_WIDE; kind <= BVP_KIND_RSS; kind++) {
        bool reached = true;
        int64_t nth = 0;
        for (; reached; nth++) {
            left = nth;
            const bvp_status status = build_kind(&mesh, kind, fileno(file));
            reached = left < 0;
            left = -1;
            ck_assert(status == BVP_OK || (status == BVP_ERR_NO_MEMORY && reached));
            ck_assert_int_lt(nth, 5000);
        }
        ck_assert_int_gt(nth, 20);
    }
    fclose(file);
    free(soup);
}
END_TEST

static bvp_file *open_deformable(const bvp_mesh *mesh, bvp_kind kind)
{
    const bvp_open_options options = {.overlay = 1};
    FILE *out = tmpfile();
    bvp_file *file;
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(build_kind(mesh, kind, fileno(out)), BVP_OK);
    ck_assert_int_eq(bvp_open_fd(fileno(out), &options, &file, NULL), BVP_OK);
    fclose(out);
    return file;
}

/* Readers do not allocate, nor does a refit of kind aabb. The others allocate once, and without
 * that nothing has changed. */
START_TEST(test_refit)
{
    const bvp_kind kind = BVP_KIND_WIDE + (bvp_kind)_i;
    const bool allocates = kind != BVP_KIND_AABB;
    double *soup = make_soup();
    const bvp_mesh mesh = {
        .positions = soup, .is_double = 1, .vertex_count = 900, .triangle_count = 300};
    bvp_file *file = open_deformable(&mesh, kind);
    uint64_t count, got;
    ck_assert_int_eq(bvp_get_vertices(file, 0, 0, UINT64_MAX, NULL, &count), BVP_OK);
    float *positions = malloc(12 * count), *after = malloc(12 * count);
    left = 0;
    bvp_status status = bvp_get_vertices(file, 0, 0, count, positions, &got);
    for (uint64_t i = 0; i < 3 * count; i++)
        positions[i] += (float)(i % 7);
    if (status == BVP_OK)
        status = bvp_refit(file, 0, positions, count, NULL);
    const bool untouched = left == 0;
    left = -1;
    ck_assert_int_eq(status, allocates ? BVP_ERR_NO_MEMORY : BVP_OK);
    ck_assert_int_eq(untouched, !allocates);
    ck_assert_uint_eq(got, count);
    ck_assert_int_eq(bvp_get_vertices(file, 0, 0, count, after, &got), BVP_OK);
    ck_assert_int_eq(memcmp(positions, after, 12 * count) == 0, !allocates);
    left = 1;
    status = bvp_refit(file, 0, positions, count, NULL);
    left = -1;
    ck_assert_int_eq(status, BVP_OK);
    free(positions);
    free(after);
    bvp_close(file);
    free(soup);
}
END_TEST

/* A save that fails leaves no file behind. */
START_TEST(test_save)
{
    static const char *const texts[] = {NULL, "{\"sources\": []}"};
    double *soup = make_soup();
    const bvp_mesh mesh = {
        .positions = soup, .is_double = 1, .vertex_count = 900, .triangle_count = 300};
    bvp_file *file = open_deformable(&mesh, BVP_KIND_AABB);
    char folder[] = "memory.XXXXXX", path[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out.bvp", folder);
    for (int text = 0; text < 2; text++) {
        bool reached = true;
        int64_t nth = 0;
        for (; reached; nth++) {
            left = nth;
            const bvp_status status = bvp_save(file, texts[text], path, NULL);
            reached = left < 0;
            left = -1;
            ck_assert(status == BVP_OK || (status == BVP_ERR_NO_MEMORY && reached));
            ck_assert_int_eq(unlink(path) == 0, status == BVP_OK);
        }
        ck_assert_int_gt(nth, 3);
    }
    ck_assert_int_eq(rmdir(folder), 0);
    bvp_close(file);
    free(soup);
}
END_TEST

/* A hierarchy of 2^32 bytes is over the limit, one of 4 bytes less is only more than the allocator
 * has to give. */
START_TEST(test_largest)
{
    for (uint64_t less = 0; less <= 4; less += 4) {
        bvpi_upper top = {.is_end = true};
        bvpi_piece piece = {.upper_count = 1};
        const bvpi_binary_build build = {
            .form = {.kind = BVPD_KIND_AABB, .payload_size = 24, .upper_size = 28},
            .triangle_count = 1,
            .top = &top,
            .top_count = 1,
            .pieces = &piece,
            .piece_count = 1};
        const uint32_t first = 0;
        bvpd_hierarchy record;
        uint8_t *bytes;
        piece.size = (UINT64_C(1) << 32) - 28 - less;
        left = 2;
        const bvp_status status = bvpi_binary_write(&build, NULL, &first, &record, &bytes, NULL);
        left = -1;
        ck_assert_int_eq(status, less == 0 ? BVP_ERR_LIMIT : BVP_ERR_NO_MEMORY);
        ck_assert_ptr_null(bytes);
    }
}
END_TEST

/* ---- the most memory ------------------------------------------------------------------------- */

/* A welded surface of 2 * side * side triangles, folded. *positions is allocated, too. */
static uint32_t *make_sheet(uint32_t side, float **positions, uint64_t *vertex_count)
{
    const uint64_t corners = 6 * (uint64_t)side * side;
    float *soup = malloc(3 * corners * sizeof *soup);
    uint32_t *indices = NULL;
    void *welded = NULL;
    for (uint64_t k = 0; k < corners; k++) {
        static const uint32_t right[6] = {0, 1, 0, 1, 1, 0}, up[6] = {0, 0, 1, 0, 1, 1};
        const uint32_t x = (uint32_t)(k / 6 % side) + right[k % 6];
        const uint32_t y = (uint32_t)(k / 6 / side) + up[k % 6];
        soup[3 * k] = (float)x;
        soup[3 * k + 1] = (float)y;
        soup[3 * k + 2] = (float)(x * y % 7) * .1f;
    }
    const bvp_mesh mesh = {
        .positions = soup, .vertex_count = corners, .triangle_count = corners / 3};
    ck_assert_int_eq(bvp_weld(&mesh, 1, &indices, &welded, vertex_count, NULL), BVP_OK);
    free(soup);
    *positions = welded;
    return indices;
}

/* The most bytes that packing allocates beside the caller's arrays. */
static uint64_t most_of(uint32_t side, uint32_t thread_count)
{
    const bvp_build_options options = {.thread_count = thread_count};
    float *positions;
    uint64_t vertex_count;
    uint32_t *indices = make_sheet(side, &positions, &vertex_count), part;
    const bvp_mesh mesh = {.positions = positions,
                           .indices = indices,
                           .vertex_count = vertex_count,
                           .triangle_count = 2 * (uint64_t)side * side};
    FILE *file = fopen("/dev/null", "w");
    bvp_builder *b;
    ck_assert_int_eq(bvp_builder_new(&options, &b, NULL), BVP_OK);
    const int64_t before = live;
    most_live = live;
    ck_assert_int_eq(bvp_builder_add_part(b, &mesh, &part, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_finish_fd(b, fileno(file), NULL, NULL), BVP_OK);
    const uint64_t most = (uint64_t)(most_live - before);
    bvp_builder_free(b);
    fclose(file);
    free(positions);
    free(indices);
    return most;
}

/* Bytes for each triangle more, so that workspaces do not count. It takes 14.6: its record 7, its
 * node 3, its number in the list of batches 4. A copy of the mesh would take 18 more. */
START_TEST(test_most)
{
    const uint64_t small = most_of(500, 1), large = most_of(800, 1);
    const double bytes = (double)(large - small) / (2 * (800. * 800 - 500. * 500));
    ck_assert_double_lt(bytes, 17);
}
END_TEST

/* Edges are counted before anything is built, but their keys would take more than that. */
START_TEST(test_most_of_defects)
{
    enum { SIDE = 500 };
    float *positions;
    uint64_t vertex_count;
    uint32_t *indices = make_sheet(SIDE, &positions, &vertex_count);
    const bvpi_mesh mesh = {.indices = indices,
                            .vertex_count = (uint32_t)vertex_count,
                            .triangle_count = 2 * SIDE * SIDE};
    bvpi_defects defects;
    const int64_t before = live;
    most_live = live;
    ck_assert(bvpi_count_defects(&mesh, 2, &defects));
    ck_assert_uint_eq(defects.open_edge_count, 4 * SIDE);
    ck_assert_int_lt(most_live - before, 8 * (int64_t)mesh.triangle_count);
    free(positions);
    free(indices);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {test_build,   test_weld, test_kinds,          test_save,
                                  test_largest, test_most, test_most_of_defects};
    TCase *cases = tcase_create("build memory");
    tcase_set_timeout(cases, SUITE_TIMEOUT);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(cases, tests[i]);
    tcase_add_loop_test(cases, test_refit, 0, BVP_KIND_RSS - BVP_KIND_WIDE + 1);
    return suite_run_case("build memory", cases);
}
