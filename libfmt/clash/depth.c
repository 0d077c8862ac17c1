/* SPDX-License-Identifier: MIT
 * depth.c: bounds of the penetration depth of two parts whose surfaces meet.
 *
 * Depth is the largest distance of a point of either surface, inside the other solid, from that
 * solid's surface. It is enclosed from both sides:
 * - from below by points that are certainly inside and certainly that far from the surface: corners
 *   and edge middles of touching triangles, faces' middles, a few corners spread over the part, and
 *   centres of balls that fit into both solids;
 * - from above by moves that take the parts apart (apart.c).
 *
 * The verdict only needs to know on which side of the permitted overlap the depth is. settle()
 * tries the cheap steps first and stops at the first proof; every contact is visited last.
 * Numbers beyond the verdict are refined by add_detail() and may not change the verdict: is_deep is
 * fixed before.
 *
 * Invariants: out->lower rises only by a point proved inside; out->upper falls only by a move that
 * was proved to free the parts. At the end lower <= upper.
 *
 * Two open surfaces have no inside: there depth is how far touching triangles reach through each
 * other's planes (try_contacts).
 *
 * Slow twin: brute force over all pairs, tests/support/clash_brute.c; depths of built scenes,
 * tests/property/test_clash_flush.c and test_clash_verdict.c.
 * Spec: exactness.md, chapter 12, "Depth"
 * Measured: decisions.md, "Clash verdicts"
 */
#include "clash/apart.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "query/ray/ray_query.h"

/* ---- lower bounds: points inside ------------------------------------------------------------- */

/* A triangle of one part whose points are tested against the other part. */
typedef struct probe {
    const bvpi_clash_item *into;
    const bvp_hit_id *hit;
    bool is_of_a;
    double enough; /* stop at a point deeper than this */
    double slack;  /* error of its points */
    bvpi_clash_depth *out;
} probe;

static bool is_enough(const probe *p)
{
    return p->out->lower > p->enough;
}

/* Most points are near the surface or outside, and the distance is the cheaper test, so it comes
 * first. */
static bvp_status try_point(const probe *p, const double point[3])
{
    const bvpi_clash_item *into = p->into;
    const double least = (isfinite(p->enough) ? p->enough : p->out->lower) + p->slack;
    bvpi_closest_query query;
    bvpi_where where;
    bvp_status status = bvpi_clash_nearest(into, point, least, &query);
    if (status != BVP_OK || query.best.found)
        return status;
    status = bvpi_clash_where(into, point, &where);
    if (status != BVP_OK || where != BVPI_INSIDE)
        return status;
    status = bvpi_clash_nearest(into, point, INFINITY, &query);
    bvpi_clash_depth *out = p->out;
    if (status != BVP_OK || !query.best.found || !(query.best.distance > out->lower))
        return status;
    out->lower = query.best.distance;
    out->has_point = true;
    memcpy(p->is_of_a ? out->point_a : out->point_b, point, sizeof out->point_a);
    memcpy(p->is_of_a ? out->point_b : out->point_a, query.best.point, sizeof out->point_a);
    *(p->is_of_a ? &out->hit_a : &out->hit_b) = *p->hit;
    *(p->is_of_a ? &out->hit_b : &out->hit_a) = query.best.id;
    return BVP_OK;
}

enum { CROSSINGS_MOST = 6 };

/* The parameters at which an edge passes through the other surface, ascending. */
typedef struct crossings {
    double t[CROSSINGS_MOST + 2];
    unsigned count;
} crossings;

static int keep_crossing(void *user, const bvp_ray_hit *hit)
{
    crossings *c = user;
    assert(c->count < CROSSINGS_MOST); /* the walk ends when it is full */
    unsigned at = c->count++;
    for (; at > 0 && c->t[at - 1] > hit->t; at--)
        c->t[at] = c->t[at - 1];
    c->t[at] = hit->t;
    return c->count == CROSSINGS_MOST;
}

/* The other surface cuts the edge into pieces. A piece inside is deepest near its middle, so the
 * middles are tried. */
