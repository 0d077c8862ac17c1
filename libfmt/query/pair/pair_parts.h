/* SPDX-License-Identifier: MIT
 * pair_parts.h: two parts by their wide hierarchies while a query walks them, for kernels.
 */
#ifndef BVPI_QUERY_PAIR_PAIR_PARTS_H
#define BVPI_QUERY_PAIR_PAIR_PARTS_H

#include <assert.h>
#include <math.h>

#include "query/pair/pair_boxes.h"
#include "query/pair/pair_narrow.h"
#include "query/pair/pair_queue.h"
#include "query/pair/pair_walk.h"

/* A leaf meets many others in a row; so many are kept decoded for each side. */
enum { LEAF_CACHE = 16 };

/* So many pairs of leaves and of triangles are tested before a guess where a part and its copy
 * meet: mostly one of the first touches. */
enum { COINCIDENT_AFTER = 64 };

typedef struct pair_parts {
    pair_walk walk; /* first: leaf functions get a pointer to it */
    pair_tester test;
    narrow_frame frame;
    narrow_leaf leaf_a[LEAF_CACHE], leaf_b[LEAF_CACHE];
    uint64_t coincident_at; /* COLLIDE: at which work_of() to guess, or UINT64_MAX */
} pair_parts;

static inline const narrow_leaf *get_leaf(pair_parts *p, bool is_a, uint32_t item, uint32_t count)
{
    narrow_leaf *leaf = &(is_a ? p->leaf_a : p->leaf_b)[item * UINT32_C(2654435769) >> 28];
    tri_leaf *tri = &leaf->tri;
    assert(count != 0); /* 0 marks an empty slot */
    if (tri->item == item && tri->count == count)
        return leaf;
    if (!narrow_load(is_a ? p->walk.a : p->walk.b, item, count, &p->test.frame, is_a, leaf)) {
        tri->count = 0;
        tester_fail(&p->test, BVP_ERR_CORRUPT);
        return NULL;
    }
    tri->item = item;
    tri->count = count;
    return leaf;
}

/* The query's limit, in the units of the boxes: rounded up. */
static inline void limit_walk(pair_walk *walk)
{
    const double work = walk->answer->limit / walk->boxes.world_unit;
    walk->is_bounded = walk->answer->is_bounded;
    walk->limit_sq = (float)(work * work * (1 + 0x1p-18)) + 0x1p-100f;
}

/* The direction in which gaps are looked for, in the frame of a's boxes. */
static inline void aim_boxes(pair_parts *p)
{
    double aim[3];
    bvpi_turned_point(p->walk.a, p->test.aim, 0, aim);
    bvpi_box_pair_aim(&p->walk.boxes, aim);
}

/* Takes over a limit that shrank or an aim that turned into the walk. */
static inline void parts_take_note(pair_parts *p)
{
    if (!p->test.nearer)
        return;
    p->test.nearer = false;
    limit_walk(&p->walk);
    aim_boxes(p);
}

/* Does the query need the size of gaps between boxes, or only their signs? */
static inline bool is_by_distance(const pair_parts *p)
{
    return bvpi_pair_measures(p->walk.query->question.mode) && p->test.pad == 0;
}

/* Pairs of leaves and of triangles so far. */
static inline uint64_t work_of(const bvp_stats *stats)
{
    return stats->leaves + stats->triangles;
}

static inline void parts_init(pair_parts *p, bvpi_pair_query *query, const bvpi_placed_part *a,
                              const bvpi_placed_part *b, pair_entry *root)
{
    p->walk.query = query;
    p->walk.answer = &query->answer;
    tester_init(&p->test, query, a, b, true);
    const bool by_distance = is_by_distance(p);
    p->walk.a = &a->at.tree;
    p->walk.b = &b->at.tree;
    init_boxes(&p->walk.boxes, &p->test.pose, &a->at, &b->at, by_distance, p->test.pad);
    narrow_frame_init(&p->frame, &p->test.pose, &p->walk.boxes, p->walk.a);
    for (int k = 0; k < LEAF_CACHE; k++)
        p->leaf_a[k].tri.count = p->leaf_b[k].tri.count = 0;
    const bool may_coincide =
        query->question.mode == BVPI_PAIR_COLLIDE && a->part.blob == b->part.blob;
    p->coincident_at = may_coincide ? work_of(&query->answer.stats) + COINCIDENT_AFTER : UINT64_MAX;
    walk_init(&p->walk, root);
    if (!by_distance)
        return;
    limit_walk(&p->walk);
    if (query->question.is_aimed)
        aim_boxes(p);
}

#endif
