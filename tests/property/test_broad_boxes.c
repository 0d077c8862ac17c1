/* SPDX-License-Identifier: MIT
 * test_broad_boxes.c: the box of a body in a broad phase holds all that queries may find of it,
 * grown by half the margin, in rational arithmetic; and is not much wider. Spec: exactness.md,
 * chapter 10, "Boxes of moving bodies"
 */
#include <gmp.h>

#include "build_case.h"
#include "bvpack_broad.h"
#include "prim/pose.h"
#include "rigid_places.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 3000, PLACES = 8 };

/* row . corner + row[3] */
static void image_of(mpq_t out, const double row[4], const double corner[3])
{
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    mpq_set_d(out, row[3]);
    for (int k = 0; k < 3; k++) {
        mpq_set_d(a, row[k]);
        mpq_set_d(b, corner[k]);
        mpq_mul(a, a, b);
        mpq_add(out, out, a);
    }
    mpq_clears(a, b, NULL);
}

/* Is image - grow >= lo and image + grow <= hi? */
static bool holds(const mpq_t image, double grow, double lo, double hi)
{
    mpq_t end, more;
    mpq_inits(end, more, NULL);
    mpq_set_d(more, grow);
    mpq_sub(end, image, more);
    mpq_set_d(more, lo);
    bool is = mpq_cmp(end, more) >= 0;
    mpq_set_d(more, grow);
    mpq_add(end, image, more);
    mpq_set_d(more, hi);
    is = is && mpq_cmp(end, more) <= 0;
    mpq_clears(end, more, NULL);
    return is;
}

/* How many of the box's eight corners leave the world box under a placement. */
static int count_outside(const double m[12], const double lo[3], const double hi[3], double grow,
                         const double world_lo[3], const double world_hi[3])
{
    int outside = 0;
    mpq_t image;
    mpq_init(image);
    for (int corner = 0; corner < 8; corner++) {
        const double p[3] = {corner & 1 ? hi[0] : lo[0], corner & 2 ? hi[1] : lo[1],
                             corner & 4 ? hi[2] : lo[2]};
        for (int axis = 0; axis < 3; axis++) {
            image_of(image, m + 4 * axis, p);
            outside += !holds(image, grow, world_lo[axis], world_hi[axis]);
        }
    }
    mpq_clear(image);
    return outside;
}

/* Rigid, or any map. */
static void random_map(uint64_t *state, double m[12])
{
    random_place(state, m);
    for (int k = 0; k < 12 && case_random(state) % 2 != 0; k++)
        m[k] = ldexp(case_uniform(state) - 0.5, (int)(case_random(state) % 8));
}

/* A triangle as good as any. */
static case_file one_triangle(uint64_t *state, double lo[3], double hi[3])
{
    float corners[9];
    for (int i = 0; i < 9; i++)
        corners[i] = (float)ldexp(case_uniform(state) - 0.3, (int)(case_random(state) % 10));
    for (int i = 0; i < 3; i++) {
        lo[i] = fmin((double)corners[i], fmin((double)corners[3 + i], (double)corners[6 + i]));
        hi[i] = fmax((double)corners[i], fmax((double)corners[3 + i], (double)corners[6 + i]));
    }
    const bvp_mesh mesh = case_mesh(corners, 1);
    return case_build(&mesh, NULL);
}

