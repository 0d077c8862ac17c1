/* SPDX-License-Identifier: MIT
 * test_digest.c: digests of blocks: a forger who makes the hashes right is found by them, and one
 * who makes the digests right by the root digest, which is signed.
 */
#include "build_case.h"
#include "format/digest.h"
#include "format/map.h"
#include "repair.h"
#include "suite.h"

#include <stdio.h>

enum { TRIANGLES = 9000 }; /* a few blocks */

static case_file make(const bvp_build_options *options)
{
    uint64_t state = 5;
    float *soup = case_soup(&state, TRIANGLES, 100, 1);
    const bvp_mesh mesh = case_mesh(soup, TRIANGLES);
    const case_file f = case_build(&mesh, options);
    free(soup);
    return f;
}

static case_file make_digested(void)
{
    return make(&(bvp_build_options){.digests = 1, .unit_in_metres = 1});
}

/* Of a ray through the middle, on the file as it is opened with this digest. */
static bvp_status ask(const void *bytes, size_t size, const uint8_t *digest, bvp_error *error)
{
    const bvp_open_options how = {.digest = digest};
    bvp_file *file;
    const bvp_ray ray = {.origin = {50, 50, 200}, .direction = {0, 0, -1}, .t_max = 1e9};
    bvp_ray_hit hit;
    bvp_status status = bvp_open_memory(bytes, size, &how, &file, error);
    if (status != BVP_OK)
        return status;
    status = bvp_ray_first(&(bvp_body){.file = file}, &ray, &hit, NULL);
    if (status == BVP_ERR_CORRUPT)
        bvp_check_part(file, 0, error);
    bvp_close(file);
    return status;
}

static bvp_status first_finding(const void *bytes, size_t size, bvp_error *error)
{
    *error = (bvp_error){.status = BVP_OK};
    return bvp_verify(bytes, size, NULL, NULL, error);
}

/* RFC 7693's algorithm with 32 bytes of output; the value is that of b2sum -l 256. */
START_TEST(test_known_value)
{
    static const uint8_t abc[] = {0xbd, 0xdd, 0x81, 0x3c, 0x63, 0x42, 0x39, 0x72, 0x31, 0x71, 0xef,
                                  0x3f, 0xee, 0x98, 0x57, 0x9b, 0x94, 0x96, 0x4e, 0x3b, 0xb1, 0xcb,
                                  0x3e, 0x42, 0x72, 0x62, 0xc8, 0xc0, 0x68, 0xd5, 0x23, 0x19};
    ck_assert(bvpi_digest_is("abc", 3, abc));
    ck_assert(!bvpi_digest_is("abd", 3, abc));
}
END_TEST

