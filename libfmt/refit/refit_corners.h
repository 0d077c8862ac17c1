/* SPDX-License-Identifier: MIT
 * refit_corners.h: the vertices of a block's triangles, and what of a volume's frame they take up.
 *
 * Positions are doubles relative to one point for all blocks, so that ranges of several blocks can
 * be put together. Numbers are those of bvpi_oriented_local for a volume with its centre there, to
 * the bit: the rules of the format are about these.
 *
 * Slow twins: bvpi_range_add, bvpi_swept_sides, bvpi_swept_corners (oriented_set.c).
 * Spec: format.md, chapter "Oriented volumes"; exactness.md, chapter 10
 */
#ifndef BVPI_REFIT_REFIT_CORNERS_H
#define BVPI_REFIT_REFIT_CORNERS_H

#include "base/simd.h"
#include "kinds/node/oriented_set.h"
#include "refit/refit_block.h"

#include <assert.h>
#include <math.h>

enum { BLOCK_CORNERS_MAX = 3 * BVPD_CLUSTER_TRIANGLES, BLOCK_WORDS = BLOCK_CORNERS_MAX / 64 };

/* A vertex counts once for each run of triangles of one cluster. */
typedef struct block_corners {
    double at[3][BLOCK_CORNERS_MAX]; /* x of all, y, z */
    uint32_t count;
    uint16_t number[BLOCK_CORNERS_MAX]; /* of each corner, in the order of triangles */
} block_corners;

/* Some of a block's vertices, a bit for each number. */
typedef struct vertex_set {
    uint64_t words[BLOCK_WORDS];
} vertex_set;

/* ---- vertices -------------------------------------------------------------------------------- */

typedef struct vertex_numbers {
    uint16_t of[BVPD_CLUSTER_VERTICES]; /* of a cluster's vertices, or VERTEX_FREE */
} vertex_numbers;
enum { VERTEX_FREE = UINT16_MAX };

BVPI_INLINE void add_vertex(const bvpi_cluster *cluster, uint32_t vertex, f64x4 centre,
                            block_corners *out)
{
    bvpi_f32x4 at;
    memcpy(&at, bvpi_raw_place(cluster, 0, vertex), sizeof at);
    const f64x4 local = bvpi_f64x4_from_f32x4(at) - centre;
    for (int k = 0; k < 3; k++)
        out->at[k][out->count] = local[k];
    out->count++;
}

BVPI_INLINE void add_triangle(const bvpi_cluster *cluster, uint32_t local, f64x4 centre,
                              vertex_numbers *numbers, uint16_t number[3], block_corners *out)
{
    uint32_t vertex[3];
    bvpi_cluster_corners(cluster, local, vertex);
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        uint16_t *own = &numbers->of[vertex[k]];
        if (*own == VERTEX_FREE) {
            *own = (uint16_t)out->count;
            add_vertex(cluster, vertex[k], centre, out);
        }
        number[k] = *own;
    }
}

/* All vertices of a cluster, which are those of a block that is all of it. */
static inline void add_cluster(const bvpi_cluster *cluster, f64x4 centre, block_corners *out)
{
    out->count = 0;
    for (uint32_t vertex = 0; vertex < cluster->vertex_count; vertex++)
        add_vertex(cluster, vertex, centre, out);
}

/* The vertices of triangles first .. first + count - 1 of a block, relative to `origin`. False:
 * some triangles are not there. Without an order stream all are in one cluster. numbered: also each
 * corner's number. */
static inline bool block_corners_load(const bvpi_binary *tree, const bvpi_part *part,
                                      bvpi_raw_cluster *open, uint32_t first, uint32_t count,
                                      const double origin[3], bool numbered, block_corners *out)
{
    const uint32_t run = bvpi_block_run(tree, count);
    const f64x4 centre = {origin[0], origin[1], origin[2], 0};
    uint64_t cluster_at = UINT64_MAX;
    vertex_numbers numbers;
    out->count = 0;
    assert(count <= BVPD_CLUSTER_TRIANGLES);
    for (uint32_t done = 0; done < count; done += run) {
        uint32_t local;
        const bvpi_cluster *cluster =
            bvpi_block_triangles(tree, part, open, first + done, run, &local);
        if (!cluster)
            return false;
        if (!numbered && run == count && run == cluster->triangle_count) {
            add_cluster(cluster, centre, out);
            return true;
        }
        if (open->offset != cluster_at) {
            memset(&numbers, 0xff, sizeof numbers); /* all are VERTEX_FREE */
            cluster_at = open->offset;
        }
        const bvpi_cluster own = *cluster; /* in registers: nothing written below can change it */
        for (uint32_t i = 0; i < run; i++)
            add_triangle(&own, local + i, centre, &numbers, out->number + 3 * (done + i), out);
    }
    return true;
}

