/* SPDX-License-Identifier: MIT
 * section_raster.c: what a camera sees of triangles that a plane cuts, by samples.
 * Based on: Pineda, A Parallel Algorithm for Polygon Rasterization, 1988.
 *
 * A triangle is clipped where it comes near the eye or far to a side, projected, and its corners
 * are rounded to a sixteenth of a sample. Then all is exact: a sample belongs to a triangle when
 * its middle is on the inner side of three lines in integers, and a line that two triangles share
 * gives it to one of them. So surfaces that are closed stay closed, and the sum of the directions
 * in which a ray crosses a solid's surface behind the plane says whether the ray is inside the
 * solid at the plane. 1 / depth is linear in the picture, of surfaces and of the plane.
 */
#include "view/section_raster.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 16,          /* of a corner, along a sample */
    CORNERS_MOST = 3 + 5 /* of a triangle that five planes clip */
};
/* How far to a side a corner may be, in halves of the picture; so that products fit 64 bits. */
static const double far_aside = 4096;

typedef struct corner {
    double x, y, z; /* right, up, forward of the eye */
} corner;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- room ------------------------------------------------------------------------------------ */

/* The plane's 1 / depth along a ray of forward length 1, which is linear in the direction. */
static void place_plane(section_raster *r)
{
    const camera *c = &r->eye;
    const double height = r->plane[3] - dot(r->plane, c->eye);
    const double right = dot(r->plane, c->right) * c->half_width;
    const double up = dot(r->plane, c->up) * c->half_height;
    const double forward = dot(r->plane, c->forward);
    const double scale = height != 0 ? 1 / height : 0;
    r->cut[0] = (float)((forward - right + up) * scale);
    r->cut[1] = (float)(2 * right * scale / r->width);
    r->cut[2] = (float)(-2 * up * scale / r->height);
}

void section_clear(section_raster *r, const camera *eye, const double plane[4])
{
    const size_t count = (size_t)r->width * r->height;
    assert(!eye->parallel && eye->width * r->samples == r->width);
    r->eye = *eye;
    memcpy(r->plane, plane, sizeof r->plane);
    place_plane(r);
    for (size_t i = 0; i < count; i++)
        r->behind[i] = r->cut_off[i] = r->around[i] = (section_hit){0, SECTION_NOTHING};
    for (int side = 0; side < SECTION_SIDES; side++)
        memset(r->winding[side], 0, count);
}

int section_open(section_raster *r, const camera *eye, uint32_t samples, const double plane[4])
{
    memset(r, 0, sizeof *r);
    r->samples = samples;
    r->width = (uint32_t)eye->width * samples;
    r->height = (uint32_t)eye->height * samples;
    const size_t count = (size_t)r->width * r->height;
    r->behind = malloc(count * sizeof *r->behind);
    r->cut_off = malloc(count * sizeof *r->cut_off);
    r->around = malloc(count * sizeof *r->around);
    for (int side = 0; side < SECTION_SIDES; side++)
        r->winding[side] = malloc(count);
    if (!r->behind || !r->cut_off || !r->around || !r->winding[0] || !r->winding[1])
        return 0;
    section_clear(r, eye, plane);
    return 1;
}

void section_close(section_raster *r)
{
    free(r->behind);
    free(r->cut_off);
    free(r->around);
    for (int side = 0; side < SECTION_SIDES; side++)
        free(r->winding[side]);
    memset(r, 0, sizeof *r);
}

/* ---- clipping -------------------------------------------------------------------------------- */

static int comes_first(const corner *a, const corner *b)
{
    if (a->x != b->x)
        return a->x < b->x;
    return a->y != b->y ? a->y < b->y : a->z < b->z;
}

/* Where the line between two corners meets the plane, whose values there are va and vb: the same
 * corner whichever comes first, so that neighbours stay together. */
