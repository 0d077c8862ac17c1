/* SPDX-License-Identifier: MIT
 * test_penetration.c: penetration depths against separating axes of boxes and against balls; the
 * bounds against brute force: a move by the upper one takes bodies apart, no shorter one than the
 * lower does; contacts; assemblies against all pairs of instances; controls that end a call; open
 * shells and other bad bodies; arguments.
 */
#include "clash_case.h"
#include "suite.h"

enum { CONTACTS = 8 };

static const double none[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static double random_in(uint64_t *state, double most)
{
    return most * (2 * case_uniform(state) - 1);
}

/* A unit vector, of any direction. */
static void random_way(uint64_t *state, double out[3])
{
    double size;
    do {
        for (int i = 0; i < 3; i++)
            out[i] = random_in(state, 1);
        size = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    } while (size > 1 || size < 0.1);
    for (int i = 0; i < 3; i++)
        out[i] /= size;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A rotation, and a translation of up to `away` on each axis. */
static void random_place(uint64_t *state, double away, double m[12])
{
    double axis[3][3];
    random_way(state, axis[0]);
    do {
        random_way(state, axis[2]);
        cross(axis[2], axis[0], axis[1]);
    } while (dot(axis[1], axis[1]) < 0.1);
    const double size = sqrt(dot(axis[1], axis[1]));
    for (int i = 0; i < 3; i++)
        axis[1][i] /= size;
    cross(axis[0], axis[1], axis[2]);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            m[4 * i + k] = axis[k][i];
        m[4 * i + 3] = random_in(state, away);
    }
}

/* ---- brute force ----------------------------------------------------------------------------- */

static void place(const double m[12], const float corner[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m[4 * i] * (double)corner[0] + m[4 * i + 1] * (double)corner[1] +
                 m[4 * i + 2] * (double)corner[2] + m[4 * i + 3];
}

/* Is a corner of a part inside the body? */
static bool has_corner_of(const bvp_body *body, const bvp_body *part)
{
    float tri[9];
    double point[3];
    uint64_t count;
    bvp_inside_result inside;
    ck_assert_int_eq(
        bvp_get_triangles(part->file, part->part, (bvp_range){0, 1}, tri, NULL, &count), BVP_OK);
    place(part->placement, tri, point);
    ck_assert_int_eq(bvp_inside(body, point, &inside, NULL), BVP_OK);
    return inside.where == BVP_WHERE_INSIDE;
}

/* Of two parts in one piece each, `a` moved: apart, neither in the other? */
static bool is_apart(const bvp_body *a, const bvp_body *b, const double way[3], double length)
{
    double m[12];
    bvp_body moved = *a;
    int hit;
    memcpy(m, a->placement, sizeof m);
    for (int i = 0; i < 3; i++)
        m[4 * i + 3] += way[i] * length;
    moved.placement = m;
    ck_assert_int_eq(bvp_collide(&moved, b, &hit, NULL), BVP_OK);
    return !hit && !has_corner_of(b, &moved) && !has_corner_of(&moved, b);
}

static void check_contacts(const bvp_contact *contacts, const bvp_penetration_result *found)
{
    for (uint64_t i = 0; i < found->contact_count; i++) {
        const bvp_contact *c = &contacts[i];
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = c->point_a[k] - c->point_b[k];
        ck_assert_double_eq_tol(dot(c->normal, c->normal), 1, 1e-12);
        ck_assert_double_eq_tol(dot(d, c->normal), c->depth, 1e-9);
        ck_assert_double_le(c->depth, found->depth_upper * (1 + 1e-9));
        ck_assert_double_le(c->depth * (1 - 1e-8) - 1e-9, found->depth);
        ck_assert(i == 0 || c->depth <= contacts[i - 1].depth);
    }
}

/* Asks, and tries moves. */
static bvp_penetration_result ask(uint64_t *state, const bvp_body *a, const bvp_body *b)
{
    bvp_contact contacts[CONTACTS];
    bvp_penetration_result found, swapped;
    static const double nowhere[3] = {0, 0, 0};
    ck_assert_int_eq(bvp_penetration(a, b, (bvp_array){contacts, 0, CONTACTS}, &found), BVP_OK);
    ck_assert_int_eq(bvp_penetration(b, a, (bvp_array){NULL, 0, 0}, &swapped), BVP_OK);
    ck_assert_int_eq(found.verdict, swapped.verdict);
    const bool apart = is_apart(a, b, nowhere, 0);
    ck_assert_int_eq(found.verdict == BVP_VERDICT_CLEAR, apart);
    ck_assert_double_le(found.depth, found.depth_upper);
    if (apart) {
        ck_assert(found.depth_upper == 0 && found.contact_count == 0);
        return found;
    }
    ck_assert_double_eq_tol(dot(found.direction, found.direction), 1, 1e-12);
    ck_assert(is_apart(a, b, found.direction, found.depth_upper));
    ck_assert_double_le(found.depth, swapped.depth_upper);
    ck_assert_double_le(swapped.depth, found.depth_upper);
    for (int i = 0; i < 40; i++) {
        double way[3];
        random_way(state, way);
        const double length = found.depth * (1 - 1e-9) * (i % 2 ? 1 : case_uniform(state));
        ck_assert(!is_apart(a, b, i % 4 == 1 ? found.direction : way, length));
    }
    ck_assert(found.verdict != BVP_VERDICT_PENETRATING || found.contact_count > 0);
    check_contacts(contacts, &found);
    return found;
}

static case_file build(const solid *s)
{
    const bvp_mesh mesh = case_mesh(s->soup, s->count);
    return case_build(&mesh, NULL);
}

/* ---- convex: the truth is known -------------------------------------------------------------- */

/* How far two boxes overlap along an axis; the least of all 15 is the depth. */
static double overlap_along(const double m[12], const double n[12], const double half_a[3],
                            const double half_b[3], const double axis[3])
{
    const double size = sqrt(dot(axis, axis));
    double sum = 0, gap = 0;
    if (size < 1e-6)
        return INFINITY;
    for (int i = 0; i < 3; i++) {
        const double a[3] = {m[i], m[4 + i], m[8 + i]}, b[3] = {n[i], n[4 + i], n[8 + i]};
        sum += half_a[i] * fabs(dot(a, axis)) + half_b[i] * fabs(dot(b, axis));
        gap += (m[4 * i + 3] - n[4 * i + 3]) * axis[i];
    }
    return (sum - fabs(gap)) / size;
}

static double depth_of_boxes(const double m[12], const double n[12], const double half_a[3],
                             const double half_b[3])
{
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        const double a[3] = {m[i], m[4 + i], m[8 + i]}, b[3] = {n[i], n[4 + i], n[8 + i]};
        least = fmin(least, overlap_along(m, n, half_a, half_b, a));
        least = fmin(least, overlap_along(m, n, half_a, half_b, b));
        for (int k = 0; k < 3; k++) {
            const double c[3] = {n[k], n[4 + k], n[8 + k]};
            double edge[3];
            cross(a, c, edge);
            least = fmin(least, overlap_along(m, n, half_a, half_b, edge));
        }
    }
    return least;
}

START_TEST(depths_of_boxes)
{
    const double half_a[3] = {1, 0.5, 0.25}, half_b[3] = {0.75, 0.75, 0.5};
    const double low_a[3] = {-1, -0.5, -0.25}, low_b[3] = {-0.75, -0.75, -0.5};
    uint64_t state = case_seed();
    solid a = {.count = 0}, b = {.count = 0};
    int deep = 0;
    solid_box(&a, low_a, half_a, 0, -1);
    solid_box(&b, low_b, half_b, 0, -1);
    case_file file_a = build(&a), file_b = build(&b);
    for (int i = 0; i < 150; i++) {
        double m[12], n[12];
        random_place(&state, 1, m);
        random_place(&state, i % 5 ? 0.8 : 0.05, n);
        const bvp_body body_a = {.file = file_a.file, .placement = m};
        const bvp_body body_b = {.file = file_b.file, .placement = n};
        const double truth = depth_of_boxes(m, n, half_a, half_b);
        const bvp_penetration_result found = ask(&state, &body_a, &body_b);
        if (truth <= 0) {
            ck_assert_int_eq(found.verdict, BVP_VERDICT_CLEAR);
            continue;
        }
        ck_assert_double_le(found.depth, truth + 1e-12);
        ck_assert_double_ge(found.depth_upper, truth - 1e-12);
        ck_assert_double_le(found.depth_upper - found.depth, 1e-5);
        deep++;
    }
    ck_assert_int_gt(deep, 50);
    case_close(&file_a);
    case_close(&file_b);
}
END_TEST

/* Of n rings; pairs of triangles between them. */
static void solid_ball(solid *s, int n, double radius)
{
    double p[4][3];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < 2 * n; i++) {
            for (int k = 0; k < 4; k++) {
                const double u = M_PI * ((i + (k >= 2)) % (2 * n)) / n;
                const double v = M_PI * (j + (k == 1 || k == 2)) / n;
                const bool is_pole =
                    (j == 0 && (k == 0 || k == 3)) || (j == n - 1 && (k == 1 || k == 2));
                p[k][0] = is_pole ? 0 : radius * sin(v) * cos(u);
                p[k][1] = is_pole ? 0 : radius * sin(v) * sin(u);
                p[k][2] = radius * cos(v);
            }
            if (j < n - 1)
                solid_triangle(s, p[0], p[1], p[2]);
            if (j > 0)
                solid_triangle(s, p[0], p[2], p[3]);
        }
}

