/* SPDX-License-Identifier: MIT
 * inside.c: where a point is, by counting what rays from it cross, with signs.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#include "clash/judge.h"

#include <math.h>

#include "node/cluster.h"
#include "query/ray.h"

/* Directions that no edge or face of a drawing runs along, spread so that a circle on the sphere
 * around five of them holds a third of it. */
enum { DIRECTIONS = 9, ENOUGH = 3 };
static const double directions[DIRECTIONS][3] = {
    {0.1381, 0.2713, 0.9525},  {-0.8117, 0.5639, 0.1523}, {0.3049, -0.9437, 0.1283},
    {-0.2297, -0.3671, 0.901}, {0.7793, 0.2153, -0.5885}, {-0.4129, 0.1879, -0.8912},
    {0.5501, 0.8011, 0.2357},  {-0.6421, -0.7129, 0.282}, {0.1733, -0.4441, -0.879},
};

/* What one ray has crossed. */
typedef struct tally {
    const double *direction;
    int sum;        /* out of the solid less into it */
    unsigned count; /* of crossings */
    bool grazes;    /* along a face, through an edge: it may be counted twice */
} tally;

#define GRAZING_COSINE 1e-6
#define GRAZING_BORDER 1e-9 /* barycentric */

static int count_hit(void *user, const bvp_ray_hit *hit)
{
    tally *t = user;
    const double cosine = hit->normal[0] * t->direction[0] + hit->normal[1] * t->direction[1] +
                          hit->normal[2] * t->direction[2];
    const double border = fmin(fmin(hit->u, hit->v), 1 - hit->u - hit->v);
    t->grazes = !(fabs(cosine) > GRAZING_COSINE) || !(border > GRAZING_BORDER);
    t->sum += cosine > 0 ? 1 : -1;
    t->count++;
    return t->grazes;
}

static bvp_status shoot(const bvpi_clash_item *item, const double point[3], int which, tally *out)
{
    bvp_ray ray = {.t_max = INFINITY};
    *out = (tally){.direction = directions[which]};
    for (int i = 0; i < 3; i++) {
        ray.origin[i] = point[i];
        ray.direction[i] = directions[which][i];
    }
    return bvpi_ray_part_hits(&item->part, item->file->isa, &ray, item->meter, count_hit, out);
}

/* What nine rays say of an open surface: outside, when half of them or more leave freely, which
 * five that do decide; inside, when none does. */
static bvpi_where weigh(const unsigned votes[2])
{
    if (votes[1] <= votes[0])
        return BVPI_OUTSIDE;
    return votes[0] == 0 ? BVPI_INSIDE : BVPI_UNSURE;
}

/* Of a closed surface whose faces all look outward one good ray tells: the count's parity and the
 * signs agree. Else three of one opinion are needed. */
bvp_status bvpi_clash_where(const bvpi_clash_item *item, const double point[3], bvpi_where *out)
{
    unsigned votes[2] = {0, 0};
    *out = BVPI_UNSURE;
    for (int k = 0; k < DIRECTIONS; k++) {
        tally t;
        const bvp_status status = shoot(item, point, k, &t);
        if (status != BVP_OK)
            return status;
        if (t.grazes)
            continue;
        const bool is_in = t.sum != 0;
        votes[is_in] += item->is_sound && is_in == (t.count % 2 != 0) ? ENOUGH : 1;
        if (item->is_open && votes[0] > DIRECTIONS / 2)
            break;
        if (!item->is_open && votes[is_in] >= ENOUGH) {
            *out = is_in ? BVPI_INSIDE : BVPI_OUTSIDE;
            return BVP_OK;
        }
    }
    if (item->is_open && votes[0] + votes[1] > 0)
        *out = weigh(votes);
    return BVP_OK;
}

