/* SPDX-License-Identifier: MIT
 * whole_path.h: what paths look like: with a drive or a server on Windows.
 */
#ifndef TEXT_WHOLE_PATH_H
#define TEXT_WHOLE_PATH_H

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
int path_is_reserved(const char *path);

#endif
