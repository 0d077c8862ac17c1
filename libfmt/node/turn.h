/* SPDX-License-Identifier: MIT
 * turn.h: the rotation from a part's coordinates into the frame of its hierarchy's grid.
 *
 * Long thin triangles across the axes have boxes as large as the part. Such a part's grid may lie
 * along them: a rotation, by a quaternion of four 16-bit integers. Its matrix is the rational one,
 * rounded once per entry; a point of the part is turned in double by the sums below. The boxes hold
 * the points so computed.
 *
 * Error: with u = 2^-53, an entry, its product and two sums make a turned coordinate err from that
 * of the exact rotation by at most 4 u (1 + 4 u) |R_i . x|_1, which is less than 2^-50 |x|.
 *
 * Held by tests/unit/test_turn.c.
 * Spec: format.md, chapter "Hierarchies" (turn)
 */
#ifndef BVPI_NODE_TURN_H
#define BVPI_NODE_TURN_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "format/record.h"

/* Any turned coordinate of x errs by less than this times |x|. */
#define BVPI_TURN_ERROR 0x1p-50

/* Row-major: turned = m x. Its rows, and its columns, are orthonormal but for rounding. */
typedef struct bvpi_turn {
    double m[9];
} bvpi_turn;

/* q: w, x, y, z; not all 0, none below -32767. */
static inline void bvpi_turn_init(const int16_t q[4], bvpi_turn *out)
{
    const int64_t w = q[0], x = q[1], y = q[2], z = q[3];
    const int64_t size = w * w + x * x + y * y + z * z;
    const int64_t m[9] = {w * w + x * x - y * y - z * z, 2 * (x * y - w * z),
                          2 * (x * z + w * y),           2 * (x * y + w * z),
                          w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                          2 * (x * z - w * y),           2 * (y * z + w * x),
                          w * w - x * x - y * y + z * z};
    for (int k = 0; k < 9; k++)
        out->m[k] = (double)m[k] / (double)size;
}

/* What the format's rules are about: these roundings, in this order. */
static inline void bvpi_turn_point(const bvpi_turn *turn, const double x[3], double out[3])
{
    const double *m = turn->m;
    for (int i = 0; i < 3; i++)
        out[i] = (m[3 * i] * x[0] + m[3 * i + 1] * x[1]) + m[3 * i + 2] * x[2];
}

/* A point, whose coordinates err by at most `err`, in the frame of a tree's grid, which is the
 * part's own unless it is turned. Returns by how much out's coordinates err: a row of a rotation
 * sums up to at most sqrt(3). */
static inline double bvpi_turned_point(const bvpi_tree *tree, const double x[3], double err,
                                       double out[3])
{
    bvpi_turn turn;
    if (!tree->is_turned) {
        memcpy(out, x, 3 * sizeof *out);
        return err;
    }
    bvpi_turn_init(tree->turn, &turn);
    bvpi_turn_point(&turn, x, out);
    return 2 * err + (fabs(x[0]) + fabs(x[1]) + fabs(x[2])) * BVPI_TURN_ERROR;
}

/* The way back. */
static inline void bvpi_turn_back(const bvpi_turn *turn, const double x[3], double out[3])
{
    const double *m = turn->m;
    for (int i = 0; i < 3; i++)
        out[i] = (m[i] * x[0] + m[3 + i] * x[1]) + m[6 + i] * x[2];
}

/* x: maps b's part coordinates, of magnitudes up to bound_b, to a's, row-major 3x4; a coordinate
 * errs by at most `error`. out: the same from the frame of b's grid to that of a's. Returns by how
 * much its coordinates err. */
double bvpi_turn_map(const double x[12], const bvpi_tree *a, const bvpi_tree *b,
                     const double bound_b[3], double error, double out[12]);

/* world: 3x3, from the world to a's part coordinates; then to the frame of a's grid. */
void bvpi_turn_world(const bvpi_tree *a, double world[9]);

#endif
