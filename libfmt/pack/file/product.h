/* SPDX-License-Identifier: MIT
 * product.h: the product tree (nodes, placements, names, properties) and the instances that follow
 * from it.
 * Spec: format.md, chapters "Placements" to "Strings"
 */
#ifndef BVPI_PACK_FILE_PRODUCT_H
#define BVPI_PACK_FILE_PRODUCT_H

#include "pack/file/tables.h"
#include "pack/tree/top_tree.h"
#include "bvpack_build.h"

#include <stdbool.h>

/* A node as it was added. */
typedef struct bvpi_product_node {
    uint32_t parent; /* or BVP_NONE */
    uint32_t name, source_id, part;
    uint32_t level; /* 1 for a root */
    uint32_t property_count;
    uint32_t linear; /* together with `move`, the placement relative to the parent */
    uint32_t world;  /* the world placement; only for parents; BVP_NONE until it is needed */
    bool dropped;    /* its placement, or an ancestor's, is unusable */
    double move[3];
} bvpi_product_node;

typedef struct bvpi_product {
    bvpi_array nodes;      /* bvpi_product_node */
    bvpi_array properties; /* struct property of product.c */
    bvpi_table strings, placements, linears;
    bool drop_invalid;
    uint64_t dropped_count;
} bvpi_product;

bvp_status bvpi_product_add_node(bvpi_product *product, const bvpi_product_node *node,
                                 const char *name, const char *source_id, const double *placement,
                                 uint32_t *idx, bvp_error *error);
bvp_status bvpi_product_add_property(bvpi_product *product, uint32_t node, const char *key,
                                     const char *value, bvp_error *error);
void bvpi_product_free(bvpi_product *product);

/* The product tree as records of the file. Owns its arrays. */
typedef struct bvpi_product_records {
    bvpd_tree_node *tree;
    bvpd_property *properties;
    bvpd_instance *instances;
    bvpi_top top;
    uint32_t node_count, instance_count;
    uint64_t property_count;
    double lo[3], hi[3]; /* world bounds; lo > hi if there are no instances */
} bvpi_product_records;

/* parts: part_count of them. Adds the instances' placements to the product's tables. */
bvp_status bvpi_product_finish(bvpi_product *product, const bvpd_part *parts, uint32_t part_count,
                               bvpi_product_records *out, bvp_error *error);
void bvpi_product_records_free(bvpi_product_records *records);

#endif
