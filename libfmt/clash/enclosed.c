/* SPDX-License-Identifier: MIT
 * enclosed.c: is one of two parts whose surfaces do not meet inside the other?
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#include "clash/judge.h"

#include <math.h>

/* A connected surface that does not meet another one is inside it with all points or with none, so
 * one point of each piece is enough, if rounding cannot have taken it across. "Outside" is said
 * only where every piece has such a point; where one has none the answer is BVPI_ALONG. */

/* Of a piece: its extreme corners; its first triangle's corners and middle. */
enum { EXTREMES = 6, POINTS = EXTREMES + 4 };

/* So many pieces are asked for points, and middles of so many triangles, spread over the part. */
enum { PIECES_ASKED = 4096, MIDDLES_ASKED = 4096 };

/* One question: `inner` in `outer`. */
typedef struct question {
    const bvpi_clash_item *outer, *inner;
    double slack; /* of inner's points */
    double gap;   /* >= slack: points so near to outer's surface tell nothing */
    double crack; /* of outer: no wider ones let anything through */
} question;

/* From the placed corners: a middle rounded to floats might lie across the other's surface. */
static void place_middle(const bvpi_clash_item *item, const float tri[9], double out[3])
{
    double c[9];
    for (int k = 0; k < 9; k += 3)
        bvpi_clash_place_corner(item, tri + k, c + k);
    bvpi_clash_middle(c, out);
}

static void point_of(const bvpi_clash_item *item, const struct bvpi_piece *piece, int which,
                     double out[3])
{
    if (which < EXTREMES)
        bvpi_clash_place_corner(item, piece->extreme[which], out);
    else if (which < POINTS - 1)
        bvpi_clash_place_corner(item, piece->corners + 3 * (which - EXTREMES), out);
    else
        place_middle(item, piece->corners, out);
}

/* What is all inside has its corners inside the box. */
static bool may_hold(const question *q, const struct bvpi_piece *piece)
{
    for (int k = 0; k < EXTREMES; k++) {
        double point[3];
        bvpi_clash_place_corner(q->inner, piece->extreme[k], point);
        if (!bvpi_clash_is_in_box(&q->outer->part, point, q->slack))
            return false;
    }
    return true;
}

/* The middle of a group's box, give or take half its diagonal, is all that is asked. */
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

/* A point that rays do not say to be outside of an open part. If that is closed but for cracks, it
 * may be certain to be inside; else it may leave through the opening: nobody can tell. Nor of one
 * that is outside after all: what is so near a crack may reach through it. */
static bvp_status ask_open(const question *q, const double point[3], bvpi_where *out)
{
    const bvp_status status = bvpi_clash_winding(q->outer, point, q->slack, q->crack, out);
    if (*out != BVPI_INSIDE)
        *out = BVPI_UNSURE;
    return status;
}

/* A point of inner, perhaps on outer's surface. *told: where it is decides. */
static bvp_status ask_point(const question *q, const double point[3], bvpi_where *out, bool *told)
{
    bvpi_closest_query query;
    bvp_status status = bvpi_clash_nearest(q->outer, point, q->gap, &query);
    *out = BVPI_OUTSIDE;
    *told = !query.best.found;
    if (status == BVP_OK && *told)
        status = bvpi_clash_where(q->outer, point, out);
    if (status == BVP_OK && *told && q->outer->is_open && *out != BVPI_OUTSIDE)
        return ask_open(q, point, out);
    *told = *told && *out != BVPI_UNSURE;
    return status;
}

/* The first point that tells decides. */
static bvp_status ask_piece(const question *q, const struct bvpi_piece *piece, bvpi_where *out,
                            bool *told)
{
    bvp_status status = BVP_OK;
    *told = false;
    for (int which = 0; which < POINTS && status == BVP_OK && !*told; which++) {
        double point[3];
        point_of(q->inner, piece, which, point);
        status = ask_point(q, point, out, told);
    }
    return status;
}

/* Where pieces' own points lie on the other's surface: a piece may fill a corner, or a hole. One
 * middle that is inside decides; one that is not, too, if there is no other piece. */
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
        status = bvp_get_triangles(inner->file, inner->part.part_idx, i, 1, c, NULL, &count);
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

/* Asks the pieces until one is not outside. *all_told: the others are outside. */
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
        if (!may_hold(q, &pieces->at[i]))
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
    const question b_in_a = {a, b, b->slack, fmax(gap, b->slack), crack};
    const question a_in_b = {b, a, a->slack, fmax(gap, a->slack), crack};
    bvpi_where other;
    bvp_status status = holds(&b_in_a, out);
    if (status != BVP_OK || (*out != BVPI_OUTSIDE && *out != BVPI_ALONG))
        return status;
    status = holds(&a_in_b, &other);
    if (other != BVPI_OUTSIDE)
        *out = other;
    return status;
}
