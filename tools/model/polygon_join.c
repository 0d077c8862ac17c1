/* SPDX-License-Identifier: MIT
 * polygon_join.c: makes outlines without holes of a polygon's contours.
 *
 * Holes are joined from the one that reaches farthest along x on. Its farthest corner sees a corner
 * of the outline, or of a hole joined before: the nearest corner that it sees is taken. Whether it
 * sees one is decided by exact orientations, so bridges do not cross. The work is counted: beyond
 * the limit, which only odd input reaches, the nearest corner is taken unseen.
 * Based on: D. Eberly, Triangulation by ear clipping, 2002.
 */
#include "model/polygon_join.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/polygon.h"
#include "text/array.h"

enum { CANDIDATES_MOST = 64 };

/* One polygon, projected. */
typedef struct joining {
    polygon_join *j;
    const double *positions;
    int x, y; /* the axes of the projection, in which the largest contour runs to the left */
    uint64_t budget;
} joining;

void polygon_join_begin(polygon_join *j)
{
    j->contour_count = j->corner_count = j->outline_count = 0;
}

int polygon_join_add(polygon_join *j, uint32_t first, uint32_t count)
{
    assert(count >= 3);
    if (array_grow(&j->contours, &j->contour_capacity, j->contour_count + 1, sizeof *j->contours) !=
        0)
        return -1;
    j->contours[j->contour_count++] = (polygon_contour){first, count, 0, UINT32_MAX, 0, 0};
    return 0;
}

static void point_of(const joining *g, uint32_t vertex, double out[2])
{
    out[0] = g->positions[3 * (size_t)vertex + (size_t)g->x];
    out[1] = g->positions[3 * (size_t)vertex + (size_t)g->y];
}

static int turn_of(const joining *g, uint32_t a, uint32_t b, uint32_t c)
{
    double p[3][2];
    point_of(g, a, p[0]);
    point_of(g, b, p[1]);
    point_of(g, c, p[2]);
    return polygon_turn(p[0], p[1], p[2]);
}

static int is_same(const joining *g, uint32_t a, uint32_t b)
{
    double p[2], q[2];
    point_of(g, a, p);
    point_of(g, b, q);
    return p[0] == q[0] && p[1] == q[1];
}

static int spend(joining *g, uint64_t work)
{
    const int has = g->budget >= work;
    g->budget -= has ? work : g->budget;
    return has;
}

/* Twice a contour's area, in each of the three projections. */
static void area_of(const double *positions, const polygon_contour *c, double out[3])
{
    const double *o = positions + 3 * (size_t)c->first;
    out[0] = out[1] = out[2] = 0;
    for (uint32_t i = 1; i + 1 < c->count; i++) {
        const double *a = o + 3 * (size_t)i, *b = a + 3;
        for (int axis = 0; axis < 3; axis++) {
            const int x = (axis + 1) % 3, y = (axis + 2) % 3;
            out[axis] += (a[x] - o[x]) * (b[y] - o[y]) - (a[y] - o[y]) * (b[x] - o[x]);
        }
    }
}

/* ---- which contour is in which --------------------------------------------------------------- */

/* Is the vertex inside the contour? On its border: either. */
static int is_inside(const joining *g, uint32_t vertex, const polygon_contour *c)
{
    double p[2];
    int inside = 0;
    point_of(g, vertex, p);
    for (uint32_t i = 0; i < c->count; i++) {
        const uint32_t one = c->first + i, other = c->first + (i + 1) % c->count;
        double a[2], b[2];
        point_of(g, one, a);
        point_of(g, other, b);
        if ((a[1] > p[1]) != (b[1] > p[1]))
            inside ^= polygon_turn(a, b, p) == (b[1] > a[1] ? 1 : -1);
    }
    return inside;
}

static int by_area(const void *a, const void *b)
{
    const polygon_contour *p = a, *q = b;
    const double x = fabs(p->area), y = fabs(q->area);
    if (x != y)
        return x > y ? -1 : 1;
    return (p->first > q->first) - (p->first < q->first);
}

/* Each contour's outer one: the smallest around it, if they are odd in number. Only larger ones can
 * be around, so those come first; holes of one size cost nothing. Beyond the limit a contour is a
 * hole of the largest. */
static void nest(joining *g)
{
    polygon_join *j = g->j;
    qsort(j->contours, j->contour_count, sizeof *j->contours, by_area);
    for (size_t i = 0; i < j->contour_count; i++) {
        polygon_contour *c = &j->contours[i];
        uint32_t around = 0, smallest = UINT32_MAX;
        for (size_t k = 0; k < i && fabs(j->contours[k].area) > fabs(c->area); k++) {
            if (!spend(g, j->contours[k].count)) {
                around = 1;
                smallest = 0;
                break;
            }
            if (is_inside(g, c->first, &j->contours[k])) {
                around++;
                smallest = (uint32_t)k;
            }
        }
        c->number = (uint32_t)i;
        c->outer = around % 2 ? smallest : UINT32_MAX;
    }
}

