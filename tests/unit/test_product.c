/* SPDX-License-Identifier: MIT
 * test_product.c: product trees, names, properties, instances, and what is refused or dropped.
 */
#include "build_case.h"
#include "format/record.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float soup[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 2, 1};

static bvp_builder *start(const bvp_build_options *options)
{
    const bvp_mesh mesh = case_mesh(soup, 2);
    bvp_builder *builder;
    uint32_t part;
    ck_assert_int_eq(bvp_builder_new(options, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    return builder;
}

static uint32_t add(bvp_builder *b, uint32_t parent, const char *name, const double *m,
                    uint32_t part)
{
    uint32_t node;
    bvp_error error = {0};
    bvp_status status = bvp_builder_add_node(
        b, &(bvp_new_node){.parent = parent, .name = name, .placement = m, .part = part}, &node,
        &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    return node;
}

static void random_placement(uint64_t *state, double m[12])
{
    const double size = exp((case_uniform(state) - 0.5) * 4);
    for (int i = 0; i < 12; i++)
        m[i] = (case_uniform(state) - 0.5) * (i % 4 == 3 ? 1e5 : size);
    for (int i = 0; i < 12; i += 5)
        m[i] += size;
}

static void check_string(bvp_string s, const char *expected)
{
    ck_assert_uint_eq(s.size, strlen(expected));
    ck_assert_int_eq(memcmp(s.data, expected, s.size), 0);
}

/* Each instance has a box of its own: entering one costs more than a dozen boxes. */
static void check_leaves(const bvp_file *file, uint32_t instances)
{
    bvpi_tree top;
    if (instances == 0)
        return;
    ck_assert_int_eq(bvpi_get_top_tree(file, 0, &top), BVP_OK);
    ck_assert_uint_eq(top.leaf_size, 1);
}

/* The verifier compares every instance with the product of its nodes and its leaf's box. */
START_TEST(test_random_trees)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 40; round++) {
        bvp_builder *b = start(NULL);
        const uint32_t count = 1 + (uint32_t)(case_random(&state) % 400);
        uint32_t instances = 0;
        for (uint32_t i = 0; i < count; i++) {
            double m[12];
            random_placement(&state, m);
            const uint32_t parent =
                i == 0 || case_random(&state) % 9 == 0
                    ? BVP_NONE
                    : (i < 30 ? i - 1 : (uint32_t)(case_random(&state) % i % 20));
            const uint32_t part = case_random(&state) % 3 ? 0 : BVP_NONE;
            instances += part == 0;
            add(b, parent, i % 2 ? "odd" : NULL, case_random(&state) % 4 ? m : NULL, part);
        }
        case_file file = case_finish(b);
        ck_assert_uint_eq(file.report.instance_count, instances);
        ck_assert_uint_ge(file.report.node_count, count);
        check_leaves(file.file, instances);
        case_close(&file);
    }
}
END_TEST

START_TEST(test_tree_reads_back)
{
    const double moved[12] = {1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7};
    bvp_builder *b = start(NULL);
    const uint32_t root = add(b, BVP_NONE, "r\xc3\xb6ot", NULL, BVP_NONE);
    const uint32_t left = add(b, root, "left", moved, 0);
    const uint32_t right = add(b, left, "right", moved, 0);
    bvp_builder_add_property(b, right, "k2", "v2", NULL);
    bvp_builder_add_property(b, root, "k0", "v0", NULL);
    bvp_builder_add_property(b, right, "k3", "", NULL);
    case_file file = case_finish(b);
    bvp_node_info info;
    bvp_string key, value;
    ck_assert_int_eq(bvp_get_node(file.file, 0, &info), BVP_OK);
    check_string(info.name, "r\xc3\xb6ot");
    ck_assert_uint_eq(info.parent, BVP_NONE);
    ck_assert_uint_eq(info.part, BVP_NONE);
    ck_assert_int_eq(bvp_get_node(file.file, 2, &info), BVP_OK);
    ck_assert_uint_eq(info.parent, 1);
    ck_assert_uint_eq(info.part, 0);
    ck_assert_uint_eq(info.property_count, 2);
    ck_assert_mem_eq(info.placement, moved, sizeof moved);
    bvp_get_property(file.file, 2, 0, &key, &value);
    check_string(key, "k2");
    check_string(value, "v2");
    bvp_get_property(file.file, 2, 1, &key, &value);
    check_string(key, "k3");
    check_string(value, "");
    bvp_instance_info instance;
    bvp_get_instance(file.file, info.instance, &instance);
    ck_assert_uint_eq(instance.node, 2);
    ck_assert_double_eq(instance.placement[3], 10);
    ck_assert_double_eq(instance.placement[11], 14);
    case_close(&file);
}
END_TEST

START_TEST(test_several_roots)
{
    bvp_builder *b = start(NULL);
    add(b, BVP_NONE, "one", NULL, 0);
    const uint32_t two = add(b, BVP_NONE, "two", NULL, BVP_NONE);
    add(b, two, "three", NULL, 0);
    case_file file = case_finish(b);
    bvp_node_info info;
    ck_assert_uint_eq(file.report.node_count, 4);
    bvp_get_node(file.file, 0, &info);
    check_string(info.name, "");
    bvp_get_node(file.file, 3, &info);
    check_string(info.name, "three");
    ck_assert_uint_eq(info.parent, 2);
    case_close(&file);
}
END_TEST

START_TEST(test_default_tree)
{
    bvp_mesh mesh = case_mesh(soup, 1);
    bvp_builder *b = start(NULL);
    uint32_t part;
    mesh.name = "half";
    ck_assert_int_eq(bvp_builder_add_part(b, &mesh, &part, NULL), BVP_OK);
    case_file file = case_finish(b);
    bvp_node_info info;
    ck_assert_uint_eq(file.report.node_count, 3);
    bvp_get_node(file.file, 2, &info);
    check_string(info.name, "half");
    ck_assert_uint_eq(info.part, 1);
    case_close(&file);
}
END_TEST

/* Parts without a node, a tree without parts. */
START_TEST(test_no_instance)
{
    bvp_builder *b = start(NULL);
    add(b, BVP_NONE, "empty", NULL, BVP_NONE);
    case_file file = case_finish(b);
    bvp_file_info info;
    bvp_get_info(file.file, &info);
    ck_assert_uint_eq(info.instance_count, 0);
    ck_assert_uint_eq(info.triangle_count, 0);
    ck_assert_uint_eq(info.unique_triangle_count, 2);
    ck_assert(info.lo[0] > info.hi[0]);
    case_close(&file);
}
END_TEST

START_TEST(test_far_away)
{
    const double far[12] = {1, 0, 0, 1e7, 0, 1, 0, -1e7, 0, 0, 1, 1e7 / 3};
    bvp_builder *b = start(NULL);
    for (int i = 0; i < 20; i++)
        add(b, BVP_NONE, NULL, far, 0);
    case_file file = case_finish(b);
    bvp_file_info info;
    bvp_get_info(file.file, &info);
    ck_assert_double_eq(info.lo[0], 1e7);
    ck_assert_double_eq(info.hi[0], 1e7 + 1);
    ck_assert_double_lt(info.hi[2] - info.lo[2], 1 + 1e-8);
    case_close(&file);
}
END_TEST

/* ---- refusals ------------------------------------------------------------------------------- */

static const double flat[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
static const double endless[12] = {1, 0, 0, 0, 0, 1, 0, NAN, 0, 0, 1, 0};
static const double tiny[12] = {1e-40, 0, 0, 0, 0, 1e-40, 0, 0, 0, 0, 1e-40, 0};

START_TEST(test_refusals)
{
    bvp_builder *b = start(NULL);
    bvp_error error;
    uint32_t node;
    ck_assert_int_eq(
        bvp_builder_add_node(b, &(bvp_new_node){.parent = 0, .part = 0}, &node, &error),
        BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "parents first"));
    ck_assert_int_eq(
        bvp_builder_add_node(b, &(bvp_new_node){.parent = BVP_NONE, .part = 1}, &node, &error),
        BVP_ERR_ARGUMENT);
    ck_assert_int_eq(
        bvp_builder_add_node(
            b, &(bvp_new_node){.parent = BVP_NONE, .name = "x", .placement = flat, .part = 0},
            &node, &error),
        BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "singular"));
    ck_assert_int_eq(
        bvp_builder_add_node(
            b, &(bvp_new_node){.parent = BVP_NONE, .name = "x", .placement = endless, .part = 0},
            &node, &error),
        BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "not finite"));
    ck_assert_int_eq(
        bvp_builder_add_node(b, &(bvp_new_node){.parent = BVP_NONE, .name = "\x80", .part = 0},
                             &node, &error),
        BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "UTF-8"));
    ck_assert_int_eq(bvp_builder_add_property(b, 0, "k", "v", &error), BVP_ERR_ARGUMENT);
    case_file file = case_finish(b);
    case_close(&file);
}
END_TEST

