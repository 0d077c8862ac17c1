/* SPDX-License-Identifier: MIT
 * test_control.c: what ends a call early: each query of each kind under each budget, flags and
 * callbacks; verification, clash runs, the builder.
 */
#include "control_case.h"

#include "format/layout.h"

/* ---- budgets --------------------------------------------------------------------------------- */

/* What is given until the end is part of the whole; other answers are none. */
static void check_cancelled(int which, const answer *got, const answer *whole)
{
    ck_assert_int_eq(got->status, BVP_ERR_CANCELLED);
    ck_assert_uint_le(got->count, whole->count);
    ck_assert_uint_le(got->sum, whole->sum);
    if (which == NEAREST)
        ck_assert_uint_eq(got->count, 0);
    if (which == COLLIDE_BATCH || which == DISTANCE_BATCH || which == RAY_BATCH)
        return;
    for (int k = 0; k < 4; k++)
        ck_assert_msg(got->number[k] == 0, "question %d answers %d: %g", which, k, got->number[k]);
}

static void check_budgets(int which, const bvp_file *file, uint32_t part, bool self)
{
    bvp_stats plain = {.steps = 0}, stats = plain;
    bvp_control control = {.budget = UINT64_MAX};
    const answer free_of_it = ask(which, file, part, self, NULL, &plain);
    const answer whole = ask(which, file, part, self, &control, &stats);
    const uint64_t steps = stats.steps;
    ck_assert_int_eq(free_of_it.status, BVP_OK);
    ck_assert_uint_eq(plain.steps, 0);
    ck_assert_mem_eq(&whole, &free_of_it, sizeof whole);
    stats.steps = 0;
    /* of bodies far apart, a query that has nothing to check first looks at their own boxes only */
    if (plain.instance_pairs < stats.instance_pairs)
        ck_assert(plain.boxes <= stats.boxes && plain.nodes <= stats.nodes);
    else
        ck_assert_mem_eq(&stats, &plain, sizeof stats);
    ck_assert_uint_gt(steps, 0);
    for (uint64_t budget = 1; budget < steps; budget += 1 + budget / 7) {
        control.budget = budget;
        stats.steps = 0;
        const answer got = ask(which, file, part, self, &control, &stats);
        check_cancelled(which, &got, &whole);
        ck_assert_uint_eq(stats.steps, budget);
        const answer again = ask(which, file, part, self, &control, NULL);
        ck_assert_mem_eq(&again, &got, sizeof got);
    }
    control.budget = steps;
    const answer enough = ask(which, file, part, self, &control, NULL);
    ck_assert_mem_eq(&enough, &whole, sizeof whole);
    control.budget = steps > 1 ? steps - 1 : 1;
    if (steps > 1)
        ck_assert_int_eq(ask(which, file, part, self, &control, NULL).status, BVP_ERR_CANCELLED);
}

START_TEST(every_budget_ends_every_query_at_the_same_step)
{
    uint64_t state = case_seed();
    case_file scene = make_scene(&state, 600, 1);
    for (int kind = BVP_KIND_WIDE; kind <= BVP_KIND_RSS; kind++)
        for (int baseline = 0; baseline < 2; baseline++) {
            const bvp_open_options options = {.kind = (bvp_kind)kind, .baseline_simd = baseline};
            bvp_file *file;
            ck_assert_int_eq(bvp_open_memory(scene.bytes, scene.size, &options, &file, NULL),
                             BVP_OK);
            for (int which = 0; which < QUESTIONS; which++)
                for (int self = 0; self < 2; self++)
                    for (int part = 0; part < 2; part++)
                        if (is_asked(which, part ? BVP_ASSEMBLY : 0, self))
                            check_budgets(which, file, part ? BVP_ASSEMBLY : 0, self);
            bvp_close(file);
        }
    case_close(&scene);
}
END_TEST

/* ---- flags and callbacks --------------------------------------------------------------------- */

static int count_look(void *user)
{
    uint64_t *looks = user;
    __atomic_add_fetch(looks, 1, __ATOMIC_RELAXED);
    return 0;
}

START_TEST(a_flag_that_is_set_ends_every_query_at_once)
{
    uint64_t state = case_seed(), looks = 0;
    volatile int flag = 1;
    case_file scene = make_scene(&state, 600, 1);
    const bvp_control set = {.cancel = &flag};
    const bvp_control counted = {.callback = count_look, .user = &looks};
    for (int which = 0; which < QUESTIONS; which++) {
        bvp_stats stats = {.steps = 0}, free_of_it = {.steps = 0};
        flag = 1;
        answer got = ask(which, scene.file, BVP_ASSEMBLY, false, &set, &stats);
        ck_assert_int_eq(got.status, BVP_ERR_CANCELLED);
        ck_assert_uint_eq(stats.nodes + stats.steps, 0);
        flag = 0;
        ck_assert_int_eq(ask(which, scene.file, BVP_ASSEMBLY, false, &set, NULL).status, BVP_OK);
        looks = 0;
        ask(which, scene.file, BVP_ASSEMBLY, false, &counted, &free_of_it);
        ck_assert_uint_ge(looks, (free_of_it.steps + 31) / 32);
        ck_assert_uint_le(looks, free_of_it.steps / 32 + 2);
    }
    case_close(&scene);
}
END_TEST

