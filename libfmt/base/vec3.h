/* SPDX-License-Identifier: MIT
 * vec3.h: three numbers in double, and bounds computed from them.
 */
#ifndef BVPI_BASE_VEC3_H
#define BVPI_BASE_VEC3_H

/* Rounds a bound upward that some few operations in double came to: far more than they err. */
#define BVPI_ROUND_UP (1 + 0x1p-40)

static inline double bvpi_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void bvpi_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void bvpi_subtract(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

#endif
