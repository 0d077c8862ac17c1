/* SPDX-License-Identifier: MIT
 * import_folder.h: a folder with small meshes, for models that name other files.
 */
#ifndef IMPORT_FOLDER_H
#define IMPORT_FOLDER_H

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "import_case.h"
#include "remove_tree.h"

static char folder[32];

static const char one_triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/* name: its folders must be there. */
static inline void put_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static inline void put_folder(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_int_eq(mkdir(path, 0700), 0);
}

/* tri.obj, parts/tri.obj and parts/two.obj, a folder whose name is made up */
static inline void make_folder(void)
{
    strcpy(folder, "import_folder_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    put_folder("parts");
    put_file("tri.obj", one_triangle);
    put_file("parts/tri.obj", one_triangle);
    put_file("parts/two.obj", "o left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no right\nf 1 3 2\n");
}

static inline void remove_folder(void)
{
    remove_tree(folder);
}

/* text: single quotes stand for double ones when `quotes`. The file is called case and lies in
 * `dir`. */
static inline bvp_status import_in(const char *dir, const char *text, int quotes,
                                   const import_options *options, model *out, bvp_error *error)
{
    const size_t size = strlen(text);
    char *copy = malloc(size + 1);
    ck_assert_ptr_nonnull(copy);
    for (size_t i = 0; i < size; i++)
        copy[i] = quotes && text[i] == '\'' ? '"' : text[i];
    memset(error, 0, sizeof *error);
    bvp_status status = model_import_memory(copy, size, "case", dir, options, out, error);
    free(copy);
    return status;
}

#endif
