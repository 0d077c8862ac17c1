/* SPDX-License-Identifier: MIT
 * test_utf8.c: every code point, and every byte sequence that only looks like one.
 */
#include "base/utf8.h"
#include "suite.h"

#include <string.h>

/* As RFC 3629 has it, without looking at whether the code point is allowed. */
static size_t encode(uint32_t code, uint8_t out[4])
{
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; code >>= 6)
        out[i] = (uint8_t)(0x80 | (code & 0x3f));
    out[0] = (uint8_t)((0xf00 >> length & 0xff) | code);
    return length;
}

START_TEST(test_code_points)
{
    uint32_t wrong = 0;
    for (uint32_t code = 0; code < 0x200000; code++) {
        uint8_t bytes[4];
        const size_t length = encode(code, bytes);
        const bool valid = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        wrong += bvpi_utf8_length(bytes, length) != (valid ? length : 0);
        wrong += length > 1 && bvpi_utf8_length(bytes, length - 1) != 0;
    }
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

START_TEST(test_malformed)
{
    static const char *const bad[] = {"\xc0\x80",         "\xc1\xbf", "\xe0\x9f\xbf",
                                      "\xf0\x8f\xbf\xbf", "\x80",     "\xc3(",
                                      "\xe2\x82(",        "\xff",     "a\xed\xa0\x80z"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!bvpi_is_utf8((const uint8_t *)bad[i], strlen(bad[i])), "%zu", i);
    ck_assert(!bvpi_is_utf8((const uint8_t *)"a\0b", 3));
    ck_assert(bvpi_is_utf8((const uint8_t *)"Stra\xc3\x9f"
                                            "e \xe2\x82\xac",
                           11));
    ck_assert(bvpi_is_utf8(NULL, 0));
}
END_TEST

SUITE(test_utf8)
{
    const TTest *const tests[] = {test_code_points, test_malformed, NULL};
    return suite_run("utf8", tests);
}
