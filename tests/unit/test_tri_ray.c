/* SPDX-License-Identifier: MIT
 * test_tri_ray.c: rays against triangles in rationals; parameter ranges; shared edges and corners.
 */
#include "oracle_gmp.h"
#include "prim/tri_ray.h"
#include "prim_suite.h"
#include "tri_cases.h"

enum { CASES = 300, FANS = 4000 };

typedef struct ray_case {
    double origin[3], direction[3], t_min, t_max;
} ray_case;

/* From B's first corner to a point of A (a corner, on an edge, inside), or along an axis through
 * it, or anywhere. */
static void make_ray(const tri_case *c, ray_case *r)
{
    int u = case_int(9), v = case_int(9 - u), kind = case_int(3), axis = case_int(3);
    double aim[3], target[3];
    for (int x = 0; x < 3; x++)
        aim[x] =
            ((8 - u - v) * (double)c->a[x] + u * (double)c->a[3 + x] + v * (double)c->a[6 + x]) / 8;
    for (int x = 0; x < 3; x++)
        target[x] = c->ma[4 * x] * aim[0] + c->ma[4 * x + 1] * aim[1] + c->ma[4 * x + 2] * aim[2] +
                    c->ma[4 * x + 3];
    place_point(c->mb, c->b, r->origin);
    for (int x = 0; x < 3; x++) {
        r->direction[x] = kind == 0   ? target[x] - r->origin[x]
                          : kind == 1 ? x == axis
                                      : case_unit();
        if (kind == 1 && x != axis)
            r->origin[x] = target[x];
    }
    if (r->direction[0] == 0 && r->direction[1] == 0 && r->direction[2] == 0)
        r->direction[axis] = 1;
}

/* A range that begins or ends at the hit, or nearby. */
static void make_range(double t, ray_case *r)
{
    int kind = case_int(6);
    r->t_min = -INFINITY;
    r->t_max = INFINITY;
    if (kind == 1)
        r->t_min = 0;
    if (kind == 2)
        r->t_min = 0, r->t_max = 1;
    if (kind == 3)
        r->t_max = t;
    if (kind == 4)
        r->t_min = t;
    if (kind == 5)
        r->t_max = nextafter(t, -INFINITY);
}

static int in_range(const mpq_t t, const ray_case *r)
{
    mpq_t q;
    int in = 1;
    mpq_init(q);
    if (isfinite(r->t_min)) {
        mpq_set_d(q, r->t_min);
        in = mpq_cmp(t, q) >= 0;
    }
    if (isfinite(r->t_max)) {
        mpq_set_d(q, r->t_max);
        in = in && mpq_cmp(t, q) <= 0;
    }
    mpq_clear(q);
    return in;
}

static int check_one(const tri_case *c, mpq_t t)
{
    bvpi_placement placement;
    bvpi_tri_ray ray;
    bvpi_tri_ray_hit hits[8];
    ray_case r;
    double bound[3];
    f32x8 tri[9];
    make_ray(c, &r);
    bounds_of(c->a, 3, bound);
    ck_assert_int_eq(bvpi_placement_init(&placement, c->ma), BVP_OK);
    ck_assert_int_eq(bvpi_tri_ray_init(&ray, &placement, r.origin, r.direction, bound), BVP_OK);
    int hit = oracle_ray_tri(t, r.origin, r.direction, c->a, c->ma);
    double true_t = hit ? mpq_get_d(t) : 0;
    make_range(true_t, &r);
    hit = hit && in_range(t, &r);
    splat_triangle(c->a, tri);
    unsigned lanes = bvpi_tri_ray8(&ray, tri, 0x21, r.t_min, r.t_max, hits);
    if (lanes != (hit ? 0x21 : 0)) {
        printf("lanes %x, expected %d; origin %a %a %a direction %a %a %a t %a range %a %a\n",
               lanes, hit, r.origin[0], r.origin[1], r.origin[2], r.direction[0], r.direction[1],
               r.direction[2], true_t, r.t_min, r.t_max);
        case_print(c);
        ck_abort_msg("answers differ");
    }
    if (hit) {
        double err = fabs(hits[5].t - true_t), size = fabs(true_t) + ray.depth_err * 0x1p52;
        ck_assert_double_le(err, size * 1e-6);
        ck_assert_double_ge(hits[5].u, 0);
        ck_assert_double_ge(hits[5].v, 0);
        ck_assert_double_le(hits[5].u + hits[5].v, 1 + 1e-12);
        ck_assert(hits[5].t >= r.t_min && hits[5].t <= r.t_max);
    }
    return hit;
}

