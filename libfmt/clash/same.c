/* SPDX-License-Identifier: MIT
 * same.c: do two parts have the same surface, within the touch gap, however each is cut into
 * triangles?
 *
 * Required: every point of either surface is within the gap of the other. Points within a distance
 * of a convex set form a convex set, so a convex patch is covered by a triangle as soon as the
 * patch's corners are within the gap of it. The two meshes are overlaid on this principle. A patch
 * starts as a triangle of one part. The other part's triangle nearest to its middle
 * 1. covers it: done;
 * 2. or is used to cut it, by six planes around that triangle: what it covers is removed, the rest
 *    are patches again;
 * 3. or neither: points near the patch's corners are tried the same way, then the patch is halved.
 * A point with nothing within the gap ends it: not the same.
 *
 * True is a proof: distances are rounded up, and every cut adds one slack to what a patch's corners
 * may be off. False may be wrong: after too many patches or halvings.
 *
 * Coordinates are relative to a common world point, so that a large offset costs no digits. That
 * point is rounded only for the look-up of the nearest triangle, which decides nothing: any near
 * triangle will do.
 *
 * Held by tests/property/test_clash_same.c: remeshed copies near and far are duplicates, altered
 * ones are not.
 * Spec: exactness.md, chapter 12, "Duplicate"
 * Measured: decisions.md, "Duplicates by surface, and cracks"
 */
#include "clash/judge.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"

/* Corners of a waiting patch, and after six more cuts. */
enum { PATCH_WAITING = 8, PATCH_MOST = PATCH_WAITING + 6 };

/* Waiting patches; halvings in a row: a patch's area is then 2^-20 of its triangle's. */
enum { WAITING_MOST = 512, HALVINGS_MOST = 20 };

/* Patches that may be examined: a constant, plus a number for each triangle of both parts. Two
 * meshes of one surface that have nothing in common need some 10 for each triangle. */
enum { PATCHES_LEAST = 4096, PATCHES_EACH = 32 };

/* A cut is worthwhile if it removes at least this share of the smaller of the two areas. */
#define SHARE_LEAST 0x1p-30

/* A convex polygon on the surface of `from`. */
typedef struct patch {
    double corners[PATCH_MOST][3];
    unsigned count, cuts, halvings;
    bool is_full; /* a corner was dropped for lack of room, so the patch is not complete */
} patch;

/* A part placed relative to the common point. */
typedef struct side {
    const bvpi_clash_item *item;
    double m[12];
    double slack; /* as the item's slack, for these coordinates */
} side;

typedef struct comparison {
    side from, onto;
    double middle[3]; /* the common point, in the world */
    double gap;
    uint64_t left; /* patches that may still be examined */
    unsigned waiting_count;
    patch *waiting;
    bool is_over; /* some point is not within the gap, or there is no time to tell */
} comparison;

/* ---- placed corners -------------------------------------------------------------------------- */

static void side_init(side *out, const bvpi_clash_item *item, const double middle[3])
{
    bvpi_placed_tree at = item->part.at;
    for (int i = 0; i < 3; i++)
        at.placement.m[4 * i + 3] -= middle[i];
    out->item = item;
    out->slack = bvpi_clash_slack(&at);
    memcpy(out->m, at.placement.m, sizeof out->m);
}

/* In double: each coordinate errs by 5 roundings of its terms, which is less than the slack. */
static void place_triangle(const side *s, const float tri[9], double out[3][3])
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            const double *row = s->m + 4 * i;
            out[k][i] = row[0] * (double)tri[3 * k] + row[1] * (double)tri[3 * k + 1] +
                        row[2] * (double)tri[3 * k + 2] + row[3];
        }
}

/* ---- upper bounds of distances --------------------------------------------------------------- */

static double length_sq(const double p[3], const double q[3])
{
    double d[3];
    bvpi_subtract(p, q, d);
    return bvpi_dot(d, d);
}

static double to_segment_sq(const double p[3], const double a[3], const double b[3])
{
    double e[3], d[3], q[3];
    bvpi_subtract(b, a, e);
    bvpi_subtract(p, a, d);
    const double size = bvpi_dot(e, e), t = size > 0 ? bvpi_dot(d, e) / size : 0;
    for (int i = 0; i < 3; i++)
        q[i] = t >= 1 ? b[i] : a[i] + (t > 0 ? t : 0) * e[i];
    return length_sq(p, q);
}

