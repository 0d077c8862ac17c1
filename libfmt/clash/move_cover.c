/* SPDX-License-Identifier: MIT
 * move_cover.c: cubes of moves, the shortest first, and the convex sets of moves that hold them.
 *
 * Let p be a convex body inside a, and q one inside b. p moved by t meets q if t is a difference of
 * a point of q and one of p. These differences are convex, and where a whole cube of moves is in
 * them, with room for rounding, none of its moves is free. N bodies in a and M in b give N M sets.
 * Two boxes: the set's faces are across an axis of one of them or across an edge of each, so 15
 * normals decide. A ball and a box: the box grown by the radius. Two balls: a ball.
 *
 * A cell hands the sets that meet it on to its parts, which need not look at others but for those
 * that came later.
 *
 * Invariant: every move shorter than the smallest key in the heap was in a cell that the caller has
 * taken out.
 *
 * Slow twin: moves tried one by one, tests/property/test_penetration.c.
 * Spec: exactness.md, chapter 12, "Penetration"
 * Measured: decisions.md, "Penetration of two bodies"
 */
#include "clash/move_cover.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing_array.h"
#include "base/vec3.h"

/* Of the largest coordinate: sums of products of unit vectors and differences of centres err by
 * some 2^-49 of it. */
#define ROUNDING 0x1p-44

#define KNOWN                                                                                      \
    0.6 /* of a ball's radius: a box that holds as much of it makes another one needless */

#define PARALLEL 0x1p-20 /* the sine of the angle between edges that count as parallel */

enum { LOOKS_A_STEP = 64 };

void bvpi_move_cover_free(bvpi_move_cover *cover)
{
    free(cover->cells);
    free(cover->sets);
    free(cover->lists);
    free(cover->kept);
}

/* ---- sets of moves --------------------------------------------------------------------------- */

static double reach_along(const bvpi_inner_box *box, const double way[3])
{
    double reach = 0;
    for (int k = 0; k < 3; k++)
        reach += fabs(bvpi_dot(box->axis[k], way)) * box->half[k];
    return reach;
}

static double diagonal(const bvpi_inner_box *box)
{
    return sqrt(bvpi_dot(box->half, box->half));
}

/* Edges that are nearly parallel give no normal. To turn one of them until they are parallel moves
 * no point of the set farther than the sine times a diagonal; all faces give way by four times as
 * much. */
static void set_of_boxes(const bvpi_inner_box *a, const bvpi_inner_box *b, bvpi_move_set *out)
{
    unsigned count = 0;
    double loss = 0;
    for (unsigned k = 0; k < 15; k++) {
        double way[3];
        if (k < 6)
            memcpy(way, k < 3 ? a->axis[k] : b->axis[k - 3], sizeof way);
        else
            bvpi_cross(a->axis[(k - 6) / 3], b->axis[k % 3], way);
        const double size = sqrt(bvpi_dot(way, way));
        if (size < PARALLEL) {
            loss = 4 * PARALLEL * (diagonal(a) + diagonal(b));
            continue;
        }
        for (int i = 0; i < 3; i++) {
            way[i] /= size;
            out->normal[i][count] = way[i];
        }
        out->far[count++] = reach_along(a, way) + reach_along(b, way);
    }
    assert(count >= 6);
    for (unsigned k = count; k < 16; k++) { /* no normal is missing, so that all loops are alike */
        for (int i = 0; i < 3; i++)
            out->normal[i][k] = out->normal[i][0];
        out->far[k] = out->far[0];
    }
    for (unsigned k = 0; k < 16; k++)
        out->far[k] -= loss;
    out->radius = INFINITY;
}

/* box: of the two that is one, or a ball. */
static void set_of_grown(const bvpi_inner_box *box, double radius, bvpi_move_set *out)
{
    out->radius = radius;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            out->normal[i][k] = box->radius > 0 ? i == k : box->axis[k][i];
        out->far[k] = box->half[k];
    }
}

static void make_set(const bvpi_inner_box *a, const bvpi_inner_box *b, bvpi_move_set *out)
{
    bvpi_subtract(b->centre, a->centre, out->centre);
    if (a->radius == 0 && b->radius == 0)
        set_of_boxes(a, b, out);
    else
        set_of_grown(a->radius > 0 ? b : a, a->radius + b->radius, out);
}

/* How much of a cell is in a set? SOME may also be said of none or all. */
typedef enum coverage { NONE, SOME, ALL } coverage;

