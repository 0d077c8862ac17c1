/* SPDX-License-Identifier: MIT
 * boxtree_pair_kernel.c: two parts by their restricted boxtrees; compiled once per instruction set.
 *
 * A node's box is its parent's with one to three sides moved, so a node's interval along each axis
 * is its parent's plus one product for each moved side. Three volumes use that, each of them in the
 * walk that opens the larger node (binary_walk.h) and in the paper's own (binary_four.h):
 * - sat: intervals along the axes of the separating axis test, for either side;
 * - aligned: only the axes of a, for a leaf's triangles, too; b's box is enclosed in a box along
 *   them. Weaker but cheaper, and only for overlap;
 * - lookup: the same, and products come from tables of the 8-bit offsets.
 * All are wide: the axes lie side by side in vectors.
 *
 * Invariants: frames are integers and exact; an interval is never narrower than the true one. After
 * MOST_PLANES planes intervals are computed from the frame again, so errors do not add up.
 *
 * Slow twin: the wide hierarchy and brute force, tests/property/test_binary_pairs.c.
 * Spec: exactness.md, chapter 10, "Boxes of binary hierarchies"
 * Based on: Zachmann, Minimal hierarchical collision detection, 2002, sections 3.2 and 3.3.
 * Measured: decisions.md, "Queries between two bodies".
 */
#define BVPI_COMPACT /* decisions.md, "Text of the library" */

#include "kinds/query/kind_pairs.h"
#include "kinds/node/boxtree_node.h"
#include "query/pair/binary_boxes.h"

#include <assert.h>

/* Rounding. Intervals along axes are floats, to which each plane adds a product. With u = 2^-24, M
 * and L as in box_box.h: an interval computed from its frame errs by less than 20 u M |L|_1, both
 * sides and the comparison included. Each plane adds u M |L|_1 for the sum; the products err by 2 u
 * of what is moved, for all planes together at most 2 u M |L|_1. With MOST_PLANES planes on either
 * side that is 20 + 2 (12 + 2) = 48 u M |L|_1. The slack is 64 u M |L|_1, four times that of
 * box_box.h. */
enum { MOST_PLANES = 12 };

/* Products of an offset of 8 bits and the projections of b's axes: section 3.2.2. */
typedef struct product_tables {
    float of[3][256][4]; /* [axis of b][offset][axis of a]: how far a side's end moves, negated */
} product_tables;

typedef struct boxtree_pair {
    binary_pair pair;
    box_axes axes;
    /* A grid step along axis k of either side (b's first), projected on each of the axes: split
     * into its positive and its negative values. */
    float ahead[2][3][BVPI_AXES], behind[2][3][BVPI_AXES];
    /* A grid step of b's lower and upper sides, as aligned_volume has its ends. */
    float inward[3][2][8];
    const product_tables *tables; /* of the walk by lookup */
} boxtree_pair;

static void init_steps(boxtree_pair *p)
{
    const bvpi_box_pair *pair = &p->axes.pair;
    for (int k = 0; k < 3; k++)
        for (int axis = 0; axis < BVPI_AXES; axis++) {
            double step[2] = {0, (double)p->axes.axis[k][axis] * (double)pair->unit_a[k]};
            for (int i = 0; i < 3; i++)
                step[0] += (double)p->axes.axis[i][axis] * (double)pair->r[i][k];
            step[0] *= (double)pair->unit_b[k];
            for (int side = 0; side < 2; side++) {
                p->ahead[side][k][axis] = step[side] > 0 ? (float)step[side] : 0;
                p->behind[side][k][axis] = step[side] < 0 ? (float)step[side] : 0;
            }
        }
}

/* A lower side moves up: along an axis where the step is negative, the upper end moves down by it,
 * else the lower end up. */
static void init_inward(boxtree_pair *p)
{
    memset(p->inward, 0, sizeof p->inward);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            for (int upper = 0; upper < 2; upper++) {
                p->inward[k][upper][upper ? 4 + i : i] = p->behind[0][k][i];
                p->inward[k][upper][upper ? i : 4 + i] = -p->ahead[0][k][i];
            }
}

