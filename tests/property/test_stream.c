/* SPDX-License-Identifier: MIT
 * test_stream.c: a stream of triangles in bounded memory becomes the bytes that the same triangles
 * become in memory, whatever the memory, the threads and the order of the triangles.
 */
#include "build_case.h"
#include "bvpack_build.h"
#include "suite.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    COUNT = 290000, /* too many for a build in LEAST bytes */
    LEAST = 1 << 24,
    BLOCK = 1000 /* triangles that a call of the stream gives at most */
};

typedef enum shape { SURFACE, SHUFFLED, SOUP, CLUMP, STRIPS, HOLES } shape;

typedef struct model {
    double *corners; /* 9 a triangle */
    float *floats;
    uint32_t count, at;
    int is_double;
} model;

static double height(uint32_t x, uint32_t y)
{
    return 3 * sin(0.05 * x) + 2 * cos(0.07 * y);
}

static void put_triangle(double *out, shape what, uint32_t i, uint64_t *state)
{
    enum { WIDTH = 400 };
    const uint32_t cell = i / 2, x = cell % WIDTH, y = cell / WIDTH;
    const uint32_t at[2][3][2] = {{{x, y}, {x + 1, y}, {x, y + 1}},
                                  {{x + 1, y}, {x + 1, y + 1}, {x, y + 1}}};
    for (int k = 0; k < 3; k++) {
        const uint32_t u = at[i % 2][k][0], v = at[i % 2][k][1];
        const double p[3] = {u, v, height(u, v)};
        memcpy(out + 3 * k, p, sizeof p);
    }
    if (what == SOUP) /* no two vertices are equal */
        for (int k = 0; k < 9; k++)
            out[k] = (double)(case_random(state) % 1000003) + 1e-3 * k;
    if (what == CLUMP && i % 3 != 0) /* no plane separates these: batches are too large */
        for (int k = 0; k < 9; k++)
            out[k] = k % 4 == 0 ? 10 + (double)(i % 7) : 10;
    if (what == STRIPS) /* long and oblique: the grid is turned */
        for (int k = 0; k < 3; k++) {
            const double along = k == 1 ? 1000 : 0, across = 0.002 * i + (k == 2 ? 0.001 : 0);
            const double p[3] = {along + across, along - across, 0.1 * along};
            memcpy(out + 3 * k, p, sizeof p);
        }
    if (what == HOLES && i % 1000 == 7)
        out[i % 9] = i % 2000 == 7 ? NAN : INFINITY;
    if (what == HOLES && i % 1000 == 9) /* a duplicate, and one without area */
        memcpy(out, (double[]){0, 0, 0, 1, 0, 0, i % 2000 == 9, 0, 0}, 9 * sizeof *out);
}

static model make_model(shape what, int is_double)
{
    uint64_t state = case_seed();
    model m = {.count = COUNT, .is_double = is_double};
    m.corners = malloc(9 * (size_t)COUNT * sizeof *m.corners);
    m.floats = malloc(9 * (size_t)COUNT * sizeof *m.floats);
    for (uint32_t i = 0; i < COUNT; i++)
        put_triangle(m.corners + 9 * (size_t)i, what, i, &state);
    for (uint32_t i = COUNT - 1; i > 0 && what == SHUFFLED; i--) {
        const uint32_t k = (uint32_t)(case_random(&state) % (i + 1));
        double swapped[9];
        memcpy(swapped, m.corners + 9 * (size_t)i, sizeof swapped);
        memcpy(m.corners + 9 * (size_t)i, m.corners + 9 * (size_t)k, sizeof swapped);
        memcpy(m.corners + 9 * (size_t)k, swapped, sizeof swapped);
    }
    for (size_t k = 0; k < 9 * (size_t)COUNT; k++) {
        m.floats[k] = (float)m.corners[k];
        m.corners[k] = 1e5 + 1.1 * m.corners[k]; /* what floats cannot hold */
    }
    return m;
}

static void free_model(model *m)
{
    free(m->corners);
    free(m->floats);
}

static bvp_status next(void *user, void *corners, uint32_t *ids, uint32_t room, uint32_t *count,
                       bvp_error *error)
{
    model *m = user;
    (void)error;
    *count = m->count - m->at < room ? m->count - m->at : room;
    if (*count > BLOCK)
        *count = BLOCK;
    if (m->is_double)
        memcpy(corners, m->corners + 9 * (size_t)m->at, *count * 9 * sizeof *m->corners);
    else
        memcpy(corners, m->floats + 9 * (size_t)m->at, *count * 9 * sizeof *m->floats);
    for (uint32_t i = 0; i < *count; i++)
        ids[i] = m->at + i;
    m->at += *count;
    return BVP_OK;
}

