/* SPDX-License-Identifier: MIT
 * overlap.c: regions of the world in the coordinates of a hierarchy.
 *
 * A region becomes bounds in grid steps, half spaces or a ball there, all rounded outward: each may
 * only leave out boxes that certainly do not meet it. Whether a triangle meets the region is then
 * decided exactly, in the world (bvpi_region_holds).
 *
 * Slow twin: brute force over all triangles, tests/property/test_overlap.c.
 * Spec: exactness.md, chapters 9 and 10, "Boxes and regions"
 */
#include "query/near/overlap.h"

#include <assert.h>
#include <math.h>

#include "node/turn.h"
#include "prim/tri_ball.h"
#include "prim/tri_box.h"

static bool copy_finite(double *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
        if (!isfinite(to[i]))
            return false;
    }
    return true;
}

bvp_status bvpi_region_init(bvpi_region *r, bvp_region given)
{
    bool sound = false;
    *r = (bvpi_region){.kind = given.kind};
    switch (given.kind) {
    case BVP_REGION_BOX:
        sound = given.lo && given.hi && copy_finite(r->lo, given.lo, 3) &&
                copy_finite(r->hi, given.hi, 3) && r->lo[0] <= r->hi[0] && r->lo[1] <= r->hi[1] &&
                r->lo[2] <= r->hi[2];
        break;
    case BVP_REGION_BALL:
        r->radius = given.radius;
        sound = given.centre && copy_finite(r->centre, given.centre, 3) && isfinite(r->radius) &&
                r->radius >= 0;
        break;
    case BVP_REGION_CONVEX:
        r->planes = given.planes;
        r->plane_count = given.plane_count;
        sound = given.planes && given.plane_count >= 1 && given.plane_count <= BVPI_REGION_PLANES;
        for (uint32_t i = 0; sound && i < given.plane_count; i++) {
            double n[4];
            sound =
                copy_finite(n, given.planes + 4 * i, 4) && (n[0] != 0 || n[1] != 0 || n[2] != 0);
        }
        break;
    }
    return sound ? BVP_OK : BVP_ERR_ARGUMENT;
}

/* ---- bounds before placement ----------------------------------------------------------------- */

/* Bounds in part coordinates. A box, and a ball, is what lies within `half` of `centre` in the
 * world: along each axis, or by the length of the vector. */
static void bounds_of(const bvpi_region *r, const bvpi_placement *placement, double lo[3],
                      double hi[3])
{
    double centre[3], half[3], c[3], err[3];
    const bool ball = r->kind == BVP_REGION_BALL;
    for (int a = 0; a < 3; a++) {
        switch (r->kind) {
        case BVP_REGION_BOX: /* half covers the centre's rounding */
            centre[a] = r->lo[a] / 2 + r->hi[a] / 2;
            half[a] = r->hi[a] / 2 - r->lo[a] / 2 + (fabs(r->lo[a]) + fabs(r->hi[a])) * 0x1p-51;
            break;
        case BVP_REGION_BALL:
            centre[a] = r->centre[a];
            half[a] = r->radius;
            break;
        case BVP_REGION_CONVEX: /* its planes must do */
            lo[a] = -INFINITY;
            hi[a] = INFINITY;
            break;
        }
    }
    if (r->kind == BVP_REGION_CONVEX)
        return;
    assert(half[0] >= 0 && half[1] >= 0 && half[2] >= 0); /* bvpi_region_check */
    bvpi_placement_point_to_part(placement, centre, c, err);
    /* How far the region reaches along part axis a: row a of the inverse times `half`. Of a box
     * that is the sum of magnitudes, of a ball the row's length times the radius. */
    for (int a = 0; a < 3; a++) {
        double sum = 0;
        for (int b = 0; b < 3; b++) {
            const double reach =
                (fabs(placement->inverse[3 * a + b]) + placement->inverse_err[3 * a + b]) *
                half[b] * (1 + 0x1p-50);
            sum = ball ? sqrt(sum * sum + reach * reach) * (1 + 0x1p-50) : sum + reach;
        }
        const double slack = sum * 0x1p-48 + fabs(c[a]) * 0x1p-50 + err[a];
        lo[a] = c[a] - sum - slack;
        hi[a] = c[a] + sum + slack;
    }
}

