/* SPDX-License-Identifier: MIT
 * input.c: the bytes of a whole file, mapped; of standard input, read.
 */
#include "files/input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "text/message.h"

#define STREAM_MAX (UINT64_C(1) << 33)

enum { PAGE = 4096 };

static int refuse(const char *path)
{
    complain(path, "can't read: %s", strerror(errno));
    return errno == ENOMEM ? EXIT_LIMIT : EXIT_INPUT;
}

/* aligned_alloc keeps the alignment that the library asks of memory; realloc would not. */
static int grow(void **data, size_t used, size_t *capacity, size_t most)
{
    size_t wanted = *capacity ? *capacity * 2 : (size_t)1 << 20;
    if (wanted > most + PAGE)
        wanted = most / PAGE * PAGE + PAGE;
    void *larger = aligned_alloc(PAGE, wanted);
    if (!larger)
        return -1;
    if (used > 0)
        memcpy(larger, *data, used);
    free(*data);
    *data = larger;
    *capacity = wanted;
    return 0;
}

/* Pipes: until there is no more. */
static int read_all(input *in, int fd, const char *path)
{
    /* The most that is read from a pipe: its writer may never end it. */
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t half = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : STREAM_MAX;
    const size_t most = half < STREAM_MAX ? (size_t)half : (size_t)STREAM_MAX;
    void *data = NULL;
    size_t capacity = 0;
    for (;;) {
        if (in->size >= most) {
            free(data);
            *in = (input){.fd = -1};
            complain(path,
                     "expected at most %zu MiB, the smaller of 8 GiB and half of this machine's "
                     "memory, found more; put it into a file, which need not fit into memory",
                     most >> 20);
            return EXIT_LIMIT;
        }
        if (in->size == capacity && grow(&data, in->size, &capacity, most) != 0)
            break;
        assert(in->size < capacity);
        ssize_t got = read(fd, (char *)data + in->size, capacity - in->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            break;
        in->size += (size_t)got;
        in->data = data;
        if (got == 0)
            return 0;
    }
    int code = refuse(path);
    free(data);
    *in = (input){.fd = -1};
    return code;
}

int input_open(input *in, const char *path)
{
    struct stat file, null;
    *in = (input){.fd = -1};
    int standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (standard)
        path = "standard input";
    if (fd < 0 || fstat(fd, &file) != 0)
        return refuse(path);
    /* Some devices, /dev/zero for one, never end; /dev/null stands for an empty file. */
    const int is_endless =
        S_ISBLK(file.st_mode) || (S_ISCHR(file.st_mode) && !isatty(fd) &&
                                  (stat("/dev/null", &null) != 0 || null.st_rdev != file.st_rdev));
    int code = 0;
    if (S_ISDIR(file.st_mode)) {
        complain(path, "is a folder; name a file in it");
        code = EXIT_INPUT;
    } else if (is_endless) {
        complain(path, "is a device; expected a file, a pipe or standard input");
        code = EXIT_INPUT;
    } else if (!S_ISREG(file.st_mode) || standard) {
        code = read_all(in, fd, path);
    } else if ((uint64_t)file.st_size > SIZE_MAX) {
        errno = ENOMEM;
        code = refuse(path);
    } else if (file.st_size > 0) {
        in->size = (size_t)file.st_size;
        void *data = mmap(NULL, in->size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED) {
            code = refuse(path);
        } else {
            in->data = data;
            in->mapped = 1;
            in->fd = fd;
        }
    }
    if (!standard && in->fd < 0)
        close(fd);
    return code;
}

void input_close(input *in)
{
    if (in->mapped) {
        munmap((void *)in->data, in->size);
        close(in->fd);
    } else {
        free((void *)in->data);
    }
    *in = (input){.fd = -1};
}

int same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int folder_of(const char *path, char *out, size_t capacity)
{
    size_t size = (size_t)(base_name(path) - path);
    if (size == 0)
        return snprintf(out, capacity, ".") < 0;
    return snprintf(out, capacity, "%.*s", (int)size, path) >= (int)capacity;
}
