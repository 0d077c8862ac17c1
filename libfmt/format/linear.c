/* SPDX-License-Identifier: MIT
 * linear.c: the linear part of a placement in few words, and the placement of an instance.
 *
 * Most rotations of an assembly repeat few magnitudes: 0, 1 and one or two others. A word holds
 * nine fields of five bits, each a sign and the number of a magnitude, and the other magnitudes
 * follow. Decoding gives back the same bits.
 *
 * bvpi_place_instance() is part of the format: its order of operations is the spec's, so every
 * reader gets the same doubles.
 *
 * Slow twin: the spec's words, tests/unit/test_linear.c.
 * Spec: format.md, chapters "Linear parts" and "Instances"
 */
#include "format/linear.h"

#include "base/arena.h"

#include <assert.h>
#include <string.h>

#define SIGN     (UINT64_C(1) << 63)
#define ONE      UINT64_C(0x3ff0000000000000)
#define FIELD(i) (BVPD_LINEAR_BITS * (i))
#define MASK     ((1u << BVPD_LINEAR_BITS) - 1)

unsigned bvpi_linear_encode(const double m[12], uint64_t words[1 + BVPD_LINEAR_MAX])
{
    unsigned count = 0;
    words[0] = 0;
    for (unsigned i = 0; i < 9; i++) {
        uint64_t bits;
        memcpy(&bits, &m[4 * (i / 3) + i % 3], sizeof bits);
        const uint64_t sign = bits >> 63, size = bits & ~SIGN;
        unsigned magnitude = size == ONE; /* of zero 0, of one 1 */
        if (size != 0 && size != ONE) {
            unsigned k = 0;
            while (k < count && words[1 + k] != size)
                k++;
            if (k == count)
                words[1 + count++] = size;
            magnitude = BVPD_LINEAR_FIRST + k;
        }
        assert(count <= BVPD_LINEAR_MAX && magnitude <= MASK >> 1);
        words[0] |= (magnitude << 1 | sign) << FIELD(i);
    }
    return 1 + count;
}

bool bvpi_linear_decode(const void *words, uint64_t word_count, double out[12])
{
    uint64_t value[1u << (BVPD_LINEAR_BITS - 1)] = {0, ONE}, word;
    const uint64_t stored = word_count - 1 < BVPD_LINEAR_MAX ? word_count - 1 : BVPD_LINEAR_MAX;
    unsigned greatest = 0;
    assert(word_count > 0);
    bvpi_want(words, (1 + stored) * sizeof word);
    memcpy(&word, words, sizeof word);
    if (stored == BVPD_LINEAR_MAX) /* the usual case: a constant size */
        memcpy(value + BVPD_LINEAR_FIRST, (const char *)words + sizeof word, BVPD_LINEAR_MAX * 8);
    else
        memcpy(value + BVPD_LINEAR_FIRST, (const char *)words + sizeof word, stored * 8);
    for (unsigned i = 0; i < 9; i++) {
        const unsigned field = (unsigned)(word >> FIELD(i)) & MASK;
        const uint64_t bits = value[field >> 1] | (uint64_t)(field & 1) << 63;
        memcpy(&out[4 * (i / 3) + i % 3], &bits, sizeof bits);
        greatest = field > greatest ? field : greatest;
    }
    return greatest >> 1 < BVPD_LINEAR_FIRST + stored;
}

unsigned bvpi_linear_count(uint64_t word)
{
    unsigned greatest = 0;
    for (unsigned i = 0; i < 9; i++) {
        const unsigned magnitude = ((unsigned)(word >> FIELD(i)) & MASK) >> 1;
        greatest = magnitude > greatest ? magnitude : greatest;
    }
    return greatest < BVPD_LINEAR_FIRST ? 0 : greatest - BVPD_LINEAR_FIRST + 1;
}

void bvpi_place_instance(const double *frame, const double local[12], const double origin[3],
                         double out[12])
{
    double m[12];
    memcpy(m, local, sizeof m);
    if (origin[0] != 0 || origin[1] != 0 || origin[2] != 0)
        for (int a = 0; a < 12; a += 4)
            m[a + 3] =
                ((m[a] * origin[0] + m[a + 1] * origin[1]) + m[a + 2] * origin[2]) + local[a + 3];
    if (!frame) {
        memcpy(out, m, sizeof m);
        return;
    }
    for (int a = 0; a < 12; a += 4) {
        for (int c = 0; c < 4; c++)
            out[a + c] = (frame[a] * m[c] + frame[a + 1] * m[4 + c]) + frame[a + 2] * m[8 + c];
        out[a + 3] += frame[a + 3];
    }
}