START_TEST(hits_equal_rationals)
{
    long hits = 0;
    mpq_t t;
    mpq_init(t);
    case_seed(6);
    for (int family = 0; family < CASE_FAMILIES; family++)
        for (int i = 0; i < CASES * PLACE_COUNT; i++) {
            tri_case c;
            case_make(&c, family, i % PLACE_COUNT);
            hits += check_one(&c, t);
        }
    ck_assert_int_gt(hits, 3 * CASES * PLACE_COUNT);
    mpq_clear(t);
}
END_TEST

/* A closed fan of triangles around a corner: every ray that passes the corner, or an edge of it, by
 * a hair hits one of them at least. */
START_TEST(fans_are_watertight)
{
    const double bound[3] = {2, 2, 2};
    case_seed(7);
    for (int i = 0; i < FANS; i++) {
        double m[12], origin[3], aim[3], d[3];
        float rim[6][3], top[3] = {(float)case_unit() / 8, (float)case_unit() / 8, 0.1f};
        bvpi_placement placement;
        bvpi_tri_ray ray;
        bvpi_tri_ray_hit hit;
        case_rotation(m);
        case_translate(m, i % 2 ? 1e7 : 1);
        ck_assert_int_eq(bvpi_placement_init(&placement, m), BVP_OK);
        for (int k = 0; k < 6; k++) {
            rim[k][0] = (float)cos(k * M_PI / 3);
            rim[k][1] = (float)sin(k * M_PI / 3);
            rim[k][2] = (float)case_unit() / 8;
        }
        const float *other = rim[case_int(6)];
        float s = (float)case_int(5) / 8, p[3];
        for (int x = 0; x < 3; x++)
            p[x] = top[x] + (other[x] - top[x]) * s;
        place_point(m, p, aim);
        for (int x = 0; x < 3; x++)
            d[x] = m[4 * x + 2] + case_unit() * 0.3;
        for (int x = 0; x < 3; x++)
            origin[x] = aim[x] - 5 * d[x];
        ck_assert_int_eq(bvpi_tri_ray_init(&ray, &placement, origin, d, bound), BVP_OK);
        int found = 0;
        for (int k = 0; k < 6; k++) {
            float tri[9];
            memcpy(tri, top, sizeof top);
            memcpy(tri + 3, rim[k], sizeof rim[k]);
            memcpy(tri + 6, rim[(k + 1) % 6], sizeof rim[k]);
            found += bvpi_tri_ray1(&ray, tri, 0, INFINITY, &hit);
        }
        ck_assert_int_ge(found, 1);
    }
}
END_TEST

START_TEST(edge_on_triangles_are_never_hit)
{
    const float tri[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, segment[9] = {0, 0, 0, 1, 1, 0, 2, 2, 0};
    const double bound[3] = {2, 2, 2}, from[3] = {-1, 0.25, 0}, along[3] = {1, 0, 0};
    const double above[3] = {1, 1, 1}, down[3] = {0, 0, -1};
    bvpi_placement placement;
    bvpi_tri_ray ray;
    bvpi_tri_ray_hit hit;
    ck_assert_int_eq(bvpi_placement_init(&placement, NULL), BVP_OK);
    ck_assert_int_eq(bvpi_tri_ray_init(&ray, &placement, from, along, bound), BVP_OK);
    ck_assert(!bvpi_tri_ray1(&ray, tri, 0, INFINITY, &hit));
    ck_assert_int_eq(bvpi_tri_ray_init(&ray, &placement, above, down, bound), BVP_OK);
    ck_assert(!bvpi_tri_ray1(&ray, segment, 0, INFINITY, &hit));
}
END_TEST

START_TEST(arguments_are_checked)
{
    const double bound[3] = {1, 1, 1}, zero[3] = {0, 0, 0}, bad[3] = {0, INFINITY, 0};
    const double good[3] = {0, 0, 1};
    bvpi_placement placement;
    bvpi_tri_ray ray;
    ck_assert_int_eq(bvpi_placement_init(&placement, NULL), BVP_OK);
    ck_assert_int_eq(bvpi_tri_ray_init(&ray, &placement, zero, zero, bound), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvpi_tri_ray_init(&ray, &placement, bad, good, bound), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvpi_tri_ray_init(&ray, &placement, good, bad, bound), BVP_ERR_ARGUMENT);
}
END_TEST

SUITE(test_tri_ray)
{
    const TTest *const tests[] = {hits_equal_rationals, fans_are_watertight,
                                  edge_on_triangles_are_never_hit, arguments_are_checked, NULL};
    return run_suite("tri_ray", tests);
}
