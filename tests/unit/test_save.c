/* SPDX-License-Identifier: MIT
 * test_save.c: what is saved is sound, and holds the sections that the format knows.
 */
#include "bvpack_build.h"
#include "refit_case.h"
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

static void source_hash_saved(const bvp_file *file, uint8_t out[16])
{
    bvp_file *saved;
    FILE *to = tmpfile();
    ck_assert_ptr_nonnull(to);
    ck_assert_int_eq(bvp_save_fd(file, NULL, fileno(to), NULL), BVP_OK);
    ck_assert_int_eq(bvp_open_fd(fileno(to), NULL, &saved, NULL), BVP_OK);
    memcpy(out, saved->header.source_hash, 16);
    bvp_close(saved);
    fclose(to);
}

/* Else a program that compares identities would take the deformed file for the original one. */
START_TEST(a_refitted_file_is_another_build)
{
    enum { COUNT = 50 };
    refit_scene scene = {.mesh_count = 1, .meshes = {mesh_new(COUNT)}};
    float moved[9 * COUNT];
    uint8_t original[16], refitted[16];
    case_seed(1);
    case_fill(scene.meshes[0].tri, 9 * COUNT, 1);
    const int fd = refit_pack(&scene, BVP_KIND_AABB, 1);
    bvp_file *file = refit_open_overlay(fd);
    source_hash_saved(file, original);
    ck_assert_mem_eq(original, file->header.source_hash, sizeof original);
    uint64_t count;
    ck_assert_int_eq(bvp_get_vertices(file, 0, 0, 3 * COUNT, moved, &count), BVP_OK);
    moved[0] += 1;
    ck_assert_int_eq(bvp_refit(file, 0, moved, count, NULL), BVP_OK);
    source_hash_saved(file, refitted);
    ck_assert_mem_ne(original, refitted, sizeof original);
    bvp_close(file);
    close(fd);
    free(scene.meshes[0].tri);
}
END_TEST

START_TEST(provenance_is_utf8)
{
    size_t size;
    uint8_t *bytes = tiny_make(&size);
    bvp_file *file;
    bvp_error error = {0};
    FILE *out = tmpfile();
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(bvp_open_memory(bytes, size, NULL, &file, NULL), BVP_OK);
    ck_assert_int_eq(bvp_save_fd(file, "{\"by\": \"\xc3\xa9\"}", fileno(out), NULL), BVP_OK);
    ck_assert_int_eq(bvp_save_fd(file, "{\"by\": \"\xe9\"}", fileno(out), &error),
                     BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "UTF-8"));
    bvp_close(file);
    fclose(out);
    free(bytes);
}
END_TEST

SUITE(test_save)
{
    const TTest *const tests[] = {unknown_sections_are_left_out, a_refitted_file_is_another_build,
                                  provenance_is_utf8, NULL};
    return suite_run("save", tests);
}
