/* SPDX-License-Identifier: MIT
 * points_of_triangles.c: the corners of two placed triangles as integers of one to three words.
 *
 * A placed coordinate is a sum of at most four products of a double and a float. Written as
 * mantissa * 2^low each, the products are integers in the unit of the lowest bit among them. For
 * triangles of ordinary assemblies these integers are short, so exact determinants take a handful
 * of word operations instead of big integers.
 *
 * Two ways lead there:
 * - place_aligned(), if both placements only permute and mirror axes and translate, as for most
 *   parts of an assembly: a coordinate is then a float plus a translation, no products. One word if
 *   all values fit 2^58, else two.
 * - the general way: `span` records the lowest and highest exponent of all terms on each axis; the
 *   difference tells how many words are enough (2 up to 122 bits, 3 up to 186), and place() adds
 *   the shifted products.
 *
 * Invariants: terms are below 2^58, 2^122 or 2^186 units for widths of one, two and three words. A
 * coordinate is a sum of at most four of them and is then subtracted from another, so it stays
 * below the sign bit; minors and determinants fit twice and three times the words (chapter 4). Each
 * axis has its own unit, the same for both triangles.
 *
 * If the words do not suffice the caller uses big integers (points.c), which give the same signs.
 *
 * Slow twin: GMP for the coordinates, bvpi_points_init() for the signs; tests/unit/test_points.c.
 * Spec: exactness.md, chapter 4
 * Measured: decisions.md, "The exact stage where faces are flush"
 */
#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "base/dd.h"
#include "prim/points.h"
#include "prim/words.h"

#define FAR         0x10000 /* larger than any exponent or sum of two */
#define FLOAT_HIGH  128     /* every finite float is below 2^128 */
#define DOUBLE_HIGH 1024

/* The number mantissa * 2^low. */
typedef struct dyadic {
    int64_t mantissa;
    int low;
} dyadic;

/* The exponents of a set of numbers, zeros left out: each is a multiple of 2^low and below
 * 2^high. */
typedef struct span {
    int low, high;
} span;

typedef struct placed {
    dyadic row[3][4], corner[3][3];
    span entry[3][4],
        axis[3]; /* exponents of single entries, and of all corners' coordinates on an axis */
    bool is_finite;
} placed;

static const double IDENTITY[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
static const span NOTHING = {FAR, -FAR};

BVPI_INLINE void widen(span *s, span by)
{
    s->low = by.low < s->low ? by.low : s->low;
    s->high = by.high > s->high ? by.high : s->high;
}

/* Splits a float and widens the span by its exponents. */
BVPI_INLINE dyadic take_float(float x, span *s)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int biased = (int)(bits >> 23) & 0xff;
    int32_t m = (int32_t)(bits & 0x7fffff) | (biased != 0) << 23, exponent = biased | (biased == 0);
    if (m == 0)
        return (dyadic){0, 0};
    const int zeros = __builtin_ctz((unsigned)m), low = exponent - 150 + zeros;
    widen(s, (span){low, exponent - 126});
    return (dyadic){(x < 0 ? -m : m) >> zeros, low};
}

BVPI_INLINE dyadic take_double(double x, span *s)
{
    dyadic out = {0, 0};
    if (x == 0)
        return out;
    out.mantissa = bvpi_split_double(x, &out.low);
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int biased = (int)(bits >> 52) & 0x7ff;
    widen(s, (span){out.low, biased - 1022 + (biased == 0)});
    return out;
}

static void take_triangle(placed *out, const float tri[9], const double *m)
{
    const double *row = m ? m : IDENTITY;
    out->is_finite = true;
    for (int i = 0; i < 12; i++) {
        span *s = &out->entry[i / 4][i % 4];
        *s = NOTHING;
        out->row[i / 4][i % 4] = take_double(row[i], s);
        out->is_finite &= s->high <= DOUBLE_HIGH;
    }
    for (int x = 0; x < 3; x++) {
        out->axis[x] = NOTHING;
        for (int k = 0; k < 3; k++)
            out->corner[k][x] = take_float(tri[3 * k + x], &out->axis[x]);
        out->is_finite &= out->axis[x].high <= FLOAT_HIGH;
    }
}

/* Widens the span by all terms that make up coordinates on axis x. */
static void widen_by_terms(span *s, const placed *t, int x)
{
    const span *entry = t->entry[x];
    widen(s, entry[3]);
    for (int j = 0; j < 3; j++)
        widen(s, (span){entry[j].low + t->axis[j].low, entry[j].high + t->axis[j].high});
}

