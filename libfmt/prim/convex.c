/* SPDX-License-Identifier: MIT
 * convex.c: checks the caller's convex body, and bounds it along a direction.
 * Spec: exactness.md, chapter 13
 */
#include "prim/convex.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/report.h"
#include "base/simd.h"
#include "base/vec3.h"

#define LARGEST 0x1p300
#define RIGID   0x1p-20

static bool is_size(double x)
{
    return x >= 0 && x <= LARGEST;
}

static bool init_hull(bvpi_convex *out, const bvp_convex *given)
{
    out->points = given->points;
    out->point_count = given->point_count;
    if (!given->points || given->point_count == 0 || given->point_count > BVP_CONVEX_POINTS)
        return false;
    for (uint32_t i = 0; i < 3 * given->point_count; i++) {
        const double x = fabs(given->points[i]);
        if (!is_size(x)) /* also what is not a number */
            return false;
        out->bound[i % 3] = bvpi_larger(out->bound[i % 3], x);
    }
    return true;
}

/* The core's sizes. False: a negative or unusable one. */
static bool init_core(bvpi_convex *out, const bvp_convex *given)
{
    bool sound = false;
    const double half = given->length / 2;
    switch (given->kind) {
    case BVP_CONVEX_BOX:
        sound = is_size(given->size[0]) && is_size(given->size[1]) && is_size(given->size[2]);
        for (int a = 0; a < 3; a++)
            out->half[a] = given->size[a] / 2;
        break;
    case BVP_CONVEX_SPHERE:
        sound = is_size(given->radius);
        out->radius = given->radius;
        break;
    case BVP_CONVEX_CAPSULE:
        sound = is_size(given->radius) && is_size(given->length);
        out->half[2] = half;
        out->radius = given->radius;
        break;
    case BVP_CONVEX_CYLINDER:
        sound = is_size(given->radius) && is_size(given->length);
        out->half[0] = out->half[1] = given->radius;
        out->half[2] = half;
        break;
    case BVP_CONVEX_HULL:
        return init_hull(out, given);
    }
    memcpy(out->bound, out->half, sizeof out->bound);
    return sound;
}

bvp_status bvpi_convex_init(bvpi_convex *out, const bvp_convex *given)
{
    memset(out, 0, sizeof *out);
    if (!given || !bvpi_is_zero(given->reserved, sizeof given->reserved))
        return BVP_ERR_ARGUMENT;
    out->kind = given->kind;
    if (!init_core(out, given) || bvpi_placement_init(&out->placement, given->placement) != BVP_OK)
        return BVP_ERR_ARGUMENT;
    const bvpi_placement *p = &out->placement;
    const bool is_rigid = p->size_min >= 1 - RIGID && p->size_max <= 1 + RIGID;
    if (out->kind != BVP_CONVEX_BOX && out->kind != BVP_CONVEX_HULL && !is_rigid)
        return BVP_ERR_ARGUMENT;
    for (int i = 0; i < 3; i++) {
        out->centre[i] = p->m[4 * i + 3];
        for (int j = 0; j < 3; j++)
            out->size[i] += fabs(p->m[4 * i + j]) * out->bound[j];
        out->size[i] = (out->size[i] + out->radius) * BVPI_ROUND_UP;
    }
    return BVP_OK;
}

/* The range of g . q over the hull's points. */
static void hull_range(const bvpi_convex *convex, const double g[3], double out[2])
{
    out[0] = INFINITY;
    out[1] = -INFINITY;
    for (uint32_t i = 0; i < convex->point_count; i++) {
        const double at = bvpi_dot(g, convex->points + 3 * (size_t)i);
        out[0] = bvpi_smaller(out[0], at);
        out[1] = bvpi_larger(out[1], at);
    }
}

/* With S the sum over i of |d_i| size_i, and size_i >= the sum over j of |L_ij| bound_j: g = L^T d,
 * its products with a point and their sums err by 8 u S at most, the rest by as little; d's own
 * error adds that of each coordinate times size_i. */
void bvpi_convex_extent(const bvpi_convex *convex, const double d[3], const double error[3],
                        double out[2])
{
    const double *m = convex->placement.m, *half = convex->half;
    double g[3] = {0}, slack = 0, reach = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            g[j] += m[4 * i + j] * d[i];
        slack += (fabs(d[i]) * 0x1p-46 + error[i]) * convex->size[i];
    }
    slack = slack * BVPI_ROUND_UP + 0x1p-1000;
    if (convex->kind == BVP_CONVEX_HULL) {
        hull_range(convex, g, out);
        out[0] -= slack;
        out[1] += slack;
        return;
    }
    if (convex->kind == BVP_CONVEX_CYLINDER)
        reach = sqrt(g[0] * g[0] + g[1] * g[1]) * half[0] + fabs(g[2]) * half[2];
    else
        reach = fabs(g[0]) * half[0] + fabs(g[1]) * half[1] + fabs(g[2]) * half[2];
    reach += convex->radius * sqrt(bvpi_dot(d, d)) + slack;
    out[0] = -reach;
    out[1] = reach;
}
