/* SPDX-License-Identifier: MIT
 * contact.c: two triangles that touch: directions that separate them, how deep they reach, where
 * they meet.
 *
 * Everything here is computed in double from corners that were rounded once in the world, and each
 * quantity carries its error: `slack` for corners, `turn` for the unit normal. `promise` is an
 * upper bound of how far the triangles reach through each other's planes, `certain` a lower bound.
 *
 * The box of contact lines is no bound. It is for reports, and errs by NOISE and both slacks.
 *
 * Held by tests/property/test_clash_slack.c (errors against exact arithmetic).
 * Spec: exactness.md, chapter 12, "What rounding may do to each of these"
 */
#include "clash/contact.h"

#include <assert.h>
#include <math.h>

#include "base/vec3.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

/* ---- triangles in the world ------------------------------------------------------------------ */

/* An edge, from the linear part alone: the translation would round it. Returns the squared norm of
 * the sums of its terms. */
static double place_edge(const double m[12], const float from[3], const float to[3], double out[3])
{
    double terms_sq = 0;
    for (int i = 0; i < 3; i++) {
        double terms = 0;
        out[i] = 0;
        for (int k = 0; k < 3; k++) {
            const double term = m[4 * i + k] * ((double)to[k] - (double)from[k]);
            out[i] += term;
            terms += fabs(term);
        }
        terms_sq += terms * terms;
    }
    return terms_sq;
}

/* Relative to the product of terms over the normal's length: four roundings of each edge, three of
 * their product, some of the unit vector. */
#define TURN          0x1p-47
/* Relative to an item's slack: a corner is rounded only once. */
#define CORNERS_SHARE 0x1p-3

/* The normal is made from edges that were placed without the translation: differences of placed
 * corners would carry the rounding of coordinates far from the origin. */
void bvpi_world_tri_init(bvpi_world_tri *out, const bvpi_clash_item *item, const float tri[9])
{
    double e[3], f[3], *n = out->normal;
    const double *c = out->corner;
    for (int k = 0; k < 9; k += 3)
        bvpi_clash_place_corner(item, tri + k, out->corner + k);
    for (int i = 0; i < 3; i++) {
        out->lo[i] = lesser(c[i], lesser(c[3 + i], c[6 + i]));
        out->hi[i] = larger(c[i], larger(c[3 + i], c[6 + i]));
    }
    const double *m = item->part.at.placement.m;
    const double terms_sq = place_edge(m, tri, tri + 3, e) * place_edge(m, tri, tri + 6, f);
    bvpi_cross(e, f, n);
    const double length = sqrt(bvpi_dot(n, n));
    const bool has_normal = length > 0 && isfinite(1 / length);
    /* A mirrored placement reverses a face's normal as computed from its corners. */
    const bool is_mirrored = m[0] * (m[5] * m[10] - m[6] * m[9]) -
                                 m[1] * (m[4] * m[10] - m[6] * m[8]) +
                                 m[2] * (m[4] * m[9] - m[5] * m[8]) <
                             0;
    out->outward = !has_normal ? 0 : is_mirrored ? -1 : 1;
    out->slack = CORNERS_SHARE * item->slack;
    out->turn = has_normal ? TURN * sqrt(terms_sq) / length : 0;
    for (int i = 0; i < 3; i++)
        n[i] = has_normal ? n[i] / length : 0;
}

static bvp_status world_tri_of(const bvpi_clash_item *item, const bvp_hit_id *hit,
                               bvpi_world_tri *out)
{
    float tri[9];
    uint64_t count;
    const bvp_status status =
        bvp_get_triangles(item->file, hit->part, (bvp_range){hit->triangle, 1}, tri, NULL, &count);
    if (status == BVP_OK)
        bvpi_world_tri_init(out, item, tri);
    return status;
}

bvp_status bvpi_contact_init(const bvpi_clash_judge *judge, const bvp_hit_id *hit_a,
                             const bvp_hit_id *hit_b, bvpi_contact *out)
{
    out->hit_a = *hit_a;
    out->hit_b = *hit_b;
    bvp_status status = world_tri_of(judge->a, hit_a, &out->a);
    if (status == BVP_OK)
        status = world_tri_of(judge->b, hit_b, &out->b);
    if (status == BVP_OK)
        bvpi_contact_measure(&out->a, &out->b, &out->promise, &out->certain);
    return status;
}

/* ---- separating directions and depth --------------------------------------------------------- */

unsigned bvpi_contact_ways(const bvpi_world_tri *a, const bvpi_world_tri *b, double out[2][3])
{
    unsigned count = 0;
    const bvpi_world_tri *of[2] = {b, a};
    for (int k = 0; k < 2; k++) {
        if (of[k]->outward == 0)
            continue;
        for (int i = 0; i < 3; i++)
            out[count][i] = (k == 0 ? 1 : -1) * of[k]->outward * of[k]->normal[i];
        count++;
    }
    return count;
}

