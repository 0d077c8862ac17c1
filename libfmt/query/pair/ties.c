/* SPDX-License-Identifier: MIT
 * ties.c: pairs of triangles settled by a plane between two parts.
 *
 * For a direction w let h_a be the largest w . x over a's triangles, h_b the largest -w . x over
 * b's. If -(h_a + h_b) > 0, it is a lower bound of every distance, times |w|. Three outcomes:
 * - the bound exceeds the limit (or 0, if the question is overlap): no pair can be the answer;
 * - the bound reaches the best pair's cell: no pair is nearer, but one of the same cell may come
 *   first in storage; search_first() looks for it among triangles that reach near the planes;
 * - otherwise the direction proves nothing, and the next one is tried.
 *
 * A few triangles may be on the wrong side of their plane (strays). Each is settled by itself,
 * against all of the other part, by planes of its own.
 *
 * Directions come from a pair that was found apart, and from one in the middle of storage: its
 * shortest connection and both normals.
 *
 * Invariants: a projection is never below the true one (projection.h adds its error), so a plane
 * proves or is not used. Every search has a bound on its work, and giving up is always safe: the
 * walk goes on and finds the answer by itself.
 *
 * Held against brute force by tests/property/test_ties.c, which also counts the work.
 * Spec: exactness.md, chapter 6, "Ties"
 * Measured: decisions.md, "Ties".
 */
#include "query/pair/ties.h"

#include <assert.h>
#include <math.h>

#include "base/vec3.h"
#include "node/cluster_record.h"
#include "prim/tri_tri_exact.h"
#include "query/pair/projection.h"

enum {
    STRAY_MOST = 16,     /* most strays of a part */
    TESTED_MOST = 64,    /* most pairs of a stray that are decided one by one */
    SEARCH_LEAST = 4096, /* triangles that a search for the first pair may look at, at least */
    GROUP_MOST = 32,     /* boxes around groups of clusters */
    FITTED = 32,         /* corners that a plane is fitted to */
    EARLY = 384,         /* work before the first look for a gap between flat parts */
    HASTE = 16           /* patience is divided by this after a success */
};

/* A try costs about ten exact tests for each hundred triangles. With less patience a try that fails
 * would cost too much, with more a try that succeeds would come too late. After two parts were
 * settled by a plane, the next two are likely to be, too. */
uint64_t bvpi_ties_patience(const bvpi_placed_part *a, const bvpi_placed_part *b, bool has_ties)
{
    const uint64_t patience = 512 + (a->part.triangle_count + b->part.triangle_count) / 8;
    return has_ties ? patience / HASTE : patience;
}

uint64_t bvpi_ties_first_look(const bvpi_placed_part *a, const bvpi_placed_part *b,
                              uint64_t patience)
{
    const bool good = a->kind == BVPD_KIND_WIDE8 && b->kind == BVPD_KIND_WIDE8;
    return good && patience > EARLY ? EARLY : patience;
}

/* Parts may stand out of the planes of the pair that gave them by this much of the limit. */
#define ROOM 0x1p-7

/* ---- projections ----------------------------------------------------------------------------- */

static double highest_of_triangle(const bvpi_projection *p, const float t[9])
{
    double most = -INFINITY;
    for (int k = 0; k < 9; k += 3)
        most =
            bvpi_larger(most, bvpi_highest_of(p, (double)t[k], (double)t[k + 1], (double)t[k + 2]));
    return most;
}

/* Are the vertices plain floats x, y, z in a row, which can be read without decoding? */
static bool is_raw(const bvpi_cluster *cluster)
{
    bool raw = cluster->vertex_width == 96;
    for (int axis = 0; axis < 3; axis++)
        raw = raw && cluster->head.packing[axis] >> 6 == BVPD_RAW &&
              cluster->head.table_count[axis] == 0 &&
              cluster->field_at[axis] == 32 * (unsigned)axis;
    return raw;
}

