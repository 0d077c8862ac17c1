/* SPDX-License-Identifier: MIT
 * facing.h: all pairs of triangles that may be as near as the limit, when two parts lie on either
 * side of a narrow gap between parallel planes. For parts with wide hierarchies.
 *
 * Plates face to face, tilted a little or rough by rounding: boxes in floats do not tell their
 * pairs apart, doubles along the planes' normal do.
 *
 * Spec: exactness.md, chapter 6, "Ties"
 */
#ifndef BVPI_QUERY_PAIR_FACING_H
#define BVPI_QUERY_PAIR_FACING_H

#include "query/pair/ties.h"

#define facing_settle BVPI_ISA_NAME(bvpi_facing_settle)
/* Looks for parallel planes between the parts, and measures whatever pairs may be answers then. a,
 * b, and true: as bvpi_ties_settle's. Costs little where there is no such gap. */
bool facing_settle(const bvpi_ties *ties, const float a[9], const float b[9]);

#endif
