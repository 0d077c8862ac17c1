/* SPDX-License-Identifier: MIT
 * test_columns.c: instances, nodes, parts and properties in bulk: row by row what the single calls
 * say, for any range and any choice of columns; damaged records. Files from sources and over
 * buffers: questions.c; thin files: test_packed.c.
 */
#include "build_case.h"
#include "format/map.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 5, NODES = 400, MOST = 2 * NODES };

/* ---- a tree ---------------------------------------------------------------------------------- */

/* Groups and instances, some of them under others; with 0 to 3 properties. */
static case_file make_tree(void)
{
    uint64_t state = case_seed();
    bvp_builder *builder;
    uint32_t parts[PARTS], nodes[NODES];
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    for (uint32_t k = 0; k < PARTS; k++) {
        float *soup = case_soup(&state, 20 + k, 10, 1);
        bvp_mesh mesh = case_mesh(soup, 20 + k);
        char name[24];
        snprintf(name, sizeof name, "part %u", k);
        mesh.name = name;
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &parts[k], NULL), BVP_OK);
        free(soup);
    }
    for (uint32_t i = 0; i < NODES; i++) {
        char name[24], id[24];
        const uint32_t property_count = (uint32_t)(case_random(&state) % 4);
        double at[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        bvp_new_node node = {.parent = i == 0 || case_random(&state) % 3 == 0
                                           ? BVP_NONE
                                           : nodes[case_random(&state) % i],
                             .placement = at,
                             .part = BVP_NONE};
        at[3] = 10 * case_uniform(&state);
        at[1] = case_uniform(&state);
        if (case_random(&state) % 4 != 0)
            node.part = parts[case_random(&state) % PARTS];
        snprintf(name, sizeof name, "node %u", i);
        snprintf(id, sizeof id, "#%u", i);
        if (i % 7 != 0)
            node.name = name;
        if (i % 5 != 0)
            node.source_id = id;
        ck_assert_int_eq(bvp_builder_add_node(builder, &node, &nodes[i], NULL), BVP_OK);
        for (uint32_t k = 0; k < property_count; k++) {
            snprintf(name, sizeof name, "key %u", k);
            snprintf(id, sizeof id, "value %u of %u", k, i);
            ck_assert_int_eq(bvp_builder_add_property(builder, nodes[i], name, id, NULL), BVP_OK);
        }
    }
    return case_finish(builder);
}

