/* SPDX-License-Identifier: MIT
 * libexec.c: where the programs are that bvpack starts, and what it reads.
 */
#include "process/libexec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where something is, beside the program or installed. */
typedef struct library {
    int mode;         /* of access(2) */
    const char *near; /* of the folder of the program */
    const char *installed;
} library;

static bool is_there(char *path, int mode, const char *folder, int folder_size, const char *below,
                     const char *name)
{
    const int size = snprintf(path, LIBEXEC_PATH, "%.*s%s/%s", folder_size, folder, below, name);
    return size < LIBEXEC_PATH && access(path, mode) == 0;
}

static bool find(const library *in, const char *name, char path[LIBEXEC_PATH])
{
    char own[LIBEXEC_PATH];
    const char *given = getenv("BVPACK_LIBEXEC");
    if (given && given[0])
        return is_there(path, in->mode, given, (int)strlen(given), "", name);
    const ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
    if (size > 0) {
        own[size] = '\0';
        const int folder = (int)(strrchr(own, '/') - own);
        if (is_there(path, in->mode, own, folder, "", name) ||
            is_there(path, in->mode, own, folder, in->near, name))
            return true;
    }
    return is_there(path, in->mode, in->installed, (int)strlen(in->installed), "", name);
}

bool libexec_find(const char *name, char path[LIBEXEC_PATH])
{
    return find(&(library){X_OK, "/../libexec/bvpack", BVPACK_LIBEXEC}, name, path);
}

bool libexec_find_data(const char *name, char path[LIBEXEC_PATH])
{
    return find(&(library){R_OK, "/../share/bvpack", BVPACK_DATA}, name, path);
}
