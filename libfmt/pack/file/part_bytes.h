/* SPDX-License-Identifier: MIT
 * part_bytes.h: from one mesh to the bytes of one part: hierarchies, clusters, triangle numbers.
 * Spec: format.md, chapters "Parts", "Hierarchies"
 */
#ifndef BVPI_PACK_FILE_PART_BYTES_H
#define BVPI_PACK_FILE_PART_BYTES_H

#include "pack/large/large_wide.h"
#include "pack/tree/cluster_cut.h"
#include "node/grid.h"
#include "bvpack_build.h"
#include "pack/work.h"
#include "format/write.h"

#include <stdbool.h>

enum {
    BVPI_HIERARCHY_MAX = BVPD_KIND_END - 1,  /* one of each kind */
    BVPI_SPEC_MAX = BVPD_KIND_BINARY_END - 1 /* one of each kind that has a specification */
};

/* The bytes of a part. Offsets in DATA, TIDS and BINH, strings and indices in `part` and
 * `hierarchy` are set by the caller. */
typedef struct bvpi_part_bytes {
    bvpd_part part;
    bvpd_hierarchy hierarchy[BVPI_HIERARCHY_MAX]; /* part.hierarchy_count of them */
    uint8_t *binary[BVPI_HIERARCHY_MAX]; /* their bytes in BINH; NULL: a wide one, in DATA */
    bvpd_node *upper;                    /* of the wide one */
    uint32_t upper_count;
    uint32_t *table; /* cluster_count offsets, then zeros up to a multiple of 1 << cluster_shift */
    bvpi_batch *batches;
    uint32_t batch_count;
    /* For a part that was packed before: its bytes in DATA and TIDS; of the fields above only
     * `binary` is used. Neither: the part is only referred to. */
    uint8_t *blob, *ids;
    bool is_borrowed;        /* blob, ids and binary belong to an open file */
    bvpi_batch_store *store; /* owned; the batches' arrays lie in it, not on the heap; or NULL */
} bvpi_part_bytes;

/* Builds a part. mesh: not empty, indices in range, coordinates finite. specs: complete, of
 * different kinds, wide first if present; triangles are stored in the order of the first. One for
 * rays comes last, and is left out where coordinates are too large or small for it. Sets
 * everything that follows from the mesh; content hash, origin, rounding error, and defects other
 * than degenerate_count are the caller's. watch: its total becomes the triangles of all
 * hierarchies. */
bvp_status bvpi_part_build(const bvpi_mesh *mesh, const bvp_hierarchy_spec *specs,
                           uint32_t spec_count, uint32_t thread_count, bvpi_watch *watch,
                           bvpi_part_bytes *out, bvp_error *error);
/* The same for a mesh that is not in memory, of which `kept` has counts and flags and no arrays.
 * spec: complete, wide. */
bvp_status bvpi_part_build_large(const bvpi_spool *spool, const bvpi_mesh *kept,
                                 const bvpi_grid *grid, const bvp_hierarchy_spec *spec,
                                 const bvpi_large_means *means, bvpi_part_bytes *out,
                                 bvp_error *error);
/* Takes part `part` of `file`, without name and source_id: a copy, or, if `borrow`, pointers into
 * the file, which must then stay open as long as the part is used. Its records are checked in any
 * case; is_verified: the caller has verified all other rules. */
bvp_status bvpi_part_take(const bvp_file *file, uint32_t part, bool borrow, bool is_verified,
                          bvpi_part_bytes *out, bvp_error *error);
void bvpi_part_free(bvpi_part_bytes *part);
/* What is wrong with the numbers of a part's record, or NULL: rules PRT-4, 5, 7, 8, 10 and 11, as
 * far as they can be checked without the part's bytes. */
const char *bvpi_part_fault(const bvpd_part *part);

/* The part's chunks of DATA and TIDS; at most bvpi_part_chunk_count each. Both return how many were
 * written. */
uint64_t bvpi_part_chunk_count(const bvpi_part_bytes *part);
uint64_t bvpi_part_data(const bvpi_part_bytes *part, bvpi_chunk *chunks);
uint64_t bvpi_part_ids(const bvpi_part_bytes *part, bvpi_chunk *chunks);

#endif
