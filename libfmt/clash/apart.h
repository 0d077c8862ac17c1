/* SPDX-License-Identifier: MIT
 * apart.h: small moves of one of two parts that meet. Where no point of a part moves farther than d
 * and the parts are then apart, neither inside the other, they were at most d deep.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#ifndef BVPI_CLASH_APART_H
#define BVPI_CLASH_APART_H

#include "clash/contacts.h"

/* All of these lower *upper to how far points really move, at most `length`, where they find a move
 * that takes the parts apart. */

/* A moves `length` along a unit vector. */
bvp_status bvpi_apart_by_shift(bvpi_clash_judge *judge, const double way[3], double length,
                               double *upper, bool *is_apart);
/* A moves out of one of two faces that touch: most pairs that meet are mates. */
bvp_status bvpi_apart_by_faces(bvpi_clash_judge *judge, const bvpi_contact *contact, double length,
                               double *upper);
/* A moves along the sum of all ways off the contacts: a part in a corner. */
bvp_status bvpi_apart_by_sum(bvpi_clash_judge *judge, const bvpi_contacts *contacts, double length,
                             double *upper);
/* One of them shrinks around one of its own axes: most pins are drawn along one. */
bvp_status bvpi_apart_by_axis(bvpi_clash_judge *judge, double length, double *upper);
/* One of them shrinks across the contacts: a pin in its hole, a plate in its slot. */
bvp_status bvpi_apart_by_shrinking(bvpi_clash_judge *judge, const bvpi_contacts *contacts,
                                   double length, double *upper);

/* Along an axis, until the boxes are apart. */
double bvpi_apart_by_boxes(const bvpi_bounds *a, const bvpi_bounds *b);

#endif