/* Words of a set that a block uses; the others are never read. */
static inline uint32_t words_of(const block_corners *corners)
{
    return (corners->count + 63) / 64;
}

/* The vertices of the block's triangles first .. first + count - 1. */
static inline void vertex_set_of(const block_corners *corners, uint32_t first, uint32_t count,
                                 vertex_set *out)
{
    uint64_t of[3][BLOCK_WORDS]; /* of each corner, so that no addition waits for the last one */
    const uint32_t words = words_of(corners);
    for (uint32_t word = 0; word < words; word++)
        of[0][word] = of[1][word] = of[2][word] = 0;
    const uint16_t *number = corners->number + 3 * first;
    for (uint32_t i = 0; i < count; i++, number += 3) {
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            of[k][number[k] / 64] |= UINT64_C(1) << number[k] % 64;
    }
    for (uint32_t word = 0; word < words; word++)
        out->words[word] = of[0][word] | of[1][word] | of[2][word];
}

/* Those of either set. */
static inline void vertex_set_join(const block_corners *corners, const vertex_set *a,
                                   const vertex_set *b, vertex_set *out)
{
    for (uint32_t word = 0; word < words_of(corners); word++)
        out->words[word] = a->words[word] | b->words[word];
}

/* All. */
static inline void vertex_set_all(const block_corners *corners, vertex_set *out)
{
    const uint32_t whole = corners->count / 64;
    memset(out->words, 0xff, whole * sizeof *out->words);
    if (corners->count % 64 != 0)
        out->words[whole] = (UINT64_C(1) << corners->count % 64) - 1;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* A range comes about in stages, each over all vertices before the next one begins. Of a box there
 * is the first one only; of a swept rectangle the thickness comes first, then its sides, then its
 * corners (oriented_set.h). */
enum { STAGE_RANGE, STAGE_SIDES, STAGE_CORNERS, STAGES };

/* Vertices of a block as they lie along a volume's axes, by fours of their numbers: in the place of
 * those that are not in the set one of it stands once more. */
typedef struct block_locals {
    double along[3][BLOCK_CORNERS_MAX];
    uint32_t count;
} block_locals;

/* The lanes whose bits are set. */
BVPI_INLINE i64x4 lanes_of(unsigned bits)
{
    const i64x4 bit = {1, 2, 4, 8}, all = {bits, bits, bits, bits};
    return (all & bit) == bit;
}

/* Four points along the rows of `axis`, by the products and sums of bvpi_oriented_local, added to a
 * range of each lane. along: NULL, or where they are kept. */
BVPI_INLINE void project_four(const f64x4 at[3], const double axis[9], f64x4 lo[3], f64x4 hi[3],
                              double (*along)[BLOCK_CORNERS_MAX], uint32_t count)
{
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        const double *row = axis + 3 * k;
        const f64x4 local = at[0] * row[0] + at[1] * row[1] + at[2] * row[2];
        lo[k] = f64x4_min(local, lo[k]);
        hi[k] = f64x4_max(local, hi[k]);
        if (along != NULL)
            f64x4_store(along[k] + count, local);
    }
}

/* The least lane of each of three. */
BVPI_INLINE f64x4 least_of_each(const f64x4 v[3])
{
    const f64x4 two = f64x4_min(__builtin_shufflevector(v[0], v[1], 0, 4, 2, 6),
                                __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7));
    const f64x4 one = f64x4_min(__builtin_shufflevector(v[2], v[2], 0, 4, 2, 6),
                                __builtin_shufflevector(v[2], v[2], 1, 5, 3, 7));
    return f64x4_min(__builtin_shufflevector(two, one, 0, 1, 4, 5),
                     __builtin_shufflevector(two, one, 2, 3, 6, 7));
}

/* A range in each lane. */
BVPI_INLINE void begin_range(const bvpi_range *range, f64x4 lo[3], f64x4 hi[3])
{
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        lo[k] = f64x4_splat(range->lo[k]);
        hi[k] = f64x4_splat(range->hi[k]);
    }
}

/* The range of all lanes. */
BVPI_INLINE void end_range(const f64x4 lo[3], f64x4 hi[3], bvpi_range *range)
{
    BVPI_UNROLL
    for (int k = 0; k < 3; k++)
        hi[k] = -hi[k];
    const f64x4 least = least_of_each(lo), most = -least_of_each(hi);
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        range->lo[k] = least[k];
        range->hi[k] = most[k];
    }
}

/* Projects vertices on the rows of `axis` and adds them to the range. out: NULL or where they are
 * kept. */