/* Opened with it, verified; what has none is as it was. */
START_TEST(test_sound)
{
    const case_file with = make_digested(), without = make(NULL);
    uint8_t digest[BVPD_DIGEST_SIZE];
    bvp_file_info info;
    bvp_error error;
    ck_assert_uint_gt(with.file->digests.count, 2);
    ck_assert_uint_eq(with.file->header.section_count, BVPD_SECTION_COUNT + 1);
    ck_assert_uint_eq(without.file->header.section_count, BVPD_SECTION_COUNT);
    bvp_get_info(with.file, &info);
    ck_assert(info.has_digests);
    bvp_get_info(without.file, &info);
    ck_assert(!info.has_digests);
    ck_assert_int_eq(bvp_get_digest(without.file, digest, &error), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(ask(without.bytes, without.size, digest, &error), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_digest(with.file, digest, NULL), BVP_OK);
    ck_assert_int_eq(ask(with.bytes, with.size, digest, &error), BVP_OK);
    digest[31] ^= 1;
    ck_assert_int_eq(ask(with.bytes, with.size, digest, &error), BVP_ERR_CORRUPT);
    ck_assert_str_eq(error.rule, "DGS-3");
    case_close((case_file *)&with);
    case_close((case_file *)&without);
}
END_TEST

/* A forged byte anywhere before DGST, with hashes to match. */
START_TEST(test_forged_block)
{
    case_file f = make_digested();
    uint8_t digest[BVPD_DIGEST_SIZE], *bytes = f.bytes;
    bvp_error error;
    ck_assert_int_eq(bvp_get_digest(f.file, digest, NULL), BVP_OK);
    const bvpd_section *data = &f.file->header.sections[BVPD_DATA];
    for (uint64_t at = data->offset + 100; at < data->offset + data->size; at += BVPD_BLOCK_SIZE) {
        bytes[at] ^= 1;
        repair_file(bytes, f.size);
        ck_assert_int_eq(ask(bytes, f.size, digest, &error), BVP_ERR_CORRUPT);
        ck_assert_str_eq(error.rule, "DGS-2");
        ck_assert_uint_eq((error.offset - BVPD_HEADER_SIZE) / BVPD_BLOCK_SIZE,
                          (at - BVPD_HEADER_SIZE) / BVPD_BLOCK_SIZE);
        bytes[at] ^= 1;
    }
    bytes[data->offset + 100] ^= 1;
    repair_file(bytes, f.size);
    ck_assert_int_ne(first_finding(bytes, f.size, &error), BVP_OK);
    bytes[data->offset + 100] ^= 1;
    repair_file(bytes, f.size);
    ck_assert_int_eq(first_finding(bytes, f.size, &error), BVP_OK);
    case_close(&f);
}
END_TEST

/* Header and digests forged too: all rules hold, only the root digest is another. */
START_TEST(test_forged_head)
{
    case_file f = make_digested();
    uint8_t digest[BVPD_DIGEST_SIZE], *bytes = f.bytes;
    bvp_error error;
    ck_assert_int_eq(bvp_get_digest(f.file, digest, NULL), BVP_OK);
    ((bvpd_header *)bytes)->unit_in_metres = 0.001;
    repair_file(bytes, f.size);
    ck_assert_int_eq(first_finding(bytes, f.size, &error), BVP_OK);
    ck_assert_int_eq(ask(bytes, f.size, NULL, &error), BVP_OK);
    ck_assert_int_eq(ask(bytes, f.size, digest, &error), BVP_ERR_CORRUPT);
    ck_assert_str_eq(error.rule, "DGS-3");
    ((bvpd_header *)bytes)->unit_in_metres = 1;
    bytes[f.file->digests.data - bytes] ^= 1;
    repair_file(bytes, f.size);
    ck_assert_int_eq(first_finding(bytes, f.size, &error), BVP_ERR_CORRUPT);
    ck_assert_str_eq(error.rule, "DGS-2");
    ck_assert_int_eq(ask(bytes, f.size, digest, &error), BVP_ERR_CORRUPT);
    ck_assert_str_eq(error.rule, "DGS-3");
    case_close(&f);
}
END_TEST

/* DGST in another form than the spec's. */
START_TEST(test_bad_section)
{
    static const struct {
        size_t offset;
        uint64_t xor ;
    } changes[] = {{offsetof(bvpd_section, record_size), 48},
                   {offsetof(bvpd_section, record_count), 1},
                   {offsetof(bvpd_section, raw_size), 32},
                   {offsetof(bvpd_section, codec), 1}};
    case_file f = make_digested();
    uint8_t *bytes = f.bytes;
    bvp_error error;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const uint32_t entry = bvpi_find_digests((const bvpd_header *)bytes);
        uint8_t *field = (uint8_t *)&((bvpd_header *)bytes)->sections[entry] + changes[i].offset;
        *field ^= (uint8_t)changes[i].xor ;
        repair_file(bytes, f.size);
        ck_assert_int_eq(first_finding(bytes, f.size, &error), BVP_ERR_CORRUPT);
        ck_assert_str_eq(error.rule, "DGS-1");
        *field ^= (uint8_t)changes[i].xor ;
    }
    case_close(&f);
}
END_TEST

/* What is saved from an open file has digests if that had. */
START_TEST(test_saved)
{
    case_file f = make_digested();
    uint8_t before[BVPD_DIGEST_SIZE], after[BVPD_DIGEST_SIZE];
    bvp_file *copy;
    FILE *out = tmpfile();
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(bvp_save_fd(f.file, NULL, fileno(out), NULL), BVP_OK);
    ck_assert_int_eq(bvp_open_fd(fileno(out), NULL, &copy, NULL), BVP_OK);
    ck_assert_int_eq(bvp_get_digest(f.file, before, NULL), BVP_OK);
    ck_assert_int_eq(bvp_get_digest(copy, after, NULL), BVP_OK);
    ck_assert_mem_eq(before, after, sizeof before);
    bvp_close(copy);
    fclose(out);
    case_close(&f);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        test_known_value, test_sound, test_forged_block, test_forged_head, test_bad_section,
        test_saved,       NULL};
    if (!bvpi_can_digest()) {
        puts("built without libsodium");
        return 77;
    }
    return suite_run("digest", tests);
}
