/* SPDX-License-Identifier: MIT
 * obb_pair_kernel.c: two parts by their trees of oriented boxes; compiled once per instruction set.
 *
 * A box of b is placed in a's frame once, when the node above it is opened. Pairs are tested by
 * separating axes in double (obb_obb.h), whose error is one slack, added to the sizes. A leaf's
 * triangles are tested in float, eight at a time, in the box's frame (obb_tri8.h). If b appears
 * sheared or stretched, a box's axes are not orthogonal; then by its three slabs.
 *
 * Slow twin: the wide hierarchy and brute force, tests/property/test_binary_pairs.c.
 * Spec: exactness.md, chapter 10, "Oriented boxes and swept rectangles"
 * Based on: Gottschalk, Lin, Manocha, OBBTree: A hierarchical structure for rapid interference
 * detection, 1996.
 * Measured: decisions.md, "Queries between two bodies".
 */
#define BVPI_COMPACT /* decisions.md, "Text of the library" */

#include "kinds/query/kind_pairs.h"
#include "base/vec3.h"
#include "prim/obb_obb.h"
#include "prim/obb_tri8.h"
#include "kinds/query/oriented_box.h"
#include "kinds/query/oriented_pair.h"

#include <assert.h>

typedef struct obb_pair {
    binary_pair pair;
    oriented_frame frame;
    bvpi_near_rotation near; /* of b's map, if rigid: neither sheared nor stretched */
    oriented_grid grid[2];   /* b's first, as below */
    oriented_above outermost[2];
    double slack;
    bool rigid, lite;
} obb_pair;

typedef struct obb_volume {
    oriented_above own;
    bvpi_obb box; /* in a's frame */
} obb_volume;

BVPI_INLINE void volume_obb(obb_pair *p, bool is_a, const obb_volume *parent,
                            const uint8_t *payload, obb_volume *out)
{
    const oriented_above *above = parent ? &parent->own : &p->outermost[is_a];
    bvpi_obb box;
    oriented_box(&p->grid[is_a], above, payload, &out->own, is_a ? &out->box : &box);
    if (!is_a && p->rigid)
        bvpi_obb_turn(&p->near, &box, &out->box);
    else if (!is_a)
        bvpi_obb_place(p->frame.map[0], &box, &out->box);
}

static inline void bound_leaf_obb(obb_pair *p, bool is_a, binary_leaf *leaf)
{
    (void)p, (void)is_a, (void)leaf;
}

/* rigid: p->rigid, a constant here. */
BVPI_INLINE bool test_boxes(obb_pair *p, const bvpi_obb *a, const bvpi_obb *b, bool rigid,
                            bool by_distance, float *gap_sq)
{
    bvpi_obb_pair boxes;
    assert(rigid == p->rigid);
    if (rigid && !by_distance)
        return bvpi_obb_meet(a, b, p->slack, p->lite);
    bvpi_obb_pair_init(&boxes, a, b, p->slack, rigid);
    if (!by_distance)
        return bvpi_obb_separate(&boxes, rigid, p->lite) == BVPI_OBB_AXES;
    const float found = oriented_gap_sq(&p->pair, bvpi_obb_distance(&boxes, rigid, p->frame.limit));
    *gap_sq = found > *gap_sq ? found : *gap_sq;
    return !(*gap_sq >= p->pair.limit_sq);
}

BVPI_INLINE bool test_obb(obb_pair *p, const obb_volume *a, const obb_volume *b, bool by_distance,
                          float *gap_sq)
{
    if (p->rigid)
        return test_boxes(p, &a->box, &b->box, true, by_distance, gap_sq);
    return test_boxes(p, &a->box, &b->box, false, by_distance, gap_sq);
}

static inline void note_nearest(f32x8 gaps, unsigned lanes, float *gap_sq)
{
    const float nearest = least_lane(gaps, lanes);
    *gap_sq = nearest > *gap_sq ? nearest : *gap_sq;
}

/* The three slabs whose intersection is the box. Where the placed box is flat a normal cannot be
 * computed; it becomes 0, and that slab leaves nothing out. */
static inline void slabs_of(const obb_pair *p, const bvpi_obb *box, oriented_slab slabs[3])
{
    double axis[3][3], side[3][3];
    for (int k = 0; k < 9; k++) {
        axis[k / 3][k % 3] = box->axis[k % 3][k / 3];
        side[k / 3][k % 3] = axis[k / 3][k % 3] * box->half[k / 3];
    }
    for (int k = 0; k < 3; k++) {
        double n[3];
        bvpi_cross(axis[(k + 1) % 3], axis[(k + 2) % 3], n);
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int i = 0; i < 3; i++)
            n[i] = length > 0x1p-30 ? n[i] / length : 0;
        oriented_slab_init(&p->pair, n, box->centre, side, p->slack, &slabs[k]);
    }
}

