/* SPDX-License-Identifier: MIT
 * glb.h: the container of a GLB file, for writers.
 */
#ifndef GLB_H
#define GLB_H

#include <stdint.h>
#include <stdio.h>

/* Bytes of a file with so much JSON text and, unless 0, data (a multiple of 4). At most UINT32_MAX
 * of them make a GLB. */
uint64_t glb_size(uint64_t text_size, uint64_t data_size);
/* What comes before the text, between text and data (nothing when there are none). */
void glb_begin(FILE *out, uint64_t text_size, uint64_t data_size);
void glb_middle(FILE *out, uint64_t text_size, uint64_t data_size);
/* Words of 4 bytes, floats or integers, little-endian. */
void glb_words(FILE *out, const void *words, uint64_t count);

#endif