static coverage coverage_of_boxes(const bvpi_move_set *set, const double d[3], double half,
                                  double error)
{
    double farthest = -INFINITY, nearest = -INFINITY;
    for (int k = 0; k < 16; k++) {
        const double x = set->normal[0][k], y = set->normal[1][k], z = set->normal[2][k];
        const double along = fabs(x * d[0] + y * d[1] + z * d[2]) - set->far[k];
        const double reach = (fabs(x) + fabs(y) + fabs(z)) * half;
        farthest = along + reach > farthest ? along + reach : farthest;
        nearest = along - reach > nearest ? along - reach : nearest;
    }
    return farthest < -error ? ALL : nearest > 0 ? NONE : SOME;
}

static coverage coverage_of_grown(const bvpi_move_set *set, const double d[3], double half,
                                  double error)
{
    const double least = set->radius - error;
    double far_sq = 0, near_sq = 0;
    for (int k = 0; k < 3; k++) {
        const double x = set->normal[0][k], y = set->normal[1][k], z = set->normal[2][k];
        const double along = fabs(x * d[0] + y * d[1] + z * d[2]) - set->far[k];
        const double reach = (fabs(x) + fabs(y) + fabs(z)) * half;
        const double far = fmax(along + reach, 0), near = fmax(along - reach, 0);
        far_sq += far * far;
        near_sq += near * near;
    }
    if (least > 0 && far_sq < least * least * (1 - 0x1p-40))
        return ALL;
    return near_sq > set->radius * set->radius ? NONE : SOME;
}

static coverage coverage_of(const bvpi_move_set *set, const bvpi_move_cell *cell, double error)
{
    double d[3];
    bvpi_subtract(cell->centre, set->centre, d);
    return isinf(set->radius) ? coverage_of_boxes(set, d, cell->half, error)
                              : coverage_of_grown(set, d, cell->half, error);
}

/* ---- what is kept ---------------------------------------------------------------------------- */

bool bvpi_move_cover_knows(const bvpi_move_cover *cover, bool is_of_a, const bvpi_inner_box *ball)
{
    const bvpi_box_set *set = is_of_a ? &cover->a : &cover->b;
    for (unsigned i = 0; i < set->count; i++) {
        const bvpi_inner_box *box = &set->box[i];
        double from[3], room = INFINITY;
        bvpi_subtract(ball->centre, box->centre, from);
        if (box->radius > 0)
            room = box->radius - sqrt(bvpi_dot(from, from));
        for (int k = 0; k < 3 && box->radius == 0; k++)
            room = fmin(room, box->half[k] - fabs(bvpi_dot(from, box->axis[k])));
        if (KNOWN * ball->radius < room)
            return true;
    }
    return false;
}

bool bvpi_move_cover_add(bvpi_move_cover *cover, bool is_of_a, const bvpi_inner_box *box)
{
    bvpi_box_set *set = is_of_a ? &cover->a : &cover->b;
    const bvpi_box_set *other = is_of_a ? &cover->b : &cover->a;
    const double reach = diagonal(box) + box->radius;
    assert(reach > 0);
    if (set->count == BVPI_COVER_MOST)
        return true;
    if (!bvpi_grow(&cover->sets, &cover->set_capacity, cover->set_count + other->count,
                   sizeof *cover->sets))
        return false;
    for (unsigned i = 0; i < other->count; i++)
        make_set(is_of_a ? box : &other->box[i], is_of_a ? &other->box[i] : box,
                 &cover->sets[cover->set_count++]);
    set->box[set->count++] = *box;
    for (int k = 0; k < 3; k++)
        cover->size = fmax(cover->size, fabs(box->centre[k]) + reach);
    return true;
}

/* ---- is a cell in a set? --------------------------------------------------------------------- */

typedef struct looking {
    bvpi_move_cover *cover;
    const bvpi_move_cell *cell;
    double error;
    bool is_held;
} looking;

/* Keeps the set's number if the set meets the cell. */
static bvp_status look(looking *l, uint64_t which)
{
    bvpi_move_cover *cover = l->cover;
    const coverage found = coverage_of(&cover->sets[which], l->cell, l->error);
    l->is_held = found == ALL;
    if (which % LOOKS_A_STEP == 0 && !bvpi_meter_step(cover->meter))
        return BVP_ERR_CANCELLED;
    if (found != SOME)
        return BVP_OK;
    if (!bvpi_grow(&cover->kept, &cover->kept_capacity, cover->kept_count + 1, sizeof *cover->kept))
        return BVP_ERR_NO_MEMORY;
    cover->kept[cover->kept_count++] = (uint32_t)which;
    return BVP_OK;
}

