/* SPDX-License-Identifier: MIT
 * test_far_placements.c: placements anywhere in double's range: packing refuses what queries cannot
 * compute with, and a file that has it nevertheless is damaged, whatever is asked. BVP_SEED.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_case.h"
#include "bvpack_clash.h"
#include "clash_case.h"
#include "repair.h"
#include "suite.h"

static const double turned[12] = {.6, -.8, 0, .5, .8, .6, 0, 0, 0, 0, 1, .25};

/* ---- answers --------------------------------------------------------------------------------- */

/* Does the caller's placement take an instance out of the range that lies in it? Then, and only
 * then, the caller may be to blame. */
static bool is_beyond;

/* The range that exactness.md promises, in long double; `unsure` takes what its rounding leaves
 * open for beyond, -unsure for inside. */
static const long double unsure = 0x1p-40L;
static bool is_out_of_range(const long double m[12], long double unsure_part)
{
    long double linear = 0, moved = 0, det = 0, terms = 0, cofactors = 0;
    for (int i = 0; i < 12; i++) {
        if (!isfinite(m[i]))
            return true;
        if (i % 4 == 3)
            moved = fmaxl(moved, fabsl(m[i]));
        else
            linear = fmaxl(linear, fabsl(m[i]));
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const int r1 = (k + 1) % 3, r2 = (k + 2) % 3, c1 = (i + 1) % 3, c2 = (i + 2) % 3;
            const long double cofactor =
                m[4 * r1 + c1] * m[4 * r2 + c2] - m[4 * r1 + c2] * m[4 * r2 + c1];
            cofactors = fmaxl(cofactors, fabsl(cofactor));
            if (k == 0) {
                det += cofactor * m[i];
                terms += fabsl(cofactor * m[i]);
            }
        }
    return linear > 0x1p200L * (1 - unsure_part) || linear < 0x1p-200L * (1 + unsure_part) ||
           moved > 0x1p300L * (1 - unsure_part) || fabsl(det) <= terms * unsure_part ||
           fabsl(det) < 0x1p-800L * (1 + unsure_part) ||
           cofactors > 0x1p400L * (1 - unsure_part) * fabsl(det);
}

/* Of the instances that can be read. */
static bool is_taken_beyond(const bvp_file *file, const double placement[12])
{
    bvp_file_info info;
    bvp_instance_info instance;
    bvp_get_info(file, &info);
    for (uint32_t i = 0; i < info.instance_count; i++) {
        long double product[12], own[12];
        if (bvp_get_instance(file, i, &instance) != BVP_OK)
            continue;
        for (int k = 0; k < 12; k++) {
            own[k] = instance.placement[k];
            product[k] = k % 4 == 3 ? placement[k] : 0;
            for (int c = 0; c < 3; c++)
                product[k] +=
                    (long double)placement[k / 4 * 4 + c] * instance.placement[4 * c + k % 4];
        }
        if (is_out_of_range(product, unsure) && !is_out_of_range(own, -unsure))
            return true;
    }
    return false;
}

static void check_status(bvp_status status, const char *what, double value)
{
    ck_assert_msg(status == BVP_OK || status == BVP_ERR_CORRUPT ||
                      (is_beyond && status == BVP_ERR_ARGUMENT),
                  "%s, %g: %s", what, value, bvp_status_name(status));
}

static void check_number(double number, const char *what, double value)
{
    ck_assert_msg(number >= 0 && number < INFINITY, "%s, %g: %g", what, value, number);
}

static void ask_distance(const bvp_body *a, const bvp_body *b, double value)
{
    bvp_distance_result nearest;
    int hit;
    bvp_status status = bvp_distance(a, b, INFINITY, &nearest, NULL);
    check_status(status, "distance", value);
    if (status == BVP_OK && nearest.found) {
        check_number(nearest.distance, "distance", value);
        check_number(nearest.lower, "lower", value);
        ck_assert_double_le(nearest.lower, nearest.distance);
    }
    status = bvp_within(a, b, 3, &hit, &nearest, NULL);
    check_status(status, "within", value);
    if (status == BVP_OK && hit)
        check_number(nearest.distance, "within", value);
    check_status(bvp_collide(a, b, &hit, NULL), "collide", value);
}

