/* SPDX-License-Identifier: MIT
 * ids.c: the source's triangle numbers.
 * Spec: format.md, chapter "Triangle numbers".
 */
#include "format/map.h"

#include "base/checked.h"
#include "base/load.h"

/* Up to 32 bits at bit `first`, least significant first; touches only the bytes that hold them. */
static uint32_t get_bits(const uint8_t *data, uint64_t first, unsigned width)
{
    if (width == 0)
        return 0;
    const uint64_t begin = first / 8, last = (first + width - 1) / 8;
    uint64_t bits = 0;
    for (uint64_t i = last + 1; i-- > begin;)
        bits = bits << 8 | data[i];
    return (uint32_t)(bits >> (first % 8) & ((UINT64_C(1) << width) - 1));
}

uint64_t bvpi_triangle_id(const bvpi_part *part, const bvpd_cluster *cluster, uint32_t local)
{
    const uint64_t storage = (uint64_t)cluster->first_triangle + local;
    const uint64_t offset = (uint64_t)cluster->id_off * 4;
    if (!part->ids || !bvpi_fits(offset, sizeof(bvpd_ids), part->ids_size))
        return storage;
    bvpd_ids head;
    bvpi_load_record(&head, part->ids + offset, sizeof head);
    const uint64_t room = part->ids_size - offset - sizeof head;
    const uint64_t end_bit = ((uint64_t)local + 1) * head.width;
    if (head.width > 32 || (end_bit + 7) / 8 > room)
        return storage;
    const uint8_t *packed = part->ids + offset + sizeof head;
    return (uint64_t)head.base + get_bits(packed, (uint64_t)local * head.width, head.width);
}
