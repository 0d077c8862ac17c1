/* SPDX-License-Identifier: MIT
 * volume.c: one case a kind.
 */
#include "build/volume.h"

#include "node/aabb.h"

void bvpi_volume_outermost(const bvpi_binary *tree, bvpi_volume *out)
{
    if (tree->kind == BVPD_KIND_OBB || tree->kind == BVPD_KIND_RSS)
        bvpi_oriented_frame(tree, &out->oriented);
    else
        for (int axis = 0; axis < 3; axis++) {
            out->frame.lo[axis] = 0;
            out->frame.hi[axis] = tree->grid_extent[axis];
        }
}

uint64_t bvpi_volume_scratch_size(const bvpi_binary *tree, uint32_t triangle_count)
{
    (void)tree, (void)triangle_count;
    return 0;
}

void bvpi_volume_fit(const bvpi_binary *tree, const bvpi_mesh *mesh, const bvpi_split *node,
                     const uint32_t *triangles, const bvpi_volume *parent,
                     uint8_t payload[BVPI_PAYLOAD_MAX], bvpi_volume *out, void *scratch)
{
    (void)tree, (void)mesh, (void)node, (void)triangles, (void)parent, (void)payload, (void)scratch;
    *out = *parent;
}

static double half_surface(double x, double y, double z)
{
    return x * y + y * z + z * x;
}

double bvpi_volume_area(const bvpi_binary *tree, const uint8_t *payload, const bvpi_volume *volume)
{
    bvpi_aabb box;
    const bvpi_frame *f = &volume->frame;
    const double *size = volume->oriented.size;
    switch (tree->kind) {
    case BVPD_KIND_BOXTREE:
        return half_surface(f->hi[0] - f->lo[0], f->hi[1] - f->lo[1], f->hi[2] - f->lo[2]);
    case BVPD_KIND_AABB:
        bvpi_aabb_box(payload, &box);
        return half_surface((double)box.hi[0] - box.lo[0], (double)box.hi[1] - box.lo[1],
                            (double)box.hi[2] - box.lo[2]);
    case BVPD_KIND_RSS:
        return half_surface(size[0] + size[2], size[1] + size[2], size[2]);
    default:
        return half_surface(size[0], size[1], size[2]);
    }
}
