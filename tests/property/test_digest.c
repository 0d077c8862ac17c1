/* SPDX-License-Identifier: MIT
 * test_digest.c: digests of blocks: a forger who makes the hashes right is found by them, and one
 * who makes the digests right by the root digest, which is signed.
 */
#include "build_case.h"
#include "exercise.h"
#include "format/digest.h"
#include "format/map.h"
#include "repair.h"
#include "suite.h"

#include <stdio.h>

enum { TRIANGLES = 9000 }; /* a few blocks */

static case_file make(const bvp_build_options *options, uint64_t triangles)
{
    uint64_t state = 5;
    float *soup = case_soup(&state, triangles, 100, 1);
    const bvp_mesh mesh = case_mesh(soup, triangles);
    const case_file f = case_build(&mesh, options);
    free(soup);
    return f;
}

static case_file make_digested(void)
{
    return make(&(bvp_build_options){.digests = 1, .unit_in_metres = 1}, TRIANGLES);
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
    const case_file with = make_digested(), without = make(NULL, TRIANGLES);
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

/* ---- forged directories, all hashes and digests made right ----------------------------------- */

/* As small as two blocks. */
static case_file make_for_attacks(void)
{
    return make(&(bvp_build_options){.digests = 1}, 2000);
}

static bool is_sound(const bvpd_header *h)
{
    const uint32_t digests = bvpi_find_digests(h), hashes = bvpi_find_section(h, BVPD_HASH);
    const bvpd_section *s = &h->sections[digests];
    const uint64_t blocks = (s->offset - BVPD_HEADER_SIZE + BVPD_BLOCK_SIZE - 1) / BVPD_BLOCK_SIZE;
    return hashes + 1 == h->section_count &&
           (digests == h->section_count ||
            (digests + 1 == hashes && s->record_size == BVPD_DIGEST_SIZE && s->codec == 0 &&
             s->record_count == blocks && s->size == 32 * blocks && s->raw_size == s->size));
}

static int go_on(void *user, const bvp_finding *finding)
{
    (void)user, (void)finding;
    return 0;
}

/* Everything that looks at digests, on a copy whose end the sanitizer knows. What is opened has a
 * sound directory; the caller says whether it may be opened. */
static void attack(const uint8_t *bytes, size_t size, bool may_open)
{
    uint8_t *copy = copy_aligned(bytes, size), digest[BVPD_DIGEST_SIZE];
    bvp_error error;
    bvp_file *file;
    ck_assert_ptr_nonnull(copy);
    repair_digests(copy, size);
    repair_file(copy, size);
    const bvpd_header *h = (const bvpd_header *)(const void *)copy;
    bvp_verify(copy, size, go_on, NULL, &error);
    if (bvp_open_memory(copy, size, NULL, &file, &error) == BVP_OK) {
        ck_assert_msg(may_open, "a forged directory was opened");
        ck_assert_msg(is_sound(h), "a directory against the rules was opened");
        if (bvp_get_digest(file, digest, NULL) == BVP_OK)
            ask(copy, size, digest, &error);
        exercise_annotations(file);
        bvp_close(file);
    }
    memset(digest, 0, sizeof digest);
    ask(copy, size, digest, &error);
    free(copy);
}

/* Each field of the entries of DGST and HASH with each number that might overflow a sum, a product,
 * or lie just beside what is right. */
START_TEST(test_forged_entry)
{
    static const uint64_t others[] = {0,
                                      1,
                                      31,
                                      32,
                                      33,
                                      64,
                                      1407,
                                      1408,
                                      BVPD_BLOCK_SIZE,
                                      INT32_MAX,
                                      UINT32_MAX,
                                      UINT64_C(1) << 32,
                                      UINT64_C(1) << 59,
                                      UINT64_C(1) << 63,
                                      UINT64_MAX - 63,
                                      UINT64_MAX - 31,
                                      UINT64_MAX};
    static const struct {
        size_t offset, size;
    } fields[] = {
        {offsetof(bvpd_section, flags), 4},        {offsetof(bvpd_section, offset), 8},
        {offsetof(bvpd_section, size), 8},         {offsetof(bvpd_section, raw_size), 8},
        {offsetof(bvpd_section, record_count), 8}, {offsetof(bvpd_section, record_size), 4},
        {offsetof(bvpd_section, codec), 4}};
    case_file f = make_for_attacks();
    bvpd_header *h = f.bytes;
    const bvpd_header before = *h;
    const uint32_t digests = bvpi_find_digests(h);
    for (uint32_t entry = digests; entry <= digests + 1; entry++)
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            for (size_t k = 0; k < 4 * (sizeof others / sizeof *others); k++) {
                uint8_t *field = (uint8_t *)&h->sections[entry] + fields[i].offset;
                const uint64_t other = others[k / 4];
                uint64_t value = 0;
                memcpy(&value, field, fields[i].size);
                const uint64_t forged[] = {other, value + other, value - other, f.size - other};
                if (memcmp(field, &forged[k % 4], fields[i].size) == 0)
                    continue;
                memcpy(field, &forged[k % 4], fields[i].size);
                /* readers take no notice of whether a section that they know is critical */
                attack(f.bytes, f.size, entry > digests && h->sections[entry].flags == 0);
                *h = before;
            }
    case_close(&f);
}
END_TEST

/* More or fewer digests than blocks, all else as it must be. */
START_TEST(test_forged_count)
{
    case_file f = make_for_attacks();
    bvpd_header *h = f.bytes;
    bvpd_section *s = &h->sections[bvpi_find_digests(h)], *hash = s + 1;
    const uint64_t blocks = s->record_count, hashes = hash->size;
    bvp_error error;
    for (uint64_t count = 0; count <= blocks + 4; count++) {
        s->record_count = count;
        s->size = s->raw_size = count * BVPD_DIGEST_SIZE;
        hash->offset = (s->offset + s->size + 63) & ~UINT64_C(63);
        ck_assert_uint_lt(hash->offset + hashes + sizeof(bvpd_trailer), f.size);
        attack(f.bytes, f.size, count == blocks);
        repair_digests(f.bytes, f.size);
        repair_file(f.bytes, f.size);
        ck_assert(ask(f.bytes, f.size, NULL, &error) ==
                  (count == blocks ? BVP_OK : BVP_ERR_CORRUPT));
        ck_assert(count == blocks || strcmp(error.rule, "DGS-1") == 0);
    }
    case_close(&f);
}
END_TEST

/* Entries exchanged, doubled, renamed, and added at the end; BVP_SEED. */
START_TEST(test_forged_directory)
{
    case_file f = make_for_attacks();
    bvpd_header *h = f.bytes;
    const bvpd_header before = *h;
    uint64_t state = case_seed();
    for (int round = 0; round < 1500; round++) {
        for (uint64_t left = 1 + case_random(&state) % 3; left > 0; left--) {
            const uint32_t near = h->section_count - 3;
            bvpd_section *a = &h->sections[near + case_random(&state) % 4],
                         *b = &h->sections[near + case_random(&state) % 4], old = *a;
            switch (case_random(&state) % 6) {
            case 0:
                *a = *b;
                *b = old;
                break;
            case 1:
                *a = *b;
                break;
            case 2:
                memcpy(a->kind, b->kind, 4);
                break;
            case 3:
                memcpy(a->kind, case_random(&state) % 2 ? BVPD_DIGESTS : "NEXT", 4);
                a->flags = 0;
                break;
            case 4: /* an empty section that nobody knows, where the last one ends */
                a = &h->sections[h->section_count];
                memset(a, 0, sizeof *a);
                memcpy(a->kind, case_random(&state) % 2 ? BVPD_DIGESTS : "NEXT", 4);
                a->record_size = case_random(&state) % 2 ? 32 : 1;
                a->offset = (a[-1].offset + a[-1].size + 63) & ~UINT64_C(63);
                h->section_count++;
                break;
            default:
                h->section_count--;
            }
        }
        attack(f.bytes, f.size, true);
        *h = before;
    }
    case_close(&f);
}
END_TEST

/* What is saved from an open file has digests if that had. */
START_TEST(test_saved)
{
    case_file f = make_for_attacks();
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

SUITE(test_digest)
{
    const TTest *const tests[] = {test_known_value,  test_sound,
                                  test_forged_block, test_forged_head,
                                  test_bad_section,  test_forged_entry,
                                  test_forged_count, test_forged_directory,
                                  test_saved,        NULL};
    if (!bvpi_can_digest()) {
        puts("built without libsodium");
        return 77;
    }
    return suite_run("digest", tests);
}
