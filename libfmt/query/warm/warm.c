/* SPDX-License-Identifier: MIT
 * warm.c: certificates about a pair of bodies, and what they still prove after the bodies moved.
 *
 * Clearance: at placements (M_A, M_B) no pair of triangles was nearer than c. If body a has moved
 * by at most s and b by at most t since, no pair is now nearer than c - s - t. motion_of() bounds
 * the movement of all points of a box at once, for it is largest at a corner.
 *
 * Crossing: two triangles that properly cross keep crossing under small motions. Their corners are
 * placed anew in double, with an error bound, and bvpi_tri_cross_sure() decides.
 *
 * The state is in the caller's memory, so nothing there is trusted without its seal, a hash over
 * the certificate. It includes a hash of the bodies' contents: root hashes, parts, the history of
 * refits, filters. Leads and habits decide only what is tried first; any bytes there give correct
 * answers.
 *
 * Invariant: a certificate says only what a plain query would say now. So motions are rounded up,
 * and a placement is used only if it is far from all that a query refuses
 * (bvpi_placement_is_plain).
 *
 * Slow twin: plain queries, bit for bit, tests/property/test_warm.c, which also forges
 * certificates.
 * Spec: exactness.md, chapter 11, "Clearance" and "Crossing"
 * Measured: decisions.md, "Warm starts (protocol warm)", "What warm starts are worth".
 */
#include "query/warm/warm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "base/vec3.h"
#include "format/checksum.h"
#include "format/lazy.h"
#include "prim/tri_cross.h"

enum { LEAST_TESTED = 2 };

