/* SPDX-License-Identifier: MIT
 * solid_point.c: is a point inside the solid that a part's surface bounds?
 *
 * Of a surface without a border the crossings of any ray add up to the winding number around the
 * point, if ties on edges are decided (ray_crossing.h), so one ray is enough; the point is inside
 * if the number is not 0. An odd number of crossings is certain even where faces are turned the
 * wrong way. An even number that adds up to something else than 0 is either such faces, or solids
 * in one another: two more rays tell, because the sum is the same for all directions only if faces
 * agree. If it is not, the number is even, and the point outside.
 *
 * With edges of three triangles or more a surface may have a border although no edge is open: an
 * inner wall has one. There, three rays must agree.
 *
 * An open surface has no inside. Outside of the part's box a point is outside of whatever may close
 * the surface within it; elsewhere the generalised winding number says how much of the sphere the
 * surface covers.
 *
 * First of all the part's box, and whether the point is on a triangle: both are exact.
 *
 * Slow twin: sums of angles and rational arithmetic, tests/property/test_inside.c.
 * Spec: exactness.md, chapter 10, "Inside"
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "prim/ray_crossing.h"
#include "query/near/overlap.h"
#include "query/ray/ray_query.h"
#include "query/solid/solid.h"

bvp_status bvpi_solid_of(const bvp_file *file, uint32_t part, bvpi_solid *out)
{
    bvpd_part record;
    bvp_status status = bvpi_resolve(&file, &part);
    if (status == BVP_OK)
        status = bvpi_get_part_record(file, part, &record);
    if (status != BVP_OK)
        return status;
    out->is_open = record.open_edge_count > 0;
    out->is_plain = record.open_edge_count == 0 && record.nonmanifold_edge_count == 0;
    return BVP_OK;
}

int bvpi_solid_turn(const bvpi_placement *placement)
{
    const double *m = placement->m;
    const double det = m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
                       m[2] * (m[4] * m[9] - m[5] * m[8]);
    return det < 0 ? -1 : 1;
}

/* ---- the box, and the surface ---------------------------------------------------------------- */

/* In part coordinates; local: the point there. */
static bool is_in_box(const bvpi_placed_part *part, const double point[3], double local[3])
{
    double err[3];
    bool is_in = true;
    bvpi_placement_point_to_part(&part->at.placement, point, local, err);
    for (int i = 0; i < 3; i++) /* not a number counts as in it */
        is_in = is_in && !(local[i] + err[i] < (double)part->part.lo[i]) &&
                !(local[i] - err[i] > (double)part->part.hi[i]);
    return is_in;
}

static int stop_at_once(void *user, const bvp_hit_id *id)
{
    (void)user;
    (void)id;
    return 1;
}

static bvp_status is_on_surface(bvpi_solid_query *query, const bvpi_placed_part *part,
                                const double point[3], bool *out)
{
    const bvpi_placed_body body = {.file = query->file, .one = *part};
    bvpi_overlap_query touch = {.each = stop_at_once, .meter = query->meter};
    bvp_status status = bvpi_region_init(&touch.region, bvp_box_region(point, point));
    if (status == BVP_OK)
        status = BVPI_ISA_CHOOSE(bvpi_overlap_kernel, query->file->isa)->run(&body, &touch);
    bvpi_add_stats(&query->stats, &touch.stats);
    *out = touch.count > 0;
    return status;
}

/* ---- rays ------------------------------------------------------------------------------------ */

/* The way out of the box that is shortest, before placement, and a little aside, because models
 * have edges and faces along the axes. which: 0; 1: the other way; 2: along another axis. */
static void choose_direction(const bvpi_placed_part *part, const double local[3], int which,
                             double out[3])
{
    static const double aside[3][2] = {{.1381, .0713}, {-.2713, .1129}, {.0923, -.3167}};
    const double *m = part->at.placement.m;
    double way[3], least = INFINITY;
    int along = 0, sign = 1;
    for (int i = 0; i < 3; i++) {
        const double down = local[i] - (double)part->part.lo[i];
        const double up = (double)part->part.hi[i] - local[i];
        if (fmin(down, up) < least) {
            least = fmin(down, up);
            along = i;
            sign = up <= down ? 1 : -1;
        }
    }
    assert(which >= 0 && which < 3);
    along = which == 2 ? (along + 1) % 3 : along;
    way[along] = which == 1 ? -sign : sign;
    way[(along + 1) % 3] = aside[which][0];
    way[(along + 2) % 3] = aside[which][1];
    double size = 0;
    for (int i = 0; i < 3; i++) {
        out[i] = m[4 * i] * way[0] + m[4 * i + 1] * way[1] + m[4 * i + 2] * way[2];
        size = fmax(size, fabs(out[i]));
    }
    if (size > 0x1p-500 && size < 0x1p500)
        for (int i = 0; i < 3; i++)
            out[i] /= size;
    else
        memcpy(out, way, sizeof way);
}

