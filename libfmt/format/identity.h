/* SPDX-License-Identifier: MIT
 * identity.h: what identifies a part: the hash of its mesh, and the address of its packed bytes.
 * Spec: format.md, chapter "Parts" (identity)
 */
#ifndef BVPI_FORMAT_IDENTITY_H
#define BVPI_FORMAT_IDENTITY_H

#include "format/checksum.h"
#include "format/layout.h"

#include <stdbool.h>

/* A mesh without equal vertices, numbered in the order in which its triangles use them. */
typedef struct bvpi_content {
    const double *origin;
    const float *positions;
    const uint32_t *indices;
    const uint32_t
        *numbers; /* the source's number of each triangle; NULL: 0, 1, 2 ..., or not kept */
    uint32_t vertex_count, triangle_count;
} bvpi_content;

/* The content_hash of a mesh. The order of triangles matters only among those of equal number.
 * *unique (or NULL): no two triangles have the same number. False: out of memory. */
bool bvpi_content_hash(const bvpi_content *content, uint8_t out[16], bool *unique);

/* The same in steps, for a mesh that is not in memory, whose numbers ascend: counts and origin; all
 * positions; all indices; the numbers, unless they are 0, 1, 2 ... or not kept. */
void bvpi_content_start(bvpi_hasher *hasher, uint64_t vertex_count, uint64_t triangle_count,
                        const double origin[3]);
void bvpi_content_add(bvpi_hasher *hasher, const void *data, size_t size);
void bvpi_content_end(bvpi_hasher *hasher, uint8_t out[16]);

/* The address that follows from a record's content_hash, rounding_error and packer. */
void bvpi_part_address(const bvpd_part *part, uint8_t out[16]);

/* Does the record name its packer? Only then do content_hash and address follow the rules. */
bool bvpi_has_packer(const bvpd_part *part);

#endif