START_TEST(a_handles_control_counts_where_a_body_has_none)
{
    uint64_t state = case_seed();
    volatile int flag = 1, other = 0;
    case_file scene = make_scene(&state, 100, 1);
    const bvp_control set = {.cancel = &flag}, not_set = {.cancel = &other};
    const bvp_open_options options = {.control = &set, .verify_lazily = 1};
    const bvp_open_options isolated = {.control = &set, .mode = BVP_OPEN_ISOLATED};
    bvp_error error;
    bvp_file *file;
    ck_assert_int_eq(bvp_open_memory(scene.bytes, scene.size, &isolated, &file, &error),
                     BVP_ERR_CANCELLED);
    ck_assert_ptr_nonnull(strstr(error.message, "ended before it was done"));
    ck_assert_int_eq(bvp_open_memory(scene.bytes, scene.size, &options, &file, NULL), BVP_OK);
    ck_assert_int_eq(ask(RAY_FIRST, file, 0, false, NULL, NULL).status, BVP_ERR_CANCELLED);
    ck_assert_int_eq(ask(COLLIDE, file, 0, false, NULL, NULL).status, BVP_ERR_CANCELLED);
    ck_assert_int_eq(bvp_check_part(file, 0, &error), BVP_ERR_CANCELLED);
    ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, &error), BVP_ERR_CANCELLED);
    ck_assert_int_eq(bvp_clash(&(bvp_clash_scene){.a = file}, NULL, NULL, NULL, NULL, &error),
                     BVP_ERR_CANCELLED);
    ck_assert_int_eq(ask(RAY_FIRST, file, 0, false, &not_set, NULL).status, BVP_OK);
    flag = 0;
    ck_assert_int_eq(bvp_check_part(file, 0, &error), BVP_OK);
    ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, &error), BVP_OK);
    bvp_close(file);
    ck_assert_str_eq(bvp_status_name(BVP_ERR_CANCELLED), "cancelled");
    case_close(&scene);
}
END_TEST

/* ---- coherent queries ------------------------------------------------------------------------ */

static void place(double at[12], double x)
{
    const double turned[12] = {cos(x), -sin(x), 0, 0.9 + x, sin(x), cos(x), 0, 0.2, 0, 0, 1, 0.7};
    memcpy(at, turned, sizeof turned);
}

/* What a cancelled query leaves in the memory of the next ones must not change their answers. */
START_TEST(cancelled_queries_leave_coherent_ones_right)
{
    uint64_t state = case_seed();
    case_file scene = make_scene(&state, 600, 1);
    static bvp_warm_start warm;
    static uint64_t memory[1 << 14];
    memset(&warm, 0, sizeof warm);
    warm.front = memory;
    warm.front_size = sizeof memory;
    uint64_t cancelled = 0;
    for (int round = 0; round < 3000; round++) {
        bvp_control control = {.budget = 1 + case_random(&state) % 80};
        double at[12];
        place(at, 0.8 * sin(0.37 * round) + 0.0001 * round);
        bvp_body a = {.file = scene.file, .part = 0}, b = a;
        b.placement = at;
        bvp_distance_result got, expected;
        int hit, within;
        a.control = round % 3 ? &control : NULL;
        const bvp_status status = bvp_distance_warm(&a, &b, INFINITY, &warm, &got, NULL);
        const bvp_status second = bvp_within_warm(&a, &b, 0.1, &warm, &within, NULL);
        const bvp_status third = bvp_collide_warm(&a, &b, &warm, &hit, NULL);
        a.control = NULL;
        ck_assert_int_eq(bvp_distance(&a, &b, INFINITY, &expected, NULL), BVP_OK);
        cancelled += (status != BVP_OK) + (second != BVP_OK) + (third != BVP_OK);
        if (status == BVP_OK)
            ck_assert(got.distance == expected.distance);
        if (second == BVP_OK)
            ck_assert_int_eq(within, expected.distance <= 0.1);
        if (third == BVP_OK)
            ck_assert_int_eq(hit, expected.distance == 0);
    }
    printf("%" PRIu64 " of 9,000 were cancelled\n", cancelled);
    ck_assert_uint_gt(cancelled, 200);
    ck_assert_uint_lt(cancelled, 8000);
    case_close(&scene);
}
END_TEST

