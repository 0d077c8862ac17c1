/* SPDX-License-Identifier: MIT
 * equal_parts.c: finds parts by content, in a hash table with open addressing, at most half full.
 *
 * Parts are equal if content hash and counts are. The hash covers the whole mesh
 * (format/identity.h), so meshes are not compared.
 * Spec: format.md, chapter "Parts"
 */
#include "pack/file/builder.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* The content hash is random enough to be used directly. */
static uint64_t home_of(const bvp_builder *b, const uint8_t content_hash[16])
{
    uint64_t hash;
    memcpy(&hash, content_hash, sizeof hash);
    return hash & (b->slot_count - 1);
}

static bool holds(const bvpd_part *p, const uint8_t content_hash[16], uint64_t triangle_count,
                  uint64_t vertex_count)
{
    return memcmp(p->content_hash, content_hash, sizeof p->content_hash) == 0 &&
           p->triangle_count == triangle_count && p->vertex_count == vertex_count;
}

uint32_t bvpi_find_equal(const bvp_builder *b, const uint8_t content_hash[16],
                         uint64_t triangle_count, uint64_t vertex_count)
{
    if (b->slot_count == 0)
        return BVP_NONE;
    for (uint64_t at = home_of(b, content_hash); b->slots[at] != 0;
         at = (at + 1) & (b->slot_count - 1))
        if (holds(&bvpi_part_at(b, b->slots[at] - 1)->part, content_hash, triangle_count,
                  vertex_count))
            return b->slots[at] - 1;
    return BVP_NONE;
}

static void take_slot(bvp_builder *b, uint32_t part)
{
    uint64_t at = home_of(b, bvpi_part_at(b, part)->part.content_hash);
    while (b->slots[at] != 0)
        at = (at + 1) & (b->slot_count - 1);
    b->slots[at] = part + 1;
}

bvp_status bvpi_room_for_part(bvp_builder *b, bvp_error *error)
{
    if (2 * (b->parts.count + 1) <= b->slot_count)
        return BVP_OK;
    const uint64_t wanted = b->slot_count ? 2 * b->slot_count : 64;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (!slots)
        return bvpi_error_memory(error, wanted * sizeof *slots);
    free(b->slots);
    b->slots = slots;
    b->slot_count = wanted;
    for (uint32_t i = 0; i < b->parts.count; i++)
        take_slot(b, i);
    return BVP_OK;
}

void bvpi_note_last_part(bvp_builder *b)
{
    take_slot(b, (uint32_t)b->parts.count - 1);
}
