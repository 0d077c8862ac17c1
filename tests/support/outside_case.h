/* SPDX-License-Identifier: MIT
 * outside_case.h: meshes in buffers of all forms, and GLBs with a hierarchy over their own.
 */
#ifndef OUTSIDE_CASE_H
#define OUTSIDE_CASE_H

#include "build_case.h"

/* How numbers are laid out. */
typedef struct outside_form {
    bvp_component type, index_type; /* index_type 0: without indices */
    int normalized;
    size_t gap;      /* bytes between vertices */
    uint32_t pieces; /* buffers of a part */
    double scale;    /* from the buffers' numbers to some hundred units */
} outside_form;

enum { OUTSIDE_FORMS = 9, OUTSIDE_MOST = 3 };
extern const outside_form outside_forms[OUTSIDE_FORMS];

typedef struct outside_part {
    bvp_buffers buffers[OUTSIDE_MOST];
    uint32_t count;
    void *owned[2 * OUTSIDE_MOST];
    float *positions; /* of all triangles, 9 each, as they are to be read */
    uint32_t triangles;
} outside_part;

/* Bytes of a number. */
uint32_t outside_size_of(bvp_component type);
/* Pieces of a soup, the vertices of each shuffled by its indices. */
outside_part outside_make_part(uint64_t *state, const outside_form *f, uint32_t triangles,
                               double size, double triangle_size);
void outside_free_part(outside_part *p);

typedef struct outside_glb {
    uint8_t *bytes;
    size_t size, chunk, chunk_size, file;
} outside_glb;

/* One part of a form, its buffers one after the other in the binary chunk. bytes: to be freed. */
outside_glb outside_make_glb(const outside_form *f, uint32_t triangles);

#endif
