/* SPDX-License-Identifier: MIT
 * grid.h: the integer grid of a hierarchy's boxes. Every rounding is outward and exact.
 * Spec: format.md, chapter "Hierarchies" (grid)
 */
#ifndef BVPI_NODE_GRID_H
#define BVPI_NODE_GRID_H

#include <stdbool.h>
#include <stdint.h>

/* The format's range: no coordinate may be larger in magnitude. */
#define BVPI_COORDINATE_MAX 0x1p250

typedef struct bvpi_grid {
    double origin[3];     /* multiples of unit */
    double unit, inverse; /* powers of two; inverse = 1 / unit */
    double start[3];      /* origin / unit: whole numbers below 2^52 */
    uint32_t extent[3];   /* root box: 0 .. extent */
    int16_t turn[4];      /* is_turned: the frame that it lies in */
    bool is_turned;
} bvpi_grid;

/* The finest grid, not turned, whose root box contains lo .. hi, |numbers| <= BVPI_COORDINATE_MAX.
 */
void bvpi_grid_choose(const double lo[3], const double hi[3], bvpi_grid *out);

/* 1.5 * 2^52: adding and subtracting it rounds |x| < 2^51 to a whole number. */
#define BVPI_ROUNDER 0x1.8p52

/* The largest whole number <= x, |x| < 2^51, without a call that a compiler may or may not
 * inline. */
static inline double bvpi_floor(double x)
{
    double rounded = (x + BVPI_ROUNDER) - BVPI_ROUNDER;
    return rounded > x ? rounded - 1 : rounded;
}

/* The last grid line not above x, and the first not below it: 0 .. extent for every x in the box.
 * The product with `inverse` is exact, and so is the difference. */
static inline double bvpi_grid_below(const bvpi_grid *grid, int axis, double x)
{
    return bvpi_floor(x * grid->inverse) - grid->start[axis];
}

static inline double bvpi_grid_above(const bvpi_grid *grid, int axis, double x)
{
    return -bvpi_floor(-x * grid->inverse) - grid->start[axis];
}

#endif
