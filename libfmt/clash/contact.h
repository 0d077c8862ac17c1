/* SPDX-License-Identifier: MIT
 * contact.h: two triangles that touch, in the world, and what they tell.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#ifndef BVPI_CLASH_CONTACT_H
#define BVPI_CLASH_CONTACT_H

#include "clash/judge.h"

typedef struct bvpi_world_tri {
    double corner[9], lo[3], hi[3];
    double normal[3]; /* unit vector, by the corners' order */
    double outward;   /* times the normal: out of the part; 0: it has no normal */
    double slack;     /* how far a corner may be from where it is */
    double turn;      /* the same of the normal's end */
} bvpi_world_tri;

/* tri: corners as stored. */
void bvpi_world_tri_init(bvpi_world_tri *out, const bvpi_clash_item *item, const float tri[9]);

typedef struct bvpi_contact {
    bvp_hit_id hit_a, hit_b;
    bvpi_world_tri a, b;
    double promise; /* how far each may reach through the other's plane, the lesser of both */
    double certain; /* how far they do */
} bvpi_contact;

/* What there is to say of one pair. */
bvp_status bvpi_contact_init(const bvpi_clash_judge *judge, const bvp_hit_id *hit_a,
                             const bvp_hit_id *hit_b, bvpi_contact *out);
void bvpi_contact_measure(const bvpi_world_tri *a, const bvpi_world_tri *b, double *promise,
                          double *certain);
/* Ways that lead A out of B: out of B's face, into A's own. Unit vectors; how many there are. */
unsigned bvpi_contact_ways(const bvpi_world_tri *a, const bvpi_world_tri *b, double out[2][3]);
/* Grows a box by where they meet. */
void bvpi_contact_extend(const bvpi_world_tri *a, const bvpi_world_tri *b, double lo[3],
                         double hi[3]);

#endif