typedef struct packed {
    uint8_t *bytes;
    size_t size;
    bvp_build_report report;
} packed;

static packed finish(bvp_builder *builder)
{
    packed out = {.size = 0};
    bvp_error error = {.message = ""};
    struct stat info;
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    const bvp_status status = bvp_builder_finish_fd(builder, fileno(file), &out.report, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    ck_assert_int_eq(fstat(fileno(file), &info), 0);
    out.size = (size_t)info.st_size;
    out.bytes = malloc(out.size);
    ck_assert_int_eq(pread(fileno(file), out.bytes, out.size, 0), (ssize_t)out.size);
    fclose(file);
    bvp_builder_free(builder);
    return out;
}

static packed pack_in_memory(model *m, const bvp_build_options *options)
{
    const bvp_mesh mesh = {.positions = m->is_double ? (void *)m->corners : (void *)m->floats,
                           .is_double = m->is_double,
                           .vertex_count = 3 * (uint64_t)m->count,
                           .triangle_count = m->count,
                           .name = "it"};
    bvp_builder *builder;
    uint32_t part;
    ck_assert_int_eq(bvp_builder_new(options, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    return finish(builder);
}

static packed pack_stream(model *m, const bvp_build_options *options)
{
    const bvp_triangle_stream stream = {
        .next = next, .user = m, .is_double = m->is_double, .name = "it"};
    bvp_error error = {.message = ""};
    bvp_builder *builder;
    uint32_t part, again;
    m->at = 0;
    ck_assert_int_eq(bvp_builder_new(options, &builder, NULL), BVP_OK);
    const bvp_status status = bvp_builder_add_stream(builder, &stream, &part, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    ck_assert_uint_eq(part, 0);
    if (options->thread_count == 3) { /* the same once more is the same part */
        m->at = 0;
        ck_assert_int_eq(bvp_builder_add_stream(builder, &stream, &again, &error), BVP_OK);
        ck_assert_uint_eq(again, 0);
    }
    packed out = finish(builder);
    ck_assert_uint_eq(out.report.shared_part_count, options->thread_count == 3);
    return out;
}

static void check_same(const packed *a, const packed *b)
{
    ck_assert_uint_eq(a->size, b->size);
    for (size_t k = 0; k < a->size; k++)
        if (a->bytes[k] != b->bytes[k])
            ck_abort_msg("byte %zu differs", k);
    ck_assert_uint_eq(a->report.stray_count, b->report.stray_count);
    ck_assert_uint_eq(a->report.degenerate_count, b->report.degenerate_count);
}

static void check_shape(shape what, int is_double, bvp_split split, int no_ids)
{
    model m = make_model(what, is_double);
    const bvp_hierarchy_spec spec = {.kind = BVP_KIND_WIDE, .split = split};
    bvp_build_options options = {.hierarchies = &spec,
                                 .hierarchy_count = 1,
                                 .drop_invalid = what == HOLES,
                                 .no_ids = no_ids,
                                 .thread_count = 2,
                                 .memory = LEAST,
                                 .temporary = "/tmp"};
    packed expected = pack_in_memory(&m, &options);
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        options.thread_count = threads;
        options.memory = threads == 1 ? LEAST : LEAST + LEAST / 16;
        packed found = pack_stream(&m, &options);
        check_same(&expected, &found);
        free(found.bytes);
    }
    options.memory = UINT64_C(1) << 30; /* all of it is in memory */
    packed found = pack_stream(&m, &options);
    check_same(&expected, &found);
    free(found.bytes);
    free(expected.bytes);
    free_model(&m);
}

START_TEST(test_surface)
{
    check_shape(SURFACE, 0, BVP_SPLIT_DEFAULT, 0);
}
END_TEST

START_TEST(test_shuffled)
{
    check_shape(SHUFFLED, 1, BVP_SPLIT_DEFAULT, 0);
}
END_TEST

START_TEST(test_soup)
{
    check_shape(SOUP, 0, BVP_SPLIT_MORTON, 1);
}
END_TEST

START_TEST(test_clump)
{
    check_shape(CLUMP, 0, BVP_SPLIT_DEFAULT, 0);
}
END_TEST

START_TEST(test_strips)
{
    check_shape(STRIPS, 1, BVP_SPLIT_FULL, 0);
}
END_TEST

START_TEST(test_holes)
{
    check_shape(HOLES, 0, BVP_SPLIT_DEFAULT, 0);
}
END_TEST

/* ---- refusals -------------------------------------------------------------------------------- */

typedef struct failing {
    model *m;
    uint32_t calls; /* until it fails */
} failing;

static bvp_status give_up(void *user, void *corners, uint32_t *ids, uint32_t room, uint32_t *count,
                          bvp_error *error)
{
    failing *f = user;
    if (f->calls-- > 0)
        return next(f->m, corners, ids, room, count, error);
    error->status = BVP_ERR_CORRUPT;
    snprintf(error->message, sizeof error->message, "the stream has ended early");
    return BVP_ERR_CORRUPT;
}

static bvp_status add(const bvp_build_options *options, const bvp_triangle_stream *stream,
                      bvp_error *error)
{
    bvp_builder *builder;
    uint32_t part;
    bvp_status status = bvp_builder_new(options, &builder, error);
    if (status == BVP_OK)
        status = bvp_builder_add_stream(builder, stream, &part, error);
    bvp_builder_free(builder);
    return status;
}

START_TEST(test_refusals)
{
    model m = make_model(HOLES, 0);
    failing f = {&m, 20};
    bvp_build_options options = {.memory = LEAST, .temporary = "/tmp", .thread_count = 2};
    const bvp_hierarchy_spec boxtree = {.kind = BVP_KIND_BOXTREE};
    bvp_triangle_stream stream = {.next = next, .user = &m};
    bvp_error error;
    /* a corner that is not finite: which one */
    ck_assert_int_eq(add(&options, &stream, &error), BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "triangle 7: corner 2"));
    /* what the caller says comes back */
    options.drop_invalid = 1;
    m.at = 0;
    stream.next = give_up;
    stream.user = &f;
    ck_assert_int_eq(add(&options, &stream, &error), BVP_ERR_CORRUPT);
    ck_assert_str_eq(error.message, "the stream has ended early");
    /* what cannot be, before anything is read */
    f.calls = 0;
    stream.triangle_count = UINT32_MAX;
    ck_assert_int_eq(add(&options, &stream, &error), BVP_ERR_LIMIT);
    stream.triangle_count = 0;
    options.memory = LEAST - 1;
    ck_assert_int_eq(add(&options, &stream, &error), BVP_ERR_ARGUMENT);
    options.memory = LEAST;
    options.hierarchies = &boxtree;
    options.hierarchy_count = 1;
    ck_assert_int_eq(add(&options, &stream, &error), BVP_ERR_ARGUMENT);
    options.hierarchy_count = 0;
    options.temporary = "/no/such/folder";
    stream.next = next;
    stream.user = &m;
    ck_assert_int_eq(add(&options, &stream, &error), BVP_ERR_SYSTEM);
    ck_assert_int_eq(error.sys_errno, ENOENT);
    free_model(&m);
}
END_TEST

START_TEST(test_strays)
{
    model m = make_model(SURFACE, 0);
    bvp_build_options options = {.memory = LEAST, .temporary = "/tmp", .thread_count = 2};
    bvp_triangle_stream stream = {.next = next, .user = &m, .refuse_strays = 1};
    bvp_error error;
    for (uint32_t k = 0; k < 9; k++) {
        m.floats[9 * 1000 + k] *= 1e9f;
        m.floats[9 * 200001 + k] *= -1e9f;
    }
    ck_assert_int_eq(add(&options, &stream, &error), BVP_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "2 triangles lie so far outside"));
    packed expected = pack_in_memory(&m, &options), found = pack_stream(&m, &options);
    ck_assert_uint_eq(expected.report.stray_count, 2);
    check_same(&expected, &found);
    free(expected.bytes);
    free(found.bytes);
    free_model(&m);
}
END_TEST

static int is_time(void *user)
{
    uint32_t *left = user;
    return *left == 0 || --*left == 0;
}

/* A cancelled call leaves the builder as it was, wherever it stops. */
START_TEST(test_cancelled)
{
    model m = make_model(SURFACE, 0);
    bvp_triangle_stream stream = {.next = next, .user = &m};
    for (uint32_t steps = 1; steps < 60; steps += 11) {
        uint32_t left = steps;
        bvp_control control = {.callback = is_time, .user = &left};
        const bvp_build_options options = {
            .memory = LEAST, .temporary = "/tmp", .thread_count = 1, .control = &control};
        bvp_builder *builder;
        uint32_t part = 5;
        m.at = 0;
        ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
        ck_assert_int_eq(bvp_builder_add_stream(builder, &stream, &part, NULL), BVP_ERR_CANCELLED);
        bvp_part_info info;
        ck_assert_int_eq(bvp_builder_get_part(builder, 0, &info), BVP_ERR_ARGUMENT);
        bvp_builder_free(builder);
    }
    free_model(&m);
}
END_TEST

SUITE(test_stream)
{
    const TTest *const tests[] = {test_surface, test_shuffled, test_soup,     test_clump,
                                  test_strips,  test_holes,    test_refusals, test_cancelled,
                                  test_strays,  NULL};
    return suite_run("test_stream", tests);
}
