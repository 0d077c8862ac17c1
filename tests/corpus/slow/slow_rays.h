/* SPDX-License-Identifier: MIT
 * slow_rays.h: hierarchies for rays.
 */
#ifndef SLOW_RAYS_H
#define SLOW_RAYS_H

#include <stdint.h>

/* Nothing of it can be asked for, so it is checked against what else the file says. Offsets of the
 * records in PART and HIER, and of the part's blob. */
void check_ray_tree(uint64_t part_record, uint64_t record, uint64_t blob);

#endif