/* ---- onto the grid --------------------------------------------------------------------------- */

static float float_below(double x)
{
    return (float)(x - fabs(x) * 0x1p-23 - 0x1p-148);
}

/* A plane's normal in the frame of a turned grid. size: what its components are sums of; a row of a
 * rotation has at most the length 1, so each new one is at most all of them. */
static void turn_plane(const bvpi_tree *tree, double normal[3], double size[3])
{
    const double all = size[0] + size[1] + size[2];
    double turned[3];
    bvpi_turned_point(tree, normal, 0, turned);
    memcpy(normal, turned, sizeof turned);
    size[0] = size[1] = size[2] = all;
}

/* The bounds of a box of the part in the frame of a turned grid. */
static void turn_bounds(const bvpi_tree *tree, double lo[3], double hi[3])
{
    bvpi_turn turn;
    double centre[3], half[3], turned[3];
    double terms = 0;
    for (int a = 0; a < 3; a++) {
        centre[a] = lo[a] / 2 + hi[a] / 2;
        half[a] = hi[a] / 2 - lo[a] / 2;
        terms += fabs(lo[a]) + fabs(hi[a]);
    }
    bvpi_turn_init(tree->turn, &turn);
    bvpi_turn_point(&turn, centre, turned);
    for (int i = 0; i < 3; i++) {
        double reach = terms * 0x1p-48;
        for (int j = 0; j < 3; j++)
            reach += fabs(turn.m[3 * i + j]) * half[j];
        /* also where there are no bounds, or numbers overflow */
        const bool known = reach < INFINITY && fabs(turned[i]) < INFINITY;
        lo[i] = known ? turned[i] - reach : -INFINITY;
        hi[i] = known ? turned[i] + reach : INFINITY;
    }
}

/* A half space of the world, as one of grid steps. In part coordinates it is n M x + (n t + d) >=
 * 0; dividing by the largest component makes it one of moderate floats. Without a plane more boxes
 * may meet the region, so one that floats cannot hold is left out. */
static void add_plane(const bvpi_placed_tree *at, const double n[3], double d,
                      bvpi_grid_region *out)
{
    const bvpi_tree *tree = &at->tree;
    const double *m = at->placement.m;
    double grid_n[3], part_n[3] = {0}, size[3] = {0};
    double offset = d, terms = fabs(d), largest = 0, extent = 0, slack = 0;
    for (int a = 0; a < 3; a++) {
        offset += n[a] * m[4 * a + 3];
        terms += fabs(n[a] * m[4 * a + 3]);
        for (int j = 0; j < 3; j++) {
            part_n[j] += n[a] * m[4 * a + j];
            size[j] += fabs(n[a] * m[4 * a + j]);
        }
    }
    if (tree->is_turned)
        turn_plane(tree, part_n, size);
    for (int j = 0; j < 3; j++) {
        offset += part_n[j] * tree->grid_origin[j];
        terms += size[j] * (at->bound[j] + fabs(tree->grid_origin[j]));
        slack += size[j] * at->slack;
        grid_n[j] = part_n[j] * tree->grid_unit;
        largest = fmax(largest, fabs(grid_n[j]));
        extent += tree->grid_extent[j];
    }
    const double error = terms * 0x1p-47 + slack;
    if (!(largest > 0) || !isfinite(offset / largest)) /* nothing can be told in floats */
        return;
    assert(out->plane_count < BVPI_REGION_PLANES);
    float *plane = out->plane[out->plane_count++];
    for (int j = 0; j < 3; j++)
        plane[j] = (float)(grid_n[j] / largest);
    const double where = offset / largest;
    plane[3] = (float)(where + (extent + fabs(where)) * 0x1p-20 + error / largest);
}

