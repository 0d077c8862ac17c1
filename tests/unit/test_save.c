/* SPDX-License-Identifier: MIT
 * test_save.c: what is saved is sound, and holds the sections that the format knows.
 */
#include "bvpack_build.h"
#include "repair.h"
#include "suite.h"
#include "tiny_binary.h"

START_TEST(unknown_sections_are_left_out)
{
    size_t size;
    uint8_t *bytes = tiny_make_binary(&size, 1);
    bvp_file *file, *saved;
    bvp_error error = {0};
    FILE *out = tmpfile();
    ck_assert_ptr_nonnull(out);
    insert_section(bytes, size, 0);
    ck_assert_int_eq(bvp_verify(bytes, size, NULL, NULL, NULL), BVP_OK);
    ck_assert_int_eq(bvp_open_memory(bytes, size, NULL, &file, NULL), BVP_OK);
    ck_assert_int_eq(bvp_save_fd(file, NULL, fileno(out), NULL), BVP_OK);
    ck_assert_msg(bvp_open_fd(fileno(out), NULL, &saved, &error) == BVP_OK, "%s", error.message);
    ck_assert_int_eq(bvp_verify_file(saved, NULL, NULL, NULL), BVP_OK);
    for (int section = 0; section < BVPD_PROV; section++) {
        ck_assert_uint_eq(saved->section[section].size, file->section[section].size);
        ck_assert_mem_eq(saved->section[section].data, file->section[section].data,
                         file->section[section].size);
    }
    bvp_close(saved);
    bvp_close(file);
    fclose(out);
    free(bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {unknown_sections_are_left_out, NULL};
    return suite_run("save", tests);
}
