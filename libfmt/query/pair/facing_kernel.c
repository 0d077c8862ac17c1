/* SPDX-License-Identifier: MIT
 * facing_kernel.c: pairs of triangles across a narrow gap, found by walks of one hierarchy at a
 * time; compiled once per instruction set.
 *
 * 1. The largest projection of either part on the planes' normal, in double: nodes whose box does
 *    not reach beyond the largest so far are not opened. That gives a gap g that no pair is below.
 * 2. With T the limit, a pair within T has nearest points x, y with y = x + s n + v, n the unit
 *    normal, g <= s <= T, v orthogonal to n and |v| <= sqrt(T^2 - g^2). So both triangles reach
 * near their planes, together they leave a gap of at most T, and y is in the box around x shifted
 * by g n and enlarged by (T - g) + sqrt(T^2 - g^2).
 * 3. a is walked, and for each leaf that reaches near enough b, for triangles in that box. They are
 *    measured, which lowers T. Where no pair can be nearer than the best one's cell, only pairs
 * that precede it in storage are.
 *
 * The box in 2 is along the axes of b's grid: its edges are directions in the world, on which both
 * parts are projected, so rounding of the directions does no harm.
 *
 * Invariants: `error` of a function bounds its rounding at any corner of the part, box_error that
 * at any point of a box, and how far the part may be out of it.
 *
 * Held against brute force by tests/property/test_ties.c and test_hard_pairs.c.
 * Spec: exactness.md, chapter 6, "Ties"
 * Measured: decisions.md, "Hard cases"
 */
#include "query/pair/facing.h"

#include <assert.h>
#include <math.h>

#include "base/vec3.h"
#include "node/turn.h"
#include "query/body/body_walk.h"
#include "query/pair/pair_queue.h"

enum {
    LEAVES = 16,   /* steps to see a whole part, a node */
    SEARCHES = 64, /* steps of a search, times the nodes of both parts */
    LEVELS = 24    /* of a hierarchy, at most: two walks are on the stack of every distance */
};

/* A gap that is less than the limit by less than this share is not worth another direction. */
#define CLOSE  0x1p-16
/* What floats hardly tell apart, of the reach: only then is a search better than the walk. */
#define UNTOLD 0x1p-18

/* Eight doubles in two halves. */
typedef struct lanes8 {
    f64x4 half[2];
} lanes8;

/* A linear function of a part's coordinates, and of its grid's steps. */
typedef struct height {
    double of[3], at, error;
    double box_of[3], box_at, box_error;
} height;

static inline void height_at_corners(const bvpi_placed_part *part, const bvpi_projection *p,
                                     height *out)
{
    double terms = p->size[3];
    out->at = p->of[3];
    for (int i = 0; i < 3; i++) {
        out->of[i] = p->of[i];
        terms += p->size[i] * part->at.corner[i];
    }
    out->error = terms * BVPI_PROJECTION_ERROR + 0x1p-1000;
}

/* Sums of a dozen terms err by less than 2^-49 of the sum of their magnitudes: 16 u. Twice that
 * allows for a turned grid, whose points err by 2^-50 of theirs. */
static void height_init(const bvpi_placed_part *part, const bvpi_projection *p, height *out)
{
    const bvpi_tree *tree = &part->at.tree;
    double covector[3] = {p->of[0], p->of[1], p->of[2]}, length = 0;
    height_at_corners(part, p, out);
    double terms = out->error / BVPI_PROJECTION_ERROR;
    if (tree->is_turned) {
        bvpi_turn turn;
        bvpi_turn_init(tree->turn, &turn);
        bvpi_turn_point(&turn, p->of, covector);
    }
    out->box_at = p->of[3];
    for (int i = 0; i < 3; i++) {
        length += fabs(p->of[i]);
        out->box_of[i] = covector[i] * tree->grid_unit;
        out->box_at += covector[i] * tree->grid_origin[i];
        terms += fabs(covector[i]) *
                 (fabs(tree->grid_origin[i]) + tree->grid_unit * (double)tree->grid_extent[i]);
        if (tree->is_turned) /* the rotation's rows are not quite orthonormal */
            for (int j = 0; j < 3; j++)
                terms += fabs(p->of[i]) * part->at.corner[j];
    }
    out->box_error = terms * 2 * BVPI_PROJECTION_ERROR + length * part->at.slack * 2 + 0x1p-1000;
}

