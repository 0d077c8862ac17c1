/* SPDX-License-Identifier: MIT
 * key_sort.c: radix sort of 64-bit keys, byte by byte from the lowest; short lists by insertion.
 *
 * A byte that is the same in all keys is passed over, so that numbers of bodies, which need few
 * bits, take few passes.
 *
 * Slow twin: qsort, tests/unit/test_key_sort.c.
 */
#include "broad/key_sort.h"

#include <assert.h>
#include <string.h>

enum { SHORT = 48 };

static void sort_short(uint64_t *keys, uint64_t count, unsigned first_bit)
{
    for (uint64_t i = 1; i < count; i++) {
        const uint64_t key = keys[i], last = key | ((UINT64_C(1) << first_bit) - 1);
        uint64_t at = i;
        for (; at > 0 && keys[at - 1] > last; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* One pass: from `keys` to `out`. */
static void distribute(const uint64_t *keys, uint64_t count, unsigned shift,
                       const uint64_t counts[256], uint64_t *out)
{
    uint64_t at[256], sum = 0;
    for (int digit = 0; digit < 256; digit++) {
        at[digit] = sum;
        sum += counts[digit];
    }
    for (uint64_t i = 0; i < count; i++)
        out[at[keys[i] >> shift & 255]++] = keys[i];
}

void bvpi_sort_keys(uint64_t *keys, uint64_t count, unsigned first_bit, uint64_t *scratch)
{
    assert(first_bit % 8 == 0 && first_bit < 64);
    if (count <= SHORT) {
        sort_short(keys, count, first_bit);
        return;
    }
    uint64_t *from = keys, *to = scratch;
    for (unsigned shift = first_bit; shift < 64; shift += 8) {
        uint64_t counts[256] = {0};
        for (uint64_t i = 0; i < count; i++)
            counts[from[i] >> shift & 255]++;
        if (counts[from[0] >> shift & 255] == count)
            continue;
        distribute(from, count, shift, counts, to);
        uint64_t *other = from;
        from = to;
        to = other;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
}
