/* SPDX-License-Identifier: MIT
 * builder.h: what a builder holds, for the two files of its public calls.
 * Spec: format.md
 */
#ifndef BVPI_PACK_FILE_BUILDER_H
#define BVPI_PACK_FILE_BUILDER_H

#include "pack/mesh/intake.h"
#include "pack/file/part_bytes.h"
#include "pack/file/product.h"
#include "pack/file/tables.h"

#include <stdbool.h>

struct bvp_builder {
    bvp_build_options
        options; /* with the defaults filled in; its pointers point to the two below */
    uint8_t source_hash[16];
    char *provenance;
    bvp_hierarchy_spec specs[BVPI_HIERARCHY_MAX]; /* complete; options.hierarchy_count of them */
    bvpi_array parts;                             /* bvpi_part_bytes */
    uint32_t *slots;                              /* slot_count, by content: part + 1, or 0 */
    uint64_t slot_count;                          /* a power of two, or 0 */
    bvpi_product product;
    uint32_t shared_part_count, packed_part_count;
    uint64_t dropped_triangle_count, stray_count;
    double seconds;
    bool finished;
};

static inline bvpi_part_bytes *bvpi_part_at(const bvp_builder *b, uint32_t idx)
{
    return (bvpi_part_bytes *)b->parts.data + idx;
}

/* The part that holds the same mesh, or BVP_NONE. */
uint32_t bvpi_find_equal(const bvp_builder *b, const uint8_t content_hash[16],
                         uint64_t triangle_count, uint64_t vertex_count);
/* So that the next part can be noted without fail. */
bvp_status bvpi_room_for_part(bvp_builder *b, bvp_error *error);
void bvpi_note_last_part(bvp_builder *b);
/* Puts the part behind the others; on failure it is freed. */
bvp_status bvpi_keep_part(bvp_builder *b, bvpi_part_bytes *made, const char *name,
                          const char *source_id, bvp_error *error);
/* What is left of a part in a file that does not hold it. */
void bvpi_part_refer(bvpi_part_bytes *part);
/* What a part is known by before it is packed: content_hash, rounding_error, packer, address; all
 * else is zero. */
void bvpi_identify_part(const bvp_builder *b, const bvpi_intake *in, bvpd_part *out);
/* The part that `find_packed` has for `known` (what bvpi_identify_part says), or one without bytes,
 * when there is none. */
void bvpi_find_packed(const bvp_builder *b, const bvpd_part *known, bvpi_part_bytes *out);

#endif
