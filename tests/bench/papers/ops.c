/* SPDX-License-Identifier: MIT
 * ops.c: counted arithmetic and the box tests that are written in it.
 */
#include "ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ops *tally;

static double add(double a, double b)
{
    tally->add++;
    return a + b;
}

static double sub(double a, double b)
{
    tally->add++;
    return a - b;
}

static double mul(double a, double b)
{
    tally->mul++;
    return a * b;
}

static double magnitude(double a)
{
    tally->abs++;
    return fabs(a);
}

static bool less(double a, double b)
{
    tally->cmp++;
    return a < b;
}

static double dot(const double *a, const double *b, int stride)
{
    return add(add(mul(a[0], b[0]), mul(a[1], b[stride])), mul(a[2], b[2 * stride]));
}

uint64_t ops_sum(const ops *o)
{
    return o->add + o->mul + o->abs + o->cmp;
}

/* ---- restricted boxes, incremental ----------------------------------------------------------- */

enum { AXES = 15 };

/* Fixed during a traversal: how far a unit along each box axis goes along each candidate axis. The
 * signs of these numbers are known before, and are not counted. */
typedef struct products {
    double along[2][AXES][3]; /* of a, of b */
} products;

/* The intervals of both boxes on the candidate axes. */
typedef struct intervals {
    double lo[2][AXES], hi[2][AXES];
} intervals;

/* Row-major 3x4 placement of b; candidate axes: a's, b's, a's times b's. */
static void prepare(const double m[12], products *p, double axis[AXES][3])
{
    for (int i = 0; i < 3; i++)
        for (int x = 0; x < 3; x++) {
            axis[i][x] = i == x;
            axis[3 + i][x] = m[4 * x + i];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int x = 0; x < 3; x++) {
                const double *u = axis[i], *v = axis[3 + j];
                axis[6 + 3 * i + j][x] =
                    u[(x + 1) % 3] * v[(x + 2) % 3] - u[(x + 2) % 3] * v[(x + 1) % 3];
            }
    for (int s = 0; s < AXES; s++)
        for (int k = 0; k < 3; k++) {
            p->along[0][s][k] = axis[s][k];
            p->along[1][s][k] = axis[s][0] * axis[3 + k][0] + axis[s][1] * axis[3 + k][1] +
                                axis[s][2] * axis[3 + k][2];
            /* an axis orthogonal to itself, and parallel: known without arithmetic */
            if (s == 3 + k)
                p->along[1][s][k] = 1;
            else if ((s >= 3 && s < 6) || (s >= 6 && (s - 6) % 3 == k))
                p->along[1][s][k] = 0;
        }
}

static void project(const double axis[AXES][3], const volume *box, int who, const double m[12],
                    const products *p, intervals *out)
{
    for (int s = 0; s < AXES; s++) {
        double middle = 0, radius = 0;
        for (int x = 0; x < 3; x++) {
            const double at = who == 0 ? box->centre[x]
                                       : m[4 * x] * box->centre[0] + m[4 * x + 1] * box->centre[1] +
                                             m[4 * x + 2] * box->centre[2] + m[4 * x + 3];
            middle += axis[s][x] * at;
            radius += fabs(p->along[who][s][x]) * box->half[x];
        }
        out->lo[who][s] = middle - radius;
        out->hi[who][s] = middle + radius;
    }
}

/* A side of box `who` moves inward by `offset` along its axis k: the ends that change. Sets their
 * bits, upper ends' from bit AXES on. */
static uint32_t move(const products *p, int who, int axes, int k, bool is_upper, double offset,
                     intervals *at)
{
    uint32_t moved = 0;
    for (int s = 0; s < axes; s++) {
        const double along = p->along[who][s][k];
        if (along == 0)
            continue;
        const double step = along == 1 ? offset : mul(offset, fabs(along));
        const bool is_hi = is_upper == (along > 0);
        if (is_hi)
            at->hi[who][s] = sub(at->hi[who][s], step);
        else
            at->lo[who][s] = add(at->lo[who][s], step);
        moved |= 1u << s << (is_hi ? AXES : 0);
    }
    return moved;
}

/* Compares the ends of `who` that moved with the other's. */
static bool told_apart(const intervals *at, int who, uint32_t moved)
{
    for (int s = 0; s < AXES; s++) {
        if ((moved >> s & 1) != 0 && less(at->hi[1 - who][s], at->lo[who][s]))
            return true;
        if ((moved >> (s + AXES) & 1) != 0 && less(at->hi[who][s], at->lo[1 - who][s]))
            return true;
    }
    return false;
}

