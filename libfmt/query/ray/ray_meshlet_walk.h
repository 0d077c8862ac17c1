/* SPDX-License-Identifier: MIT
 * ray_meshlet_walk.h: the walk of a ray through a hierarchy of kind rays.
 *
 * A child is named by 32 bits: a node's number, or with the top bit set the unit of a leaf's
 * meshlet and, in the last three bits, how many triangles it has, less one. What waits has its
 * entry time above that. The first hit takes the children in order of entry, any hit as they are
 * stored.
 *
 * A leaf's triangles are exact floats: the vertices of the meshlet are spread over eight lanes, the
 * filter of prim/tri_ray.h says which lanes are missed for certain, and the others are decided as
 * today's leaves are, by the same functions on the same bits: so the answers are the same.
 *
 * Damage cannot lead outside or on forever: nodes are bounded by their count and opened at most
 * that often in all, leaves by the nodes, what waits by the room for it, meshlets by the bytes
 * there are.
 *
 * Slow twin: the walk of the wide hierarchy, tests/property/test_ray_tree.c.
 * Spec: format.md, chapter "Ray trees"
 * Measured: decisions.md, "Ray trees"
 */
#ifndef BVPI_QUERY_RAY_RAY_MESHLET_WALK_H
#define BVPI_QUERY_RAY_RAY_MESHLET_WALK_H

#include "query/ray/ray_frame.h"
#include "query/ray/ray_part.h"

#define BVPI_RAY_IS_LEAF UINT32_C(0x80000000)

/* A leaf's triangles: of corner k, coordinate a at c[3 * k + a], as bvpi_tri8. */
typedef struct bvpi_meshlet {
    uint32_t word;
    const uint8_t *references;
    bvpi_tri8 tri;
} bvpi_meshlet;

/* The lanes of vertex numbers of one corner; below 8 unless `wide`. */
BVPI_INLINE i32x8 bvpi_meshlet_corners(const uint8_t *corners, unsigned at, bool wide)
{
    const uint32_t bits = (uint32_t)(bvpi_load_unaligned_u64(corners + at / 2) >> (4 * (at & 1)));
    const u32x8 shift = {0, 4, 8, 12, 16, 20, 24, 28};
    return (i32x8)(u32x8_splat(bits) >> shift & (wide ? 15u : 7u));
}

/* table[lane], for 16 or, unless `wide`, 8 entries. */
BVPI_INLINE f32x8 bvpi_meshlet_pick(const uint8_t *table, i32x8 lane, bool wide)
{
#ifdef __AVX2__
    const __m256 low = _mm256_loadu_ps((const float *)(const void *)table);
    const __m256 a = _mm256_permutevar8x32_ps(low, (__m256i)lane);
    if (!wide)
        return (f32x8)a;
    const __m256 high = _mm256_loadu_ps((const float *)(const void *)(table + 32));
    const __m256 b = _mm256_permutevar8x32_ps(high, (__m256i)lane);
    return (f32x8)_mm256_blendv_ps(a, b, _mm256_castsi256_ps((__m256i)(lane << 28)));
#else
    f32x8 out;
    (void)wide;
    for (int i = 0; i < 8; i++)
        memcpy((char *)&out + 4 * i, table + 4 * (uint32_t)lane[i], 4);
    return out;
#endif
}

/* Decodes the meshlet at `offset`, of `count` triangles. False: it is outside of the bytes. Reads
 * up to BVPD_RAY_TAIL bytes beyond it. */
BVPI_INLINE bool bvpi_meshlet_decode(const bvpi_rays *rays, uint64_t offset, unsigned count,
                                     bvpi_meshlet *out)
{
    if (offset > rays->meshlet_size - BVPD_RAY_TAIL)
        return false;
    const uint8_t *at = rays->meshlets + offset;
    out->word = bvpi_load_u32(at);
    const unsigned vertices = (out->word & 15) + 1;
    const uint32_t references = bvpi_meshlet_references(count, vertices);
    const uint32_t size = bvpi_meshlet_size(count, vertices, out->word & BVPD_RAY_SEVERAL);
    if (size > rays->meshlet_size - BVPD_RAY_TAIL - offset)
        return false;
    const uint8_t *rows = at + bvpi_meshlet_vertices(count);
    out->references = at + references;
    if (vertices <= 8) {
        BVPI_UNROLL
        for (unsigned k = 0; k < 3; k++) {
            const i32x8 lane = bvpi_meshlet_corners(at + 4, k * count, false);
            BVPI_UNROLL
            for (unsigned a = 0; a < 3; a++)
                out->tri.c[3 * k + a] =
                    bvpi_meshlet_pick(rows + (uint64_t)(4 * a) * vertices, lane, false);
        }
    } else {
        BVPI_UNROLL
        for (unsigned k = 0; k < 3; k++) {
            const i32x8 lane = bvpi_meshlet_corners(at + 4, k * count, true);
            BVPI_UNROLL
            for (unsigned a = 0; a < 3; a++)
                out->tri.c[3 * k + a] =
                    bvpi_meshlet_pick(rows + (uint64_t)(4 * a) * vertices, lane, true);
        }
    }
    return true;
}

