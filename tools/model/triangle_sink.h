/* SPDX-License-Identifier: MIT
 * triangle_sink.h: where an importer's triangles go, one batch after the other, instead of into a
 * mesh in memory. So a model may be larger than memory, and is the same model.
 *
 * An importer with a sink makes one mesh at most. What is said of it, its nodes, warnings and files
 * are in the model as always; its arrays are NULL, and its triangles have gone by.
 */
#ifndef TRIANGLE_SINK_H
#define TRIANGLE_SINK_H

#include "model/import.h"

typedef struct triangle_sink {
    /* The batch that is being filled, of `capacity` triangles: 9 coordinates each, floats or
     * doubles, and the number of each in the source. */
    void *corners;
    uint32_t *ids;
    size_t count, capacity;
    int is_double;
    int has_begun;      /* a mesh has; there is no second one */
    int is_rehearsal;   /* triangles are counted only: a text is read twice */
    uint64_t kept;      /* triangles so far */
    uint64_t rehearsed; /* how many there will be, when that is known */
    /* Both return 0, or another number: the reading ends. total: triangles that will come at most,
     * 0: unknown. flush: takes the batch and provides for the next one; count is 0 then. */
    int (*begin)(struct triangle_sink *s, uint64_t total);
    int (*flush)(struct triangle_sink *s);
    const char *folder; /* of files without a name, for what would need memory */
} triangle_sink;

/* The most triangles that a part may have. */
#define TRIANGLES_MOST UINT32_MAX

/* Of the mesh whose triangles come next; to be called before them. A second one is refused, and so
 * are more triangles than a part may have. */
bvp_status sink_begin(importer *im, int is_double, uint64_t total);
/* Room for the next triangle's 9 coordinates, floats or doubles. */
static inline void *sink_next(const triangle_sink *s)
{
    return (char *)s->corners + s->count * 9 * (s->is_double ? sizeof(double) : sizeof(float));
}
/* Keeps what has been put there. */
bvp_status sink_keep(importer *im, uint64_t id);
/* The mesh is complete: adds it to the model, which owns `name` (may be NULL) then. */
bvp_status sink_end(importer *im, char *name);
/* Refuses a model of several parts. */
bvp_status sink_refuse_parts(importer *im);
/* Refuses a part that has too many triangles. */
bvp_status sink_refuse_size(importer *im);

#endif
