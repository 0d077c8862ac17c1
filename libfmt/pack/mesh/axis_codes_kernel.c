/* SPDX-License-Identifier: MIT
 * axis_codes_kernel.c: finds the narrowest lossless code for the coordinates of one axis of a
 * cluster; compiled once for each instruction set.
 *
 * Candidates, each decoding to exactly the given float bits:
 * - ORDERED: a float's rank among all floats, minus the smallest rank: always exact;
 * - GRID with a power of two as step: the largest that divides all values;
 * - GRID with a decimal step, 10^-code;
 * - RAW: 32 bits, if nothing else is narrow enough for one unaligned 32-bit load.
 * A GRID candidate is decoded again and compared bit by bit before it is accepted, with the formula
 * that readers use. So rounding can make a code wider, but never wrong.
 *
 * After that, a table of the different codes replaces them if table and indices together are
 * smaller: parts repeat their coordinates.
 *
 * Eight values are looked at at once. Behind the last one stand copies of it, which change nothing:
 * neither the least and the largest rank, nor what divides all, nor whether all decode.
 *
 * Slow twin: every packing decodes to the same bits and the narrowest is chosen,
 * tests/unit/test_pack.c; the decoder bit by bit, test_cluster.c.
 * Spec: format.md, chapter "Cluster records"
 * Measured: decisions.md, "The time of packing"
 */
#include "pack/mesh/axis_codes_kernel.h"

#include "base/isa.h"
#include "base/simd.h"
#include "node/grid.h"
#include "node/cluster_record.h"

#include <assert.h>

enum {
    WIDTH_MAX = 25, /* a coordinate is decoded from one unaligned 32-bit load */
    DECIMAL_COUNT = 16,
    BINARY_ZERO = 128, /* code of the step 1 */
    BINARY_LEAST = 64,
    BINARY_MOST = 191,
    TABLE_MAX = 255,
    TABLE_SLOTS = 512
};

/* ---- what the values have in common ---------------------------------------------------------- */

/* A float's rank among all floats in ascending order, -0 before 0, less 2^31: as a signed number.
 * The same turns a rank back into a float. */
static inline i32x8 rank_of(i32x8 bits)
{
    return bits ^ (bits >> 31 & INT32_MAX);
}

/* What one pass over the values finds. */
typedef struct summary {
    float lo, hi;
    uint32_t lo_rank, hi_rank;
    int exponent;           /* all values are multiples of 2^exponent */
    bool has_negative_zero; /* no multiple of a step decodes to -0 */
} summary;

/* The largest e such that each value is a multiple of 2^e; for 0, larger than any useful e. */
static inline i32x8 exponent_of(i32x8 bits)
{
    const i32x8 zero = {0}, one = i32x8_splat(1);
    const i32x8 biased = bits >> 23 & 255;
    const i32x8 is_normal = ~i32x8_eq(biased, zero);
    const i32x8 mantissa = (bits & 0x7fffff) | (is_normal & one << 23);
    /* the lowest bit that is set, as a float, has its number as its exponent */
    const i32x8 lowest = (i32x8)f32x8_from_i32(mantissa & -mantissa) >> 23;
    return i32x8_select(i32x8_eq(mantissa, zero), i32x8_splat(INT32_MAX),
                        biased + is_normal + lowest - (149 + 127));
}