static const double IDENTITY[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static const double *placement_of(const bvp_body *body)
{
    return body->placement != NULL ? body->placement : IDENTITY;
}

/* ---- seals ----------------------------------------------------------------------------------- */

static uint64_t name_filters(const bvp_body *a, const bvp_body *b)
{
    if (a->filter == NULL && b->filter == NULL)
        return 0;
    const uint64_t both[2] = {bvpi_filter_hash(a->filter), bvpi_filter_hash(b->filter)};
    return bvpi_hash64(both, sizeof both);
}

/* A hash of the two bodies' content: equal for other handles on the same file, and for filters
 * with the same content at another address. */
static uint64_t name_bodies(const bvp_body *a, const bvp_body *b)
{
    struct {
        uint8_t hash[2][16];
        uint64_t shape[2];
        uint32_t part[2];
    } name;
    memcpy(name.hash[0], a->file->header.root_hash, sizeof name.hash[0]);
    memcpy(name.hash[1], b->file->header.root_hash, sizeof name.hash[1]);
    name.shape[0] = a->file->shape;
    name.shape[1] = b->file->shape;
    name.part[0] = a->part;
    name.part[1] = b->part;
    return bvpi_hash64(&name, sizeof name) ^ name_filters(a, b);
}

static uint64_t seal_clearance(const bvpi_clearance *c)
{
    return bvpi_hash64(&c->bodies, sizeof *c - offsetof(bvpi_clearance, bodies));
}

static uint64_t seal_crossings(const bvpi_crossings *c)
{
    return bvpi_hash64(&c->bodies, sizeof *c - offsetof(bvpi_crossings, bodies));
}

/* ---- motion ---------------------------------------------------------------------------------- */

/* An upper bound of the squared length of centre +- edge 0 +- edge 1 +- edge 2 for all signs: the
 * products count by their magnitudes. */
static double farthest_corner_sq(const double centre[3], const double edge[3][3])
{
    return bvpi_dot(centre, centre) + bvpi_dot(edge[0], edge[0]) + bvpi_dot(edge[1], edge[1]) +
           bvpi_dot(edge[2], edge[2]) +
           2 * (fabs(bvpi_dot(centre, edge[0])) + fabs(bvpi_dot(centre, edge[1])) +
                fabs(bvpi_dot(centre, edge[2])) + fabs(bvpi_dot(edge[0], edge[1])) +
                fabs(bvpi_dot(edge[0], edge[2])) + fabs(bvpi_dot(edge[1], edge[2])));
}

/* The sum of magnitudes of all terms of a placed box's coordinates: rounding is relative to it. */
static double terms_of(const bvpi_extent *box, const double m[12])
{
    double sum = 0;
    BVPI_UNROLL
    for (int i = 0; i < 12; i++)
        sum += i % 4 == 3 ? fabs(m[i]) : fabs(m[i]) * (fabs(box->centre[i % 4]) + box->half[i % 4]);
    return sum;
}

/* An upper bound of how far any point of the box moves from one placement to another. A point moves
 * by (to - from) p, an affine function, so the farthest point is a corner. */
static double motion_of(const bvpi_extent *box, const double from[12], const double to[12])
{
    double d[12], moved[3], edge[3][3];
    if (memcmp(from, to, sizeof d) == 0)
        return 0;
    if (!bvpi_placement_is_plain(to))
        return INFINITY;
    for (int i = 0; i < 12; i++)
        d[i] = to[i] - from[i];
    for (int i = 0; i < 3; i++) {
        moved[i] = d[4 * i + 3] + bvpi_dot(d + 4 * i, box->centre);
        for (int k = 0; k < 3; k++)
            edge[k][i] = d[4 * i + k] * box->half[k];
    }
    double motion =
        sqrt(farthest_corner_sq(moved, edge)) * BVPI_ROUND_UP + 0x1p-48 * terms_of(box, d);
    if (box->slack != 0)
        motion += box->slack * (terms_of(box, from) + terms_of(box, to));
    return motion * BVPI_ROUND_UP + 0x1p-400;
}

/* Queries check this first. Certificates must, too: a file found to be bad must not be answered
 * from memory. */
static bool is_open(const bvp_body *body)
{
    if (body->file == NULL)
        return false;
    const bvp_control *control = body->control != NULL ? body->control : body->file->control;
    return bvpi_touch_under(body->file, body->part, control) == BVP_OK;
}

double bvpi_warm_motion(const bvpi_warm *warm, const bvp_body *a, const bvp_body *b)
{
    const bvpi_clearance *clear = &warm->clear;
    if (!is_open(a) || !is_open(b) || clear->bodies != name_bodies(a, b) ||
        clear->seal != seal_clearance(clear))
        return INFINITY;
    return (motion_of(&clear->a, clear->at_a, placement_of(a)) +
            motion_of(&clear->b, clear->at_b, placement_of(b))) *
           BVPI_ROUND_UP;
}

/* ---- fronts ---------------------------------------------------------------------------------- */

bool bvpi_warm_front(const bvpi_warm *warm, const bvpi_pair_query *query,
                     const bvp_warm_start *memory, bvpi_front *out)
{
    const bvpi_placed_body *a = &query->bodies.a, *b = &query->bodies.b;
    const bvpi_tree *tree_a = &a->one.at.tree, *tree_b = &b->one.at.tree;
    if (a->is_assembly || b->is_assembly || tree_b->node_count / 2 > tree_a->node_count ||
        !bvpi_front_open(out, memory->front, memory->front_size))
        return false;
    bvpi_front_name(out, warm->clear.bodies);
    return true;
}

/* ---- crossings ------------------------------------------------------------------------------- */

/* An assembly's instances are placed by rounded products; see composition_slack in placed_body.c.
 */
static double slack_of(const bvp_body *body)
{
    return body->part == BVP_ASSEMBLY ? 0x1p-38 : 0;
}

/* Places three corners in the world. Returns an error bound for each coordinate. */
static double place_corners(const double corner[9], const double m[12], double slack, double out[9])
{
    double size = 0;
    for (int k = 0; k < 9; k += 3)
        for (int i = 0; i < 3; i++) {
            const double *row = m + 4 * i;
            const double x = row[0] * corner[k], y = row[1] * corner[k + 1],
                         z = row[2] * corner[k + 2];
            out[k + i] = x + y + z + row[3];
            size = bvpi_larger(size, fabs(x) + fabs(y) + fabs(z) + fabs(row[3]));
        }
    return size * (0x1p-49 + slack);
}

const bvpi_last_pair *bvpi_warm_crosses(bvpi_warm *warm, const bvp_body *a, const bvp_body *b)
{
    const bvpi_crossings *cross = &warm->cross;
    bvpi_habits *habits = &warm->habits;
    if (cross->count == 0 || !is_open(a) || !is_open(b) || cross->bodies != name_bodies(a, b) ||
        cross->seal != seal_crossings(cross) || !bvpi_placement_is_plain(placement_of(a)) ||
        !bvpi_placement_is_plain(placement_of(b)))
        return NULL;
    /* If the first pairs no longer cross, the others rarely do; so after a failure fewer are tried.
     */
    const uint32_t most = habits->tested > LEAST_TESTED ? habits->tested : LEAST_TESTED;
    for (uint64_t k = 0; k < cross->count && k < most && k < BVPI_CROSSINGS; k++) {
        double at_a[9], at_b[9];
        const double error_a = place_corners(cross->corner[k], placement_of(a), slack_of(a), at_a);
        const double error_b =
            place_corners(cross->corner[k] + 9, placement_of(b), slack_of(b), at_b);
        if (bvpi_tri_cross_sure(at_a, at_b, error_a + error_b)) {
            habits->tested = BVPI_CROSSINGS;
            return &cross->pair[k];
        }
    }
    habits->tested = most / 2;
    return NULL;
}

/* Converts a part's corners to its body's coordinates. False: there is no such instance. */
static bool body_corners(const bvp_body *body, uint32_t instance, const float part[9],
                         double out[9])
{
    bvpd_instance record;
    double m[12], corner[9];
    for (int k = 0; k < 9; k++)
        out[k] = corner[k] = (double)part[k];
    if (instance == BVP_NONE)
        return true;
    if (bvpi_get_instance(body->file, instance, &record, m) != BVP_OK)
        return false;
    place_corners(corner, m, 0, out);
    return true;
}

void bvpi_warm_keep_crossings(bvpi_warm *warm, const bvp_body *a, const bvp_body *b,
                              const bvpi_hit_pairs *pairs)
{
    bvpi_crossings *cross = &warm->cross;
    const uint64_t bodies = name_bodies(a, b);
    assert(pairs->count <= BVPI_HIT_PAIRS);
    if (cross->bodies != bodies || cross->seal != seal_crossings(cross) ||
        cross->count > BVPI_CROSSINGS)
        memset(cross, 0, sizeof *cross);
    assert(cross->count <= BVPI_CROSSINGS);
    cross->bodies = bodies;
    for (uint32_t k = pairs->count; k-- > 0;) {
        const bvpi_last_pair pair = {1, pairs->instance_a, pairs->item_a[k], pairs->instance_b,
                                     pairs->item_b[k]};
        double corner[18];
        if (!body_corners(a, pairs->instance_a, pairs->a[k], corner) ||
            !body_corners(b, pairs->instance_b, pairs->b[k], corner + 9))
            continue;
        /* first in the list; the last is dropped if the list is full */
        memmove(cross->corner[1], cross->corner[0], sizeof cross->corner - sizeof cross->corner[0]);
        memmove(cross->pair + 1, cross->pair, sizeof cross->pair - sizeof cross->pair[0]);
        memcpy(cross->corner[0], corner, sizeof cross->corner[0]);
        cross->pair[0] = pair;
        cross->count += cross->count < BVPI_CROSSINGS;
    }
    cross->seal = seal_crossings(cross);
}

/* ---- leads ----------------------------------------------------------------------------------- */

static uint64_t seal_lead(const bvpi_lead *lead)
{
    return bvpi_hash64(&lead->bodies, sizeof *lead - offsetof(bvpi_lead, bodies));
}

static bvpi_pair_start turn_start(const bvpi_pair_start *start, bool swap)
{
    bvpi_pair_start out = *start;
    if (!swap)
        return out;
    out.instance_a = start->instance_b;
    out.instance_b = start->instance_a;
    out.ref_a = start->ref_b;
    out.ref_b = start->ref_a;
    memcpy(out.box_a, start->box_b, sizeof out.box_a);
    memcpy(out.box_b, start->box_a, sizeof out.box_b);
    return out;
}

bool bvpi_warm_lead(const bvpi_warm *warm, const bvpi_pair_query *query, const bvp_body *a,
                    const bvp_body *b, bvpi_pair_start *out)
{
    const bvpi_lead *lead = &warm->lead;
    if (!lead->start.is_known || lead->bodies != name_bodies(a, b) || lead->seal != seal_lead(lead))
        return false;
    *out = turn_start(&lead->start, query->bodies.swapped);
    return true;
}

void bvpi_warm_keep_lead(bvpi_warm *warm, const bvpi_pair_query *query, const bvp_body *a,
                         const bvp_body *b)
{
    bvpi_lead *lead = &warm->lead;
    assert(query->keep.start != NULL);
    lead->bodies = name_bodies(a, b);
    lead->start = turn_start(query->keep.start, query->bodies.swapped);
    lead->seal = seal_lead(lead);
}

/* ---- keeping --------------------------------------------------------------------------------- */

static void include_grid(const bvpi_tree *tree, double lo[3], double hi[3])
{
    for (int i = 0; i < 3; i++) {
        const double from = tree->grid_origin[i];
        lo[i] = bvpi_smaller(lo[i], from);
        hi[i] = bvpi_larger(hi[i], from + tree->grid_unit * tree->grid_extent[i]);
    }
}

/* A body's box before its placement. A hierarchy that cannot be read makes it infinite, and then no
 * certificate proves anything. */
static void set_extent(bvpi_extent *out, const bvpi_placed_body *placed)
{
    double lo[3], hi[3];
    for (int i = 0; i < 3; i++) {
        lo[i] = placed->is_assembly ? INFINITY : (double)placed->one.part.lo[i];
        hi[i] = placed->is_assembly ? -INFINITY : (double)placed->one.part.hi[i];
    }
    if (placed->is_assembly)
        include_grid(&placed->top.tree, lo, hi);
    for (uint32_t k = 1; placed->is_assembly && k < placed->top_count; k++) {
        bvpi_tree tree;
        if (bvpi_get_top_tree(placed->file, k, &tree) == BVP_OK)
            include_grid(&tree, lo, hi);
        else
            hi[0] = INFINITY;
    }
    out->slack = placed->is_assembly ? 0x1p-38 : 0;
    for (int i = 0; i < 3; i++) {
        out->centre[i] = 0.5 * (lo[i] + hi[i]);
        out->half[i] = bvpi_larger(hi[i] - out->centre[i], out->centre[i] - lo[i]) * BVPI_ROUND_UP;
    }
}

void bvpi_warm_keep(bvpi_warm *warm, const bvpi_pair_query *query, const bvp_body *a,
                    const bvp_body *b)
{
    const bvpi_pair_bodies *bodies = &query->bodies;
    bvpi_clearance *clear = &warm->clear;
    clear->bodies = name_bodies(a, b);
    memcpy(clear->at_a, placement_of(a), sizeof clear->at_a);
    memcpy(clear->at_b, placement_of(b), sizeof clear->at_b);
    set_extent(&clear->a, bodies->swapped ? &bodies->b : &bodies->a);
    set_extent(&clear->b, bodies->swapped ? &bodies->a : &bodies->b);
    clear->seal = seal_clearance(clear);
    warm->habits.served = 0;
}
