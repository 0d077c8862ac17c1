/* SPDX-License-Identifier: MIT
 * axis_codes.c: finds the narrowest lossless code for the coordinates of one axis of a cluster.
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
 * Slow twin: every packing decodes to the same bits and the narrowest is chosen,
 * tests/unit/test_pack.c; the decoder bit by bit, test_cluster.c.
 * Spec: format.md, chapter "Cluster records"
 * Measured: decisions.md, "Bytes", "Building"
 */
#include "pack/mesh/axis_codes.h"

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

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A float's rank among all floats in ascending order, -0 before 0. */
static uint32_t rank_of(float value)
{
    uint32_t bits = bits_of(value);
    return bits >> 31 ? ~bits : bits | UINT32_C(0x80000000);
}

/* What one pass over the values finds. */
typedef struct summary {
    float lo, hi;
    uint32_t lo_rank, hi_rank;
    int exponent;           /* all values are multiples of 2^exponent */
    bool has_negative_zero; /* no multiple of a step decodes to -0 */
} summary;

static float value_of_rank(uint32_t rank)
{
    const uint32_t bits = rank >> 31 ? rank & 0x7fffffff : ~rank;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static summary summarise(const float *values, uint32_t count)
{
    summary s = {.lo_rank = UINT32_MAX, .exponent = BINARY_MOST - BINARY_ZERO};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rank = rank_of(values[i]);
        /* the largest e such that the value is a multiple of 2^e; for 0, larger than any useful e;
         * without branches */
        const uint32_t bits = bits_of(values[i]);
        const uint32_t biased = bits >> 23 & 255, is_normal = biased != 0;
        const uint32_t mantissa = (bits & 0x7fffff) | is_normal << 23;
        const int found = (int)(biased - is_normal) - 149 + __builtin_ctz(mantissa | 1u << 24);
        const int exponent = mantissa != 0 ? found : INT32_MAX;
        s.lo_rank = rank < s.lo_rank ? rank : s.lo_rank;
        s.hi_rank = rank > s.hi_rank ? rank : s.hi_rank;
        s.exponent = exponent < s.exponent ? exponent : s.exponent;
        s.has_negative_zero |= bits == UINT32_C(0x80000000);
    }
    assert(s.lo_rank <= s.hi_rank); /* there is a value */
    s.lo = value_of_rank(s.lo_rank);
    s.hi = value_of_rank(s.hi_rank);
    return s;
}

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

void bvpi_pack_fields(const float *values, uint32_t count, const bvpi_packing *packing,
                      uint32_t *fields)
{
    const double inverse = packing->mode == BVPD_GRID ? inverse_of(packing->scale) : 0;
    for (uint32_t i = 0; i < count; i++)
        if (packing->mode == BVPD_GRID)
            fields[i] = (uint32_t)(int32_t)nearest((double)values[i] * inverse) - packing->base;
        else if (packing->mode == BVPD_ORDERED)
            fields[i] = rank_of(values[i]) - packing->base;
        else
            fields[i] = bits_of(values[i]);
}

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

void bvpi_pack_axis(const float *values, uint32_t count, bool raw, bvpi_packed_axis *out)
{
    out->packing = (bvpi_packing){.mode = BVPD_RAW, .width = 32};
    if (!raw)
        bvpi_pack_choose(values, count, &out->packing);
    bvpi_pack_fields(values, count, &out->packing, out->fields);
    out->field_width = out->packing.width;
    out->table_count = 0;
    if (!raw)
        try_table(count, out);
}
