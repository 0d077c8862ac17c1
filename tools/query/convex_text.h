/* SPDX-License-Identifier: MIT
 * convex_text.h: a convex body as the command line writes it.
 */
#ifndef CONVEX_TEXT_H
#define CONVEX_TEXT_H

#include "bvpack.h"
#include "hull/hull_file.h"

enum { CONVEX_TEXT_POINTS = 256, CONVEX_TEXT_NUMBERS = 3 * CONVEX_TEXT_POINTS };

#define CONVEX_TEXT_HELP                                                                           \
    "box:X,Y,Z (its sizes), sphere:R, capsule:R,LENGTH and cylinder:R,LENGTH (along z, LENGTH of " \
    "the axis), all centred, or hull:X,Y,Z,... of up to 256 points, or hull:FILE, of the "         \
    "vertices "                                                                                    \
    "of a model, or of a .txt with x y z on each line"

/* *points: of a hull, to be freed, or NULL. text: or NULL. Whether sizes make sense is left to the
 * query. 0, or says at request->where what is wrong and returns the exit code. */
int convex_text_read(const hull_request *request, const char *text, double **points,
                     bvp_convex *out);
/* The same of a file's name alone. */
int convex_hull_read(const hull_request *request, const char *path, double **points,
                     bvp_convex *out);

#endif
