/* SPDX-License-Identifier: MIT
 * aabb_pair_kernel.c: two parts by their AABB trees; compiled once per instruction set.
 *
 * A box is converted to work units once, when the node above it is opened (binary_boxes.h). Then
 * the separating axis test of box_box.h decides, so its error bounds hold here, too; of a leaf's
 * triangles that of obb_tri8.h. The descent is binary_walk.h, instantiated for box_volume.
 *
 * Slow twin: the wide hierarchy and brute force, tests/property/test_binary_pairs.c.
 * Spec: exactness.md, chapter 10, "Boxes of binary hierarchies"
 * Based on: van den Bergen, Efficient collision detection of complex deformable models using AABB
 * trees, 1997, section 3.
 * Measured: decisions.md, "Queries between two bodies".
 */
#define BVPI_COMPACT /* decisions.md, "Text of the library" */

#include "query/pair/binary_boxes.h"

#include "node/aabb_node.h"

typedef struct aabb_pair {
    binary_pair pair;
    box_axes axes; /* the relative rotation and all that follows from it */
} aabb_pair;

static inline void volume_aabb(aabb_pair *p, bool is_a, const box_volume *parent,
                               const uint8_t *payload, box_volume *out)
{
    const bvpi_placed_part *part = is_a ? p->pair.test.a : p->pair.test.b;
    bvpi_aabb box;
    double lo[3], hi[3];
    (void)parent;
    bvpi_aabb_box(payload, &box);
    for (int i = 0; i < 3; i++) {
        lo[i] = (double)box.lo[i];
        hi[i] = (double)box.hi[i];
    }
    box_to_work(&p->axes, &part->at.tree, is_a, lo, hi, out->centre, out->half);
    box_prepare(&p->axes, is_a, out);
}

static inline void bound_leaf_aabb(aabb_pair *p, bool is_a, box_leaf *leaf)
{
    const bvpi_placed_part *part = is_a ? p->pair.test.a : p->pair.test.b;
    box_bound_leaf(&p->axes, &part->at.tree, is_a, leaf);
}

BVPI_INLINE bool test_aabb(aabb_pair *p, const box_volume *a, const box_volume *b, bool by_distance,
                           float *gap_sq)
{
    return box_test(&p->axes, a, b, by_distance, p->pair.limit_sq, gap_sq);
}

BVPI_INLINE unsigned test_leaf_aabb(aabb_pair *p, bool leaf_is_a, const box_leaf *leaf,
                                    unsigned lanes, const box_volume *other, bool by_distance,
                                    float *gap_sq)
{
    return box_test_leaf(&p->axes, &p->pair, leaf_is_a, leaf, lanes, other, by_distance, gap_sq);
}

static inline bool is_a_larger_aabb(const aabb_pair *p, const box_volume *a, const box_volume *b)
{
    return box_is_larger(&p->axes, a, b);
}

static inline float rank_aabb(const aabb_pair *p, const box_volume *a, const box_volume *b)
{
    (void)p;
    return box_rank(a, b);
}

static inline void take_note_aabb(aabb_pair *p)
{
    box_take_note(&p->axes, &p->pair);
}

#define NAME(x) x##_aabb
#define VOLUME  box_volume
#define PAIR    aabb_pair
#define LEAF    box_leaf
#include "query/pair/binary_walk.h"

void BVPI_ISA_NAME(bvpi_aabb_pair)(bvpi_pair_query *query, const bvpi_placed_part *a,
                                   const bvpi_placed_part *b)
{
    aabb_pair p;
    binary_pair_init(&p.pair, query, a, b);
    box_axes_init(&p.axes, &p.pair, bvpi_pair_measures(query->question.mode),
                  query->bodies.box_test);
    run_aabb(&p);
}
