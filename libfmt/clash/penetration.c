/* SPDX-License-Identifier: MIT
 * penetration.c: the translational penetration depth of two bodies, with contacts.
 *
 * From above: moves of a. A move that puts a plane between the convex hulls takes any bodies apart
 * (hull_depth.c). Shorter ones are tried along that direction and along the contacts' normals, by
 * the exact questions: is b farther than a margin, and is no instance inside another? The margin
 * makes the move right for a caller whose placement is rounded otherwise.
 *
 * From below:
 * - Points of one solid inside the other, by their distance from its surface: they stay inside on
 *   any shorter move. That is each contact's depth.
 * - Surfaces that do not meet, of an enclosed body: their distance.
 * - Two polytopes, one in each solid, that need a move as long. hull_depth.c proposes the hulls of
 *   the few corners that decided the depth of the convex hulls. Such a hull, shrunk a little, is
 *   inside a solid if it meets no triangle of it and its middle is inside. For convex bodies that
 *   always holds, and both bounds are the same but for the shrinking.
 *
 * Invariant: out->depth rises only by what is proved, out->depth_upper falls only by a move that
 * was tried.
 *
 * Slow twin: separating axes, and brute force over moves, tests/property/test_penetration.c.
 * Spec: exactness.md, chapter 12, "Penetration"
 * Measured: decisions.md, "Penetration of two bodies"
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"
#include "clash/contacts.h"
#include "clash/hull_depth.h"
#include "clash/judge.h"
#include "format/source.h"
#include "node/cluster_record.h"
#include "prim/place_bounds.h"
#include "query/body/caller_array.h"
#include "query/solid/solid.h"

/* Distances may exceed the least one by a factor of 1 + 1e-9: exactness.md, chapter 8. */
#define LESS (1 - 0x1p-29)

#define MARGIN 0x1p-40 /* of the reach: how far apart bodies are after a move */

enum { WAYS = 8, HALVINGS = 12, TRIANGLES_ASKED = 4096 };

/* One of the two bodies. */
typedef struct side {
    bvp_body body; /* as given, with a placement and a control */
    double placement[12];
    bvpi_placed_body placed;
    bvpi_part_cache pieces, seams, sweeps;
    struct spot { /* its instances, ascending, or the part */
        uint32_t instance;
        bvpi_bounds bounds;
    } * spots;
    uint32_t spot_count;
    bvpi_cloud cloud; /* their vertices in the world */
    double slack;     /* of these, at most */
} side;

typedef struct penetration {
    side a, b;
    double margin, crack;
    bvpi_meter *meter;
    bvp_penetration_result *out;
    bvp_array contacts; /* the caller's: out->contact_count are sorted, the deepest first */
    double ways[WAYS][3];
    unsigned way_count;
} penetration;

/* ---- the bodies ------------------------------------------------------------------------------ */

/* An instance as clash sees it. */
static bvp_status item_at(side *s, uint32_t spot, bvpi_meter *meter, bvpi_clash_item *item)
{
    bvp_part_info info;
    bvp_status status = BVP_OK;
    assert(spot < s->spot_count);
    *item = (bvpi_clash_item){.file = s->body.file,
                              .part = s->placed.one,
                              .bounds = s->spots[spot].bounds,
                              .pieces = &s->pieces,
                              .seams = &s->seams,
                              .sweeps = &s->sweeps,
                              .meter = meter};
    if (s->placed.is_assembly)
        status = bvpi_placed_body_instance(&s->placed, s->spots[spot].instance, &item->part);
    if (status == BVP_OK)
        status = bvp_get_part(s->body.file, item->part.part_idx, &info);
    if (status != BVP_OK)
        return status;
    item->slack = bvpi_clash_slack(&item->part.at);
    item->is_open = info.open_edge_count > 0;
    item->is_sound = info.open_edge_count == 0 && info.nonmanifold_edge_count == 0;
    return BVP_OK;
}

static bvp_status add_spot(side *s, uint32_t instance, bvpi_meter *meter)
{
    bvpi_clash_item item;
    const uint32_t spot = s->spot_count++;
    s->spots[spot].instance = s->placed.is_assembly ? instance : BVP_NONE;
    const bvp_status status = item_at(s, spot, meter, &item);
    if (status != BVP_OK)
        return status;
    const bvpi_placed_part *part = &item.part;
    bvpi_place_bounds(part->at.placement.m, part->part.lo, part->part.hi, &s->spots[spot].bounds);
    s->slack = fmax(s->slack, item.slack);
    return BVP_OK;
}

