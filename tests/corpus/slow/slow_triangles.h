/* SPDX-License-Identifier: MIT
 * slow_triangles.h: cluster records: triangles, their numbers and corners.
 */
#ifndef SLOW_TRIANGLES_H
#define SLOW_TRIANGLES_H

#include <stdint.h>

extern uint64_t now_part; /* the record of the part that is read */

/* A cluster is the offset of its record, a triangle its local number, a corner 0 to 2. */
uint32_t triangles_of(uint64_t cluster);
/* The local vertex number; over buffers 3 * triangle + corner. */
uint32_t corner_of(uint64_t cluster, uint32_t triangle, int corner);
/* Of a local vertex, in either sort of file. */
float corner_coordinate(uint64_t cluster, int axis, uint32_t vertex);
void print_triangle(uint64_t part_record, uint64_t cluster, uint32_t local);

#endif