START_TEST(depths_of_balls)
{
    enum { RINGS = 11 };
    uint64_t state = case_seed();
    solid s = {.count = 0};
    solid_ball(&s, RINGS, 1);
    case_file f = build(&s);
    for (int i = 0; i < 40; i++) {
        double m[12], n[12], d[3];
        random_place(&state, 0.6, m);
        random_place(&state, 0.6, n);
        for (int k = 0; k < 3; k++)
            d[k] = m[4 * k + 3] - n[4 * k + 3];
        const double truth = 2 - sqrt(dot(d, d)); /* of round ones */
        const double sagitta = 1 - cos(M_PI / RINGS / 2) * cos(M_PI / RINGS / 2);
        const bvp_body a = {.file = f.file, .placement = m}, b = {.file = f.file, .placement = n};
        const bvp_penetration_result found = ask(&state, &a, &b);
        if (truth < 0)
            continue;
        ck_assert_double_le(found.depth, truth + 1e-6);
        ck_assert_double_ge(found.depth_upper, truth - 2 * sagitta - 1e-6);
        ck_assert_double_le(found.depth_upper - found.depth, 1e-5);
    }
    case_close(&f);
}
END_TEST

/* ---- not convex ------------------------------------------------------------------------------ */

START_TEST(bounds_of_other_shapes)
{
    const double corner[6][2] = {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 4}, {0, 4}};
    const double low[3] = {-0.5, -0.5, -0.5}, half[3] = {0.5, 0.5, 0.5};
    uint64_t state = case_seed();
    solid shapes[4] = {{.count = 0}, {.count = 0}, {.count = 0}, {.count = 0}};
    case_file files[4];
    double sum = 0;
    int met = 0, loose = 0;
    solid_prism(&shapes[0], corner, 6, 0, 1);
    solid_box(&shapes[1], low, half, 0, -1);
    solid_plate(&shapes[2], 1.5, 0.7, 12, -0.2, 0.2);
    solid_cylinder(&shapes[3], 0.6, 12, -2, 2);
    for (int k = 0; k < 4; k++)
        files[k] = build(&shapes[k]);
    for (int i = 0; i < 60; i++) {
        double m[12], n[12];
        random_place(&state, 1.5, m);
        random_place(&state, 1.5, n);
        if (i % 10 == 9) /* a pin in a hole */
            memcpy(n, m, sizeof n);
        const int first = i % 10 == 9 ? 2 : i % 4, second = i % 10 == 9 ? 3 : (i / 4) % 4;
        const bvp_body a = {.file = files[first].file, .placement = m};
        const bvp_body b = {.file = files[second].file, .placement = n};
        const bvp_penetration_result found = ask(&state, &a, &b);
        if (found.verdict == BVP_VERDICT_CLEAR)
            continue;
        loose += found.depth < 0.3 * found.depth_upper;
        sum += found.depth / found.depth_upper;
        met++;
    }
    ck_assert_int_gt(met, 8);
    ck_assert_double_ge(sum / met, 0.7);
    ck_assert_int_le(loose, met / 8);
    for (int k = 0; k < 4; k++)
        case_close(&files[k]);
}
END_TEST

