/* SPDX-License-Identifier: MIT
 * test_range.c: whole queries at all sizes that coordinates may have, by every kind of hierarchy,
 * against exact arithmetic. BVP_SEED, BVP_RANGE_PAIRS: so many pairs of triangles at least.
 */
#define _GNU_SOURCE
#include "oracle_gmp.h"
#include "range_scene.h"
#include "suite.h"

#include <float.h>

enum {
    ASKED = 48,  /* scenes of a batch */
    ELEMENTS = 9 /* asked at once: one more than a packet of rays */
};

static uint64_t pair_count, wrong_count, meeting_count, query_count, seed_of_batch;

/* ---- bounds that bvpack.h states ------------------------------------------------------------- */

#define RELATIVE 1e-9L    /* of a distance: how much it or its lower end may be off */
#define NEAR     0x1p-36L /* of the reach: lower ends of lesser distances may be off by more */
#define FLAT     0x1p-15L /* least altitude over longest side: so may those of flatter triangles */
#define WITNESS  0x1p-47L /* of the reach: how far a witness or nearest point is off */
#define CLOSEST  0x1p-92L /* of the reach: what a least distance may be off, beside RELATIVE */

/* ---- failures -------------------------------------------------------------------------------- */

static void complain(const scene *s, const char *what, double value)
{
    static double last = -1;
    const double mark = s->a.m[0] + s->b.m[1];
    const int *a = s->a.mesh[0]->scale, *b = s->b.mesh[0]->scale;
    wrong_count++;
    if (last == mark || wrong_count > 3000)
        return;
    last = mark;
    fprintf(stderr,
            "batch %#llx, %s: %s (%a), %u and %u instances%s, world 2^%d, scales 2^%d %d %d and "
            "2^%d %d %d\n",
            (unsigned long long)seed_of_batch, s->how, what, value, s->a.instance_count,
            s->b.instance_count, s->is_self ? ", itself" : "", s->world, a[0], a[1], a[2], b[0],
            b[1], b[2]);
}

static void expect(const scene *s, bool is, const char *what, double value)
{
    if (!is)
        complain(s, what, value);
}

/* The number of a triangle that a query names; nothing but a wrong answer is another one. */
static uint64_t number_of(const scene *scene, const side *s, const bvp_hit_id *id)
{
    const uint32_t i = id->instance == BVP_NONE ? 0 : id->instance;
    const bool is = (id->instance == BVP_NONE) == (s->body.part != BVP_ASSEMBLY) &&
                    i < s->instance_count && id->id < s->mesh[i]->count;
    expect(scene, is, "no such triangle", id->instance);
    return is ? s->first[i] + id->id : 0;
}

static long double norm(const double p[3])
{
    return sqrtl((long double)p[0] * p[0] + (long double)p[1] * p[1] + (long double)p[2] * p[2]);
}

static long double length_of(const double p[3], const double q[3])
{
    long double sum = 0;
    for (int x = 0; x < 3; x++)
        sum += ((long double)p[x] - q[x]) * ((long double)p[x] - q[x]);
    return sqrtl(sum);
}

/* How much farther than the nearest point of a triangle an answer may be, beside RELATIVE. */
static long double excess_of(const range_tri *t, long double reach)
{
    long double altitude, longest, more = INFINITY;
    range_shape(t, &altitude, &longest);
    if (altitude > 0)
        more = CLOSEST * reach * longest / altitude * longest / altitude / 4;
    return CLOSEST * reach + fminl(more, altitude + 4 * t->err);
}