/* The distance to the nearest point of the triangle as far as doubles find it: never too small. */
static double to_triangle(const double p[3], double tri[3][3])
{
    double ab[3], ac[3], ap[3], n[3], x[3], y[3], q[3];
    double least = fmin(to_segment_sq(p, tri[0], tri[1]), to_segment_sq(p, tri[1], tri[2]));
    least = fmin(least, to_segment_sq(p, tri[2], tri[0]));
    bvpi_subtract(tri[1], tri[0], ab);
    bvpi_subtract(tri[2], tri[0], ac);
    bvpi_subtract(p, tri[0], ap);
    bvpi_cross(ab, ac, n);
    bvpi_cross(ap, ac, x);
    bvpi_cross(ab, ap, y);
    const double size = bvpi_dot(n, n), v = bvpi_dot(x, n) / size, w = bvpi_dot(y, n) / size;
    if (v >= 0 && w >= 0 && v + w <= 1) {
        for (int i = 0; i < 3; i++)
            q[i] = tri[0][i] + v * ab[i] + w * ac[i];
        least = fmin(least, length_sq(p, q));
    }
    return sqrt(least);
}

/* Are all points of the patch within the gap of the triangle? The patch's corners err by one slack,
 * and by one more for each cut; the triangle's point errs by one, and by two more for the corners
 * it is made of. */
static bool is_covered(const comparison *c, const patch *p, double tri[3][3])
{
    const double slack = (2 + p->cuts) * c->from.slack + 3 * c->onto.slack;
    for (unsigned k = 0; k < p->count; k++)
        if (!(to_triangle(p->corners[k], tri) * (1 + 0x1p-50) + slack <= c->gap))
            return false;
    return true;
}

static double area_of(const double (*corners)[3], unsigned count)
{
    double sum[3] = {0, 0, 0}, a[3], b[3], n[3];
    for (unsigned k = 2; k < count; k++) {
        bvpi_subtract(corners[k - 1], corners[0], a);
        bvpi_subtract(corners[k], corners[0], b);
        bvpi_cross(a, b, n);
        for (int i = 0; i < 3; i++)
            sum[i] += 0.5 * n[i];
    }
    return sqrt(bvpi_dot(sum, sum));
}

/* ---- waiting patches ------------------------------------------------------------------------- */

static void put(comparison *c, const patch *p)
{
    assert(p->count >= 3 && p->count <= PATCH_WAITING && !p->is_full);
    if (c->waiting_count == WAITING_MOST)
        c->is_over = true;
    else
        c->waiting[c->waiting_count++] = *p;
}

/* A triangle is halved across its longest side, a larger polygon along a diagonal. */
static void put_halves(comparison *c, const patch *p)
{
    patch half = *p;
    unsigned from = 0;
    assert(p->count >= 3);
    half.halvings++;
    if (half.halvings > HALVINGS_MOST) {
        c->is_over = true;
        return;
    }
    if (p->count > 3) {
        half.count = 3;
        put(c, &half);
        half.count = p->count - 1;
        memcpy(half.corners[1], p->corners[2], (half.count - 1) * sizeof half.corners[0]);
        put(c, &half);
        return;
    }
    for (unsigned k = 1; k < 3; k++)
        if (length_sq(p->corners[k], p->corners[(k + 1) % 3]) >
            length_sq(p->corners[from], p->corners[(from + 1) % 3]))
            from = k;
    const unsigned to = (from + 1) % 3;
    double cut[3];
    for (int i = 0; i < 3; i++)
        cut[i] = 0.5 * p->corners[from][i] + 0.5 * p->corners[to][i];
    half.cuts++;
    memcpy(half.corners[from], cut, sizeof cut);
    put(c, &half);
    memcpy(half.corners[from], p->corners[from], sizeof cut);
    memcpy(half.corners[to], cut, sizeof cut);
    put(c, &half);
}

/* ---- cuts ------------------------------------------------------------------------------------ */

static void add_corner(patch *p, const double corner[3])
{
    p->is_full = p->is_full || p->count == PATCH_MOST;
    if (!p->is_full)
        memcpy(p->corners[p->count++], corner, sizeof p->corners[0]);
}

/* Cuts *p where normal . (x - at) = 0. The part above goes to *outside. */
static void cut(patch *p, const double at[3], const double normal[3], patch *outside)
{
    const patch whole = *p;
    double height[PATCH_MOST], d[3];
    for (unsigned k = 0; k < whole.count; k++) {
        bvpi_subtract(whole.corners[k], at, d);
        height[k] = bvpi_dot(d, normal);
    }
    *outside = whole;
    p->count = outside->count = 0;
    for (unsigned k = 0; k < whole.count; k++) {
        const unsigned next = (k + 1) % whole.count;
        const double *from = whole.corners[k], *to = whole.corners[next];
        if (height[k] <= 0)
            add_corner(p, from);
        if (height[k] >= 0)
            add_corner(outside, from);
        if ((height[k] < 0) == (height[next] < 0) || height[k] == 0 || height[next] == 0)
            continue;
        const double t = height[k] / (height[k] - height[next]);
        double corner[3];
        for (int i = 0; i < 3; i++)
            corner[i] = from[i] + t * (to[i] - from[i]);
        add_corner(p, corner);
        add_corner(outside, corner);
    }
    if (outside->count > 2) {
        p->cuts++;
        outside->cuts++;
    }
}

