/* SPDX-License-Identifier: MIT
 * folder.c: a folder of small files in memory.
 */
#define _GNU_SOURCE
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void give_up(const char *what, const char *path)
{
    fprintf(stderr, "faults: can't %s %s: %s\n", what, path, strerror(errno));
    exit(99);
}

static void *grow(void *block, size_t size)
{
    void *grown = realloc(block, size);
    if (!grown)
        give_up("hold", "a folder in memory");
    return grown;
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    char *data = NULL;
    *size = 0;
    for (size_t got = 1; in && got > 0; *size += got) {
        data = grow(data, *size + 65536);
        got = fread(data + *size, 1, 65535, in);
    }
    if (!in)
        give_up("read", path);
    fclose(in);
    data[*size] = '\0';
    return data;
}

/* Calls for each entry but . and .. */
static void each_entry(const char *path, void (*visit)(void *user, const char *path, int is_folder),
                       void *user)
{
    char below[PATH_MAX];
    DIR *dir = opendir(path);
    if (!dir)
        give_up("list", path);
    for (struct dirent *e; (e = readdir(dir));) {
        struct stat info;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(below, sizeof below, "%s/%s", path, e->d_name);
        if (lstat(below, &info) == 0)
            visit(user, below, S_ISDIR(info.st_mode));
    }
    closedir(dir);
}

typedef struct reading {
    folder *into;
    size_t root_size;
} reading;

static void read_entry(void *user, const char *path, int is_folder)
{
    reading *r = user;
    if (is_folder) {
        each_entry(path, read_entry, r);
        return;
    }
    r->into->files = grow(r->into->files, (r->into->count + 1) * sizeof *r->into->files);
    folder_file *file = &r->into->files[r->into->count++];
    file->path = strdup(path + r->root_size + 1);
    file->data = read_whole(path, &file->size);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const folder_file *)a)->path, ((const folder_file *)b)->path);
}

folder folder_read(const char *path)
{
    folder f = {0};
    reading r = {&f, strlen(path)};
    each_entry(path, read_entry, &r);
    if (f.count > 0)
        qsort(f.files, f.count, sizeof *f.files, by_path);
    return f;
}

void folder_free(folder *f)
{
    for (size_t i = 0; i < f->count; i++) {
        free(f->files[i].path);
        free(f->files[i].data);
    }
    free(f->files);
    *f = (folder){0};
}

const folder_file *folder_find(const folder *f, const char *path)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->files[i].path, path) == 0)
            return &f->files[i];
    return NULL;
}

typedef struct copying {
    const char *to;
    size_t from_size;
} copying;

static void copy_entry(void *user, const char *path, int is_folder)
{
    const copying *c = user;
    char target[PATH_MAX];
    size_t size;
    snprintf(target, sizeof target, "%s%s", c->to, path + c->from_size);
    if (is_folder) {
        if (mkdir(target, 0777) != 0 && errno != EEXIST)
            give_up("make", target);
        each_entry(path, copy_entry, user);
        return;
    }
    char *data = read_whole(path, &size);
    FILE *out = fopen(target, "wb");
    if (!out || fwrite(data, 1, size, out) != size || fclose(out) != 0)
        give_up("write", target);
    free(data);
}

void folder_copy(const char *from, const char *to)
{
    copying c = {to, strlen(from)};
    if (mkdir(to, 0777) != 0 && errno != EEXIST)
        give_up("make", to);
    each_entry(from, copy_entry, &c);
}

static void remove_entry(void *user, const char *path, int is_folder)
{
    (void)user;
    if (is_folder)
        folder_empty(path, 1);
    else if (unlink(path) != 0)
        give_up("remove", path);
}

void folder_empty(const char *path, int itself)
{
    each_entry(path, remove_entry, NULL);
    if (itself && rmdir(path) != 0)
        give_up("remove", path);
}
