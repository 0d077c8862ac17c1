/* SPDX-License-Identifier: MIT
 * ray_meshlet_decide_kernel.c: what floats leave in doubt about a triangle of a hierarchy for rays;
 * compiled once per instruction set, and once for all walks: single rays, packets, turns.
 *
 * Invariant: w->best is the least by t, then by the number in the part, of what was decided so far.
 *
 * Slow twin: the walk of the wide hierarchy, tests/property/test_ray_tree.c.
 * Spec: exactness.md, chapter 10, "Ray trees"
 * Measured: decisions.md, "In the browser"
 */
#include "query/ray/ray_meshlet_leaf.h"

bvp_status BVPI_ISA_NAME(bvpi_meshlet_decide)(bvpi_meshlet_ray *w, uint32_t ref, unsigned lane)
{
    const bvpi_tree *tree = &w->part->at.tree;
    const bvp_ray *given = w->ray != NULL ? w->ray : &w->judge->ray;
    bvpi_tri_ray *ray = &w->judge->tri;
    bvpi_meshlet m;
    bvpi_meshlet_hit hit;
    bvpi_f32x4 tri[3];
    f64x4 p[3];
    if (w->judge->whose != w) {
        if (w->ray == NULL)
            w->judge->ray = bvpi_float_ray_exactly(w->floats);
        const bvp_status status = bvpi_ray_part_prepare(ray, &w->part->at, given);
        w->judge->whose = status == BVP_OK ? w : NULL;
        if (status != BVP_OK)
            return status;
    }
    if (!bvpi_meshlet_open(&w->part->rays, (uint64_t)(ref & (INT32_MAX ^ 7)), (ref & 7) + 1, &m))
        return BVP_ERR_CORRUPT;
    bvpi_meshlet_triangle(&m, lane, tri);
    BVPI_UNROLL
    for (int a = 0; a < 3; a++)
        p[a] = bvpi_f64x4_from_f32x4(tri[a]);
    const double t_min = given->t_min, t_max = given->t_max;
    const int answer =
        bvpi_tri_ray_in_double(ray, p[ray->kx], p[ray->ky], p[ray->kz], t_min, t_max, &hit.at);
    if (answer == 0)
        return BVP_OK;
    BVPI_UNROLL
    for (int k = 0; k < 9; k++)
        hit.tri[k] = tri[k % 3][k / 3];
    if ((answer < 0 && !bvpi_tri_ray_exactly(ray, hit.tri, t_min, t_max, &hit.at)))
        return BVP_OK;
    if (w->any) {
        w->found = true;
        return BVP_OK;
    }
    if (w->found && hit.at.t > w->best.at.t)
        return BVP_OK;
    const uint32_t reference = bvpi_meshlet_reference(m.word, m.references, lane);
    if (!bvpi_cluster_load(tree->units, tree->blob_size,
                           (uint64_t)(reference >> 8) << tree->cluster_shift, &hit.cluster))
        return BVP_ERR_CORRUPT;
    hit.local = reference & 0xff;
    if (w->found && hit.at.t == w->best.at.t &&
        (uint64_t)w->best.cluster.first_triangle + w->best.local <=
            (uint64_t)hit.cluster.first_triangle + hit.local)
        return BVP_OK;
    w->found = true;
    w->best = hit;
    return BVP_OK;
}