/* Applies all sides that differ between parent and child. */
static uint32_t descend(const products *p, const volume_tree *tree, uint32_t child, int who,
                        int axes, intervals *at)
{
    const volume *own = &tree->nodes[child], *parent = &tree->nodes[own->parent];
    uint32_t moved = 0;
    for (int k = 0; k < 3; k++) {
        const double up = parent->centre[k] + parent->half[k] - own->centre[k] - own->half[k];
        const double down = own->centre[k] - own->half[k] - parent->centre[k] + parent->half[k];
        if (up > 1e-12 * parent->half[k])
            moved |= move(p, who, axes, k, true, up, at);
        if (down > 1e-12 * parent->half[k])
            moved |= move(p, who, axes, k, false, down, at);
    }
    return moved;
}

typedef struct boxtree_walk {
    const volume_tree *tree[2];
    products products;
    int axes;
    ops_sharing sharing;
    uint64_t pair_max;
    ops_walk *out;
} boxtree_walk;

/* A child, or a leaf that stays: its node's own work, done once for all of its pairs. */
typedef struct ready {
    uint32_t node, moved;
    intervals at; /* its own half of it */
} ready;

static uint32_t make_ready(const boxtree_walk *w, int who, uint32_t node, const intervals *parent,
                           ready out[2])
{
    const uint32_t first = w->tree[who]->nodes[node].child, count = first != 0 ? 2 : 1;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (ready){first != 0 ? first + i : node, 0, *parent};
        if (first == 0)
            continue;
        out[i].moved = descend(&w->products, w->tree[who], out[i].node, who, w->axes, &out[i].at);
        w->out->nodes++;
    }
    return count;
}

/* A node's own work once more, for another of its pairs. */
static void repeat(const boxtree_walk *w, int who, const ready *of, const intervals *parent)
{
    intervals again = *parent;
    if (of->moved == 0)
        return;
    descend(&w->products, w->tree[who], of->node, who, w->axes, &again);
    w->out->nodes++;
}

static void visit_boxtree(boxtree_walk *w, uint32_t a, uint32_t b, const intervals *parent)
{
    ready of_a[2], of_b[2];
    if (w->tree[0]->nodes[a].child == 0 && w->tree[1]->nodes[b].child == 0) {
        w->out->leaves++;
        return;
    }
    if (w->out->pairs >= w->pair_max)
        return;
    const uint32_t count_a = make_ready(w, 0, a, parent, of_a);
    const uint32_t count_b = make_ready(w, 1, b, parent, of_b);
    for (uint32_t i = 0; i < count_a; i++)
        for (uint32_t j = 0; j < count_b; j++) {
            if (w->out->pairs >= w->pair_max)
                return;
            intervals at = of_a[i].at;
            if (w->sharing == OPS_EACH && j > 0)
                repeat(w, 0, &of_a[i], parent);
            if (w->sharing == OPS_EACH && i > 0)
                repeat(w, 1, &of_b[j], parent);
            memcpy(at.lo[1], of_b[j].at.lo[1], sizeof at.lo[1]);
            memcpy(at.hi[1], of_b[j].at.hi[1], sizeof at.hi[1]);
            const bool apart =
                told_apart(&at, 0, of_a[i].moved) || told_apart(&at, 1, of_b[j].moved);
            w->out->pairs++;
            w->out->apart += apart;
            if (!apart)
                visit_boxtree(w, of_a[i].node, of_b[j].node, &at);
        }
}

void ops_walk_boxtree(const volume_tree *a, const volume_tree *b, const double placement[12],
                      ops_axes axes, ops_sharing sharing, uint64_t pair_max, ops_walk *out)
{
    boxtree_walk w = {
        .tree = {a, b}, .axes = (int)axes, .sharing = sharing, .pair_max = pair_max, .out = out};
    double axis[AXES][3];
    intervals root;
    prepare(placement, &w.products, axis);
    project(axis, &a->nodes[0], 0, placement, &w.products, &root);
    project(axis, &b->nodes[0], 1, placement, &w.products, &root);
    tally = &out->ops;
    visit_boxtree(&w, 0, 0, &root);
}

static const double turned[12] = {0.36, 0.48, -0.8, 0.1, -0.8, 0.6, 0, 0.1, 0.48, 0.64, 0.6, 0.1};

