/* SPDX-License-Identifier: MIT
 * front_kernel.c: the distance of two parts, resumed where the last search stopped; compiled once
 * per instruction set.
 *
 * The first search (the second branch of parts) records each opened pair as a group: its eight
 * children against the other box, each with a plane. A child that may be within the limit is taken
 * out of the group and becomes a group itself, down to leaves; the others stay, proved by their
 * planes.
 *
 * A later search (search_front) goes through the groups. The bound of a plane now is its old gap
 * plus the exact change of n . (R c + t), less what the turn of n in b's frame can move within b's
 * box (front.h). Groups whose bounds all exceed the limit are left alone; the others are opened
 * again where needed. put_key() estimates how long a group can be left alone entirely.
 *
 * The front only grows finer. When it has grown by half, it is begun anew (is_of_use).
 *
 * Invariants: front.h. A bound is compared with a limit that includes the slack of both maps, so
 * every pair that may decide the answer or its lower end is measured.
 *
 * The groups are the caller's memory: counts and references are checked where they are used.
 *
 * Slow twin: plain distance queries, tests/property/test_warm.c.
 * Spec: exactness.md, chapter 11, "Front"
 * Measured: decisions.md, "Fronts", "What warm starts are worth".
 */
#define BVPI_COMPACT /* as kernels of other kinds: decisions.md, "Text of the library" */

#include "query/warm/front.h"
#include "query/warm/front_planes.h"
#include "query/pair/pair_parts.h"

#include <assert.h>

enum { HOLES_MOST = 64, ROOM_TO_GROW = 64, LEAST_STEPS = 2, MOST_STEPS = 64 };

typedef struct front_search {
    pair_parts parts; /* first: leaf functions get a pointer to it */
    bvpi_front *front;
    double length;             /* of a work unit in the world, at least */
    float slack;               /* what a plane's bound may err */
    float limit;               /* pairs with bounds above this do not matter; includes the slack */
    float step;                /* motion of b since the last query */
    uint32_t hole[HOLES_MOST]; /* unused groups */
    unsigned hole_count;
    pair_waiting waiting;
} front_search;

/* ---- units ----------------------------------------------------------------------------------- */

/* Takes over the query's limit, rounded up, and widened by more than the width of a distance's
 * interval, so that pairs that decide the lower end are not left out. */
static void limit_front(front_search *s)
{
    const double limit = s->parts.walk.answer->limit / s->length;
    s->limit = (float)(limit * (1 + 0x1p-17)) * (1 + 0x1p-20f) + s->slack;
}

/* Is the front in the same work units, and not grown too fine? Nothing makes it coarser again, so
 * after it has grown by half a new one is cheaper. */
static bool is_of_use(const bvpi_front_head *head, const front_search *s)
{
    const bvpi_box_pair *boxes = &s->parts.walk.boxes;
    const uint32_t most = head->begun_with + head->begun_with / 2 + ROOM_TO_GROW;
    return head->count > 0 && head->count <= most &&
           head->swapped == s->parts.walk.query->bodies.swapped &&
           memcmp(head->unit_a, boxes->unit_a, sizeof head->unit_a) == 0 &&
           memcmp(head->unit_b, boxes->unit_b, sizeof head->unit_b) == 0;
}

/* An upper bound of how far any point of b's root box moves from the old map to the current one. */
static double motion_between(const front_search *s, const bvpi_front_map *from)
{
    const bvpi_box_pair *boxes = &s->parts.walk.boxes;
    double sum = 0, square[4] = {0};
    for (int i = 0; i < 3; i++) {
        double d = (double)boxes->t[i] - (double)from->t[i];
        for (int j = 0; j < 3; j++) {
            const double turn = (double)boxes->r[i][j] - (double)from->r[i][j];
            d += turn * (double)boxes->centre_b[j];
            square[j] += turn * turn;
        }
        square[3] += d * d;
    }
    for (int j = 0; j < 3; j++)
        sum += sqrt(square[j]) * (double)boxes->half_b[j];
    return (sum + sqrt(square[3])) * (1 + 0x1p-40) + (double)s->slack;
}

