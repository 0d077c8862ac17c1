/* SPDX-License-Identifier: MIT
 * move_search.c: both bounds of a penetration depth, by a search over moves.
 *
 * From above: moves along the normals of contacts and out of the hulls are tried, by the exact
 * questions: are the bodies farther apart than a margin, and is no instance inside another? The
 * margin makes a move right for a caller whose placement is rounded otherwise. One that is free is
 * shortened by halving.
 *
 * From below: no move is free whose balls or boxes inside both overlap (move_cover.h). Cubes of
 * moves are looked at, the shortest first. One that is not covered is probed by the move in its
 * middle: where the surfaces meet there, a ball or box is put into each of them, from inside, which
 * often covers the cube; or else the move may be a shorter one that is free. What is still not
 * covered is split. The shortest move of the first cube that is given up is the bound.
 *
 * Slow twin: brute force over moves, tests/property/test_penetration.c.
 * Spec: exactness.md, chapter 12, "Penetration"
 * Measured: decisions.md, "Penetration of two bodies"
 */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "clash/penetration.h"

enum { HALVINGS = 6, LAST_HALVINGS = 8 };
#define NEAR (1 - 0x1p-12) /* of the upper bound: it need not be halved any more */

/* What the search may cost. Large parts may cost more probes, since their hulls and contacts take
 * long anyway. */
enum { PROBES_LEAST = 16, PROBES_MOST = 64, TRIANGLES_A_PROBE = 1500, CELLS_MOST = 4096 };
enum { SPREAD = 2 }; /* faces of a part that get a box before the first probe */

#define ENOUGH   0.95    /* of the upper bound: the lower one need not be nearer */
#define SMALLEST 0x1p-10 /* of the upper bound: smaller cubes are given up */
#define FINEST   0x1p-6  /* the same, of the cube's shortest move */

/* ---- from above ------------------------------------------------------------------------------ */

void bvpi_penetration_keep_way(bvpi_penetration *p, const double way[3], double sign)
{
    const double size = sqrt(bvpi_dot(way, way));
    double unit[3];
    if (p->way_count == BVPI_PENETRATION_WAYS || !(size > 0))
        return;
    for (int i = 0; i < 3; i++)
        unit[i] = sign * way[i] / size;
    for (unsigned k = 0; k < p->way_count; k++)
        if (bvpi_dot(p->ways[k], unit) > 0.99)
            return;
    memcpy(p->ways[p->way_count++], unit, sizeof unit);
}

void bvpi_penetration_keep_move(bvpi_penetration *p, const double way[3], double length)
{
    p->out->depth_upper = length;
    memcpy(p->out->direction, way, sizeof p->out->direction);
}

static bvp_status is_free(bvpi_penetration *p, const double way[3], double length, bool *out)
{
    double move[3];
    for (int i = 0; i < 3; i++)
        move[i] = way[i] * length;
    return bvpi_moving_is_free(&p->pair, move, out);
}

/* Keeps a move that is free, or a shorter one. Bodies that are not convex may meet again farther
 * on, which costs a better bound only. */
static bvp_status shorten(bvpi_penetration *p, const double way[3], double free, int halvings)
{
    double low = p->out->depth;
    bvp_status status = BVP_OK;
    bvpi_penetration_keep_move(p, way, free);
    for (int k = 0; k < halvings && status == BVP_OK && low < p->out->depth_upper * NEAR; k++) {
        const double middle = low + 0.5 * (p->out->depth_upper - low);
        bool is_apart;
        status = is_free(p, way, middle, &is_apart);
        if (is_apart)
            bvpi_penetration_keep_move(p, way, middle);
        else
            low = middle;
    }
    return status;
}

bvp_status bvpi_penetration_try_ways(bvpi_penetration *p)
{
    bvp_status status = BVP_OK;
    for (unsigned k = 0; k < p->way_count && status == BVP_OK; k++) {
        const double length = p->out->depth_upper * (1 - 0x1p-10);
        bool is_apart = false;
        if (length > p->out->depth)
            status = is_free(p, p->ways[k], length, &is_apart);
        if (status == BVP_OK && is_apart)
            status = shorten(p, p->ways[k], length, HALVINGS);
    }
    return status;
}

bvp_status bvpi_penetration_refine(bvpi_penetration *p)
{
    double way[3];
    memcpy(way, p->out->direction, sizeof way);
    return shorten(p, way, p->out->depth_upper, LAST_HALVINGS);
}

/* ---- balls and boxes ------------------------------------------------------------------------- */

/* The edge whose line is nearest to a point: a box along it is flush with both faces, where these
 * are at right angles. */