double ops_boxtree_worst(ops_axes axes, ops_sharing sharing)
{
    /* each child's upper x side is moved inward */
    const volume child = {.centre = {-0.005, 0, 0}, .half = {0.995, 1, 1}};
    volume nodes[3] = {{.half = {1, 1, 1}, .child = 1}, child, child};
    const volume_tree tree = {nodes, 3};
    ops_walk walk = {.pairs = 0};
    ops_walk_boxtree(&tree, &tree, turned, axes, sharing, UINT64_MAX, &walk);
    if (walk.pairs != 4 || walk.leaves != 4)
        abort();
    return (double)ops_sum(&walk.ops) / (double)walk.pairs;
}

/* ---- boxes with rotations -------------------------------------------------------------------- */

/* Box b in a's frame. */
typedef struct relative {
    double r[9], size[9]; /* b's axes as columns, and their magnitudes */
    double t[3];
} relative;

/* Half extents of two boxes; of a rectangle the third is 0 and not used. */
typedef struct extents {
    const double *a, *b;
    bool a_is_flat, b_is_flat;
} extents;

/* The sum of half extents times factors. */
static double reach(const double half[3], bool is_flat, const double *factor, int stride)
{
    const double flat = add(mul(half[0], factor[0]), mul(half[1], factor[stride]));
    return is_flat ? flat : add(flat, mul(half[2], factor[2 * stride]));
}

/* Two of the terms. */
static double reach_two(const double half[3], bool is_flat, int i, double of_i, int j, double of_j)
{
    if (is_flat && i == 2)
        return mul(half[j], of_j);
    if (is_flat && j == 2)
        return mul(half[i], of_i);
    return add(mul(half[i], of_i), mul(half[j], of_j));
}

static double own_extent(const double half[3], bool is_flat, int i, double others)
{
    return is_flat && i == 2 ? others : add(half[i], others);
}

static bool edge_separates(const relative *p, const extents *e, int i, int j)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    const double along = sub(mul(p->t[i2], p->r[3 * i1 + j]), mul(p->t[i1], p->r[3 * i2 + j]));
    const double reach_a =
        reach_two(e->a, e->a_is_flat, i1, p->size[3 * i2 + j], i2, p->size[3 * i1 + j]);
    const double reach_b =
        reach_two(e->b, e->b_is_flat, j1, p->size[3 * i + j2], j2, p->size[3 * i + j1]);
    return less(add(reach_a, reach_b), magnitude(along));
}

/* The first axis that separates, or 15; of a full or a lite test. */
static int first_axis(const relative *p, const extents *e, int axes)
{
    for (int i = 0; i < 3; i++) {
        const double radius = reach(e->b, e->b_is_flat, p->size + 3 * i, 1);
        if (less(own_extent(e->a, e->a_is_flat, i, radius), magnitude(p->t[i])))
            return i;
    }
    for (int j = 0; j < 3; j++) {
        const double radius = reach(e->a, e->a_is_flat, p->size + j, 3);
        if (less(own_extent(e->b, e->b_is_flat, j, radius), magnitude(dot(p->t, p->r + j, 3))))
            return 3 + j;
    }
    for (int k = 0; k < axes - 6; k++)
        if (edge_separates(p, e, k / 3, k % 3))
            return 6 + k;
    return 15;
}

/* The relative rotation of two boxes with own axes: counted for each pair. placed: b's axes in a's
 * part's frame, a row each, which is b's own work. */
static void compose(const double *axis_a, const double placed[9], relative *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out->r[3 * i + j] = dot(axis_a + 3 * i, placed + 3 * j, 1);
            out->size[3 * i + j] = magnitude(out->r[3 * i + j]);
        }
}

typedef struct boxes_walk {
    const volume_tree *tree[2];
    const double *m;
    bool own_rotations;
    int axes;
    uint64_t pair_max;
    relative prepared;
    ops_walk *out;
} boxes_walk;

static int test_pair(const boxes_walk *w, const volume *a, const volume *b)
{
    const extents e = {a->half, b->half, false, false};
    double at[3], placed[9];
    relative p = w->prepared;
    if (!w->own_rotations) {
        for (int x = 0; x < 3; x++)
            p.t[x] = sub(add(dot(w->m + 4 * x, b->centre, 1), w->m[4 * x + 3]), a->centre[x]);
        return first_axis(&p, &e, w->axes);
    }
    for (int j = 0; j < 3; j++)
        for (int x = 0; x < 3; x++)
            placed[3 * j + x] = w->m[4 * x] * b->axis[3 * j] +
                                w->m[4 * x + 1] * b->axis[3 * j + 1] +
                                w->m[4 * x + 2] * b->axis[3 * j + 2];
    for (int x = 0; x < 3; x++) {
        const double world = w->m[4 * x] * b->centre[0] + w->m[4 * x + 1] * b->centre[1] +
                             w->m[4 * x + 2] * b->centre[2] + w->m[4 * x + 3];
        at[x] = sub(world, a->centre[x]);
    }
    compose(a->axis, placed, &p);
    for (int i = 0; i < 3; i++)
        p.t[i] = dot(a->axis + 3 * i, at, 1);
    return first_axis(&p, &e, w->axes);
}

