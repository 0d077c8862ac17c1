/* SPDX-License-Identifier: MIT
 * place_bounds.c: each side of the bounds is the largest double that is not above the exact one.
 * Spec: format.md, chapters "Instances", "Hierarchies over the instances".
 */
#include "prim/place_bounds.h"

#include "base/sum.h"

#include <math.h>

/* Below this, the products' rounding errors may underflow. */
#define LEAST_PRODUCT 0x1p-900

/* A double not above the sum of the row's products with x, plus row[3]: the largest one, or, where
 * the terms cancel, one that is below by at most a rounding error of the terms' own size. */
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
    for (int step = 0; bvpi_sum_sign(terms, 8) < 0; step++) {
        bound = step < 2 ? nextafter(bound, -INFINITY) : bound - size * 0x1p-52;
        terms[7] = -bound;
    }
    return tiny ? bound - LEAST_PRODUCT : bound;
}

/* All terms are multiplied by 2^200. A product of a double and a float is a multiple of 2^-1223,
 * and so is its rounding error: scaled, both are doubles, and nothing underflows. Nothing overflows
 * either: scaled products are below 2^529, a larger bound is beyond all that they can add up to. */
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
