/* SPDX-License-Identifier: MIT
 * warp.c: stretch, twist and noise. It has its own sine, because the output's bytes depend on it.
 * Based on: van den Bergen, Efficient collision detection of complex deformable models using AABB
 * trees, 1997, section 5 (the deformations of its experiments).
 */
#include "refit/warp.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct frame {
    double middle[3];
    int along; /* axis of the longest side */
} frame;

/* count > 0 */
static void find_frame(const float *positions, uint64_t count, frame *out)
{
    assert(count > 0);
    double size[3];
    for (int axis = 0; axis < 3; axis++) {
        double lo = positions[axis], hi = lo;
        for (uint64_t i = 1; i < count; i++) {
            const double x = positions[3 * i + axis];
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
        size[axis] = hi - lo;
        out->middle[axis] = lo + size[axis] / 2;
    }
    out->along = size[1] > size[0] ? 1 : 0;
    out->along = size[2] > size[out->along] ? 2 : out->along;
    assert(out->along >= 0 && out->along < 3);
}

static void sine_cosine(double degrees, double *sine, double *cosine)
{
    const double turned = fmod(degrees, 360); /* exact */
    const double quarters = floor(turned / 90 + 0.5);
    /* Taylor's series for an angle of at most 45 degrees; the first term left out is below 2^-56.
     */
    const double radians = (turned - 90 * quarters) * 0.017453292519943295;
    const double square = radians * radians;
    double s = 1, c = 1;
    for (int k = 17; k > 1; k -= 2)
        s = 1 - square / (k * (k - 1)) * s;
    for (int k = 18; k > 0; k -= 2)
        c = 1 - square / (k * (k - 1)) * c;
    s *= radians;
    switch ((int)quarters & 3) {
    case 0:
        *sine = s, *cosine = c;
        return;
    case 1:
        *sine = c, *cosine = -s;
        return;
    case 2:
        *sine = -s, *cosine = -c;
        return;
    default:
        *sine = -c, *cosine = s;
    }
}

static void twist(const frame *f, double degrees, double x[3])
{
    const int a = (f->along + 1) % 3, b = (f->along + 2) % 3;
    double s, c;
    sine_cosine(degrees * x[f->along], &s, &c);
    const double u = x[a], v = x[b];
    x[a] = c * u - s * v;
    x[b] = s * u + c * v;
}

/* -1 .. 1, from where the vertex was, the axis and the seed. Based on: splitmix64. */
static double noise(const float at[3], int axis, uint64_t seed)
{
    uint64_t state = seed + (uint64_t)axis;
    for (int k = 0; k < 3; k++) {
        const float zeroed = at[k] + 0.0f; /* -0 is the same place as 0 */
        uint32_t bits;
        memcpy(&bits, &zeroed, sizeof bits);
        state = (state + bits) * UINT64_C(0x9e3779b97f4a7c15);
        state = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        state = (state ^ state >> 27) * UINT64_C(0x94d049bb133111eb);
        state ^= state >> 31;
    }
    return (double)(state >> 11) * 0x1p-52 - 1;
}

void deform(const deformation *d, float *positions, uint64_t count)
{
    frame f = {.along = 0};
    if (count == 0 || (d->stretch == 1 && d->twist == 0 && d->noise == 0))
        return; /* not even rounded */
    find_frame(positions, count, &f);
    for (uint64_t i = 0; i < count; i++) {
        float *at = positions + 3 * i;
        double x[3];
        for (int axis = 0; axis < 3; axis++)
            x[axis] = at[axis] - f.middle[axis];
        x[f.along] *= d->stretch;
        if (d->twist != 0)
            twist(&f, d->twist, x);
        if (d->noise != 0)
            for (int axis = 0; axis < 3; axis++)
                x[axis] += d->noise * noise(at, axis, d->seed);
        for (int axis = 0; axis < 3; axis++)
            at[axis] = (float)(x[axis] + f.middle[axis]);
    }
}
