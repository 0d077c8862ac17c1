/* SPDX-License-Identifier: MIT
 * transform.c: placements as files write them, as row-major 3x4 matrices.
 */
#include "model/transform.h"

#include <assert.h>
#include <math.h>
#include <string.h>

int transform_from_columns(const double columns[16], double out[12])
{
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            out[4 * row + column] = columns[4 * column + row];
    return columns[3] == 0 && columns[7] == 0 && columns[11] == 0 && columns[15] == 1 ? 0 : -1;
}

int transform_from_rows(const double *rows, int count, double out[12])
{
    assert(count == 12 || count == 16);
    memcpy(out, rows, 12 * sizeof *out);
    return count == 12 || (rows[12] == 0 && rows[13] == 0 && rows[14] == 0 && rows[15] == 1) ? 0
                                                                                             : -1;
}

void transform_multiply(const double a[12], const double b[12], double out[12])
{
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            double sum = column == 3 ? a[4 * row + 3] : 0;
            for (int k = 0; k < 3; k++)
                sum += a[4 * row + k] * b[4 * k + column];
            out[4 * row + column] = sum;
        }
}

void transform_scale(double a[12], const double s[3])
{
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            a[4 * row + column] *= s[column];
}

/* By Cramer's rule. */
void transform_relative(const double a[12], const double b[12], double out[12])
{
    double cofactors[3][3], determinant = 0;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            const double *next = a + 4 * ((row + 1) % 3), *last = a + 4 * ((row + 2) % 3);
            const int right = (column + 1) % 3, far = (column + 2) % 3;
            cofactors[row][column] = next[right] * last[far] - next[far] * last[right];
        }
    for (int column = 0; column < 3; column++)
        determinant += a[column] * cofactors[0][column];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += cofactors[k][row] * (b[4 * k + column] - (column == 3 ? a[4 * k + 3] : 0));
            out[4 * row + column] = sum / determinant;
        }
}

/* With 2 / |q|^2, so that quaternions that their writer rounded still give a rotation. */
void transform_from_trs(const double move[3], const double turn[4], const double scale[3],
                        double out[12])
{
    double x = turn[0], y = turn[1], z = turn[2], w = turn[3];
    double s = 2 / (x * x + y * y + z * z + w * w);
    double rotation[9] = {
        1 - s * (y * y + z * z), s * (x * y - z * w),     s * (x * z + y * w),
        s * (x * y + z * w),     1 - s * (x * x + z * z), s * (y * z - x * w),
        s * (x * z - y * w),     s * (y * z + x * w),     1 - s * (x * x + y * y),
    };
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++)
            out[4 * row + column] = rotation[3 * row + column] * scale[column];
        out[4 * row + 3] = move[row];
    }
}

void transform_from_turns(const double sine[3], const double cosine[3], const double move[3],
                          double out[12])
{
    const double sx = sine[0], sy = sine[1], sz = sine[2];
    const double cx = cosine[0], cy = cosine[1], cz = cosine[2];
    const double turned[12] = {cz * cy,
                               cz * sy * sx - sz * cx,
                               cz * sy * cx + sz * sx,
                               move[0],
                               sz * cy,
                               sz * sy * sx + cz * cx,
                               sz * sy * cx - cz * sx,
                               move[1],
                               -sy,
                               cy * sx,
                               cy * cx,
                               move[2]};
    memcpy(out, turned, sizeof turned);
}

int transform_is_usable(const double m[12])
{
    for (int i = 0; i < 12; i++)
        if (!isfinite(m[i]))
            return 0;
    double determinant = m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
                         m[2] * (m[4] * m[9] - m[5] * m[8]);
    return isfinite(determinant) && determinant != 0;
}
