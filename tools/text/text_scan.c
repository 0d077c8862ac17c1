/* SPDX-License-Identifier: MIT
 * text_scan.c: words and numbers of bounded text.
 *
 * Most numbers are read by scan_plain_number, in text_scan.h; others as follows.
 * A number is read as an integer of up to 19 digits times a power of ten, which is then converted
 * by the fastest of three ways that fits. If integer and power are doubles without rounding, one
 * multiplication or division is rounded once. For powers from 10^-27 to 10^27, 128-bit integers
 * with a sticky bit are rounded once. All other numbers go to the C library's strtod in the "C"
 * locale. All three round correctly, so the result does not depend on the way.
 * Based on: W. D. Clinger, How to read floating point numbers accurately, 1990 (the fast path).
 */
#include "text/text_scan.h"

#include <assert.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

int scan_word(text_scan *s, const char *word)
{
    const char *p = s->at;
    for (; *word; word++, p++)
        if (p == s->end || (*p >= 'A' && *p <= 'Z' ? *p + ('a' - 'A') : *p) != *word)
            return 0;
    if (p < s->end && !scan_is_space(*p))
        return 0;
    s->at = p;
    return 1;
}

int scan_integer(text_scan *s, int64_t *value)
{
    const char *p = s->at;
    int negative = p < s->end && *p == '-', digits = 0;
    uint64_t v = 0;
    p += p < s->end && (*p == '-' || *p == '+');
    for (; p < s->end && *p >= '0' && *p <= '9' && digits <= 18; p++, digits++)
        v = v * 10 + (uint64_t)(*p - '0');
    if (digits == 0 || digits > 18)
        return 0;
    *value = negative ? -(int64_t)v : (int64_t)v;
    s->at = p;
    return 1;
}

/* ---- decimal to double ----------------------------------------------------------------------- */

/* A number as written: (-1)^negative * digits * 10^exponent; `cut`: there were more digits than
 * fit. */
typedef struct decimal {
    uint64_t digits;
    int exponent, last_exponent; /* last_exponent: of the last digit written */
    int negative, cut;
} decimal;

enum { EXPONENT_MAX = 100000 };

/* All powers of ten that doubles hold exactly. */
static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const char *take_digits(const char *p, const char *end, decimal *d, int fraction)
{
    const uint64_t room = 1000000000000000000u; /* 10^18: one more digit fits in 64 bits */
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        if (d->digits < room) {
            d->digits = d->digits * 10 + (uint64_t)(*p - '0');
            d->exponent -= fraction;
        } else {
            d->cut |= *p != '0';
            d->exponent += !fraction;
        }
        d->last_exponent -= fraction;
    }
    return p;
}

/* Returns where the number ends, or NULL. */
static const char *take_decimal(const char *p, const char *end, decimal *d)
{
    memset(d, 0, sizeof *d);
    d->negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    const char *first = p;
    p = take_digits(p, end, d, 0);
    ptrdiff_t digits = p - first;
    if (p < end && *p == '.') {
        first = ++p;
        p = take_digits(p, end, d, 1);
        digits += p - first;
    }
    if (digits == 0)
        return NULL;
    if (p == end || (*p | 0x20) != 'e')
        return p;
    p++;
    int negative = p < end && *p == '-', value = 0;
    p += p < end && (*p == '-' || *p == '+');
    for (first = p; p < end && *p >= '0' && *p <= '9'; p++)
        value = value < EXPONENT_MAX ? value * 10 + (*p - '0') : value;
    d->exponent += negative ? -value : value;
    d->last_exponent += negative ? -value : value;
    return p > first ? p : NULL;
}

#ifdef __SIZEOF_INT128__
/* digits * 10^exponent rounded once: the scaling by 5^exponent is done in 128-bit integers with a
 * sticky bit, what remains is a power of two. |exponent| <= 27, so that 5^|exponent| < 2^63. */
static double scale_exactly(uint64_t digits, int exponent)
{
    assert(digits > 0 && exponent >= -27 && exponent <= 27);
    uint64_t power = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--)
        power *= 5;
    if (exponent >= 0)
        return ldexp((double)((unsigned __int128)digits * power), exponent);
    int shift = 63 + __builtin_clzll(digits);
    unsigned __int128 numerator = (unsigned __int128)digits << shift;
    unsigned __int128 quotient = numerator / power;
    quotient |= numerator % power != 0;
    return ldexp((double)quotient, exponent - shift);
}
#endif