typedef struct ray_sum {
    bvpi_ray_query ray; /* its best.tri is the triangle that is told */
    const double *m;
    int64_t sum; /* exits minus entries */
} ray_sum;

static int add_crossing(void *user, const bvp_ray_hit *hit)
{
    ray_sum *s = user;
    (void)hit;
    s->sum += bvpi_ray_crossing(s->ray.ray->origin, s->ray.ray->direction, s->ray.best.tri, s->m);
    return 0;
}

/* Exits minus entries of one ray from a point that is not on the surface. */
static bvp_status sum_ray(bvpi_solid_query *query, const bvpi_placed_part *part,
                          const double point[3], const double local[3], int which, int64_t *out)
{
    bvp_ray ray = {.t_max = INFINITY};
    ray_sum s = {.m = part->at.placement.m};
    memcpy(ray.origin, point, sizeof ray.origin);
    choose_direction(part, local, which, ray.direction);
    bvp_status status = bvpi_ray_query_init(&s.ray, &ray, BVPI_RAY_ALL);
    if (status != BVP_OK)
        return status;
    s.ray.each = add_crossing;
    s.ray.user = &s;
    s.ray.meter = query->meter;
    status = BVPI_ISA_CHOOSE(bvpi_ray_kernel, query->file->isa)->run_part(part, &s.ray);
    bvpi_add_stats(&query->stats, &s.ray.stats);
    *out = s.sum;
    return status;
}

/* *agrees: three rays say the same, or one is enough. */
static bvp_status sum_rays(bvpi_solid_query *query, const bvpi_placed_part *part,
                           const bvpi_solid *solid, const double point[3], const double local[3],
                           int64_t *sum, bool *agrees)
{
    bvp_status status = sum_ray(query, part, point, local, 0, sum);
    const bool is_sure = solid->is_plain && (*sum == 0 || *sum % 2 != 0);
    *agrees = true;
    for (int k = 1; k < 3 && !is_sure && *agrees && status == BVP_OK; k++) {
        int64_t other = 0;
        status = sum_ray(query, part, point, local, k, &other);
        *agrees = other == *sum;
    }
    return status;
}

/* ---- the answer ------------------------------------------------------------------------------ */

bvp_status bvpi_solid_ask(bvpi_solid_query *query, const bvpi_placed_part *part,
                          const double point[3], bvp_inside_result *out)
{
    bvpi_solid solid;
    double local[3];
    int64_t sum = 0;
    bool agrees = true, is_on = false;
    *out = (bvp_inside_result){.where = BVP_WHERE_OUTSIDE, .instance = BVP_NONE};
    if (!is_in_box(part, point, local))
        return BVP_OK;
    bvp_status status = is_on_surface(query, part, point, &is_on);
    if (status == BVP_OK && is_on) {
        out->where = BVP_WHERE_SURFACE;
        out->instance = part->instance;
    }
    if (status != BVP_OK || is_on)
        return status;
    status = bvpi_solid_of(query->file, part->part_idx, &solid);
    if (status == BVP_OK && !solid.is_open)
        status = sum_rays(query, part, &solid, point, local, &sum, &agrees);
    if (status != BVP_OK)
        return status;
    if (solid.is_open || (!agrees && !solid.is_plain)) {
        out->where = BVP_WHERE_OPEN;
        out->instance = part->instance;
        return query->with_angles ? bvpi_solid_angle(part, point, query->meter, &out->winding)
                                  : BVP_OK;
    }
    if (sum == 0 || !agrees)
        return BVP_OK;
    out->where = BVP_WHERE_INSIDE;
    out->instance = part->instance;
    out->winding = (double)(sum * bvpi_solid_turn(&part->at.placement));
    return BVP_OK;
}