/* Not inlined, here and below: each would be in the text a dozen times. */
#define OUTLINE static __attribute__((noinline))

/* The lower and the upper end of something on a function. */
typedef struct ends8 {
    lanes8 lo, hi;
} ends8;

static inline void widen(ends8 *ends, double error)
{
    for (int h = 0; h < 2; h++) {
        ends->lo.half[h] -= f64x4_splat(error);
        ends->hi.half[h] += f64x4_splat(error);
    }
}

OUTLINE void ends_of_boxes(const height *h, const bvpi_open_node *at, const bvpi_wide *node,
                           ends8 *out)
{
    const f64x4 from = f64x4_splat(h->box_at);
    ends8 ends = {{{from, from}}, {{from, from}}};
    for (int a = 0; a < 3; a++) {
        const f64x4 by = f64x4_splat(h->box_of[a]);
        const int upper = h->box_of[a] >= 0 ? 8 : 0;
        const f32x8 lo = f32x8_splat(at->lo[a]), step = f32x8_splat(at->step[a]);
        const f32x8 low = lo + f32x8_from_u8(node->bounds[a] + 8 - upper) * step;
        const f32x8 high = lo + f32x8_from_u8(node->bounds[a] + upper) * step;
        ends.lo.half[0] += f64x4_from_low(low) * by;
        ends.lo.half[1] += f64x4_from_high(low) * by;
        ends.hi.half[0] += f64x4_from_low(high) * by;
        ends.hi.half[1] += f64x4_from_high(high) * by;
    }
    widen(&ends, h->box_error);
    *out = ends;
}

OUTLINE void ends_of_triangles(const height *h, const bvpi_tri8 *tri, ends8 *out)
{
    for (int half = 0; half < 2; half++)
        for (int k = 0; k < 3; k++) {
            f64x4 x = f64x4_splat(h->at);
            for (int i = 0; i < 3; i++) {
                const f32x8 c = tri->c[3 * k + i];
                x += (half == 0 ? f64x4_from_low(c) : f64x4_from_high(c)) * f64x4_splat(h->of[i]);
            }
            out->lo.half[half] = k == 0 ? x : f64x4_min(out->lo.half[half], x);
            out->hi.half[half] = k == 0 ? x : f64x4_max(out->hi.half[half], x);
        }
    widen(out, h->error);
}

/* Decodes a leaf. False: the file is damaged, or it took too long. */
OUTLINE bool load_triangles(const bvpi_tree *tree, uint32_t item, unsigned count, bvpi_steps *steps,
                            bvpi_tri8 *out)
{
    return bvpi_steps_take(steps) && bvpi_wide_triangles(tree, item, count, out);
}

/* Lanes that are at least x. NaN, in a damaged file, is not. */
BVPI_INLINE unsigned lanes_from(const lanes8 *v, double x)
{
    unsigned lanes = 0;
    BVPI_UNROLL
    for (unsigned k = 0; k < 8; k++)
        lanes |= (unsigned)(v->half[k / 4][k % 4] >= x) << k;
    return lanes;
}

BVPI_INLINE unsigned lanes_to(const lanes8 *v, double x)
{
    unsigned lanes = 0;
    BVPI_UNROLL
    for (unsigned k = 0; k < 8; k++)
        lanes |= (unsigned)(v->half[k / 4][k % 4] <= x) << k;
    return lanes;
}

