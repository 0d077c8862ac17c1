/* SPDX-License-Identifier: MIT
 * libexec.c: where the programs are that bvpack starts.
 */
#include "process/libexec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_there(char *path, const char *folder, int folder_size, const char *below,
                     const char *name)
{
    const int size = snprintf(path, LIBEXEC_PATH, "%.*s%s/%s", folder_size, folder, below, name);
    return size < LIBEXEC_PATH && access(path, X_OK) == 0;
}

bool libexec_find(const char *name, char path[LIBEXEC_PATH])
{
    char own[LIBEXEC_PATH];
    const char *given = getenv("BVPACK_LIBEXEC");
    if (given && given[0])
        return is_there(path, given, (int)strlen(given), "", name);
    const ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
    if (size > 0) {
        own[size] = '\0';
        const int folder = (int)(strrchr(own, '/') - own);
        if (is_there(path, own, folder, "", name) ||
            is_there(path, own, folder, "/../libexec/bvpack", name))
            return true;
    }
    return is_there(path, BVPACK_LIBEXEC, (int)strlen(BVPACK_LIBEXEC), "", name);
}
