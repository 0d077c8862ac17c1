/* SPDX-License-Identifier: MIT
 * volume_boxes.c: the box around a node's volume, for queries of one body, which know only boxes.
 *
 * A box in double, rounded outward and clipped to the grid: everything in a hierarchy is in its
 * grid, so clipping is safe, and forged volumes stay bounded.
 *
 * Slow twin: the wide hierarchy, tests/property/test_binary_single.c.
 * Spec: format.md, chapters "Boxtree", "AABB tree", "Oriented volumes".
 */
#include "kinds/query/volume_boxes.h"

#include <assert.h>

#include "kinds/node/boxtree_node.h"
#include "kinds/node/oriented_node.h"
#include "node/aabb_node.h"

/* ---- aabb ------------------------------------------------------------------------------------ */

void bvpi_aabb_root(const bvpi_binary *tree, bvpi_body_frame *out)
{
    (void)tree;
    (void)out; /* its boxes are relative to nothing */
}

void bvpi_aabb_grid_box(const bvpi_binary *tree, const bvpi_body_frame *parent,
                        const uint8_t *payload, bvpi_body_frame *out_frame, bvpi_body_box *out)
{
    bvpi_aabb box;
    (void)parent;
    (void)out_frame;
    bvpi_aabb_box(payload, &box);
    for (int axis = 0; axis < 3; axis++)
        bvpi_body_clip(tree, axis, (double)box.lo[axis], (double)box.hi[axis], out);
}

/* ---- boxtree --------------------------------------------------------------------------------- */

void bvpi_boxtree_root(const bvpi_binary *tree, bvpi_body_frame *out)
{
    for (int axis = 0; axis < 3; axis++) {
        out->box.lo[axis] = 0;
        out->box.hi[axis] = tree->grid_extent[axis];
    }
}

void bvpi_boxtree_grid_box(const bvpi_binary *tree, const bvpi_body_frame *parent,
                           const uint8_t *payload, bvpi_body_frame *out_frame, bvpi_body_box *out)
{
    bvpi_boxtree_box(tree, &parent->box, payload, &out_frame->box);
    for (int axis = 0; axis < 3; axis++) {
        assert(parent->box.lo[axis] <= out_frame->box.lo[axis] &&
               out_frame->box.lo[axis] <= out_frame->box.hi[axis] &&
               out_frame->box.hi[axis] <= parent->box.hi[axis]); /* whatever the bytes say */
        out->lo[axis] = out_frame->box.lo[axis];
        out->hi[axis] = out_frame->box.hi[axis];
    }
}

/* ---- obb, rss -------------------------------------------------------------------------------- */

void bvpi_oriented_root(const bvpi_binary *tree, bvpi_body_frame *out)
{
    bvpi_oriented whole;
    bvpi_oriented_frame(tree, &whole);
    memcpy(out->oriented.centre, whole.centre, sizeof whole.centre);
    out->oriented.reach = whole.reach;
}

/* 2^-48 covers the roundings here. */
void bvpi_oriented_grid_box(const bvpi_binary *tree, const bvpi_body_frame *parent,
                            const uint8_t *payload, bvpi_body_frame *out_frame, bvpi_body_box *out)
{
    const bool is_rss = tree->kind == BVPD_KIND_RSS;
    const double slack = bvpi_oriented_slack(tree);
    bvpi_oriented above, volume;
    assert(is_rss || tree->kind == BVPD_KIND_OBB);
    memcpy(above.centre, parent->oriented.centre, sizeof above.centre);
    above.reach = parent->oriented.reach;
    bvpi_oriented_volume(&above, payload, &volume);
    memcpy(out_frame->oriented.centre, volume.centre, sizeof volume.centre);
    out_frame->oriented.reach = volume.reach;
    for (int axis = 0; axis < 3; axis++) {
        double half = slack + (is_rss ? volume.size[2] : 0);
        for (int k = 0; k < (is_rss ? 2 : 3); k++)
            half += fabs(volume.axis[3 * k + axis]) * volume.size[k];
        half += (half + fabs(volume.centre[axis])) * 0x1p-48;
        bvpi_body_clip(tree, axis, volume.centre[axis] - half, volume.centre[axis] + half, out);
    }
}
