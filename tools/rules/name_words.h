/* SPDX-License-Identifier: MIT
 * name_words.h: the words that a name is made of: "M6x20_HexBolt (2)" has the words m, x, hex,
 * bolt.
 */
#ifndef NAME_WORDS_H
#define NAME_WORDS_H

#include <stddef.h>

/* Is one of the words of `text` matched by one of `globs` (text/glob.h), which spaces separate and
 * which are in small letters? A word is letters in a row, in small letters as far as these are of
 * Latin-1; a capital behind a small letter begins another one. O(text * globs). */
int words_match(const char *globs, const char *text, size_t text_size);

#endif
