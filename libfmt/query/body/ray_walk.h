/* SPDX-License-Identifier: MIT
 * ray_walk.h: the walk of a ray through a wide hierarchy, nearest child first; ray_slab.h tests the
 * boxes.
 *
 * A node on the path is a level; a child is named by its place, level and lane in one number, so an
 * entry that waits has eight bytes: entry time and place. Levels stay valid while anything below
 * them waits, because the walk is depth first.
 *
 * References into the file are read once, when the node is opened, and only checked against the
 * map. Damage cannot lead outside or on forever: units are bounded by unit_count, levels by
 * BVPI_RAY_LEVELS, opened nodes by the hierarchy's own count.
 *
 * Held by tests/property/test_ray.c; forged files: test_forged.c.
 * Measured: decisions.md, "Rays and closest points"
 */
#ifndef BVPI_QUERY_BODY_RAY_WALK_H
#define BVPI_QUERY_BODY_RAY_WALK_H

#include "base/meter.h"
#include "node/wide_node.h"
#include "query/body/placed_body.h"

/* An open node: its children's frames, if one of them was worth it, and what it refers to, read
 * once. */
typedef struct bvpi_ray_level {
    float lo[3][8], step[3][8];
    uint64_t meta;
    uint32_t child, geom; /* unit of the first inner child, first item of the first leaf */
    unsigned inner;       /* bit j: child j is a node */
    uint32_t reserved[11];
} bvpi_ray_level;

/* A place is the offset in bytes of lo[0][lane] of a child's parent from the levels' start; `level`
 * is the place of the level's lane 0. */
_Static_assert(sizeof(bvpi_ray_level) == 256, "places count on it");
#define BVPI_RAY_PLACE(level, lane) ((level) | (lane) << 2)

/* A child that may matter: from when on (the bits of a float) << 32 | its place. */
typedef uint64_t bvpi_ray_entry;

enum {
    BVPI_RAY_DONE = -1,   /* instead of a place: nothing waits */
    BVPI_RAY_CORRUPT = -2 /* the file does not keep its rules, or the call is over */
};

enum { BVPI_RAY_LEVELS = BVPD_DEPTH_MAX + 1 };

/* Where a walk is: its BVPI_RAY_LEVELS open levels, and the children that wait, 7 a level and one.
 */
typedef struct bvpi_ray_walk {
    const bvpi_tree *tree;
    bvpi_ray_level *levels;
    bvpi_ray_entry *waiting;
    unsigned height;
    float limit;
    bvpi_steps steps; /* nodes that may still be opened */
    uint64_t boxes;
} bvpi_ray_walk;

/* The place of the root: it is the only child of a level of its own. */
BVPI_INLINE int bvpi_ray_walk_start(bvpi_ray_walk *w, bvpi_loan *loan, bvpi_meter *meter)
{
    bvpi_ray_level *top = &w->levels[0];
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        top->lo[a][0] = 0;
        top->step[a][0] = bvpi_wide_step((float)w->tree->grid_extent[a], 1);
    }
    top->meta = BVPD_META_INNER;
    top->inner = 1;
    top->child = w->tree->root;
    top->geom = 0;
    w->height = 0;
    bvpi_steps_begin(&w->steps, loan, meter, w->tree->node_count);
    w->boxes = 0;
    return BVPI_RAY_PLACE(0, 0);
}

BVPI_INLINE bvpi_ray_level *bvpi_ray_level_of(const bvpi_ray_walk *w, int place)
{
    return &w->levels[(unsigned)place >> 8];
}

BVPI_INLINE unsigned bvpi_ray_lane_of(int place)
{
    return (unsigned)place >> 2 & 7;
}

/* The place of lane 0 of the level under that of a place. */
BVPI_INLINE unsigned bvpi_ray_below(int place)
{
    return ((unsigned)place & ~0xffu) + 256;
}

/* Unit of an inner child, first item of a leaf child; not checked. */
BVPI_INLINE uint32_t bvpi_ray_unit(const bvpi_ray_level *level, unsigned lane)
{
    return level->child + bvpi_popcount(level->inner & ((1u << lane) - 1));
}

