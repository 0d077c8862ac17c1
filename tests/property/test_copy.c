/* SPDX-License-Identifier: MIT
 * test_copy.c: parts of forged files, with hashes that fit, are given to a builder: each field of
 * PART and HIER takes extreme values, and single bytes of the parts' data others. What the builder
 * takes makes a file that keeps every rule; with packed_is_verified one that opens.
 * Spec: format.md, chapters "Parts", "Hierarchies".
 */
#include "build_case.h"
#include "format/layout.h"
#include "guarded.h"
#include "repair.h"
#include "suite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 90, PARTS = 2 };

/* A file that is forged again and again; `bytes` end at an unmapped page. */
typedef struct forger {
    case_file good;
    uint8_t *bytes;
    guarded room;
    uint64_t taken, refused;
} forger;

static void open_forger(forger *f)
{
    static const bvp_hierarchy_spec kinds[] = {
        {.kind = BVP_KIND_WIDE}, {.kind = BVP_KIND_BOXTREE}, {.kind = BVP_KIND_RSS}};
    const bvp_build_options options = {.hierarchies = kinds, .hierarchy_count = 3};
    uint64_t state = case_seed();
    bvp_builder *builder;
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    for (int i = 0; i < PARTS; i++) {
        float *soup = case_soup(&state, COUNT, 10, 1);
        const bvp_mesh mesh = case_mesh(soup, COUNT);
        uint32_t part;
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
        free(soup);
    }
    *f = (forger){.good = case_finish(builder)};
    f->room = new_guarded(f->good.size);
    f->bytes = f->room.end - f->good.size;
}

static void close_forger(forger *f)
{
    printf("%" PRIu64 " taken, %" PRIu64 " refused\n", f->taken, f->refused);
    free_guarded(&f->room);
    case_close(&f->good);
}

/* What a builder writes to a descriptor, opened and verified. */
static void check_output(int fd, bool is_verified)
{
    void *bytes = NULL;
    const off_t size = lseek(fd, 0, SEEK_END);
    bvp_file *file = NULL;
    bvp_error error = {0};
    ck_assert_int_eq(posix_memalign(&bytes, 64, (size_t)size), 0);
    ck_assert_int_eq(pread(fd, bytes, (size_t)size, 0), size);
    ck_assert_msg(bvp_open_memory(bytes, (size_t)size, NULL, &file, &error) == BVP_OK, "%s",
                  error.message);
    if (!is_verified)
        ck_assert_msg(bvp_verify(bytes, (size_t)size, NULL, NULL, &error) == BVP_OK, "%s: %s",
                      error.rule, error.message);
    bvp_close(file);
    free(bytes);
}

static void save(bvp_builder *builder, bool is_verified)
{
    FILE *out = tmpfile();
    bvp_error error = {0};
    ck_assert_ptr_nonnull(out);
    ck_assert_msg(bvp_builder_finish_fd(builder, fileno(out), NULL, &error) == BVP_OK, "%s",
                  error.message);
    check_output(fileno(out), is_verified);
    fclose(out);
}

static void add_all(forger *f, const bvp_file *file, bool is_verified, bool borrow)
{
    const bvp_build_options options = {.packed_is_verified = is_verified};
    bvp_builder *builder;
    bvp_error error = {0};
    uint32_t part, taken = 0;
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    for (uint32_t i = 0; i < PARTS; i++) {
        const bvp_status status = bvp_builder_add_packed(
            builder, &(bvp_packed_part){.file = file, .part = i, .name = "name", .borrow = borrow},
            &part, &error);
        taken += status == BVP_OK;
        ck_assert(status == BVP_OK || error.message[0] != 0);
    }
    f->taken += taken;
    f->refused += PARTS - taken;
    if (taken > 0)
        save(builder, is_verified);
    bvp_builder_free(builder);
}

static void convert(const bvp_file *file, int thin)
{
    FILE *out = tmpfile();
    bvp_error error = {0};
    ck_assert_ptr_nonnull(out);
    const bvp_status status = bvp_convert_fd(file, thin, "store", fileno(out), &error);
    ck_assert(status == BVP_OK || error.message[0] != 0);
    fclose(out);
}

static void forge(forger *f, uint64_t offset, const void *value, uint64_t size)
{
    bvp_file *file;
    memcpy(f->bytes, f->good.bytes, f->good.size);
    memcpy(f->bytes + offset, value, size);
    repair_file(f->bytes, f->good.size);
    if (bvp_open_memory(f->bytes, f->good.size, NULL, &file, NULL) != BVP_OK)
        return;
    for (int i = 0; i < 3; i++)
        add_all(f, file, i == 1, i == 2);
    convert(file, (f->taken & 1) != 0);
    bvp_close(file);
}

