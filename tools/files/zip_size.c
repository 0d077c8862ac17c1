/* SPDX-License-Identifier: MIT
 * zip_size.c: the unpacked size of a zip archive's files.
 * Spec: PKWARE, .ZIP File Format Specification 6.3.10, 4.3.12 to 4.3.16, 4.5.3 (zip64)
 */
#include "files/zip_size.h"

#include <assert.h>

enum {
    END_SIZE = 22,
    COMMENT_MAX = 65535,
    LOCATOR_SIZE = 20,
    END64_SIZE = 56,
    ENTRY_SIZE = 46,
    ZIP64_FIELD = 1
};

#define IN_ZIP64 UINT64_C(0xffffffff) /* stands for a number that does not fit */

static uint64_t read_le(const uint8_t *at, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* Of the directory's entries from `at` on. A size that does not fit into 32 bits is the first
 * number of the zip64 field among the entry's extra fields. */
static uint64_t sum_entries(const uint8_t *data, size_t size, uint64_t at)
{
    uint64_t sum = 0;
    while (at <= size && size - at >= ENTRY_SIZE && read_le(data + at, 4) == 0x02014b50) {
        const uint64_t name = read_le(data + at + 28, 2), extra_size = read_le(data + at + 30, 2);
        uint64_t one = read_le(data + at + 24, 4);
        if (one == IN_ZIP64 && name + extra_size <= size - at - ENTRY_SIZE) {
            const uint8_t *extra = data + at + ENTRY_SIZE + name;
            for (size_t left = (size_t)extra_size; left >= 4;) {
                const size_t length = (size_t)read_le(extra + 2, 2);
                if (length > left - 4)
                    break;
                if (read_le(extra, 2) == ZIP64_FIELD && length >= 8) {
                    one = read_le(extra + 4, 8);
                    break;
                }
                extra += 4 + length;
                left -= 4 + length;
            }
        }
        sum = one > UINT64_MAX - sum ? UINT64_MAX : sum + one;
        at += ENTRY_SIZE + name + extra_size + read_le(data + at + 32, 2);
    }
    return sum;
}

/* By the end record, which says where the directory begins. */
uint64_t zip_size(const uint8_t *data, size_t size)
{
    const size_t lowest = size > END_SIZE + COMMENT_MAX ? size - END_SIZE - COMMENT_MAX : 0;
    for (size_t end = size >= END_SIZE ? size - END_SIZE + 1 : 0; end-- > lowest;) {
        assert(size - end >= END_SIZE);
        if (read_le(data + end, 4) != 0x06054b50)
            continue;
        const uint64_t at = read_le(data + end + 16, 4);
        if (at != IN_ZIP64)
            return sum_entries(data, size, at);
        if (end < LOCATOR_SIZE || read_le(data + end - LOCATOR_SIZE, 4) != 0x07064b50)
            return 0;
        const uint64_t end64 = read_le(data + end - LOCATOR_SIZE + 8, 8);
        if (end64 > size || size - end64 < END64_SIZE || read_le(data + end64, 4) != 0x06064b50)
            return 0;
        return sum_entries(data, size, read_le(data + end64 + 48, 8));
    }
    return 0;
}
