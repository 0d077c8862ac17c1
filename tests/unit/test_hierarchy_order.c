/* SPDX-License-Identifier: MIT
 * test_hierarchy_order.c: hierarchies in HIER: those of the most used parts last, a part's together
 * and in their order; every part keeps its own.
 */
#include "pack/file/hierarchy_order.h"
#include "suite.h"

#include <string.h>

enum { PARTS = 5, MOST = 3 };

/* Of part i. */
static const uint32_t counts[PARTS] = {1, 3, 2, 1, 1}, uses[PARTS] = {2, 0, 7, 0, 2};

typedef struct order_case {
    bvp_builder builder;
    bvpi_finishing finishing;
    bvpd_part parts[PARTS];
    bvpd_hierarchy hierarchies[PARTS * MOST + BVPD_TOP_MAX];
} order_case;

/* Hierarchy k of part i says so in leaf_size. */
static void make(order_case *c)
{
    memset(c, 0, sizeof *c);
    c->builder.parts.count = PARTS;
    c->finishing.b = &c->builder;
    c->finishing.parts = c->parts;
    c->finishing.hierarchies = c->hierarchies;
    for (uint32_t i = 0; i < PARTS; i++) {
        c->parts[i].first_hierarchy = c->finishing.hierarchy_count;
        c->parts[i].hierarchy_count = counts[i];
        for (uint32_t k = 0; k < counts[i]; k++)
            c->hierarchies[c->finishing.hierarchy_count++] =
                (bvpd_hierarchy){.part = i, .leaf_size = k};
    }
}

static void check(const order_case *c, const uint32_t order[PARTS])
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < PARTS; i++) {
        const uint32_t part = order[i];
        ck_assert_uint_eq(c->parts[part].first_hierarchy, at);
        ck_assert_uint_eq(c->parts[part].hierarchy_count, counts[part]);
        for (uint32_t k = 0; k < counts[part]; k++, at++) {
            ck_assert_uint_eq(c->hierarchies[at].part, part);
            ck_assert_uint_eq(c->hierarchies[at].leaf_size, k);
        }
    }
    ck_assert_uint_eq(at, c->finishing.hierarchy_count);
}

START_TEST(order_is_by_use)
{
    static const uint32_t expected[PARTS] = {1, 3, 0, 4, 2};
    order_case c;
    bvpd_instance instances[64] = {{.part = PARTS}, {.part = BVPD_NONE}}; /* of a forged file */
    uint32_t count = 2;
    make(&c);
    for (uint32_t i = 0; i < PARTS; i++)
        for (uint32_t k = 0; k < uses[i]; k++)
            instances[count++].part = i;
    ck_assert_int_eq(bvpi_order_hierarchies(&c.finishing, instances, count, NULL), BVP_OK);
    check(&c, expected);
    ck_assert_uint_eq(c.finishing.features, BVPD_FEATURE_BY_USE);
}
END_TEST

/* Parts of which none is used more than those after it stay where they are, and the file is the one
 * that readers know which do not know bit 5. */
START_TEST(order_that_is_kept)
{
    static const uint32_t expected[PARTS] = {0, 1, 2, 3, 4};
    static const bvpd_instance last[3] = {{.part = 4}, {.part = 3}, {.part = 4}};
    order_case c;
    make(&c);
    ck_assert_int_eq(bvpi_order_hierarchies(&c.finishing, NULL, 0, NULL), BVP_OK);
    check(&c, expected);
    ck_assert_int_eq(bvpi_order_hierarchies(&c.finishing, last, 3, NULL), BVP_OK);
    check(&c, expected);
    ck_assert_uint_eq(c.finishing.features, 0);
}
END_TEST

SUITE(test_hierarchy_order)
{
    const TTest *const tests[] = {order_is_by_use, order_that_is_kept, NULL};
    return suite_run("hierarchy_order", tests);
}
