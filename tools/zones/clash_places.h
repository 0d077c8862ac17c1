/* SPDX-License-Identifier: MIT
 * clash_places.h: what people call the places of a building or plant: rooms, levels, grid lines.
 */
#ifndef CLASH_PLACES_H
#define CLASH_PLACES_H

#include "zones/clash_zones.h"
#include "query/instance_tree.h"

/* A plane across one axis. */
typedef struct clash_line {
    char *name;
    double at; /* where it cuts the axis */
    int axis;
} clash_line;

/* Zero-initialise. */
typedef struct clash_places {
    clash_zones zones; /* several may have one name */
    clash_line *lines; /* in the order of the file */
    size_t line_count, line_capacity;
    int up; /* the axis across which lines are levels */
} clash_places;

/* info: of the file in whose unit and coordinates numbers are, and which says which axis is up (z,
 * if it does not). 0, or says what is wrong and returns the exit code. */
int clash_places_read(clash_places *p, const char *path, const bvp_file_info *info);
/* What the point is called: "pump room, +6.0, A/3": the first zone that it is in, the highest level
 * that is not above it, the nearest line across each of the other axes; leaves out what there is
 * none of, and has `otherwise` for it when it is in no zone and on no level. 0, or no memory.
 * O(zones + lines). */
int clash_places_name(const clash_places *p, const double point[3], bvp_string otherwise,
                      growing_text *out);
void clash_places_free(clash_places *p);

#endif
