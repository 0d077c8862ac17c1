/* SPDX-License-Identifier: MIT
 * slow_rays.c: checks hierarchies for rays against the triangles they refer to.
 * Spec: format.md, chapters 9.5, 9.6
 */
#include "slow_rays.h"

#include <math.h>
#include <string.h>

#include "slow_file.h"
#include "slow_triangles.h"

/* What the boxes above a leaf hold on each axis, their pads taken off. */
typedef struct ray_bounds {
    double lo[3], hi[3];
} ray_bounds;

typedef struct ray_tree {
    uint64_t nodes, meshlets, blob;
    unsigned shift; /* cluster_shift */
    double bound;   /* the chapter's B */
    uint64_t held;  /* triangles in meshlets, some perhaps several times */
    uint32_t left;  /* nodes that may still be entered */
} ray_tree;

/* A triangle of a meshlet is the one that it refers to, and inside of all boxes above. */
static void check_ray_triangle(const ray_tree *t, uint64_t meshlet, uint32_t triangles,
                               uint32_t triangle, const ray_bounds *b)
{
    const uint32_t word = u32(meshlet), vertices = (word & 15) + 1;
    const uint64_t rows = meshlet + 4 + (((uint64_t)triangles * 12 + 7) / 8 + 3) / 4 * 4;
    const uint64_t references = rows + 12 * (uint64_t)vertices;
    const uint32_t reference = word & 16 ? u32(references + 4 * (uint64_t)triangle)
                                         : (word & ~255u) | u8(references + triangle);
    const uint64_t cluster = t->blob + ((uint64_t)(reference >> 8) << t->shift);
    if ((reference & 255) >= triangles_of(cluster))
        fail("a meshlet refers to a triangle that its cluster does not have");
    for (uint32_t corner = 0; corner < 3; corner++) {
        const uint32_t field = corner * triangles + triangle;
        const uint32_t at = u8(meshlet + 4 + field / 2) >> 4 * (field % 2) & 15;
        const uint32_t vertex = corner_of(cluster, reference & 255, (int)corner);
        if (at >= vertices)
            fail("a meshlet does not have the vertex of a corner");
        for (uint32_t axis = 0; axis < 3; axis++) {
            const float value = float_of(u32(rows + 4 * (uint64_t)(axis * vertices + at)));
            const float stored = corner_coordinate(cluster, (int)axis, vertex);
            if (memcmp(&value, &stored, sizeof value) != 0)
                fail("a meshlet's corner is another than its triangle's");
            if (value < b->lo[axis] || value > b->hi[axis])
                fail("a corner leaves a box of a ray tree");
        }
    }
}

static void check_ray_node(ray_tree *t, uint32_t idx, const ray_bounds *outer)
{
    const uint64_t node = t->nodes + 96 * (uint64_t)idx;
    if (t->left-- == 0)
        fail("a ray tree has more nodes than it says");
    for (uint32_t lane = 0; lane < 8; lane++) {
        const uint32_t word = (uint32_t)number(node + 80 + 2 * lane, 2), leaf = word ^ 0x8000;
        ray_bounds b = *outer;
        for (uint32_t axis = 0; axis < 3; axis++) {
            const double lo = float_of(u32(node + 48 + 4 * axis));
            const double step = float_of(u32(node + 60 + 4 * axis));
            const double pad = t->bound * 0x1p-21 + step * 0x1p-12;
            const double from = lo + u8(node + 16 * axis + lane) * step + pad;
            const double to = lo + u8(node + 16 * axis + 8 + lane) * step - pad;
            b.lo[axis] = from > b.lo[axis] ? from : b.lo[axis];
            b.hi[axis] = to < b.hi[axis] ? to : b.hi[axis];
        }
        if (word < 0x7fff)
            check_ray_node(t, u32(node + 72) + word, &b);
        for (uint32_t i = 0; word > 0x7fff && i <= leaf % 8; i++, t->held++)
            check_ray_triangle(t, t->meshlets + 8 * ((uint64_t)u32(node + 76) + leaf / 8),
                               leaf % 8 + 1, i, &b);
    }
}

void check_ray_tree(uint64_t part_record, uint64_t record, uint64_t blob)
{
    ray_tree t = {.nodes = binh.offset + u64(record + 8),
                  .blob = blob,
                  .shift = u8(part_record + 124),
                  .left = u32(record + 32)};
    ray_bounds all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    t.meshlets = t.nodes + 96 * (uint64_t)t.left;
    for (int i = 0; i < 6; i++) {
        const double reach = fabs(float_of(u32(part_record + 40 + 4 * (uint64_t)i)));
        t.bound = reach > t.bound ? reach : t.bound;
    }
    check_ray_node(&t, 0, &all);
    if (t.left != 0 || t.held < u64(part_record + 64))
        fail("a ray tree leaves out nodes or triangles");
}
