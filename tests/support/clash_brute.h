/* SPDX-License-Identifier: MIT
 * clash_brute.h: what bvp_clash must say, by looking at every pair of instances and in it at every
 * pair of triangles: distances and contact in exact arithmetic wherever rounding could matter,
 * inside by winding numbers, depth by points of either surface.
 */
#ifndef CLASH_BRUTE_H
#define CLASH_BRUTE_H

#include <stdio.h>

#include "bvpack_clash.h"

typedef struct brute_options {
    bvp_clash_limits limits;
    uint32_t samples; /* points of each surface of a pair that are tried for depth */
    uint32_t every;   /* one pair of so many, by a hash of its numbers; 0: all */
} brute_options;

typedef struct brute_result {
    uint64_t pairs;   /* of instances that were looked at */
    uint64_t decided; /* of these: one verdict is proven to be the only right one */
    uint64_t wrong;
    uint64_t unproven; /* touching, but no shift as long as what is permitted takes them apart */
    uint64_t missed;   /* of these: with a point that is deeper than permitted */
    uint64_t said[BVP_VERDICT_COUNT]; /* by bvp_clash, of these pairs */
} brute_result;

/* A line to `log` for each pair that is wrong. Within one file; placements as the file has them.
 * Depth is an estimate: a pair that meets may be called penetrating when the witness that bvp_clash
 * names is that deep, and touching unless a point is found that is deeper than permitted; such a
 * point counts as missed, and as wrong where depth_upper denies that there is one. Of an open
 * surface around another, which part of all directions it covers decides: between a fifth and four
 * fifths both are right, and around nearly all of them `enclosed`, too. Surfaces of different parts
 * may be duplicates where no point that is tried is farther than the touch gap from the other. */
void brute_check(const bvp_file *file, const brute_options *options, FILE *log, brute_result *out);

#endif