/* A box in an L's corner comes out along the shorter side, not out of the hull. */
START_TEST(the_way_out_is_not_the_hulls)
{
    const double l[6][2] = {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 4}, {0, 4}};
    const double low[3] = {2, 0.9, 0.25}, high[3] = {3, 1.9, 0.75};
    uint64_t state = case_seed();
    solid a = {.count = 0}, b = {.count = 0};
    bvp_contact contacts[4];
    bvp_penetration_result found;
    solid_box(&a, low, high, 0, -1);
    solid_prism(&b, l, 6, 0, 1);
    case_file file_a = build(&a), file_b = build(&b);
    const bvp_body body_a = {.file = file_a.file, .placement = none};
    const bvp_body body_b = {.file = file_b.file, .placement = none};
    ask(&state, &body_a, &body_b);
    ck_assert_int_eq(bvp_penetration(&body_a, &body_b, (bvp_array){contacts, 0, 4}, &found),
                     BVP_OK);
    ck_assert_double_eq_tol(found.depth, 0.1, 1e-6);
    ck_assert_double_eq_tol(found.depth_upper, 0.1, 1e-3);
    ck_assert_double_eq_tol(found.direction[1], 1, 1e-6);
    ck_assert_uint_eq(found.contact_count, 4);
    for (int i = 0; i < 4; i++) { /* the lower corners, which are blocked downwards */
        ck_assert_double_eq_tol(contacts[i].depth, 0.1, 1e-6);
        ck_assert_double_eq_tol(contacts[i].normal[1], -1, 1e-6);
        ck_assert_double_eq_tol(contacts[i].point_a[1], 0.9, 1e-6);
        ck_assert_double_eq_tol(contacts[i].point_b[1], 1, 1e-6);
    }
    case_close(&file_a);
    case_close(&file_b);
}
END_TEST

