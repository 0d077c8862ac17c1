/* SPDX-License-Identifier: MIT
 * moving_pair.h: two bodies of which the first one is moved, and the exact questions that a
 * penetration depth is made of, all under one meter.
 * Spec: exactness.md, chapter 12, "Penetration"
 */
#ifndef BVPI_CLASH_MOVING_PAIR_H
#define BVPI_CLASH_MOVING_PAIR_H

#include "clash/contact.h"

/* One of the two bodies, where it is at first. */
typedef struct bvpi_moving_side {
    bvp_body body;
    double placement[12];
    bvpi_placed_body placed;
    bvpi_kept_parts *kept; /* of an assembly: instances that were placed last */
    bvpi_part_cache pieces, seams, sweeps;
    bvpi_bounds bounds;   /* contain all of it, selected or not */
    bvpi_clash_item item; /* the one that was asked for last */
    uint32_t item_instance;
    bool has_item;
} bvpi_moving_side;

typedef struct bvpi_moving_pair {
    bvpi_moving_side a, b;
    double margin; /* 2^-40 of the reach: how far apart bodies are after a move that counts */
    double crack;  /* cracks up to this width count as closed */
    bvpi_meter *meter, own;
} bvpi_moving_pair;

/* *pair is zero at first; it must stay where it is. The control of the first body, or else the
 * second's, meters all questions together. Call bvpi_moving_pair_free even after a failure. */
bvp_status bvpi_moving_pair_init(bvpi_moving_pair *pair, const bvp_body *a, const bvp_body *b);
void bvpi_moving_pair_free(bvpi_moving_pair *pair);

/* An instance as clash sees it; BVP_NONE: the part. Valid until the next one of this body. */
bvp_status bvpi_moving_item(bvpi_moving_pair *pair, bool is_of_a, uint32_t instance,
                            const bvpi_clash_item **out);

/* ---- with a moved, by a vector -------------------------------------------------------------- */

/* Do the surfaces meet? witness: two triangles that do, and points of theirs; or NULL. */
bvp_status bvpi_moving_meets(bvpi_moving_pair *pair, const double move[3], bool *meets,
                             bvp_distance_result *witness);
/* Is an instance of one body inside one of the other? Their surfaces do not meet. O(pairs of
 * instances whose boxes meet), and once for each of their parts O(triangles). */
bvp_status bvpi_moving_enclosed(bvpi_moving_pair *pair, const double move[3], bvpi_where *out);
/* Are they farther apart than the margin, and neither inside the other? */
bvp_status bvpi_moving_is_free(bvpi_moving_pair *pair, const double move[3], bool *out);
/* The distance of surfaces that do not meet. */
bvp_status bvpi_moving_distance(bvpi_moving_pair *pair, const double move[3],
                                bvp_distance_result *out);

/* ---- where they are at first ----------------------------------------------------------------- */

/* Each pair of triangles that meet; callback as of bvp_pairs_each. */
bvp_status bvpi_moving_pairs(bvpi_moving_pair *pair, bvp_pair_fn callback, void *user);
/* The surface point of a body that is nearest to a point, if one is within the limit. */
bvp_status bvpi_moving_nearest(bvpi_moving_pair *pair, bool is_of_a, const double point[3],
                               double limit, bvp_closest_result *out);
/* Is a point certainly inside? */
bvp_status bvpi_moving_holds(bvpi_moving_pair *pair, bool is_of_a, const double point[3],
                             bool *out);
/* Is the hull of points farther from a body's surface than `delta`? Certain if so. near: else a
 * point of the surface that is not; or NULL. */
bvp_status bvpi_moving_clears(bvpi_moving_pair *pair, bool is_of_a, double (*points)[3],
                              unsigned count, double delta, bool *out, double near[3]);
/* A triangle in the world. */
bvp_status bvpi_moving_triangle(bvpi_moving_pair *pair, bool is_of_a, const bvp_hit_id *hit,
                                bvpi_world_tri *out);
/* A box: centre and half sizes along unit vectors, perpendicular but for rounding. Hands over every
 * triangle that meets it, and others that are near it. */
bvp_status bvpi_moving_in_box(bvpi_moving_pair *pair, bool is_of_a, const double centre[3],
                              double (*axis)[3], const double half[3], bvp_candidate_fn each,
                              void *user);
/* How far from a point is the surface, along a unit vector? INFINITY: it is not met. */
bvp_status bvpi_moving_ray(bvpi_moving_pair *pair, bool is_of_a, const double from[3],
                           const double way[3], double *out);

#endif
