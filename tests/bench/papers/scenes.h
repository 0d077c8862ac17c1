/* SPDX-License-Identifier: MIT
 * scenes.h: meshes, placements, packed files and the clock of the benchmark of the papers.
 */
#ifndef PAPERS_SCENES_H
#define PAPERS_SCENES_H

#include "bvpack.h"
#include "bvpack_build.h"

#include <stdbool.h>
#include <stdint.h>

/* Seconds of the processor: one thread measures, and what else runs is not to count. */
double scene_now(void);
double scene_random(uint64_t *state);           /* [0, 1) */
double scene_median(double *values, int count); /* sorts them */
/* Slope of log y over log x, by least squares, of the points where both are positive. */
double scene_slope(const double *x, const double *y, int count);
void *scene_allocate(size_t size); /* ends the program when there is no memory */

/* ---- meshes ---------------------------------------------------------------------------------- */

typedef struct mesh {
    char name[64];
    float *tri; /* count * 9 */
    uint64_t count;
} mesh;

/* All instances of a packed file in their places; its box centred at the origin, its largest side
 * scaled to `side` (0: as it is), as Zachmann's objects fit in a cube of side 2; triangles in the
 * order of the source. False: no file. */
bool mesh_load(mesh *mesh, const char *path, const char *name, double side);
/* About `wanted` triangles. */
void mesh_sphere(mesh *mesh, uint64_t wanted, double radius);
void mesh_torus(mesh *mesh, uint64_t wanted, double ring_radius, double tube_radius);
/* A torus whose tube is wrinkled and twisted, and a landscape of spikes: Gottschalk's scene. */
void mesh_wrinkled_torus(mesh *mesh, uint64_t wanted);
void mesh_spikes(mesh *mesh, uint64_t wanted);
/* Pipes on a jittered lattice, `wanted` triangles, in a cube of side 2; each of `around` sides and
 * `along` rings: the more, the fewer pipes. */
void mesh_pipes(mesh *mesh, uint64_t wanted, int around, int along, uint64_t seed);
/* The same triangles in another order. */
void mesh_shuffle(mesh *mesh, uint64_t seed);
void mesh_free(mesh *mesh);

/* ---- placements ------------------------------------------------------------------------------ */

/* Step `step` of `steps` of a full turn about z and x, `distance` along x away: Zachmann's
 * scenario. */
void pose_tumble(double distance, int step, int steps, double out[12]);
/* A uniformly random rotation and a translation in a cube of half side `reach`: van den Bergen's.
 */
void pose_random(uint64_t *state, double reach, double out[12]);
void pose_shift(double x, double y, double z, double out[12]);

/* ---- packed parts ---------------------------------------------------------------------------- */

/* Of several runs. */
typedef struct scene_timing {
    double median, least, most;
} scene_timing;

/* Sorts the values. */
scene_timing timing_of(double *values, int count);
/* "median (least..most)", with that many digits after the point. Returns `out`. */
const char *timing_text(const scene_timing *t, int digits, char out[64]);

/* A mesh packed with one hierarchy. */
typedef struct packed {
    int fd;         /* -1: the library refused, see problem */
    double seconds; /* of bvp_builder_add_part, one thread */
    bvp_part_info part;
    bvp_hierarchy_info info;
    char problem[300];
} packed;

bool packed_make(packed *out, const mesh *mesh, const bvp_hierarchy_spec *spec, bool deformable);
/* With several hierarchies; part and info are not set. */
bool packed_make_several(packed *out, const mesh *mesh, const bvp_hierarchy_spec *specs,
                         uint32_t count);
void packed_drop(packed *packed);
/* NULL: refused, and packed->problem says why. */
bvp_file *packed_open(packed *packed, bvp_kind kind, bvp_box_test test);
/* Bytes of the hierarchy a triangle, without the order of triangles that a lone one does not need.
 */
double packed_bytes(const packed *packed);

const char *kind_name(bvp_kind kind);
const char *split_name(bvp_split split);

#endif