/* Two thin plates that cross: the shorter one's half is the way out, twenty walls long. No point of
 * one is deep in the other. */
START_TEST(plates_that_cross)
{
    const double low_a[3] = {-3, -3, -0.05}, high_a[3] = {3, 3, 0.05};
    const double low_b[3] = {-2, -0.05, -2}, high_b[3] = {2, 0.05, 2};
    const double low_c[3] = {2.9, 2.9, 0}, high_c[3] = {3, 3, 1};
    uint64_t state = case_seed();
    solid a = {.count = 0}, b = {.count = 0};
    solid_box(&a, low_a, high_a, 0, -1);
    solid_box(&a, low_c, high_c, 0, -1); /* far away; it makes the hull deeper */
    solid_box(&b, low_b, high_b, 0, -1);
    case_file file_a = build(&a), file_b = build(&b);
    double m[12];
    random_place(&state, 1, m);
    const bvp_body body_a = {.file = file_a.file, .placement = m};
    const bvp_body body_b = {.file = file_b.file, .placement = m};
    const bvp_penetration_result found = ask(&state, &body_a, &body_b);
    ck_assert_double_eq_tol(found.depth_upper, 2.05, 0.1);
    ck_assert_double_ge(found.depth, 1.6);
    case_close(&file_a);
    case_close(&file_b);
}
END_TEST

/* Two crosses in one plane, whose arms overlap by .3: their hulls do by .42. The middle of each is
 * inside it, the hull is not. */
START_TEST(hulls_that_are_not_inside)
{
    const double along[2][3] = {{-2, -0.2, -0.5}, {2, 0.2, 0.5}};
    const double up[2][3] = {{-0.2, -2, -0.5}, {0.2, 2, 0.5}};
    const double m[12] = {1, 0, 0, 1.9, 0, 1, 0, 1.9, 0, 0, 1, 0};
    uint64_t state = case_seed();
    solid cross = {.count = 0};
    solid_box(&cross, along[0], along[1], 0, -1);
    solid_box(&cross, up[0], up[1], 0, -1);
    case_file file = build(&cross);
    const bvp_body a = {.file = file.file, .placement = none};
    const bvp_body b = {.file = file.file, .placement = m};
    const bvp_penetration_result found = ask(&state, &a, &b);
    ck_assert_double_eq_tol(found.depth_upper, 0.3, 0.01);
    ck_assert_double_le(found.depth, 0.3 + 1e-6);
    case_close(&file);
}
END_TEST

