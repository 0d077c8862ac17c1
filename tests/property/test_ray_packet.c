/* SPDX-License-Identifier: MIT
 * test_ray_packet.c: batches of rays that go much the same way against single calls, bit for bit;
 * they are known to go together by what they cost.
 */
#include "body_cases.h"
#include "prim/tri_ray.h"
#include "suite.h"

enum { RAYS = 83 }; /* some are left over behind the last packet */

/* ---- against single calls -------------------------------------------------------------------- */

/* Fills in expected; how many rays are sound, and *status of the first that is not. */
static size_t ask_alone(const bvp_body *body, const bvp_ray rays[RAYS], bvp_ray_hit expected[RAYS],
                        bvp_status *status)
{
    size_t i = 0;
    *status = BVP_OK;
    for (; i < RAYS && *status == BVP_OK; i += *status == BVP_OK)
        *status = bvp_ray_first(body, &rays[i], &expected[i], NULL);
    return i;
}

static size_t check_first(const bvp_body *body, const bvp_ray rays[RAYS],
                          bvp_ray_hit expected[RAYS])
{
    bvp_ray_hit hits[RAYS];
    bvp_status status;
    size_t done, sound = ask_alone(body, rays, expected, &status);
    memset(hits, 0x55, sizeof hits);
    ck_assert_int_eq(bvp_ray_first_batch(body, (bvp_const_array){rays, 0, RAYS},
                                         (bvp_array){hits, 0, RAYS}, &done, NULL),
                     status);
    ck_assert_uint_eq(done, sound);
    for (size_t i = 0; i < sound; i++)
        ck_assert_msg(memcmp(&hits[i], &expected[i], sizeof hits[i]) == 0,
                      "ray %zu of a batch: found %d t %.17g, alone: found %d t %.17g", i,
                      hits[i].found, hits[i].t, expected[i].found, expected[i].t);
    return sound;
}

static void check_any(const bvp_body *body, const bvp_ray rays[RAYS],
                      const bvp_ray_hit expected[RAYS], size_t sound)
{
    int any[RAYS];
    size_t done;
    memset(any, 0x55, sizeof any);
    ck_assert_int_eq(bvp_ray_any_batch(body, (bvp_const_array){rays, 0, RAYS},
                                       (bvp_array){any, 0, RAYS}, &done, NULL) == BVP_OK,
                     sound == RAYS);
    ck_assert_uint_eq(done, sound);
    for (size_t i = 0; i < sound; i++)
        ck_assert_int_eq(any[i], expected[i].found);
}

/* On both instruction sets, which agree. */
static void check_rays(const bvp_body *body, const bvp_body *baseline, const bvp_ray rays[RAYS])
{
    bvp_ray_hit hits[RAYS], hits_baseline[RAYS];
    const size_t sound = check_first(body, rays, hits);
    check_any(body, rays, hits, sound);
    ck_assert_uint_eq(check_first(baseline, rays, hits_baseline), sound);
    check_any(baseline, rays, hits, sound);
    ck_assert_mem_eq(hits, hits_baseline, sound * sizeof *hits);
}

/* ---- rays that go much the same way ---------------------------------------------------------- */

typedef enum family {
    CAMERA,   /* from one point */
    PARALLEL, /* from a line, some of them along an axis */
    CORNERS,  /* from one point at corners of triangles, and between two of them */
    LOOSE,    /* near one another, no more */
    SAME,     /* one ray again and again */
    FAR,      /* a camera from afar */
    FAMILIES
} family;

static void aim(const double from[3], const double at[3], double scale, bvp_ray *ray)
{
    for (int a = 0; a < 3; a++) {
        ray->origin[a] = from[a];
        ray->direction[a] = (at[a] - from[a]) * scale;
    }
}

/* i-th of a family of rays from `eye` at `target`; right: the way along the row; step: how far
 * apart they are. */
static void make_ray(family kind, const body_list *list, const double eye[3],
                     const double target[3], const double right[3], double step, int i,
                     bvp_ray *ray)
{
    double from[3], at[3];
    for (int a = 0; a < 3; a++) {
        from[a] = eye[a] + (kind == PARALLEL ? i * step * right[a] : 0);
        at[a] = target[a] + i * step * (kind == SAME ? 0 : right[a]);
        if (kind == LOOSE) {
            from[a] += step * case_unit();
            at[a] += step * case_unit();
        }
    }
    if (kind == CORNERS)
        point_of_body(list, true, at);
    aim(from, at, 1, ray);
}

