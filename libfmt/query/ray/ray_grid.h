/* SPDX-License-Identifier: MIT
 * ray_grid.h: a ray in the coordinates of a hierarchy's grid, clipped to the root box; the three
 * axes side by side.
 *
 * Boxes are tested in float, which needs moderate numbers. So directions are scaled by a power of
 * two such that the largest is in [1, 2), and a ray that begins far away is made to start where it
 * enters the root box. Both change only the unit and origin of time: grid time is
 * (t - t_shift) * t_scale.
 *
 * Invariant: t_min, t_max and limits are rounded outward; the error of the ray's position during
 * the times of interest is in `pad`.
 *
 * Spec: exactness.md, chapter 10, "Boxes and rays"
 */
#ifndef BVPI_QUERY_RAY_RAY_GRID_H
#define BVPI_QUERY_RAY_RAY_GRID_H

#include <math.h>

#include "prim/box_ray.h"
#include "query/ray/ray_query.h"

/* The ray on a hierarchy's grid. It starts near the root box, however far off the origin is: grid
 * time is (t - t_shift) * t_scale. */
typedef struct bvpi_grid_ray {
    bvpi_slab_ray slab;
    double t_shift, t_scale; /* the scale is a power of two */
    double t_slack;          /* grid time: rounding of t and of the boxes */
    float t_min, t_max; /* of the part of the ray that can meet the root box; rounded outward */
} bvpi_grid_ray;

/* The latest grid time at which a box may be entered that holds a hit at a time <= t. */
BVPI_INLINE float bvpi_grid_time_limit(const bvpi_grid_ray *ray, double t)
{
    const double limit = (t - ray->t_shift) * ray->t_scale + ray->t_slack +
                         __builtin_fabs(t) * ray->t_scale * 0x1p-48;
    return limit < (double)ray->t_max ? (float)limit : ray->t_max;
}

/* 2^-e for the x in [2^e, 2^(e+1)), a normal number of moderate size. */
BVPI_INLINE double bvpi_power_below(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (UINT64_C(2046) << 52) - (bits & (UINT64_C(0x7ff) << 52));
    memcpy(&x, &bits, sizeof x);
    return x;
}

BVPI_INLINE f64x4 bvpi_load3(const double *p)
{
    return (f64x4){p[0], p[1], p[2], 0};
}

/* For rays with extreme numbers: every box may be hit. */
static inline void bvpi_grid_ray_everywhere(bvpi_grid_ray *out)
{
    bvpi_slab_ray_everywhere(&out->slab);
    out->t_shift = out->t_scale = 0;
    out->t_slack = 1;
    out->t_min = -INFINITY;
    out->t_max = INFINITY;
}

/* The ray in grid steps. */
typedef struct bvpi_step_ray {
    f64x4 o, d, inverse; /* largest |d| in [1, 2); inverse: of d, or infinite */
    f64x4 extent;        /* of the root box */
    f64x4 pad;           /* error of o + t d at the times of interest */
    double scale;        /* of t */
} bvpi_step_ray;

/* speed: the largest |direction|, of moderate size. */
BVPI_INLINE void bvpi_step_ray_init(bvpi_step_ray *out, const bvpi_placed_tree *at,
                                    const bvpi_local_ray *ray, double speed)
{
    const bvpi_tree *tree = &at->tree;
    const double by_unit = bvpi_power_below(tree->grid_unit), by_speed = bvpi_power_below(speed);
    const f64x4 zero = {0};
    out->extent = (f64x4){tree->grid_extent[0], tree->grid_extent[1], tree->grid_extent[2], 0};
    out->o = (f64x4_load(ray->origin) - bvpi_load3(tree->grid_origin)) * f64x4_splat(by_unit);
    out->d = f64x4_load(ray->direction) * f64x4_splat(by_speed);
    const i64x4 moves = f64x4_gt(f64x4_abs(out->d), f64x4_splat(0x1p-100));
    out->inverse = f64x4_select(moves, f64x4_splat(1) / f64x4_select(moves, out->d, zero + 1),
                                f64x4_splat(__builtin_inf()));
    /* Times at which the ray is near the box: below `farthest`, as it moves at 1 or faster. */
    const double farthest = bvpi_largest3(f64x4_abs(out->o) + out->extent);
    const f64x4 drift = f64x4_load(ray->direction_err) * f64x4_splat(by_speed) + 0x1p-49;
    out->pad = (f64x4_load(ray->origin_err) + f64x4_splat(at->slack)) * f64x4_splat(by_unit) +
               f64x4_splat(farthest) * drift + 1;
    out->scale = by_unit * bvpi_power_below(by_speed);
}

/* Narrows [enter, leave] to the times in the padded root box. False: none. */
BVPI_INLINE bool bvpi_step_ray_clip(const bvpi_step_ray *r, double *enter, double *leave)
{
    const f64x4 infinite = f64x4_splat(__builtin_inf());
    const f64x4 lo = -r->pad - r->o, hi = r->extent + r->pad - r->o;
    const f64x4 t0 = lo * r->inverse, t1 = hi * r->inverse;
    /* parallel to the axis' planes: between them at all times, or never */
    const i64x4 moves = f64x4_lt(f64x4_abs(r->inverse), infinite);
    const i64x4 outside = f64x4_gt(lo, (f64x4){0}) | f64x4_lt(hi, (f64x4){0});
    const f64x4 in = f64x4_select(moves, f64x4_min(t0, t1), -infinite);
    const f64x4 out = f64x4_select(moves, f64x4_max(t0, t1), infinite);
    *enter = bvpi_larger(*enter, bvpi_largest3(in));
    *leave = -bvpi_larger(-*leave, bvpi_largest3(-out));
    return !(*enter > *leave) && (i64x4_movemask(outside & ~moves) & 7) == 0;
}

/* False: the ray misses. */
BVPI_INLINE bool bvpi_grid_ray_init(bvpi_grid_ray *out, const bvpi_placed_tree *at,
                                    const bvpi_local_ray *ray, double t_min, double t_max)
{
    bvpi_step_ray r;
    const double speed = bvpi_largest3(f64x4_abs(f64x4_load(ray->direction)));
    const double far = bvpi_largest3(f64x4_abs(f64x4_load(ray->origin)));
    if (!(speed > 0x1p-600 && speed < 0x1p600 && far < 0x1p600)) {
        bvpi_grid_ray_everywhere(out);
        return true;
    }
    bvpi_step_ray_init(&r, at, ray, speed);
    double enter = t_min * r.scale, leave = t_max * r.scale, shift = 0;
    if (!bvpi_step_ray_clip(&r, &enter, &leave))
        return false;
    out->t_shift = 0;
    if (bvpi_largest3(f64x4_abs(r.o)) > 0x1p24) { /* far off; else times stay as they are */
        shift = enter;
        r.o += f64x4_splat(shift) * r.d;
        out->t_shift = shift / r.scale;
    }
    const double radius = bvpi_largest3(f64x4_abs(r.o) + r.extent);
    bvpi_slab_ray_init(&out->slab, r.o, r.inverse, radius, bvpi_largest3(r.pad));
    out->t_scale = r.scale;
    out->t_slack = out->slab.slack + __builtin_fabs(shift) * 0x1p-48;
    out->t_min = (float)(enter - shift - out->t_slack);
    out->t_max = (float)(leave - shift + out->t_slack);
    return true;
}

#endif
