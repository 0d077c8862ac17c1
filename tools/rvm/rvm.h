/* SPDX-License-Identifier: MIT
 * rvm.h: what the files that read AVEVA's RVM share.
 */
#ifndef RVM_H
#define RVM_H

#include "model/import.h"
#include "model/name_table.h"
#include "model/polygon.h"
#include "rvm/rvm_shell.h"

/* What a primitive stands for. */
typedef enum rvm_volume {
    RVM_SOLID,
    RVM_INSULATION,  /* around what it insulates */
    RVM_OBSTRUCTION, /* space that is kept free, as for access */
    RVM_VOLUMES
} rvm_volume;

typedef enum rvm_kind {
    RVM_PYRAMID = 1,
    RVM_BOX,
    RVM_RECTANGULAR_TORUS,
    RVM_CIRCULAR_TORUS,
    RVM_ELLIPTICAL_DISH,
    RVM_SPHERICAL_DISH,
    RVM_SNOUT,
    RVM_CYLINDER,
    RVM_SPHERE,
    RVM_LINE,
    RVM_FACET_GROUP
} rvm_kind;

enum { RVM_NUMBERS_MOST = 9 };
extern const int rvm_number_counts[RVM_FACET_GROUP]; /* of each kind; 0: there is no such kind */

/* Bytes of a chunk, between which and the end of the chunk everything is read. */
typedef struct rvm_cursor {
    uint64_t at, end; /* byte offsets in the file, end <= its size */
    const char *chunk;
} rvm_cursor;

/* A primitive's chunk, behind its kind. */
typedef struct rvm_primitive {
    rvm_cursor body;
    uint32_t node; /* of its group */
    uint8_t kind, volume;
} rvm_primitive;

/* The same, read. */
typedef struct rvm_shape {
    double placement[12]; /* rows, from the primitive's millimetres to the model's */
    double numbers[RVM_NUMBERS_MOST];
    rvm_cursor facets; /* of a facet group */
    uint8_t kind;
    uint8_t is_odd; /* it has numbers that are not finite, or no extent: --drop-invalid leaves it
                       out */
} rvm_shape;

typedef struct rvm_group {
    uint32_t material;
    uint8_t transparency; /* per cent */
} rvm_group;

typedef struct rvm_colour {
    uint32_t index, order;
    uint8_t rgb[3];
} rvm_colour;

typedef struct rvm {
    importer *im;
    double chord, turn; /* mm; radians */
    rvm_primitive *primitives;
    size_t primitive_count, primitive_capacity;
    rvm_group *groups; /* one for each node */
    size_t group_capacity;
    rvm_colour *colours;
    size_t colour_count, colour_capacity;
    name_table shared; /* primitives by kind and numbers: numbers in im->out->meshes */
    rvm_cursor
        *facets; /* where the facet group of each mesh is; empty: it is none, or not shared */
    size_t facet_capacity;
    rvm_shell shell;
    polygon_work polygons;
    uint64_t lines, empty, dropped, small, fans, volumes[RVM_VOLUMES]; /* for the warnings */
} rvm;

/* ---- reading: byte offset, what was expected, what to do ------------------------------------- */

bvp_status rvm_word(rvm *r, rvm_cursor *c, const char *what, uint32_t *out);
/* Big-endian floats. *is_odd: one is not finite, and such primitives are left out. */
bvp_status rvm_floats(rvm *r, rvm_cursor *c, const char *what, int count, double *out,
                      uint8_t *is_odd);
bvp_status rvm_shape_read(rvm *r, const rvm_primitive *p, rvm_shape *out);

/* A text that is not UTF-8 is taken for Latin-1, which earlier versions write. NULL: no memory. */
char *rvm_text(const char *data, size_t size);

/* Looks for a file of attributes beside the model, of its name with the ending att or txt, and
 * makes properties of the groups of them. There need not be one. */
bvp_status rvm_attributes_read(rvm *r);

/* ---- solids ---------------------------------------------------------------------------------- */

/* The solid's triangles into r->shell, in its own millimetres. chord: in these. Every triangle is
 * within that of the solid's surface, and the surface of the triangles; they close it and look
 * outward. BVP_ERR_LIMIT: it would take more than 4096 sides. */
bvp_status rvm_solid(rvm *r, const rvm_shape *shape, uint64_t offset, double chord);
/* The polygons of a facet group, likewise; of their orientation nothing is changed. */
bvp_status rvm_facets(rvm *r, const rvm_shape *shape);

/* Parts and nodes of all that has been read. */
bvp_status rvm_make_parts(rvm *r);

#endif