/* ---- bridges --------------------------------------------------------------------------------- */

/* Has the open segment from `a` to `b` a point in common with the side from `c` to `d`, other than
 * where a side's corner is a corner of the segment? */
static int is_crossed(const joining *g, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const int at_c = is_same(g, c, a) || is_same(g, c, b);
    const int at_d = is_same(g, d, a) || is_same(g, d, b);
    const int tc = turn_of(g, a, b, c), td = turn_of(g, a, b, d);
    if (at_c && at_d)
        return 0;
    if (at_c || at_d) { /* a side along the segment must lead away from it */
        const uint32_t shared = at_c ? c : d, far = at_c ? d : c;
        if ((at_c ? td : tc) != 0)
            return 0;
        const uint32_t end = is_same(g, shared, a) ? b : a;
        double p[2], q[2], o[2];
        point_of(g, shared, o);
        point_of(g, far, p);
        point_of(g, end, q);
        return (p[0] - o[0]) * (q[0] - o[0]) + (p[1] - o[1]) * (q[1] - o[1]) > 0;
    }
    const int ta = turn_of(g, c, d, a), tb = turn_of(g, c, d, b);
    if (tc == 0 && td == 0) { /* all on a line */
        double p[4][2];
        const uint32_t v[4] = {a, b, c, d};
        for (int i = 0; i < 4; i++)
            point_of(g, v[i], p[i]);
        const int k = p[0][0] == p[1][0];
        const double low = fmin(p[0][k], p[1][k]), high = fmax(p[0][k], p[1][k]);
        return fmax(p[2][k], p[3][k]) > low && fmin(p[2][k], p[3][k]) < high;
    }
    return tc * td <= 0 && ta * tb <= 0;
}

/* Does the way from corner `at` of the chain to `to` begin inside? */
static int begins_inside(const joining *g, const uint32_t *chain, size_t count, size_t at,
                         uint32_t to)
{
    const uint32_t v = chain[at];
    const uint32_t before = chain[(at + count - 1) % count], after = chain[(at + 1) % count];
    if (turn_of(g, before, v, after) > 0)
        return turn_of(g, v, to, before) > 0 && turn_of(g, to, v, after) > 0;
    return !(turn_of(g, v, to, after) >= 0 && turn_of(g, to, v, before) >= 0);
}

static int is_crossed_by(const joining *g, uint32_t a, uint32_t b, const polygon_contour *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (is_crossed(g, a, b, c->first + i, c->first + (i + 1) % c->count))
            return 1;
    return 0;
}

/* The corner of the chain to which the hole's corner `from` is joined. later: the hole and those
 * that are still to be joined, which the bridge must not cross either. */
static size_t find_bridge(joining *g, const uint32_t *chain, size_t count, uint32_t from,
                          const polygon_contour *later, size_t later_count)
{
    double origin[2], last = -1;
    size_t last_at = 0, nearest = count - 1;
    point_of(g, from, origin);
    for (int tried = 0; tried < CANDIDATES_MOST && spend(g, 2 * count); tried++) {
        double best = INFINITY;
        size_t best_at = count;
        for (size_t i = 0; i < count; i++) {
            double p[2];
            point_of(g, chain[i], p);
            const double x = p[0] - origin[0], y = p[1] - origin[1], far = x * x + y * y;
            if ((far > last || (far == last && i > last_at)) && far < best) {
                best = far;
                best_at = i;
            }
        }
        if (best_at == count)
            break;
        if (tried == 0)
            nearest = best_at;
        last = best;
        last_at = best_at;
        const uint32_t to = chain[best_at];
        if (is_same(g, from, to))
            return best_at; /* they touch there */
        if (!begins_inside(g, chain, count, best_at, from))
            continue;
        int is_free = 1;
        for (size_t i = 0; i < count && is_free; i++)
            is_free = !is_crossed(g, from, to, chain[i], chain[(i + 1) % count]);
        for (size_t i = 0; i < later_count && is_free; i++)
            is_free = spend(g, later[i].count) && !is_crossed_by(g, from, to, &later[i]);
        if (is_free)
            return best_at;
    }
    return nearest;
}

/* Room for `count` corners more. */
static int grow_corners(polygon_join *j, size_t count)
{
    return array_grow(&j->corners, &j->corner_capacity, j->corner_count + count, sizeof(uint32_t));
}

/* The corners of a contour from its corner `start` on, forward or back. */
static void put_corners(uint32_t *out, const polygon_contour *c, uint32_t start, int is_back)
{
    for (uint32_t i = 0; i < c->count; i++)
        out[i] = c->first + (is_back ? start + c->count - i : start + i) % c->count;
}

