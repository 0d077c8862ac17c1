/* SPDX-License-Identifier: MIT
 * outside.h: parts whose triangles lie outside of the file, in the buffers of the asset that they
 * were packed from, or of a caller. A part's triangle numbers name the triangles of its buffers.
 *
 * What must stay true: buffers are the caller's, or bytes of a GLB, and may hold anything at any
 * time. Only their sizes are trusted, which were checked when they were bound. So every number,
 * and every index, is read once and compared before it is used; what does not exist has the corner
 * 0 0 0.
 * Spec: format.md, chapter "Triangles outside"
 */
#ifndef BVPI_FORMAT_OUTSIDE_H
#define BVPI_FORMAT_OUTSIDE_H

#include "bvpack.h"
#include "format/layout.h"

#include <stdbool.h>

/* Positions and indices of some of a part's triangles. All that the counts promise is there. */
typedef struct bvpi_buffers {
    const uint8_t *positions;
    const uint8_t *indices; /* NULL: triangle i has the vertices 3 i, 3 i + 1, 3 i + 2 */
    size_t stride;          /* bytes from a vertex to the next one */
    uint32_t vertex_count, triangle_count;
    uint32_t first_triangle; /* the part's number of the first one */
    uint16_t position_type, index_type;
    bool normalized;
} bvpi_buffers;

/* All of a part. */
typedef struct bvpi_outside {
    const uint8_t *ids; /* the part's triangle numbers */
    uint64_t ids_size;
    uint32_t number_count; /* triangles of all buffers, in the numbers' order */
    uint32_t count;        /* atomic. Buffers; 0: none are bound, and every corner is 0 0 0 */
    uint32_t room;         /* buffers that the part has according to the file */
    uint32_t first;        /* their first record in BUFS */
    bool is_absent;        /* they are those of a GLB, of which not all has been fetched */
    unsigned char state;   /* atomic, enum bvpi_hash_state: are they those that were packed? */
    bvpi_buffers *buffers;
} bvpi_outside;

/* Stands for the buffers of a file that was not opened, or of a record that is not sound. */
extern const bvpi_outside bvpi_no_buffers;

/* Bytes of a component; 0 for an unknown type. */
uint32_t bvpi_component_size(uint32_t type);
/* NULL, or what is wrong with buffers that may have come from anywhere. */
const char *bvpi_buffers_fault(const bvp_buffers *given);
/* given: without a fault. */
void bvpi_buffers_take(const bvp_buffers *given, uint32_t first_triangle, bvpi_buffers *out);
/* What BUFS has of them. False: the control (or NULL) cancelled it. */
bool bvpi_buffers_hash(const bvpi_buffers *b, const bvp_control *control, uint8_t hash[16]);
/* The vertices of triangle i (< triangle_count), or vertex_count and above where there are none. */
void bvpi_buffers_vertices(const bvpi_buffers *b, uint32_t i, uint32_t vertex[3]);
/* The corners of triangle i (< triangle_count). */
void bvpi_buffers_triangle(const bvpi_buffers *b, uint32_t i, float out[9]);

/* The corners of triangle `number` of a part. */
void bvpi_outside_triangle(const bvpi_outside *o, uint64_t number, float out[9]);
/* The same of a cluster's local triangle (0 .. 255), from a copy of its header. */
void bvpi_outside_local(const bvpi_outside *o, const bvpd_cluster *head, uint32_t local,
                        float out[9]);
/* Of eight of them, each below triangle_count: corner by corner and axis by axis. */
void bvpi_outside_eight(const bvpi_outside *o, const bvpd_cluster *head, const uint32_t local[8],
                        float out[9][8]);

/* ---- an open file ---------------------------------------------------------------------------- */

/* Makes room for the buffers of a file whose feature says that it has them; binds those of the GLB
 * that it lies in, if it lies in one. */
bvp_status bvpi_outside_open(bvp_file *file, bvp_error *error);
void bvpi_outside_close(bvp_file *file);
/* The buffers of a part, also where none are bound; NULL: its clusters hold its triangles. */
const bvpi_outside *bvpi_outside_of(const bvp_file *file, uint32_t part);
/* BVP_OK: the part's buffers are bound, and here. From a source they are fetched. Otherwise
 * BVP_ERR_ARGUMENT, or what the source says. Within a call. */
bvp_status bvpi_outside_fetch(const bvp_file *file, uint32_t part);
/* The same of all parts that have any. */
bvp_status bvpi_outside_fetch_all(const bvp_file *file);
/* Are the part's buffers bound, and those that it was packed with? Their hashes are computed by the
 * first call that asks. BVP_ERR_ARGUMENT: they are not bound; BVP_ERR_CORRUPT: they are others. */
bvp_status bvpi_outside_touch(const bvp_file *file, uint32_t part, const bvp_control *control);
/* Says what is wrong where that failed. */
bvp_status bvpi_outside_explain(const bvp_file *file, uint32_t part, bvp_status status,
                                bvp_error *error);
/* Refuses a file whose triangles lie outside, for what copies its parts. */
bvp_status bvpi_outside_refuse(const bvp_file *file, bvp_error *error);

#endif
