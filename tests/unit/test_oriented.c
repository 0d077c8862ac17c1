/* SPDX-License-Identifier: MIT
 * test_oriented.c: fitted volumes hold their triangles as readers compute it, are encoded as the
 * format says, and are about as small as they can be.
 */
#include "kinds/pack/oriented_fit.h"
#include "kinds/query/oriented_box.h"

#include "node/grid.h"
#include "build_case.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIANGLES_MAX = 400, SHAPES = 10 };
#define PAYLOAD_HASH UINT64_C(0x4651996f18c44fde)

typedef struct set_case {
    float positions[9 * TRIANGLES_MAX];
    uint32_t indices[3 * TRIANGLES_MAX], triangles[TRIANGLES_MAX];
    bvpi_mesh mesh;
    bvpi_binary tree;
    bvpi_oriented root;
    void *scratch;
} set_case;

static double between(uint64_t *state, double lo, double hi)
{
    return lo + (hi - lo) * case_uniform(state);
}

/* A random rotation, times a scale. */
static void random_matrix(uint64_t *state, double scale, double m[9])
{
    double q[4], sum = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = between(state, -1, 1);
        sum += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++)
        q[k] /= sqrt(sum);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int k = 0; k < 9; k++)
        m[k] = scale * r[k];
}

/* A corner of a set of some shape, before it is placed. */
static void shape_corner(uint64_t *state, int shape, double out[3])
{
    static const double thickness[SHAPES][3] = {
        {1, 1, 1},     {1, 1, 0},       {1, 0, 0},    {0, 0, 0},      {1, .5, .01},
        {1, .01, .01}, {1, 1e-3, 1e-6}, {1, .3, 0.2}, {1, .5, 1e-30}, {1, 1e-9, 1e-30}};
    for (int k = 0; k < 3; k++)
        out[k] = thickness[shape][k] * between(state, -1, 1);
    if (shape == 7) /* on the faces of a box */
        out[case_random(state) % 3] = case_random(state) % 2 ? .2 : -.2;
}

static void make_case(uint64_t *state, uint32_t count, set_case *out)
{
    const int shape = (int)(case_random(state) % SHAPES), placing = (int)(case_random(state) % 4);
    const double scale = ldexp(1, (int)(case_random(state) % 60) - 30);
    const double far =
        case_random(state) % 3 ? 0 : scale * ldexp(1, (int)(case_random(state) % 26));
    double m[9] = {scale, 0, 0, 0, scale, 0, 0, 0, scale}, lo[3], hi[3];
    if (placing != 0)
        random_matrix(state, scale, m);
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
    }
    for (uint32_t i = 0; i < 3 * count; i++) {
        double p[3];
        shape_corner(state, shape, p);
        out->indices[i] = i;
        out->triangles[i / 3] = i / 3;
        for (int k = 0; k < 3; k++) {
            float *x = &out->positions[3 * i + k];
            *x = (float)(m[3 * k] * p[0] + m[3 * k + 1] * p[1] + m[3 * k + 2] * p[2] +
                         far * (k + 1));
            lo[k] = fmin(lo[k], *x);
            hi[k] = fmax(hi[k], *x);
        }
    }
    bvpi_grid grid;
    bvpi_grid_choose(lo, hi, &grid);
    out->mesh = (bvpi_mesh){.positions = out->positions,
                            .indices = out->indices,
                            .vertex_count = 3 * count,
                            .triangle_count = count};
    out->tree = (bvpi_binary){.grid_unit = grid.unit};
    memcpy(out->tree.grid_origin, grid.origin, sizeof grid.origin);
    memcpy(out->tree.grid_extent, grid.extent, sizeof grid.extent);
    bvpi_oriented_frame(&out->tree, &out->root);
    out->scratch = malloc(bvpi_oriented_scratch_size(count));
}

static void fit(const set_case *c, uint32_t first, uint32_t count, bvp_fit how, bool rss,
                const bvpi_oriented *parent, uint8_t *payload, bvpi_oriented *out)
{
    const bvpi_fit_set set = {&c->mesh, c->triangles + first, count, how, rss};
    ck_assert(bvpi_oriented_fit(&set, parent, payload, out, c->scratch));
}

static void check_held(const set_case *c, const bvpi_oriented *volume, bool rss, uint32_t first,
                       uint32_t count)
{
    for (uint32_t i = 3 * first; i < 3 * (first + count); i++) {
        const float *p = c->positions + 3 * c->indices[i];
        const double point[3] = {p[0], p[1], p[2]};
        ck_assert(bvpi_oriented_holds(volume, rss, point));
    }
}

