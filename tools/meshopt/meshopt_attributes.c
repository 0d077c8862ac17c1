/* SPDX-License-Identifier: MIT
 * meshopt_attributes.c: unpacks a stream of attributes, of version 1 too.
 * Spec: Khronos glTF 2.0, KHR_meshopt_compression, Appendix A, Mode 0
 *
 * Streams of version 1 are what KHR_meshopt_compression is for, but meshoptimizer reads them only
 * since 2025; distributions have older ones. So this decoder stands in for the library, and a test
 * holds it against the library's on streams of version 0.
 *
 * A stream is a header byte, blocks of up to 256 elements, and a tail with the element before the
 * first. A block has, for each byte of an element, that byte's deltas, in groups of 16 elements;
 * then the deltas of 4 bytes at a time, a channel, are added up. No element costs more than a few
 * steps for each of its bytes, and nothing is allocated.
 */
#include "meshopt/meshopt_attributes.h"

#include <assert.h>
#include <string.h>

enum {
    GROUP = 16,
    STRIDE_MOST = 256,
    BLOCK_ELEMENTS = 256,
    BLOCK_BYTES = 8192, /* so deltas of a block have room in as many */
    TAIL_0 = 32,        /* bytes of a tail at least, of version 0 and 1 */
    TAIL_1 = 24
};

/* What is left of the blocks. */
typedef struct reader {
    const uint8_t *at, *end;
} reader;

static const uint8_t *take(reader *r, size_t size)
{
    const uint8_t *from = r->at;
    if ((size_t)(r->end - r->at) < size)
        return NULL;
    r->at += size;
    return from;
}

/* 16 deltas of so many bits; one whose bits are all set follows as a byte. */
static int read_group(reader *r, unsigned bits, uint8_t *out)
{
    if (bits == 0) {
        memset(out, 0, GROUP);
        return 0;
    }
    const uint8_t *from = take(r, GROUP * bits / 8);
    if (!from)
        return -1;
    if (bits == 8) {
        memcpy(out, from, GROUP);
        return 0;
    }
    const uint8_t most = (uint8_t)((1u << bits) - 1);
    for (unsigned i = 0; i < GROUP; i++) {
        const unsigned first = i * bits % 8;
        const unsigned shift = bits == 1 ? first : 8 - bits - first; /* single bits the other way */
        out[i] = from[i * bits / 8] >> shift & most;
        if (out[i] == most) {
            const uint8_t *whole = take(r, 1);
            if (!whole)
                return -1;
            out[i] = *whole;
        }
    }
    return 0;
}

/* The deltas of one byte of `count` elements; `out` has room for whole groups. */
static int read_deltas(reader *r, int version, unsigned control, size_t count, uint8_t *out)
{
    enum { ZEROS = 2, BYTES = 3 };
    static const uint8_t bits[3][4] = {{0, 1, 2, 4}, {1, 2, 4, 8}, {0, 2, 4, 8}};
    const size_t groups = (count + GROUP - 1) / GROUP;
    if (version == 1 && control == ZEROS) {
        memset(out, 0, count);
        return 0;
    }
    if (version == 1 && control == BYTES) {
        const uint8_t *from = take(r, count);
        if (from)
            memcpy(out, from, count);
        return from ? 0 : -1;
    }
    const uint8_t *header = take(r, (groups + 3) / 4);
    for (size_t i = 0; header && i < groups; i++) {
        const unsigned mode = header[i / 4] >> (2 * (i % 4)) & 3;
        if (read_group(r, bits[version == 0 ? 2 : control][mode], out + GROUP * i) != 0)
            return -1;
    }
    return header ? 0 : -1;
}

static uint32_t unzigzag(uint32_t v)
{
    return (v & 1) ? ~(v >> 1) : v >> 1;
}

/* The channel's 4 bytes of the next element, from those before and their deltas. */
static void add_deltas(uint8_t mode, const uint8_t deltas[4], uint8_t value[4])
{
    enum { BYTES = 0, HALVES = 1 };
    const unsigned turn = mode >> 4;
    if (mode == BYTES) {
        for (int k = 0; k < 4; k++)
            value[k] = (uint8_t)(value[k] + unzigzag(deltas[k]));
        return;
    }
    if (mode == HALVES) {
        for (int k = 0; k < 4; k += 2) {
            const uint32_t delta = unzigzag(deltas[k] | (uint32_t)deltas[k + 1] << 8);
            const uint32_t half = (value[k] | (uint32_t)value[k + 1] << 8) + delta;
            value[k] = (uint8_t)half;
            value[k + 1] = (uint8_t)(half >> 8);
        }
        return;
    }
    uint32_t change = 0;
    for (int k = 0; k < 4; k++)
        change |= (uint32_t)deltas[k] << (8 * k);
    change = change >> turn | change << (-turn & 31);
    for (int k = 0; k < 4; k++)
        value[k] ^= (uint8_t)(change >> (8 * k));
}

/* Channels are of a known kind, and only the third is turned. */
static int are_modes_known(const uint8_t *modes, size_t count)
{
    enum { WORDS = 2 };
    for (size_t i = 0; i < count; i++)
        if ((modes[i] & 15) > WORDS || ((modes[i] & 15) < WORDS && modes[i] >> 4 != 0))
            return 0;
    return 1;
}

int meshopt_attributes_unpack(const meshopt_stream *s, uint8_t *out)
{
    assert(s->mode == MESHOPT_ATTRIBUTES && !meshopt_refusal(s));
    static const uint8_t no_modes[STRIDE_MOST / 4];
    const size_t stride = (size_t)s->stride, size = (size_t)s->size, channels = stride / 4;
    if (size == 0 || (s->data[0] != 0xa0 && s->data[0] != 0xa1))
        return -1;
    const int version = s->data[0] & 1;
    const size_t used = stride + (version ? channels : 0), least = version ? TAIL_1 : TAIL_0;
    const size_t tail = used < least ? least : used;
    if (size < 1 + tail)
        return -1;
    const uint8_t *modes = version ? s->data + size - channels : no_modes;
    uint8_t value[STRIDE_MOST], deltas[BLOCK_BYTES];
    memcpy(value, s->data + size - used, stride);
    if (!are_modes_known(modes, channels))
        return -1;

    reader r = {s->data + 1, s->data + size - tail};
    size_t most = BLOCK_BYTES / stride & ~(size_t)(GROUP - 1);
    most = most < BLOCK_ELEMENTS ? most : BLOCK_ELEMENTS;
    assert(most * stride <= sizeof deltas);
    for (uint64_t done = 0; done < s->count;) {
        const size_t count = s->count - done < most ? (size_t)(s->count - done) : most;
        const uint8_t *controls = take(&r, version ? channels : 0);
        for (size_t k = 0; controls && k < stride; k++) {
            const unsigned control = version ? controls[k / 4] >> (2 * (k % 4)) & 3 : 0;
            if (read_deltas(&r, version, control, count, deltas + k * most) != 0)
                return -1;
        }
        if (!controls)
            return -1;
        for (size_t i = 0; i < count; i++, out += stride) {
            for (size_t k = 0; k < stride; k += 4) {
                const uint8_t *from = deltas + k * most + i;
                const uint8_t own[4] = {from[0], from[most], from[2 * most], from[3 * most]};
                add_deltas(modes[k / 4], own, value + k);
            }
            memcpy(out, value, stride);
        }
        done += count;
    }
    return r.at == r.end ? 0 : -1;
}