static bvp_status try_edge(const probe *p, const double from[3], const double to[3])
{
    bvp_ray ray = {.t_max = 1};
    crossings c = {.count = 0};
    for (int i = 0; i < 3; i++) {
        ray.origin[i] = from[i];
        ray.direction[i] = to[i] - from[i];
    }
    if (ray.direction[0] == 0 && ray.direction[1] == 0 && ray.direction[2] == 0)
        return BVP_OK;
    bvp_status status = bvpi_ray_part_hits(&p->into->part, p->into->file->isa, &ray, p->into->meter,
                                           keep_crossing, &c);
    c.t[c.count] = 1;
    for (unsigned k = 0; k <= c.count && status == BVP_OK && !is_enough(p); k++) {
        const double t = 0.5 * ((k > 0 ? c.t[k - 1] : 0) + c.t[k]);
        double point[3];
        bvpi_clash_on_edge(from, ray.direction, t, point);
        status = try_point(p, point);
    }
    return status;
}

/* The corners of one of the contact's triangles, then the points where its edges are deepest. */
static bvp_status try_side(bvpi_clash_judge *judge, const bvpi_contact *contact, bool is_of_a,
                           double enough, bvpi_clash_depth *out)
{
    const probe p = {is_of_a ? judge->b : judge->a,
                     is_of_a ? &contact->hit_a : &contact->hit_b,
                     is_of_a,
                     enough,
                     (is_of_a ? judge->a : judge->b)->slack,
                     out};
    const double *tri = is_of_a ? contact->a.corner : contact->b.corner;
    bvp_status status = BVP_OK;
    for (int k = 0; k < 3 && status == BVP_OK && !is_enough(&p); k++)
        status = try_point(&p, tri + 3 * k);
    for (int k = 0; k < 3 && status == BVP_OK && !is_enough(&p); k++)
        status = try_edge(&p, tri + 3 * k, tri + 3 * ((k + 1) % 3));
    return status;
}

/* Tries each triangle once, although it may be in several pairs. */
static bvp_status try_contacts(bvpi_clash_judge *judge, const bvpi_contact *kept, uint32_t count,
                               double enough, bvpi_clash_depth *out)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < count && status == BVP_OK; i++) {
        bool is_new_a = true, is_new_b = true;
        for (uint32_t k = 0; k < i; k++) {
            is_new_a = is_new_a && kept[k].hit_a.triangle != kept[i].hit_a.triangle;
            is_new_b = is_new_b && kept[k].hit_b.triangle != kept[i].hit_b.triangle;
        }
        /* Open surfaces have no inside. How far their triangles reach through each other is the
         * only measure. */
        if (judge->a->is_open && judge->b->is_open && kept[i].certain > out->lower) {
            out->lower = kept[i].certain;
            out->has_point = false;
        }
        if (is_new_a)
            status = try_side(judge, &kept[i], true, enough, out);
        if (is_new_b && status == BVP_OK)
            status = try_side(judge, &kept[i], false, enough, out);
    }
    return status;
}

/* The middles of touching faces. If sides are flush, corners and edges are on the surface and prove
 * nothing. */
static bvp_status try_faces(const bvpi_clash_item *from, const bvpi_clash_item *into,
                            const bvpi_faces *faces, bool is_of_a, double enough,
                            bvpi_clash_depth *out)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < faces->count && status == BVP_OK; i++) {
        const probe p = {into, &faces->hit[i], is_of_a, enough, from->slack, out};
        if (is_enough(&p))
            break;
        if (bvpi_clash_is_in_box(&into->part, faces->centre[i], from->slack))
            status = try_point(&p, faces->centre[i]);
    }
    return status;
}

/* One corner in each of some clusters. For surfaces of very small triangles, of which no single one
 * reaches far through the other surface. */
