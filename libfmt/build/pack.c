/* SPDX-License-Identifier: MIT
 * pack.c: tries decimal steps, a power-of-two step and the order of floats; raw bits always work.
 * Spec: format.md, chapter "Cluster records".
 */
#include "build/pack.h"

#include "node/grid.h"
#include "node/cluster.h"

enum {
    WIDTH_MAX = 25, /* a coordinate is decoded by one unaligned 32-bit load */
    DECIMAL_COUNT = 16,
    BINARY_ZERO = 128, /* code of the step 2^0 */
    BINARY_LEAST = 64,
    BINARY_MOST = 191
};

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Rank among all floats. */
static uint32_t rank_of(float value)
{
    uint32_t bits = bits_of(value);
    return bits >> 31 ? ~bits : bits | UINT32_C(0x80000000);
}

/* What one pass over the numbers tells. */
typedef struct summary {
    float lo, hi;
    uint32_t lo_rank, hi_rank;
    int exponent;           /* all are multiples of 2^exponent */
    bool has_negative_zero; /* no multiple of a step decodes to it */
} summary;

/* The largest e such that value != 0 is a multiple of 2^e. */
static int exponent_of(float value)
{
    const uint32_t bits = bits_of(value);
    const int biased = bits >> 23 & 255;
    const uint32_t mantissa = (bits & 0x7fffff) | (biased > 0 ? 0x800000 : 0);
    return (biased > 0 ? biased : 1) - 150 + __builtin_ctz(mantissa);
}

static summary summarise(const float *values, uint32_t count)
{
    summary s = {.lo_rank = UINT32_MAX, .exponent = BINARY_MOST - BINARY_ZERO};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rank = rank_of(values[i]);
        if (rank < s.lo_rank) {
            s.lo_rank = rank;
            s.lo = values[i];
        }
        if (i == 0 || rank > s.hi_rank) {
            s.hi_rank = rank;
            s.hi = values[i];
        }
        if (values[i] != 0) {
            const int exponent = exponent_of(values[i]);
            s.exponent = exponent < s.exponent ? exponent : s.exponent;
        } else
            s.has_negative_zero |= bits_of(values[i]) != 0;
    }
    return s;
}

static double nearest(double x)
{
    return bvpi_floor(x + 0.5);
}

/* Width of the range lo .. hi in steps; false when a number of steps is no 32-bit integer. */
static bool steps_width(double lo, double hi, unsigned *width, uint32_t *base)
{
    if (!(lo >= INT32_MIN) || !(hi <= INT32_MAX))
        return false;
    *base = (uint32_t)(int32_t)lo;
    *width = bvpi_bit_width((uint32_t)((int64_t)hi - (int64_t)lo));
    return true;
}

static double inverse_of(uint8_t code)
{
    static const double powers[DECIMAL_COUNT] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    if (code < DECIMAL_COUNT)
        return powers[code];
    return 1 / bvpi_cluster_step(code); /* exact */
}

static bool decodes(const float *values, uint32_t count, uint8_t code)
{
    const double step = bvpi_cluster_step(code), inverse = inverse_of(code);
    for (uint32_t i = 0; i < count; i++) {
        const double steps = nearest((double)values[i] * inverse);
        if (bits_of((float)(steps * step)) != bits_of(values[i]))
            return false;
    }
    return true;
}

static void try_binary(const float *values, uint32_t count, const summary *s, bvpi_packing *best)
{
    const int code = s->exponent + BINARY_ZERO;
    unsigned width;
    uint32_t base;
    if (code < BINARY_LEAST)
        return;
    const double inverse = inverse_of((uint8_t)code);
    if (steps_width(s->lo * inverse, s->hi * inverse, &width, &base) && width < best->width &&
        decodes(values, count, (uint8_t)code))
        *best = (bvpi_packing){BVPD_GRID, (uint8_t)width, (uint8_t)code, base};
}

static void try_decimal(const float *values, uint32_t count, const summary *s, bvpi_packing *best)
{
    for (uint8_t code = 0; code < DECIMAL_COUNT; code++) {
        const double inverse = inverse_of(code);
        unsigned width;
        uint32_t base;
        if (!steps_width(nearest(s->lo * inverse), nearest(s->hi * inverse), &width, &base) ||
            width >= best->width)
            return;
        if (decodes(values, count, code)) {
            *best = (bvpi_packing){BVPD_GRID, (uint8_t)width, code, base};
            return;
        }
    }
}

void bvpi_pack_choose(const float *values, uint32_t count, bvpi_packing *out)
{
    const summary s = summarise(values, count);
    const unsigned width = bvpi_bit_width(s.hi_rank - s.lo_rank);
    bvpi_packing best = {BVPD_RAW, WIDTH_MAX + 1, 0, 0};
    if (width <= WIDTH_MAX)
        best = (bvpi_packing){BVPD_ORDERED, (uint8_t)width, 0, s.lo_rank};
    if (!s.has_negative_zero) {
        try_binary(values, count, &s, &best);
        try_decimal(values, count, &s, &best);
    }
    if (best.mode == BVPD_RAW)
        best.width = 32;
    *out = best;
}

void bvpi_put_bits(uint8_t *stream, uint32_t idx, unsigned width, uint32_t value)
{
    const uint64_t bit = (uint64_t)idx * width;
    uint8_t *p = stream + bit / 8;
    uint64_t word = (uint64_t)value << (bit % 8);
    for (; word != 0; word >>= 8)
        *p++ |= (uint8_t)word;
}

void bvpi_pack_write(const float *values, uint32_t count, const bvpi_packing *packing, uint8_t *out)
{
    const double inverse = packing->mode == BVPD_GRID ? inverse_of(packing->scale) : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t field = bits_of(values[i]);
        if (packing->mode == BVPD_ORDERED)
            field = rank_of(values[i]);
        else if (packing->mode == BVPD_GRID)
            field = (uint32_t)(int32_t)nearest((double)values[i] * inverse);
        bvpi_put_bits(out, i, packing->width, field - packing->base);
    }
}
