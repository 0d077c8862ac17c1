/* SPDX-License-Identifier: MIT
 * polygon.c: ear clipping in an axis-parallel projection, decided by exact orientations.
 *
 * No triangle is cut off against the polygon's orientation. So each point is covered as often as
 * the polygon winds around it, which is once inside a simple polygon, in whatever order ears are
 * chosen.
 * Based on: G. H. Meisters, Polygons have ears, 1975; J. R. Shewchuk, Adaptive precision, 1997.
 */
#include "model/polygon.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct polygon_corner {
    double x, y;         /* projected */
    uint32_t prev, next; /* among those that are left */
    uint32_t vertex;
    uint8_t reflex, gone;
} corner;

typedef struct polygon_key {
    double key; /* x or y */
    uint32_t corner;
} sort_key;

/* One attempt. */
typedef struct clipping {
    corner *corners;
    sort_key *sorted; /* reflex corners along x or y */
    uint32_t count, sorted_count, left;
    int along_y;
    uint64_t budget; /* corners that may still be tested */
    uint32_t *out;
} clipping;

/* ---- orientation ----------------------------------------------------------------------------- */

/* Adds `value` to the expansion e of *size components, without rounding. */
static void grow_expansion(double *e, int *size, double value)
{
    double carry = value;
    assert(*size < 12);
    for (int i = 0; i < *size; i++) {
        double sum = carry + e[i];
        double part = sum - carry;
        e[i] = (carry - (sum - part)) + (e[i] - part);
        carry = sum;
    }
    e[(*size)++] = carry;
}

static int exact_orientation(const corner *a, const corner *b, const corner *c)
{
    const double factors[6][2] = {{a->x, b->y},  {-a->y, b->x}, {b->x, c->y},
                                  {-b->y, c->x}, {c->x, a->y},  {-c->y, a->x}};
    double e[12];
    int size = 0;
    for (int i = 0; i < 6; i++) {
        double product = factors[i][0] * factors[i][1];
        grow_expansion(e, &size, __builtin_fma(factors[i][0], factors[i][1], -product));
        grow_expansion(e, &size, product);
    }
    while (size > 1 && e[size - 1] == 0)
        size--;
    return (e[size - 1] > 0) - (e[size - 1] < 0);
}

/* 1 when a, b, c turn left, -1 right, 0 when they are collinear. The bound is Shewchuk's. */
static int orientation(const corner *a, const corner *b, const corner *c)
{
    double left = (a->x - c->x) * (b->y - c->y), right = (a->y - c->y) * (b->x - c->x);
    double determinant = left - right;
    double bound = 3.3306690738754716e-16 * (fabs(left) + fabs(right));
    if (determinant > bound)
        return 1;
    return determinant < -bound ? -1 : exact_orientation(a, b, c);
}

int polygon_turn(const double a[2], const double b[2], const double c[2])
{
    const corner corners[3] = {
        {.x = a[0], .y = a[1]}, {.x = b[0], .y = b[1]}, {.x = c[0], .y = c[1]}};
    return orientation(&corners[0], &corners[1], &corners[2]);
}

/* ---- ears ------------------------------------------------------------------------------------ */

static int turn_at(const clipping *c, uint32_t i)
{
    const corner *v = &c->corners[i];
    return orientation(&c->corners[v->prev], v, &c->corners[v->next]);
}

static double key_of(const clipping *c, uint32_t i)
{
    return c->along_y ? c->corners[i].y : c->corners[i].x;
}

/* Can corner i be cut off without another corner being in the way? Only reflex ones can be. A
 * corner is in the way when it lies in the triangle, the border included unless `open`; corners at
 * the triangle's corners are not. */
static int is_free(clipping *c, uint32_t i, int open)
{
    const corner *v = &c->corners[i], *p = &c->corners[v->prev], *n = &c->corners[v->next];
    double keys[3] = {key_of(c, v->prev), key_of(c, i), key_of(c, v->next)};
    double low = fmin(keys[0], fmin(keys[1], keys[2]));
    double high = fmax(keys[0], fmax(keys[1], keys[2]));
    uint32_t k = 0; /* becomes the first sorted corner that is not before `low` */
    for (uint32_t end = c->sorted_count; k < end;) {
        uint32_t middle = k + (end - k) / 2;
        if (c->sorted[middle].key < low)
            k = middle + 1;
        else
            end = middle;
    }
    for (; k < c->sorted_count && !(c->sorted[k].key > high); k++) {
        const corner *o = &c->corners[c->sorted[k].corner];
        if (c->budget == 0)
            return 0;
        c->budget--;
        if (!o->reflex || o->gone || (o->x == p->x && o->y == p->y) ||
            (o->x == v->x && o->y == v->y) || (o->x == n->x && o->y == n->y))
            continue;
        if (orientation(p, v, o) >= open && orientation(v, n, o) >= open &&
            orientation(n, p, o) >= open)
            return 0;
    }
    return 1;
}

