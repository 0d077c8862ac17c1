/* SPDX-License-Identifier: MIT
 * contacts.c: looks at each pair of triangles that touch once, and keeps those that promise depth.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#include "clash/contacts.h"

#include <math.h>
#include <string.h>

/* ---- triangles in the world -------------------------------------------------------------------
 */

static void place_corners(const bvpi_clash_item *item, const float tri[9], double out[9])
{
    for (int k = 0; k < 3; k++)
        bvpi_clash_place_corner(item, tri + 3 * k, out + 3 * k);
}

static bvp_status corners_of(const bvpi_clash_item *item, const bvp_hit_id *hit, double out[9])
{
    float tri[9];
    uint64_t count;
    const bvp_status status =
        bvp_get_triangles(item->file, hit->part, hit->triangle, 1, tri, NULL, &count);
    if (status == BVP_OK)
        place_corners(item, tri, out);
    return status;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

/* Unit normal by the corners' order; false: it has none. */
static bool normal_of(const double tri[9], double out[3])
{
    double e[3], f[3];
    subtract(tri + 3, tri, e);
    subtract(tri + 6, tri, f);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = e[j] * f[k] - e[k] * f[j];
    }
    const double length = sqrt(dot(out, out));
    for (int i = 0; i < 3; i++)
        out[i] /= length;
    return length > 0 && isfinite(1 / length);
}

/* A mirrored placement turns a face's normal, by its corners, inward. */
static bool is_mirrored(const bvpi_placed_part *part)
{
    const double *m = part->at.place.m;
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
               m[2] * (m[4] * m[9] - m[5] * m[8]) <
           0;
}

unsigned bvpi_contact_ways(const bvpi_clash_judge *judge, const double tri_a[9],
                           const double tri_b[9], double out[2][3])
{
    unsigned count = 0;
    if (normal_of(tri_b, out[count])) {
        for (int i = 0; i < 3 && is_mirrored(&judge->query.b.one); i++)
            out[count][i] = -out[count][i];
        count++;
    }
    if (normal_of(tri_a, out[count])) {
        for (int i = 0; i < 3 && !is_mirrored(&judge->query.a.one); i++)
            out[count][i] = -out[count][i];
        count++;
    }
    return count;
}

/* How far a triangle has to move along the other's normal to be on one side of its plane. */
static double crossing(const double tri[9], const double other[9])
{
    double normal[3], d[3], before = 0, behind = 0;
    if (!normal_of(other, normal))
        return 0;
    for (int k = 0; k < 3; k++) {
        subtract(tri + 3 * k, other, d);
        before = fmax(before, dot(d, normal));
        behind = fmax(behind, -dot(d, normal));
    }
    return fmin(before, behind);
}

static void set_promise(bvpi_contact *contact)
{
    contact->promise =
        fmin(crossing(contact->tri_a, contact->tri_b), crossing(contact->tri_b, contact->tri_a));
}

bvp_status bvpi_contact_init(const bvpi_clash_judge *judge, const bvp_hit_id *hit_a,
                             const bvp_hit_id *hit_b, bvpi_contact *out)
{
    out->hit_a = *hit_a;
    out->hit_b = *hit_b;
    bvp_status status = corners_of(judge->a, hit_a, out->tri_a);
    if (status == BVP_OK)
        status = corners_of(judge->b, hit_b, out->tri_b);
    if (status == BVP_OK)
        set_promise(out);
    return status;
}

/* ---- lines of contact -------------------------------------------------------------------------
 */

static void extend(bvpi_contacts *c, const double point[3])
{
    for (int i = 0; i < 3; i++) {
        c->lo[i] = fmin(c->lo[i], point[i]);
        c->hi[i] = fmax(c->hi[i], point[i]);
    }
}

/* Is a point of the triangle's plane in it, give or take rounding? */
static bool is_in_triangle(const double tri[9], const double normal[3], const double point[3])
{
    for (int k = 0; k < 3; k++) {
        double edge[3], d[3];
        subtract(tri + 3 * ((k + 1) % 3), tri + 3 * k, edge);
        subtract(point, tri + 3 * k, d);
        const double cross[3] = {normal[1] * edge[2] - normal[2] * edge[1],
                                 normal[2] * edge[0] - normal[0] * edge[2],
                                 normal[0] * edge[1] - normal[1] * edge[0]};
        if (dot(cross, d) < -1e-9 * dot(edge, edge))
            return false;
    }
    return true;
}

/* Where edges of one triangle pass through the other one, or end on it. True: somewhere. */
static bool extend_by_edges(bvpi_contacts *c, const double tri[9], const double other[9])
{
    double normal[3], h[3], size = 0;
    bool any = false;
    if (!normal_of(other, normal))
        return false;
    for (int k = 0; k < 3; k++) {
        double d[3];
        subtract(tri + 3 * k, other, d);
        h[k] = dot(d, normal);
        size = fmax(size, sqrt(dot(d, d)));
    }
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        const double *p = tri + 3 * k, *q = tri + 3 * next;
        const bool ends = fabs(h[k]) <= 1e-9 * size;
        const bool passes = (h[k] < 0) != (h[next] < 0) && h[k] != h[next];
        double point[3];
        if (!ends && !passes)
            continue;
        for (int i = 0; i < 3; i++)
            point[i] = ends ? p[i] : p[i] + (q[i] - p[i]) * (h[k] / (h[k] - h[next]));
        if (is_in_triangle(other, normal, point)) {
            extend(c, point);
            any = true;
        }
    }
    return any;
}

