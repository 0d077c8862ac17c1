/* SPDX-License-Identifier: MIT
 * convert_file.c: a packed file with its parts in it or in a store.
 */
#include "store/convert_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bvpack_build.h"
#include "files/input.h"
#include "text/message.h"
#include "files/output.h"
#include "files/packed_file.h"
#include "store/store.h"

/* ---- where the store is ---------------------------------------------------------------------- */

/* What of two absolute paths is equal, up to a slash. */
static size_t common_size(const char *a, const char *b)
{
    size_t common = 0;
    for (size_t i = 0;; i++) {
        const int ends_a = a[i] == '\0' || a[i] == '/', ends_b = b[i] == '\0' || b[i] == '/';
        if (ends_a && ends_b)
            common = i;
        if (a[i] != b[i] || a[i] == '\0')
            return common;
    }
}

int convert_hint(const char *path, const char *store, char hint[PATH_MAX])
{
    char folder[PATH_MAX], from[PATH_MAX], to[PATH_MAX];
    if (folder_of(path, folder, sizeof folder) != 0 || !realpath(folder, from) ||
        !realpath(store, to)) {
        complain(path, "cannot find the way to its store: %s", strerror(errno));
        return EXIT_OUTPUT;
    }
    const size_t common = common_size(from, to);
    size_t used = 0;
    for (const char *up = from + common; *up; up++)
        if (*up == '/' && up[1] && used < PATH_MAX - 4)
            used += (size_t)sprintf(hint + used, "../");
    const char *down = to[common] == '/' ? to + common + 1 : to + common;
    if (snprintf(hint + used, PATH_MAX - used, "%s", *down ? down : ".") < (int)(PATH_MAX - used))
        return 0;
    complain("--store", "the folder's name is too long");
    return EXIT_USAGE;
}

/* ---- the parts ------------------------------------------------------------------------------- */

/* Damaged bytes would get new hashes that match. */
int convert_open(const char *path, bvp_file **file)
{
    bvp_error error = {0};
    const bvp_open_options options = {.verify_lazily = 1, .read_ahead = 1};
    bvp_status status = packed_open(path, &options, file, &error);
    if (status != BVP_OK)
        return complain_status(path, status, &error);
    status = bvp_verify_file(*file, NULL, NULL, &error);
    if (status == BVP_OK)
        return 0;
    bvp_close(*file);
    *file = NULL;
    return complain_status(path, status, &error);
}

/* Writes the part unless the store has it. */
static int save_part(store *s, const char *path, const bvp_file *file, uint32_t part)
{
    bvp_builder *builder = NULL;
    bvp_file_info whole;
    bvp_part_info info;
    bvp_error error = {0};
    uint32_t added;
    bvp_get_info(file, &whole);
    const bvp_build_options options = {.packed_is_verified = !whole.is_thin}; /* convert_open did */
    bvp_status status = bvp_check_part(file, part, &error);
    if (status == BVP_OK)
        status = bvp_get_part(file, part, &info);
    if (status == BVP_OK && store_find(s, info.address, NULL))
        return 0;
    if (status == BVP_OK)
        status = bvp_builder_new(&options, &builder, &error);
    if (status == BVP_OK)
        status = bvp_builder_add_packed(builder, file, part, NULL, NULL, &added, &error);
    int code = 0;
    if (status == BVP_OK)
        code = store_put_part(s, builder, info.address, NULL);
    bvp_builder_free(builder);
    return status == BVP_OK ? code : complain_status(path, status, &error);
}

/* So that a later failure is one of the output. */
static int check_parts(const char *path, const bvp_file *file)
{
    bvp_file_info info;
    bvp_error error = {0};
    bvp_status status = BVP_OK;
    bvp_get_info(file, &info);
    for (uint32_t i = 0; i < info.part_count && status == BVP_OK; i++)
        status = bvp_check_part(file, i, &error);
    return status == BVP_OK ? 0 : complain_status(path, status, &error);
}

static int save_parts(const char *path, const bvp_file *file, const char *folder)
{
    store s;
    bvp_file_info info;
    int code = store_open(&s, folder);
    bvp_get_info(file, &info);
    for (uint32_t i = 0; i < info.part_count && code == 0; i++)
        code = save_part(&s, path, file, i);
    store_sync(&s);
    store_close(&s);
    return code;
}

static int write_file(const char *path, const bvp_file *file, const char *output_path, int thin,
                      const char *hint)
{
    output out;
    bvp_error error = {0};
    int code = output_open(&out, output_path);
    if (code != 0)
        return code;
    const bvp_status status = bvp_convert_fd(file, thin, hint, out.fd, &error);
    if (status == BVP_OK)
        return output_commit(&out);
    output_discard(&out);
    return output_failure(status == BVP_ERR_SYSTEM ? output_path : path, status, &error);
}

int convert_file(const char *path, const char *output, const char *store)
{
    char hint[PATH_MAX] = "";
    bvp_file *file = NULL;
    int code = convert_open(path, &file);
    if (code == 0 && !store)
        code = check_parts(path, file);
    if (code == 0 && store)
        code = save_parts(path, file, store);
    if (code == 0 && store)
        code = convert_hint(output, store, hint);
    if (code == 0)
        code = write_file(path, file, output, store != NULL, hint);
    bvp_close(file);
    return code;
}
