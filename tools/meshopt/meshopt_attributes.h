/* SPDX-License-Identifier: MIT
 * meshopt_attributes.h: unpacks a stream of attributes, of version 1 too.
 */
#ifndef MESHOPT_ATTRIBUTES_H
#define MESHOPT_ATTRIBUTES_H

#include "meshopt/meshopt.h"

/* Into `out`: count * stride bytes of a stream of the mode ATTRIBUTES that meshopt_refusal passes,
 * without its filter. Returns 0, or -1: the stream is none of that many elements. */
int meshopt_attributes_unpack(const meshopt_stream *s, uint8_t *out);

#endif
