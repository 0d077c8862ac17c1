/* SPDX-License-Identifier: MIT
 * builder.h: the state of a builder, for the files of its public calls: builder.c, packed_parts.c,
 * finish.c.
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
    bvp_build_options options; /* with defaults filled in; hierarchies points to `specs`,
                                  source_hash and provenance are NULL */
    uint8_t source_hash[16];
    char *provenance;
    bvp_hierarchy_spec specs[BVPI_HIERARCHY_MAX]; /* complete; options.hierarchy_count of them */
    bvpi_array parts;                             /* bvpi_part_bytes */
    bvpi_hash_table by_content;                   /* the parts' numbers */
    bvpi_array buffers;                           /* bvpd_buffers, with the option share */
    bvpi_product product;
    uint32_t shared_part_count, packed_part_count;
    uint64_t dropped_triangle_count, stray_count;
    double seconds;
    bool finished;
};

/* The fifth word of a specification where it is hashed. A fit's is 0 for the first one there was,
 * whose bytes kept their hashes. */
static inline uint32_t bvpi_spec_detail(const bvp_hierarchy_spec *s)
{
    return s->fit > BVP_FIT_EXTREMES ? (uint32_t)s->fit << 8 : s->offset_size;
}

static inline bvpi_part_bytes *bvpi_part_at(const bvp_builder *b, uint32_t idx)
{
    return (bvpi_part_bytes *)b->parts.data + idx;
}

/* The part with the same mesh, or BVP_NONE. */
uint32_t bvpi_find_equal(const bvp_builder *b, const uint8_t content_hash[16],
                         uint64_t triangle_count, uint64_t vertex_count);
/* Makes room, so that bvpi_note_last_part cannot fail. */
bvp_status bvpi_room_for_part(bvp_builder *b, bvp_error *error);
void bvpi_note_last_part(bvp_builder *b);
bvp_status bvpi_check_part_name(const char *text, uint64_t part, bvp_error *error);
/* Builds a part that the builder has not yet, or finds it where the caller's find_packed has it,
 * and appends it. build: is called with `user`. */
typedef bvp_status bvpi_build_fn(void *user, bvp_builder *b, const bvpi_intake *in,
                                 bvpi_part_bytes *made, bvp_error *error);
bvp_status bvpi_add_new_part(bvp_builder *b, const bvpi_intake *in, const char *name,
                             const char *source_id, bvpi_build_fn *build, void *user,
                             bvp_error *error);
bvpi_build_fn bvpi_build_in_memory;
/* Appends the part. On failure it is freed. */
bvp_status bvpi_keep_part(bvp_builder *b, bvpi_part_bytes *made, const char *name,
                          const char *source_id, bvp_error *error);
/* With the option share. Checks the mesh's buffers; where it has no positions, makes them of the
 * buffers: *made, to be freed by bvpi_free_made. Otherwise *made is the mesh itself. */
bvp_status bvpi_mesh_over_buffers(const bvp_mesh *mesh, bvp_mesh *made, bvp_error *error);
void bvpi_free_made(const bvp_mesh *mesh, bvp_mesh *made);
/* Has each triangle of the mesh its corners in the buffers? */
bvp_status bvpi_check_corners(const bvp_mesh *mesh, const bvpi_mesh *taken, bvp_error *error);
/* Appends the records of the buffers of part `part`. */
bvp_status bvpi_keep_buffers(bvp_builder *b, const bvp_mesh *mesh, uint32_t part, bvp_error *error);
/* Removes them, where the part could not be added. */
void bvpi_drop_buffers(bvp_builder *b, uint32_t part);
/* Reduces a part to its record, for a file that refers to it. */
void bvpi_part_refer(bvpi_part_bytes *part);
/* What identifies a part before it is packed: content_hash, rounding_error, packer and address; the
 * rest is zero. */
void bvpi_identify_part(const bvp_builder *b, const bvpi_intake *in, bvpd_part *out);
/* The part that the caller's `find_packed` has for `known` (from bvpi_identify_part), or a part
 * without bytes. */
void bvpi_find_packed(const bvp_builder *b, const bvpd_part *known, bvpi_part_bytes *out);

#endif