static double highest_of_vertices(const bvpi_projection *p, const bvpi_cluster *cluster)
{
    double most = -INFINITY;
    const uint8_t *raw = cluster->vertices;
    if (is_raw(cluster)) {
        for (uint32_t k = 0; k < cluster->vertex_count; k++, raw += 12)
            most = bvpi_larger(most,
                               bvpi_highest_of(p, (double)bvpi_float_of_bits(bvpi_load_u32(raw)),
                                               (double)bvpi_float_of_bits(bvpi_load_u32(raw + 4)),
                                               (double)bvpi_float_of_bits(bvpi_load_u32(raw + 8))));
        return most;
    }
    for (uint32_t k = 0; k < cluster->vertex_count; k++)
        most = bvpi_larger(most, bvpi_highest_of(p, (double)bvpi_cluster_coordinate(cluster, 0, k),
                                                 (double)bvpi_cluster_coordinate(cluster, 1, k),
                                                 (double)bvpi_cluster_coordinate(cluster, 2, k)));
    return most;
}

/* ---- planes ---------------------------------------------------------------------------------- */

/* Planes orthogonal to w, or to -w, between the two triangles of a pair, more than `apart` from
 * each other. Most of the remaining room, 7/16 on either side, is given to the parts: the more they
 * may stand out, the fewer strays. False: w does not separate the pair that far. */
static bool planes_across(const bvpi_pose *pose, const double w[3], const float a[9],
                          const float b[9], double apart, bvpi_planes *out)
{
    const double norm = sqrt(bvpi_dot(w, w));
    double unit[3];
    if (!(norm > 0x1p-400 && norm < 0x1p400))
        return false;
    for (int i = 0; i < 3; i++)
        unit[i] = w[i] / norm;
    out->length = sqrt(bvpi_dot(unit, unit)) * (1 + 0x1p-48);
    assert(out->length > 0.5 && out->length < 2); /* lengths are divided by it */
    for (int turn = 0; turn < 2; turn++) {
        const double back[3] = {-unit[0], -unit[1], -unit[2]};
        bvpi_project_by(pose->world_a, 3, unit, &out->of[0]);
        bvpi_project_by(pose->world_b, 4, back, &out->of[1]);
        out->at[0] = highest_of_triangle(&out->of[0], a);
        out->at[1] = highest_of_triangle(&out->of[1], b);
        out->room = -(out->at[0] + out->at[1]) - apart * out->length;
        if (out->room > 0) {
            out->at[0] += out->room * 0.4375;
            out->at[1] += out->room * 0.4375;
            memcpy(out->direction, unit, sizeof unit);
            return true;
        }
        for (int i = 0; i < 3; i++)
            unit[i] = -unit[i];
    }
    return false;
}

/* A triangle's normal in the frame parallel to the world. */
static void normal_of(const double *map, int columns, const float t[9], double out[3])
{
    double edge[2][3];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) {
            edge[k][i] = 0;
            for (int j = 0; j < 3; j++)
                edge[k][i] += map[columns * i + j] * ((double)t[3 + 3 * k + j] - (double)t[j]);
        }
    bvpi_cross(edge[0], edge[1], out);
}

enum { DIRECTIONS = 3 };

/* Directions that may separate a pair: its shortest connection, both normals. */
static void directions_of(const bvpi_pose *pose, const float a[9], const float b[9],
                          double out[DIRECTIONS][3])
{
    bvpi_tri_dist d;
    bvpi_tri_dist1_rough(pose, a, b, &d);
    bvpi_subtract(d.point_b, d.point_a, out[0]);
    normal_of(pose->world_a, 3, a, out[1]);
    normal_of(pose->world_b, 4, b, out[2]);
}

/* ---- triangles on the wrong side ------------------------------------------------------------- */

typedef struct strays {
    float corners[STRAY_MOST][9];
    uint32_t item[STRAY_MOST];
    unsigned count;
} strays;

