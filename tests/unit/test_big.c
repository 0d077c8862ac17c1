/* SPDX-License-Identifier: MIT
 * test_big.c: wide integers against GMP.
 */
#include <float.h>
#include <gmp.h>
#include <limits.h>

#include "prim/big.h"
#include "prim_suite.h"
#include "tri_cases.h"

static void to_mpz(mpz_t out, const bvpi_big *a)
{
    mpz_import(out, (size_t)a->size, -1, 8, 0, 0, a->limb);
    if (a->sign < 0)
        mpz_neg(out, out);
}

static void assert_equal(const bvpi_big *a, const mpz_t b)
{
    mpz_t z;
    mpz_init(z);
    to_mpz(z, a);
    ck_assert_int_eq(mpz_cmp(z, b), 0);
    ck_assert_int_eq(a->sign, mpz_sgn(b));
    ck_assert(a->size == 0 || a->limb[a->size - 1] != 0);
    ck_assert_int_eq(bvpi_big_bits(a), a->size == 0 ? 0 : (int)mpz_sizeinbase(b, 2));
    mpz_clear(z);
}

/* Random sizes; runs of zeros and ones, which carry far. */
static void random_big(bvpi_big *out, int limbs)
{
    out->size = case_int(limbs + 1);
    out->sign = case_int(2) ? 1 : -1;
    for (int i = 0; i < out->size; i++) {
        int kind = case_int(4);
        out->limb[i] = kind == 0 ? 0 : kind == 1 ? UINT64_MAX : case_random();
    }
    if (out->size > 0 && out->limb[out->size - 1] == 0)
        out->limb[out->size - 1] = 1;
    if (out->size == 0)
        out->sign = 0;
}

START_TEST(arithmetic_equals_gmp)
{
    static bvpi_big a, b, c, d, r;
    mpz_t x, y, z, w, e;
    mpz_inits(x, y, z, w, e, NULL);
    case_seed(15);
    for (int i = 0; i < 20000; i++) {
        int limbs = case_int(10) ? 6 : BVPI_BIG_LIMBS / 2;
        random_big(&a, limbs), random_big(&b, limbs), random_big(&c, limbs), random_big(&d, limbs);
        to_mpz(x, &a), to_mpz(y, &b), to_mpz(z, &c), to_mpz(w, &d);
        bvpi_big_mul(&r, &a, &b);
        mpz_mul(e, x, y);
        assert_equal(&r, e);
        bvpi_big_minor(&r, &a, &b, &c, &d);
        mpz_submul(e, z, w);
        assert_equal(&r, e);
        bvpi_big_add(&r, &a, &b);
        mpz_add(e, x, y);
        assert_equal(&r, e);
        bvpi_big_sub(&a, &a, &b); /* in place */
        mpz_sub(e, x, y);
        assert_equal(&a, e);
        bvpi_big_sub(&b, &b, &b);
        assert_equal(&b, (mpz_set_ui(e, 0), e));
    }
    mpz_clears(x, y, z, w, e, NULL);
}
END_TEST

START_TEST(differences_of_sums_equal_gmp)
{
    static bvpi_big a, b, r;
    static bvpi_big_sum x, y;
    mpz_t e, z;
    mpz_inits(e, z, NULL);
    case_seed(17);
    for (int i = 0; i < 5000; i++) {
        random_big(&a, BVPI_SUM_LIMBS), random_big(&b, BVPI_SUM_LIMBS);
        bvpi_big_to_sum(&x, &a), bvpi_big_to_sum(&y, &b);
        to_mpz(e, &a), to_mpz(z, &b);
        bvpi_big_of_sum(&r, &x);
        assert_equal(&r, e);
        bvpi_big_sub_sums(&r, &x, &y);
        assert_equal(&r, (mpz_sub(e, e, z), e));
    }
    mpz_clears(e, z, NULL);
}
END_TEST

/* The longest coordinates there are, of opposite signs. */
START_TEST(sums_hold_the_widest_coordinates)
{
    static bvpi_big high, low;
    const int unit = bvpi_lowest_exponent(0x1p-1074) + bvpi_lowest_exponent(0x1p-149);
    bvpi_big_zero(&high);
    bvpi_big_zero(&low);
    for (int k = 0; k < 4; k++) {
        bvpi_big_add_product(&high, DBL_MAX, (double)FLT_MAX, unit);
        bvpi_big_add_product(&low, -DBL_MAX, (double)FLT_MAX, unit);
    }
    bvpi_big_add_product(&high, 0x1p-1074, 0x1p-149, unit);
    bvpi_big_sub(&high, &high, &low);
    bvpi_big_sub(&low, &low, &high); /* of what is relative to a point */
    ck_assert_int_ge(high.size, BVPI_SUM_LIMBS - 1);
    ck_assert_int_le(high.size, BVPI_SUM_LIMBS);
    ck_assert_int_le(low.size, BVPI_SUM_LIMBS);
}
END_TEST

START_TEST(doubles_are_taken_exactly)
{
    static bvpi_big r;
    mpq_t sum, t, u;
    mpz_t z;
    mpq_inits(sum, t, u, NULL);
    mpz_init(z);
    case_seed(16);
    for (int i = 0; i < 5000; i++) {
        double v[6];
        int unit = -2300;
        for (int k = 0; k < 6; k++)
            v[k] = ldexp(case_unit(), case_int(k % 2 ? 270 : 2000) - (k % 2 ? 140 : 1030));
        bvpi_big_zero(&r);
        mpq_set_ui(sum, 0, 1);
        for (int k = 0; k < 6; k += 2) {
            bvpi_big_add_product(&r, v[k], v[k + 1], unit);
            mpq_set_d(t, v[k]);
            mpq_set_d(u, v[k + 1]);
            mpq_mul(t, t, u);
            mpq_add(sum, sum, t);
        }
        mpq_mul_2exp(sum, sum, (mp_bitcnt_t)-unit);
        mpz_set_q(z, sum);
        assert_equal(&r, z);
        if (r.size != 0) {
            long e;
            double top = mpz_get_d_2exp(&e, z), got = bvpi_big_to_double(&r, (int)e);
            ck_assert_double_eq_tol(got, top, 0x1.1p-53);
        }
    }
    mpq_clears(sum, t, u, NULL);
    mpz_clear(z);
}
END_TEST

START_TEST(lowest_exponents)
{
    ck_assert_int_eq(bvpi_lowest_exponent(0), INT_MAX);
    ck_assert_int_eq(bvpi_lowest_exponent(1), 0);
    ck_assert_int_eq(bvpi_lowest_exponent(-12), 2);
    ck_assert_int_eq(bvpi_lowest_exponent(0x1.8p-10), -11);
    ck_assert_int_eq(bvpi_lowest_exponent(0x1p-1074), -1074);
    ck_assert_int_eq(bvpi_lowest_exponent(0x1.fffffffffffffp1023), 971);
}
END_TEST

SUITE(test_big)
{
    const TTest *const tests[] = {arithmetic_equals_gmp,
                                  differences_of_sums_equal_gmp,
                                  sums_hold_the_widest_coordinates,
                                  doubles_are_taken_exactly,
                                  lowest_exponents,
                                  NULL};
    return run_suite("big", tests);
}
