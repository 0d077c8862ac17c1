/* SPDX-License-Identifier: MIT
 * zone_verdict.c: the verdict of an instance and a zone.
 *
 * A zone is solid, so an instance inside it touches it, and one question to the convex kernel tells
 * whether the two are near. Then:
 * - beyond the touch gap, or within it but not touching: distance decides between clear, within and
 *   touching, unless a point of the zone is inside the instance: enclosed;
 * - touching, and all corners of the instance are in the zone: enclosed;
 * - touching, and a triangle also touches the zone shrunk by the overlap (zone_shape.h), or a point
 *   of the zone is that deep in the instance: penetrating. The second is for zones that are too
 *   thin to have anything deep inside.
 *
 * The verdict does not depend on the detail: more of it only measures what has been proven.
 *
 * Slow twin: tests/property/test_clash_zone_verdict.c, all triangles and winding numbers.
 * Spec: exactness.md, chapter 12, "Zones"
 */
#include "clash/zone_verdict.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "node/cluster_record.h"
#include "query/ray/ray_query.h"

/* Distances may exceed the least one by a factor of 1 + 1e-9: exactness.md, chapter 8. */
#define LESS (1 - 0x1p-29)

void bvpi_zone_judge_set(bvpi_zone_judge *judge, const bvpi_clash_item *item)
{
    memset(judge, 0, sizeof *judge);
    judge->item = item;
    judge->body.file = item->file;
    judge->body.one = item->part;
}

/* ---- questions ------------------------------------------------------------------------------- */

static bvp_status ask(bvpi_zone_judge *judge, const bvpi_convex *convex, bvpi_convex_mode mode,
                      double most)
{
    bvpi_convex_query *query = &judge->query;
    assert(most >= 0);
    *query = (bvpi_convex_query){
        .convex = *convex, .mode = mode, .most = most, .limit = most, .meter = judge->item->meter};
    return BVPI_ISA_CHOOSE(bvpi_convex_kernel, judge->item->file->isa)->run(&judge->body, query);
}

static double apart(const bvpi_zone_judge *judge)
{
    const bvpi_clash_item *item = judge->item;
    return bvpi_zone_apart(judge->zone, &item->part.at.placement, item->part.part.lo,
                           item->part.part.hi, &item->bounds);
}

/* ---- the instance in the zone ---------------------------------------------------------------- */

static bool has_corner(const bvpi_convex_pose *pose, const float corner[3])
{
    bvpi_convex_tri found;
    float tri[9];
    for (int k = 0; k < 3; k++)
        memcpy(tri + 3 * k, corner, 3 * sizeof *tri);
    bvpi_convex_tri1(pose, tri, 0, 0, &found);
    return found.lo == 0;
}

/* The zone is convex: it has a box if it has its corners. */
static bool has_box(const bvpi_convex_pose *pose, const float lo[3], const float hi[3])
{
    bool has_all = true;
    for (int k = 0; k < 8 && has_all; k++) {
        const float corner[3] = {k & 1 ? hi[0] : lo[0], k & 2 ? hi[1] : lo[1],
                                 k & 4 ? hi[2] : lo[2]};
        has_all = has_corner(pose, corner);
    }
    return has_all;
}

/* The box of all corners first, then each corner. */
static bool has_cluster(const bvpi_convex_pose *pose, const bvpi_cluster *cluster)
{
    float corner[BVPI_LOCAL_VERTICES][3], lo[3], hi[3];
    const uint32_t count = cluster->vertex_count;
    assert(count >= 1 && count <= BVPI_LOCAL_VERTICES);
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = hi[axis] = bvpi_cluster_coordinate(cluster, axis, 0);
        for (uint32_t v = 0; v < count; v++) {
            const float x = corner[v][axis] = bvpi_cluster_coordinate(cluster, axis, v);
            lo[axis] = x < lo[axis] ? x : lo[axis];
            hi[axis] = x > hi[axis] ? x : hi[axis];
        }
    }
    if (has_box(pose, lo, hi))
        return true;
    bool has_all = true;
    for (uint32_t v = 0; v < count && has_all; v++)
        has_all = has_corner(pose, corner[v]);
    return has_all;
}

