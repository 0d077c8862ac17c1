/* SPDX-License-Identifier: MIT
 * bench_prim.c: nanoseconds a pair (or triangle) of every primitive, on kinds of input that leave
 * the fast path to different degrees. Compile with and without -mavx2 -mfma.
 */
#include <time.h>

#include "prim/point_tri.h"
#include "prim/tri_ball.h"
#include "prim/tri_box.h"
#include "prim/tri_dist.h"
#include "prim/tri_ray.h"
#include "prim/tri_tri.h"
#include "tri_cases.h"

enum { BATCHES = 512, ROUNDS = 5 };

/* Batches of eight under one pose. */
typedef struct scene {
    const char *name;
    f32x8 a[BATCHES][9], b[BATCHES][9];
    bvpi_pose pose;
    bvpi_placement placement;
    double bound_a[3], bound_b[3];
} scene;

static scene s;
static volatile double sink;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void get_lane(const f32x8 t[9], unsigned lane, float out[9])
{
    for (int k = 0; k < 9; k++)
        out[k] = t[k][lane];
}

/* ---- what is timed: each does all batches once ----------------------------------------------- */

static double time_overlap(void)
{
    unsigned sum = 0;
    for (int i = 0; i < BATCHES; i++)
        sum += bvpi_tri_tri8(&s.pose, s.a[i], s.b[i], 0xff, false).hit;
    return sum;
}

static double time_overlap_exact(void)
{
    unsigned sum = 0;
    for (int i = 0; i < BATCHES; i++)
        for (unsigned lane = 0; lane < 8; lane++) {
            float a[9], b[9];
            get_lane(s.a[i], lane, a);
            get_lane(s.b[i], lane, b);
            sum += bvpi_tri_tri_exact(a, b, s.pose.same ? NULL : s.pose.ma,
                                      s.pose.same ? NULL : s.pose.mb);
        }
    return sum;
}

static double time_distance8(void)
{
    f32x8 sum = f32x8_splat(0), lo, hi;
    for (int i = 0; i < BATCHES; i++) {
        bvpi_tri_dist8(&s.pose, s.a[i], s.b[i], &lo, &hi);
        sum += lo + hi;
    }
    return (double)sum[0];
}

static double time_distance1(void)
{
    double sum = 0;
    for (int i = 0; i < BATCHES; i++)
        for (unsigned lane = 0; lane < 8; lane++) {
            float a[9], b[9];
            bvpi_tri_dist d;
            get_lane(s.a[i], lane, a);
            get_lane(s.b[i], lane, b);
            bvpi_tri_dist1(&s.pose, a, b, &d);
            sum += d.hi;
        }
    return sum;
}

static double time_rays(void)
{
    const double origin[3] = {0.1, 0.2, -5}, direction[3] = {0.01, 0.02, 1};
    unsigned sum = 0;
    bvpi_tri_ray ray;
    bvpi_tri_ray_hit hits[8];
    bvpi_tri_ray_init(&ray, &s.placement, origin, direction, s.bound_a);
    for (int i = 0; i < BATCHES; i++)
        sum += bvpi_tri_ray8(&ray, s.a[i], 0xff, 0, INFINITY, hits);
    return sum;
}

static double time_point8(void)
{
    const double p[3] = {0.3, 0.1, 0.2};
    f32x8 sum = f32x8_splat(0), lo, hi;
    bvpi_point point;
    bvpi_point_init(&point, &s.placement, p, s.bound_a);
    for (int i = 0; i < BATCHES; i++) {
        bvpi_point_tri8(&point, s.a[i], 0xff, &lo, &hi);
        sum += lo + hi;
    }
    return (double)sum[0];
}

static double time_point1(void)
{
    const double p[3] = {0.3, 0.1, 0.2};
    double sum = 0;
    bvpi_point point;
    bvpi_point_init(&point, &s.placement, p, s.bound_a);
    for (int i = 0; i < BATCHES; i++)
        for (unsigned lane = 0; lane < 8; lane++) {
            float a[9];
            bvpi_point_tri d;
            get_lane(s.a[i], lane, a);
            bvpi_point_tri1(&point, a, &d);
            sum += d.hi;
        }
    return sum;
}

static double time_box(void)
{
    const double lo[3] = {-0.2, -0.1, 0}, hi[3] = {0.3, 0.3, 0.5};
    double sum = 0;
    for (int i = 0; i < BATCHES; i++)
        for (unsigned lane = 0; lane < 8; lane++) {
            float a[9];
            get_lane(s.a[i], lane, a);
            sum += bvpi_tri_meets_box(a, s.placement.m, lo, hi);
        }
    return sum;
}

