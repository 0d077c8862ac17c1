/* SPDX-License-Identifier: MIT
 * windows_folders.c: lists of folders.
 */
#include <windows.h>

#include <dirent.h>

struct bvpi_windows_folder {
    HANDLE search;
    WIN32_FIND_DATAW next;
    int has_next, fd;
    struct dirent entry;
};

DIR *opendir(const char *path)
{
    DIR *folder = calloc(1, sizeof *folder);
    char *pattern = malloc(strlen(path) + 3);
    wchar_t *wide = NULL;
    if (folder && pattern) {
        sprintf(pattern, "%s/*", *path ? path : ".");
        wide = bvpi_windows_path(pattern);
    }
    free(pattern);
    if (!wide) {
        free(folder);
        return NULL;
    }
    folder->search = FindFirstFileW(wide, &folder->next);
    folder->has_next = folder->search != INVALID_HANDLE_VALUE;
    free(wide);
    if (!folder->has_next) {
        bvpi_windows_fail();
        free(folder);
        return NULL;
    }
    folder->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder;
}

struct dirent *readdir(DIR *folder)
{
    if (!folder->has_next)
        return NULL;
    if (WideCharToMultiByte(CP_UTF8, 0, folder->next.cFileName, -1, folder->entry.d_name,
                            sizeof folder->entry.d_name, NULL, NULL) == 0)
        folder->entry.d_name[0] = '\0';
    folder->has_next = FindNextFileW(folder->search, &folder->next);
    return &folder->entry;
}

int closedir(DIR *folder)
{
    FindClose(folder->search);
    if (folder->fd >= 0)
        close(folder->fd);
    free(folder);
    return 0;
}

int dirfd(DIR *folder)
{
    return folder->fd;
}