static const bvpi_placed_part *part_of(const bvpi_ties *ties, int side)
{
    assert(side == 0 || side == 1);
    return side == 0 ? ties->a : ties->b;
}

static uint32_t first_item(const bvpi_part *part, uint32_t idx)
{
    return (uint32_t)(bvpi_cluster_off(part, idx) >> part->cluster_shift) << 8;
}

/* Lists the triangles of a side beyond its plane. *highest: the largest projection of all others.
 * Whole clusters are passed by their vertices alone. False: too many strays, a damaged file, or the
 * call is over. */
static bool find_strays(const bvpi_ties *ties, const bvpi_planes *p, int side, strays *out,
                        double *highest)
{
    const bvpi_part *part = &part_of(ties, side)->part;
    const bvpi_projection *of = &p->of[side];
    const double at = p->at[side];
    out->count = 0;
    *highest = -INFINITY;
    for (uint32_t idx = 0; idx < part->cluster_count; idx++) {
        bvpi_cluster cluster;
        if (!bvpi_meter_step(ties->query->meter) || !bvpi_cluster_at(part, idx, &cluster))
            return false;
        double most = highest_of_vertices(of, &cluster);
        if (most <= at) {
            *highest = fmax(*highest, most);
            continue;
        }
        for (uint32_t k = 0; k < cluster.triangle_count; k++) {
            float corners[9];
            bvpi_cluster_triangle(&cluster, k, corners);
            most = highest_of_triangle(of, corners);
            if (most <= at) {
                *highest = fmax(*highest, most);
                continue;
            }
            if (out->count == STRAY_MOST)
                return false;
            memcpy(out->corners[out->count], corners, sizeof corners);
            out->item[out->count++] = first_item(part, idx) + k;
        }
    }
    return true;
}

/* Decides one pair of a stray and a triangle of the other part. False: it may be an answer, so the
 * walk has to go on; or the query has ended. */
static bool test_stray(const bvpi_ties *ties, int side, const float stray[9], uint32_t item_stray,
                       const float other[9], uint32_t item_other)
{
    const bvpi_pose *pose = ties->pose;
    const float *a = side == 0 ? stray : other, *b = side == 0 ? other : stray;
    if (!bvpi_pair_measures(ties->query->question.mode)) {
        ties->answer->stats.exact++;
        return bvpi_tri_tri_exact(a, b, pose->same ? NULL : pose->ma,
                                  pose->same ? NULL : pose->mb) == 0;
    }
    ties->measure(ties->user, a, b, side == 0 ? item_stray : item_other,
                  side == 0 ? item_other : item_stray);
    return ties->answer->state == BVPI_PAIR_SEARCHING;
}

/* Settles one stray against all of the other part. A triangle that the current planes do not
 * separate from the stray is decided by itself, and gives the next planes. Most triangles are
 * passed by the planes of the first. False: not settled. */
static bool settle_stray(const bvpi_ties *ties, int side, const float stray[9], uint32_t item)
{
    const bvpi_part *part = &part_of(ties, 1 - side)->part;
    bool has_planes = false;
    unsigned tested = 0;
    bvpi_planes p;
    for (uint32_t idx = 0; idx < part->cluster_count; idx++) {
        bvpi_cluster cluster;
        if (!bvpi_meter_step(ties->query->meter) || !bvpi_cluster_at(part, idx, &cluster))
            return false;
        if (has_planes && highest_of_vertices(&p.of[1 - side], &cluster) <= p.at[1 - side])
            continue;
        for (uint32_t k = 0; k < cluster.triangle_count; k++) {
            float other[9];
            bvpi_cluster_triangle(&cluster, k, other);
            if (has_planes && highest_of_triangle(&p.of[1 - side], other) <= p.at[1 - side])
                continue;
            if (tested++ == TESTED_MOST ||
                !test_stray(ties, side, stray, item, other, first_item(part, idx) + k))
                return false;
            const float *a = side == 0 ? stray : other, *b = side == 0 ? other : stray;
            double direction[DIRECTIONS][3];
            directions_of(ties->pose, a, b, direction);
            bvpi_planes found;
            p.room = 0;
            for (int i = 0; i < DIRECTIONS; i++)
                if (planes_across(ties->pose, direction[i], a, b, ties->answer->limit, &found) &&
                    found.room > p.room)
                    p = found;
            has_planes = p.room > 0;
        }
    }
    return true;
}

