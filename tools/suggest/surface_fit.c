/* SPDX-License-Identifier: MIT
 * surface_fit.c: compares the surfaces of two parts where they meet.
 *
 * A shaft that is a little too thick for its hole has its surface inside the other part all along,
 * and the hole's wall inside the shaft; the two face one another. Where two parts cross, a surface
 * that is inside the other one lies across its nearest surface.
 *
 * Held by tests/unit/test_suggest_rules.c.
 */
#include "suggest/surface_fit.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    POINTS = 1500,       /* of a side, about */
    TRIANGLES = 4000,    /* of a side, at most */
    OF_A_TRIANGLE = 400, /* points, at most */
};
static const double opposite = -0.9; /* cosine: 26 degrees, two facets of a cylinder of 14 */

typedef struct corners {
    double at[3][3], normal[3];
} corners;

/* One surface, where it may meet the other one. */
typedef struct side {
    const bvp_body *body;
    double placement[12];
    double sign; /* -1: mirrored, so that normals turn over */
    uint64_t *triangles;
    size_t count, capacity;
} side;

/* ---- geometry ------------------------------------------------------------------------------ */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void move(const double m[12], const double p[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3];
}

static double determinant(const double m[12])
{
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

static bvp_status side_start(side *s, const bvp_body *body)
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    *s = (side){.body = body, .capacity = TRIANGLES};
    memcpy(s->placement, body->placement ? body->placement : identity, sizeof s->placement);
    s->sign = determinant(s->placement) < 0 ? -1 : 1;
    s->triangles = malloc(TRIANGLES * sizeof *s->triangles);
    return s->triangles ? BVP_OK : BVP_ERR_NO_MEMORY;
}

/* The triangle in the world. */
static void corners_of(const side *s, uint64_t triangle, corners *out)
{
    float given[9];
    double u[3], v[3];
    memset(out, 0, sizeof *out);
    if (bvp_get_triangle(s->body->file, s->body->part, triangle, given, NULL) != BVP_OK)
        return;
    for (int k = 0; k < 3; k++)
        move(s->placement, (double[3]){given[3 * k], given[3 * k + 1], given[3 * k + 2]},
             out->at[k]);
    for (int i = 0; i < 3; i++) {
        u[i] = out->at[1][i] - out->at[0][i];
        v[i] = out->at[2][i] - out->at[0][i];
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out->normal[i] = s->sign * (u[j] * v[k] - u[k] * v[j]);
    }
    const double length = sqrt(dot(out->normal, out->normal));
    for (int i = 0; i < 3 && length > 0; i++)
        out->normal[i] /= length;
}

/* The world's box of the part. */
static bvp_status box_of(const side *s, double lo[3], double hi[3])
{
    bvp_part_info part;
    const bvp_status status = bvp_get_part(s->body->file, s->body->part, &part);
    for (int i = 0; i < 3; i++) {
        lo[i] = INFINITY;
        hi[i] = -INFINITY;
    }
    for (int corner = 0; corner < 8 && status == BVP_OK; corner++) {
        double p[3], q[3];
        for (int i = 0; i < 3; i++)
            p[i] = (double)(corner >> i & 1 ? part.hi[i] : part.lo[i]);
        move(s->placement, p, q);
        for (int i = 0; i < 3; i++) {
            lo[i] = fmin(lo[i], q[i]);
            hi[i] = fmax(hi[i], q[i]);
        }
    }
    return status;
}

/* ---- points -------------------------------------------------------------------------------- */

/* A bvp_hit_fn. */
static int keep_triangle(void *user, const bvp_hit_id *id)
{
    side *s = user;
    if (s->count < s->capacity)
        s->triangles[s->count++] = id->triangle;
    return s->count == s->capacity;
}

/* What is summed up over both sides. */
typedef struct sums {
    double area, facing, normals[3], sunk;
} sums;

/* One point of a surface, which stands for `area` of it. */
static bvp_status look(const side *other, const double point[3], const corners *own, double area,
                       double gap, sums *out)
{
    bvp_closest_result nearest;
    corners met;
    double away[3];
    const bvp_status status = bvp_closest(other->body, point, INFINITY, &nearest, NULL);
    if (status != BVP_OK || !nearest.found)
        return status;
    corners_of(other, nearest.id.triangle, &met);
    for (int i = 0; i < 3; i++)
        away[i] = point[i] - nearest.point[i];
    const double height = dot(away, met.normal);
    const int is_inside = height < 0;
    if (!is_inside && nearest.distance > gap)
        return BVP_OK;
    out->area += area;
    if (is_inside)
        out->sunk = fmax(out->sunk, nearest.distance);
    /* Over an edge the nearest surface faces nothing. */
    if (dot(own->normal, met.normal) > opposite ||
        (nearest.distance > gap && fabs(height) < -opposite * nearest.distance))
        return BVP_OK;
    out->facing += area;
    for (int i = 0; i < 3; i++)
        out->normals[i] += area * own->normal[i];
    return BVP_OK;
}

/* A triangle within the box, as a fan of triangles around its first corner. */
typedef struct patch {
    double at[9][3];
    int count;
} patch;

