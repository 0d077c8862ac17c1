/* SPDX-License-Identifier: MIT
 * far_bodies.c: bodies whose boxes in the world are certainly apart, before a query is set up.
 *
 * To prepare a query of two parts (inverse placements, stretches, 15 axes) takes several times as
 * long as to see that the parts are far from each other. So that is looked at first, with their
 * boxes as placed: along the world's axes, along the line between their centres, and across the
 * faces of boxes that lie along turned grids, which often are flat.
 *
 * Rounding, u = 2^-53. Let S be the sum of the magnitudes of all terms of a placed corner's
 * coordinate, with the larger of |lo| and |hi|. A box's middle and half edges err by 2 u of that
 * before they are placed (a grid's far end is a sum); a placed centre takes a product and three
 * sums more, 6 u S, the reach of three placed half edges a product and two sums, 5 u S. With the
 * difference of the centres, the sum of the reaches and the comparison: below 15 u of both sums S.
 * Along a direction w, taken as exact, a dot product adds 3 u to the centres and to the reaches:
 * below 22 u of the sum of |w_i| S_i. 32 u is subtracted in both cases, and 2^-900 for what
 * underflows; plain placements keep all numbers below 2^302.
 *
 * A turned grid's box: every |coordinate|, turned or not, is at most `size`, which replaces |lo|
 * and |hi|. What is in the box may leave it by 2^-50 size on each of its axes, and a turned row of
 * the placement errs by 2^-50 of its length; three such terms each are below 4 * 2^-50 = 32 u of S.
 *
 * Slow twin: the query itself, tests/property/test_far_bodies.c.
 * Spec: exactness.md, chapter 10, "Boxes of bodies that are far apart"
 * Measured: decisions.md, "Bodies far apart".
 */
#include "query/pair/far_bodies.h"

#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "base/vec3.h"
#include "node/turn.h"
#include "query/body/placed_body.h"

#define MARGIN 0x1p-48

/* A body's box in the world: centre +- edge[0] +- edge[1] +- edge[2]. */
typedef struct world_box {
    bvpi_plain_box of;
    double centre[3], edge[3][3];
    double reach[3]; /* from the centre, on the world's axes */
} world_box;

static bool place_box(const bvp_body *body, world_box *out)
{
    const bvpi_plain_box *of = &out->of;
    double middle[3], half[3];
    bvpi_turn turn;
    if (!bvpi_get_plain_box(body, &out->of))
        return false;
    if (of->is_turned)
        bvpi_turn_init(of->turn, &turn);
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        middle[k] = (of->lo[k] + of->hi[k]) * 0.5;
        half[k] = (of->hi[k] - of->lo[k]) * 0.5;
    }
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const double *given = of->placement + 4 * i, *row = given;
        double turned[3];
        if (of->is_turned) {
            bvpi_turn_point(&turn, given, turned);
            row = turned;
        }
        out->centre[i] = row[0] * middle[0] + row[1] * middle[1] + row[2] * middle[2] + given[3];
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            out->edge[k][i] = row[k] * half[k];
        out->reach[i] = fabs(out->edge[0][i]) + fabs(out->edge[1][i]) + fabs(out->edge[2][i]);
    }
    return true;
}

/* How far the box reaches from its centre along d, times |d|. */
static double reach_along(const world_box *box, const double d[3])
{
    return fabs(bvpi_dot(box->edge[0], d)) + fabs(bvpi_dot(box->edge[1], d)) +
           fabs(bvpi_dot(box->edge[2], d));
}

/* What instances may leave the box by, for the product of their placements and the body's is
 * rounded: as load_top has it in placed_body.c, in the world; the sum of all squares for the
 * largest stretch. */
static double error_of_products(const bvpi_plain_box *of)
{
    const double *m = of->placement;
    if (!of->is_composed)
        return 0;
    const double size = bvpi_larger(of->size[0], bvpi_larger(of->size[1], of->size[2]));
    const double moved = bvpi_larger(fabs(m[3]), bvpi_larger(fabs(m[7]), fabs(m[11])));
    double stretch_sq = 0;
    for (int i = 0; i < 12; i++)
        stretch_sq += i % 4 == 3 ? 0 : m[i] * m[i];
    return size * sqrt(stretch_sq) * 0x1p-39 + moved * 0x1p-49;
}

