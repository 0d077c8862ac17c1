/* SPDX-License-Identifier: MIT
 * test_source_cache.c: the cache of a source's bytes keeps its bounds, and takes nothing from calls
 * that run.
 */
#include "source_scene.h"

#include <pthread.h>

enum { TIGHT = 512 << 10, MOST = 2 * TIGHT / BVPD_BLOCK_SIZE };

static bvp_closest_result closest_at(const bvp_file *file, uint64_t *state)
{
    const bvp_body body = {.file = file};
    double point[3];
    for (int k = 0; k < 3; k++)
        point[k] = 100 * case_uniform(state) - 50;
    bvp_closest_result result;
    ck_assert_int_eq(bvp_closest(&body, point, 1, &result, NULL), BVP_OK);
    return result;
}

START_TEST(the_cache_keeps_its_bound)
{
    case_file f = scene_default();
    uint64_t seed = case_seed(), states[2] = {seed, seed};
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, 2 * TIGHT, NULL);
    const uint64_t opened = source_case_held(file);
    ck_assert_uint_gt(source_case_chunks(file), opened + MOST);
    for (int k = 0; k < 500; k++) {
        const bvp_closest_result found = closest_at(file, &states[0]);
        const bvp_closest_result expected = closest_at(f.file, &states[1]);
        ck_assert(found.distance == expected.distance && found.id.id == expected.id.id);
        ck_assert_uint_le(source_case_held(file), opened + MOST);
    }
    ck_assert_uint_gt(s.bytes_read, f.size); /* so that something has left and come back */
    const uint64_t all = s.reads;
    for (int k = 0; k < 50; k++) { /* what is asked again stays */
        uint64_t again = seed;
        (void)closest_at(file, &again);
    }
    ck_assert_uint_lt(s.reads, all + 10);
    bvp_close(file);
    case_close(&f);
}
END_TEST

START_TEST(a_call_that_needs_too_much)
{
    case_file f = scene_default();
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, 2 * TIGHT, NULL);
    bvp_error error = {0};
    ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, &error), BVP_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "larger cache"));
    const reply found = reply_to(question_named("boxes"), file);
    ck_assert_int_eq(found.status, BVP_ERR_LIMIT);
    uint64_t state = 4;
    (void)closest_at(file, &state); /* a small one finds room again */
    bvp_close(file);
    case_close(&f);
}
END_TEST

typedef struct nested {
    const bvp_file *file;
    uint64_t state, calls;
} nested;

static int ask_within_call(void *user, const bvp_pair *pair)
{
    nested *n = user;
    (void)pair;
    n->calls++;
    (void)closest_at(n->file, &n->state);
    return n->calls == 400;
}

/* Queries inside of a query, which push everything out of the cache that may go. */
START_TEST(nothing_is_taken_from_a_call)
{
    case_file f = scene_default();
    const double at[12] = {0.6, -0.8, 0, 5, 0.8, 0.6, 0, 1, 0, 0, 1, 2};
    uint64_t answers[2];
    for (int k = 0; k < 2; k++) {
        source_case s = source_case_of(f.bytes, f.size);
        bvp_file *file = k == 0 ? f.file : source_case_open(&s, 6 * TIGHT, NULL);
        const bvp_body a = {.file = file}, b = {.file = file, .placement = at};
        nested n = {.file = file, .state = 8};
        uint64_t count = 0;
        const bvp_status status = bvp_pairs_each(&a, &b, ask_within_call, &n, &count, NULL);
        ck_assert_int_eq(status, BVP_OK);
        ck_assert_uint_eq(n.calls, 400);
        answers[k] = count;
        if (k == 1)
            bvp_close(file);
    }
    ck_assert_uint_eq(answers[0], answers[1]);
    case_close(&f);
}
END_TEST

/* What a call has asked for once it may read until it ends, without asking again. */
START_TEST(a_call_reads_on)
{
    enum { HELD = 168 };
    case_file f = scene_default();
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, 10 * TIGHT, NULL);
    const uint64_t from = (uint64_t)(file->section[BVPD_BINH].data - file->base);
    const uint64_t first = 2 + (from - BVPD_HEADER_SIZE) / BVPD_BLOCK_SIZE;
    const uint64_t at = BVPD_HEADER_SIZE + (first - 1) * BVPD_BLOCK_SIZE;
    uint64_t state = case_seed(), left = 0;
    bvpi_call call = bvpi_call_begin(file, NULL);
    bvpi_fetch(file->base + at, HELD * BVPD_BLOCK_SIZE);
    for (int k = 0; k < 50; k++)
        (void)closest_at(file, &state);
    ck_assert(memcmp(file->base + at, (const uint8_t *)f.bytes + at, HELD * BVPD_BLOCK_SIZE) == 0);
    ck_assert_int_eq(bvpi_call_end(&call, BVP_OK), BVP_OK);
    for (int k = 0; k < 400; k++)
        (void)closest_at(file, &state);
    for (uint64_t k = 0; k < HELD; k++) /* then they leave */
        left += source_case_state(file, first + k) == BVPI_CHUNK_ABSENT;
    ck_assert_uint_gt(left, 0);
    bvp_close(file);
    case_close(&f);
}
END_TEST

