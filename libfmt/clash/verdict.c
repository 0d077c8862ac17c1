/* SPDX-License-Identifier: MIT
 * verdict.c: the verdict of one pair of instances.
 *
 * Most pairs whose boxes are near are mates, so the first question is "nearer than the touch gap?",
 * which is answered quickly if the answer is yes. Then:
 * - beyond the gap: distance up to the clearance decides between clear and within; if one part is
 *   inside the other: enclosed;
 * - within the gap: duplicate by content or by surface (same.c); if surfaces do not meet: touching,
 *   or enclosed; if they meet: depth (depth.c) decides between touching and penetrating;
 * - where inside cannot be decided: unknown.
 *
 * The verdict must not depend on the requested detail. Faster details only skip numbers; each
 * shortcut below says why the verdict is the same.
 *
 * Slow twin: tests/support/clash_brute.c, held by tests/property/test_clash_brute.c and
 * clash_scenes.c; a scene for each verdict and detail: test_clash_verdict.c.
 * Spec: exactness.md, chapter 12
 * Measured: decisions.md, "Clash verdicts", "Verdicts of a whole plant"
 */
#include "clash/apart.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "clash/known_apart.h"

#define ROOM 0.375 /* of the touch gap: poses that differ by less are one to known_apart.h */

const char *bvp_verdict_name(bvp_verdict verdict)
{
    static const char *const names[BVP_VERDICT_COUNT] = {
        "clear", "within", "touching", "penetrating", "enclosed", "duplicate", "unknown"};
    const unsigned which = (unsigned)verdict;
    return which < BVP_VERDICT_COUNT ? names[which] : "?";
}

/* ---- duplicates ------------------------------------------------------------------------------ */

/* The same part, of one file or by its content, at the same place? The difference of the placements
 * is affine, so it is largest at a corner of the part's box. */
static bool is_same_part_here(const bvpi_clash_item *a, const bvpi_clash_item *b, double gap)
{
    const double *m = a->part.at.placement.m, *n = b->part.at.placement.m;
    const bvpi_part *p = &a->part.part, *q = &b->part.part;
    const bool is_same =
        a->file == b->file
            ? a->part.part_idx == b->part.part_idx
            : p->triangle_count == q->triangle_count && memcmp(p->lo, q->lo, sizeof p->lo) == 0 &&
                  memcmp(p->hi, q->hi, sizeof p->hi) == 0 &&
                  memcmp(a->content_hash, b->content_hash, sizeof a->content_hash) == 0;
    if (!is_same)
        return false;
    for (int corner = 0; corner < 8; corner++) {
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            double d = m[4 * i + 3] - n[4 * i + 3];
            for (int k = 0; k < 3; k++)
                d +=
                    (m[4 * i + k] - n[4 * i + k]) * (double)(corner >> k & 1 ? p->hi[k] : p->lo[k]);
            sum += d * d;
        }
        if (!(sqrt(sum) <= gap))
            return false;
    }
    return true;
}

/* ---- one pair -------------------------------------------------------------------------------- */

void bvpi_clash_take_witness(const bvp_distance_result *best, bvp_clash_pair *pair)
{
    assert(best->found);
    pair->distance = best->distance;
    pair->lower = best->lower;
    memcpy(pair->point_a, best->point_a, sizeof pair->point_a);
    memcpy(pair->point_b, best->point_b, sizeof pair->point_b);
    pair->hit_a = best->a;
    pair->hit_b = best->b;
    for (int i = 0; i < 3; i++) {
        pair->lo[i] = fmin(pair->point_a[i], pair->point_b[i]);
        pair->hi[i] = fmax(pair->point_a[i], pair->point_b[i]);
    }
}