/* Is the lower end promised to be near? */
static bool is_plain(const scene *s, double distance)
{
    const side *sides[2] = {&s->a, &s->b};
    for (uint32_t i = 0; i < s->a.instance_count; i++)
        for (uint32_t j = 0; j < s->b.instance_count; j++)
            if (!(distance >= NEAR * reach_of(s, i, j)))
                return false;
    for (int i = 0; i < 2; i++)
        for (uint64_t k = 0; k < sides[i]->first[sides[i]->instance_count]; k++) {
            long double altitude, longest;
            range_shape(&sides[i]->tri[k], &altitude, &longest);
            if (!(altitude > FLAT * longest))
                return false;
        }
    return true;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static const bvp_body *other(const scene *s)
{
    return s->is_self ? NULL : &s->b.body;
}

static void check_collide(const scene *s, bvp_status status, int hit)
{
    expect(s, status == BVP_OK, "collide fails", (double)status);
    expect(s, hit == (s->meeting != 0), "collide", hit);
}

static void check_pairs(const scene *s)
{
    static bvp_pair found[MOST * MOST];
    uint64_t count = 0;
    int hit = -1;
    const bvp_status status = bvp_collide(&s->a.body, other(s), &hit, NULL);
    check_collide(s, status, hit);
    expect(s,
           bvp_pairs(&s->a.body, other(s), found, sizeof found / sizeof *found, &count, NULL) ==
               BVP_OK,
           "pairs fail", 0);
    expect(s, count == s->meeting, "number of pairs", (double)count - (double)s->meeting);
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t a = number_of(s, &s->a, &found[k].a), b = number_of(s, &s->b, &found[k].b);
        const uint8_t bits = s->is_self && a > b ? s->meet[b][a] : s->meet[a][b];
        expect(s, bits != 0, "pair that does not meet", (double)k);
        expect(s, found[k].proper == (bits & ORACLE_PROPER) / ORACLE_PROPER, "proper",
               found[k].proper);
    }
}

/* ---- distances ------------------------------------------------------------------------------- */

static bool all_at_least(const scene *s, double lo)
{
    for (uint64_t k = 0; k < s->a.first[s->a.instance_count]; k++)
        for (uint64_t l = 0; l < s->b.first[s->b.instance_count]; l++)
            if (asks(s, k, l) && !range_at_least(&s->a.tri[k], &s->b.tri[l], lo))
                return false;
    return true;
}

/* Do the witness points lie on their triangles, and as far apart as they should? */
static void check_witness(const scene *s, const bvp_distance_result *r, uint64_t a, uint64_t b)
{
    const long double reach = reach_of(s, instance_of(&s->a, a), instance_of(&s->b, b));
    const long double off_a = WITNESS * reach + 0x1p-53L * norm(r->point_a);
    const long double off_b = WITNESS * reach + 0x1p-53L * norm(r->point_b);
    const long double apart = length_of(r->point_a, r->point_b);
    expect(s, range_point_at_most(&s->a.tri[a], r->point_a, (double)off_a), "witness a is off",
           (double)off_a);
    expect(s, range_point_at_most(&s->b.tri[b], r->point_b, (double)off_b), "witness b is off",
           (double)off_b);
    expect(s,
           apart <=
               (r->distance + 0x1p-53L * (norm(r->point_a) + norm(r->point_b))) * (1 + 0x1p-50L),
           "witnesses farther apart than the distance", (double)apart);
}

/* Is the distance result true? */
static void check_result(const scene *s, const bvp_distance_result *r, const char *what)
{
    const uint64_t a = number_of(s, &s->a, &r->a), b = number_of(s, &s->b, &r->b);
    check_witness(s, r, a, b);
    if (s->meeting != 0) {
        expect(s, r->distance == 0 && r->lower == 0, what, r->distance);
        return;
    }
    expect(s, r->distance > 0 && r->lower >= 0 && r->lower <= r->distance, what, r->distance);
    expect(s, range_at_most(&s->a.tri[a], &s->b.tri[b], r->distance), "distance below the truth",
           r->distance);
    expect(s, all_at_least(s, r->lower), "lower above the truth", r->lower);
    if (is_plain(s, r->distance))
        expect(s, r->distance - r->lower <= (double)(RELATIVE * r->distance), "lower is off",
               (r->distance - r->lower) / r->distance);
}

