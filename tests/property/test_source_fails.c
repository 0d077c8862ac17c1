/* SPDX-License-Identifier: MIT
 * test_source_fails.c: a source that damages, lies or fails: no byte is believed unchecked, and
 * what the source says reaches the caller.
 */
#include "repair.h"
#include "source_scene.h"

#include <math.h>

/* ---- damage ---------------------------------------------------------------------------------- */

/* One bit of any block: the file does not open, or the question that needs it fails, or the answer
 * is right. */
START_TEST(no_byte_is_believed_unchecked)
{
    case_file f = scene_default();
    uint64_t state = case_seed(), failed = 0;
    for (uint64_t chunk = 0; chunk < source_case_chunks(f.file); chunk++) {
        source_case s = source_case_of(f.bytes, f.size);
        const uint64_t from = chunk == 0 ? 0 : BVPD_HEADER_SIZE + (chunk - 1) * BVPD_BLOCK_SIZE;
        const uint64_t to = chunk == 0 ? BVPD_HEADER_SIZE : from + BVPD_BLOCK_SIZE;
        const uint64_t end = to < f.size ? to : f.size;
        s.damage = from + case_random(&state) % (end - from);
        const bvp_source source = source_case_source(&s, ROOMY);
        bvp_error error = {0};
        bvp_file *file;
        bvp_status status = bvp_open_source(&source, NULL, &file, &error);
        if (status == BVP_OK) {
            const question *q = &questions[case_random(&state) % question_count];
            const reply found = reply_to(q, file);
            if (found.status == BVP_ERR_CORRUPT)
                ck_assert_int_eq(bvp_get_source_error(file, &error), BVP_OK);
            else
                check_same(q, found, reply_to(q, f.file));
            failed += found.status == BVP_ERR_CORRUPT;
            status = bvp_verify_file(file, NULL, NULL, &error);
            bvp_close(file);
        }
        /* the bytes from HASH on have a meaning of their own: rules of theirs are violated */
        ck_assert_msg(status == BVP_ERR_CORRUPT || status == BVP_ERR_NEWER ||
                          status == BVP_ERR_NOT_OURS,
                      "a bit at %llu of chunk %llu: %d", (unsigned long long)s.damage,
                      (unsigned long long)chunk, (int)status);
        ck_assert_int_eq(s.closed, 1);
    }
    ck_assert_uint_gt(failed, 0);
    case_close(&f);
}
END_TEST

/* A forger makes the hashes right; digests tell, once their root is known. */
START_TEST(digests_find_forgers)
{
    case_file f = scene_default();
    uint8_t root[32], *bytes = malloc(f.size);
    ck_assert_int_eq(bvp_get_digest(f.file, root, NULL), BVP_OK);
    const uint64_t data = (uint64_t)(f.file->section[BVPD_DATA].data - f.file->base);
    const uint64_t places[] = {BVPD_HEADER_SIZE + 5, data + 100, data + 5 * BVPD_BLOCK_SIZE};
    for (int k = -1; k < 3; k++) {
        memcpy(bytes, f.bytes, f.size);
        if (k >= 0) {
            bytes[places[k]] ^= 1;
            repair_file(bytes, f.size);
        }
        source_case s = source_case_of(bytes, f.size);
        const bvp_open_options how = {.digest = root};
        const bvp_source source = source_case_source(&s, ROOMY);
        bvp_file *file = NULL;
        bvp_error error;
        bvp_status status = bvp_open_source(&source, &how, &file, &error);
        if (status == BVP_OK) {
            status = bvp_verify_file(file, NULL, NULL, &error);
            bvp_close(file);
        }
        ck_assert_int_eq(status, k < 0 ? BVP_OK : BVP_ERR_CORRUPT);
    }
    free(bytes);
    case_close(&f);
}
END_TEST

/* Sizes that are not the file's, and a head that promises a long end. */
START_TEST(sizes_that_lie)
{
    case_file f = scene_default();
    uint8_t *bytes = calloc(1, f.size + 4096);
    memcpy(bytes, f.bytes, f.size);
    const uint64_t sizes[] = {0, 1, 100, BVPD_HEADER_SIZE, 4096, f.size - 1, f.size - 70000};
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        source_case s = source_case_of(bytes, sizes[k]);
        const bvp_source source = source_case_source(&s, ROOMY);
        bvp_error error = {0};
        bvp_file *file = f.file;
        const bvp_status status = bvp_open_source(&source, NULL, &file, &error);
        ck_assert(status == BVP_ERR_CORRUPT || status == BVP_ERR_NOT_OURS);
        ck_assert(file == NULL && s.closed == 1 && error.message[0] != 0);
    }
    source_case s = source_case_of(bytes, f.size);
    bvp_source huge = source_case_source(&s, ROOMY);
    huge.size = UINT64_MAX / 2;
    bvp_file *file;
    ck_assert_int_eq(bvp_open_source(&huge, NULL, &file, NULL), BVP_ERR_CORRUPT);
    free(bytes);
    case_close(&f);
}
END_TEST