static const bvpd_section *section_of(const forger *f, int section)
{
    return &((const bvpd_header *)f->good.bytes)->sections[section];
}

/* Each aligned field of a record, as 1, 4 and 8 bytes. */
static void forge_records(forger *f, int section)
{
    static const uint64_t extremes[] = {0,
                                        1,
                                        2,
                                        5,
                                        6,
                                        33,
                                        64,
                                        255,
                                        65535,
                                        INT32_MAX,
                                        UINT64_C(1) << 31,
                                        UINT32_MAX,
                                        UINT64_C(1) << 40,
                                        UINT64_MAX - 63,
                                        UINT64_MAX,
                                        UINT64_C(0x7ff0000000000000),
                                        UINT64_C(0x7ff8000000000000)};
    const bvpd_section *s = section_of(f, section);
    for (uint64_t at = 0; at < s->size; at += 4)
        for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++)
            forge(f, s->offset + at, &extremes[i], at % 8 == 0 && i % 2 ? 8 : i % 3 ? 4 : 1);
}

START_TEST(records_are_bounded)
{
    forger f;
    open_forger(&f);
    forge_records(&f, BVPD_PART);
    forge_records(&f, BVPD_HIER);
    ck_assert_uint_gt(f.taken, 0);
    ck_assert_uint_gt(f.refused, 0);
    close_forger(&f);
}
END_TEST

/* The kinds that led out of an array of sizes, and those that hid that a hierarchy is there twice.
 */
START_TEST(kinds_are_known_and_there_once)
{
    static const uint32_t kinds[] = {0, 1, 2, 3, 5, 6, 100, 0x10000000, UINT32_MAX};
    forger f;
    open_forger(&f);
    const uint64_t hier = section_of(&f, BVPD_HIER)->offset;
    for (uint64_t record = 0; record < 3 * PARTS; record++)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            bvpd_hierarchy good;
            const uint64_t at = hier + record * sizeof good;
            memcpy(&good, (uint8_t *)f.good.bytes + at, sizeof good);
            f.taken = f.refused = 0;
            forge(&f, at, &kinds[i], sizeof kinds[i]);
            ck_assert_uint_eq(f.refused, good.kind == kinds[i] ? 0 : 3);
        }
    close_forger(&f);
}
END_TEST

/* Bytes that only rules about contents know: what is not said to be verified is refused. */
START_TEST(contents_keep_the_rules)
{
    forger f;
    open_forger(&f);
    for (int section = BVPD_DATA; section <= BVPD_BINH; section++) {
        const bvpd_section *s = section_of(&f, section);
        for (uint64_t at = 0; at < s->size; at += 1 + s->size / 300) {
            const uint8_t byte = ((uint8_t *)f.good.bytes)[s->offset + at] ^ 0x41;
            forge(&f, s->offset + at, &byte, 1);
        }
    }
    ck_assert_uint_gt(f.refused, f.taken / 8);
    close_forger(&f);
}
END_TEST

/* A part of a file, as what is known of it is told. */
START_TEST(references_have_numbers_of_parts)
{
    forger f;
    open_forger(&f);
    const bvp_build_options options = {.thin = 1};
    bvp_part_info good, known;
    bvp_builder *builder;
    uint32_t part;
    ck_assert_int_eq(bvp_get_part(f.good.file, 0, &good), BVP_OK);
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    for (int i = 0; i < 7; i++) {
        known = good;
        if (i == 0)
            known.rounding_error = -1;
        else if (i == 1)
            known.rounding_error = 0 * (double)INFINITY;
        else if (i == 2)
            known.degenerate_count = good.triangle_count + 1;
        else if (i == 3)
            known.duplicate_count = UINT64_MAX;
        else if (i == 4)
            known.open_edge_count = 3 * good.triangle_count + 1;
        else if (i == 5)
            known.lo[1] = good.hi[1] + 1;
        else
            known.nonmanifold_edge_count = UINT64_MAX;
        ck_assert_int_eq(bvp_builder_add_reference(builder, &known, "x", NULL, &part, NULL),
                         BVP_ERR_ARGUMENT);
    }
    ck_assert_int_eq(bvp_builder_add_reference(builder, &good, "x", NULL, &part, NULL), BVP_OK);
    bvp_builder_free(builder);
    close_forger(&f);
}
END_TEST

SUITE(test_copy)
{
    const TTest *const tests[] = {kinds_are_known_and_there_once, records_are_bounded,
                                  contents_keep_the_rules, references_have_numbers_of_parts, NULL};
    return suite_run("copy", tests);
}