/* ---- verification ---------------------------------------------------------------------------- */

static int one_more(void *user)
{
    int *left = user;
    return __atomic_fetch_sub(left, 1, __ATOMIC_RELAXED) <= 0;
}

static int count_finding(void *user, const bvp_finding *finding)
{
    (void)finding;
    ++*(int *)user;
    return 0;
}

static bvp_status verify_under(const case_file *scene, const bvp_control *control, uint32_t threads,
                               int *findings)
{
    bvp_error error;
    const bvp_verify_options options = {.control = control,
                                        .thread_count = threads,
                                        .callback = findings ? count_finding : NULL,
                                        .user = findings};
    const bvp_status status = bvp_verify_with(scene->bytes, scene->size, &options, &error);
    ck_assert(status == BVP_OK || error.status == status);
    return status;
}

START_TEST(verification_ends_at_any_look)
{
    uint64_t state = case_seed();
    case_file scene = make_scene(&state, 3000, 1);
    uint64_t looks = 0;
    int findings = 0;
    const bvp_control counted = {.callback = count_look, .user = &looks};
    ck_assert_int_eq(verify_under(&scene, &counted, 1, NULL), BVP_OK);
    ck_assert_uint_gt(looks, 100);
    const uint64_t looks_of_one = looks;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        looks = 0;
        ck_assert_int_eq(verify_under(&scene, &counted, threads, NULL), BVP_OK);
        for (uint64_t k = 0; k < looks; k += 1 + looks / 200) {
            int left = (int)k;
            const bvp_control control = {.callback = one_more, .user = &left};
            ck_assert_int_eq(verify_under(&scene, &control, threads, &findings), BVP_ERR_CANCELLED);
            ck_assert_int_eq(findings, 0);
        }
    }
    const bvp_control budget = {.budget = 100}, more = {.budget = 32 * looks_of_one + 32};
    for (uint32_t threads = 1; threads <= 2; threads++) {
        ck_assert_int_eq(verify_under(&scene, &budget, threads, NULL), BVP_ERR_CANCELLED);
        ck_assert_int_eq(verify_under(&scene, &more, threads, NULL), BVP_OK);
    }
    watch w = watch_begin(5);
    const bvp_control timed = {.callback = look, .user = &w};
    watch_end(&w, "verify", verify_under(&scene, &timed, 1, NULL));
    case_close(&scene);
}
END_TEST

/* A cancelled check of hashes is begun once more, and neither good nor bad is forgotten. */
START_TEST(lazy_verification_goes_on_after_it_was_cancelled)
{
    uint64_t state = case_seed();
    case_file scene = make_scene(&state, 8000, 1);
    uint8_t *bytes = scene.bytes;
    const bvp_open_options lazily = {.verify_lazily = 1};
    bvp_file *file;
    for (int damaged = 0; damaged < 2; damaged++) {
        bvpd_header header;
        memcpy(&header, bytes, sizeof header);
        bytes[header.sections[BVPD_DATA].offset + header.sections[BVPD_DATA].size / 2] ^= 0xff;
        bytes[header.sections[BVPD_DATA].offset + header.sections[BVPD_DATA].size / 2] ^=
            damaged ? 0 : 0xff;
        ck_assert_int_eq(bvp_open_memory(bytes, scene.size, &lazily, &file, NULL), BVP_OK);
        bvp_status status = BVP_ERR_CANCELLED;
        int tries = 0;
        for (; status == BVP_ERR_CANCELLED; tries++) {
            int left = tries;
            const bvp_control control = {.callback = one_more, .user = &left};
            status = ask(CLOSEST, file, 0, false, &control, NULL).status;
        }
        printf("answered at try %d\n", tries);
        ck_assert_int_gt(tries, 3);
        ck_assert_int_eq(status, damaged ? BVP_ERR_CORRUPT : BVP_OK);
        bvp_close(file);
    }
    case_close(&scene);
}
END_TEST

/* ---- clash ----------------------------------------------------------------------------------- */

static int take_clash(void *user, const bvp_clash_pair *pair)
{
    answer *a = user;
    a->count++;
    a->sum = a->sum * 31 + pair->a * 7 + pair->b * 3 + (uint64_t)pair->verdict;
    return 0;
}

static answer run_clash(const bvp_file *file, uint32_t threads, const bvp_control *control,
                        bvp_clash_coverage *coverage)
{
    const bvp_clash_options options = {.limits = {0.05, NAN, NAN},
                                       .detail = BVP_CLASH_CONTACTS,
                                       .thread_count = threads,
                                       .control = control};
    answer out;
    memset(&out, 0, sizeof out);
    out.status =
        bvp_clash(&(bvp_clash_scene){.a = file}, &options, take_clash, &out, coverage, NULL);
    return out;
}