static void init_tables(const boxtree_pair *p, product_tables *out)
{
    for (int k = 0; k < 3; k++) {
        const float *step = p->inward[k][0];
        for (int offset = 0; offset < 256; offset++)
            for (int i = 0; i < 4; i++)
                out->of[k][offset][i] = (step[i] + step[4 + i]) * (float)offset;
    }
}

/* ---- boxes ----------------------------------------------------------------------------------- */

static inline void root_frame(const bvpi_binary *tree, bvpi_frame *out)
{
    for (int i = 0; i < 3; i++) {
        out->lo[i] = 0;
        out->hi[i] = tree->grid_extent[i];
    }
}

/* In work units: exact, as frames are. */
static inline void box_of_frame(const boxtree_pair *p, bool is_a, const bvpi_frame *frame,
                                float centre[3], float half[3])
{
    const float *unit = is_a ? p->axes.pair.unit_a : p->axes.pair.unit_b;
    for (int i = 0; i < 3; i++) {
        assert(frame->lo[i] <= frame->hi[i] && frame->hi[i] < 1u << BVPD_GRID_BITS);
        centre[i] = (float)(frame->lo[i] + frame->hi[i]) * (0.5f * unit[i]);
        half[i] = (float)(frame->hi[i] - frame->lo[i]) * (0.5f * unit[i]);
    }
}

static inline bool is_larger(const boxtree_pair *p, const bvpi_frame *a, const bvpi_frame *b)
{
    box_volume box_a, box_b;
    box_of_frame(p, true, a, box_a.centre, box_a.half);
    box_of_frame(p, false, b, box_b.centre, box_b.half);
    return box_is_larger(&p->axes, &box_a, &box_b);
}

/* Decodes the node's box. Returns the parent's; for the tree's root that is the grid box, written
 * to `root`. */
BVPI_INLINE const bvpi_frame *cut_box(const boxtree_pair *p, bool is_a, const bvpi_frame *parent,
                                      const uint8_t *payload, bvpi_frame *root, bvpi_frame *out)
{
    const bvpi_binary *tree = is_a ? p->pair.tree_a : p->pair.tree_b;
    if (parent == NULL) {
        root_frame(tree, root);
        parent = root;
    }
    bvpi_boxtree_box(tree, parent, payload, out);
    return parent;
}

static inline unsigned planes_of(const bvpi_frame *parent, const bvpi_frame *child)
{
    unsigned count = 0;
    for (int i = 0; i < 3; i++) {
        assert(parent->lo[i] <= child->lo[i] && child->hi[i] <= parent->hi[i]);
        count += (child->lo[i] != parent->lo[i]) + (child->hi[i] != parent->hi[i]);
    }
    return count;
}

static inline void bound_leaf(boxtree_pair *p, bool is_a, box_leaf *leaf)
{
    const bvpi_placed_part *part = is_a ? p->pair.test.a : p->pair.test.b;
    box_bound_leaf(&p->axes, &part->at.tree, is_a, leaf);
}

BVPI_INLINE unsigned test_leaf(boxtree_pair *p, bool leaf_is_a, const box_leaf *leaf,
                               unsigned lanes, const bvpi_frame *other, bool by_distance,
                               float *gap_sq)
{
    box_volume box;
    box_of_frame(p, !leaf_is_a, other, box.centre, box.half);
    return box_test_leaf(&p->axes, &p->pair, leaf_is_a, leaf, lanes, &box, by_distance, gap_sq);
}

/* ---- separating axes, all or the boxes' own: sections 3.2.3 and 3.2.4 ------------------------ */

typedef struct sat_volume {
    bvpi_frame frame;
    float lo[BVPI_AXES], hi[BVPI_AXES]; /* along each axis; of b: and the slack */
    uint32_t planes;                    /* since they were made from the frame */
} sat_volume;

