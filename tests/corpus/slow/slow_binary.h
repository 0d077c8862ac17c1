/* SPDX-License-Identifier: MIT
 * slow_binary.h: binary hierarchies, level by level.
 */
#ifndef SLOW_BINARY_H
#define SLOW_BINARY_H

#include <stdint.h>

/* Offsets of the record in HIER and of the part's blob. */
void print_binary(uint64_t record, uint64_t blob, unsigned cluster_shift);

#endif