static void nearest_edge(const bvpi_world_tri *tri, const double point[3], double out[3])
{
    double nearest = INFINITY;
    for (int k = 0; k < 3; k++) {
        double edge[3], from[3], across[3];
        bvpi_subtract(tri->corner + 3 * ((k + 1) % 3), tri->corner + 3 * k, edge);
        bvpi_subtract(point, tri->corner + 3 * k, from);
        bvpi_cross(edge, from, across);
        const double length_sq = bvpi_dot(edge, edge);
        const double far_sq = length_sq > 0 ? bvpi_dot(across, across) / length_sq : INFINITY;
        if (k > 0 && !(far_sq < nearest))
            continue;
        nearest = far_sq;
        memcpy(out, edge, sizeof edge);
    }
}

/* Keeps the box, and the ball if that is larger. */
static bvp_status keep(bvpi_penetration *p, bool is_of_a, const bvpi_inner_box *ball,
                       const bvpi_inner_box *box)
{
    const double of_box = 8 * box->half[0] * box->half[1] * box->half[2];
    const double of_ball = 4.18879 * ball->radius * ball->radius * ball->radius;
    bool has_room = true;
    if (of_box > 0)
        has_room = bvpi_move_cover_add(&p->cover, is_of_a, box);
    if (has_room && of_ball > of_box)
        has_room = bvpi_move_cover_add(&p->cover, is_of_a, ball);
    return has_room ? BVP_OK : BVP_ERR_NO_MEMORY;
}

/* Puts a ball or box into a body, at a triangle's point, or its middle if that is NULL. */
static bvp_status fill(bvpi_penetration *p, bool is_of_a, const bvp_hit_id *hit,
                       const double *point)
{
    bvpi_world_tri tri;
    bvpi_inner_seed seed = {.is_of_a = is_of_a, .most = p->ball_most[is_of_a]};
    bvpi_inner_box ball, box;
    bvp_status status = bvpi_moving_triangle(&p->pair, is_of_a, hit, &tri);
    if (status != BVP_OK || tri.outward == 0)
        return status;
    for (int i = 0; i < 3; i++)
        seed.inward[i] = -tri.outward * tri.normal[i];
    if (point)
        memcpy(seed.point, point, sizeof seed.point);
    else
        bvpi_clash_middle(tri.corner, seed.point);
    nearest_edge(&tri, seed.point, seed.along);
    status = bvpi_inner_ball(&p->pair, &seed, &ball);
    if (status != BVP_OK || !(ball.radius > 0) || bvpi_move_cover_knows(&p->cover, is_of_a, &ball))
        return status;
    status = bvpi_inner_box_about(&p->pair, &seed, &ball, &box);
    return status == BVP_OK ? keep(p, is_of_a, &ball, &box) : status;
}

/* May there be a ball in the body? An open part has none. */
static bvp_status may_hold(bvpi_penetration *p, bool is_of_a, bool *out)
{
    const bvpi_moving_side *s = is_of_a ? &p->pair.a : &p->pair.b;
    const bvpi_clash_item *item;
    bvp_status status = BVP_OK;
    *out = true;
    if (!s->placed.is_assembly) {
        status = bvpi_moving_item(&p->pair, is_of_a, BVP_NONE, &item);
        *out = status == BVP_OK && !item->is_open;
    }
    return status;
}

static bvp_status spread(bvpi_penetration *p, bool is_of_a)
{
    const bvpi_moving_side *s = is_of_a ? &p->pair.a : &p->pair.b;
    const bvpi_placed_part *part = &s->placed.one;
    bvp_status status = BVP_OK;
    if (s->placed.is_assembly)
        return BVP_OK;
    const uint64_t step = part->part.triangle_count / SPREAD + 1;
    for (uint64_t i = 0; i < part->part.triangle_count && status == BVP_OK; i += step) {
        const bvp_hit_id hit = {.instance = BVP_NONE, .part = part->part_idx, .triangle = i};
        status = fill(p, is_of_a, &hit, NULL);
    }
    return status;
}

/* ---- from below ------------------------------------------------------------------------------ */

/* Looks at one move: it is free, or what is inside both bodies is where their surfaces meet. */
static bvp_status probe(bvpi_penetration *p, const double move[3])
{
    const double length = sqrt(bvpi_dot(move, move));
    bvp_distance_result found;
    bool meets, is_apart = false;
    double at[3], way[3];
    bvp_status status = bvpi_moving_meets(&p->pair, move, &meets, &found);
    if (status == BVP_OK && meets) {
        bvpi_subtract(found.point_a, move, at);
        status = fill(p, true, &found.a, at);
        return status == BVP_OK ? fill(p, false, &found.b, found.point_b) : status;
    }
    if (status != BVP_OK || !(length > 0 && length < p->out->depth_upper))
        return status;
    for (int i = 0; i < 3; i++)
        way[i] = move[i] / length;
    status = is_free(p, way, length, &is_apart);
    return status == BVP_OK && is_apart ? shorten(p, way, length, HALVINGS) : status;
}

