/* SPDX-License-Identifier: MIT
 * hard_models.h: small models that are hard for hierarchies of boxes, made from formulas: slivers
 * in all directions, surfaces that face each other at one distance, copies that nearly coincide.
 */
#ifndef HARD_MODELS_H
#define HARD_MODELS_H

#include <stdint.h>

/* 9 floats a triangle, of malloc: the caller frees `soup`. What makes a model ends the program when
 * memory is out. */
typedef struct hard_model {
    float *soup;
    uint32_t count; /* triangles */
} hard_model;

/* A corrugated sheet, 1000 x 1000 and 2 high, its strips along x: two triangles a strip. */
hard_model hard_strips(uint32_t strips);
/* A tube with flat ends around z, its middle at the origin; inner == 0: a rod. Two triangles for
 * each facet of a wall, and for each of a ring. */
hard_model hard_pipe(uint32_t facets, double inner, double outer, double length);
/* A profile of `count` points (radius, height) turned around z: a disc is a fan of slivers around
 * its middle, a ball of few points and many facets has slivers along its meridians, as a scanner's
 * lines leave them. */
hard_model hard_revolved(uint32_t facets, const double (*profile)[2], uint32_t count);
/* Needles of .5 x .0005 in the unit cube around the origin, three triangles each, bundled along
 * `directions` directions (a dozen: ribs and grids of printed models). */
hard_model hard_needles(uint32_t count, uint32_t directions, uint64_t seed);
/* A square of edge 1 in the plane z = 0, its first corner the origin: 2 cells^2 triangles. */
hard_model hard_plate(uint32_t cells);
/* A sphere around the origin, a cube's sides blown up: 12 cells^2 triangles of nearly one size. */
hard_model hard_sphere(uint32_t cells, double radius);
/* The same of about radius 1 with bumps, each vertex off by up to a fifth of an edge, as a
 * scanner's noise: still closed. */
hard_model hard_scan(uint32_t cells, uint64_t seed);
/* One more triangle, as large as 1 and `distance` away from the origin along (1, 1, 1). */
void hard_add_stray(hard_model *model, double distance);

/* A rigid placement, row-major 3x4: turned about an axis by an angle in radians, then moved. */
void hard_place(const double axis[3], double angle, const double at[3], double placement[12]);
/* Turns the model in its own coordinates. */
void hard_turn(hard_model *model, const double axis[3], double angle);
/* In [0, 1), by splitmix64. */
double hard_uniform(uint64_t *state);

#endif
