/* SPDX-License-Identifier: MIT
 * zip_size.c: the unpacked size of a zip archive's files.
 * Spec: PKWARE, .ZIP File Format Specification 6.3.10, 4.3.12 to 4.3.16, 4.5.3 (zip64)
 */
#include "files/zip_size.h"

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

/* Where the directory begins, by the end record at `end`; size: it has none there. */
static uint64_t directory_at(const uint8_t *data, size_t size, size_t end)
{
    const uint64_t at = read_le(data + end + 16, 4);
    if (at != IN_ZIP64)
        return at;
    if (end < LOCATOR_SIZE || read_le(data + end - LOCATOR_SIZE, 4) != 0x07064b50)
        return size;
    const uint64_t end64 = read_le(data + end - LOCATOR_SIZE + 8, 8);
    if (end64 > size || size - end64 < END64_SIZE || read_le(data + end64, 4) != 0x06064b50)
        return size;
    return read_le(data + end64 + 48, 8);
}

/* The size in a zip64 field among an entry's extra fields: its first number. */
static uint64_t size_in_extra(const uint8_t *extra, size_t size)
{
    while (size >= 4) {
        const size_t length = (size_t)read_le(extra + 2, 2);
        if (length > size - 4)
            break;
        if (read_le(extra, 2) == ZIP64_FIELD && length >= 8)
            return read_le(extra + 4, 8);
        extra += 4 + length;
        size -= 4 + length;
    }
    return IN_ZIP64;
}

static uint64_t sum_entries(const uint8_t *data, size_t size, uint64_t at)
{
    uint64_t sum = 0;
    while (at <= size && size - at >= ENTRY_SIZE && read_le(data + at, 4) == 0x02014b50) {
        const uint64_t name = read_le(data + at + 28, 2), extra = read_le(data + at + 30, 2);
        const uint64_t rest = size - at - ENTRY_SIZE;
        uint64_t one = read_le(data + at + 24, 4);
        if (one == IN_ZIP64 && name + extra <= rest)
            one = size_in_extra(data + at + ENTRY_SIZE + name, (size_t)extra);
        sum = one > UINT64_MAX - sum ? UINT64_MAX : sum + one;
        at += ENTRY_SIZE + name + extra + read_le(data + at + 32, 2);
    }
    return sum;
}

uint64_t zip_size(const uint8_t *data, size_t size)
{
    const size_t lowest = size > END_SIZE + COMMENT_MAX ? size - END_SIZE - COMMENT_MAX : 0;
    for (size_t end = size >= END_SIZE ? size - END_SIZE + 1 : 0; end-- > lowest;)
        if (read_le(data + end, 4) == 0x06054b50)
            return sum_entries(data, size, directory_at(data, size, end));
    return 0;
}