START_TEST(a_clash_run_ends_at_the_same_pair_on_any_number_of_threads)
{
    uint64_t state = case_seed();
    case_file scene = make_scene(&state, 200, 1);
    bvp_clash_coverage whole, part;
    const answer all = run_clash(scene.file, 1, NULL, &whole);
    uint64_t cancelled = 0;
    ck_assert_int_eq(all.status, BVP_OK);
    ck_assert_uint_gt(all.count, 0);
    for (uint64_t budget = 1; budget < UINT64_C(1) << 20; budget *= 2) {
        const bvp_control control = {.budget = budget};
        const answer one = run_clash(scene.file, 1, &control, &part);
        const answer four = run_clash(scene.file, 4, &control, &part);
        ck_assert_mem_eq(&one, &four, sizeof one);
        ck_assert_uint_le(part.instance_count, whole.instance_count);
        cancelled += one.status == BVP_ERR_CANCELLED;
        if (one.status == BVP_OK)
            ck_assert_mem_eq(&one, &all, sizeof one);
        else
            ck_assert_int_eq(one.status, BVP_ERR_CANCELLED);
    }
    ck_assert_uint_gt(cancelled, 3);
    ck_assert_uint_lt(cancelled, 20);
    watch w = watch_begin(5);
    const bvp_control timed = {.callback = look, .user = &w};
    const answer last = run_clash(scene.file, 1, &timed, &part);
    watch_end(&w, "clash", last.status);
    ck_assert_mem_eq(&last, &all, sizeof last);
    volatile int flag = 1;
    const bvp_control set = {.cancel = &flag};
    ck_assert_int_eq(run_clash(scene.file, 2, &set, &part).status, BVP_ERR_CANCELLED);
    ck_assert_uint_eq(part.instance_count, 0);
    case_close(&scene);
}
END_TEST

/* ---- the builder ----------------------------------------------------------------------------- */

START_TEST(a_builder_goes_on_after_a_part_was_cancelled)
{
    enum { COUNT = 60000 };
    uint64_t state = case_seed();
    float *soup = case_soup(&state, COUNT, 1, 0.01);
    const bvp_mesh mesh = case_mesh(soup, COUNT);
    case_file expected = case_build(&mesh, NULL);
    int left = 0, tries = 0;
    const bvp_control control = {.callback = one_more, .user = &left};
    const bvp_build_options options = {.control = &control};
    bvp_builder *builder;
    bvp_error error;
    uint32_t part;
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    bvp_status status = BVP_ERR_CANCELLED;
    for (; status == BVP_ERR_CANCELLED; tries++) {
        left = tries;
        status = bvp_builder_add_part(builder, &mesh, &part, &error);
        if (status == BVP_ERR_CANCELLED)
            ck_assert_int_eq(error.status, BVP_ERR_CANCELLED);
    }
    printf("the part was built at try %d\n", tries);
    ck_assert_int_gt(tries, 2);
    ck_assert_int_eq(status, BVP_OK);
    left = 1 << 30;
    case_file file = case_finish(builder);
    ck_assert_uint_eq(file.size, expected.size);
    ck_assert_mem_eq(file.bytes, expected.bytes, file.size);
    case_close(&file);
    case_close(&expected);
    free(soup);
}
END_TEST

START_TEST(a_file_that_is_being_written_is_cancelled)
{
    uint64_t state = case_seed();
    float *soup = case_soup(&state, 1000, 1, 0.01);
    const bvp_mesh mesh = case_mesh(soup, 1000);
    volatile int flag = 0;
    const bvp_control control = {.cancel = &flag};
    const bvp_build_options options = {.control = &control};
    bvp_builder *builder;
    bvp_error error;
    uint32_t part;
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    flag = 1;
    ck_assert_int_eq(bvp_builder_finish_fd(builder, 1, NULL, &error), BVP_ERR_CANCELLED);
    bvp_builder_free(builder);
    free(soup);
}
END_TEST

SUITE(test_control)
{
    const TTest *const tests[] = {every_budget_ends_every_query_at_the_same_step,
                                  a_flag_that_is_set_ends_every_query_at_once,
                                  a_handles_control_counts_where_a_body_has_none,
                                  cancelled_queries_leave_coherent_ones_right,
                                  verification_ends_at_any_look,
                                  lazy_verification_goes_on_after_it_was_cancelled,
                                  a_clash_run_ends_at_the_same_pair_on_any_number_of_threads,
                                  a_builder_goes_on_after_a_part_was_cancelled,
                                  a_file_that_is_being_written_is_cancelled,
                                  NULL};
    return suite_run("control", tests);
}
