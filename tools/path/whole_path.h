/* SPDX-License-Identifier: MIT
 * whole_path.h: what paths look like: with a drive or a server on Windows.
 */
#ifndef PATH_WHOLE_PATH_H
#define PATH_WHOLE_PATH_H

#include <string.h>
#include <strings.h>

#ifdef _WIN32
#define PATH_SLASHES        "/\\"
#define PATH_LIST_SEPARATOR ";" /* between the folders of a list, as in PATH */
#else
#define PATH_SLASHES        "/"
#define PATH_LIST_SEPARATOR ":"
#endif

/* What stands behind the drive: behind C: and behind //?/C:, with either slash; else all of it. A
 * colon before it is no separator. */
static inline const char *path_behind_drive(const char *path)
{
#ifdef _WIN32
    const char *at = path;
    const int has_prefix = (at[0] == '/' || at[0] == '\\') && (at[1] == '/' || at[1] == '\\') &&
                           at[2] == '?' && (at[3] == '/' || at[3] == '\\');
    at += has_prefix ? 4 : 0;
    if (((*at | 32) >= 'a' && (*at | 32) <= 'z') && at[1] == ':')
        return at + 2;
#endif
    return path;
}

/* Does it begin at the root of a file system, or of a drive? Then it is not joined to a folder. */
static inline int path_is_whole(const char *path)
{
#ifdef _WIN32
    return *path == '/' || *path == '\\' || path_behind_drive(path) != path;
#else
    return *path == '/';
#endif
}

/* Would Windows give a file another name than this, or a device? Names that end with a dot or a
 * blank lose that; CON, aux.stl and the like are devices. 0 on other systems. */
static inline int path_is_reserved(const char *path)
{
#ifdef _WIN32
    static const char *const devices[] = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"};
    const char *name = path_behind_drive(path);
    for (const char *at = name; *at; at++)
        name = strchr(PATH_SLASHES, *at) ? at + 1 : name;
    const size_t whole = strlen(name);
    size_t size = strcspn(name, ".:"); /* FILE:STREAM names no file either */
    if (whole == 0)
        return 0;
    if (strchr(". ", name[whole - 1]) || name[size] == ':')
        return 1;
    while (size > 0 && name[size - 1] == ' ')
        size--;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (size == strlen(devices[i]) && strncasecmp(name, devices[i], size) == 0)
            return 1;
    return size == 4 && name[3] >= '1' && name[3] <= '9' &&
           (strncasecmp(name, "COM", 3) == 0 || strncasecmp(name, "LPT", 3) == 0);
#else
    (void)path;
    return 0;
#endif
}

#endif
