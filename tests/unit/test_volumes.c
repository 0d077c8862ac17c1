/* SPDX-License-Identifier: MIT
 * test_volumes.c: which volumes of each kind are shown, level by level, and that each is where the
 * format says.
 */
#include "suite.h"
#include "tiny_binary.h"

#include <check.h>
#include <math.h>

typedef struct shown {
    bvp_volume volume[10];
    int count, leaves, stop_after;
} shown;

static int show(void *user, const bvp_volume *volume)
{
    shown *s = user;
    s->leaves += volume->leaf_count > 0;
    s->volume[s->count++] = *volume;
    return s->count == s->stop_after;
}

static uint8_t *bytes;
static size_t size;

static bvp_file *open_tiny(void)
{
    bvp_file *file;
    bytes = tiny_make_binary(&size, 1);
    ck_assert_int_eq(bvp_open_memory(bytes, size, NULL, &file, NULL), BVP_OK);
    return file;
}

static void close_tiny(bvp_file *file)
{
    bvp_close(file);
    free(bytes);
}

START_TEST(test_levels)
{
    static const struct {
        uint32_t level;
        int volumes, leaves;
    } cases[] = {{0, 1, 0}, {1, 2, 1}, {2, 3, 3}, {9, 3, 3}, {UINT32_MAX, 3, 3}};
    bvp_file *file = open_tiny();
    for (bvp_kind kind = BVP_KIND_BOXTREE; kind <= BVP_KIND_RSS; kind++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            shown s = {.count = 0};
            ck_assert_int_eq(bvp_volumes(file, 0, kind, cases[i].level, show, &s), BVP_OK);
            ck_assert_int_eq(s.count, cases[i].volumes);
            ck_assert_int_eq(s.leaves, cases[i].leaves);
        }
    shown s = {.stop_after = 2};
    ck_assert_int_eq(bvp_volumes(file, 0, BVP_KIND_AABB, 2, show, &s), BVP_OK);
    ck_assert_int_eq(s.count, 2);
    close_tiny(file);
}
END_TEST

/* Each leaf names its first triangle, directly or by way of the order stream. */
START_TEST(test_triangles)
{
    bvp_file *file = open_tiny();
    for (bvp_kind kind = BVP_KIND_WIDE; kind <= BVP_KIND_RSS; kind++) {
        shown s = {.count = 0};
        uint64_t next = 0;
        ck_assert_int_eq(bvp_volumes(file, 0, kind, UINT32_MAX, show, &s), BVP_OK);
        for (int i = 0; i < s.count; next += s.volume[i++].leaf_count)
            ck_assert_uint_eq(s.volume[i].first, next);
        ck_assert_uint_eq(next, 3);
    }
    close_tiny(file);
}
END_TEST

/* The wide kind is what bvp_boxes shows; a part without it shows its first by default. */
START_TEST(test_kinds)
{
    bvp_file *file = open_tiny();
    shown s = {.count = 0};
    ck_assert_int_eq(bvp_volumes(file, 0, BVP_KIND_DEFAULT, 1, show, &s), BVP_OK);
    ck_assert_int_eq(s.count, 2);
    ck_assert(s.volume[0].centre[1] == 3 && s.volume[0].half[0] == 2 &&
              s.volume[0].leaf_count == 0);
    s.count = 0;
    ck_assert_int_eq(bvp_volumes(file, BVP_ASSEMBLY, BVP_KIND_DEFAULT, 0, show, &s), BVP_OK);
    ck_assert_int_eq(s.count, 1);
    ck_assert_int_eq(bvp_volumes(file, BVP_ASSEMBLY, BVP_KIND_OBB, 0, show, &s), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_volumes(file, 1, BVP_KIND_OBB, 0, show, &s), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_volumes(file, 0, (bvp_kind)77, 0, show, &s), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_volumes(file, 2, BVP_KIND_DEFAULT, 0, show, &s), BVP_ERR_ARGUMENT);
    close_tiny(file);
}
END_TEST

static void expect_box(const bvp_volume *v, const double lo[3], const double hi[3])
{
    for (int k = 0; k < 3; k++) {
        ck_assert(v->centre[k] == 0.5 * (lo[k] + hi[k]));
        ck_assert(v->half[k] == 0.5 * (hi[k] - lo[k]));
        ck_assert(v->axis[4 * k] == 1 && v->axis[(4 * k + 3) % 9] == 0);
    }
    ck_assert(v->radius == 0);
}

START_TEST(test_places)
{
    static const double lo[2][3] = {{0, 2, 0}, {8, 0, 0}}, hi[2][3] = {{4, 4, 1}, {9, 4, 1}};
    static const double exact_lo[3] = {0, 2, 0}, exact_hi[3] = {4, 4, 0};
    bvp_file *file = open_tiny();
    shown s = {.count = 0};
    ck_assert_int_eq(bvp_volumes(file, 0, BVP_KIND_BOXTREE, 1, show, &s), BVP_OK);
    expect_box(&s.volume[0], lo[0], hi[0]);
    expect_box(&s.volume[1], lo[1], hi[1]);
    s.count = 0;
    ck_assert_int_eq(bvp_volumes(file, 0, BVP_KIND_AABB, 1, show, &s), BVP_OK);
    expect_box(&s.volume[0], exact_lo, exact_hi);
    s.count = 0;
    ck_assert_int_eq(bvp_volumes(file, 0, BVP_KIND_OBB, 0, show, &s), BVP_OK);
    ck_assert(s.volume[0].half[2] == 7 * 31 / 32.0 && s.volume[0].radius == 0);
    ck_assert(s.volume[0].centre[0] == 4.5 && s.volume[0].centre[2] == 0.5);
    s.count = 0;
    ck_assert_int_eq(bvp_volumes(file, 0, BVP_KIND_RSS, 0, show, &s), BVP_OK);
    ck_assert(s.volume[0].half[1] == 7 * 31 / 32.0 && s.volume[0].half[2] == 0);
    ck_assert(s.volume[0].radius == 7 * 31 / 32.0);
    close_tiny(file);
}
END_TEST

/* Links that lead nowhere, or round and round, end the walk. */
START_TEST(test_damaged)
{
    const uint32_t links[] = {0, 2, UINT32_MAX, BVPD_LINK_BLOCK | 0x7ffffff};
    bvp_file *file = open_tiny();
    uint8_t *link = bytes + ((bvpd_header *)bytes)->sections[BVPD_BINH].offset + TINY_AABB_OFF + 24;
    shown s = {.count = 0};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        memcpy(link, &links[i], sizeof links[i]);
        ck_assert_int_eq(bvp_volumes(file, 0, BVP_KIND_AABB, UINT32_MAX, show, &s),
                         BVP_ERR_CORRUPT);
    }
    close_tiny(file);
}
END_TEST

SUITE(test_volumes)
{
    const TTest *const tests[] = {test_levels, test_triangles, test_kinds,
                                  test_places, test_damaged,   NULL};
    return suite_run("volumes", tests);
}
