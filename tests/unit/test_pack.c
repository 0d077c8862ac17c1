/* SPDX-License-Identifier: MIT
 * test_pack.c: every packing decodes to the very bits, and the narrowest one is chosen.
 */
#include "build_case.h"
#include "pack/mesh/axis_codes.h"
#include "node/cluster_record.h"
#include "suite.h"

#include <math.h>
#include <string.h>

/* Packs on axis 1 of a made-up cluster and decodes with the reader's code. */
static bvpi_packed_axis check_axis(const float *values, uint32_t count, bool raw)
{
    uint8_t stream[2 * 4 * 256 + 16] = {0};
    bvpi_packed_axis axis;
    bvpi_pack_axis(values, count, raw, &axis);
    const uint32_t size = bvpi_packed_size(count, axis.field_width);
    bvpi_cluster cluster = {.vertex_count = count, .vertices = stream};
    cluster.head.packing[1] = (uint8_t)(axis.packing.mode << 6 | axis.packing.width);
    cluster.head.scale[1] = axis.packing.scale;
    cluster.head.base[1] = axis.packing.base;
    cluster.head.table_count[1] = (uint8_t)axis.table_count;
    cluster.width[1] = bvpi_cluster_width(cluster.head.packing[1]);
    cluster.vertex_width = cluster.field_width[1] = axis.field_width;
    cluster.table[1] = stream + size;
    bvpi_bits bits = {.at = stream};
    for (uint32_t i = 0; i < count; i++)
        bvpi_put_bits(&bits, axis.fields[i], axis.field_width);
    ck_assert_ptr_eq(bvpi_end_bits(&bits), stream + size);
    bits = (bvpi_bits){.at = stream + size};
    for (uint32_t i = 0; i < axis.table_count; i++)
        bvpi_put_bits(&bits, axis.table[i], axis.packing.width);
    bvpi_end_bits(&bits);
    for (uint32_t i = 0; i < count; i++) {
        const float decoded = bvpi_cluster_coordinate(&cluster, 1, i);
        ck_assert_mem_eq(&decoded, &values[i], sizeof decoded);
    }
    const uint32_t end = size + bvpi_packed_size(axis.table_count, axis.packing.width);
    ck_assert_uint_le(end, bvpi_packed_size(count, axis.packing.width));
    for (uint32_t k = end; k < sizeof stream; k++)
        ck_assert_uint_eq(stream[k], 0);
    return axis;
}

static bvpi_packing check_packing(const float *values, uint32_t count)
{
    return check_axis(values, count, false).packing;
}

/* What repeats is told once. */
START_TEST(test_tables)
{
    uint64_t state = case_seed();
    for (uint32_t different = 1; different <= 256; different++) {
        float values[256], table[256];
        for (uint32_t i = 0; i < different; i++)
            table[i] = (float)(case_random(&state) % 1000000) / 7.0f + (float)i * 1e6f;
        for (uint32_t i = 0; i < 256; i++)
            values[i] = table[i < different ? i : case_random(&state) % different];
        const bvpi_packed_axis axis = check_axis(values, 256, false);
        if (different >= 2 && different <= 64) {
            ck_assert_uint_eq(axis.table_count, different);
            ck_assert_uint_eq(1u << axis.field_width >= different, 1);
        }
        if (different == 1 || different > 250)
            ck_assert_uint_eq(axis.table_count, 0);
        const bvpi_packed_axis raw = check_axis(values, 256, true);
        ck_assert_uint_eq(raw.table_count, 0);
        ck_assert_uint_eq(raw.field_width, 32);
        ck_assert_uint_eq(raw.packing.mode, BVPD_RAW);
    }
}
END_TEST

START_TEST(test_every_binary_step)
{
    for (int exponent = -149; exponent <= 127; exponent++) {
        float values[200];
        const int most = exponent > 100 ? 1 << (127 - exponent > 7 ? 7 : 127 - exponent) : 200;
        for (int i = 0; i < 200; i++)
            values[i] = ldexpf((float)(i % most), exponent);
        const bvpi_packing p = check_packing(values, 200);
        if (exponent >= -64 && exponent <= 63 && exponent != 0)
            ck_assert_uint_eq(p.mode, BVPD_GRID);
    }
}
END_TEST

START_TEST(test_every_decimal_step)
{
    uint64_t state = case_seed();
    double power = 1;
    for (int code = 0; code < 16; code++, power *= 10) {
        float values[200];
        for (int i = 0; i < 200; i++)
            values[i] = (float)((double)(int64_t)(case_random(&state) % 40000 - 20000) / power);
        const bvpi_packing p = check_packing(values, 200);
        ck_assert_uint_eq(p.mode, BVPD_GRID);
        ck_assert_uint_le(p.width, 16);
    }
}
END_TEST

START_TEST(test_modes)
{
    const float constant[3] = {1.1f, 1.1f, 1.1f};
    ck_assert_uint_eq(check_packing(constant, 3).width, 0);
    const float zeros[3] = {0.0f, -0.0f, 0.0f};
    ck_assert_uint_eq(check_packing(zeros, 3).mode, BVPD_ORDERED);
    const float wide[3] = {-1e30f, 1e-40f, 3e38f};
    const bvpi_packing raw = check_packing(wide, 3);
    ck_assert_uint_eq(raw.mode, BVPD_RAW);
    ck_assert_uint_eq(raw.width, 32);
    ck_assert_uint_eq(raw.base, 0);
    const float near[3] = {1.0f, nextafterf(1, 2), nextafterf(1, 0)};
    ck_assert_uint_eq(check_packing(near, 3).width, 2);
}
END_TEST

START_TEST(test_random_bits)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 400; round++) {
        float values[256];
        const uint32_t count = 1 + (uint32_t)(case_random(&state) % 256);
        const unsigned varied = (unsigned)(case_random(&state) % 33);
        const uint32_t start = (uint32_t)case_random(&state);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t mask = varied == 32 ? UINT32_MAX : (UINT32_C(1) << varied) - 1;
            uint32_t bits = (start & ~mask) | ((uint32_t)case_random(&state) & mask);
            if ((bits >> 23 & 255) == 255)
                bits &= ~(UINT32_C(1) << 30); /* finite */
            memcpy(&values[i], &bits, sizeof bits);
        }
        check_packing(values, count);
    }
}
END_TEST

SUITE(test_pack)
{
    const TTest *const tests[] = {test_every_binary_step,
                                  test_every_decimal_step,
                                  test_modes,
                                  test_random_bits,
                                  test_tables,
                                  NULL};
    return suite_run("pack", tests);
}
