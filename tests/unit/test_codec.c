/* SPDX-License-Identifier: MIT
 * test_codec.c: what an encoder has compressed comes back; forged sizes, windows and bombs are
 * refused early.
 */
#include "format/codec.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static char text[20000], packed[30000], back[20000];

static size_t pack_text(void)
{
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i / 100 % 26);
    const size_t size = ZSTD_compress(packed, sizeof packed, text, sizeof text, 19);
    ck_assert(!ZSTD_isError(size));
    ck_assert_uint_lt(size, sizeof text / 4);
    return size;
}

START_TEST(test_round_trip)
{
    const size_t size = pack_text();
    ck_assert_int_eq(bvpi_decompress(packed, size, sizeof text, back, sizeof back, NULL), BVP_OK);
    ck_assert_mem_eq(text, back, sizeof text);
    for (size_t capacity = 0; capacity < 3000; capacity += 499) {
        memset(back, '!', sizeof back);
        ck_assert_int_eq(bvpi_decompress(packed, size, sizeof text, back, capacity, NULL), BVP_OK);
        ck_assert(memcmp(text, back, capacity) == 0 && back[capacity] == '!');
    }
}
END_TEST

START_TEST(test_damage)
{
    bvp_error error;
    const size_t size = pack_text();
    ck_assert_int_eq(bvpi_decompress(packed, size, sizeof text - 1, back, sizeof back, &error),
                     BVP_ERR_CORRUPT);
    ck_assert_str_eq(error.rule, "PRV-2");
    for (size_t cut = 0; cut < size; cut++)
        ck_assert_int_eq(bvpi_decompress(packed, cut, sizeof text, back, sizeof back, &error),
                         BVP_ERR_CORRUPT);
    packed[size] = 0;
    ck_assert_int_eq(bvpi_decompress(packed, size + 1, sizeof text, back, sizeof back, &error),
                     BVP_ERR_CORRUPT);
    ck_assert_int_eq(bvpi_decompress("nothing of the kind", 19, 100, back, sizeof back, &error),
                     BVP_ERR_CORRUPT);
}
END_TEST

START_TEST(test_caps)
{
    bvp_error error;
    const size_t size = pack_text(), large = 24 << 20;
    ck_assert_int_eq(bvpi_decompress(packed, size, UINT64_C(1) << 40, back, sizeof back, &error),
                     BVP_ERR_LIMIT);
    /* a frame that asks for a window of 16 MiB */
    char *zeros = calloc(1, large), *frame = malloc(large);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 24);
    const size_t bomb = ZSTD_compress2(context, frame, large, zeros, large);
    ZSTD_freeCCtx(context);
    ck_assert(!ZSTD_isError(bomb));
    ck_assert_int_eq(bvpi_decompress(frame, bomb, large, zeros, 100, &error), BVP_ERR_CORRUPT);
    free(zeros);
    free(frame);
}
END_TEST

SUITE(test_codec)
{
    const TTest *const tests[] = {test_round_trip, test_damage, test_caps, NULL};
    return suite_run("codec", tests);
}