static inline void intervals_of_frame(const boxtree_pair *p, bool is_a, sat_volume *out)
{
    box_volume box;
    box_of_frame(p, is_a, &out->frame, box.centre, box.half);
    box_prepare(&p->axes, is_a, &box);
    for (int k = 0; k < BVPI_AXES; k += 8) {
        f32x8 reach = f32x8_load(box.reach + k);
        if (!is_a)
            reach += f32x8_load(p->axes.pair.slack + k) * 3;
        const f32x8 at = f32x8_load(p->axes.axis[0] + k) * box.at[0] +
                         f32x8_load(p->axes.axis[1] + k) * box.at[1] +
                         f32x8_load(p->axes.axis[2] + k) * box.at[2];
        f32x8_store(out->lo + k, at - reach);
        f32x8_store(out->hi + k, at + reach);
    }
    out->planes = 0;
}

/* SAT lite has its axes in the first eight lanes; the others are not looked at then. */
static inline int lanes_used(const boxtree_pair *p)
{
    return p->axes.used >> 8 ? BVPI_AXES : 8;
}

/* Moves one side of the box by `steps`, the lower side up or the upper one down. Along an axis on
 * which the step is positive this moves the near end, else the far one. */
BVPI_INLINE void move_side(const boxtree_pair *p, bool is_a, int axis, bool upper, uint32_t steps,
                           sat_volume *out)
{
    const float by = upper ? -(float)steps : (float)steps;
    const float *ahead = p->ahead[is_a][axis], *behind = p->behind[is_a][axis];
    float *near = upper ? out->hi : out->lo, *far = upper ? out->lo : out->hi;
    for (int k = 0; k < lanes_used(p); k += 8) {
        f32x8_store(near + k, f32x8_load(near + k) + f32x8_load(ahead + k) * by);
        f32x8_store(far + k, f32x8_load(far + k) + f32x8_load(behind + k) * by);
    }
}

static inline void volume_sat(boxtree_pair *p, bool is_a, const sat_volume *parent,
                              const uint8_t *payload, sat_volume *out)
{
    bvpi_frame root;
    const bvpi_frame *above =
        cut_box(p, is_a, parent ? &parent->frame : NULL, payload, &root, &out->frame);
    const unsigned planes = planes_of(above, &out->frame);
    if (parent == NULL || parent->planes + planes > MOST_PLANES) {
        intervals_of_frame(p, is_a, out);
        return;
    }
    memcpy(out->lo, parent->lo, sizeof out->lo);
    memcpy(out->hi, parent->hi, sizeof out->hi);
    out->planes = parent->planes + planes;
    assert(out->planes <= MOST_PLANES); /* else the errors exceed the slack */
    for (int i = 0; i < 3; i++) {
        if (out->frame.lo[i] != above->lo[i])
            move_side(p, is_a, i, false, out->frame.lo[i] - above->lo[i], out);
        if (out->frame.hi[i] != above->hi[i])
            move_side(p, is_a, i, true, above->hi[i] - out->frame.hi[i], out);
    }
}

static inline void bound_leaf_sat(boxtree_pair *p, bool is_a, box_leaf *leaf)
{
    bound_leaf(p, is_a, leaf);
}

BVPI_INLINE f32x8 sat_gaps(const sat_volume *a, const sat_volume *b, int first)
{
    return f32x8_max(f32x8_load(b->lo + first) - f32x8_load(a->hi + first),
                     f32x8_load(a->lo + first) - f32x8_load(b->hi + first));
}

/* The gap along the aim, which has no interval because it changes during the walk. */
static inline float sat_gap_aim(const boxtree_pair *p, const sat_volume *a, const sat_volume *b)
{
    box_volume box_a, box_b;
    float d[3];
    box_of_frame(p, true, &a->frame, box_a.centre, box_a.half);
    box_of_frame(p, false, &b->frame, box_b.centre, box_b.half);
    for (int i = 0; i < 3; i++) {
        const float *r = p->axes.pair.r[i];
        d[i] = r[0] * box_b.centre[0] + r[1] * box_b.centre[1] + r[2] * box_b.centre[2] +
               p->axes.pair.t[i] - box_a.centre[i];
    }
    return box_gap_aim(&p->axes, d, box_a.half, box_b.half);
}

