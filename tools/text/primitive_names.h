/* SPDX-License-Identifier: MIT
 * primitive_names.h: which primitive of its mesh a triangle is of, of which material, and which
 * node and mesh of the asset that is.
 */
#ifndef PRIMITIVE_NAMES_H
#define PRIMITIVE_NAMES_H

#include "text/json.h"

/* A property of nodes whose mesh has several primitives, or materials: a JSON list of a pair for
 * each primitive: the number of its first triangle, and its material: the name, the number when it
 * has none, or null. */
#define PRIMITIVES_KEY "bvpack_primitives"

/* A property of nodes that have a mesh: a JSON list of the numbers that node and mesh have in their
 * asset; of one of several instances of the node, which one comes third. */
#define ASSET_KEY "bvpack_asset"

/* The values of both properties of a node; empty: it has none. */
typedef struct primitive_names {
    bvp_string list, asset;
} primitive_names;

/* For the triangle of that number the members "node", "mesh" and "node_instance", "primitive",
 * "primitive_triangle" (its number among those of the primitive) and "material", or the same as
 * text: `, node 4, mesh 0, primitive 1, triangle 7 of it, material "rubber"`. Nothing of what the
 * values do not say; where only the numbers are known, the mesh has one primitive. */
void primitive_put_json(json *out, const primitive_names *names, uint64_t triangle);
void primitive_print(const primitive_names *names, uint64_t triangle);

#endif
