/* SPDX-License-Identifier: MIT
 * volume_lines.h: the outline of a hierarchy's volume: the edges of a box, or of a rectangle swept
 * by a ball, whose edges are round.
 */
#ifndef VOLUME_LINES_H
#define VOLUME_LINES_H

#include "bvpack.h"

enum {
    VOLUME_QUARTER = 6, /* lines of a quarter of a circle */
    VOLUME_LINES = 8 + 4 + 4 * VOLUME_QUARTER + 8 * 2 * VOLUME_QUARTER /* at most */
};

/* Corner i (0 .. 7) of the volume's box, which is around the ball too. */
void volume_corner(const bvp_volume *volume, int i, double out[3]);
/* Lines from a to b, six doubles each; at most VOLUME_LINES. Returns how many. */
int volume_lines(const bvp_volume *volume, double lines[VOLUME_LINES][6]);

#endif
