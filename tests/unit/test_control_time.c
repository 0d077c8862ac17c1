/* SPDX-License-Identifier: MIT
 * test_control_time.c: how soon queries notice that they are to end, where every pair takes exact
 * arithmetic and where a hierarchy is a maze.
 */
#include "control_case.h"

#include "format/layout.h"

/* Triangles in one plane, all of which touch many others: exact arithmetic decides each pair. */
static case_file make_flat(uint32_t count, double turn)
{
    float *soup = malloc(36 * (size_t)count);
    ck_assert_ptr_nonnull(soup);
    const uint32_t side = (uint32_t)sqrt(count);
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            const double x = i % side + 9.5 * (k == 1), y = i / side + 9.5 * (k == 2); /* NOLINT */
            soup[9 * i + 3 * (uint32_t)k] = (float)(x * cos(turn) - y * sin(turn));
            soup[9 * i + 3 * (uint32_t)k + 1] = (float)(x * sin(turn) + y * cos(turn));
            soup[9 * i + 3 * (uint32_t)k + 2] = 0.25f;
        }
    const bvp_mesh mesh = case_mesh(soup, count);
    case_file file = case_build(&mesh, NULL);
    free(soup);
    return file;
}

/* Layers of eight nodes, each of which leads to all eight of the next layer, in boxes that cover
 * all: 8^LAYERS paths, which no walk follows to its end. */
enum { LAYERS = 24 };
static void make_maze(const case_file *file)
{
    bvpd_header header;
    bvpd_hierarchy record;
    memcpy(&header, file->bytes, sizeof header);
    uint8_t *bytes = file->bytes;
    memcpy(&record, bytes + header.sections[BVPD_HIER].offset, sizeof record);
    uint8_t *units = bytes + header.sections[BVPD_DATA].offset;
    ck_assert_uint_eq(record.root, 0);
    ck_assert_uint_gt(record.upper_count, 8 * LAYERS + 9);
    for (uint32_t unit = 0; unit < 8 * LAYERS + 1; unit++) {
        bvpd_node *node = (bvpd_node *)(void *)(units + (size_t)unit * BVPD_UNIT);
        memset(node->meta, BVPD_META_INNER, sizeof node->meta);
        memset(node->bounds, 0, sizeof node->bounds);
        for (int axis = 0; axis < 3; axis++)
            memset(node->bounds[axis] + 8, 0xff, 8);
        node->child = (unit + 7) / 8 * 8 + 1;
    }
}

static void time_query(const char *what, int which, const bvp_file *file)
{
    watch w = watch_begin(0.15);
    const bvp_control control = {.callback = look, .user = &w};
    const answer got = ask(which, file, 0, false, &control, NULL);
    watch_end(&w, what, got.status);
}

START_TEST(it_is_noticed_soon_where_every_pair_is_exact)
{
    case_file flat = make_flat(40000, 0.1), turned = make_flat(40000, 0.7);
    watch w = watch_begin(0.5);
    const bvp_control control = {.callback = look, .user = &w};
    const bvp_body a = {.file = flat.file, .control = &control}, b = {.file = turned.file};
    answer got = {.count = 0};
    uint64_t count;
    got.status = bvp_pairs_each(&a, &b, take_pair, &got, &count, NULL);
    watch_end(&w, "all pairs, in one plane", got.status);
    ck_assert_int_eq(got.status, BVP_ERR_CANCELLED);
    ck_assert_uint_gt(count, 0);
    const double above[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1};
    const bvp_body c = {.file = flat.file, .placement = above};
    bvp_distance_result d;
    w = watch_begin(0.5);
    const bvp_status status = bvp_distance(&a, &c, INFINITY, &d, NULL);
    watch_end(&w, "distance, all pairs as near", status);
    case_close(&flat);
    case_close(&turned);
}
END_TEST

START_TEST(it_is_noticed_soon_in_a_maze)
{
    static const struct {
        const char *name;
        int which;
        bool is_of_two;
    } questions[] = {{"a maze: collide", COLLIDE, true},    {"a maze: pairs", PAIRS, true},
                     {"a maze: distance", DISTANCE, true},  {"a maze: within", WITHIN, true},
                     {"a maze: warm", DISTANCE_WARM, true}, {"a maze: ray", RAY_FIRST, false},
                     {"a maze: all hits", RAY_ALL, false},  {"a maze: closest", CLOSEST, false},
                     {"a maze: overlap", OVERLAP, false}};
    uint64_t state = case_seed();
    float *soup = case_soup(&state, 200000, 1, 0.01);
    const bvp_mesh mesh = case_mesh(soup, 200000);
    case_file file = case_build(&mesh, NULL);
    make_maze(&file);
    watch w = watch_begin(0.15);
    const bvp_control control = {.callback = look, .user = &w};
    const bvp_verify_options verify = {.control = &control};
    bvp_status status = bvp_verify_with(file.bytes, file.size, &verify, NULL);
    ck_assert_int_eq(status, BVP_ERR_CORRUPT);
    bool was_cancelled = false;
    for (size_t k = 0; k < sizeof questions / sizeof *questions; k++) {
        w = watch_begin(0.15);
        const answer got = ask(questions[k].which, file.file, 0, false, &control, NULL);
        was_cancelled = was_cancelled || got.status == BVP_ERR_CANCELLED;
        if (questions[k].is_of_two) /* LAYERS of both wait; there is room for 64 of each */
            ck_assert_int_eq(got.status, BVP_ERR_CANCELLED);
        watch_end(&w, questions[k].name, got.status);
    }
    ck_assert(was_cancelled);
    free(soup);
    case_close(&file);
}
END_TEST

START_TEST(it_is_noticed_soon_by_all_other_queries)
{
    uint64_t state = case_seed();
    case_file scene = make_scene(&state, 20000, 1);
    for (int which = 0; which < QUESTIONS; which++)
        if (is_asked(which, 0, false))
            time_query("a soup", which, scene.file);
    case_close(&scene);
}
END_TEST

SUITE(test_control_time)
{
    const TTest *const tests[] = {it_is_noticed_soon_where_every_pair_is_exact,
                                  it_is_noticed_soon_in_a_maze,
                                  it_is_noticed_soon_by_all_other_queries, NULL};
    return suite_run("control_time", tests);
}
