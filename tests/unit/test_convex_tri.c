/* SPDX-License-Identifier: MIT
 * test_convex_tri.c: convex bodies and single triangles: against the exact distances of their
 * surfaces' triangles, against the optimality of witness points in long double, and double against
 * double-double, which shows that the bound of rounding is needed.
 */
#include "prim/gjk.h"
#include "prim/point_tri.h"
#include "prim/tri_dist.h"
#include "suite.h"
#include "tri_cases.h"

enum { FACES = 12, CASES = 6000 };

/* A convex body, and its core's surface as triangles before placement. */
typedef struct shape {
    bvp_convex given;
    double points[24], m[12];
    float faces[FACES][9];
    int face_count;
    bvpi_convex convex;
} shape;

static void set_face(shape *s, const float *a, const float *b, const float *c)
{
    float *face = s->faces[s->face_count++];
    memcpy(face, a, 3 * sizeof *a);
    memcpy(face + 3, b, 3 * sizeof *b);
    memcpy(face + 6, c, 3 * sizeof *c);
}

/* The faces of a box with these half sizes. */
static void box_faces(shape *s, const float half[3])
{
    static const int quad[6] = {0, 1, 3, 0, 3, 2};
    float p[8][3];
    for (int k = 0; k < 8; k++)
        for (int a = 0; a < 3; a++)
            p[k][a] = k >> a & 1 ? half[a] : -half[a];
    for (int a = 0; a < 3; a++)
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 2; k++) {
                const float *c[3];
                for (int i = 0; i < 3; i++) {
                    const int q = quad[3 * k + i], b = (a + 1) % 3, d = (a + 2) % 3;
                    c[i] = p[side << a | (q & 1) << b | (q >> 1) << d];
                }
                set_face(s, c[0], c[1], c[2]);
            }
}

/* The hull of 1 .. 4 points: these are its faces, whatever they are. */
static void hull_faces(shape *s, int count)
{
    float p[4][3];
    for (int k = 0; k < 4; k++) {
        const int q = k < count ? k : count - 1;
        for (int a = 0; a < 3; a++)
            p[k][a] = (float)s->points[3 * q + a];
    }
    for (int k = 0; k < 4; k++)
        set_face(s, p[k], p[(k + 1) % 4], p[(k + 2) % 4]);
}

static double some_size(void)
{
    return case_int(6) == 0 ? 0 : (double)(float)exp2(3 * case_unit());
}

/* Rigid; boxes and hulls may be stretched. */
static void random_shape(shape *s, bvp_convex_kind kind, double scale)
{
    memset(s, 0, sizeof *s);
    bvp_convex *given = &s->given;
    given->kind = kind;
    float half[3] = {0};
    given->radius = some_size() * scale;
    for (int a = 0; a < 3; a++) {
        const float size = (float)(some_size() * scale);
        half[a] = kind == BVP_CONVEX_BOX || (kind == BVP_CONVEX_CAPSULE && a == 2) ? size : 0;
        given->size[a] = 2 * (double)half[a];
    }
    given->length = kind == BVP_CONVEX_CYLINDER ? some_size() * scale : given->size[2];
    given->points = s->points;
    given->point_count = 1 + (uint32_t)case_int(4);
    for (int k = 0; k < 12; k++)
        s->points[k] =
            (double)(float)(case_int(3) == 0 ? scale * case_int(3) : scale * case_unit());
    case_rotation(s->m);
    if (case_int(3) == 0)
        case_identity(s->m);
    if ((kind == BVP_CONVEX_BOX || kind == BVP_CONVEX_HULL) && case_int(3) == 0)
        for (int i = 0; i < 12; i++)
            s->m[i] *= i % 4 == 1 ? 0.3 : 1.7;
    case_translate(s->m, 2 * scale);
    given->placement = s->m;
    if (kind == BVP_CONVEX_HULL)
        hull_faces(s, (int)given->point_count);
    else
        box_faces(s, half);
    ck_assert_int_eq(bvpi_convex_init(&s->convex, given), BVP_OK);
}

