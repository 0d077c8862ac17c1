/* SPDX-License-Identifier: MIT
 * ray.c: rays as hierarchies see them, and what a hit is worth.
 * Spec: exactness.md, chapter "Boxes and rays"
 */
#include "query/ray.h"

#include <math.h>
#include <string.h>

static bool are_finite(const double *v, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

bvp_status bvpi_ray_query_init(bvpi_ray_query *query, const bvp_ray *ray, bvpi_ray_mode mode)
{
    memset(query, 0, sizeof *query);
    query->mode = mode;
    query->ray = *ray;
    query->t_max = ray->t_max;
    const double *d = ray->direction;
    if (!are_finite(ray->origin, 3) || !are_finite(d, 3) || isnan(ray->t_min) || isnan(ray->t_max))
        return BVP_ERR_ARGUMENT;
    return d[0] != 0 || d[1] != 0 || d[2] != 0 ? BVP_OK : BVP_ERR_ARGUMENT;
}

/* ---- clipping to the root box ------------------------------------------------------------------
 */

/* The ray in grid steps, in double. */
typedef struct step_ray {
    double o[3], d[3]; /* largest |d| in [1, 2) */
    double pad[3];     /* error of o + t d, times of interest included */
    double scale;
} step_ray;

static double largest_of(const double v[3])
{
    return fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
}

static void make_step_ray(step_ray *out, const bvpi_placed *at, const double o[3],
                          const double o_err[3], const double d[3], const double d_err[3])
{
    const bvpi_tree *tree = &at->tree;
    int exponent;
    frexp(largest_of(d), &exponent);
    const double by_unit = 1 / tree->grid_unit, by_length = ldexp(1, 1 - exponent);
    double farthest = 0;
    for (int a = 0; a < 3; a++) {
        out->o[a] = (o[a] - tree->grid_origin[a]) * by_unit;
        out->d[a] = d[a] * by_length;
        farthest = fmax(farthest, fabs(out->o[a]) + tree->grid_extent[a]);
    }
    /* Times at which the ray is near the box: below `farthest`, as it moves at 1 or faster. */
    for (int a = 0; a < 3; a++)
        out->pad[a] = (o_err[a] + at->blur) * by_unit + farthest * d_err[a] * by_length +
                      farthest * 0x1p-49 + 1;
    out->scale = by_unit / by_length;
}

/* Narrows [enter, leave] to the times in the padded root box. False: none. */
static bool clip(const step_ray *r, const bvpi_tree *tree, double *enter, double *leave)
{
    for (int a = 0; a < 3; a++) {
        const double lo = -r->pad[a] - r->o[a], hi = tree->grid_extent[a] + r->pad[a] - r->o[a];
        if (fabs(r->d[a]) < 0x1p-100) { /* stays where it is */
            if (lo > 0 || hi < 0)
                return false;
            continue;
        }
        const double t0 = lo / r->d[a], t1 = hi / r->d[a];
        *enter = fmax(*enter, fmin(t0, t1));
        *leave = fmin(*leave, fmax(t0, t1));
    }
    return !(*enter > *leave);
}

bool bvpi_grid_ray_init(bvpi_grid_ray *out, const bvpi_placed *at, const double origin[3],
                        const double origin_err[3], const double direction[3],
                        const double direction_err[3], double t_min, double t_max)
{
    step_ray r;
    make_step_ray(&r, at, origin, origin_err, direction, direction_err);
    double enter = t_min * r.scale, leave = t_max * r.scale, shift = 0, radius = 0;
    if (!clip(&r, &at->tree, &enter, &leave))
        return false;
    /* Only a far origin is moved: times stay as they are otherwise. */
    if (!(largest_of(r.o) < 0x1p24))
        shift = enter;
    for (int a = 0; a < 3; a++) {
        r.o[a] += shift * r.d[a];
        radius = fmax(radius, fabs(r.o[a]) + at->tree.grid_extent[a]);
    }
    bvpi_slab_ray_init(&out->slab, r.o, r.d, radius, largest_of(r.pad));
    out->t_scale = r.scale;
    out->t_shift = shift / r.scale;
    out->t_slack = out->slab.slack + fabs(shift) * 0x1p-48;
    out->t_min = (float)(enter - shift - out->t_slack);
    out->t_max = (float)(leave - shift + out->t_slack);
    return true;
}

/* ---- hits ------------------------------------------------------------------------------------ */

/* Unit normal of the placed triangle by the order of its corners; zero when it has none. */
static void normal_of(const bvpi_place *place, const float tri[9], double out[3])
{
    double e[2][3], w[2][3];
    for (int i = 0; i < 2; i++) {
        for (int a = 0; a < 3; a++)
            e[i][a] = (double)tri[3 * (i + 1) + a] - (double)tri[a];
        for (int a = 0; a < 3; a++)
            w[i][a] = place->is_identity
                          ? e[i][a]
                          : place->m[4 * a] * e[i][0] + place->m[4 * a + 1] * e[i][1] +
                                place->m[4 * a + 2] * e[i][2];
    }
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        out[a] = w[0][b] * w[1][c] - w[0][c] * w[1][b];
    }
    const double largest = largest_of(out);
    for (int a = 0; a < 3; a++)
        out[a] = largest > 0 ? out[a] / largest : 0;
    const double length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    for (int a = 0; a < 3; a++)
        out[a] = length > 0 ? out[a] / length : 0;
}

static bool is_before(const bvp_ray_hit *a, const bvp_ray_hit *b)
{
    if (a->t != b->t)
        return a->t < b->t;
    if (a->id.instance != b->id.instance)
        return a->id.instance < b->id.instance;
    return a->id.triangle < b->id.triangle;
}

void bvpi_ray_query_hit(bvpi_ray_query *query, const bvpi_placed_part *part,
                        const bvpd_cluster *cluster, uint32_t local, const float tri[9],
                        const bvpi_tri_ray_hit *hit)
{
    bvp_ray_hit h = {.found = 1, .t = hit->t, .u = hit->u, .v = hit->v};
    query->count++;
    if (query->mode == BVPI_RAY_ANY) {
        query->hit.found = 1;
        return;
    }
    bvpi_hit_id_of(part, cluster, local, &h.id);
    if (query->mode == BVPI_RAY_FIRST && query->hit.found && !is_before(&h, &query->hit))
        return;
    normal_of(&part->at.place, tri, h.normal);
    if (query->mode == BVPI_RAY_ALL) {
        query->stopped = query->each && query->each(query->user, &h) != 0;
        return;
    }
    query->hit = h;
    query->t_max = h.t;
}
