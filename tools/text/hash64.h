/* SPDX-License-Identifier: MIT
 * hash64.h: 64 bits of the content hash, for tables, and for things that are compared again after a
 * match.
 */
#ifndef HASH64_H
#define HASH64_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash64(const void *data, size_t size);

#endif