/* out += x * 2^shift, with sign extension */
BVPI_INLINE void add_shifted(uint64_t *out, __int128 x, int shift, int n)
{
    unsigned __int128 u = (unsigned __int128)x;
    assert(shift >= 0 && shift < 64 * n); /* the unit divides x, and x fits n words */
    if (n == 2) {
        u = (u << shift) + ((unsigned __int128)out[1] << 64 | out[0]);
        out[0] = (uint64_t)u;
        out[1] = (uint64_t)(u >> 64);
        return;
    }
    uint64_t sign = (uint64_t)(x >> 127), term[BVPI_WIDTH_MAX] = {0, 0, 0};
    int first = shift / 64, bits = shift % 64;
    u <<= bits;
    term[first] = (uint64_t)u;
    if (first < 2)
        term[first + 1] = (uint64_t)(u >> 64);
    if (first < 1)
        term[2] = bits == 0 ? sign : (uint64_t)(x >> 64 >> (64 - bits));
    bvpi_words_add(out, out, term, n);
}

BVPI_INLINE void place(const placed *t, int x, int unit, uint64_t out[][3][BVPI_WIDTH_MAX], int n)
{
    const dyadic *row = t->row[x];
    uint64_t shift[BVPI_WIDTH_MAX] = {0, 0, 0};
    if (row[3].mantissa != 0)
        add_shifted(shift, row[3].mantissa, row[3].low - unit, n);
    for (int k = 0; k < 3; k++)
        memcpy(out[k][x], shift, sizeof shift);
    for (int j = 0; j < 3; j++) {
        /* a zero has no exponent, so it must not be shifted */
        if (row[j].mantissa == 0)
            continue;
        for (int k = 0; k < 3; k++) {
            const dyadic *c = &t->corner[k][j];
            if (c->mantissa != 0)
                add_shifted(out[k][x], (__int128)row[j].mantissa * c->mantissa,
                            row[j].low + c->low - unit, n);
        }
    }
}

BVPI_INLINE void place_both(bvpi_points *out, const placed *a, const placed *b, const span axis[3],
                            int n)
{
    out->count = 6;
    out->width = n;
    assert(n == 2 || n == 3);
    for (int x = 0; x < 3; x++) {
        place(a, x, axis[x].low, out->words, n);
        place(b, x, axis[x].low, out->words + 3, n);
        /* downward, because point 0 is subtracted from the others before it becomes 0 */
        for (int i = 5; i >= 0; i--) {
            bvpi_words_sub(out->words[i][x], out->words[i][x], out->words[0][x], n);
            out->approx[i][x] = bvpi_words_to_double(out->words[i][x], n);
        }
    }
}

/* ---- placements that map axes to axes -------------------------------------------------------- */

/* The column of the row's only entry, if that is 1 or -1 and the others are 0; else -1. */
BVPI_INLINE int aligned_column(const double row[4])
{
    const int x = row[0] != 0 ? 0 : row[1] != 0 ? 1 : 2;
    const int y = x == 2 ? 0 : x + 1, z = x == 0 ? 2 : x - 1;
    return fabs(row[x]) == 1 && row[y] == 0 && row[z] == 0 ? x : -1;
}

/* One axis: the corners of A, of B, and the translation of B relative to A. */
typedef struct aligned {
    double value[6];
    bvpi_dd shift;
} aligned;

BVPI_INLINE bool align(aligned *out, const float *a, const float *b, const double *row_a,
                       const double *row_b)
{
    const int column_a = aligned_column(row_a), column_b = aligned_column(row_b);
    if (column_a < 0 || column_b < 0)
        return false;
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        out->value[k] = row_a[column_a] * (double)a[3 * k + column_a];
        out->value[3 + k] = row_b[column_b] * (double)b[3 * k + column_b];
    }
    out->shift = bvpi_dd_sum(row_b[3], -row_a[3]);
    return true;
}

