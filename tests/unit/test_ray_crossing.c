/* SPDX-License-Identifier: MIT
 * test_ray_crossing.c: rays through the corners and edges of closed surfaces, and in the planes of
 * their faces: the crossings add up to the winding number, in double and exactly.
 */
#include "body_cases.h"
#include "prim/ray_crossing.h"
#include "prim/tri_ray.h"
#include "suite.h"

/* Of all triangles that the ray meets, as a query finds them. */
static int sum_of(const body_mesh *mesh, const double m[12], const double from[3],
                  const double way[3], int *ties)
{
    const double bound[3] = {8, 8, 8};
    bvpi_placement placement;
    bvpi_tri_ray ray;
    int sum = 0;
    ck_assert_int_eq(bvpi_placement_init(&placement, m), BVP_OK);
    ck_assert_int_eq(bvpi_tri_ray_init(&ray, &placement, from, way, bound), BVP_OK);
    for (uint64_t i = 0; i < mesh->count; i++) {
        const float *tri = mesh->tri + 9 * i;
        bvpi_tri_ray_hit hit;
        if (!bvpi_tri_ray1(&ray, tri, 0, INFINITY, &hit))
            continue;
        const int one = bvpi_ray_crossing(from, way, tri, m);
        ck_assert_int_eq(one, bvpi_ray_crossing_exactly(from, way, tri, m));
        *ties += hit.u == 0 || hit.v == 0 || hit.u + hit.v == 1;
        sum += one;
    }
    return sum;
}

/* A box of n cells a side, its corners at integers. */
static body_mesh integer_box(int n)
{
    body_mesh mesh = mesh_new((uint64_t)n * n * 12);
    uint64_t next = 0;
    for (int face = 0; face < 6; face++)
        for (int cell = 0; cell < n * n; cell++) {
            const int z = face / 2, x = (z + 1) % 3, y = (z + 2) % 3, top = face & 1;
            float p[4][3];
            for (int k = 0; k < 4; k++) {
                const int j = cell / n + (k >= 2);
                p[k][x] = (float)(cell % n + (k == 1 || k == 2));
                p[k][y] = (float)(top ? j : n - j);
                p[k][z] = (float)(top ? n : 0);
            }
            mesh_quad(&mesh, &next, (const float(*)[3])p);
        }
    return mesh;
}

/* Integer points and directions: most rays pass through edges and corners, many lie in a face. */
static void ask_box(const double m[12], bool is_mirrored)
{
    enum { SIDE = 4 };
    body_mesh box = integer_box(SIDE);
    int ties = 0;
    for (int i = 0; i < 4000; i++) {
        double at[3], way[3], from[3], along[3];
        bool is_in = true, is_out = false;
        for (int a = 0; a < 3; a++) {
            at[a] = case_int(2 * SIDE + 5) * 0.5 - 1;
            way[a] = case_int(5) - 2;
            is_in = is_in && at[a] > 0 && at[a] < SIDE;
            is_out = is_out || at[a] < 0 || at[a] > SIDE;
        }
        if ((!is_in && !is_out) || (way[0] == 0 && way[1] == 0 && way[2] == 0))
            continue;
        for (int a = 0; a < 3; a++) { /* exact: small integers and halves */
            const double *row = m + 4 * a;
            from[a] = row[0] * at[0] + row[1] * at[1] + row[2] * at[2] + row[3];
            along[a] = row[0] * way[0] + row[1] * way[1] + row[2] * way[2];
        }
        ck_assert_int_eq(sum_of(&box, m, from, along, &ties), is_in ? is_mirrored ? -1 : 1 : 0);
    }
    ck_assert_int_gt(ties, 1000);
    free(box.tri);
}

START_TEST(crossings_of_a_box_add_up)
{
    const double plain[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const double sheared[12] = {2, 1, 0, 3, 0, 1, -1, 5, 1, 0, 1, -7};
    const double mirrored[12] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0};
    const double tiny[12] = {0x1p-60, 0, 0, 0, 0, 0x1p-60, 0, 0, 0, 0, 0x1p-60, 0};
    case_seed(31);
    ask_box(plain, false);
    ask_box(sheared, false);
    ask_box(mirrored, true);
    ask_box(tiny, false);
}
END_TEST

/* Through corners of a ball, of which six or as many as a pole has meet, from anywhere. */
START_TEST(crossings_of_a_ball_add_up)
{
    const double plain[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    body_mesh ball = mesh_sphere(12);
    int ties = 0;
    case_seed(32);
    for (int i = 0; i < 3000; i++) {
        const float *corner = ball.tri + 3 * case_int((int)(3 * ball.count));
        double from[3], way[3], size = 0;
        for (int a = 0; a < 3; a++) {
            from[a] = (double)(float)(1.5 * case_unit());
            way[a] = (double)corner[a] - from[a];
            size += from[a] * from[a];
        }
        if (size > 0.9 && size < 1.1)
            continue;
        ck_assert_int_eq(sum_of(&ball, plain, from, way, &ties), size < 1);
    }
    ck_assert_int_gt(ties, 1000);
    free(ball.tri);
}
END_TEST

SUITE(test_ray_crossing)
{
    return suite_run("ray_crossing", (const TTest *const[]){crossings_of_a_box_add_up,
                                                            crossings_of_a_ball_add_up, NULL});
}