/* ---- the first one in storage ---------------------------------------------------------------- */

/* Axis-parallel boxes in the frame parallel to the world. */
typedef struct span {
    double lo[3], hi[3];
} span;

static const span nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static bool spans_meet(const span *a, const span *b)
{
    for (int i = 0; i < 3; i++)
        if (a->lo[i] > b->hi[i] || b->lo[i] > a->hi[i])
            return false;
    return true;
}

/* A search for the first pair in storage among those at the least distance. Let g be the gap of the
 * planes and T the largest distance in question. Nearest points x, y of such a pair satisfy
 * y = x + s n + v with n the planes' unit normal, g <= s <= T, v orthogonal to n and
 * |v| <= sqrt(T^2 - g^2). So y is in the box around x shifted by g n and enlarged by
 * (T - g) + sqrt(T^2 - g^2). */
typedef struct search {
    const bvpi_ties *ties;
    bvpi_projection axis[2][3]; /* a side's points, on the axes */
    bvpi_projection of[2];
    double least[2];           /* triangles with lower projections are too far away */
    double most[2];            /* triangles with higher ones are strays, settled already */
    double shift[3], reach[3]; /* g n, and by how much y may be off it */
    span group[GROUP_MOST];    /* around b's clusters, group_size in each */
    uint32_t group_size;
    unsigned group_count; /* 0: boxes are not made yet */
    uint64_t left;        /* triangles of b that may still be looked at */
} search;

/* Does the triangle reach near the plane, without being a stray? */
static bool is_at_plane(const search *s, int side, const float t[9])
{
    const double highest = highest_of_triangle(&s->of[side], t);
    return highest >= s->least[side] && highest <= s->most[side];
}

static void span_of(const search *s, int side, const float t[9], span *out)
{
    *out = nothing;
    for (int i = 0; i < 3; i++) {
        bvpi_projection back = s->axis[side][i];
        for (int j = 0; j < 4; j++)
            back.of[j] = -back.of[j];
        out->hi[i] = highest_of_triangle(&s->axis[side][i], t);
        out->lo[i] = -highest_of_triangle(&back, t);
    }
}

static void begin_search(search *s, const bvpi_ties *ties, const bvpi_planes *p,
                         const double highest[2], double gap)
{
    const double most = bvpi_cell_top(ties->answer->best.distance) * (1 + 0x1p-48);
    assert(ties->answer->best.found);
    assert(gap > 0 && gap <= most); /* gap <= limit, which is within the best pair's cell */
    const double beyond = (most - gap) * (1 + 0x1p-40);
    const double across = sqrt(beyond * (most + gap)) * (1 + 0x1p-40);
    s->ties = ties;
    s->group_size = (ties->b->part.cluster_count + GROUP_MOST - 1) / GROUP_MOST;
    s->group_count = 0;
    s->left = SEARCH_LEAST + ties->spent;
    for (int side = 0; side < 2; side++) {
        const int other = 1 - side;
        s->of[side] = p->of[side];
        s->most[side] = p->at[side];
        s->least[side] = -highest[other] - most * p->length;
        s->least[side] -= fabs(s->least[side]) * 0x1p-48;
    }
    for (int i = 0; i < 3; i++) {
        double unit[3] = {0};
        unit[i] = 1;
        bvpi_project_by(ties->pose->world_a, 3, unit, &s->axis[0][i]);
        bvpi_project_by(ties->pose->world_b, 4, unit, &s->axis[1][i]);
        s->shift[i] = p->direction[i] * gap;
        s->reach[i] = beyond + across + most * 0x1p-40;
    }
}

