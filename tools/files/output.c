/* SPDX-License-Identifier: MIT
 * output.c: an output file that has its name only when it is complete.
 */
#include "files/output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "text/message.h"
#include "files/temporary.h"
#include "path/whole_path.h"

static int refuse(const char *path, const char *advice)
{
    complain(path, "can't write: %s%s", strerror(errno), advice);
    return EXIT_OUTPUT;
}

int output_failure(const char *path, bvp_status status, const bvp_error *error)
{
    const int code = complain_status(path, status, error);
    return status == BVP_ERR_SYSTEM ? EXIT_OUTPUT : code;
}

int output_open(output *o, const char *path)
{
    struct stat old;
    mode_t mode = 0666;

    memset(o, 0, sizeof *o);
    o->fd = o->slot = -1;
    if (strcmp(path, "-") == 0) {
        if (isatty(STDOUT_FILENO)) {
            complain("standard output", "is a terminal; send it to a file or a pipe, or name a "
                                        "file with -o");
            return EXIT_USAGE;
        }
        o->direct = 1;
        o->fd = STDOUT_FILENO;
        return 0;
    }
    /* Follows a symbolic link, so that the link stays and its target is replaced. */
    char real[PATH_MAX];
    const char *use = realpath(path, real) ? real : path;
    if (strlen(use) >= sizeof o->path) {
        errno = ENAMETOOLONG;
        return refuse(path, "");
    }
    strcpy(o->path, use);
    if (stat(o->path, &old) == 0) {
        if (S_ISDIR(old.st_mode)) {
            errno = EISDIR;
            return refuse(path, "; name a file in it");
        }
        o->direct = !S_ISREG(old.st_mode);
        mode = old.st_mode & 0777;
    }
    if (path_is_reserved(path) && strcasecmp(path, "NUL") != 0) { /* that one takes all */
        complain(path, "can't write: Windows keeps this name for itself: CON, NUL, aux.stl and the "
                       "like, and names that end with a dot or a blank; name another file");
        return EXIT_OUTPUT;
    }
    if (o->direct) {
        o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
        return o->fd >= 0 ? 0 : refuse(path, "");
    }
    temporary_watch();
    bvpi_publish_sweep(o->path);
    if (bvpi_publish_open_watched(&o->file, o->path, o->path, mode, temporary_redoom, &o->slot) !=
        0)
        return refuse(path, "; does the folder exist, and may you write there?");
    o->fd = o->file.fd;
    return 0;
}

static int finish_direct(output *o)
{
    int fd = o->fd;
    o->fd = -1;
    if (fd != STDOUT_FILENO && close(fd) != 0)
        return refuse(o->path, "");
    return 0;
}

int output_commit(output *o)
{
    if (o->direct)
        return finish_direct(o);
    assert(o->fd >= 0); /* it is committed or discarded once */
    int failed = fsync(o->fd) != 0;
    if (failed)
        bvpi_publish_discard(&o->file);
    failed = failed || bvpi_publish_commit(&o->file, o->path, o->path) != 0;
    const int code = failed ? refuse(o->path, "") : 0;
    temporary_spare(o->slot);
    o->fd = o->slot = -1;
    if (code == 0)
        bvpi_publish_sync_folder(o->path);
    return code;
}

void output_discard(output *o)
{
    if (o->direct) {
        finish_direct(o);
        return;
    }
    if (o->fd >= 0)
        bvpi_publish_discard(&o->file);
    temporary_spare(o->slot);
    o->fd = o->slot = -1;
}
