/* SPDX-License-Identifier: MIT
 * big.c: sign-magnitude integers of up to 248 words, with schoolbook arithmetic.
 *
 * The last step of the exact stages in points.c, tri_box.c, tri_ball.c and tri_dist_exact.c. Memory
 * has a fixed size, so queries need no allocator. The capacity suffices for every polynomial that
 * is evaluated (big.h), so nothing here overflows or fails. Time depends on the value, not on the
 * capacity: limbs from `size` on are never touched.
 *
 * Invariants of a bvpi_big: sign is 0 exactly if size is 0, and limb[size - 1] is not 0. trim()
 * restores them after an operation that may cancel.
 *
 * Slow twin: GMP, on random sizes with runs of zeros and ones that carry far,
 * tests/unit/test_big.c.
 * Spec: exactness.md, chapter 4
 */
#include "prim/big.h"

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

/* |out| = |a| + |b|. a must have at least as many limbs as b. */
static void add_magnitudes(bvpi_big *out, const bvpi_big *a, const bvpi_big *b)
{
    int size = a->size;
    u128 carry = 0;
    for (int i = 0; i < size; i++) {
        carry += (u128)a->limb[i] + (i < b->size ? b->limb[i] : 0);
        out->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    if (carry != 0)
        out->limb[size++] = (uint64_t)carry;
    out->size = size;
}

/* |out| = |a| - |b|. Needs |a| >= |b|. The result may have leading zeros. */
static void sub_magnitudes(bvpi_big *out, const bvpi_big *a, const bvpi_big *b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < a->size; i++) {
        u128 d = (u128)a->limb[i] - (i < b->size ? b->limb[i] : 0) - borrow;
        out->limb[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    out->size = a->size;
}

/* out = a + sign * b */
static void add_signed(bvpi_big *out, const bvpi_big *a, const bvpi_big *b, int sign)
{
    int b_sign = b->sign * sign;
    if (b_sign == 0) {
        copy(out, a, a->sign);
    } else if (a->sign == 0) {
        copy(out, b, b_sign);
    } else if (a->sign == b_sign) {
        bool longer = a->size >= b->size;
        add_magnitudes(out, longer ? a : b, longer ? b : a);
        out->sign = b_sign;
    } else {
        bool larger = compare_magnitudes(a, b) >= 0;
        int out_sign = larger ? a->sign : b_sign;
        sub_magnitudes(out, larger ? a : b, larger ? b : a);
        out->sign = out_sign;
        trim(out);
    }
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
    out->sign = sign;
    out->size = sign == 0 ? 0 : size_a + size_b;
    memset(out->limb, 0, (size_t)out->size * sizeof out->limb[0]);
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
    return a->size == 0 ? 0 : 64 * a->size - __builtin_clzll(a->limb[a->size - 1]);
}

double bvpi_big_to_double(const bvpi_big *a, int shift)
{
    if (a->size == 0)
        return 0;
    int zeros = __builtin_clzll(a->limb[a->size - 1]);
    uint64_t top = a->limb[a->size - 1] << zeros;
    if (zeros != 0 && a->size > 1)
        top |= a->limb[a->size - 2] >> (64 - zeros);
    return a->sign * ldexp((double)top, bvpi_big_bits(a) - 64 - shift);
}