static void check_distance(const scene *s)
{
    bvp_distance_result r = {0};
    expect(s, bvp_distance(&s->a.body, other(s), INFINITY, &r, NULL) == BVP_OK, "distance fails",
           0);
    expect(s, r.found == 1, "no distance found", 0);
    if (!r.found)
        return;
    check_result(s, &r, "distance");
    const double factor[4] = {1, 1 + 0x1p-40, 1 - 0x1p-20, 2};
    const double delta = r.distance * factor[case_int(4)];
    bvp_distance_result w = {0};
    int within = -1;
    expect(s, bvp_within(&s->a.body, other(s), delta, &within, &w, NULL) == BVP_OK, "within fails",
           delta);
    if (delta >= r.distance)
        expect(s, within == 1, "not within what it is", delta);
    else if (delta < r.lower)
        expect(s, within == 0, "within what it is not", delta);
}

/* ---- closest points -------------------------------------------------------------------------- */

/* A point near body a: on a triangle but for rounding, near one, or anywhere. */
static void make_point(const scene *s, double out[3])
{
    const int count = (int)s->a.first[s->a.instance_count];
    const range_tri *t = &s->a.tri[case_int(count)];
    const double u = 0.125 * case_int(9), v = (1 - u) * 0.125 * case_int(9);
    const double away = case_int(3) ? ldexp(1, -range_skewed(60)) : 0;
    for (int x = 0; x < 3; x++) {
        const long double p = t->p[0][x] + (long double)u * (t->p[1][x] - t->p[0][x]) +
                              (long double)v * (t->p[2][x] - t->p[0][x]);
        out[x] = (double)p + ldexp(case_unit() * away, s->world);
    }
}

static long double point_reach(const side *s, uint32_t i, const double point[3])
{
    long double reach = 0;
    for (int x = 0; x < 3; x++) {
        const double *m = s->placement[i] + 4 * x;
        long double sum = fabsl((long double)m[3] - point[x]);
        for (int k = 0; k < 3; k++)
            sum += fabsl((long double)m[k] * s->size[i][k]);
        reach = fmaxl(reach, sum);
    }
    return reach;
}

static void check_closest(const scene *s, const double point[3], const bvp_closest_result *r)
{
    expect(s, r->found == 1, "no nearest point", 0);
    if (!r->found)
        return;
    const uint64_t a = number_of(s, &s->a, &r->id);
    const long double reach = point_reach(&s->a, instance_of(&s->a, a), point);
    const long double off = WITNESS * reach + 0x1p-53L * norm(r->point);
    expect(s, range_point_at_most(&s->a.tri[a], point, r->distance), "closest below the truth",
           r->distance);
    expect(s, range_point_at_most(&s->a.tri[a], r->point, (double)off), "nearest point is off",
           (double)off);
    expect(s,
           length_of(point, r->point) <= (r->distance + 0x1p-53L * norm(r->point)) * (1 + 0x1p-50L),
           "nearest point farther than the distance", r->distance);
    for (uint64_t k = 0; k < s->a.first[s->a.instance_count]; k++) {
        const range_tri *t = &s->a.tri[k];
        const long double more = excess_of(t, point_reach(&s->a, instance_of(&s->a, k), point));
        const long double least =
            ((long double)r->distance - more) / (1 + RELATIVE) * (1 - 0x1p-50L);
        expect(s, least <= 0 || range_point_at_least(t, point, (double)least),
               "closest above the truth", r->distance);
    }
}

static void ask_closest(const scene *s, const double (*points)[3])
{
    bvp_closest_result all[ELEMENTS], one;
    size_t done = 0;
    memset(all, 0, sizeof all);
    expect(s,
           bvp_closest_batch(&s->a.body, (bvp_const_array){points[0], 0, ELEMENTS}, INFINITY,
                             (bvp_array){all, 0, ELEMENTS}, &done, NULL) == BVP_OK &&
               done == ELEMENTS,
           "closest batch fails", (double)done);
    for (int i = 0; i < ELEMENTS; i++) {
        check_closest(s, points[i], &all[i]);
        memset(&one, 0, sizeof one);
        expect(s, bvp_closest(&s->a.body, points[i], INFINITY, &one, NULL) == BVP_OK,
               "closest fails", i);
        expect(s, one.distance == all[i].distance && one.id.id == all[i].id.id,
               "closest, one or many", i);
    }
    query_count += 2 * ELEMENTS;
}

