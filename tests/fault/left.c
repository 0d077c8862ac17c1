/* SPDX-License-Identifier: MIT
 * left.c: what runs leave in a folder.
 */
#include "left.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char old_text[] = "what was there before\n";

void left_prepare(const char *old)
{
    folder_empty(".", 0);
    FILE *file = old ? fopen(old, "w") : NULL;
    if (old && (!file || fputs(old_text, file) < 0 || fclose(file) != 0))
        exit(99);
}

/* A record of the store says when its source was written to; a state is there for the next run. */
static int is_own(const char *path)
{
    return strstr(path, "/sources/") != NULL || strcmp(path, "o.state") == 0;
}

static int is_equal(const folder_file *a, const folder_file *b)
{
    return a && b && a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static int is_as_before(const char *old, const folder_file *f)
{
    return old && strcmp(f->path, old) == 0 && f->size == sizeof old_text - 1 &&
           memcmp(f->data, old_text, f->size) == 0;
}

int left_is_temporary(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return strncmp(name, ".bvpack-", 8) == 0;
}

const char *left_odd(const folder *files, const folder *whole, const char *old, left_kind kind)
{
    for (size_t i = 0; i < files->count; i++) {
        const folder_file *f = &files->files[i], *good = folder_find(whole, f->path);
        if (is_own(f->path) ? !good && kind == LEFT_WHOLE
                            : !is_equal(f, good) && (kind == LEFT_WHOLE || !is_as_before(old, f)) &&
                                  (kind != LEFT_KILLED || !left_is_temporary(f->path)))
            return f->path;
    }
    for (size_t i = 0; i < whole->count && kind == LEFT_WHOLE; i++)
        if (!is_own(whole->files[i].path) && !folder_find(files, whole->files[i].path))
            return whole->files[i].path;
    return NULL;
}
