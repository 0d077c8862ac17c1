/* SPDX-License-Identifier: MIT
 * apart.h: small moves of one of two parts that meet. If no point moves farther than d, and the
 * parts are then apart with neither inside the other, they were at most d deep.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#ifndef BVPI_CLASH_APART_H
#define BVPI_CLASH_APART_H

#include "clash/contacts.h"

/* Each function lowers *upper to the distance that points really move, at most `length`, if its
 * move takes the parts apart. Otherwise *upper is unchanged. */

/* Moves A by `length` along a unit vector. */
bvp_status bvpi_apart_by_shift(bvpi_clash_judge *judge, const double way[3], double length,
                               double *upper, bool *is_apart);
/* Moves A out of one of two touching faces. Most pairs that meet are mates, and this frees them. */
bvp_status bvpi_apart_by_faces(bvpi_clash_judge *judge, const bvpi_contact *contact, double length,
                               double *upper);
/* Moves A along the sum of all directions off the contacts, for a part in a corner. */
bvp_status bvpi_apart_by_sum(bvpi_clash_judge *judge, const bvpi_contacts *contacts, double length,
                             double *upper);
/* Shrinks one part around one of its own axes. Most pins are modelled along one. */
bvp_status bvpi_apart_by_axis(bvpi_clash_judge *judge, double length, double *upper);
/* Shrinks one part across the contacts: a pin in its hole, a plate in its slot. */
bvp_status bvpi_apart_by_shrinking(bvpi_clash_judge *judge, const bvpi_contacts *contacts,
                                   double length, double *upper);

/* The shortest shift along a coordinate axis after which the boxes are apart. */
double bvpi_apart_by_boxes(const bvpi_bounds *a, const bvpi_bounds *b);

#endif
