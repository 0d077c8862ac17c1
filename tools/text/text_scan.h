/* SPDX-License-Identifier: MIT
 * text_scan.h: words and numbers of bounded text. Numbers are read the same in every locale and are
 * correctly rounded. Lines are not counted here: import_refuse_line counts when it is needed.
 */
#ifndef TEXT_SCAN_H
#define TEXT_SCAN_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct text_scan {
    const char *at, *end;
} text_scan;

static inline int scan_is_newline(char c)
{
    return c == '\n' || c == '\r';
}

static inline int scan_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static inline int scan_is_space(char c)
{
    return c == ' ' || (unsigned char)(c - '\t') < 5; /* \t \n \v \f \r */
}

/* Past blanks of this line; past blanks and newlines. */
static inline void scan_blanks(text_scan *s)
{
    while (s->at < s->end && scan_is_blank(*s->at))
        s->at++;
}

static inline void scan_spaces(text_scan *s)
{
    while (s->at < s->end && scan_is_space(*s->at))
        s->at++;
}

/* To the end of the line (the newline is next); past the word. */
static inline void scan_to_newline(text_scan *s)
{
    while (s->at < s->end && !scan_is_newline(*s->at))
        s->at++;
}

static inline void scan_past_word(text_scan *s)
{
    while (s->at < s->end && !scan_is_space(*s->at))
        s->at++;
}

/* Takes `word` (lower case) in any case if it stands here as a whole word; 1 when taken. */
int scan_word(text_scan *s, const char *word);

typedef struct number {
    double value;     /* nearest to the text */
    float nearest;    /* the float nearest to the text */
    int prints_float; /* the text can't be told from the printed `nearest`: they differ by at most
                         half a unit of the last digit written */
} number;

/* The number that the first digits of the 8 bytes at p make, and how many there are: all digits are
 * found at once, and then joined to pairs, fours and eight. */
static inline uint32_t scan_eight(const char *p, unsigned *count)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t v;
    memcpy(&v, p, sizeof v);
    v ^= 0x30 * ones;
    /* no byte below the first that is no digit carries into it */
    const uint64_t others = ((v + 0x76 * ones) | v) & 0x80 * ones;
    *count = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
    if (*count == 0)
        return 0;
    v <<= 8 * (8 - *count); /* as if zeros preceded them */
    v = (v * 10 + (v >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v * 100 + (v >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(v * 10000 + (v >> 32));
}

/* Past blanks; mostly there is one. */
static inline const char *scan_past_blanks(const char *p, const char *end)
{
    if (end - p > 1 && *p == ' ' && !scan_is_blank(p[1]))
        return p + 1;
    while (p < end && scan_is_blank(*p))
        p++;
    return p;
}

/* The fast way of scan_number, for the numbers that most files consist of: at most 19 digits, an
 * integer below 2^53 times or over a power of ten that a double holds, so that one rounding gives
 * the nearest double (Clinger 1990); a blank or newline follows. Returns where it ends; NULL: it is
 * another number or none, and scan_number has to look. */
static inline const char *scan_plain_number(const char *p, const char *end, number *out)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    static const double halves[] = {5e-1,  5e-2,  5e-3,  5e-4,  5e-5,  5e-6,  5e-7,  5e-8,
                                    5e-9,  5e-10, 5e-11, 5e-12, 5e-13, 5e-14, 5e-15, 5e-16,
                                    5e-17, 5e-18, 5e-19, 5e-20, 5e-21, 5e-22, 5e-23};
    static const uint64_t shifts[] = {1,      10,      100,      1000,     10000,
                                      100000, 1000000, 10000000, 100000000};
    enum { DIGITS = 19, ROOM = 48, POWER = 22 };
    if (end - p < ROOM) /* so no bound is needed below */
        return NULL;
    const int negative = *p == '-';
    p += negative;
    unsigned now = 8;
    uint64_t digits = 0;
    int count = 0, exponent = 0;
    for (; now == 8 && count <= DIGITS; p += now) {
        const uint32_t next = scan_eight(p, &now);
        digits = digits * shifts[now] + next;
        count += (int)now;
    }
    if (*p == '.') {
        const int whole = count;
        for (p++, now = 8; now == 8 && count <= DIGITS; p += now) {
            const uint32_t next = scan_eight(p, &now);
            digits = digits * shifts[now] + next;
            count += (int)now;
        }
        exponent = whole - count;
    }
    if (count == 0 || count > DIGITS)
        return NULL;
    if ((*p | 0x20) == 'e') {
        const int is_below = p[1] == '-';
        int power = 0;
        p += 1 + (is_below || p[1] == '+');
        const char *first = p;
        for (; p < first + 4 && (unsigned)(*p - '0') < 10; p++)
            power = power * 10 + (*p - '0');
        if (p == first)
            return NULL;
        exponent += is_below ? -power : power;
    }
    if (!scan_is_space(*p) || digits > (uint64_t)1 << 53 || exponent < -POWER || exponent > POWER)
        return NULL;
    const double size =
        exponent < 0 ? (double)digits / powers[-exponent] : (double)digits * powers[exponent];
    const float nearest = (float)size;
    const double error = fabs(size - (double)nearest);
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    if (size != 0 && ((bits & 0x1fffffff) == 0x10000000 || size < FLT_MIN))
        return NULL; /* the float has to come from the text */
    const double half = exponent <= 0 ? halves[-exponent] : halves[0] * powers[exponent];
    out->prints_float = error == 0 || error <= half + DBL_EPSILON * size;
    out->value = negative ? -size : size;
    out->nearest = negative ? -nearest : nearest;
    return p;
}

/* Takes a number that ends at a space or the end. Returns 1, or 0 with s unchanged when there is
 * none. NaN and infinities in the usual spellings are numbers. */
int scan_number(text_scan *s, number *out);
/* The same, slowly: the twin of scan_plain_number. */
int scan_any_number(text_scan *s, number *out);
/* Decimal digits with an optional sign, at most 18, ended by anything that is no digit. */
int scan_integer(text_scan *s, int64_t *value);

#endif
