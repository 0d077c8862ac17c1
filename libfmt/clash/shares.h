/* SPDX-License-Identifier: MIT
 * shares.h: which instances of the first file a clash run looks at.
 */
#ifndef BVPI_CLASH_SHARES_H
#define BVPI_CLASH_SHARES_H

#include "bvpack_clash.h"

/* What the options ask for, of `total` instances: no range is empty. *out is the caller's to free,
 * whatever is returned. BVP_ERR_ARGUMENT: their ranges are none. */
bvp_status bvpi_clash_ranges(const bvp_clash_options *options, uint32_t total,
                             bvp_clash_range **out, size_t *count);

#endif
