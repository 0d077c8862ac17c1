/* SPDX-License-Identifier: MIT
 * zones.h: an assembly held against convex zones.
 * Spec: exactness.md, chapter 12, "Zones"
 */
#ifndef BVPI_CLASH_ZONES_H
#define BVPI_CLASH_ZONES_H

#include "clash/clash_scene.h"
#include "clash/order.h"
#include "clash/pair_limits.h"
#include "clash/zone_shape.h"

typedef struct bvpi_zones {
    bvpi_zone *at;
    uint32_t count;
    bvp_status status; /* of bvpi_zones_init */
} bvpi_zones;

/* given: elements bvp_clash_zone. Returns zones->status, and fills *error if it is not BVP_OK; free
 * them even then. */
bvp_status bvpi_zones_init(bvpi_zones *zones, const bvp_const_array *given, bvp_error *error);
void bvpi_zones_free(bvpi_zones *zones);

/* Finds the instances of scene->a that may be near a zone: *out has a bit for each, and is the
 * caller's to free, whatever is returned. */
bvp_status bvpi_zones_mark(const bvpi_zones *zones, const bvpi_clash_scene *scene,
                           const bvp_control *control, uint64_t **out);

/* Judges all pairs of an instance of scene->a and a zone. run: how, and for whom; what works on a
 * block is set here. */
bvp_status bvpi_zones_in_order(const bvpi_zones *zones, bvpi_clash_scene *scene,
                               const bvpi_clash_terms *terms, const bvp_control *control,
                               const bvpi_clash_run *run, bvp_clash_coverage *coverage);

#endif
