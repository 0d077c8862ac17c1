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

/* One axis of a cluster's vertices: their codes, or their indices in a table of codes. */
typedef struct bvpi_packed_axis {
    bvpi_packing packing;
    unsigned field_width; /* bits of an element of `fields` */
    uint32_t table_count; /* 2 .. 255, or 0: none */
    uint32_t fields[256], table[256];
} bvpi_packed_axis;

/* The narrowest packing that decodes to exactly these `count` (1 .. 256) finite numbers; with a
 * table if that is smaller. raw: 32-bit floats, no table. */
void bvpi_pack_axis(const float *values, uint32_t count, bool raw, bvpi_packed_axis *out);

/* A bit stream written in order, least significant bits first. Start with {.at = stream}. Without
 * branches: each call writes eight bytes, of which those behind its last bit are zero, so eight
 * bytes behind the stream must be writable and of no use yet. */
typedef struct bvpi_bits {
    uint8_t *at;    /* where the next whole byte goes */
    uint64_t word;  /* bits not yet written as whole bytes */
    unsigned count; /* their number: below 8 */
} bvpi_bits;

/* value: less than 2^width; width: 0 .. 56. */
static inline void bvpi_put_bits(bvpi_bits *b, uint64_t value, unsigned width)
{
    b->word |= value << b->count;
    b->count += width;
    memcpy(b->at, &b->word, sizeof b->word); /* hosts are little-endian */
    b->at += b->count / 8;
    b->word >>= b->count & 56;
    b->count %= 8;
}

/* Returns the end of the stream: the remaining bits are in its last byte. */
static inline uint8_t *bvpi_end_bits(const bvpi_bits *b)
{
    return b->at + (b->count > 0);
}

/* The number of bits that hold 0 .. largest. */
static inline unsigned bvpi_bit_width(uint32_t largest)
{
    return largest == 0 ? 0 : 32u - (unsigned)__builtin_clz(largest);
}

#endif