/* ---- by the exact distances of triangles ----------------------------------------------------- */

static long double det3(const long double a[3], const long double b[3], const long double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Is a point of the world in the core, which is a box or a tetrahedron? */
static bool core_holds(const shape *s, const double world[3])
{
    double p[3], err[3];
    bvpi_placement_point_to_part(&s->convex.placement, world, p, err);
    if (s->given.kind == BVP_CONVEX_BOX)
        return fabs(p[0]) < s->convex.half[0] && fabs(p[1]) < s->convex.half[1] &&
               fabs(p[2]) < s->convex.half[2];
    if (s->given.kind != BVP_CONVEX_HULL || s->given.point_count < 4)
        return false;
    long double e[3][3], v[3], sum = 0;
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) {
            e[k][a] = (long double)s->points[3 * (k + 1) + a] - (long double)s->points[a];
            v[a] = (long double)p[a] - (long double)s->points[a];
        }
    const long double volume = det3(e[0], e[1], e[2]);
    if (volume == 0)
        return false;
    for (int k = 0; k < 3; k++) {
        const long double share = det3(v, e[(k + 1) % 3], e[(k + 2) % 3]) / volume;
        if (!(share > 0))
            return false;
        sum += share;
    }
    return sum < 1;
}

static bool check_exact(const shape *s, const bvpi_convex_pose *at, const double *m,
                        const float tri[9], const bvpi_convex_tri *found)
{
    double bound_a[3] = {0}, bound_b[3] = {0}, lo = INFINITY, hi = INFINITY, corner[3];
    bvpi_placement placement;
    bvpi_pose pose;
    for (int k = 0; k < 9; k++)
        bound_a[k % 3] = fmax(bound_a[k % 3], fabs((double)tri[k]));
    for (int k = 0; k < 9 * s->face_count; k++)
        bound_b[k % 3] = fmax(bound_b[k % 3], fabs((double)s->faces[k / 9][k % 9]));
    if (bvpi_pose_init(&pose, m, s->m, bound_a, bound_b) != BVP_OK)
        return false;
    bvpi_pose_bound_corners(&pose, bound_a, bound_b);
    for (int k = 0; k < s->face_count; k++) {
        bvpi_tri_dist d;
        bvpi_tri_dist1(&pose, tri, s->faces[k], &d);
        lo = fmin(lo, d.lo);
        hi = fmin(hi, d.hi);
    }
    ck_assert_int_eq(bvpi_placement_init(&placement, m), BVP_OK);
    const double part[3] = {(double)tri[0], (double)tri[1], (double)tri[2]};
    bvpi_placement_point_to_world(&placement, part, corner);
    if (lo > 0 && core_holds(s, corner))
        lo = hi = 0;
    const double r = s->convex.radius, slack = r * 0x1p-50;
    lo = fmax(lo - r - slack, 0);
    hi = hi - r + slack;
    if (hi <= 0 && found->hi != 0)
        return false; /* a missed contact */
    if (lo > at->band && found->lo == 0)
        return false;
    return found->hi == 0 ? lo <= at->band : found->lo <= hi && found->hi >= lo;
}

/* ---- by optimality --------------------------------------------------------------------------- */