/* Must the pair be opened? NaN counts as yes. */
BVPI_INLINE bool test_sat(boxtree_pair *p, const sat_volume *a, const sat_volume *b,
                          bool by_distance, float *gap_sq)
{
    const f32x8 zero = {0}, first = sat_gaps(a, b, 0);
    const unsigned used = p->axes.used;
    if (!by_distance) {
        if ((i32x8_movemask(f32x8_gt(first, zero)) & used) != 0)
            return false;
        return used >> 8 == 0 ||
               (i32x8_movemask(f32x8_gt(sat_gaps(a, b, 8), zero)) & used >> 8) == 0;
    }
    const f32x8 second = used >> 8 ? sat_gaps(a, b, 8) : zero;
    const float found = box_gap_sq(&p->axes, first, second, sat_gap_aim(p, a, b));
    *gap_sq = found > *gap_sq ? found : *gap_sq;
    return !(*gap_sq >= p->pair.limit_sq);
}

BVPI_INLINE unsigned test_leaf_sat(boxtree_pair *p, bool leaf_is_a, const box_leaf *leaf,
                                   unsigned lanes, const sat_volume *other, bool by_distance,
                                   float *gap_sq)
{
    return test_leaf(p, leaf_is_a, leaf, lanes, &other->frame, by_distance, gap_sq);
}

static inline bool is_a_larger_sat(const boxtree_pair *p, const sat_volume *a, const sat_volume *b)
{
    return is_larger(p, &a->frame, &b->frame);
}

/* Distance of the centres over the sizes, squared, from places along a's axes. */
static inline float rank_of(const float lo_a[3], const float hi_a[3], const float lo_b[3],
                            const float hi_b[3])
{
    float distance_sq = 0, size = 1;
    for (int i = 0; i < 3; i++) {
        const float d = lo_b[i] + hi_b[i] - lo_a[i] - hi_a[i];
        distance_sq += d * d;
        size += hi_a[i] - lo_a[i] + (hi_b[i] - lo_b[i]);
    }
    return distance_sq / (size * size);
}

static inline float rank_sat(const boxtree_pair *p, const sat_volume *a, const sat_volume *b)
{
    (void)p;
    return rank_of(a->lo, a->hi, b->lo, b->hi);
}

static inline void take_note_sat(boxtree_pair *p)
{
    box_take_note(&p->axes, &p->pair);
}

#define NAME(x) x##_sat
#define VOLUME  sat_volume
#define PAIR    boxtree_pair
#define LEAF    box_leaf
#define WALK_FOUR
#include "query/pair/binary_walk.h"

/* ---- b's boxes enclosed in a's frame: sections 3.2.1 and 3.2.2 ------------------------------- */

/* Ends along a's axes: of a the lower ones in the first half, the upper ones negated in the second;
 * of b the upper ones, with the slack, then the lower ones negated. So a pair is apart where an end
 * of a is greater than b's, and each inward move makes an end of b less. */
typedef struct aligned_volume {
    bvpi_frame frame;
    float ends[8];
    uint32_t planes; /* since they were made from the frame */
} aligned_volume;

/* A box of a lies along the axes: exact. */
static inline void ends_of_own(const boxtree_pair *p, aligned_volume *out)
{
    for (int i = 0; i < 3; i++) {
        out->ends[i] = (float)out->frame.lo[i] * p->axes.pair.unit_a[i];
        out->ends[4 + i] = -((float)out->frame.hi[i] * p->axes.pair.unit_a[i]);
    }
    out->ends[3] = out->ends[7] = 0;
}

