/* SPDX-License-Identifier: MIT
 * record.h: checked views of the records of an open file: parts, hierarchies, instances,
 * placements, strings.
 * Spec: format.md, chapters 8 to 13 and 15
 */
#ifndef BVPI_FORMAT_RECORD_H
#define BVPI_FORMAT_RECORD_H

#include "format/map.h"

/* A hierarchy ready to walk. All fields are checked: unit i (i < unit_count) can be read as a
 * node. */
typedef struct bvpi_tree {
    const uint8_t *units; /* 64-byte aligned */
    uint32_t unit_count;  /* units that may be nodes: (blob size) / 64 */
    uint32_t node_count;  /* for step budgets; <= unit_count */
    uint32_t root;
    uint32_t leaf_size;
    /* Bytes from `units` on; a cluster's header (36 bytes) must end within them. */
    uint64_t blob_size;
    uint8_t cluster_shift;
    const struct bvpi_outside *outside; /* of a part whose triangles lie outside; else NULL */
    double grid_origin[3];
    double grid_unit;
    uint32_t grid_extent[3]; /* each < 2^22 */
    int16_t turn[4];         /* is_turned: node/turn.h */
    bool is_turned;          /* the grid lies in another frame than the part's coordinates */
} bvpi_tree;

/* Offsets in a binary hierarchy fit 32 bits, and a link. */
#define BVPI_BINARY_SIZE_MAX UINT32_MAX

/* A binary hierarchy ready to walk: node/binary_node.h. */
typedef struct bvpi_binary {
    const uint8_t *blob; /* upper records, blocks */
    uint64_t blob_size;
    const uint8_t *order; /* order_count entries of order_width bits, unless the width is 0 */
    uint64_t order_count;
    uint32_t kind, leaf_size, depth; /* depth: levels, at most BVPD_DEPTH_MAX */
    uint32_t upper_count;            /* > 0, and all of them are inside the blob */
    uint32_t node_count;             /* for step budgets: at most what the blob has room for */
    uint8_t upper_size, payload_size, plane_max, offset_size, order_width;
    double grid_origin[3], grid_unit;
    uint32_t grid_extent[3];
} bvpi_binary;

/* A part's hierarchy for rays. */
typedef struct bvpi_rays {
    const uint8_t *nodes; /* node_count bvpd_ray_node, 64-byte aligned; NULL: the part has none */
    const uint8_t *meshlets;
    uint64_t meshlet_size; /* bytes of the meshlets, of which the last BVPD_RAY_TAIL are none */
    uint32_t node_count;   /* > 0 */
} bvpi_rays;

typedef struct bvpi_part {
    const uint8_t *blob;
    const uint8_t *ids; /* or NULL */
    uint64_t blob_size, ids_size, triangle_count;
    uint64_t cluster_table_off;
    uint32_t cluster_count;
    uint8_t cluster_shift;
    const struct bvpi_outside *outside; /* or NULL: the clusters hold the triangles */
    float lo[3], hi[3];
    double origin[3];
} bvpi_part;

/* Finds the file that holds a part: another file, if this one is thin. */
static inline bvp_status bvpi_resolve(const bvp_file **file, uint32_t *part)
{
    return (*file)->thin ? bvpi_thin_resolve(file, part) : BVP_OK;
}

/* All return BVP_ERR_CORRUPT if the record points outside of its section, and BVP_ERR_ARGUMENT for
 * an index that is too large. Each field is read once. */

/* A part, its wide hierarchy, both, or its hierarchy of a binary kind (BVPD_KIND_BOXTREE and later;
 * BVP_ERR_ARGUMENT if it has none), in the file that holds the part. */
bvp_status bvpi_get_part_here(const bvp_file *file, uint32_t part, bvpi_part *out);
bvp_status bvpi_get_part_tree_here(const bvp_file *file, uint32_t part, bvpi_tree *out);
bvp_status bvpi_get_part_and_tree_here(const bvp_file *file, uint32_t part, bvpi_part *out,
                                       bvpi_tree *tree);
bvp_status bvpi_get_part_binary_here(const bvp_file *file, uint32_t part, uint32_t kind,
                                     bvpi_binary *out);
