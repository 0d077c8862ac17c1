/* SPDX-License-Identifier: MIT
 * test_large.c: what the passes over runs in a file say of a mesh is what intake says of the same
 * mesh in memory, for any memory, threads and order of the triangles.
 */
#include "build_case.h"
#include "pack/large/describe.h"
#include "pack/large/vertex_ranks.h"
#include "pack/mesh/find_strays.h"
#include "pack/mesh/intake.h"
#include "pack/mesh/weld.h"
#include "pack/tree/items.h"
#include "pack/tree/turn_choice.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 9000, RUN = 64 };

typedef struct soup {
    float *corners; /* 9 a triangle */
    uint32_t count, at;
} soup;

/* Triangles between the points of a grid of `side`^3, so that vertices, edges and triangles are
 * shared by chance; some have no area. far: some lie outside. */
static soup make_soup(uint64_t *state, uint32_t side, bool far)
{
    soup s = {.count = COUNT};
    s.corners = malloc(COUNT * 36);
    for (uint32_t i = 0; i < COUNT; i++)
        for (int k = 0; k < 9; k++) {
            float x = (float)(case_random(state) % side);
            if (x == 0 && case_random(state) % 2)
                x = -0.0f;
            s.corners[9 * i + k] = far && i % 3000 == 5 ? 1e9f * (x + 1) : x;
        }
    return s;
}

static bvp_status next(void *user, void *corners, uint32_t *ids, uint32_t room, uint32_t *count,
                       bvp_error *error)
{
    soup *s = user;
    (void)error;
    *count = s->count - s->at < room ? s->count - s->at : room;
    if (*count > 29)
        *count = 29;
    memcpy(corners, s->corners + 9 * (size_t)s->at, *count * 36);
    for (uint32_t i = 0; i < *count; i++)
        ids[i] = 2 * (s->at + i);
    s->at += *count;
    return BVP_OK;
}

static bvpi_spool take(soup *s, const bvpi_large_means *means)
{
    const bvp_triangle_stream stream = {.next = next, .user = s};
    bvpi_spool spool;
    bvp_error error = {.message = ""};
    s->at = 0;
    ck_assert_msg(bvpi_spool_take(&stream, false, means, &spool, &error) == BVP_OK, "%s",
                  error.message);
    return spool;
}

static bvpi_large_means means_of(uint64_t memory, uint32_t threads, bvpi_watch *watch)
{
    return (bvpi_large_means){.folder = "/tmp",
                              .memory = memory,
                              .thread_count = threads,
                              .group = threads + 1,
                              .run_size = RUN,
                              .watch = watch};
}

/* The triangles come back as they went in. */
START_TEST(test_runs)
{
    uint64_t state = case_seed();
    bvpi_watch watch = {.control = NULL};
    const bvpi_large_means means = means_of(1 << 20, 3, &watch);
    soup s = make_soup(&state, 40, false);
    bvpi_spool spool = take(&s, &means);
    uint64_t triangle = 0, vertex_count = 0;
    ck_assert_uint_eq(spool.runs.count, (COUNT + RUN - 1) / RUN);
    ck_assert(!spool.ids_are_plain);
    for (uint64_t r = 0; r < spool.runs.count; r++) {
        bvpi_run run;
        ck_assert_int_eq(bvpi_runs_read(&spool.runs, r, 1, 1, &run, NULL), BVP_OK);
        for (uint32_t i = 0; i < run.triangle_count; i++, triangle++) {
            ck_assert_uint_eq(run.ids[i], 2 * triangle);
            for (int k = 0; k < 3; k++)
                ck_assert_mem_eq(run.positions + 12 * run.indices[3 * i + k],
                                 s.corners + 9 * triangle + 3 * k, 12);
        }
        vertex_count += run.vertex_count;
        bvpi_run_free(&run);
    }
    ck_assert_uint_eq(triangle, COUNT);
    ck_assert_uint_eq(spool.triangle_count, COUNT);
    ck_assert_uint_eq(spool.vertex_count, vertex_count);
    bvpi_spool_close(&spool);
    free(s.corners);
}
END_TEST

/* The numbers that weld.c gives. */
static void check_ranks(const soup *s, const bvpi_spool *spool, const bvpi_large_means *means)
{
    const bvpi_vertices v = {(const uint8_t *)s->corners, 12, 12, 3 * COUNT, 36};
    uint32_t *expected = malloc(3 * COUNT * sizeof *expected);
    uint8_t *positions;
    const uint32_t count = bvpi_weld(&v, NULL, 3 * COUNT, 1, expected, &positions);
    bvpi_ranks ranks;
    bvpi_rank_cursor cursor;
    uint64_t corner = 0;
    ck_assert_int_eq(bvpi_ranks_make(spool, means, &ranks, NULL), BVP_OK);
    ck_assert_uint_eq(ranks.vertex_count, count);
    ck_assert_int_eq(bvpi_rank_cursor_start(&ranks, &cursor, NULL), BVP_OK);
    for (uint64_t r = 0; r < spool->runs.count; r++) {
        uint32_t *numbers;
        bvpi_run run;
        ck_assert_int_eq(bvpi_rank_cursor_next(&cursor, &numbers, NULL), BVP_OK);
        ck_assert_int_eq(bvpi_runs_read(&spool->runs, r, 1, 1, &run, NULL), BVP_OK);
        for (uint32_t k = 0; k < 3 * run.triangle_count; k++, corner++)
            ck_assert_uint_eq(numbers[run.indices[k]], expected[corner]);
        bvpi_run_free(&run);
        free(numbers);
    }
    bvpi_rank_cursor_end(&cursor);
    bvpi_ranks_close(&ranks);
    free(positions);
    free(expected);
}