/* ---- rays ------------------------------------------------------------------------------------ */

/* What is true of a ray. */
typedef struct ray_truth {
    bvp_ray ray;
    uint8_t hit[MOST];
    double t[MOST];
    uint64_t count;
    double soonest;
} ray_truth;

/* Toward a point of the body, from another point or along an axis. */
static void make_ray(const scene *s, ray_truth *out)
{
    bvp_ray *ray = &out->ray;
    double to[3], from[3];
    make_point(s, to);
    make_point(s, from);
    *ray = (bvp_ray){.t_min = case_int(3) ? 0 : -INFINITY, .t_max = INFINITY};
    const int axis = case_int(8), scale = case_int(40) - 20;
    double sum = 0;
    for (int x = 0; x < 3; x++) {
        const double along = axis > 3 ? case_unit() : x == axis;
        ray->direction[x] = axis == 3 ? to[x] - from[x] : ldexp(along, s->world);
        sum += fabs(ray->direction[x]);
    }
    if (!(sum > 0))
        ray->direction[0] = ldexp(1, s->world);
    const double back = case_int(3) ? case_unit() * 3 : 0;
    for (int x = 0; x < 3; x++) {
        ray->origin[x] = axis == 3 ? from[x] : to[x] - back * ray->direction[x];
        if (fabs(ray->direction[x]) < 0x1p900)
            ray->direction[x] = ldexp(ray->direction[x], scale);
    }
    if (case_int(3) == 0)
        ray->t_max = ldexp(fabs(case_unit()) * 2, -scale);
}

/* Each t is rounded toward zero. */
static void ray_truth_init(const scene *s, ray_truth *out)
{
    mpq_t t, end;
    mpq_inits(t, end, NULL);
    make_ray(s, out);
    out->count = 0;
    out->soonest = INFINITY;
    for (uint64_t k = 0; k < s->a.first[s->a.instance_count]; k++) {
        out->hit[k] = range_ray(t, &s->a.tri[k], out->ray.origin, out->ray.direction) != 0;
        if (!out->hit[k])
            continue;
        if (isfinite(out->ray.t_min)) {
            mpq_set_d(end, out->ray.t_min);
            out->hit[k] = mpq_cmp(t, end) >= 0;
        }
        if (isfinite(out->ray.t_max)) {
            mpq_set_d(end, out->ray.t_max);
            out->hit[k] = out->hit[k] && mpq_cmp(t, end) <= 0;
        }
        out->t[k] = mpq_get_d(t);
        out->count += out->hit[k];
        if (out->hit[k])
            out->soonest = fmin(out->soonest, out->t[k]);
    }
    mpq_clears(t, end, NULL);
}

typedef struct ray_list {
    const scene *scene;
    const ray_truth *truth;
    uint64_t count;
} ray_list;

/* Of one hit: is it one, and when? */
static void check_hit(const scene *s, const ray_truth *truth, const bvp_ray_hit *hit)
{
    const uint64_t k = number_of(s, &s->a, &hit->id);
    expect(s, truth->hit[k], "hit that is none", hit->t);
    expect(s, hit->t >= truth->ray.t_min && hit->t <= truth->ray.t_max, "t out of range", hit->t);
}

static int take_hit(void *user, const bvp_ray_hit *hit)
{
    ray_list *list = user;
    check_hit(list->scene, list->truth, hit);
    list->count++;
    return 0;
}

static void check_first(const scene *s, const ray_truth *truth, const bvp_ray_hit *hit)
{
    expect(s, hit->found == (truth->count != 0), "ray first", hit->found);
    if (hit->found)
        check_hit(s, truth, hit);
}

