/* SPDX-License-Identifier: MIT
 * test_race.c: a thread writes to a file's bytes while everything that takes a handle reads them
 * through a mapping: verification, queries, annotations, the builder. Each value that steers memory
 * is read once; which answers come does not matter. Of use with sanitizers, or where it crashes.
 * Spec: format.md, chapter "Opening and verifying".
 */
#define _GNU_SOURCE /* memfd_create */
#include "build_case.h"
#include "exercise.h"
#include "format/layout.h"
#include "suite.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 300, PARTS = 2, BURST = 40 };
static const double seconds_each = 0.5; /* BVP_SECONDS: others */

/* A file, its bytes shared with the handle's mapping. */
typedef struct racer {
    int fd;
    uint8_t *bytes, *good;
    size_t size;
    bvp_file *file;
    pthread_t thread;
    int stop; /* atomic */
    uint64_t state;
} racer;

static void fill(racer *r)
{
    static const bvp_hierarchy_spec kinds[] = {{.kind = BVP_KIND_WIDE},
                                               {.kind = BVP_KIND_BOXTREE},
                                               {.kind = BVP_KIND_AABB},
                                               {.kind = BVP_KIND_OBB},
                                               {.kind = BVP_KIND_RSS}};
    const bvp_build_options options = {.hierarchies = kinds, .hierarchy_count = 5, .leaf_size = 3};
    static const double moved[12] = {1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1, 0};
    bvp_builder *builder;
    uint32_t part, node;
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    for (int i = 0; i < PARTS; i++) {
        float *soup = case_soup(&r->state, COUNT, 10, 1);
        const bvp_mesh mesh = case_mesh(soup, COUNT);
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
        for (int k = 0; k < 2; k++)
            ck_assert_int_eq(bvp_builder_add_node(builder,
                                                  &(bvp_new_node){.parent = BVP_NONE,
                                                                  .name = "node",
                                                                  .placement = k ? moved : NULL,
                                                                  .part = part},
                                                  &node, NULL),
                             BVP_OK);
        ck_assert_int_eq(bvp_builder_add_property(builder, node, "key", "value", NULL), BVP_OK);
        free(soup);
    }
    ck_assert_int_eq(bvp_builder_finish_fd(builder, r->fd, NULL, NULL), BVP_OK);
    bvp_builder_free(builder);
}

/* One number becomes another for a moment; sections take turns evenly. */
static void *disturb(void *user)
{
    static const uint64_t values[] = {0, 1, 6, 255, UINT32_MAX, UINT64_C(1) << 40, UINT64_MAX};
    racer *r = user;
    const bvpd_header *h = (const bvpd_header *)r->good;
    while (!__atomic_load_n(&r->stop, __ATOMIC_RELAXED)) {
        const bvpd_section *s = &h->sections[case_random(&r->state) % BVPD_HASH];
        const size_t width = (size_t)1 << case_random(&r->state) % 4;
        if (s->size < 8)
            continue;
        const size_t at = s->offset + case_random(&r->state) % (s->size / width) * width;
        const uint64_t value = case_random(&r->state) % 3 == 0 ? case_random(&r->state)
                                                               : values[case_random(&r->state) % 7];
        for (int i = 0; i < BURST; i++) {
            for (size_t b = 0; b < width; b++)
                ((volatile uint8_t *)r->bytes)[at + b] = (uint8_t)(value >> (8 * b));
            for (volatile int wait = 0; wait < 30 * i; wait++)
                ;
            for (size_t b = 0; b < width; b++)
                ((volatile uint8_t *)r->bytes)[at + b] = r->good[at + b];
        }
    }
    return NULL;
}

static void open_racer(racer *r, const bvp_open_options *options)
{
    bvp_error error = {0};
    memset(r, 0, sizeof *r);
    r->state = case_seed();
    r->fd = memfd_create("race", MFD_CLOEXEC);
    ck_assert_int_ge(r->fd, 0);
    fill(r);
    r->size = (size_t)lseek(r->fd, 0, SEEK_END);
    r->bytes = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
    r->good = malloc(r->size);
    ck_assert(r->bytes != MAP_FAILED && r->good);
    memcpy(r->good, r->bytes, r->size);
    ck_assert_msg(bvp_open_fd(r->fd, options, &r->file, &error) == BVP_OK, "%s", error.message);
    ck_assert_int_eq(pthread_create(&r->thread, NULL, disturb, r), 0);
}

static void close_racer(racer *r)
{
    __atomic_store_n(&r->stop, 1, __ATOMIC_RELAXED);
    pthread_join(r->thread, NULL);
    bvp_close(r->file);
    munmap(r->bytes, r->size);
    close(r->fd);
    free(r->good);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void race(const bvp_open_options *options, void (*read)(const bvp_file *file))
{
    racer r;
    const char *given = getenv("BVP_SECONDS");
    uint64_t rounds = 0;
    open_racer(&r, options);
    for (const double end = now() + (given ? atof(given) : seconds_each); now() < end; rounds++)
        read(r.file);
    printf("%" PRIu64 " rounds\n", rounds);
    ck_assert_uint_gt(rounds, 0);
    close_racer(&r);
}

static int on_finding(void *user, const bvp_finding *finding)
{
    int *count = user;
    ck_assert(finding->message[0] != 0);
    return ++*count > 1000;
}

static void verify(const bvp_file *file)
{
    bvp_error error;
    int count = 0;
    bvp_verify_file(file, on_finding, &count, &error);
    for (uint32_t i = 0; i < PARTS; i++) {
        bvp_verify_part(file, i, on_finding, &count, &error);
        bvp_check_part(file, i, &error);
    }
}

START_TEST(verification)
{
    race(&(bvp_open_options){.mode = BVP_OPEN_CHECKED}, verify);
    race(&(bvp_open_options){.verify_lazily = 1}, verify);
}
END_TEST

START_TEST(queries)
{
    for (int kind = BVP_KIND_DEFAULT; kind <= BVP_KIND_RSS; kind++)
        race(&(bvp_open_options){.kind = (bvp_kind)kind, .baseline_simd = kind % 2}, exercise);
}
END_TEST

START_TEST(annotations)
{
    race(&(bvp_open_options){.mode = BVP_OPEN_CHECKED}, exercise_annotations);
}
END_TEST

static void build(const bvp_file *file)
{
    for (int way = 0; way < 3; way++) {
        const bvp_build_options options = {.packed_is_verified = way != 0};
        bvp_builder *builder;
        uint32_t part;
        const int fd = memfd_create("built", MFD_CLOEXEC);
        ck_assert_int_ge(fd, 0);
        ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
        for (uint32_t i = 0; i < PARTS; i++)
            bvp_builder_add_packed(builder,
                                   &(bvp_packed_part){.file = file, .part = i, .borrow = way == 2},
                                   &part, NULL);
        bvp_builder_finish_fd(builder, fd, NULL, NULL);
        bvp_builder_free(builder);
        ck_assert_int_eq(ftruncate(fd, 0), 0);
        bvp_convert_fd(file, way == 1, "store", fd, NULL);
        bvp_save_fd(file, NULL, fd, NULL);
        close(fd);
    }
}

START_TEST(building)
{
    race(&(bvp_open_options){.mode = BVP_OPEN_CHECKED}, build);
}
END_TEST

SUITE(test_race)
{
    const TTest *const tests[] = {verification, queries, annotations, building, NULL};
    return suite_run("race", tests);
}
