/* SPDX-License-Identifier: MIT
 * rvm_shell.h: the triangles of one part, solid by solid.
 */
#ifndef RVM_SHELL_H
#define RVM_SHELL_H

#include <stddef.h>
#include <stdint.h>

/* Zero-initialise, but for triangles_left; free with rvm_shell_free. */
typedef struct rvm_shell {
    double *positions; /* 3 a vertex */
    uint32_t *corners; /* 3 a triangle */
    size_t vertex_count, position_capacity, corner_count, corner_capacity;
    size_t first_vertex, first_corner; /* of the solid under construction */
    uint64_t triangles_left;           /* that the whole model may still have */
    int is_too_many, is_out_of_memory; /* from then on nothing is added */
    uint32_t *slots, *renamed;         /* memory of rvm_shell_end */
    size_t slot_capacity, rename_capacity;
} rvm_shell;

/* The number of the new vertex. */
uint32_t rvm_shell_vertex(rvm_shell *s, double x, double y, double z);
void rvm_shell_triangle(rvm_shell *s, uint32_t a, uint32_t b, uint32_t c);
/* Room for `count` triangles, which the caller writes and rvm_shell_took counts; NULL: none. */
uint32_t *rvm_shell_room(rvm_shell *s, size_t count);
void rvm_shell_took(rvm_shell *s, size_t count);
/* Ends a solid: its equal vertices become one, triangles without an area go. oriented: they are
 * turned to look outward, by the sign of their volume. Returns the number of its triangles. */
size_t rvm_shell_end(rvm_shell *s, int oriented);
/* Moves the solid ended last by a row-major 3x4 matrix; one that mirrors turns its triangles. */
void rvm_shell_move(rvm_shell *s, size_t first_vertex, size_t first_corner, const double m[12]);
void rvm_shell_empty(rvm_shell *s);
void rvm_shell_free(rvm_shell *s);

#endif
