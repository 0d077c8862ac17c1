/* SPDX-License-Identifier: MIT
 * clash_scene.h: the assemblies of a clash run: world boxes of their instances, and which are near
 * one another.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#ifndef BVPI_CLASH_CLASH_SCENE_H
#define BVPI_CLASH_CLASH_SCENE_H

#include <stdbool.h>

#include "bvpack_clash.h"
#include "clash/pieces.h"
#include "clash/seams.h"
#include "prim/place_bounds.h"
#include "query/body/placed_body.h"

/* One or two assemblies in one world. */
typedef struct bvpi_clash_scene {
    bvpi_placed_body a, b; /* the same assembly within one file */
    bvpi_part_cache pieces_a, pieces_b, seams_a, seams_b, sweeps_a, sweeps_b;
    bool self;
    double reach; /* a pair whose boxes are farther apart on an axis is clear */
} bvpi_clash_scene;

/* b: NULL for pairs within one file. placement_b and control (or NULL) must outlive the scene. Call
 * bvpi_clash_scene_free even after a failure. */
bvp_status bvpi_clash_scene_init(bvpi_clash_scene *scene, const bvp_file *a, const bvp_file *b,
                                 const double *placement_b, double reach,
                                 const bvp_control *control);

void bvpi_clash_scene_free(bvpi_clash_scene *scene);

static inline uint32_t bvpi_clash_count(const bvpi_placed_body *placed)
{
    return placed->file->header.instance_count;
}

/* The world box of an instance. It contains the instance in real arithmetic. */
bvp_status bvpi_clash_bounds(const bvpi_placed_body *placed, uint32_t instance, bvpi_bounds *out);

/* True if the boxes are at most `reach` apart on every axis. Symmetric. */
bool bvpi_clash_is_near(const bvpi_bounds *a, const bvpi_bounds *b, double reach);

/* A growing list of instances. */
typedef struct bvpi_clash_list {
    uint32_t *items;
    uint64_t count, capacity;
} bvpi_clash_list;

/* The instances of `scene->b` that may be near `bounds`: ascending, without duplicates, none
 * missing. */
bvp_status bvpi_clash_candidates(const bvpi_clash_scene *scene, const bvpi_bounds *bounds,
                                 bvpi_clash_list *out);

#endif
