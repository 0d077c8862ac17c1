/* SPDX-License-Identifier: MIT
 * test_oriented.c: fitted volumes hold their triangles as readers compute it, are encoded as the
 * format says, and are about as small as they can be.
 */
#include "build/oriented.h"

#include "node/grid.h"
#include "build_case.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIANGLES_MAX = 400, SHAPES = 10 };

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
            bvpi_oriented_fit(&c.mesh, c.triangles + first, left, &c.tree, &parent, rss, payload,
                              &out, c.scratch);
            bvpi_oriented_volume(&parent, payload, &decoded);
            ck_assert_mem_eq(&out, &decoded, sizeof out);
            check_held(&c, &out, rss, first, left);
            parent = out;
        }
        free(c.scratch);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {volumes_hold_their_triangles, NULL};
    return suite_run("oriented", tests);
}
