/* SPDX-License-Identifier: MIT
 * enclosed.c: is one of two parts, whose surfaces do not meet, inside the other?
 *
 * A connected surface that does not meet another one is entirely inside it or entirely outside. So
 * one point of each connected piece (pieces.h) decides, if rounding cannot have moved that point
 * across the other surface: points within `gap` of the surface are skipped. Ten points of a piece
 * are tried in turn, then triangles' middles spread over the part, for pieces that lie along the
 * other surface.
 *
 * The answers are deliberately asymmetric. INSIDE needs one point that is certainly inside. OUTSIDE
 * needs every piece to be accounted for, by a point, the box or the cylinders (below). If some
 * piece has no usable point, or there are too many pieces, the answer is ALONG: no proof of
 * anything, and callers must not take it as free.
 *
 * Most pieces are nowhere near being inside: one of their extreme corners is outside of the other
 * part's box, or of the cylinders that this part sweeps when it turns around its axis (sweep.h).
 * From outside of those a way leads to infinity that does not meet the part. So a bolt's head
 * beside a flange's neck needs no ray.
 *
 * If the outer part has open edges, rays can only vote; a point that is not clearly outside goes to
 * winding.c, which may prove INSIDE for a part whose cracks are narrow. Otherwise it is UNSURE.
 *
 * Slow twin: winding numbers of a corner of each piece, tests/support/clash_brute.c; flush parts
 * inside parts, tests/property/test_clash_flush.c.
 * Spec: exactness.md, chapter 12, "Enclosed"
 * Measured: decisions.md, "Clash verdicts"
 */
#include "clash/judge.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "clash/pieces.h"
#include "clash/sweep.h"

/* Points of a piece: its extreme corners, then its first triangle's corners and middle. */
enum { EXTREMES = 6, POINTS = EXTREMES + 4 };

/* At most this many pieces are tested by points, and this many triangles' middles. */
enum { PIECES_ASKED = 4096, MIDDLES_ASKED = 4096 };

/* Is `inner` inside `outer`? */
typedef struct question {
    const bvpi_clash_item *outer, *inner;
    double slack; /* error of inner's points */
    double gap;   /* >= slack: points this near to outer's surface are skipped */
    double crack; /* cracks of outer up to this width count as closed */
    double x[12]; /* from inner's coordinates to outer's */
    double err;   /* of a corner of inner in outer's coordinates: rounding, and the slack there */
} question;

static void question_init(question *q, const bvpi_clash_item *outer, const bvpi_clash_item *inner,
                          double gap, double crack)
{
    const bvpi_placed_tree *from = &inner->part.at, *to = &outer->part.at;
    bvpi_pose pose;
    bvpi_pose_init_placed(&pose, &to->placement, &from->placement, to->bound, from->bound);
    *q = (question){.outer = outer,
                    .inner = inner,
                    .slack = inner->slack,
                    .gap = fmax(gap, inner->slack),
                    .crack = crack,
                    .err = pose.eta + inner->slack / to->placement.size_min * (1 + 0x1p-50)};
    memcpy(q->x, pose.x, sizeof q->x);
}

/* Computed from placed corners. A middle rounded to floats might be across the other surface. */
static void place_middle(const bvpi_clash_item *item, const float tri[9], double out[3])
{
    double c[9];
    for (int k = 0; k < 9; k += 3)
        bvpi_clash_place_corner(item, tri + k, c + k);
    bvpi_clash_middle(c, out);
}

/* ---- pieces that cannot be inside ------------------------------------------------------------ */

/* An extreme corner in outer's coordinates. */
static void see_corner(const question *q, const float corner[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        const double *row = q->x + 4 * i;
        out[i] = row[0] * (double)corner[0] + row[1] * (double)corner[1] +
                 row[2] * (double)corner[2] + row[3];
    }
}

/* May a piece with these extreme corners be inside outer's box? */
static bool may_hold(const question *q, const struct bvpi_piece *piece)
{
    const bvpi_part *part = &q->outer->part.part;
    for (int k = 0; k < EXTREMES; k++) {
        double at[3];
        see_corner(q, piece->extreme[k], at);
        for (int i = 0; i < 3; i++)
            if (at[i] + q->err < (double)part->lo[i] || at[i] - q->err > (double)part->hi[i])
                return false;
    }
    return true;
}