/* The vertices of an item's clusters, in the world: as many as there is room for. capacity 0:
 * counts them. */
static bvp_status add_vertices(side *s, const bvpi_clash_item *item, size_t capacity)
{
    for (uint32_t i = 0; i < item->part.part.cluster_count; i++) {
        bvpi_cluster cluster;
        if (!bvpi_meter_step(item->meter))
            return BVP_ERR_CANCELLED;
        if (!bvpi_cluster_at(&item->part.part, i, &cluster))
            return BVP_ERR_CORRUPT;
        for (uint32_t v = 0; v < cluster.vertex_count; v++) {
            const float corner[3] = {bvpi_cluster_coordinate(&cluster, 0, v),
                                     bvpi_cluster_coordinate(&cluster, 1, v),
                                     bvpi_cluster_coordinate(&cluster, 2, v)};
            if (s->cloud.count < capacity) {
                double *at = s->cloud.at[s->cloud.count];
                bvpi_clash_place_corner(item, corner, at);
                for (int axis = 0; axis < 3; axis++)
                    s->cloud.size = bvpi_larger(s->cloud.size, fabs(at[axis]));
            }
            s->cloud.count += capacity == 0 || s->cloud.count < capacity;
        }
    }
    return BVP_OK;
}

static bvp_status add_all_vertices(side *s, bvpi_meter *meter, size_t capacity)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < s->spot_count && status == BVP_OK; i++) {
        bvpi_clash_item item;
        status = item_at(s, i, meter, &item);
        if (status == BVP_OK)
            status = add_vertices(s, &item, capacity);
    }
    return status;
}

static bvp_status fill_cloud(side *s, bvpi_meter *meter)
{
    const bvp_status status = add_all_vertices(s, meter, 0);
    const size_t capacity = s->cloud.count;
    s->cloud.count = 0;
    s->cloud.at = calloc(capacity + 1, sizeof *s->cloud.at); /* no product that overflows */
    if (!s->cloud.at)
        return BVP_ERR_NO_MEMORY;
    return status == BVP_OK && capacity > 0 ? add_all_vertices(s, meter, capacity) : status;
}

static void side_free(side *s)
{
    bvpi_part_cache_free(&s->pieces);
    bvpi_part_cache_free(&s->seams);
    bvpi_part_cache_free(&s->sweeps);
    free(s->spots);
    free(s->cloud.at);
}

