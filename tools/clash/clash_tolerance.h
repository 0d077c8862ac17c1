/* SPDX-License-Identifier: MIT
 * clash_tolerance.h: how far each instance's triangles may be from the surfaces that they stand
 * for, where the file says it, and what that leaves open between two.
 */
#ifndef CLASH_TOLERANCE_H
#define CLASH_TOLERANCE_H

#include "bvpack_clash.h"
#include "query/instance_tree.h"

/* Zero-initialise: then nothing is known. */
typedef struct clash_tolerance {
    float *of[2];        /* of each instance of a, of b, in a's units, rounded up; equal within one
                            file; NULL: no instance of it says anything */
    double otherwise[2]; /* of those that say nothing */
    double coordinates;  /* what the coordinates leave open, whatever the tolerance */
    double gap;          /* of the run: what all that leaves open at most */
    int sets_touch, sets_overlap; /* those limits are the pair's, for nobody has set them */
} clash_tolerance;

/* Reads what the files say; b == a within one file. scale_b: of b's units in a's. gap: the run's
 * default touch gap. 0, or says that memory is out and returns the exit code. */
int clash_tolerance_open(clash_tolerance *t, const instance_tree *a, const instance_tree *b,
                         double scale_b, double gap);
void clash_tolerance_close(clash_tolerance *t);

/* How far an instance's triangles may be off, in a's units. side: 0 of a, 1 of b. */
double clash_tolerance_of(const clash_tolerance *t, int side, uint32_t instance);
/* Nonzero: pairs have gaps of their own. */
int clash_tolerance_decides(const clash_tolerance *t);
/* The default touch gap of a pair; never more than the run's. From any thread. */
double clash_tolerance_gap(const clash_tolerance *t, uint32_t a, uint32_t b);

/* How a pair is told apart that the run's gap would leave open:
 *   "exact"        neither part has curved faces: their triangles are its surface
 *   "finer mesh"   what curved faces leave open is less than how near or deep they are; or they
 *                  touch, and what is left open is a 60th of the run's gap or less
 *   "no"           it is not: they touch within what their triangles leave open
 *   ""             the run's gap leaves nothing open, or limits are not the default */
const char *clash_tolerance_settled(const clash_tolerance *t, const bvp_clash_pair *pair);

#endif
