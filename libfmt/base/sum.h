/* SPDX-License-Identifier: MIT
 * sum.h: the sign of a sum of doubles, exactly.
 * Based on: Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997, GROW-EXPANSION.
 */
#ifndef BVPI_BASE_SUM_H
#define BVPI_BASE_SUM_H

#include "base/dd.h"

enum { BVPI_SUM_MAX = 8 };

/* -1, 0 or 1, for at most BVPI_SUM_MAX numbers, barring overflow. They are added one by one to an
 * expansion, whose parts do not overlap and grow in magnitude. */
static inline int bvpi_sum_sign(const double *terms, int count)
{
    double parts[BVPI_SUM_MAX];
    for (int i = 0; i < count; i++) {
        double carry = terms[i];
        for (int k = 0; k < i; k++) {
            const bvpi_dd sum = bvpi_dd_sum(carry, parts[k]);
            carry = sum.hi;
            parts[k] = sum.lo;
        }
        parts[i] = carry;
    }
    for (int i = count; i-- > 0;)
        if (parts[i] != 0)
            return parts[i] > 0 ? 1 : -1;
    return 0;
}

#endif
