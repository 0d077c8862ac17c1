/* SPDX-License-Identifier: MIT
 * cluster_cut.h: cuts a hierarchy's triangles into cluster records, and gives each node a place.
 * Spec: format.md, chapters "Cluster records", "Triangle numbers"
 */
#ifndef BVPI_PACK_TREE_CLUSTER_CUT_H
#define BVPI_PACK_TREE_CLUSTER_CUT_H

#include "pack/mesh/mesh.h"
#include "pack/tree/collapse.h"

/* Value of bvpi_wide.home for nodes stored outside of the records, with the upper nodes. */
#define BVPI_HOME_UPPER UINT32_MAX

typedef struct bvpi_record {
    uint64_t offset;    /* in bvpi_batch.bytes; a multiple of 64 */
    uint32_t size;      /* including nodes; a multiple of 64 */
    uint32_t nodes_off; /* in the record */
} bvpi_record;

/* A hierarchy of at most some ten thousand triangles, on its way into a part's blob. */
typedef struct bvpi_batch {
    bvpi_wide *wide;
    uint32_t wide_count;
    uint32_t first_item, triangle_count; /* in the builder's order of all triangles */
    uint32_t depth, leaf_count, largest_leaf;
    uint32_t degenerate_count; /* triangles without area */
    double area;
    bvpi_record *records;
    uint32_t record_count, record_capacity;
    uint8_t *bytes; /* the records in sequence; nodes are still zero, offsets are relative to these
                       bytes */
    uint64_t size, capacity;
    uint8_t *ids; /* their id records */
    uint64_t ids_size, ids_capacity;
} bvpi_batch;

/* Sets records, bytes and ids, and home, slot, cluster and local of the batch's nodes. visited,
 * order: from the bvpi_collapse that made the nodes. False: out of memory. */
bool bvpi_cluster_batch(const bvpi_mesh *mesh, const uint32_t *visited, const uint32_t *order,
                        bool is_hasty, bvpi_batch *batch);
/* True if these triangles (count <= 256) fit in one record. */
bool bvpi_cluster_fits(const bvpi_mesh *mesh, const uint32_t *triangles, uint32_t count);
void bvpi_batch_free(bvpi_batch *batch);

#endif
