/* SPDX-License-Identifier: MIT
 * test_wide.c: node/wide_node.h against its plain twins, on valid nodes and clusters and on forged
 * ones. Built for the baseline and, as test_wide_avx2, with AVX2.
 */
#include "node/wide_node.h"
#include "node/frame.h"
#include "tri_cases.h"
#include "suite.h"

#include <check.h>
#include <stdlib.h>

enum { UNIT_COUNT = 64, BLOB = UNIT_COUNT * BVPD_UNIT };

static bool can_run(void)
{
#ifdef __AVX2__
    return __builtin_cpu_supports("avx2");
#else
    return true;
#endif
}

static uint64_t below(uint64_t n)
{
    return case_random() % n;
}

/* A blob of nonsense with the tail that a file guarantees. */
static void fill(bvpi_tree *tree, uint8_t *blob)
{
    for (size_t i = 0; i < BLOB + BVPD_DATA_TAIL; i++)
        blob[i] = (uint8_t)case_random();
    *tree = (bvpi_tree){.units = blob,
                        .unit_count = UNIT_COUNT,
                        .blob_size = BLOB,
                        .cluster_shift = 6,
                        .grid_unit = 1};
}

static uint8_t random_meta(void)
{
    switch (below(8)) {
    case 0:
        return 0;
    case 1:
        return (uint8_t)(below(40) == 0 ? case_random() : 3);
    case 2:
    case 3:
    case 4:
        return BVPD_META_INNER;
    default:
        return (uint8_t)(1 + below(BVPD_LEAF_MAX));
    }
}

static bool meta_is_valid(uint8_t meta)
{
    return meta == 0 || bvpi_meta_is_inner(meta) || bvpi_meta_is_leaf(meta);
}

static void check_references(const bvpd_node *node, const bvpi_wide *wide)
{
    uint32_t inner = 0, items = 0;
    for (unsigned j = 0; j < BVPD_WIDTH; j++) {
        ck_assert_uint_eq(wide->used >> j & 1, node->meta[j] != 0);
        if (bvpi_meta_is_inner(node->meta[j])) {
            ck_assert(bvpi_wide_is_inner(wide, j));
            ck_assert_uint_eq(bvpi_wide_child(wide, j), node->child + inner++);
        } else if (node->meta[j] != 0) {
            ck_assert(!bvpi_wide_is_inner(wide, j));
            ck_assert_uint_eq(bvpi_wide_item_count(wide, j), node->meta[j]);
            ck_assert_uint_eq(bvpi_wide_item(wide, j), node->geom + items);
            items += node->meta[j];
        }
    }
}

START_TEST(references_are_checked_and_counted)
{
    static _Alignas(64) uint8_t blob[BLOB + BVPD_DATA_TAIL];
    case_seed(1);
    unsigned accepted = 0;
    for (int round = 0; round < 20000 && can_run(); round++) {
        bvpi_tree tree;
        bvpd_node node;
        bvpi_wide wide;
        uint32_t unit = (uint32_t)below(UNIT_COUNT);
        if (round % 1000 == 0)
            fill(&tree, blob);
        memcpy(&node, blob + unit * BVPD_UNIT, sizeof node);
        bool valid = true;
        for (int j = 0; j < BVPD_WIDTH; j++) {
            node.meta[j] = random_meta();
            valid = valid && meta_is_valid(node.meta[j]);
        }
        node.child = below(9) == 0 ? (uint32_t)case_random() : (uint32_t)below(UNIT_COUNT + 2);
        memcpy(blob + unit * BVPD_UNIT, &node, sizeof node);
        valid = valid && bvpi_node_load(&tree, unit, &node);
        ck_assert_int_eq(bvpi_wide_load(&tree, unit, &wide), valid);
        if (valid)
            check_references(&node, &wide);
        accepted += valid;
    }
    ck_assert(accepted > 100 || !can_run());
}
END_TEST

/* As they arise: corners are multiples of the frame's own step. */
static void random_frame(bvpi_frame *frame)
{
    for (int a = 0; a < 3; a++) {
        unsigned shift = 10 + (unsigned)below(22);
        uint32_t extent = (uint32_t)case_random() >> shift;
        uint32_t steps = UINT32_MAX << bvpi_frame_shift(extent);
        extent &= steps;
        frame->lo[a] = (uint32_t)below((UINT32_C(1) << BVPD_GRID_BITS) - extent) & steps;
        frame->hi[a] = frame->lo[a] + extent;
    }
}