/* Names stay where they are, whatever comes and goes. */
START_TEST(strings_stay)
{
    case_file f = scene_default();
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, 2 * TIGHT, NULL);
    bvp_node_info nodes[10], expected;
    uint64_t state = case_seed();
    for (uint32_t k = 0; k < 10; k++)
        ck_assert_int_eq(bvp_get_node(file, 3 + 7 * k, &nodes[k]), BVP_OK);
    for (int k = 0; k < 500; k++)
        (void)closest_at(file, &state);
    ck_assert_uint_gt(s.bytes_read, f.size);
    for (uint32_t k = 0; k < 10; k++) {
        ck_assert_int_eq(bvp_get_node(f.file, 3 + 7 * k, &expected), BVP_OK);
        ck_assert(nodes[k].name.size == expected.name.size &&
                  memcmp(nodes[k].name.data, expected.name.data, expected.name.size) == 0);
    }
    bvp_close(file);
    case_close(&f);
}
END_TEST

typedef struct thread_case {
    const bvp_file *file, *mapped;
    uint64_t seed, wrong;
} thread_case;

static void *ask_in_thread(void *user)
{
    thread_case *t = user;
    uint64_t states[2] = {t->seed, t->seed};
    for (int k = 0; k < 400; k++) {
        const bvp_closest_result found = closest_at(t->file, &states[0]);
        const bvp_closest_result expected = closest_at(t->mapped, &states[1]);
        t->wrong += found.distance != expected.distance || found.id.id != expected.id.id;
    }
    return NULL;
}

/* Calls that overlap all the time, on a cache that is too small for the file. */
START_TEST(threads_share_the_cache)
{
    enum { THREADS = 3 };
    case_file f = scene_default();
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, 6 * TIGHT, NULL);
    pthread_t threads[THREADS];
    thread_case cases[THREADS];
    for (uint64_t k = 0; k < THREADS; k++) {
        cases[k] = (thread_case){.file = file, .mapped = f.file, .seed = 100 + k};
        ck_assert_int_eq(pthread_create(&threads[k], NULL, ask_in_thread, &cases[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        pthread_join(threads[k], NULL);
        ck_assert_uint_eq(cases[k].wrong, 0);
    }
    ck_assert_uint_gt(s.bytes_read, 6 * TIGHT + BVPD_BLOCK_SIZE); /* some had to leave */
    bvp_close(file);
    case_close(&f);
}
END_TEST

/* Slices are given back, and taken again. */
START_TEST(many_files_come_and_go)
{
    case_file f = scene_default();
    enum { FILES = 12 };
    source_case s[FILES];
    bvp_file *files[FILES] = {NULL};
    uint64_t state = case_seed();
    const uint8_t *first = NULL, *last = NULL;
    for (int round = 0; round < 100; round++) {
        const unsigned k = (unsigned)(case_random(&state) % FILES);
        if (files[k]) {
            bvp_close(files[k]);
            files[k] = NULL;
            continue;
        }
        s[k] = source_case_of(f.bytes, f.size);
        files[k] = source_case_open(&s[k], TIGHT, NULL);
        first = !first || files[k]->base < first ? files[k]->base : first;
        last = files[k]->base > last ? files[k]->base : last;
        check_same(question_named("parts"), reply_to(question_named("parts"), files[k]),
                   reply_to(question_named("parts"), f.file));
    }
    ck_assert_uint_le((uint64_t)(last - first), FILES * (f.size + 3 * BVPI_CHUNK_SIZE));
    for (int k = 0; k < FILES; k++)
        bvp_close(files[k]);
    case_close(&f);
}
END_TEST

SUITE(test_source_cache)
{
    const TTest *const tests[] = {the_cache_keeps_its_bound,
                                  a_call_that_needs_too_much,
                                  nothing_is_taken_from_a_call,
                                  a_call_reads_on,
                                  strings_stay,
                                  threads_share_the_cache,
                                  many_files_come_and_go,
                                  NULL};
    return suite_run_within("source_cache", 120, tests);
}
