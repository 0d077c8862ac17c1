/* SPDX-License-Identifier: MIT
 * report_view.h: the view of a clash: its two parts near the origin, a camera aimed at the contact.
 */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "view/camera.h"
#include "report/clash_report.h"

enum { REPORT_ANGLE = 32 /* opening of a picture's smaller side, degrees */ };

/* Colours as 0xrrggbb: of a verdict; of a pair's two sides, wherever these are shown. */
uint32_t report_verdict_colour(bvp_verdict verdict);
enum { REPORT_COLOUR_A = 0xe0643c, REPORT_COLOUR_B = 0x3f7fc4 };

/* A row in a world of its own, whose origin is the middle of the contact: there doubles and floats
 * are fine enough, however far away the clash is. */
typedef struct report_view {
    bvp_body bodies[2]; /* with `placements`: not to be copied */
    double placements[2][12];
    double centre[3];    /* the world's place of the origin */
    double lo[3], hi[3]; /* box of the contact */
    double points[2][3]; /* witnesses; the origin where there are none */
    double plane[4];     /* of a section through the contact: n . p = plane[3], n to the eye */
    int smaller;         /* which of the two */
    double radius;       /* of the ball around the origin that is worth seeing */
    camera eye;          /* looks at the origin */
} report_view;

/* Fills *out for a picture of width x height. 0: a side cannot be shown, being known by name only.
 */
int report_view_of(const clash_row *row, bvp_up up, double width, double height, report_view *out);

#endif
