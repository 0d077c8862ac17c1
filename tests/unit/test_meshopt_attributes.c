/* SPDX-License-Identifier: MIT
 * test_meshopt_attributes.c: streams of attributes: recorded ones of version 1, and random ones of
 * version 0 against the library.
 */
#include <stdlib.h>
#include <string.h>
#include "meshopt/meshopt_attributes.h"
#include "suite.h"

/* By meshoptimizer 1.3: 20 elements of one word; channels of words that are turned by one bit. */
static const uint8_t turned[] = {0xa1, 0xa8, 0x02, 0x04, 0x10, 0x50, 0x10, 0,    0,   0, 0,
                                 0,    0,    0,    0,    0,    0,    0,    0,    0,   0, 0,
                                 0,    0,    0,    0,    0,    0,    0x20, 0x41, 0x12};
static const uint32_t turned_words[20] = {
    0x41200000, 0x41200000, 0xc1200000, 0xc1200000, 0xc1200000, 0x41200000, 0x41200000,
    0x41200000, 0xc1200000, 0x41200000, 0x41200000, 0x41200000, 0x41200000, 0xc1200000,
    0xc1200000, 0xc1200000, 0xc1200000, 0xc1200000, 0xc1200000, 0xc1200000};

/* A byte of them in full, 20 bytes and not two groups; others in 1, 2 or 4 bits, or not at all. */
static const uint8_t whole[] = {
    0xa1, 0xba, 0x00, 0x00, 0xbf, 0x60, 0xb0, 0x20, 0xa8, 0xe8, 0x8f, 0xc0, 0x58, 0xdf, 0x10, 0x1f,
    0x20, 0xbf, 0xbf, 0x58, 0xe8, 0x10, 0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0x6c, 0x3f, 0x00};
static const uint32_t whole_words[20] = {
    0x3f6c0000, 0x3f6c0000, 0x3f0c0000, 0x3f3c0000, 0x3f940000, 0x3fa40000, 0x3ff80000,
    0x3f6c0000, 0x3f240000, 0x3f840000, 0x3fb00000, 0x3f400000, 0x3f480000, 0x3f380000,
    0x3f480000, 0x3fe80000, 0x3f880000, 0x3fb40000, 0x3f280000, 0x3f300000};

/* The bytes exactly as long as they are, so that the address sanitizer sees the ends. */
static int unpack(const uint8_t *bytes, size_t size, uint64_t count, uint64_t stride, uint8_t *out)
{
    uint8_t *copy = malloc(size ? size : 1), *made = malloc((size_t)(count * stride));
    ck_assert(copy && made);
    memcpy(copy, bytes, size);
    const meshopt_stream s = {MESHOPT_ATTRIBUTES, MESHOPT_NONE, count, stride, copy, size};
    const int result = meshopt_attributes_unpack(&s, made);
    if (out)
        memcpy(out, made, (size_t)(count * stride));
    free(copy);
    free(made);
    return result;
}

static void check_recorded(const uint8_t *bytes, size_t size, const uint32_t words[20])
{
    uint8_t out[80], changed[64];
    ck_assert_int_eq(unpack(bytes, size, 20, 4, out), 0);
    for (int i = 0; i < 20; i++) {
        const uint8_t *at = out + 4 * i;
        ck_assert_uint_eq(at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24, words[i]);
    }
    for (size_t cut = 0; cut < size; cut++)
        ck_assert_int_eq(unpack(bytes, cut, 20, 4, NULL), -1);
    ck_assert_int_eq(unpack(bytes, size, 300, 4, NULL), -1); /* of another block there is nothing */
    memcpy(changed, bytes, size);
    changed[0] = 0xa2;
    ck_assert_int_eq(unpack(changed, size, 20, 4, NULL), -1);
    memcpy(changed, bytes, size);
    changed[size - 1] = 3; /* channels of no known kind; bytes that are turned */
    ck_assert_int_eq(unpack(changed, size, 20, 4, NULL), -1);
    changed[size - 1] = 0x10;
    ck_assert_int_eq(unpack(changed, size, 20, 4, NULL), -1);
    memcpy(changed, bytes, size - 5);
    memset(changed + size - 5, 0, 6); /* a byte that belongs to no block */
    ck_assert_int_eq(unpack(changed, size + 1, 20, 4, NULL), -1);
}