/* ---- verdicts, assemblies --------------------------------------------------------- */

START_TEST(enclosed_and_open)
{
    const double zero[3] = {0, 0, 0}, four[3] = {4, 4, 4}, low[3] = {1, 1, 1}, high[3] = {2, 2, 2};
    uint64_t state = case_seed();
    solid outer = {.count = 0}, open = {.count = 0}, inner = {.count = 0};
    solid_box(&outer, zero, four, 0, -1);
    solid_box(&open, zero, four, 0, 5);
    solid_box(&inner, low, high, 0, -1);
    case_file file = build(&outer), file_open = build(&open), file_inner = build(&inner);
    const bvp_body in = {.file = file_inner.file, .placement = none};
    const bvp_body out = {.file = file.file, .placement = none};
    const bvp_body shell = {.file = file_open.file, .placement = none};
    bvp_penetration_result found = ask(&state, &in, &out);
    ck_assert_int_eq(found.verdict, BVP_VERDICT_ENCLOSED);
    ck_assert_double_eq_tol(found.depth, 2, 1e-5);
    ck_assert_double_eq_tol(found.depth_upper, 2, 1e-5);
    const bvp_array no_contacts = {NULL, 0, 0};
    ck_assert_int_eq(bvp_penetration(&in, &shell, no_contacts, &found), BVP_OK);
    ck_assert_int_eq(found.verdict, BVP_VERDICT_UNKNOWN);
    ck_assert(found.depth == 0 && found.depth_upper > 0);
    const double through[12] = {1, 0, 0, 2.5, 0, 1, 0, 0, 0, 0, 1, 0};
    const bvp_body wall = {.file = file_inner.file, .placement = through};
    ck_assert_int_eq(bvp_penetration(&wall, &shell, no_contacts, &found), BVP_OK);
    ck_assert_int_eq(found.verdict, BVP_VERDICT_PENETRATING);
    ck_assert_double_ge(found.depth_upper, 0.5 - 1e-9);
    case_close(&file);
    case_close(&file_open);
    case_close(&file_inner);
}
END_TEST

START_TEST(assemblies_move_as_one)
{
    const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    assembly a = assembly_new(none);
    solid box = {.count = 0};
    bvp_penetration_result found;
    bvp_contact contacts[CONTACTS];
    solid_box(&box, zero, one, 0, -1);
    const uint32_t part = assembly_part(&a, &box);
    for (int i = 0; i < 3; i++)
        assembly_place(&a, part, (double[12]){1, 0, 0, 2. * i, 0, 1, 0, 0, 0, 0, 1, 0});
    case_file f = case_finish(a.builder);
    /* each box .25 into its like, from above; the left one is looked at alone, too */
    const double above[12] = {1, 0, 0, 0.1, 0, 1, 0, 0.05, 0, 0, 1, 0.75};
    const uint64_t left = 1;
    const bvp_filter only = {&left, 1, 0};
    const bvp_body upper = {.file = f.file, .part = BVP_ASSEMBLY, .placement = above};
    const bvp_body lower = {.file = f.file, .part = BVP_ASSEMBLY};
    const bvp_body alone = {
        .file = f.file, .part = BVP_ASSEMBLY, .placement = above, .filter = &only};
    const bvp_body *bodies[2] = {&upper, &alone};
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(
            bvp_penetration(bodies[k], &lower, (bvp_array){contacts, 0, CONTACTS}, &found), BVP_OK);
        ck_assert_int_eq(found.verdict, BVP_VERDICT_PENETRATING);
        ck_assert_double_eq_tol(found.depth_upper, 0.25, 1e-6);
        ck_assert_double_ge(found.depth, 0.05 - 1e-6);
        ck_assert_double_eq_tol(found.direction[2], 1, 1e-6);
        ck_assert_uint_eq(found.contact_count, k == 0 ? 6 : 2);
        check_contacts(contacts, &found);
    }
    case_close(&f);
}
END_TEST