static bvp_status try_samples(const bvpi_clash_item *from, const bvpi_clash_item *into,
                              bool is_of_a, double enough, bvpi_clash_depth *out)
{
    bvp_hit_id hit = {.instance = from->part.instance, .part = from->part.part_idx};
    const probe p = {into, &hit, is_of_a, enough, from->slack, out};
    bvp_status status = BVP_OK;
    double point[3];
    for (uint32_t i = 0; status == BVP_OK && !is_enough(&p); i++) {
        if (!bvpi_clash_sample(from, i, point, &hit, &status))
            break;
        if (bvpi_clash_is_in_box(&into->part, point, p.slack))
            status = try_point(&p, point);
    }
    return status;
}

/* ---- lower bounds: a ball inside both -------------------------------------------------------- */

enum { FACES_ASKED = 8 };

/* The first crossing farther away than `least`, which excludes the ray's own start. */
typedef struct next_crossing {
    double t, least;
} next_crossing;

static int keep_next(void *user, const bvp_ray_hit *hit)
{
    next_crossing *next = user;
    if (hit->t > next->least)
        next->t = fmin(next->t, hit->t);
    return 0;
}

/* Distances may exceed the least one by a factor of 1 + 1e-9: exactness.md, chapter 8. */
#define LESS (1 - 0x1p-29)

/* A ball around `centre`, inside both parts and larger than `overlap`: no shorter move takes them
 * apart. */
static bvp_status try_ball(bvpi_clash_judge *judge, const double centre[3], double overlap,
                           bvpi_clash_depth *out)
{
    bvpi_closest_query of_a, of_b;
    bvpi_where in_a = BVPI_UNSURE, in_b = BVPI_UNSURE;
    bvp_status status = bvpi_clash_nearest(judge->a, centre, INFINITY, &of_a);
    if (status == BVP_OK)
        status = bvpi_clash_nearest(judge->b, centre, INFINITY, &of_b);
    if (status != BVP_OK || !of_a.best.found || !of_b.best.found)
        return status;
    const double radius = fmin(of_a.best.distance, of_b.best.distance);
    if (!(radius * LESS > overlap))
        return BVP_OK;
    status = bvpi_clash_where(judge->a, centre, &in_a);
    if (status == BVP_OK && in_a == BVPI_INSIDE)
        status = bvpi_clash_where(judge->b, centre, &in_b);
    if (status != BVP_OK || in_b != BVPI_INSIDE)
        return status;
    out->lower = radius;
    out->has_point = true;
    memcpy(out->point_a, centre, sizeof out->point_a);
    memcpy(out->point_b, of_b.best.point, sizeof out->point_b);
    out->hit_a = of_a.best.id;
    out->hit_b = of_b.best.id;
    return BVP_OK;
}

/* Two parts at the same place may have the same surface there. Then no point of one is deep in the
 * other, but the material behind touching faces is inside both. */
static bvp_status try_balls(bvpi_clash_judge *judge, const bvpi_faces *faces, double overlap,
                            bvpi_clash_depth *out)
{
    const double slack = judge->a->slack + judge->b->slack;
    bvp_status status = BVP_OK;
    const uint32_t most = judge->contacts->count > 0 ? FACES_ASKED : BVPI_FACES_MOST;
    const uint32_t count = faces->count < most ? faces->count : most;
    for (uint32_t i = 0; i < count && status == BVP_OK && !(out->lower > overlap); i++) {
        const double *from = faces->centre[i], *way = faces->inward[i];
        if (!(bvpi_dot(way, way) > 0))
            continue;
        /* half way from the face to the next surface behind it, of either part */
        const bvpi_clash_item *items[2] = {judge->a, judge->b};
        bvp_ray ray = {.t_max = INFINITY};
        next_crossing next = {INFINITY, fmax(overlap, slack)};
        double centre[3];
        memcpy(ray.origin, from, sizeof ray.origin);
        memcpy(ray.direction, way, sizeof ray.direction);
        for (int k = 0; k < 2 && status == BVP_OK; k++)
            status = bvpi_ray_part_hits(&items[k]->part, items[k]->file->isa, &ray, items[k]->meter,
                                        keep_next, &next);
        for (int k = 0; k < 3; k++)
            centre[k] = from[k] + 0.5 * next.t * way[k];
        if (status == BVP_OK && isfinite(next.t))
            status = try_ball(judge, centre, overlap, out);
    }
    return status;
}

