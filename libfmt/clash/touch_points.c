/* SPDX-License-Identifier: MIT
 * touch_points.c: where two bodies touch, and how deep.
 *
 * A point of one solid inside the other stays inside on any move shorter than its distance from
 * that one's surface: that is a contact's depth, and a bound from below.
 *
 * Slow twin: brute force over moves, tests/property/test_penetration.c.
 * Spec: exactness.md, chapter 12, "Penetration"
 * Measured: decisions.md, "Penetration of two bodies"
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"
#include "clash/contacts.h"
#include "clash/penetration.h"
#include "query/body/caller_array.h"

/* Distances may exceed the least one by a factor of 1 + 1e-9: exactness.md, chapter 8. */
#define LESS (1 - 0x1p-29)

enum { TRIANGLES_ASKED = 4096 };

/* A triangle that touches the other body. */
typedef struct touching {
    bvp_hit_id hit;
    bool is_of_a;
} touching;

/* A corner of it in the world, with its error. */
typedef struct corner {
    const touching *of;
    double at[3], slack;
} corner;

/* ---- contacts -------------------------------------------------------------------------------- */

static bvp_contact *contact_at(const bvpi_penetration *p, uint64_t idx)
{
    return bvpi_element(&p->contacts, sizeof(bvp_contact), idx);
}

/* Puts a contact where it belongs in the sorted list; the last one goes if that is full. */
static void insert(bvpi_penetration *p, const bvp_contact *contact)
{
    uint64_t at = p->out->contact_count;
    for (uint64_t i = 0; i < p->out->contact_count; i++) {
        const bvp_contact *kept = contact_at(p, i);
        if (memcmp(kept->point_a, contact->point_a, sizeof kept->point_a) == 0 &&
            memcmp(kept->point_b, contact->point_b, sizeof kept->point_b) == 0)
            return; /* a corner that triangles share */
    }
    if (at < p->contacts.count)
        p->out->contact_count++;
    else if (at-- == 0 || !(contact->depth > contact_at(p, at)->depth))
        return;
    for (; at > 0 && contact_at(p, at - 1)->depth < contact->depth; at--)
        *contact_at(p, at) = *contact_at(p, at - 1);
    *contact_at(p, at) = *contact;
}

/* A point of one body's surface in the other, and that one's nearest surface point. */
static void take_contact(bvpi_penetration *p, const corner *from, const bvp_closest_result *nearest)
{
    const bvp_hit_id *hit = &from->of->hit;
    const bool is_of_a = from->of->is_of_a;
    const double *point = from->at;
    bvp_contact c = {.hit_a = is_of_a ? *hit : nearest->id, .hit_b = is_of_a ? nearest->id : *hit};
    double size;
    memcpy(c.point_a, is_of_a ? point : nearest->point, sizeof c.point_a);
    memcpy(c.point_b, is_of_a ? nearest->point : point, sizeof c.point_b);
    bvpi_subtract(c.point_a, c.point_b, c.normal);
    size = sqrt(bvpi_dot(c.normal, c.normal));
    if (!(size > 0))
        return;
    for (int i = 0; i < 3; i++)
        c.normal[i] /= size;
    c.depth = size;
    const double sure = fmin(size, fabs(nearest->distance)) * LESS - 16 * from->slack;
    p->out->depth = fmax(p->out->depth, sure);
    bvpi_penetration_keep_way(p, c.normal, -1);
    insert(p, &c);
}

/* No contact that is deeper changes anything, unless it is deeper than this. */
static double least_of_interest(const bvpi_penetration *p)
{
    const uint64_t count = p->out->contact_count;
    if (count < p->contacts.count)
        return 0;
    return count > 0 ? fmin(p->out->depth, contact_at(p, count - 1)->depth) : p->out->depth;
}

/* The distance is the cheaper question, and leaves little to ask once some contacts are known. */
static bvp_status ask_corner(bvpi_penetration *p, const corner *from)
{
    bvp_closest_result nearest = {.found = 0};
    const double least = least_of_interest(p);
    bool is_in = false;
    bvp_status status = BVP_OK;
    if (least > 0)
        status = bvpi_moving_nearest(&p->pair, !from->of->is_of_a, from->at, least, &nearest);
    if (status != BVP_OK || nearest.found)
        return status;
    status = bvpi_moving_holds(&p->pair, !from->of->is_of_a, from->at, &is_in);
    if (status == BVP_OK && is_in)
        status = bvpi_moving_nearest(&p->pair, !from->of->is_of_a, from->at, INFINITY, &nearest);
    if (status == BVP_OK && is_in && nearest.found)
        take_contact(p, from, &nearest);
    return status;
}