static void ask_rays(const scene *s, const ray_truth *truth)
{
    bvp_ray rays[ELEMENTS];
    bvp_ray_hit first[ELEMENTS], one;
    int any[ELEMENTS];
    size_t done = 0;
    memset(first, 0, sizeof first);
    for (int i = 0; i < ELEMENTS; i++)
        rays[i] = truth[i].ray;
    expect(s,
           bvp_ray_first_batch(&s->a.body, (bvp_const_array){rays, 0, ELEMENTS},
                               (bvp_array){first, 0, ELEMENTS}, &done, NULL) == BVP_OK &&
               done == ELEMENTS,
           "ray batch fails", (double)done);
    expect(s,
           bvp_ray_any_batch(&s->a.body, (bvp_const_array){rays, 0, ELEMENTS},
                             (bvp_array){any, 0, ELEMENTS}, &done, NULL) == BVP_OK &&
               done == ELEMENTS,
           "any batch fails", (double)done);
    for (int i = 0; i < ELEMENTS; i++) {
        ray_list list = {s, &truth[i], 0};
        uint64_t count = 0;
        int hit = -1;
        memset(&one, 0, sizeof one);
        check_first(s, &truth[i], &first[i]);
        expect(s, any[i] == (truth[i].count != 0), "any batch", any[i]);
        expect(s, bvp_ray_first(&s->a.body, &rays[i], &one, NULL) == BVP_OK, "ray fails", i);
        check_first(s, &truth[i], &one);
        expect(s, one.t == first[i].t && one.id.id == first[i].id.id, "ray, one or many", i);
        expect(s, bvp_ray_any(&s->a.body, &rays[i], &hit, NULL) == BVP_OK, "any fails", i);
        expect(s, hit == (truth[i].count != 0), "any", hit);
        expect(s, bvp_ray_all(&s->a.body, &rays[i], take_hit, &list, &count, NULL) == BVP_OK,
               "all fails", i);
        expect(s, count == truth[i].count && list.count == count, "number of hits",
               (double)count - (double)truth[i].count);
    }
    query_count += 5 * ELEMENTS;
}

/* ---- regions --------------------------------------------------------------------------------- */

enum { REGIONS = 4, PLANES = 4 };

/* A box, a ball and a convex region of several planes, and what is in them. */
typedef struct region_truth {
    int kind; /* 0: box, 1: ball, 2: planes */
    double lo[3], hi[3], radius, plane[4 * PLANES];
    int plane_count;
    uint8_t in[MOST];
    uint64_t count;
} region_truth;

static void region_truth_init(const scene *s, region_truth *out)
{
    double p[3];
    out->kind = case_int(3);
    out->count = 0;
    out->plane_count = 1 + case_int(PLANES);
    make_point(s, out->lo);
    make_point(s, p);
    for (int x = 0; x < 3; x++) {
        out->hi[x] = fmax(out->lo[x], p[x]);
        out->lo[x] = fmin(out->lo[x], p[x]);
    }
    out->radius = case_int(8) ? (double)length_of(out->lo, out->hi) : 0;
    for (int i = 0; i < out->plane_count; i++) {
        double *plane = out->plane + 4 * i;
        make_point(s, p);
        plane[3] = 0;
        for (int x = 0; x < 3; x++) {
            plane[x] = case_int(3) ? case_unit() : case_int(3) - 1;
            plane[3] -= plane[x] * p[x];
        }
        if (plane[0] == 0 && plane[1] == 0 && plane[2] == 0)
            plane[case_int(3)] = 1;
    }
    for (uint64_t k = 0; k < s->a.first[s->a.instance_count]; k++) {
        const range_tri *t = &s->a.tri[k];
        out->in[k] = (out->kind == 0   ? range_box(t, out->lo, out->hi)
                      : out->kind == 1 ? range_point_at_most(t, out->lo, out->radius)
                                       : range_region(t, out->plane, out->plane_count)) != 0;
        out->count += out->in[k];
    }
}

typedef struct region_list {
    const scene *scene;
    const region_truth *truth;
    uint64_t count;
} region_list;

static int take_id(void *user, const bvp_hit_id *id)
{
    region_list *list = user;
    const uint64_t k = number_of(list->scene, &list->scene->a, id);
    expect(list->scene, list->truth->in[k], "not in the region", (double)k);
    list->count++;
    return 0;
}

