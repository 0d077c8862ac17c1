/* SPDX-License-Identifier: MIT
 * test_forged.c: every field of HIER, every number of BINH, of the second part's record and of the
 * assembly's tables takes extreme values, with hashes that fit: readers refuse the hierarchy or
 * stay inside the map, and end. Spec: format.md, chapters "Hierarchies", "Binary hierarchies",
 * "Opening and verifying".
 */
#include "exercise.h"
#include "guarded.h"
#include "repair.h"
#include "suite.h"
#include "tiny_binary.h"

#include <inttypes.h>

/* ---- a file that is forged again and again -------------------------------------------------- */

typedef struct forger {
    uint8_t *good, *bytes; /* `bytes` end at an unmapped page */
    size_t size;
    guarded room;
    uint32_t part;           /* whose hierarchy is asked */
    uint64_t refused, taken; /* hierarchies */
} forger;

static forger new_forger(uint8_t *good, size_t size)
{
    forger f = {.good = good, .size = size, .room = new_guarded(size)};
    f.bytes = f.room.end - size;
    return f;
}

static void free_forger(forger *f)
{
    printf("%" PRIu64 " refused, %" PRIu64 " taken\n", f->refused, f->taken);
    free_guarded(&f->room);
    free(f->good);
}

static int on_volume(void *user, const bvp_volume *volume)
{
    uint64_t *count = user;
    (void)volume;
    ++*count;
    return 0;
}

/* Volumes are shown to their end, then everything is asked; tests of boxes take turns. */
static void ask(forger *f, bvp_kind kind)
{
    const uint64_t turn = f->refused + f->taken;
    const bvp_open_options options = {.kind = kind,
                                      .box_test = (bvp_box_test)(turn % (BVP_TEST_FOUR_LOOKUP + 1)),
                                      .baseline_simd = turn % 2};
    uint64_t count = 0;
    bvp_file *file;
    if (bvp_open_memory(f->bytes, f->size, &options, &file, NULL) != BVP_OK)
        return;
    const bvp_status status = bvp_volumes(file, f->part, kind, UINT32_MAX, on_volume, &count);
    ck_assert_uint_le(count, f->size);
    f->refused += status != BVP_OK;
    f->taken += status == BVP_OK;
    exercise(file);
    exercise_annotations(file);
    bvp_close(file);
}

static void forge(forger *f, uint64_t offset, const void *value, uint64_t size, bvp_kind kind)
{
    memcpy(f->bytes, f->good, f->size);
    memcpy(f->bytes + offset, value, size);
    repair_file(f->bytes, f->size);
    bvp_verify(f->bytes, f->size, NULL, NULL, NULL);
    ask(f, kind);
}

static uint64_t section_off(const forger *f, int section)
{
    return ((const bvpd_header *)f->good)->sections[section].offset;
}

/* ---- HIER ----------------------------------------------------------------------------------- */

#define FIELD(name)                                                                                \
    {                                                                                              \
        offsetof(bvpd_hierarchy, name), sizeof(((bvpd_hierarchy *)NULL)->name)                     \
    }
static const struct {
    uint64_t offset, size;
} fields[] = {
    FIELD(kind),        FIELD(part),           FIELD(data_off),       FIELD(data_size),
    FIELD(root),        FIELD(upper_count),    FIELD(node_count),     FIELD(leaf_count),
    FIELD(leaf_size),   FIELD(depth),          FIELD(grid_origin[0]), FIELD(grid_origin[2]),
    FIELD(grid_unit),   FIELD(grid_extent[0]), FIELD(grid_extent[2]), FIELD(plane_max),
    FIELD(offset_size), FIELD(order_width),    FIELD(split),          FIELD(area_cost),
    FIELD(order_off),   FIELD(turn[0]),
};

/* Little-endian: a narrow field takes the lowest bytes. */
static const uint64_t extremes[] = {
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    9,
    31,
    32,
    33,
    64,
    127,
    128,
    255,
    65535,
    (1 << 22) - 1,
    1 << 22,
    INT32_MAX,
    UINT64_C(1) << 31,
    UINT32_MAX - 1,
    UINT32_MAX,
    UINT64_C(1) << 32,
    UINT64_MAX - 63,
    UINT64_MAX,
    UINT64_C(0x0010000000000000), /* 2^-1022 */
    UINT64_C(0x0d20000000000000), /* 2^-301: the least grid_unit, and half of it */
    UINT64_C(0x0d10000000000000),
    UINT64_C(0x52a0000000000000), /* 2^299, and twice that */
    UINT64_C(0x52b0000000000000),
    UINT64_C(0x4330000000000000), /* 2^52, and the next */
    UINT64_C(0x4330000000000001),
    UINT64_C(0x7fefffffffffffff),
    UINT64_C(0x7ff0000000000000),
    UINT64_C(0x7ff8000000000000),
    UINT64_C(0xc3300000000000ff),
};

