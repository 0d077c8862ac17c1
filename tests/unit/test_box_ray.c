/* SPDX-License-Identifier: MIT
 * test_box_ray.c: a ray that meets a box in one corner is not said to miss it, and the slack that
 * sees to that is needed.
 */
#include "prim/box_ray.h"
#include "climb.h"
#include "suite.h"

#include <stdbool.h>

typedef struct grazing {
    double origin[3], direction[3], radius;
    float lo[3];
} grazing;

/* A whole number below 2^bits. */
static double whole(double x, int bits)
{
    return floor(ldexp(fabs(fmod(x, 1)), bits));
}

/* x: a direction, for how long, and where the ray goes through a box's corner: all of it exact. */
static grazing grazing_of(const double x[7])
{
    grazing g = {.radius = 0};
    const double t = 1 + whole(x[3], 20);
    for (int i = 0; i < 3; i++) {
        g.direction[i] = (i == 0 ? 1 : -1) * (1 + whole(x[i], 20)) * 0x1p-20;
        g.lo[i] = (float)whole(x[4 + i], 20);
        g.origin[i] = (double)g.lo[i] - t * g.direction[i];
        g.radius = fmax(g.radius, fmax(fabs(g.origin[i]), (double)g.lo[i] + 1));
        g.radius = fmax(g.radius, fabs(g.origin[i] - (double)g.lo[i]) + 1);
    }
    return g;
}

/* Does the ray meet the box, [lo - 1, lo], with so much slack? It goes up along one axis, where it
 * leaves the box when it enters it on the others, where it goes down. */
static bool meets(const grazing *g, double radius, double error)
{
    const f64x4 o = {g->origin[0], g->origin[1], g->origin[2], 0};
    const f64x4 inverse = {1 / g->direction[0], 1 / g->direction[1], 1 / g->direction[2], 1};
    const float step[3] = {1, 1, 1};
    float lo[3];
    uint8_t bounds[3][16] = {{0}};
    bvpi_slab_ray ray;
    f32x8 enter;
    for (int i = 0; i < 24; i++)
        bounds[i / 8][8 + i % 8] = 1;
    for (int i = 0; i < 3; i++)
        lo[i] = g->lo[i] - 1;
    bvpi_slab_ray_init(&ray, o, inverse, radius, error);
    return bvpi_box_ray(&ray, lo, step, bounds, 0, INFINITY, &enter) != 0;
}

/* The least share of the slack with which the ray is not lost. */
static double slack_share(const double x[7])
{
    const grazing g = grazing_of(x);
    double least = 0, most = 2;
    while (most - least > 0x1p-10) {
        const double middle = (least + most) / 2;
        if (meets(&g, g.radius * middle, 0))
            most = middle;
        else
            least = middle;
    }
    return least;
}

START_TEST(slack_is_needed)
{
    static const double table[][7] = {
        {0x1.d4f106026255cp-1, 0x1.979a38347a25bp-1, 0x1.bd72a6274acecp-3, -0x1.2295a58b3fd3ep-1,
         -0x1.ebcbc6d939ef4p-3, -0x1.dd49419804817p-5, 0x1.309f6511279bep-2},
        {0x1.bb40bcb5796e1p-1, -0x1.b631125246d16p-4, -0x1.a9ba9a66dac1fp-1, -0x1.2b20411c7a806p-1,
         -0x1.06754a59644cfp-3, 0x1.52775a9142a94p-4, 0x1.3f6e58bfb5603p-6}};
    CLIMB_CHECK(slack_share, 0.125, table);
    for (size_t row = 0; row < sizeof table / sizeof *table; row++) {
        const grazing g = grazing_of(table[row]);
        ck_assert(meets(&g, g.radius, 0));
    }
}
END_TEST

/* A ray known to within an error, which is off by all of it. */
START_TEST(errors_are_allowed_for)
{
    const double x[7] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    grazing g = grazing_of(x);
    g.origin[1] += 100;
    ck_assert(!meets(&g, g.radius, 0));
    ck_assert(meets(&g, g.radius, 100));
}
END_TEST

SUITE(test_box_ray)
{
    const TTest *const tests[] = {slack_is_needed, errors_are_allowed_for, NULL};
    return suite_run("box_ray", tests);
}
