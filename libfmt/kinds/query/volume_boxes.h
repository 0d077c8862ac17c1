/* SPDX-License-Identifier: MIT
 * volume_boxes.h: boxes around the volumes of each kind, for bvpi_kind_functions.
 */
#ifndef BVPI_KINDS_QUERY_VOLUME_BOXES_H
#define BVPI_KINDS_QUERY_VOLUME_BOXES_H

#include "query/body/kind_table.h"

void bvpi_aabb_root(const bvpi_binary *tree, bvpi_body_frame *out);
void bvpi_aabb_grid_box(const bvpi_binary *tree, const bvpi_body_frame *parent,
                        const uint8_t *payload, bvpi_body_frame *out_frame, bvpi_body_box *out);
void bvpi_boxtree_root(const bvpi_binary *tree, bvpi_body_frame *out);
void bvpi_boxtree_grid_box(const bvpi_binary *tree, const bvpi_body_frame *parent,
                           const uint8_t *payload, bvpi_body_frame *out_frame, bvpi_body_box *out);
/* Oriented boxes and swept rectangles. */
void bvpi_oriented_root(const bvpi_binary *tree, bvpi_body_frame *out);
void bvpi_oriented_grid_box(const bvpi_binary *tree, const bvpi_body_frame *parent,
                            const uint8_t *payload, bvpi_body_frame *out_frame, bvpi_body_box *out);

#endif
