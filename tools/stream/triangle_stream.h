/* SPDX-License-Identifier: MIT
 * triangle_stream.h: the triangles of one model, some at a time, in memory that does not depend on
 * its size.
 *
 * The triangles, their order, numbers and coordinates, the warnings and refusals, and what the
 * model says besides, are those of model_import_memory: what is built of them is the same. A model
 * of more than one part is no stream, and is refused.
 *
 * Read so: binary STL, streams of triangles ("triangles": nine little-endian floats each, and
 * nothing else), also from pipes of any length; ASCII STL, OBJ, PLY, OFF and GLB from files. Of a
 * pipe these are first copied to a temporary file. Vertices of OBJ, PLY and OFF go into temporary
 * files (24 bytes a vertex, 4 a corner and a polygon). All are without a name, in one folder.
 */
#ifndef TRIANGLE_STREAM_H
#define TRIANGLE_STREAM_H

#include "model/model.h"

typedef struct triangle_stream triangle_stream;

/* path: "-": standard input. options: as for model_import_memory, without progress, strays and
 * paths; must stay as long as the stream. folder: of temporary files. Models of text are read
 * through once here, so that what is wrong with them is known before the first triangle.
 * BVP_ERR_LIMIT: it has more than 2^32 - 1 triangles, if that is known now. */
bvp_status triangle_stream_open(const char *path, const import_options *options, const char *folder,
                                triangle_stream **out, bvp_error *error);
void triangle_stream_close(triangle_stream *s); /* NULL is allowed */

/* Are coordinates doubles? Otherwise floats. */
int triangle_stream_is_double(const triangle_stream *s);
/* How many triangles there will be at most; exactly, unless some are dropped; 0: unknown. */
uint64_t triangle_stream_total(const triangle_stream *s);
/* The next triangles: 9 coordinates each, and the number in the source; room for `most` of both;
 * ids may be NULL. *count: fewer than `most` at the end only, where the model is complete.
 * After a failure it fails in the same way again. */
bvp_status triangle_stream_next(triangle_stream *s, void *corners, uint32_t *ids, size_t most,
                                size_t *count, bvp_error *error);
/* To the first triangle again; BVP_ERR_SYSTEM for a pipe that has begun. */
bvp_status triangle_stream_rewind(triangle_stream *s, bvp_error *error);

/* The model, whose single mesh has a name, a type, a count and colours, but no arrays; complete
 * after the last triangle, until the next rewind. It stays the stream's. */
model *triangle_stream_model(triangle_stream *s);
/* What bvp_hash gives for the source's bytes, and how many there are. A file is read once more,
 * in blocks; a pipe must have come to its end. */
bvp_status triangle_stream_hash(triangle_stream *s, uint8_t hash[16], uint64_t *size,
                                bvp_error *error);
/* How far the source has been read, from any thread. *total: 0: unknown. */
void triangle_stream_progress(const triangle_stream *s, uint64_t *done, uint64_t *total);

#endif
