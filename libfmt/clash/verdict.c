/* SPDX-License-Identifier: MIT
 * verdict.c: how two instances stand to one another.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#include "clash/judge.h"

#include <math.h>
#include <string.h>

const char *bvp_verdict_name(bvp_verdict verdict)
{
    static const char *const names[BVP_VERDICT_COUNT] = {
        "clear", "within", "touching", "penetrating", "enclosed", "duplicate", "unknown"};
    const unsigned which = (unsigned)verdict;
    return which < BVP_VERDICT_COUNT ? names[which] : "?";
}

/* ---- duplicates -------------------------------------------------------------------------------
 */

static bool is_same_part(const bvpi_clash_item *a, const bvpi_clash_item *b)
{
    if (a->file == b->file)
        return a->part.part_idx == b->part.part_idx;
    const bvpi_part *p = &a->part.part, *q = &b->part.part;
    return p->triangle_count == q->triangle_count && memcmp(p->lo, q->lo, sizeof p->lo) == 0 &&
           memcmp(p->hi, q->hi, sizeof p->hi) == 0 &&
           memcmp(a->content_hash, b->content_hash, sizeof a->content_hash) == 0;
}

/* The placements' difference is affine: it is largest in a corner of the part's box. */
static bool is_duplicate(const bvpi_clash_item *a, const bvpi_clash_item *b, double gap)
{
    const double *m = a->part.at.place.m, *n = b->part.at.place.m;
    if (!is_same_part(a, b))
        return false;
    for (int corner = 0; corner < 8; corner++) {
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            double d = m[4 * i + 3] - n[4 * i + 3];
            for (int k = 0; k < 3; k++)
                d += (m[4 * i + k] - n[4 * i + k]) *
                     (double)(corner >> k & 1 ? a->part.part.hi[k] : a->part.part.lo[k]);
            sum += d * d;
        }
        if (!(sqrt(sum) <= gap))
            return false;
    }
    return true;
}

/* ---- surfaces ---------------------------------------------------------------------------------
 */

/* How far apart the surfaces are, as far as it matters. */
typedef enum nearness { FAR, NEAR, AT_GAP, MEETING } nearness;

static void take_witness(const bvpi_pair_query *query, bvp_clash_pair *pair)
{
    const bvp_distance_result *best = &query->best;
    pair->distance = best->distance;
    pair->lower = best->lower;
    memcpy(pair->point_a, best->point_a, sizeof pair->point_a);
    memcpy(pair->point_b, best->point_b, sizeof pair->point_b);
    pair->hit_a = best->a;
    pair->hit_b = best->b;
}

static bvp_status measure(bvpi_pair_query *query, double near, bvp_clash_pair *pair, nearness *out)
{
    const bvp_status status = bvpi_ask_distance(query, near);
    *out = FAR;
    if (status != BVP_OK || !query->best.found)
        return status;
    take_witness(query, pair);
    *out = pair->distance == 0 ? MEETING : pair->lower <= pair->limits.touch_gap ? AT_GAP : NEAR;
    return BVP_OK;
}

/* "Not farther than" is answered soon where it is so: the questions come in that order. */
static bvp_status compare(bvpi_pair_query *query, double near, bvp_clash_pair *pair, nearness *out)
{
    const double gap = pair->limits.touch_gap;
    *out = FAR;
    bvp_status status = bvpi_ask_within(query, near, true);
    if (status != BVP_OK || !query->best.found)
        return status;
    *out = NEAR;
    take_witness(query, pair);
    pair->lower = 0;
    if (pair->distance > gap) {
        status = bvpi_ask_within(query, gap, true);
        if (status != BVP_OK || !query->best.found)
            return status;
    }
    *out = AT_GAP;
    take_witness(query, pair);
    pair->lower = 0;
    if (pair->distance > 0)
        status = bvpi_ask_collide(query, true);
    if (status == BVP_OK && (pair->distance == 0 || query->hit)) {
        *out = MEETING;
        take_witness(query, pair);
        pair->distance = pair->lower = 0;
    }
    return status;
}