/* Boxes around b's triangles near the plane, one for each group of clusters. */
static bool bound_groups(search *s)
{
    const bvpi_part *part = &s->ties->b->part;
    assert(s->group_count == 0);
    for (uint32_t idx = 0; idx < part->cluster_count; idx++) {
        bvpi_cluster cluster;
        if (!bvpi_meter_step(s->ties->query->meter) || !bvpi_cluster_at(part, idx, &cluster))
            return false;
        assert(s->group_size > 0 && idx / s->group_size < GROUP_MOST);
        if (idx % s->group_size == 0)
            s->group[s->group_count++] = nothing;
        span *group = &s->group[s->group_count - 1];
        if (!(highest_of_vertices(&s->of[1], &cluster) >= s->least[1]))
            continue;
        for (uint32_t k = 0; k < cluster.triangle_count; k++) {
            float corners[9];
            span box;
            bvpi_cluster_triangle(&cluster, k, corners);
            if (!is_at_plane(s, 1, corners))
                continue;
            span_of(s, 1, corners, &box);
            for (int i = 0; i < 3; i++) {
                group->lo[i] = fmin(group->lo[i], box.lo[i]);
                group->hi[i] = fmax(group->hi[i], box.hi[i]);
            }
        }
    }
    return true;
}

typedef enum found { NOT_FOUND, FOUND, GIVEN_UP } found;

/* Measures, in storage order, the triangles of a cluster of b that may be near enough to a's.
 * FOUND: the rest comes after the best pair. */
static found search_cluster(search *s, const float a[9], uint32_t item_a, const span *at,
                            uint32_t idx)
{
    const bvpi_ties *ties = s->ties;
    const uint32_t first = first_item(&ties->b->part, idx);
    bvpi_cluster cluster;
    assert(idx < ties->b->part.cluster_count);
    if (!bvpi_meter_step(ties->query->meter) || !bvpi_cluster_at(&ties->b->part, idx, &cluster))
        return GIVEN_UP;
    for (uint32_t k = 0; k < cluster.triangle_count; k++) {
        float b[9];
        span box;
        if (!ties->comes_first(ties->user, item_a, first + k))
            return FOUND;
        if (s->left-- == 0)
            return GIVEN_UP;
        bvpi_cluster_triangle(&cluster, k, b);
        if (!is_at_plane(s, 1, b))
            continue;
        span_of(s, 1, b, &box);
        if (!spans_meet(&box, at))
            continue;
        ties->measure(ties->user, a, b, item_a, first + k);
        if (ties->answer->state != BVPI_PAIR_SEARCHING)
            return GIVEN_UP;
    }
    return NOT_FOUND;
}

/* Searches b for partners of one triangle of a. */
static found search_triangle(search *s, const float a[9], uint32_t item_a)
{
    const uint32_t count = s->ties->b->part.cluster_count;
    span at; /* the box that y must be in */
    span_of(s, 0, a, &at);
    for (int i = 0; i < 3; i++) {
        const double more =
            s->reach[i] + (fabs(at.lo[i]) + fabs(at.hi[i]) + fabs(s->shift[i])) * 0x1p-48;
        at.lo[i] += s->shift[i] - more;
        at.hi[i] += s->shift[i] + more;
    }
    for (uint32_t k = 0, from = 0; from < count; k++, from += s->group_size) {
        assert(s->group_count == 0 || k < s->group_count);
        if (s->group_count > 0 && !spans_meet(&s->group[k], &at))
            continue;
        const uint32_t rest = count - from;
        for (uint32_t i = 0; i < s->group_size && i < rest; i++) {
            const found status = search_cluster(s, a, item_a, &at, from + i);
            if (status != NOT_FOUND)
                return status;
        }
    }
    return NOT_FOUND;
}

/* No pair is nearer than the best one's cell: the answer is the first pair in storage in that cell.
 * False: given up, the walk has to find it. Not inlined, so that this state and the strays are not
 * on the stack at the same time. */