/* Cuts off what is beyond one side of the box. */
static void cut(patch *p, int axis, double limit, double sign)
{
    patch out = {.count = 0};
    for (int i = 0; i < p->count; i++) {
        const double *a = p->at[i], *b = p->at[(i + 1) % p->count];
        const double u = sign * (limit - a[axis]), v = sign * (limit - b[axis]);
        if (u >= 0)
            memcpy(out.at[out.count++], a, sizeof out.at[0]);
        if ((u < 0) != (v < 0)) {
            const double t = u / (u - v);
            for (int k = 0; k < 3; k++)
                out.at[out.count][k] = a[k] + t * (b[k] - a[k]);
            out.count++;
        }
        assert(out.count <= 9);
    }
    *p = out;
}

static void clip(const corners *c, const double lo[3], const double hi[3], patch *out)
{
    memcpy(out->at, c->at, sizeof c->at);
    out->count = 3;
    for (int axis = 0; axis < 3; axis++) {
        cut(out, axis, hi[axis], 1);
        cut(out, axis, lo[axis], -1);
    }
}

static double area_of(const double a[3], const double b[3], const double c[3])
{
    double n[3];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
    }
    return sqrt(dot(n, n)) / 2;
}

/* Point `n` of many that fill a triangle evenly, any part of the sequence as well. */
static void point_of(const double a[3], const double b[3], const double c[3], unsigned n,
                     double out[3])
{
    /* the fractional parts of multiples of two irrational numbers */
    double u = fmod(0.5 + n * 0.7548776662466927, 1), v = fmod(0.5 + n * 0.5698402909980532, 1);
    if (u + v > 1) {
        u = 1 - u;
        v = 1 - v;
    }
    for (int i = 0; i < 3; i++)
        out[i] = a[i] + u * (b[i] - a[i]) + v * (c[i] - a[i]);
}

/* What a side's points have in common. */
typedef struct sampling {
    const side *other;
    double gap, density; /* points for each unit of area */
    unsigned number;     /* runs on: points of like triangles must not lie alike */
    sums *found;
} sampling;

static bvp_status look_from_triangle(sampling *s, const corners *own, const patch *p)
{
    for (int i = 2; i < p->count; i++) {
        const double area = area_of(p->at[0], p->at[i - 1], p->at[i]);
        const double wanted = fmin(OF_A_TRIANGLE, ceil(area * s->density));
        for (int n = 0; n < wanted; n++) {
            double point[3];
            point_of(p->at[0], p->at[i - 1], p->at[i], s->number++, point);
            const bvp_status status = look(s->other, point, own, area / wanted, s->gap, s->found);
            if (status != BVP_OK)
                return status;
        }
    }
    return BVP_OK;
}

static bvp_status look_from(const side *own, const side *other, const double lo[3],
                            const double hi[3], double gap, sums *out)
{
    sampling s = {.other = other, .gap = gap, .found = out};
    double total = 0;
    corners c;
    patch p;
    for (int is_looking = 0; is_looking < 2; is_looking++) {
        for (size_t i = 0; i < own->count; i++) {
            corners_of(own, own->triangles[i], &c);
            clip(&c, lo, hi, &p);
            for (int k = 2; k < p.count && !is_looking; k++)
                total += area_of(p.at[0], p.at[k - 1], p.at[k]);
            const bvp_status status = is_looking ? look_from_triangle(&s, &c, &p) : BVP_OK;
            if (status != BVP_OK)
                return status;
        }
        if (!(total > 0) || !isfinite(total))
            return BVP_OK;
        s.density = POINTS / total;
    }
    return BVP_OK;
}

bvp_status surface_fit_measure(const bvp_body bodies[2], double gap, surface_fit *out)
{
    side sides[2];
    sums found[2] = {{0}};
    double lo[3], hi[3], lo_b[3], hi_b[3];
    memset(out, 0, sizeof *out);
    bvp_status status = side_start(&sides[0], &bodies[0]);
    const bvp_status second = side_start(&sides[1], &bodies[1]);
    status = status == BVP_OK ? second : status;
    status = status == BVP_OK ? box_of(&sides[0], lo, hi) : status;
    status = status == BVP_OK ? box_of(&sides[1], lo_b, hi_b) : status;
    int is_apart = status != BVP_OK;
    for (int i = 0; i < 3 && !is_apart; i++) {
        lo[i] = fmax(lo[i], lo_b[i]) - gap;
        hi[i] = fmin(hi[i], hi_b[i]) + gap;
        is_apart = !(lo[i] <= hi[i]);
    }
    for (int s = 0; s < 2 && !is_apart && status == BVP_OK; s++)
        status =
            bvp_overlap(&bodies[s], bvp_box_region(lo, hi), keep_triangle, &sides[s], NULL, NULL);
    for (int s = 0; s < 2 && !is_apart && status == BVP_OK; s++)
        status = look_from(&sides[s], &sides[!s], lo, hi, gap, &found[s]);
    for (int s = 0; s < 2; s++) {
        out->area += found[s].area;
        out->facing += found[s].facing;
        out->sunk = fmax(out->sunk, found[s].sunk);
        free(sides[s].triangles);
    }
    const sums *most = &found[found[1].facing > found[0].facing];
    if (most->facing > 0)
        out->turned = 1 - sqrt(dot(most->normals, most->normals)) / most->facing;
    if (out->area > 0)
        out->facing /= out->area;
    return status;
}