/* One triangle of a leaf that is not missed for certain. */
static bvp_status bvpi_meshlet_triangle(bvpi_ray_part *w, const bvpi_meshlet *leaf, unsigned lane)
{
    bvpi_ray_query *query = w->query;
    bvpi_tri_ray_hit hit;
    bvpd_cluster cluster;
    float tri[9];
    const bvpi_tri_ray *ray = &w->tri;
    /* The caller's range, as in bvpi_ray_part_triangle. */
    const double t_min = query->ray.t_min, t_max = query->ray.t_max;
    const int answer =
        bvpi_tri_ray_in_double(ray, bvpi_tri8_corners(&leaf->tri, lane, ray->kx),
                               bvpi_tri8_corners(&leaf->tri, lane, ray->ky),
                               bvpi_tri8_corners(&leaf->tri, lane, ray->kz), t_min, t_max, &hit);
    if (answer == 0)
        return BVP_OK;
    bvpi_tri8_lane(&leaf->tri, lane, tri);
    if (answer < 0 && !bvpi_tri_ray_exactly(ray, tri, t_min, t_max, &hit))
        return BVP_OK;
    if (query->mode == BVPI_RAY_ANY) {
        query->hit.found = 1;
        return BVP_OK;
    }
    if (query->hit.found && hit.t > query->hit.t)
        return BVP_OK;
    const uint32_t reference = bvpi_meshlet_reference(leaf->word, leaf->references, lane);
    const bvpi_tree *tree = &w->part->at.tree;
    if (!bvpi_cluster_load(tree->units, tree->blob_size,
                           (uint64_t)(reference >> 8) << tree->cluster_shift, &cluster))
        return BVP_ERR_CORRUPT;
    bvpi_ray_query_hit(query, w->part, &cluster, reference & 0xff, tri, &hit);
    return BVP_OK;
}

