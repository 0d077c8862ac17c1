/* SPDX-License-Identifier: MIT
 * write.h: putting sections that lie in memory into a file: offsets, padding, hashes, header,
 * trailer; under its final name only when complete.
 * Spec: format.md, chapters "Header", "Directory", "Hashes", "Trailer".
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
    const bvpi_chunk *chunks; /* concatenated; the caller has put in padding between records */
    uint64_t chunk_count;     /* 0: the section is empty */
} bvpi_write_section;

/* What to write. The caller fills in of `header`: version_minor (0:
 * the least), feature words, source_hash, triangle_count,
 * unique_triangle_count, up_axis, unit_in_metres, lo, hi, top_hierarchy, hierarchy_size,
 * geometry_size, id_size; the writer everything else, part_count and the other record counts too.
 * section[BVPD_HASH] is ignored. PROV is given as text. */
typedef struct bvpi_write {
    bvpd_header header;
    bvpi_write_section section[BVPD_SECTION_COUNT];
    bool has_digests; /* write DGST too: BVP_ERR_ARGUMENT where !bvpi_can_digest() */
    void (*progress)(void *user, const char *stage, uint64_t done, uint64_t total); /* or NULL */
    void *progress_user;
    const bvp_control *control; /* what may end it, or NULL */
} bvpi_write;

/* Writes in one forward pass (a pipe is fine). *file_size (may be NULL): bytes written. */
bvp_status bvpi_write_fd(const bvpi_write *job, int fd, uint64_t *file_size, bvp_error *error);

/* Writes a file in the folder of `path`, fsyncs it, gives it that name, fsyncs the folder
 * (publish.h). On failure nothing is left, and an earlier file of that name is untouched. A `path`
 * that exists and is not a regular file (a device, a pipe) is written to directly. */
bvp_status bvpi_write_path(const bvpi_write *job, const char *path, uint64_t *file_size,
                           bvp_error *error);

#endif
