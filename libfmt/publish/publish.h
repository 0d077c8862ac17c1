/* SPDX-License-Identifier: MIT
 * publish.h: a file that gets its name only when it is complete, and removal of what killed writers
 * left. Compiled into the library and into the program, so it uses nothing else of either.
 */
#ifndef BVPI_FORMAT_PUBLISH_H
#define BVPI_FORMAT_PUBLISH_H

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

/* Called with a temporary name before a file has it, so that a signal handler can remove the
 * file. */
typedef void (*bvpi_publish_fn)(void *user, const char *temporary);

typedef struct bvpi_publishing {
    int fd;                   /* open for reading and writing */
    bool is_locked;           /* tells sweepers that the writer is alive */
    char temporary[PATH_MAX]; /* its present name; "": none, and the file is gone when fd is closed
                               */
    bvpi_publish_fn on_name;  /* or NULL */
    void *user;               /* its first argument, valid until the end */
} bvpi_publishing;

/* Opens a file without a name in the folder of `path`, with permissions `mode` less the umask. If
 * the file system has no such files: one with a temporary name in the folder of `names`, which must
 * be on the same file system. Returns 0, or -1 with errno. */
int bvpi_publish_open(bvpi_publishing *p, const char *path, const char *names, mode_t mode);
/* The same; on_name is called with each temporary name that is tried, here or in
 * bvpi_publish_commit. */
int bvpi_publish_open_watched(bvpi_publishing *p, const char *path, const char *names, mode_t mode,
                              bvpi_publish_fn on_name, void *user);

/* Gives the file the name `path`, replacing a file of that name, and closes it. Does not sync. On
 * failure: -1 with errno, nothing is left, and a file of that name is unchanged. */
int bvpi_publish_commit(bvpi_publishing *p, const char *path, const char *names);

/* Closes the file and leaves nothing. Keeps errno. */
void bvpi_publish_discard(bvpi_publishing *p);

/* Removes temporary files in the folder of `names` whose writers have ended: those begun since this
 * machine was started, according to their names, that nobody has locked. Ignores failures. Keeps
 * errno. */
void bvpi_publish_sweep(const char *names);

/* The bytes of a path's folder, with the slash; 0: it has none. On Windows also with a backslash,
 * and "C:" of "C:x". Inline, for the reader in pages has no other function of this room. */
static inline size_t bvpi_publish_folder_size(const char *path)
{
#ifdef _WIN32
    size_t size = strlen(path);
    while (size > 0 && !strchr("/\\:", path[size - 1]))
        size--;
    return size;
#else
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
#endif
}

/* Makes names in the folder of `path` survive a power failure. Not an error if the file system
 * cannot. */
void bvpi_publish_sync_folder(const char *path);

#endif
