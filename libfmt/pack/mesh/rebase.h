/* SPDX-License-Identifier: MIT
 * rebase.h: from doubles to floats relative to an origin.
 * Spec: format.md, chapter "Parts"
 */
#ifndef BVPI_PACK_MESH_REBASE_H
#define BVPI_PACK_MESH_REBASE_H

#include <stdbool.h>

/* Range of the corners that triangles use. exact: all coordinates on the axis are floats. */
typedef struct bvpi_corners_range {
    double lo[3], hi[3];
    bool exact[3];
    bool has_corners;
} bvpi_corners_range;

/* Adds a corner. Of an empty range all members are zero. */
void bvpi_corners_range_add(bvpi_corners_range *range, const double x[3]);
/* Adds the corners of `other`. */
void bvpi_corners_range_join(bvpi_corners_range *range, const bvpi_corners_range *other);
/* An axis whose coordinates are floats keeps origin 0, and they stay exact. */
void bvpi_corners_range_origin(const bvpi_corners_range *range, double origin[3]);
/* Stores (float)(x - origin). *error: raised to how far that is from the exact value. False: it is
 * farther from the origin than a float can hold. */
bool bvpi_rebase(const double x[3], const double origin[3], float out[3], double *error);

#endif