/* Boxes of two sizes, placed at random: some are inside others. */
static case_file random_assembly(uint64_t *state, int count)
{
    const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1}, small[3] = {0.2, 0.2, 0.2};
    assembly a = assembly_new(none);
    solid big = {.count = 0}, tiny = {.count = 0};
    solid_box(&big, zero, one, 0, -1);
    solid_box(&tiny, zero, small, 0, -1);
    const uint32_t parts[2] = {assembly_part(&a, &big), assembly_part(&a, &tiny)};
    for (int i = 0; i < count; i++) {
        double m[12];
        random_place(state, 5, m);
        assembly_place(&a, parts[i % 2], m);
    }
    return case_finish(a.builder);
}

static uint32_t instances_of(const bvp_file *file)
{
    bvp_file_info info;
    bvp_get_info(file, &info);
    return info.instance_count;
}

/* The body of one instance, by its part. */
static bvp_body instance_of(const bvp_body *of, uint32_t instance, double m[12])
{
    bvp_instance_info info;
    ck_assert_int_eq(bvp_get_instance(of->file, instance, &info), BVP_OK);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            m[4 * i + k] = k == 3 ? of->placement[4 * i + 3] : 0;
            for (int j = 0; j < 3; j++)
                m[4 * i + k] += of->placement[4 * i + j] * info.placement[4 * j + k];
        }
    return (bvp_body){.file = of->file, .part = info.part, .placement = m};
}

/* Is every instance of one apart from every one of the other? */
static bool all_apart(const bvp_body *a, const bvp_body *b, const double way[3], double length)
{
    for (uint32_t i = 0; i < instances_of(a->file); i++)
        for (uint32_t k = 0; k < instances_of(b->file); k++) {
            double m[12], n[12];
            const bvp_body one = instance_of(a, i, m), other = instance_of(b, k, n);
            if (!is_apart(&one, &other, way, length))
                return false;
        }
    return true;
}

START_TEST(assemblies_against_all_pairs)
{
    const double nowhere[3] = {0, 0, 0};
    uint64_t state = case_seed();
    int seen[2] = {0, 0};
    for (int round = 0; round < 40; round++) {
        case_file file_a = random_assembly(&state, round % 2 ? 12 : 1);
        case_file file_b = random_assembly(&state, 30);
        double m[12], n[12];
        random_place(&state, 3, m);
        random_place(&state, 1, n);
        const bvp_body a = {.file = file_a.file, .part = BVP_ASSEMBLY, .placement = m};
        const bvp_body b = {.file = file_b.file, .part = BVP_ASSEMBLY, .placement = n};
        const bool apart = all_apart(&a, &b, nowhere, 0);
        bvp_penetration_result found;
        ck_assert_int_eq(bvp_penetration(&a, &b, (bvp_array){NULL, 0, 0}, &found), BVP_OK);
        ck_assert_int_eq(found.verdict == BVP_VERDICT_CLEAR, apart);
        seen[apart]++;
        if (!apart) {
            double way[3];
            random_way(&state, way);
            ck_assert(all_apart(&a, &b, found.direction, found.depth_upper));
            ck_assert(!all_apart(&a, &b, found.direction, found.depth * (1 - 1e-9)));
            ck_assert(!all_apart(&a, &b, way, found.depth * (1 - 1e-9)));
        }
        case_close(&file_a);
        case_close(&file_b);
    }
    ck_assert(seen[0] > 5 && seen[1] > 2);
}
END_TEST

/* ---- controls -------------------------------------------------------------------------------- */

typedef struct polls {
    uint64_t count, most;
} polls;

static int poll(void *user)
{
    polls *p = user;
    return ++p->count > p->most;
}

