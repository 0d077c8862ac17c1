/* SPDX-License-Identifier: MIT
 * write.h: writes sections from memory to a file: offsets, padding, hashes, header, trailer; under
 * its final name only when complete.
 * Spec: format.md, chapters "Header", "Directory", "Hashes", "Trailer"
 */
#ifndef BVPI_FORMAT_WRITE_H
#define BVPI_FORMAT_WRITE_H

#include "bvpack.h"
#include "format/layout.h"

#include <stdbool.h>

/* A piece of a section. data == NULL: `size` zero bytes. */
typedef struct bvpi_chunk {
    const void *data;
    uint64_t size;
} bvpi_chunk;

typedef struct bvpi_write_section {
    const bvpi_chunk *chunks; /* concatenated; includes padding between records */
    uint64_t chunk_count;     /* 0: the section is empty */
} bvpi_write_section;

/* What to write. In `header` the caller sets the feature words,
 * source_hash, triangle_count, unique_triangle_count, up_axis, unit_in_metres, lo, hi,
 * top_hierarchy, hierarchy_size, geometry_size and id_size; the writer sets the rest, including all
 * record counts. section[BVPD_HASH] is ignored. PROV is given as text. */
typedef struct bvpi_write {
    bvpd_header header;
    bvpi_write_section section[BVPD_SECTION_COUNT];
    bvpi_write_section buffers; /* BUFS; empty: there is none */
    bool has_digests;           /* write DGST as well: BVP_ERR_ARGUMENT if !bvpi_can_digest() */
    void (*progress)(void *user, const char *stage, uint64_t done, uint64_t total); /* or NULL */
    void *progress_user;
    const bvp_control *control; /* may cancel it, or NULL */
} bvpi_write;

/* Writes in one forward pass, so fd may be a pipe. *file_size (may be NULL): bytes written. */
bvp_status bvpi_write_fd(const bvpi_write *job, int fd, uint64_t *file_size, bvp_error *error);

/* Writes a file in the folder of `path`, syncs it, gives it that name, syncs the folder
 * (publish.h). On failure nothing is left, and an existing file of that name is unchanged. If
 * `path` exists and is not a regular file (a device, a pipe), it is written directly. */
bvp_status bvpi_write_path(const bvpi_write *job, const char *path, uint64_t *file_size,
                           bvp_error *error);

#endif