#define NOISE 0x1p-40 /* of the largest coordinate; all roundings are below 2^-46 */

/* Is a point certainly outside of all cylinders? They follow one another along the axis without a
 * gap, so the rest of space is in one piece. */
static bool is_beyond(const bvpi_sweep *sweep, const double at[3], double err)
{
    double from[3], across[3], size = 0;
    bvpi_subtract(at, sweep->centre, from);
    const double height = bvpi_dot(from, sweep->axis);
    for (int i = 0; i < 3; i++) {
        across[i] = from[i] - height * sweep->axis[i];
        size += fabs(at[i]) + fabs(sweep->centre[i]);
    }
    const double margin = err + NOISE * size, radius = sqrt(bvpi_dot(across, across));
    for (uint32_t k = 0; k < sweep->slab_count; k++) {
        const struct bvpi_sweep_slab *slab = &sweep->slab[k];
        if (!(height > slab->to + margin || height < slab->from - margin ||
              radius > slab->radius + margin))
            return false;
    }
    return true;
}

/* May it be inside the cylinders that outer sweeps? */
static bvp_status may_sweep_hold(const question *q, const struct bvpi_piece *piece, bool *out)
{
    const bvpi_sweep *sweep;
    const bvp_status status = bvpi_sweep_get(q->outer->sweeps, q->outer->part.part_idx, &sweep);
    *out = true;
    for (int k = 0; k < EXTREMES && status == BVP_OK && sweep->is_round && *out; k++) {
        double at[3];
        see_corner(q, piece->extreme[k], at);
        *out = !is_beyond(sweep, at, q->err);
    }
    return status;
}

/* A coarse test of a whole group: the middle of its box, within half its diagonal. */
static bool may_hold_group(const question *q, const struct bvpi_piece_group *group)
{
    const bvpi_placement *placement = &q->inner->part.at.placement;
    double centre[3], world[3], half_sq = 0;
    for (int i = 0; i < 3; i++) {
        const double half = 0.5 * ((double)group->hi[i] - (double)group->lo[i]);
        centre[i] = (double)group->lo[i] + half;
        half_sq += half * half;
    }
    bvpi_placement_point_to_world(placement, centre, world);
    const double radius = sqrt(half_sq) * placement->size_max * (1 + 0x1p-48);
    return bvpi_clash_is_in_box(&q->outer->part, world, radius + q->slack);
}

/* ---- points ---------------------------------------------------------------------------------- */

bvp_status bvpi_clash_ask_point(const bvpi_clash_item *outer, const bvpi_clash_point *at,
                                bvpi_where *out, bool *told)
{
    bvpi_closest_query query;
    bvp_status status = bvpi_clash_nearest(outer, at->point, at->gap, &query);
    *out = BVPI_OUTSIDE;
    *told = !query.best.found;
    if (status == BVP_OK && *told)
        status = bvpi_clash_where(outer, at->point, out);
    if (status == BVP_OK && *told && outer->is_open && *out != BVPI_OUTSIDE) {
        /* Rays do not call the point outside an open part. If that is closed except for cracks, the
         * winding number may prove that the point is inside. Everything else is UNSURE, including a
         * winding number of 0: a point that near a crack may reach through it. */
        status = bvpi_clash_winding(outer, at->point, at->slack, at->crack, out);
        if (*out != BVPI_INSIDE)
            *out = BVPI_UNSURE;
        return status;
    }
    *told = *told && *out != BVPI_UNSURE;
    return status;
}

static bvp_status ask_point(const question *q, const double point[3], bvpi_where *out, bool *told)
{
    const bvpi_clash_point at = {point, q->slack, q->gap, q->crack};
    return bvpi_clash_ask_point(q->outer, &at, out, told);
}

/* The first usable point decides for the whole piece. */
static bvp_status ask_piece(const question *q, const struct bvpi_piece *piece, bvpi_where *out,
                            bool *told)
{
    bvp_status status = BVP_OK;
    *told = false;
    for (int which = 0; which < POINTS && status == BVP_OK && !*told; which++) {
        double point[3];
        if (which < EXTREMES)
            bvpi_clash_place_corner(q->inner, piece->extreme[which], point);
        else if (which < POINTS - 1)
            bvpi_clash_place_corner(q->inner, piece->corners + 3 * (which - EXTREMES), point);
        else
            place_middle(q->inner, piece->corners, point);
        status = ask_point(q, point, out, told);
    }
    return status;
}