/* Bounds of a call that was ended hold beside those of the whole call. */
static void check_ended(bvp_status status, const bvp_penetration_result *got,
                        const bvp_penetration_result *whole)
{
    ck_assert(status == BVP_OK || status == BVP_ERR_CANCELLED);
    ck_assert_double_le(got->depth, got->depth_upper);
    if (got->depth_upper == 0) {
        ck_assert(got->verdict == BVP_VERDICT_CLEAR && got->contact_count == 0);
        return;
    }
    ck_assert_int_eq(got->verdict, whole->verdict);
    ck_assert_double_le(got->depth, whole->depth_upper);
    ck_assert_double_ge(got->depth_upper, whole->depth);
    ck_assert_double_eq_tol(dot(got->direction, got->direction), 1, 1e-12);
}

START_TEST(calls_that_are_ended)
{
    const double corner[6][2] = {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 4}, {0, 4}};
    uint64_t state = case_seed();
    solid l = {.count = 0}, plate = {.count = 0};
    solid_prism(&l, corner, 6, 0, 1);
    solid_plate(&plate, 1.5, 0.7, 12, -0.2, 0.2);
    case_file file_l = build(&l), file_plate = build(&plate);
    int bounded = 0, ended = 0;
    for (int i = 0; i < 200; i++) {
        double m[12];
        random_place(&state, 1, m);
        polls p = {0, UINT64_MAX};
        bvp_control control = {.callback = poll, .user = &p};
        const bvp_body a = {.file = file_l.file, .placement = m, .control = &control};
        const bvp_body b = {.file = file_plate.file};
        bvp_contact contacts[CONTACTS];
        const bvp_array room = {contacts, 0, CONTACTS};
        bvp_penetration_result whole, got;
        ck_assert_int_eq(bvp_penetration(&a, &b, room, &whole), BVP_OK);
        const uint64_t polled = p.count;
        p = (polls){0, (uint64_t)((double)polled * case_uniform(&state))};
        if (i % 2) { /* a budget is the whole call's: it is polled every 32 steps */
            control.budget = 1 + 32 * p.most;
            p.most = UINT64_MAX;
        }
        const bvp_status status = bvp_penetration(&a, &b, room, &got);
        check_ended(status, &got, &whole);
        /* pieces of parts, which are made once, poll without a step */
        ck_assert(i % 2 == 0 || p.count <= control.budget / 32 + 8);
        ended += status == BVP_ERR_CANCELLED;
        bounded += status == BVP_ERR_CANCELLED && got.depth_upper > 0;
        if (got.depth_upper > 0) {
            const bvp_body plain = {.file = file_l.file, .placement = m};
            const bvp_body other = {.file = file_plate.file, .placement = none};
            ck_assert(is_apart(&plain, &other, got.direction, got.depth_upper));
            check_contacts(contacts, &got);
        }
    }
    ck_assert_int_gt(ended, 150);
    ck_assert_int_gt(bounded, 50);
    case_close(&file_l);
    case_close(&file_plate);
}
END_TEST

/* ---- bad bodies, arguments ------------------------------------------------------------------- */

enum { BAD_BODIES = 9 };

/* Open, doubled, inside out, flat, one triangle, a heap of random ones, a box in a box's wall, a
 * needle, and what crosses itself. */
static void bad_body(uint64_t *state, int which, solid *s)
{
    const double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1}, inner[3] = {0.5, 1, 1};
    const double flat[3] = {1, 1, -1}, needle[3] = {1, -1 + 1e-7, -1 + 1e-7};
    s->count = 0;
    if (which == 0)
        solid_box(s, low, high, 0, (int)(6 * case_uniform(state)));
    for (int k = 0; k < 2 && which == 1; k++)
        solid_box(s, low, high, 0, -1);
    if (which == 2)
        solid_box(s, low, high, 1, -1);
    if (which == 3)
        solid_box(s, low, flat, 0, -1);
    for (int t = 0; t < (which == 4 ? 1 : which == 5 ? 60 : 0); t++) {
        double c[3][3];
        for (int k = 0; k < 9; k++)
            c[k / 3][k % 3] = random_in(state, 1);
        solid_triangle(s, c[0], c[1], c[2]);
    }
    if (which == 6 || which == 8)
        solid_box(s, low, high, 0, -1);
    if (which == 6)
        solid_box(s, low, inner, 0, -1);
    if (which == 7)
        solid_box(s, low, needle, 0, -1);
    if (which == 8)
        solid_cylinder(s, 0.7, 7, -2, 2);
}