/* ---- both bounds ----------------------------------------------------------------------------- */

/* Tries shorter and shorter shifts, from the deepest point to its nearest surface point, and along
 * the directions off the contacts. */
static bvp_status lower_upper(bvpi_clash_judge *judge, const bvpi_contacts *c,
                              bvpi_clash_depth *out)
{
    double ways[BVPI_CONTACT_NORMALS + 1][3], length = 0;
    unsigned count = c->normal_count;
    bvp_status status = BVP_OK;
    memcpy(ways, c->normals, sizeof c->normals);
    for (int i = 0; i < 3 && out->has_point; i++) {
        ways[count][i] = out->point_b[i] - out->point_a[i];
        length += ways[count][i] * ways[count][i];
    }
    for (int i = 0; i < 3 && length > 0; i++)
        ways[count][i] /= sqrt(length);
    count += length > 0;
    assert(count <= BVPI_CONTACT_NORMALS + 1);
    for (unsigned k = 0; k < count && status == BVP_OK; k++) {
        bool is_apart = true;
        for (int step = 0; step < 6 && is_apart && status == BVP_OK; step++) {
            const double shorter = fmax(out->lower * 1.001, 0.7 * out->upper);
            is_apart = shorter < out->upper;
            if (is_apart)
                status = bvpi_apart_by_shift(judge, ways[k], shorter, &out->upper, &is_apart);
        }
    }
    return status;
}

/* Points of touching faces, and a few others. */
static bvp_status try_all(bvpi_clash_judge *judge, const bvpi_contacts *c, double enough,
                          bvpi_clash_depth *out)
{
    bvp_status status = try_faces(judge->a, judge->b, &c->faces_a, true, enough, out);
    if (status == BVP_OK)
        status = try_faces(judge->b, judge->a, &c->faces_b, false, enough, out);
    if (status == BVP_OK)
        status = try_samples(judge->a, judge->b, true, enough, out);
    if (status == BVP_OK)
        status = try_samples(judge->b, judge->a, false, enough, out);
    return status;
}

/* This many contacts are enough to see across which directions a part that fits into another can
 * shrink. */
enum { SOME = 64 };

/* The moves that one contact suggests. */
static bvp_status come_free(bvpi_clash_judge *judge, const bvpi_contact *contact, double overlap,
                            double *upper)
{
    const bvp_status status = bvpi_apart_by_faces(judge, contact, overlap, upper);
    return status == BVP_OK && *upper > overlap ? bvpi_apart_by_axis(judge, overlap, upper)
                                                : status;
}

static bool is_settled(const bvpi_clash_depth *out, double overlap)
{
    return out->lower > overlap || out->upper <= overlap;
}

/* Is the depth above `overlap`? The first point that is deep enough proves yes, the first short
 * move that takes the parts apart proves no. The steps are the same for every detail. Edges are
 * only cut where triangles reach that far through each other's planes. */
static bvp_status settle(bvpi_clash_judge *judge, const bvpi_contact *first, double overlap,
                         bool with_lines, bvpi_clash_depth *out)
{
    bvpi_contacts *c = judge->contacts;
    bvp_status status = BVP_OK;
    assert(out->lower == 0 && !c->is_all);
    if (first->promise > overlap)
        status = try_contacts(judge, first, 1, overlap, out);
    if (status == BVP_OK && !is_settled(out, overlap))
        status = come_free(judge, first, overlap, &out->upper);
    if (status != BVP_OK || is_settled(out, overlap))
        return status;
    status = bvpi_contacts_find(judge, SOME, false, c);
    if (status == BVP_OK && c->count == 0)
        status = bvpi_contacts_spread(judge, c);
    if (status == BVP_OK)
        status = bvpi_apart_by_shrinking(judge, c, overlap, &out->upper);
    if (status != BVP_OK || is_settled(out, overlap))
        return status;

    /* From here on all contacts are used, which takes long. */
    const uint32_t known = c->normal_count;
    if (!c->is_all)
        status = bvpi_contacts_find(judge, UINT64_MAX, with_lines, c);
    if (status == BVP_OK)
        status = try_all(judge, c, overlap, out);
    if (status == BVP_OK && !is_settled(out, overlap))
        status = bvpi_apart_by_sum(judge, c, overlap, &out->upper);
    if (status == BVP_OK && !is_settled(out, overlap) && c->normal_count != known)
        status = bvpi_apart_by_shrinking(judge, c, overlap, &out->upper);
    if (status == BVP_OK && !is_settled(out, overlap) && c->kept_count > 0 &&
        c->kept[0].promise > overlap)
        status = try_contacts(judge, c->kept, c->kept_count, overlap, out);
    if (status == BVP_OK && !is_settled(out, overlap))
        status = try_balls(judge, &c->faces_a, overlap, out);
    if (status == BVP_OK && !is_settled(out, overlap))
        status = try_balls(judge, &c->faces_b, overlap, out);
    return status;
}