START_TEST(recorded)
{
    check_recorded(turned, sizeof turned, turned_words);
    check_recorded(whole, sizeof whole, whole_words);
}
END_TEST

/* Pairs of bytes are added up as one number: 255 and one more are 256. */
START_TEST(halves)
{
    /* the first byte in full, 0 and 1 more; the others all zeros */
    uint8_t stream[4 + 24] = {0xa1, 3 | 2 << 2 | 2 << 4 | 2 << 6, 0, 2}, out[2 * 4];
    stream[sizeof stream - 5] = 0xff; /* the element before the first, then the channel */
    stream[sizeof stream - 1] = 1;
    ck_assert_int_eq(unpack(stream, sizeof stream, 2, 4, out), 0);
    ck_assert(out[0] == 0xff && out[1] == 0 && out[4] == 0 && out[5] == 1 && out[6] == 0);
}
END_TEST

#if HAVE_MESHOPT

static uint32_t state = 1;

static uint32_t below(uint32_t most)
{
    state = state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(state >> 8) * most >> 24);
}

/* A random stream of version 0 that is whole. Returns its size. */
static size_t make_stream(uint8_t *bytes, uint64_t count, size_t stride)
{
    static const int bits[4] = {0, 2, 4, 8};
    size_t size = 0, most = 8192 / stride / 16 * 16;
    most = most < 256 ? most : 256;
    bytes[size++] = 0xa0;
    for (uint64_t done = 0; done < count; done += most) {
        const size_t left = (size_t)(count - done) < most ? (size_t)(count - done) : most;
        const size_t groups = (left + 15) / 16;
        for (size_t k = 0; k < stride; k++) {
            uint8_t *header = bytes + size;
            memset(header, 0, (groups + 3) / 4);
            size += (groups + 3) / 4;
            for (size_t g = 0; g < groups; g++) {
                const uint32_t mode = below(4);
                const int all = (1 << bits[mode]) - 1;
                int whole_count = 0;
                header[g / 4] |= (uint8_t)(mode << (2 * (g % 4)));
                for (int i = 0; i < 2 * bits[mode]; i++) {
                    const uint8_t byte = (uint8_t)below(256);
                    bytes[size++] = byte;
                    for (int at = 0; bits[mode] < 8 && at < 8; at += bits[mode])
                        whole_count += (byte >> at & all) == all;
                }
                while (whole_count-- > 0)
                    bytes[size++] = (uint8_t)below(256);
            }
        }
    }
    for (size_t i = stride; i < 32; i++)
        bytes[size++] = 0;
    for (size_t i = 0; i < stride; i++)
        bytes[size++] = (uint8_t)below(256);
    return size;
}

START_TEST(as_the_library)
{
    enum { ROUNDS = 300, COUNT_MOST = 600, STRIDE_MOST = 256 };
    static uint8_t bytes[3 * COUNT_MOST * STRIDE_MOST], own[COUNT_MOST * STRIDE_MOST],
        others[COUNT_MOST * STRIDE_MOST];
    int good = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t count = 1 + below(COUNT_MOST), stride = 4 * (1 + below(i % 8 ? 8 : 64));
        const size_t size = make_stream(bytes, count, (size_t)stride);
        ck_assert_uint_le(size, sizeof bytes);
        for (int hurt = 0; hurt < 2; hurt++) {
            if (hurt) /* longer, shorter, or others */
                bytes[below((uint32_t)size)] ^= (uint8_t)(1 << below(8));
            const meshopt_stream s = {MESHOPT_ATTRIBUTES, MESHOPT_NONE, count, stride, bytes, size};
            const int is_good = meshopt_unpack(&s, others) == MESHOPT_OK;
            ck_assert(hurt || is_good);
            ck_assert_int_eq(unpack(bytes, size, count, stride, own) == 0, is_good);
            ck_assert(!is_good || memcmp(own, others, (size_t)(count * stride)) == 0);
            good += hurt && is_good;
        }
    }
    ck_assert(good > 0 && good < ROUNDS); /* of those that were hurt */
}
END_TEST

#endif

SUITE(test_meshopt_attributes)
{
    const TTest *const tests[] = {
        recorded,
        halves,
#if HAVE_MESHOPT
        as_the_library,
#endif
        NULL
    };
    return suite_run("meshopt_attributes", tests);
}