/* Not BVP_OK: the file is damaged, it took too long, or the hierarchy is deeper than LEVELS. */
BVPI_INLINE bvp_status walk_tree(const bvpi_walk_steps *walk, void *user, const bvpi_tree *tree,
                                 bvpi_steps *steps, bvp_stats *stats)
{
    bvpi_entry stack[BVPI_STACK_OF(LEVELS)];
    bvpi_open_node open[LEVELS];
    const bvpi_walk_room room = {stack, open, LEVELS};
    return bvpi_body_walk_under(walk, user, tree, &room, steps, stats);
}

/* ---- the largest projection ------------------------------------------------------------------ */

typedef struct summit {
    const height *h;
    const bvpi_tree *tree;
    bvpi_steps *steps;
    double most;    /* so far */
    double allowed; /* more is of no use */
} summit;

/* At most -x, as a float: entries are ordered and dropped by it. */
static inline float key_below(double x)
{
    const float key = (float)-x;
    return key - fabsf(key) * 0x1p-22f - 0x1p-140f;
}

/* What boxes add to the largest projection by their rounding alone is not looked into. */
static inline double least_summit(const summit *s)
{
    return s->most + 4 * s->h->box_error;
}

static inline unsigned summit_boxes(void *user, const bvpi_open_node *at, const bvpi_wide *node,
                                    float limit, float keys[8])
{
    const summit *s = user;
    (void)limit;
    ends8 ends;
    ends_of_boxes(s->h, at, node, &ends);
    for (unsigned k = 0; k < 8; k++)
        keys[k] = key_below(ends.hi.half[k / 4][k % 4]);
    return lanes_from(&ends.hi, least_summit(s));
}

static inline float summit_limit(void *user)
{
    const summit *s = user;
    const float key = (float)-least_summit(s);
    return s->most > s->allowed ? -INFINITY : key + fabsf(key) * 0x1p-22f + 0x1p-140f;
}

static inline bvp_status summit_triangles(void *user, uint32_t item, unsigned count)
{
    summit *s = user;
    bvpi_tri8 tri;
    ends8 ends;
    if (!load_triangles(s->tree, item, count, s->steps, &tri))
        return BVP_ERR_CORRUPT;
    ends_of_triangles(s->h, &tri, &ends);
    for (unsigned k = 0; k < 8; k++)
        s->most = bvpi_larger(s->most, ends.hi.half[k / 4][k % 4]);
    return BVP_OK;
}

/* An upper bound of the part's projections, at most `allowed`. False: there is none, or it takes
 * too long to tell. */