static void ask_region(const scene *s, const region_truth *truth)
{
    region_list list = {s, truth, 0};
    const bvp_body *a = &s->a.body;
    uint64_t count = 0;
    const bvp_status status =
        truth->kind == 0
            ? bvp_overlap(a, bvp_box_region(truth->lo, truth->hi), take_id, &list, &count, NULL)
        : truth->kind == 1
            ? bvp_overlap(a, bvp_ball_region(truth->lo, truth->radius), take_id, &list, &count,
                          NULL)
            : bvp_overlap(a, bvp_convex_region(truth->plane, (uint32_t)truth->plane_count), take_id,
                          &list, &count, NULL);
    expect(s, status == BVP_OK, "region fails", (double)status);
    expect(s, count == truth->count && list.count == count, "number in the region",
           (double)count - (double)truth->count);
    query_count++;
}

/* ---- motion ---------------------------------------------------------------------------------- */

/* Where body b comes from: the last place is its own. */
static void make_motion(const scene *s, double places[ELEMENTS][12])
{
    const int shift = range_skewed(60);
    for (int i = 0; i < ELEMENTS; i++) {
        memcpy(places[i], s->b.m, sizeof places[i]);
        for (int x = 3; x < 12 && i < ELEMENTS - 1; x += 4) {
            const double step = ldexp(case_unit() * (ELEMENTS - 1 - i), s->world - shift);
            if (fabs(places[i][x] + step) < 0x1p299)
                places[i][x] += step;
        }
    }
}

/* As of plain queries; the last ones are held against the truth. */
static void ask_warm(const scene *s, double places[ELEMENTS][12])
{
    static uint64_t front[4096];
    bvp_warm_start warm[3] = {{.front = case_int(2) ? front : NULL, .front_size = sizeof front}};
    bvp_body b = s->b.body;
    for (int i = 0; i < ELEMENTS; i++) {
        bvp_distance_result r = {0}, plain = {0};
        int hit = -1, is = -1, within = -1;
        b.placement = places[i];
        expect(s, bvp_collide(&s->a.body, &b, &is, NULL) == BVP_OK, "collide fails", i);
        expect(s, bvp_collide_warm(&s->a.body, &b, &warm[1], &hit, NULL) == BVP_OK, "warm fails",
               i);
        expect(s, hit == is, "collide, warm", i);
        expect(s, bvp_distance(&s->a.body, &b, INFINITY, &plain, NULL) == BVP_OK, "distance fails",
               i);
        expect(s, bvp_distance_warm(&s->a.body, &b, INFINITY, &warm[0], &r, NULL) == BVP_OK,
               "warm fails", i);
        expect(s, r.found && r.distance == plain.distance, "distance, warm",
               r.distance - plain.distance);
        expect(s, r.lower <= plain.distance, "lower, warm", r.lower - plain.distance);
        const double delta = plain.distance * (case_int(2) ? 1 + 0x1p-20 : 1 - 0x1p-20);
        expect(s, bvp_within(&s->a.body, &b, delta, &is, NULL, NULL) == BVP_OK, "within fails", i);
        expect(s, bvp_within_warm(&s->a.body, &b, delta, &warm[2], &within, NULL) == BVP_OK,
               "warm fails", i);
        expect(s, within == is, "within, warm", delta);
        if (i < ELEMENTS - 1)
            continue;
        check_collide(s, BVP_OK, hit);
        check_result(s, &r, "distance, warm");
    }
    query_count += (uint64_t)6 * ELEMENTS;
}

