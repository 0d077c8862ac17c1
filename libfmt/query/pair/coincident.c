/* SPDX-License-Identifier: MIT
 * coincident.c: where a part and a copy of it that is moved very little are likely to meet.
 *
 * A scan registered on itself, a part turned by 1e-9: every leaf lies beside its own copy, and only
 * along some curve do the surfaces cross. A walk tests all leaves on its way there. But which side
 * of a triangle its own copy lies on tells where to look: where that side changes, the surfaces
 * cross. So some leaves are looked at. Of two that lie on different sides, the point half way
 * between them is brought to the leaf at that place, by one way down the hierarchy, and so on until
 * they are neighbours, or a leaf has triangles of both kinds.
 *
 * Nothing here is proved: rounding, a way down that misses the nearest leaf or an open surface may
 * make the leaves miss each other. They are tested as any others are, and if nothing touches, the
 * walk goes on as without them. Vectors of one width and no fused operations: the same guess on
 * every machine.
 *
 * Slow twin: the query without it, tests/property/test_coincident.c, which also counts.
 * Spec: exactness.md, chapter 10, "A part and its copy nearly in the same place"
 * Measured: decisions.md, the section of that name.
 */
#include "query/pair/coincident.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "node/cluster_record.h"
#include "node/wide_node.h"

enum {
    SAMPLES = 16,     /* leaves that are looked at before any search */
    SEARCHES = 4,     /* at most, between samples on different sides */
    HALVINGS = 12,    /* of the way between two leaves */
    LEAST_COUNT = 256 /* fewer triangles are walked as fast */
};

/* The copy may be moved by this part of a typical triangle: the part's diagonal over the root of
 * the number of triangles. */
#define MOVED_MOST 0.25

bool bvpi_coincident_begin(bvpi_coincident *s, const bvpi_placed_part *a, const bvpi_placed_part *b,
                           const bvpi_pose *pose)
{
    double moved_sq = 0, diagonal_sq = 0;
    if (a->part.blob != b->part.blob || a->part.triangle_count < LEAST_COUNT)
        return false;
    for (int i = 0; i < 3; i++) {
        double moved = 0;
        for (int j = 0; j < 4; j++) {
            const double by = pose->x[4 * i + j] - (i == j ? 1 : 0);
            s->by[4 * i + j] = (float)by;
            moved += fabs(by) * (j < 3 ? a->at.corner[j] : 1);
        }
        const double length = (double)a->part.hi[i] - (double)a->part.lo[i];
        moved_sq += moved * moved;
        diagonal_sq += length * length;
    }
    s->part = a;
    s->sample = s->searches = 0;
    s->last.side = BVPI_COPY_MIXED;
    return moved_sq * (double)a->part.triangle_count <= diagonal_sq * (MOVED_MOST * MOVED_MOST);
}

/* Fills in out->side, and out->at from the first corner. False: the record is damaged. */
static bool look_at(const bvpi_coincident *s, uint32_t item, uint32_t count, bvpi_copy_leaf *out)
{
    bvpi_tri8 tri;
    f32x8 edge[2][3], normal[3], least = {0}, most = {0};
    if (!bvpi_wide_triangles(&s->part->at.tree, item, count, &tri))
        return false;
    const f32x8 *c = tri.c;
    for (int i = 0; i < 3; i++) {
        edge[0][i] = c[3 + i] - c[i];
        edge[1][i] = c[6 + i] - c[i];
        out->at[i] = c[i][0];
    }
    for (int i = 0; i < 3; i++) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        normal[i] = edge[0][i1] * edge[1][i2] - edge[0][i2] * edge[1][i1];
    }
    for (int k = 0; k < 9; k += 3) {
        f32x8 along = {0};
        for (int i = 0; i < 3; i++) {
            const float *row = s->by + 4 * i;
            along += normal[i] * (c[k] * row[0] + c[k + 1] * row[1] + c[k + 2] * row[2] + row[3]);
        }
        least = k == 0 ? along : f32x8_min(least, along);
        most = k == 0 ? along : f32x8_max(most, along);
    }
    const f32x8 zero = {0};
    const unsigned all = 0xff; /* lanes beyond the last triangle repeat the first */
    out->item = item;
    out->count = count;
    out->side = i32x8_movemask(f32x8_gt(least, zero)) == all  ? BVPI_COPY_ABOVE
                : i32x8_movemask(f32x8_gt(zero, most)) == all ? BVPI_COPY_BELOW
                                                              : BVPI_COPY_MIXED;
    return true;
}

/* The leaf of the hierarchy at a point, in grid steps, by one way down: always to the child whose
 * box is nearest, of several around the point to that whose middle is. */
