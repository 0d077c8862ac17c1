/* SPDX-License-Identifier: MIT
 * defects_kernel.c: passes vertices at which a surface is closed; compiled once for each
 * instruction set.
 *
 * Most vertices have a few keys, of edges that each have two triangles. Then nothing has to be
 * sorted: each key is held against all others at once, and must find its edge twice and itself
 * once. Whatever else there is, also more keys, is left to bvpi_count_edges().
 *
 * Slow twin: the sorted count in defects.c, by tests/unit/test_defects.c.
 * Measured: decisions.md, "The time of packing"
 */
#include "pack/mesh/defects_kernel.h"

#include "base/isa.h"
#include "base/simd.h"

#include <assert.h>
#include <stdbool.h>

/* The halves of eight keys, in an order that follows from what is cheap. */
typedef struct bucket {
    i32x8 other, third;
    i32x8 place; /* of each lane's key */
} bucket;

static inline bucket load_bucket(const uint64_t *keys)
{
    bucket b;
#ifdef __AVX2__
    const __m256 low = _mm256_loadu_ps((const float *)(const void *)keys);
    const __m256 high = _mm256_loadu_ps((const float *)(const void *)(keys + 4));
    b.third = (i32x8)_mm256_shuffle_ps(low, high, 0x88);
    b.other = (i32x8)_mm256_shuffle_ps(low, high, 0xdd);
    b.place = (i32x8){0, 1, 4, 5, 2, 3, 6, 7};
#else
    for (int k = 0; k < 8; k++) {
        b.third[k] = (int32_t)(uint32_t)keys[k];
        b.other[k] = (int32_t)(keys[k] >> 32);
        b.place[k] = k;
    }
#endif
    return b;
}

/* Has each of the edges two triangles, which differ? */
static inline bool is_clean(const uint64_t *keys, uint32_t count)
{
    const bucket b = load_bucket(keys);
    i32x8 edges = {0}, selves = {0}; /* minus the number of keys of the same edge, and equal ones */
    for (uint32_t k = 0; k < count; k++) {
        const i32x8 same = i32x8_eq(b.other, i32x8_splat((int32_t)(keys[k] >> 32)));
        edges += same;
        selves += same & i32x8_eq(b.third, i32x8_splat((int32_t)(uint32_t)keys[k]));
    }
    const i32x8 clean = i32x8_eq(edges, i32x8_splat(-2)) & i32x8_eq(selves, i32x8_splat(-1)) &
                        ~i32x8_eq(b.other, b.third);
    const i32x8 used = i32x8_lt(b.place, i32x8_splat((int32_t)count));
    return i32x8_movemask(used & ~clean) == 0;
}

static uint32_t pass(const uint64_t *keys, const uint32_t *ends, uint32_t vertex, uint32_t last,
                     uint64_t *begin)
{
    uint64_t at = *begin;
    for (; vertex < last; vertex++) {
        assert(at <= ends[vertex]);
        const uint64_t count = ends[vertex] - at;
        if (count > BVPI_BUCKET_MAX || !is_clean(keys + at, (uint32_t)count))
            break;
        at = ends[vertex];
    }
    *begin = at;
    return vertex;
}

const bvpi_defects_kernel BVPI_ISA_NAME(bvpi_defects_kernel) = {pass};
