/* SPDX-License-Identifier: MIT
 * test_map.c: all ways to open a file, alone and embedded, and all ways to be refused.
 */
#include "repair.h"
#include "suite.h"
#include "tiny_file.h"

#include <fcntl.h>
#include <sys/stat.h>

static char path[64];
static uint8_t *tiny;
static size_t tiny_size;

static void write_all(const char *name, size_t before, const uint8_t *bytes, size_t size)
{
    static const char junk[8192] = "not the file";
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, junk, before), (ssize_t)before);
    ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
    close(fd);
}

static void set_up(void)
{
    snprintf(path, sizeof path, "test_map.%ld.bvp", (long)getpid());
    tiny = tiny_make(&tiny_size);
    write_all(path, 0, tiny, tiny_size);
}

static void tear_down(void)
{
    unlink(path);
    free(tiny);
}

static void expect_tiny(bvp_file *file)
{
    bvp_file_info info;
    ck_assert_ptr_nonnull(file);
    bvp_get_info(file, &info);
    ck_assert_uint_eq(info.file_size, tiny_size);
    ck_assert_uint_eq(info.triangle_count, 7);
    ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, NULL), BVP_OK);
    bvp_close(file);
}

START_TEST(test_ways)
{
    set_up();
    for (int mode = BVP_OPEN_CHECKED; mode <= BVP_OPEN_ISOLATED; mode++) {
        for (int lazily = 0; lazily < 2; lazily++) {
            const bvp_open_options options = {.mode = (bvp_open_mode)mode, .verify_lazily = lazily};
            bvp_file *file;
            ck_assert_int_eq(bvp_open(path, &options, &file, NULL), BVP_OK);
            expect_tiny(file);
            int fd = open(path, O_RDONLY);
            ck_assert_int_eq(bvp_open_fd(fd, &options, &file, NULL), BVP_OK);
            close(fd);
            expect_tiny(file);
            ck_assert_int_eq(bvp_open_memory(tiny, tiny_size, &options, &file, NULL), BVP_OK);
            expect_tiny(file);
        }
    }
    bvp_close(NULL);
    tear_down();
}
END_TEST

START_TEST(test_embedded)
{
    set_up();
    for (size_t before = 4096; before <= 8192; before += 4096) {
        uint8_t *around = aligned_alloc(4096, tiny_size + 2 * 8192);
        memset(around, 1, tiny_size + 2 * 8192);
        memcpy(around + before, tiny, tiny_size);
        write_all(path, 0, around, tiny_size + 2 * 8192);
        for (int mode = BVP_OPEN_CHECKED; mode <= BVP_OPEN_ISOLATED; mode++) {
            bvp_open_options options = {
                .mode = (bvp_open_mode)mode, .offset = before, .size = tiny_size};
            bvp_file *file;
            ck_assert_int_eq(bvp_open(path, &options, &file, NULL), BVP_OK);
            expect_tiny(file);
            ck_assert_int_eq(bvp_open_memory(around, tiny_size + 2 * 8192, &options, &file, NULL),
                             BVP_OK);
            expect_tiny(file);
            options.size = 0; /* what follows does not belong to the file */
            ck_assert_int_eq(bvp_open(path, &options, &file, NULL), BVP_ERR_CORRUPT);
        }
        free(around);
    }
    tear_down();
}
END_TEST

static void refuse(const char *name, const bvp_open_options *options, bvp_status status,
                   const char *rule)
{
    bvp_file *file = (bvp_file *)tiny;
    bvp_error error = {0};
    ck_assert_int_eq(bvp_open(name, options, &file, &error), status);
    ck_assert_ptr_null(file);
    ck_assert_str_eq(error.rule, rule);
    ck_assert_int_eq(error.status, status);
    ck_assert_int_gt((int)strlen(error.message), 10);
    ck_assert_int_eq(error.sys_errno != 0, status == BVP_ERR_SYSTEM);
    ck_assert_int_eq(bvp_open(name, options, &file, NULL), status);
}

START_TEST(test_refused)
{
    set_up();
    refuse("no such file", NULL, BVP_ERR_SYSTEM, "");
    refuse(".", NULL, BVP_ERR_SYSTEM, "");
    refuse("/dev/null", NULL, BVP_ERR_NOT_OURS, "HDR-1");
    refuse(path, &(bvp_open_options){.offset = 100}, BVP_ERR_ARGUMENT, "");
    refuse(path, &(bvp_open_options){.mode = (bvp_open_mode)3}, BVP_ERR_ARGUMENT, "");
    refuse(path, &(bvp_open_options){.reserved = {1}}, BVP_ERR_ARGUMENT, "");
    refuse(path, &(bvp_open_options){.offset = 4096}, BVP_ERR_NOT_OURS, "HDR-1");
    refuse(path, &(bvp_open_options){.offset = 1 << 20}, BVP_ERR_NOT_OURS, "HDR-1");
    refuse(path, &(bvp_open_options){.size = 8192}, BVP_ERR_CORRUPT, "HDR-8");
    ck_assert_int_eq(truncate(path, (off_t)tiny_size - 4096), 0);
    refuse(path, NULL, BVP_ERR_CORRUPT, "HDR-8");
    ck_assert_int_eq(truncate(path, 1000), 0);
    refuse(path, NULL, BVP_ERR_CORRUPT, "HDR-2");
    ck_assert_int_eq(truncate(path, 0), 0);
    refuse(path, NULL, BVP_ERR_NOT_OURS, "HDR-1");
    tear_down();
}
END_TEST