START_TEST(parts_are_held)
{
    uint64_t state = case_seed();
    int outside = 0, wide = 0;
    for (int round = 0; round < ROUNDS / PLACES; round++) {
        double lo[3], hi[3], world_lo[3], world_hi[3], m[12];
        case_file f = one_triangle(&state, lo, hi);
        const double margin = round % 3 == 0 ? 0 : ldexp(case_uniform(&state), round % 24 - 12);
        const bvp_broad_options options = {.margin = margin};
        const bvp_broad_body body = {.body = {.file = f.file, .part = 0}};
        bvp_broad *broad;
        bvp_broad_id id;
        ck_assert_int_eq(bvp_broad_new(&options, &broad), BVP_OK);
        ck_assert_int_eq(bvp_broad_add(broad, &body, &id), BVP_OK);
        for (int k = 0; k < PLACES; k++) {
            random_map(&state, m);
            if (bvp_broad_move(broad, id, m) != BVP_OK)
                continue; /* near to singular */
            bvp_broad_box(broad, id, world_lo, world_hi);
            outside += count_outside(m, lo, hi, margin / 2, world_lo, world_hi);
            for (int axis = 0; axis < 3; axis++) {
                double terms = fabs(m[4 * axis + 3]) + margin, side = margin;
                for (int j = 0; j < 3; j++) {
                    side += fabs(m[4 * axis + j]) * (hi[j] - lo[j]);
                    terms += fabs(m[4 * axis + j]) * fmax(fabs(lo[j]), fabs(hi[j]));
                }
                wide += world_hi[axis] - world_lo[axis] > side + 0x1p-46 * terms;
            }
        }
        bvp_broad_free(broad);
        case_close(&f);
    }
    ck_assert_int_eq(outside, 0);
    ck_assert_int_eq(wide, 0);
}
END_TEST

/* An assembly of one point, which its instance brings from far away to near the origin: there the
 * product of two placements is wrong by much of what the box is large. */
static case_file far_point(uint64_t *state, double point[3], double instance[12])
{
    bvp_builder *builder;
    uint32_t part, node;
    float corners[9];
    for (int i = 0; i < 3; i++)
        corners[i] = corners[3 + i] = corners[6 + i] =
            (float)ldexp(case_uniform(state) - 0.5, 20 + (int)(case_random(state) % 4));
    const bvp_mesh mesh = case_mesh(corners, 1);
    random_place(state, instance);
    for (int i = 0; i < 3; i++) {
        point[i] = (double)corners[i];
        instance[4 * i + 3] = 0;
    }
    for (int i = 0; i < 3; i++)
        instance[4 * i + 3] = -(instance[4 * i] * point[0] + instance[4 * i + 1] * point[1] +
                                instance[4 * i + 2] * point[2]);
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    const bvp_new_node at = {
        .parent = BVP_NONE, .name = "point", .part = part, .placement = instance};
    ck_assert_int_eq(bvp_builder_add_node(builder, &at, &node, NULL), BVP_OK);
    return case_finish(builder);
}

START_TEST(products_of_placements_are_held)
{
    uint64_t state = case_seed();
    int outside = 0;
    for (int round = 0; round < ROUNDS / PLACES; round++) {
        double point[3], instance[12], m[12], product[12], lo[3], hi[3];
        case_file f = far_point(&state, point, instance);
        const bvp_broad_body body = {.body = {.file = f.file, .part = BVP_ASSEMBLY}};
        bvp_broad *broad;
        bvp_broad_id id;
        ck_assert_int_eq(bvp_broad_new(NULL, &broad), BVP_OK);
        ck_assert_int_eq(bvp_broad_add(broad, &body, &id), BVP_OK);
        for (int k = 0; k < PLACES; k++) {
            random_place(&state, m);
            for (int i = 0; i < 3; i++)
                m[4 * i + 3] = case_uniform(&state) - 0.5;
            ck_assert_int_eq(bvp_broad_move(broad, id, m), BVP_OK);
            ck_assert_int_eq(bvpi_compose(m, instance, product), BVP_OK);
            bvp_broad_box(broad, id, lo, hi);
            outside += count_outside(product, point, point, 0, lo, hi);
        }
        bvp_broad_free(broad);
        case_close(&f);
    }
    ck_assert_int_eq(outside, 0);
}
END_TEST

SUITE(test_broad_boxes)
{
    const TTest *const tests[] = {parts_are_held, products_of_placements_are_held, NULL};
    return suite_run("broad_boxes", tests);
}
