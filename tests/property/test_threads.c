/* SPDX-License-Identifier: MIT
 * test_threads.c: several threads ask one handle that verifies lazily: hashes are checked, and a
 * thin file's parts mapped, by whoever comes first. All get the answers that one gets. The thread
 * sanitizer looks at it in `make check-threads`. It has been seen to report each of these without
 * its atomics: the state of a part, of a block, of the block hashes; a thin file's part.
 */
#include "build_case.h"
#include "bvpack_clash.h"
#include "suite.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 4, PARTS = 6, COUNT = 300, ROUNDS = 5 };

typedef struct fixture {
    char folder[40]; /* a thin file's store, or "" */
    case_file whole;
    bvp_file *file; /* the same bytes again, for the threads */
} fixture;

typedef struct answers {
    double distance[PARTS], closest[PARTS], ray[PARTS];
    bvp_where inside[PARTS];
    int hit[PARTS], status;
    uint64_t pairs;
} answers;

static void save_part(fixture *f, bvp_builder *builder, uint32_t part)
{
    bvp_part_info info;
    char path[128];
    ck_assert_int_eq(bvp_builder_get_part(builder, part, &info), BVP_OK);
    int used = snprintf(path, sizeof path, "%s/%02x", f->folder, info.address[0]);
    mkdir(path, 0777);
    path[used++] = '/';
    for (int i = 1; i < 16; i++)
        used += snprintf(path + used, sizeof path - (size_t)used, "%02x", info.address[i]);
    snprintf(path + used, sizeof path - (size_t)used, ".bvp");
    ck_assert_int_eq(bvp_builder_save_part(builder, part, path, NULL), BVP_OK);
}

static void make_store(fixture *f, char path[4096])
{
    setenv("BVPACK_STORE", "/nowhere", 1); /* the program's, not the library's */
    strcpy(f->folder, "threads_test.XXXXXX");
    ck_assert(mkdtemp(f->folder) && realpath(f->folder, path));
}

static void open_fixture(fixture *f, bool is_thin)
{
    static const bvp_hierarchy_spec kinds[] = {{.kind = BVP_KIND_WIDE}, {.kind = BVP_KIND_OBB}};
    char store[4096];
    uint64_t state = case_seed();
    bvp_builder *builder;
    f->folder[0] = '\0';
    if (is_thin)
        make_store(f, store);
    const bvp_build_options options = {.thin = is_thin,
                                       .store = is_thin ? store : NULL,
                                       .hierarchies = kinds,
                                       .hierarchy_count = 2};
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    for (int i = 0; i < PARTS; i++) {
        float *soup = case_soup(&state, COUNT, 10, 1);
        const bvp_mesh mesh = case_mesh(soup, COUNT);
        const double place[12] = {1, 0, 0, 4.0 * i, 0, 1, 0, 0, 0, 0, 1, 0};
        uint32_t part, node;
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
        if (is_thin)
            save_part(f, builder, part);
        ck_assert_int_eq(bvp_builder_add_node(builder,
                                              &(bvp_new_node){.parent = BVP_NONE,
                                                              .name = "node",
                                                              .placement = place,
                                                              .part = part},
                                              &node, NULL),
                         BVP_OK);
        free(soup);
    }
    f->whole = case_finish(builder);
}

static void close_fixture(fixture *f)
{
    char command[80];
    case_close(&f->whole);
    if (f->folder[0] == '\0')
        return;
    snprintf(command, sizeof command, "rm -r %s", f->folder);
    ck_assert_int_eq(system(command), 0);
}

static int count_pair(void *user, const bvp_clash_pair *pair)
{
    uint64_t *count = user;
    *count += pair->verdict != BVP_VERDICT_CLEAR;
    return 0;
}

/* The caller has seen enough: the run's threads hear of it. */
static int stop(void *user, const bvp_clash_pair *pair)
{
    (void)user, (void)pair;
    return 1;
}

/* Threads begin with other parts, which share blocks: what one has written of a block another reads
 * before anything else orders the two. No ck_assert: this runs on threads. */
