/* SPDX-License-Identifier: MIT
 * near_order.c: points sorted by counting, by their cells, 16 on each axis of their box.
 * Based on: Morton, A computer oriented geodetic data base, 1966.
 */
#include "query/near/near_order.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "query/body/caller_array.h"

enum { AXIS_BITS = 4, CELLS = 1 << (3 * AXIS_BITS) };

/* The cell of a point on one axis: 0 too if it is no number. */
static unsigned cell_of(double at, double lo, double per_step)
{
    const double step = (at - lo) * per_step;
    if (!(step > 0))
        return 0;
    return step < (1 << AXIS_BITS) - 1 ? (unsigned)step : (1 << AXIS_BITS) - 1;
}

void bvpi_near_order(const bvp_const_array *points, size_t from, unsigned count, uint16_t *order)
{
    static const uint16_t spread[1 << AXIS_BITS] = {0x000, 0x001, 0x008, 0x009, 0x040, 0x041,
                                                    0x048, 0x049, 0x200, 0x201, 0x208, 0x209,
                                                    0x240, 0x241, 0x248, 0x249};
    uint16_t cell[BVPI_NEAR_MOST], next[CELLS] = {0};
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double per_step[3];
    assert(count >= BVPI_NEAR_LEAST && count <= BVPI_NEAR_MOST);
    for (unsigned i = 0; i < count; i++) {
        const double *point = bvpi_const_element(points, 3 * sizeof *point, from + i);
        for (int a = 0; a < 3; a++) {
            lo[a] = bvpi_smaller(lo[a], point[a]);
            hi[a] = bvpi_larger(hi[a], point[a]);
        }
    }
    for (int a = 0; a < 3; a++)
        per_step[a] = (1 << AXIS_BITS) / (hi[a] - lo[a]);
    for (unsigned i = 0; i < count; i++) {
        const double *point = bvpi_const_element(points, 3 * sizeof *point, from + i);
        unsigned at = 0;
        for (int a = 0; a < 3; a++)
            at |= (unsigned)spread[cell_of(point[a], lo[a], per_step[a])] << a;
        cell[i] = (uint16_t)at;
        next[at]++;
    }
    for (unsigned at = 0, sum = 0; at < CELLS; at++) {
        const unsigned here = next[at];
        next[at] = (uint16_t)sum;
        sum += here;
    }
    for (unsigned i = 0; i < count; i++)
        order[next[cell[i]]++] = (uint16_t)i;
}
