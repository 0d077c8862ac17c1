/* SPDX-License-Identifier: MIT
 * input.c: the bytes of a whole file, mapped; of standard input, read.
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "message.h"

enum { PAGE = 4096 };

static int refuse(const char *path)
{
    complain(path, "can't read: %s", strerror(errno));
    return errno == ENOMEM ? EXIT_LIMIT : EXIT_INPUT;
}

/* aligned_alloc keeps the alignment that the library asks of memory; realloc would not. */
static int grow(void **data, size_t used, size_t *capacity)
{
    size_t wanted = *capacity ? *capacity * 2 : (size_t)1 << 20;
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

/* Pipes and devices: until there is no more. */
static int read_all(input *in, int fd, const char *path)
{
    void *data = NULL;
    size_t capacity = 0;
    for (;;) {
        if (in->size == capacity && grow(&data, in->size, &capacity) != 0)
            break;
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
    memset(in, 0, sizeof *in);
    return code;
}

static int map_file(input *in, int fd, const char *path, const struct stat *file)
{
    if ((uint64_t)file->st_size > SIZE_MAX) {
        errno = ENOMEM;
        return refuse(path);
    }
    in->size = (size_t)file->st_size;
    if (in->size == 0)
        return 0;
    void *data = mmap(NULL, in->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return refuse(path);
    in->data = data;
    in->mapped = 1;
    return 0;
}

int input_open(input *in, const char *path)
{
    struct stat file;
    memset(in, 0, sizeof *in);
    int standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (standard)
        path = "standard input";
    if (fd < 0 || fstat(fd, &file) != 0)
        return refuse(path);
    int code;
    if (S_ISDIR(file.st_mode)) {
        complain(path, "is a folder; name a file in it");
        code = EXIT_INPUT;
    } else if (S_ISREG(file.st_mode) && !standard) {
        code = map_file(in, fd, path, &file);
    } else {
        code = read_all(in, fd, path);
    }
    if (!standard)
        close(fd);
    return code;
}

void input_close(input *in)
{
    if (in->mapped)
        munmap((void *)in->data, in->size);
    else
        free((void *)in->data);
    memset(in, 0, sizeof *in);
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