BVPI_INLINE void project(const block_corners *corners, const vertex_set *set, const double axis[9],
                         bvpi_range *range, block_locals *out)
{
    const uint32_t words = words_of(corners);
    f64x4 lo[3], hi[3], member[3];
    uint32_t word = 0, count = 0;
    while (word + 1 < words && set->words[word] == 0)
        word++;
    const uint32_t first = 64 * word + (uint32_t)__builtin_ctzll(set->words[word]);
    begin_range(range, lo, hi);
    BVPI_UNROLL
    for (int k = 0; k < 3; k++)
        member[k] = f64x4_splat(corners->at[k][first]);
    for (; word < words; word++) {
        uint32_t number = 64 * word;
        for (uint64_t left = set->words[word]; left != 0; left >>= 4, number += 4) {
            const unsigned none = (unsigned)__builtin_ctzll(left) & ~3u;
            left >>= none;
            number += none;
            f64x4 at[3];
            BVPI_UNROLL
            for (int k = 0; k < 3; k++)
                at[k] = f64x4_load(corners->at[k] + number);
            const i64x4 used = lanes_of(left & 15);
            BVPI_UNROLL
            for (int k = 0; k < 3; k++)
                at[k] = f64x4_select(used, at[k], member[k]);
            project_four(at, axis, lo, hi, out ? out->along : NULL, count);
            count += 4;
        }
    }
    end_range(lo, hi, range);
    if (out != NULL) {
        assert(count > 0 && count <= BLOCK_CORNERS_MAX);
        out->count = count;
    }
}

/* Four vertices from number `first` on; in the place of those that the block has not stands the
 * first one of all. */
BVPI_INLINE void load_four(const block_corners *corners, uint32_t first, f64x4 at[3])
{
    BVPI_UNROLL
    for (int k = 0; k < 3; k++)
        at[k] = f64x4_load(corners->at[k] + first);
    if (corners->count - first >= 4)
        return;
    const i64x4 used = lanes_of((1u << (corners->count - first)) - 1);
    BVPI_UNROLL
    for (int k = 0; k < 3; k++)
        at[k] = f64x4_select(used, at[k], f64x4_splat(corners->at[k][0]));
}

/* The same of all vertices of a block. */
BVPI_INLINE void project_all(const block_corners *corners, const double axis[9], bvpi_range *range,
                             block_locals *out)
{
    f64x4 lo[3], hi[3], at[3];
    uint32_t count = 0;
    begin_range(range, lo, hi);
    for (; count < corners->count; count += 4) {
        load_four(corners, count, at);
        project_four(at, axis, lo, hi, out ? out->along : NULL, count);
    }
    end_range(lo, hi, range);
    if (out != NULL)
        out->count = count;
}

/* Adds all vertices of a block to a range along its third axis alone. */
static inline void add_heights(const block_corners *corners, const double axis[9],
                               bvpi_range *range)
{
    f64x4 lo = f64x4_splat(range->lo[2]), hi = f64x4_splat(range->hi[2]), at[3];
    for (uint32_t i = 0; i < corners->count; i += 4) {
        load_four(corners, i, at);
        const f64x4 local = at[0] * axis[6] + at[1] * axis[7] + at[2] * axis[8];
        lo = f64x4_min(local, lo);
        hi = f64x4_max(local, hi);
    }
    const f64x4 both[3] = {lo, -hi, lo};
    const f64x4 least = least_of_each(both);
    range->lo[2] = least[0];
    range->hi[2] = -least[1];
}

static inline double middle_of(const bvpi_range *range)
{
    return (range->lo[2] + range->hi[2]) / 2;
}

static inline double radius_of(const bvpi_range *range)
{
    return (range->hi[2] - range->lo[2]) / 2;
}

/* bvpi_swept_sides. */
BVPI_INLINE void add_sides(const block_locals *set, bvpi_range *range)
{
    const double z = middle_of(range), radius = radius_of(range);
    f64x4 lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = f64x4_splat(range->lo[k]);
        hi[k] = f64x4_splat(-range->hi[k]);
    }
    for (uint32_t i = 0; i < set->count; i += 4) {
        const f64x4 at[2] = {f64x4_load(set->along[0] + i), f64x4_load(set->along[1] + i)};
        const f64x4 height = f64x4_load(set->along[2] + i) - z;
        const f64x4 left_sq = radius * radius - height * height;
        const f64x4 reach = f64x4_sqrt(f64x4_max(left_sq, f64x4_splat(0)));
        BVPI_UNROLL
        for (int k = 0; k < 2; k++) {
            lo[k] = f64x4_min(at[k] + reach, lo[k]);
            hi[k] = f64x4_min(reach - at[k], hi[k]);
        }
    }
    const f64x4 least = least_of_each(lo), most = -least_of_each(hi);
    for (int k = 0; k < 2; k++) {
        range->lo[k] = least[k];
        range->hi[k] = most[k];
    }
}