static inline void ends_of_enclosed(const boxtree_pair *p, aligned_volume *out)
{
    box_volume box;
    box_of_frame(p, false, &out->frame, box.centre, box.half);
    box_prepare(&p->axes, false, &box);
    for (int i = 0; i < 3; i++) {
        const float reach = box.reach[i] + 3 * p->axes.pair.slack[i];
        out->ends[i] = box.at[i] + reach;
        out->ends[4 + i] = reach - box.at[i];
    }
    out->ends[3] = out->ends[7] = 0;
    out->planes = 0;
}

/* How the ends of a box of b change when its side moves inward by `steps`; extent: of its parent
 * along the side's axis. Of a forged node steps is no multiple of the table's, which has the next
 * smaller one: the box is too large. */
BVPI_INLINE f32x8 move_of(const boxtree_pair *p, int axis, bool upper, uint32_t steps,
                          uint32_t extent, bool by_table)
{
    const f32x8 step = f32x8_load(p->inward[axis][upper]);
    if (!by_table)
        return step * (float)steps;
    const unsigned shift = bvpi_boxtree_shift(extent, 1);
    assert(steps >> shift < 256);
    const i32x8 product = (i32x8)f32x8_load_twice(p->tables->of[axis][steps >> shift]);
    const i32x8 scaled = product + i32x8_splat((int32_t)(shift << 23));
    return (f32x8)(scaled & f32x8_lt(step, f32x8_splat(0)));
}

BVPI_INLINE void volume_enclosed(boxtree_pair *p, bool is_a, const aligned_volume *parent,
                                 const uint8_t *payload, bool by_table, aligned_volume *out)
{
    bvpi_frame root;
    const bvpi_frame *above =
        cut_box(p, is_a, parent ? &parent->frame : NULL, payload, &root, &out->frame);
    if (is_a) {
        ends_of_own(p, out);
        return;
    }
    const unsigned planes = planes_of(above, &out->frame);
    if (parent == NULL || parent->planes + planes > MOST_PLANES) {
        ends_of_enclosed(p, out);
        return;
    }
    f32x8 ends = f32x8_load(parent->ends);
    for (int i = 0; i < 3; i++) {
        const uint32_t extent = above->hi[i] - above->lo[i];
        const uint32_t below = out->frame.lo[i] - above->lo[i];
        const uint32_t beyond = above->hi[i] - out->frame.hi[i];
        if (below != 0)
            ends += move_of(p, i, false, below, extent, by_table);
        if (beyond != 0)
            ends += move_of(p, i, true, beyond, extent, by_table);
    }
    f32x8_store(out->ends, ends);
    out->planes = parent->planes + planes;
    assert(out->planes <= MOST_PLANES); /* else the errors exceed the slack */
}

static inline void volume_aligned(boxtree_pair *p, bool is_a, const aligned_volume *parent,
                                  const uint8_t *payload, aligned_volume *out)
{
    volume_enclosed(p, is_a, parent, payload, false, out);
}

static inline void bound_leaf_aligned(boxtree_pair *p, bool is_a, box_leaf *leaf)
{
    bound_leaf(p, is_a, leaf);
}

/* NaN counts as yes. */
BVPI_INLINE bool test_aligned(boxtree_pair *p, const aligned_volume *a, const aligned_volume *b,
                              bool by_distance, float *gap_sq)
{
    assert(!by_distance);
    (void)p, (void)by_distance, (void)gap_sq;
    return i32x8_movemask(f32x8_gt(f32x8_load(a->ends), f32x8_load(b->ends))) == 0;
}