static void forge_field(forger *f, uint32_t record, size_t field)
{
    const uint64_t at = section_off(f, BVPD_HIER) + record * sizeof(bvpd_hierarchy);
    bvpd_hierarchy good;
    memcpy(&good, f->good + at, sizeof good);
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++)
        forge(f, at + fields[field].offset, &extremes[i], fields[field].size, (bvp_kind)good.kind);
}

/* Near what is right, where off-by-one mistakes are. */
static void forge_near(forger *f, uint32_t record, size_t field)
{
    const uint64_t at = section_off(f, BVPD_HIER) + record * sizeof(bvpd_hierarchy);
    bvpd_hierarchy good;
    memcpy(&good, f->good + at, sizeof good);
    for (int by = -9; by <= 9; by++) {
        uint64_t value = 0;
        memcpy(&value, f->good + at + fields[field].offset, fields[field].size);
        value += (uint64_t)(int64_t)by;
        forge(f, at + fields[field].offset, &value, fields[field].size, (bvp_kind)good.kind);
    }
}

static void forge_record(forger *f, uint32_t record)
{
    for (size_t field = 0; field < sizeof fields / sizeof *fields; field++) {
        forge_field(f, record, field);
        forge_near(f, record, field);
    }
}

START_TEST(records)
{
    static const uint32_t offset_sizes[] = {1, 4};
    for (int i = 0; i < 2; i++) {
        size_t size;
        uint8_t *good = tiny_make_binary(&size, offset_sizes[i]);
        forger f = new_forger(good, size);
        for (uint32_t record = 0; record < TINY_HIERARCHIES - 2; record++)
            forge_record(&f, record);
        ck_assert_uint_gt(f.refused, 100);
        ck_assert_uint_gt(f.taken, 100);
        free_forger(&f);
    }
}
END_TEST

/* ---- BINH ----------------------------------------------------------------------------------- */

static bvp_kind kind_at(uint64_t offset)
{
    if (offset < TINY_AABB_OFF)
        return BVP_KIND_BOXTREE;
    if (offset < TINY_OBB_OFF)
        return BVP_KIND_AABB;
    return offset < TINY_RSS_OFF ? BVP_KIND_OBB : BVP_KIND_RSS;
}

static const uint8_t narrow[] = {0, 1, 2, 0x3f, 0x7f, 0x80, 0xff};
static const uint32_t wide[] = {0, 1, UINT32_MAX, 0x80000000, 0x7f800000, 0x7fc00000, 0x4a7ffffc};

/* At every place, aligned or not: links, counts, spans, sizes, floats, order entries. */
START_TEST(bytes)
{
    for (uint32_t offset_size = 1; offset_size <= 4; offset_size += 3) {
        size_t size;
        uint8_t *good = tiny_make_binary(&size, offset_size);
        forger f = new_forger(good, size);
        const uint64_t start = section_off(&f, BVPD_BINH);
        const uint64_t bytes = ((const bvpd_header *)good)->sections[BVPD_BINH].size;
        for (uint64_t at = 0; at < bytes; at++) {
            for (size_t i = 0; i < sizeof narrow; i++)
                forge(&f, start + at, &narrow[i], 1, kind_at(at));
            for (size_t i = 0; i < 7 && at + 4 <= bytes; i++)
                forge(&f, start + at, &wide[i], 4, kind_at(at));
        }
        free_forger(&f);
    }
}
END_TEST

/* ---- the second part, and what leads to it --------------------------------------------------- */

/* Bytes one by one, and numbers of four bytes where they begin. */
static void forge_bytes(forger *f, uint64_t start, uint64_t size)
{
    for (uint64_t at = 0; at < size; at++) {
        for (size_t i = 0; i < sizeof narrow; i++)
            forge(f, start + at, &narrow[i], 1, BVP_KIND_WIDE);
        for (size_t i = 0; i < sizeof wide / sizeof *wide && at % 4 == 0; i++)
            forge(f, start + at, &wide[i], 4, BVP_KIND_WIDE);
    }
}

static void forge_doubles(forger *f, uint64_t start, uint64_t size)
{
    for (uint64_t at = 0; at + 8 <= size; at += 8)
        for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++)
            forge(f, start + at, &extremes[i], 8, BVP_KIND_WIDE);
}