/* The hierarchy for rays; none (nodes: NULL) if the part has none. */
bvp_status bvpi_get_part_rays_here(const bvp_file *file, uint32_t part, bvpi_rays *out);
/* Is a record of kind rays, of a part in that file, sound? Then out may be read. */
bool bvpi_view_rays(const bvp_file *file, const bvpd_hierarchy *record, bvpi_rays *out);
/* The same, wherever the part is. */
static inline bvp_status bvpi_get_part_rays(const bvp_file *file, uint32_t part, bvpi_rays *out)
{
    const bvp_status status = bvpi_resolve(&file, &part);
    return status == BVP_OK ? bvpi_get_part_rays_here(file, part, out) : status;
}
static inline bvp_status bvpi_get_part(const bvp_file *file, uint32_t part, bvpi_part *out)
{
    const bvp_status status = bvpi_resolve(&file, &part);
    return status == BVP_OK ? bvpi_get_part_here(file, part, out) : status;
}
static inline bvp_status bvpi_get_part_tree(const bvp_file *file, uint32_t part, bvpi_tree *out)
{
    const bvp_status status = bvpi_resolve(&file, &part);
    return status == BVP_OK ? bvpi_get_part_tree_here(file, part, out) : status;
}
static inline bvp_status bvpi_get_part_and_tree(const bvp_file *file, uint32_t part, bvpi_part *out,
                                                bvpi_tree *tree)
{
    const bvp_status status = bvpi_resolve(&file, &part);
    return status == BVP_OK ? bvpi_get_part_and_tree_here(file, part, out, tree) : status;
}
static inline bvp_status bvpi_get_part_binary(const bvp_file *file, uint32_t part, uint32_t kind,
                                              bvpi_binary *out)
{
    const bvp_status status = bvpi_resolve(&file, &part);
    return status == BVP_OK ? bvpi_get_part_binary_here(file, part, kind, out) : status;
}
/* For the file that holds the part: its record, and the record of its hierarchy `hierarchy` (<
 * r->hierarchy_count): of a known kind, its bytes inside DATA or BINH, its counts at most what they
 * have room for. r: a copy from bvpi_get_part_record. */
bvp_status bvpi_get_part_record(const bvp_file *file, uint32_t part, bvpd_part *out);
bvp_status bvpi_get_hierarchy_record(const bvp_file *file, uint32_t part, const bvpd_part *r,
                                     uint32_t hierarchy, bvpd_hierarchy *out);
/* Checked views of a copied record, for callers that must not read it twice. */
bvp_status bvpi_view_part(const bvp_file *file, uint32_t part, const bvpd_part *record,
                          bvpi_part *out);
bvp_status bvpi_view_binary(const bvp_file *file, const bvpd_hierarchy *record,
                            uint64_t triangle_count, bvpi_binary *out);
/* Rule HIE-14: the sizes of planes and offsets fit the kind, which is a binary one. */
bool bvpi_is_form_sound(const bvpd_hierarchy *record);
/* Rule HIE-15: the order stream, if there is one, ends the hierarchy's bytes. triangle_count: below
 * 2^32. */
bool bvpi_is_order_sound(const bvpd_hierarchy *record, uint64_t triangle_count);
/* Rule HIE-5 for a binary kind: the blob has room for the upper records and volumes. */
bool bvpi_is_count_sound(const bvpd_hierarchy *record);
/* Does the record have a quaternion? */
bool bvpi_is_turned(const bvpd_hierarchy *record);
/* Rule HIE-18 as far as readers check it: the numbers are in range. */
bool bvpi_is_turn_sound(const bvpd_hierarchy *record);
/* The number of hierarchies over the instances according to the file: at most BVPD_TOP_MAX. */
uint32_t bvpi_top_count(const bvp_file *file);
/* One of them; BVP_ERR_ARGUMENT if the file has no instance. */
bvp_status bvpi_get_top_tree(const bvp_file *file, uint32_t top, bvpi_tree *out);
/* Copies a record; part and node are in range. BVP_ERR_CORRUPT if an entry of the placement is not
 * finite. */
bvp_status bvpi_get_instance(const bvp_file *file, uint32_t instance, bvpd_instance *out,
                             double placement[12]);
/* The record alone, which costs a tenth: its part and node are in range, its placement may be
 * anything. */
bvp_status bvpi_get_instance_record(const bvp_file *file, uint32_t instance, bvpd_instance *out);
/* The part of an instance alone. */
bvp_status bvpi_get_instance_part(const bvp_file *file, uint32_t instance, uint32_t *part);
/* The placement of an instance's node relative to its parent. */
bvp_status bvpi_get_local(const bvp_file *file, const bvpd_instance *instance, double out[12]);
/* A record of PLAC; its twelve entries are finite. */
bvp_status bvpi_get_placement(const bvp_file *file, uint32_t placement, double out[12]);
/* A node of the product tree; its parent comes before it, and its end is in range. */
bvp_status bvpi_get_tree_node(const bvp_file *file, uint32_t node, bvpd_tree_node *out);
/* The index of the first property of a node, which is in range, as its record says. */
uint32_t bvpi_first_property_of(const bvp_file *file, uint32_t node);
/* How many there are from `first` on: they end where the next node's begin. 0 if the file is
 * damaged. */
uint32_t bvpi_property_count_of(const bvp_file *file, uint32_t node, uint32_t first);
bvp_string bvpi_get_string(const bvp_file *file, uint32_t ref); /* empty if ref is bad */

#endif