static void ask_one(const bvp_body *body, double value)
{
    const bvp_ray ray = {.origin = {-9, .3, .4}, .direction = {1, .01, .02}, .t_max = INFINITY};
    const double lo[3] = {-1, -1, -1}, hi[3] = {2, 2, 2};
    bvp_closest_result closest[4];
    bvp_ray_hit hit;
    uint32_t instances[4];
    uint64_t count = 0;
    bvp_status status = bvp_closest(body, hi, INFINITY, closest, NULL);
    check_status(status, "closest", value);
    if (status == BVP_OK && closest->found)
        check_number(closest->distance, "closest", value);
    status = bvp_ray_first(body, &ray, &hit, NULL);
    check_status(status, "ray", value);
    if (status == BVP_OK && hit.found)
        check_number(hit.t, "ray", value);
    check_status(bvp_overlap(body, bvp_box_region(lo, hi), NULL, NULL, &count, NULL), "region",
                 value);
    status = bvp_nearest_instances(body, lo, INFINITY, (bvp_array){closest, 0, 4}, &count, NULL);
    check_status(status, "nearest instances", value);
    for (uint64_t i = 0; status == BVP_OK && i < count; i++)
        check_number(closest[i].distance, "nearest instances", value);
    check_status(bvp_instances_in(body, bvp_box_region(lo, hi), 0, (bvp_array){instances, 0, 4},
                                  &count, NULL),
                 "instances", value);
}

static int check_pair(void *user, const bvp_clash_pair *pair)
{
    const double value = *(const double *)user;
    check_number(pair->distance, "clash", value);
    check_number(pair->lower, "clash's lower", value);
    check_number(pair->depth, "depth", value);
    ck_assert(pair->lower <= pair->distance && pair->depth <= pair->depth_upper);
    for (int i = 0; i < 3; i++)
        ck_assert(isfinite(pair->point_a[i]) && isfinite(pair->point_b[i]));
    return 0;
}

static void ask_clash(const bvp_file *a, const bvp_file *b, double value)
{
    for (int detail = 0; detail <= BVP_CLASH_FAST_CONTACTS; detail++) {
        const bvp_clash_options options = {
            .limits = {1e60, NAN, NAN}, .detail = (bvp_clash_detail)detail, .thread_count = 1};
        bvp_clash_pair pair;
        bvp_status status =
            bvp_clash(&(bvp_clash_scene){.a = a, .b = b, .placement_b = b ? turned : NULL},
                      &options, check_pair, &value, NULL, NULL);
        check_status(status, "clash", value);
        status = bvp_clash_one(&(bvp_clash_scene){.a = a, .b = b, .placement_b = b ? turned : NULL},
                               0, 1, &options.limits, options.detail, &pair);
        check_status(status, "one clash", value);
        if (status == BVP_OK && pair.verdict != BVP_VERDICT_CLEAR)
            check_pair(&value, &pair);
    }
}

static void ask(const bvp_file *file, double value)
{
    const bvp_body all = {.file = file, .part = BVP_ASSEMBLY};
    const bvp_body moved = {.file = file, .part = BVP_ASSEMBLY, .placement = turned};
    const bvp_body part = {.file = file, .part = 0, .placement = turned};
    is_beyond = false;
    ask_one(&all, value);
    ask_distance(&all, &part, value);
    ask_distance(&all, NULL, value);
    ask_clash(file, NULL, value);
    is_beyond = is_taken_beyond(file, turned);
    ask_one(&moved, value);
    ask_distance(&all, &moved, value);
    ask_clash(file, file, value);
}

/* ---- scenes ---------------------------------------------------------------------------------- */

