/* SPDX-License-Identifier: MIT
 * equal_parts.c: finds parts by content.
 *
 * Parts are equal if content hash and counts are. The hash covers the whole mesh
 * (format/identity.h), so meshes are not compared. It is random enough for a part of it to be used
 * as the hash of the table.
 * Spec: format.md, chapter "Parts"
 */
#include "pack/file/builder.h"

#include "base/status.h"

#include <assert.h>
#include <string.h>

/* A part that is looked for. */
typedef struct content {
    const bvp_builder *builder;
    const uint8_t *hash;
    uint64_t triangle_count, vertex_count;
} content;

static uint32_t short_hash(const uint8_t content_hash[16])
{
    uint32_t hash;
    memcpy(&hash, content_hash, sizeof hash);
    return hash;
}

static bool is_equal(const void *user, uint32_t part)
{
    const content *c = user;
    const bvpd_part *p = &bvpi_part_at(c->builder, part)->part;
    return memcmp(p->content_hash, c->hash, sizeof p->content_hash) == 0 &&
           p->triangle_count == c->triangle_count && p->vertex_count == c->vertex_count;
}

uint32_t bvpi_find_equal(const bvp_builder *b, const uint8_t content_hash[16],
                         uint64_t triangle_count, uint64_t vertex_count)
{
    const content c = {b, content_hash, triangle_count, vertex_count};
    static_assert(BVPI_HASH_NONE == BVP_NONE, "no part is found as no number");
    return bvpi_hash_find(&b->by_content, short_hash(content_hash), is_equal, &c);
}

bvp_status bvpi_room_for_part(bvp_builder *b, bvp_error *error)
{
    if (!bvpi_hash_reserve(&b->by_content, b->parts.count + 1))
        return bvpi_error_memory(error, b->parts.count * sizeof *b->by_content.slots);
    return BVP_OK;
}

void bvpi_note_last_part(bvp_builder *b)
{
    assert(b->parts.count > 0 && b->by_content.count < b->parts.count);
    const uint32_t last = (uint32_t)b->parts.count - 1;
    bvpi_hash_put(&b->by_content, short_hash(bvpi_part_at(b, last)->part.content_hash), last);
}