/* Call side_free even after a failure: *s is zero at first. */
static bvp_status side_init(side *s, const bvp_body *body, const bvp_control *control,
                            bvpi_meter *meter)
{
    static const double none[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    s->body = *body;
    memcpy(s->placement, body->placement ? body->placement : none, sizeof s->placement);
    s->body.placement = s->placement;
    s->body.control = control;
    bvp_status status = bvpi_placed_body_init(&s->placed, &s->body);
    bvpi_part_cache *caches[3] = {&s->pieces, &s->seams, &s->sweeps};
    for (int k = 0; k < 3 && status == BVP_OK; k++)
        status = bvpi_part_cache_init(caches[k], body->file);
    if (status != BVP_OK)
        return status;
    const uint32_t count = s->placed.is_assembly ? body->file->header.instance_count : 1;
    s->spots = calloc(count ? count : 1, sizeof *s->spots);
    if (!s->spots)
        return BVP_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < count && status == BVP_OK; i++)
        if (!s->placed.is_assembly || bvpi_placed_body_selects(&s->placed, i))
            status = add_spot(s, i, meter);
    return status == BVP_OK ? fill_cloud(s, meter) : status;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static void move_bounds(const bvpi_bounds *from, const double move[3], bvpi_bounds *out)
{
    for (int i = 0; i < 3; i++) {
        const double rounding = (fabs(from->lo[i]) + fabs(from->hi[i]) + fabs(move[i])) * 0x1p-50;
        out->lo[i] = from->lo[i] + move[i] - rounding;
        out->hi[i] = from->hi[i] + move[i] + rounding;
    }
}

/* The same of two instances whose boxes meet, the first one moved. */
static bvp_status is_one_enclosed(penetration *p, uint32_t spot_a, uint32_t spot_b,
                                  const double move[3], bvpi_where *out)
{
    bvpi_clash_item a, b;
    bvp_status status = item_at(&p->a, spot_a, p->meter, &a);
    if (status == BVP_OK)
        status = item_at(&p->b, spot_b, p->meter, &b);
    if (status != BVP_OK)
        return status;
    for (int i = 0; i < 3; i++)
        a.part.at.placement.m[4 * i + 3] += move[i];
    a.part.at.placement.is_identity = false;
    a.slack = bvpi_clash_slack(&a.part.at);
    move_bounds(&p->a.spots[spot_a].bounds, move, &a.bounds);
    return bvpi_clash_enclosed(&a, &b, 0, p->crack, out);
}

/* Is an instance of one body inside one of the other, a being moved? Their surfaces do not meet. */
static bvp_status is_enclosed(penetration *p, const double move[3], bvpi_where *out)
{
    *out = BVPI_OUTSIDE;
    for (uint32_t i = 0; i < p->a.spot_count; i++) {
        bvpi_bounds moved;
        move_bounds(&p->a.spots[i].bounds, move, &moved);
        for (uint32_t k = 0; k < p->b.spot_count && *out != BVPI_INSIDE; k++) {
            bvpi_where where = BVPI_OUTSIDE;
            bvp_status status = bvpi_meter_step(p->meter) ? BVP_OK : BVP_ERR_CANCELLED;
            if (status == BVP_OK && bvpi_clash_is_near(&moved, &p->b.spots[k].bounds, 0))
                status = is_one_enclosed(p, i, k, move, &where);
            if (status != BVP_OK)
                return status;
            if (where != BVPI_OUTSIDE)
                *out = where;
        }
    }
    return BVP_OK;
}

/* Does a move of a take the bodies apart, farther than the margin? */
static bvp_status is_free(penetration *p, const double way[3], double length, bool *out)
{
    bvp_body moved = p->a.body;
    double placement[12], move[3];
    int meets;
    bvpi_where where = BVPI_OUTSIDE;
    memcpy(placement, p->a.placement, sizeof placement);
    for (int i = 0; i < 3; i++) {
        move[i] = way[i] * length;
        placement[4 * i + 3] += move[i];
    }
    moved.placement = placement;
    bvp_status status = bvp_within(&moved, &p->b.body, p->margin, &meets, NULL, NULL);
    if (status == BVP_OK && !meets)
        status = is_enclosed(p, move, &where);
    *out = status == BVP_OK && !meets && where == BVPI_OUTSIDE;
    return status;
}

static void keep_move(penetration *p, const double way[3], double length)
{
    p->out->depth_upper = length;
    memcpy(p->out->direction, way, sizeof p->out->direction);
}

/* Looks for a shorter move along `way`: first one that is just shorter, then by halving. Bodies
 * that are not convex may meet again farther on, which costs a better bound only. */
static bvp_status try_way(penetration *p, const double way[3])
{
    double low = p->out->depth, high = p->out->depth_upper * (1 - 0x1p-10);
    bool is_apart = false;
    bvp_status status = high > low ? is_free(p, way, high, &is_apart) : BVP_OK;
    if (!is_apart)
        return status;
    for (int k = 0; k < HALVINGS && status == BVP_OK; k++) {
        const double middle = low + 0.5 * (high - low);
        status = is_free(p, way, middle, &is_apart);
        *(is_apart ? &high : &low) = middle;
    }
    keep_move(p, way, high);
    return status;
}

/* Keeps a direction unless it is nearly one that is kept already. */
static void keep_way(penetration *p, const double way[3], double sign)
{
    const double size = sqrt(bvpi_dot(way, way));
    double unit[3];
    if (p->way_count == WAYS || !(size > 0))
        return;
    for (int i = 0; i < 3; i++)
        unit[i] = sign * way[i] / size;
    for (unsigned k = 0; k < p->way_count; k++)
        if (bvpi_dot(p->ways[k], unit) > 0.99)
            return;
    memcpy(p->ways[p->way_count++], unit, sizeof unit);
}

/* ---- contacts -------------------------------------------------------------------------------- */

static bvp_contact *contact_at(const penetration *p, uint64_t idx)
{
    return bvpi_element(&p->contacts, sizeof(bvp_contact), idx);
}

/* Puts a contact where it belongs in the sorted list; the last one goes if that is full. */
static void insert(penetration *p, const bvp_contact *contact)
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
static void take_contact(penetration *p, bool is_of_a, const double point[3], const bvp_hit_id *hit,
                         const bvp_closest_result *nearest)
{
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
    const double sure = fmin(size, fabs(nearest->distance)) * LESS - p->a.slack - p->b.slack;
    p->out->depth = fmax(p->out->depth, sure);
    keep_way(p, c.normal, -1);
    insert(p, &c);
}

/* May a contact that deep change anything? */
static bool matters(const penetration *p, double depth)
{
    const uint64_t count = p->out->contact_count;
    return depth > p->out->depth || count < p->contacts.count ||
           (count > 0 && depth > contact_at(p, count - 1)->depth);
}

/* The distance is the cheaper question, and leaves little to ask once some contacts are known. */
static bvp_status ask_corner(penetration *p, bool is_of_a, const double point[3],
                             const bvp_hit_id *hit)
{
    const side *into = is_of_a ? &p->b : &p->a;
    bvp_closest_result nearest;
    bvp_inside_result inside;
    bvp_status status = bvp_closest(&into->body, point, INFINITY, &nearest, NULL);
    if (status != BVP_OK || !nearest.found || !matters(p, nearest.distance))
        return status;
    status = bvpi_solid_where(&into->placed, point, false, p->meter, &inside, NULL);
    if (status == BVP_OK && inside.where == BVP_WHERE_INSIDE)
        take_contact(p, is_of_a, point, hit, &nearest);
    return status;
}

static bvp_status item_of(penetration *p, bool is_of_a, uint32_t instance, bvpi_clash_item *item)
{
    side *s = is_of_a ? &p->a : &p->b;
    uint32_t low = 0, high = s->spot_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        *(s->spots[middle].instance <= instance ? &low : &high) = middle;
    }
    return item_at(s, low, p->meter, item);
}

