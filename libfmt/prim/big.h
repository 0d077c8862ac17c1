/* SPDX-License-Identifier: MIT
 * big.h: integers wide enough for every exact decision, in memory of fixed size.
 *
 * A sum of products of finite doubles and floats has at most 2400 bits. The largest polynomial that
 * is decided has degree six in such sums (tri_ball.c, tri_dist_exact.c): 14,400 bits, which 248
 * words hold.
 * Spec: exactness.md, chapter 4
 */
#ifndef BVPI_PRIM_BIG_H
#define BVPI_PRIM_BIG_H

#include <stdint.h>
#include <string.h>

#define BVPI_BIG_LIMBS 248
#define BVPI_SUM_LIMBS 38

/* sign * (limb[0] + limb[1] 2^64 + ...); sign is -1, 0 or 1; the last limb is not zero. Limbs from
 * `size` on are never read, so an operation costs what its values need. */
typedef struct bvpi_big {
    int sign, size;
    uint64_t limb[BVPI_BIG_LIMBS];
} bvpi_big;

/* A value of degree one, that is a sum of products of doubles and floats or the difference of two:
 * a sixth of the size. */
typedef struct bvpi_big_sum {
    int sign, size;
    uint64_t limb[BVPI_SUM_LIMBS];
} bvpi_big_sum;

/* x = mantissa * 2^*exponent with an odd mantissa; x finite, not 0. */
static inline int64_t bvpi_split_double(double x, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int biased = (int)(bits >> 52) & 0x7ff;
    uint64_t m = bits & (((uint64_t)1 << 52) - 1);
    if (biased != 0)
        m |= (uint64_t)1 << 52;
    else
        biased = 1;
    int zeros = __builtin_ctzll(m);
    *exponent = biased - 1075 + zeros;
    return x < 0 ? -(int64_t)(m >> zeros) : (int64_t)(m >> zeros);
}

/* The exponent of the lowest set bit of a finite x; INT_MAX for 0. */
int bvpi_lowest_exponent(double x);

void bvpi_big_zero(bvpi_big *out);
/* out += a * b * 2^-unit, for finite a and b. unit must not be above the sum of their lowest
 * exponents, so that the result is an integer. */
void bvpi_big_add_product(bvpi_big *out, double a, double b, int unit);
/* out may be a or b. */
void bvpi_big_add(bvpi_big *out, const bvpi_big *a, const bvpi_big *b);
void bvpi_big_sub(bvpi_big *out, const bvpi_big *a, const bvpi_big *b);
/* out must not be a or b. */
void bvpi_big_mul(bvpi_big *out, const bvpi_big *a, const bvpi_big *b);
/* The same with factors of degree one. */
void bvpi_big_mul_sums(bvpi_big *out, const bvpi_big_sum *a, const bvpi_big_sum *b);
void bvpi_big_mul_sum(bvpi_big *out, const bvpi_big *a, const bvpi_big_sum *b);
/* out = a b - c d. */
void bvpi_big_minor(bvpi_big *out, const bvpi_big *a, const bvpi_big *b, const bvpi_big *c,
                    const bvpi_big *d);
/* `a` must have degree one. */
void bvpi_big_to_sum(bvpi_big_sum *out, const bvpi_big *a);
void bvpi_big_of_sum(bvpi_big *out, const bvpi_big_sum *a);
/* out = a - b. */
void bvpi_big_sub_sums(bvpi_big *out, const bvpi_big_sum *a, const bvpi_big_sum *b);
/* Number of bits of |a|; 0 for 0. */
int bvpi_big_bits(const bvpi_big *a);
/* a * 2^-shift, with a relative error of 1.01 * 2^-53 unless it underflows. */
double bvpi_big_to_double(const bvpi_big *a, int shift);

#endif
