/* SPDX-License-Identifier: MIT
 * test_section_raster.c: of boxes that a plane cuts, samples show what rays through their middles
 * meet: on either side of the plane, and whether the plane is inside; sheets have no gaps.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "build_case.h"
#include "view/section_raster.h"
#include "suite.h"

enum { WIDTH = 64, HEIGHT = 48, SAMPLES = 2 };

/* A box: the unit cube's corners -1 .. 1, moved by m. */
static void corner_of(const double m[12], int corner, double out[3])
{
    for (int row = 0; row < 3; row++) {
        out[row] = m[4 * row + 3];
        for (int k = 0; k < 3; k++)
            out[row] += m[4 * row + k] * (corner >> k & 1 ? 1 : -1);
    }
}

/* turned: its surface turned inside out. */
static void add_box(section_raster *r, int side, const double m[12], int turned)
{
    for (int axis = 0; axis < 3; axis++)
        for (int high = 0; high < 2; high++) {
            const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = high << axis;
            const int corners[4] = {base, base | u, base | u | v, base | v};
            for (int half = 0; half < 2; half++) {
                double p[3][3];
                const int order[3] = {0, 1 + half, 2 + half};
                for (int i = 0; i < 3; i++)
                    corner_of(m, corners[order[high == turned ? 2 - i : i]], p[i]);
                section_triangle(r, side, 0, p);
            }
        }
}

/* Where a ray from the eye enters and leaves the box. 0: it misses. */
static int ray_box(const double m[12], const double eye[3], const double way[3], double t[2])
{
    /* the cube's slabs in its own coordinates, by Cramer's rule */
    double p[3], d[3], from[3], det = 0, c[9];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            c[3 * i + k] = m[4 * ((i + 1) % 3) + (k + 1) % 3] * m[4 * ((i + 2) % 3) + (k + 2) % 3] -
                           m[4 * ((i + 1) % 3) + (k + 2) % 3] * m[4 * ((i + 2) % 3) + (k + 1) % 3];
    for (int k = 0; k < 3; k++) {
        det += m[k] * c[k];
        from[k] = eye[k] - m[4 * k + 3];
    }
    t[0] = -INFINITY;
    t[1] = INFINITY;
    for (int k = 0; k < 3; k++) {
        p[k] = d[k] = 0;
        for (int i = 0; i < 3; i++) {
            p[k] += c[3 * i + k] * from[i] / det;
            d[k] += c[3 * i + k] * way[i] / det;
        }
        const double one = (-1 - p[k]) / d[k], other = (1 - p[k]) / d[k];
        t[0] = fmax(t[0], fmin(one, other));
        t[1] = fmin(t[1], fmax(one, other));
    }
    return t[0] < t[1] && t[1] > 0;
}

/* What a ray shows: the depths of the nearest surfaces on either side of the plane, INFINITY where
 * there is none; is the plane inside? */
typedef struct shown {
    double off, behind;
    int is_inside;
} shown;

static shown ask(const section_raster *r, const double m[12], double x, double y)
{
    double origin[3], way[3], t[2], height = r->plane[3], slope = 0;
    shown out = {INFINITY, INFINITY, 0};
    camera_ray(&r->eye, x / SAMPLES, y / SAMPLES, origin, way);
    for (int k = 0; k < 3; k++) {
        height -= r->plane[k] * origin[k];
        slope += r->plane[k] * way[k];
    }
    /* the eye is in front of the plane */
    const double plane = height / slope > 0 ? height / slope : INFINITY;
    if (!ray_box(m, origin, way, t))
        return out;
    for (int i = 1; i >= 0; i--)
        if (t[i] > 0)
            *(t[i] < plane ? &out.off : &out.behind) = t[i];
    out.is_inside = t[0] < plane && plane < t[1];
    return out;
}

static int is_alike(double near, double depth)
{
    return isinf(depth) ? near == 0 : fabs(near * depth - 1) < 0.02;
}

static double between(uint64_t *state, double lo, double hi)
{
    return lo + (hi - lo) * case_uniform(state);
}

static void random_scene(uint64_t *state, camera *eye, double plane[4], double m[12])
{
    double at[3], middle[3] = {0, 0, 0};
    do
        for (int k = 0; k < 3; k++)
            at[k] = between(state, -5, 5);
    while (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] < 4);
    memset(eye, 0, sizeof *eye);
    camera_lens(eye, WIDTH, HEIGHT, 40);
    ck_assert_int_eq(camera_look(eye, at, middle, BVP_UP_Z), 1);
    double size = 0;
    for (int k = 0; k < 3; k++) {
        plane[k] = between(state, -1, 1) - eye->forward[k] * 1.5;
        size += plane[k] * plane[k];
    }
    for (int k = 0; k < 3; k++)
        plane[k] /= sqrt(size);
    plane[3] = between(state, -0.3, 0.3);
    /* some reach behind the eye */
    const double scale = case_uniform(state) < 0.3 ? 8 : 1;
    for (int i = 0; i < 12; i++)
        m[i] = i % 4 == 3 ? between(state, -0.6, 0.6) : scale * between(state, -0.7, 0.7);
}