/* Halves again and again, as a hierarchy does. */
START_TEST(volumes_hold_their_triangles)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 3000; round++) {
        const bool rss = round % 2;
        const uint32_t count =
            1 + (uint32_t)(case_random(&state) % (round % 10 ? 12 : TRIANGLES_MAX));
        static set_case c;
        make_case(&state, count, &c);
        bvpi_oriented parent = c.root;
        for (uint32_t first = 0, left = count; left > 0;
             first += left % 2 ? 0 : left / 2, left /= 2) {
            uint8_t payload[BVPI_ORIENTED_PAYLOAD];
            bvpi_oriented out, decoded;
            fit(&c, first, left, (bvp_fit)(1 + round % 3), rss, &parent, payload, &out);
            bvpi_oriented_volume(&parent, payload, &decoded);
            ck_assert_mem_eq(&out, &decoded, sizeof out);
            check_held(&c, &out, rss, first, left);
            parent = out;
        }
        free(c.scratch);
    }
}
END_TEST

/* The largest size the parent's reach allows for is enough, and no code is passed over. */
START_TEST(codes_mean_what_the_format_says)
{
    double last = 0;
    for (int exponent = 15; exponent >= 0; exponent--)
        for (int mantissa = 0; mantissa < 16; mantissa++) {
            const uint8_t code = (uint8_t)(exponent << 4 | mantissa);
            const double size = ldexp(16 + mantissa, -(4 + exponent));
            if (code == 0)
                continue;
            ck_assert(bvpi_size_of_code(code) == size);
            ck_assert(size > last);
            last = size;
        }
    ck_assert(bvpi_size_of_code(0) == 0 && last == 31. / 16);
}
END_TEST

START_TEST(rotations_mean_what_the_format_says)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 20000; round++) {
        double q[4], axis[9], sum = 0;
        const unsigned largest = (unsigned)(case_random(&state) % 4);
        uint32_t code = (uint32_t)largest << 30;
        for (unsigned k = 0, field = 0; k < 4; k++) {
            if (k == largest)
                continue;
            const int f = (int)(case_random(&state) % 590) + 218;
            q[k] = (f - 512) / (511 * sqrt(2));
            sum += q[k] * q[k];
            code |= (uint32_t)f << 10 * field++;
        }
        q[largest] = sqrt(1 - sum);
        bvpi_rotation_axes(code, axis);
        /* axis i is the image of unit vector i: q e_i q* */
        for (int i = 0; i < 3; i++) {
            const double *v = q + 1, w = q[0];
            for (int k = 0; k < 3; k++) {
                const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
                const double turned = (w * w - v[0] * v[0] - v[1] * v[1] - v[2] * v[2]) * (i == k) +
                                      2 * v[i] * v[k] +
                                      2 * w * (v[k1] * (i == k2) - v[k2] * (i == k1));
                ck_assert(fabs(axis[3 * i + k] - turned) < 1e-14);
            }
        }
    }
}
END_TEST