static void check_description(const soup *s, const bvpi_spool *spool, const bvpi_large_means *means)
{
    const bvp_build_options options = {.thread_count = 1};
    uint32_t *ids = malloc(COUNT * sizeof *ids);
    for (uint32_t i = 0; i < COUNT; i++)
        ids[i] = 2 * i;
    const bvp_mesh mesh = {
        .positions = s->corners, .vertex_count = 3 * COUNT, .triangle_count = COUNT, .ids = ids};
    bvpi_intake in;
    bvpi_description found;
    uint64_t stray_count;
    double factor;
    ck_assert_int_eq(bvpi_intake_mesh(&mesh, &options, &in, NULL), BVP_OK);
    ck_assert_int_eq(bvpi_describe(spool, true, means, &found, NULL), BVP_OK);
    ck_assert_mem_eq(found.content_hash, in.content_hash, sizeof in.content_hash);
    ck_assert_uint_eq(found.vertex_count, in.mesh.vertex_count);
    ck_assert_uint_eq(found.defects.duplicate_count, in.duplicate_count);
    ck_assert_uint_eq(found.defects.open_edge_count, in.open_edge_count);
    ck_assert_uint_eq(found.defects.nonmanifold_edge_count, in.nonmanifold_edge_count);
    ck_assert_int_eq(bvpi_count_strays(&in.mesh, &stray_count, &factor, NULL), BVP_OK);
    ck_assert_uint_eq(found.stray_count, stray_count);
    ck_assert(stray_count == 0 || found.stray_factor == factor);
    float lo[3], hi[3];
    double from[3], to[3];
    bvpi_grid grid;
    bvpi_mesh_bounds(&in.mesh, lo, hi);
    ck_assert_mem_eq(lo, spool->lo, sizeof lo);
    ck_assert_mem_eq(hi, spool->hi, sizeof hi);
    for (int axis = 0; axis < 3; axis++) {
        from[axis] = (double)lo[axis];
        to[axis] = (double)hi[axis];
    }
    bvpi_grid_choose(from, to, &grid);
    bvpi_turn_grid(&in.mesh, &grid);
    ck_assert_mem_eq(found.grid.origin, grid.origin, sizeof grid.origin);
    ck_assert_mem_eq(found.grid.extent, grid.extent, sizeof grid.extent);
    ck_assert(found.grid.unit == grid.unit && found.grid.is_turned == grid.is_turned);
    bvpi_intake_free(&in);
    free(ids);
}

START_TEST(test_facts)
{
    static const uint32_t sides[] = {3, 12, 40, 1000000};
    uint64_t state = case_seed();
    for (int k = 0; k < 8; k++) {
        bvpi_watch watch = {.control = NULL};
        /* one bucket, or many */
        const bvpi_large_means means = means_of(k % 2 ? 1 << 12 : 1 << 26, 1 + k % 3, &watch);
        soup s = make_soup(&state, sides[k / 2], k == 3);
        bvpi_spool spool = take(&s, &means);
        check_ranks(&s, &spool, &means);
        check_description(&s, &spool, &means);
        bvpi_spool_close(&spool);
        free(s.corners);
    }
}
END_TEST

/* A file that somebody else cuts or writes to is an error, not a mesh. */
START_TEST(test_damaged)
{
    uint64_t state = case_seed();
    bvpi_watch watch = {.control = NULL};
    const bvpi_large_means means = means_of(1 << 20, 1, &watch);
    soup s = make_soup(&state, 40, false);
    bvpi_spool spool = take(&s, &means);
    bvp_error error;
    bvpi_run run;
    bvpi_run_place other = spool.runs.places[0];
    other.triangle_count--;
    ck_assert_int_eq(bvpi_run_read(&spool.runs.scratch, &other, &run, &error), BVP_ERR_ARGUMENT);
    bvpi_run_free(&run);
    other = spool.runs.places[spool.runs.count - 1];
    other.offset += 4096;
    ck_assert_int_eq(bvpi_run_read(&spool.runs.scratch, &other, &run, &error), BVP_ERR_SYSTEM);
    bvpi_run_free(&run);
    bvpi_spool_close(&spool);
    free(s.corners);
}
END_TEST

SUITE(test_large)
{
    const TTest *const tests[] = {test_runs, test_facts, test_damaged, NULL};
    return suite_run("large", tests);
}
