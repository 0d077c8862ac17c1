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
#include <string.h>

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

bool bvpi_ids_head(const uint8_t *ids, uint64_t ids_size, const bvpd_cluster *cluster,
                   bvpd_ids *head, uint64_t *packed_off)
{
    const uint64_t offset = (uint64_t)cluster->id_off * 4;
    if (cluster->packing[0] >> 6 == BVPD_OUTSIDE) {
        memcpy(head, cluster->base, sizeof *head);
        *packed_off = offset;
    } else {
        if (!bvpi_fits(offset, sizeof *head, ids_size))
            return false;
        bvpi_load_record(head, ids + offset, sizeof *head);
        *packed_off = offset + sizeof *head;
    }
    return head->width <= 32 && head->gap_width <= 32 && *packed_off <= ids_size;
}

/* A run of fields up to the next gap, and what is left out before it. */
typedef struct run {
    uint32_t first, end; /* fields first .. end - 1 */
    uint32_t skip;
} run;

/* Numbers are left out before `field`: as many as the last gap says that begins at or before it.
 * Gaps ascend; in a forged record the search ends all the same. */
static run find_run(const uint8_t *packed, const bvpd_ids *head, uint32_t field)
{
    const uint32_t entry = head->width + (uint32_t)head->gap_width;
    uint32_t low = 0, high = head->gap_count;
    run found = {.end = UINT32_MAX};
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        const uint32_t position = bvpi_ids_bits(packed, middle * entry, head->width);
        if (position <= field) {
            low = middle + 1;
            found.first = position;
        } else {
            high = middle;
            found.end = position;
        }
    }
    assert(low <= head->gap_count);
    if (low > 0)
        found.skip = bvpi_ids_bits(packed, (low - 1) * entry + head->width, head->gap_width);
    return found;
}

/* The fields of the numbers of local triangles up to `last`. NULL: they are not there. */
static const uint8_t *open_record(const uint8_t *ids, uint64_t ids_size,
                                  const bvpd_cluster *cluster, uint32_t last, bvpd_ids *head,
                                  uint32_t *fields)
{
    uint64_t offset;
    if (!ids || !bvpi_ids_head(ids, ids_size, cluster, head, &offset))
        return NULL;
    const uint32_t size = bvpi_ids_packed_size(head, last + 1);
    if (size > ids_size - offset)
        return NULL;
    if (size > 0)
        bvpi_want(ids + offset, size);
    *fields = head->gap_count * (head->width + (uint32_t)head->gap_width);
    return ids + offset;
}

uint64_t bvpi_number_of(const uint8_t *ids, uint64_t ids_size, const bvpd_cluster *cluster,
                        uint32_t local)
{
    bvpd_ids head;
    uint32_t fields;
    const uint8_t *packed = open_record(ids, ids_size, cluster, local, &head, &fields);
    if (!packed)
        return (uint64_t)cluster->first_triangle + local;
    const uint32_t field = bvpi_ids_bits(packed, fields + local * head.width, head.width);
    return (uint64_t)head.base + field + find_run(packed, &head, field).skip;
}

void bvpi_numbers_of_eight(const uint8_t *ids, uint64_t ids_size, const bvpd_cluster *cluster,
                           const uint32_t local[8], uint64_t out[8])
{
    bvpd_ids head;
    uint32_t fields, last = 0;
    run r = {.first = 1};
    for (int lane = 0; lane < 8; lane++)
        last = local[lane] > last ? local[lane] : last;
    const uint8_t *packed = open_record(ids, ids_size, cluster, last, &head, &fields);
    for (int lane = 0; lane < 8; lane++) {
        out[lane] = (uint64_t)cluster->first_triangle + local[lane];
        if (!packed)
            continue;
        const uint32_t field = bvpi_ids_bits(packed, fields + local[lane] * head.width, head.width);
        if (field < r.first || field >= r.end)
            r = find_run(packed, &head, field);
        out[lane] = (uint64_t)head.base + field + r.skip;
    }
}
