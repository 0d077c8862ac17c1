/* SPDX-License-Identifier: MIT
 * seams.h: the open edges of parts, and the width of the cracks between them. Computed on first
 * use, once for each part, and kept; safe to use from any thread.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#ifndef BVPI_CLASH_SEAMS_H
#define BVPI_CLASH_SEAMS_H

#include "clash/part_cache.h"

/* In part coordinates. */
typedef struct bvpi_seams {
    double width;   /* walls within this distance of the open edges close the part; INFINITY: no
                       narrow walls do, or finding them takes too long */
    uint32_t count; /* of open edges; 0 if the width is infinite */
    struct bvpi_seam {
        float ends[2][3];
    } at[];
} bvpi_seams;

/* cache: used for seams only. The first call for a part takes O(triangles) time and, temporarily,
 * some 110 bytes for each triangle, and O(open edges squared) time at worst. control: may cancel
 * that, or NULL. */
bvp_status bvpi_seams_get(bvpi_part_cache *cache, uint32_t part, const bvp_control *control,
                          const bvpi_seams **out);

#endif
