/* SPDX-License-Identifier: MIT
 * convex_query.c: a convex body in the coordinates of a hierarchy, and which triangle is kept as
 * the nearest.
 *
 * The answer is unique unless the bodies touch: least distance, then least instance, then least
 * triangle.
 *
 * Slow twin: brute force over all triangles, tests/property/test_convex.c.
 * Spec: exactness.md, chapter 13
 */
#include "query/near/convex_query.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "node/turn.h"

bvp_status bvpi_convex_query_init(bvpi_convex_query *query, const bvp_convex *convex,
                                  bvpi_convex_mode mode, double most)
{
    memset(query, 0, sizeof *query);
    query->mode = mode;
    query->most = query->limit = most;
    const bvp_status status = bvpi_convex_init(&query->convex, convex);
    return most >= 0 ? status : BVP_ERR_ARGUMENT;
}

/* ---- bounds before placement ----------------------------------------------------------------- */

/* Row a of the map from the world to a part, or to the frame of its turned grid (turn; or NULL). */
static void inverse_row(const bvpi_placement *placement, const bvpi_turn *turn, int a,
                        double row[3], double row_err[3])
{
    for (int i = 0; i < 3; i++) {
        row[i] = row_err[i] = 0;
        for (int k = 0; k < 3; k++) {
            const double share = turn != NULL ? turn->m[3 * a + k] : a == k;
            const double entry = placement->inverse[3 * k + i];
            row[i] += share * entry;
            if (share != 0)
                row_err[i] += placement->inverse_err[3 * k + i] + fabs(entry) * 0x1p-49;
        }
    }
}

/* Bounds along the axes of a part, or of the frame of its turned grid: the centre there, and how
 * far the body reaches along rows of the inverse. */
static void bounds_of(const bvpi_convex *convex, const bvpi_placement *placement,
                      const bvpi_turn *turn, double lo[3], double hi[3])
{
    double part[3], centre[3], err[3];
    bvpi_placement_point_to_part(placement, convex->centre, part, err);
    memcpy(centre, part, sizeof part);
    if (turn != NULL) {
        bvpi_turn_point(turn, part, centre);
        err[0] = err[1] = err[2] =
            err[0] + err[1] + err[2] + (fabs(part[0]) + fabs(part[1]) + fabs(part[2])) * 0x1p-49;
    }
    for (int a = 0; a < 3; a++) {
        double row[3], row_err[3], span[2];
        inverse_row(placement, turn, a, row, row_err);
        bvpi_convex_extent(convex, row, row_err, span);
        const double slack = err[a] + fabs(centre[a]) * 0x1p-50;
        lo[a] = centre[a] + span[0] - slack - fabs(span[0]) * 0x1p-50;
        hi[a] = centre[a] + span[1] + slack + fabs(span[1]) * 0x1p-50;
    }
}

static float float_below(double x)
{
    return (float)(x - fabs(x) * 0x1p-23 - 0x1p-148);
}

void bvpi_convex_part_bounds(const bvpi_convex *convex, const bvpi_placement *placement,
                             float lo[3], float hi[3])
{
    double from[3], to[3];
    bounds_of(convex, placement, NULL, from, to);
    for (int a = 0; a < 3; a++) {
        lo[a] = float_below(from[a]);
        hi[a] = -float_below(-to[a]);
    }
}

/* ---- onto the grid --------------------------------------------------------------------------- */

/* The body's own axis j, as a unit vector n of the world: a point of the grid lies at n . (M x -
 * centre) along it, in units of `length`. False: floats cannot hold it. */
static bool add_axis(const bvpi_convex *convex, const bvpi_placed_tree *at, const bvpi_turn *turn,
                     int j, bvpi_grid_convex *out)
{
    static const double exact[3] = {0};
    const bvpi_tree *tree = &at->tree;
    const double *m = at->placement.m, *l = convex->placement.m;
    double n[3], row[3] = {0}, turned[3], size[3] = {0}, span[2], offset = 0, terms = 0;
    const double length =
        sqrt(l[j] * l[j] + l[4 + j] * l[4 + j] + l[8 + j] * l[8 + j]) * out->length;
    double extent = 0, all = 0;
    for (int i = 0; i < 3; i++) {
        n[i] = l[4 * i + j] / length;
        const double moved = m[4 * i + 3] - convex->centre[i];
        offset += n[i] * moved;
        terms += fabs(n[i] * moved);
        for (int k = 0; k < 3; k++) {
            row[k] += n[i] * m[4 * i + k];
            size[k] += fabs(n[i] * m[4 * i + k]);
        }
    }
    memcpy(turned, row, sizeof row);
    if (turn != NULL)
        bvpi_turn_point(turn, row, turned);
    for (int k = 0; k < 3; k++)
        all += size[k];
    for (int k = 0; k < 3; k++) {
        offset += turned[k] * tree->grid_origin[k];
        terms += all * (at->bound[k] + fabs(tree->grid_origin[k]) + at->slack * 0x1p40);
        out->n[j][k] = (float)(turned[k] * tree->grid_unit);
        extent += (fabs(turned[k]) + all * 0x1p-40) * tree->grid_unit * tree->grid_extent[k];
    }
    bvpi_convex_extent(convex, n, exact, span);
    out->n[j][3] = (float)offset;
    const double slack =
        terms * 0x1p-40 + (extent + fabs(offset) + fabs(span[0]) + fabs(span[1])) * 0x1p-20;
    out->from[j] = (float)(span[0] - slack);
    out->to[j] = (float)(span[1] + slack);
    return slack < 0x1p60; /* also if it is not a number */
}

