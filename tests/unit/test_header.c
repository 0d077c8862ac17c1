/* SPDX-License-Identifier: MIT
 * test_header.c: the tables of sections, and the two hashes, against the spec's words.
 */
#include "format/checksum.h"
#include "format/header.h"
#include "suite.h"
#include "tiny_file.h"

START_TEST(test_sections)
{
    static const struct {
        const char *kind;
        uint32_t record_size;
    } rows[] = {{"PART", 256}, {"HIER", 128}, {"PLAC", 96}, {"TOPN", 64}, {"LINS", 8},
                {"INST", 40},  {"DATA", 1},   {"TIDS", 1},  {"BINH", 1},  {"TREE", 24},
                {"PROP", 8},   {"STRS", 1},   {"PROV", 1},  {"HASH", 8}};
    ck_assert_uint_eq(sizeof rows / sizeof *rows, BVPD_SECTION_COUNT);
    for (int i = 0; i < BVPD_SECTION_COUNT; i++) {
        ck_assert_str_eq(bvpi_section_kind(i), rows[i].kind);
        ck_assert_uint_eq(bvpi_section_record_size(i), rows[i].record_size);
    }
}
END_TEST

START_TEST(test_find)
{
    size_t size;
    uint8_t *bytes = tiny_make(&size);
    bvpd_header *h = (bvpd_header *)bytes;
    for (int i = 0; i < BVPD_SECTION_COUNT; i++)
        ck_assert_uint_eq(bvpi_find_section(h, i), i);
    h->section_count = 1;
    ck_assert_uint_eq(bvpi_find_section(h, BVPD_HIER), 1);
    h->section_count = UINT32_MAX;
    memset(h->sections[BVPD_HIER].kind, 0, 4);
    ck_assert_uint_ge(bvpi_find_section(h, BVPD_HIER), BVPD_SECTION_MAX);
    free(bytes);
}
END_TEST

START_TEST(test_hashes)
{
    size_t size;
    uint8_t *bytes = tiny_make(&size), *joined = malloc(size), root[16];
    const bvpd_header *h = (const bvpd_header *)bytes;
    const bvpd_section *hash = &h->sections[BVPD_HASH];
    memcpy(joined, bytes, 1408);
    memset(joined + 40, 0, 8);
    ck_assert_uint_eq(bvpi_hash64(joined, 1408), h->header_hash);
    ck_assert_uint_eq(bvpi_header_hash(h), h->header_hash);
    memset(joined + 48, 0, 16);
    memcpy(joined + 1408, bytes + hash->offset, hash->size);
    bvpi_hash128(joined, 1408 + hash->size, root);
    ck_assert_mem_eq(root, h->root_hash, 16);
    free(joined);
    free(bytes);
}
END_TEST

START_TEST(test_file_size)
{
    ck_assert_uint_eq(bvpi_file_size_for(4096, 4096), 12288);
    ck_assert_uint_eq(bvpi_file_size_for(4096, 12240), 12288);
    ck_assert_uint_eq(bvpi_file_size_for(4096, 12241), 16384);
    ck_assert_uint_eq(bvpi_file_size_for(4097, 4200), 16384);
}
END_TEST

SUITE(test_header)
{
    const TTest *const tests[] = {test_sections, test_find, test_hashes, test_file_size, NULL};
    return suite_run("header", tests);
}
