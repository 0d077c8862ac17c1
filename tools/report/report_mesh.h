/* SPDX-License-Identifier: MIT
 * report_mesh.h: the triangles of a clashing part that a report shows: all of a small part; of a
 * large one, those near the contact.
 */
#ifndef REPORT_MESH_H
#define REPORT_MESH_H

#include "report/report_view.h"

enum { REPORT_TRIANGLES_MOST = 8000 /* of a mesh; so that 16 bits count its corners */ };
#define REPORT_NO_COLOUR UINT32_MAX

typedef struct report_mesh {
    float *positions; /* part coordinates, bit for bit */
    uint16_t *indices;
    uint32_t vertex_count, triangle_count;
    uint32_t
        *colours; /* of each triangle, 0xrrggbb, or REPORT_NO_COLOUR; NULL: the source has none */
} report_mesh;

/* Are all triangles of this part shown? */
int report_mesh_is_whole(const bvp_body *body);
/* Side 0 or 1 of a view; node: whose base colours it has, or BVP_NONE; free with report_mesh_free.
 */
bvp_status report_mesh_read(const report_view *view, int side, uint32_t node, report_mesh *out);
void report_mesh_free(report_mesh *mesh);

#endif
