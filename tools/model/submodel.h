/* SPDX-License-Identifier: MIT
 * submodel.h: a model file that the current model refers to: read once, placed any number of times.
 */
#ifndef SUBMODEL_H
#define SUBMODEL_H

#include "model/import.h"

/* Its meshes are im->out's; its tree, if it has one, is copied wherever it is placed. */
typedef struct submodel {
    uint32_t first_mesh, mesh_count;
    model_node *nodes; /* meshes and parents numbered as in the file */
    uint32_t node_count;
    double unit_in_metres; /* 0: unknown */
    double tolerance;      /* of the tessellation, in units; 0: unknown */
    bvp_up up;
} submodel;

/* path: from the folder `dir`; it stays in there unless the options allow any path. at: where the
 * input names it, for refusals. The file's hash is noted. Zero on failure; else freed by the
 * caller. */
bvp_status submodel_read(importer *im, const char *dir, const char *path, const char *format,
                         const void *at, submodel *out);
/* Places its meshes at a node of im->out: in the node itself if there is one mesh, else in nodes
 * below. */
bvp_status submodel_place(importer *im, const submodel *s, uint32_t node, const void *at);
void submodel_free(submodel *s);

#endif