/* Is the whole instance in the zone? The first corner outside ends the search. */
static bvp_status is_held(const bvpi_zone_judge *judge, bool *out)
{
    const bvpi_clash_item *item = judge->item;
    const bvpi_part *part = &item->part.part;
    bvpi_convex_pose pose;
    bvpi_convex_pose_init(&pose, &judge->zone->shape, item->part.at.placement.m,
                          item->part.at.corner);
    *out = has_box(&pose, part->lo, part->hi);
    if (*out)
        return BVP_OK;
    *out = true;
    for (uint32_t i = 0; i < part->cluster_count && *out; i++) {
        bvpi_cluster cluster;
        if (!bvpi_meter_step(item->meter))
            return BVP_ERR_CANCELLED;
        if (!bvpi_cluster_at(part, i, &cluster))
            return BVP_ERR_CORRUPT;
        *out = has_cluster(&pose, &cluster);
    }
    return BVP_OK;
}

/* ---- the zone in the instance ---------------------------------------------------------------- */

/* They do not touch: so any point of the zone decides that is off the surface. */
static bvp_status is_around(const bvpi_zone_judge *judge, double gap, bvpi_where *out)
{
    const bvpi_clash_item *item = judge->item;
    const double slack = judge->zone->slack;
    bvp_status status = BVP_OK;
    double ends[2][3];
    bool told = false;
    *out = BVPI_OUTSIDE;
    memcpy(ends[0], judge->zone->inner, sizeof ends[0]);
    for (uint32_t which = 0; status == BVP_OK && !told; which++) {
        const bvpi_clash_point at = {ends[which % 2], slack, fmax(gap, slack), judge->crack};
        *out = BVPI_OUTSIDE;
        if (!bvpi_clash_is_in_box(&item->part, at.point, slack))
            return BVP_OK;
        status = bvpi_clash_ask_point(item, &at, out, &told);
        if (!told && which % 2 == 0 && !bvpi_zone_line(judge->zone, which / 2, ends[1], ends[0])) {
            *out = BVPI_ALONG;
            return status;
        }
    }
    return status;
}

