/* SPDX-License-Identifier: MIT
 * clash_zones.h: the zones of a clash run: read, checked, and as a packed file whose instances they
 * are, so that rules and reports treat them as they treat instances.
 */
#ifndef CLASH_ZONES_H
#define CLASH_ZONES_H

#include "bvpack_clash.h"
#include "rules/clash_json.h"

typedef struct clash_zone {
    char *name;
    bvp_convex shape;
    double *values; /* what a hull's points are in */
    double placement[12];
    double clearance; /* NaN: the run's */
} clash_zone;

/* Zero-initialise. */
typedef struct clash_zones {
    clash_zone *items; /* after clash_zones_build: in the order of the file's instances */
    size_t count, capacity;
    const char *path;      /* of the file that was read, or NULL */
    bvp_clash_zone *given; /* what bvp_clash takes */
    bvp_const_array array; /* of these */
    bvp_file *file;
    uint8_t hash[16]; /* of all that pairs depend on */
} clash_zones;

enum { CLASH_ZONES_MOST = 10000 };

#define CLASH_ZONE_VALUE "[NAME=]SHAPE[@PLACEMENT]"

/* All return 0, or say what is wrong and return the exit code. */
/* info: of the file whose units bare numbers are in. text: CLASH_ZONE_VALUE. */
int clash_zones_add_text(clash_zones *z, const char *text, const bvp_file_info *info);
/* The same of a list within another file, which json is reading. */
int clash_zones_add_list(clash_zones *z, clash_json *json, const json_value *list);
int clash_zones_add_file(clash_zones *z, const char *path, const bvp_file_info *info);
/* After the last one: checks them, and makes the file. against: whose instances they are held
 * against. */
int clash_zones_build(clash_zones *z, const bvp_file *against);
void clash_zones_free(clash_zones *z);

/* The clearance of zone `zone`, which is `otherwise` unless it has its own; and the largest of all.
 */
double clash_zones_clearance(const clash_zones *z, uint32_t zone, double otherwise);
double clash_zones_reach(const clash_zones *z, double otherwise);

#endif