BVPI_INLINE uint32_t bvpi_ray_item(const bvpi_ray_level *level, unsigned lane)
{
    const uint64_t before = bvpi_sum_before(level->meta & BVPI_BYTES(0x7f));
    return level->geom + ((uint32_t)(before >> (8 * lane)) & 0xff);
}

/* Keys are compared as integers: only the order of negative ones suffers. */
BVPI_INLINE bvpi_ray_entry bvpi_ray_entry_of(const float enter[8], unsigned level, unsigned lane)
{
    uint32_t bits;
    memcpy(&bits, &enter[lane], sizeof bits);
    return (uint64_t)bits << 32 | BVPI_RAY_PLACE(level, lane);
}

BVPI_INLINE bool bvpi_ray_entry_is_later(bvpi_ray_entry a, bvpi_ray_entry b)
{
    return (int64_t)a > (int64_t)b;
}

/* The next place that is not too late, or BVPI_RAY_DONE. */
BVPI_INLINE int bvpi_ray_pop(bvpi_ray_walk *w)
{
    while (w->height > 0) {
        const bvpi_ray_entry e = w->waiting[--w->height];
        const uint32_t bits = (uint32_t)(e >> 32);
        float key;
        memcpy(&key, &bits, sizeof key);
        if (!(key > w->limit))
            return (int)(uint32_t)e;
    }
    return BVPI_RAY_DONE;
}

/* Takes the first of a level's hit children, and prefetches it, since a node is opened later (for
 * a leaf the prefetch does no harm). */
BVPI_INLINE bvpi_ray_entry bvpi_ray_take(const bvpi_ray_walk *w, unsigned level, unsigned *lanes,
                                         const float enter[8])
{
    const unsigned lane = bvpi_lowest_bit(*lanes);
    const bvpi_ray_level *at = bvpi_ray_level_of(w, (int)level);
    __builtin_prefetch(w->tree->units + (uint64_t)bvpi_ray_unit(at, lane) * BVPD_UNIT);
    *lanes &= *lanes - 1;
    return bvpi_ray_entry_of(enter, level, lane);
}

/* Pushes the hit children of a level, sorted, except for the earliest, whose place is returned.
 * lanes is not 0. The first two are compared directly, for more are rare. */
BVPI_INLINE int bvpi_ray_sort(bvpi_ray_walk *w, unsigned level, unsigned lanes, f32x8 keys)
{
    bvpi_ray_entry *waiting = w->waiting + w->height;
    float enter[8];
    if ((lanes & (lanes - 1)) == 0)
        return (int)BVPI_RAY_PLACE(level, bvpi_lowest_bit(lanes));
    f32x8_store(enter, keys);
    const bvpi_ray_entry a = bvpi_ray_take(w, level, &lanes, enter);
    const bvpi_ray_entry b = bvpi_ray_take(w, level, &lanes, enter);
    bvpi_ray_entry first = bvpi_ray_entry_is_later(a, b) ? b : a;
    waiting[0] = bvpi_ray_entry_is_later(a, b) ? a : b;
    w->height++;
    for (unsigned count = 1; lanes != 0; count++) {
        const bvpi_ray_entry e = bvpi_ray_take(w, level, &lanes, enter);
        const bvpi_ray_entry later = bvpi_ray_entry_is_later(e, first) ? e : first;
        unsigned to = count;
        first = bvpi_ray_entry_is_later(e, first) ? first : e;
        for (; to > 0 && bvpi_ray_entry_is_later(later, waiting[to - 1]); to--)
            waiting[to] = waiting[to - 1];
        waiting[to] = later;
        w->height++;
    }
    return (int)(uint32_t)first;
}

/* The same without sorting, for queries that take any hit; time -infinity: never too late. */
BVPI_INLINE int bvpi_ray_heap(bvpi_ray_walk *w, unsigned level, unsigned lanes)
{
    const unsigned lane = bvpi_lowest_bit(lanes);
    for (lanes &= lanes - 1; lanes != 0; lanes &= lanes - 1)
        w->waiting[w->height++] =
            (uint64_t)0xff800000 << 32 | BVPI_RAY_PLACE(level, bvpi_lowest_bit(lanes));
    return (int)BVPI_RAY_PLACE(level, lane);
}

