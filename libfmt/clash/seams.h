/* SPDX-License-Identifier: MIT
 * seams.h: the open edges of parts, and how wide the cracks between them are. Found when first
 * asked for, once for each part, and kept; any thread may ask.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#ifndef BVPI_CLASH_SEAMS_H
#define BVPI_CLASH_SEAMS_H

#include "clash/part_cache.h"

/* In part coordinates. */
typedef struct bvpi_seams {
    double width;   /* walls no farther than this from the open edges close the part; INFINITY: none
                       that are narrow do, or that takes too long to tell */
    uint32_t count; /* of open edges, unless the width is infinite */
    struct bvpi_seam {
        float ends[2][3];
    } at[];
} bvpi_seams;

/* cache: of seams alone. O(triangles) time and, while it lasts, memory (some 110 bytes a triangle)
 * the first time, and O(open edges squared) time at worst. control: what may end that, or NULL. */
bvp_status bvpi_seams_get(bvpi_part_cache *cache, uint32_t part, const bvp_control *control,
                          const bvpi_seams **out);

#endif