static void cut_off(clipping *c, uint32_t i)
{
    corner *v = &c->corners[i], *p = &c->corners[v->prev], *n = &c->corners[v->next];
    assert(!v->gone && !p->gone && !n->gone && c->left >= 3);
    *c->out++ = p->vertex;
    *c->out++ = v->vertex;
    *c->out++ = n->vertex;
    p->next = v->next;
    n->prev = v->prev;
    v->gone = 1;
    c->left--;
    p->reflex = turn_at(c, v->prev) <= 0;
    n->reflex = turn_at(c, v->next) <= 0;
}

/* How strictly a corner is tested before it is cut off: first proper ears; then ears that touch
 * other corners; then corners without area. */
enum { PROPER, TOUCHING, FLAT, STRICTNESS_COUNT };

/* Cuts ears off until a triangle is left. Skipping a corner after each ear avoids thin triangles.
 * Returns whether it finished. */
static int clip(clipping *c)
{
    uint32_t at = 0, tried = 0;
    int strictness = PROPER;
    while (c->left > 3) {
        const int can_cut = strictness == FLAT
                                ? turn_at(c, at) == 0
                                : !c->corners[at].reflex && is_free(c, at, strictness == TOUCHING);
        if (can_cut) {
            uint32_t next = c->corners[at].next;
            cut_off(c, at);
            at = c->corners[next].next;
            tried = 0;
            strictness = PROPER;
            continue;
        }
        at = c->corners[at].next;
        if (++tried >= c->left) {
            tried = 0;
            if (++strictness == STRICTNESS_COUNT || c->budget == 0)
                return 0;
        }
    }
    assert(c->left == 3);
    if (turn_at(c, at) < 0)
        return 0;
    cut_off(c, at);
    return 1;
}

/* ---- an attempt in one projection ------------------------------------------------------------ */

static int compare_keys(const void *a, const void *b)
{
    const sort_key *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->corner > y->corner) - (x->corner < y->corner);
}

/* Cuts a convex quadrilateral along a diagonal: from corner 0, as is usual, if both triangles are
 * proper. */
static int cut_quad(const clipping *c)
{
    const corner *q = c->corners;
    static const uint8_t diagonals[2][6] = {{0, 1, 2, 0, 2, 3}, {1, 2, 3, 1, 3, 0}};
    for (int d = 0; d < 2; d++) {
        const uint8_t *t = diagonals[d];
        if (orientation(&q[t[0]], &q[t[1]], &q[t[2]]) <= 0 ||
            orientation(&q[t[3]], &q[t[4]], &q[t[5]]) <= 0)
            continue;
        for (int i = 0; i < 6; i++)
            c->out[i] = q[t[i]].vertex;
        return 1;
    }
    return 0;
}

static int attempt(polygon_work *work, const double *positions, const uint32_t *vertices,
                   uint32_t count, int axis, double scale, int mirrored, uint32_t *triangles)
{
    clipping c = {.corners = work->corners,
                  .sorted = work->sorted,
                  .count = count,
                  .left = count,
                  .budget = 4000000 + 2000 * (uint64_t)count,
                  .out = triangles};
    assert(count >= 4 && (unsigned)axis < 3 && scale > 0);
    /* Drops `axis`; mirrors so that the polygon turns left. */
    int x_axis = (axis + 1) % 3, y_axis = (axis + 2) % 3;
    for (uint32_t i = 0; i < c.count; i++) {
        const double *at = positions + 3 * (size_t)vertices[i];
        c.corners[i] = (corner){.x = at[x_axis] * (mirrored ? -scale : scale),
                                .y = at[y_axis] * scale,
                                .prev = i ? i - 1 : c.count - 1,
                                .next = i + 1 < c.count ? i + 1 : 0,
                                .vertex = vertices[i]};
    }
    if (count == 4 && cut_quad(&c))
        return 1;
    /* Ears are found fast when they span little of the sorted axis: take the one along which the
     * edges are shorter in proportion to the whole. */
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, edges[2] = {0, 0};
    for (uint32_t i = 0; i < c.count; i++) {
        const corner *v = &c.corners[i], *n = &c.corners[v->next];
        low[0] = fmin(low[0], v->x);
        high[0] = fmax(high[0], v->x);
        low[1] = fmin(low[1], v->y);
        high[1] = fmax(high[1], v->y);
        edges[0] += fabs(n->x - v->x);
        edges[1] += fabs(n->y - v->y);
    }
    c.along_y = edges[1] * (high[0] - low[0]) < edges[0] * (high[1] - low[1]);
    c.sorted_count = 0;
    for (uint32_t i = 0; i < c.count; i++) {
        c.corners[i].reflex = turn_at(&c, i) <= 0;
        if (c.corners[i].reflex)
            c.sorted[c.sorted_count++] = (sort_key){key_of(&c, i), i};
    }
    qsort(c.sorted, c.sorted_count, sizeof *c.sorted, compare_keys);
    return clip(&c);
}

