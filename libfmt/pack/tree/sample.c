/* SPDX-License-Identifier: MIT
 * sample.c: sorts items by a tree that was built over a sample of them.
 *
 * Splitting a large set level by level moves every item once a level. Here the upper levels are
 * decided by looking only at a sample; all items then follow the planes and are moved once. Below
 * the leaves of that tree the real items decide.
 *
 * A split of the sample is accepted only if a plane separates the centres of its two halves,
 * because items that are not in the sample must know where to go. The tree's depth is limited; a
 * sample that goes deeper has clumps, which are left to the ordinary splits.
 *
 * Held by tests/unit/test_sample.c: nothing is lost, leaves are small where the sample can tell.
 * Measured: decisions.md, "Building"
 */
#include "pack/tree/sample.h"

#include <assert.h>
#include <string.h>

enum {
    DEPTH_MAX = 24, /* a deeper sample has clumps, which are left together */
    STRIDE = 8,
    LEAF_SAMPLES = 64,
    PRESORT_LEAST = 8 * STRIDE * LEAF_SAMPLES
};

/* ---- planes --------------------------------------------------------------------------------- */

static inline bvpi_f32x4 centre_of(const bvpi_item *item)
{
    const bvpi_i32x4 mask = {-1, -1, -1, 0}; /* an id is not a float */
    bvpi_f32x4 hi, minus_lo;
    memcpy(&hi, item->hi, sizeof hi);
    memcpy(&minus_lo, item->minus_lo, sizeof minus_lo);
    return hi - (bvpi_f32x4)((bvpi_i32x4)minus_lo & mask);
}

/* The largest doubled centre on each axis, times sign. */
static bvpi_f32x4 greatest(const bvpi_item *items, uint32_t count, float sign)
{
    assert(count > 0);
    bvpi_f32x4 most = sign * centre_of(&items[0]);
    for (uint32_t i = 1; i < count; i++)
        most = bvpi_max4(most, sign * centre_of(&items[i]));
    return most;
}

/* The plane half way between two sets, on an axis that separates them. False if none does. */
static bool separate(const bvpi_item *items, const bvpi_build_node *left,
                     const bvpi_build_node *right, bvpi_plane *plane)
{
    const bvpi_f32x4 most = greatest(items + left->first, left->count, 1);
    const bvpi_f32x4 least = -greatest(items + right->first, right->count, -1);
    for (int axis = 0; axis < 3; axis++)
        if (most[axis] < least[axis]) {
            plane->axis = (uint32_t)axis;
            plane->at = (most[axis] + least[axis]) / 2; /* exact: both are below 2^23 */
            return true;
        }
    return false;
}

static bool split_sample(bvpi_item *sample, uint32_t most, uint32_t k, bvpi_sample_tree *t)
{
    bvpi_build_node *node = &t->build_nodes[k], *child = &t->build_nodes[t->build_node_count];
    if (node->count <= most || node->depth - t->build_nodes[0].depth >= DEPTH_MAX)
        return false;
    bvpi_split_once(sample, 1, node, &child[0], &child[1]);
    if (!separate(sample, &child[0], &child[1], &t->planes[k]))
        return false;
    node->left = t->planes[k].left = t->build_node_count;
    t->planes[node->left] = t->planes[node->left + 1] = (bvpi_plane){.left = 0};
    t->build_node_count += 2;
    return true;
}

/* On each level, few nodes have more than `most` items, and only these are split. */
uint64_t bvpi_sample_room(uint32_t count, uint32_t most)
{
    const uint64_t split = (uint64_t)DEPTH_MAX * (count / (most + UINT64_C(1)) + 1);
    return split < count ? 2 * split + 1 : 2 * (uint64_t)count + 1;
}

void bvpi_sample_split(bvpi_item *sample, uint32_t count, uint32_t most, uint32_t depth,
                       bvpi_sample_tree *t)
{
    uint32_t waiting[DEPTH_MAX + 2], waiting_count = 1;
    waiting[0] = 0;
    bvpi_split_root(sample, count, depth, &t->build_nodes[0]);
    t->planes[0] = (bvpi_plane){.left = 0};
    t->build_node_count = 1;
    t->leaf_count = 0;
    while (waiting_count > 0) {
        const uint32_t k = waiting[--waiting_count];
        if (split_sample(sample, most, k, t)) {
            assert(waiting_count <= DEPTH_MAX); /* one sibling for each level above */
            waiting[waiting_count++] = t->build_nodes[k].left + 1;
            waiting[waiting_count++] = t->build_nodes[k].left;
        } else {
            t->planes[k].batch = t->leaf_count;
            t->leaves[t->leaf_count++] = k;
        }
    }
}

