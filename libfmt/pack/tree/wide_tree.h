/* SPDX-License-Identifier: MIT
 * wide_tree.h: from a mesh to its 8-wide hierarchy: batches of triangles, and the nodes above them.
 * Spec: format.md, chapters "Hierarchies", "Nodes"
 */
#ifndef BVPI_PACK_TREE_WIDE_TREE_H
#define BVPI_PACK_TREE_WIDE_TREE_H

#include "pack/tree/cluster_cut.h"
#include "pack/work.h"
#include "bvpack_build.h"
#include "node/grid.h"

/* A node: in a batch's list, or (batch: BVPD_NONE) in the list above the batches. */
typedef struct bvpi_wide_place {
    uint32_t batch, wide;
} bvpi_wide_place;

/* A hierarchy whose nodes do not know yet where the cluster records are. */
typedef struct bvpi_wide_build {
    const bvpi_grid *grid;
    bvpi_batch *batches; /* in the order of the triangles; the caller frees them */
    uint32_t batch_count;
    bvpi_collapse
        top; /* above the batches, each of which is a stub; unused if there is one batch */
    bvpi_wide_place *upper; /* nodes outside of the records, breadth first */
    uint32_t upper_count;
    uint64_t degenerate_count; /* triangles without area; atomic while it is built */
} bvpi_wide_build;

/* mesh: not empty. spec: complete. order: room for the mesh's triangles; receives them batch by
 * batch in leaf order; may be NULL. False: out of memory. The caller frees *out in either case.
 * watch: counts the mesh's triangles. */
bool bvpi_wide_make(const bvpi_mesh *mesh, const bvpi_grid *grid, const bvp_hierarchy_spec *spec,
                    uint32_t thread_count, uint32_t *order, bvpi_watch *watch,
                    bvpi_wide_build *out);
/* Frees everything except the batches. */
void bvpi_wide_free(bvpi_wide_build *build);

/* The steps of bvpi_wide_make, for batches that are built elsewhere: the hierarchy above them, of
 * whose leaves each becomes a stub of out->top; when out->batches are built, in the order of the
 * stubs, the list of upper nodes. False: out of memory. */
bool bvpi_wide_collapse_top(const bvpi_build_node *build_nodes, uint32_t build_node_count,
                            float node_price, bvpi_wide_build *out);
bool bvpi_wide_number_upper(bvpi_wide_build *build);

/* Fills in the references of a batch's nodes, and stores the nodes that belong in its records.
 * table: the places of the batch's records, >> shift. Batches are independent of each other. */
void bvpi_wide_finish(const bvpi_wide_build *build, uint32_t batch_idx, const uint32_t *table,
                      unsigned shift);

/* To be called after all batches are finished: writes the record, in which the caller sets part,
 * data_off and data_size, and build->upper_count nodes. */
void bvpi_wide_write(const bvpi_wide_build *build, bvpd_hierarchy *record, bvpd_node *upper);

#endif
