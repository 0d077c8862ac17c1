/* SPDX-License-Identifier: MIT
 * test_record.c: internal views of parts, trees, placements, strings and triangle numbers.
 */
#include "format/triangle_ids.h"
#include "suite.h"
#include "tiny_open.h"

static bvpd_hierarchy *hierarchy(const bvp_file *file, int idx)
{
    return (bvpd_hierarchy *)(bytes + file->header.sections[BVPD_HIER].offset) + idx;
}

START_TEST(test_trees)
{
    bvpi_tree tree;
    bvp_file *file = open_tiny();
    ck_assert_int_eq(bvpi_get_part_tree(file, 0, &tree), BVP_OK);
    ck_assert_uint_eq(tree.unit_count, TINY_BLOB_0 / 64);
    ck_assert(tree.node_count == 3 && tree.root == 0 && tree.cluster_shift == 6);
    ck_assert(tree.grid_unit == 1 && tree.grid_extent[0] == 9);
    ck_assert_ptr_eq(tree.units, tiny_data(bytes));
    ck_assert_int_eq(bvpi_get_part_tree(file, 1, &tree), BVP_OK);
    ck_assert_ptr_eq(tree.units, tiny_data(bytes) + TINY_BLOB_0);
    ck_assert_int_eq(bvpi_get_part_tree(file, 2, &tree), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvpi_get_top_tree(file, 0, &tree), BVP_OK);
    ck_assert(tree.unit_count == 1 && tree.grid_origin[0] == -8);
    close_tiny(file);
}
END_TEST

/* One field of a hierarchy after the other is forged. */
START_TEST(test_bad_trees)
{
    for (int field = 0; field < 10; field++) {
        bvpi_tree tree;
        bvp_file *file = open_tiny();
        for (int idx = 0; idx < 3; idx += 2) {
            bvpd_hierarchy *h = hierarchy(file, idx);
            switch (field) {
            case 0:
                h->kind = 2;
                break;
            case 1:
                h->part = 7;
                break;
            case 2:
                h->data_off += 64;
                break;
            case 3:
                h->data_size = UINT64_MAX;
                break;
            case 4:
                h->root = 100;
                break;
            case 5:
                h->node_count = 100;
                break;
            case 6:
                h->grid_unit = 0.3;
                break;
            case 7:
                h->grid_unit = 0x1p1000;
                break;
            case 8:
                h->grid_origin[1] = 0.5;
                break;
            default:
                h->grid_extent[2] = 1 << 22;
            }
        }
        ck_assert_int_eq(bvpi_get_part_tree(file, 0, &tree), BVP_ERR_CORRUPT);
        ck_assert_int_eq(bvpi_get_top_tree(file, 0, &tree), BVP_ERR_CORRUPT);
        close_tiny(file);
    }
}
END_TEST

START_TEST(test_placements)
{
    double m[12];
    bvpd_instance instance;
    bvp_file *file = open_tiny();
    ck_assert_int_eq(bvpi_get_placement(file, 1, m), BVP_OK);
    ck_assert(m[0] == -1 && m[3] == 1);
    ck_assert_int_eq(bvpi_get_placement(file, 4, m), BVP_ERR_CORRUPT);
    memset(bytes + file->header.sections[BVPD_PLAC].offset + 96, 0xff, 8);
    ck_assert_int_eq(bvpi_get_placement(file, 1, m), BVP_ERR_CORRUPT);
    ck_assert_int_eq(bvpi_get_instance(file, 1, &instance, m), BVP_ERR_CORRUPT);
    ck_assert_int_eq(bvpi_get_instance(file, 0, &instance, m), BVP_OK);
    close_tiny(file);
}
END_TEST

START_TEST(test_strings)
{
    bvp_file *file = open_tiny();
    ck_assert_uint_eq(bvpi_get_string(file, 0).size, 0);
    ck_assert_uint_eq(bvpi_get_string(file, 1).size, 4);
    ck_assert_uint_eq(bvpi_get_string(file, 7).size, 0); /* the section's end */
    ck_assert_uint_eq(bvpi_get_string(file, UINT32_MAX).size, 0);
    uint8_t *strings = bytes + file->header.sections[BVPD_STRS].offset;
    strings[4] = 25; /* one byte more than there are */
    ck_assert_uint_eq(bvpi_get_string(file, 1).size, 0);
    strings[4] = 20;
    ck_assert_uint_eq(bvpi_get_string(file, 1).size, 20);
    close_tiny(file);
}
END_TEST

/* Triangle numbers of any width and place; where they do not fit, the storage number. */
START_TEST(test_ids)
{
    enum { COUNT = 100 };
    uint32_t state = 1;
    for (unsigned width = 0; width <= 32; width++) {
        uint32_t values[COUNT];
        const uint64_t packed = (COUNT * width + 31) / 32 * 4;
        uint8_t *ids = calloc(1, 4 + sizeof(bvpd_ids) + packed + 8);
        bvpd_ids head = {.base = 5, .width = (uint8_t)width};
        memcpy(ids + 4, &head, sizeof head);
        for (uint32_t i = 0; i < COUNT; i++) {
            state = state * 1664525 + 1013904223;
            values[i] = width == 0 ? 0 : state >> (32 - width);
            tiny_put_bits(ids + 4 + sizeof head, width, i, values[i]);
        }
        bvpi_part part = {.ids = ids, .ids_size = 4 + sizeof head + packed};
        bvpd_cluster cluster = {.id_off = 1, .first_triangle = 1000};
        for (uint32_t i = 0; i < COUNT; i++)
            ck_assert_uint_eq(bvpi_triangle_id(&part, &cluster, i), 5 + (uint64_t)values[i]);
        part.ids_size -= packed > 0 ? 4 : 1;
        const uint64_t last = bvpi_triangle_id(&part, &cluster, COUNT - 1);
        ck_assert_uint_eq(last, 1000 + COUNT - 1);
        cluster.id_off = UINT32_MAX;
        ck_assert_uint_eq(bvpi_triangle_id(&part, &cluster, 7), 1007);
        part.ids = NULL;
        ck_assert_uint_eq(bvpi_triangle_id(&part, &cluster, 8), 1008);
        free(ids);
    }
}
END_TEST

SUITE(test_record)
{
    const TTest *const tests[] = {test_trees,   test_bad_trees, test_placements,
                                  test_strings, test_ids,       NULL};
    return suite_run("record", tests);
}
