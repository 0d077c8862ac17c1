/* SPDX-License-Identifier: MIT
 * contacts.c: visits every pair of touching triangles once and keeps a bounded summary for depth.c.
 *
 * A contact of two large parts may have millions of pairs, and depth needs only few of them: the
 * eight that reach deepest through each other's planes, up to six different directions off the
 * contacts, and up to 64 touching faces of either part. Corners in the world are cached, because a
 * triangle usually touches several others.
 *
 * Pairs arrive in the order of the walk, which does not depend on threads; so the summary is
 * deterministic.
 *
 * Spec: exactness.md, chapter 12, "Depth"
 */
#include "clash/contacts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/vec3.h"

typedef struct gathering {
    bvpi_clash_judge *judge;
    bvpi_contacts *out;
    uint64_t most;
    bool with_lines;
} gathering;

/* Keeps a direction unless it is nearly one that is kept already. */
static void keep_normal(bvpi_contacts *c, const double way[3])
{
    for (uint32_t i = 0; i < c->normal_count; i++)
        if (bvpi_dot(c->normals[i], way) > 0.9)
            return;
    if (c->normal_count < BVPI_CONTACT_NORMALS)
        memcpy(c->normals[c->normal_count++], way, sizeof c->normals[0]);
}

/* Keeps the contacts with the largest promise, in descending order. */
static void keep(bvpi_contacts *c, const bvp_pair *pair, const bvpi_world_tri *a,
                 const bvpi_world_tri *b)
{
    double promise, certain;
    uint32_t at = c->kept_count;
    bvpi_contact_measure(a, b, &promise, &certain);
    if (at == BVPI_CONTACTS_KEPT && !(promise > c->kept[at - 1].promise))
        return;
    if (at < BVPI_CONTACTS_KEPT)
        c->kept_count++;
    else
        at--;
    for (; at > 0 && c->kept[at - 1].promise < promise; at--)
        c->kept[at] = c->kept[at - 1];
    assert(at < BVPI_CONTACTS_KEPT && c->kept_count <= BVPI_CONTACTS_KEPT);
    c->kept[at] = (bvpi_contact){pair->a, pair->b, *a, *b, promise, certain};
}

/* `seen` forgets a triangle when another one takes its slot; then a face is kept twice, which costs
 * time only. */
static void keep_face(bvpi_faces *faces, const bvp_hit_id *hit, const bvpi_world_tri *tri)
{
    uint64_t *seen = &faces->seen[hit->triangle % BVPI_FACES_SEEN];
    assert(faces->count <= BVPI_FACES_MOST);
    if (faces->count == BVPI_FACES_MOST || *seen == hit->triangle + 1)
        return;
    *seen = hit->triangle + 1;
    faces->hit[faces->count] = *hit;
    bvpi_clash_middle(tri->corner, faces->centre[faces->count]);
    for (int i = 0; i < 3; i++)
        faces->inward[faces->count][i] = -tri->outward * tri->normal[i];
    faces->count++;
}

static const bvpi_world_tri *get_world(bvpi_world_tris *kept, const bvpi_clash_item *item,
                                       uint64_t number, const float tri[9])
{
    const unsigned slot = number % BVPI_WORLD_KEPT;
    if (kept->number[slot] != number + 1)
        bvpi_world_tri_init(&kept->tri[slot], item, tri);
    kept->number[slot] = number + 1;
    return &kept->tri[slot];
}

static int gather(void *user, const bvp_pair *pair)
{
    gathering *g = user;
    bvpi_contacts *out = g->out;
    const bvpi_pair_answer *answer = &g->judge->query.answer;
    const bvpi_world_tri *a, *b;
    assert(out->count <= g->most);
    if (out->count == g->most) {
        out->is_all = false;
        return 1;
    }
    out->count++;
    a = get_world(&out->world_a, g->judge->a, pair->a.triangle, answer->tri_a);
    b = get_world(&out->world_b, g->judge->b, pair->b.triangle, answer->tri_b);
    keep(out, pair, a, b);
    keep_face(&out->faces_a, &pair->a, a);
    keep_face(&out->faces_b, &pair->b, b);
    if (out->normal_count < BVPI_CONTACT_NORMALS) {
        double ways[2][3];
        const unsigned count = bvpi_contact_ways(a, b, ways);
        for (unsigned i = 0; i < count; i++)
            keep_normal(out, ways[i]);
    }
    if (g->with_lines)
        bvpi_contact_extend(a, b, out->lo, out->hi);
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
    memset(out->world_a.number, 0, sizeof out->world_a.number);
    memset(out->world_b.number, 0, sizeof out->world_b.number);
    for (int i = 0; i < 3; i++) {
        out->lo[i] = INFINITY;
        out->hi[i] = -INFINITY;
    }
    const bvpi_pair_question question = {.mode = BVPI_PAIR_EACH, .callback = gather, .user = &g};
    bvpi_pair_set_question(query, &question);
    bvpi_pair_run(query);
    return query->answer.status;
}

static bvp_status spread_faces(const bvpi_clash_item *item, bvpi_faces *out)
{
    const uint64_t total = item->part.part.triangle_count, step = total / BVPI_FACES_MOST + 1;
    bvp_status status = BVP_OK;
    for (uint64_t i = 0; i < total && status == BVP_OK; i += step) {
        const bvp_hit_id hit = {
            .instance = item->part.instance, .part = item->part.part_idx, .triangle = i};
        bvpi_world_tri tri;
        float corners[9];
        uint64_t count;
        status = bvp_get_triangles(item->file, hit.part, (bvp_range){i, 1}, corners, NULL, &count);
        if (status != BVP_OK)
            break;
        bvpi_world_tri_init(&tri, item, corners);
        keep_face(out, &hit, &tri);
    }
    return status;
}

bvp_status bvpi_contacts_spread(const bvpi_clash_judge *judge, bvpi_contacts *out)
{
    const bvp_status status = spread_faces(judge->a, &out->faces_a);
    return status == BVP_OK ? spread_faces(judge->b, &out->faces_b) : status;
}
