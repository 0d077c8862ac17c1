/* SPDX-License-Identifier: MIT
 * folder.h: a folder of small files in memory: kept, put back, compared.
 */
#ifndef TESTS_FAULT_FOLDER_H
#define TESTS_FAULT_FOLDER_H

#include <stddef.h>

typedef struct folder_file {
    char *path; /* from the folder */
    char *data;
    size_t size;
} folder_file;

typedef struct folder {
    folder_file *files; /* sorted by path */
    size_t count;
} folder;

/* All files in it and below, with what is in them. Ends the program when it can't. */
folder folder_read(const char *path);
void folder_free(folder *f);
const folder_file *folder_find(const folder *f, const char *path);
/* Copies a folder with all below. */
void folder_copy(const char *from, const char *to);
/* Removes what is in it; the folder too when `itself`. */
void folder_empty(const char *path, int itself);

#endif