START_TEST(as_rays_see_it)
{
    uint64_t state = case_seed();
    section_raster r;
    int compared = 0, inside = 0, cut = 0;
    for (int round = 0; round < 300; round++) {
        camera eye;
        double plane[4], m[12];
        const int side = round % 2, turned = round / 2 % 2;
        random_scene(&state, &eye, plane, m);
        if (round == 0)
            ck_assert_int_eq(section_open(&r, &eye, SAMPLES, plane), 1);
        section_clear(&r, &eye, plane);
        add_box(&r, side, m, turned);
        for (uint32_t y = 0; y < r.height; y++)
            for (uint32_t x = 0; x < r.width; x++) {
                const size_t at = (size_t)y * r.width + x;
                const shown s = ask(&r, m, x + 0.5, y + 0.5);
                int is_steady = 1; /* corners are rounded */
                for (int i = 0; i < 8; i++) {
                    const shown n =
                        ask(&r, m, x + 0.5 + 0.15 * ((i % 3) - 1), y + 0.5 + 0.15 * ((i / 3) - 1));
                    is_steady &= isinf(n.off) == isinf(s.off) && n.is_inside == s.is_inside &&
                                 isinf(n.behind) == isinf(s.behind);
                    if (!isinf(s.off))
                        is_steady &= fabs(n.off / s.off - 1) < 0.01;
                    if (!isinf(s.behind))
                        is_steady &= fabs(n.behind / s.behind - 1) < 0.01;
                }
                /* what is very near the eye is left out */
                if (!is_steady || s.off < 0.05 || s.behind < 0.05)
                    continue;
                compared++;
                inside += s.is_inside;
                cut += !isinf(s.off);
                ck_assert_msg(
                    is_alike((double)r.cut_off[at].near, s.off) &&
                        is_alike((double)r.behind[at].near, s.behind) &&
                        (r.winding[side][at] != 0) == s.is_inside,
                    "round %d, sample %u %u: cut off at %g, not %g; behind at %g, not %g; "
                    "winding %d, inside %d",
                    round, x, y, 1 / (double)r.cut_off[at].near, s.off,
                    1 / (double)r.behind[at].near, s.behind, r.winding[side][at], s.is_inside);
                ck_assert_int_eq(r.winding[!side][at], 0);
            }
    }
    section_close(&r);
    printf("%d samples, %d inside, %d cut off\n", compared, inside, cut);
    ck_assert_int_gt(compared, 1000000);
    ck_assert_int_gt(inside, 100000);
    ck_assert_int_gt(cut, 100000);
}
END_TEST

/* A sheet of many slivers that share corners covers each sample once, and what is around does so
 * only behind the plane. */
START_TEST(no_gaps)
{
    uint64_t state = case_seed();
    static const double middle[3] = {0, 0, 0}, at[3] = {0, -4, 0};
    static const double planes[2][4] = {{0, -1, 0, 1}, {0, -1, 0, -1}}; /* in front, behind */
    section_raster r;
    camera eye;
    memset(&eye, 0, sizeof eye);
    camera_lens(&eye, WIDTH, HEIGHT, 40);
    ck_assert_int_eq(camera_look(&eye, at, middle, BVP_UP_Z), 1);
    ck_assert_int_eq(section_open(&r, &eye, SAMPLES, planes[0]), 1);
    enum { FAN = 500 };
    double hub[3] = {between(&state, -0.5, 0.5), 0, between(&state, -0.5, 0.5)}, rim[FAN + 1][3];
    for (int i = 0; i <= FAN; i++) {
        const double angle = 2 * M_PI * (i % FAN) / FAN;
        rim[i][0] = 20 * cos(angle);
        rim[i][1] = 0;
        rim[i][2] = 20 * sin(angle);
    }
    for (int round = 0; round < 4; round++) {
        const int side = round < 2 ? 0 : SECTION_AROUND;
        section_clear(&r, &eye, planes[round % 2]);
        for (int i = 0; i < FAN; i++) {
            double p[3][3];
            memcpy(p[0], hub, sizeof hub);
            memcpy(p[1], rim[i], sizeof rim[i]);
            memcpy(p[2], rim[i + 1], sizeof rim[i + 1]);
            section_triangle(&r, side, (uint32_t)i, p);
        }
        const section_hit *const hits = side == SECTION_AROUND ? r.around
                                        : round % 2            ? r.cut_off
                                                               : r.behind;
        for (size_t i = 0; i < (size_t)r.width * r.height; i++) {
            if (round < 3)
                ck_assert_msg(hits[i].triangle != SECTION_NOTHING, "round %d: a gap", round);
            else
                ck_assert_msg(hits[i].triangle == SECTION_NOTHING, "cut off, yet around");
            ck_assert_int_eq(abs(r.winding[0][i]), round == 0);
        }
    }
    section_close(&r);
}
END_TEST

SUITE(test_section_raster)
{
    const TTest *const tests[] = {as_rays_see_it, no_gaps, NULL};
    return suite_run("section_raster", tests);
}
