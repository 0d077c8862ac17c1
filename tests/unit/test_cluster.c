/* SPDX-License-Identifier: MIT
 * test_cluster.c: coordinates of every mode and width, against the spec's words done bit by bit.
 */
#include "format/check/decode_cluster.h"
#include "suite.h"
#include "tiny_file.h"

#include <inttypes.h>
#include <math.h>

enum { SLACK = BVPD_DATA_TAIL };

static uint64_t state;

static uint64_t next_random(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The rank of a float among all floats, as the spec has it, from its bits. */
static uint32_t rank_of(uint32_t bits)
{
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static uint32_t ones(unsigned width)
{
    return width == 32 ? UINT32_MAX : (1u << width) - 1;
}

/* Decoding all at once gives what decoding one number at a time does. */
static void expect_same_decoded(const bvpi_cluster *cluster)
{
    static bvpi_decoded_cluster d;
    uint32_t end = 0, wrong = 0;
    bool finite = true;
    d.cluster = *cluster;
    bvpi_decode_cluster(&d);
    for (uint32_t i = 0; i < cluster->triangle_count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t vertex = bvpi_cluster_corner(cluster, i, k);
            wrong += d.corner[i][k] != vertex;
            end = vertex >= end ? vertex + 1 : end;
        }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(d.vertex_end, end);
    end = end > cluster->vertex_count ? end : cluster->vertex_count;
    for (uint32_t i = 0; i < end; i++)
        for (int axis = 0; axis < 3; axis++) {
            const float x = bvpi_cluster_coordinate(cluster, axis, i);
            finite = finite && isfinite(x);
            wrong += bits_of(d.position[i][axis]) != bits_of(x);
        }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_int_eq(d.is_finite, finite);
}

/* RAW and ORDERED, some with tables, at any width. */
START_TEST(test_raw_and_ordered)
{
    uint8_t *record = calloc(1, 8192 + SLACK);
    for (int round = 0; round < 400; round++) {
        const uint32_t vertices = 1 + (uint32_t)(next_random() % 256);
        bvpd_cluster head = {.vertex_count_minus_1 = (uint8_t)(vertices - 1),
                             .triangle_count_minus_1 = (uint8_t)next_random(),
                             .corner_bits = (uint8_t)(next_random() % 64)};
        unsigned width[3], field_width[3], vertex_width = 0;
        for (int axis = 0; axis < 3; axis++) {
            const bool raw = next_random() % 2;
            width[axis] = raw ? 32 : (unsigned)(next_random() % 26);
            head.packing[axis] = (uint8_t)((raw ? BVPD_RAW : BVPD_ORDERED) << 6 | width[axis]);
            head.base[axis] = raw ? 0 : (uint32_t)next_random();
            if (next_random() % 2)
                head.table_count[axis] = (uint8_t)(2 + next_random() % 254);
            field_width[axis] = width[axis];
            for (unsigned bits = 1; head.table_count[axis] > 0 && bits <= 8; bits++)
                if ((head.table_count[axis] - 1) >> bits == 0) {
                    field_width[axis] = bits;
                    break;
                }
            vertex_width += field_width[axis];
        }
        memset(record, 0, 8192);
        memcpy(record, &head, sizeof head);
        const unsigned corners =
            (head.corner_bits & 7) + 1u + 2 * ((head.corner_bits >> 3 & 7) + 1u);
        uint8_t *stream =
            record + sizeof head + ((head.triangle_count_minus_1 + 1u) * corners + 7) / 8;
        uint8_t *table = stream + (vertices * vertex_width + 7) / 8;
        uint32_t expected[3][256], entries[3][256], at = 0;
        for (int axis = 0; axis < 3; axis++) {
            for (uint32_t i = 0; i < head.table_count[axis]; i++) {
                entries[axis][i] = (uint32_t)next_random() & ones(width[axis]);
                tiny_put_bits(table, width[axis], i, entries[axis][i]);
            }
            table += (head.table_count[axis] * width[axis] + 7) / 8;
            for (uint32_t i = 0; i < vertices; i++) {
                uint32_t field = (uint32_t)next_random() & ones(field_width[axis]);
                if (head.table_count[axis] > 0)
                    field %= head.table_count[axis];
                tiny_put_at(stream, i * vertex_width + at, field_width[axis], field);
                if (head.table_count[axis] > 0)
                    field = entries[axis][field];
                const uint32_t rank = head.base[axis] + field;
                expected[axis][i] = rank >> 31 ? rank ^ 0x80000000u : ~rank;
                ck_assert_uint_eq(rank_of(expected[axis][i]), rank);
                if (width[axis] == 32)
                    expected[axis][i] = field;
            }
            at += field_width[axis];
        }
        bvpi_cluster cluster;
        ck_assert(bvpi_cluster_open(record, 8192, NULL, 0, &cluster));
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < vertices; i++)
            for (int axis = 0; axis < 3; axis++)
                wrong += bits_of(bvpi_cluster_coordinate(&cluster, axis, i)) != expected[axis][i];
        ck_assert_uint_eq(wrong, 0);
        expect_same_decoded(&cluster);
        const uint32_t end = (uint32_t)(table - record);
        ck_assert_uint_eq(bvpi_cluster_nodes_off(&cluster), (end + 63) / 64 * 64);
    }
    free(record);
}
END_TEST

START_TEST(test_corners)
{
    uint8_t *record = calloc(1, 4096 + SLACK);
    for (int round = 0; round < 400; round++) {
        bvpd_cluster head = {.triangle_count_minus_1 = (uint8_t)next_random(),
                             .corner_bits = (uint8_t)(next_random() % 64),
                             .corner_base = (uint8_t)next_random()};
        const unsigned first = (head.corner_bits & 7) + 1u, delta = (head.corner_bits >> 3) + 1u;
        uint32_t wrong = 0, fields[3 * 256];
        memset(record, 0, 4096);
        memcpy(record, &head, sizeof head);
        for (uint32_t i = 0; i <= 3u * head.triangle_count_minus_1 + 2; i++) {
            fields[i] = (uint32_t)next_random() & ones(i % 3 == 0 ? first : delta);
            tiny_put_at(record + sizeof head,
                        i / 3 * (first + 2 * delta) +
                            (i % 3 == 0 ? 0 : first + (i % 3 - 1) * delta),
                        i % 3 == 0 ? first : delta, fields[i]);
        }
        bvpi_cluster cluster;
        ck_assert(bvpi_cluster_open(record, 4096, NULL, 0, &cluster));
        for (uint32_t i = 0; i <= 3u * head.triangle_count_minus_1 + 2; i++) {
            uint32_t expected = fields[i];
            if (i % 3 > 0)
                expected = (fields[i / 3 * 3] + fields[i] + head.corner_base) % 256;
            wrong += bvpi_cluster_corner(&cluster, i / 3, i % 3) != expected;
        }
        ck_assert_uint_eq(wrong, 0);
    }
    free(record);
}
END_TEST

START_TEST(test_steps)
{
    for (int code = 0; code < 256; code++) {
        char text[16];
        snprintf(text, sizeof text, "1e-%d", code);
        const double expected = code < 16                 ? strtod(text, NULL)
                                : code < 64 || code > 191 ? 1
                                                          : ldexp(1, code - 128);
        ck_assert_msg(bvpi_cluster_step((uint8_t)code) == expected, "code %d", code);
    }
}
END_TEST

START_TEST(test_grid)
{
    uint8_t *record = calloc(1, 4096 + SLACK);
    for (int round = 0; round < 2000; round++) {
        const int code = (int)(next_random() % 16), power = 64 + (int)(next_random() % 128);
        bvpd_cluster head = {.vertex_count_minus_1 = 0};
        head.packing[0] = BVPD_GRID << 6 | 25;
        head.packing[1] = BVPD_GRID << 6 | 0;
        head.packing[2] = BVPD_GRID << 6 | 25;
        head.scale[0] = (uint8_t)code;
        head.scale[1] = (uint8_t)power;
        head.base[0] = (uint32_t)next_random();
        head.base[1] = (uint32_t)next_random();
        head.base[2] = UINT32_MAX - 2; /* -3, as two's complement */
        memset(record, 0, 100);
        memcpy(record, &head, sizeof head);
        const uint32_t field = (uint32_t)next_random() & 0x1ffffff;
        uint8_t *vertices = record + sizeof head + 1; /* one triangle of 3 bits */
        tiny_put_at(vertices, 0, 25, field);
        tiny_put_at(vertices, 25, 25, 1);
        bvpi_cluster cluster;
        ck_assert(bvpi_cluster_open(record, 4096, NULL, 0, &cluster));
        const double x = (double)(int32_t)(head.base[0] + field) * bvpi_cluster_step(code);
        ck_assert(bvpi_cluster_coordinate(&cluster, 0, 0) == (float)x);
        ck_assert(bvpi_cluster_coordinate(&cluster, 1, 0) ==
                  (float)ldexp((int32_t)head.base[1], power - 128));
        ck_assert(bvpi_cluster_coordinate(&cluster, 2, 0) == -2);
        expect_same_decoded(&cluster);
    }
    free(record);
}
END_TEST

/* Any header at all: nothing is read beyond 8192 bytes from the record's start. The allocation ends
 * there; the address sanitizer watches. */
START_TEST(test_forged)
{
    uint8_t *record = malloc(SLACK);
    float triangle[9];
    for (int round = 0; round < 3000; round++) {
        for (size_t i = 0; i < SLACK; i++)
            record[i] = round % 3 == 0 ? 0xff : (uint8_t)next_random();
        bvpi_cluster cluster;
        ck_assert(!bvpi_cluster_open(record, 35, NULL, 0, &cluster));
        ck_assert(!bvpi_cluster_open(record, 4096, NULL, 4061, &cluster));
        ck_assert(!bvpi_cluster_open(record, 4096, NULL, UINT64_MAX - 35, &cluster));
        ck_assert(bvpi_cluster_open(record, 36, NULL, 0, &cluster));
        for (uint32_t i = 0; i < cluster.triangle_count; i++)
            bvpi_cluster_triangle(&cluster, i, triangle);
        expect_same_decoded(&cluster);
        ck_assert_uint_le(bvpi_cluster_nodes_off(&cluster), SLACK);
    }
    free(record);
}
END_TEST

SUITE(test_cluster)
{
    const char *seed = getenv("BVP_SEED");
    state = seed ? strtoull(seed, NULL, 0) : 1;
    printf("BVP_SEED=%" PRIu64 "\n", state);
    const TTest *const tests[] = {test_raw_and_ordered, test_corners, test_steps, test_grid,
                                  test_forged,          NULL};
    return suite_run("cluster", tests);
}
