/* SPDX-License-Identifier: MIT
 * test_move_cover.c: balls and boxes inside solids against sampled points of theirs; cells of moves
 * that two of them hold against sampled moves.
 */
#include "clash_case.h"
#include "suite.h"

#include "clash/move_cover.h"

static double random_in(uint64_t *state, double most)
{
    return most * (2 * case_uniform(state) - 1);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void normalise(double a[3])
{
    const double size = sqrt(dot(a, a));
    for (int i = 0; i < 3; i++)
        a[i] /= size;
}

/* Three unit vectors, perpendicular; every third time those of the coordinates. */
static void random_axes(uint64_t *state, double axis[3][3])
{
    static const double plain[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(axis, plain, sizeof plain);
    if (case_uniform(state) < 0.3)
        return;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
            axis[k][i] += random_in(state, 0.4);
    normalise(axis[0]);
    cross(axis[0], axis[1], axis[2]);
    normalise(axis[2]);
    cross(axis[2], axis[0], axis[1]);
}

/* A point of a ball or a box, its border included. */
static void random_point(uint64_t *state, const bvpi_inner_box *box, double out[3])
{
    double way[3] = {random_in(state, 1), random_in(state, 1), random_in(state, 1)};
    const bool is_border = case_uniform(state) < 0.7;
    memcpy(out, box->centre, sizeof box->centre);
    if (box->radius > 0) {
        const double size = sqrt(dot(way, way)) + 1e-9, reach = is_border ? 1 : case_uniform(state);
        for (int i = 0; i < 3; i++)
            out[i] += box->radius * reach * (1 - 1e-12) * way[i] / size;
        return;
    }
    for (int k = 0; k < 3; k++) {
        if (is_border && case_uniform(state) < 0.6)
            way[k] = way[k] < 0 ? -1 : 1;
        for (int i = 0; i < 3; i++)
            out[i] += way[k] * box->half[k] * box->axis[k][i];
    }
}

/* ---- inside solids --------------------------------------------------------------------------- */

static void check_inside(uint64_t *state, const bvp_body *body, const bvpi_inner_box *box)
{
    for (int i = 0; i < 60; i++) {
        double point[3];
        bvp_inside_result inside;
        random_point(state, box, point);
        ck_assert_int_eq(bvp_inside(body, point, &inside, NULL), BVP_OK);
        ck_assert_int_eq(inside.where, BVP_WHERE_INSIDE);
    }
}

/* At faces of a solid, its own points and normals and such as are off. Returns the boxes found. */
static int check_solid(uint64_t *state, const solid *s, const double placement[12])
{
    const bvp_mesh mesh = case_mesh(s->soup, s->count);
    case_file f = case_build(&mesh, NULL);
    const bvp_body body = {.file = f.file, .placement = placement};
    bvpi_moving_pair pair = {.margin = 0};
    int boxes = 0;
    ck_assert_int_eq(bvpi_moving_pair_init(&pair, &body, &body), BVP_OK);
    for (uint32_t t = 0; t < s->count; t += 1 + s->count / 24) {
        const bvp_hit_id hit = {.instance = BVP_NONE, .part = 0, .triangle = t};
        bvpi_inner_seed seed = {.is_of_a = t % 2 == 0, .most = 4};
        bvpi_inner_box ball, box;
        bvpi_world_tri tri;
        ck_assert_int_eq(bvpi_moving_triangle(&pair, seed.is_of_a, &hit, &tri), BVP_OK);
        bvpi_clash_middle(tri.corner, seed.point);
        const double off = t % 5 == 4 ? 0.3 : 0;
        for (int i = 0; i < 3; i++) {
            seed.inward[i] = -tri.outward * tri.normal[i] + random_in(state, off);
            seed.along[i] = tri.corner[3 + i] - tri.corner[i];
            seed.point[i] += random_in(state, off);
        }
        normalise(seed.inward);
        ck_assert_int_eq(bvpi_inner_ball(&pair, &seed, &ball), BVP_OK);
        if (!(ball.radius > 0))
            continue;
        check_inside(state, &body, &ball);
        ck_assert_int_eq(bvpi_inner_box_about(&pair, &seed, &ball, &box), BVP_OK);
        if (!(box.half[0] > 0))
            continue;
        check_inside(state, &body, &box);
        boxes++;
    }
    bvpi_moving_pair_free(&pair);
    case_close(&f);
    return boxes;
}

START_TEST(balls_and_boxes_are_inside)
{
    const double corner[6][2] = {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 4}, {0, 4}};
    uint64_t state = case_seed();
    for (int round = 0; round < 6; round++) {
        double axis[3][3], m[12];
        const double away = round == 5 ? 1e6 : 2;
        random_axes(&state, axis);
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++)
                m[4 * i + k] = (round == 4 && k == 0 ? -1 : 1) * axis[k][i]; /* mirrored */
            m[4 * i + 3] = random_in(&state, away);
        }
        solid shapes[3] = {{.count = 0}, {.count = 0}, {.count = 0}};
        solid_prism(&shapes[0], corner, 6, 0, 1);
        solid_plate(&shapes[1], 1.5, 0.7, 12, -0.2, 0.2);
        solid_cylinder(&shapes[2], 0.6, 12, -2, 2);
        for (int k = 0; k < 3; k++)
            ck_assert_int_gt(check_solid(&state, &shapes[k], m), 3);
    }
}
END_TEST

