/* SPDX-License-Identifier: MIT
 * turn.c: relative placement of two hierarchies whose grids are turned: R_a X R_b^T.
 *
 * Held by tests/unit/test_turn.c and tests/property/test_turned.c.
 * Spec: exactness.md, chapter 10, "Turned grids"
 */
#include "node/turn.h"

#include <math.h>
#include <string.h>

/* A row of a rotation sums up to at most sqrt(3), so an error of each coordinate becomes at most 2
 * times as large. Each of the two products rounds by at most 4 u of the sum of its terms: 24 u, and
 * so less than 2^-48, of what the map and b's farthest point give. */
double bvpi_turn_map(const double x[12], const bvpi_tree *a, const bvpi_tree *b,
                     const double bound_b[3], double error, double out[12])
{
    bvpi_turn turn;
    double rounding = 0;
    memcpy(out, x, 12 * sizeof *out);
    for (int i = 0; i < 3; i++) {
        const double *row = x + 4 * i;
        double size = fabs(row[3]);
        for (int j = 0; j < 3; j++)
            size += fabs(row[j]) * bound_b[j];
        rounding = fmax(rounding, size * 0x1p-48);
    }
    if (b->is_turned) { /* X R^T: R times each row of X */
        bvpi_turn_init(b->turn, &turn);
        for (int i = 0; i < 3; i++) {
            double row[3];
            bvpi_turn_point(&turn, out + 4 * i, row);
            memcpy(out + 4 * i, row, sizeof row);
        }
    }
    if (a->is_turned) { /* R X: R times each column */
        bvpi_turn_init(a->turn, &turn);
        for (int j = 0; j < 4; j++) {
            const double column[3] = {out[j], out[4 + j], out[8 + j]};
            double turned[3];
            bvpi_turn_point(&turn, column, turned);
            for (int i = 0; i < 3; i++)
                out[4 * i + j] = turned[i];
        }
    }
    return 2 * error + rounding;
}

void bvpi_turn_world(const bvpi_tree *a, double world[9])
{
    bvpi_turn turn;
    if (!a->is_turned)
        return;
    bvpi_turn_init(a->turn, &turn);
    for (int j = 0; j < 3; j++) {
        const double column[3] = {world[j], world[3 + j], world[6 + j]};
        double turned[3];
        bvpi_turn_point(&turn, column, turned);
        for (int i = 0; i < 3; i++)
            world[3 * i + j] = turned[i];
    }
}