/* The C library's conversion in the "C" locale, of a copy that ends with NUL. */
static double convert_slowly(const char *at, const char *end, float *nearest)
{
    char local[128], *text = local;
    size_t size = (size_t)(end - at);
    double value = NAN;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (size >= sizeof local)
        text = malloc(size + 1);
    if (text && c_locale) {
        locale_t callers = uselocale(c_locale);
        memcpy(text, at, size);
        text[size] = '\0';
        value = strtod(text, NULL);
        *nearest = strtof(text, NULL);
        uselocale(callers);
    }
    if (text != local)
        free(text);
    if (c_locale)
        freelocale(c_locale);
    return value;
}

static double convert(const decimal *d, const char *at, const char *end)
{
    double value;
    float ignored;
    if (d->digits == 0)
        value = 0;
    else if (!d->cut && d->digits <= (uint64_t)1 << 53 && d->exponent >= 0 && d->exponent <= 22)
        value = (double)d->digits * powers_of_ten[d->exponent];
    else if (!d->cut && d->digits <= (uint64_t)1 << 53 && d->exponent < 0 && d->exponent >= -22)
        value = (double)d->digits / powers_of_ten[-d->exponent];
#ifdef __SIZEOF_INT128__
    else if (!d->cut && d->exponent >= -27 && d->exponent <= 27)
        value = scale_exactly(d->digits, d->exponent);
#endif
    else
        return convert_slowly(at, end, &ignored);
    return d->negative ? -value : value;
}

/* Is the text within half a unit of its last digit of the float? A float that lies halfway between
 * two texts may seem a little farther from its own. Not for an infinite value: its error is NaN. */
static int prints_float(const number *n, const decimal *d)
{
    int exponent = d->last_exponent;
    double half = INFINITY, error = fabs(n->value - (double)n->nearest);
    if (exponent <= 400) {
        half = 0.5;
        for (; exponent > 0; exponent--)
            half *= 10;
        for (; exponent < -22 && half > 0; exponent += 22)
            half /= powers_of_ten[22];
        assert(half == 0 || (exponent <= 0 && exponent >= -22));
        half = half > 0 ? half / powers_of_ten[-exponent] : 0;
    }
    return error == 0 || error <= half + DBL_EPSILON * fabs(n->value);
}

/* nan, inf, infinity, and the Windows runtime's 1.#QNAN and the like. */
static int take_special(const char *p, const char *end, double *value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"nan", NAN},      {"inf", INFINITY},    {"infinity", INFINITY},
                 {"nan(ind)", NAN}, {"nan(snan)", NAN},   {"1.#qnan", NAN},
                 {"1.#snan", NAN},  {"1.#inf", INFINITY}, {"1.#ind", NAN}};
    int negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    size_t size = (size_t)(end - p);
    while (size > 6 && p[size - 1] == '0') /* 1.#INF00 */
        size--;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].word) == size && strncasecmp(words[i].word, p, size) == 0) {
            *value = negative ? -words[i].value : words[i].value;
            return 1;
        }
    return 0;
}

int scan_number(text_scan *s, number *out)
{
    const char *after = scan_plain_number(s->at, s->end, out);
    if (!after)
        return scan_any_number(s, out);
    s->at = after;
    return 1;
}

int scan_any_number(text_scan *s, number *out)
{
    decimal d;
    const char *end = take_decimal(s->at, s->end, &d);
    assert(!end || (end > s->at && end <= s->end));
    if (end && (end == s->end || scan_is_space(*end))) {
        out->value = convert(&d, s->at, end);
        /* Rounding to double and then to float errs only where the double lies halfway between two
         * floats, or where floats are subnormal; there the text decides. */
        uint64_t bits;
        out->nearest = (float)out->value;
        memcpy(&bits, &out->value, sizeof bits);
        const int halfway = (bits & 0x1fffffff) == 0x10000000;
        if (out->value != 0 && (halfway || fabs(out->value) < FLT_MIN))
            convert_slowly(s->at, end, &out->nearest);
        out->prints_float = prints_float(out, &d);
        s->at = end;
        return 1;
    }
    text_scan word = *s;
    scan_past_word(&word);
    if (!take_special(s->at, word.at, &out->value))
        return 0;
    out->nearest = (float)out->value;
    out->prints_float = 1;
    s->at = word.at;
    return 1;
}
