/* SPDX-License-Identifier: MIT
 * publish.c: a file that gets its name only when it is complete.
 *
 * If the system can, the file has no name until then (O_TMPFILE, then a link), so nothing is left
 * if the writer dies. Otherwise, or to replace an existing file in one step, it has a temporary
 * name and is renamed. A killed writer leaves such a file, and the next writer in the folder
 * removes it (sweeping).
 *
 * Sweeping must never remove a file in use, not even one of a process with the same number in
 * another container, or on another machine that shares the folder. So a writer holds a lock (flock)
 * on its file for as long as the temporary name exists; the system releases it when the writer
 * ends. Locks may be known on one machine only, so the name also says during which start of which
 * machine the file was begun, and a sweeper considers only those of its own. A file that could not
 * be locked has a name that says nothing, and is never swept.
 *
 * A sweeper may take the lock between a file's creation and its writer's lock. The writer then
 * finds it locked, or without a name, and makes another.
 *
 * Held by tests/unit/test_publish.c: what killed writers leave is removed, and nothing else ever
 * is.
 */
#define _GNU_SOURCE /* O_TMPFILE */
#include "publish/boot_identity.h"
#include "publish/publish.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    NAME_TRIES = 100,
    BOOT_SIZE = BVPI_BOOT_SIZE,
    TAG_SIZE = 16 /* digits that tell the files of that start apart */
};
#define NAME_HEAD ".bvpack-"
#define NAME_END  ".tmp"

/* ---- names ---------------------------------------------------------------------------------- */

/* Stands in the name of a file without a lock. */
static const char no_boot[BOOT_SIZE + 1] = "0000000000000000";

static void read_boot(char boot[BOOT_SIZE + 1])
{
    bvpi_boot_identity(boot);
    if (boot[0] == '\0')
        strcpy(boot, no_boot);
}

static int folder_size(const char *path)
{
    return (int)bvpi_publish_folder_size(path);
}

static void folder_of(const char *path, char folder[PATH_MAX])
{
    const int size = folder_size(path);
    snprintf(folder, PATH_MAX, "%.*s", size > 0 ? size : 1, size > 0 ? path : ".");
}

/* Sets a temporary name that is probably free. */
static int make_name(bvpi_publishing *p, const char *names, const char *boot)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t tag =
        (uint64_t)getpid() << 40 ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec;
    const int size = snprintf(p->temporary, PATH_MAX, "%.*s" NAME_HEAD "%s-%016" PRIx64 NAME_END,
                              folder_size(names), names, boot, tag);
    if (size < PATH_MAX) {
        if (p->on_name)
            p->on_name(p->user, p->temporary);
        return 0;
    }
    errno = ENAMETOOLONG;
    return -1;
}

/* Does the name belong to a temporary file of this start of this machine? */
static bool is_ours(const char *name, const char *boot)
{
    enum { HEAD = sizeof NAME_HEAD - 1, TAG = HEAD + BOOT_SIZE + 1, END = TAG + TAG_SIZE };
    return strlen(name) == END + sizeof NAME_END - 1 && memcmp(name, NAME_HEAD, HEAD) == 0 &&
           memcmp(name + HEAD, boot, BOOT_SIZE) == 0 && name[TAG - 1] == '-' &&
           strspn(name + TAG, "0123456789abcdef") == TAG_SIZE && strcmp(name + END, NAME_END) == 0;
}

/* ---- opening -------------------------------------------------------------------------------- */

static void number_path(int fd, char path[32])
{
    snprintf(path, 32, "/proc/self/fd/%d", fd);
}

static bool open_nameless(bvpi_publishing *p, const char *path, mode_t mode)
{
#ifdef O_TMPFILE
    char folder[PATH_MAX], number[32];
    folder_of(path, folder);
    p->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (p->fd < 0)
        return false;
    number_path(p->fd, number);
    if (access(number, F_OK) == 0) { /* otherwise it could not be linked later */
        p->is_locked = flock(p->fd, LOCK_EX | LOCK_NB) == 0;
        return true;
    }
    close(p->fd);
#else
    (void)p, (void)path, (void)mode;
#endif
    return false;
}

/* Creates a file with a temporary name and locks it. If the file system knows no locks, the name is
 * replaced by one that is never swept. If a sweeper was faster, another file is made. */
