/* SPDX-License-Identifier: MIT
 * item_order.c: sorts items by where they are: along a Morton curve, or by a hash of their boxes.
 *
 * Radix sort of 64-bit keys, least significant digit first. Items with equal keys are compared: by
 * their boxes, then by their corners. What is still equal then is one triangle given twice.
 *
 * Held by tests/property/test_shuffled.c: shuffled meshes give the same hierarchies.
 * Measured: decisions.md, "The boxtree as in its paper"
 */
#include "pack/tree/item_order.h"

#include "base/large_array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct key {
    uint64_t value;
    uint32_t idx; /* of an item */
} key;

enum { DIGIT_BITS = 8, DIGITS = 64 / DIGIT_BITS };

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t hash_of(const bvpi_item *item)
{
    uint64_t hash = 0;
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t lo = (uint64_t)(int64_t)-item->minus_lo[axis];
        hash = mix(hash ^ (lo << 32 | (uint64_t)(int64_t)item->hi[axis]));
    }
    return hash;
}

/* Spreads 21 bits, two zeros between them. */
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & UINT64_C(0x001f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x001f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

static uint64_t code_of(const bvpi_item *item)
{
    uint64_t code = 0;
    for (int axis = 0; axis < 3; axis++) {
        const float centre = item->hi[axis] - item->minus_lo[axis]; /* twice: below 2^23 */
        code |= spread((uint64_t)(int64_t)centre >> 2) << (2 - axis);
    }
    return code;
}

/* ---- equal keys ----------------------------------------------------------------------------- */

typedef struct tie {
    bvpi_item item;
    float corner[9];
} tie;

static int compare_floats(const float *a, const float *b, int count)
{
    for (int k = 0; k < count; k++)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int compare_ties(const void *left, const void *right)
{
    const tie *a = left, *b = right;
    int order = compare_floats(a->item.minus_lo, b->item.minus_lo, 3);
    if (order == 0)
        order = compare_floats(a->item.hi, b->item.hi, 3);
    return order != 0 ? order : compare_floats(a->corner, b->corner, 9);
}

/* Sorts items of one key. */
static bool sort_ties(const bvpi_mesh *mesh, bvpi_item *items, uint32_t count)
{
    tie few[8], *ties = count <= 8 ? few : bvpi_allocate(count, sizeof *ties);
    if (!ties)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        ties[i].item = items[i];
        for (int k = 0; k < 3; k++) {
            const uint32_t vertex = mesh->indices[3 * (uint64_t)items[i].id + k];
            memcpy(ties[i].corner + 3 * k, mesh->positions + 3 * (uint64_t)vertex,
                   3 * sizeof *mesh->positions);
        }
    }
    qsort(ties, count, sizeof *ties, compare_ties);
    for (uint32_t i = 0; i < count; i++)
        items[i] = ties[i].item;
    if (ties != few)
        free(ties);
    return true;
}

/* ---- the order ------------------------------------------------------------------------------ */

/* Radix sort; returns where the sorted keys are. */
static key *sort_keys(key *keys, key *other, uint32_t count)
{
    for (int digit = 0; digit < DIGITS; digit++) {
        uint32_t place[1 << DIGIT_BITS] = {0}, sum = 0;
        const int shift = digit * DIGIT_BITS;
        for (uint32_t i = 0; i < count; i++)
            place[keys[i].value >> shift & ((1 << DIGIT_BITS) - 1)]++;
        for (int k = 0; k < 1 << DIGIT_BITS; k++) {
            const uint32_t size = place[k];
            place[k] = sum;
            sum += size;
        }
        for (uint32_t i = 0; i < count; i++)
            other[place[keys[i].value >> shift & ((1 << DIGIT_BITS) - 1)]++] = keys[i];
        key *swapped = keys;
        keys = other;
        other = swapped;
    }
    return keys;
}

bool bvpi_items_sort(const bvpi_mesh *mesh, bool mixed, bvpi_item *items, uint32_t count)
{
    key *keys = bvpi_allocate(2 * (uint64_t)count, sizeof *keys);
    bvpi_item *copy = bvpi_allocate(count, sizeof *copy);
    bool ok = keys && copy;
    if (ok) {
        for (uint32_t i = 0; i < count; i++)
            keys[i] = (key){mixed ? hash_of(&items[i]) : code_of(&items[i]), i};
        memcpy(copy, items, count * sizeof *copy);
        const key *sorted = sort_keys(keys, keys + count, count);
        for (uint32_t i = 0; i < count; i++)
            items[i] = copy[sorted[i].idx];
        for (uint32_t i = 0, end; i < count && ok; i = end) {
            for (end = i + 1; end < count && sorted[end].value == sorted[i].value;)
                end++;
            ok = end == i + 1 || sort_ties(mesh, items + i, end - i);
        }
    }
    free(keys);
    free(copy);
    return ok;
}
