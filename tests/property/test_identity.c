/* SPDX-License-Identifier: MIT
 * test_identity.c: content_hash names the mesh, its corners in their order, and the address follows
 * from it; files in which either is forged are refused; files of format 0.5 have neither rule.
 * Spec: format.md, chapter "Parts" (identity).
 */
#include "build_case.h"
#include "format/identity.h"
#include "repair.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 700 };

static bvpd_part *record_of(const case_file *f)
{
    const bvpd_header *h = f->bytes;
    return (bvpd_part *)((uint8_t *)f->bytes + h->sections[BVPD_PART].offset);
}

static const uint8_t *hash_of(const case_file *f)
{
    return record_of(f)->content_hash;
}

/* The rule that the file breaks first, or "". */
static const char *broken_rule(const case_file *f)
{
    static bvp_error error;
    error = (bvp_error){0};
    repair_file(f->bytes, f->size);
    bvp_verify(f->bytes, f->size, NULL, NULL, &error);
    return error.rule;
}

static void readdress(const case_file *f)
{
    bvpi_part_address(record_of(f), record_of(f)->address);
}

/* ---- the definition -------------------------------------------------------------------------- */

/* As the spec puts it: byte for byte, vertices looked up one by one. */
static void expected_hash(const float *soup, const uint32_t *numbers, uint32_t count,
                          uint8_t out[16])
{
    const size_t head = 16 + 24;
    uint8_t *bytes = calloc(head + 52 * (size_t)count, 1);
    float *positions = (float *)(bytes + head);
    uint32_t *indices = malloc(12 * (size_t)count);
    uint64_t used = 0, triangles = count;
    for (uint32_t corner = 0; corner < 3 * count; corner++) {
        uint32_t vertex = 0;
        while (vertex < used && memcmp(positions + 3 * vertex, soup + 3 * corner, 12) != 0)
            vertex++;
        if (vertex == used)
            memcpy(positions + 3 * used++, soup + 3 * corner, 12);
        indices[corner] = vertex;
    }
    memcpy(bytes, &used, 8);
    memcpy(bytes + 8, &triangles, 8);
    uint8_t *at = bytes + head + 12 * used;
    memcpy(at, indices, 12 * (size_t)count);
    at += 12 * (size_t)count;
    if (numbers) {
        memcpy(at, numbers, 4 * (size_t)count);
        at += 4 * (size_t)count;
    }
    bvp_hash(bytes, (size_t)(at - bytes), out);
    free(bytes);
    free(indices);
}

START_TEST(follows_the_definition)
{
    uint64_t state = case_seed();
    float soup[9 * COUNT], shuffled[9 * COUNT];
    uint32_t numbers[COUNT], mixed[COUNT];
    uint8_t expected[16];
    bvp_mesh mesh = case_random_soup(&state, soup, COUNT);
    case_file f = case_build(&mesh, NULL);
    expected_hash(soup, NULL, COUNT, expected);
    ck_assert_mem_eq(hash_of(&f), expected, 16);
    ck_assert_uint_eq(((bvpd_header *)f.bytes)->version_minor, 7);
    case_close(&f);
    for (uint32_t i = 0; i < COUNT; i++) /* the numbers that it has without any */
        numbers[i] = i;
    mesh.ids = numbers;
    f = case_build(&mesh, NULL);
    ck_assert_mem_eq(hash_of(&f), expected, 16);
    case_close(&f);
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = 3 * i + 5;
    f = case_build(&mesh, NULL);
    expected_hash(soup, numbers, COUNT, expected);
    ck_assert_mem_eq(hash_of(&f), expected, 16);
    case_close(&f);
    for (uint32_t i = 0; i < COUNT; i++) { /* the same triangles under the same numbers */
        const uint32_t from = (uint32_t)((uint64_t)i * 299 % COUNT);
        memcpy(shuffled + 9 * i, soup + 9 * from, 36);
        mixed[i] = numbers[from];
    }
    mesh = case_mesh(shuffled, COUNT);
    mesh.ids = mixed;
    f = case_build(&mesh, NULL);
    ck_assert_mem_eq(hash_of(&f), expected, 16);
    case_close(&f);
}
END_TEST

/* ---- forgeries ------------------------------------------------------------------------------- */

START_TEST(forgeries_are_found)
{
    uint64_t state = case_seed();
    float soup[9 * COUNT];
    const bvp_mesh mesh = case_random_soup(&state, soup, COUNT);
    case_file f = case_build(&mesh, NULL);
    ck_assert_str_eq(broken_rule(&f), "");
    record_of(&f)->address[15] ^= 1;
    ck_assert_str_eq(broken_rule(&f), "PRT-15");
    readdress(&f);
    ck_assert_str_eq(broken_rule(&f), "");
    record_of(&f)->content_hash[0] ^= 1;
    ck_assert_str_eq(broken_rule(&f), "PRT-15");
    readdress(&f);
    ck_assert_str_eq(broken_rule(&f), "PRT-14");
    memset(record_of(&f)->packer, 0, 16); /* nothing is said about the two */
    ck_assert_str_eq(broken_rule(&f), "");
    case_close(&f);
}
END_TEST

/* With the last two corners of a triangle swapped all rules but one hold. */
START_TEST(winding_is_kept)
{
    const float soup[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const bvp_mesh mesh = case_mesh(soup, 1);
    case_file f = case_build(&mesh, NULL);
    float corners[9];
    uint64_t id;
    ck_assert_int_eq(bvp_get_triangle(f.file, 0, 0, corners, &id), BVP_OK);
    ck_assert_mem_eq(corners, soup, sizeof soup);
    const bvpd_header *h = f.bytes;
    uint8_t *data = (uint8_t *)f.bytes + h->sections[BVPD_DATA].offset;
    uint32_t cluster;
    memcpy(&cluster, data + record_of(&f)->cluster_table_off, 4);
    uint8_t *head = data + ((size_t)cluster << record_of(&f)->cluster_shift), *stream = head + 36;
    const unsigned first = (head[7] & 7) + 1u, width = (head[7] >> 3) + 1u;
    const unsigned kept = *stream, mask = (1u << width) - 1;
    const unsigned a = kept >> first & mask, b = kept >> (first + width) & mask;
    *stream = (uint8_t)((kept & ((1u << first) - 1)) | b << first | a << (first + width));
    ck_assert_str_eq(broken_rule(&f), "PRT-14");
    *stream = (uint8_t)kept;
    ck_assert_str_eq(broken_rule(&f), "");
    case_close(&f);
}
END_TEST

/* ---- what is not checked --------------------------------------------------------------------- */

/* Where numbers repeat, or are not kept, the order is not in the file. */
START_TEST(unknown_orders_are_not_guessed)
{
    uint64_t state = case_seed();
    float soup[9 * COUNT];
    uint32_t numbers[COUNT];
    bvp_mesh mesh = case_random_soup(&state, soup, COUNT);
    case_file f = case_build(&mesh, &(bvp_build_options){.no_ids = 1});
    record_of(&f)->content_hash[0] ^= 1;
    readdress(&f);
    ck_assert_str_eq(broken_rule(&f), "");
    case_close(&f);
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = i / 2;
    mesh.ids = numbers;
    f = case_build(&mesh, NULL);
    record_of(&f)->content_hash[0] ^= 1;
    readdress(&f);
    ck_assert_str_eq(broken_rule(&f), "");
    case_close(&f);
}
END_TEST

SUITE(test_identity)
{
    const TTest *const tests[] = {follows_the_definition, forgeries_are_found, winding_is_kept,
                                  unknown_orders_are_not_guessed, NULL};
    return suite_run("identity", tests);
}
