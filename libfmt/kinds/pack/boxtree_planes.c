/* SPDX-License-Identifier: MIT
 * boxtree_planes.c: chooses which sides of the parent's box a boxtree node moves.
 *
 * There are only 64 sets of sides, so all with at most plane_max sides are tried; the one that
 * leaves the least surface wins, unless fewer planes do almost as well (LEAST_GAIN). Offsets are
 * rounded down, towards the parent's side.
 *
 * In the paper's own tree both children of a node move one side each, on one axis: of the three
 * axes the one that leaves the least volume in both.
 *
 * Invariant: the node's box, as decoded, holds the box that was asked for.
 *
 * Held by tests/property/test_binary.c.
 * Spec: format.md, chapter "Boxtree"
 * Based on: Zachmann, Minimal hierarchical collision detection, 2002, sections 3.1 and 4.2.
 */
#include "kinds/pack/boxtree_planes.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SIDES = 6, SETS = 1 << SIDES };

/* A plane is stored only if it takes away at least this share of the surface: it costs bytes, and
 * gains nothing in a node that barely differs from its parent. Measured on 2 M triangles of a plant
 * (8 bits, 3 planes, leaves of 8): 0 gives 1.34 bytes a triangle and an area cost of 37.6, this
 * 1.24 and 37.9, 0.03 1.18 and 38.6; exact boxes 7.15 and 36.8. */
static const double LEAST_GAIN = 0.01;

/* How far, in grid steps, each side can move. */
static void find_moves(const bvpi_binary *tree, const bvpi_frame *parent, const bvpi_frame *inner,
                       uint32_t units[SIDES], uint32_t steps[SIDES])
{
    for (int side = 0; side < SIDES; side++) {
        const int axis = side % 3;
        const uint32_t extent = parent->hi[axis] - parent->lo[axis];
        const uint32_t distance =
            side < 3 ? inner->lo[axis] - parent->lo[axis] : parent->hi[axis] - inner->hi[axis];
        const unsigned shift =
            tree->offset_size == 4 ? 0 : bvpi_boxtree_shift(extent, tree->offset_size);
        assert(distance <= extent); /* the inner box is in the parent's */
        /* the largest offset from the side, in its unit, that does not pass `distance` */
        units[side] = distance >> shift;
        const uint32_t most =
            tree->offset_size == 4 ? UINT32_MAX : (UINT32_C(1) << 8 * tree->offset_size) - 1;
        units[side] = units[side] < most ? units[side] : most;
        steps[side] = units[side] << shift;
    }
}

/* Half of the surface of what a set of sides leaves: how often it is met; unlike the volume it
 * tells flat boxes apart, too. */
static double size_left(const bvpi_frame *parent, const uint32_t steps[SIDES], unsigned sides)
{
    double extent[3];
    for (int axis = 0; axis < 3; axis++) {
        extent[axis] = parent->hi[axis] - parent->lo[axis];
        extent[axis] -= sides >> axis & 1 ? steps[axis] : 0;
        extent[axis] -= sides >> (axis + 3) & 1 ? steps[axis + 3] : 0;
    }
    return extent[0] * extent[1] + extent[1] * extent[2] + extent[2] * extent[0];
}

/* The best set of each number of sides; more of them only when they pay. */
static unsigned choose_sides(const bvpi_binary *tree, const bvpi_frame *parent,
                             const uint32_t steps[SIDES])
{
    double best[4];
    unsigned chosen[4] = {0};
    assert(tree->plane_max <= 3);
    best[0] = size_left(parent, steps, 0);
    for (unsigned count = 1; count <= 3; count++)
        best[count] = best[0];
    for (unsigned sides = 1; sides < SETS; sides++) {
        const unsigned count = (unsigned)__builtin_popcount(sides);
        if (count > tree->plane_max)
            continue;
        const double size = size_left(parent, steps, sides);
        if (size < best[count]) {
            best[count] = size;
            chosen[count] = sides;
        }
    }
    unsigned count = 0;
    for (unsigned k = 1; k <= tree->plane_max; k++)
        if (best[k] < best[count] * (1 - LEAST_GAIN * (k - count)))
            count = k;
    return chosen[count];
}

/* Writes the planes; *out: what a reader decodes. */
static void store(const bvpi_binary *tree, const bvpi_frame *parent, const uint32_t units[SIDES],
                  unsigned sides, uint8_t *payload, bvpi_frame *out)
{
    assert((unsigned)__builtin_popcount(sides) <= tree->plane_max); /* the payload's room */
    uint8_t *next = payload;
    *next++ = (uint8_t)sides;
    for (int side = 0; side < SIDES; side++)
        if (sides >> side & 1) {
            const float exact = (float)units[side]; /* below 2^22 */
            if (tree->offset_size == 4)
                memcpy(next, &exact, sizeof exact);
            else
                memcpy(next, &units[side], tree->offset_size); /* little-endian: the low bytes */
            next += tree->offset_size;
        }
    bvpi_boxtree_box(tree, parent, payload, out);
}

#ifndef NDEBUG
static bool holds(const bvpi_frame *outer, const bvpi_frame *inner)
{
    for (int axis = 0; axis < 3; axis++)
        if (outer->lo[axis] > inner->lo[axis] || outer->hi[axis] < inner->hi[axis])
            return false;
    return true;
}
#endif

void bvpi_boxtree_fit(const bvpi_binary *tree, const bvpi_frame *parent, const bvpi_frame *inner,
                      uint8_t *payload, bvpi_frame *out)
{
    uint32_t units[SIDES], steps[SIDES];
    find_moves(tree, parent, inner, units, steps);
    store(tree, parent, units, choose_sides(tree, parent, steps), payload, out);
    assert(holds(out, inner)); /* offsets were rounded towards the parent's sides */
}

/* ---- siblings -------------------------------------------------------------------------------- */

/* What remains of the box when one side moves; flat boxes have volumes, too. */
static double volume_left(const bvpi_frame *parent, const uint32_t steps[SIDES], int side)
{
    double volume = 1;
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t moved = axis == side % 3 ? steps[side] : 0;
        volume *= 1 + (double)(parent->hi[axis] - parent->lo[axis] - moved);
    }
    return volume;
}

void bvpi_boxtree_fit_siblings(const bvpi_binary *tree, const bvpi_frame *parent,
                               const bvpi_frame inner[2], uint8_t *const payload[2],
                               bvpi_frame out[2])
{
    uint32_t units[2][SIDES], steps[2][SIDES];
    int best[2] = {0, 0};
    double least = INFINITY;
    for (int child = 0; child < 2; child++)
        find_moves(tree, parent, &inner[child], units[child], steps[child]);
    for (int axis = 0; axis < 3; axis++) {
        int side[2];
        double volume = 0;
        for (int child = 0; child < 2; child++) {
            const double lower = volume_left(parent, steps[child], axis);
            const double upper = volume_left(parent, steps[child], axis + 3);
            side[child] = upper <= lower ? axis + 3 : axis;
            volume += upper <= lower ? upper : lower;
        }
        if (volume < least) {
            least = volume;
            memcpy(best, side, sizeof best);
        }
    }
    for (int child = 0; child < 2; child++) {
        store(tree, parent, units[child], 1u << best[child], payload[child], &out[child]);
        assert(holds(&out[child], &inner[child]));
    }
}