static inline bvp_status bvpi_meshlet_meet(bvpi_ray_part *w, uint32_t ref)
{
    const unsigned count = (ref & 7) + 1;
    const uint64_t unit = (ref & INT32_MAX) >> 3;
    bvpi_meshlet leaf;
    bvpi_ray_query *query = w->query;
    bvp_status status = w->ready ? BVP_OK : bvpi_ray_part_ready(w);
    if (status != BVP_OK)
        return status;
    if (!bvpi_meshlet_decode(&w->part->rays, unit * BVPD_RAY_UNIT, count, &leaf))
        return BVP_ERR_CORRUPT;
    query->stats.leaves++;
    query->stats.triangles += count;
    unsigned lanes = ((1u << count) - 1) & ~bvpi_tri_ray_misses(&w->tri, leaf.tri.c);
    for (; lanes != 0 && status == BVP_OK && !bvpi_ray_query_done(query); lanes &= lanes - 1)
        status = bvpi_meshlet_triangle(w, &leaf, bvpi_lowest_bit(lanes));
    return status;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* The names of a node's children; those of empty lanes are arbitrary. Not checked. */
BVPI_INLINE i32x8 bvpi_meshlet_refs(const bvpd_ray_node *node)
{
    const uint64_t heads = bvpi_load_u64(&node->child); /* and geom */
    const int32_t leaves =
        (int32_t)((uint32_t)(heads >> 32) * 8 + BVPI_RAY_IS_LEAF - BVPD_RAY_LEAF);
    const i32x8 lane = i32x8_from_i16(node->lane);
    return lane + i32x8_select(lane >> 31, i32x8_splat(leaves), i32x8_splat((int32_t)heads));
}

BVPI_INLINE void bvpi_meshlet_fetch(const bvpi_rays *rays, uint32_t ref)
{
    const uint8_t *at = ref & BVPI_RAY_IS_LEAF
                            ? rays->meshlets + (uint64_t)(ref & (INT32_MAX ^ 7))
                            : rays->nodes + (uint64_t)ref * sizeof(bvpd_ray_node);
    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
}

/* Names and entry times of a node's children. */
typedef struct bvpi_meshlet_lanes {
    uint32_t ref[8], enter[8];
} bvpi_meshlet_lanes;

BVPI_INLINE bvpi_ray_entry bvpi_meshlet_entry(const bvpi_meshlet_lanes *at, unsigned lane)
{
    return (uint64_t)at->enter[lane] << 32 | at->ref[lane];
}

/* Pushes the children in `lanes`, at least two, but for the one to go on with: the first one. The
 * others are taken in their order, at whatever time they are entered. */
BVPI_INLINE uint32_t bvpi_meshlet_heap(const bvpi_rays *rays, const bvpi_meshlet_lanes *at,
                                       unsigned lanes, bvpi_ray_entry **top)
{
    const uint32_t first = at->ref[bvpi_lowest_bit(lanes)];
    lanes &= lanes - 1;
    do {
        const unsigned lane = 31u - (unsigned)__builtin_clz(lanes);
        bvpi_meshlet_fetch(rays, at->ref[lane]);
        *(*top)++ = at->ref[lane];
        lanes ^= 1u << lane;
    } while (lanes != 0);
    return first;
}

/* The same for the first one that is entered, and in the order of entry. */
BVPI_INLINE uint32_t bvpi_meshlet_sort(const bvpi_rays *rays, const bvpi_meshlet_lanes *at,
                                       unsigned lanes, bvpi_ray_entry **top)
{
    bvpi_ray_entry *waiting = *top;
    bvpi_ray_entry first = bvpi_meshlet_entry(at, bvpi_lowest_bit(lanes));
    lanes &= lanes - 1;
    do {
        const bvpi_ray_entry e = bvpi_meshlet_entry(at, bvpi_lowest_bit(lanes));
        bvpi_meshlet_fetch(rays, (uint32_t)e);
        const bvpi_ray_entry later = e > first ? e : first;
        bvpi_ray_entry *to = waiting++;
        first = e > first ? first : e;
        for (; to > *top && to[-1] < later; to--)
            *to = to[-1];
        *to = later;
        lanes &= lanes - 1;
    } while (lanes != 0);
    *top = waiting;
    return (uint32_t)first;
}

/* sorted: the nearest child first; else in stored order. */
BVPI_INLINE bvp_status bvpi_meshlet_run(bvpi_ray_part *w, const bvpi_frame_ray *ray, bool sorted)
{
    const bvpi_rays *rays = &w->part->rays;
    bvpi_ray_query *query = w->query;
    bvpi_ray_entry waiting[BVPI_STACK_SIZE], *top = waiting;
    bvpi_meshlet_lanes at;
    bvpi_loan loan;
    bvpi_steps steps;
    uint32_t ref = 0;
    float limit = bvpi_frame_limit(query->t_max), key;
    bvp_status status = BVP_OK;
    bvpi_steps_begin(&steps, &loan, query->meter, rays->node_count);
    for (;;) {
        if (ref & BVPI_RAY_IS_LEAF) {
            status = bvpi_meshlet_meet(w, ref);
            if (status != BVP_OK || bvpi_ray_query_done(query))
                break;
            limit = bvpi_frame_limit(query->t_max);
        } else {
            f32x8 enter;
            if (ref >= rays->node_count || top > waiting + BVPI_STACK_SIZE - 8 ||
                !bvpi_steps_take(&steps)) {
                status = bvpi_meter_blame(query->meter);
                break;
            }
            const bvpd_ray_node *node =
                (const bvpd_ray_node *)(rays->nodes + (uint64_t)ref * sizeof *node);
            i32x8_store((int32_t *)at.ref, bvpi_meshlet_refs(node));
            const unsigned lanes = bvpi_frame_boxes(ray, limit, node, &enter);
            if (lanes != 0) {
                if ((lanes & (lanes - 1)) == 0) {
                    ref = at.ref[bvpi_lowest_bit(lanes)];
                    continue;
                }
                f32x8_store((float *)at.enter, enter);
                ref = sorted ? bvpi_meshlet_sort(rays, &at, lanes, &top)
                             : bvpi_meshlet_heap(rays, &at, lanes, &top);
                continue;
            }
        }
        do { /* the next one that is not too late */
            if (top == waiting)
                goto done;
            const bvpi_ray_entry e = *--top;
            const uint32_t bits = (uint32_t)(e >> 32);
            memcpy(&key, &bits, sizeof key);
            ref = (uint32_t)e;
        } while (key > limit);
    }
done:;
    const uint64_t opened = rays->node_count - bvpi_steps_left(&steps);
    query->stats.nodes += opened;
    query->stats.boxes += 8 * opened;
    bvpi_steps_pause(&steps);
    return status;
}

#endif