/* For pieces whose own points are all on the other surface, as where a piece fills a corner or a
 * hole. One middle inside decides; one outside decides only if there is a single piece. */
static bvp_status ask_middles(const question *q, bool is_one, bvpi_where *out)
{
    const bvpi_clash_item *inner = q->inner;
    const uint64_t total = inner->part.part.triangle_count, step = total / MIDDLES_ASKED + 1;
    bvp_status status = BVP_OK;
    for (uint64_t i = 0; i < total && status == BVP_OK; i += step) {
        if (!bvpi_meter_step(inner->meter))
            return BVP_ERR_CANCELLED;
        float c[9];
        uint64_t count;
        double point[3];
        bool told;
        status = bvp_get_triangles(inner->file, inner->part.part_idx, (bvp_range){i, 1}, c, NULL,
                                   &count);
        if (status != BVP_OK)
            break;
        place_middle(inner, c, point);
        *out = BVPI_OUTSIDE;
        told = !bvpi_clash_is_in_box(&q->outer->part, point, q->slack);
        if (!told)
            status = ask_point(q, point, out, &told);
        if (told && (is_one || *out != BVPI_OUTSIDE))
            return status;
    }
    *out = BVPI_ALONG;
    return status;
}

/* Tests the pieces until one is not outside. *all_told: every other piece is certainly outside. */
static bvp_status ask_pieces(const question *q, const bvpi_pieces *pieces, bvpi_where *out,
                             bool *all_told)
{
    bvp_status status = BVP_OK;
    uint32_t asked = 0;
    *all_told = !pieces->is_sampled;
    *out = BVPI_OUTSIDE;
    for (uint32_t i = 0; i < pieces->count && status == BVP_OK && *out == BVPI_OUTSIDE; i++) {
        bool told = false;
        if (!bvpi_meter_step(q->inner->meter))
            return BVP_ERR_CANCELLED;
        if (i % BVPI_PIECE_GROUP == 0 && pieces->count > BVPI_PIECE_GROUP &&
            !may_hold_group(q, &pieces->groups[i / BVPI_PIECE_GROUP])) {
            i += BVPI_PIECE_GROUP - 1;
            continue;
        }
        bool may_be_inside = may_hold(q, &pieces->at[i]);
        if (may_be_inside)
            status = may_sweep_hold(q, &pieces->at[i], &may_be_inside);
        if (status != BVP_OK || !may_be_inside)
            continue;
        if (asked++ < PIECES_ASKED)
            status = ask_piece(q, &pieces->at[i], out, &told);
        if (!told)
            *out = BVPI_OUTSIDE;
        *all_told = *all_told && told;
    }
    return status;
}

static bvp_status holds(const question *q, bvpi_where *out)
{
    const bvpi_clash_item *inner = q->inner;
    assert(q->gap >= q->slack);
    const bvp_control *control = inner->meter != NULL ? inner->meter->control : NULL;
    const bvpi_pieces *pieces;
    bool all_told = true;
    *out = BVPI_OUTSIDE;
    bvp_status status = bvpi_pieces_get(inner->pieces, inner->part.part_idx, control, &pieces);
    if (status == BVP_OK)
        status = ask_pieces(q, pieces, out, &all_told);
    if (status == BVP_OK && *out == BVPI_OUTSIDE && !all_told)
        status = ask_middles(q, pieces->count == 1, out);
    return status;
}

bvp_status bvpi_clash_enclosed(const bvpi_clash_item *a, const bvpi_clash_item *b, double gap,
                               double crack, bvpi_where *out)
{
    *out = BVPI_OUTSIDE;
    if (!bvpi_clash_is_near(&a->bounds, &b->bounds, 0))
        return BVP_OK;
    question q;
    bvpi_where other;
    question_init(&q, a, b, gap, crack);
    bvp_status status = holds(&q, out);
    if (status != BVP_OK || (*out != BVPI_OUTSIDE && *out != BVPI_ALONG))
        return status;
    question_init(&q, b, a, gap, crack);
    status = holds(&q, &other);
    if (status == BVP_OK && other != BVPI_OUTSIDE)
        *out = other;
    return status;
}
