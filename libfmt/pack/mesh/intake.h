/* SPDX-License-Identifier: MIT
 * intake.h: from a caller's mesh to the welded, finite, rebased mesh that is built.
 * Spec: format.md, chapter "Parts"
 */
#ifndef BVPI_PACK_MESH_INTAKE_H
#define BVPI_PACK_MESH_INTAKE_H

#include "pack/mesh/mesh.h"
#include "bvpack_build.h"

typedef struct bvpi_intake {
    bvpi_mesh mesh; /* its arrays may be the caller's */
    void *owned[3]; /* those of positions, indices and ids that are not; or NULL */
    double origin[3];
    double rounding_error;
    uint64_t dropped_count;
    uint64_t duplicate_count, open_edge_count, nonmanifold_edge_count;
    uint8_t content_hash[16];
} bvpi_intake;

/* Refuses bad indices, and non-finite corners unless drop_invalid is set. The result may have no
 * triangle. A mesh that is welded already is not copied, so `source` must live as long as the
 * result. After a failure there is nothing to free. */
bvp_status bvpi_intake_mesh(const bvp_mesh *source, const bvp_build_options *options,
                            bvpi_intake *out, bvp_error *error);
/* Counts defects and hashes the content of out->mesh, which is welded, relative to out->origin. */
bvp_status bvpi_intake_examine(bvpi_intake *out, bool keep_ids, uint32_t thread_count,
                               bvp_error *error);
void bvpi_intake_free(bvpi_intake *intake);

#endif
