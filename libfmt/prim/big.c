/* SPDX-License-Identifier: MIT
 * big.c: sign-magnitude integers of up to 248 words, with schoolbook arithmetic.
 *
 * The last step of the exact stages in points.c, tri_box.c, tri_ball.c and tri_dist_exact.c. Memory
 * has a fixed size, so queries need no allocator. The capacity suffices for every polynomial that
 * is evaluated (big.h), so nothing here overflows or fails; asserts state that. Time depends on the
 * value, not on the capacity: limbs from `size` on are never touched.
 *
 * Invariants of a bvpi_big: sign is 0 exactly if size is 0, and limb[size - 1] is not 0. trim()
 * restores them after an operation that may cancel.
 *
 * Slow twin: GMP, on random sizes with runs of zeros and ones that carry far,
 * tests/unit/test_big.c.
 * Spec: exactness.md, chapter 4
 */
#include "prim/big.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>

typedef unsigned __int128 u128;

int bvpi_lowest_exponent(double x)
{
    int exponent;
    if (x == 0)
        return INT_MAX;
    bvpi_split_double(x, &exponent);
    return exponent;
}

void bvpi_big_zero(bvpi_big *out)
{
    out->sign = out->size = 0;
}

static void copy(bvpi_big *out, const bvpi_big *a, int sign)
{
    out->sign = sign;
    out->size = a->size;
    memmove(out->limb, a->limb, (size_t)a->size * sizeof a->limb[0]);
}

static void trim(bvpi_big *a)
{
    while (a->size > 0 && a->limb[a->size - 1] == 0)
        a->size--;
    if (a->size == 0)
        a->sign = 0;
}

