/* SPDX-License-Identifier: MIT
 * api_float_rays.c: the public calls with rays of floats. What has no walk of its own for them goes
 * the way of doubles, of which every float is one.
 *
 * Slow twin: the calls with doubles, tests/property/test_ray_tree.c.
 * Measured: decisions.md, "Ray trees"
 */
#include "bvpack.h"
#include "query/ray/ray_query.h"

/* The short way, if there is one. */
static bool ask_floats(const bvp_body *body, const bvp_float_ray *ray, bvpi_ray_mode mode,
                       bvp_float_hit *hit, bvp_stats *stats, bvp_status *status)
{
    const bvpi_placed_part *part = bvpi_ready_part(body);
    return part != NULL && ray != NULL &&
           BVPI_ISA_CHOOSE(bvpi_ray_kernel, body->file->isa)
               ->run_floats(part, ray, mode, hit, stats, status);
}

bvp_status bvp_float_ray_first(const bvp_body *body, const bvp_float_ray *ray, bvp_float_hit *hit,
                               bvp_stats *stats)
{
    bvp_ray_hit found = {.found = 0};
    bvp_status status;
    if (hit == NULL || ray == NULL)
        return BVP_ERR_ARGUMENT;
    if (ask_floats(body, ray, BVPI_RAY_FIRST, hit, stats, &status))
        return status;
    const bvp_ray exact = bvpi_float_ray_exactly(ray);
    status = bvp_ray_first(body, &exact, &found, stats);
    *hit = bvpi_float_hit_of(&found);
    return status;
}

bvp_status bvp_float_ray_any(const bvp_body *body, const bvp_float_ray *ray, int *hit,
                             bvp_stats *stats)
{
    bvp_float_hit found;
    bvp_status status;
    if (hit == NULL || ray == NULL)
        return BVP_ERR_ARGUMENT;
    if (ask_floats(body, ray, BVPI_RAY_ANY, &found, stats, &status)) {
        *hit = found.triangle != BVP_NO_TRIANGLE;
        return status;
    }
    const bvp_ray exact = bvpi_float_ray_exactly(ray);
    return bvp_ray_any(body, &exact, hit, stats);
}