typedef struct pair_walk {
    uint64_t seen[2][256];     /* triangles, plus one; overwritten ones are asked again */
    double corners[2][256][3]; /* the same; NAN: none */
    uint32_t count;
    touching found[TRIANGLES_ASKED + 1];
} pair_walk;

/* Triangles share corners. */
static bool is_new_corner(pair_walk *w, bool is_of_a, const double corner[3])
{
    uint64_t bits[3], h = 0;
    memcpy(bits, corner, sizeof bits);
    for (int i = 0; i < 3; i++)
        h = (h ^ bits[i]) * UINT64_C(0x9E3779B97F4A7C15);
    double *seen = w->corners[is_of_a][h >> 56];
    if (memcmp(seen, corner, sizeof bits) == 0)
        return false;
    memcpy(seen, corner, sizeof bits);
    return true;
}

static bvp_status ask_triangle(bvpi_penetration *p, pair_walk *w, const touching *t)
{
    bvpi_world_tri tri;
    bvp_status status = bvpi_moving_triangle(&p->pair, t->is_of_a, &t->hit, &tri);
    if (status != BVP_OK)
        return status;
    bvpi_penetration_keep_way(p, tri.normal, (t->is_of_a ? -1 : 1) * tri.outward);
    for (int k = 0; k < 3 && status == BVP_OK; k++) {
        corner from = {.of = t, .slack = tri.slack};
        memcpy(from.at, tri.corner + 3 * k, sizeof from.at);
        if (is_new_corner(w, t->is_of_a, from.at))
            status = ask_corner(p, &from);
    }
    return status;
}

static void note_triangle(pair_walk *w, bool is_of_a, const bvp_hit_id *hit)
{
    const uint64_t key = hit->triangle + 1 + ((uint64_t)hit->instance << 40);
    uint64_t *seen = &w->seen[is_of_a][(hit->triangle + hit->instance) % 256];
    if (*seen == key)
        return;
    *seen = key;
    assert(w->count <= TRIANGLES_ASKED);
    w->found[w->count++] = (touching){*hit, is_of_a};
}

/* Triangles are asked about when the walk is over: its stack and theirs would add up. */
static int on_pair(void *user, const bvp_pair *pair)
{
    pair_walk *w = user;
    note_triangle(w, true, &pair->a);
    note_triangle(w, false, &pair->b);
    return w->count >= TRIANGLES_ASKED;
}

/* Surfaces that only touch, or whose edges cross: a point where they meet. */
bvp_status bvpi_penetration_meeting(bvpi_penetration *p)
{
    bvp_distance_result found;
    bvp_contact c = {.depth = 0};
    static const double none[3] = {0, 0, 0};
    const bvp_status status = bvpi_moving_distance(&p->pair, none, &found);
    if (status != BVP_OK || !found.found || p->contacts.count == 0)
        return status;
    memcpy(c.point_a, found.point_a, sizeof c.point_a);
    memcpy(c.point_b, found.point_b, sizeof c.point_b);
    c.hit_a = found.a;
    c.hit_b = found.b;
    for (int i = 0; i < 3; i++)
        c.normal[i] = -p->out->direction[i];
    insert(p, &c);
    return BVP_OK;
}

bvp_status bvpi_penetration_contacts(bvpi_penetration *p)
{
    pair_walk *w = calloc(1, sizeof *w);
    if (!w)
        return BVP_ERR_NO_MEMORY;
    for (int k = 0; k < 256; k++)
        w->corners[0][k][0] = w->corners[1][k][0] = NAN;
    bvp_status status = bvpi_moving_pairs(&p->pair, on_pair, w);
    for (uint32_t i = 0; i < w->count && status == BVP_OK; i++)
        status = ask_triangle(p, w, &w->found[i]);
    free(w);
    return status;
}