START_TEST(bad_bodies)
{
    uint64_t state = case_seed();
    for (int i = 0; i < 4 * BAD_BODIES * BAD_BODIES; i++) {
        solid s = {.count = 0}, t = {.count = 0};
        double m[12];
        bvp_contact contacts[CONTACTS];
        bvp_penetration_result found;
        bad_body(&state, i % BAD_BODIES, &s);
        bad_body(&state, i / BAD_BODIES % BAD_BODIES, &t);
        case_file file_s = build(&s), file_t = build(&t);
        random_place(&state, i % 7 ? 0.8 : 0, m);
        const bvp_control most = {.budget = 300000}; /* steps, far more than any takes */
        const bvp_body a = {.file = file_s.file, .placement = i % 5 ? m : none, .control = &most};
        const bvp_body b = {.file = file_t.file, .placement = none};
        ck_assert_int_eq(bvp_penetration(&a, &b, (bvp_array){contacts, 0, CONTACTS}, &found),
                         BVP_OK);
        ck_assert(found.depth >= 0 && found.depth <= found.depth_upper);
        ck_assert(isfinite(found.depth_upper));
        if (found.verdict != BVP_VERDICT_CLEAR) {
            int hit;
            double moved[12];
            memcpy(moved, a.placement, sizeof moved);
            for (int k = 0; k < 3; k++)
                moved[4 * k + 3] += found.direction[k] * found.depth_upper;
            const bvp_body away = {.file = file_s.file, .placement = moved};
            ck_assert_int_eq(bvp_collide(&away, &b, &hit, NULL), BVP_OK);
            ck_assert(!hit);
        }
        m[i % 12] = i % 2 ? NAN : INFINITY;
        const bvp_body nowhere = {.file = file_s.file, .placement = m};
        ck_assert_int_eq(bvp_penetration(&nowhere, &b, (bvp_array){NULL, 0, 0}, &found),
                         BVP_ERR_ARGUMENT);
        case_close(&file_s);
        case_close(&file_t);
    }
}
END_TEST

START_TEST(bad_arguments)
{
    const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    const double flat[12] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0};
    solid box = {.count = 0};
    bvp_penetration_result found;
    bvp_contact contact;
    solid_box(&box, zero, one, 0, -1);
    case_file f = build(&box);
    const int stop = 1;
    const bvp_control control = {.cancel = &stop}, few = {.budget = 1};
    const bvp_body body = {.file = f.file}, bad = {.file = f.file, .placement = flat};
    const bvp_body beyond = {.file = f.file, .part = 3}, none_at_all = {.file = NULL};
    const bvp_body ended = {.file = f.file, .control = &control};
    const bvp_body short_of = {.file = f.file, .control = &few};
    const bvp_array room = {&contact, 0, 1}, missing = {NULL, 0, 1};
    ck_assert_int_eq(bvp_penetration(&body, NULL, room, &found), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_penetration(NULL, &body, room, &found), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_penetration(&body, &none_at_all, room, &found), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_penetration(&body, &bad, room, &found), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_penetration(&beyond, &body, room, &found), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_penetration(&body, &body, missing, &found), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_penetration(&body, &body, room, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_penetration(&body, &ended, room, &found), BVP_ERR_CANCELLED);
    ck_assert_int_eq(bvp_penetration(&short_of, &body, room, &found), BVP_ERR_CANCELLED);
    ck_assert(found.depth_upper == 0 && found.contact_count == 0);
    ck_assert_int_eq(bvp_penetration(&body, &body, room, &found), BVP_OK);
    ck_assert_double_eq_tol(found.depth_upper, 1, 1e-6); /* itself, in the same place */
    ck_assert_double_eq_tol(found.depth, 1, 1e-5);
    case_close(&f);
}
END_TEST

SUITE(test_penetration)
{
    return suite_run("penetration",
                     (const TTest *const[]){
                         depths_of_boxes, depths_of_balls, bounds_of_other_shapes,
                         the_way_out_is_not_the_hulls, plates_that_cross, hulls_that_are_not_inside,
                         enclosed_and_open, assemblies_move_as_one, assemblies_against_all_pairs,
                         calls_that_are_ended, bad_bodies, bad_arguments, NULL});
}