OUTLINE bool find_summit(const bvpi_ties *ties, const bvpi_placed_part *part, const height *h,
                         double allowed, bvpi_steps *steps, double *out)
{
    static const bvpi_walk_steps walk = {summit_boxes, summit_limit, summit_triangles, NULL};
    summit s = {h, &part->at.tree, steps, -INFINITY, allowed};
    if (walk_tree(&walk, &s, s.tree, steps, &ties->answer->stats) != BVP_OK)
        return false;
    *out = least_summit(&s);
    return *out <= allowed;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* A leaf's triangles, and where they are. */
typedef struct facing_leaf {
    bvpi_tri8 tri;
    uint32_t item;
    unsigned lanes; /* those that may matter */
    ends8 up;       /* on the planes' normal */
    ends8 at[3];    /* on the axes of b's grid; of a: shifted by the gap */
} facing_leaf;

typedef struct facing {
    const bvpi_ties *ties;
    const bvpi_planes *planes;
    bvpi_steps *steps;
    height up[2];        /* on the planes' normal, as planes.of */
    height across[2][3]; /* on the axes of b's grid */
    double highest[2], gap;
    double step[3], base[3], room[3]; /* b's boxes there: base + step * steps, within room */
    double length[3];                 /* of these directions */
    double limit;                     /* what the following is for */
    double least[2];                  /* triangles with lower projections are too far away */
    double shift[3], reach[3];        /* g n, and by how much y may be off it */
    bool first_only;  /* no pair is nearer than the best one's cell: only those before it matter */
    facing_leaf leaf; /* of a, that is looked at */
    double lo[3], hi[3]; /* in which box its partners must be */
} facing;

/* The three directions: approximately the axes of b's grid, seen from the world. */
static void directions_of_grid(const bvpi_placed_part *b, double out[3][3])
{
    double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (b->at.tree.is_turned) {
        bvpi_turn rotation;
        bvpi_turn_init(b->at.tree.turn, &rotation);
        memcpy(turn, rotation.m, sizeof turn);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out[i][j] = 0;
            for (int k = 0; k < 3; k++)
                out[i][j] += turn[3 * i + k] * b->at.placement.inverse[3 * k + j];
        }
}

static void facing_init(facing *f)
{
    const bvpi_ties *ties = f->ties;
    const bvpi_placed_part *b = ties->b;
    const bvpi_tree *tree = &b->at.tree;
    double direction[3][3];
    directions_of_grid(b, direction);
    for (int i = 0; i < 3; i++) {
        bvpi_projection p[2];
        const double *w = direction[i];
        bvpi_project_by(ties->pose->world_a, 3, w, &p[0]);
        bvpi_project_by(ties->pose->world_b, 4, w, &p[1]);
        height_init(ties->a, &p[0], &f->across[0][i]);
        height_init(b, &p[1], &f->across[1][i]);
        const height *h = &f->across[1][i];
        f->length[i] = sqrt(bvpi_dot(w, w)) * (1 + 0x1p-48);
        f->shift[i] = bvpi_dot(w, f->planes->direction) * f->gap;
        /* this function of a box is nearly that of its i-th axis alone */
        f->step[i] = h->box_of[i];
        f->base[i] = h->box_at;
        f->room[i] = h->box_error;
        for (int j = 0; j < 3; j++)
            if (j != i)
                f->room[i] += fabs(h->box_of[j]) * (double)tree->grid_extent[j];
    }
    f->limit = -1;
}

/* What follows from the limit, which may have shrunk. */
OUTLINE void take_limit(facing *f)
{
    const bvpi_pair_answer *answer = f->ties->answer;
    const double most = answer->limit * (1 + 0x1p-48);
    if (f->limit == answer->limit)
        return;
    f->limit = answer->limit;
    const double beyond = fmax(most - f->gap, 0) * (1 + 0x1p-40);
    const double off = sqrt(beyond * (most + f->gap)) * (1 + 0x1p-40);
    for (int side = 0; side < 2; side++) {
        const double least = -f->highest[1 - side] - most * f->planes->length;
        f->least[side] = least - fabs(least) * 0x1p-48;
    }
    for (int i = 0; i < 3; i++)
        f->reach[i] = f->length[i] * (beyond + off + most * 0x1p-40) + fabs(f->shift[i]) * 0x1p-40;
    f->first_only = bvpi_ties_matter(&f->ties->query->question) && answer->best.found &&
                    f->gap >= bvpi_cell_bottom(answer->best.distance);
}

/* Does the item of a come after the best pair's? */
static inline bool comes_too_late(const facing *f, uint32_t item_a, uint32_t item_b)
{
    return f->first_only && !f->ties->comes_first(f->ties->user, item_a, item_b);
}

static inline float no_limit(void *user)
{
    const facing *f = user;
    return f->ties->answer->state == BVPI_PAIR_SEARCHING ? INFINITY : -INFINITY;
}

static inline unsigned boxes_of_b(void *user, const bvpi_open_node *at, const bvpi_wide *node,
                                  float limit, float keys[8])
{
    const facing *f = user;
    (void)limit;
    ends8 ends;
    ends_of_boxes(&f->up[1], at, node, &ends);
    unsigned lanes = lanes_from(&ends.hi, f->least[1]);
    for (int i = 0; i < 3; i++) {
        const height h = {
            .box_of = {i == 0 ? f->step[0] : 0, i == 1 ? f->step[1] : 0, i == 2 ? f->step[2] : 0},
            .box_at = f->base[i],
            .box_error = f->room[i]};
        ends_of_boxes(&h, at, node, &ends);
        lanes &= lanes_to(&ends.lo, f->hi[i]) & lanes_from(&ends.hi, f->lo[i]);
    }
    for (unsigned k = 0; k < 8; k++)
        keys[k] = 0;
    return lanes;
}

/* A function on a triangle's normal, towards b. False: it has none. */
OUTLINE bool normal_height(const facing *f, int side, const float t[9], height out[2],
                           double *length)
{
    const bvpi_pose *pose = f->ties->pose;
    double edge[2][3], w[3];
    bvpi_projection p[2];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) {
            const double *row = side == 0 ? pose->world_a + 3 * i : pose->world_b + 4 * i;
            edge[k][i] = 0;
            for (int j = 0; j < 3; j++)
                edge[k][i] += row[j] * ((double)t[3 + 3 * k + j] - (double)t[j]);
        }
    bvpi_cross(edge[0], edge[1], w);
    const double sign = bvpi_dot(w, f->planes->direction) < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        w[i] *= sign;
    *length = sqrt(bvpi_dot(w, w)) * (1 + 0x1p-48);
    if (!(*length > 0x1p-400 && *length < 0x1p400))
        return false;
    bvpi_project_by(pose->world_a, 3, w, &p[0]);
    bvpi_project_by(pose->world_b, 4, w, &p[1]);
    height_at_corners(f->ties->a, &p[0], &out[0]);
    height_at_corners(f->ties->b, &p[1], &out[1]);
    return true;
}

