/* SPDX-License-Identifier: MIT
 * test_info.c: what the getters say about a file whose every field is known, and about bad indices.
 */
#include "repair.h"
#include "suite.h"
#include "tiny_open.h"

static void expect_string(bvp_string string, const char *text)
{
    ck_assert_uint_eq(string.size, strlen(text));
    ck_assert_int_eq(memcmp(string.data, text, string.size), 0);
}

START_TEST(test_file_info)
{
    bvp_file_info info;
    bvp_file *file = open_tiny();
    bvp_get_info(file, &info);
    ck_assert_uint_eq(info.format_major, 0);
    ck_assert_uint_eq(info.format_minor, 7);
    ck_assert_uint_eq(info.file_size, size);
    ck_assert_uint_eq(info.triangle_count, 7);
    ck_assert_uint_eq(info.unique_triangle_count, 4);
    ck_assert_uint_eq(info.part_count, 2);
    ck_assert_uint_eq(info.instance_count, 3);
    ck_assert_uint_eq(info.node_count, 4);
    ck_assert_int_eq(info.up, BVP_UP_Z);
    ck_assert(info.unit_in_metres == 0.001);
    ck_assert(info.tessellation_tolerance == 0.25);
    ck_assert(info.lo[0] == -8 && info.hi[2] == 1.5);
    ck_assert_uint_eq(info.hierarchy_size, 320);
    ck_assert_uint_eq(info.hierarchy_size + info.geometry_size + info.id_size + info.other_size,
                      size);
    ck_assert_mem_eq(info.root_hash, bytes + 48, 16);
    close_tiny(file);
}
END_TEST

START_TEST(test_part_info)
{
    bvp_part_info part;
    bvp_file *file = open_tiny();
    ck_assert_int_eq(bvp_get_part(file, 0, &part), BVP_OK);
    expect_string(part.name, "part");
    expect_string(part.source_id, "");
    ck_assert_uint_eq(part.triangle_count, 3);
    ck_assert_uint_eq(part.vertex_count, 7);
    ck_assert_uint_eq(part.cluster_count, 2);
    ck_assert_uint_eq(part.hierarchy_count, 1);
    ck_assert(part.lo[0] == 0 && part.hi[0] == 9 && part.hi[1] == 4);
    ck_assert_uint_eq(part.hierarchy_size, 192);
    ck_assert_uint_eq(part.geometry_size, TINY_BLOB_0 - 192);
    ck_assert_uint_eq(part.id_size, 20);
    ck_assert_int_eq(part.has_ids, 1);
    ck_assert_int_eq(bvp_get_part(file, 1, &part), BVP_OK);
    ck_assert_int_eq(part.has_ids, 0);
    ck_assert(part.origin[2] == 0.5);
    ck_assert_int_eq(bvp_get_part(file, 2, &part), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_part(file, BVP_ASSEMBLY, &part), BVP_ERR_ARGUMENT);
    close_tiny(file);
}
END_TEST

START_TEST(test_tree)
{
    bvp_node_info node;
    bvp_instance_info instance;
    bvp_file *file = open_tiny();
    ck_assert_int_eq(bvp_get_node(file, 0, &node), BVP_OK);
    ck_assert_uint_eq(node.parent, BVP_NONE);
    ck_assert(node.part == 0 && node.instance == 0);
    ck_assert_int_eq(bvp_get_node(file, 1, &node), BVP_OK);
    ck_assert(node.parent == 0 && node.part == BVP_NONE && node.instance == BVP_NONE);
    expect_string(node.name, "part");
    ck_assert(node.placement[0] == -1 && node.placement[3] == 1);
    ck_assert_uint_eq(node.property_count, 2);
    ck_assert_int_eq(bvp_get_node(file, 4, &node), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_instance(file, 2, &instance), BVP_OK);
    ck_assert(instance.part == 1 && instance.node == 3 && instance.placement[11] == 0.5);
    ck_assert_int_eq(bvp_get_instance(file, 3, &instance), BVP_ERR_ARGUMENT);
    close_tiny(file);
}
END_TEST

