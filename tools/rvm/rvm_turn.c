/* SPDX-License-Identifier: MIT
 * rvm_turn.c: sines, cosines and half angles that are the same on every machine.
 *
 * C libraries differ in the last digit of sin, cos and atan, and packed files must not. Sums,
 * products, quotients and square roots are the same everywhere. The series end where the next term
 * is below half a unit in the last place of the result.
 */
#include "rvm/rvm_turn.h"

#include <assert.h>
#include <math.h>

/* Of 0 to pi / 4, or a little more. */
static void series(double x, double cs[2])
{
    const double q = x * x;
    double cosine = 1, sine = 1;
    for (int k = 16; k >= 2; k -= 2) {
        cosine = 1 - q / ((k - 1) * k) * cosine;
        sine = 1 - q / (k * (k + 1)) * sine;
    }
    cs[0] = cosine;
    cs[1] = x * sine;
}

/* The first quarter's direction turned by `quarters` quarters. */
static void add_quarters(unsigned quarters, double cs[2])
{
    for (quarters &= 3; quarters > 0; quarters--) {
        const double c = cs[0];
        cs[0] = -cs[1];
        cs[1] = c;
    }
}

void rvm_turn(double angle, double cs[2])
{
    static const double high = 1.57079632679489655800, low = 6.12323399573676603587e-17;
    assert(fabs(angle) <= RVM_ANGLE_MOST);
    const double quarters = floor(angle / high + 0.5);
    series((angle - quarters * high) - quarters * low, cs);
    add_quarters((unsigned)(int)quarters, cs);
}

void rvm_turn_step(uint32_t k, uint32_t n, double cs[2])
{
    assert(k < n && n <= UINT32_MAX / 4);
    const uint32_t quarters = 4 * k / n, rest = 4 * k % n;
    if (2 * rest <= n) {
        series((double)rest / n * (RVM_PI / 2), cs);
    } else { /* from the other axis, so that a circle is symmetric */
        double other[2];
        series((double)(n - rest) / n * (RVM_PI / 2), other);
        cs[0] = other[1];
        cs[1] = other[0];
    }
    add_quarters(quarters, cs);
}

double rvm_turn_angle(double y, double x)
{
    assert(y >= 0 && x >= 0 && x + y > 0);
    double t = y < x ? y / x : x / y;
    for (int i = 0; i < 3; i++) /* half the angle each time: t <= 0.1 */
        t = t / (1 + sqrt(1 + t * t));
    const double q = t * t;
    double sum = 0;
    for (int k = 19; k >= 1; k -= 2)
        sum = 1. / k - q * sum;
    const double angle = 8 * t * sum;
    return y < x ? angle : RVM_PI / 2 - angle;
}
