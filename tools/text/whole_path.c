/* SPDX-License-Identifier: MIT
 * whole_path.c: names that no file can have on Windows.
 */
#include "text/whole_path.h"

#ifdef _WIN32

#include <string.h>
#include <strings.h>

int path_is_reserved(const char *path)
{
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
}

#else

int path_is_reserved(const char *path)
{
    (void)path;
    return 0;
}

#endif
