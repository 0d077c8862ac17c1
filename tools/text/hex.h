/* SPDX-License-Identifier: MIT
 * hex.h: bytes as lower-case hexadecimal digits, and back.
 */
#ifndef HEX_H
#define HEX_H

#include <stddef.h>
#include <stdint.h>

/* out: 2 * size digits and a zero. */
void hex_text(const uint8_t *bytes, size_t size, char *out);
/* Of exactly 2 * size digits, of either case; 0, or -1 for any other text. */
int hex_bytes(const char *text, uint8_t *out, size_t size);

#endif
