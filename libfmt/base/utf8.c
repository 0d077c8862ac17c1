/* SPDX-License-Identifier: MIT
 * utf8.c: valid UTF-8, and escaping for messages.
 *
 * A character is decoded in full and then judged: overlong forms, surrogates and code points above
 * 0x10ffff are not valid. Control characters, and those that reverse the direction of text, are
 * valid but not plain: in messages they could deceive a reader or a terminal, so they are escaped.
 *
 * Held by tests/unit/test_utf8.c, over every code point.
 * Spec: format.md, chapter "Strings"; RFC 3629.
 */
#include "base/utf8.h"

#include <assert.h>
#include <string.h>

/* The code point of the character at `p`, whose lead byte announces `length` bytes. */
static uint32_t code_at(const uint8_t *p, size_t length)
{
    assert(length >= 1 && length <= 4);
    uint32_t code = length == 1 ? p[0] : p[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (p[i] & 0x3f);
    return code;
}

size_t bvpi_utf8_length(const uint8_t *p, size_t size)
{
    static const uint32_t least[] = {0, 1, 0x80, 0x800, 0x10000};
    assert(size > 0);
    const uint8_t lead = p[0];
    const size_t length = lead < 0x80   ? 1
                          : lead < 0xc0 ? 0
                          : lead < 0xe0 ? 2
                          : lead < 0xf0 ? 3
                          : lead < 0xf8 ? 4
                                        : 0;
    if (length == 0 || length > size)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    const uint32_t code = code_at(p, length);
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < least[length] || code > 0x10ffff || surrogate ? 0 : length;
}

bool bvpi_is_plain(const uint8_t *p, size_t length)
{
    const uint32_t code = code_at(p, length);
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const bool line_or_order = code >= 0x2028 && code <= 0x202e; /* U+2028, 2029; 202A to 202E */
    const bool order =
        code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2066 && code <= 0x2069);
    return !control && !line_or_order && !order;
}

void bvpi_escape(const char *text, char *out, size_t capacity)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *p = (const uint8_t *)text;
    size_t left = strlen(text), used = 0;
    assert(capacity > 0);
    while (left > 0) {
        const size_t length = bvpi_utf8_length(p, left);
        const bool plain = length > 0 && bvpi_is_plain(p, length);
        const size_t taken = length > 0 ? length : 1, put = plain ? length : 4 * taken;
        if (used + put >= capacity)
            break;
        for (size_t i = 0; i < taken; i++, used += plain ? 1 : 4) {
            const char hex[4] = {'\\', 'x', digits[p[i] >> 4], digits[p[i] & 15]};
            memcpy(out + used, plain ? (const char *)p + i : hex, plain ? 1 : 4);
        }
        p += taken;
        left -= taken;
    }
    assert(used < capacity); /* a character goes in whole or not at all */
    out[used] = '\0';
}

bool bvpi_is_utf8(const uint8_t *text, size_t size)
{
    for (size_t i = 0, length; i < size; i += length) {
        length = bvpi_utf8_length(text + i, size - i);
        if (length == 0)
            return false;
    }
    return true;
}