/* ---- a source that fails --------------------------------------------------------------------- */

/* Bytes that are not here yet: the same question again and again, until all are. */
START_TEST(a_question_is_asked_again)
{
    case_file f = scene_default();
    unsigned char *there = calloc(1, (f.size >> 16) + 8);
    uint64_t waited = 0;
    for (unsigned k = 0; k < question_count; k++) {
        source_case s = source_case_of(f.bytes, f.size);
        s.there = there;
        memset(there, 1, (f.size >> 16) + 8);
        bvp_file *file = source_case_open(&s, ROOMY, NULL);
        memset(there, 0, (f.size >> 16) + 8);
        reply found = {BVP_ERR_AGAIN, 0};
        for (uint64_t again = 0; found.status == BVP_ERR_AGAIN; again++) {
            ck_assert_uint_le(again, 2 * source_case_chunks(file));
            const uint64_t refused = s.refused;
            source_case_spoil(file);
            found = reply_to(&questions[k], file);
            if (found.status == BVP_OK)
                break;
            ck_assert_int_eq(found.status, BVP_ERR_AGAIN);
            bvp_error error;
            ck_assert_int_eq(bvp_get_source_error(file, &error), BVP_OK);
            ck_assert(error.status == BVP_ERR_AGAIN && error.offset < f.size);
            ck_assert_uint_gt(s.refused, refused);
            source_case_arrives(&s);
            waited++;
        }
        check_same(&questions[k], found, reply_to(&questions[k], f.file));
        bvp_close(file);
    }
    ck_assert_uint_gt(waited, 100);
    free(there);
    case_close(&f);
}
END_TEST

typedef struct hits {
    uint64_t triangle[100];
    int count;
    const struct hits *all; /* those that may come, or NULL */
} hits;

static int note_hit(void *user, const bvp_ray_hit *hit)
{
    hits *to = user;
    bool is_right = to->all == NULL;
    for (int i = 0; to->all && i < to->all->count; i++)
        is_right = is_right || to->all->triangle[i] == hit->id.triangle;
    ck_assert(is_right && to->count < 100);
    to->triangle[to->count++] = hit->id.triangle;
    return 0;
}

/* A call does not ask on after it was refused, and tells its callback nothing that it read then. */
START_TEST(a_refused_call_asks_no_further)
{
    case_file f = scene_default();
    const bvp_ray ray = {.origin = {0, 0, -80}, .direction = {0.01, 0.02, 1}, .t_max = INFINITY};
    hits all = {.count = 0};
    uint64_t count;
    const bvp_body mapped = {.file = f.file};
    ck_assert_int_eq(bvp_ray_all(&mapped, &ray, note_hit, &all, &count, NULL), BVP_OK);
    ck_assert_int_gt(all.count, 8);
    for (uint64_t good = 0;; good++) {
        source_case s = source_case_of(f.bytes, f.size);
        bvp_file *file = source_case_open(&s, ROOMY, NULL);
        const bvp_body body = {.file = file};
        s.answer = BVP_ERR_SYSTEM;
        s.good_reads = good;
        source_case_spoil(file);
        hits told = {.all = &all};
        bvp_error error = {0};
        const bvp_status status = bvp_ray_all(&body, &ray, note_hit, &told, &count, NULL);
        if (status == BVP_OK) {
            ck_assert_int_eq(told.count, all.count);
            ck_assert_uint_gt(good, 5);
            bvp_close(file);
            break;
        }
        ck_assert_int_eq(status, BVP_ERR_SYSTEM);
        ck_assert_uint_eq(s.refused, 1);
        ck_assert_int_eq(bvp_get_source_error(file, &error), BVP_OK);
        ck_assert_str_eq(error.message, "the line is cut");
        /* it is back: nothing of the failure is left */
        s.answer = BVP_OK;
        told.count = 0;
        ck_assert_int_eq(bvp_ray_all(&body, &ray, note_hit, &told, &count, NULL), BVP_OK);
        ck_assert_int_eq(told.count, all.count);
        bvp_close(file);
    }
    case_close(&f);
}
END_TEST

typedef struct candidates {
    struct {
        uint64_t triangle;
        double corners[9];
    } at[1000];
    int count;
    const struct candidates *all; /* those that may come, or NULL */
} candidates;