/* The least n . k of the whole body, relative to its centre. */
static long double least_along(const bvpi_convex *c, const long double n[3])
{
    const double *m = c->placement.m;
    long double g[3], least = 0;
    for (int j = 0; j < 3; j++)
        g[j] =
            n[0] * (long double)m[j] + n[1] * (long double)m[4 + j] + n[2] * (long double)m[8 + j];
    for (uint32_t i = 0; i < c->point_count; i++) {
        const double *q = c->points + 3 * i;
        const long double at =
            g[0] * (long double)q[0] + g[1] * (long double)q[1] + g[2] * (long double)q[2];
        least = i == 0 || at < least ? at : least;
    }
    if (c->kind == BVP_CONVEX_CYLINDER)
        return -sqrtl(g[0] * g[0] + g[1] * g[1]) * (long double)c->half[0] -
               fabsl(g[2]) * (long double)c->half[2];
    if (c->kind != BVP_CONVEX_HULL)
        for (int j = 0; j < 3; j++)
            least -= fabsl(g[j]) * (long double)c->half[j];
    return least - (long double)c->radius;
}

static bool cylinder_holds(const bvpi_convex *c, const double world[3], double slack)
{
    double p[3], err[3];
    bvpi_placement_point_to_part(&c->placement, world, p, err);
    return hypot(p[0], p[1]) <= c->half[0] + slack && fabs(p[2]) <= c->half[2] + slack;
}

/* Witness points are where they should be, and the plane between them separates the bodies as far
 * as they are apart. */