/* The surfaces meet. upper: a known upper bound of the depth. */
static bvp_status judge_meeting(bvpi_clash_judge *judge, bvp_clash_detail detail, double upper,
                                bvp_clash_pair *pair)
{
    bvpi_clash_depth depth;
    const bvp_status status = bvpi_clash_measure_depth(judge, &pair->hit_a, &pair->hit_b,
                                                       pair->limits.overlap, upper, detail, &depth);
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
        for (int i = 0; i < 3; i++) {
            pair->lo[i] = fmin(pair->point_a[i], pair->point_b[i]);
            pair->hi[i] = fmax(pair->point_a[i], pair->point_b[i]);
        }
    }
    if (depth.contact_count > 0 && bvpi_clash_has_contacts(detail)) {
        pair->triangle_pairs = depth.contact_count;
        memcpy(pair->lo, depth.lo, sizeof pair->lo);
        memcpy(pair->hi, depth.hi, sizeof pair->hi);
    }
    return BVP_OK;
}

/* How much a reported distance may exceed the least one. Surfaces that run side by side have
 * thousands of pairs of triangles at one distance, except for rounding. */
static double tolerance_of(const bvp_clash_limits *limits)
{
    return fmin(limits->touch_gap, limits->clearance * 0x1p-12);
}

static double overlap_of_boxes(const bvpi_clash_judge *judge)
{
    return bvpi_apart_by_boxes(&judge->a->bounds, &judge->b->bounds);
}

/* One part is inside the other, or that cannot be decided. Only the boxes give an upper bound. */
static void take_enclosed(const bvpi_clash_judge *judge, bvpi_where where, bvp_clash_pair *pair)
{
    pair->verdict = where == BVPI_INSIDE ? BVP_VERDICT_ENCLOSED : BVP_VERDICT_UNKNOWN;
    pair->depth_upper = overlap_of_boxes(judge);
}

/* The surfaces do not meet, but are within the touch gap. upper: a known upper bound of the depth.
 */
static bvp_status judge_beside(bvpi_clash_judge *judge, bvp_clash_detail detail, double upper,
                               bvp_clash_pair *pair)
{
    bvpi_where where;
    bvp_status status =
        bvpi_clash_enclosed(judge->a, judge->b, pair->limits.touch_gap, judge->crack, &where);
    pair->verdict = BVP_VERDICT_TOUCHING;
    pair->depth_upper = 0;
    if (status == BVP_OK && where == BVPI_ALONG) {
        /* They run so closely along each other that no point is certainly inside or outside. They
         * are measured as if they met; if that is deep, the pair counts as enclosed. */
        bvpi_clash_depth depth;
        status = bvpi_clash_measure_depth(judge, &pair->hit_a, &pair->hit_b, pair->limits.overlap,
                                          upper, detail, &depth);
        pair->depth_upper = depth.upper;
        if (status == BVP_OK && depth.is_deep)
            take_enclosed(judge, BVPI_INSIDE, pair);
        return status;
    }
    if (status == BVP_OK && where != BVPI_OUTSIDE)
        take_enclosed(judge, where, pair);
    return status;
}

/* The surfaces are within the touch gap. If a small move off the nearest faces frees the parts, and
 * neither is inside the other, they touch, whether or not their surfaces meet: that is a matter of
 * rounding, and finding out costs more. */
static bvp_status judge_near(bvpi_clash_judge *judge, bvp_clash_detail detail, bvp_clash_pair *pair)
{
    const double overlap = pair->limits.overlap;
    bool is_twin;
    bvp_status status = BVP_OK;
    is_twin = is_same_part_here(judge->a, judge->b, pair->limits.touch_gap);
    if (!is_twin)
        status = bvpi_clash_is_same(judge->a, judge->b, pair->limits.touch_gap, &is_twin);
    if (status != BVP_OK)
        return status;
    double upper = is_twin ? overlap_of_boxes(judge) : INFINITY;
    pair->verdict = is_twin ? BVP_VERDICT_DUPLICATE : BVP_VERDICT_TOUCHING;
    if (pair->distance > 0) {
        if (!is_twin)
            status = bvpi_clash_comes_free(judge, &pair->hit_a, &pair->hit_b, overlap, &upper);
        bool is_enough = is_twin;
        pair->depth_upper = upper;
        if (status == BVP_OK && bvpi_clash_is_fast(detail) && !is_twin && isfinite(upper)) {
            /* A small shift frees the parts: they touch, unless one is inside the other. Only that
             * remains to be asked. */
            bvpi_where where;
            status = bvpi_clash_enclosed(judge->a, judge->b, pair->limits.touch_gap, judge->crack,
                                         &where);
            is_enough = status == BVP_OK && (where == BVPI_OUTSIDE || where == BVPI_ALONG);
        }
        if (status != BVP_OK || (bvpi_clash_is_fast(detail) && is_enough))
            return status;
        status = bvpi_ask_collide(&judge->query, true);
        if (status == BVP_OK && !judge->query.answer.best.found)
            return is_twin ? BVP_OK : judge_beside(judge, detail, upper, pair);
        if (status != BVP_OK)
            return status;
        bvpi_clash_take_witness(&judge->query.answer.best, pair);
        pair->distance = pair->lower = 0;
    }
    pair->depth_upper = upper;
    return is_twin ? BVP_OK : judge_meeting(judge, detail, upper, pair);
}

