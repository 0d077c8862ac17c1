/* SPDX-License-Identifier: MIT
 * test_triangles.c: stored triangles, one by one and in runs, and boxes of every level.
 */
#include "suite.h"
#include "tiny_open.h"

static const float expected[3][9] = {
    {0, 2, 0, 4, 2, 0, 0, 4, 0}, {0, 4, 0, 4, 2, 0, 4, 4, 0}, {8, 0, 0, 9, 0, 0, 8, 1, 1}};
static const uint64_t expected_ids[3] = {7, 8, 40};

START_TEST(test_one_by_one)
{
    bvp_file *file = open_tiny();
    float position[9];
    uint64_t id;
    for (uint64_t i = 0; i < 3; i++) {
        ck_assert_int_eq(bvp_get_triangle(file, 0, i, position, &id), BVP_OK);
        ck_assert_mem_eq(position, expected[i], sizeof position);
        ck_assert_uint_eq(id, expected_ids[i]);
    }
    ck_assert_int_eq(bvp_get_triangle(file, 1, 0, position, &id), BVP_OK);
    ck_assert_uint_eq(id, 0);
    ck_assert_int_eq(bvp_get_triangle(file, 0, 3, position, &id), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_triangle(file, 0, UINT64_MAX, position, &id), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_triangle(file, 2, 0, position, &id), BVP_ERR_ARGUMENT);
    close_tiny(file);
}
END_TEST

START_TEST(test_runs)
{
    bvp_file *file = open_tiny();
    for (uint64_t first = 0; first <= 3; first++) {
        for (uint64_t capacity = 0; capacity < 5; capacity++) {
            float positions[5][9];
            uint64_t ids[5] = {99, 99, 99, 99, 99}, count;
            const uint64_t most = capacity < 3 - first ? capacity : 3 - first;
            ck_assert_int_eq(
                bvp_get_triangles(file, 0, (bvp_range){first, capacity}, positions[0], ids, &count),
                BVP_OK);
            ck_assert_uint_eq(count, most);
            for (uint64_t i = 0; i < count; i++) {
                ck_assert_mem_eq(positions[i], expected[first + i], sizeof *positions);
                ck_assert_uint_eq(ids[i], expected_ids[first + i]);
            }
            ck_assert_uint_eq(ids[count], 99);
            ck_assert_int_eq(
                bvp_get_triangles(file, 0, (bvp_range){first, capacity}, NULL, NULL, &count),
                BVP_OK);
        }
    }
    uint64_t count;
    ck_assert_int_eq(bvp_get_triangles(file, 0, (bvp_range){4, 1}, NULL, NULL, &count),
                     BVP_ERR_ARGUMENT);
    close_tiny(file);
}
END_TEST

START_TEST(test_damaged)
{
    bvp_file *file = open_tiny();
    float position[9];
    uint64_t id;
    memset(tiny_data(bytes) + TINY_TABLE + 4, 0xff, 4);
    ck_assert_int_eq(bvp_get_triangle(file, 0, 2, position, &id), BVP_ERR_CORRUPT);
    ck_assert_int_eq(bvp_get_triangle(file, 0, 0, position, &id), BVP_OK);
    tiny_data(bytes)[TINY_RECORD_0 + 28] = 1;
    ck_assert_int_eq(bvp_get_triangle(file, 0, 0, position, &id), BVP_ERR_CORRUPT);
    close_tiny(file);
}
END_TEST

/* ---- boxes ---------------------------------------------------------------------------------- */

typedef struct shown {
    bvp_box box[10];
    int count, stop_after;
} shown;

static int show(void *user, const bvp_box *box)
{
    shown *s = user;
    s->box[s->count++] = *box;
    return s->count == s->stop_after;
}

START_TEST(test_levels)
{
    static const struct {
        uint32_t part, level;
        int boxes, leaves;
    } cases[] = {{0, 0, 1, 0},
                 {0, 1, 2, 0},
                 {0, 2, 3, 3},
                 {0, UINT32_MAX, 3, 3},
                 {1, 0, 1, 0},
                 {1, 1, 1, 1},
                 {BVP_ASSEMBLY, 0, 1, 0},
                 {BVP_ASSEMBLY, 9, 2, 2}};
    bvp_file *file = open_tiny();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shown s = {.count = 0};
        int leaves = 0;
        ck_assert_int_eq(bvp_boxes(file, cases[i].part, cases[i].level, show, &s), BVP_OK);
        for (int k = 0; k < s.count; k++)
            leaves += s.box[k].leaf_count > 0;
        ck_assert_int_eq(s.count, cases[i].boxes);
        ck_assert_int_eq(leaves, cases[i].leaves);
    }
    shown s = {.stop_after = 2};
    ck_assert_int_eq(bvp_boxes(file, 0, 2, show, &s), BVP_OK);
    ck_assert_int_eq(s.count, 2);
    ck_assert(s.box[0].first == 0 && s.box[1].first == 1 && s.box[1].level == 2);
    ck_assert(s.box[0].lo[1] == 2 && s.box[0].hi[0] == 4);
    ck_assert_int_eq(bvp_boxes(file, 2, 0, show, &s), BVP_ERR_ARGUMENT);
    close_tiny(file);
}
END_TEST

START_TEST(test_damaged_boxes)
{
    bvp_file *file = open_tiny();
    shown s = {.count = 0};
    tiny_data(bytes)[56] = 0; /* a child that is its own parent */
    ck_assert_int_eq(bvp_boxes(file, 0, UINT32_MAX, show, &s), BVP_ERR_CORRUPT);
    tiny_data(bytes)[56] = TINY_NODES / 64;
    memset(tiny_data(bytes) + TINY_NODES + 60, 0xff, 4);
    ck_assert_int_eq(bvp_boxes(file, 0, UINT32_MAX, show, &s), BVP_ERR_CORRUPT);
    close_tiny(file);
}
END_TEST

SUITE(test_triangles)
{
    const TTest *const tests[] = {test_one_by_one, test_runs,          test_damaged,
                                  test_levels,     test_damaged_boxes, NULL};
    return suite_run("triangles", tests);
}
