/* SPDX-License-Identifier: MIT
 * dirent.h: lists of folders. */
#ifndef BVPI_OS_DIRENT_H
#define BVPI_OS_DIRENT_H

struct dirent {
    char d_name[1024]; /* UTF-8: up to three bytes for each of 255 */
};
typedef struct bvpi_windows_folder DIR;

DIR *opendir(const char *path);
struct dirent *readdir(DIR *folder);
int closedir(DIR *folder);
int dirfd(DIR *folder);

#endif