void bvpi_sample_join(bvpi_build_node *build_nodes, uint32_t build_node_count)
{
    for (uint32_t k = build_node_count; k-- > 0;) {
        bvpi_build_node *node = &build_nodes[k];
        const bvpi_build_node *left = &build_nodes[node->left], *right = left + 1;
        if (node->left == 0)
            continue;
        assert(node->left > k && node->left + 1 < build_node_count);
        node->first = left->first;
        node->count = left->count + right->count;
        for (int axis = 0; axis < 3; axis++) {
            const float l = left->minus_lo[axis], r = right->minus_lo[axis];
            node->minus_lo[axis] = l > r ? l : r;
            node->hi[axis] = left->hi[axis] > right->hi[axis] ? left->hi[axis] : right->hi[axis];
        }
    }
}

/* ---- sorting by the planes ------------------------------------------------------------------- */

/* The layout of the scratch memory. */
typedef struct presort {
    bvpi_item *sample;
    bvpi_plane *planes;
    uint32_t *leaves, *next;
    uint16_t *leaf_of;
} presort;

static uint32_t sample_room(uint32_t count)
{
    return count / STRIDE + 1;
}

uint64_t bvpi_presort_scratch_size(uint32_t count)
{
    const uint64_t room = sample_room(count);
    return room * (sizeof(bvpi_item) + 2 * sizeof(bvpi_plane) + 2 * sizeof(uint32_t)) +
           count * sizeof(uint16_t);
}

static void classify(const bvpi_item *items, uint32_t count, const presort *p)
{
    for (uint32_t i = 0; i < count; i += BVPI_ABREAST) {
        const uint32_t here = count - i < BVPI_ABREAST ? count - i : BVPI_ABREAST;
        float centres[BVPI_ABREAST][4] = {{0}};
        uint32_t leaves[BVPI_ABREAST];
        for (uint32_t k = 0; k < here; k++) {
            const bvpi_f32x4 centre = centre_of(&items[i + k]);
            memcpy(centres[k], &centre, sizeof centre);
        }
        bvpi_find_batches(p->planes, centres, leaves);
        for (uint32_t k = 0; k < here; k++) {
            p->leaf_of[i + k] = (uint16_t)leaves[k];
            p->next[leaves[k]]++;
        }
    }
}

uint32_t bvpi_presort(const bvpi_item *items, uint32_t count, uint32_t depth, bvpi_item *sorted,
                      bvpi_build_node *nodes, void *scratch)
{
    if (count < PRESORT_LEAST) {
        memcpy(sorted, items, count * sizeof *items);
        bvpi_split_root(sorted, count, depth, &nodes[0]);
        return 1;
    }
    const uint32_t room = sample_room(count);
    presort p = {.sample = scratch};
    p.planes = (bvpi_plane *)(p.sample + room);
    p.leaves = (uint32_t *)(p.planes + 2 * (uint64_t)room);
    p.next = p.leaves + room;
    p.leaf_of = (uint16_t *)(p.next + room);
    bvpi_sample_tree t = {.build_nodes = nodes, .planes = p.planes, .leaves = p.leaves};
    uint32_t state = 0, taken = 0;
    for (uint32_t first = 0; first + STRIDE <= count; first += STRIDE)
        p.sample[taken++] = items[first + bvpi_sample_next(&state, STRIDE)];
    assert(taken > 0 && taken <= room);
    bvpi_sample_split(p.sample, taken, LEAF_SAMPLES, depth, &t);
    memset(p.next, 0, t.leaf_count * sizeof *p.next);
    classify(items, count, &p);
    uint32_t sum = 0;
    assert(t.leaf_count <= UINT16_MAX + 1);
    for (uint32_t k = 0; k < t.leaf_count; k++) {
        bvpi_build_node *leaf = &nodes[p.leaves[k]];
        leaf->first = sum;
        leaf->count = p.next[k];
        p.next[k] = sum;
        sum += leaf->count;
    }
    assert(sum == count);
    for (uint32_t i = 0; i < count; i++)
        sorted[p.next[p.leaf_of[i]]++] = items[i];
    for (uint32_t k = 0; k < t.leaf_count; k++) {
        bvpi_build_node *leaf = &nodes[p.leaves[k]];
        const uint32_t first = leaf->first;
        bvpi_split_root(sorted + first, leaf->count, leaf->depth, leaf);
        leaf->first = first;
    }
    bvpi_sample_join(nodes, t.build_node_count);
    return t.build_node_count;
}
