/* SPDX-License-Identifier: MIT
 * refit_aabb_kernel.c: recomputes all boxes of an AABB tree, in place. They are the exact bounds of
 * their triangles.
 *
 * Children come after their parents in the file, so one pass from the last record to the first sees
 * children first. A block's nodes are listed in the same way. Bytes are stored only where they
 * differ, so unchanged pages stay shared with other processes.
 *
 * Held by tests/property/test_refit.c: every box is exact.
 * Spec: format.md, chapters "AABB tree", "Deformed parts"
 * Based on: van den Bergen, Efficient collision detection of complex deformable models using AABB
 * trees, 1997, section 4.
 * Measured: decisions.md, "Refits once more"
 */
#include "refit/refit.h"

#include "refit/refit_block.h"

#include <assert.h>

typedef struct aabb {
    bvp_file *file;
    const bvpi_binary *tree;
    const bvpi_part *part;
    bvpi_raw_cluster open;
    double area, root_area; /* half the surfaces of all boxes, and of the one stored last */
} aabb;

/* Zeros are stored as +0, so that the bytes do not depend on which of two equal values came
 * first. */
static void store_box(aabb *a, const uint8_t *payload, bvpi_aabb *box)
{
    double size[3];
    for (int axis = 0; axis < 3; axis++) {
        box->lo[axis] += 0.0f;
        box->hi[axis] += 0.0f;
        size[axis] = (double)box->hi[axis] - box->lo[axis];
    }
    a->root_area = size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
    a->area += a->root_area;
    bvpi_overlay_store(a->file, payload, box, sizeof *box);
}

static bool refit_block(aabb *a, const bvpi_binary_node *root, const uint8_t *payload)
{
    bvpi_block_node nodes[BVPI_BLOCK_NODES_MAX];
    bvpi_aabb boxes[BVPI_BLOCK_NODES_MAX];
    uint32_t count;
    if (!bvpi_block_list(a->tree, root, payload, nodes, &count))
        return false;
    while (count-- > 0) {
        const bvpi_block_node *n = &nodes[count];
        if (n->left == 0) {
            bvpi_raw_box exact;
            if (!bvpi_block_bound(a->tree, a->part, &a->open, &n->node, &exact))
                return false;
            memcpy(boxes[count].lo, &exact.lo, sizeof boxes[count].lo);
            memcpy(boxes[count].hi, &exact.hi, sizeof boxes[count].hi);
        } else {
            assert(n->left > count); /* so the children's boxes are known */
            boxes[count] = boxes[n->left];
            bvpi_aabb_include(&boxes[count], boxes[n->left + 1].lo, boxes[n->left + 1].hi);
        }
        store_box(a, n->payload, &boxes[count]);
    }
    return true;
}

/* Record idx of the upper array, and if it links to a block, all of that. */
static bool refit_upper(aabb *a, uint32_t idx)
{
    bvpi_upper_record own;
    if (!bvpi_upper_read(a->tree, idx, &own))
        return false;
    if (own.is_block)
        return refit_block(a, &own.node, own.payload);
    bvpi_aabb box, other;
    bvpi_aabb_clear(&box);
    for (int side = 0; side < 2; side++) {
        bvpi_aabb_box(own.below[side], &other);
        bvpi_aabb_include(&box, other.lo, other.hi);
    }
    store_box(a, own.payload, &box);
    return true;
}

bvp_status refit_aabb(bvp_file *file, const bvpi_binary *tree, const bvpi_part *part,
                      const bvpi_grid *grid, void *room, double *area_cost)
{
    aabb a = {.file = file, .tree = tree, .part = part};
    (void)grid;
    (void)room;
    for (uint32_t idx = tree->upper_count; idx-- > 0;)
        if (!refit_upper(&a, idx))
            return BVP_ERR_CORRUPT;
    *area_cost = bvpi_area_cost(a.area, a.root_area);
    return BVP_OK;
}
