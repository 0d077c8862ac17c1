/* SPDX-License-Identifier: MIT
 * colours.h: the base colours of a node's triangles, from the text that the file keeps of them.
 * Spec: format.md, chapter 14, "Colours"
 */
#ifndef BVPI_FORMAT_COLOURS_H
#define BVPI_FORMAT_COLOURS_H

#include "bvpack.h"

/* The key of the property that has the text. */
#define BVPI_COLOURS_KEY "bvpack_colours"

/* The runs of a text; at most `capacity` of them are written. Returns how many it has: 0 if it is
 * not as the specification says, and then what was written means nothing. Each byte is read once,
 * because a mapped text may change. O(size). */
uint32_t bvpi_parse_colours(bvp_string text, bvp_colour_run *runs, uint32_t capacity);

#endif
