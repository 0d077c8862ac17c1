/* SPDX-License-Identifier: MIT
 * soup.h: triangles without shared vertices on their way to a welded mesh. They are welded in
 * chunks, and the chunks at the end: the same mesh as at once, but the soup never lies in memory.
 * With a sink they go there.
 */
#ifndef SOUP_H
#define SOUP_H

#include "model/import.h"

typedef struct soup {
    importer *im;
    int is_double;
    void *pending; /* triangles that are not welded yet, 9 coordinates each */
    size_t pending_count, pending_capacity;
    uint8_t *positions; /* of the welded chunks, one after the other */
    size_t vertex_count, vertex_capacity;
    uint32_t *indices;
    size_t triangle_count, index_capacity; /* welded triangles */
    uint32_t *ids;                         /* NULL while each id is the triangle's number */
    size_t id_capacity;
    uint64_t sunk_count; /* triangles that went into a sink */
    int is_piece;        /* part of one that is read by several threads: nothing goes into a sink */
} soup;

/* Room for the next triangle's 9 coordinates, floats or doubles; NULL: out of memory. */
void *soup_next(soup *s);
/* Keeps what has been put there. */
bvp_status soup_keep(soup *s, uint64_t id);
/* Of a piece: welds what is pending, or leaves all that way if there is a sink, where one triangle
 * after the other goes. */
bvp_status soup_settle(soup *piece);
/* Appends what a settled piece has, whose ids are numbers from first_id on. */
bvp_status soup_append(soup *s, const soup *piece, uint64_t first_id);
/* Adds the mesh to the model, which owns `name` (may be NULL) then; the soup is empty again. */
bvp_status soup_finish(soup *s, char *name);
/* How many triangles there are. */
static inline uint64_t soup_count(const soup *s)
{
    return s->triangle_count + s->pending_count + s->sunk_count;
}
void soup_free(soup *s);

#endif