/* The surfaces are farther apart than the touch gap. */
static bvp_status judge_beyond(bvpi_clash_judge *judge, bvp_clash_detail detail,
                               bvp_clash_pair *pair)
{
    const double clearance = pair->limits.clearance;
    bvpi_pair_query *query = &judge->query;
    bvp_status status = BVP_OK;
    query->answer.best.found = 0;
    if (clearance > pair->limits.touch_gap)
        status = bvpi_clash_is_fast(detail)
                     ? bvpi_ask_within(query, clearance, BVPI_WITNESS_ROUGH)
                     : bvpi_ask_nearest(query, clearance, tolerance_of(&pair->limits));
    if (status != BVP_OK)
        return status;
    if (query->answer.best.found)
        bvpi_clash_take_witness(&query->answer.best, pair);
    if (bvpi_clash_is_fast(detail))
        pair->lower = 0;
    const bool is_within = query->answer.best.found && query->answer.lower <= clearance;
    pair->verdict = is_within ? BVP_VERDICT_WITHIN : BVP_VERDICT_CLEAR;
    bvpi_where where;
    status = bvpi_clash_enclosed(judge->a, judge->b, 0, judge->crack, &where);
    if (status != BVP_OK || where == BVPI_OUTSIDE)
        return status;
    if (where == BVPI_ALONG) { /* more pieces than were tested */
        pair->depth_upper = overlap_of_boxes(judge);
        return BVP_OK;
    }
    take_enclosed(judge, where, pair);
    if (is_within)
        return status;
    status = bvpi_ask_nearest(query, INFINITY, tolerance_of(&pair->limits));
    if (status == BVP_OK && query->answer.best.found)
        bvpi_clash_take_witness(&query->answer.best, pair);
    return status;
}

/* "Within the touch gap?" is answered quickly if the answer is yes, and most pairs are mates. */
bvp_status bvpi_clash_judge_pair(bvpi_clash_judge *judge, bvp_clash_detail detail,
                                 bvp_clash_pair *pair)
{
    bvpi_pair_query *query = &judge->query;
    assert(judge->a != NULL && judge->b != NULL && judge->contacts != NULL);
    pair->depth = pair->depth_upper = 0;
    pair->triangle_pairs = 0;
    judge->crack = pair->limits.touch_gap;
    bvpi_apart_case known;
    if (bvpi_is_known_apart(judge, pair->limits.touch_gap, ROOM * pair->limits.touch_gap, &known))
        return judge_beyond(judge, detail, pair);
    bvp_status status = bvpi_ask_within(query, pair->limits.touch_gap, BVPI_WITNESS_ROUGH);
    if (status == BVP_OK && !query->answer.best.found)
        status = bvpi_learn_apart(judge, &known);
    if (status != BVP_OK)
        return status;
    if (!query->answer.best.found)
        return judge_beyond(judge, detail, pair);
    bvpi_clash_take_witness(&query->answer.best, pair);
    pair->lower = 0;
    return judge_near(judge, detail, pair);
}