static void ask_batches(const scene *s, double places[ELEMENTS][12])
{
    bvp_distance_result all[ELEMENTS];
    int hits[ELEMENTS];
    size_t done = 0;
    memset(all, 0, sizeof all);
    expect(s,
           bvp_collide_batch(&s->a.body, &s->b.body, (bvp_const_array){places[0], 0, ELEMENTS},
                             (bvp_array){hits, 0, ELEMENTS}, &done, NULL) == BVP_OK &&
               done == ELEMENTS,
           "collide batch fails", (double)done);
    expect(s,
           bvp_distance_batch(&s->a.body, &s->b.body, (bvp_const_array){places[0], 0, ELEMENTS},
                              INFINITY, (bvp_array){all, 0, ELEMENTS}, &done, NULL) == BVP_OK &&
               done == ELEMENTS,
           "distance batch fails", (double)done);
    check_collide(s, BVP_OK, hits[ELEMENTS - 1]);
    check_result(s, &all[ELEMENTS - 1], "distance batch");
    for (int i = 0; i < ELEMENTS; i++)
        expect(s, hits[i] == (all[i].distance == 0), "collide or distance, batch", i);
    query_count += (uint64_t)2 * ELEMENTS;
}

/* ---- scenes ---------------------------------------------------------------------------------- */

enum { ASK_PAIRS = 5 }; /* and below that: closest, rays, regions, warm, batches */

/* What is asked beside pairs and distances. */
typedef struct questions {
    int kind;
    double point[ELEMENTS][3], placement[ELEMENTS][12];
    ray_truth ray[ELEMENTS];
    region_truth region[REGIONS];
} questions;

static void questions_init(questions *q, const scene *s)
{
    q->kind = case_int(ASK_PAIRS + 2);
    for (int i = 0; i < ELEMENTS && q->kind == 0; i++)
        make_point(s, q->point[i]);
    for (int i = 0; i < ELEMENTS && q->kind == 1; i++)
        ray_truth_init(s, &q->ray[i]);
    for (int i = 0; i < REGIONS && q->kind == 2; i++)
        region_truth_init(s, &q->region[i]);
    if (s->is_self && (q->kind == 3 || q->kind == 4))
        q->kind = ASK_PAIRS;
    make_motion(s, q->placement);
}

static void ask(const scene *s, questions *q)
{
    check_pairs(s);
    check_distance(s);
    query_count += 4;
    if (q->kind == 0)
        ask_closest(s, (const double(*)[3])q->point);
    if (q->kind == 1)
        ask_rays(s, q->ray);
    for (int i = 0; i < REGIONS && q->kind == 2; i++)
        ask_region(s, &q->region[i]);
    if (q->kind == 3)
        ask_warm(s, q->placement);
    if (q->kind == 4)
        ask_batches(s, q->placement);
}

static void check_scene(scene *s, const batch *batch)
{
    static const char *const names[ROUTES] = {
        "wide",     "boxtree sat", "boxtree lite", "boxtree aligned", "boxtree lookup",
        "aabb sat", "aabb lite",   "obb sat",      "obb lite",        "rss"};
    static questions questions;
    s->how = "truth";
    questions_init(&questions, s);
    for (int k = 0; k < ROUTES; k++) {
        s->a.body.file = s->b.body.file = batch->by[k];
        s->how = names[k];
        ask(s, &questions);
    }
}

START_TEST(queries_are_right_at_all_sizes)
{
    static batch batch;
    static scene scene;
    const char *text = getenv("BVP_RANGE_PAIRS");
    const uint64_t pairs = text ? strtoull(text, NULL, 0) : 60000;
    case_seed(1);
    while (pair_count < pairs) {
        seed_of_batch = case_state;
        batch_init(&batch);
        for (int k = 0; k < ASKED; k++) {
            scene_init(&scene, &batch);
            pair_count += scene.asked;
            meeting_count += scene.meeting;
            check_scene(&scene, &batch);
        }
        batch_free(&batch);
    }
    printf(
        "%llu pairs of triangles, %llu meet, %llu queries, %llu asked of rationals, %llu wrong\n",
        (unsigned long long)pair_count, (unsigned long long)meeting_count,
        (unsigned long long)query_count, (unsigned long long)range_exact_count,
        (unsigned long long)wrong_count);
    ck_assert_uint_eq(wrong_count, 0);
}
END_TEST

SUITE(test_range)
{
    const TTest *const tests[] = {queries_are_right_at_all_sizes, NULL};
    return suite_run_within("range", 0, tests);
}
