/* SPDX-License-Identifier: MIT
 * part_bytes.h: one mesh into the bytes of one part: hierarchies, clusters, triangle numbers.
 * Spec: format.md, chapters "Parts", "Hierarchies".
 */
#ifndef BVPI_PACK_FILE_PART_BYTES_H
#define BVPI_PACK_FILE_PART_BYTES_H

#include "pack/tree/cluster_cut.h"
#include "node/grid.h"
#include "bvpack_build.h"
#include "pack/work.h"
#include "format/write.h"

#include <stdbool.h>

enum { BVPI_HIERARCHY_MAX = BVPD_KIND_END - 1 }; /* one of each kind */

/* The bytes of a part. Offsets in DATA, TIDS and BINH, strings and indices in `part` and
 * `hierarchy` are for the caller to fill in. */
typedef struct bvpi_part_bytes {
    bvpd_part part;
    bvpd_hierarchy hierarchy[BVPI_HIERARCHY_MAX]; /* part.hierarchy_count of them */
    uint8_t *binary[BVPI_HIERARCHY_MAX];          /* their bytes in BINH; NULL: wide, in DATA */
    bvpd_node *upper;                             /* of the wide one */
    uint32_t upper_count;
    uint32_t *table; /* cluster_count offsets, then zeros up to 1 << cluster_shift */
    bvpi_batch *batches;
    uint32_t batch_count;
    /* A part that was packed before: its bytes in DATA and TIDS, and none of the above but
     * `binary`. Neither: the part is only referred to. */
    uint8_t *blob, *ids;
    bool is_borrowed; /* blob, ids and binary belong to an open file, which is only read */
} bvpi_part_bytes;

/* mesh: not empty, indices in range, coordinates finite. specs: complete, each of another kind,
 * wide first if at all; the triangles are stored in the first one's order. Fills in everything that
 * is in the mesh; not the content hash, origin, rounding error or the other defects than
 * degenerate_count. watch: its total is set to the triangles of all hierarchies. */
bvp_status bvpi_part_build(const bvpi_mesh *mesh, const bvp_hierarchy_spec *specs,
                           uint32_t spec_count, uint32_t thread_count, bvpi_watch *watch,
                           bvpi_part_bytes *out, bvp_error *error);
/* Part `part` of `file`, without its name and source_id: a copy; or, when `borrow`, where it lies:
 * then the file stays open as long as the part. Its records are bounded whatever they say;
 * `is_verified`: the caller has checked the rest against the rules of the format. */
bvp_status bvpi_part_take(const bvp_file *file, uint32_t part, bool borrow, bool is_verified,
                          bvpi_part_bytes *out, bvp_error *error);
void bvpi_part_free(bvpi_part_bytes *part);
/* What is wrong with the numbers of a part's record, or NULL: those that rules PRT-4, 5, 7, 8, 10
 * and 11 ask for without a look at its bytes. */
const char *bvpi_part_fault(const bvpd_part *part);

/* Pieces of DATA and TIDS that the part takes; at most bvpi_part_chunk_count each. Both return how
 * many were written. */
uint64_t bvpi_part_chunk_count(const bvpi_part_bytes *part);
uint64_t bvpi_part_data(const bvpi_part_bytes *part, bvpi_chunk *chunks);
uint64_t bvpi_part_ids(const bvpi_part_bytes *part, bvpi_chunk *chunks);

#endif