/* Computes what a detail asks for beyond the verdict. */
static bvp_status add_detail(bvpi_clash_judge *judge, double overlap, bvp_clash_detail detail,
                             bvpi_clash_depth *out)
{
    bvpi_contacts *c = judge->contacts;
    const bool with_lines = bvpi_clash_has_contacts(detail), is_fast = bvpi_clash_is_fast(detail);
    const bool is_touch = out->upper <= overlap;
    bvp_status status = BVP_OK;
    if (is_fast ? !out->is_deep : is_touch && !with_lines)
        return BVP_OK;
    if (!c->is_all || with_lines != c->has_lines)
        status = bvpi_contacts_find(judge, UINT64_MAX, with_lines, c);
    if (status == BVP_OK && !is_touch && !is_fast) { /* deeper than permitted: how deep? */
        status = try_all(judge, c, INFINITY, out);
        if (status == BVP_OK)
            status = try_contacts(judge, c->kept, c->kept_count, INFINITY, out);
        if (status == BVP_OK)
            status = lower_upper(judge, c, out);
    }
    out->contact_count = c->count;
    memcpy(out->lo, c->lo, sizeof out->lo);
    memcpy(out->hi, c->hi, sizeof out->hi);
    return status;
}

bvp_status bvpi_clash_comes_free(bvpi_clash_judge *judge, const bvp_hit_id *hit_a,
                                 const bvp_hit_id *hit_b, double overlap, double *upper)
{
    bvpi_contact contact;
    *upper = INFINITY;
    if (!(overlap < bvpi_apart_by_boxes(&judge->a->bounds, &judge->b->bounds)))
        return BVP_OK; /* only a long shift would help */
    const bvp_status status = bvpi_contact_init(judge, hit_a, hit_b, &contact);
    return status == BVP_OK ? come_free(judge, &contact, overlap, upper) : status;
}

bvp_status bvpi_clash_measure_depth(bvpi_clash_judge *judge, const bvp_hit_id *hit_a,
                                    const bvp_hit_id *hit_b, double overlap, double upper,
                                    bvp_clash_detail detail, bvpi_clash_depth *out)
{
    bvpi_contact first;
    judge->contacts->is_all = judge->contacts->has_lines = false;
    *out = (bvpi_clash_depth){
        .upper = fmin(upper, bvpi_apart_by_boxes(&judge->a->bounds, &judge->b->bounds))};
    bvp_status status = BVP_OK;
    if (out->upper > overlap)
        status = bvpi_contact_init(judge, hit_a, hit_b, &first);
    if (status == BVP_OK && out->upper > overlap)
        status = settle(judge, &first, overlap, bvpi_clash_has_contacts(detail), out);
    out->is_deep = out->lower > overlap;
    if (status == BVP_OK && detail != BVP_CLASH_VERDICTS)
        status = add_detail(judge, overlap, detail, out);
    /* Bounds come from different computations and may cross by rounding. The verdict decides which
     * of them yields. */
    if (out->is_deep)
        out->upper = fmax(out->upper, out->lower);
    else
        out->lower = fmin(out->lower, fmin(out->upper, overlap));
    assert(out->lower <= out->upper && out->is_deep == (out->lower > overlap));
    return status;
}
