/* SPDX-License-Identifier: MIT
 * test_linear_order.c: linear parts in LINS: the identity, those of most instances, and the others
 * as the instances come; every instance keeps its own.
 */
#include "format/linear.h"
#include "pack/file/linear_order.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

/* Number OTHERS + k is that of EACH + k instances, k < OFTEN. */
enum {
    OTHERS = 3000,
    OFTEN = 5,
    EACH = 40,
    COUNT = OTHERS + OFTEN * EACH + OFTEN * (OFTEN - 1) / 2
};

/* A linear part of four words, another one for every number. */
static void make(unsigned number, double m[12])
{
    memset(m, 0, 12 * sizeof *m);
    m[0] = 2 + number;
    m[5] = 3.5 + number;
    m[10] = 0.25 + number;
}

START_TEST(order_is_by_use)
{
    bvpi_table table = {0};
    bvpd_instance *instances = calloc(COUNT, sizeof *instances);
    unsigned *number = calloc(COUNT, sizeof *number);
    uint32_t unused, reference;
    double m[12];
    /* those of one instance are added first, backwards */
    for (unsigned k = OTHERS; k-- > 0;) {
        make(k, m);
        ck_assert_int_eq(bvpi_add_linear(&table, m, &reference, NULL), BVP_OK);
        instances[k].linear = reference;
        number[k] = k;
    }
    make(2 * OTHERS, m);
    ck_assert_int_eq(bvpi_add_linear(&table, m, &unused, NULL), BVP_OK);
    unsigned i = OTHERS;
    for (unsigned k = 0; k < OFTEN; k++)
        for (unsigned use = 0; use < EACH + k; use++, i++) {
            number[i] = OTHERS + k;
            make(number[i], m);
            ck_assert_int_eq(bvpi_add_linear(&table, m, &instances[i].linear, NULL), BVP_OK);
        }
    ck_assert_uint_eq(i, COUNT);
    ck_assert_int_eq(bvpi_order_linears(&table.bytes, instances, COUNT, NULL), BVP_OK);
    const uint64_t *words = table.bytes.data;
    ck_assert_uint_eq(words[0], BVPD_LINEAR_IDENTITY);
    ck_assert_uint_eq(table.bytes.count, 8 * (1 + 4 * (OTHERS + OFTEN))); /* without the unused */
    uint32_t last = 0;
    for (i = 0; i < COUNT; i++) {
        double expected[12] = {0}, found[12] = {0};
        make(number[i], expected);
        const uint64_t left = table.bytes.count / 8 - instances[i].linear;
        ck_assert(bvpi_linear_decode(words + instances[i].linear, left, found));
        ck_assert_int_eq(memcmp(found, expected, sizeof found), 0);
        if (i >= OTHERS) {
            /* the most used one first */
            ck_assert_uint_eq(instances[i].linear, 1 + 4 * (OTHERS + OFTEN - 1 - number[i]));
            continue;
        }
        ck_assert_uint_gt(instances[i].linear, last); /* as the instances come */
        last = instances[i].linear;
    }
    bvpi_table_free(&table);
    free(instances);
    free(number);
}
END_TEST

SUITE(test_linear_order)
{
    const TTest *const tests[] = {order_is_by_use, NULL};
    return suite_run("linear_order", tests);
}
