/* SPDX-License-Identifier: MIT
 * rss_pair_kernel.c: two parts by their trees of swept rectangles; compiled once per instruction
 * set.
 *
 * A swept rectangle is all points within a radius of a rectangle, so the distance of two of them is
 * that of their rectangles less both radii (rss_dist.h). A leaf's triangles are first tested in
 * float against the slabs of the rectangle's box, then one by one by their distance from the
 * rectangle.
 *
 * Invariant: a distance is never too large; one that is too small only costs time.
 *
 * Slow twin: the wide hierarchy and brute force, tests/property/test_binary_pairs.c.
 * Spec: exactness.md, chapter 10, "Oriented boxes and swept rectangles"
 * Based on: Larsen, Gottschalk, Lin, Manocha, Fast distance queries with rectangular swept sphere
 * volumes, 2000; Shellshear, Li, Carlson, ME-BVH: Memory Efficient Bounding Volume Hierarchies.
 * Measured: decisions.md, "Queries between two bodies".
 */
#define BVPI_COMPACT /* decisions.md, "Text of the library" */

#include "kinds/query/kind_pairs.h"
#include "prim/rss_dist.h"
#include "kinds/query/oriented_pair.h"

#include <assert.h>

typedef struct rss_pair {
    binary_pair pair;
    oriented_frame frame;
    double slack, stretch;
} rss_pair;

typedef struct rss_volume {
    oriented_parent own;
    bvpi_rss rss; /* in a's frame */
} rss_volume;

static inline void volume_rss(rss_pair *p, bool is_a, const rss_volume *parent,
                              const uint8_t *payload, rss_volume *out)
{
    bvpi_oriented volume;
    oriented_load(is_a ? p->pair.tree_a : p->pair.tree_b, parent ? &parent->own : NULL, payload,
                  &volume);
    memcpy(out->own.centre, volume.centre, sizeof out->own.centre);
    out->own.reach = volume.reach;
    bvpi_rss_place(p->frame.map[is_a], is_a ? 1 : p->stretch, is_a || p->frame.rigid, volume.centre,
                   volume.axis, volume.size, &out->rss);
}

static inline void bound_leaf_rss(rss_pair *p, bool is_a, binary_leaf *leaf)
{
    (void)p, (void)is_a, (void)leaf;
}

static inline bool is_near(const rss_pair *p, double distance, bool by_distance, float *gap_sq)
{
    if (!by_distance)
        return !(distance > 0);
    const float found = oriented_gap_sq(&p->pair, distance);
    *gap_sq = found > *gap_sq ? found : *gap_sq;
    return !(*gap_sq >= p->pair.limit_sq);
}

BVPI_INLINE bool test_rss(rss_pair *p, const rss_volume *a, const rss_volume *b, bool by_distance,
                          float *gap_sq)
{
    const double enough = by_distance ? p->frame.limit : 0;
    return is_near(p, bvpi_rss_distance(&a->rss, &b->rss, p->slack, enough), by_distance, gap_sq);
}

/* A triangle in a's frame. */
static inline void face_of_lane(const rss_pair *p, bool is_a, const binary_leaf *leaf,
                                unsigned lane, bvpi_face *out)
{
    const double *m = p->frame.map[is_a];
    double corners[9];
    assert(lane < leaf->tri.count);
    for (int k = 0; k < 9; k++) {
        const f32x8 *c = leaf->tri.stored.c + k / 3 * 3;
        const double *row = m + 4 * (k % 3);
        corners[k] = row[0] * (double)c[0][lane] + row[1] * (double)c[1][lane] +
                     row[2] * (double)c[2][lane] + row[3];
    }
    bvpi_face_of_triangle(corners, out);
}

/* Triangles that reach into the swept rectangle's box, enlarged by the limit: three slabs. */
BVPI_INLINE unsigned lanes_in_slabs(const rss_pair *p, const binary_leaf *leaf, unsigned lanes,
                                    const bvpi_rss *rss, double limit)
{
    const double *u = rss->axis[0], *v = rss->axis[1];
    double axis[3][3], side[3][3] = {{0}};
    i32x8 apart = {0};
    for (int i = 0; i < 3; i++) {
        axis[0][i] = u[i];
        axis[1][i] = v[i];
        axis[2][i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
        side[0][i] = u[i] * rss->half[0];
        side[1][i] = v[i] * rss->half[1];
    }
    for (int k = 0; k < 3; k++) {
        oriented_slab slab;
        oriented_slab_init(&p->pair, axis[k], rss->centre, side,
                           (rss->radius + limit + p->slack) * (1 + 0x1p-20), &slab);
        apart |= f32x8_gt(oriented_slab_gap(&slab, &leaf->tri), f32x8_splat(0));
    }
    return lanes & ~i32x8_movemask(apart);
}

/* Slabs first, then the exact shape, one triangle after the other. */
BVPI_INLINE unsigned test_leaf_rss(rss_pair *p, bool leaf_is_a, const binary_leaf *leaf,
                                   unsigned lanes, const rss_volume *other, bool by_distance,
                                   float *gap_sq)
{
    const double enough = by_distance ? p->frame.limit : 0, swept = other->rss.radius + p->slack;
    const float above = *gap_sq;
    float nearest = INFINITY;
    unsigned near = 0;
    bvpi_face rectangle;
    lanes = lanes_in_slabs(p, leaf, lanes, &other->rss, enough);
    if (lanes != 0)
        bvpi_face_of_rss(&other->rss, &rectangle);
    for (unsigned left = lanes; left != 0; left &= left - 1) {
        const unsigned lane = bvpi_lowest_bit(left);
        float gap = above;
        bvpi_face face;
        face_of_lane(p, leaf_is_a, leaf, lane, &face);
        const double distance =
            bvpi_face_distance(&rectangle, &face, (enough + swept) * (1 + 0x1p-50)) - swept;
        if (!is_near(p, distance > 0 ? distance : 0, by_distance, &gap))
            continue;
        near |= 1u << lane;
        nearest = gap < nearest ? gap : nearest;
    }
    if (by_distance && near != 0)
        *gap_sq = nearest;
    return near;
}

static inline double reach_of(const bvpi_rss *rss)
{
    return rss->half[0] + rss->half[1] + rss->radius;
}

static inline bool is_a_larger_rss(const rss_pair *p, const rss_volume *a, const rss_volume *b)
{
    (void)p;
    return reach_of(&a->rss) >= reach_of(&b->rss);
}

static inline float rank_rss(const rss_pair *p, const rss_volume *a, const rss_volume *b)
{
    const double size = reach_of(&a->rss) + reach_of(&b->rss);
    (void)p;
    return oriented_rank(a->rss.centre, b->rss.centre, size * size);
}

static inline void take_note_rss(rss_pair *p)
{
    oriented_limit(&p->frame, &p->pair);
}

#define NAME(x) x##_rss
#define VOLUME  rss_volume
#define PAIR    rss_pair
#define LEAF    binary_leaf
#include "query/pair/binary_walk.h"

void BVPI_ISA_NAME(bvpi_rss_pair)(bvpi_pair_query *query, const bvpi_placed_part *a,
                                  const bvpi_placed_part *b)
{
    rss_pair p;
    assert(a->kind == BVPD_KIND_RSS);
    binary_pair_init(&p.pair, query, a, b);
    oriented_frame_init(&p.frame, &p.pair);
    p.slack = bvpi_rss_slack(p.frame.reach, p.frame.error);
    p.stretch = p.pair.test.pose.b_size_max / p.pair.test.pose.a_size_min * (1 + 0x1p-40);
    run_rss(&p);
}
