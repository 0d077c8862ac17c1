/* SPDX-License-Identifier: MIT
 * hash64.c: 64 bits of the content hash.
 */
#include "text/hash64.h"

#include <string.h>
#include "bvpack.h"

uint64_t hash64(const void *data, size_t size)
{
    uint8_t bytes[16];
    uint64_t hash;
    bvp_hash(data, size, bytes);
    memcpy(&hash, bytes, sizeof hash);
    return hash;
}