static __attribute__((noinline)) bool search_first(const bvpi_ties *ties, const bvpi_planes *p,
                                                   const double highest[2], double gap)
{
    const bvpi_part *part = &ties->a->part;
    search search_here, *s = &search_here;
    unsigned searched = 0;
    begin_search(s, ties, p, highest, gap);
    for (uint32_t idx = 0; idx < part->cluster_count; idx++) {
        bvpi_cluster cluster;
        if (!bvpi_meter_step(ties->query->meter) || !bvpi_cluster_at(part, idx, &cluster))
            return false;
        if (!(highest_of_vertices(&s->of[0], &cluster) >= s->least[0]))
            continue;
        for (uint32_t k = 0; k < cluster.triangle_count; k++) {
            const uint32_t item = first_item(part, idx) + k;
            float corners[9];
            if (!ties->comes_first(ties->user, item, 0))
                return true;
            bvpi_cluster_triangle(&cluster, k, corners);
            if (!is_at_plane(s, 0, corners))
                continue;
            /* often the first triangle ends the search, and then boxes would be for nothing */
            if (searched++ == 1 && !bound_groups(s))
                return false;
            const found status = search_triangle(s, corners, item);
            if (status != NOT_FOUND)
                return status == FOUND;
        }
    }
    return true;
}

/* ---- settling -------------------------------------------------------------------------------- */

/* Is there a best pair, which another one in its cell may precede? */
static bool may_be_preceded(const bvpi_ties *ties)
{
    return bvpi_ties_matter(&ties->query->question) && ties->answer->best.found;
}

double bvpi_ties_use(const bvpi_ties *ties)
{
    const bvpi_pair_answer *answer = ties->answer;
    return may_be_preceded(ties) ? fmin(answer->limit, bvpi_cell_bottom(answer->best.distance))
                                 : answer->limit;
}

/* Does a cluster from the middle of storage alone have too many strays? A cheap test that discards
 * most useless planes before the parts are read. */
static bool is_hopeless(const bvpi_ties *ties, const bvpi_planes *p, int side)
{
    const bvpi_part *part = &part_of(ties, side)->part;
    unsigned count = 0;
    bvpi_cluster cluster;
    if (part->cluster_count == 0 || !bvpi_cluster_at(part, part->cluster_count / 2, &cluster))
        return false;
    for (uint32_t k = 0; k < cluster.triangle_count && count <= STRAY_MOST; k++) {
        float corners[9];
        bvpi_cluster_triangle(&cluster, k, corners);
        count += !(highest_of_triangle(&p->of[side], corners) <= p->at[side]);
    }
    return count > STRAY_MOST;
}

/* Settles all pairs by the planes, except for pairs in the best one's cell. highest, *gap: of the
 * triangles that are no strays. False: the planes prove nothing. Not inlined, as search_first. */
static __attribute__((noinline)) bool
settle_all_but_ties(const bvpi_ties *ties, const bvpi_planes *p, double highest[2], double *gap)
{
    const bvpi_pair_answer *answer = ties->answer;
    strays of[2];
    if (is_hopeless(ties, p, 0) || is_hopeless(ties, p, 1))
        return false;
    for (int side = 0; side < 2; side++)
        if (!find_strays(ties, p, side, &of[side], &highest[side]))
            return false;
    *gap = bvpi_planes_gap(p, highest);
    if (!(*gap > answer->limit) &&
        !(may_be_preceded(ties) && *gap >= bvpi_cell_bottom(answer->best.distance) && *gap > 0))
        return false;
    for (int side = 0; side < 2; side++)
        for (unsigned k = 0; k < of[side].count; k++)
            if (!settle_stray(ties, side, of[side].corners[k], of[side].item[k]))
                return false;
    return true;
}

