/* SPDX-License-Identifier: MIT
 * axis_codes.h: lossless codes for the coordinates of one axis of a cluster, in as few bits as
 * possible.
 * Spec: format.md, chapter "Cluster records"
 */
#ifndef BVPI_PACK_MESH_AXIS_CODES_H
#define BVPI_PACK_MESH_AXIS_CODES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct bvpi_packing {
    uint8_t mode;  /* enum bvpd_packing */
    uint8_t width; /* bits of one coordinate */
    uint8_t scale; /* mode GRID: code of the step; else 0 */
    uint32_t base;
} bvpi_packing;

/* The narrowest packing that decodes to exactly these `count` (1 .. 256) finite numbers. */
void bvpi_pack_choose(const float *values, uint32_t count, bvpi_packing *out);

/* The codes of the values: each less than 2^width. */
void bvpi_pack_fields(const float *values, uint32_t count, const bvpi_packing *packing,
                      uint32_t *fields);

/* One axis of a cluster's vertices: their codes, or their indices in a table of codes. */
typedef struct bvpi_packed_axis {
    bvpi_packing packing;
    unsigned field_width; /* bits of an element of `fields` */
    uint32_t table_count; /* 2 .. 255, or 0: none */
    uint32_t fields[256], table[256];
} bvpi_packed_axis;

/* Chooses the smaller form. raw: 32-bit floats, no table. */
void bvpi_pack_axis(const float *values, uint32_t count, bool raw, bvpi_packed_axis *out);

/* A bit stream written in order, least significant bits first. Start with {.at = stream}. */
typedef struct bvpi_bits {
    uint8_t *at;    /* where the next whole word goes */
    uint64_t word;  /* bits not yet written */
    unsigned count; /* their number: below 32 */
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

/* Writes the remaining bits in as few bytes as possible. Returns the end of the stream. */
static inline uint8_t *bvpi_end_bits(bvpi_bits *b)
{
    const uint32_t size = (b->count + 7) / 8;
    for (uint32_t i = 0; i < size; i++)
        b->at[i] = (uint8_t)(b->word >> 8 * i);
    return b->at + size;
}

/* The number of bits that hold 0 .. largest. */
static inline unsigned bvpi_bit_width(uint32_t largest)
{
    return largest == 0 ? 0 : 32u - (unsigned)__builtin_clz(largest);
}

#endif