static double size_of(const volume *v)
{
    return v->half[0] * v->half[1] + v->half[1] * v->half[2] + v->half[2] * v->half[0];
}

static void visit_boxes(boxes_walk *w, uint32_t a, uint32_t b)
{
    const volume *node_a = &w->tree[0]->nodes[a], *node_b = &w->tree[1]->nodes[b];
    if (w->out->pairs >= w->pair_max)
        return;
    const int axis = test_pair(w, node_a, node_b);
    w->out->pairs++;
    w->out->exit[axis]++;
    w->out->apart += axis < AXES;
    if (axis < AXES)
        return;
    if (node_a->child == 0 && node_b->child == 0) {
        w->out->leaves++;
        return;
    }
    if (node_b->child == 0 || (node_a->child != 0 && size_of(node_a) >= size_of(node_b))) {
        visit_boxes(w, node_a->child, b);
        visit_boxes(w, node_a->child + 1, b);
    } else {
        visit_boxes(w, a, node_b->child);
        visit_boxes(w, a, node_b->child + 1);
    }
}

static void set_prepared(const double m[12], relative *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out->r[3 * i + j] = m[4 * i + j];
            out->size[3 * i + j] = fabs(m[4 * i + j]);
        }
}

void ops_walk_boxes(const volume_tree *a, const volume_tree *b, const double placement[12],
                    bool own_rotations, ops_axes axes, uint64_t pair_max, ops_walk *out)
{
    boxes_walk w = {.tree = {a, b},
                    .m = placement,
                    .own_rotations = own_rotations,
                    .axes = (int)axes,
                    .pair_max = pair_max,
                    .out = out};
    set_prepared(placement, &w.prepared);
    tally = &out->ops;
    visit_boxes(&w, 0, 0);
}

/* ---- worst cases ----------------------------------------------------------------------------- */

static const volume unit_box = {.half = {1, 1, 1}, .axis = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

void ops_aabb_worst(bool is_lite, ops *all)
{
    relative p = {.t = {0}};
    *all = (ops){0};
    tally = all;
    set_prepared(turned, &p);
    for (int x = 0; x < 3; x++)
        p.t[x] = sub(add(dot(turned + 4 * x, unit_box.centre, 1), turned[4 * x + 3]),
                     unit_box.centre[x]);
    const extents e = {unit_box.half, unit_box.half, false, false};
    if (first_axis(&p, &e, is_lite ? 6 : AXES) != AXES)
        abort();
}

void ops_obb_worst(ops *all)
{
    ops_walk walk = {.pairs = 0};
    const boxes_walk w = {.m = turned, .own_rotations = true, .axes = AXES, .out = &walk};
    *all = (ops){0};
    tally = all;
    if (test_pair(&w, &unit_box, &unit_box) != AXES)
        abort();
}

void ops_axes_worst(bool a_is_rectangle, bool b_is_rectangle, ops *all)
{
    const extents e = {unit_box.half, unit_box.half, a_is_rectangle, b_is_rectangle};
    relative p = {.t = {0}};
    *all = (ops){0};
    tally = all;
    set_prepared(turned, &p);
    for (int k = 0; k < 9; k++)
        p.size[k] = magnitude(p.r[k]);
    if (first_axis(&p, &e, AXES) != AXES)
        abort();
}

void ops_sphere_worst(ops *all)
{
    const double a[4] = {0, 0, 0, 1}, b[4] = {0, 0, 0, 1};
    double d[3];
    *all = (ops){0};
    tally = all;
    for (int x = 0; x < 3; x++)
        d[x] = sub(add(dot(turned + 4 * x, b, 1), turned[4 * x + 3]), a[x]);
    const double radii = add(a[3], b[3]);
    if (less(mul(radii, radii), dot(d, d, 1)))
        abort();
}

/* Each of b's reaches from three of its own, then both ends of twelve intervals compared. */
void ops_dop_worst(ops *all)
{
    enum { DOP = 24 };
    double weight[3] = {0.5, 0.3, 0.2}, own[3] = {1, 1, 1}, ends[DOP];
    *all = (ops){0};
    tally = all;
    for (int k = 0; k < DOP; k++)
        ends[k] = add(dot(weight, own, 1), 0.1);
    for (int k = 0; k < DOP; k++)
        if (less(ends[k], -1))
            abort();
}
