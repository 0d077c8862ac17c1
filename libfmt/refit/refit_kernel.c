/* SPDX-License-Identifier: MIT
 * refit_kernel.c: which function refits which kind; compiled once per instruction set.
 * Measured: decisions.md, "Refits once more"
 */
#include "refit/refit.h"

const bvpi_refit_kernel BVPI_ISA_NAME(bvpi_refit_kernel) = {
    .wide = refit_wide, .aabb = refit_aabb, .boxtree = refit_boxtree, .oriented = refit_oriented};