static corner between(corner a, corner b, double va, double vb)
{
    if (comes_first(&b, &a)) {
        const corner c = a;
        const double v = va;
        a = b;
        va = vb;
        b = c;
        vb = v;
    }
    const double t = va / (va - vb);
    return (corner){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

/* Keeps what is on the positive side of value = f . corner - least. */
static int clip(corner *corners, int count, const double f[3], double least)
{
    corner out[CORNERS_MOST];
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const corner *a = &corners[i], *b = &corners[(i + 1) % count];
        const double va = f[0] * a->x + f[1] * a->y + f[2] * a->z - least;
        const double vb = f[0] * b->x + f[1] * b->y + f[2] * b->z - least;
        if (va >= 0)
            out[kept++] = *a;
        if ((va >= 0) != (vb >= 0))
            out[kept++] = between(*a, *b, va, vb);
    }
    assert(kept <= CORNERS_MOST);
    memcpy(corners, out, (size_t)kept * sizeof *out);
    return kept;
}

/* ---- a triangle in the picture --------------------------------------------------------------- */

typedef struct point {
    int64_t x, y; /* in steps */
    double near;
} point;

/* The samples of a row whose middles are on the inner side of a line: from *from up to *to. */
static void narrow(int64_t slope, int64_t value, int64_t *from, int64_t *to)
{
    /* slope * i + value >= 0 */
    if (slope > 0) {
        const int64_t first = value >= 0 ? -(value / slope) : (-value + slope - 1) / slope;
        *from = first > *from ? first : *from;
    } else if (slope < 0) {
        if (value < 0)
            *to = *from;
        else if (value / -slope + 1 < *to)
            *to = value / -slope + 1;
    } else if (value < 0) {
        *to = *from;
    }
}

/* Samples of a row that a triangle covers. */
typedef struct span {
    size_t first; /* the row's */
    uint32_t from, to;
    float near, slope, least, most; /* at the row's first sample; along the row; its bounds */
    float cut;                      /* of the plane, at the row's first sample */
} span;

/* fminf and fmaxf are calls where numbers may be none; these are numbers. */
static inline float near_at(const span *s, uint32_t x)
{
    const float near = s->near + s->slope * (float)x, some = near > s->least ? near : s->least;
    return some < s->most ? some : s->most;
}

static void fill_around(section_raster *r, const span *s, uint32_t number)
{
    for (uint32_t x = s->from; x < s->to; x++) {
        const float near = near_at(s, x);
        section_hit *hit = &r->around[s->first + x];
        if (near > hit->near && near <= s->cut + r->cut[1] * (float)x)
            *hit = (section_hit){near, number};
    }
}

static void fill_side(section_raster *r, const span *s, int side, int sign, uint32_t number)
{
    int8_t *winding = r->winding[side] + s->first;
    for (uint32_t x = s->from; x < s->to; x++) {
        const float near = near_at(s, x);
        const int is_off = near > s->cut + r->cut[1] * (float)x;
        section_hit *hit = (is_off ? r->cut_off : r->behind) + s->first + x;
        winding[x] = (int8_t)(winding[x] + (is_off ? 0 : sign));
        if (near > hit->near)
            *hit = (section_hit){near, number};
    }
}

static void fill(section_raster *r, int side, uint32_t number, const point p[3])
{
    const int64_t area =
        (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[2].x - p[0].x) * (p[1].y - p[0].y);
    if (area == 0)
        return;
    const int sign = area > 0 ? 1 : -1;
    int64_t top = p[0].y, bottom = p[0].y, left = p[0].x, right = p[0].x;
    for (int i = 1; i < 3; i++) {
        top = p[i].y < top ? p[i].y : top;
        bottom = p[i].y > bottom ? p[i].y : bottom;
        left = p[i].x < left ? p[i].x : left;
        right = p[i].x > right ? p[i].x : right;
    }
    /* between two middles, or beside the picture */
    if (right < STEPS / 2 || left > (int64_t)r->width * STEPS || bottom < STEPS / 2 ||
        (left + STEPS / 2 - 1) / STEPS == (right + STEPS / 2) / STEPS)
        return;
    /* rows whose middles, at half a sample, may be inside */
    int64_t row = top < STEPS / 2 ? 0 : (top - STEPS / 2 + STEPS - 1) / STEPS;
    int64_t end = bottom < STEPS / 2 ? 0 : (bottom - STEPS / 2) / STEPS + 1;
    end = end < (int64_t)r->height ? end : (int64_t)r->height;
    /* inner sides are positive; a middle on a line belongs to it if it is a left or upper one */
    int64_t across[3], along[3], value[3];
    for (int i = 0; i < 3; i++) {
        const point *a = &p[i], *b = &p[(i + 1) % 3];
        const int64_t dx = sign * (b->x - a->x), dy = sign * (b->y - a->y);
        const int is_ours = dy < 0 || (dy == 0 && dx > 0);
        across[i] = -dy * STEPS;
        along[i] = dx * STEPS;
        value[i] = dx * (STEPS / 2 - a->y) - dy * (STEPS / 2 - a->x) - !is_ours;
    }
    const double ax = (double)(p[1].x - p[0].x), ay = (double)(p[1].y - p[0].y);
    const double bx = (double)(p[2].x - p[0].x), by = (double)(p[2].y - p[0].y);
    const double an = p[1].near - p[0].near, bn = p[2].near - p[0].near;
    const double near_x = (an * by - bn * ay) / (double)area * STEPS;
    const double near_y = (bn * ax - an * bx) / (double)area * STEPS;
    const double near_0 = p[0].near + near_x * (0.5 - (double)p[0].x / STEPS) +
                          near_y * (0.5 - (double)p[0].y / STEPS);
    /* rounding must not carry a surface beyond its corners: slivers have steep slopes */
    const float least = (float)fmin(p[0].near, fmin(p[1].near, p[2].near));
    const float most = (float)fmax(p[0].near, fmax(p[1].near, p[2].near));
    for (; row < end; row++) {
        int64_t from = 0, to = r->width;
        for (int i = 0; i < 3; i++)
            narrow(across[i], value[i] + along[i] * row, &from, &to);
        const span s = {(size_t)row * r->width,
                        (uint32_t)from,
                        (uint32_t)to,
                        (float)(near_0 + near_y * (double)row),
                        (float)near_x,
                        least,
                        most,
                        section_cut_at(r, 0, (uint32_t)row)};
        if (to <= from)
            continue;
        if (side == SECTION_AROUND)
            fill_around(r, &s, number);
        else
            fill_side(r, &s, side, sign, number);
    }
}

void section_triangle(section_raster *r, int side, uint32_t number, double corners[3][3])
{
    const camera *c = &r->eye;
    const double nearest = 1e-3 * sqrt(dot(c->eye, c->eye)) + 1e-300;
    corner clipped[CORNERS_MOST];
    point points[CORNERS_MOST];
    int count = 3, is_inside = 1, is_off = side == SECTION_AROUND;
    for (int i = 0; i < 3 && is_off; i++)
        is_off = dot(r->plane, corners[i]) > r->plane[3];
    if (is_off)
        return;
    for (int i = 0; i < 3; i++) {
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = corners[i][k] - c->eye[k];
        clipped[i] = (corner){dot(d, c->right) / c->half_width, dot(d, c->up) / c->half_height,
                              dot(d, c->forward)};
        if (!isfinite(clipped[i].x + clipped[i].y + clipped[i].z))
            return;
        is_inside &= clipped[i].z >= nearest && fabs(clipped[i].x) <= far_aside * clipped[i].z &&
                     fabs(clipped[i].y) <= far_aside * clipped[i].z;
    }
    if (!is_inside) {
        const double sides[5][3] = {{0, 0, 1},
                                    {1, 0, far_aside},
                                    {-1, 0, far_aside},
                                    {0, 1, far_aside},
                                    {0, -1, far_aside}};
        for (int i = 0; i < 5 && count > 0; i++)
            count = clip(clipped, count, sides[i], i == 0 ? nearest : 0);
    }
    for (int i = 0; i < count; i++) {
        const double near = 1 / clipped[i].z;
        points[i].x = llround((clipped[i].x * near + 1) * r->width * (STEPS / 2.));
        points[i].y = llround((1 - clipped[i].y * near) * r->height * (STEPS / 2.));
        points[i].near = near;
    }
    for (int i = 2; i < count; i++)
        fill(r, side, number, (const point[3]){points[0], points[i - 1], points[i]});
}
