/* SPDX-License-Identifier: MIT
 * apart.c: moves that free two parts which meet, as upper bounds of their penetration depth.
 *
 * If a continuous move displaces no point of a part by more than d, and the parts are then apart
 * with neither inside the other, their depth is at most d: a point that was deeper would still be
 * inside. So any move may be tried; a good guess only makes the bound small. This file applies
 * moves and measures them; depth.c chooses which and how long.
 * - Shifts along a direction: out of touching faces, along the sum of such directions, between
 *   witness points.
 * - Shrinking towards the centre of the part's box, but only across an axis or across the contacts:
 *   frees a pin in its hole or a plate in its slot, which no shift does.
 *
 * Rounding must not help. A placement is rounded when it is moved, so the length that counts is how
 * far the rounded placement moves the corners of the part's box, rounded up. A move longer than
 * requested is discarded. "Free" means that the exact overlap test says no and every piece is
 * certainly outside (enclosed.c); "along" does not count.
 *
 * Held against brute force: tests/property/test_clash_flush.c (never a bound below the depth that
 * was built) and test_clash_brute.c.
 * Spec: exactness.md, chapter 12, "Depth"
 * Measured: decisions.md, "Clash verdicts"
 */
#include "clash/apart.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "clash/known_apart.h"

/* Leaves room for the rounding of coordinates far from the origin. */
#define SHORTER (1 - 0x1p-6)
#define LONGER  (1 + 0x1p-50)

#define ROOM 0.375 /* of a move: poses that differ by less are one to known_apart.h */

/* ---- is the pair free ------------------------------------------------------------------------ */

/* Are the parts apart, with neither inside the other, when `item`, one of the two, is at
 * `placement`? No point of it has moved farther than `length`; its box is grown by that. */
static bvp_status is_free(bvpi_clash_judge *judge, const bvpi_clash_item *item,
                          const bvpi_placement *placement, double length, bool *out)
{
    const bool is_a = item == judge->a;
    assert(is_a || item == judge->b);
    bvpi_placed_part *asked = is_a ? &judge->query.bodies.a.one : &judge->query.bodies.b.one;
    bvpi_clash_item moved = *item;
    bvpi_where where = BVPI_OUTSIDE;
    moved.part.at.placement = asked->at.placement = *placement;
    moved.slack = bvpi_clash_slack(&moved.part.at);
    for (int i = 0; i < 3; i++) {
        moved.bounds.lo[i] -= length + fabs(moved.bounds.lo[i]) * 0x1p-50;
        moved.bounds.hi[i] += length + fabs(moved.bounds.hi[i]) * 0x1p-50;
    }
    bvpi_apart_case known;
    bvp_status status = BVP_OK;
    bool meets = false;
    if (!bvpi_is_known_apart(judge, 0, ROOM * length, &known)) {
        status = bvpi_ask_collide(&judge->query, false);
        meets = judge->query.answer.best.found;
        if (status == BVP_OK && !meets)
            status = bvpi_learn_apart(judge, &known);
    }
    asked->at.placement = item->part.at.placement;
    if (status == BVP_OK && !meets)
        status = bvpi_clash_enclosed(is_a ? &moved : judge->a, is_a ? judge->b : &moved, 0,
                                     judge->crack, &where);
    *out = !meets && where == BVPI_OUTSIDE;
    return status;
}

/* ---- shifts ---------------------------------------------------------------------------------- */

bvp_status bvpi_apart_by_shift(bvpi_clash_judge *judge, const double way[3], double length,
                               double *upper, bool *is_apart)
{
    bvpi_placement placement = judge->a->part.at.placement;
    double moves[3];
    *is_apart = false;
    for (int i = 0; i < 3; i++) { /* coordinates are rounded: measure the move */
        const double from = placement.m[4 * i + 3];
        placement.m[4 * i + 3] = from + way[i] * length * SHORTER;
        moves[i] = placement.m[4 * i + 3] - from;
    }
    placement.is_identity = false;
    const double moved = sqrt(bvpi_dot(moves, moves)) * LONGER;
    if (!(moved <= length) || !(moved > 0))
        return BVP_OK;
    const bvp_status status = is_free(judge, judge->a, &placement, moved, is_apart);
    if (status == BVP_OK && *is_apart)
        *upper = fmin(*upper, moved);
    return status;
}

