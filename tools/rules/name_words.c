/* SPDX-License-Identifier: MIT
 * name_words.c: the words that a name is made of.
 *
 * Held by tests/unit/test_name_words.c.
 */
#include "rules/name_words.h"

#include <string.h>
#include "text/glob.h"

enum { WORD_MOST = 64 }; /* bytes of a word that are looked at */

static int is_small(char c)
{
    return c >= 'a' && c <= 'z';
}
static int is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

static int is_letter(char c)
{
    return is_small(c) || is_capital(c) || (unsigned char)c >= 0x80;
}

/* The word at `at`, which is a letter, in small letters. Returns where it ends. */
static size_t take_word(const char *text, size_t size, size_t at, char word[WORD_MOST],
                        size_t *length)
{
    *length = 0;
    for (size_t i = at; i <= size; i++) {
        if (i == size || !is_letter(text[i]) ||
            (i > at && is_capital(text[i]) && is_small(text[i - 1])))
            return i;
        const unsigned char before = i > at ? (unsigned char)text[i - 1] : 0;
        const unsigned char c = (unsigned char)text[i];
        /* U+00C0 .. U+00DE are C3 80 .. C3 9E; 97 is the sign of multiplication */
        const int is_fold =
            is_capital(text[i]) || (before == 0xc3 && c >= 0x80 && c <= 0x9e && c != 0x97);
        if (*length < WORD_MOST)
            word[(*length)++] = (char)(is_fold ? c + 0x20 : c);
    }
    return size;
}

static int one_matches(const char *globs, const char *word, size_t length)
{
    while (*globs != '\0') {
        const size_t size = strcspn(globs, " ");
        if (size > 0 && glob_match(globs, size, word, length))
            return 1;
        globs += size + (globs[size] == ' ');
    }
    return 0;
}

int words_match(const char *globs, const char *text, size_t text_size)
{
    char word[WORD_MOST];
    size_t length;
    for (size_t at = 0; at < text_size;)
        if (!is_letter(text[at])) {
            at++;
        } else {
            at = take_word(text, text_size, at, word, &length);
            if (one_matches(globs, word, length))
                return 1;
        }
    return 0;
}