static int open_named(bvpi_publishing *p, const char *names, mode_t mode)
{
    char boot[BOOT_SIZE + 1];
    read_boot(boot);
    for (int i = 0; i < NAME_TRIES; i++) {
        if (make_name(p, names, boot) != 0)
            break;
        p->fd = open(p->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (p->fd < 0 && errno == EEXIST)
            continue;
        if (p->fd < 0)
            break;
        p->is_locked = flock(p->fd, LOCK_EX | LOCK_NB) == 0;
        const bool is_unlockable = !p->is_locked && errno != EWOULDBLOCK;
        struct stat info; /* without a link, a sweeper has removed the file */
        if ((p->is_locked || strcmp(boot, no_boot) == 0) && fstat(p->fd, &info) == 0 &&
            info.st_nlink > 0)
            return 0;
        if (is_unlockable)
            strcpy(boot, no_boot);
        bvpi_publish_discard(p);
    }
    p->fd = -1;
    p->temporary[0] = '\0';
    return -1;
}

int bvpi_publish_open(bvpi_publishing *p, const char *path, const char *names, mode_t mode)
{
    return bvpi_publish_open_watched(p, path, names, mode, NULL, NULL);
}

int bvpi_publish_open_watched(bvpi_publishing *p, const char *path, const char *names, mode_t mode,
                              bvpi_publish_fn on_name, void *user)
{
    p->temporary[0] = '\0';
    p->on_name = on_name;
    p->user = user;
    return open_nameless(p, path, mode) ? 0 : open_named(p, names, mode);
}

/* ---- ending --------------------------------------------------------------------------------- */

/* A link cannot replace a file, a rename can. For that the file gets a temporary name. */
static int link_temporary(bvpi_publishing *p, const char *number, const char *names)
{
    char boot[BOOT_SIZE + 1];
    strcpy(boot, no_boot);
    if (p->is_locked)
        read_boot(boot);
    for (int i = 0; i < NAME_TRIES && make_name(p, names, boot) == 0; i++) {
        if (linkat(AT_FDCWD, number, AT_FDCWD, p->temporary, AT_SYMLINK_FOLLOW) == 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    p->temporary[0] = '\0';
    return -1;
}

/* A link gives a free name. If the name is taken, the file gets a temporary name first, and a
 * rename replaces the other file in one step. */
static int give_name(bvpi_publishing *p, const char *path, const char *names)
{
    char number[32];
    assert(p->fd >= 0);
    /* Network file systems report failed writes on close. Closing a duplicate reports them and
     * keeps the lock. */
    const int twin = fcntl(p->fd, F_DUPFD_CLOEXEC, 0);
    if (twin < 0 || close(twin) != 0)
        return -1;
    if (p->temporary[0] == '\0') {
        number_path(p->fd, number);
        if (linkat(AT_FDCWD, number, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
            return 0;
        if (errno != EEXIST || link_temporary(p, number, names) != 0)
            return -1;
    }
    return rename(p->temporary, path);
}

int bvpi_publish_commit(bvpi_publishing *p, const char *path, const char *names)
{
    if (give_name(p, path, names) != 0) {
        bvpi_publish_discard(p);
        return -1;
    }
    p->temporary[0] = '\0';
    bvpi_publish_discard(p);
    return 0;
}

void bvpi_publish_discard(bvpi_publishing *p)
{
    const int reason = errno;
    if (p->temporary[0])
        unlink(p->temporary);
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
    p->temporary[0] = '\0';
    errno = reason;
}

void bvpi_publish_sync_folder(const char *path)
{
    char folder[PATH_MAX];
    folder_of(path, folder);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

/* ---- sweeping ------------------------------------------------------------------------------- */

static void sweep_one(int folder, const char *name)
{
    enum { FLAGS = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC }; /* it may be anything */
    int fd = openat(folder, name, O_RDWR | FLAGS); /* NFS only locks what is open for writing */
    if (fd < 0 && errno == EACCES)
        fd = openat(folder, name, O_RDONLY | FLAGS);
    if (fd < 0)
        return;
    /* Is the file unused, and is it still the one with this name? While we hold the lock nobody
     * else renames it, so the answer stays true until it is removed. */
    struct stat file, named;
    if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_dev == file.st_dev &&
        named.st_ino == file.st_ino)
        unlinkat(folder, name, 0);
    close(fd);
}

void bvpi_publish_sweep(const char *names)
{
    const int reason = errno;
    char folder[PATH_MAX], boot[BOOT_SIZE + 1];
    folder_of(names, folder);
    read_boot(boot);
    DIR *list = strcmp(boot, no_boot) != 0 ? opendir(folder) : NULL;
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (is_ours(entry->d_name, boot))
            sweep_one(dirfd(list), entry->d_name);
    if (list)
        closedir(list);
    errno = reason;
}