bvp_status bvpi_apart_by_faces(bvpi_clash_judge *judge, const bvpi_contact *contact, double length,
                               double *upper)
{
    double ways[2][3];
    bool is_apart = false;
    bvp_status status = BVP_OK;
    const unsigned count = bvpi_contact_ways(&contact->a, &contact->b, ways);
    for (unsigned k = 0; k < count && status == BVP_OK && !is_apart; k++)
        status = bvpi_apart_by_shift(judge, ways[k], length, upper, &is_apart);
    return status;
}

bvp_status bvpi_apart_by_sum(bvpi_clash_judge *judge, const bvpi_contacts *contacts, double length,
                             double *upper)
{
    double sum[3] = {0, 0, 0};
    bool is_apart;
    for (uint32_t k = 0; k < contacts->normal_count; k++)
        for (int i = 0; i < 3; i++)
            sum[i] += contacts->normals[k][i];
    const double size = sqrt(bvpi_dot(sum, sum));
    if (!(size > 0x1p-10))
        return BVP_OK;
    for (int i = 0; i < 3; i++)
        sum[i] /= size;
    return bvpi_apart_by_shift(judge, sum, length, upper, &is_apart);
}

double bvpi_apart_by_boxes(const bvpi_bounds *a, const bvpi_bounds *b)
{
    double least = INFINITY;
    for (int i = 0; i < 3; i++)
        least = fmin(least, fmin(a->hi[i] - b->lo[i], b->hi[i] - a->lo[i]));
    return fmax(least, 0) * LONGER;
}

/* ---- shrinking ------------------------------------------------------------------------------- */

#define ACROSS 0.1 /* sine of the angle from which on two directions differ */

/* The projection onto the plane perpendicular to a unit vector. */
static void project_across(const double axis[3], double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = (i == k) - axis[i] * axis[k];
}

/* The projection onto the directions in which contacts can be left: perpendicular to a plate,
 * around the axis of a pin, or all directions. */
static void project_on_ways(const bvpi_contacts *c, double out[9])
{
    /* The axis: the unit vector perpendicular to the two directions that differ most. None if all
     * are parallel. */
    double axis[3], most = ACROSS * ACROSS;
    bool has_axis = false, is_all = false;
    assert(c->normal_count > 0 && c->normal_count <= BVPI_CONTACT_NORMALS);
    for (uint32_t k = 1; k < c->normal_count; k++)
        for (uint32_t l = 0; l < k; l++) {
            const double *p = c->normals[k], *q = c->normals[l];
            const double cross[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2],
                                     p[0] * q[1] - p[1] * q[0]};
            const double size = bvpi_dot(cross, cross);
            if (!(size > most))
                continue;
            most = size;
            has_axis = true;
            for (int i = 0; i < 3; i++)
                axis[i] = cross[i] / sqrt(size);
        }
    for (uint32_t k = 0; k < c->normal_count && has_axis; k++)
        is_all = is_all || fabs(bvpi_dot(axis, c->normals[k])) > ACROSS;
    if (has_axis && !is_all) {
        project_across(axis, out);
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = is_all ? (double)(i == k) : c->normals[0][i] * c->normals[0][k];
}

/* An upper bound of how far any point of the part moves. The difference of two placements is
 * affine, so a corner of the part's box moves farthest. */
static double farthest_move(const bvpi_part *part, const double from[12], const double to[12])
{
    double most = 0;
    for (int which = 0; which < 8; which++) {
        double corner[3], move[3];
        for (int k = 0; k < 3; k++)
            corner[k] = (double)(which >> k & 1 ? part->hi[k] : part->lo[k]);
        for (int i = 0; i < 3; i++) {
            double sum = to[4 * i + 3] - from[4 * i + 3], terms = fabs(sum);
            for (int k = 0; k < 3; k++) {
                const double term = (to[4 * i + k] - from[4 * i + k]) * corner[k];
                sum += term;
                terms += fabs(term);
            }
            move[i] = fabs(sum) + terms * 0x1p-50;
        }
        most = fmax(most, bvpi_dot(move, move));
    }
    return sqrt(most) * LONGER;
}

/* The largest distance of a corner of the box from its centre, after the projection. */
static double radius_of(const bvpi_clash_item *item, const double projection[9])
{
    const double *m = item->part.at.placement.m;
    const bvpi_part *part = &item->part.part;
    double most = 0;
    for (int which = 0; which < 8; which++) {
        double half[3], world[3], across[3];
        for (int k = 0; k < 3; k++)
            half[k] = (which >> k & 1 ? 0.5 : -0.5) * ((double)part->hi[k] - (double)part->lo[k]);
        for (int i = 0; i < 3; i++)
            world[i] = bvpi_dot(m + 4 * i, half);
        for (int i = 0; i < 3; i++)
            across[i] = bvpi_dot(projection + 3 * i, world);
        most = fmax(most, bvpi_dot(across, across));
    }
    return sqrt(most);
}

