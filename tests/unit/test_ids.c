/* SPDX-License-Identifier: MIT
 * test_ids.c: source numbers come back as they were, and runs of them take few bits.
 */
#include "pack/mesh/id_codes.h"

#include "build_case.h"
#include "pack/mesh/axis_codes.h"
#include "format/record.h"
#include "format/triangle_ids.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

/* Returns the record's bytes. */
static uint32_t check(const uint32_t *numbers, uint32_t count)
{
    bvpi_ids_plan plan;
    bvpi_ids_choose(numbers, count, &plan);
    const uint32_t size = (uint32_t)sizeof plan.head + plan.packed_size;
    ck_assert_uint_eq(size % 4, 0);
    uint8_t *ids = calloc(1, size + 8);
    memcpy(ids, &plan.head, sizeof plan.head);
    bvpi_ids_write(&plan, numbers, count, ids + sizeof plan.head);
    const bvpi_part part = {.ids = ids, .ids_size = size};
    const bvpd_cluster head = {.first_triangle = 77};
    for (uint32_t i = 0; i < count; i++)
        ck_assert_uint_eq(bvpi_triangle_id(&part, &head, i), numbers[i]);
    for (uint32_t k = size; k < size + 8; k++)
        ck_assert_uint_eq(ids[k], 0);
    /* where triangles lie outside, its head is in the cluster's */
    const bvpi_part packed = {.ids = ids + sizeof plan.head, .ids_size = plan.packed_size};
    bvpd_cluster outside = {.first_triangle = 77, .packing = {BVPD_OUTSIDE << 6}};
    memcpy(outside.base, &plan.head, sizeof plan.head);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_uint_eq(bvpi_triangle_id(&packed, &outside, i), numbers[i]);
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        least = numbers[i] < least ? numbers[i] : least;
        most = numbers[i] > most ? numbers[i] : most;
    }
    const uint32_t plain = 8 + (count * bvpi_bit_width(most - least) + 31) / 32 * 4;
    ck_assert_uint_le(size, plain);
    free(ids);
    return size;
}

START_TEST(test_runs)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 500; round++) {
        const uint32_t count = 1 + (uint32_t)(case_random(&state) % 256);
        const uint32_t runs = 1 + (uint32_t)(case_random(&state) % 12);
        uint32_t numbers[256], at[12];
        for (uint32_t i = 0; i < runs; i++)
            at[i] = (uint32_t)(case_random(&state) % 1000000);
        for (uint32_t i = 0; i < count; i++)
            numbers[i] = at[case_random(&state) % runs]++;
        const uint32_t size = check(numbers, count);
        ck_assert_uint_le(size, 8 + (runs * 29 + count * 9 + 31) / 32 * 4);
    }
}
END_TEST

START_TEST(test_any)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 500; round++) {
        const uint32_t count = 1 + (uint32_t)(case_random(&state) % 256);
        const unsigned shift = (unsigned)(case_random(&state) % 33);
        const uint32_t base = (uint32_t)case_random(&state);
        uint32_t numbers[256];
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t low = shift == 32 ? 0 : (uint32_t)case_random(&state) >> shift;
            numbers[i] =
                shift == 0 || base <= UINT32_MAX - low ? low + (shift == 0 ? 0 : base) : base - low;
        }
        check(numbers, count);
    }
    const uint32_t ends[2] = {UINT32_MAX, 0};
    check(ends, 2);
}
END_TEST

SUITE(test_ids)
{
    const TTest *const tests[] = {test_runs, test_any, NULL};
    return suite_run("ids", tests);
}
