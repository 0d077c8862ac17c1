/* SPDX-License-Identifier: MIT
 * identity.h: what a part is known by: the hash of its mesh, and the address of its packed bytes.
 * Spec: format.md, chapter "Parts" (identity).
 */
#ifndef BVPI_FORMAT_IDENTITY_H
#define BVPI_FORMAT_IDENTITY_H

#include "format/layout.h"

#include <stdbool.h>

/* A mesh whose vertices all differ and are numbered in the order in which its triangles use them.
 */
typedef struct bvpi_content {
    const double *origin;
    const float *positions;
    const uint32_t *indices;
    const uint32_t *numbers; /* the source's, of each triangle; NULL: 0, 1, 2 ..., or not kept */
    uint32_t vertex_count, triangle_count;
} bvpi_content;

/* content_hash of the mesh. The order of its triangles matters only among those of one number.
 * *unique (or NULL): no two triangles have the same number. False: memory is short. */
bool bvpi_content_hash(const bvpi_content *content, uint8_t out[16], bool *unique);

/* address, of what the record says: content_hash, rounding_error, packer. */
void bvpi_part_address(const bvpd_part *part, uint8_t out[16]);

/* Does the record say who packed it? Only then do its content_hash and address follow the rules. */
bool bvpi_has_packer(const bvpd_part *part);

#endif