/* ---- the polygon ----------------------------------------------------------------------------- */

/* A power of two that brings the largest coordinate to 1 or below; 0 when that can't be. */
static double find_scale(const double *positions, const uint32_t *vertices, uint32_t count)
{
    double most = 0;
    int exponent;
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            double size = fabs(positions[3 * (size_t)vertices[i] + axis]);
            if (!(size <= 1.7976931348623157e308))
                return 0;
            most = fmax(most, size);
        }
    frexp(most, &exponent);
    return exponent < -1000 ? 0 : ldexp(1, -exponent);
}

/* The polygon is projected along the axis in which its normal is largest, else along another one in
 * which it is not 0; in a projection, clip decides whether it is simple enough. */
polygon_result polygon_cut(polygon_work *work, const double *positions, const uint32_t *vertices,
                           uint32_t count, uint32_t *triangles)
{
    assert(count >= 3);
    if (count == 3) {
        memcpy(triangles, vertices, 3 * sizeof *triangles);
        return POLYGON_CUT;
    }
    if (count > work->capacity) {
        corner *corners = realloc(work->corners, (size_t)count * sizeof *corners);
        if (!corners)
            return POLYGON_NO_MEMORY;
        work->corners = corners;
        sort_key *sorted = realloc(work->sorted, (size_t)count * sizeof *sorted);
        if (!sorted)
            return POLYGON_NO_MEMORY;
        work->sorted = sorted;
        work->capacity = count;
    }
    assert(count <= work->capacity);
    double scale = find_scale(positions, vertices, count);
    /* Newell's normal: twice the areas of the three projections. */
    const double *origin = positions + 3 * (size_t)vertices[0];
    double normal[3] = {0, 0, 0};
    for (uint32_t i = 1; i + 1 < count; i++) {
        const double *b = positions + 3 * (size_t)vertices[i];
        const double *c = positions + 3 * (size_t)vertices[i + 1];
        for (int axis = 0; axis < 3; axis++) {
            int x = (axis + 1) % 3, y = (axis + 2) % 3;
            double bx = (b[x] * scale - origin[x] * scale), by = b[y] * scale - origin[y] * scale;
            double cx = (c[x] * scale - origin[x] * scale), cy = c[y] * scale - origin[y] * scale;
            normal[axis] += bx * cy - by * cx;
        }
    }
    int axes[3] = {0, 1, 2}; /* by the size of the projection along them, largest first */
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 2; i++)
            if (fabs(normal[axes[i]]) < fabs(normal[axes[i + 1]])) {
                int smaller = axes[i];
                axes[i] = axes[i + 1];
                axes[i + 1] = smaller;
            }
    for (int i = 0; i < 3 && scale > 0; i++) {
        int axis = axes[i];
        if (normal[axis] != 0 &&
            attempt(work, positions, vertices, count, axis, scale, normal[axis] < 0, triangles))
            return POLYGON_CUT;
    }
    for (uint32_t i = 1; i + 1 < count; i++) { /* a fan */
        *triangles++ = vertices[0];
        *triangles++ = vertices[i];
        *triangles++ = vertices[i + 1];
    }
    return POLYGON_FAN;
}

void polygon_free(polygon_work *work)
{
    free(work->corners);
    free(work->sorted);
    *work = (polygon_work){0};
}