/* An eighth of a surface. */
static double box_area(const double size[3])
{
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

static double swept_area(const double size[3])
{
    return size[0] * size[1] + acos(-1) / 2 * size[2] * (size[0] + size[1] + size[2]);
}

static void build_box(uint64_t *state, const double half[3], bool turned, set_case *c)
{
    double m[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (turned)
        random_matrix(state, 1, m);
    c->mesh = (bvpi_mesh){
        .positions = c->positions, .indices = c->indices, .vertex_count = 8, .triangle_count = 12};
    static const uint8_t side[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 7, 5}, {4, 6, 7},
                                        {0, 5, 1}, {0, 4, 5}, {2, 3, 7}, {2, 7, 6},
                                        {0, 2, 6}, {0, 6, 4}, {1, 7, 3}, {1, 5, 7}};
    for (uint32_t i = 0; i < 36; i++) {
        c->indices[i] = side[i / 3][i % 3];
        c->triangles[i / 3] = i / 3;
    }
    for (int n = 0; n < 8; n++)
        for (int k = 0; k < 3; k++)
            c->positions[3 * n + k] = (float)(m[3 * k] * half[0] * ((n & 1) * 2 - 1) +
                                              m[3 * k + 1] * half[1] * ((n >> 1 & 1) * 2 - 1) +
                                              m[3 * k + 2] * half[2] * ((n >> 2) * 2 - 1));
    c->root = (bvpi_oriented){.size = {3, 3, 3}, .axis = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .reach = 9};
    c->scratch = malloc(bvpi_oriented_scratch_size(12));
}

/* A size is rounded by up to 1/16, a rotation by 1/400 of the largest extent. */
START_TEST(volumes_are_small)
{
    const double shapes[][3] = {{3, 2, 1}, {1, 1, 1}, {3, .5, .1}, {2, 2, .01}, {.3, .2, .1}};
    uint64_t state = case_seed();
    for (int round = 0; round < 2000; round++) {
        const double *half = shapes[round % 5];
        const bool turned = round / 5 % 2, rss = round / 10 % 2;
        const double slack = turned ? half[0] / 150 : half[0] * 1e-3;
        uint8_t payload[BVPI_ORIENTED_PAYLOAD];
        static set_case c;
        bvpi_oriented out;
        build_box(&state, half, turned, &c);
        fit(&c, 0, 12, BVP_FIT_EXTREMES, rss, &c.root, payload, &out);
        const double best[3] = {half[0] + slack, half[1] + slack, half[2] + slack};
        const double found = rss ? swept_area(out.size) : box_area(out.size);
        ck_assert_msg(found <= 1.14 * (rss ? swept_area(best) : box_area(best)), "%d: %g %g %g",
                      round, out.size[0], out.size[1], out.size[2]);
        free(c.scratch);
    }
}
END_TEST

/* Triangles at random in the middle of a turned box, and its corners as points: the surface says
 * nothing of the box, the hull does. */
static void build_crowd(uint64_t *state, uint32_t count, set_case *c)
{
    const double half[3] = {3, 1, .5};
    build_box(state, half, true, c);
    for (uint32_t t = 0; t < count; t++)
        for (int corner = 0; corner < 3; corner++) {
            const uint32_t vertex = t < 8 ? t : 3 * t + (uint32_t)corner;
            c->triangles[t] = t;
            c->indices[3 * t + (uint32_t)corner] = vertex;
            for (int k = 0; k < 3 && t >= 8; k++)
                c->positions[3 * vertex + (uint32_t)k] = (float)between(state, -.3, .3);
        }
    free(c->scratch);
    c->scratch = malloc(bvpi_oriented_scratch_size(count));
}

START_TEST(large_sets_are_fitted_by_their_hulls)
{
    const double half[3] = {3 + .02, 1 + .02, .5 + .02};
    uint64_t state = case_seed();
    for (int round = 0; round < 50; round++) {
        const uint32_t count = 257 + (uint32_t)(case_random(&state) % 143);
        uint8_t payload[BVPI_ORIENTED_PAYLOAD];
        static set_case c;
        bvpi_oriented out;
        build_crowd(&state, count, &c);
        fit(&c, 0, count, BVP_FIT_EXTREMES, false, &c.root, payload, &out);
        check_held(&c, &out, false, 0, count);
        ck_assert_msg(box_area(out.size) <= 1.14 * box_area(half), "%d: %g %g %g", round,
                      out.size[0], out.size[1], out.size[2]);
        free(c.scratch);
    }
}
END_TEST

/* The paper's construction, of sets of any size: what lies within the hull changes nothing. */
START_TEST(the_papers_fit_sees_the_hull_only)
{
    const double half[3] = {3 + .02, 1 + .02, .5 + .02};
    uint64_t state = case_seed();
    int looser = 0;
    for (int round = 0; round < 50; round++) {
        const uint32_t count = 9 + (uint32_t)(case_random(&state) % 200);
        uint8_t payload[2][BVPI_ORIENTED_PAYLOAD];
        static set_case c;
        bvpi_oriented out, by_surface;
        build_crowd(&state, count, &c);
        fit(&c, 0, count, BVP_FIT_SURFACE, false, &c.root, payload[0], &by_surface);
        fit(&c, 0, count, BVP_FIT_HULL, false, &c.root, payload[0], &out);
        check_held(&c, &out, false, 0, count);
        ck_assert(box_area(out.size) <= 1.14 * box_area(half));
        looser += box_area(by_surface.size) > 1.14 * box_area(half);
        fit(&c, 0, 8, BVP_FIT_HULL, false, &c.root, payload[1], &out); /* its corners alone */
        ck_assert_mem_eq(payload[0], payload[1], sizeof payload[0]);
        free(c.scratch);
    }
    ck_assert_int_gt(looser, 10);
}
END_TEST

/* The bytes depend on nothing but the input: this is what gcc and clang wrote at -O0 and at -O3.
 * Sets small enough to be fitted without their hull, which other versions of qhull may cut
 * otherwise. */
START_TEST(bytes_are_the_same_everywhere)
{
    uint64_t state = 7, hash = 0;
    for (int round = 0; round < 400; round++) {
        static set_case c;
        const uint32_t count = 1 + (uint32_t)(case_random(&state) % (round % 5 ? 16 : 256));
        uint8_t payload[BVPI_ORIENTED_PAYLOAD];
        bvpi_oriented out;
        make_case(&state, count, &c);
        fit(&c, 0, count, BVP_FIT_EXTREMES, round % 2, &c.root, payload, &out);
        for (int k = 0; k < BVPI_ORIENTED_PAYLOAD; k++)
            hash = (hash ^ payload[k]) * UINT64_C(0x100000001b3);
        free(c.scratch);
    }
    ck_assert_msg(hash == PAYLOAD_HASH, "payloads: %016llx", (unsigned long long)hash);
}
END_TEST

/* Kernels decode three axes at a time: the same bits, of any bytes. */
START_TEST(kernels_decode_the_same)
{
    const oriented_grid everything = {{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL},
                                      {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    uint64_t state = case_seed();
    for (int round = 0; round < 200000; round++) {
        uint8_t payload[BVPI_ORIENTED_PAYLOAD];
        bvpi_oriented parent = {.reach = ldexp(between(&state, 1, 2), round % 80 - 40)}, volume;
        oriented_above above = {.reach = parent.reach}, own;
        bvpi_obb box;
        for (int k = 0; k < 3; k++)
            above.centre[k] = parent.centre[k] = parent.reach * between(&state, -100, 100);
        for (size_t k = 0; k < sizeof payload; k++)
            payload[k] = case_random(&state) % 8 ? (uint8_t)case_random(&state) : 0;
        bvpi_oriented_volume(&parent, payload, &volume);
        oriented_box(&everything, &above, payload, &own, &box);
        ck_assert(memcmp(box.centre, volume.centre, sizeof volume.centre) == 0);
        ck_assert(memcmp(own.centre, volume.centre, sizeof volume.centre) == 0);
        ck_assert(memcmp(box.half, volume.size, sizeof volume.size) == 0);
        ck_assert(memcmp(&own.reach, &volume.reach, sizeof own.reach) == 0);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++)
                ck_assert(memcmp(&box.axis[i][j], &volume.axis[3 * j + i], sizeof(double)) == 0);
            ck_assert(box.axis[i][3] == 0);
        }
        ck_assert(box.centre[3] == 0 && own.centre[3] == 0 && box.half[3] == 0);
    }
}
END_TEST

/* A box along the part's axes is cut to what it has in common with the grid box, but for rounding.
 */
START_TEST(cut_boxes_are_intersections)
{
    uint64_t state = case_seed();
    int cut = 0;
    for (int round = 0; round < 100000; round++) {
        const uint32_t unturned = ORIENTED_UNTURNED;
        const double far = ldexp(1, (int)(case_random(&state) % 20));
        uint8_t payload[BVPI_ORIENTED_PAYLOAD];
        oriented_above above = {.reach = 1}, own;
        oriented_grid grid = {{0}, {0}};
        bvpi_obb box;
        for (size_t k = 0; k < sizeof payload; k++)
            payload[k] = (uint8_t)case_random(&state);
        memcpy(payload, &unturned, sizeof unturned);
        for (int k = 0; k < 3; k++) {
            payload[10 + k] %= 64;
            above.centre[k] = between(&state, -far, far);
            grid.lo[k] = above.centre[k] - between(&state, 0, 2);
            grid.hi[k] = above.centre[k] + between(&state, 0, 2);
        }
        oriented_box(&grid, &above, payload, &own, &box);
        for (int k = 0; k < 3; k++) {
            const int16_t step = (int16_t)bvpi_peek_u16(payload + 4 + 2 * k);
            const long double middle = above.centre[k] + step * 0x1p-14L;
            const long double half = bvpi_size_of_code(payload[10 + k]);
            const long double lo = fmaxl(middle - half, grid.lo[k]);
            const long double hi = fminl(middle + half, grid.hi[k]);
            const long double error = 4 * 0x1p-53L * (far + 4);
            if (lo > hi) /* nothing is in both */
                continue;
            ck_assert(fabsl(box.centre[k] - box.half[k] - lo) <= error);
            ck_assert(fabsl(box.centre[k] + box.half[k] - hi) <= error);
            cut += lo > middle - half || hi < middle + half;
            ck_assert(box.half[k] >= 0 && own.centre[k] == (double)middle);
        }
    }
    ck_assert_int_gt(cut, 10000);
}
END_TEST

SUITE(test_oriented)
{
    const TTest *const tests[] = {
        volumes_hold_their_triangles,         codes_mean_what_the_format_says,
        rotations_mean_what_the_format_says,  volumes_are_small,
        large_sets_are_fitted_by_their_hulls, the_papers_fit_sees_the_hull_only,
        bytes_are_the_same_everywhere,        kernels_decode_the_same,
        cut_boxes_are_intersections,          NULL};
    return suite_run("oriented", tests);
}
