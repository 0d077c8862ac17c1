/* SPDX-License-Identifier: MIT
 * test_volume_lines.c: the lines drawn of every volume of every kind lie on its surface, and reach
 * as far as it does.
 */
#include "view/volume_lines.h"

#include "build_case.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint32_t box_count, swept_count;

/* A point along the volume's axes, from its centre. */
static void local_of(const bvp_volume *v, const double point[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++)
            out[i] += v->axis[3 * i + k] * (point[k] - v->centre[k]);
    }
}

static double size_of(const bvp_volume *v)
{
    double size = v->radius;
    for (int k = 0; k < 3; k++)
        size += v->half[k] + fabs(v->centre[k]);
    return size;
}

static void expect_near(const bvp_volume *v, double a, double b)
{
    ck_assert_msg(fabs(a - b) <= 1e-9 * size_of(v), "%g, not %g", a, b);
}

/* Twelve edges, each from one corner to another. */
static void check_box(const bvp_volume *v, double (*lines)[6], int count)
{
    uint32_t seen = 0;
    ck_assert_int_eq(count, 12);
    for (int i = 0; i < count; i++) {
        double end[2][3];
        int along = -1, where = 0;
        local_of(v, lines[i], end[0]);
        local_of(v, lines[i] + 3, end[1]);
        for (int k = 0; k < 3; k++) {
            expect_near(v, fabs(end[0][k]), v->half[k]);
            expect_near(v, fabs(end[1][k]), v->half[k]);
            if (v->half[k] > 1e-6 * size_of(v) && (end[0][k] > 0) != (end[1][k] > 0)) {
                ck_assert_int_eq(along, -1);
                along = k;
            } else
                where |= (end[0][k] > 0) << k;
        }
        seen |= along < 0 ? 0 : 1u << (8 * along + where);
    }
    /* with all sizes, four edges along each axis */
    if (v->half[0] > 1e-6 * size_of(v) && v->half[1] > 1e-6 * size_of(v) &&
        v->half[2] > 1e-6 * size_of(v))
        ck_assert_int_eq(__builtin_popcount(seen), 12);
}

/* Every end is as far from the rectangle as the ball's radius; together they reach to all sides. */
static void check_swept(const bvp_volume *v, double (*lines)[6], int count)
{
    double most[3] = {0};
    ck_assert_int_eq(count, VOLUME_LINES);
    for (int i = 0; i < 2 * count; i++) {
        double at[3];
        local_of(v, lines[i / 2] + 3 * (i % 2), at);
        const double x = fmax(fabs(at[0]) - v->half[0], 0), y = fmax(fabs(at[1]) - v->half[1], 0);
        expect_near(v, sqrt(x * x + y * y + at[2] * at[2]), v->radius);
        for (int k = 0; k < 3; k++)
            most[k] = fmax(most[k], fabs(at[k]));
    }
    for (int k = 0; k < 3; k++)
        expect_near(v, most[k], v->half[k] + v->radius);
}

static int on_volume(void *user, const bvp_volume *v)
{
    double lines[VOLUME_LINES][6];
    const int count = volume_lines(v, lines);
    (void)user;
    for (int i = 0; i < 8; i++) {
        double corner[3], at[3];
        volume_corner(v, i, corner);
        local_of(v, corner, at);
        for (int k = 0; k < 3; k++)
            expect_near(v, at[k], (i >> k & 1 ? 1 : -1) * (v->half[k] + v->radius));
    }
    if (v->radius > 0) {
        check_swept(v, lines, count);
        swept_count++;
    } else {
        check_box(v, lines, count);
        box_count++;
    }
    return 0;
}

enum { COUNT = 400 };

START_TEST(every_volume)
{
    static const bvp_hierarchy_spec kinds[] = {{.kind = BVP_KIND_WIDE},
                                               {.kind = BVP_KIND_BOXTREE},
                                               {.kind = BVP_KIND_AABB, .leaf_size = 1},
                                               {.kind = BVP_KIND_OBB, .leaf_size = 2},
                                               {.kind = BVP_KIND_RSS, .leaf_size = 2}};
    const bvp_build_options options = {.hierarchies = kinds, .hierarchy_count = 5};
    static float positions[9 * COUNT];
    uint64_t state = case_seed();
    const bvp_mesh mesh = case_random_soup(&state, positions, COUNT);
    bvp_builder *builder;
    bvp_file *file;
    uint32_t part;
    FILE *out = tmpfile();
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_finish_fd(builder, fileno(out), NULL, NULL), BVP_OK);
    bvp_builder_free(builder);
    ck_assert_int_eq(bvp_open_fd(fileno(out), NULL, &file, NULL), BVP_OK);
    for (bvp_kind kind = BVP_KIND_WIDE; kind <= BVP_KIND_RSS; kind++)
        for (uint32_t level = 0; level < 12; level++)
            ck_assert_int_eq(bvp_volumes(file, part, kind, level, on_volume, NULL), BVP_OK);
    printf("%u boxes, %u swept rectangles\n", box_count, swept_count);
    ck_assert(box_count > 1000 && swept_count > 500);
    bvp_close(file);
    fclose(out);
}
END_TEST

SUITE(test_volume_lines)
{
    const TTest *const tests[] = {every_volume, NULL};
    return suite_run("volume lines", tests);
}
