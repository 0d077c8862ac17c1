/* SPDX-License-Identifier: MIT
 * slow_parts.h: parts, in the file or in its store.
 */
#ifndef SLOW_PARTS_H
#define SLOW_PARTS_H

#include <stdint.h>

/* path: the file's own, beside which its store may lie. */
void print_part(const char *path, uint32_t idx);

#endif