static inline float float_of_rank(int32_t rank)
{
    const uint32_t bits = (uint32_t)(rank ^ (rank >> 31 & INT32_MAX));
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline summary summarise(const float *values, uint32_t count)
{
    const i32x8 negative_zero = i32x8_splat(INT32_MIN);
    i32x8 lo = i32x8_splat(INT32_MAX), hi = i32x8_splat(INT32_MIN), found = {0};
    i32x8 exponent = i32x8_splat(BINARY_MOST - BINARY_ZERO);
    assert(count > 0);
    for (uint32_t i = 0; i < count; i += 8) {
        const i32x8 bits = (i32x8)f32x8_load(values + i), rank = rank_of(bits);
        lo = i32x8_min(lo, rank);
        hi = i32x8_max(hi, rank);
        exponent = i32x8_min(exponent, exponent_of(bits));
        found |= i32x8_eq(bits, negative_zero);
    }
    int32_t least = lo[0], most = hi[0], step = exponent[0];
    for (int k = 1; k < 8; k++) {
        least = lo[k] < least ? lo[k] : least;
        most = hi[k] > most ? hi[k] : most;
        step = exponent[k] < step ? exponent[k] : step;
    }
    return (summary){.lo = float_of_rank(least),
                     .hi = float_of_rank(most),
                     .lo_rank = (uint32_t)least ^ UINT32_C(0x80000000),
                     .hi_rank = (uint32_t)most ^ UINT32_C(0x80000000),
                     .exponent = step,
                     .has_negative_zero = i32x8_movemask(found) != 0};
}

/* ---- candidates ------------------------------------------------------------------------------ */

static double nearest(double x)
{
    return bvpi_floor(x + 0.5);
}

/* The width of the range lo .. hi in steps. False if a number of steps is not a 32-bit integer. */
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

/* nearest() of each lane. */
static inline f64x4 nearest4(f64x4 x)
{
    const f64x4 one = {1, 1, 1, 1}, rounded = (x + 0.5 + BVPI_ROUNDER) - BVPI_ROUNDER;
    return rounded - (f64x4)((i64x4)one & f64x4_gt(rounded, x + 0.5));
}

/* Four of the values in steps. */
static inline f64x4 steps_of(const float *values, double inverse)
{
    bvpi_f32x4 four;
    memcpy(&four, values, sizeof four);
    return nearest4(bvpi_f64x4_from_f32x4(four) * inverse);
}

static inline bool decodes(const float *values, uint32_t count, uint8_t code)
{
    const double step = bvpi_cluster_step(code), inverse = inverse_of(code);
    for (uint32_t i = 0; i < count; i += 8) {
        bvpi_halves decoded;
        for (uint32_t h = 0; h < 2; h++)
            decoded.f32_half[h] =
                __builtin_convertvector(steps_of(values + i + 4 * h, inverse) * step, bvpi_f32x4);
        if (i32x8_movemask(i32x8_eq(decoded.i32, (i32x8)f32x8_load(values + i))) != 255)
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

static void choose(const float *values, uint32_t count, bvpi_packing *out)
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

/* ---- fields ---------------------------------------------------------------------------------- */

static void fill_fields(const float *values, uint32_t count, const bvpi_packing *packing,
                        uint32_t *fields)
{
    const double inverse = packing->mode == BVPD_GRID ? inverse_of(packing->scale) : 0;
    const uint32_t base = packing->mode == BVPD_RAW ? 0 : packing->base;
    const uint32_t flip = packing->mode == BVPD_ORDERED ? UINT32_C(0x80000000) : 0;
    for (uint32_t i = 0; i < count; i += 8) {
        bvpi_halves field = {.f32 = f32x8_load(values + i)};
        if (packing->mode == BVPD_ORDERED)
            field.i32 = rank_of(field.i32);
        else if (packing->mode == BVPD_GRID)
            for (uint32_t h = 0; h < 2; h++)
                field.i32_half[h] =
                    __builtin_convertvector(steps_of(values + i + 4 * h, inverse), bvpi_i32x4);
        u32x8_store(fields + i, ((u32x8)field.i32 ^ flip) - base);
    }
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Lists the different values of `fields` in order of first use, and for each field its index in
 * that list. Returns their number, or most + 1 (most < 256) if there are more. */
static uint32_t find_table(const uint32_t *fields, uint32_t count, uint32_t most, uint32_t *table,
                           uint8_t *numbers)
{
    uint16_t slots[TABLE_SLOTS] = {0}; /* index + 1, by hash of the field */
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (fields[i] * UINT32_C(2654435761)) >> 23;
        while (slots[at] != 0 && table[slots[at] - 1] != fields[i])
            at = (at + 1) % TABLE_SLOTS;
        if (slots[at] == 0) {
            if (found == most)
                return most + 1;
            table[found] = fields[i];
            slots[at] = (uint16_t)++found;
        }
        numbers[i] = (uint8_t)(slots[at] - 1);
    }
    return found;
}

/* Uses a table of the different fields if it and the indices into it are smaller. */
static void try_table(uint32_t count, bvpi_packed_axis *out)
{
    uint32_t table[256];
    uint8_t numbers[256];
    /* the largest table that takes less space than the coordinates, or 0 */
    const uint32_t plain = out->packing.width;
    uint32_t most = 0;
    for (uint32_t bits = 1; bits <= 8 && count * bits + 8 < count * plain; bits++) {
        const uint32_t paid = (count * (plain - bits) - 9) / plain, told = 1u << bits;
        const uint32_t size = paid < told ? paid : told;
        most = size > most ? size : most;
    }
    most = most < TABLE_MAX ? most : TABLE_MAX;
    const uint32_t found = find_table(out->fields, count, most, table, numbers);
    const unsigned width = bvpi_bit_width(found - 1);
    if (found < 2 || found > most || count * width + found * plain + 8 >= count * plain)
        return;
    assert(width < plain && found <= TABLE_MAX);
    out->table_count = found;
    out->field_width = width;
    for (uint32_t i = 0; i < found; i++)
        out->table[i] = table[i];
    for (uint32_t i = 0; i < count; i++)
        out->fields[i] = numbers[i];
}

static void pack(float *values, uint32_t count, bool raw, bvpi_packed_axis *out)
{
    assert(count > 0 && count <= BVPD_CLUSTER_VERTICES);
    for (uint32_t i = count; i % 8 != 0; i++)
        values[i] = values[count - 1];
    out->packing = (bvpi_packing){.mode = BVPD_RAW, .width = 32};
    if (!raw)
        choose(values, count, &out->packing);
    fill_fields(values, count, &out->packing, out->fields);
    out->field_width = out->packing.width;
    out->table_count = 0;
    if (!raw)
        try_table(count, out);
}

const bvpi_axis_kernel BVPI_ISA_NAME(bvpi_axis_kernel) = {pack};
