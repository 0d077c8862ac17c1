/* SPDX-License-Identifier: MIT
 * test_simd.c: every function of base/simd.h, lane by lane against plain C, NaN and zeros included.
 */
#include "prim_suite.h"
#include "tri_cases.h"

static const float SPECIAL[8] = {0, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-149f};

static f32x8 random_floats(void)
{
    f32x8 v;
    for (int i = 0; i < 8; i++)
        v[i] = case_int(2) ? SPECIAL[case_int(8)] : (float)case_unit();
    return v;
}

static f64x4 random_doubles(void)
{
    f64x4 v;
    for (int i = 0; i < 4; i++)
        v[i] = case_int(2) ? (double)SPECIAL[case_int(8)] : case_unit();
    return v;
}

static void assert_bits_f(float a, float b)
{
    ck_assert(memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)));
}

static void assert_bits_d(double a, double b)
{
    ck_assert(memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)));
}

START_TEST(floats)
{
    case_seed(20);
    for (int n = 0; n < 2000; n++) {
        f32x8 a = random_floats(), b = random_floats();
        f32x8 least = f32x8_min(a, b), most = f32x8_max(a, b), size = f32x8_abs(a);
        f32x8 root = f32x8_sqrt(size);
        i32x8 lt = f32x8_lt(a, b), le = f32x8_le(a, b), eq = f32x8_eq(a, b);
        i32x8 gt = f32x8_gt(a, b), ge = f32x8_ge(a, b);
        f32x8 pick = f32x8_select(lt, a, b);
        for (int i = 0; i < 8; i++) {
            assert_bits_f(least[i], a[i] < b[i] ? a[i] : b[i]);
            assert_bits_f(most[i], a[i] > b[i] ? a[i] : b[i]);
            assert_bits_f(size[i], fabsf(a[i]));
            assert_bits_f(root[i], sqrtf(fabsf(a[i])));
            assert_bits_f(pick[i], a[i] < b[i] ? a[i] : b[i]);
            ck_assert_int_eq(lt[i], -(a[i] < b[i]));
            ck_assert_int_eq(le[i], -(a[i] <= b[i]));
            ck_assert_int_eq(eq[i], -(a[i] == b[i]));
            ck_assert_int_eq(gt[i], -(a[i] > b[i]));
            ck_assert_int_eq(ge[i], -(a[i] >= b[i]));
            ck_assert_int_eq(i32x8_movemask(lt) >> i & 1, a[i] < b[i]);
        }
    }
}
END_TEST

START_TEST(the_least_of_eight)
{
    case_seed(22);
    for (int n = 0; n < 2000; n++) {
        f32x8 a = random_floats();
        float least[8];
        for (int i = 0; i < 8; i++)
            a[i] = least[i] = isnan(a[i]) ? 0 : a[i];
        for (int half = 4; half > 0; half /= 2)
            for (int i = 0; i < half; i++)
                least[i] = least[i] < least[i + half] ? least[i] : least[i + half];
        assert_bits_f(f32x8_least(a), least[0]);
    }
}
END_TEST

START_TEST(doubles)
{
    case_seed(21);
    for (int n = 0; n < 2000; n++) {
        f64x4 a = random_doubles(), b = random_doubles();
        f64x4 least = f64x4_min(a, b), most = f64x4_max(a, b), size = f64x4_abs(a);
        f64x4 root = f64x4_sqrt(size);
        i64x4 lt = f64x4_lt(a, b), le = f64x4_le(a, b), gt = f64x4_gt(a, b), ge = f64x4_ge(a, b);
        f64x4 pick = f64x4_select(le, a, b);
        for (int i = 0; i < 4; i++) {
            assert_bits_d(least[i], a[i] < b[i] ? a[i] : b[i]);
            assert_bits_d(most[i], a[i] > b[i] ? a[i] : b[i]);
            assert_bits_d(size[i], fabs(a[i]));
            assert_bits_d(root[i], sqrt(fabs(a[i])));
            assert_bits_d(pick[i], a[i] <= b[i] ? a[i] : b[i]);
            ck_assert_int_eq(lt[i], -(a[i] < b[i]));
            ck_assert_int_eq(le[i], -(a[i] <= b[i]));
            ck_assert_int_eq(gt[i], -(a[i] > b[i]));
            ck_assert_int_eq(ge[i], -(a[i] >= b[i]));
            ck_assert_int_eq(i64x4_movemask(ge) >> i & 1, a[i] >= b[i]);
        }
    }
}
END_TEST

START_TEST(lanes)
{
    case_seed(22);
    for (int round = 0; round < 1000; round++) {
        const f64x4 rows[3] = {random_doubles(), random_doubles(), random_doubles()};
        const f64x4 turned = f64x4_turn(rows[0]);
        f64x4 columns[4];
        double sums[2], stored[7] = {[6] = 7};
        f64x4_columns(rows, columns);
        f64x4_sums(rows[0], rows[1], sums);
        f64x4_store3_3(stored, rows[1], rows[2]);
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < 3; i++)
                assert_bits_d(columns[k][i], rows[i][k]);
            ck_assert(columns[k][3] == 0);
        }
        for (int i = 0; i < 3; i++) {
            assert_bits_d(turned[i], rows[0][(i + 1) % 3]);
            assert_bits_d(stored[i], rows[1][i]);
            assert_bits_d(stored[3 + i], rows[2][i]);
        }
        assert_bits_d(turned[3], rows[0][3]);
        ck_assert(stored[6] == 7);
        for (int k = 0; k < 2; k++)
            assert_bits_d(sums[k], (rows[k][0] + rows[k][1]) + (rows[k][2] + rows[k][3]));
    }
}
END_TEST

