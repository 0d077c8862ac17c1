/* SPDX-License-Identifier: MIT
 * utf8.c: which bytes are text.
 * Spec: format.md, chapter "Strings"; RFC 3629.
 */
#include "base/utf8.h"

size_t bvpi_utf8_length(const uint8_t *p, size_t size)
{
    static const uint32_t least[] = {0, 1, 0x80, 0x800, 0x10000};
    const uint8_t lead = p[0];
    const size_t length = lead < 0x80   ? 1
                          : lead < 0xc0 ? 0
                          : lead < 0xe0 ? 2
                          : lead < 0xf0 ? 3
                          : lead < 0xf8 ? 4
                                        : 0;
    if (length == 0 || length > size)
        return 0;
    uint32_t code = length == 1 ? lead : lead & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3f);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < least[length] || code > 0x10ffff || surrogate ? 0 : length;
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