/* Joins the first of some holes to the outline, which is the last `*size` corners. */
static int join_hole(joining *g, const polygon_contour *hole, size_t hole_count, size_t *size)
{
    polygon_join *j = g->j;
    double p[2], farthest[2];
    uint32_t start = 0;
    point_of(g, hole->first, farthest);
    for (uint32_t i = 1; i < hole->count; i++) {
        point_of(g, hole->first + i, p);
        if (p[0] > farthest[0]) {
            memcpy(farthest, p, sizeof p);
            start = i;
        }
    }
    const size_t more = (size_t)hole->count + 2;
    if (grow_corners(j, more) != 0)
        return -1;
    uint32_t *chain = j->corners + j->corner_count - *size;
    const size_t at = find_bridge(g, chain, *size, hole->first + start, hole, hole_count);
    memmove(chain + at + 1 + more, chain + at + 1, (*size - at - 1) * sizeof *chain);
    put_corners(chain + at + 1, hole, start, hole->area > 0);
    chain[at + 1 + hole->count] = hole->first + start;
    chain[at + 2 + hole->count] = chain[at];
    j->corner_count += more;
    *size += more;
    return 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Holes by their outlines' numbers, from the farthest on; then outlines by theirs. */
static int in_order(const void *a, const void *b)
{
    const polygon_contour *p = a, *q = b;
    if (p->outer != q->outer)
        return p->outer < q->outer ? -1 : 1;
    if (p->outer != UINT32_MAX && p->reach != q->reach)
        return p->reach > q->reach ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

static int put_outline(polygon_join *j, const polygon_contour *c, int is_back)
{
    if (grow_corners(j, c->count) != 0)
        return -1;
    put_corners(j->corners + j->corner_count, c, 0, is_back);
    j->corner_count += c->count;
    return 0;
}

static int end_outline(polygon_join *j, size_t size)
{
    if (size > UINT32_MAX ||
        array_grow(&j->sizes, &j->size_capacity, j->outline_count + 1, sizeof(uint32_t)) != 0)
        return -1;
    j->sizes[j->outline_count++] = (uint32_t)size;
    return 0;
}

/* The projection, and each contour's area and reach in it. */
static void project(joining *g)
{
    polygon_join *j = g->j;
    double largest = -1, areas[3], sign = 1;
    for (size_t i = 0; i < j->contour_count; i++) {
        area_of(g->positions, &j->contours[i], areas);
        for (int axis = 0; axis < 3; axis++)
            if (fabs(areas[axis]) > largest) {
                largest = fabs(areas[axis]);
                sign = areas[axis];
                g->x = (axis + 1) % 3;
                g->y = (axis + 2) % 3;
            }
    }
    if (sign < 0) { /* seen from behind */
        const int x = g->x;
        g->x = g->y;
        g->y = x;
    }
    for (size_t i = 0; i < j->contour_count; i++) {
        polygon_contour *c = &j->contours[i];
        area_of(g->positions, c, areas);
        c->area = (sign < 0 ? -1 : 1) * areas[3 - g->x - g->y];
        c->reach = -INFINITY;
        for (uint32_t k = 0; k < c->count; k++) {
            double p[2];
            point_of(g, c->first + k, p);
            c->reach = fmax(c->reach, p[0]);
        }
    }
}

int polygon_join_end(polygon_join *j, const double *positions)
{
    if (j->contour_count == 0)
        return 0;
    if (j->contour_count == 1)
        return put_outline(j, &j->contours[0], 0) != 0 ? -1 : end_outline(j, j->corner_count);
    joining g = {.j = j, .positions = positions, .budget = 1 << 22};
    for (size_t i = 0; i < j->contour_count; i++)
        g.budget += 4096 * (uint64_t)j->contours[i].count;
    project(&g);
    nest(&g);
    /* Holes behind each other, by their outlines; outlines are found by their numbers before. */
    qsort(j->contours, j->contour_count, sizeof *j->contours, in_order);
    size_t holes = 0; /* where they begin: outlines come last, by their numbers */
    while (holes < j->contour_count && j->contours[holes].outer != UINT32_MAX)
        holes++;
    for (size_t i = holes, k = 0; i < j->contour_count; i++) {
        const polygon_contour *c = &j->contours[i];
        size_t end = k;
        if (put_outline(j, c, c->area < 0) != 0)
            return -1;
        size_t size = c->count;
        while (end < holes && j->contours[end].outer == c->number)
            end++;
        for (; k < end; k++)
            if (join_hole(&g, &j->contours[k], end - k, &size) != 0)
                return -1;
        if (end_outline(j, size) != 0)
            return -1;
    }
    return 0;
}

void polygon_join_free(polygon_join *j)
{
    free(j->contours);
    free(j->corners);
    free(j->sizes);
    *j = (polygon_join){0};
}
