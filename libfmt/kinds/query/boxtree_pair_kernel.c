/* SPDX-License-Identifier: MIT
 * boxtree_pair_kernel.c: two parts by their restricted boxtrees; compiled once per instruction set.
 *
 * A node's box is its parent's with one to three sides moved, so a node's interval along each axis
 * is its parent's plus one product for each moved side. Two walks (binary_walk.h) use that:
 * - sat: intervals along the axes of the separating axis test, for either side;
 * - aligned: only the axes of a, for a leaf's triangles, too; b's box is enclosed in a box along
 *   them. Weaker but cheaper, and only for overlap; on request products come from a table of 8-bit
 *   offsets.
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

/* Products of an offset of 8 bits and a column of the rotation: section 3.2.2. */
typedef struct product_tables {
    float of[3][3][256]; /* [axis of b][axis of a][offset] */
} product_tables;

typedef struct boxtree_pair {
    binary_pair pair;
    box_axes axes;
    /* A grid step along axis k of either side (b's first), projected on each of the axes: split
     * into its positive and its negative values. */
    float ahead[2][3][BVPI_AXES], behind[2][3][BVPI_AXES];
    product_tables *tables; /* or NULL */
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

static void init_tables(const boxtree_pair *p, product_tables *tables)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            for (int offset = 0; offset < 256; offset++)
                tables->of[k][i][offset] = (p->ahead[0][k][i] + p->behind[0][k][i]) * (float)offset;
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

/* Moves one side of the box by `steps`, the lower side up or the upper one down. Along an axis on
 * which the step is positive this moves the near end, else the far one. */
BVPI_INLINE void move_side(const boxtree_pair *p, bool is_a, int axis, bool upper, uint32_t steps,
                           sat_volume *out)
{
    const float by = upper ? -(float)steps : (float)steps;
    const float *ahead = p->ahead[is_a][axis], *behind = p->behind[is_a][axis];
    float *near = upper ? out->hi : out->lo, *far = upper ? out->lo : out->hi;
    for (int k = 0; k < BVPI_AXES; k += 8) {
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
BVPI_INLINE bool test_sat(boxtree_pair *p, const sat_volume *a, const sat_volume *b, bool opened_a,
                          bool by_distance, float *gap_sq)
{
    const f32x8 zero = {0}, first = sat_gaps(a, b, 0);
    const unsigned used = p->axes.used;
    (void)opened_a;
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
#include "query/pair/binary_walk.h"

/* ---- b's boxes enclosed in a's frame: sections 3.2.1 and 3.2.2 ------------------------------- */

typedef struct aligned_volume {
    bvpi_frame frame;
    float lo[3], hi[3]; /* along a's axes; of b: and the slack */
    uint16_t planes;    /* since they were made from the frame */
    uint16_t moved;     /* what the node's own planes changed: bit i: lo[i], bit 3 + i: hi[i] */
} aligned_volume;

static void enclose_frame(const boxtree_pair *p, bool is_a, aligned_volume *out)
{
    box_volume box;
    box_of_frame(p, is_a, &out->frame, box.centre, box.half);
    box_prepare(&p->axes, is_a, &box);
    for (int i = 0; i < 3; i++) {
        const float reach = box.reach[i] + (is_a ? 0 : 3 * p->axes.pair.slack[i]);
        out->lo[i] = box.at[i] - reach;
        out->hi[i] = box.at[i] + reach;
    }
    out->planes = 0;
    out->moved = 63;
}

/* Moves a side of a box of a: it lies along one axis only, and the result is exact. */
static inline void move_own_side(const boxtree_pair *p, int axis, bool upper, aligned_volume *out)
{
    const float unit = p->axes.pair.unit_a[axis];
    if (upper)
        out->hi[axis] = (float)out->frame.hi[axis] * unit;
    else
        out->lo[axis] = (float)out->frame.lo[axis] * unit;
    out->moved |= (uint16_t)(1u << (upper ? 3 + axis : axis));
}

/* One product for each of a's axes, which moves one of the two ends. */
static inline void move_enclosed_side(const boxtree_pair *p, int axis, bool upper, uint32_t steps,
                                      unsigned shift, aligned_volume *out)
{
    assert(steps > 0 && shift < 32);
    const bool in_table =
        p->tables != NULL && (steps >> shift << shift) == steps && steps >> shift < 256;
    for (int i = 0; i < 3; i++) {
        const float step = p->ahead[0][axis][i] + p->behind[0][axis][i];
        const float by = in_table ? p->tables->of[axis][i][steps >> shift] * (float)(1u << shift)
                                  : step * (float)steps;
        const bool low = (step > 0) != upper;
        float *end = low ? &out->lo[i] : &out->hi[i];
        *end += upper ? -by : by;
        out->moved |= (uint16_t)(1u << (low ? i : 3 + i));
    }
}

static inline void volume_aligned(boxtree_pair *p, bool is_a, const aligned_volume *parent,
                                  const uint8_t *payload, aligned_volume *out)
{
    bvpi_frame root;
    const bvpi_frame *above =
        cut_box(p, is_a, parent ? &parent->frame : NULL, payload, &root, &out->frame);
    const unsigned planes = planes_of(above, &out->frame);
    if (parent == NULL || parent->planes + planes > MOST_PLANES) {
        enclose_frame(p, is_a, out);
        return;
    }
    memcpy(out->lo, parent->lo, sizeof out->lo);
    memcpy(out->hi, parent->hi, sizeof out->hi);
    out->planes = (uint16_t)(is_a ? 0 : parent->planes + planes);
    out->moved = 0;
    for (int i = 0; i < 3; i++)
        for (int upper = 0; upper < 2; upper++) {
            const uint32_t steps =
                upper ? above->hi[i] - out->frame.hi[i] : out->frame.lo[i] - above->lo[i];
            if (steps == 0)
                continue;
            if (is_a)
                move_own_side(p, i, upper, out);
            else
                move_enclosed_side(p, i, upper, steps,
                                   bvpi_boxtree_shift(above->hi[i] - above->lo[i], 1), out);
        }
}

static inline void bound_leaf_aligned(boxtree_pair *p, bool is_a, box_leaf *leaf)
{
    bound_leaf(p, is_a, leaf);
}

/* Compares only the ends that the new node moved: the pair above has passed with the others. */
BVPI_INLINE bool test_aligned(boxtree_pair *p, const aligned_volume *a, const aligned_volume *b,
                              bool opened_a, bool by_distance, float *gap_sq)
{
    const aligned_volume *x = opened_a ? a : b, *y = opened_a ? b : a;
    assert(!by_distance && x->moved < 1u << 6);
    (void)p, (void)by_distance, (void)gap_sq;
    for (unsigned moved = x->moved; moved != 0; moved &= moved - 1) {
        const unsigned end = bvpi_lowest_bit(moved);
        if (end < 3 ? x->lo[end] > y->hi[end] : x->hi[end - 3] < y->lo[end - 3])
            return false;
    }
    return true;
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
    (void)p;
    return rank_of(a->lo, a->hi, b->lo, b->hi);
}

static inline void take_note_aligned(boxtree_pair *p)
{
    (void)p;
}

#define NAME(x) x##_aligned
#define VOLUME  aligned_volume
#define PAIR    boxtree_pair
#define LEAF    box_leaf
#include "query/pair/binary_walk.h"

/* ---- the query ------------------------------------------------------------------------------- */

static __attribute__((noinline)) void run_lookup(boxtree_pair *p)
{
    product_tables tables;
    assert(p->pair.tree_b->offset_size == 1);
    init_tables(p, &tables);
    p->tables = &tables;
    run_aligned(p);
}

void BVPI_ISA_NAME(bvpi_boxtree_pair)(bvpi_pair_query *query, const bvpi_placed_part *a,
                                      const bvpi_placed_part *b)
{
    boxtree_pair p;
    assert(a->kind == BVPD_KIND_BOXTREE);
    binary_pair_init(&p.pair, query, a, b);
    const bool by_distance = bvpi_pair_measures(query->question.mode);
    const bvp_box_test test = query->bodies.box_test;
    box_axes_init(&p.axes, &p.pair, by_distance, test);
    init_steps(&p);
    p.tables = NULL;
    if (!by_distance && test == BVP_TEST_LOOKUP && p.pair.tree_b->offset_size == 1)
        run_lookup(&p);
    else if (!by_distance && (test == BVP_TEST_ALIGNED || test == BVP_TEST_LOOKUP))
        run_aligned(&p);
    else
        run_sat(&p);
}