static bvp_status look_at_all(looking *l, const bvpi_kept_sets *known)
{
    bvpi_move_cover *cover = l->cover;
    bvp_status status = BVP_OK;
    for (uint64_t k = 0; k < known->count && status == BVP_OK && !l->is_held; k++)
        status = look(l, cover->kept[known->first + k]);
    for (uint64_t k = known->seen; k < cover->set_count && status == BVP_OK && !l->is_held; k++)
        status = look(l, k);
    return status;
}

bvp_status bvpi_move_cover_holds(bvpi_move_cover *cover, bvpi_move_cell *cell, bool *out)
{
    const bvpi_kept_sets known = cover->lists[cell->list];
    const uint64_t first = cover->kept_count;
    double size = cover->size;
    for (int k = 0; k < 3; k++)
        size = fmax(size, fabs(cell->centre[k]) + cell->half);
    looking l = {.cover = cover, .cell = cell, .error = size * ROUNDING};
    bvp_status status = bvpi_meter_step(cover->meter) ? look_at_all(&l, &known) : BVP_ERR_CANCELLED;
    *out = status == BVP_OK && l.is_held;
    if (status != BVP_OK || *out) {
        cover->kept_count = first;
        return status;
    }
    if (!bvpi_grow(&cover->lists, &cover->list_capacity, cover->list_count + 1,
                   sizeof *cover->lists))
        return BVP_ERR_NO_MEMORY;
    cell->list = cover->list_count;
    cover->lists[cover->list_count++] =
        (bvpi_kept_sets){first, cover->kept_count - first, cover->set_count};
    return BVP_OK;
}

/* ---- the heap -------------------------------------------------------------------------------- */

static double key_of(const double centre[3], double half)
{
    double key_sq = 0;
    for (int k = 0; k < 3; k++) {
        const double least = fmax(fabs(centre[k]) - half, 0);
        key_sq += least * least;
    }
    return sqrt(key_sq) * (1 - 0x1p-48);
}

static bool push(bvpi_move_cover *cover, const bvpi_move_cell *cell)
{
    if (!bvpi_grow(&cover->cells, &cover->cell_capacity, cover->cell_count + 1,
                   sizeof *cover->cells))
        return false;
    uint64_t at = cover->cell_count++;
    for (; at > 0 && cover->cells[(at - 1) / 2].key > cell->key; at = (at - 1) / 2)
        cover->cells[at] = cover->cells[(at - 1) / 2];
    cover->cells[at] = *cell;
    return true;
}

bool bvpi_move_cover_begin(bvpi_move_cover *cover, double length)
{
    const bvpi_move_cell all = {.half = length * (1 + 0x1p-40)};
    if (!bvpi_grow(&cover->lists, &cover->list_capacity, 1, sizeof *cover->lists))
        return false;
    cover->lists[0] = (bvpi_kept_sets){.count = 0};
    cover->list_count = 1;
    cover->cell_count = cover->kept_count = 0;
    return push(cover, &all);
}

bool bvpi_move_cover_next(bvpi_move_cover *cover, bvpi_move_cell *out)
{
    if (cover->cell_count == 0)
        return false;
    *out = cover->cells[0];
    const bvpi_move_cell last = cover->cells[--cover->cell_count];
    uint64_t at = 0;
    for (uint64_t child; (child = 2 * at + 1) < cover->cell_count; at = child) {
        if (child + 1 < cover->cell_count && cover->cells[child + 1].key < cover->cells[child].key)
            child++;
        if (!(cover->cells[child].key < last.key))
            break;
        cover->cells[at] = cover->cells[child];
    }
    cover->cells[at] = last;
    return true;
}

/* Parts are a little wider than the half, so that rounding leaves no gap between them. */
bool bvpi_move_cover_split(bvpi_move_cover *cover, const bvpi_move_cell *cell, double most)
{
    for (int which = 0; which < 8; which++) {
        bvpi_move_cell part = {.half = 0.5 * cell->half * (1 + 0x1p-40), .list = cell->list};
        for (int k = 0; k < 3; k++)
            part.centre[k] = cell->centre[k] + (which >> k & 1 ? 0.5 : -0.5) * cell->half;
        part.key = key_of(part.centre, part.half);
        if (part.key < most && !push(cover, &part))
            return false;
    }
    return true;
}
