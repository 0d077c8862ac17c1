/* SPDX-License-Identifier: MIT
 * ray_walk.h: a ray through a part's wide hierarchy, one node or leaf at a step, so that several
 * rays can take turns while what they need next is on its way from memory.
 * Based on: Wald, Benthin, Boulos, Getting Rid of Packets, 2008 (one ray, many boxes).
 */
#ifndef BVPI_QUERY_RAY_WALK_H
#define BVPI_QUERY_RAY_WALK_H

#include "node/wide.h"
#include "prim/box_ray.h"
#include "query/subject.h"

/* The slab test's numbers, ready for eight boxes: bvpi_slab_ray, whose bound holds: a far plane's
 * time comes from that of the near edge by adding the delay, three roundings more of u R each,
 * which leaves it off by less than the slack. */
typedef struct bvpi_slab8 {
    f32x8 inverse[3];
    f32x8 edge[3];  /* near */
    f32x8 delay[3]; /* what a far plane's time is later for being moved outward */
    f32x8 t_min;
    unsigned near_at[3], far_at[3];
} bvpi_slab8;

BVPI_INLINE void bvpi_slab8_init(bvpi_slab8 *out, const bvpi_slab_ray *ray, float t_min)
{
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        out->inverse[a] = f32x8_splat(ray->inverse[a]);
        const float delay = (ray->edge_near[a] - ray->edge_far[a]) * ray->inverse[a];
        out->edge[a] = f32x8_splat(ray->edge_near[a]);
        out->delay[a] = f32x8_splat(delay * (1 + 0x1p-20f));
        out->near_at[a] = ray->near_at[a];
        out->far_at[a] = 8 ^ ray->near_at[a];
    }
    out->t_min = f32x8_splat(t_min);
}

/* An open node: its children's frames, if one of them was worth it, and what it refers to, read
 * once. */
typedef struct bvpi_ray_level {
    float lo[3][8], step[3][8];
    float enter[8];
    uint64_t meta;
    uint32_t child, geom; /* unit of the first inner child, first item of the first leaf */
    unsigned inner;       /* bit j: child j is a node */
    uint32_t reserved[3];
} bvpi_ray_level;

/* A place is the offset in bytes of lo[0][lane] of a child's parent from the levels' start. */
_Static_assert(sizeof(bvpi_ray_level) == 256, "places count on it");
#define BVPI_RAY_PLACE(level, lane) ((level) << 8 | (lane) << 2)

/* A child that may matter: from when on (the bits of a float) << 32 | its place. */
typedef uint64_t bvpi_ray_entry;

enum {
    BVPI_RAY_DONE = -1, /* instead of a place: nothing waits */
    BVPI_RAY_LIAR = -2  /* the file does not keep its rules */
};

/* Where a walk is: its open levels, and the children that wait. level_max is the capacity: levels
 * has that many, waiting 7 a level and one. */
typedef struct bvpi_ray_walk {
    const bvpi_tree *tree;
    const bvpi_slab8 *slab;
    bvpi_ray_level *levels;
    bvpi_ray_entry *waiting;
    unsigned height, level_max;
    float limit;
    uint64_t budget; /* nodes that may still be opened */
    uint64_t boxes;
} bvpi_ray_walk;

/* The place of the root: it is the only child of a level of its own. */
BVPI_INLINE int bvpi_ray_walk_start(bvpi_ray_walk *w)
{
    bvpi_ray_level *top = &w->levels[0];
    for (int a = 0; a < 3; a++) {
        top->lo[a][0] = 0;
        top->step[a][0] = bvpi_wide_step((float)w->tree->grid_extent[a], 1);
    }
    top->meta = BVPD_META_INNER;
    top->inner = 1;
    top->child = w->tree->root;
    w->height = 0;
    w->budget = w->tree->node_count;
    w->boxes = 0;
    return BVPI_RAY_PLACE(0, 0);
}

BVPI_INLINE const bvpi_ray_level *bvpi_ray_level_of(const bvpi_ray_walk *w, int place)
{
    return &w->levels[(unsigned)place >> 8];
}

