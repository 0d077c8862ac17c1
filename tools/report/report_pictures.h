/* SPDX-License-Identifier: MIT
 * report_pictures.h: the pictures of a report, several at once.
 */
#ifndef REPORT_PICTURES_H
#define REPORT_PICTURES_H

#include "report/report_view.h"

/* So many are drawn together, whatever the number of threads. */
enum { REPORT_PICTURES_TOGETHER = 64 };

typedef struct report_pictures report_pictures;

/* Takes picture `number`, which counts from 0 on in the order in which they were asked for.
 * Nonzero: no more. */
typedef int (*report_picture_fn)(void *user, uint32_t number, const uint8_t *png, size_t size);

/* NULL: no memory. *run stays valid. */
report_pictures *report_pictures_open(const clash_run *run, report_picture_fn take, void *user);
/* Asks for the picture of a row, whose view is one for SNAPSHOT_WIDTH x SNAPSHOT_HEIGHT pixels. It
 * is taken at the latest by the next flush, or by the call that makes REPORT_PICTURES_TOGETHER. */
bvp_status report_pictures_add(report_pictures *p, const report_view *view, const clash_row *row);
/* Draws what was asked for. A take that returned nonzero: BVP_ERR_CANCELLED. */
bvp_status report_pictures_flush(report_pictures *p);
void report_pictures_close(report_pictures *p);

#endif