/* 2^58 divided by the power of two just above x; 0 if x is too small or too large for that. */
BVPI_INLINE double scale_to_word(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int biased = (int)(bits >> 52);
    if (biased < 128 || biased > 1920)
        return 0;
    bits = (uint64_t)(2045 + 58 - biased) << 52;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Coordinates relative to A's first corner, in a unit in which all inputs are below 2^58. False if
 * an input is not a multiple of that unit, for example because magnitudes differ too much. */
BVPI_INLINE bool place_in_word(const aligned *axis, int64_t out[6])
{
    double largest = fabs(axis->shift.hi);
    int64_t value[7];
    BVPI_UNROLL
    for (int k = 0; k < 6; k++)
        largest = bvpi_larger(largest, fabs(axis->value[k]));
    const double scale = scale_to_word(largest);
    if ((scale == 0 && largest != 0) || axis->shift.lo != 0)
        return false;
    BVPI_UNROLL
    for (int k = 0; k < 7; k++) {
        const double scaled = (k < 6 ? axis->value[k] : axis->shift.hi) * scale;
        if (!(fabs(scaled) < 0x1p58)) /* also catches NaN */
            return false;
        value[k] = (int64_t)scaled;
        if ((double)value[k] != scaled)
            return false;
    }
    /* three numbers below 2^58: the sum is below 2^60, as chapter 4 requires of one word */
    BVPI_UNROLL
    for (int k = 0; k < 6; k++)
        out[k] = value[k] + (k < 3 ? 0 : value[6]) - value[0];
    return true;
}

BVPI_INLINE bvpi_u128 shifted(dyadic x, int unit)
{
    assert(x.mantissa == 0 || (x.low >= unit && x.low - unit < 128));
    return (bvpi_u128)(__int128)x.mantissa
           << ((x.low - unit) & 127); /* the shift is arbitrary for 0 */
}

static bool place_in_two_words(const aligned *axis, bvpi_u128 out[6])
{
    dyadic value[8];
    span s = NOTHING;
    for (int k = 0; k < 6; k++)
        value[k] = take_double(axis->value[k], &s);
    value[6] = take_double(axis->shift.hi, &s);
    value[7] = take_double(axis->shift.lo, &s);
    if (s.high > DOUBLE_HIGH || s.high - s.low > 122)
        return false;
    const bvpi_u128 origin = shifted(value[0], s.low);
    const bvpi_u128 shift = shifted(value[6], s.low) + shifted(value[7], s.low);
    for (int k = 0; k < 6; k++)
        out[k] = shifted(value[k], s.low) + (k < 3 ? 0 : shift) - origin;
    return true;
}

static bool place_aligned(bvpi_points *out, const float a[9], const float b[9], const double *ma,
                          const double *mb)
{
    const double *rows_a = ma ? ma : IDENTITY, *rows_b = mb ? mb : IDENTITY;
    out->count = 6;
    out->width = 1;
    for (int x = 0; x < 3; x++) {
        aligned axis;
        int64_t word[6];
        bvpi_u128 two[6];
        if (!align(&axis, a, b, rows_a + 4 * x, rows_b + 4 * x))
            return false;
        const bool in_word = place_in_word(&axis, word);
        if (!in_word && !place_in_two_words(&axis, two))
            return false;
        /* one axis that needs two words makes all have two: the signs extend one word to two */
        out->width = in_word ? out->width : 2;
        BVPI_UNROLL
        for (int k = 0; k < 6; k++) {
            uint64_t *words = out->words[k][x];
            words[0] = in_word ? (uint64_t)word[k] : (uint64_t)two[k];
            words[1] = in_word ? (uint64_t)(word[k] >> 63) : (uint64_t)(two[k] >> 64);
            out->approx[k][x] = in_word ? (double)word[k] : bvpi_words_to_double(words, 2);
        }
    }
    return true;
}

bool bvpi_points_of_triangles(bvpi_points *out, const float a[9], const float b[9],
                              const double *ma, const double *mb)
{
    placed pa, pb;
    span axis[3];
    int bits = 0;
    if (place_aligned(out, a, b, ma, mb))
        return true;
    take_triangle(&pa, a, ma);
    take_triangle(&pb, b, mb);
    if (!pa.is_finite || !pb.is_finite)
        return false;
    for (int x = 0; x < 3; x++) {
        axis[x] = NOTHING;
        widen_by_terms(&axis[x], &pa, x);
        widen_by_terms(&axis[x], &pb, x);
        bits = axis[x].high - axis[x].low > bits ? axis[x].high - axis[x].low : bits;
    }
    /* the widths leave room for the sum of four terms and for differences: see the banner */
    if (bits <= 122)
        place_both(out, &pa, &pb, axis, 2);
    else if (bits <= 186)
        place_both(out, &pa, &pb, axis, 3);
    else
        return false;
    return true;
}