bvp_status bvpi_clash_nearest(const bvpi_clash_item *item, const double point[3], double limit,
                              bvpi_closest_query *query)
{
    const bvp_status status = bvpi_closest_query_init(query, point, limit);
    query->meter = item->meter;
    if (status != BVP_OK)
        return status;
    return BVPI_ISA_CHOOSE(bvpi_closest_kernel, item->file->isa)->run_part(&item->part, query);
}

/* ---- one in another ---------------------------------------------------------------------------
 */

/* Before placement, with room for rounding: the box is the part's own, not the world's. */
bool bvpi_clash_is_in_box(const bvpi_placed_part *part, const double point[3])
{
    double local[3], err[3];
    bvpi_place_point_to_part(&part->at.place, point, local, err);
    for (int i = 0; i < 3; i++)
        if (local[i] + err[i] < (double)part->part.lo[i] ||
            local[i] - err[i] > (double)part->part.hi[i])
            return false;
    return true;
}

static bool boxes_meet(const bvpi_bounds *a, const bvpi_bounds *b)
{
    return bvpi_clash_is_near(a, b, 0);
}

bool bvpi_clash_sample(const bvpi_clash_item *item, uint32_t which, double point[3],
                       bvp_hit_id *hit, bvp_status *status)
{
    const bvpi_part *part = &item->part.part;
    const uint32_t count =
        part->cluster_count < BVPI_CLASH_SAMPLES ? part->cluster_count : BVPI_CLASH_SAMPLES;
    bvpi_cluster cluster;
    float tri[9];
    if (which >= count)
        return false;
    if (!bvpi_cluster_at(part, (uint32_t)((uint64_t)which * part->cluster_count / count),
                         &cluster)) {
        *status = BVP_ERR_CORRUPT;
        return false;
    }
    bvpi_cluster_triangle(&cluster, 0, tri);
    bvpi_clash_place_corner(item, tri, point);
    bvpi_hit_id_of(&item->part, &cluster.head, 0, hit);
    return true;
}

/* Of a piece: its extreme corners; its first triangle's corners and middle. */
enum { EXTREMES = 6, POINTS = EXTREMES + 4 };

