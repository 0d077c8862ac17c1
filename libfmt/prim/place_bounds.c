/* SPDX-License-Identifier: MIT
 * place_bounds.c: world bounds of a placed box, rounded outward by as little as possible.
 *
 * The image of a box along one axis is a sum of the translation and three products. Which corner is
 * extreme depends only on the signs of the placement's entries, so one sum for each end is enough.
 * Products are split into two doubles without error, and bvpi_sum_sign() gives the exact sign of
 * such sums. That sign decides whether a rounded bound must be lowered, and it compares images with
 * bounds.
 *
 * Invariant: the true image is inside the bounds, for walks skip instances by them.
 *
 * Slow twin: rational arithmetic, tests/unit/test_place_bounds.c.
 * Spec: format.md, chapters "Instances", "Hierarchies over the instances"; exactness.md, chapter
 * 10, "Boxes of instances"
 */
#include "prim/place_bounds.h"

#include "base/sum.h"

#include <math.h>

/* Below this size a product's rounding error may underflow. */
#define LEAST_PRODUCT 0x1p-900

/* A double not above row[0] x[0] + row[1] x[1] + row[2] x[2] + row[3]: the largest one, or, where
 * the terms cancel, one that is lower by at most a rounding error of the largest terms. */
static double round_down(const double row[4], const double x[3])
{
    double terms[8], bound = row[3], size = fabs(row[3]);
    bool tiny = false;
    for (int k = 0; k < 3; k++) {
        const bvpi_dd product = bvpi_dd_product(row[k], x[k]);
        terms[2 * k] = product.lo;
        terms[2 * k + 1] = product.hi;
        tiny = tiny || (row[k] != 0 && x[k] != 0 && fabs(product.hi) < LEAST_PRODUCT);
        bound += product.hi;
        size += fabs(product.hi);
    }
    terms[6] = row[3];
    terms[7] = -bound;
    if (!isfinite(bound))
        return bound;
    /* The rounded sum is off by a few errors of the largest term: where nothing cancels, one or two
     * neighbours of `bound`. Where terms cancel, neighbours are so near that this could take very
     * long, so later steps are as large as the error. */
    for (int step = 0; bvpi_sum_sign(terms, 8) < 0; step++) {
        bound = step < 2 ? nextafter(bound, -INFINITY) : bound - size * 0x1p-52;
        terms[7] = -bound;
    }
    return tiny ? bound - LEAST_PRODUCT : bound;
}

/* All terms are multiplied by 2^200. A product of a double and a float is a multiple of 2^-1223,
 * and so is its rounding error: scaled, both are doubles and nothing underflows. Nothing overflows:
 * scaled products are below 2^529, and a larger bound is beyond any sum of them. */
int bvpi_place_compare(const double row[4], const float lo[3], const float hi[3], bool upper,
                       double bound)
{
    double terms[8];
    if (fabs(bound) > 0x1p400)
        return bound > 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) {
        const bool at_hi = (row[k] > 0) == upper;
        const bvpi_dd product = bvpi_dd_product(row[k], (double)(at_hi ? hi[k] : lo[k]) * 0x1p200);
        terms[2 * k] = product.lo;
        terms[2 * k + 1] = product.hi;
    }
    terms[6] = row[3] * 0x1p200;
    terms[7] = -bound * 0x1p200;
    return bvpi_sum_sign(terms, 8);
}

void bvpi_place_bounds(const double placement[12], const float lo[3], const float hi[3],
                       bvpi_bounds *out)
{
    for (int axis = 0; axis < 3; axis++) {
        double down[4], up[4], least[3], most[3];
        for (int k = 0; k < 3; k++) {
            const double entry = placement[4 * axis + k];
            down[k] = entry;
            up[k] = -entry;
            least[k] = entry > 0 ? lo[k] : hi[k];
            most[k] = entry > 0 ? hi[k] : lo[k];
        }
        down[3] = placement[4 * axis + 3];
        up[3] = -down[3];
        out->lo[axis] = round_down(down, least);
        out->hi[axis] = -round_down(up, most);
    }
}