/* Two boxes below a node that is placed, the second one scaled. */
static bvp_builder *start(const double frame[12], const double placement[12])
{
    static solid s;
    const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    bvp_builder *builder;
    uint32_t part, node;
    s.count = 0;
    solid_box(&s, zero, one, 0, -1);
    const bvp_mesh mesh = case_mesh(s.soup, s.count);
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_node(builder,
                                          &(bvp_new_node){.parent = BVP_NONE,
                                                          .name = "frame",
                                                          .placement = frame,
                                                          .part = BVP_NONE},
                                          &node, NULL),
                     BVP_OK);
    ck_assert_int_eq(
        bvp_builder_add_node(builder, &(bvp_new_node){.parent = node, .name = "a", .part = part},
                             NULL, NULL),
        BVP_OK);
    ck_assert_int_eq(
        bvp_builder_add_node(
            builder,
            &(bvp_new_node){.parent = node, .name = "b", .placement = placement, .part = part},
            NULL, NULL),
        BVP_OK);
    return builder;
}

static case_file make_file(void)
{
    const double frame[12] = {0, -1, 0, 3, 1, 0, 0, 0, 0, 0, 1, 7};
    const double placement[12] = {2, 0, 0, .5, 0, 2, 0, .5, 0, 0, 2.5, .5};
    return case_finish(start(frame, placement));
}

