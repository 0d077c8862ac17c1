/* SPDX-License-Identifier: MIT
 * bcf_view.h: a viewpoint of a BCF topic: camera, components, the shortest line between them.
 */
#ifndef BCF_VIEW_H
#define BCF_VIEW_H

#include "bcf/bcf_xml.h"
#include "report/report_view.h"
#include "text/memory_text.h"

/* One component, of a file's path. */
void bcf_view_component(FILE *out, const clash_side *side, const char *file);

typedef struct bcf_viewpoint {
    bcf_version version;
    const char *guid;
    const report_view *view;
    const memory_text *sides[2]; /* components in A's and in B's colour, closed texts */
} bcf_viewpoint;

/* The file viewpoint.bcfv. */
void bcf_view_write(FILE *out, const clash_run *run, const bcf_viewpoint *v);

#endif