/* What coordinate i of the placed box, or of what is in it, errs by: see above. */
static double error_of(const world_box *box, int i, double products)
{
    const double *row = box->of.placement + 4 * i, *size = box->of.size;
    const double sum =
        (fabs(row[0]) * size[0] + fabs(row[1]) * size[1]) + (fabs(row[2]) * size[2] + fabs(row[3]));
    return sum * (box->of.is_turned ? 2 * MARGIN : MARGIN) + products + 0x1p-900;
}

/* Is the gap on the world's axes, or along w, beyond the limit by more than it may err? d: from a's
 * centre to b's. */
static bool is_certain(const world_box *a, const world_box *b, const double d[3], const double w[3],
                       double limit)
{
    double on_axes_sq = 0, margin = 0x1p-900;
    if ((a->of.is_moved && !bvpi_placement_is_plain(a->of.placement)) ||
        (b->of.is_moved && !bvpi_placement_is_plain(b->of.placement)))
        return false;
    const double products = error_of_products(&a->of) + error_of_products(&b->of);
    for (int i = 0; i < 3; i++) {
        double gap = fabs(d[i]) - (a->reach[i] + b->reach[i]);
        if (gap > 0)
            gap -= error_of(a, i, products) + error_of(b, i, 0);
        on_axes_sq += gap > 0 ? gap * gap : 0;
    }
    limit *= 1 + 0x1p-18; /* as boxes are compared with a limit; more than what follows errs by */
    if (on_axes_sq > limit * limit)
        return true;
    for (int i = 0; i < 3; i++)
        margin += fabs(w[i]) * (error_of(a, i, products) + error_of(b, i, 0));
    const double length_sq = bvpi_dot(w, w);
    const double gap = fabs(bvpi_dot(w, d)) - (reach_along(a, w) + reach_along(b, w)) - margin;
    return length_sq > 0x1p-400 && gap > limit * sqrt(length_sq);
}

/* The same along the normals of the box's faces. */
static bool are_far_across(const world_box *faces, const world_box *a, const world_box *b,
                           const double d[3], double limit)
{
    for (int k = 0; k < 3; k++) {
        double w[3];
        bvpi_cross(faces->edge[(k + 1) % 3], faces->edge[(k + 2) % 3], w);
        if (fabs(bvpi_dot(w, d)) > reach_along(a, w) + reach_along(b, w) &&
            is_certain(a, b, d, w, limit))
            return true;
    }
    return false;
}

bool bvpi_bodies_are_far(const bvp_body *a, const bvp_body *b, double limit)
{
    world_box box_a, box_b;
    double d[3];
    if (!(limit < INFINITY) || !place_box(a, &box_a) || !place_box(b, &box_b))
        return false;
    bvpi_subtract(box_b.centre, box_a.centre, d);
    /* whatever this rounds to: most bodies that are asked about are near, and pay only for this */
    bool may_be_far = bvpi_dot(d, d) > reach_along(&box_a, d) + reach_along(&box_b, d);
    for (int i = 0; i < 3; i++)
        may_be_far = may_be_far || fabs(d[i]) > box_a.reach[i] + box_b.reach[i];
    return (may_be_far && is_certain(&box_a, &box_b, d, d, limit)) ||
           (box_a.of.is_turned && are_far_across(&box_a, &box_a, &box_b, d, limit)) ||
           (box_b.of.is_turned && are_far_across(&box_b, &box_a, &box_b, d, limit));
}

bool bvpi_boxes_are_far(const bvp_body *a, const bvp_body *b, double limit, bvp_stats *stats)
{
    const bool are_far = bvpi_bodies_are_far(a, b, limit);
    if (are_far && stats != NULL)
        stats->boxes++;
    return are_far;
}
