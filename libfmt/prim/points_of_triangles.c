/* SPDX-License-Identifier: MIT
 * points_of_triangles.c: the corners of two placed triangles as integers of one to three words.
 * Spec: exactness.md, chapter 4
 */
#include <math.h>
#include <stddef.h>

#include "base/dd.h"
#include "prim/points.h"
#include "prim/words.h"

#define FAR         0x10000 /* beyond every exponent, and so are sums of two */
#define FLOAT_HIGH  128     /* finite ones are below 2^128 */
#define DOUBLE_HIGH 1024

/* The number mantissa * 2^low. */
typedef struct dyadic {
    int64_t mantissa;
    int low;
} dyadic;

/* Exponents of the numbers on a line, but for zeros: all are multiples of 2^low, below 2^high. */
typedef struct span {
    int low, high;
} span;

typedef struct placed {
    dyadic row[3][4], corner[3][3];
    span entry[3][4], axis[3]; /* of single entries; of the corners' coordinates on an axis */
    bool is_finite;
} placed;

static const double IDENTITY[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
static const span NOTHING = {FAR, -FAR};

BVPI_INLINE void widen(span *s, span by)
{
    s->low = by.low < s->low ? by.low : s->low;
    s->high = by.high > s->high ? by.high : s->high;
}

/* Widens the span. */
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
    out.mantissa = bvpi_split(x, &out.low);
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

/* Of the terms that make up coordinates along axis x. */
static void widen_by_terms(span *s, const placed *t, int x)
{
    const span *entry = t->entry[x];
    widen(s, entry[3]);
    for (int j = 0; j < 3; j++)
        widen(s, (span){entry[j].low + t->axis[j].low, entry[j].high + t->axis[j].high});
}

/* out += x * 2^shift */
BVPI_INLINE void add_shifted(uint64_t *out, __int128 x, int shift, int n)
{
    unsigned __int128 u = (unsigned __int128)x;
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
    for (int x = 0; x < 3; x++) {
        place(a, x, axis[x].low, out->words, n);
        place(b, x, axis[x].low, out->words + 3, n);
        for (int i = 5; i >= 0; i--) {
            bvpi_words_sub(out->words[i][x], out->words[i][x], out->words[0][x], n);
            out->approx[i][x] = bvpi_words_to_double(out->words[i][x], n);
        }
    }
}

/* ---- where axes go to axes ------------------------------------------------------------------- */

/* Does the row take coordinate *column times *sign, and nothing else? */
BVPI_INLINE bool is_aligned(const double row[4], int *column, int *sign)
{
    const int x = row[0] != 0 ? 0 : row[1] != 0 ? 1 : 2;
    *column = x;
    *sign = row[x] > 0 ? 1 : -1;
    return fabs(row[x]) == 1 && row[(x + 1) % 3] == 0 && row[(x + 2) % 3] == 0;
}

/* Coordinates along an axis: floats, B's shifted against A's by a sum of two doubles. */
typedef struct aligned {
    dyadic value[6], part[2];
    int sign_a, sign_b;
    span span;
} aligned;

static bool take_aligned(aligned *out, const float *a, const float *b, const double *row_a,
                         const double *row_b)
{
    int column_a, column_b;
    span s = NOTHING;
    if (!is_aligned(row_a, &column_a, &out->sign_a) || !is_aligned(row_b, &column_b, &out->sign_b))
        return false;
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        out->value[k] = take_float(a[3 * k + column_a], &s);
        out->value[3 + k] = take_float(b[3 * k + column_b], &s);
    }
    const bool is_finite = s.high <= FLOAT_HIGH;
    const bvpi_dd shift = bvpi_dd_sum(row_b[3], -row_a[3]);
    out->part[0] = take_double(shift.hi, &s);
    out->part[1] = take_double(shift.lo, &s);
    out->span = s;
    return is_finite && s.high <= DOUBLE_HIGH;
}

/* In n words; any, for 0. */
BVPI_INLINE bvpi_u128 shifted(dyadic x, int sign, int unit, int n)
{
    return (bvpi_u128)(__int128)(x.mantissa * sign) << ((x.low - unit) & (64 * n - 1));
}

BVPI_INLINE void place_aligned(bvpi_points *out, const aligned axis[3], int n)
{
    out->count = 6;
    out->width = n;
    for (int x = 0; x < 3; x++) {
        const aligned *t = &axis[x];
        const int unit = t->span.low;
        const bvpi_u128 origin = shifted(t->value[0], t->sign_a, unit, n);
        const bvpi_u128 origin_b =
            origin - shifted(t->part[0], 1, unit, n) - shifted(t->part[1], 1, unit, n);
        BVPI_UNROLL
        for (int k = 0; k < 6; k++) {
            const bvpi_u128 at = k < 3 ? shifted(t->value[k], t->sign_a, unit, n) - origin
                                       : shifted(t->value[k], t->sign_b, unit, n) - origin_b;
            out->words[k][x][0] = (uint64_t)at;
            if (n == 2)
                out->words[k][x][1] = (uint64_t)(at >> 64);
            out->approx[k][x] = bvpi_words_to_double(out->words[k][x], n);
        }
    }
}

static bool place_where_aligned(bvpi_points *out, const float a[9], const float b[9],
                                const double *ma, const double *mb)
{
    const double *rows_a = ma ? ma : IDENTITY, *rows_b = mb ? mb : IDENTITY;
    aligned axis[3];
    int bits = 0;
    for (int x = 0; x < 3; x++) {
        if (!take_aligned(&axis[x], a, b, rows_a + 4 * x, rows_b + 4 * x))
            return false;
        const int of_axis = axis[x].span.high - axis[x].span.low;
        bits = of_axis > bits ? of_axis : bits;
    }
    if (bits <= 58)
        place_aligned(out, axis, 1);
    else if (bits <= 122)
        place_aligned(out, axis, 2);
    return bits <= 122;
}

bool bvpi_points_of_triangles(bvpi_points *out, const float a[9], const float b[9],
                              const double *ma, const double *mb)
{
    placed pa, pb;
    span axis[3];
    int bits = 0;
    if (place_where_aligned(out, a, b, ma, mb))
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
    if (bits <= 122)
        place_both(out, &pa, &pb, axis, 2);
    else if (bits <= 186)
        place_both(out, &pa, &pb, axis, 3);
    else
        return false;
    return true;
}
