/* SPDX-License-Identifier: MIT
 * hex.h: bytes as lower-case hexadecimal digits.
 */
#ifndef HEX_H
#define HEX_H

#include <stddef.h>
#include <stdint.h>

/* out: 2 * size digits and a zero. */
void hex_text(const uint8_t *bytes, size_t size, char *out);

#endif
