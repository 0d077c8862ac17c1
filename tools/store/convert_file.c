/* SPDX-License-Identifier: MIT
 * convert_file.c: a packed file with its parts in it or in a store.
 */
#include "store/convert_file.h"

#include <assert.h>
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
#include "path/whole_path.h"

/* ---- where the store is ---------------------------------------------------------------------- */

/* The bytes of a whole path that no ".." leads out of: of C: and //server/share. */
static size_t root_size(const char *path)
{
    size_t size = (size_t)(path_behind_drive(path) - path);
#ifdef _WIN32
    if (size == 0 && path[0] == '/' && path[1] == '/') {
        size = 2 + strcspn(path + 2, "/");
        size += path[size] == '/';
        size += strcspn(path + size, "/");
    }
#endif
    return size;
}

/* "../" for each folder of the first path below the part that both have in common, then the rest of
 * the other. */
int convert_hint(const char *path, const char *store, char hint[PATH_MAX])
{
    char folder[PATH_MAX], from[PATH_MAX], to[PATH_MAX];
    if (folder_of(path, folder, sizeof folder) != 0 || !realpath(folder, from) ||
        !realpath(store, to)) {
        complain(path, "cannot find the way to its store: %s", strerror(errno));
        return EXIT_OUTPUT;
    }
    size_t common = 0; /* bytes of the folders that are equal */
    for (size_t i = 0;; i++) {
        const int ends_from = from[i] == '\0' || from[i] == '/';
        const int ends_to = to[i] == '\0' || to[i] == '/';
        if (ends_from && ends_to)
            common = i;
        if (from[i] != to[i] || from[i] == '\0')
            break;
    }
    if (common < root_size(from)) { /* on Windows another drive, or another share */
        strcpy(hint, to);
        return 0;
    }
    const char *down = to[common] == '/' ? to + common + 1 : to + common;
    size_t used = 0, wanted = strlen(down) + sizeof ".";
    for (const char *up = from + common; *up; up++)
        wanted += *up == '/' && up[1] ? 3 : 0;
    if (wanted > PATH_MAX) {
        complain("--store", "the way to it from the output is too long");
        return EXIT_USAGE;
    }
    for (const char *up = from + common; *up; up++)
        if (*up == '/' && up[1])
            used += (size_t)sprintf(hint + used, "../");
    assert(used < PATH_MAX);
    strcpy(hint + used, *down ? down : ".");
    return 0;
}

/* ---- the parts ------------------------------------------------------------------------------- */

/* All of the file against its hashes; a part of a store against those that it has there. */
static bvp_status check_hashes(const bvp_file *file, bvp_error *error)
{
    bvp_file_info info;
    bvp_get_info(file, &info);
    bvp_status status = bvp_check_part(file, BVP_ASSEMBLY, error);
    for (uint32_t part = 0; part < info.part_count && status == BVP_OK; part++)
        status = bvp_check_part(file, part, error);
    return status;
}

/* Damaged bytes would get new hashes that match. */
int convert_open(const char *path, int is_trusted, bvp_file **file)
{
    bvp_error error = {0};
    const bvp_open_options options = {.verify_lazily = 1, .read_ahead = 1};
    bvp_status status = packed_open_mapped(path, &options, file, &error);
    if (status != BVP_OK)
        return complain_status(path, status, &error);
    status = is_trusted ? check_hashes(*file, &error) : bvp_verify_file(*file, NULL, NULL, &error);
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
        status = bvp_builder_add_packed(builder, &(bvp_packed_part){.file = file, .part = part},
                                        &added, &error);
    int code = 0;
    if (status == BVP_OK)
        code = store_put_part(s, builder, info.address, NULL);
    bvp_builder_free(builder);
    return status == BVP_OK ? code : complain_status(path, status, &error);
}

int convert_file(const char *path, const char *output_path, const char *folder)
{
    char hint[PATH_MAX] = "";
    bvp_file *file = NULL;
    bvp_file_info info;
    bvp_error error = {0};
    bvp_status status = BVP_OK;
    int code = convert_open(path, 0, &file);
    if (code != 0)
        return code;
    bvp_get_info(file, &info);
    if (folder) {
        store s;
        code = store_open(&s, folder);
        for (uint32_t i = 0; i < info.part_count && code == 0; i++)
            code = save_part(&s, path, file, i);
        store_sync(&s); /* before the file that relies on them */
        store_close(&s);
        if (code == 0)
            code = convert_hint(output_path, folder, hint);
    } else { /* so that a later failure is one of the output */
        for (uint32_t i = 0; i < info.part_count && status == BVP_OK; i++)
            status = bvp_check_part(file, i, &error);
        if (status != BVP_OK)
            code = complain_status(path, status, &error);
    }
    output out;
    if (code == 0)
        code = output_open(&out, output_path);
    if (code == 0) {
        status = bvp_convert_fd(file, folder != NULL, hint, out.fd, &error);
        if (status == BVP_OK) {
            code = output_commit(&out);
        } else {
            output_discard(&out);
            code = output_failure(status == BVP_ERR_SYSTEM ? output_path : path, status, &error);
        }
    }
    bvp_close(file);
    return code;
}
