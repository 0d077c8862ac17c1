/* SPDX-License-Identifier: MIT
 * text_scan.h: words and numbers of bounded text. Numbers are read the same in every locale and are
 * correctly rounded. Lines are not counted here: import_refuse_line counts when it is needed.
 */
#ifndef TEXT_SCAN_H
#define TEXT_SCAN_H

#include <stddef.h>
#include <stdint.h>

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
    return scan_is_blank(c) || scan_is_newline(c);
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

/* Takes a number that ends at a space or the end. Returns 1, or 0 with s unchanged when there is
 * none. NaN and infinities in the usual spellings are numbers. */
int scan_number(text_scan *s, number *out);
/* Decimal digits with an optional sign, at most 18, ended by anything that is no digit. */
int scan_integer(text_scan *s, int64_t *value);

#endif
