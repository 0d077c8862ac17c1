/* SPDX-License-Identifier: MIT
 * penetration.h: what is known of the depth of two bodies while it is measured.
 * Spec: exactness.md, chapter 12, "Penetration"
 */
#ifndef BVPI_CLASH_PENETRATION_H
#define BVPI_CLASH_PENETRATION_H

#include "clash/move_cover.h"
#include "clash/moving_pair.h"

enum { BVPI_PENETRATION_WAYS = 8 };

/* Invariant: out->depth rises only by what is proved, out->depth_upper falls only by a move that
 * was tried. */
typedef struct bvpi_penetration {
    bvpi_moving_pair pair;
    bvp_penetration_result *out;
    bvp_array contacts; /* the caller's: out->contact_count are sorted, the deepest first */
    double ways[BVPI_PENETRATION_WAYS][3]; /* unit: where a may come out */
    unsigned way_count;
    bvpi_move_cover cover;
    double ball_most[2]; /* no ball inside b, or a, is larger */
} bvpi_penetration;

/* ---- touch_points.c -------------------------------------------------------------------------- */

/* The contacts of bodies whose surfaces meet. */
bvp_status bvpi_penetration_contacts(bvpi_penetration *p);
/* Surfaces that only touch, or whose edges cross: a contact where they meet. */
bvp_status bvpi_penetration_meeting(bvpi_penetration *p);

/* ---- hull_bounds.c --------------------------------------------------------------------------- */

/* The move that puts a plane between the convex hulls, and what the corners that decide it prove.
 */
bvp_status bvpi_penetration_hulls(bvpi_penetration *p);

/* ---- move_search.c --------------------------------------------------------------------------- */

/* Keeps a direction unless it is nearly one that is kept already. */
void bvpi_penetration_keep_way(bvpi_penetration *p, const double way[3], double sign);
/* Of a move that is free, and shorter than those before. */
void bvpi_penetration_keep_move(bvpi_penetration *p, const double way[3], double length);
/* Tries the directions that are kept. */
bvp_status bvpi_penetration_try_ways(bvpi_penetration *p);
/* Raises the bound from below and lowers the other one, until they are near each other or it has
 * looked long enough. */
bvp_status bvpi_penetration_search(bvpi_penetration *p);
/* Shortens the best move. */
bvp_status bvpi_penetration_refine(bvpi_penetration *p);

#endif
