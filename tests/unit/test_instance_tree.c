/* SPDX-License-Identifier: MIT
 * test_instance_tree.c: paths, labels, part numbers, and hashes that do not depend on indices.
 */
#include <stdio.h>
#include <stdlib.h>
#include "clash_tree_case.h"
#include "suite.h"
#include "cli/verb.h"
#include "query/instance_title.h"

START_TEST(paths)
{
    clash_case c = clash_case_open();
    static const char *const expected[CASE_INSTANCES] = {
        "skid/bolt",  "skid/bolt[2]", "skid/flange",    "skid/thing",
        "shed/a\\/b", "shed/bolt",    "shed/rack/book", "moon"};
    uint32_t seen = 0;
    for (int i = 0; i < CASE_INSTANCES; i++)
        seen |= 1u << clash_case_find(&c, expected[i]);
    ck_assert_uint_eq(seen, (1u << CASE_INSTANCES) - 1);
    ck_assert_int_eq(instance_tree_index(&c.tree), 0);
    for (int i = 0; i < CASE_INSTANCES; i++)
        ck_assert_uint_eq(instance_tree_find(&c.tree, expected[i]),
                          clash_case_find(&c, expected[i]));
    ck_assert_uint_eq(instance_tree_find(&c.tree, "skid"), BVP_NONE);
    clash_case_close(&c);
}
END_TEST

static void expect(bvp_string text, const char *wanted)
{
    ck_assert_uint_eq(text.size, strlen(wanted));
    ck_assert_mem_eq(text.data, wanted, text.size);
}

START_TEST(labels_and_numbers)
{
    clash_case c = clash_case_open();
    const instance_tree *t = &c.tree;
    const uint32_t flange = instance_tree_node(t, clash_case_find(&c, "skid/flange"));
    const uint32_t unnamed = instance_tree_node(t, clash_case_find(&c, "skid/thing"));
    expect(instance_tree_label(t, flange), "flange");
    expect(instance_tree_part_number(t, flange), "P-7");
    expect(instance_tree_label(t, unnamed), "thing");
    expect(instance_tree_part_number(t, unnamed), "thing");
    expect(instance_tree_label(t, instance_tree_parent(t, flange)), "skid");
    ck_assert_uint_eq(instance_tree_parent(t, 0), BVP_NONE);
    ck_assert_uint_eq(instance_tree_parent(t, BVP_NONE - 1), BVP_NONE);
    clash_case_close(&c);
}
END_TEST