/* The item's placement, shrunk by `share` towards its box's centre, in the projected directions
 * only. */
static bvp_status shrink(const bvpi_clash_item *item, const double projection[9], double share,
                         bvpi_placement *out)
{
    const double *m = item->part.at.placement.m;
    const bvpi_part *part = &item->part.part;
    double centre[3], from_centre[12], shrunk[12];
    for (int k = 0; k < 3; k++)
        centre[k] = 0.5 * (double)part->lo[k] + 0.5 * (double)part->hi[k];
    memcpy(from_centre, m, sizeof from_centre);
    for (int i = 0; i < 3;
         i++) /* relative to the image of the box's centre, so that the translation cancels */
        from_centre[4 * i + 3] = -bvpi_dot(m + 4 * i, centre);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            double across = 0;
            for (int j = 0; j < 3; j++)
                across += projection[3 * i + j] * from_centre[4 * j + k];
            shrunk[4 * i + k] = m[4 * i + k] - share * across;
        }
    return bvpi_placement_init(out, shrunk);
}

static bvp_status try_shrinking(bvpi_clash_judge *judge, const bvpi_clash_item *item,
                                const double projection[9], double length, double *upper,
                                bool *is_apart)
{
    const double radius = radius_of(item, projection);
    bvpi_placement placement;
    *is_apart = false;
    if (!(radius > length))
        return BVP_OK;
    if (shrink(item, projection, length * SHORTER / radius, &placement) != BVP_OK)
        return BVP_OK; /* not representable there; another direction may work */
    const double moved = farthest_move(&item->part.part, item->part.at.placement.m, placement.m);
    if (!(moved <= length))
        return BVP_OK;
    const bvp_status status = is_free(judge, item, &placement, moved, is_apart);
    if (status == BVP_OK && *is_apart)
        *upper = fmin(*upper, moved);
    return status;
}

/* Tries the narrower part first: it is usually the one inside. */
bvp_status bvpi_apart_by_shrinking(bvpi_clash_judge *judge, const bvpi_contacts *contacts,
                                   double length, double *upper)
{
    double projection[9];
    bool is_apart;
    if (contacts->normal_count == 0)
        return BVP_OK;
    project_on_ways(contacts, projection);
    const bool b_first = radius_of(judge->b, projection) < radius_of(judge->a, projection);
    const bvp_status status =
        try_shrinking(judge, b_first ? judge->b : judge->a, projection, length, upper, &is_apart);
    if (status != BVP_OK || is_apart)
        return status;
    return try_shrinking(judge, b_first ? judge->a : judge->b, projection, length, upper,
                         &is_apart);
}

/* ---- shrinking around one of a part's own axes ----------------------------------------------- */

enum { TRIES = 3 };

typedef struct axis_try {
    const bvpi_clash_item *item;
    double radius, projection[9];
} axis_try;

/* Keeps the narrowest tries, in ascending order. */
static void keep_axes(axis_try tries[TRIES], unsigned *count, const bvpi_clash_item *item)
{
    const double *m = item->part.at.placement.m;
    for (int k = 0; k < 3; k++) {
        double axis[3] = {m[k], m[4 + k], m[8 + k]};
        const double size = sqrt(bvpi_dot(axis, axis));
        for (int i = 0; i < 3; i++)
            axis[i] /= size;
        axis_try one = {.item = item};
        project_across(axis, one.projection);
        one.radius = radius_of(item, one.projection);
        unsigned at = *count;
        if (at == TRIES && !(one.radius < tries[at - 1].radius))
            continue;
        at = at < TRIES ? (*count)++ : at - 1;
        for (; at > 0 && one.radius < tries[at - 1].radius; at--)
            tries[at] = tries[at - 1];
        tries[at] = one;
        assert(*count <= TRIES);
    }
}

bvp_status bvpi_apart_by_axis(bvpi_clash_judge *judge, double length, double *upper)
{
    axis_try tries[TRIES];
    unsigned count = 0;
    bool is_apart = false;
    bvp_status status = BVP_OK;
    keep_axes(tries, &count, judge->a);
    keep_axes(tries, &count, judge->b);
    for (unsigned k = 0; k < count && status == BVP_OK && !is_apart; k++)
        status = try_shrinking(judge, tries[k].item, tries[k].projection, length, upper, &is_apart);
    return status;
}
