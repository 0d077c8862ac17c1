/* SPDX-License-Identifier: MIT
 * penetration.c: the translational penetration depth of two bodies, with contacts.
 *
 * Both bounds come from several sources, each in a file of its own: the convex hulls
 * (hull_bounds.c), points of one surface inside the other solid (touch_points.c), and a search over
 * moves (move_search.c). What is known of a pair narrows what the next one looks at.
 *
 * Invariant: out->depth rises only by what is proved, out->depth_upper falls only by a move that
 * was tried. So a call that its control ends leaves bounds that hold.
 *
 * Slow twin: separating axes, and brute force over moves, tests/property/test_penetration.c.
 * Spec: exactness.md, chapter 12, "Penetration"
 * Measured: decisions.md, "Penetration of two bodies"
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"
#include "clash/penetration.h"
#include "format/source.h"

/* Distances may exceed the least one by a factor of 1 + 1e-9: exactness.md, chapter 8. */
#define LESS (1 - 0x1p-29)

static const double none[3] = {0, 0, 0};

/* Is the pair apart? *meets: their surfaces meet. */
static bvp_status find_verdict(bvpi_penetration *p, bool *meets)
{
    bvpi_where where;
    bvp_status status = bvpi_moving_meets(&p->pair, none, meets, NULL);
    p->out->verdict = BVP_VERDICT_PENETRATING;
    if (status != BVP_OK || *meets)
        return status;
    status = bvpi_moving_enclosed(&p->pair, none, &where);
    p->out->verdict = where == BVPI_OUTSIDE  ? BVP_VERDICT_CLEAR
                      : where == BVPI_INSIDE ? BVP_VERDICT_ENCLOSED
                                             : BVP_VERDICT_UNKNOWN;
    return status;
}

static bvp_status ask_enclosed(bvpi_penetration *p)
{
    bvp_distance_result found;
    const bvp_status status = bvpi_moving_distance(&p->pair, none, &found);
    if (status == BVP_OK && found.found && p->out->verdict == BVP_VERDICT_ENCLOSED)
        p->out->depth = fmax(p->out->depth, found.lower * LESS);
    return status;
}

static double ball_most(const bvpi_moving_side *s)
{
    double most = INFINITY;
    for (int i = 0; i < 3; i++)
        most = fmin(most, 0.5 * (s->bounds.hi[i] - s->bounds.lo[i]));
    return most;
}

static bvp_status measure(bvpi_penetration *p)
{
    bool meets;
    bvp_status status = find_verdict(p, &meets);
    if (status != BVP_OK || p->out->verdict == BVP_VERDICT_CLEAR)
        return status;
    status = bvpi_penetration_hulls(p);
    if (status == BVP_OK)
        status = meets ? bvpi_penetration_contacts(p) : ask_enclosed(p);
    if (status == BVP_OK)
        status = bvpi_penetration_try_ways(p);
    if (status == BVP_OK)
        status = bvpi_penetration_refine(p);
    const double refined = p->out->depth_upper;
    if (status == BVP_OK && p->out->verdict != BVP_VERDICT_UNKNOWN)
        status = bvpi_penetration_search(p);
    if (status == BVP_OK && p->out->depth_upper < refined)
        status = bvpi_penetration_refine(p);
    if (status == BVP_OK && meets && p->out->contact_count == 0)
        status = bvpi_penetration_meeting(p);
    return status;
}

/* Bounds that the control has cut short are bounds; before the first move there are none. */
static void finish(bvp_status status, bvp_penetration_result *out)
{
    if (status != BVP_OK && (status != BVP_ERR_CANCELLED || out->depth_upper == 0))
        *out = (bvp_penetration_result){.verdict = BVP_VERDICT_CLEAR};
    out->depth = fmin(out->depth, out->depth_upper); /* they come from different computations */
}

static bvp_status penetrate(const bvp_body *a, const bvp_body *b, bvp_array contacts,
                            bvp_penetration_result *out)
{
    if (!a || !a->file || !b || !b->file || !out || (!contacts.base && contacts.count > 0))
        return BVP_ERR_ARGUMENT;
    *out = (bvp_penetration_result){.verdict = BVP_VERDICT_CLEAR};
    bvpi_penetration *p = calloc(1, sizeof *p);
    if (!p)
        return BVP_ERR_NO_MEMORY;
    p->out = out;
    p->contacts = contacts;
    bvp_status status = bvpi_moving_pair_init(&p->pair, a, b);
    p->cover.meter = p->pair.meter;
    p->ball_most[0] = ball_most(&p->pair.b);
    p->ball_most[1] = ball_most(&p->pair.a);
    if (status == BVP_OK)
        status = measure(p);
    finish(status, out);
    bvpi_moving_pair_free(&p->pair);
    bvpi_move_cover_free(&p->cover);
    free(p);
    return status;
}

bvp_status bvp_penetration(const bvp_body *a, const bvp_body *b, bvp_array contacts,
                           bvp_penetration_result *out)
{
    bvpi_call call = bvpi_call_begin_bodies(a, b);
    return bvpi_call_end(&call, penetrate(a, b, contacts, out));
}