static bool check_optimal(const shape *s, const bvpi_convex_pose *at, const double *m,
                          const float tri[9], const bvpi_convex_tri *found)
{
    const double *c = s->convex.centre;
    const double far = fabs(c[0]) + fabs(c[1]) + fabs(c[2]), reach = 1 / at->scale;
    const double slack = reach * 0x1p-41 + far * 0x1p-50;
    double bound[3] = {0};
    long double n[3], length = 0, most = -INFINITY;
    bvpi_placement placement;
    bvpi_point point;
    bvpi_point_tri on;
    for (int k = 0; k < 9; k++)
        bound[k % 3] = fmax(bound[k % 3], fabs((double)tri[k]));
    ck_assert_int_eq(bvpi_placement_init(&placement, m), BVP_OK);
    if (bvpi_point_init(&point, &placement, found->point_tri, bound) != BVP_OK)
        return true; /* overflows before placement */
    bvpi_point_tri1(&point, tri, &on);
    if (on.lo > slack)
        return false;
    if (s->given.kind == BVP_CONVEX_CYLINDER &&
        !cylinder_holds(&s->convex, found->point_convex, slack))
        return false;
    for (int a = 0; a < 3; a++) {
        n[a] = (long double)found->point_convex[a] - (long double)found->point_tri[a];
        length += n[a] * n[a];
    }
    length = sqrtl(length);
    if (fabsl(length - (long double)found->hi) > (long double)(slack + found->hi * 1e-9))
        return false;
    if (found->hi < reach * 0.03 + far * 1e-6)
        return true; /* points that are nearest up to rounding need not be so in this direction */
    for (int k = 0; k < 3; k++) {
        long double along = 0;
        for (int a = 0; a < 3; a++) {
            long double x = (long double)m[4 * a + 3] - (long double)s->convex.centre[a];
            for (int j = 0; j < 3; j++)
                x += (long double)m[4 * a + j] * (long double)tri[3 * k + j];
            along += x * n[a] / length;
        }
        most = fmaxl(most, along);
    }
    for (int a = 0; a < 3; a++)
        n[a] /= length;
    const long double gap = least_along(&s->convex, n) - most;
    return gap >= (long double)found->lo * (1 - 1e-3L) - (long double)slack &&
           gap <= (long double)(found->hi + slack);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void random_triangle(float tri[9], double scale)
{
    bool is_finite;
    do {
        tri_case c = {.family = case_int(CASE_FAMILIES)};
        case_triangles(&c);
        if (case_int(4) == 0)
            case_degenerate(c.a);
        is_finite = true;
        for (int k = 0; k < 9; k++) {
            tri[k] = (float)((double)c.a[k] * scale);
            is_finite = is_finite && isfinite(tri[k]);
        }
    } while (!is_finite);
}

static void random_place(const shape *s, double scale, double m[12])
{
    case_rotation(m);
    if (case_int(3) == 0)
        memcpy(m, s->m, 12 * sizeof *m); /* the same frame: often flush */
    if (case_int(4) == 0)
        for (int i = 0; i < 12; i++)
            m[i] *= i % 4 == 0 ? 5 : i % 4 == 3 ? 1 : 0.5;
    if (case_int(2) == 0)
        case_translate(m, 2 * scale);
}

static void set_pose(bvpi_convex_pose *at, const shape *s, const double *m, const float tri[9])
{
    double bound[3] = {0};
    for (int k = 0; k < 9; k++)
        bound[k % 3] = fmax(bound[k % 3], fabs((double)tri[k]));
    bvpi_convex_pose_init(at, &s->convex, m, bound);
}

/* Limits change neither what touches nor what is near enough. */
static bool check_limits(const bvpi_convex_pose *at, const float tri[9],
                         const bvpi_convex_tri *found)
{
    bvpi_convex_tri r;
    bvpi_convex_tri1(at, tri, 0, 0, &r);
    if ((r.lo > 0) != (found->lo > 0))
        return false;
    bvpi_convex_tri1(at, tri, found->hi, -1, &r);
    if (r.hi != found->hi)
        return false;
    if (found->lo > 2 * at->band) {
        bvpi_convex_tri1(at, tri, found->lo / 2, -1, &r);
        if (!(r.lo > found->lo / 2))
            return false;
    }
    bvpi_convex_tri1(at, tri, found->hi * 2, found->hi * 2, &r);
    return r.lo <= found->hi && r.hi >= found->lo && r.hi <= found->hi * 2 + at->band;
}

static void check_kind(bvp_convex_kind kind, double scale)
{
    int wrong = 0, loose = 0, touching = 0, precise = 0;
    for (int i = 0; i < CASES; i++) {
        shape s;
        float tri[9];
        double m[12];
        bvpi_convex_pose at;
        bvpi_convex_tri found;
        random_shape(&s, kind, scale);
        random_triangle(tri, scale);
        random_place(&s, scale, m);
        set_pose(&at, &s, m, tri);
        bvpi_convex_tri1(&at, tri, INFINITY, -1, &found);
        loose += !found.is_tight || found.hi - found.lo > found.hi * 1e-9 + at.band;
        touching += found.hi == 0;
        precise += found.effort > 1;
        wrong += !check_optimal(&s, &at, m, tri, &found) || !check_limits(&at, tri, &found) ||
                 (kind != BVP_CONVEX_CYLINDER && !check_exact(&s, &at, m, tri, &found));
    }
    printf("kind %d, scale %g: %d touch, %d in double-double\n", (int)kind, scale, touching,
           precise);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(loose, 0);
    ck_assert_int_gt(touching, CASES / 100);
}

START_TEST(distances_are_certain)
{
    case_seed(1);
    for (int kind = BVP_CONVEX_BOX; kind <= BVP_CONVEX_HULL; kind++)
        for (double scale = 1e-6; scale < 1e7; scale *= 1e6)
            check_kind((bvp_convex_kind)kind, scale);
}
END_TEST

/* A box above a triangle that is parallel to its face, by ever smaller gaps: touching only within
 * the band, and never missed. */
START_TEST(flush_faces_are_told_apart)
{
    int wrong = 0;
    case_seed(2);
    for (int i = 0; i < 20000; i++) {
        const float tri[9] = {-3, -2, 0, 4, -1, 0, 0, 5, 0};
        const double gap = i % 60 == 0 ? 0 : exp2(-(i % 60) - fabs(case_unit()));
        double m[12], points[24];
        bvpi_convex convex;
        bvpi_convex_pose at;
        bvpi_convex_tri found;
        case_rotation(m);
        if (i % 3 == 0)
            case_translate(m, 100);
        for (int k = 0; k < 8; k++) {
            points[3 * k] = k & 1 ? .7 : -.3;
            points[3 * k + 1] = k & 2 ? .2 : -.9;
            points[3 * k + 2] = k & 4 ? 1 + gap : gap;
        }
        const bvp_convex given = {
            .kind = BVP_CONVEX_HULL, .points = points, .point_count = 8, .placement = m};
        ck_assert_int_eq(bvpi_convex_init(&convex, &given), BVP_OK);
        bvpi_convex_pose_init(&at, &convex, m, (double[]){4, 5, 0});
        bvpi_convex_tri1(&at, tri, INFINITY, -1, &found);
        if (gap > at.band)
            wrong += found.lo == 0 || fabs(found.hi - gap) > gap * 1e-9 + at.band;
        wrong += !found.is_tight || found.lo > gap * (1 + 1e-12) || (gap == 0 && found.hi != 0);
    }
    ck_assert_int_eq(wrong, 0);
}
END_TEST

/* ---- the bound of rounding ------------------------------------------------------------------- */

/* Moves the triangle and the hull far from their origins, and their placements back: where the
 * reach is largest beside what it is made of. */
static void move_away(shape *s, float tri[9], double m[12])
{
    double away[3] = {1e4 * case_unit(), 1e4 * case_unit(), 1e4 * case_unit()};
    for (int k = 0; k < 9; k++)
        tri[k] += (float)away[k % 3];
    for (int i = 0; i < 12; i += 4)
        m[i + 3] -= m[i] * away[0] + m[i + 1] * away[1] + m[i + 2] * away[2];
    if (s->given.kind != BVP_CONVEX_HULL)
        return;
    for (int k = 0; k < 12; k++)
        s->points[k] += away[k % 3];
    for (int i = 0; i < 12; i += 4)
        s->m[i + 3] -= s->m[i] * away[0] + s->m[i + 1] * away[1] + s->m[i + 2] * away[2];
    ck_assert_int_eq(bvpi_convex_init(&s->convex, &s->given), BVP_OK);
}

/* A search in double ends within its bound of the distance in double-double. What chance comes to
 * is some twentieth of the bound; what a search for the worst comes to: test_convex_bound.c. */
START_TEST(the_bound_is_needed)
{
    const double lower = BVPI_GJK_LOWER * 0x1p-53, upper = BVPI_GJK_UPPER * 0x1p-53;
    const bvpi_gjk_goal goal = {INFINITY, -1};
    double worst = 0;
    int compared = 0;
    case_seed(3);
    for (int i = 0; i < 60000; i++) {
        shape s;
        float tri[9];
        double m[12];
        bvpi_convex_pose at;
        gjk_pair_f64 pair;
        gjk_pair_dd pair_dd;
        gjk_f64 g;
        gjk_dd exact;
        random_shape(&s, (bvp_convex_kind)(1 + i % 5), 1);
        random_triangle(tri, 1);
        random_place(&s, 1, m);
        move_away(&s, tri, m);
        set_pose(&at, &s, m, tri);
        gjk_pair_init_f64(&pair, &at, tri);
        gjk_pair_init_dd(&pair_dd, &at, tri);
        gjk_run_f64(&g, &pair, &goal);
        gjk_run_dd(&exact, &pair_dd, &goal);
        if (!(exact.lo > 0))
            continue;
        compared++;
        worst = fmax(worst, (g.lo + lower - exact.hi) / lower);
        worst = fmax(worst, (exact.lo - (g.hi - upper)) / upper);
    }
    printf("worst: %.3f of the bound, %d cases\n", worst, compared);
    ck_assert_int_gt(compared, 1000);
    ck_assert_double_le(worst, 1);
    ck_assert_double_gt(worst, 1. / 64);
}
END_TEST

SUITE(test_convex_tri)
{
    const TTest *const list[] = {distances_are_certain, flush_faces_are_told_apart,
                                 the_bound_is_needed, NULL};
    return suite_run_within("convex_tri", 120, list);
}