/* ---- one pair ---------------------------------------------------------------------------------
 */

static void box_of_witnesses(bvp_clash_pair *pair)
{
    for (int i = 0; i < 3; i++) {
        pair->lo[i] = fmin(pair->point_a[i], pair->point_b[i]);
        pair->hi[i] = fmax(pair->point_a[i], pair->point_b[i]);
    }
}

static bvp_status judge_meeting(bvpi_clash_judge *judge, bvp_clash_detail detail,
                                bvp_clash_pair *pair)
{
    bvpi_clash_depth depth;
    const bvp_status status = bvpi_clash_measure_depth(judge, &pair->hit_a, &pair->hit_b,
                                                       pair->limits.overlap, detail, &depth);
    if (status != BVP_OK)
        return status;
    pair->depth = depth.lower;
    pair->depth_upper = depth.upper;
    pair->verdict = depth.is_deep ? BVP_VERDICT_PENETRATING : BVP_VERDICT_TOUCHING;
    if (depth.has_point && pair->verdict == BVP_VERDICT_PENETRATING) {
        memcpy(pair->point_a, depth.point_a, sizeof pair->point_a);
        memcpy(pair->point_b, depth.point_b, sizeof pair->point_b);
        pair->hit_a = depth.hit_a;
        pair->hit_b = depth.hit_b;
    }
    box_of_witnesses(pair);
    if (detail == BVP_CLASH_CONTACTS) {
        pair->triangle_pairs = depth.contact_count;
        memcpy(pair->lo, depth.lo, sizeof pair->lo);
        memcpy(pair->hi, depth.hi, sizeof pair->hi);
    }
    return BVP_OK;
}

static bvp_status judge_apart(bvpi_clash_judge *judge, nearness how_near, bvp_clash_pair *pair)
{
    bvpi_where where;
    double point[3];
    bvp_status status = bvpi_clash_enclosed(judge->a, judge->b, &where, point);
    if (status != BVP_OK)
        return status;
    if (where != BVPI_OUTSIDE) {
        pair->verdict = where == BVPI_INSIDE ? BVP_VERDICT_ENCLOSED : BVP_VERDICT_UNKNOWN;
        status = how_near == FAR ? bvpi_ask_distance(&judge->query, INFINITY) : BVP_OK;
        if (status == BVP_OK && how_near == FAR)
            take_witness(&judge->query, pair);
        box_of_witnesses(pair);
        return status;
    }
    pair->verdict = how_near == AT_GAP ? BVP_VERDICT_TOUCHING
                    : how_near == NEAR && pair->lower <= pair->limits.clearance ? BVP_VERDICT_WITHIN
                                                                                : BVP_VERDICT_CLEAR;
    return BVP_OK;
}

bvp_status bvpi_clash_judge_pair(bvpi_clash_judge *judge, bvp_clash_detail detail,
                                 bvp_clash_pair *pair)
{
    const double near = fmax(pair->limits.clearance, pair->limits.touch_gap);
    bvpi_pair_query *query = &judge->query;
    nearness how_near;
    bvp_status status = detail == BVP_CLASH_VERDICTS ? compare(query, near, pair, &how_near)
                                                     : measure(query, near, pair, &how_near);
    if (status != BVP_OK)
        return status;
    pair->depth = 0;
    pair->depth_upper = how_near == MEETING ? INFINITY : 0;
    pair->triangle_pairs = 0;
    box_of_witnesses(pair);
    if (is_duplicate(judge->a, judge->b, pair->limits.touch_gap) && how_near != FAR)
        pair->verdict = BVP_VERDICT_DUPLICATE;
    else if (how_near == MEETING)
        status = judge_meeting(judge, detail, pair);
    else
        status = judge_apart(judge, how_near, pair);
    return status;
}