void bvpi_region_grid(const bvpi_region *region, const bvpi_placed_tree *at, bvpi_grid_region *out,
                      float part_lo[3], float part_hi[3])
{
    const bvpi_tree *tree = &at->tree;
    double lo[3], hi[3];
    out->plane_count = 0;
    out->is_ball = 0;

    /* bounds along the grid's axes, a step wider; for triangles in part coordinates */
    bounds_of(region, &at->placement, lo, hi);
    for (int a = 0; a < 3; a++) {
        part_lo[a] = float_below(lo[a]);
        part_hi[a] = -float_below(-hi[a]);
    }
    if (tree->is_turned)
        turn_bounds(tree, lo, hi);
    for (int a = 0; a < 3; a++) {
        const double from = (lo[a] - at->slack - tree->grid_origin[a]) / tree->grid_unit;
        const double to = (hi[a] + at->slack - tree->grid_origin[a]) / tree->grid_unit;
        out->lo[a] = (float)(from - fabs(from) * 0x1p-22 - 1);
        out->hi[a] = (float)(to + fabs(to) * 0x1p-22 + 1);
    }

    /* the planes of a convex region, or the faces of a box that is not parallel to the grid */
    if (region->kind == BVP_REGION_CONVEX)
        for (uint32_t i = 0; i < region->plane_count; i++)
            add_plane(at, region->planes + 4 * i, region->planes[4 * i + 3], out);
    if (region->kind == BVP_REGION_BOX && (!at->placement.is_identity || tree->is_turned))
        for (int a = 0; a < 3; a++) {
            const double inward[3] = {a == 0, a == 1, a == 2},
                         outward[3] = {-(a == 0), -(a == 1), -(a == 2)};
            add_plane(at, inward, -region->lo[a], out);
            add_plane(at, outward, region->hi[a], out);
        }
    if (region->kind != BVP_REGION_BALL)
        return;

    /* a ball's boxes: those that are not farther from its centre than the radius */
    double c[3], part[3], err[3], error = 0;
    bvpi_placement_point_to_part(&at->placement, region->centre, part, err);
    const double most =
        bvpi_turned_point(tree, part, fmax(err[0], fmax(err[1], err[2])), c) + at->slack;
    for (int a = 0; a < 3; a++) {
        c[a] = (c[a] - tree->grid_origin[a]) / tree->grid_unit;
        error = fmax(error, most / tree->grid_unit + fabs(c[a]) * 0x1p-52);
    }
    bvpi_grid_point_init(&out->centre, c, error, tree->grid_extent,
                         tree->grid_unit * at->placement.size_min * (1 - 0x1p-50));
    out->is_ball = 1;
    out->key_limit = bvpi_grid_point_limit(&out->centre, region->radius);
}

/* ---- triangles ------------------------------------------------------------------------------- */

bool bvpi_region_holds(const bvpi_region *region, const bvpi_placement *placement,
                       const float tri[9])
{
    const double *m = placement->is_identity ? NULL : placement->m;
    switch (region->kind) {
    case BVP_REGION_BOX:
        return bvpi_tri_meets_box(tri, m, region->lo, region->hi);
    case BVP_REGION_BALL:
        return bvpi_tri_meets_ball(tri, m, region->centre, region->radius);
    case BVP_REGION_CONVEX:
        return bvpi_tri_meets_region(tri, m, region->planes, region->plane_count);
    }
    return false;
}

void bvpi_overlap_query_hit(bvpi_overlap_query *query, const bvpi_placed_part *part,
                            const bvpd_cluster *cluster, uint32_t local)
{
    bvp_hit_id id;
    query->count++;
    if (!query->each)
        return;
    bvpi_hit_id_of(part, cluster, local, &id);
    query->stopped = query->each(query->user, &id) != 0;
}