/* Makes some rays of a row unlike the others. */
static void disturb(bvp_ray rays[RAYS])
{
    for (int n = case_int(4); n > 0; n--) {
        bvp_ray *ray = &rays[case_int(RAYS)];
        const int axis = case_int(3);
        switch (case_int(5)) {
        case 0:
            ray->direction[axis] = -ray->direction[axis];
            break;
        case 1:
            ray->origin[axis] = ray->origin[axis] * 1e6 + 1e9;
            break;
        case 2:
            ray->t_max = -1;
            break;
        case 3:
            ray->direction[axis] *= 1e-12;
            break;
        default:
            ray->direction[axis] *= 1e300;
            break;
        }
        if (ray->direction[0] == 0 && ray->direction[1] == 0 && ray->direction[2] == 0)
            ray->direction[axis] = 1;
    }
}

static void make_rays(family kind, const body_list *list, double size, bvp_ray rays[RAYS])
{
    double target[3], eye[3], right[3];
    const double away = kind == FAR ? exp2(case_int(40)) : 3;
    const double step = size * exp2(-3 - case_int(12)), scale = exp2(case_int(21) - 10);
    const int flat = case_int(4), along = case_int(4), ranges = case_int(4);
    point_of_body(list, case_int(2) == 0, target);
    for (int a = 0; a < 3; a++) {
        eye[a] = target[a] + (a == flat ? 0 : away * size * case_unit());
        right[a] = along < 3 && a != along ? 0 : case_unit();
    }
    if (case_int(4) == 0) /* along an axis */
        for (int a = 0; a < 3; a++)
            eye[a] = target[a] + (a == along % 3 ? -away * size : 0);
    for (int i = 0; i < RAYS; i++) {
        bvp_ray *ray = &rays[i];
        *ray = (bvp_ray){.t_min = ranges & 1 ? -INFINITY : 0, .t_max = INFINITY};
        make_ray(kind, list, eye, target, right, step, i, ray);
        for (int a = 0; a < 3; a++)
            ray->direction[a] *= scale;
        if (ranges & 2 && case_int(2) == 0)
            ray->t_max = fabs(case_unit()) * 2 / scale;
        if (ray->direction[0] == 0 && ray->direction[1] == 0 && ray->direction[2] == 0)
            ray->direction[along % 3] = 1;
    }
    if (case_int(3) == 0)
        disturb(rays);
}

static void ask(const bvp_body *body, const bvp_body *baseline)
{
    body_list list = list_of(body);
    const double size = size_of_body(&list);
    bvp_ray rays[RAYS];
    for (int kind = 0; kind < FAMILIES; kind++)
        for (int i = 0; i < 4; i++) {
            make_rays((family)kind, &list, size, rays);
            check_rays(body, baseline, rays);
        }
    list_free(&list);
}

START_TEST(packets_answer_as_single_rays_do)
{
    case_seed(1);
    for_all_bodies(ask);
}
END_TEST

/* ---- that they go together ------------------------------------------------------------------- */

/* A square of rays from outside at a ball of radius 1 around 0, row by row. */
enum { SIDE = 64 };

static void make_view(bvp_ray rays[SIDE * SIDE], double width)
{
    for (int i = 0; i < SIDE * SIDE; i++)
        rays[i] = (bvp_ray){{4, 3, 2},
                            {-4 + width * (i % SIDE - SIDE / 2), -3 + width * (i / SIDE - SIDE / 2),
                             -2 + width * (i / SIDE - i % SIDE)},
                            0,
                            INFINITY};
}

static void count_work(const bvp_body *body, const bvp_ray *rays, bvp_stats *one, bvp_stats *many)
{
    static bvp_ray_hit hits[SIDE * SIDE];
    *one = *many = (bvp_stats){.nodes = 0};
    ck_assert_int_eq(bvp_ray_first_batch(body, (bvp_const_array){rays, 0, SIDE * SIDE},
                                         (bvp_array){hits, 0, SIDE * SIDE}, NULL, many),
                     BVP_OK);
    for (int i = 0; i < SIDE * SIDE; i++) {
        bvp_ray_hit hit;
        ck_assert_int_eq(bvp_ray_first(body, &rays[i], &hit, one), BVP_OK);
        ck_assert_mem_eq(&hit, &hits[i], sizeof hit);
    }
}

