/* SPDX-License-Identifier: MIT
 * glob.c: patterns of names.
 */
#include "text/glob.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>
#include "text/message.h"

/* The character that `text` begins with; bytes that are not UTF-8 are one each. */
static size_t character(const char *text, size_t size, uint32_t *code)
{
    const unsigned char *s = (const unsigned char *)text;
    const size_t length = utf8_length(text, size);
    assert(size > 0);
    *code = s[0];
    if (length < 2)
        return 1;
    *code &= 0x7fu >> length;
    for (size_t i = 1; i < length; i++)
        *code = *code << 6 | (s[i] & 0x3f);
    return length;
}

/* One character of the inside of [ ], or after a \. 0: the pattern ends. */
static size_t literal(const char *pattern, size_t size, uint32_t *code)
{
    const size_t skip = size > 0 && pattern[0] == '\\';
    return size > skip ? skip + character(pattern + skip, size - skip, code) : 0;
}

/* Reads the set that begins at pattern[0] == '['. Returns its size with both brackets, or 0 and
 * *fault. *found: is `wanted` one of its characters? */
static size_t read_set(const char *pattern, size_t size, uint32_t wanted, int *found,
                       const char **fault)
{
    assert(size > 0 && pattern[0] == '[');
    size_t at = 1, used;
    const int inverted = size > 1 && pattern[1] == '!';
    *found = inverted;
    *fault = "a [ without its ]; a bracket itself is written \\[";
    at += (size_t)inverted;
    if (at < size && pattern[at] == ']') {
        *fault = "an empty [], which matches nothing";
        return 0;
    }
    while (at < size && pattern[at] != ']') {
        uint32_t low, high;
        used = literal(pattern + at, size - at, &low);
        at += used;
        high = low;
        if (used > 0 && at + 1 < size && pattern[at] == '-' && pattern[at + 1] != ']') {
            used = literal(pattern + at + 1, size - at - 1, &high);
            at += 1 + used;
        }
        if (used == 0)
            return 0;
        if (low > high) {
            *fault = "a range in [] that runs backwards";
            return 0;
        }
        if (wanted >= low && wanted <= high)
            *found = !inverted;
    }
    return at < size ? at + 1 : 0;
}

const char *glob_fault(const char *pattern, size_t size)
{
    const char *fault;
    int found;
    if (size == 0)
        return "nothing; * matches everything";
    for (size_t at = 0; at < size;) {
        uint32_t code;
        size_t used = pattern[at] == '[' ? read_set(pattern + at, size - at, 0, &found, &fault)
                                         : literal(pattern + at, size - at, &code);
        if (used == 0)
            return pattern[at] == '[' ? fault : "a \\ at its end; \\\\ stands for one";
        at += used;
    }
    return NULL;
}

/* A mismatch gives the last * one character more; an earlier one never needs to grow again. */
int glob_match(const char *pattern, size_t pattern_size, const char *text, size_t text_size)
{
    size_t p = 0, t = 0, star = SIZE_MAX, star_text = 0;
    while (t < text_size) {
        uint32_t code = 0, wanted = 0;
        size_t pattern_used = 0;
        const char *fault;
        int matches = 0;
        if (p < pattern_size && pattern[p] == '*') {
            star = p++;
            star_text = t;
            continue;
        }
        const size_t text_used = character(text + t, text_size - t, &code);
        assert(text_used > 0 && text_used <= text_size - t);
        if (p < pattern_size && pattern[p] == '[') {
            pattern_used = read_set(pattern + p, pattern_size - p, code, &matches, &fault);
        } else if (p < pattern_size) {
            pattern_used = literal(pattern + p, pattern_size - p, &wanted);
            matches = pattern[p] == '?' || wanted == code;
        }
        if (pattern_used > 0 && matches) {
            p += pattern_used;
            t += text_used;
        } else if (star != SIZE_MAX) {
            assert(star < pattern_size && star_text <= t);
            star_text += character(text + star_text, text_size - star_text, &code);
            t = star_text;
            p = star + 1;
        } else {
            return 0;
        }
    }
    while (p < pattern_size && pattern[p] == '*')
        p++;
    return p == pattern_size;
}
