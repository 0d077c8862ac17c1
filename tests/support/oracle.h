/* SPDX-License-Identifier: MIT
 * oracle.h: what the queries between two bodies must answer, by trying every pair of triangles with
 * the exact predicates; and files to ask, packed from triangle soups.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include "bvpack.h"

#include <stdbool.h>

/* Triangles (9 floats each) somewhere; placement NULL: the identity. */
typedef struct oracle_soup {
    const float *tri;
    uint64_t count;
    const double *placement;
} oracle_soup;

/* matrix[i * b.count + j]: 0, or BVPI_MEET and perhaps BVPI_PROPER. Returns how many meet. */
uint64_t oracle_pairs(oracle_soup a, oracle_soup b, uint8_t *matrix);

/* lo <= minimum distance <= hi; both 0 exactly when they touch. */
void oracle_distance(oracle_soup a, oracle_soup b, double *lo, double *hi);

/* ---- files ----------------------------------------------------------------------------------- */

/* Packs soups as parts 0 .. count - 1 and opens the file. node_count nodes, of which node k is
 * node_parts[k] at 12 doubles placements + 12 k below the root; none: one for each part. baseline:
 * as bvp_open_options.baseline_simd. Ends the test on failure. With oracle_has_rays, parts get
 * hierarchies for rays, and the file is verified. */
extern bool oracle_has_rays;
bvp_file *oracle_open(const oracle_soup *parts, uint32_t count, const uint32_t *node_parts,
                      const double *placements, uint32_t node_count, bool baseline);

#endif