static bool find_leaf(const bvpi_tree *tree, const float p[3], uint32_t *item, uint32_t *count)
{
    static const float unit[3] = {1, 1, 1};
    float lo[3] = {0}, hi[3];
    uint32_t ref = tree->root;
    for (int i = 0; i < 3; i++)
        hi[i] = (float)tree->grid_extent[i];
    for (unsigned level = 0; level < BVPD_DEPTH_MAX; level++) {
        bvpi_wide node;
        bvpi_boxes boxes;
        f32x8 key = {0};
        if (!bvpi_wide_load(tree, ref, &node) || node.used == 0)
            return false;
        bvpi_wide_boxes(&node, lo, hi, unit, &boxes);
        for (int i = 0; i < 3; i++) {
            const f32x8 below = boxes.lo[i] - p[i], above = p[i] - boxes.hi[i];
            const f32x8 gap = f32x8_max(f32x8_max(below, above), f32x8_splat(0));
            const f32x8 middle = (above - below) * 0.125f; /* a quarter of its distance */
            key += gap * gap + middle * middle;
        }
        unsigned lane = bvpi_lowest_bit(node.used);
        for (unsigned left = node.used & (node.used - 1); left != 0; left &= left - 1) {
            const unsigned other = bvpi_lowest_bit(left);
            lane = key[other] < key[lane] ? other : lane;
        }
        if (!bvpi_wide_is_inner(&node, lane)) {
            *item = bvpi_wide_item(&node, lane);
            *count = bvpi_wide_item_count(&node, lane);
            return true;
        }
        ref = bvpi_wide_child(&node, lane);
        for (int i = 0; i < 3; i++) {
            lo[i] = boxes.lo[i][lane];
            hi[i] = boxes.hi[i][lane];
        }
    }
    return false;
}

/* The leaf half way between two points. */
static bool look_between(const bvpi_coincident *s, const float from[3], const float to[3],
                         bvpi_copy_leaf *out)
{
    const bvpi_tree *tree = &s->part->at.tree;
    float middle[3], p[3];
    uint32_t item, count;
    for (int i = 0; i < 3; i++) {
        middle[i] = 0.5f * (from[i] + to[i]);
        p[i] = (float)(((double)middle[i] - tree->grid_origin[i]) / tree->grid_unit);
    }
    if (!find_leaf(tree, p, &item, &count) || !look_at(s, item, count, out))
        return false;
    memcpy(out->at, middle, sizeof middle);
    return true;
}

static bvpi_leaf_pair pair_of(const bvpi_copy_leaf *a, const bvpi_copy_leaf *b)
{
    return (bvpi_leaf_pair){a->item, a->count, b->item, b->count};
}

/* Where the side changes between two leaves. */
static unsigned find_change(const bvpi_coincident *s, bvpi_copy_leaf above, bvpi_copy_leaf below,
                            bvpi_leaf_pair out[2])
{
    assert(above.side == BVPI_COPY_ABOVE && below.side == BVPI_COPY_BELOW);
    for (int k = 0; k < HALVINGS; k++) {
        bvpi_copy_leaf middle;
        if (!look_between(s, above.at, below.at, &middle))
            return 0;
        if (middle.side == BVPI_COPY_MIXED) {
            out[0] = pair_of(&middle, &middle);
            return 1;
        }
        *(middle.side == BVPI_COPY_ABOVE ? &above : &below) = middle;
    }
    out[0] = pair_of(&above, &below);
    out[1] = pair_of(&below, &above);
    return 2;
}

unsigned bvpi_coincident_next(bvpi_coincident *s, bvpi_leaf_pair out[2])
{
    const bvpi_part *part = &s->part->part;
    while (s->sample < SAMPLES && s->searches < SEARCHES) {
        const uint32_t idx = (uint32_t)((uint64_t)part->cluster_count * s->sample++ / SAMPLES);
        const uint32_t item = (uint32_t)(bvpi_cluster_off(part, idx) >> part->cluster_shift) << 8;
        const bvpi_copy_leaf last = s->last;
        bvpi_copy_leaf here;
        unsigned count = 0;
        if (!look_at(s, item, 1, &here))
            continue;
        s->last = here;
        if (here.side == BVPI_COPY_MIXED) {
            out[0] = pair_of(&here, &here);
            count = 1;
        } else if (last.side != BVPI_COPY_MIXED && here.side != last.side) {
            const bool is_above = here.side == BVPI_COPY_ABOVE;
            count = find_change(s, is_above ? here : last, is_above ? last : here, out);
        }
        s->searches += count > 0;
        if (count > 0)
            return count;
    }
    return 0;
}
