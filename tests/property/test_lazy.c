/* SPDX-License-Identifier: MIT
 * test_lazy.c: with verify_lazily a part's damage is found when the part is touched, and only then.
 */
#include "repair.h"
#include "suite.h"
#include "tiny_file.h"

static bvp_file *open_lazily(const uint8_t *bytes, size_t size)
{
    const bvp_open_options options = {.verify_lazily = 1};
    bvp_file *file;
    ck_assert_int_eq(bvp_open_memory(bytes, size, &options, &file, NULL), BVP_OK);
    return file;
}

START_TEST(test_good)
{
    size_t size;
    uint8_t *bytes = tiny_make(&size);
    bvp_file *file = open_lazily(bytes, size);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(bvpi_touch(file, 0), BVP_OK);
        ck_assert_int_eq(bvpi_touch(file, 1), BVP_OK);
        ck_assert_int_eq(bvpi_touch(file, BVP_ASSEMBLY), BVP_OK);
        ck_assert_int_eq(bvpi_touch(file, 2), BVP_ERR_ARGUMENT);
    }
    bvp_close(file);
    free(bytes);
}
END_TEST

/* All of the small file is in one block. */
START_TEST(test_damaged_block)
{
    size_t size;
    uint8_t *bytes = tiny_make(&size);
    tiny_data(bytes)[0] ^= 1;
    bvp_file *file = open_lazily(bytes, size);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(bvpi_touch(file, 0), BVP_ERR_CORRUPT);
        ck_assert_int_eq(bvpi_touch(file, BVP_ASSEMBLY), BVP_ERR_CORRUPT);
    }
    bvp_close(file);
    bvp_open_memory(bytes, size, NULL, &file, NULL);
    ck_assert_int_eq(bvpi_touch(file, 0), BVP_OK); /* not asked for */
    bvp_close(file);
    free(bytes);
}
END_TEST

/* A damaged block and its hash, forged to match: the root hash tells. */
START_TEST(test_damaged_hashes)
{
    size_t size;
    uint8_t *bytes = tiny_make(&size), root[16];
    bvpd_header *h = (bvpd_header *)bytes;
    memcpy(root, h->root_hash, sizeof root);
    tiny_data(bytes)[0] ^= 1;
    repair_file(bytes, size);
    memcpy(h->root_hash, root, sizeof root);
    h->header_hash = bvpi_header_hash(h);
    bvp_file *file = open_lazily(bytes, size);
    ck_assert_int_eq(bvpi_touch(file, 1), BVP_ERR_CORRUPT);
    bvp_close(file);
    free(bytes);
}
END_TEST

/* Other parts and sections may be damaged. */
START_TEST(test_only_what_is_touched)
{
    size_t size;
    uint8_t *bytes = tiny_make(&size);
    const bvpd_header *h = (const bvpd_header *)bytes;
    bvp_file *file = open_lazily(bytes, size);
    ck_assert(bvpi_block_is_good(file, 0));
    ck_assert(!bvpi_block_is_good(file, h->sections[BVPD_HASH].record_count));
    ck_assert(!bvpi_block_is_good(file, UINT64_MAX));
    ck_assert_int_eq(bvpi_touch(file, 0), BVP_OK);
    tiny_data(bytes)[0] ^= 1;
    ck_assert_int_eq(bvpi_touch(file, 0), BVP_OK); /* looked at once */
    ck_assert_int_eq(bvpi_touch(file, 1), BVP_OK); /* which lies in the same block */
    bvp_close(file);
    file = open_lazily(bytes, size);
    ck_assert_int_eq(bvpi_touch(file, 1), BVP_ERR_CORRUPT);
    bvp_close(file);
    free(bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {test_good, test_damaged_block, test_damaged_hashes,
                                  test_only_what_is_touched, NULL};
    return suite_run("lazy", tests);
}
