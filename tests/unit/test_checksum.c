/* SPDX-License-Identifier: MIT
 * test_checksum.c: hashes are XXH3 with seed 0, whole or in pieces.
 */
#include "format/checksum.h"
#include "suite.h"

#include <string.h>

static uint8_t data[5000];

static void fill(void)
{
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 31 + i / 256);
}

/* Fixed for ever by the xxHash specification. */
START_TEST(test_known)
{
    static const uint8_t empty[16] = {0x99, 0xaa, 0x06, 0xd3, 0x01, 0x47, 0x98, 0xd8,
                                      0x60, 0x01, 0xc3, 0x24, 0x46, 0x8d, 0x49, 0x7f};
    uint8_t out[16];
    ck_assert_uint_eq(bvpi_hash64("", 0), UINT64_C(0x2d06800538d394c2));
    bvpi_hash128("", 0, out);
    ck_assert_mem_eq(out, empty, sizeof empty);
}
END_TEST

START_TEST(test_pieces)
{
    fill();
    for (size_t size = 0; size < sizeof data; size += size < 300 ? 1 : 911) {
        for (size_t piece = 1; piece < 700; piece = 3 * piece + 1) {
            bvpi_hasher narrow, wide;
            uint8_t whole[16], pieced[16];
            bvpi_hasher_start64(&narrow);
            bvpi_hasher_start128(&wide);
            for (size_t at = 0; at < size; at += piece) {
                const size_t n = size - at < piece ? size - at : piece;
                bvpi_hasher_add64(&narrow, data + at, n);
                bvpi_hasher_add128(&wide, data + at, n);
            }
            bvpi_hash128(data, size, whole);
            bvpi_hasher_end128(&wide, pieced);
            ck_assert_uint_eq(bvpi_hasher_end64(&narrow), bvpi_hash64(data, size));
            ck_assert_mem_eq(whole, pieced, sizeof whole);
        }
    }
}
END_TEST

START_TEST(test_every_byte_counts)
{
    fill();
    const uint64_t before = bvpi_hash64(data, 1000);
    for (size_t at = 0; at < 1000; at++) {
        data[at] ^= 1;
        ck_assert_uint_ne(bvpi_hash64(data, 1000), before);
        data[at] ^= 1;
    }
}
END_TEST

SUITE(test_checksum)
{
    const TTest *const tests[] = {test_known, test_pieces, test_every_byte_counts, NULL};
    return suite_run("checksum", tests);
}