static inline double end_of_triangle(const height *h, bool upper, const float t[9])
{
    double end = upper ? -INFINITY : INFINITY;
    for (int k = 0; k < 9; k += 3) {
        double x = h->at;
        for (int i = 0; i < 3; i++)
            x += (double)t[k + i] * h->of[i];
        end = (upper ? x > end : x < end) ? x : end;
    }
    return upper ? end + h->error : end - h->error;
}

/* Lanes of b that the normal of a's triangle does not show to be beyond the limit. */
static inline unsigned lanes_at_face(const facing *f, const float a[9], const bvpi_tri8 *tri,
                                     unsigned lanes)
{
    height h[2];
    double length;
    if (!normal_height(f, 0, a, h, &length))
        return lanes;
    ends8 ends;
    ends_of_triangles(&h[1], tri, &ends);
    const double most = f->limit * length * (1 + 0x1p-40);
    return lanes & lanes_to(&ends.lo, end_of_triangle(&h[0], true, a) + most);
}

static inline bool is_at_face(const facing *f, const float a[9], const float b[9])
{
    height h[2];
    double length;
    return !normal_height(f, 1, b, h, &length) ||
           end_of_triangle(&h[1], false, b) - end_of_triangle(&h[0], true, a) <=
               f->limit * length * (1 + 0x1p-40);
}

/* Measures the pairs of lane i of the leaf of a that may be answers. */
OUTLINE void measure_lane(facing *f, unsigned i, const facing_leaf *other)
{
    const bvpi_ties *ties = f->ties;
    const facing_leaf *own = &f->leaf;
    float a[9], b[9];
    take_limit(f);
    const double least =
        -f->limit * f->planes->length * (1 + 0x1p-40) - own->up.hi.half[i / 4][i % 4];
    unsigned lanes = other->lanes & lanes_from(&other->up.hi, least);
    for (int k = 0; k < 3 && lanes != 0; k++)
        lanes &= lanes_from(&other->at[k].hi, own->at[k].lo.half[i / 4][i % 4] - f->reach[k]) &
                 lanes_to(&other->at[k].lo, own->at[k].hi.half[i / 4][i % 4] + f->reach[k]);
    if (lanes == 0)
        return;
    bvpi_tri8_lane(&own->tri, i, a);
    if (!f->first_only)
        lanes = lanes_at_face(f, a, &other->tri, lanes);
    if ((lanes & (lanes - 1)) != 0)
        lanes &= lanes_within_float(ties->pose, a, other->tri.c, f->limit);
    for (; lanes != 0 && ties->answer->state == BVPI_PAIR_SEARCHING; lanes &= lanes - 1) {
        const unsigned j = bvpi_lowest_bit(lanes);
        if (comes_too_late(f, own->item + i, other->item + j))
            continue;
        bvpi_tri8_lane(&other->tri, j, b);
        if (!f->first_only && !is_at_face(f, a, b))
            continue;
        ties->measure(ties->user, a, b, own->item + i, other->item + j);
        take_limit(f);
    }
}