static int note_candidate(void *user, const bvp_hit_id *id, const double corners[9])
{
    candidates *to = user;
    bool is_right = to->all == NULL;
    for (int i = 0; to->all && i < to->all->count; i++)
        is_right = is_right || (to->all->at[i].triangle == id->triangle &&
                                memcmp(to->all->at[i].corners, corners, 9 * sizeof *corners) == 0);
    ck_assert(is_right && to->count < 1000);
    to->at[to->count].triangle = id->triangle;
    memcpy(to->at[to->count++].corners, corners, 9 * sizeof *corners);
    return 0;
}

/* Nor does the one that hands over corners. */
START_TEST(refused_candidates_are_right_ones)
{
    static candidates all, told;
    case_file f = scene_default();
    const double lo[3] = {-9, -9, -9}, hi[3] = {9, 9, 9};
    const bvp_body mapped = {.file = f.file};
    ck_assert_int_eq(bvp_candidates_box(&mapped, lo, hi, note_candidate, &all, NULL, NULL), BVP_OK);
    ck_assert_int_gt(all.count, 100);
    bvp_status status = BVP_ERR_SYSTEM;
    for (uint64_t good = 0; status != BVP_OK; good++) {
        source_case s = source_case_of(f.bytes, f.size);
        bvp_file *file = source_case_open(&s, ROOMY, NULL);
        const bvp_body body = {.file = file};
        told.all = &all;
        told.count = 0;
        s.answer = BVP_ERR_SYSTEM;
        s.good_reads = good;
        source_case_spoil(file);
        status = bvp_candidates_box(&body, lo, hi, note_candidate, &told, NULL, NULL);
        ck_assert(status == BVP_OK || status == BVP_ERR_SYSTEM);
        ck_assert(status != BVP_OK || told.count == all.count);
        bvp_close(file);
    }
    case_close(&f);
}
END_TEST

/* What a state learnt from a call that failed is forgotten. */
START_TEST(warm_starts_forget)
{
    static uint64_t front[1 << 14];
    case_file f = scene_default();
    unsigned failures = 0;
    for (uint64_t good = 0; good < 40; good++) {
        source_case s = source_case_of(f.bytes, f.size);
        bvp_file *file = source_case_open(&s, ROOMY, NULL);
        double at[12] = {1, 0, 0, 62, 0, 1, 0, 0, 0, 0, 1, 0};
        bvp_warm_start warm[3];
        memset(warm, 0, sizeof warm);
        warm[2].front = front;
        warm[2].front_size = sizeof front;
        s.answer = BVP_ERR_SYSTEM;
        s.good_reads = good;
        for (int step = 0; step < 12; step++, at[3] -= 0.7) {
            const bvp_body a = {.file = file}, b = {.file = file, .part = 1, .placement = at};
            const bvp_body c = {.file = f.file}, d = {.file = f.file, .part = 1, .placement = at};
            bvp_distance_result found, expected;
            int hit[2], within[2];
            ck_assert_int_eq(bvp_collide(&c, &d, &hit[1], NULL), BVP_OK);
            ck_assert_int_eq(bvp_within(&c, &d, 0.5, &within[1], NULL, NULL), BVP_OK);
            ck_assert_int_eq(bvp_distance(&c, &d, INFINITY, &expected, NULL), BVP_OK);
            bvp_status status = bvp_collide_warm(&a, &b, &warm[0], &hit[0], NULL);
            ck_assert(status == BVP_ERR_SYSTEM || (status == BVP_OK && hit[0] == hit[1]));
            failures += status != BVP_OK;
            status = bvp_within_warm(&a, &b, 0.5, &warm[1], &within[0], NULL);
            ck_assert(status == BVP_ERR_SYSTEM || (status == BVP_OK && within[0] == within[1]));
            failures += status != BVP_OK;
            status = bvp_distance_warm(&a, &b, INFINITY, &warm[2], &found, NULL);
            ck_assert(status == BVP_ERR_SYSTEM ||
                      (status == BVP_OK && found.found && found.distance == expected.distance));
            failures += status != BVP_OK;
            s.good_reads = s.answer == BVP_OK ? 0 : 1;
            s.answer = step % 3 == 2 ? BVP_OK : BVP_ERR_SYSTEM;
        }
        bvp_close(file);
    }
    ck_assert_uint_gt(failures, 15);
    case_close(&f);
}
END_TEST

SUITE(test_source_fails)
{
    const TTest *const tests[] = {no_byte_is_believed_unchecked,
                                  digests_find_forgers,
                                  sizes_that_lie,
                                  a_question_is_asked_again,
                                  a_refused_call_asks_no_further,
                                  refused_candidates_are_right_ones,
                                  warm_starts_forget,
                                  NULL};
    return suite_run_within("source_fails", 120, tests);
}