/* The same for a box whose axes are not orthogonal: slabs only, whose gaps must not be combined. */
static unsigned test_leaf_slabs(obb_pair *p, const tri_leaf *leaf, unsigned lanes,
                                const bvpi_obb *box, bool by_distance, float *gap_sq)
{
    const f32x8 zero = {0};
    oriented_slab slabs[3];
    f32x8 most = zero;
    slabs_of(p, box, slabs);
    for (int k = 0; k < 3; k++) /* a NaN counts as 0 */
        most = f32x8_max(most, f32x8_max(oriented_slab_gap(&slabs[k], leaf), zero));
    if (!by_distance)
        return lanes & ~i32x8_movemask(f32x8_gt(most, zero));
    /* 2^-18 covers the normals' lengths and directions */
    const f32x8 gaps = most * most * (1 - 0x1p-18f);
    lanes &= ~i32x8_movemask(f32x8_ge(gaps, f32x8_splat(p->pair.limit_sq)));
    note_nearest(gaps, lanes, gap_sq);
    return lanes;
}

/* The leaf's triangles against the box. */
BVPI_INLINE unsigned test_leaf_obb(obb_pair *p, bool leaf_is_a, const binary_leaf *leaf,
                                   unsigned lanes, const obb_volume *other, bool by_distance,
                                   float *gap_sq)
{
    const double scale = p->pair.test.pose.scale,
                 slack = 2 * (double)p->pair.test.frame.slack + p->slack * scale;
    bvpi_obb_tri8 test;
    f32x8 gaps;
    (void)leaf_is_a;
    if (!p->rigid || !bvpi_obb_tri8_init(&other->box, scale, leaf->tri.corner, slack, &test))
        return test_leaf_slabs(p, &leaf->tri, lanes, &other->box, by_distance, gap_sq);
    if (!by_distance)
        return bvpi_obb_tri8_meet(&test, p->lite, lanes);
    lanes = bvpi_obb_tri8_near(&test, p->pair.limit_sq, lanes, &gaps);
    note_nearest(gaps, lanes, gap_sq);
    return lanes;
}

static inline double size_sq(const bvpi_obb *box)
{
    return box->half[0] * box->half[0] + box->half[1] * box->half[1] + box->half[2] * box->half[2];
}

/* How far one of a box's sides reaches along d, at most; times |d|. */
BVPI_INLINE double reach_along(const bvpi_obb *box, f64x4 d)
{
    const f64x4 along = f64x4_load(box->axis[0]) * d[0] + f64x4_load(box->axis[1]) * d[1] +
                        f64x4_load(box->axis[2]) * d[2];
    return bvpi_largest3(f64x4_abs(along) * f64x4_load(box->half));
}

static inline bool is_a_larger_obb(const obb_pair *p, const obb_volume *a, const obb_volume *b)
{
    const f64x4 d = f64x4_load(b->box.centre) - f64x4_load(a->box.centre);
    (void)p;
    return reach_along(&a->box, d) >= reach_along(&b->box, d);
}

static inline float rank_obb(const obb_pair *p, const obb_volume *a, const obb_volume *b)
{
    (void)p;
    return oriented_rank(a->box.centre, b->box.centre, size_sq(&a->box) + size_sq(&b->box));
}

static inline void take_note_obb(obb_pair *p)
{
    oriented_limit(&p->frame, &p->pair);
}

#define NAME(x) x##_obb
#define VOLUME  obb_volume
#define PAIR    obb_pair
#define LEAF    binary_leaf
#include "query/pair/binary_walk.h"

void BVPI_ISA_NAME(bvpi_obb_pair)(bvpi_pair_query *query, const bvpi_placed_part *a,
                                  const bvpi_placed_part *b)
{
    obb_pair p;
    assert(a->kind == BVPD_KIND_OBB);
    binary_pair_init(&p.pair, query, a, b);
    oriented_frame_init(&p.frame, &p.pair);
    oriented_grid_init(p.pair.tree_b, &p.grid[0], &p.outermost[0]);
    oriented_grid_init(p.pair.tree_a, &p.grid[1], &p.outermost[1]);
    p.rigid = bvpi_near_rotation_of(p.frame.map[0], &p.near);
    p.slack = bvpi_obb_slack(p.frame.reach * (1 + 2 * BVPI_ROTATION_BEND), p.frame.error);
    p.lite = query->bodies.box_test == BVP_TEST_SAT_LITE;
    run_obb(&p);
}
