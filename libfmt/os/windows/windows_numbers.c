/* SPDX-License-Identifier: MIT
 * windows_numbers.c: a C library's fma that is right: linked before mingw-w64's, which is not.
 */
#include "os/windows/windows_fma.h"

__attribute__((target("fma"))) static double by_processor(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}

double fma(double x, double y, double z)
{
    return __builtin_cpu_supports("fma") ? by_processor(x, y, z) : bvpi_fma_by_integers(x, y, z);
}