START_TEST(boxes_equal_the_plain_ones)
{
    static _Alignas(64) uint8_t blob[BLOB + BVPD_DATA_TAIL];
    case_seed(1);
    for (int round = 0; round < 20000 && can_run(); round++) {
        bvpi_tree tree;
        bvpi_frame frame, child;
        float scale = ldexpf(1, (int)below(80) - 40);
        float lo[3], hi[3], centre[3], half[3], unit[3] = {scale, 2 * scale, scale / 4};
        if (round % 200 == 0)
            fill(&tree, blob);
        random_frame(&frame);
        for (int a = 0; a < 3; a++) {
            lo[a] = (float)frame.lo[a] * unit[a];
            hi[a] = (float)frame.hi[a] * unit[a];
            centre[a] = (lo[a] + hi[a]) / 2;
            half[a] = (hi[a] - lo[a]) / 2;
        }
        const bvpd_node *node = (const bvpd_node *)blob + below(UNIT_COUNT);
        bvpi_wide wide = {.bounds = node->bounds};
        bvpi_boxes boxes;
        f32x8 centres[3], halves[3];
        bvpi_wide_boxes(&wide, lo, hi, unit, &boxes);
        bvpi_wide_centred(&wide, centre, half, unit, centres, halves);
        for (int lane = 0; lane < BVPD_WIDTH; lane++) {
            bvpi_frame_child(&frame, node, lane, &child);
            if (!bvpi_frame_is_within(&child, &frame))
                continue;
            float one_centre[3], one_half[3];
            bvpi_wide_centred_lane(&wide, (unsigned)lane, centre, half, unit, one_centre, one_half);
            for (int a = 0; a < 3; a++) {
                float want_lo = (float)child.lo[a] * unit[a],
                      want_hi = (float)child.hi[a] * unit[a];
                ck_assert(boxes.lo[a][lane] == want_lo && boxes.hi[a][lane] == want_hi);
                ck_assert(centres[a][lane] == (want_lo + want_hi) / 2);
                ck_assert(halves[a][lane] == (want_hi - want_lo) / 2);
                ck_assert(one_centre[a] == centres[a][lane] && one_half[a] == halves[a][lane]);
            }
        }
    }
}
END_TEST

static void random_header(uint8_t *record)
{
    bvpd_cluster head;
    memcpy(&head, record, sizeof head);
    for (int a = 0; a < 3; a++) {
        unsigned mode = (unsigned)below(4);
        head.packing[a] = (uint8_t)(mode << 6 | below(40));
        head.scale[a] = (uint8_t)below(below(2) ? 16 : 256);
        head.table_count[a] = (uint8_t)(below(2) ? 0 : below(256));
    }
    memcpy(record, &head, sizeof head);
}

/* Every lane holds the triangle that it should, to the bit. */
static void check_triangles(const bvpi_tree *tree, uint32_t item, unsigned count)
{
    bvpi_cluster cluster;
    bvpi_tri8 tri;
    bool open = bvpi_cluster_open(tree->units, tree->blob_size, tree->outside,
                                  (uint64_t)(item >> 8) << tree->cluster_shift, &cluster);
    bool valid = open && (item & 255) + count <= cluster.triangle_count;
    ck_assert_int_eq(bvpi_wide_triangles(tree, item, count, &tri), valid);
    for (unsigned lane = 0; lane < 8 && valid; lane++) {
        float want[9], got[9];
        bvpi_cluster_triangle(&cluster, (item & 255) + (lane < count ? lane : 0), want);
        for (int k = 0; k < 9; k++)
            got[k] = tri.c[k][lane];
        ck_assert_mem_eq(got, want, sizeof want);
    }
    if (!valid)
        return;
    bvpi_tri8_decode(&cluster, item & 255, &tri);
    for (unsigned lane = 0; lane < count; lane++) {
        float want[9], got[9];
        bvpi_cluster_triangle(&cluster, (item & 255) + lane, want);
        bvpi_tri8_lane(&tri, lane, got);
        ck_assert_mem_eq(got, want, sizeof want);
    }
}

START_TEST(triangles_equal_the_plain_ones)
{
    static _Alignas(64) uint8_t blob[BLOB + BVPD_DATA_TAIL];
    case_seed(1);
    for (int round = 0; round < 20000 && can_run(); round++) {
        bvpi_tree tree;
        if (round % 200 == 0)
            fill(&tree, blob);
        uint32_t cluster = (uint32_t)below(UNIT_COUNT + 1);
        uint32_t first = (uint32_t)below(256);
        random_header(blob + cluster * BVPD_UNIT);
        if (below(50) == 0)
            cluster = (uint32_t)case_random() >> 8;
        check_triangles(&tree, cluster << 8 | first, 1 + (unsigned)below(8));
    }
}
END_TEST

SUITE(test_wide)
{
    const TTest *const list[] = {references_are_checked_and_counted, boxes_equal_the_plain_ones,
                                 triangles_equal_the_plain_ones, NULL};
    return suite_run("wide", list);
}
