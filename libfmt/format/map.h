/* SPDX-License-Identifier: MIT
 * map.h: an open file. record.h has checked views of its contents.
 * Spec: format.md, chapters 3 and 4
 */
#ifndef BVPI_FORMAT_MAP_H
#define BVPI_FORMAT_MAP_H

#include "bvpack.h"
#include "base/isa.h"
#include "format/layout.h"
#include "format/thin.h"

#include <stdbool.h>

/* A section of the mapping. The count is bounded by the file; the records' content is not
 * checked. */
typedef struct bvpi_span {
    const uint8_t *data;
    uint64_t size;  /* bytes */
    uint64_t count; /* records */
} bvpi_span;

struct bvp_file {
    const uint8_t *base; /* first byte of the bvpack file */
    uint64_t size;
    void *mapping; /* to be unmapped or freed, or NULL */
    size_t mapping_size;
    struct bvpi_source *source; /* where the bytes come from, or NULL: they are mapped */
    int owned;                  /* mapping comes from malloc (isolated), not from mmap */
    uint8_t *overlay;           /* `base`, writable and private to this handle; or NULL */
    bool read_ahead;            /* no advice is given: by request, or because of an overlay */
    bool is_refitted;           /* a part differs from the file */
    uint64_t shape;             /* 0, or a hash of everything that was refitted, in order */
    bvp_open_mode mode;
    const bvp_control *control; /* for calls without one of their own; or NULL */
    bvp_kind kind;              /* the kind of hierarchy that queries shall use */
    bvp_box_test box_test;      /* and their box test */
    bvpi_isa isa;               /* for its queries; chosen when the file is opened */
    bvpd_header header;         /* private copy of the head: cannot change after open */
    bvpi_span section[BVPD_SECTION_COUNT];
    bvpi_span digests;   /* DGST, or empty */
    bvpi_span buffers;   /* BUFS, or empty */
    bvpi_span chunk;     /* the binary chunk of the GLB that it lies in, where it was opened by
                            that; else data is NULL. Any byte may change at any time */
    void *chunk_mapping; /* to be unmapped or freed, or NULL */
    size_t chunk_mapping_size;
    bool is_digest_trusted; /* the caller knows the root digest, so blocks are also checked against
                               digests */
    /* With verify_lazily, else NULL: an atomic bvpi_hash_state for each part, one for the
     * assembly's tables, one for HASH, and one for each block that HASH covers. */
    unsigned char *part_state;
    void *ready;     /* part 0 prepared for queries, or NULL: query/body/placed_body.h */
    bvpi_thin *thin; /* for a thin file, else NULL */
    /* For a file whose triangles lie outside, of each part; else NULL. Room for their buffers. */
    struct bvpi_outside *outside;
    struct bvpi_buffers *buffer_room;
};

/* The module for browsers has no such mode, and no code for it. */
static inline bool bvpi_is_isolated(bvp_open_mode mode)
{
#ifdef BVPI_WITHOUT_ISOLATED
    (void)mode;
    return false;
#else
    return mode == BVP_OPEN_ISOLATED;
#endif
}

/* Opens without full verification: maps the file, or copies it (isolated), and checks the head.
 * bvp_open and its relatives add verification if requested. */
bvp_status bvpi_map_fd(int fd, const bvp_open_options *options, bvp_file **out, bvp_error *error);
bvp_status bvpi_map_memory(const void *data, size_t size, const bvp_open_options *options,
                           bvp_file **out, bvp_error *error);
bvp_status bvpi_map_source(const bvp_source *given, const bvp_open_options *options, bvp_file **out,
                           bvp_error *error);
/* Sets file->header from the file's first 4096 bytes, or fewer. */
bvp_status bvpi_check_head(bvp_file *file, const void *bytes, bvp_error *error);
/* Sets the sections from a header that was checked. */
void bvpi_set_spans(bvp_file *file);
/* Closes a file opened by these. Not for thin files, only for files that hold all of their
 * parts. */
void bvpi_unmap(bvp_file *file);
/* A handle on bytes that may violate every rule, for verification. Sections that are outside the
 * file or contradict themselves are empty. bvpi_check_identity must have succeeded. */
void bvpi_map_unchecked(const void *data, uint64_t size, bvp_file *file);

#endif