static bool settle_by(const bvpi_ties *ties, const bvpi_planes *p)
{
    bvpi_pair_answer *answer = ties->answer;
    double highest[2], gap;
    if (!settle_all_but_ties(ties, p, highest, &gap))
        return false;
    if (gap > answer->limit)
        return true;
    /* From here on pairs may be answers that nobody measures: `lower` must allow for them. */
    answer->lower = fmin(answer->lower, gap);
    return search_first(ties, p, highest, gap);
}

static bool settle_across(const bvpi_ties *ties, const float a[9], const float b[9])
{
    double direction[DIRECTIONS][3];
    directions_of(ties->pose, a, b, direction);
    for (int i = 0; i < DIRECTIONS; i++) {
        bvpi_planes p;
        if (planes_across(ties->pose, direction[i], a, b, bvpi_ties_use(ties), &p) &&
            settle_by(ties, &p))
            return true;
        if (ties->answer->state != BVPI_PAIR_SEARCHING)
            return false;
    }
    return false;
}

/* A triangle from the middle of a part's storage. */
static bool middle_of(const bvpi_part *part, float out[9], uint32_t *item)
{
    bvpi_cluster cluster;
    const uint32_t idx = part->cluster_count / 2;
    if (part->cluster_count == 0 || !bvpi_cluster_at(part, idx, &cluster))
        return false;
    *item = first_item(part, idx) + cluster.triangle_count / 2;
    bvpi_cluster_triangle(&cluster, cluster.triangle_count / 2, out);
    return true;
}

/* The caller's pair may be of strays, and then its directions are useless for the others. A pair
 * from the middle of storage seldom is. */
static bool settle_middle(const bvpi_ties *ties)
{
    float a[9], b[9];
    uint32_t item_a, item_b;
    if (!middle_of(&ties->a->part, a, &item_a) || !middle_of(&ties->b->part, b, &item_b))
        return false;
    if (bvpi_pair_measures(ties->query->question.mode)) {
        bvpi_tri_dist d;
        bvpi_tri_dist1_rough(ties->pose, a, b, &d);
        if (d.lo <= ties->answer->limit)
            ties->measure(ties->user, a, b, item_a, item_b);
    }
    return ties->answer->state == BVPI_PAIR_SEARCHING && settle_across(ties, a, b);
}

/* ---- plates ---------------------------------------------------------------------------------- */

/* Corner number n of a sample of FITTED, in the frame parallel to the world, but for a shift. */
static bool sample_corner(const bvpi_ties *ties, int side, uint32_t n, double out[3])
{
    const bvpi_part *part = &part_of(ties, side)->part;
    const double *map = side == 0 ? ties->pose->world_a : ties->pose->world_b;
    bvpi_cluster cluster;
    double x[3];
    if (!bvpi_cluster_at(part, (uint32_t)((uint64_t)n * part->cluster_count / FITTED), &cluster))
        return false;
    for (int i = 0; i < 3; i++)
        x[i] = (double)bvpi_cluster_coordinate(&cluster, i, n * cluster.vertex_count / FITTED);
    for (int i = 0; i < 3; i++)
        out[i] = bvpi_dot(map + (3 + side) * i, x);
    return true;
}

/* The sample in a frame with `normal` as its third axis, relative to its first corner. False: the
 * part is not flat, for a corner is farther than `most` from the plane through the first. */
static bool sample_flat(const bvpi_ties *ties, int side, double most, double axis[3][3],
                        double at[FITTED][3])
{
    double first[3], x[3];
    if (part_of(ties, side)->part.cluster_count == 0 || !sample_corner(ties, side, 0, first))
        return false;
    for (uint32_t n = 0; n < FITTED; n++) {
        const uint32_t mixed = n * 13 % FITTED; /* distant ones early: most parts are not flat */
        if (!sample_corner(ties, side, mixed, x))
            return false;
        bvpi_subtract(x, first, x);
        for (int i = 0; i < 3; i++)
            at[n][i] = bvpi_dot(axis[i], x);
        if (!(fabs(at[n][2]) <= most))
            return false;
    }
    return true;
}