/* From the placed corners: a middle rounded to floats might lie across the other's surface. */
static void place_middle(const bvpi_clash_item *item, const float tri[9], double out[3])
{
    double c[9];
    for (int k = 0; k < 9; k += 3)
        bvpi_clash_place_corner(item, tri + k, c + k);
    for (int i = 0; i < 3; i++)
        out[i] = c[i] / 3 + c[3 + i] / 3 + c[6 + i] / 3;
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
static bool may_hold(const bvpi_clash_item *outer, const bvpi_clash_item *inner,
                     const struct bvpi_piece *piece)
{
    for (int k = 0; k < EXTREMES; k++) {
        double point[3];
        bvpi_clash_place_corner(inner, piece->extreme[k], point);
        if (!bvpi_clash_is_in_box(&outer->part, point))
            return false;
    }
    return true;
}

/* False: it lies on the surface, as far as anybody can tell. */
static bvp_status tells(const bvpi_clash_item *outer, const double point[3], double gap, bool *out)
{
    bvpi_closest_query query;
    const bvp_status status = bvpi_clash_nearest(outer, point, gap, &query);
    *out = !query.best.found;
    return status;
}

/* A point of a part that is not on the other's surface. *told: where it is decides. */
static bvp_status ask_point(const bvpi_clash_item *outer, const double point[3], double gap,
                            bvpi_where *out, bool *told)
{
    bvp_status status = tells(outer, point, gap, told);
    *out = BVPI_OUTSIDE;
    if (status == BVP_OK && *told)
        status = bvpi_clash_where(outer, point, out);
    *told = *told && (outer->is_open || *out != BVPI_UNSURE);
    return status;
}

/* The first point that tells decides. */
static bvp_status ask_piece(const bvpi_clash_item *outer, const bvpi_clash_item *inner,
                            const struct bvpi_piece *piece, double gap, bvpi_where *out, bool *told)
{
    bvp_status status = BVP_OK;
    *out = BVPI_OUTSIDE;
    *told = !may_hold(outer, inner, piece);
    for (int which = 0; which < POINTS && status == BVP_OK && !*told; which++) {
        double point[3];
        point_of(inner, piece, which, point);
        status = ask_point(outer, point, gap, out, told);
    }
    return status;
}

/* Of so many triangles, spread over the part, the middles are asked where a piece's own points lie
 * on the other's surface: it may fill a corner, or a hole. */
enum { MIDDLES_MOST = 4096 };

/* One that is inside decides; one that is not, too, if there is no other piece. If none tells the
 * part is on the surface, not behind it. */
static bvp_status ask_middles(const bvpi_clash_item *outer, const bvpi_clash_item *inner,
                              bool is_one, double gap, bvpi_where *out)
{
    const uint64_t total = inner->part.part.triangle_count, step = total / MIDDLES_MOST + 1;
    bvp_status status = BVP_OK;
    bool told = false;
    for (uint64_t i = 0; i < total && status == BVP_OK; i += step) {
        if (!bvpi_meter_step(inner->meter))
            return BVP_ERR_CANCELLED;
        float c[9];
        uint64_t count;
        double point[3];
        status = bvp_get_triangles(inner->file, inner->part.part_idx, i, 1, c, NULL, &count);
        if (status != BVP_OK)
            break;
        place_middle(inner, c, point);
        if (!bvpi_clash_is_in_box(&outer->part, point))
            continue;
        status = ask_point(outer, point, gap, out, &told);
        if (told && (is_one || *out != BVPI_OUTSIDE))
            return status;
    }
    *out = BVPI_OUTSIDE;
    return status;
}

/* What is in an open part may leave through the opening: nobody can tell. */
static bvp_status holds(const bvpi_clash_item *outer, const bvpi_clash_item *inner, double gap,
                        bvpi_where *out)
{
    const bvp_control *control = inner->meter != NULL ? inner->meter->control : NULL;
    const bvpi_pieces *pieces;
    bvp_status status = bvpi_pieces_get(inner->pieces, inner->part.part_idx, control, &pieces);
    bool all_told = true;
    *out = BVPI_OUTSIDE;
    for (uint32_t i = 0; status == BVP_OK && i < pieces->count && *out == BVPI_OUTSIDE; i++) {
        bool told;
        if (!bvpi_meter_step(inner->meter))
            return BVP_ERR_CANCELLED;
        status = ask_piece(outer, inner, &pieces->at[i], gap, out, &told);
        all_told = all_told && told;
    }
    if (status == BVP_OK && *out == BVPI_OUTSIDE && !all_told)
        status = ask_middles(outer, inner, pieces->count == 1, gap, out);
    if (*out == BVPI_INSIDE && outer->is_open)
        *out = BVPI_UNSURE;
    return status;
}

/* How far rounding takes a corner, in the world. */
static double blur_of(const bvpi_placed *at)
{
    const double *m = at->place.m;
    double most = 0;
    for (int i = 0; i < 3; i++) {
        double terms = fabs(m[4 * i + 3]);
        for (int k = 0; k < 3; k++)
            terms += fabs(m[4 * i + k]) * at->bound[k];
        most = fmax(most, terms);
    }
    return most * 0x1p-49;
}

/* A point that rounding may have taken across the other's surface must not decide. */
bvp_status bvpi_clash_enclosed(const bvpi_clash_item *a, const bvpi_clash_item *b, double gap,
                               bvpi_where *out)
{
    *out = BVPI_OUTSIDE;
    if (!boxes_meet(&a->bounds, &b->bounds))
        return BVP_OK;
    const double least = fmax(gap, fmax(blur_of(&a->part.at), blur_of(&b->part.at)));
    const bvp_status status = holds(a, b, least, out);
    return status == BVP_OK && *out == BVPI_OUTSIDE ? holds(b, a, least, out) : status;
}
