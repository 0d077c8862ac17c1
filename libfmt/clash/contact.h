/* SPDX-License-Identifier: MIT
 * contact.h: two touching triangles in the world, and what they say about the contact.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#ifndef BVPI_CLASH_CONTACT_H
#define BVPI_CLASH_CONTACT_H

#include "clash/judge.h"

typedef struct bvpi_world_tri {
    double corner[9], lo[3], hi[3];
    double normal[3]; /* unit vector, from the order of corners */
    double outward;   /* 1 or -1: times the normal it points out of the part; 0: no normal */
    double slack;     /* error of a corner */
    double turn;      /* error of the normal's end */
} bvpi_world_tri;

/* tri: corners as stored. */
void bvpi_world_tri_init(bvpi_world_tri *out, const bvpi_clash_item *item, const float tri[9]);

typedef struct bvpi_contact {
    bvp_hit_id hit_a, hit_b;
    bvpi_world_tri a, b;
    double promise; /* at most how far each reaches through the other's plane, the lesser of both */
    double certain; /* at least how far */
} bvpi_contact;

/* Measures one pair of triangles. */
bvp_status bvpi_contact_init(const bvpi_clash_judge *judge, const bvp_hit_id *hit_a,
                             const bvp_hit_id *hit_b, bvpi_contact *out);
void bvpi_contact_measure(const bvpi_world_tri *a, const bvpi_world_tri *b, double *promise,
                          double *certain);
/* Unit vectors along which A leaves B: out of B's face, and into A's own. Returns their number. */
unsigned bvpi_contact_ways(const bvpi_world_tri *a, const bvpi_world_tri *b, double out[2][3]);
/* Extends a box by the points where the triangles meet. */
void bvpi_contact_extend(const bvpi_world_tri *a, const bvpi_world_tri *b, double lo[3],
                         double hi[3]);

#endif