/* Turns w, nearly the normal of a flat part, into that of the plane that is nearest to a sample of
 * its corners: the normal of a triangle errs by what its corners are rounded by, over its size.
 * False: the part is not flat, for corners are off by more than `most`. */
static bool fit_plane(const bvpi_ties *ties, int side, double most, double w[3])
{
    double axis[3][3], at[FITTED][3], mean[3] = {0}, m[2][2] = {{0}}, v[2] = {0};
    const double norm = sqrt(bvpi_dot(w, w));
    int k = fabs(w[1]) < fabs(w[0]);
    k = fabs(w[2]) < fabs(w[k]) ? 2 : k;
    if (!(norm > 0x1p-400 && norm < 0x1p400))
        return false;
    for (int i = 0; i < 3; i++)
        axis[2][i] = w[i] / norm;
    bvpi_cross(axis[2], (double[3]){k == 0, k == 1, k == 2}, axis[0]);
    bvpi_cross(axis[2], axis[0], axis[1]);
    if (!sample_flat(ties, side, most, axis, at))
        return false;
    for (int n = 0; n < FITTED; n++)
        for (int i = 0; i < 3; i++)
            mean[i] += at[n][i] / FITTED;
    for (int n = 0; n < FITTED; n++)
        for (int i = 0; i < 2; i++) {
            v[i] += (at[n][i] - mean[i]) * (at[n][2] - mean[2]);
            for (int j = 0; j < 2; j++)
                m[i][j] += (at[n][i] - mean[i]) * (at[n][j] - mean[j]);
        }
    const double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    if (!(det > 0))
        return false;
    const double slope[2] = {(v[0] * m[1][1] - v[1] * m[0][1]) / det,
                             (v[1] * m[0][0] - v[0] * m[1][0]) / det};
    /* what is right already stays, to the last bit */
    for (int i = 0; i < 3 && fabs(slope[0]) + fabs(slope[1]) > 0x1p-44; i++)
        w[i] = axis[2][i] - slope[0] * axis[0][i] - slope[1] * axis[1][i];
    return true;
}

/* Are two directions, or one and the other's reverse, the same but for 2^-20? */
static bool are_parallel(const double a[3], const double b[3])
{
    double across[3];
    bvpi_cross(a, b, across);
    return bvpi_dot(across, across) < 0x1p-40 * bvpi_dot(a, a) * bvpi_dot(b, b);
}

bool bvpi_ties_planes(const bvpi_ties *ties, const float a[9], const float b[9], unsigned i,
                      bvpi_planes *out)
{
    const double limit = ties->answer->limit;
    double w[3], shortest[3];
    bvpi_tri_dist d;
    bool flat = false;
    assert(i < BVPI_TIES_DIRECTIONS && limit < INFINITY);
    bvpi_tri_dist1_rough(ties->pose, a, b, &d);
    bvpi_subtract(d.point_b, d.point_a, shortest);
    memcpy(w, shortest, sizeof w);
    if (i < 2) {
        normal_of(i == 0 ? ties->pose->world_a : ties->pose->world_b, 3 + (int)i, i == 0 ? a : b,
                  w);
        flat = fit_plane(ties, (int)i, limit * ROOM, w);
        if (!flat && !are_parallel(w, shortest))
            return false;
    }
    if (!planes_across(ties->pose, w, a, b, 0, out))
        return false;
    const double beyond = fmax(out->room - limit * out->length, 0);
    for (int side = 0; side < 2; side++)
        out->at[side] += limit * ROOM - (out->room - beyond) * 0.4375;
    out->is_flat = flat;
    return true;
}

bool bvpi_ties_settle(const bvpi_ties *ties, const float a[9], const float b[9])
{
    assert(ties->answer->state == BVPI_PAIR_SEARCHING);
    if (settle_across(ties, a, b))
        return true;
    return ties->answer->state == BVPI_PAIR_SEARCHING && settle_middle(ties);
}