BVPI_INLINE unsigned test_leaf_aligned(boxtree_pair *p, bool leaf_is_a, const box_leaf *leaf,
                                       unsigned lanes, const aligned_volume *other,
                                       bool by_distance, float *gap_sq)
{
    box_volume box;
    bvpi_lone_box lone;
    f32x8 d[3];
    assert(!by_distance);
    (void)by_distance, (void)gap_sq;
    box_of_frame(p, !leaf_is_a, &other->frame, box.centre, box.half);
    if (leaf_is_a)
        bvpi_lone_b(&p->axes.pair, box.centre, box.half, &lone);
    else
        bvpi_lone_a(&p->axes.pair, box.centre, box.half, &lone);
    bvpi_box_offset(&p->axes.pair, leaf_is_a, &leaf->boxes, &lone, d);
    return bvpi_boxes_meet_along_a(&p->axes.pair, leaf_is_a, &leaf->boxes, &lone, d, lanes);
}

static inline bool is_a_larger_aligned(const boxtree_pair *p, const aligned_volume *a,
                                       const aligned_volume *b)
{
    return is_larger(p, &a->frame, &b->frame);
}

static inline float rank_aligned(const boxtree_pair *p, const aligned_volume *a,
                                 const aligned_volume *b)
{
    float hi_a[3], lo_b[3];
    (void)p;
    for (int i = 0; i < 3; i++) {
        hi_a[i] = -a->ends[4 + i];
        lo_b[i] = -b->ends[4 + i];
    }
    return rank_of(a->ends, hi_a, lo_b, b->ends);
}

static inline void take_note_aligned(boxtree_pair *p)
{
    (void)p;
}

#define NAME(x) x##_aligned
#define VOLUME  aligned_volume
#define PAIR    boxtree_pair
#define LEAF    box_leaf
#define WALK_FOUR
#include "query/pair/binary_walk.h"

static inline void volume_lookup(boxtree_pair *p, bool is_a, const aligned_volume *parent,
                                 const uint8_t *payload, aligned_volume *out)
{
    volume_enclosed(p, is_a, parent, payload, true, out);
}

#define bound_leaf_lookup  bound_leaf_aligned
#define test_lookup        test_aligned
#define test_leaf_lookup   test_leaf_aligned
#define is_a_larger_lookup is_a_larger_aligned
#define rank_lookup        rank_aligned
#define take_note_lookup   take_note_aligned

#define NAME(x) x##_lookup
#define VOLUME  aligned_volume
#define PAIR    boxtree_pair
#define LEAF    box_leaf
#define WALK_FOUR
#include "query/pair/binary_walk.h"

/* ---- the query ------------------------------------------------------------------------------- */

static __attribute__((noinline)) void run_by_tables(boxtree_pair *p, bool four)
{
    product_tables tables;
    assert(p->pair.tree_b->offset_size == 1);
    init_tables(p, &tables);
    p->tables = &tables;
    if (four)
        run_four_lookup(p);
    else
        run_lookup(p);
}

void BVPI_ISA_NAME(bvpi_boxtree_pair)(bvpi_pair_query *query, const bvpi_placed_part *a,
                                      const bvpi_placed_part *b)
{
    boxtree_pair p;
    assert(a->kind == BVPD_KIND_BOXTREE);
    binary_pair_init(&p.pair, query, a, b);
    const bool by_distance = bvpi_pair_measures(query->question.mode);
    const bvp_box_test asked = query->bodies.box_test;
    const bool four = !by_distance && asked >= BVP_TEST_FOUR_SAT;
    bvp_box_test test = four ? asked - BVP_TEST_FOUR_SAT + BVP_TEST_SAT : asked;
    if (test == BVP_TEST_LOOKUP && p.pair.tree_b->offset_size != 1)
        test = BVP_TEST_ALIGNED;
    box_axes_init(&p.axes, &p.pair, by_distance, test);
    init_steps(&p);
    if (four) /* a leaf is its box */
        p.axes.by_boxes = p.axes.by_triangles = false;
    if (by_distance || (test != BVP_TEST_ALIGNED && test != BVP_TEST_LOOKUP)) {
        four ? run_four_sat(&p) : run_sat(&p);
        return;
    }
    init_inward(&p);
    if (test == BVP_TEST_LOOKUP)
        run_by_tables(&p, four);
    else
        four ? run_four_aligned(&p) : run_aligned(&p);
}
