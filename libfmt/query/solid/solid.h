/* SPDX-License-Identifier: MIT
 * solid.h: where a point is, relative to the solid that a part's surface bounds.
 * Spec: exactness.md, chapter 10, "Inside"
 */
#ifndef BVPI_QUERY_SOLID_SOLID_H
#define BVPI_QUERY_SOLID_SOLID_H

#include "base/isa.h"
#include "base/meter.h"
#include "query/body/placed_body.h"

/* What a file says about a part's edges. */
typedef struct bvpi_solid {
    bool is_open;  /* some belong to one triangle only */
    bool is_plain; /* each belongs to two triangles */
} bvpi_solid;
bvp_status bvpi_solid_of(const bvp_file *file, uint32_t part, bvpi_solid *out);

/* One question about points. */
typedef struct bvpi_solid_query {
    const bvp_file *file;
    bool with_angles;  /* sums up those of open shells, which takes long; else `winding` is 0 */
    bvpi_meter *meter; /* the call's, or NULL */
    bvp_stats stats;
} bvpi_solid_query;

/* A finite point and a part of the query's file. Fills `out`, whose instance is the part's; of an
 * outside point BVP_NONE. */
bvp_status bvpi_solid_ask(bvpi_solid_query *query, const bvpi_placed_part *part,
                          const double point[3], bvp_inside_result *out);

/* solid_where.c: the same of a body. with_angles: as above. */
bvp_status bvpi_solid_where(const bvpi_placed_body *placed, const double point[3], bool with_angles,
                            bvpi_meter *meter, bvp_inside_result *out, bvp_stats *stats);

/* solid_angle.c: the generalised winding number of the part's surface around a point. */
bvp_status bvpi_solid_angle(const bvpi_placed_part *part, const double point[3], bvpi_meter *meter,
                            double *out);

/* -1 for a placement that mirrors, else 1. */
int bvpi_solid_turn(const bvpi_placement *placement);

#endif