static int compare_magnitudes(const bvpi_big *a, const bvpi_big *b)
{
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    for (int i = a->size - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* out = a + sign * b. out may be a or b: a limb is written after both limbs of its place were read,
 * and out's sign and size last. */
static void add_signed(bvpi_big *out, const bvpi_big *a, const bvpi_big *b, int sign)
{
    const int a_sign = a->sign, b_sign = b->sign * sign;
    if (b_sign == 0) {
        copy(out, a, a_sign);
        return;
    }
    if (a_sign == 0) {
        copy(out, b, b_sign);
        return;
    }
    const bool is_sum = a_sign == b_sign;
    const bool a_leads = is_sum ? a->size >= b->size : compare_magnitudes(a, b) >= 0;
    const bvpi_big *most = a_leads ? a : b, *least = a_leads ? b : a;
    const int least_size = least->size;
    int size = most->size;
    assert(least_size <= size);
    if (is_sum) {
        u128 carry = 0;
        for (int i = 0; i < size; i++) {
            carry += (u128)most->limb[i] + (i < least_size ? least->limb[i] : 0);
            out->limb[i] = (uint64_t)carry;
            carry >>= 64;
        }
        assert(carry <= 1 && (carry == 0 || size < BVPI_BIG_LIMBS));
        if (carry != 0)
            out->limb[size++] = (uint64_t)carry;
    } else {
        uint64_t borrow = 0;
        for (int i = 0; i < size; i++) {
            const u128 d = (u128)most->limb[i] - (i < least_size ? least->limb[i] : 0) - borrow;
            out->limb[i] = (uint64_t)d;
            borrow = (uint64_t)(d >> 64) & 1;
        }
        assert(borrow == 0); /* |most| >= |least| */
    }
    out->size = size;
    out->sign = a_leads ? a_sign : b_sign;
    if (!is_sum)
        trim(out);
}

void bvpi_big_add(bvpi_big *out, const bvpi_big *a, const bvpi_big *b)
{
    add_signed(out, a, b, 1);
}

void bvpi_big_sub(bvpi_big *out, const bvpi_big *a, const bvpi_big *b)
{
    add_signed(out, a, b, -1);
}

static void multiply(bvpi_big *out, int sign, const uint64_t *a, int size_a, const uint64_t *b,
                     int size_b)
{
    assert(out->limb != a && out->limb != b);
    assert(sign == 0 || size_a + size_b <= BVPI_BIG_LIMBS);
    out->sign = sign;
    out->size = sign == 0 ? 0 : size_a + size_b;
    memset(out->limb, 0, (size_t)out->size * sizeof out->limb[0]);
    /* schoolbook: a limb of a times all of b, added one limb higher each time. A product of limbs,
     * a limb and a carry fit 128 bits: (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1. */
    for (int i = 0; i < size_a && out->size != 0; i++) {
        u128 carry = 0;
        for (int j = 0; j < size_b; j++) {
            carry += (u128)a[i] * b[j] + out->limb[i + j];
            out->limb[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
        out->limb[i + size_b] = (uint64_t)carry;
    }
    trim(out);
}

void bvpi_big_mul(bvpi_big *out, const bvpi_big *a, const bvpi_big *b)
{
    multiply(out, a->sign * b->sign, a->limb, a->size, b->limb, b->size);
}

void bvpi_big_mul_sums(bvpi_big *out, const bvpi_big_sum *a, const bvpi_big_sum *b)
{
    multiply(out, a->sign * b->sign, a->limb, a->size, b->limb, b->size);
}

void bvpi_big_mul_sum(bvpi_big *out, const bvpi_big *a, const bvpi_big_sum *b)
{
    multiply(out, a->sign * b->sign, a->limb, a->size, b->limb, b->size);
}

void bvpi_big_minor(bvpi_big *out, const bvpi_big *a, const bvpi_big *b, const bvpi_big *c,
                    const bvpi_big *d)
{
    bvpi_big right;
    bvpi_big_mul(out, a, b);
    bvpi_big_mul(&right, c, d);
    bvpi_big_sub(out, out, &right);
}

void bvpi_big_add_product(bvpi_big *out, double a, double b, int unit)
{
    int ea, eb;
    if (a == 0 || b == 0)
        return;
    __int128 product = (__int128)bvpi_split_double(a, &ea) * bvpi_split_double(b, &eb);
    u128 magnitude = product < 0 ? -(u128)product : (u128)product;
    int shift = ea + eb - unit, words = shift / 64, bits = shift % 64;
    assert(shift >= 0 && words + 3 <= BVPI_BIG_LIMBS);
    /* the magnitude, below 2^106, lies in up to three limbs from number `words` on */
    bvpi_big term;
    term.sign = product < 0 ? -1 : 1;
    term.size = words + 3;
    memset(term.limb, 0, (size_t)words * sizeof term.limb[0]);
    term.limb[words] = (uint64_t)magnitude << bits;
    term.limb[words + 1] = (uint64_t)((magnitude << bits) >> 64);
    term.limb[words + 2] = bits == 0 ? 0 : (uint64_t)(magnitude >> 64 >> (64 - bits));
    trim(&term);
    bvpi_big_add(out, out, &term);
}

void bvpi_big_to_sum(bvpi_big_sum *out, const bvpi_big *a)
{
    assert(a->size <= BVPI_SUM_LIMBS);
    out->sign = a->sign;
    out->size = a->size;
    memcpy(out->limb, a->limb, (size_t)a->size * sizeof a->limb[0]);
}

void bvpi_big_of_sum(bvpi_big *out, const bvpi_big_sum *a)
{
    out->sign = a->sign;
    out->size = a->size;
    memcpy(out->limb, a->limb, (size_t)a->size * sizeof a->limb[0]);
}

void bvpi_big_sub_sums(bvpi_big *out, const bvpi_big_sum *a, const bvpi_big_sum *b)
{
    bvpi_big right;
    bvpi_big_of_sum(out, a);
    bvpi_big_of_sum(&right, b);
    bvpi_big_sub(out, out, &right);
}

int bvpi_big_bits(const bvpi_big *a)
{
    assert(a->size == 0 || a->limb[a->size - 1] != 0);
    return a->size == 0 ? 0 : 64 * a->size - __builtin_clzll(a->limb[a->size - 1]);
}

double bvpi_big_to_double(const bvpi_big *a, int shift)
{
    if (a->size == 0)
        return 0;
    /* the highest 64 bits; those below them, cut off, are worth less than 2^-63 of the value */
    int zeros = __builtin_clzll(a->limb[a->size - 1]);
    uint64_t top = a->limb[a->size - 1] << zeros;
    if (zeros != 0 && a->size > 1)
        top |= a->limb[a->size - 2] >> (64 - zeros);
    return a->sign * ldexp((double)top, bvpi_big_bits(a) - 64 - shift);
}
