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

/* Is all of it valid, without NUL? */
bool bvpi_is_utf8(const uint8_t *text, size_t size);

#endif