/* A triangle that touches the other body. */
typedef struct touching {
    bvp_hit_id hit;
    bool is_of_a;
} touching;

typedef struct pair_walk {
    bvp_pair first;
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

static bvp_status ask_triangle(penetration *p, pair_walk *w, const touching *t)
{
    bvpi_clash_item item;
    bvpi_world_tri tri;
    float corners[9];
    uint64_t count;
    bvp_status status = item_of(p, t->is_of_a, t->hit.instance, &item);
    if (status == BVP_OK)
        status = bvp_get_triangles(item.file, t->hit.part, (bvp_range){t->hit.triangle, 1}, corners,
                                   NULL, &count);
    if (status != BVP_OK)
        return status;
    bvpi_world_tri_init(&tri, &item, corners);
    keep_way(p, tri.normal, (t->is_of_a ? -1 : 1) * tri.outward);
    for (int k = 0; k < 3 && status == BVP_OK; k++)
        if (is_new_corner(w, t->is_of_a, tri.corner + 3 * k))
            status = ask_corner(p, t->is_of_a, tri.corner + 3 * k, &t->hit);
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
    if (w->count == 0)
        w->first = *pair;
    note_triangle(w, true, &pair->a);
    note_triangle(w, false, &pair->b);
    return w->count >= TRIANGLES_ASKED;
}

/* The deepest point that clash finds for the first pair that touches: also middles of edges and
 * faces. */
static bvp_status ask_first(penetration *p, const bvp_pair *first)
{
    bvpi_clash_judge judge;
    bvpi_clash_depth depth;
    bvpi_clash_item a, b;
    bvp_status status = item_of(p, true, first->a.instance, &a);
    if (status == BVP_OK)
        status = item_of(p, false, first->b.instance, &b);
    if (status != BVP_OK || a.is_open || b.is_open)
        return status;
    bvpi_contacts *contacts = malloc(sizeof *contacts);
    if (!contacts)
        return BVP_ERR_NO_MEMORY;
    bvpi_clash_judge_init(&judge, a.file, b.file, contacts);
    bvpi_clash_judge_set(&judge, &a, &b);
    judge.crack = p->crack;
    status = bvpi_clash_measure_depth(&judge, &first->a, &first->b, p->out->depth, INFINITY,
                                      BVP_CLASH_DISTANCE, &depth);
    free(contacts);
    if (status != BVP_OK)
        return status;
    p->out->depth = fmax(p->out->depth, depth.lower * LESS - p->a.slack - p->b.slack);
    if (depth.has_point) {
        double way[3];
        bvpi_subtract(depth.point_b, depth.point_a, way);
        keep_way(p, way, 1);
    }
    return BVP_OK;
}

/* Surfaces that only touch, or whose edges cross: a point where they meet. */
static bvp_status add_meeting(penetration *p)
{
    bvp_distance_result found;
    bvp_contact c = {.depth = 0};
    const bvp_status status = bvp_distance(&p->a.body, &p->b.body, INFINITY, &found, NULL);
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

/* ---- the hulls ------------------------------------------------------------------------------- */

/* How much a hull is shrunk about its middle, in turn: faces that are flat but for the rounding of
 * floats are not convex. */
static const double shrinks[] = {0x1p-20, 0x1p-16, 0x1p-12, 0x1p-9};
enum { SHRINKS = 4 };

/* Is the hull of the points, shrunk, inside the solid? *radius: how far a point is from their
 * middle at most. */
static bvp_status is_hull_inside(const side *s, double (*points)[3], unsigned count, double shrink,
                                 double *radius, bool *out)
{
    double middle[3] = {0, 0, 0}, shrunk[BVPI_HULL_POINTS][3];
    bvp_inside_result inside;
    int hit;
    *out = false;
    *radius = 0;
    for (unsigned k = 0; k < count; k++)
        for (int i = 0; i < 3; i++)
            middle[i] += points[k][i] / count;
    for (unsigned k = 0; k < count; k++) {
        double from[3];
        bvpi_subtract(points[k], middle, from);
        *radius = fmax(*radius, sqrt(bvpi_dot(from, from)));
        for (int i = 0; i < 3; i++)
            shrunk[k][i] = middle[i] + (1 - shrink) * from[i];
    }
    const bvp_convex hull = {.kind = BVP_CONVEX_HULL, .points = shrunk[0], .point_count = count};
    bvp_status status = bvpi_solid_where(&s->placed, middle, false, NULL, &inside, NULL);
    if (status != BVP_OK || inside.where != BVP_WHERE_INSIDE)
        return status;
    status = bvp_convex_collide(&s->body, &hull, &hit, NULL);
    *out = status == BVP_OK && !hit;
    return status;
}

/* What the corners that decided the hulls' depth prove. */
static bvp_status prove_hulls(penetration *p, bvpi_hull_depth *depth)
{
    double radius[2];
    bool is_in = false;
    bvp_status status = BVP_OK;
    for (int k = 0; k < SHRINKS && status == BVP_OK && !is_in; k++) {
        const double shrink = shrinks[k];
        status = is_hull_inside(&p->a, depth->a_at, depth->count, shrink, &radius[0], &is_in);
        if (status == BVP_OK && is_in)
            status = is_hull_inside(&p->b, depth->b_at, depth->count, shrink, &radius[1], &is_in);
        if (status == BVP_OK && is_in)
            p->out->depth = fmax(p->out->depth,
                                 depth->lower - shrink * (radius[0] + radius[1]) * (1 + 0x1p-20));
    }
    return status;
}

/* The move that puts a plane between the convex hulls. */
static bvp_status ask_hulls(penetration *p)
{
    bvp_status status = BVP_OK;
    if (p->a.cloud.count == 0 || p->b.cloud.count == 0)
        return BVP_ERR_CORRUPT; /* of a file that changes */
    bvpi_hull_depth *depth = malloc(sizeof *depth);
    if (!depth)
        return BVP_ERR_NO_MEMORY;
    if (!bvpi_hull_depth_find(&p->a.cloud, &p->b.cloud, fmax(p->a.slack, p->b.slack), depth))
        status = BVP_ERR_NO_MEMORY;
    if (status == BVP_OK) {
        keep_move(p, depth->direction, depth->upper + 2 * p->margin);
        keep_way(p, depth->direction, 1);
        if (depth->lower > p->out->depth)
            status = prove_hulls(p, depth);
    }
    free(depth);
    return status;
}

/* ---- the question ---------------------------------------------------------------------------- */

static void set_margin(penetration *p)
{
    double reach = 0;
    const side *sides[2] = {&p->a, &p->b};
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < sides[s]->spot_count; i++)
            for (int k = 0; k < 3; k++) {
                const bvpi_bounds *bounds = &sides[s]->spots[i].bounds;
                reach = fmax(reach, fmax(fabs(bounds->lo[k]), fabs(bounds->hi[k])));
            }
    p->margin = reach * MARGIN;
}

/* Is the pair apart? *meets: their surfaces meet. */
static bvp_status find_verdict(penetration *p, int *meets)
{
    static const double none[3] = {0, 0, 0};
    bvpi_where where;
    bvp_status status = bvp_collide(&p->a.body, &p->b.body, meets, NULL);
    p->out->verdict = BVP_VERDICT_PENETRATING;
    if (status != BVP_OK || *meets)
        return status;
    status = is_enclosed(p, none, &where);
    p->out->verdict = where == BVPI_OUTSIDE  ? BVP_VERDICT_CLEAR
                      : where == BVPI_INSIDE ? BVP_VERDICT_ENCLOSED
                                             : BVP_VERDICT_UNKNOWN;
    return status;
}

static bvp_status ask_contacts(penetration *p)
{
    pair_walk *w = calloc(1, sizeof *w);
    uint64_t count;
    if (!w)
        return BVP_ERR_NO_MEMORY;
    for (int k = 0; k < 256; k++)
        w->corners[0][k][0] = w->corners[1][k][0] = NAN;
    bvp_status status = bvp_pairs_each(&p->a.body, &p->b.body, on_pair, w, &count, NULL);
    for (uint32_t i = 0; i < w->count && status == BVP_OK; i++)
        status = ask_triangle(p, w, &w->found[i]);
    const bvp_pair first = w->first;
    const bool any = w->count > 0;
    free(w);
    const double gap = p->out->depth_upper - p->out->depth;
    if (status == BVP_OK && any && gap > p->out->depth_upper * 1e-3)
        status = ask_first(p, &first);
    return status;
}

static bvp_status ask_enclosed(penetration *p)
{
    bvp_distance_result found;
    const bvp_status status = bvp_distance(&p->a.body, &p->b.body, INFINITY, &found, NULL);
    if (status == BVP_OK && found.found && p->out->verdict == BVP_VERDICT_ENCLOSED)
        p->out->depth = fmax(p->out->depth, found.lower * LESS);
    return status;
}

static bvp_status measure(penetration *p)
{
    int meets;
    set_margin(p);
    bvp_status status = find_verdict(p, &meets);
    if (status != BVP_OK || p->out->verdict == BVP_VERDICT_CLEAR)
        return status;
    status = ask_hulls(p);
    if (status == BVP_OK)
        status = meets ? ask_contacts(p) : ask_enclosed(p);
    for (unsigned k = 0; k < p->way_count && status == BVP_OK; k++)
        status = try_way(p, p->ways[k]);
    if (status == BVP_OK && meets && p->out->contact_count == 0)
        status = add_meeting(p);
    /* they come from different computations */
    p->out->depth = fmin(p->out->depth, p->out->depth_upper);
    return status;
}

static bvp_status penetrate(const bvp_body *a, const bvp_body *b, bvp_array contacts,
                            bvp_penetration_result *out)
{
    if (!a || !a->file || !b || !b->file || !out || (!contacts.base && contacts.count > 0))
        return BVP_ERR_ARGUMENT;
    const bvp_control *control = a->control ? a->control : a->file->control;
    if (!control)
        control = b->control ? b->control : b->file->control;
    penetration p = {.out = out, .contacts = contacts};
    bvpi_meter own;
    *out = (bvp_penetration_result){.verdict = BVP_VERDICT_CLEAR};
    p.meter = bvpi_meter_init(&own, control);
    p.crack = bvp_clash_coordinate_gap(a->file, b->file);
    bvp_status status = side_init(&p.a, a, control, p.meter);
    if (status == BVP_OK)
        status = side_init(&p.b, b, control, p.meter);
    if (status == BVP_OK)
        status = measure(&p);
    side_free(&p.a);
    side_free(&p.b);
    if (status != BVP_OK)
        *out = (bvp_penetration_result){.verdict = BVP_VERDICT_CLEAR};
    return status;
}

bvp_status bvp_penetration(const bvp_body *a, const bvp_body *b, bvp_array contacts,
                           bvp_penetration_result *out)
{
    bvpi_call call = bvpi_call_begin_bodies(a, b);
    return bvpi_call_end(&call, penetrate(a, b, contacts, out));
}