/* False: as load_triangles's. */
OUTLINE bool load_leaf(const facing *f, int side, uint32_t item, unsigned count, facing_leaf *out)
{
    const bvpi_placed_part *part = side == 0 ? f->ties->a : f->ties->b;
    if (!load_triangles(&part->at.tree, item, count, f->steps, &out->tri))
        return false;
    out->item = item;
    ends_of_triangles(&f->up[side], &out->tri, &out->up);
    out->lanes = lanes_from(&out->up.hi, f->least[side]) & ((1u << count) - 1);
    for (int i = 0; i < 3 && out->lanes != 0; i++)
        ends_of_triangles(&f->across[side][i], &out->tri, &out->at[i]);
    return true;
}

static inline bvp_status triangles_of_b(void *user, uint32_t item, unsigned count)
{
    facing *f = user;
    facing_leaf leaf;
    if (!load_leaf(f, 1, item, count, &leaf))
        return BVP_ERR_CORRUPT;
    for (unsigned left = leaf.lanes != 0 ? f->leaf.lanes : 0; left != 0; left &= left - 1)
        measure_lane(f, bvpi_lowest_bit(left), &leaf);
    return BVP_OK;
}

static inline unsigned boxes_of_a(void *user, const bvpi_open_node *at, const bvpi_wide *node,
                                  float limit, float keys[8])
{
    facing *f = user;
    (void)limit;
    take_limit(f);
    const bvpi_tree *tree = &f->ties->b->at.tree;
    ends8 ends;
    ends_of_boxes(&f->up[0], at, node, &ends);
    unsigned lanes = lanes_from(&ends.hi, f->least[0]);
    for (int i = 0; i < 3; i++) {
        ends_of_boxes(&f->across[0][i], at, node, &ends);
        const double end[2] = {f->base[i], f->base[i] + f->step[i] * tree->grid_extent[i]};
        const double off = f->room[i] + f->reach[i];
        lanes &= lanes_to(&ends.lo, fmax(end[0], end[1]) - f->shift[i] + off) &
                 lanes_from(&ends.hi, fmin(end[0], end[1]) - f->shift[i] - off);
    }
    for (unsigned k = 0; k < 8; k++)
        keys[k] = 0;
    return lanes;
}

/* Searches b for partners of a leaf of a. */
static inline bvp_status triangles_of_a(void *user, uint32_t item, unsigned count)
{
    static const bvpi_walk_steps walk = {boxes_of_b, no_limit, triangles_of_b, NULL};
    facing *f = user;
    facing_leaf *leaf = &f->leaf;
    take_limit(f);
    if (comes_too_late(f, item, 0))
        return BVP_OK;
    if (!load_leaf(f, 0, item, count, leaf))
        return BVP_ERR_CORRUPT;
    if (leaf->lanes == 0)
        return BVP_OK;
    for (int i = 0; i < 3; i++) {
        f->lo[i] = INFINITY;
        f->hi[i] = -INFINITY;
        for (unsigned h = 0; h < 2; h++) {
            leaf->at[i].lo.half[h] += f64x4_splat(f->shift[i]);
            leaf->at[i].hi.half[h] += f64x4_splat(f->shift[i]);
        }
        for (unsigned left = leaf->lanes; left != 0; left &= left - 1) {
            const unsigned k = bvpi_lowest_bit(left);
            f->lo[i] = fmin(f->lo[i], leaf->at[i].lo.half[k / 4][k % 4] - f->reach[i]);
            f->hi[i] = fmax(f->hi[i], leaf->at[i].hi.half[k / 4][k % 4] + f->reach[i]);
        }
    }
    return walk_tree(&walk, f, &f->ties->b->at.tree, f->steps, &f->ties->answer->stats);
}