static void check_string(bvp_string a, bvp_string b)
{
    ck_assert(a.size == b.size && (a.size == 0 || a.data == b.data));
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void check_instances(const bvp_file *file, bvp_range range, uint64_t expected)
{
    static uint32_t parts[MOST], nodes[MOST];
    static double placements[MOST][12];
    static bvp_string names[MOST];
    const bvp_instance_columns out = {
        .parts = parts, .nodes = nodes, .placements = placements[0], .names = names};
    uint64_t count = 99;
    ck_assert_int_eq(bvp_get_instances(file, range, &out, &count), BVP_OK);
    ck_assert_uint_eq(count, expected);
    for (uint64_t i = 0; i < count; i++) {
        bvp_instance_info info;
        bvp_node_info node;
        ck_assert_int_eq(bvp_get_instance(file, (uint32_t)(range.first + i), &info), BVP_OK);
        ck_assert_int_eq(bvp_get_node(file, info.node, &node), BVP_OK);
        ck_assert_uint_eq(parts[i], info.part);
        ck_assert_uint_eq(nodes[i], info.node);
        ck_assert_mem_eq(placements[i], info.placement, sizeof info.placement);
        check_string(names[i], node.name);
    }
}

static void check_nodes(const bvp_file *file, bvp_range range, uint64_t expected)
{
    static uint32_t columns[5][MOST];
    static double placements[MOST][12];
    static bvp_string names[MOST], source_ids[MOST];
    const bvp_node_columns out = {.parents = columns[0],
                                  .ends = columns[1],
                                  .parts = columns[2],
                                  .instances = columns[3],
                                  .property_counts = columns[4],
                                  .placements = placements[0],
                                  .names = names,
                                  .source_ids = source_ids};
    uint64_t count = 99;
    ck_assert_int_eq(bvp_get_nodes(file, range, &out, &count), BVP_OK);
    ck_assert_uint_eq(count, expected);
    for (uint64_t i = 0; i < count; i++) {
        bvp_node_info info;
        ck_assert_int_eq(bvp_get_node(file, (uint32_t)(range.first + i), &info), BVP_OK);
        ck_assert_uint_eq(columns[0][i], info.parent);
        ck_assert_uint_eq(columns[1][i], info.end);
        ck_assert_uint_eq(columns[2][i], info.part);
        ck_assert_uint_eq(columns[3][i], info.instance);
        ck_assert_uint_eq(columns[4][i], info.property_count);
        ck_assert_mem_eq(placements[i], info.placement, sizeof info.placement);
        check_string(names[i], info.name);
        check_string(source_ids[i], info.source_id);
    }
}

static void check_parts(const bvp_file *file, bvp_range range, uint64_t expected)
{
    bvp_part_info parts[PARTS + 1];
    uint64_t count = 99;
    ck_assert_int_eq(bvp_get_parts(file, range, parts, &count), BVP_OK);
    ck_assert_uint_eq(count, expected);
    for (uint64_t i = 0; i < count; i++) {
        bvp_part_info info;
        ck_assert_int_eq(bvp_get_part(file, (uint32_t)(range.first + i), &info), BVP_OK);
        ck_assert_mem_eq(&parts[i], &info, sizeof info);
    }
}

/* As many keys and values as there is room for; offsets of all. */
static void check_properties(const bvp_file *file, bvp_range range, uint64_t nodes, uint64_t room)
{
    static uint64_t offsets[MOST + 1];
    static bvp_string keys[4 * MOST], values[4 * MOST];
    const bvp_property_columns out = {.offsets = offsets, .keys = keys, .values = values};
    uint64_t count = 99, at = 0;
    keys[room] = values[room] = (bvp_string){"untouched", 9};
    ck_assert_int_eq(bvp_get_properties(file, range, room, &out, &count), BVP_OK);
    ck_assert_uint_eq(keys[room].size, 9);
    ck_assert_uint_eq(values[room].size, 9);
    for (uint64_t i = 0; i < nodes; i++) {
        const uint32_t node = (uint32_t)(range.first + i);
        bvp_node_info info;
        ck_assert_int_eq(bvp_get_node(file, node, &info), BVP_OK);
        ck_assert_uint_eq(offsets[i], at);
        for (uint32_t k = 0; k < info.property_count; k++, at++) {
            bvp_string key, value;
            ck_assert_int_eq(bvp_get_property(file, node, k, &key, &value), BVP_OK);
            if (at >= room)
                continue;
            check_string(keys[at], key);
            check_string(values[at], value);
        }
    }
    ck_assert_uint_eq(offsets[nodes], at);
    ck_assert_uint_eq(count, at);
}

START_TEST(rows_are_those_of_single_calls)
{
    uint64_t state = case_seed();
    case_file f = make_tree();
    bvp_file_info info;
    bvp_get_info(f.file, &info);
    ck_assert_uint_gt(info.instance_count, NODES / 2);
    ck_assert_uint_ge(info.node_count, NODES);
    ck_assert_uint_le(info.node_count, MOST);
    check_instances(f.file, (bvp_range){0, UINT64_MAX}, info.instance_count);
    check_nodes(f.file, (bvp_range){0, UINT64_MAX}, info.node_count);
    check_parts(f.file, (bvp_range){0, UINT64_MAX}, PARTS);
    check_properties(f.file, (bvp_range){0, UINT64_MAX}, info.node_count, 4 * MOST - 1);
    for (int round = 0; round < 30; round++) {
        const uint64_t first = case_random(&state) % (info.instance_count + 1);
        const uint64_t many = case_random(&state) % 50, left = info.instance_count - first;
        const uint64_t count = many < left ? many : left;
        check_instances(f.file, (bvp_range){first, many}, count);
        check_nodes(f.file, (bvp_range){first, count}, count);
        check_parts(f.file, (bvp_range){first % PARTS, 2}, first % PARTS < PARTS - 1 ? 2 : 1);
        check_properties(f.file, (bvp_range){first, count}, count, case_random(&state) % 60);
    }
    check_instances(f.file, (bvp_range){info.instance_count, 3}, 0);
    check_parts(f.file, (bvp_range){PARTS, 3}, 0);
    case_close(&f);
}
END_TEST

START_TEST(columns_that_are_not_wanted)
{
    case_file f = make_tree();
    const bvp_range all = {0, UINT64_MAX};
    static uint32_t numbers[MOST];
    static bvp_string names[MOST];
    uint64_t count = 99, properties;
    bvp_file_info info;
    bvp_get_info(f.file, &info);
    ck_assert_int_eq(bvp_get_instances(f.file, all, &(bvp_instance_columns){0}, &count), BVP_OK);
    ck_assert_uint_eq(count, info.instance_count);
    ck_assert_int_eq(
        bvp_get_instances(f.file, all, &(bvp_instance_columns){.names = names}, &count), BVP_OK);
    ck_assert_int_eq(bvp_get_nodes(f.file, all, &(bvp_node_columns){.parts = numbers}, &count),
                     BVP_OK);
    for (uint32_t i = 0; i < info.node_count; i++) {
        bvp_node_info node;
        ck_assert_int_eq(bvp_get_node(f.file, i, &node), BVP_OK);
        ck_assert_uint_eq(numbers[i], node.part);
    }
    ck_assert_int_eq(bvp_get_properties(f.file, all, 0, &(bvp_property_columns){0}, &properties),
                     BVP_OK);
    ck_assert_int_eq(
        bvp_get_properties(f.file, all, MOST, &(bvp_property_columns){.keys = names}, &count),
        BVP_OK);
    ck_assert_uint_eq(count, properties);
    case_close(&f);
}
END_TEST

START_TEST(arguments_are_checked)
{
    case_file f = make_tree();
    bvp_file_info info;
    bvp_part_info part;
    uint64_t count = 99;
    bvp_get_info(f.file, &info);
    const bvp_range beyond[3] = {{info.instance_count + UINT64_C(1), 1},
                                 {info.node_count + UINT64_C(1), 1},
                                 {PARTS + 1, 1}},
                    far_away = {UINT64_MAX, UINT64_MAX}, all = {0, UINT64_MAX};
    const bvp_instance_columns instances = {0}, later_instances = {.reserved = {[3] = 1}};
    const bvp_node_columns nodes = {0}, later_nodes = {.reserved = {[3] = 1}};
    const bvp_property_columns properties = {0}, later_properties = {.reserved = {[3] = 1}};
    ck_assert_int_eq(bvp_get_instances(f.file, beyond[0], &instances, &count), BVP_ERR_ARGUMENT);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_eq(bvp_get_nodes(f.file, beyond[1], &nodes, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_properties(f.file, beyond[1], 0, &properties, &count),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_parts(f.file, beyond[2], &part, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_instances(f.file, far_away, &instances, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_parts(f.file, far_away, &part, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_instances(f.file, all, NULL, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_nodes(f.file, all, NULL, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_properties(f.file, all, 0, NULL, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_instances(f.file, all, &later_instances, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_nodes(f.file, all, &later_nodes, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_properties(f.file, all, 0, &later_properties, &count),
                     BVP_ERR_ARGUMENT);
    case_close(&f);
}
END_TEST

/* ---- damage ---------------------------------------------------------------------------------- */

/* The rows before a damaged one are read; where its damaged column is not wanted, all are. */
START_TEST(a_damaged_row_ends_the_table)
{
    enum { ROW = 9 };
    case_file f = make_tree();
    static uint32_t numbers[MOST];
    static double placements[MOST][12];
    const bvp_range all = {0, UINT64_MAX};
    uint64_t count;
    bvp_file_info info;
    bvp_get_info(f.file, &info);
    uint8_t *instance = (uint8_t *)f.bytes +
                        (f.file->section[BVPD_INST].data - (const uint8_t *)f.bytes) +
                        ROW * sizeof(bvpd_instance);
    const double nan = __builtin_nan("");
    memcpy(instance, &nan, sizeof nan);
    ck_assert_int_eq(bvp_get_instances(
                         f.file, all, &(bvp_instance_columns){.placements = placements[0]}, &count),
                     BVP_ERR_CORRUPT);
    ck_assert_uint_eq(count, ROW);
    ck_assert_int_eq(
        bvp_get_instances(f.file, all, &(bvp_instance_columns){.parts = numbers}, &count), BVP_OK);
    ck_assert_uint_eq(count, info.instance_count);
    const uint32_t no_part = info.part_count;
    memcpy(instance + offsetof(bvpd_instance, part), &no_part, sizeof no_part);
    ck_assert_int_eq(
        bvp_get_instances(f.file, all, &(bvp_instance_columns){.parts = numbers}, &count),
        BVP_ERR_CORRUPT);
    ck_assert_uint_eq(count, ROW);
    uint8_t *node = (uint8_t *)f.bytes +
                    (f.file->section[BVPD_TREE].data - (const uint8_t *)f.bytes) +
                    ROW * sizeof(bvpd_tree_node);
    const uint32_t no_node = info.node_count;
    memcpy(node, &no_node, sizeof no_node);
    ck_assert_int_eq(bvp_get_nodes(f.file, all, &(bvp_node_columns){.ends = numbers}, &count),
                     BVP_ERR_CORRUPT);
    ck_assert_uint_eq(count, ROW);
    /* properties that begin anywhere: none of them, and nothing is written out of bounds */
    for (uint32_t k = 0; k < info.node_count; k++) {
        const uint32_t first = k % 2 ? UINT32_MAX : 0;
        memcpy(node - ROW * sizeof(bvpd_tree_node) + k * sizeof(bvpd_tree_node) +
                   offsetof(bvpd_tree_node, first_property),
               &first, sizeof first);
    }
    static uint64_t offsets[MOST + 1];
    static bvp_string keys[64], values[64];
    const bvp_property_columns out = {.offsets = offsets, .keys = keys, .values = values};
    keys[40] = values[40] = (bvp_string){"untouched", 9};
    ck_assert_int_eq(bvp_get_properties(f.file, all, 40, &out, &count), BVP_OK);
    ck_assert_uint_eq(offsets[info.node_count], count);
    ck_assert(keys[40].size == 9 && values[40].size == 9);
    case_close(&f);
}
END_TEST

SUITE(test_columns)
{
    const TTest *const list[] = {rows_are_those_of_single_calls, columns_that_are_not_wanted,
                                 arguments_are_checked, a_damaged_row_ends_the_table, NULL};
    return suite_run("columns", list);
}
