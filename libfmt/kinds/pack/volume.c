/* SPDX-License-Identifier: MIT
 * volume.c: fits a node's volume while a binary hierarchy is built, for each kind.
 *
 * A volume is encoded relative to the parent's, as readers will decode it, so a child is fitted to
 * the parent's decoded volume and rounding does not add up on the way down. AABB trees store
 * absolute boxes, and nothing is passed on.
 *
 * Held by tests/property/test_binary.c: every triangle is in every volume above it.
 * Spec: format.md, chapters "Boxtree", "AABB tree", "Oriented volumes"
 */
#include "pack/tree/volume.h"

#include "kinds/pack/boxtree_planes.h"
#include "kinds/pack/oriented_fit.h"
#include "node/aabb_node.h"

#include <assert.h>

void bvpi_volume_outermost(const bvpi_binary *tree, bvpi_volume *out)
{
    if (bvpi_volume_is_oriented(tree))
        bvpi_oriented_frame(tree, &out->oriented);
    else
        for (int axis = 0; axis < 3; axis++) {
            out->frame.lo[axis] = 0;
            out->frame.hi[axis] = tree->grid_extent[axis];
        }
}

uint64_t bvpi_volume_scratch_size(const bvpi_binary *tree, uint32_t triangle_count)
{
    return bvpi_volume_is_oriented(tree) ? bvpi_oriented_scratch_size(triangle_count) : 0;
}

static void frame_of(const bvpi_build_node *node, bvpi_frame *out)
{
    for (int axis = 0; axis < 3; axis++) {
        out->lo[axis] = (uint32_t)(int32_t)-node->minus_lo[axis];
        out->hi[axis] = (uint32_t)(int32_t)node->hi[axis];
        assert(out->lo[axis] <= out->hi[axis]);
    }
}

bool bvpi_volume_fit(const bvpi_binary *tree, const bvpi_mesh *mesh, const bvpi_build_node *node,
                     const uint32_t *triangles, const bvpi_volume *parent, bvp_fit fit,
                     uint8_t payload[BVPI_PAYLOAD_MAX], bvpi_volume *out, void *scratch)
{
    assert(node->count > 0);
    if (bvpi_volume_is_oriented(tree)) {
        const bvpi_fit_set set = {mesh, triangles, node->count, fit, tree->kind == BVPD_KIND_RSS};
        return bvpi_oriented_fit(&set, &parent->oriented, payload, &out->oriented, scratch);
    }
    if (tree->kind == BVPD_KIND_BOXTREE) {
        bvpi_frame inner;
        frame_of(node, &inner);
        bvpi_boxtree_fit(tree, &parent->frame, &inner, payload, &out->frame);
    } else
        *out = *parent;
    return true;
}

void bvpi_volume_fit_siblings(const bvpi_binary *tree, const bvpi_build_node *const node[2],
                              const bvpi_volume *parent, uint8_t *const payload[2],
                              bvpi_volume *const out[2])
{
    bvpi_frame inner[2], fitted[2];
    assert(tree->kind == BVPD_KIND_BOXTREE);
    for (int k = 0; k < 2; k++)
        frame_of(node[k], &inner[k]);
    bvpi_boxtree_fit_siblings(tree, &parent->frame, inner, payload, fitted);
    for (int k = 0; k < 2; k++)
        out[k]->frame = fitted[k];
}

/* A swept rectangle is as thick as its ball; its sides are never shorter. */
void bvpi_volume_axes(const bvpi_binary *tree, const bvpi_volume *volume, double axes[9])
{
    const bvpi_oriented *v = &volume->oriented;
    const double radius = tree->kind == BVPD_KIND_RSS ? v->size[2] : 0;
    assert(bvpi_volume_is_oriented(tree));
    const double size[3] = {v->size[0] + radius, v->size[1] + radius, v->size[2]};
    int order[3] = {0, 1, 2};
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && size[order[k]] > size[order[k - 1]]; k--) {
            const int swapped = order[k];
            order[k] = order[k - 1];
            order[k - 1] = swapped;
        }
    for (int i = 0; i < 3; i++)
        memcpy(axes + 3 * i, v->axis + 3 * order[i], 3 * sizeof *axes);
}

static double half_surface(double x, double y, double z)
{
    return x * y + y * z + z * x;
}

double bvpi_volume_area(const bvpi_binary *tree, const uint8_t *payload, const bvpi_volume *volume)
{
    bvpi_aabb box;
    const bvpi_frame *f = &volume->frame;
    switch (tree->kind) {
    case BVPD_KIND_BOXTREE:
        return half_surface(f->hi[0] - f->lo[0], f->hi[1] - f->lo[1], f->hi[2] - f->lo[2]);
    case BVPD_KIND_AABB:
        bvpi_aabb_box(payload, &box);
        return half_surface((double)box.hi[0] - box.lo[0], (double)box.hi[1] - box.lo[1],
                            (double)box.hi[2] - box.lo[2]);
    default:
        assert(bvpi_volume_is_oriented(tree));
        return bvpi_oriented_surface(&volume->oriented, tree->kind == BVPD_KIND_RSS);
    }
}
