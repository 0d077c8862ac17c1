/* SPDX-License-Identifier: MIT
 * beneath_windows.c: beneath.h on Windows: what was opened says where it lies.
 *
 * The path is looked at only to refuse early; links and junctions may lead anywhere, also while
 * the file is being opened. So the opened file is asked for its whole path, which must begin with
 * the folder's.
 */
#include "files/beneath.h"

#include <ctype.h>
#include <stdbool.h>
#include <windows.h>

static int refuse(int fd, int reason)
{
    if (fd >= 0)
        close(fd);
    errno = reason;
    return -1;
}

static int keep_file(int fd)
{
    struct stat file;
    if (fd < 0)
        return -1;
    if (fstat(fd, &file) != 0)
        return refuse(fd, errno);
    return S_ISREG(file.st_mode) ? fd : refuse(fd, EINVAL);
}

/* free() it */
static wchar_t *place_of(HANDLE file)
{
    wchar_t *path = malloc(PATH_MAX * sizeof *path);
    const DWORD size = path ? GetFinalPathNameByHandleW(file, path, PATH_MAX, 0) : 0;
    if (size > 0 && size < PATH_MAX)
        return path;
    free(path);
    return NULL;
}

static bool is_in(const wchar_t *file, const wchar_t *folder)
{
    const size_t size = wcslen(folder);
    return wcsncmp(file, folder, size) == 0 && (file[size] == L'\\' || folder[size - 1] == L'\\');
}

/* Also "C:x", and "x:stream", a part of a file that is none by itself. */
static bool is_elsewhere(const char *path)
{
    return *path == '/' || *path == '\\' || strchr(path, ':') != NULL;
}

int beneath_open(const char *folder, const char *path)
{
    char whole[PATH_MAX];
    if (is_elsewhere(path))
        return refuse(-1, EXDEV);
    if (snprintf(whole, sizeof whole, "%s/%s", *folder ? folder : ".", path) >= PATH_MAX)
        return refuse(-1, ENAMETOOLONG);
    const int root = open(*folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return -1;
    const int fd = open(whole, O_RDONLY | O_CLOEXEC);
    const int reason = errno;
    wchar_t *at = place_of((HANDLE)_get_osfhandle(root));
    wchar_t *found = fd >= 0 ? place_of((HANDLE)_get_osfhandle(fd)) : NULL;
    const bool is_beneath = at && found && is_in(found, at);
    free(at);
    free(found);
    close(root);
    if (fd < 0)
        return refuse(-1, reason);
    return is_beneath ? keep_file(fd) : refuse(fd, EXDEV);
}

int beneath_open_stepwise(const char *folder, const char *path)
{
    return beneath_open(folder, path);
}

int beneath_open_any(const char *path)
{
    return keep_file(open(path, O_RDONLY | O_CLOEXEC));
}