static unsigned top_bits(i32x8 v)
{
    unsigned bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= (uint32_t)v[i] >> 31 << i;
    return bits;
}

START_TEST(integers)
{
    case_seed(22);
    for (int n = 0; n < 2000; n++) {
        i32x8 a, b;
        for (int i = 0; i < 8; i++) {
            a[i] = (int32_t)case_random();
            b[i] = case_int(4) ? (int32_t)case_random() : a[i];
        }
        i32x8 lt = i32x8_lt(a, b), gt = i32x8_gt(a, b), eq = i32x8_eq(a, b);
        i32x8 pick = i32x8_select(gt, a, b);
        const bvpi_halves x = {.i32 = a}, y = {.i32 = b};
        const bvpi_i32x4 least = bvpi_i32x4_min(x.i32_half[0], y.i32_half[0]);
        const bvpi_i32x4 most = bvpi_i32x4_max(x.i32_half[0], y.i32_half[0]);
        for (int i = 0; i < 4; i++) {
            ck_assert_int_eq(least[i], a[i] < b[i] ? a[i] : b[i]);
            ck_assert_int_eq(most[i], a[i] > b[i] ? a[i] : b[i]);
        }
        for (int i = 0; i < 8; i++) {
            ck_assert_int_eq(lt[i], -(a[i] < b[i]));
            ck_assert_int_eq(gt[i], -(a[i] > b[i]));
            ck_assert_int_eq(eq[i], -(a[i] == b[i]));
            ck_assert_int_eq(pick[i], a[i] > b[i] ? a[i] : b[i]);
            ck_assert_int_eq(i32x8_min(a, b)[i], a[i] < b[i] ? a[i] : b[i]);
            ck_assert_int_eq(i32x8_max(a, b)[i], a[i] > b[i] ? a[i] : b[i]);
            ck_assert_uint_eq(i32x8_movemask(a) >> i, top_bits(a) >> i);
        }
        ck_assert_uint_eq(i32x4_movemask(x.i32_half[0]), top_bits(a) & 15);
        for (int i = 0; i < 4; i++)
            ck_assert_uint_eq(i64x4_movemask(x.i64) >> i & 1, top_bits(a) >> (2 * i + 1) & 1);
        ck_assert_uint_lt(i64x4_movemask(x.i64), 16);
    }
}
END_TEST

START_TEST(conversions)
{
    case_seed(23);
    for (int n = 0; n < 2000; n++) {
        uint8_t bytes[8];
        i32x8 whole;
        f64x4 low = random_doubles(), high = random_doubles();
        f32x8 v = random_floats();
        for (int i = 0; i < 8; i++) {
            bytes[i] = (uint8_t)case_int(256);
            whole[i] = (int32_t)case_random();
        }
        int16_t words[8];
        memcpy(words, &whole, sizeof words);
        const i32x8 from_words = i32x8_from_i16(words);
        f32x8 from_bytes = f32x8_from_u8(bytes), from_whole = f32x8_from_i32(whole);
        f32x8 narrow = f32x8_from_f64(low, high);
        uint8_t stored[8];
        f64x4 wide_whole[2];
        i32x8_store_u8(stored, i32x8_from_u8(bytes));
        f64x4_from_i32(whole, wide_whole);
        const f64x4 low_whole = f64x4_from_low_i32(whole);
        ck_assert_mem_eq(&low_whole, &wide_whole[0], sizeof low_whole);
        ck_assert_mem_eq(stored, bytes, sizeof stored);
        const f64x4 rounded = f64x4_from_low(narrow);
        for (int i = 0; i < 4; i++)
            assert_bits_d(rounded[i], (double)narrow[i]);
        f64x4 wide_low = f64x4_from_low(v), wide_high = f64x4_from_high(v);
        for (int i = 0; i < 8; i++) {
            assert_bits_f(from_bytes[i], bytes[i]);
            ck_assert_int_eq(from_words[i], words[i]);
            assert_bits_f(from_whole[i], (float)whole[i]);
            assert_bits_d(wide_whole[i / 4][i % 4], (double)whole[i]);
            assert_bits_f(narrow[i], (float)(i < 4 ? low[i] : high[i - 4]));
            assert_bits_d(i < 4 ? wide_low[i] : wide_high[i - 4], (double)v[i]);
        }
    }
}
END_TEST

SUITE(test_simd)
{
    const TTest *const tests[] = {floats,   the_least_of_eight, doubles, lanes,
                                  integers, conversions,        NULL};
    return run_suite("simd", tests);
}