/* Six planes perpendicular to the triangle's: through its edges and corners, each moved outward by
 * `room`. In the triangle's plane they enclose what is within sqrt(2) room of it. */
static void planes_around(double tri[3][3], const double normal[3], double room, double at[6][3],
                          double out[6][3])
{
    for (int k = 0; k < 3; k++) {
        double to[3], back[3];
        bvpi_subtract(tri[(k + 1) % 3], tri[k], to);
        bvpi_subtract(tri[(k + 2) % 3], tri[k], back);
        const double to_size = sqrt(bvpi_dot(to, to)), back_size = sqrt(bvpi_dot(back, back));
        bvpi_cross(to, normal, out[k]);
        for (int i = 0; i < 3; i++)
            out[3 + k][i] = -to[i] / to_size - back[i] / back_size;
        for (int plane = k; plane < 6; plane += 3) {
            const double size = sqrt(bvpi_dot(out[plane], out[plane]));
            for (int i = 0; i < 3; i++)
                at[plane][i] = tri[k][i] + (size > 0 ? room / size * out[plane][i] : 0);
        }
    }
}

/* Removes from the patch what the triangle covers; the rest waits. False: nothing is removed, or it
 * is not covered. The planes are a little outside of the edges, so that no slivers are left between
 * neighbouring triangles that do not quite meet. */
static bool cut_off(comparison *c, const patch *p, double tri[3][3])
{
    double ab[3], ac[3], n[3], at[6][3], out[6][3];
    patch inside = *p, outside[6];
    bvpi_subtract(tri[1], tri[0], ab);
    bvpi_subtract(tri[2], tri[0], ac);
    bvpi_cross(ab, ac, n);
    planes_around(tri, n, 0.25 * c->gap, at, out);
    for (int k = 0; k < 6; k++) {
        cut(&inside, at[k], out[k], &outside[k]);
        if (inside.is_full || outside[k].is_full) /* rounding has made the outline jagged */
            return false;
    }
    const double least = fmin(area_of(p->corners, p->count), 0.5 * sqrt(bvpi_dot(n, n)));
    if (inside.count < 3 || !(area_of(inside.corners, inside.count) > SHARE_LEAST * least) ||
        !is_covered(c, &inside, tri))
        return false;
    for (int k = 0; k < 6; k++) {
        const patch *rest = &outside[k];
        if (rest->count < 3 || is_covered(c, rest, tri))
            continue;
        if (rest->count <= PATCH_WAITING) {
            put(c, rest);
            continue;
        }
        /* A patch with too many corners is split along a diagonal. */
        const unsigned split = rest->count / 2;
        patch half = *rest;
        half.count = split + 1;
        put(c, &half);
        half.count = rest->count - split + 1;
        memcpy(half.corners[0], rest->corners[0], sizeof half.corners[0]);
        memcpy(half.corners[1], rest->corners[split], (half.count - 1) * sizeof half.corners[0]);
        assert(half.count <= PATCH_WAITING);
        put(c, &half);
    }
    return true;
}

/* ---- one direction --------------------------------------------------------------------------- */

/* One step: the triangle of `onto` next to the patch's middle, or next to points near its corners,
 * covers or cuts it; else the patch is halved. */
static bvp_status cover_patch(comparison *c, const patch *p)
{
    const bvpi_clash_item *onto = c->onto.item;
    const double reach = c->gap + c->from.item->slack + onto->slack;
    double middle[3], point[3], tri[3][3];
    assert(p->count >= 3 && p->count <= PATCH_WAITING);
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (unsigned k = 0; k < p->count; k++)
            sum += p->corners[k][i];
        middle[i] = sum / p->count;
    }
    memcpy(point, middle, sizeof point);
    for (unsigned k = 0;; k++) {
        bvpi_closest_query query;
        double world[3];
        float stored[9];
        uint64_t count;
        for (int i = 0; i < 3; i++)
            world[i] = point[i] + c->middle[i];
        bvp_status status = bvpi_clash_nearest(onto, world, reach, &query);
        c->is_over = status != BVP_OK || !query.best.found;
        if (c->is_over)
            return status;
        status = bvp_get_triangles(onto->file, onto->part.part_idx,
                                   (bvp_range){query.best.id.triangle, 1}, stored, NULL, &count);
        if (status != BVP_OK)
            return status;
        place_triangle(&c->onto, stored, tri);
        if (is_covered(c, p, tri) || cut_off(c, p, tri))
            return BVP_OK;
        if (k == p->count)
            break;
        for (int i = 0; i < 3; i++)
            point[i] = 0.75 * p->corners[k][i] + 0.25 * middle[i];
    }
    put_halves(c, p);
    return BVP_OK;
}