START_TEST(near_rays_share_their_work)
{
    static bvp_ray rays[SIDE * SIDE];
    body_mesh mesh = mesh_sphere(100);
    body_scene s = scene_of_one(mesh);
    make_view(rays, 0.02);
    for (int isa = 0; isa < 2; isa++) {
        const bvp_body body = {.file = s.file[isa], .part = 0};
        bvp_stats one, many;
        count_work(&body, rays, &one, &many);
        ck_assert_uint_gt(one.nodes, SIDE * SIDE);
        ck_assert_uint_lt(many.nodes * 3, one.nodes);
        ck_assert_uint_lt(many.leaves * 3, one.leaves * 2);
    }
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

/* Rays that scatter are asked one by one: the work is that of single calls. */
START_TEST(scattered_rays_do_not)
{
    static bvp_ray rays[SIDE * SIDE];
    body_mesh mesh = mesh_sphere(30);
    body_scene s = scene_of_one(mesh);
    const bvp_body body = {.file = s.file[0], .part = 0};
    bvp_stats one, many;
    case_seed(2);
    for (int i = 0; i < SIDE * SIDE; i++) {
        rays[i] = (bvp_ray){.t_max = INFINITY};
        for (int a = 0; a < 3; a++) {
            rays[i].origin[a] = case_unit();
            rays[i].direction[a] = (i & 1 ? 1 : -1) * (0.5 + fabs(case_unit()));
        }
    }
    count_work(&body, rays, &one, &many);
    ck_assert_mem_eq(&one, &many, sizeof one);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

/* ---- arguments ------------------------------------------------------------------------------- */

START_TEST(a_bad_ray_stops_the_batch_where_it_is)
{
    static bvp_ray rays[SIDE * SIDE];
    static bvp_ray_hit hits[SIDE * SIDE];
    static int any[SIDE * SIDE];
    body_mesh mesh = mesh_sphere(20);
    body_scene s = scene_of_one(mesh);
    const bvp_body body = {.file = s.file[0], .part = 0};
    make_view(rays, 0.02);
    for (size_t bad = 0; bad < 40; bad++) {
        const bvp_ray kept = rays[bad];
        bvp_ray *ray = &rays[bad];
        double *const fields[] = {&ray->origin[0],    &ray->origin[1],    &ray->origin[2],
                                  &ray->direction[0], &ray->direction[1], &ray->direction[2],
                                  &ray->t_min,        &ray->t_max};
        double *field = fields[bad % 8];
        size_t done;
        *field = NAN;
        ck_assert_int_eq(bvp_ray_first_batch(&body, (bvp_const_array){rays, 0, SIDE * SIDE},
                                             (bvp_array){hits, 0, SIDE * SIDE}, &done, NULL),
                         BVP_ERR_ARGUMENT);
        ck_assert_uint_eq(done, bad);
        ck_assert_int_eq(bvp_ray_any_batch(&body, (bvp_const_array){rays, 0, SIDE * SIDE},
                                           (bvp_array){any, 0, SIDE * SIDE}, &done, NULL),
                         BVP_ERR_ARGUMENT);
        ck_assert_uint_eq(done, bad);
        rays[bad] = kept;
    }
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

/* ---- a bound of t ---------------------------------------------------------------------------- */

/* No triangle is hit before it is said to be soonest. */
START_TEST(triangles_are_not_hit_sooner)
{
    case_seed(3);
    int hits = 0, told = 0;
    for (int i = 0; i < 20000; i++) {
        f32x8 tri[9];
        double p[3], d[3], bound[3] = {0}, middle[3];
        const double size = exp2(case_int(60) - 30), far = exp2(case_int(20) - 4);
        for (int k = 0; k < 9; k++)
            for (int lane = 0; lane < 8; lane++) {
                tri[k][lane] = (float)(size * case_unit());
                bound[k % 3] = fmax(bound[k % 3], fabs((double)tri[k][lane]));
            }
        for (int a = 0; a < 3; a++) {
            middle[a] = ((double)tri[a][0] + (double)tri[3 + a][0] + (double)tri[6 + a][0]) / 3;
            p[a] = middle[a] + size * far * case_unit();
            d[a] = (middle[a] - p[a]) * exp2(case_int(9) - 4);
        }
        bvpi_tri_ray ray;
        bvpi_tri_ray_hit hit[8];
        if (!bvpi_tri_ray_init_plain(&ray, (f64x4){p[0], p[1], p[2], 0},
                                     (f64x4){d[0], d[1], d[2], 0}, bound))
            continue;
        const f32x8 soonest = bvpi_tri_ray_soonest(&ray, tri);
        const unsigned lanes = bvpi_tri_ray8(&ray, tri, 0xff, -INFINITY, INFINITY, hit);
        for (unsigned left = lanes; left != 0; left &= left - 1) {
            const unsigned lane = bvpi_lowest_bit(left);
            ck_assert_double_le((double)soonest[lane], hit[lane].t);
            told += (double)soonest[lane] > hit[lane].t - 4 * size / fabs(d[ray.kz]);
            hits++;
        }
    }
    ck_assert_int_gt(hits, 5000);
    ck_assert_int_gt(told * 10, hits * 9);
}
END_TEST

SUITE(test_ray_packet)
{
    const TTest *const tests[] = {
        packets_answer_as_single_rays_do,      near_rays_share_their_work,   scattered_rays_do_not,
        a_bad_ray_stops_the_batch_where_it_is, triangles_are_not_hit_sooner, NULL};
    return suite_run_within("ray_packet", 120, tests);
}
