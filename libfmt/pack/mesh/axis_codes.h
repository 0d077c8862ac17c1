/* SPDX-License-Identifier: MIT
 * axis_codes.h: the coordinates of one axis of a cluster, without loss, in as few bits as possible.
 * Spec: format.md, chapter "Cluster records".
 */
#ifndef BVPI_PACK_MESH_AXIS_CODES_H
#define BVPI_PACK_MESH_AXIS_CODES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct bvpi_packing {
    uint8_t mode;  /* enum bvpd_packing */
    uint8_t width; /* bits of one coordinate */
    uint8_t scale; /* mode GRID: code of the step, else 0 */
    uint32_t base;
} bvpi_packing;

/* The narrowest packing that decodes to exactly these `count` (1 .. 256) finite numbers. */
void bvpi_pack_choose(const float *values, uint32_t count, bvpi_packing *out);

/* Their fields: less than 2^width. */
void bvpi_pack_fields(const float *values, uint32_t count, const bvpi_packing *packing,
                      uint32_t *fields);

/* One axis of a cluster's vertices: their fields, or their numbers in a table of fields. */
typedef struct bvpi_packed_axis {
    bvpi_packing packing;
    unsigned field_width; /* bits of one of `fields` */
    uint32_t table_count; /* 2 .. 255, or 0: none */
    uint32_t fields[256], table[256];
} bvpi_packed_axis;

/* The smallest of both forms; raw: as 32-bit floats without a table. */
void bvpi_pack_axis(const float *values, uint32_t count, bool raw, bvpi_packed_axis *out);

/* A stream that is written in order, least significant bits first. Begin: {.at = stream}. */
typedef struct bvpi_bits {
    uint8_t *at;    /* where the next whole word goes */
    uint64_t word;  /* what waits for it */
    unsigned count; /* bits of that: below 32 */
} bvpi_bits;

/* value: less than 2^width; width: 0 .. 32. */
static inline void bvpi_put_bits(bvpi_bits *b, uint32_t value, unsigned width)
{
    b->word |= (uint64_t)value << b->count;
    b->count += width;
    if (b->count >= 32) {
        const uint32_t low = (uint32_t)b->word;
        memcpy(b->at, &low, sizeof low);
        b->at += sizeof low;
        b->word >>= 32;
        b->count -= 32;
    }
}

/* Writes what waits, in as few bytes as it takes; returns where the stream ends. */
static inline uint8_t *bvpi_end_bits(bvpi_bits *b)
{
    const uint32_t size = (b->count + 7) / 8;
    for (uint32_t i = 0; i < size; i++)
        b->at[i] = (uint8_t)(b->word >> 8 * i);
    return b->at + size;
}

/* Bits that the numbers 0 .. largest need. */
static inline unsigned bvpi_bit_width(uint32_t largest)
{
    return largest == 0 ? 0 : 32u - (unsigned)__builtin_clz(largest);
}

#endif