/* A file of nodes below one root, given in the order of `names`. */
static case_file flat(const char *root, const char *const *names, const char *const *ids)
{
    static const float soup[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const bvp_mesh mesh = case_mesh(soup, 1);
    bvp_builder *builder;
    uint32_t part;
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    const uint32_t top = case_node(builder, BVP_NONE, root, NULL, BVP_NONE);
    for (int i = 0; names[i]; i++)
        case_node(builder, top, names[i], ids ? ids[i] : NULL, part);
    return case_finish(builder);
}

/* The hash of the node that has this path. */
static void hash_of(const case_file *file, const char *path, uint8_t hash[16])
{
    clash_case c = {.file = *file};
    ck_assert_int_eq(instance_tree_open(&c.tree, file->file), 0);
    memcpy(hash, c.tree.hashes[instance_tree_node(&c.tree, clash_case_find(&c, path))], 16);
    instance_tree_close(&c.tree);
}

START_TEST(hashes_stay)
{
    case_file one = flat("monday", (const char *const[]){"a", "b", "b", NULL}, NULL);
    case_file other = flat("tuesday", (const char *const[]){"c", "b", "new", "b", "a", NULL}, NULL);
    uint8_t h[2][16], second[16];
    static const char *const paths[] = {"a", "b", "b[2]"};
    for (int i = 0; i < 3; i++) {
        hash_of(&one, paths[i], h[0]);
        hash_of(&other, paths[i], h[1]);
        ck_assert_mem_eq(h[0], h[1], 16);
    }
    hash_of(&one, "b", h[0]);
    hash_of(&one, "b[2]", second);
    ck_assert(memcmp(h[0], second, 16) != 0);
    case_close(&one);
    case_close(&other);
}
END_TEST

/* Nodes of one name with source ids of their own: their order does not matter. */
START_TEST(source_ids_tell_apart)
{
    case_file one = flat("x", (const char *const[]){"b", "b", "y", NULL},
                         (const char *const[]){"id1", "id2", NULL});
    case_file other = flat("x", (const char *const[]){"b", "b", "y", NULL},
                           (const char *const[]){"id2", "id1", NULL});
    instance_tree s, t;
    ck_assert_int_eq(instance_tree_open(&s, one.file), 0);
    ck_assert_int_eq(instance_tree_open(&t, other.file), 0);
    ck_assert_mem_eq(s.hashes[1], t.hashes[2], 16);
    ck_assert_mem_eq(s.hashes[2], t.hashes[1], 16);
    ck_assert_uint_eq(s.ordinals[2], 1);
    instance_tree_close(&s);
    instance_tree_close(&t);
    case_close(&one);
    case_close(&other);
}
END_TEST

static const char *root_name = "line", *part_number;

/* One node below another below the root; the part is called "thing", or as told. */
static void expect_title(const char *above, const char *own, const char *part_name,
                         const char *wanted)
{
    static const float soup[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    bvp_mesh mesh = case_mesh(soup, 1);
    bvp_builder *builder;
    instance_tree t;
    growing_text title = {0};
    uint32_t part;
    mesh.name = part_name;
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    const uint32_t root = case_node(builder, BVP_NONE, root_name, NULL, BVP_NONE);
    const uint32_t middle = case_node(builder, root, above, NULL, BVP_NONE);
    case_node(builder, middle, own, NULL, part);
    const uint32_t node = case_node(builder, middle, own, NULL, part);
    if (part_number)
        ck_assert_int_eq(bvp_builder_add_property(builder, node, "part_number", part_number, NULL),
                         BVP_OK);
    case_file file = case_finish(builder);
    ck_assert_int_eq(instance_tree_open(&t, file.file), 0);
    ck_assert_int_eq(instance_title(&t, node, &title), 0);
    ck_assert_str_eq(title.data, wanted);
    growing_text_free(&title);
    instance_tree_close(&t);
    case_close(&file);
}

START_TEST(titles)
{
    expect_title("gripper", "finger", "SOLID", "finger");
    expect_title("gripper", "1002", "SOLID", "1002"); /* a part number */
    expect_title("gripper", "SOLID", "SOLID", "gripper/SOLID[2]");
    expect_title("gripper", "Body 3", NULL, "gripper/Body 3[2]");
    expect_title("gripper", "mesh_012", "", "gripper/mesh_012[2]");
    expect_title("gripper", "Meshwork", "", "Meshwork");
    expect_title("gripper", "=>[0:1:1:3]", "", "gripper/=>[0:1:1:3][2]");
    expect_title("gripper", "SOLID", "finger", "finger");
    expect_title("gripper", "  ", NULL, "gripper/  [2]");
    expect_title("gripper", NULL, NULL, "gripper/unnamed[2]");
    expect_title("Compound", "Shape.001", NULL, "line/Compound/Shape.001[2]");
    expect_title("a/b", "solid", NULL, "a\\/b/solid[2]");
    /* nothing above tells either: never "unnamed" alone */
    root_name = "unnamed";
    expect_title("unnamed", "body_8", NULL, "body_8[2]");
    expect_title("Solid", "unnamed", NULL, "Solid/unnamed[2]");
    expect_title("unnamed", NULL, NULL, "unnamed part 1");
    expect_title(" NULL ", "", "default", "unnamed part 1");
    root_name = "line";
    part_number = "P-7";
    expect_title("gripper", "SOLID", NULL, "P-7");
    part_number = "0:1";
    expect_title("gripper", "SOLID", NULL, "gripper/SOLID[2]");
    part_number = NULL;
}
END_TEST

SUITE(test_instance_tree)
{
    const TTest *const list[] = {
        paths, labels_and_numbers, hashes_stay, source_ids_tell_apart, titles, NULL};
    return suite_run("instance_tree", list);
}