/* Covers every triangle of `from`, one after the other, each with all of its patches. The list of
 * waiting patches is a stack, so it stays short. */
static bvp_status cover(comparison *c, const bvpi_clash_item *from, const bvpi_clash_item *onto)
{
    enum { CHUNK = 32 };
    float chunk[9 * CHUNK];
    uint64_t count = CHUNK;
    bvp_status status = BVP_OK;
    for (int i = 0; i < 3; i++)
        c->middle[i] = 0.5 * from->bounds.lo[i] + 0.5 * from->bounds.hi[i];
    side_init(&c->from, from, c->middle);
    side_init(&c->onto, onto, c->middle);
    c->left = PATCHES_LEAST +
              PATCHES_EACH * (from->part.part.triangle_count + onto->part.part.triangle_count);
    for (uint64_t first = 0; count == CHUNK && status == BVP_OK && !c->is_over; first += count) {
        status = bvp_get_triangles(from->file, from->part.part_idx, (bvp_range){first, CHUNK},
                                   chunk, NULL, &count);
        for (uint64_t k = 0; k < count && status == BVP_OK && !c->is_over; k++) {
            patch p = {.count = 3};
            place_triangle(&c->from, chunk + 9 * k, p.corners);
            assert(c->waiting_count == 0);
            put(c, &p);
            for (; c->waiting_count > 0 && status == BVP_OK && !c->is_over; c->left--) {
                p = c->waiting[--c->waiting_count];
                if (!bvpi_meter_step(from->meter))
                    return BVP_ERR_CANCELLED;
                if (c->left == 0)
                    c->is_over = true;
                else
                    status = cover_patch(c, &p);
            }
        }
    }
    return status;
}

/* ---- quick rejections ------------------------------------------------------------------------ */

/* Does the box of `onto` reach all six faces of the box of `from`? If the surfaces are the same it
 * must. */
static bool reaches_faces(const bvpi_clash_item *from, const bvpi_clash_item *onto, double gap)
{
    const bvpi_placed_part *p = &from->part, *q = &onto->part;
    const double *m = p->at.placement.m, *n = q->at.placement.m;
    double middle[3], half[3];
    for (int i = 0; i < 3; i++) {
        middle[i] = 0.5 * ((double)q->part.lo[i] + (double)q->part.hi[i]);
        half[i] = (double)q->part.hi[i] - middle[i];
    }
    for (int i = 0; i < 3; i++) { /* measured along an axis of `from` */
        const double *axis = p->at.placement.inverse + 3 * i;
        double at = 0, reach = gap * sqrt(bvpi_dot(axis, axis));
        for (int k = 0; k < 3; k++)
            at += axis[k] * (n[4 * k + 3] - m[4 * k + 3]);
        for (int k = 0; k < 3; k++) {
            const double along = axis[0] * n[k] + axis[1] * n[4 + k] + axis[2] * n[8 + k];
            at += along * middle[k];
            reach += fabs(along) * half[k];
        }
        if ((double)p->part.hi[i] > at + reach || (double)p->part.lo[i] < at - reach)
            return false;
    }
    return true;
}

/* Tests a few corners of one part. Most parts that touch have little surface in common. */
static bvp_status may_cover(const bvpi_clash_item *from, const bvpi_clash_item *onto, double reach,
                            bool *out)
{
    bvp_status status = BVP_OK;
    *out = true;
    for (uint32_t i = 0; *out && status == BVP_OK; i++) {
        bvpi_closest_query query;
        double point[3];
        bvp_hit_id hit;
        if (!bvpi_clash_sample(from, i, point, &hit, &status))
            break;
        *out = bvpi_clash_is_in_box(&onto->part, point, reach);
        if (!*out)
            break;
        status = bvpi_clash_nearest(onto, point, reach, &query);
        *out = query.best.found;
    }
    return status;
}

bvp_status bvpi_clash_is_same(const bvpi_clash_item *a, const bvpi_clash_item *b, double gap,
                              bool *out)
{
    const double reach = gap + a->slack + b->slack;
    comparison c = {.gap = gap};
    bvp_status status = BVP_OK;
    *out = reaches_faces(a, b, reach) && reaches_faces(b, a, reach);
    if (*out)
        status = may_cover(a, b, reach, out);
    if (status == BVP_OK && *out)
        status = may_cover(b, a, reach, out);
    if (status != BVP_OK || !*out)
        return status;
    c.waiting = malloc(WAITING_MOST * sizeof *c.waiting);
    if (!c.waiting)
        return BVP_ERR_NO_MEMORY;
    status = cover(&c, a, b);
    if (status == BVP_OK && !c.is_over)
        status = cover(&c, b, a);
    free(c.waiting);
    *out = status == BVP_OK && !c.is_over;
    return status;
}