/* ---- both ------------------------------------------------------------------------------------ */

/* Measures all pairs that may be answers. */
OUTLINE bool search(facing *f)
{
    static const bvpi_walk_steps walk = {boxes_of_a, no_limit, triangles_of_a, NULL};
    bvpi_pair_answer *answer = f->ties->answer;
    facing_init(f);
    take_limit(f);
    const bvp_status status = walk_tree(&walk, f, &f->ties->a->at.tree, f->steps, &answer->stats);
    /* Pairs as near as the best one may have been left out. */
    if (f->first_only)
        answer->lower = fmin(answer->lower, f->gap);
    return status == BVP_OK && answer->state == BVPI_PAIR_SEARCHING;
}

/* A lower bound of all distances by these planes; highest: the largest projections. 0: there is
 * none, a part is beyond its plane at `at`, or it takes too long to tell. */
static double gap_of(const bvpi_ties *ties, const bvpi_planes *p, double highest[2])
{
    const bvpi_placed_part *const part[2] = {ties->a, ties->b};
    bvpi_steps steps;
    bvpi_loan loan;
    bool good = true;
    const uint64_t all =
        LEAVES * (uint64_t)(part[0]->at.tree.node_count + part[1]->at.tree.node_count);
    bvpi_steps_begin(&steps, &loan, ties->query->meter, p->is_flat ? all : 64 + ties->spent / 8);
    for (int side = 0; side < 2 && good; side++) {
        height h;
        height_init(part[side], &p->of[side], &h);
        good = find_summit(ties, part[side], &h, p->at[side], &steps, &highest[side]);
    }
    bvpi_steps_pause(&steps);
    return good ? bvpi_planes_gap(p, highest) : 0;
}

/* Measures all pairs that may be answers, given such a gap. */
static bool search_all(const bvpi_ties *ties, const bvpi_planes *p, const double highest[2])
{
    const bvpi_placed_part *const part[2] = {ties->a, ties->b};
    bvpi_steps steps;
    bvpi_loan loan;
    facing f = {.ties = ties,
                .planes = p,
                .steps = &steps,
                .highest = {highest[0], highest[1]},
                .gap = bvpi_planes_gap(p, highest)};
    assert(f.gap > 0 && bvpi_pair_measures(ties->query->question.mode));
    for (int side = 0; side < 2; side++)
        height_init(part[side], &p->of[side], &f.up[side]);
    bvpi_steps_begin(&steps, &loan, ties->query->meter,
                     4 * ties->spent + SEARCHES * (uint64_t)(part[0]->at.tree.node_count +
                                                             part[1]->at.tree.node_count));
    const bool good = search(&f);
    bvpi_steps_pause(&steps);
    return good;
}

bool facing_settle(const bvpi_ties *ties, const float a[9], const float b[9])
{
    const double limit = ties->answer->limit;
    double highest[2], most[2] = {0}, widest = 0;
    bvpi_planes p, best = {.length = 1};
    if (ties->a->kind != BVPD_KIND_WIDE8 || ties->b->kind != BVPD_KIND_WIDE8 || !(limit < INFINITY))
        return false;
    for (unsigned i = 0; i < BVPI_TIES_DIRECTIONS; i++) {
        if (!bvpi_ties_planes(ties, a, b, i, &p))
            continue;
        const double gap = gap_of(ties, &p, highest);
        if (gap > limit)
            return true;
        if (!(gap > widest))
            continue;
        widest = gap;
        best = p;
        memcpy(most, highest, sizeof most);
        if (gap >= bvpi_ties_use(ties) || (p.is_flat && limit - gap < limit * CLOSE))
            break;
    }
    return widest > 0 && limit - widest <= ties->pose->world_reach * UNTOLD &&
           bvpi_pair_measures(ties->query->question.mode) && search_all(ties, &best, most);
}
