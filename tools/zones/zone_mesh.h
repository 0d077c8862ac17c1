/* SPDX-License-Identifier: MIT
 * zone_mesh.h: triangles that show a convex zone in reports.
 */
#ifndef ZONE_MESH_H
#define ZONE_MESH_H

#include "bvpack.h"

enum { ZONE_MESH_TRIANGLES = 512 };

/* The surface before placement, of up to ZONE_MESH_TRIANGLES triangles of 9 floats; returns how
 * many. Round bodies are shown by points of them. A point or a segment is shown as thick as
 * `least` > 0. */
uint32_t zone_mesh_make(const bvp_convex *zone, double least, float *soup);

#endif