/* How far four are beyond the nearer side, or less than 0. */
BVPI_INLINE f64x4 lanes_beyond(f64x4 at, double lo, double hi)
{
    return f64x4_max(at - hi, lo - at);
}

/* bvpi_swept_corners. Few vertices lie beyond the sides of both axes and outside the ball at their
 * corner; the others are passed over four at a time. While sides move outward, whoever is passed
 * over stays so. */
static inline void add_corners(const block_locals *set, bvpi_range *range)
{
    const double z = middle_of(range), radius = radius_of(range);
    const f64x4 zero = f64x4_splat(0), inside = f64x4_splat(BVPI_SWEPT_INSIDE * (radius * radius));
    for (uint32_t i = 0; i < set->count; i += 4) {
        const f64x4 x = lanes_beyond(f64x4_load(set->along[0] + i), range->lo[0], range->hi[0]);
        const f64x4 y = lanes_beyond(f64x4_load(set->along[1] + i), range->lo[1], range->hi[1]);
        const f64x4 height = f64x4_load(set->along[2] + i) - z;
        const i64x4 moves =
            f64x4_gt(f64x4_min(x, y), zero) & f64x4_ge(x * x + y * y + height * height, inside);
        for (unsigned left = i64x4_movemask(moves); left != 0; left &= left - 1) {
            const uint32_t at = i + (uint32_t)__builtin_ctz(left);
            bvpi_swept_corner((double[]){set->along[0][at], set->along[1][at], set->along[2][at]},
                              z, radius, range);
        }
    }
}

/* Adds all vertices of a block to a range in one of its stages. locals: room. */
static inline void range_add(bvpi_range *range, int stage, bool rss, const block_corners *corners,
                             const double axis[9], block_locals *locals)
{
    bvpi_range unused = bvpi_range_empty();
    if (stage == STAGE_RANGE && rss)
        add_heights(corners, axis, range);
    else if (stage == STAGE_RANGE)
        project_all(corners, axis, range, NULL);
    else
        project_all(corners, axis, &unused, locals);
    if (stage == STAGE_SIDES)
        add_sides(locals, range);
    else if (stage == STAGE_CORNERS)
        add_corners(locals, range);
}

/* Ends a stage of a range. */
static inline void range_end(bvpi_range *range, int stage, bool rss)
{
    const bvpi_range empty = bvpi_range_empty();
    if (stage == STAGE_SIDES)
        bvpi_swept_close(range);
    for (int k = 0; k < 2 && stage == STAGE_RANGE && rss; k++) {
        range->lo[k] = empty.lo[k];
        range->hi[k] = empty.hi[k];
    }
}

/* All stages, for all vertices at once. *plain: the first one. */
static inline bvpi_range range_of(const block_corners *corners, const vertex_set *set,
                                  const double axis[9], bool rss, block_locals *locals,
                                  bvpi_range *plain)
{
    *plain = bvpi_range_empty();
    if (!rss) {
        project(corners, set, axis, plain, NULL);
        return *plain;
    }
    project(corners, set, axis, plain, locals);
    bvpi_range range = *plain;
    range_end(&range, STAGE_RANGE, rss);
    add_sides(locals, &range);
    range_end(&range, STAGE_SIDES, rss);
    add_corners(locals, &range);
    return range;
}

/* Can vertices that take up `box` along box_axis change the range along `axis` in this stage?
 * False: no, however they are rounded. Of a swept rectangle the first stage is for its thickness; a
 * side moves only for what lies beyond it, a corner for what lies beyond two. slack:
 * bvpi_oriented_slack. */
static inline bool range_is_open(const bvpi_range *range, int stage, bool rss, const double axis[9],
                                 const bvpi_range *box, const double box_axis[9], double slack)
{
    double centre[3], half[3];
    int beyond = 0;
    const int from = rss && stage == STAGE_RANGE ? 2 : 0, to = stage == STAGE_RANGE ? 3 : 2;
    bvpi_range_middle(box, centre, half);
    for (int k = from; k < to; k++) {
        const double *row = axis + 3 * k;
        double middle = 0, reach = slack;
        for (int i = 0; i < 3; i++) {
            const double *own = box_axis + 3 * i;
            const double along = row[0] * own[0] + row[1] * own[1] + row[2] * own[2];
            middle += along * centre[i];
            reach += fabs(along) * half[i];
        }
        beyond += !(middle - reach >= range->lo[k] && middle + reach <= range->hi[k]);
    }
    return beyond > (stage == STAGE_CORNERS ? 1 : 0);
}

#endif