/* Powers of two of all sizes, with some other bits, and what is no number. */
static double any_number(uint64_t *state)
{
    const uint64_t bits = case_random(state);
    const int exponent = (int)(bits % 2100) - 1060;
    if (bits % 97 == 0)
        return bits & 1 << 20 ? NAN : INFINITY;
    return ldexp(bits >> 40 & 1 ? -1 : 1, exponent) * (bits >> 41 & 1 ? 1 : 1.7);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* What is packed can be asked, verified, and gives numbers; the rest is refused. */
START_TEST(packed)
{
    const double near[12] = {1, 0, 0, 1.5, 0, 1, 0, 0, 0, 0, 1, 0};
    int refused = 0, taken = 0;
    for (int exponent = -1070; exponent <= 1023; exponent += 23)
        for (int which = 0; which < 4; which++) {
            const double value = ldexp(1.25, exponent);
            double far[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
            far[which == 0 ? 3 : 0] = value;
            if (which > 1)
                far[5] = far[10] = value;
            bvp_builder *builder = which == 3 ? start(far, near) : start(near, far);
            FILE *out = tmpfile();
            bvp_error error;
            ck_assert_ptr_nonnull(out);
            const bvp_status status = bvp_builder_finish_fd(builder, fileno(out), NULL, &error);
            fclose(out);
            bvp_builder_free(builder);
            ck_assert(status == BVP_OK || status == BVP_ERR_ARGUMENT);
            refused += status != BVP_OK;
            taken += status == BVP_OK;
            if (status != BVP_OK) {
                ck_assert_ptr_nonnull(strstr(error.message, "too large"));
                continue;
            }
            case_file file = case_finish(which == 3 ? start(far, near) : start(near, far));
            ask(file.file, value);
            case_close(&file);
        }
    ck_assert_int_gt(refused, 50);
    ck_assert_int_gt(taken, 50);
}
END_TEST

/* One number, or two, of the instances, linear parts or frames of a sound file. */
START_TEST(damaged)
{
    static const enum bvpd_section_index tables[] = {BVPD_INST, BVPD_INST, BVPD_LINS, BVPD_PLAC};
    uint64_t state = case_seed();
    case_file sound = make_file();
    for (int round = 0; round < 600; round++) {
        uint8_t *bytes = copy_aligned(sound.bytes, sound.size);
        const bvpd_header *h = (const bvpd_header *)(const void *)bytes;
        double value = 0;
        bvp_file *file;
        ck_assert_ptr_nonnull(bytes);
        for (uint64_t left = 1 + case_random(&state) % 2; left > 0; left--) {
            const enum bvpd_section_index table = tables[case_random(&state) % 4];
            const bvpd_section *section = &h->sections[bvpi_find_section(h, table)];
            uint64_t at = case_random(&state) % (section->size / 8) * 8;
            if (table == BVPD_INST)
                at = case_random(&state) % 2 * sizeof(bvpd_instance) + case_random(&state) % 3 * 8;
            value = any_number(&state);
            memcpy(bytes + section->offset + at, &value, 8);
        }
        repair_file(bytes, sound.size);
        const bvp_status status = bvp_open_memory(bytes, sound.size, NULL, &file, NULL);
        ck_assert(status == BVP_OK || status == BVP_ERR_CORRUPT || status == BVP_ERR_NEWER);
        if (status == BVP_OK) {
            ask(file, value);
            bvp_close(file);
        }
        free(bytes);
    }
    case_close(&sound);
}
END_TEST

/* Any bytes of the instances: what is wrong is so in the file, and not with what was asked. */
START_TEST(flipped)
{
    uint64_t state = case_seed();
    case_file sound = make_file();
    int corrupt = 0;
    for (int round = 0; round < 1500; round++) {
        static const enum bvpd_section_index tables[] = {BVPD_INST, BVPD_INST, BVPD_HIER, BVPD_PART,
                                                         BVPD_DATA};
        uint8_t *bytes = copy_aligned(sound.bytes, sound.size);
        const bvpd_header *h = (const bvpd_header *)(const void *)bytes;
        const bvpd_section *section =
            &h->sections[bvpi_find_section(h, tables[case_random(&state) % 5])];
        bvp_file *file;
        ck_assert_ptr_nonnull(bytes);
        bytes[section->offset + case_random(&state) % section->size] ^=
            (uint8_t)(1 + case_random(&state) % 255);
        repair_file(bytes, sound.size);
        if (bvp_open_memory(bytes, sound.size, NULL, &file, NULL) == BVP_OK) {
            int hit;
            const bvp_body all = {.file = file, .part = BVP_ASSEMBLY};
            corrupt += bvp_collide(&all, NULL, &hit, NULL) == BVP_ERR_CORRUPT;
            ask(file, round);
            bvp_close(file);
        }
        free(bytes);
    }
    ck_assert_int_gt(corrupt, 10);
    case_close(&sound);
}
END_TEST

/* A sound file at the end of the range, which a caller's scale of 4 takes beyond. */
START_TEST(scaled)
{
    static const float soup[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double s = 0x1p199, far[12] = {s, 0, 0, 0, 0, s, 0, 0, 0, 0, s, 0};
    static const double twice[12] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0};
    static const double four[12] = {4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 4, 0};
    const bvp_mesh mesh = case_mesh(soup, 1);
    bvp_builder *builder;
    uint32_t part, node;
    int hit;
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    ck_assert_int_eq(
        bvp_builder_add_node(builder,
                             &(bvp_new_node){.parent = BVP_NONE, .placement = far, .part = part},
                             &node, NULL),
        BVP_OK);
    case_file f = case_finish(builder);
    const bvp_body plain = {.file = f.file, .part = BVP_ASSEMBLY};
    const bvp_body inside = {.file = f.file, .part = BVP_ASSEMBLY, .placement = twice};
    const bvp_body beyond = {.file = f.file, .part = BVP_ASSEMBLY, .placement = four};
    ck_assert_int_eq(bvp_collide(&plain, &plain, &hit, NULL), BVP_OK);
    ck_assert(hit);
    ck_assert_int_eq(bvp_collide(&inside, &plain, &hit, NULL), BVP_OK);
    ck_assert(hit);
    ck_assert_int_eq(bvp_collide(&beyond, &plain, &hit, NULL), BVP_ERR_ARGUMENT);
    case_close(&f);
}
END_TEST

SUITE(test_far_placements)
{
    const TTest *const list[] = {packed, damaged, flipped, scaled, NULL};
    return suite_run("far_placements", list);
}