static double time_ball(void)
{
    const double centre[3] = {0.3, 0.1, 0.2};
    double sum = 0;
    for (int i = 0; i < BATCHES; i++)
        for (unsigned lane = 0; lane < 8; lane++) {
            float a[9];
            get_lane(s.a[i], lane, a);
            sum += bvpi_tri_meets_ball(a, s.placement.m, centre, 0.4);
        }
    return sum;
}

static double time_pose(void)
{
    double sum = 0;
    for (int i = 0; i < 8 * BATCHES; i++) {
        bvpi_pose_init(&s.pose, s.pose.ma, s.pose.mb, s.bound_a, s.bound_b);
        sum += s.pose.eta;
    }
    return sum;
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static void make_scene(const char *name, int family, int placing)
{
    tri_case c, first;
    case_make(&first, family, placing);
    s.name = name;
    memset(s.bound_a, 0, sizeof s.bound_a);
    memset(s.bound_b, 0, sizeof s.bound_b);
    for (int i = 0; i < 8 * BATCHES; i++) {
        case_make(&c, family, PLACE_IDENTITY);
        for (int k = 0; k < 9; k++) {
            s.a[i / 8][k][i % 8] = c.a[k];
            s.b[i / 8][k][i % 8] = c.b[k];
            s.bound_a[k % 3] = fmax(s.bound_a[k % 3], fabs((double)c.a[k]));
            s.bound_b[k % 3] = fmax(s.bound_b[k % 3], fabs((double)c.b[k]));
        }
    }
    bvpi_placement_init(&s.placement, first.ma);
    bvpi_pose_init(&s.pose, first.ma, first.mb, s.bound_a, s.bound_b);
}

/* The least of some runs, of processor time: other programs run beside this one. */
static double least_of(double (*run)(void))
{
    double least = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        double t = now();
        sink += run();
        least = fmin(least, now() - t);
    }
    return least * 1e9 / (8 * BATCHES);
}

static void run_scene(void)
{
    static double (*const runs[])(void) = {
        time_overlap, time_overlap_exact, time_distance8, time_distance1, time_rays,
        time_point8,  time_point1,        time_box,       time_ball,      time_pose};
    unsigned hits = 0, proper = 0, exact = 0;
    for (int i = 0; i < BATCHES; i++) {
        bvpi_tri_tri8_result r = bvpi_tri_tri8(&s.pose, s.a[i], s.b[i], 0xff, false);
        hits += bvpi_popcount(r.hit);
        proper += bvpi_popcount(r.proper);
        exact += bvpi_popcount(r.exact);
    }
    printf("%s,%.1f,%.1f,%.1f", s.name, 100.0 * hits / (8 * BATCHES),
           100.0 * proper / (8 * BATCHES), 100.0 * exact / (8 * BATCHES));
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        printf(",%.1f", least_of(runs[i]));
    printf("\n");
}

int main(void)
{
    static const struct {
        const char *name;
        int family, placing;
    } scenes[] = {{"random, rigid", CASE_RANDOM, PLACE_RIGID},
                  {"random, sheared", CASE_RANDOM, PLACE_SHEARED},
                  {"close, same placement", CASE_CLOSE, PLACE_SAME},
                  {"shared edges, same placement", CASE_SHARED_EDGE, PLACE_SAME},
                  {"shared corners, shifted", CASE_SHARED_VERTEX, PLACE_IDENTITY},
                  {"coplanar grid, identity", CASE_COPLANAR, PLACE_IDENTITY},
                  {"coplanar grid, permuted", CASE_COPLANAR, PLACE_PERMUTE},
                  {"coplanar grid, same rotation", CASE_COPLANAR, PLACE_SAME},
                  {"small grid, identity", CASE_GRID, PLACE_IDENTITY},
                  {"needles, rigid", CASE_NEEDLE, PLACE_RIGID},
                  {"far from the origin", CASE_CLOSE, PLACE_FAR}};
    case_state = 1;
    printf("scene,hit %%,proper %%,exact %%,overlap,overlap exact only,distance x8,distance x1,"
           "ray,point x8,point x1,box,ball,pose\n");
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        make_scene(scenes[i].name, scenes[i].family, scenes[i].placing);
        run_scene();
    }
    return 0;
}
