/* SPDX-License-Identifier: MIT
 * export.h: writing a packed file's triangles as a model again, positions bit for bit.
 */
#ifndef EXPORT_H
#define EXPORT_H

#include <stdio.h>
#include "bvpack.h"

typedef struct export_options {
    uint32_t part; /* this part alone, in its own coordinates; BVP_ASSEMBLY: everything */
    int flat; /* for GLB: everything as one mesh in the world's coordinates, with a primitive for
                 each colour; tree and sharing are lost */
    FILE *materials;            /* for OBJ: where its MTL goes; NULL: no colours */
    const char *materials_name; /* as the OBJ names it */
} export_options;

/* What the format or the options made impossible to keep; the verb prints it. */
typedef struct export_report {
    uint64_t triangle_count; /* written */
    uint64_t rounded_count;  /* coordinates that the format can't hold exactly */
    double rounding_error;   /* the largest of them, in units */
} export_report;

/* Whether a part, or with BVP_ASSEMBLY any instance, has base colours of the source. */
int export_has_colours(const bvp_file *file, uint32_t part);

/* Each writes the whole output to `out`, which can't be rewound. BVP_ERR_SYSTEM: writing failed;
 * BVP_ERR_LIMIT: the format can't hold so much. STL and OBJ are always as flat as they are; PLY
 * too. */
bvp_status export_stl(const bvp_file *file, const export_options *options, FILE *out,
                      export_report *report, bvp_error *error);
bvp_status export_obj(const bvp_file *file, const export_options *options, FILE *out,
                      export_report *report, bvp_error *error);
bvp_status export_ply(const bvp_file *file, const export_options *options, FILE *out,
                      export_report *report, bvp_error *error);
/* GLB of one mesh in the world's coordinates with the hierarchy of three-mesh-bvh; no colours. */
bvp_status export_bvh(const bvp_file *file, const export_options *options, FILE *out,
                      export_report *report, bvp_error *error);
bvp_status export_glb(const bvp_file *file, const export_options *options, FILE *out,
                      export_report *report, bvp_error *error);

#endif
