/* SPDX-License-Identifier: MIT
 * convex_text.h: a convex body as the command line writes it.
 */
#ifndef CONVEX_TEXT_H
#define CONVEX_TEXT_H

#include "bvpack.h"

enum { CONVEX_TEXT_POINTS = 256, CONVEX_TEXT_NUMBERS = 3 * CONVEX_TEXT_POINTS };

#define CONVEX_TEXT_HELP                                                                           \
    "box:X,Y,Z (its sizes), sphere:R, capsule:R,LENGTH and cylinder:R,LENGTH (along z, LENGTH of " \
    "the axis), all centred, or hull:X,Y,Z,... of up to 256 points"

/* values: room for CONVEX_TEXT_NUMBERS, which a hull points to. text: or NULL. Whether sizes make
 * sense is left to the query. 0, or says at `where` what is wrong and returns the exit code. */
int convex_text_read(const char *where, const char *text, double *values, bvp_convex *out);

#endif
