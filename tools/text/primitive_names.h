/* SPDX-License-Identifier: MIT
 * primitive_names.h: which primitive of its mesh a triangle is of, and of which material.
 */
#ifndef PRIMITIVE_NAMES_H
#define PRIMITIVE_NAMES_H

#include "text/json.h"

/* A property of nodes whose mesh has several primitives, or materials: a JSON list of a pair for
 * each primitive: the number of its first triangle, and its material: the name, the number when it
 * has none, or null. */
#define PRIMITIVES_KEY "bvpack_primitives"

/* The members "primitive" and "material" for the triangle of that number, or the same as text:
 * `, primitive 1, material "rubber"`. Nothing when `list`, the property's value, does not say. */
void primitive_put_json(json *out, bvp_string list, uint64_t triangle);
void primitive_print(bvp_string list, uint64_t triangle);

#endif