START_TEST(assemblies)
{
    size_t size;
    uint8_t *good = tiny_make_binary(&size, 1);
    const bvpd_section *sections = ((const bvpd_header *)good)->sections;
    forger f = new_forger(good, size);
    f.part = 1;
    forge_record(&f, TINY_HIERARCHIES - 2);
    forge_record(&f, TINY_HIERARCHIES - 1);
    ck_assert_uint_gt(f.refused, 100);
    forge_bytes(&f, sections[BVPD_PART].offset + sizeof(bvpd_part), sizeof(bvpd_part));
    forge_bytes(&f, sections[BVPD_TOPN].offset, sections[BVPD_TOPN].size);
    forge_bytes(&f, sections[BVPD_INST].offset, sections[BVPD_INST].size);
    forge_doubles(&f, sections[BVPD_PLAC].offset, sections[BVPD_PLAC].size);
    forge_bytes(&f, sections[BVPD_LINS].offset, sections[BVPD_LINS].size);
    ck_assert_uint_gt(f.taken, 100);
    free_forger(&f);
}
END_TEST

/* ---- many ways to one node ------------------------------------------------------------------ */

enum { UPPERS = 60, UPPER_SIZE = 6 };

/* A boxtree in which record k's children are k + 1 and k + 2: as a tree it had more nodes than
 * anybody can visit. */
static uint8_t *make_knot(uint32_t node_count, size_t *size)
{
    tiny_sections *s = tiny_fill();
    tiny_binary b = {.size = 0};
    const uint8_t parent_s_box = 0;
    for (uint32_t k = 0; k < UPPERS; k++)
        tiny_upper(&b, &parent_s_box, 1, UPPER_SIZE - 4,
                   k < UPPERS - 2 ? k + 1 : BVPD_LINK_BLOCK | UPPERS * UPPER_SIZE / 4);
    tiny_block(&b, TINY_RECORD_1 / 64 << 8, 0, 1);
    s->hierarchy[3] = s->hierarchy[2];
    s->hierarchy[2] = s->hierarchy[1];
    s->hierarchy[1] = s->hierarchy[0];
    s->part[0].hierarchy_count = 2;
    s->part[1].first_hierarchy = 2;
    tiny_record(s, 1, BVPD_KIND_BOXTREE, 0, b.size);
    s->hierarchy[1].upper_count = UPPERS;
    s->hierarchy[1].node_count = node_count;
    s->hierarchy[1].plane_max = s->hierarchy[1].offset_size = 1;
    const bvpi_chunk chunk = {b.bytes, b.size};
    uint8_t *out = tiny_write(s, 4, &chunk, 0, size);
    free(s);
    return out;
}

static int count_box(void *user, const bvp_volume *volume)
{
    uint32_t *left = user;
    (void)volume;
    return --*left == 0;
}

static int on_hit(void *user, const bvp_hit_id *id)
{
    (void)user;
    (void)id;
    return 0;
}

static void expect_end(const bvp_file *file)
{
    const double lo[3] = {-100, -100, -100}, hi[3] = {100, 100, 100};
    const bvp_body body = {.file = file, .part = 0};
    uint32_t left = 100000;
    uint64_t count;
    int hit;
    bvp_stats stats = {0};
    ck_assert_int_eq(bvp_volumes(file, 0, BVP_KIND_BOXTREE, UINT32_MAX, count_box, &left),
                     BVP_ERR_CORRUPT);
    ck_assert_int_eq(bvp_overlap(&body, bvp_box_region(lo, hi), on_hit, NULL, &count, &stats),
                     BVP_ERR_CORRUPT);
    const double apart[12] = {1, 0, 0, 8.25, 0, 1, 0, 0, 0, 0, 1, 0};
    const bvp_body other = {.file = file, .part = 0, .placement = apart};
    /* where the walk may go on for long, a plane tells the triangles apart before it ends */
    const bvp_status status = bvp_collide(&body, &other, &hit, &stats);
    ck_assert(status == BVP_ERR_CORRUPT || (status == BVP_OK && !hit));
    ck_assert_uint_lt(stats.nodes, 100000);
}

START_TEST(knots)
{
    /* as many volumes as the bytes have room for, and more */
    static const uint32_t counts[] = {(UPPERS * UPPER_SIZE + 8) / 2, 1000, UINT32_MAX};
    for (int i = 0; i < 3; i++) {
        const bvp_open_options options = {.kind = BVP_KIND_BOXTREE};
        size_t size;
        uint8_t *knot = make_knot(counts[i], &size);
        bvp_file *file;
        ck_assert_int_eq(bvp_verify(knot, size, NULL, NULL, NULL), BVP_ERR_CORRUPT);
        ck_assert_int_eq(bvp_open_memory(knot, size, &options, &file, NULL), BVP_OK);
        expect_end(file);
        exercise(file);
        bvp_close(file);
        free(knot);
    }
}
END_TEST

SUITE(test_forged)
{
    const TTest *const tests[] = {records, bytes, assemblies, knots, NULL};
    return suite_run("forged", tests);
}
