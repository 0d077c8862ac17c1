/* SPDX-License-Identifier: MIT
 * oriented_pair.h: what the kernels of oriented boxes and swept rectangles share: the common frame,
 * which is a's, its error bounds, and a leaf's triangles against slabs.
 * Spec: exactness.md, chapter 10, "Oriented boxes and swept rectangles"
 */
#ifndef BVPI_KINDS_QUERY_ORIENTED_PAIR_H
#define BVPI_KINDS_QUERY_ORIENTED_PAIR_H

#include "kinds/node/oriented_node.h"
#include "query/pair/binary_pair.h"

/* Set up once per query. Lengths are a's; times pose.scale they are those of the leaves' frame. */
typedef struct oriented_frame {
    double map[2][12];   /* of either side to a's frame; b's first */
    double reach, error; /* see bvpi_obb_slack */
    double limit;        /* DISTANCE: the query's; rounded up */
    bool rigid;          /* b is seen neither sheared nor stretched */
} oriented_frame;

/* bound_a, bound_b: oriented volumes may reach far beyond the grid box, equally on all axes, so
 * their own bounds are used, not the grid's. 2 slack_b: the slack is along a volume's own axes;
 * along the part's it is up to sqrt(3) times as much. */
static inline void oriented_frame_init(oriented_frame *out, const binary_pair *p)
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const bvpi_pose *pose = &p->test.pose;
    const double slack_a = bvpi_oriented_slack(p->tree_a), slack_b = bvpi_oriented_slack(p->tree_b);
    double bound_a[3], bound_b[3];
    bvpi_oriented_bound(p->tree_a, bound_a);
    bvpi_oriented_bound(p->tree_b, bound_b);
    memcpy(out->map[0], pose->x, sizeof out->map[0]);
    memcpy(out->map[1], identity, sizeof identity);
    out->reach = out->error = 0;
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const double *row = pose->x + 4 * i, *row_err = pose->x_err + 4 * i;
        double size = fabs(row[3]), error = row_err[3] + slack_a;
        BVPI_UNROLL
        for (int j = 0; j < 3; j++) {
            size += fabs(row[j]) * bound_b[j];
            error += row_err[j] * bound_b[j] + fabs(row[j]) * 2 * slack_b;
        }
        out->reach = fmax(out->reach, fmax(size * (1 + 0x1p-40), bound_a[i]));
        out->error = fmax(out->error, error * (1 + 0x1p-40));
    }
    out->rigid = p->test.a->at.placement.is_similar && p->test.b->at.placement.is_similar;
    out->limit = INFINITY;
}

/* The query's limit shrank. */
static inline void oriented_limit(oriented_frame *out, binary_pair *p)
{
    out->limit = p->test.answer->limit / p->test.pose.a_size_min * (1 + 0x1p-40);
    p->limit_sq = p->test.limit_sq;
}

/* A distance in a's frame as an entry's bound. */
static inline float oriented_gap_sq(const binary_pair *p, double distance)
{
    const double scaled = distance * p->test.pose.scale;
    return (float)(scaled * scaled * (1 - 0x1p-20));
}

/* What a child's payload is relative to, and the volume itself before placement. */
typedef struct oriented_parent {
    double centre[3], reach;
} oriented_parent;

/* parent: NULL for the root. */
static inline void oriented_load(const bvpi_binary *tree, const oriented_parent *parent,
                                 const uint8_t *payload, bvpi_oriented *out)
{
    bvpi_oriented above;
    if (parent == NULL) {
        bvpi_oriented_frame(tree, &above);
    } else {
        memcpy(above.centre, parent->centre, sizeof above.centre);
        above.reach = parent->reach;
    }
    bvpi_oriented_volume(&above, payload, out);
}

/* ---- triangles against slabs ----------------------------------------------------------------- */

/* lo <= n . x <= hi, in the leaves' frame; n is exact, lo and hi are wider by what the triangles'
 * corners err. */
typedef struct oriented_slab {
    float n[3], lo, hi;
} oriented_slab;

/* n: a unit vector; centre, side: of a parallelepiped in a's frame, half sides; more: how much
 * wider everything is. */
static inline void oriented_slab_init(const binary_pair *p, const double n[3],
                                      const double centre[3], const double side[3][3], double more,
                                      oriented_slab *out)
{
    const double scale = p->test.pose.scale, slack = (double)p->test.frame.slack;
    double at = 0, radius = more, size = 0;
    for (int i = 0; i < 3; i++) {
        out->n[i] = (float)n[i];
        at += (double)out->n[i] * centre[i];
        size += fabs((double)out->n[i]);
    }
    for (int k = 0; k < 3; k++)
        radius += fabs((double)out->n[0] * side[k][0] + (double)out->n[1] * side[k][1] +
                       (double)out->n[2] * side[k][2]);
    const double lo = (at - radius) * scale, hi = (at + radius) * scale;
    out->lo = (float)(lo - fabs(lo) * 0x1p-22 - slack * size);
    out->hi = (float)(hi + fabs(hi) * 0x1p-22 + slack * size);
}

/* How far the triangles are beyond a slab. */
BVPI_INLINE f32x8 oriented_slab_gap(const oriented_slab *slab, const tri_leaf *leaf)
{
    const f32x8 n[3] = {f32x8_splat(slab->n[0]), f32x8_splat(slab->n[1]), f32x8_splat(slab->n[2])};
    const f32x8 d[3] = {dot3(n, leaf->corner), dot3(n, leaf->corner + 3),
                        dot3(n, leaf->corner + 6)};
    return f32x8_max(min3(d[0], d[1], d[2]) - slab->hi, slab->lo - max3(d[0], d[1], d[2]));
}

/* The least of the lanes in a mask. */
static inline float least_lane(f32x8 v, unsigned lanes)
{
    float least = INFINITY;
    for (; lanes != 0; lanes &= lanes - 1) {
        const float x = v[bvpi_lowest_bit(lanes)];
        least = x < least ? x : least;
    }
    return least;
}

/* Distance of the centres over the sizes, squared; sizes may be 0. */
static inline float oriented_rank(const double a[3], const double b[3], double size_sq)
{
    double distance_sq = 0;
    for (int i = 0; i < 3; i++) {
        const double d = a[i] - b[i];
        distance_sq += d * d;
    }
    return (float)(distance_sq / (size_sq + 0x1p-900));
}

#endif
