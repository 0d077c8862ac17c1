/* SPDX-License-Identifier: MIT
 * publish.h: a file that gets its name only when it is complete, and what a killed writer left.
 * Compiled into the library and into the program, and so without anything else of either.
 */
#ifndef BVPI_FORMAT_PUBLISH_H
#define BVPI_FORMAT_PUBLISH_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* A temporary name, before a file has it, for who removes it when a signal ends the program. */
typedef void (*bvpi_publish_fn)(void *user, const char *temporary);

typedef struct bvpi_publishing {
    int fd;                   /* open for reading and writing */
    bool is_locked;           /* so that a sweeper sees that its writer lives */
    char temporary[PATH_MAX]; /* its name so far; "": it has none, and is gone when fd is closed */
    bvpi_publish_fn on_name;  /* or NULL */
    void *user;               /* its first argument, valid until the end */
} bvpi_publishing;

/* Opens a file without a name in the folder of `path`, with the permissions `mode` that the umask
 * leaves. Where the file system has no such files: one with a temporary name in the folder of
 * `names`, which is of the same file system. 0, or -1 with errno. */
int bvpi_publish_open(bvpi_publishing *p, const char *path, const char *names, mode_t mode);
/* The same; on_name is called with each temporary name that is tried, now or by
 * bvpi_publish_commit. */
int bvpi_publish_open_watched(bvpi_publishing *p, const char *path, const char *names, mode_t mode,
                              bvpi_publish_fn on_name, void *user);

/* Gives it the name `path`, in place of a file that has it, and closes it. Syncs nothing. When the
 * system refuses: -1 with errno, nothing is left, and a file of that name is untouched. */
int bvpi_publish_commit(bvpi_publishing *p, const char *path, const char *names);

/* Closes it, and nothing is left. errno stays. */
void bvpi_publish_discard(bvpi_publishing *p);

/* Removes temporary files in the folder of `names` whose writer is gone: those whose name says that
 * they were begun since this machine was started, and that nobody holds a lock on. What it can't
 * remove stays, without a word. errno stays. */
void bvpi_publish_sweep(const char *names);

/* Makes names in the folder of `path` survive a power cut. Some file systems can't sync folders:
 * not an error. */
void bvpi_publish_sync_folder(const char *path);

#endif
