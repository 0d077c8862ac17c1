/* SPDX-License-Identifier: MIT
 * triangle_ids.c: source numbers of triangles, decoded from their records.
 *
 * The encoder is pack/mesh/id_codes.c. Widths are checked before any bit is read, and every section
 * is followed by at least 8 bytes of file, so one unaligned 64-bit load per value is safe. If a
 * record is damaged the storage number is returned.
 * Spec: format.md, chapter "Triangle numbers"
 */
#include "format/record.h"
#include "format/triangle_ids.h"

#include "base/checked.h"
#include "base/load.h"

#include <assert.h>

/* More than seven bytes of file follow every section. */
uint32_t bvpi_ids_bits(const uint8_t *data, uint32_t first, unsigned width)
{
    uint64_t word;
    assert(width <= 32); /* so a value and the bits before it fit in 64 */
    memcpy(&word, data + first / 8, sizeof word);
    return (uint32_t)(word >> (first % 8) & ((UINT64_C(1) << width) - 1));
}

uint32_t bvpi_ids_packed_size(const bvpd_ids *head, uint32_t triangle_count)
{
    assert(head->width <= 32 && head->gap_width <= 32);
    const uint32_t bits =
        head->gap_count * (head->width + (uint32_t)head->gap_width) + triangle_count * head->width;
    return (bits + 31) / 32 * 4;
}

uint64_t bvpi_triangle_id(const bvpi_part *part, const bvpd_cluster *cluster, uint32_t local)
{
    const uint64_t storage = (uint64_t)cluster->first_triangle + local;
    const uint64_t offset = (uint64_t)cluster->id_off * 4;
    if (!part->ids || !bvpi_fits(offset, sizeof(bvpd_ids), part->ids_size))
        return storage;
    bvpd_ids head;
    bvpi_load_record(&head, part->ids + offset, sizeof head);
    if (head.width > 32 || head.gap_width > 32 ||
        bvpi_ids_packed_size(&head, local + 1) > part->ids_size - offset - sizeof head)
        return storage;
    const uint8_t *packed = part->ids + offset + sizeof head;
    bvpi_want(packed, bvpi_ids_packed_size(&head, local + 1));
    const uint32_t fields = head.gap_count * (head.width + (uint32_t)head.gap_width);
    const uint32_t field = bvpi_ids_bits(packed, fields + local * head.width, head.width);
    /* Numbers are left out before `field`: as many as the last gap says that begins at or before
     * it. Gaps ascend; in a forged record the search ends all the same. */
    const uint32_t entry = head.width + (uint32_t)head.gap_width;
    uint32_t low = 0, high = head.gap_count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (bvpi_ids_bits(packed, middle * entry, head.width) <= field)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low <= head.gap_count);
    const uint32_t skip =
        low > 0 ? bvpi_ids_bits(packed, (low - 1) * entry + head.width, head.gap_width) : 0;
    return (uint64_t)head.base + field + skip;
}
