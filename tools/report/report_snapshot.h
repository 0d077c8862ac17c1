/* SPDX-License-Identifier: MIT
 * report_snapshot.h: a picture of a clash, as a PNG in memory.
 */
#ifndef REPORT_SNAPSHOT_H
#define REPORT_SNAPSHOT_H

#include "report/report_view.h"

enum { SNAPSHOT_WIDTH = 480, SNAPSHOT_HEIGHT = 360 /* pixels */ };

/* What is in a picture. */
typedef struct snapshot_subject {
    const clash_run *run;  /* whose files are around the two */
    report_view view;      /* for a picture of this size */
    uint32_t instances[2]; /* the two: of run->file_b where files[i] is that one */
    const bvp_file *files[2];
    char measure[64];  /* report_measure: beside the witnesses; "": nothing */
    int has_witnesses; /* their distance or depth means something */
} snapshot_subject;

/* Memory that one thread reuses from picture to picture. */
typedef struct snapshot_room snapshot_room;

/* NULL: no memory. Freed by snapshot_close. */
snapshot_room *snapshot_open(void);
void snapshot_close(snapshot_room *room);

/* Draws the two parts in their colours (REPORT_COLOUR_A, _B), cut by a plane through the contact
 * that faces the eye: what solids share of the plane is yellow, what is cut off is faint. Instances
 * around them are pale, in colours of the source where it has some; those that are nearest to the
 * contact, up to some tens of thousands of triangles. The witnesses have a dimension line with the
 * measure. The view is not changed but for its bodies' pointers. *png is freed by the caller. The
 * same bytes on every machine. */
bvp_status report_snapshot(snapshot_room *room, snapshot_subject *subject, uint8_t **png,
                           size_t *size);

#endif