START_TEST(test_memory_arguments)
{
    bvp_file *file;
    set_up();
    const bvp_open_options beyond = {.offset = 4096 * 100};
    ck_assert_int_eq(bvp_open_memory(tiny + 8, tiny_size - 8, NULL, &file, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_open_memory(tiny, tiny_size, &beyond, &file, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_open_memory(tiny, 0, NULL, &file, NULL), BVP_ERR_NOT_OURS);
    ck_assert_ptr_null(file);
    tear_down();
}
END_TEST

/* An isolated handle neither sees later changes nor accepts earlier damage. */
START_TEST(test_isolated)
{
    bvp_file *file;
    bvp_error error;
    const bvp_open_options options = {.mode = BVP_OPEN_ISOLATED};
    set_up();
    ck_assert_int_eq(bvp_open_memory(tiny, tiny_size, &options, &file, NULL), BVP_OK);
    tiny_data(tiny)[0] ^= 1;
    write_all(path, 0, tiny, tiny_size);
    expect_tiny(file);
    ck_assert_int_eq(bvp_open(path, &options, &file, &error), BVP_ERR_CORRUPT);
    ck_assert_str_eq(error.rule, "HSH-2");
    ck_assert_ptr_null(file);
    ck_assert_int_eq(bvp_open(path, NULL, &file, &error), BVP_OK);
    bvp_close(file);
    tear_down();
}
END_TEST

/* A sound file of format 0.4, whose head had 4096 bytes, is not taken for a damaged one. */
START_TEST(test_other_version)
{
    bvp_error error;
    set_up();
    bvpd_header *h = (bvpd_header *)tiny;
    h->version_minor = 4;
    h->header_size = 4096;
    h->header_hash = 0;
    h->header_hash = bvpi_hash64(tiny, 4096);
    write_all(path, 0, tiny, tiny_size);
    refuse(path, NULL, BVP_ERR_NEWER, "HDR-5");
    refuse(path, &(bvp_open_options){.mode = BVP_OPEN_ISOLATED}, BVP_ERR_NEWER, "HDR-5");
    ck_assert_int_eq(bvp_verify(tiny, tiny_size, NULL, NULL, &error), BVP_ERR_NEWER);
    ck_assert_str_eq(error.rule, "HDR-5");
    tiny[3000] ^= 1;
    write_all(path, 0, tiny, tiny_size);
    refuse(path, NULL, BVP_ERR_CORRUPT, "HDR-3");
    ck_assert_int_eq(bvp_verify(tiny, tiny_size, NULL, NULL, &error), BVP_ERR_CORRUPT);
    ck_assert_str_eq(error.rule, "HDR-3");
    h->header_size = 4097; /* no version's */
    h->header_hash = bvpi_header_hash(h);
    write_all(path, 0, tiny, tiny_size);
    refuse(path, NULL, BVP_ERR_NEWER, "HDR-5");
    tear_down();
}
END_TEST

/* The trailer is verification's business, not opening's. */
START_TEST(test_trailer_is_not_read)
{
    bvp_file *file;
    set_up();
    tiny[tiny_size - 1] ^= 1;
    ck_assert_int_eq(bvp_open_memory(tiny, tiny_size, NULL, &file, NULL), BVP_OK);
    ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, NULL), BVP_ERR_CORRUPT);
    bvp_close(file);
    tear_down();
}
END_TEST

START_TEST(test_isa)
{
    bvp_file *file;
    const bvp_open_options options = {.baseline_simd = 1};
    set_up();
    ck_assert_int_eq(bvp_open(path, &options, &file, NULL), BVP_OK);
    ck_assert_int_eq(file->isa, BVPI_ISA_BASELINE);
    bvp_close(file);
    tear_down();
}
END_TEST

/* What no handle would be given: a section that ends with the file. Validators read on into the
 * bytes behind it. */
START_TEST(test_unchecked_end)
{
    set_up();
    for (int section = 0; section < BVPD_SECTION_COUNT; section++)
        for (uint64_t room = 0; room < 64; room += 16) {
            bvpd_section *entry = &((bvpd_header *)tiny)->sections[section];
            const bvpd_section before = *entry;
            bvp_file file;
            entry->offset = tiny_size - 128;
            entry->size = 128 - room;
            bvpi_map_unchecked(tiny, tiny_size, &file);
            ck_assert_uint_eq(file.section[section].size,
                              room < 48 || section == BVPD_DATA ? 0 : 128 - room);
            *entry = before;
        }
    tear_down();
}
END_TEST

SUITE(test_map)
{
    const TTest *const tests[] = {test_ways,          test_embedded,
                                  test_refused,       test_memory_arguments,
                                  test_isolated,      test_trailer_is_not_read,
                                  test_isa,           test_unchecked_end,
                                  test_other_version, NULL};
    return suite_run("map", tests);
}
