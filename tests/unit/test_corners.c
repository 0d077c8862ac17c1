/* SPDX-License-Identifier: MIT
 * test_corners.c: what corners are stored as is what a reader reads, on sheets in few bits.
 */
#include "pack/mesh/corner_codes.h"

#include "build_case.h"
#include "node/cluster_record.h"
#include "suite.h"

#include <string.h>

enum { SIDE = 11 };

/* Numbers anew, packs, reads; returns the bits of a triangle. */
static unsigned check(const uint8_t *corners, uint32_t triangle_count, uint32_t vertex_count)
{
    uint8_t numbered[3 * 256], order[256], record[sizeof(bvpd_cluster) + 3 * 256 + 8] = {0};
    bool used[256] = {false};
    memcpy(numbered, corners, 3 * triangle_count);
    bvpi_corners_order(numbered, triangle_count, vertex_count, order);
    for (uint32_t i = 0; i < vertex_count; i++) {
        ck_assert(!used[order[i]]);
        used[order[i]] = true;
    }
    for (uint32_t i = 0; i < 3 * triangle_count; i++)
        ck_assert_uint_eq(order[numbered[i]], corners[i]);
    bvpd_cluster head = {.vertex_count_minus_1 = (uint8_t)(vertex_count - 1),
                         .triangle_count_minus_1 = (uint8_t)(triangle_count - 1)};
    const uint32_t size = bvpi_corners_pack(numbered, triangle_count, &head, record + sizeof head);
    bvpi_cluster cluster;
    memcpy(record, &head, sizeof head);
    ck_assert(bvpi_cluster_open(record, sizeof record, NULL, 0, &cluster));
    ck_assert_ptr_eq(cluster.vertices, record + sizeof head + size);
    for (uint32_t i = 0; i < 3 * triangle_count; i++)
        ck_assert_uint_eq(bvpi_cluster_corner(&cluster, i / 3, i % 3), numbered[i]);
    for (uint32_t k = sizeof head + size; k < sizeof record; k++)
        ck_assert_uint_eq(record[k], 0);
    return cluster.corners_width;
}

/* A sheet whose triangles and vertices come in any order. */
START_TEST(test_sheet)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 50; round++) {
        uint8_t name[SIDE * SIDE], corners[3 * 2 * (SIDE - 1) * (SIDE - 1)];
        uint32_t count = 0;
        for (int i = 0; i < SIDE * SIDE; i++) {
            const int k = (int)(case_random(&state) % (uint64_t)(i + 1));
            name[i] = name[k];
            name[k] = (uint8_t)i;
        }
        for (int y = 0; y + 1 < SIDE; y++)
            for (int x = 0; x + 1 < SIDE; x++) {
                const int at = y * SIDE + x;
                const int quad[6] = {at, at + 1, at + SIDE, at + SIDE, at + 1, at + SIDE + 1};
                for (int k = 0; k < 6; k++)
                    corners[count++] = name[quad[k]];
            }
        ck_assert_uint_le(check(corners, count / 3, SIDE * SIDE), 7 + 2 * 6);
    }
}
END_TEST

/* Triangles that have nothing to do with one another, degenerate ones among them. */
START_TEST(test_any)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 500; round++) {
        const uint32_t triangles = 1 + (uint32_t)(case_random(&state) % 256);
        const uint32_t most = 3 * triangles < 256 ? 3 * triangles : 256;
        const uint32_t vertices = 1 + (uint32_t)(case_random(&state) % most);
        uint8_t corners[3 * 256];
        for (uint32_t i = 0; i < 3 * triangles; i++)
            corners[i] = (uint8_t)(i < vertices ? i : case_random(&state) % vertices);
        ck_assert_uint_le(check(corners, triangles, vertices), 24);
    }
}
END_TEST

SUITE(test_corners)
{
    const TTest *const tests[] = {test_sheet, test_any, NULL};
    return suite_run("corners", tests);
}