static void keep_units(const front_search *s)
{
    const bvpi_box_pair *boxes = &s->parts.walk.boxes;
    bvpi_front_head *head = s->front->head;
    memcpy(head->map.r, boxes->r, sizeof head->map.r);
    memcpy(head->map.t, boxes->t, sizeof head->map.t);
    memcpy(head->unit_a, boxes->unit_a, sizeof head->unit_a);
    memcpy(head->unit_b, boxes->unit_b, sizeof head->unit_b);
    head->swapped = s->parts.walk.query->bodies.swapped;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static bvpi_front_group *new_group(front_search *s)
{
    bvpi_front *front = s->front;
    uint32_t k = front->head->count;
    if (s->hole_count > 0) {
        k = s->hole[--s->hole_count];
    } else if (k < front->capacity) {
        front->head->count++;
    } else {
        front->is_lost = true;
        return NULL;
    }
    assert(k < front->head->count && k < front->capacity);
    front->keys[k] = 0; /* so the next query looks at it */
    return &front->groups[k];
}

/* Where the centre of the pair's box of b is now, along normals. */
static inline f32x8 place_along(const front_search *s, const pair_entry *e, const f32x8 n[3])
{
    const bvpi_box_pair *boxes = &s->parts.walk.boxes;
    const float *c = e->centre_b;
    f32x8 sum = {0};
    for (int i = 0; i < 3; i++) {
        const float *r = boxes->r[i];
        sum += n[i] * (r[0] * c[0] + r[1] * c[1] + r[2] * c[2] + boxes->t[i]);
    }
    return sum;
}

static inline f32x8 turn_normal(const front_search *s, const f32x8 n[3], int j)
{
    const bvpi_box_pair *boxes = &s->parts.walk.boxes;
    return n[0] * boxes->r[0][j] + n[1] * boxes->r[1][j] + n[2] * boxes->r[2][j];
}

/* Lower bounds of the group's distances now, by the formula in front.h. */
static f32x8 bounds_of(const front_search *s, const bvpi_front_group *g)
{
    const f32x8 n[3] = {f32x8_load(g->normal[0]), f32x8_load(g->normal[1]),
                        f32x8_load(g->normal[2])};
    f32x8 bound = place_along(s, &g->pair, n) + f32x8_load(g->base);
    for (int j = 0; j < 3; j++)
        bound -= f32x8_abs(turn_normal(s, n, j) - f32x8_load(g->turned[j])) * g->pair.half_b[j];
    return bound;
}

/* The lanes that are proved to be beyond the limit. */
static inline unsigned lanes_beyond(f32x8 bounds, float limit)
{
    return (unsigned)i32x8_movemask(f32x8_gt(bounds, f32x8_splat(limit)));
}

/* Sets the key so that the group is left alone as long as its bounds allow: tries 2, 4, .. 64 steps
 * like the last one. The key is the largest such limit, which all bounds exceed, plus `worn`. */
static void put_key(front_search *s, uint32_t k, f32x8 bounds)
{
    float steps = LEAST_STEPS, limit = s->limit;
    assert(lanes_beyond(bounds, s->limit) == 0xff); /* the caller leaves the group alone */
    for (; steps <= MOST_STEPS; steps *= 2) {
        if (lanes_beyond(bounds, s->limit + steps * s->step) != 0xff)
            break;
        limit = s->limit + steps * s->step;
    }
    s->front->keys[k] = (s->front->head->worn + (double)limit) * (1 - 0x1p-50);
}

static i32x8 lane_mask(unsigned lanes)
{
    const i32x8 bit = {1, 2, 4, 8, 16, 32, 64, 128};
    return i32x8_eq(bit & i32x8_splat((int32_t)lanes), bit);
}

static void put_lanes(float *out, i32x8 mask, f32x8 x)
{
    f32x8_store(out, f32x8_select(mask, x, f32x8_load(out)));
}

static void put_planes(const front_search *s, bvpi_front_group *g, unsigned lanes,
                       const front_planes *planes)
{
    const i32x8 mask = lane_mask(lanes);
    for (int k = 0; k < 3; k++) {
        put_lanes(g->normal[k], mask, planes->normal[k]);
        put_lanes(g->turned[k], mask, turn_normal(s, planes->normal, k));
    }
    put_lanes(g->base, mask, planes->gap - place_along(s, &g->pair, planes->normal));
}

static void put_base(bvpi_front_group *g, unsigned lanes, float base)
{
    const i32x8 mask = lane_mask(lanes);
    const f32x8 zero = {0};
    for (int k = 0; k < 3; k++) {
        put_lanes(g->normal[k], mask, zero);
        put_lanes(g->turned[k], mask, zero);
    }
    put_lanes(g->base, mask, f32x8_splat(base));
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static void flush_front(front_search *s)
{
    flush_distance(&s->parts.test);
    if (!s->parts.test.nearer)
        return;
    parts_take_note(&s->parts);
    limit_front(s);
}

/* Queues the pairs that may be within the limit. */
static void visit_rows(front_search *s, const narrow_leaf *a, unsigned lanes_a,
                       const narrow_leaf *b)
{
    pair_tester *t = &s->parts.test;
    leaf_spans spans;
    leaf_spans_init(&spans, &t->frame, &a->tri, &b->tri);
    for (; lanes_a != 0; lanes_a &= lanes_a - 1) {
        const unsigned i = bvpi_lowest_bit(lanes_a);
        unsigned lanes = leaf_within(&t->frame, &spans, &a->tri, &b->tri, i, t->limit_sq);
        for (; lanes != 0; lanes &= lanes - 1) {
            const unsigned j = bvpi_lowest_bit(lanes);
            enqueue(&t->queue, &a->tri, i, a->tri.item + i, &b->tri, j, b->tri.item + j);
            if (t->queue.count == 8)
                flush_front(s);
            if (!tester_goes_on(t))
                return;
        }
    }
}

/* Finds new planes for a pair of leaves, and tests the triangles of a that no plane clears. Every
 * lane keeps the better of its old and its new plane. */
static void visit_leaf_group(front_search *s, bvpi_front_group *g, f32x8 bounds)
{
    pair_parts *p = &s->parts;
    const pair_entry e = g->pair;
    if (!bvpi_steps_take(&p->walk.steps)) {
        tester_fail(&p->test, bvpi_steps_blame(&p->walk.steps));
        return;
    }
    const narrow_leaf *a = get_leaf(p, true, e.ref_a, e.count_a);
    const narrow_leaf *b = a != NULL ? get_leaf(p, false, e.ref_b, e.count_b) : NULL;
    const float slack = 6 * p->test.frame.slack, unit = p->frame.unit;
    front_planes planes;
    if (b == NULL)
        return;
    p->test.answer->stats.leaves++;
    planes_of_leaves(&a->tri, &b->tri, p->test.frame.aim, &planes);
    /* from the leaves' frame to work units, after subtracting their error */
    planes.gap = (planes.gap - slack) / unit * (1 - 0x1p-20f);
    const unsigned better = (unsigned)i32x8_movemask(f32x8_gt(planes.gap, bounds));
    const unsigned near = ~lanes_beyond(f32x8_max(planes.gap, bounds), s->limit) & 0xff;
    put_planes(s, g, better & ~near, &planes);
    put_base(g, near, -INFINITY);
    visit_rows(s, a, near, b);
}

static void begin_leaf_group(front_search *s, const pair_entry *e)
{
    bvpi_front_group *g = new_group(s), lost;
    if (g == NULL)
        g = &lost;
    g->pair = *e;
    assert(e->count_a >= 1 && e->count_a <= 8 && e->count_b >= 1 && e->count_b <= 8);
    const unsigned all = (1u << e->count_a) - 1;
    put_base(g, all, -INFINITY);
    put_base(g, ~all, INFINITY);
    visit_leaf_group(s, g, f32x8_load(g->base));
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void boxes_of(const bvpi_box_pair *pair, const pair_entry *e, bool open_a,
                     const pair_children *c, front_boxes *out)
{
    f32x8 centre_b[3];
    for (int k = 0; k < 3; k++) {
        out->centre_a[k] = open_a ? c->boxes.centre[k] : f32x8_splat(e->centre_a[k]);
        out->half_a[k] = open_a ? c->boxes.half[k] : f32x8_splat(e->half_a[k]);
        centre_b[k] = open_a ? f32x8_splat(e->centre_b[k]) : c->boxes.centre[k];
        out->half_b[k] = open_a ? f32x8_splat(e->half_b[k]) : c->boxes.half[k];
    }
    for (int i = 0; i < 3; i++)
        out->centre_b[i] = centre_b[0] * pair->r[i][0] + centre_b[1] * pair->r[i][1] +
                           centre_b[2] * pair->r[i][2] + pair->t[i];
}

/* Opens a group's node again and finds new planes for all children. Children that may be within the
 * limit leave the group (base infinite) and are pushed, to become groups of their own. */
BVPI_INLINE bool open_side(front_search *s, bvpi_front_group *g, f32x8 bounds, bool open_a)
{
    pair_walk *walk = &s->parts.walk;
    const pair_entry e = g->pair;
    pair_children c;
    front_boxes boxes;
    front_planes planes;
    if (!open_children(walk, &e, open_a, true, true, NULL, &c))
        return false;
    c.lanes &= ~lanes_beyond(bounds, s->limit);
    boxes_of(&walk->boxes, &e, open_a, &c, &boxes);
    planes_of_boxes(&walk->boxes, &boxes, &planes);
    const unsigned better = (unsigned)i32x8_movemask(f32x8_gt(planes.gap, bounds));
    put_planes(s, g, better & c.node.used, &planes);
    put_base(g, c.lanes | ~c.node.used, INFINITY);
    pair_entry fresh = e;
    fresh.opened = 0;
    fresh.gap_sq = 0;
    return push_children(&fresh, &c, open_a, true, true, &s->waiting);
}

static void open_group(front_search *s, bvpi_front_group *g, f32x8 bounds)
{
    pair_walk *walk = &s->parts.walk;
    const pair_entry *e = &g->pair;
    const bool open_a = e->opened == FRONT_A;
    const bool good = (open_a ? e->count_a == 0 && e->ref_a < walk->a->unit_count
                              : e->count_b == 0 && e->ref_b < walk->b->unit_count) &&
                      bvpi_steps_take(&walk->steps) &&
                      (open_a ? open_side(s, g, bounds, true) : open_side(s, g, bounds, false));
    if (!good)
        tester_fail(&s->parts.test, bvpi_steps_blame(&walk->steps));
}

static void begin_node_group(front_search *s, const pair_entry *e)
{
    bvpi_front_group *g = new_group(s), lost;
    if (g == NULL)
        g = &lost;
    g->pair = *e;
    g->pair.opened = opens_a(&s->parts.walk, e) ? FRONT_A : FRONT_B;
    put_base(g, 0xff, -INFINITY);
    open_group(s, g, f32x8_load(g->base));
}

/* ---- the search ------------------------------------------------------------------------------ */

static void search_waiting(front_search *s)
{
    pair_waiting *waiting = &s->waiting;
    while (waiting->depth > 0 && tester_goes_on(&s->parts.test)) {
        pair_entry e;
        pop_pair(&s->parts.walk, waiting, true, &e);
        if (e.count_a != 0 && e.count_b != 0)
            begin_leaf_group(s, &e);
        else
            begin_node_group(s, &e);
    }
}

static bool is_empty_group(const bvpi_front_group *g)
{
    bool empty = true;
    for (int lane = 0; lane < 8; lane++)
        empty = empty && g->base[lane] == INFINITY;
    return empty;
}

static void search_front(front_search *s)
{
    const uint32_t count = s->front->head->count;
    for (uint32_t k = 0; k < count && tester_goes_on(&s->parts.test); k++) {
        if (s->front->keys[k] > (s->front->head->worn + (double)s->limit) * (1 + 0x1p-50))
            continue;
        bvpi_front_group *g = &s->front->groups[k];
        if (g->pair.count_a > BVPD_LEAF_MAX || g->pair.count_b > BVPD_LEAF_MAX) {
            tester_fail(&s->parts.test, BVP_ERR_CORRUPT); /* not what a query wrote */
            return;
        }
        const f32x8 bounds = bounds_of(s, g);
        if (lanes_beyond(bounds, s->limit) == 0xff) {
            put_key(s, k, bounds);
            continue;
        }
        if (g->pair.count_a != 0 && g->pair.count_b != 0) {
            visit_leaf_group(s, g, bounds);
            continue;
        }
        open_group(s, g, bounds);
        if (is_empty_group(g)) {
            /* if the list of holes is full, the group stays unused: its key is never looked at */
            s->front->keys[k] = INFINITY;
            if (s->hole_count < HOLES_MOST)
                s->hole[s->hole_count++] = k;
        }
        search_waiting(s);
    }
}

static void parts(bvpi_pair_query *query, const bvpi_placed_part *a, const bvpi_placed_part *b)
{
    front_search s;
    pair_entry root;
    bvpi_front *front = query->question.front;
    bvpi_front_head *head = front->head;
    const bvpi_box_pair *boxes = &s.parts.walk.boxes;
    assert(query->question.mode == BVPI_PAIR_DISTANCE && front->capacity > 0);
    assert(head->count <= front->capacity); /* bvpi_front_name */
    if (a->at.tree.is_turned) { /* planes of leaves and of boxes are in different frames */
        head->count = 0;
        front->is_lost = true;
        BVPI_ISA_NAME(bvpi_pair_kernel).wide(query, a, b);
        return;
    }
    parts_init(&s.parts, query, a, b, &root);
    s.front = front;
    s.hole_count = 0;
    s.waiting.depth = 0;
    assert(is_by_distance(&s.parts)); /* bounds of groups are distances */
    s.waiting.nearest_first = false;
    s.length = a->at.tree.grid_unit / (double)boxes->unit_a[0] * s.parts.test.pose.a_size_min;
    s.slack = 3 * boxes->slack[BVPI_AXIS_A];
    limit_front(&s);
    if (is_of_use(head, &s)) {
        const double motion = motion_between(&s, &head->map);
        s.step = (float)motion;
        head->worn = (head->worn + motion) * (1 + 0x1p-50);
        search_front(&s);
    } else {
        head->count = 0;
        head->worn = 0;
        push_whole(&s.waiting, &root);
        search_waiting(&s);
        head->begun_with = head->count;
    }
    keep_units(&s);
    bvpi_steps_pause(&s.parts.walk.steps);
    front->is_lost = front->is_lost || !tester_goes_on(&s.parts.test);
    tester_finish(&s.parts.test);
}

const bvpi_pair_kernel BVPI_ISA_NAME(bvpi_front_kernel) = {.isa = BVPI_ISA_NUMBER, .wide = parts};
