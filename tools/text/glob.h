/* SPDX-License-Identifier: MIT
 * glob.h: patterns of names: * any text, ? one character, [a-z] [!a-z] one of these, \x the
 * character x itself.
 */
#ifndef GLOB_H
#define GLOB_H

#include <stddef.h>

/* What is wrong with a pattern, or NULL: an open or empty [, a range that runs backwards, a last \,
 * nothing at all. What can never match is wrong. */
const char *glob_fault(const char *pattern, size_t size);
/* Does the whole text match? Case counts. Of a faulty pattern: no. O(pattern * text). */
int glob_match(const char *pattern, size_t pattern_size, const char *text, size_t text_size);

#endif