/* The body as a point, its centre, and how far it reaches from there towards the grid. */
static void set_far(const bvpi_convex *convex, const bvpi_placed_tree *at, const bvpi_turn *turn,
                    bvpi_grid_convex *out)
{
    const bvpi_tree *tree = &at->tree;
    double c[3], part[3], err[3], d[3] = {0}, d_err[3] = {0}, span[2], error = 0;
    bvpi_placement_point_to_part(&at->placement, convex->centre, part, err);
    const double most =
        bvpi_turned_point(tree, part, fmax(err[0], fmax(err[1], err[2])), c) + at->slack;
    for (int a = 0; a < 3; a++) {
        c[a] = (c[a] - tree->grid_origin[a]) / tree->grid_unit;
        error = fmax(error, most / tree->grid_unit + fabs(c[a]) * 0x1p-52);
    }
    bvpi_grid_point_init(&out->point, c, error, tree->grid_extent, out->length);
    /* with n the unit vector to the grid, |x - k| >= n . (x - centre) - n . (k - centre) */
    for (int a = 0; a < 3; a++) {
        double row[3], row_err[3];
        inverse_row(&at->placement, turn, a, row, row_err);
        for (int i = 0; i < 3; i++) {
            d[i] += (double)out->point.n[a] * row[i] / tree->grid_unit;
            /* n is in floats */
            d_err[i] += (row_err[i] + fabs(row[i]) * 0x1p-22) / tree->grid_unit;
        }
    }
    bvpi_convex_extent(convex, d, d_err, span);
    out->point.base -= span[1] * BVPI_ROUND_UP;
    out->radius =
        out->point.is_far ? 0 : sqrt(bvpi_dot(convex->size, convex->size)) * BVPI_ROUND_UP;
}

void bvpi_convex_grid(const bvpi_convex *convex, const bvpi_placed_tree *at, bvpi_grid_convex *out)
{
    const bvpi_tree *tree = &at->tree;
    double lo[3], hi[3], radius = 0;
    bvpi_turn turned;
    const bvpi_turn *turn = tree->is_turned ? &turned : NULL;
    if (turn != NULL)
        bvpi_turn_init(tree->turn, &turned);
    out->length = tree->grid_unit * at->placement.size_min * (1 - 0x1p-50);
    bounds_of(convex, &at->placement, turn, lo, hi);
    for (int a = 0; a < 3; a++) {
        lo[a] = (lo[a] - at->slack - tree->grid_origin[a]) / tree->grid_unit;
        hi[a] = (hi[a] + at->slack - tree->grid_origin[a]) / tree->grid_unit;
        /* no box ends beyond the grid: so a large body need not either */
        const double below = -1 - (double)tree->grid_extent[a], above = -2 * below;
        if (lo[a] < below && hi[a] > below)
            lo[a] = below;
        if (hi[a] > above && lo[a] < above)
            hi[a] = above;
        radius = bvpi_larger(radius, bvpi_larger(fabs(lo[a]), fabs(hi[a])));
    }
    out->is_far = !(radius < 0x1p34);
    for (int a = 0; a < 3; a++) {
        out->lo[a] = (float)(lo[a] - radius * 0x1p-21);
        out->hi[a] = (float)(hi[a] + radius * 0x1p-21);
    }
    /* axes of a sheared body are not orthogonal, and gaps along them do not add up */
    out->axis_count = convex->placement.is_similar ? 3 : 0;
    for (int j = 0; j < 3 && out->axis_count != 0; j++)
        if (!add_axis(convex, at, turn, j, out))
            out->axis_count = 0;
    if (out->is_far)
        set_far(convex, at, turn, out);
}

/* ---- answers --------------------------------------------------------------------------------- */

static bool is_nearer(const bvp_distance_result *best, double distance, uint32_t instance,
                      uint64_t triangle)
{
    if (distance != best->distance)
        return distance < best->distance;
    if (instance != best->a.instance)
        return instance < best->a.instance;
    return triangle < best->a.triangle;
}

/* The triangle's distance is in lo .. hi. If that interval contains `most`, it counts. */
void bvpi_convex_query_hit(bvpi_convex_query *query, const bvpi_placed_part *part,
                           const bvpd_cluster *cluster, uint32_t local,
                           const bvpi_convex_tri *found)
{
    bvp_distance_result *best = &query->best;
    const double distance =
        query->mode == BVPI_CONVEX_NEAREST ? bvpi_smaller(found->hi, query->most) : found->hi;
    const uint64_t triangle = (uint64_t)cluster->first_triangle + local;
    if (!(found->lo <= query->limit) || !(found->hi < INFINITY))
        return; /* also what is not a number, in a damaged file */
    if (query->mode == BVPI_CONVEX_ALL) {
        bvp_hit_id id;
        query->count++;
        if (query->each) {
            bvpi_hit_id_of(part, cluster, local, &id);
            query->is_done = query->each(query->user, &id) != 0;
        }
        return;
    }
    const double lower = best->found ? bvpi_smaller(best->lower, found->lo) : found->lo;
    if (best->found && !is_nearer(best, distance, part->instance, triangle)) {
        best->lower = lower; /* its interval overlaps the nearest one's */
        return;
    }
    best->found = 1;
    best->distance = distance;
    best->lower = lower;
    memcpy(best->point_a, found->point_tri, sizeof best->point_a);
    memcpy(best->point_b, found->point_convex, sizeof best->point_b);
    bvpi_hit_id_of(part, cluster, local, &best->a);
    best->b = (bvp_hit_id){BVP_NONE, BVP_NONE, BVP_NO_TRIANGLE, BVP_NO_TRIANGLE};
    query->limit = bvpi_smaller(query->limit, distance);
    query->is_done = query->mode == BVPI_CONVEX_ANY || distance == 0;
}