/* Bit j: byte j is not zero; its top bit is set. */
BVPI_INLINE void bvpi_ray_masks(uint64_t meta, unsigned *used, unsigned *inner)
{
#ifdef __SSE2__
    const __m128i bytes = _mm_loadl_epi64((const __m128i *)&meta);
    *inner = (unsigned)_mm_movemask_epi8(bytes);
    *used = ~(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
#elif defined(__wasm_simd128__)
    const v128_t bytes = wasm_u64x2_make(meta, 0);
    *inner = (unsigned)wasm_i8x16_bitmask(bytes);
    *used = ~(unsigned)wasm_i8x16_bitmask(wasm_i8x16_eq(bytes, wasm_i64x2_const(0, 0)));
#else
    const uint64_t gather = UINT64_C(0x0102040810204080);
    const uint64_t any = meta | ((meta & BVPI_BYTES(0x7f)) + BVPI_BYTES(0x7f));
    *inner = (unsigned)((meta >> 7 & BVPI_BYTES(1)) * gather >> 56);
    *used = (unsigned)((any >> 7 & BVPI_BYTES(1)) * gather >> 56);
#endif
}

/* a * b + c, rounded once or twice: for exact results, or bounds with room for both. */
BVPI_INLINE f32x8 bvpi_mul_add(f32x8 a, f32x8 b, f32x8 c)
{
#ifdef __FMA__
    return (f32x8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

/* A float of memory in every lane. Spelled out where gcc would compute with one lane only and
 * spread the result, which takes more instructions. */
BVPI_INLINE f32x8 bvpi_splat_load(const float *p)
{
#ifdef __AVX2__
    return (f32x8)_mm256_broadcast_ss(p);
#else
    return f32x8_splat(*p);
#endif
}

/* Prefetches the first bytes that a leaf is decoded from, before it is known whether it will be. */
BVPI_INLINE void bvpi_ray_fetch_record(const bvpi_tree *tree, uint32_t geom)
{
    const uint8_t *record = tree->units + ((uint64_t)(geom >> 8) << tree->cluster_shift);
    __builtin_prefetch(record);
    __builtin_prefetch(record + sizeof(bvpd_cluster) + 2 * (geom & 0xff));
}

/* Goes to the inner child at a place: reads its node's references into the level below. used: its
 * children that exist. NULL: the file does not keep its rules. */
BVPI_INLINE const bvpd_node *bvpi_ray_descend(bvpi_ray_walk *w, int place, unsigned *used)
{
    const bvpi_ray_level *from = bvpi_ray_level_of(w, place);
    bvpi_ray_level *to = bvpi_ray_level_of(w, place) + 1;
    const uint32_t unit = bvpi_ray_unit(from, bvpi_ray_lane_of(place));
    if (unit >= w->tree->unit_count || place >= BVPI_RAY_PLACE((BVPI_RAY_LEVELS - 1) << 8, 0) ||
        !bvpi_steps_take(&w->steps))
        return NULL;
    const bvpd_node *node = (const bvpd_node *)(w->tree->units + (uint64_t)unit * BVPD_UNIT);
    const uint64_t refs = bvpi_load_u64(&node->child);
    to->meta = bvpi_load_u64(node->meta);
    memcpy(&to->child, &refs, sizeof refs); /* and geom */
    bvpi_ray_masks(to->meta, used, &to->inner);
    *used &= 0xff;
    w->boxes += bvpi_popcount(*used);
    bvpi_ray_fetch_record(w->tree, (uint32_t)(refs >> 32));
    /* often the only one */
    __builtin_prefetch(w->tree->units + (uint64_t)(uint32_t)refs * BVPD_UNIT);
    return node;
}

/* The frame of the child at a place: lo at [8 * axis], step at [24 + 8 * axis]. */
BVPI_INLINE const float *bvpi_ray_frame(const bvpi_ray_walk *w, int place)
{
    return (const float *)((const char *)w->levels + place);
}

#endif