/* What rounding leaves without a point has one in both boxes. */
static void extend_by_pair(bvpi_contacts *c, const double a[9], const double b[9])
{
    double point[3];
    const bool by_a = extend_by_edges(c, a, b), by_b = extend_by_edges(c, b, a);
    if (by_a || by_b)
        return;
    for (int i = 0; i < 3; i++) {
        const double lo =
            fmax(fmin(a[i], fmin(a[3 + i], a[6 + i])), fmin(b[i], fmin(b[3 + i], b[6 + i])));
        const double hi =
            fmin(fmax(a[i], fmax(a[3 + i], a[6 + i])), fmax(b[i], fmax(b[3 + i], b[6 + i])));
        point[i] = 0.5 * lo + 0.5 * hi;
    }
    extend(c, point);
}

/* ---- each pair --------------------------------------------------------------------------------
 */

typedef struct gathering {
    bvpi_clash_judge *judge;
    bvpi_contacts *out;
    uint64_t most;
    bool with_lines;
} gathering;

static void keep_normal(bvpi_contacts *c, const double way[3])
{
    for (uint32_t i = 0; i < c->normal_count; i++)
        if (dot(c->normals[i], way) > 0.9)
            return;
    if (c->normal_count < BVPI_CONTACT_NORMALS)
        memcpy(c->normals[c->normal_count++], way, sizeof c->normals[0]);
}

static void keep(bvpi_contacts *c, const bvpi_contact *contact)
{
    uint32_t at = c->kept_count;
    if (at == BVPI_CONTACTS_KEPT && !(contact->promise > c->kept[at - 1].promise))
        return;
    if (at < BVPI_CONTACTS_KEPT)
        c->kept_count++;
    else
        at--;
    for (; at > 0 && c->kept[at - 1].promise < contact->promise; at--)
        c->kept[at] = c->kept[at - 1];
    c->kept[at] = *contact;
}

static void keep_face(bvpi_faces *faces, const bvpi_placed_part *part, const bvp_hit_id *hit,
                      const double tri[9])
{
    uint64_t *seen = &faces->seen[hit->triangle % BVPI_FACES_SEEN];
    if (faces->count == BVPI_FACES_MOST || *seen == hit->triangle + 1)
        return;
    *seen = hit->triangle + 1;
    faces->hit[faces->count] = *hit;
    for (int i = 0; i < 3; i++)
        faces->centre[faces->count][i] = tri[i] / 3 + tri[3 + i] / 3 + tri[6 + i] / 3;
    double *inward = faces->inward[faces->count];
    const double sign = !normal_of(tri, inward) ? 0 : is_mirrored(part) ? 1 : -1;
    for (int i = 0; i < 3; i++)
        inward[i] = sign == 0 ? 0 : sign * inward[i];
    faces->count++;
}

static void keep_ways(const gathering *g, const bvpi_contact *contact)
{
    double ways[2][3];
    if (g->out->normal_count == BVPI_CONTACT_NORMALS)
        return;
    const unsigned count = bvpi_contact_ways(g->judge, contact->tri_a, contact->tri_b, ways);
    for (unsigned i = 0; i < count; i++)
        keep_normal(g->out, ways[i]);
}

static int gather(void *user, const bvp_pair *pair)
{
    gathering *g = user;
    bvpi_contact contact = {.hit_a = pair->a, .hit_b = pair->b};
    if (g->out->count == g->most) {
        g->out->is_all = false;
        return 1;
    }
    g->out->count++;
    place_corners(g->judge->a, g->judge->query.tri_a, contact.tri_a);
    place_corners(g->judge->b, g->judge->query.tri_b, contact.tri_b);
    set_promise(&contact);
    keep(g->out, &contact);
    keep_face(&g->out->faces_a, &g->judge->a->part, &contact.hit_a, contact.tri_a);
    keep_face(&g->out->faces_b, &g->judge->b->part, &contact.hit_b, contact.tri_b);
    keep_ways(g, &contact);
    if (g->with_lines)
        extend_by_pair(g->out, contact.tri_a, contact.tri_b);
    return 0;
}

bvp_status bvpi_contacts_find(bvpi_clash_judge *judge, uint64_t most, bool with_lines,
                              bvpi_contacts *out)
{
    bvpi_pair_query *query = &judge->query;
    gathering g = {.judge = judge, .out = out, .most = most, .with_lines = with_lines};
    out->count = 0;
    out->is_all = true;
    out->has_lines = with_lines;
    out->kept_count = out->normal_count = 0;
    out->faces_a.count = out->faces_b.count = 0;
    memset(out->faces_a.seen, 0, sizeof out->faces_a.seen);
    memset(out->faces_b.seen, 0, sizeof out->faces_b.seen);
    for (int i = 0; i < 3; i++) {
        out->lo[i] = INFINITY;
        out->hi[i] = -INFINITY;
    }
    bvpi_pair_reset(query, BVPI_PAIR_EACH);
    query->callback = gather;
    query->user = &g;
    bvpi_pair_run(query);
    return query->status;
}