/* How far a triangle must move along the other's normal until it is on one side of its plane. *err
 * bounds the error. */
static double crossing(const bvpi_world_tri *tri, const bvpi_world_tri *other, double *err)
{
    double d[3], before = 0, behind = 0, farthest_sq = 0;
    for (int k = 0; k < 3; k++) {
        bvpi_subtract(tri->corner + 3 * k, other->corner, d);
        const double h = bvpi_dot(d, other->normal);
        before = larger(before, h);
        behind = larger(behind, -h);
        farthest_sq = larger(farthest_sq, bvpi_dot(d, d));
    }
    *err = tri->slack + other->slack + (other->turn + 0x1p-50) * sqrt(farthest_sq);
    return lesser(before, behind);
}

void bvpi_contact_measure(const bvpi_world_tri *a, const bvpi_world_tri *b, double *promise,
                          double *certain)
{
    double err_a, err_b;
    const double of_a = crossing(a, b, &err_a), of_b = crossing(b, a, &err_b);
    *promise = lesser(of_a + err_a, of_b + err_b);
    *certain = larger(0, lesser(of_a - err_a, of_b - err_b));
}

/* ---- where they meet ------------------------------------------------------------------------- */

typedef struct box {
    double *lo, *hi;
} box;

static void extend(const box *c, const double point[3])
{
    for (int i = 0; i < 3; i++) {
        c->lo[i] = lesser(c->lo[i], point[i]);
        c->hi[i] = larger(c->hi[i], point[i]);
    }
}

/* The share of measured lengths that counts as noise. The corners' own slack is added. */
#define NOISE 1e-9

/* Is a point of the triangle's plane inside it, within rounding? slack: of the point. */
static bool is_in_triangle(const bvpi_world_tri *t, const double point[3], double slack)
{
    const double *tri = t->corner, *normal = t->normal;
    assert(t->outward != 0); /* there is a normal */
    for (int k = 0; k < 3; k++) {
        double edge[3], d[3];
        bvpi_subtract(tri + 3 * ((k + 1) % 3), tri + 3 * k, edge);
        bvpi_subtract(point, tri + 3 * k, d);
        const double cross[3] = {normal[1] * edge[2] - normal[2] * edge[1],
                                 normal[2] * edge[0] - normal[0] * edge[2],
                                 normal[0] * edge[1] - normal[1] * edge[0]};
        const double size = sqrt(bvpi_dot(edge, edge));
        if (bvpi_dot(cross, d) < -size * (NOISE * size + 2 * (slack + t->slack)))
            return false;
    }
    return true;
}

/* Extends the box by the points where edges of one triangle pass through the other, or end on it.
 * Returns true if there are any. */
static bool extend_by_edges(const box *c, const bvpi_world_tri *tri, const bvpi_world_tri *other)
{
    double h[3], size_sq = 0;
    bool any = false;
    if (other->outward == 0)
        return false;
    for (int k = 0; k < 3; k++) {
        double d[3];
        bvpi_subtract(tri->corner + 3 * k, other->corner, d);
        h[k] = bvpi_dot(d, other->normal);
        size_sq = larger(size_sq, bvpi_dot(d, d));
    }
    const double none = NOISE * sqrt(size_sq) + 2 * (tri->slack + other->slack);
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        const double *p = tri->corner + 3 * k, *q = tri->corner + 3 * next;
        const bool ends = fabs(h[k]) <= none;
        const bool passes = (h[k] < 0) != (h[next] < 0) && h[k] != h[next];
        double point[3];
        if (!ends && !passes)
            continue;
        for (int i = 0; i < 3; i++)
            point[i] = ends ? p[i] : p[i] + (q[i] - p[i]) * (h[k] / (h[k] - h[next]));
        if (is_in_triangle(other, point, tri->slack)) {
            extend(c, point);
            any = true;
        }
    }
    return any;
}

/* If rounding leaves no point at all, the middle of the common box is used. */
void bvpi_contact_extend(const bvpi_world_tri *a, const bvpi_world_tri *b, double lo[3],
                         double hi[3])
{
    const box c = {lo, hi};
    double from[3], to[3], point[3];
    bool is_known = true;
    for (int i = 0; i < 3; i++) { /* the triangles can meet only where both boxes are */
        from[i] = larger(a->lo[i], b->lo[i]);
        to[i] = lesser(a->hi[i], b->hi[i]);
        is_known = is_known && !(from[i] < lo[i] || to[i] > hi[i]);
    }
    if (is_known)
        return;
    const bool by_a = extend_by_edges(&c, a, b), by_b = extend_by_edges(&c, b, a);
    if (by_a || by_b)
        return;
    for (int i = 0; i < 3; i++)
        point[i] = 0.5 * from[i] + 0.5 * to[i];
    extend(&c, point);
}
