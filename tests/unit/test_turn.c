/* SPDX-License-Identifier: MIT
 * test_turn.c: turned points against the exact rotation: in extended precision, whose own error is
 * 2^-11 of the bound; and relative placements of turned grids.
 */
#include <math.h>

#include "node/turn.h"
#include "suite.h"
#include "tri_cases.h"

enum { ROUNDS = 20000 };

static void random_turn(int16_t q[4])
{
    static const int largest[3] = {2, 200, INT16_MAX};
    const int most = largest[case_int(3)];
    do
        for (int k = 0; k < 4; k++)
            q[k] = (int16_t)(case_int(2 * most + 1) - most);
    while (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0);
}

/* The rotation itself: whole numbers, exact, and their common divisor. */
static void rotate_exactly(const int16_t q[4], const double x[3], long double out[3])
{
    const long double w = q[0], i = q[1], j = q[2], k = q[3];
    const long double size = w * w + i * i + j * j + k * k;
    const long double m[9] = {w * w + i * i - j * j - k * k, 2 * (i * j - w * k),
                              2 * (i * k + w * j),           2 * (i * j + w * k),
                              w * w - i * i + j * j - k * k, 2 * (j * k - w * i),
                              2 * (i * k - w * j),           2 * (j * k + w * i),
                              w * w - i * i - j * j + k * k};
    for (int a = 0; a < 3; a++)
        out[a] = (m[3 * a] * x[0] + m[3 * a + 1] * x[1] + m[3 * a + 2] * x[2]) / size;
}

static void random_point(double x[3])
{
    for (int a = 0; a < 3; a++)
        x[a] = (double)(float)(case_unit() * exp2(case_int(40) - 20));
}

static double length_of(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* Never beyond the bound, and at times beyond an eighth of it. */
START_TEST(turned_points_err_less_than_the_bound)
{
    double most = 0, most_back = 0;
    case_seed(5);
    for (int n = 0; n < ROUNDS; n++) {
        int16_t q[4];
        bvpi_turn turn;
        double x[3], y[3], back[3];
        long double exact[3];
        random_turn(q);
        bvpi_turn_init(q, &turn);
        random_point(x);
        bvpi_turn_point(&turn, x, y);
        bvpi_turn_back(&turn, y, back);
        rotate_exactly(q, x, exact);
        for (int a = 0; a < 3; a++) {
            most = fmax(most, fabs((double)(y[a] - exact[a])) / length_of(x));
            most_back = fmax(most_back, fabs(back[a] - x[a]) / length_of(x));
        }
    }
    ck_assert_msg(most < BVPI_TURN_ERROR && most > BVPI_TURN_ERROR / 8, "%g", most);
    ck_assert(most_back < 3 * BVPI_TURN_ERROR);
}
END_TEST

static void random_tree(bvpi_tree *tree)
{
    *tree = (bvpi_tree){.is_turned = case_int(3) > 0};
    if (tree->is_turned)
        random_turn(tree->turn);
}

/* b's points by the map that is turned, against the exact images turned afterwards. */
START_TEST(turned_maps_err_less_than_they_say)
{
    bool good = true;
    double most = 0;
    case_seed(6);
    for (int n = 0; n < ROUNDS; n++) {
        bvpi_tree a, b;
        double x[12], map[12], bound[3], p[3], q[3], size = 0;
        random_tree(&a);
        random_tree(&b);
        case_rotation(x);
        random_point(p);
        for (int i = 0; i < 3; i++) {
            x[4 * i + 3] = case_unit() * exp2(case_int(20) - 10);
            bound[i] = length_of(p);
        }
        const double error = bvpi_turn_map(x, &a, &b, bound, 0, map);
        long double from[3] = {p[0], p[1], p[2]}, to[3], at[3];
        if (b.is_turned)
            rotate_exactly(b.turn, p, from);
        for (int i = 0; i < 3; i++) {
            to[i] = map[4 * i] * from[0] + map[4 * i + 1] * from[1] + map[4 * i + 2] * from[2] +
                    map[4 * i + 3];
            q[i] = (double)((long double)x[4 * i] * p[0] + (long double)x[4 * i + 1] * p[1] +
                            (long double)x[4 * i + 2] * p[2] + x[4 * i + 3]);
            size += fabs(q[i]);
        }
        at[0] = q[0], at[1] = q[1], at[2] = q[2];
        if (a.is_turned)
            rotate_exactly(a.turn, q, at);
        for (int i = 0; i < 3; i++) {
            const double off = fabs((double)(to[i] - at[i]));
            good = good && off <= error + size * 0x1p-53;
            most = fmax(most, off / error);
        }
    }
    ck_assert(good);
    ck_assert_msg(most > 0.02, "%g", most);
}
END_TEST

SUITE(test_turn)
{
    TCase *cases = tcase_create("turn");
    tcase_add_test(cases, turned_points_err_less_than_the_bound);
    tcase_add_test(cases, turned_maps_err_less_than_they_say);
    return suite_run_case("turn", cases);
}