/* Are all moves of the cube shorter than the bound from below? */
static bool is_below(const bvpi_penetration *p, const bvpi_move_cell *cell)
{
    double far_sq = 0;
    for (int i = 0; i < 3; i++) {
        const double far = fabs(cell->centre[i]) + cell->half;
        far_sq += far * far;
    }
    return far_sq < p->out->depth * p->out->depth * (1 - 0x1p-40);
}

static bvp_status cover_cell(bvpi_penetration *p, unsigned *probes, bvpi_move_cell *cell,
                             bool *is_covered)
{
    *is_covered = is_below(p, cell);
    bvp_status status = BVP_OK;
    if (!*is_covered)
        status = bvpi_move_cover_holds(&p->cover, cell, is_covered);
    if (status != BVP_OK || *is_covered || *probes == 0)
        return status;
    --*probes;
    status = probe(p, cell->centre);
    return status == BVP_OK ? bvpi_move_cover_holds(&p->cover, cell, is_covered) : status;
}

static unsigned count_probes(const bvpi_penetration *p)
{
    const bvpi_moving_side *sides[2] = {&p->pair.a, &p->pair.b};
    uint64_t probes = PROBES_LEAST;
    for (int k = 0; k < 2; k++)
        probes += sides[k]->placed.is_assembly
                      ? PROBES_LEAST
                      : sides[k]->placed.one.part.triangle_count / TRIANGLES_A_PROBE;
    return probes < PROBES_MOST ? (unsigned)probes : PROBES_MOST;
}

/* Where the cover ends, bodies often come free not far behind: a hole may be there. */
static bvp_status look_behind(bvpi_penetration *p, const double move[3])
{
    const double length = sqrt(bvpi_dot(move, move));
    bvp_status status = BVP_OK;
    bool is_apart = false;
    double way[3];
    for (int i = 0; i < 3; i++)
        way[i] = move[i] / length;
    for (double on = 0x1p-6; on < 1 && status == BVP_OK && !is_apart; on *= 2) {
        const double far = length * (1 + on);
        if (!(far < p->out->depth_upper))
            break;
        status = is_free(p, way, far, &is_apart);
        if (status == BVP_OK && is_apart)
            status = shorten(p, way, far, HALVINGS);
    }
    return status;
}

/* Is the cube so small that its parts would hardly raise the bound? */
static bool is_given_up(const bvpi_move_cell *cell, double smallest)
{
    return cell->half < smallest || cell->half < FINEST * cell->key;
}

static bvp_status search(bvpi_penetration *p)
{
    const double smallest = p->out->depth_upper * SMALLEST;
    unsigned probes = count_probes(p);
    bvpi_move_cell cell;
    bvp_status status = BVP_OK;
    for (int cells = 0; cells < CELLS_MOST && status == BVP_OK;) {
        bool is_covered;
        if (!bvpi_move_cover_next(&p->cover, &cell)) /* all moves up to the upper bound are */
            cell.key = p->out->depth_upper * (1 - 0x1p-40);
        p->out->depth = fmax(p->out->depth, fmin(cell.key, p->out->depth_upper));
        if (p->out->depth >= ENOUGH * p->out->depth_upper)
            break;
        status = cover_cell(p, &probes, &cell, &is_covered);
        if (status != BVP_OK || is_covered)
            continue;
        if (is_given_up(&cell, smallest)) {
            status = look_behind(p, cell.centre);
            break;
        }
        cells++;
        if (!bvpi_move_cover_split(&p->cover, &cell, p->out->depth_upper))
            status = BVP_ERR_NO_MEMORY;
    }
    return status;
}

bvp_status bvpi_penetration_search(bvpi_penetration *p)
{
    bool may = false;
    bvp_status status = may_hold(p, true, &may);
    if (status == BVP_OK && may)
        status = may_hold(p, false, &may);
    if (status != BVP_OK || !may || p->out->depth >= ENOUGH * p->out->depth_upper)
        return status;
    status = spread(p, true);
    if (status == BVP_OK)
        status = spread(p, false);
    if (status == BVP_OK && !bvpi_move_cover_begin(&p->cover, p->out->depth_upper))
        status = BVP_ERR_NO_MEMORY;
    return status == BVP_OK ? search(p) : status;
}
