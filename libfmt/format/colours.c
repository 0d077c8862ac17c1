/* SPDX-License-Identifier: MIT
 * colours.c: the base colours of a node's triangles, from the text that the file keeps of them:
 * "0:c0c0c0ff 12:ff0000ff 40:-".
 * Spec: format.md, chapter 14, "Colours"
 */
#include "format/colours.h"

#include <stdbool.h>
#include <string.h>

typedef struct scan {
    const char *at, *end;
} scan;

/* The next byte, or 0 at the end. No text has a byte 0. */
static char next(scan *s)
{
    return s->at < s->end ? *s->at++ : 0;
}

/* Digits up to a colon. */
static bool take_first(scan *s, uint32_t *out)
{
    uint64_t value = 0;
    int count = 0;
    char c;
    for (c = next(s); c >= '0' && c <= '9' && count < 10; c = next(s), count++)
        value = 10 * value + (uint64_t)(c - '0');
    *out = (uint32_t)value;
    return c == ':' && count > 0 && value <= UINT32_MAX;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_colour(scan *s, uint8_t rgba[4])
{
    char c = next(s);
    memset(rgba, 0, 4);
    if (c == '-')
        return true;
    for (int i = 0; i < 8; i++) {
        const int digit = digit_of(c);
        if (digit < 0)
            return false;
        rgba[i / 2] = (uint8_t)(16 * rgba[i / 2] + digit);
        if (i < 7)
            c = next(s);
    }
    return true;
}

uint32_t bvpi_parse_colours(bvp_string text, bvp_colour_run *runs, uint32_t capacity)
{
    scan s = {text.data, text.data + text.size};
    uint32_t count = 0, last = 0; /* numbers ascend, so count stays below 2^32 */
    for (;;) {
        bvp_colour_run run;
        if (!take_first(&s, &run.first) || !take_colour(&s, run.rgba))
            return 0;
        if (count == 0 ? run.first != 0 : run.first <= last)
            return 0;
        if (count < capacity)
            runs[count] = run;
        last = run.first;
        count++;
        if (s.at == s.end)
            return count;
        if (next(&s) != ' ')
            return 0;
    }
}

const uint8_t *bvp_find_colour(const bvp_colour_run *runs, uint32_t count, uint64_t id)
{
    uint32_t from = 0, to = count;
    if (count == 0)
        return NULL;
    while (to - from > 1) {
        const uint32_t middle = from + (to - from) / 2;
        if (runs[middle].first <= id)
            from = middle;
        else
            to = middle;
    }
    const uint8_t *rgba = runs[from].rgba;
    return rgba[0] || rgba[1] || rgba[2] || rgba[3] ? rgba : NULL;
}
