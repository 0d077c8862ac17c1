/* SPDX-License-Identifier: MIT
 * export_scene.h: what the exporters share: a packed file's parts as indexed meshes in the source's
 * order, and where each of them is to be written.
 */
#ifndef EXPORT_SCENE_H
#define EXPORT_SCENE_H

#include "export/export.h"

/* A part. Vertices with the same bits are one; triangles are in the order of their ids. */
typedef struct export_mesh {
    float *positions; /* relative to `origin` */
    uint32_t *indices;
    uint64_t *ids; /* of triangles, ascending; NULL where the file has no colours */
    uint64_t vertex_count, triangle_count;
    double origin[3];
    int loaded;
} export_mesh;

/* One appearance of a part in the output. */
typedef struct export_item {
    uint32_t part, node; /* whose colours it has, or BVP_NONE */
    bvp_string name;
    double placement[12]; /* of the mesh's positions */
    int is_identity;
} export_item;

/* Triangles of a mesh, in its order, of one base colour: red, green, blue in sRGB, alpha; four
 * zeros: the source names none. */
typedef struct export_run {
    uint64_t first, count;
    uint8_t rgba[4];
} export_run;

typedef struct export_scene {
    const bvp_file *file;
    export_mesh *meshes; /* one a part */
    uint32_t part_count;
    export_item *items;
    uint32_t item_count;
    int has_colours; /* of any item */
    export_report *report;
    bvp_error *error;
} export_scene;

/* The items of `part`, or of all instances. *report is cleared. Close in any case. */
bvp_status export_open(const bvp_file *file, uint32_t part, export_report *report, bvp_error *error,
                       export_scene *out);
void export_close(export_scene *scene);
/* The mesh of a part, read when it is first asked for. */
bvp_status export_load(export_scene *scene, uint32_t part, const export_mesh **out);

/* The colours of an item whose mesh is loaded: runs that hold each triangle once, in order; *count
 * is 0 only if there is no triangle. The caller frees *runs. */
bvp_status export_runs(const export_scene *scene, const export_item *item, export_run **runs,
                       size_t *count);

/* Where the item has a position of its mesh: out[i] + rest[i] is the coordinate, out[i] the nearest
 * double. */
void export_place(const export_item *item, const float position[3], double out[3], double rest[3]);
/* Counts the coordinates that `written` does not hold exactly. */
void export_note(export_report *report, const double exact[3], const double rest[3],
                 const double written[3]);

/* Refusals, as the exporters return them. */
bvp_status export_no_memory(bvp_error *error);
bvp_status export_too_large(bvp_error *error, const char *text);
/* BVP_OK unless writing to `out` failed. */
bvp_status export_finish(FILE *out, bvp_error *error);

#endif
