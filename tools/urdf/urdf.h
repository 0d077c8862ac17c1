/* SPDX-License-Identifier: MIT
 * urdf.h: what the files that read a robot's description share.
 */
#ifndef URDF_H
#define URDF_H

#include "model/import.h"
#include "model/name_table.h"
#include "model/submodel.h"
#include "structure/xml_refuse.h"

typedef struct urdf_joint {
    const char *name, *type;
    uint32_t element, parent, child; /* in the text; links */
    double value;                    /* radians or metres */
    int is_given;
} urdf_joint;

typedef struct urdf {
    importer *im;
    xml_document xml;
    uint32_t *links; /* elements */
    urdf_joint *joints;
    uint32_t link_count, joint_count;
    name_table link_names, joint_names;
    name_table mesh_names;  /* folder and path: numbers in `meshes` */
    name_table solid_names; /* kind and measures: numbers in im->out->meshes */
    submodel *meshes;
    size_t mesh_count, mesh_capacity;
} urdf;

/* An attribute as `count` numbers; as they are where the element does not have it. */
bvp_status urdf_numbers(urdf *u, uint32_t element, const char *name, int count, double *out);
/* The attribute, which must be there. */
bvp_status urdf_text(urdf *u, uint32_t element, const char *name, const char **out);
/* The child <origin> as a placement; the identity without one. */
bvp_status urdf_origin(urdf *u, uint32_t element, double out[12]);

/* Reads the values of options.joints, and what mimics them, into u->joints. */
bvp_status urdf_read_values(urdf *u);
/* How the joint's child lies in its parent. */
bvp_status urdf_place_joint(urdf *u, const urdf_joint *joint, double out[12]);

/* The shapes of a link, <visual> or <collision> each, below `node`. */
bvp_status urdf_add_shapes(urdf *u, uint32_t link, const char *kind, uint32_t node);
/* A box, cylinder or sphere as a mesh of im->out, equal ones as the same mesh. */
bvp_status urdf_add_solid(urdf *u, uint32_t element, uint32_t *mesh);

#endif