/* ---- moves ----------------------------------------------------------------------------------- */

static bvpi_inner_box random_body(uint64_t *state)
{
    bvpi_inner_box out = {.radius = 0};
    for (int i = 0; i < 3; i++)
        out.centre[i] = random_in(state, 1);
    if (case_uniform(state) < 0.3) {
        out.radius = 0.2 + case_uniform(state);
        return out;
    }
    random_axes(state, out.axis);
    for (int i = 0; i < 3; i++)
        out.half[i] = 0.05 + case_uniform(state);
    return out;
}

/* The nearest point of a body. */
static void nearest(const bvpi_inner_box *box, double point[3])
{
    double from[3];
    for (int i = 0; i < 3; i++)
        from[i] = point[i] - box->centre[i];
    const double size = sqrt(dot(from, from));
    memcpy(point, box->centre, sizeof box->centre);
    for (int k = 0; k < 3; k++) {
        const double along = fmax(fmin(dot(from, box->axis[k]), box->half[k]), -box->half[k]);
        for (int i = 0; i < 3; i++)
            point[i] += box->radius > 0 ? (k == i) * from[i] * fmin(1, box->radius / size)
                                        : along * box->axis[k][i];
    }
}

/* How far a body reaches along a vector. */
static double reach(const bvpi_inner_box *box, const double way[3])
{
    double out = dot(box->centre, way) + box->radius * sqrt(dot(way, way));
    for (int k = 0; k < 3; k++)
        out += fabs(dot(box->axis[k], way)) * box->half[k];
    return out;
}

/* Is there a plane between them, the first one moved? A point goes from one to the other, until its
 * way is across such a plane, or so short that there is none. */
static bool are_apart(const bvpi_inner_box *a, const bvpi_inner_box *b, const double move[3])
{
    bvpi_inner_box moved = *a;
    double p[3], q[3];
    for (int i = 0; i < 3; i++)
        moved.centre[i] += move[i];
    memcpy(p, moved.centre, sizeof p);
    for (int k = 0; k < 1000; k++) {
        double d[3], back[3];
        memcpy(q, p, sizeof q);
        nearest(b, q);
        memcpy(p, q, sizeof p);
        nearest(&moved, p);
        for (int i = 0; i < 3; i++) {
            d[i] = p[i] - q[i];
            back[i] = -d[i];
        }
        if (dot(d, d) < 1e-20)
            return false;
        if (-reach(&moved, back) - reach(b, d) > 1e-12 * sqrt(dot(d, d)))
            return true;
    }
    return false;
}

START_TEST(moves_of_cells_that_are_held)
{
    uint64_t state = case_seed();
    int held = 0, apart = 0;
    for (int round = 0; round < 150; round++) {
        const bvpi_inner_box a = random_body(&state), b = random_body(&state);
        bvpi_move_cover cover = {.size = 0};
        ck_assert(bvpi_move_cover_add(&cover, true, &a));
        ck_assert(bvpi_move_cover_add(&cover, false, &b));
        ck_assert(bvpi_move_cover_begin(&cover, 4));
        for (int i = 0; i < 60; i++) {
            bvpi_move_cell cell;
            bool is_held;
            if (!bvpi_move_cover_next(&cover, &cell))
                break;
            ck_assert_int_eq(bvpi_move_cover_holds(&cover, &cell, &is_held), BVP_OK);
            if (!is_held) {
                apart += are_apart(&a, &b, cell.centre);
                ck_assert(bvpi_move_cover_split(&cover, &cell, 4));
                continue;
            }
            held++;
            for (int k = 0; k < 10; k++) {
                double move[3];
                for (int j = 0; j < 3; j++)
                    move[j] = cell.centre[j] + (k < 8 ? (k >> j & 1 ? cell.half : -cell.half)
                                                      : random_in(&state, cell.half));
                ck_assert(!are_apart(&a, &b, move));
            }
        }
        bvpi_move_cover_free(&cover);
    }
    ck_assert_int_gt(held, 200);
    ck_assert_int_gt(apart, 200);
}
END_TEST

/* What is taken out comes in order, and the parts of a cell hold all of it. */
START_TEST(cells_come_in_order)
{
    uint64_t state = case_seed();
    bvpi_move_cover cover = {.size = 0};
    double before = 0;
    bvpi_move_cell cell;
    ck_assert(bvpi_move_cover_begin(&cover, 1));
    for (int i = 0; i < 2000; i++) {
        double least = INFINITY;
        ck_assert(bvpi_move_cover_next(&cover, &cell));
        ck_assert_double_ge(cell.key, before * (1 - 1e-9));
        before = cell.key;
        for (int k = 0; k < 8; k++) {
            double move[3];
            for (int j = 0; j < 3; j++)
                move[j] = cell.centre[j] + random_in(&state, cell.half);
            least = fmin(least, sqrt(dot(move, move)));
        }
        ck_assert_double_le(cell.key, least);
        const uint64_t count = cover.cell_count;
        ck_assert(bvpi_move_cover_split(&cover, &cell, INFINITY));
        ck_assert_uint_eq(cover.cell_count, count + 8);
    }
    bvpi_move_cover_free(&cover);
}
END_TEST

SUITE(test_move_cover)
{
    return suite_run("move_cover", (const TTest *const[]){balls_and_boxes_are_inside,
                                                          moves_of_cells_that_are_held,
                                                          cells_come_in_order, NULL});
}