START_TEST(test_too_deep)
{
    bvp_builder *b = start(NULL);
    bvp_error error;
    bvp_status status = BVP_OK;
    uint32_t node = BVP_NONE, levels = 0;
    for (; status == BVP_OK && levels < 5000; levels++)
        status = bvp_builder_add_node(b, &(bvp_new_node){.parent = node, .part = 0}, &node, &error);
    ck_assert_int_eq(status, BVP_ERR_LIMIT);
    ck_assert_uint_eq(levels, 1024);
    add(b, BVP_NONE, "second root", NULL, 0);
    case_file file = case_finish(b); /* with the root that is added it is as deep as can be */
    case_close(&file);
}
END_TEST

START_TEST(test_small_product)
{
    bvp_builder *b = start(NULL);
    bvp_error error;
    uint32_t node = BVP_NONE;
    for (int i = 0; i < 3; i++) /* fine alone, singular together */
        node = add(b, node, NULL, tiny, i == 2 ? 0 : BVP_NONE);
    ck_assert_int_eq(bvp_builder_finish_fd(b, -1, NULL, &error), BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "node 2"));
    bvp_builder_free(b);
}
END_TEST

START_TEST(test_drop_nodes)
{
    bvp_builder *b = start(&(bvp_build_options){.drop_invalid = 1});
    const uint32_t root = add(b, BVP_NONE, "root", NULL, BVP_NONE);
    const uint32_t bad = add(b, root, "bad", flat, 0);
    add(b, bad, "below bad", NULL, 0);
    const uint32_t good = add(b, root, "good", NULL, 0);
    bvp_builder_add_property(b, bad, "gone", "gone", NULL);
    bvp_builder_add_property(b, good, "kept", "kept", NULL);
    add(b, root, "not a number", endless, 0);
    uint32_t node = root;
    for (int i = 0; i < 3; i++)
        node = add(b, node, "small", tiny, i == 2 ? 0 : BVP_NONE);
    add(b, node, "below small", NULL, 0);
    case_file file = case_finish(b);
    ck_assert_uint_eq(file.report.dropped_node_count, 5);
    ck_assert_uint_eq(file.report.node_count, 4);
    ck_assert_uint_eq(file.report.instance_count, 1);
    bvp_node_info info;
    bvp_get_node(file.file, 1, &info);
    check_string(info.name, "good");
    ck_assert_uint_eq(info.property_count, 1);
    case_close(&file);
}
END_TEST

SUITE(test_product)
{
    const TTest *const tests[] = {test_random_trees,
                                  test_tree_reads_back,
                                  test_several_roots,
                                  test_default_tree,
                                  test_no_instance,
                                  test_far_away,
                                  test_refusals,
                                  test_too_deep,
                                  test_small_product,
                                  test_drop_nodes,
                                  NULL};
    return suite_run("product", tests);
}
