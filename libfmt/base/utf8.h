/* SPDX-License-Identifier: MIT
 * utf8.h: which bytes are text.
 * Spec: format.md, chapter "Strings"; RFC 3629.
 */
#ifndef BVPI_BASE_UTF8_H
#define BVPI_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the UTF-8 character at `p`, of which `size` >= 1 are there; 0 when it is malformed,
 * overlong, a surrogate, over U+10FFFF or NUL. */
size_t bvpi_utf8_length(const uint8_t *p, size_t size);

/* May a terminal or a log get the character of `length` > 0 bytes at `p`? Not the controls C0, DEL
 * and C1, nor those that begin a new line or change the direction of text: U+2028 to 202E, 2066 to
 * 2069, 200E, 200F, 061C. */
bool bvpi_is_plain(const uint8_t *p, size_t length);

/* `text` with what is not plain, or not UTF-8, as \xNN, byte by byte; cut between two characters
 * where `capacity` > 0 ends. What is escaped already stays as it is. */
void bvpi_escape(const char *text, char *out, size_t capacity);

/* Is all of it valid, without NUL? */
bool bvpi_is_utf8(const uint8_t *text, size_t size);

#endif
