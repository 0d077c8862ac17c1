/* SPDX-License-Identifier: MIT
 * map.h: an opened file and bounded views of what lies in it.
 * Spec: format.md, chapters 3 to 12.
 */
#ifndef BVPI_FORMAT_MAP_H
#define BVPI_FORMAT_MAP_H

#include "bvpack.h"
#include "base/isa.h"
#include "format/layout.h"

/* A section of the mapping; records of unknown content, count already bounded by the file. */
typedef struct bvpi_span {
    const uint8_t *data;
    uint64_t size;  /* bytes */
    uint64_t count; /* records */
} bvpi_span;

struct bvp_file {
    const uint8_t *base; /* the bvpack file's first byte */
    uint64_t size;
    void *mapping;       /* what to unmap or free, or NULL */
    size_t mapping_size;
    int owned;           /* mapping is malloc'ed (isolated), not mmapped */
    bvp_open_mode mode;
    bvpi_isa isa;
    bvpd_header header;  /* private copy of the page: fields cannot change after open */
    bvpi_span section[BVPD_SECTION_COUNT];
    unsigned char *part_state; /* verify_lazily: one atomic byte a part: 0 unknown, 1 good, 2 bad; or NULL */
};

/* A hierarchy ready to walk: everything is bounded, unit i (i < unit_count) can be read as a node. */
typedef struct bvpi_tree {
    const uint8_t *units;   /* 64-byte aligned */
    uint32_t unit_count;    /* units that may be nodes: (blob size) / 64 */
    uint32_t node_count;    /* for step budgets; <= unit_count */
    uint32_t root;
    uint32_t leaf_size;
    uint64_t blob_size;     /* bytes from units; a cluster header at off needs off + 32 <= blob_size */
    uint8_t cluster_shift;
    double grid_origin[3];
    double grid_unit;
    uint32_t grid_extent[3]; /* each < 2^22 */
} bvpi_tree;

typedef struct bvpi_part {
    const uint8_t *blob;
    const uint8_t *ids;      /* or NULL */
    uint64_t blob_size, ids_size, triangle_count;
    uint64_t cluster_table_off;
    uint32_t cluster_count;
    uint8_t cluster_shift;
    float lo[3], hi[3];
    double origin[3];
} bvpi_part;

/* All return BVP_ERR_CORRUPT when the record lies outside its section, BVP_ERR_ARGUMENT for an index
 * over the count. Each field is read once. */
bvp_status bvpi_get_part(const bvp_file *file, uint32_t part, bvpi_part *out);
bvp_status bvpi_get_part_tree(const bvp_file *file, uint32_t part, bvpi_tree *out);
/* The hierarchy over the instances; BVP_ERR_ARGUMENT when the file has no instance. */
bvp_status bvpi_get_top_tree(const bvp_file *file, bvpi_tree *out);
/* Copies; part, node and placement are checked to be in range. Placement entries are finite or the
 * call fails with BVP_ERR_CORRUPT. */
bvp_status bvpi_get_instance(const bvp_file *file, uint32_t instance, bvpd_instance *out,
                             double placement[12]);
bvp_string bvpi_get_string(const bvp_file *file, uint32_t ref); /* empty when ref is bad */

/* Source number of a local triangle of a cluster (a copy of its header); storage number without ids. */
uint64_t bvpi_triangle_id(const bvpi_part *part, const bvpd_cluster *cluster, uint32_t local);

#endif