START_TEST(test_properties)
{
    bvp_string key, value;
    bvp_file *file = open_tiny();
    ck_assert_int_eq(bvp_get_property(file, 1, 0, &key, &value), BVP_OK);
    expect_string(key, "key");
    expect_string(value, "\xc3\xa4");
    ck_assert_int_eq(bvp_get_property(file, 1, 1, &key, &value), BVP_OK);
    expect_string(value, "");
    ck_assert_int_eq(bvp_get_property(file, 1, 2, &key, &value), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_property(file, 0, 0, &key, &value), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_property(file, 4, 0, &key, &value), BVP_ERR_ARGUMENT);
    close_tiny(file);
}
END_TEST

START_TEST(test_provenance)
{
    char text[200];
    size_t told;
    bvp_file *file = open_tiny();
    ck_assert_int_eq(bvp_get_provenance(file, NULL, 0, &told, NULL), BVP_OK);
    ck_assert_uint_eq(told, 114);
    memset(text, '!', sizeof text);
    ck_assert_int_eq(bvp_get_provenance(file, text, 10, &told, NULL), BVP_OK);
    ck_assert_int_eq(memcmp(text, "{\"sources\"!", 11), 0);
    ck_assert_int_eq(bvp_get_provenance(file, text, sizeof text, &told, NULL), BVP_OK);
    ck_assert(text[113] == '}' && text[114] == '!');
    close_tiny(file);
}
END_TEST

/* What the checked mode promises: wrong numbers are errors or wrong answers, never wrong reads. */
START_TEST(test_damaged)
{
    static const struct {
        int section;
        uint32_t offset;
    } fields[] = {
        {BVPD_PART, offsetof(bvpd_part, data_off)},
        {BVPD_PART, offsetof(bvpd_part, data_size) + 4},
        {BVPD_PART, offsetof(bvpd_part, ids_size) + 4},
        {BVPD_PART, offsetof(bvpd_part, cluster_table_off) + 4},
        {BVPD_PART, offsetof(bvpd_part, cluster_count)},
        {BVPD_PART, offsetof(bvpd_part, lo)},
        {BVPD_PART, offsetof(bvpd_part, origin) + 4},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        bvp_part_info part;
        bvp_file *file = open_tiny();
        memset(bytes + file->header.sections[fields[i].section].offset + fields[i].offset, 0xff, 4);
        ck_assert_int_eq(bvp_get_part(file, 0, &part), BVP_ERR_CORRUPT);
        ck_assert_int_eq(bvp_get_part(file, 1, &part), BVP_OK);
        close_tiny(file);
    }
    bvp_node_info node;
    bvp_instance_info instance;
    bvp_string key, value;
    bvp_file *file = open_tiny();
    uint8_t *tree = bytes + file->header.sections[BVPD_TREE].offset;
    memset(tree + 24 + offsetof(bvpd_tree_node, name), 0xff, 4);
    ck_assert_int_eq(bvp_get_node(file, 1, &node), BVP_OK);
    expect_string(node.name, "");
    memset(tree + 24 + offsetof(bvpd_tree_node, first_property), 0xff, 4);
    ck_assert_int_eq(bvp_get_property(file, 1, 1, &key, &value), BVP_ERR_ARGUMENT);
    memset(tree + 24 + offsetof(bvpd_tree_node, item), 0xff, 4);
    ck_assert_int_eq(bvp_get_node(file, 1, &node), BVP_ERR_CORRUPT);
    memset(tree + 48, 0xff, 4);
    ck_assert_int_eq(bvp_get_node(file, 2, &node), BVP_ERR_CORRUPT);
    memset(bytes + file->header.sections[BVPD_INST].offset + offsetof(bvpd_instance, part), 0xff,
           4);
    ck_assert_int_eq(bvp_get_instance(file, 0, &instance), BVP_ERR_CORRUPT);
    close_tiny(file);
}
END_TEST

SUITE(test_info)
{
    const TTest *const tests[] = {test_file_info,  test_part_info, test_tree, test_properties,
                                  test_provenance, test_damaged,   NULL};
    return suite_run("info", tests);
}