/* Where the surface crosses a line, ascending. */
enum { CROSSINGS_MOST = 14 };
typedef struct crossings {
    double t[CROSSINGS_MOST + 1];
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

/* A point of the zone: is it deeper in the instance than pair->depth? */
static bvp_status try_point(const bvpi_zone_judge *judge, const double point[3],
                            bvp_clash_pair *pair)
{
    const bvpi_clash_item *item = judge->item;
    const double slack = judge->zone->slack;
    const bvpi_clash_point at = {point, slack, fmax(pair->depth * (1 + 0x1p-28) + 2 * slack, slack),
                                 judge->crack};
    bvpi_closest_query nearest;
    bvpi_where where;
    bool told = false;
    if (!bvpi_clash_is_in_box(&item->part, point, slack))
        return BVP_OK;
    bvp_status status = bvpi_clash_ask_point(item, &at, &where, &told);
    if (status != BVP_OK || !told || where != BVPI_INSIDE)
        return status;
    status = bvpi_clash_nearest(item, point, INFINITY, &nearest);
    const double depth = nearest.best.found ? nearest.best.distance * LESS - slack : 0;
    if (status != BVP_OK || !(depth > pair->depth))
        return status;
    pair->depth = depth;
    pair->hit_a = nearest.best.id;
    memcpy(pair->point_a, nearest.best.point, sizeof pair->point_a);
    memcpy(pair->point_b, point, sizeof pair->point_b);
    return BVP_OK;
}

/* The middles of what the surface cuts off the lines through the zone, until one is deeper than
 * `enough`. pair->depth: what they must exceed, and what is found. */
static bvp_status try_lines(const bvpi_zone_judge *judge, double enough, bvp_clash_pair *pair)
{
    const bvpi_clash_item *item = judge->item;
    bvp_status status = try_point(judge, judge->zone->inner, pair);
    bvp_ray ray = {.t_max = 1};
    double to[3];
    for (uint32_t which = 0; status == BVP_OK && !(pair->depth > enough) &&
                             bvpi_zone_line(judge->zone, which, ray.origin, to);
         which++) {
        crossings c = {.count = 0};
        double size = 0;
        for (int i = 0; i < 3; i++) {
            ray.direction[i] = to[i] - ray.origin[i];
            size += fabs(ray.direction[i]);
        }
        if (!(size > 0) || !isfinite(size))
            continue;
        status =
            bvpi_ray_part_hits(&item->part, item->file->isa, &ray, item->meter, keep_crossing, &c);
        c.t[c.count] = 1;
        for (unsigned k = 0; k <= c.count && status == BVP_OK && !(pair->depth > enough); k++) {
            const double t = 0.5 * ((k > 0 ? c.t[k - 1] : 0) + c.t[k]);
            double point[3];
            bvpi_clash_on_edge(ray.origin, ray.direction, t, point);
            status = try_point(judge, point, pair);
        }
    }
    return status;
}

/* ---- depth ----------------------------------------------------------------------------------- */

/* Is a point of the surface deeper in the zone than `depth`? Then that is pair's depth and point.
 */
static bvp_status try_depth(bvpi_zone_judge *judge, double depth, bvp_clash_pair *pair, bool *out)
{
    bvpi_convex smaller;
    *out = false;
    if (!bvpi_zone_shrink(judge->zone, depth + 4 * judge->band + judge->zone->slack, &smaller))
        return BVP_OK;
    const bvp_status status = ask(judge, &smaller, BVPI_CONVEX_ANY, 0);
    *out = status == BVP_OK && judge->query.best.found;
    if (*out) {
        bvpi_clash_take_witness(&judge->query.best, pair);
        pair->distance = pair->lower = 0;
        /* more than `depth`, also where that is 0, or large */
        pair->depth = fmax(depth + judge->band, nextafter(depth, INFINITY));
        memcpy(pair->point_b, pair->point_a, sizeof pair->point_b);
    }
    return status;
}

/* Halves what is unknown of the depth of the surface until a thousandth is left. */
static bvp_status measure(bvpi_zone_judge *judge, bvp_clash_pair *pair)
{
    double most = fmin(pair->depth_upper, judge->zone->radius * (1 + 0x1p-16));
    bvp_status status = BVP_OK;
    for (int step = 0; step < 64 && status == BVP_OK; step++) {
        const double depth = pair->depth;
        bool is_deeper;
        if (!(most - depth > most * 0x1p-10))
            break;
        const double middle = depth + 0.5 * (most - depth);
        status = try_depth(judge, middle, pair, &is_deeper);
        if (!is_deeper)
            most = middle;
    }
    return status;
}

/* ---- contacts -------------------------------------------------------------------------------- */

typedef struct touched {
    const bvpi_clash_item *item;
    bvp_clash_pair *pair;
    bvp_status status;
} touched;

/* A bvp_hit_fn: adds a triangle that touches to the pair's box. */
static int add_triangle(void *user, const bvp_hit_id *id)
{
    touched *t = user;
    bvp_clash_pair *pair = t->pair;
    float c[9];
    uint64_t count;
    t->status = bvp_get_triangles(t->item->file, t->item->part.part_idx,
                                  (bvp_range){id->triangle, 1}, c, NULL, &count);
    for (int k = 0; k < 9 && t->status == BVP_OK; k += 3) {
        double at[3];
        bvpi_clash_place_corner(t->item, c + k, at);
        for (int i = 0; i < 3; i++) {
            pair->lo[i] = fmin(pair->lo[i], at[i]);
            pair->hi[i] = fmax(pair->hi[i], at[i]);
        }
    }
    return t->status != BVP_OK;
}

static bvp_status list_contacts(bvpi_zone_judge *judge, bvp_clash_pair *pair)
{
    const bvpi_zone *zone = judge->zone;
    touched t = {judge->item, pair, BVP_OK};
    for (int i = 0; i < 3; i++) {
        pair->lo[i] = INFINITY;
        pair->hi[i] = -INFINITY;
    }
    bvpi_convex_query *query = &judge->query;
    *query = (bvpi_convex_query){.convex = zone->shape,
                                 .mode = BVPI_CONVEX_ALL,
                                 .each = add_triangle,
                                 .user = &t,
                                 .meter = judge->item->meter};
    bvp_status status =
        BVPI_ISA_CHOOSE(bvpi_convex_kernel, judge->item->file->isa)->run(&judge->body, query);
    if (status == BVP_OK)
        status = t.status;
    pair->triangle_pairs = query->count;
    for (int i = 0; i < 3; i++) {
        pair->lo[i] = fmin(fmax(pair->lo[i], zone->bounds.lo[i]), zone->bounds.hi[i]);
        pair->hi[i] = fmax(fmin(pair->hi[i], zone->bounds.hi[i]), zone->bounds.lo[i]);
    }
    return status;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/* A triangle touches the zone. */
static bvp_status judge_meeting(bvpi_zone_judge *judge, bvp_clash_detail detail,
                                bvp_clash_pair *pair)
{
    const double overlap = pair->limits.overlap;
    const bool is_fast = bvpi_clash_is_fast(detail);
    bool is_whole, is_deep = false, is_reached = false;
    pair->distance = pair->lower = 0;
    pair->depth_upper = apart(judge);
    bvp_status status = is_held(judge, &is_whole);
    if (status != BVP_OK)
        return status;
    if (is_whole) {
        pair->verdict = BVP_VERDICT_ENCLOSED;
        return BVP_OK;
    }
    pair->depth = overlap;
    if (pair->depth_upper > overlap)
        status = try_depth(judge, overlap, pair, &is_reached);
    if (status == BVP_OK && is_reached && !is_fast)
        status = measure(judge, pair);
    /* a point of the zone is nowhere deeper in the instance than a move takes the two apart */
    if (status == BVP_OK && pair->depth_upper > overlap && (!is_reached || !is_fast))
        status = try_lines(judge, is_fast ? overlap : INFINITY, pair);
    is_deep = pair->depth > overlap;
    pair->verdict = is_deep ? BVP_VERDICT_PENETRATING : BVP_VERDICT_TOUCHING;
    if (!is_deep)
        pair->depth = 0;
    pair->depth_upper = fmax(pair->depth_upper, pair->depth);
    for (int i = 0; i < 3 && is_deep; i++) {
        pair->lo[i] = fmin(pair->point_a[i], pair->point_b[i]);
        pair->hi[i] = fmax(pair->point_a[i], pair->point_b[i]);
    }
    const bool is_listed =
        detail == BVP_CLASH_CONTACTS || (bvpi_clash_has_contacts(detail) && is_deep);
    return status == BVP_OK && is_listed ? list_contacts(judge, pair) : status;
}

/* No triangle touches the zone, and none is within `gap` if that is above 0. */
static bvp_status judge_outside(bvpi_zone_judge *judge, double gap, bvp_clash_detail detail,
                                bvp_clash_pair *pair)
{
    bvpi_where where;
    bvp_status status = is_around(judge, gap, &where);
    if (status != BVP_OK || where == BVPI_OUTSIDE)
        return status;
    pair->depth_upper = apart(judge);
    if (where == BVPI_ALONG)
        return BVP_OK;
    const bool was_clear = pair->verdict == BVP_VERDICT_CLEAR;
    pair->verdict = where == BVPI_INSIDE ? BVP_VERDICT_ENCLOSED : BVP_VERDICT_UNKNOWN;
    if (!was_clear)
        return BVP_OK;
    status = ask(judge, &judge->zone->shape, BVPI_CONVEX_NEAREST, INFINITY);
    if (status == BVP_OK && judge->query.best.found)
        bvpi_clash_take_witness(&judge->query.best, pair);
    if (bvpi_clash_is_fast(detail))
        pair->lower = 0;
    return status;
}

static bvp_status judge_beyond(bvpi_zone_judge *judge, bvp_clash_detail detail,
                               bvp_clash_pair *pair)
{
    const double clearance = pair->limits.clearance;
    const bvpi_convex_mode mode =
        bvpi_clash_is_fast(detail) ? BVPI_CONVEX_ANY : BVPI_CONVEX_NEAREST;
    bvp_status status = BVP_OK;
    pair->verdict = BVP_VERDICT_CLEAR;
    if (clearance > pair->limits.touch_gap) {
        status = ask(judge, &judge->zone->shape, mode, clearance);
        if (status == BVP_OK && judge->query.best.found) {
            bvpi_clash_take_witness(&judge->query.best, pair);
            pair->verdict = BVP_VERDICT_WITHIN;
        }
        if (bvpi_clash_is_fast(detail))
            pair->lower = 0;
    }
    return status == BVP_OK ? judge_outside(judge, 0, detail, pair) : status;
}

bvp_status bvpi_zone_judge_pair(bvpi_zone_judge *judge, const bvpi_zone *zone,
                                bvp_clash_detail detail, bvp_clash_pair *pair)
{
    const bvpi_clash_item *item = judge->item;
    const double gap = pair->limits.touch_gap;
    bvpi_convex_pose pose;
    assert(item != NULL);
    judge->zone = zone;
    judge->crack = gap;
    bvpi_convex_pose_init(&pose, &zone->shape, item->part.at.placement.m, item->part.at.corner);
    judge->band = pose.band;
    pair->depth = pair->depth_upper = 0;
    pair->triangle_pairs = 0;
    bvp_status status = ask(judge, &zone->shape, BVPI_CONVEX_ANY, gap);
    if (status != BVP_OK)
        return status;
    if (!judge->query.best.found)
        return judge_beyond(judge, detail, pair);
    bvpi_clash_take_witness(&judge->query.best, pair);
    pair->lower = 0;
    pair->verdict = BVP_VERDICT_TOUCHING;
    if (pair->distance == 0)
        return judge_meeting(judge, detail, pair);
    status = ask(judge, &zone->shape, BVPI_CONVEX_ANY, 0);
    if (status != BVP_OK)
        return status;
    if (!judge->query.best.found)
        return judge_outside(judge, gap, detail, pair);
    bvpi_clash_take_witness(&judge->query.best, pair);
    return judge_meeting(judge, detail, pair);
}
