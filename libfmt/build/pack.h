/* SPDX-License-Identifier: MIT
 * pack.h: the coordinates of one axis of a cluster, without loss, in as few bits as possible.
 * Spec: format.md, chapter "Cluster records".
 */
#ifndef BVPI_BUILD_PACK_H
#define BVPI_BUILD_PACK_H

#include <stdint.h>

typedef struct bvpi_packing {
    uint8_t mode;  /* enum bvpd_packing */
    uint8_t width; /* bits of one coordinate */
    uint8_t scale; /* mode GRID: code of the step, else 0 */
    uint32_t base;
} bvpi_packing;

/* The narrowest packing that decodes to exactly these `count` (1 .. 256) finite numbers. */
void bvpi_pack_choose(const float *values, uint32_t count, bvpi_packing *out);

/* Writes them: ceil(count * width / 8) bytes, which are zero before. */
void bvpi_pack_write(const float *values, uint32_t count, const bvpi_packing *packing,
                     uint8_t *out);

/* Field `idx` of a stream of `width` bits (<= 32), least significant bit first; zero before. */
void bvpi_put_bits(uint8_t *stream, uint32_t idx, unsigned width, uint32_t value);

/* Bits that the numbers 0 .. largest need. */
static inline unsigned bvpi_bit_width(uint32_t largest)
{
    return largest == 0 ? 0 : 32u - (unsigned)__builtin_clz(largest);
}

#endif