static void ask(const bvp_file *file, uint32_t first, answers *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t step = 0; step < PARTS; step++) {
        const uint32_t i = (first + step) % PARTS;
        const bvp_body a = {.file = file, .part = i};
        const bvp_body b = {.file = file, .part = (i + 1) % PARTS};
        const bvp_body all = {.file = file, .part = BVP_ASSEMBLY};
        const bvp_ray ray = {.origin = {5, 5, -30}, .direction = {0, 0, 1}, .t_max = INFINITY};
        bvp_distance_result distance = {0};
        bvp_closest_result closest = {0};
        bvp_ray_hit hit = {0};
        bvp_inside_result inside = {0};
        out->status |= bvp_collide(&a, &b, &out->hit[i], NULL);
        out->status |= bvp_distance(&a, &b, INFINITY, &distance, NULL);
        out->status |= bvp_closest(&all, (double[]){4.0 * i, 1, 2}, INFINITY, &closest, NULL);
        out->status |= bvp_ray_first(&a, &ray, &hit, NULL);
        out->status |= bvp_inside(&all, (double[]){4.0 * i + 1, 1, 1}, &inside, NULL);
        out->inside[i] = inside.where;
        out->status |= bvp_check_part(file, i, NULL);
        out->distance[i] = distance.distance;
        out->closest[i] = closest.distance;
        out->ray[i] = hit.found ? hit.t : -1;
    }
    out->status |= bvp_check_part(file, BVP_ASSEMBLY, NULL);
    const bvp_clash_options options = {.limits = {0.1, NAN, NAN}, .thread_count = 2};
    out->status |=
        bvp_clash(&(bvp_clash_scene){.a = file}, &options, count_pair, &out->pairs, NULL, NULL);
    out->status |= bvp_clash(&(bvp_clash_scene){.a = file}, &options, stop, NULL, NULL, NULL);
    static const bvp_clash_zone zones[2] = {{{.kind = BVP_CONVEX_SPHERE, .radius = 2}, NULL},
                                            {{.kind = BVP_CONVEX_BOX, .size = {99, 99, .5}}, NULL}};
    const bvp_const_array array = {zones, 0, 2};
    const bvp_clash_options held = {.limits = {0.1, NAN, NAN}, .thread_count = 2, .zones = &array};
    out->status |=
        bvp_clash(&(bvp_clash_scene){.a = file}, &held, count_pair, &out->pairs, NULL, NULL);
}

typedef struct asker {
    const bvp_file *file;
    pthread_barrier_t *start;
    pthread_t thread;
    uint32_t first;
    answers found;
} asker;

static void *run(void *user)
{
    asker *a = user;
    pthread_barrier_wait(a->start);
    ask(a->file, a->first, &a->found);
    return NULL;
}

static void share_a_handle(bool is_thin)
{
    fixture f;
    answers expected;
    open_fixture(&f, is_thin);
    ask(f.whole.file, 0, &expected);
    ck_assert_int_eq(expected.status, BVP_OK);
    for (int round = 0; round < ROUNDS; round++) {
        const bvp_open_options options = {.verify_lazily = 1, .kind = round % 2 ? BVP_KIND_OBB : 0};
        asker askers[THREADS];
        pthread_barrier_t start;
        ck_assert_int_eq(bvp_open_memory(f.whole.bytes, f.whole.size, &options, &f.file, NULL),
                         BVP_OK);
        ck_assert_int_eq(pthread_barrier_init(&start, NULL, THREADS), 0);
        for (int i = 0; i < THREADS; i++) {
            askers[i] = (asker){.file = f.file, .start = &start, .first = (uint32_t)i};
            ck_assert_int_eq(pthread_create(&askers[i].thread, NULL, run, &askers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(askers[i].thread, NULL);
            ck_assert_mem_eq(&askers[i].found, &expected, sizeof expected);
        }
        pthread_barrier_destroy(&start);
        bvp_close(f.file);
    }
    close_fixture(&f);
}
START_TEST(threads_share_a_thin_handle)
{
    share_a_handle(true);
}
END_TEST

START_TEST(threads_share_a_fat_handle)
{
    share_a_handle(false);
}
END_TEST

SUITE(test_threads)
{
    const TTest *const tests[] = {threads_share_a_thin_handle, threads_share_a_fat_handle, NULL};
    return suite_run("threads", tests);
}