BVPI_INLINE unsigned bvpi_ray_lane_of(int place)
{
    return (unsigned)place >> 2 & 7;
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

/* Asks for a node that will be opened later, unless it is a leaf. */
BVPI_INLINE void bvpi_ray_fetch_node(const bvpi_ray_walk *w, unsigned level, unsigned lane)
{
    const uint64_t unit = bvpi_ray_unit(&w->levels[level], lane);
    __builtin_prefetch(w->tree->units + unit * BVPD_UNIT);
}

/* Puts the hit children of a level in order, the earliest one last; its place is returned. lanes is
 * not 0. Most often there are one or two. */
BVPI_INLINE int bvpi_ray_sort(bvpi_ray_walk *w, unsigned level, unsigned lanes,
                              const float enter[8])
{
    unsigned lane = bvpi_lowest_bit(lanes);
    bvpi_ray_entry *waiting = w->waiting + w->height;
    unsigned count = 0;
    lanes &= lanes - 1;
    if (lanes == 0)
        return (int)BVPI_RAY_PLACE(level, lane);
    bvpi_ray_entry first = bvpi_ray_entry_of(enter, level, lane);
    for (; lanes != 0; lanes &= lanes - 1) {
        const bvpi_ray_entry e = bvpi_ray_entry_of(enter, level, bvpi_lowest_bit(lanes));
        bvpi_ray_fetch_node(w, level, bvpi_lowest_bit(lanes));
        const bvpi_ray_entry later = bvpi_ray_entry_is_later(e, first) ? e : first;
        unsigned to = count++;
        first = bvpi_ray_entry_is_later(e, first) ? first : e;
        for (; to > 0 && bvpi_ray_entry_is_later(later, waiting[to - 1]); to--)
            waiting[to] = waiting[to - 1];
        waiting[to] = later;
    }
    w->height += count;
    return (int)(uint32_t)first;
}

/* Puts the hit children of a level aside, as they come. */
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

/* The boxes of a node whose frame is child `lane` of `from`: when they are entered, and the mask of
 * those that the ray may be in before the limit; as bvpi_box_ray. Then the frames of its children.
 */
BVPI_INLINE unsigned bvpi_ray_boxes(const bvpi_slab8 *ray, float limit, const float *frame,
                                    const uint8_t (*bounds)[16], unsigned inner,
                                    bvpi_ray_level *out)
{
    f32x8 lo[3], step[3], near[3], far[3], in[3], leave[3];
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        lo[a] = bvpi_splat_load(frame + 8 * a);
        step[a] = bvpi_splat_load(frame + 24 + 8 * a);
        near[a] = f32x8_from_u8(bounds[a] + ray->near_at[a]);
        far[a] = f32x8_from_u8(bounds[a] + ray->far_at[a]);
        const f32x8 k = step[a] * ray->inverse[a], from = (lo[a] - ray->edge[a]) * ray->inverse[a];
        in[a] = bvpi_mul_add(near[a], k, from);
        leave[a] = bvpi_mul_add(far[a], k, from + ray->delay[a]);
    }
    in[0] = f32x8_max(f32x8_max(in[0], in[1]), f32x8_max(in[2], ray->t_min));
    leave[0] = f32x8_min(f32x8_min(leave[0], leave[1]), f32x8_min(leave[2], f32x8_splat(limit)));
    const unsigned lanes = ~i32x8_movemask(f32x8_gt(in[0], leave[0]));
    f32x8_store(out->enter, in[0]);
    if ((lanes & inner) == 0)
        return lanes;
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const i32x8 extent = (i32x8)((far[a] - near[a]) * step[a]) & 0x7f800000;
        f32x8_store(out->lo[a], bvpi_mul_add(f32x8_min(near[a], far[a]), step[a], lo[a]));
        f32x8_store(out->step[a], f32x8_max((f32x8)(extent - (7 << 23)), f32x8_splat(1)));
    }
    return lanes;
}

/* Asks for what a leaf is read from first, long before it is known whether it is. */
BVPI_INLINE void bvpi_ray_fetch_record(const bvpi_tree *tree, uint32_t geom)
{
    const uint8_t *record = tree->units + ((uint64_t)(geom >> 8) << tree->cluster_shift);
    __builtin_prefetch(record);
    __builtin_prefetch(record + sizeof(bvpd_cluster) + 3 * (geom & 0xff));
}

/* Goes to the inner child at a place: reads its node's references into its level. used: its
 * children that exist. NULL: the file does not keep its rules. */
BVPI_INLINE const bvpd_node *bvpi_ray_descend(bvpi_ray_walk *w, int place, unsigned *used)
{
    const unsigned level = ((unsigned)place >> 8) + 1;
    const uint32_t unit = bvpi_ray_unit(&w->levels[level - 1], bvpi_ray_lane_of(place));
    bvpi_ray_level *to = &w->levels[level];
    if (unit >= w->tree->unit_count || level >= w->level_max || w->budget-- == 0)
        return NULL;
    const bvpd_node *node = (const bvpd_node *)(w->tree->units + (uint64_t)unit * BVPD_UNIT);
    to->meta = bvpi_load_u64(node->meta);
    to->child = bvpi_load_u32(&node->child);
    to->geom = bvpi_load_u32(&node->geom);
    bvpi_ray_masks(to->meta, used, &to->inner);
    *used &= 0xff;
    w->boxes += bvpi_popcount(*used);
    bvpi_ray_fetch_record(w->tree, to->geom);
    __builtin_prefetch(w->tree->units + (uint64_t)to->child * BVPD_UNIT); /* often the only one */
    return node;
}

/* The frame of the child at a place: lo at [8 * axis], step at [24 + 8 * axis]. */
BVPI_INLINE const float *bvpi_ray_frame(const bvpi_ray_walk *w, int place)
{
    return (const float *)((const char *)w->levels + place);
}

/* Opens the inner child at a place; the next place. */
BVPI_INLINE int bvpi_ray_open(bvpi_ray_walk *w, int place, bool sorted)
{
    const unsigned level = ((unsigned)place >> 8) + 1;
    bvpi_ray_level *to = &w->levels[level];
    unsigned used;
    const bvpd_node *node = bvpi_ray_descend(w, place, &used);
    if (!node)
        return BVPI_RAY_LIAR;
    const unsigned lanes = used & bvpi_ray_boxes(w->slab, w->limit, bvpi_ray_frame(w, place),
                                                 node->bounds, used & to->inner, to);
    if (lanes == 0)
        return bvpi_ray_pop(w);
    return sorted ? bvpi_ray_sort(w, level, lanes, to->enter) : bvpi_ray_heap(w, level, lanes);
}

#endif
